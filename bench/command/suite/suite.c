/*
 * suite.c -- aslant suite: many cases, all checked before the first begins
 */
#include "bench/command/suite/suite.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/command/commands.h"
#include "bench/command/signals.h"
#include "bench/library/cli.h"
#include "bench/library/launch.h"
#include "bench/library/number.h"
#include "bench/library/rows.h"
#include "bench/library/say.h"
#include "lib/machine/machine.h"
#include "lib/run/path.h"
#include "net/net.h"
#include "nvm/store.h"

/*
 * The suites that come with aslant, by name
 *
 * They lie beside the command in a build directory, and in share/aslant/suites
 * where it is installed.
 */

#define ENDING ".json"

static const char *const places[] = {"suites", "../share/aslant/suites"};

enum { PLACES = sizeof places / sizeof places[0] };

static bool name_place(char path[PATH_MAX], int i)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		return false;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	return snprintf(path, PATH_MAX, "%s/%s", self, places[i]) < PATH_MAX;
}

bool asl_suite_find(char path[PATH_MAX], const char *name)
{
	char dir[PATH_MAX];

	if (!*name || strchr(name, '/'))
		return false;
	for (int i = 0; i < PLACES; i++)
		if (name_place(dir, i) &&
		    snprintf(path, PATH_MAX, "%s/%s" ENDING, dir, name) <
			    PATH_MAX &&
		    !access(path, R_OK))
			return true;
	return false;
}

static int is_suite(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), ending = strlen(ENDING);

	return length > ending &&
	       !strcmp(entry->d_name + length - ending, ENDING);
}

static void show(void (*line)(const char *name, const char *about), char *file)
{
	char path[PATH_MAX];
	const char *about = NULL;
	json_t *root = NULL;

	file[strlen(file) - strlen(ENDING)] = '\0';
	if (asl_suite_find(path, file))
		root = json_load_file(path, 0, NULL);
	if (root)
		about = json_string_value(json_object_get(root, "about"));
	line(file, about ? about : "");
	json_decref(root);
}

static int show_place(void (*line)(const char *name, const char *about),
		      const char *dir)
{
	struct dirent **list;
	int count = scandir(dir, &list, is_suite, alphasort);

	for (int i = 0; i < count; i++) {
		show(line, list[i]->d_name);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return count;
}

void asl_suite_each(void (*line)(const char *name, const char *about))
{
	char dir[PATH_MAX];

	for (int i = 0; i < PLACES; i++)
		if (name_place(dir, i) && show_place(line, dir) > 0)
			return;
}

enum { MOST_SUITES = 32 };
static char names_of_all[MOST_SUITES][64];
static int named;

static void add_name(const char *name, const char *about)
{
	(void)about;
	if (named < MOST_SUITES)
		snprintf(names_of_all[named++], sizeof names_of_all[0], "%s",
			 name);
}

const char *asl_suite_meant(const char *found)
{
	const char *names[MOST_SUITES + 1] = {NULL};
	const char *end = strstr(found, ".json");
	char bare[sizeof names_of_all[0]];

	snprintf(bare, sizeof bare, "%.*s",
		 end ? (int)(end - found) : (int)sizeof bare, found);
	named = 0;
	asl_suite_each(add_name);
	for (int i = 0; i < named; i++)
		names[i] = names_of_all[i];
	return asl_meant(bare, "", names);
}

/*
 * A suite in several jobs, as a job has one number of ranks
 *
 * Each job is this command once more, under mpiexec, with --part in place of
 * --launch: it takes the cases of a block that have as many ranks as it has, and
 * continues the one directory that all of them fill.  Calibration is a job, too, the last.
 */

static volatile pid_t running; /* that runs; 0: none */
static volatile sig_atomic_t asked_to_stop;

/* mpiexec hands it to all ranks. */
static void pass_on(int signal)
{
	asked_to_stop = 1;
	if (running)
		kill(running, signal);
}

static bool is_first(const struct asl_suite *s, int at)
{
	const struct asl_suite_case *x = &s->cases[at];

	for (int i = 0; i < at; i++)
		if (s->cases[i].block == x->block &&
		    s->cases[i].c.want.plan.ranks == x->c.want.plan.ranks)
			return false;
	return true;
}

static void watch_signals(void)
{
	struct sigaction action = {.sa_handler = pass_on};

	sigaction(SIGTERM, &action, NULL);
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return ASL_INTERNAL;
	if (asked_to_stop)
		return ASL_STOPPED;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return asl_complain(ASL_INTERNAL, "suite: a job ended by signal %d",
			    WTERMSIG(status));
}

/* As fork; without us the child is stopped, too. */
static pid_t begin(void)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	return child;
}

/* Wait for the child that `begin` started; its exit code. */
static int follow(pid_t child)
{
	int code;

	if (child < 0)
		return asl_complain(ASL_NO_MACHINE,
				    "suite: cannot start a job: %s",
				    strerror(errno));
	running = child;
	if (asked_to_stop)
		kill(child, SIGTERM);
	code = wait_for(child);
	running = 0;
	return code;
}

/* ---- Parts ---- */

enum { MORE_ARGS = 8 };

/* Ranks are told the scale chosen here; of two --scale the last counts. */
static char **with_scale(const struct asl_suite *s, int *argc, char **argv)
{
	char **args = calloc((size_t)*argc + MORE_ARGS, sizeof *args);

	if (!args)
		return NULL;
	memcpy(args, argv, (size_t)*argc * sizeof *args);
	if (*s->scale.text) {
		args[(*argc)++] = "--scale";
		args[(*argc)++] = (char *)s->scale.text;
	}
	return args;
}

static int run_parts(const struct asl_suite *s, int argc, char **argv)
{
	int worst = 0, code = 0;
	char block[16];

	watch_signals();
	argv[argc++] = "--block";
	argv[argc++] = block;
	for (int i = 0; code <= ASL_CHECK_FAILED && i < s->count; i++) {
		pid_t child;

		if (!is_first(s, i))
			continue;
		snprintf(block, sizeof block, "%d", s->cases[i].block);
		child = begin();
		if (!child)
			_exit(asl_launch(s->cases[i].c.want.plan.ranks, argc,
					 argv, 0));
		code = follow(child);
		worst = code > worst ? code : worst;
	}
	return worst;
}

static bool are_one(const struct asl_suite *s)
{
	for (int i = 1; i < s->count; i++)
		if (is_first(s, i))
			return false;
	return true;
}

/* With --launch: in as many jobs as the cases have numbers of ranks. */
static int suite_launch(const struct asl_suite *s, const struct asl_options *o,
			int argc, char **argv)
{
	bool one = are_one(s) && !s->calibrate;
	char **args;
	int code;

	if (!one && (!o->out || o->csv))
		return asl_refuse("--launch: this suite takes several jobs, "
				  "and --out to collect the rows (not --csv)");
	args = with_scale(s, &argc, argv);
	if (!args)
		return asl_no_memory();
	if (!one)
		args[o->launch_at + 1] = "--part";
	code = one ? asl_launch(s->cases[0].c.want.plan.ranks, argc, args,
				o->launch_at + 1)
		   : run_parts(s, argc, args);
	free(args);
	return code;
}

/* ---- Calibration ---- */

static void exec_measure(const struct asl_suite *s, const struct asl_options *o,
			 char *command, char *path)
{
	char *args[16] = {"aslant", command, path}, node[16];
	int count = 3;

	if (!strcmp(command, "sweep")) {
		args[2] = "--out";
		args[count++] = (char *)o->out;
	}
	if (s->calibrate == ASL_CALIBRATE_QUICK)
		args[count++] = "--quick";
	if (o->nvm_dir) {
		args[count++] = "--nvm-dir";
		args[count++] = (char *)o->nvm_dir;
	}
	if (o->store) {
		args[count++] = "--store";
		args[count++] = (char *)o->store;
	}
	if (o->memory_node >= 0) {
		snprintf(node, sizeof node, "%d", o->memory_node);
		args[count++] = "--memory-node";
		args[count++] = node;
	}
	if (o->bind) {
		args[count++] = "--bind";
		args[count++] = (char *)o->bind;
	}
	if (o->csv && !strcmp(o->csv, "-"))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execv("/proc/self/exe", args);
	_exit(asl_complain(ASL_INTERNAL, "suite: cannot %s: %s", command,
			   strerror(errno)));
}

static int measure_once(const struct asl_suite *s, const struct asl_options *o,
			char *command, const char *name)
{
	char path[PATH_MAX];
	pid_t child;

	snprintf(path, sizeof path, "%s/%s", o->out, name);
	if (!access(path, F_OK))
		return 0;
	watch_signals();
	child = begin();
	if (!child)
		exec_measure(s, o, command, path);
	return follow(child);
}

/* If it is to be: calibrated.json and sweep.csv in --out, unless they are there. */
static int suite_calibrate(const struct asl_suite *s,
			   const struct asl_options *o)
{
	int code;

	if (!s->calibrate || o->part ||
	    (o->store && !asl_store_can(o->store)->has_data))
		return 0;
	if (!o->out || asl_job().size) {
		asl_complain(0, "note: nothing is calibrated %s",
			     o->out ? "inside a job; see aslant calibrate"
				    : "without --out");
		return 0;
	}
	code = measure_once(s, o, "calibrate", "calibrated.json");
	return code ? code : measure_once(s, o, "sweep", "sweep.csv");
}

/*
 * The cases of a suite for people, a line each
 */

/* In about seconds: to follow the paths of all cases. */
enum { PATIENCE = 3 };

static int print_plan(FILE *f, const struct asl_plan *plan)
{
	struct asl_shown x = asl_show(plan);

	return fprintf(f, "%-14s %-6s %8s %6d  %-9s", plan->algorithm->name,
		       x.kernel ? x.kernel : "", x.size, plan->ranks, x.grid);
}

/* Seconds of all repetitions; not a number: those of some cases are not known. */
static int say_seconds(double seconds, int reps)
{
	int code = asl_flush_stdout();

	if (!code && seconds > 0)
		asl_complain(0,
			     "note: about %.3g s of multiplying and moving are "
			     "predicted, in %d repetitions, besides drawing "
			     "the operands and verifying",
			     seconds, reps);
	return code;
}

static int suite_print(const struct asl_suite *s, bool launched)
{
	double patience = PATIENCE, all = 0;
	int reps = 0;

	printf("   case %-14s %-6s %8s %6s  %-9s %12s %12s %9s  %s\n",
	       "algorithm", "kernel", "n", "ranks", "grid", "Q (busiest)",
	       "memory held", "seconds", "label");
	for (int i = 0; i < s->count / s->blocks; i++) {
		const struct asl_run_want *want = &s->cases[i].c.want;
		struct asl_candidate x = {.plan = want->plan};
		const struct asl_forecast *f = &x.forecast;
		bool known =
			asl_path_seconds(&x, &patience) && want->threads <= 1;
		int turns = s->blocks * (want->reps + want->warmup);
		char seconds[16] = "-";

		reps += turns;
		all += known ? turns * x.seconds *
				       (launched ? 1
						 : asl_plan_ranks(&want->plan))
			     : NAN;
		if (known)
			snprintf(seconds, sizeof seconds, "%.4g", x.seconds);
		printf("%7d ", i + 1);
		print_plan(stdout, &want->plan);
		printf(" %12.9g %12ju %9s  %s\n", f->q[want->plan.accounting],
		       f->memory_high, seconds, s->cases[i].label);
	}
	return say_seconds(all, reps);
}

static const char *verdict(const struct asl_rep *rep)
{
	if (!rep->predicted_equal)
		return "MISCOUNTED";
	if (rep->verified >= 0)
		return rep->verified ? "verified" : "WRONG";
	return rep->moved ? "unverified" : "counted";
}

/* ---- How far it is ---- */

/* Estimated time of a case, in units of about 0.1 ns. */
static double weigh(struct asl_suite_case *x)
{
	const struct asl_run_want *want = &x->c.want;
	double set_up = 1e7, reps = want->reps + want->warmup, once;
	struct asl_ledger ledger;
	struct asl_counts n;

	if (x->weight > 0)
		return x->weight;
	asl_plan_predict(&ledger, &want->plan, 0);
	n = asl_ledger_total(&ledger);
	once = (double)n.of[ASL_FLOPS] +
	       10 * (double)(asl_words_read(&n) + asl_words_written(&n)) +
	       20 * (double)n.of[ASL_BH];
	if (!asl_store_can(want->store)->has_data)
		once = 0;
	x->weight = (set_up + once * reps) * want->plan.ranks;
	return x->weight;
}

void asl_suite_outlook(FILE *f, const struct asl_suite *s, const bool *done,
		       double seconds)
{
	double behind = 0, ahead = 0;
	char text[ASL_DURATION];
	int left = 0;

	if (!asl_terminal_columns(f))
		return;
	for (int i = 0; i < s->count; i++) {
		*(done[i] ? &behind : &ahead) += weigh(&s->cases[i]);
		left += !done[i];
	}
	if (!left)
		return;
	/* The next line, on stdout or stderr, overwrites this one. */
	fprintf(f, "%d case%s left, about %s\r", left, left == 1 ? "" : "s",
		asl_write_duration(text, seconds * ahead / behind));
	fflush(f);
}

/* Does the ranks' memory fit into the machine's last caches? */
static bool fits_cache(const struct asl_rep *rep)
{
	const struct asl_machine *m = asl_machine();
	int caches = m->cores > m->cache_cores ? m->cores / m->cache_cores : 1;

	uint64_t bytes = asl_type_bytes(rep->want->plan.type);

	return rep->moved && bytes * rep->memory_high * (uint64_t)rep->ranks <=
				     m->cache_bytes * (uint64_t)caches;
}

/* A terminal that has fewer columns shows less of a case. */
static bool is_narrow(FILE *f)
{
	enum { WIDE = 132 };
	int columns = asl_terminal_columns(f);

	return columns && columns < WIDE;
}

void asl_suite_heading(FILE *f)
{
	if (is_narrow(f))
		fprintf(f, "     case %-14s %10s %5s  %-10s %9s  %s\n",
			"algorithm", "n", "ranks", "checked", "median",
			"label");
	else
		fprintf(f,
			"     case %-14s %-6s %8s %6s  %-9s %-14s %-10s %9s  "
			"%s\n",
			"algorithm", "kernel", "n", "ranks", "grid", "Q",
			"checked", "median", "label");
}

void asl_suite_progress(FILE *f, const struct asl_suite *s,
			const struct asl_suite_case *x, int done,
			const struct asl_rep *rep, double median, bool busy)
{
	const struct asl_plan *plan = &rep->want->plan;
	int columns = asl_terminal_columns(f), used;
	char time[32] = "-", rest[512];

	if (columns)
		fputs("\033[K", f); /* over asl_suite_outlook's line */
	used = fprintf(f, "%4d/%-4d ", done, s->total);
	if (is_narrow(f))
		used += fprintf(f, "%-14s %10s %5d ", plan->algorithm->name,
				asl_show(plan).size, plan->ranks);
	else
		used += print_plan(f, plan) +
			fprintf(f, " Q %-12.9g", rep->q_path[plan->accounting]);
	fputs(asl_colour(f, asl_rep_good(rep)), f);
	used += fprintf(f, " %-10s", verdict(rep));
	fputs(asl_colour(f, -1), f);
	if (median > 0)
		snprintf(time, sizeof time, "%.3g s", median);
	snprintf(rest, sizeof rest, " %9s  %s%s%s", time, x->label,
		 !busy		? ""
		 : is_narrow(f) ? "  busy"
				: "  machine busy",
		 fits_cache(rep) ? "  in cache" : "");
	if (columns && used + (int)strlen(rest) > columns)
		rest[columns > used ? columns - used : 0] = '\0';
	fprintf(f, "%s\n", rest);
}

/* ---- Before the first ---- */

static int check_ranks(const struct asl_suite_case *x,
		       const struct asl_suite_case *first)
{
	const struct asl_run_want *want = &x->c.want;

	if (asl_run_together(want, &first->c.want) || x->o.launch ||
	    asl_net_can(want->transport)->simulated)
		return 0;
	return asl_refuse("--ranks: found %d, but the first case has %d; "
			  "expected the same in all cases of a job",
			  want->plan.ranks, first->c.want.plan.ranks);
}

/* Two cases may not write the same file. */
static int check_result(const struct asl_suite *s, int at)
{
	const char *result = s->cases[at].o.result;

	for (int i = 0; result && i < at; i++)
		if (s->cases[i].o.result &&
		    s->cases[i].block == s->cases[at].block &&
		    asl_same_file(result, s->cases[i].o.result))
			return asl_refuse("--result: found %s, which another "
					  "case writes, too",
					  result);
	return 0;
}

static int check_csv(const struct asl_suite *s, const struct asl_options *o)
{
	if (!o->csv || !strcmp(o->csv, "-") || !asl_same_file(o->csv, s->path))
		return 0;
	return asl_refuse("--csv: found %s, which is the suite", o->csv);
}

static int check(struct asl_suite *s, const struct asl_options *o)
{
	int code = check_csv(s, o);

	for (int i = 0; !code && i < s->count; i++) {
		struct asl_suite_case *x = &s->cases[i];

		asl_suite_about(s, x);
		code = asl_case_to_run(&x->c, &x->o);
		if (!code)
			code = check_ranks(x, &s->cases[0]);
		if (!code)
			code = check_result(s, i);
	}
	asl_complain_about(NULL);
	return code;
}

/* ---- The command ---- */

/* Move case i behind the cases kept so far. */
static void keep(struct asl_suite *s, int *kept, int i)
{
	struct asl_suite_case x = s->cases[i];

	s->cases[i] = s->cases[*kept];
	s->cases[(*kept)++] = x;
}

static int keep_part(struct asl_suite *s)
{
	int ranks = asl_job().size, kept = 0;

	if (!ranks)
		return asl_refuse(
			"--part: this is no MPI job; expected mpiexec or srun");
	for (int i = 0; i < s->count; i++)
		if (!s->cases[i].o.ranks || s->cases[i].o.ranks == ranks)
			keep(s, &kept, i);
	s->count = kept;
	if (s->count)
		return 0;
	return asl_refuse("--part: no case has %d ranks", ranks);
}

static int keep_block(struct asl_suite *s, const struct asl_options *o)
{
	int kept = 0;

	for (int i = 0; i < s->count; i++)
		if (!o->block || s->cases[i].block == o->block)
			keep(s, &kept, i);
	s->count = kept;
	return o->part ? keep_part(s) : 0;
}

/* ---- Labels ---- */

static bool matches(const char *const *patterns, const char *label)
{
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, label, 0))
			return true;
	return false;
}

static void print_labels(const struct asl_suite *s)
{
	for (int i = 0; i < s->count; i++) {
		const char *label = s->cases[i].label;
		int count = 0;
		bool first = true;

		for (int k = 0; k < s->count; k++) {
			bool same = !strcmp(s->cases[k].label, label);

			first &= k >= i || !same;
			count += same;
		}
		if (first)
			printf("%4d  %s\n", count, label);
	}
}

static int keep_labels(struct asl_suite *s, const struct asl_options *o)
{
	int kept = 0;

	if (!*o->only && !*o->exclude)
		return 0;
	for (int i = 0; i < s->count; i++) {
		const char *label = s->cases[i].label;

		if ((!*o->only || matches(o->only, label)) &&
		    !matches(o->exclude, label))
			keep(s, &kept, i);
	}
	s->left_out = s->count - kept;
	s->count = kept;
	return kept ? 0
		    : asl_refuse("--only, --exclude: no case is left (aslant "
				 "suite %s --list prints the labels)",
				 o->algorithm);
}

/*
 * Two runs or more of a suite that take turns, a block each
 *
 * Each turn is this command once more, with one block and the options of its run:
 * a directory continues where its last turn ended.
 */

enum { TURNS = 5, MOST_WORDS = 64 };

struct turns {
	char *words[ASL_MOST_OPERANDS]; /* of a run, cut at blanks; its own */
	char **args[ASL_MOST_OPERANDS]; /* NULL-ended */
	int blocks;
};

/* The command line without --interleave and its arguments. */
static int copy_args(char **to, int argc, char **argv)
{
	int count = 0;

	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--interleave"))
			i++;
		else if (strncmp(argv[i], "--interleave=", 13) != 0)
			to[count++] = argv[i];
	return count;
}

static int make_turn(struct turns *t, int i, const struct asl_options *o,
		     int argc, char **argv)
{
	char **args = calloc((size_t)argc + MOST_WORDS + 2 * MORE_ARGS,
			     sizeof *args),
	     *word, *rest;
	int count, words = 0;

	t->args[i] = args;
	t->words[i] = rest = strdup(o->interleave[i]);
	if (!args || !rest)
		return asl_no_memory();
	count = copy_args(args, argc, argv);
	while ((word = strsep(&rest, " ")))
		if (*word) {
			if (!words++)
				args[count++] = "--out";
			args[count++] = word;
			if (words == MOST_WORDS)
				break;
		}
	if (words && *args[count - words] != '-' && words < MOST_WORDS)
		return 0;
	return asl_refuse("--interleave: found '%s', expected DIR and options, "
			  "as 'DIR --nvm-dir /mnt/pmem0'",
			  o->interleave[i]);
}

static int take_turn(struct turns *t, int i, int block)
{
	char **args = t->args[i], which[16], all[16];
	int count = 0;
	pid_t child;

	while (args[count])
		count++;
	snprintf(which, sizeof which, "%d", block);
	snprintf(all, sizeof all, "%d", t->blocks);
	child = begin();
	if (!child) {
		char *more[] = {"--blocks", all, "--block", which};

		memcpy(args + count, more, sizeof more);
		execv("/proc/self/exe", args);
		_exit(asl_complain(ASL_INTERNAL, "suite: cannot take turns: %s",
				   strerror(errno)));
	}
	return follow(child);
}

static int take_turns(struct turns *t, int runs)
{
	int worst = 0, code = 0;

	watch_signals();
	for (int block = 1; block <= t->blocks; block++)
		for (int i = 0; code <= ASL_CHECK_FAILED && i < runs; i++) {
			code = take_turn(t, i, block);
			worst = code > worst ? code : worst;
		}
	return worst;
}

static int interleave(const struct asl_suite *s, const struct asl_options *o,
		      int argc, char **argv)
{
	char **args = with_scale(s, &argc, argv);
	struct turns t = {.blocks = o->blocks	? o->blocks
				    : s->blocks ? s->blocks
						: TURNS};
	int runs = 0, code = args ? 0 : asl_no_memory();

	while (runs < ASL_MOST_OPERANDS && o->interleave[runs])
		runs++;
	if (!code && (runs < 2 || o->out || o->csv || asl_job().size))
		code = asl_refuse("--interleave: give two or more, neither "
				  "--out nor --csv, and not inside a job");
	for (int i = 0; !code && i < runs; i++)
		code = make_turn(&t, i, o, argc, args);
	if (!code)
		code = take_turns(&t, runs);
	for (int i = 0; i < runs; i++) {
		free(t.words[i]);
		free(t.args[i]);
	}
	free(args);
	return code;
}

static int obey(struct asl_suite *s, const struct asl_options *o, int argc,
		char **argv)
{
	int code = asl_suite_read(s, o->algorithm, argc - 1, argv + 1), late;

	if (!code)
		code = asl_suite_scale(s, o);
	if (!code)
		code = keep_labels(s, o);
	if (!code && o->list) {
		print_labels(s);
		return 0;
	}
	if (!code && *o->interleave)
		return interleave(s, o, argc, argv);
	if (!code)
		code = asl_suite_block(s, o);
	if (!code)
		code = keep_block(s, o);
	if (!code)
		code = check(s, o);
	if (!code && o->dry_run)
		return suite_print(s, o->launch || asl_job().size);
	if (code)
		return asl_job_abort(o, code);
	code = o->launch ? suite_launch(s, o, argc, argv)
			 : asl_suite_run(s, o, argc, argv);
	late = code <= ASL_CHECK_FAILED ? suite_calibrate(s, o) : 0;
	return code > late ? code : late;
}

int asl_command_suite(struct asl_options *o, int argc, char **argv)
{
	struct asl_suite s = {0};
	int code;

	if (!o->algorithm)
		return asl_refuse("suite: which suite? (aslant list suites)");
	if (asl_job().size)
		asl_signals_guard(o);
	code = obey(&s, o, argc, argv);
	asl_suite_close(&s);
	return code;
}
