/*
 * output.c -- repetitions as rows, files, verdicts and a summary
 */
#include "bench/command/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/command/machine.h"
#include "bench/command/signals.h"
#include "bench/library/cli.h"
#include "bench/library/noise.h"
#include "bench/library/number.h"
#include "bench/library/rows.h"
#include "bench/library/say.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/base/estimate.h"
#include "lib/base/path.h"
#include "lib/base/system.h"
#include "lib/machine/machine.h"

/*
 * A repetition for people
 *
 * Words are those of the busiest rank, beside what was predicted for it and
 * what no algorithm can better, and of all ranks together.
 */

static void print_words(FILE *f, const struct asl_plan *plan, uint64_t words)
{
	char text[ASL_BYTES];

	fprintf(f, "%" PRIu64 " words (%s)", words,
		asl_write_bytes(text, (double)asl_type_bytes(plan->type) *
					      (double)words));
}

static void print_machine(FILE *f, const struct asl_case *c,
			  const struct asl_rep *rep)
{
	const struct asl_plan *plan = &c->want.plan;
	const struct asl_costs *x = &plan->costs;

	fprintf(f, "store     %s", c->want.store);
	if (!rep->moved)
		fputs(" (counts only)", f);
	else if (strcmp(c->want.store, rep->lies_on))
		fprintf(f, " on %s", rep->lies_on);
	if (rep->emulated)
		fprintf(f, ", emulated");
	fprintf(f, ", panels in %s\n", asl_plan_panels(plan));
	fprintf(f, "network   %s%s%s\n", c->want.transport,
		*rep->provider ? ", provider " : "", rep->provider);
	if (rep->threads > 1)
		fprintf(f, "threads   %d a rank\n", rep->threads);
	fprintf(f, "cache     S = ");
	print_words(f, plan, plan->cache);
	fprintf(f, " a rank%s%s\nmemory    M = ", *c->cache_source ? ", " : "",
		c->cache_source);
	print_words(f, plan, plan->memory);
	fprintf(f, " a rank\ncosts     r %g, w %g, beta %g\n", x->read,
		x->write, x->net);
	if (x->latency != 0 || x->flop != 0)
		fprintf(f, "          alpha %g, gamma %g\n", x->latency,
			x->flop);
	fprintf(f, "profile   %s%s\n", c->profile.name,
		c->profile.timed ? ", costs in ns" : "");
}

/* ---- Words ---- */

/* Exact as long as it fits. */
static void print_cell(FILE *f, int width, double x)
{
	char text[32];

	snprintf(text, sizeof text, "%.0f", x);
	if (strlen(text) >= (size_t)width)
		snprintf(text, sizeof text, "%.6g", x);
	fprintf(f, "%*s", width, text);
}

static void print_ratio(FILE *f, double x)
{
	fprintf(f, x < 1000 ? " %6.4g" : x < 1e6 ? " %6.0f" : " %6.0e", x);
}

static void print_row(FILE *f, const char *name, uint64_t counted,
		      uint64_t predicted, double bound, uint64_t total)
{
	fprintf(f, "%-15s", name);
	print_cell(f, 15, (double)counted);
	print_cell(f, 15, (double)predicted);
	if (bound > 0) {
		print_cell(f, 13, bound);
		print_ratio(f, (double)counted / bound);
	}
	if (total)
		print_cell(f, bound > 0 ? 15 : 35, (double)total);
	fputc('\n', f);
}

/* The largest over ranks of what was counted, and of what was predicted. */
struct busiest {
	uint64_t read[2], written[2], both[2], bh[2], memory[2], pool[2];
	uint64_t moved[2], received[2]; /* between pool and DRAM; from ranks */
};

static void raise_to(uint64_t *most, uint64_t x)
{
	if (*most < x)
		*most = x;
}

static struct busiest find_busiest(const struct asl_rep *rep)
{
	struct busiest b = {0};

	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_ledger *of[] = {&rep->rank[i].counted,
						 &rep->rank[i].predicted};

		for (int j = 0; j < 2; j++) {
			struct asl_counts x = asl_ledger_total(of[j]);
			uint64_t read = asl_words_read(&x);
			uint64_t written = asl_words_written(&x);

			raise_to(&b.read[j], read);
			raise_to(&b.written[j], written);
			raise_to(&b.both[j], read + written);
			raise_to(&b.bh[j], x.of[ASL_BH]);
			raise_to(&b.moved[j], asl_words_moved(&x));
			raise_to(&b.received[j], x.of[ASL_NET_RECV]);
			raise_to(&b.memory[j], of[j]->memory_high);
			raise_to(&b.pool[j], of[j]->pool_high);
		}
	}
	return b;
}

/* The misses of an LRU cache are not predicted. */
static void print_replayed(FILE *f, const char *name, uint64_t max,
			   uint64_t total)
{
	fprintf(f, "%-15s", name);
	print_cell(f, 15, (double)max);
	print_cell(f, 50, (double)total);
	fputc('\n', f);
}

static void print_counts(FILE *f, const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_family *family = plan->algorithm->family;
	struct busiest b = find_busiest(rep);
	uint64_t read = asl_words_read(&rep->total);
	uint64_t written = asl_words_written(&rep->total);

	fprintf(f, "\n%-15s%15s%15s%13s%7s%15s\n", "words", "busiest rank",
		"predicted", "lower bound", "ratio", "all ranks");
	print_row(f, "read (B_r)", b.read[0], b.read[1], 0, read);
	print_row(f, "written (B_w)", b.written[0], b.written[1], 0, written);
	print_row(f, "both", b.both[0], b.both[1], family->io_bound(plan),
		  read + written);
	print_row(f, "network (B_h)", b.bh[0], b.bh[1], family->net_bound(plan),
		  rep->total.of[ASL_BH]);
	if (family->pool_bound) {
		print_row(f, "pool (D)", b.moved[0], b.moved[1],
			  family->pool_bound(plan),
			  asl_words_moved(&rep->total));
		print_row(f, "received (V)", b.received[0], b.received[1], 0,
			  rep->total.of[ASL_NET_RECV]);
	}
	print_row(f, "memory held", b.memory[0], b.memory[1], 0, 0);
	print_row(f, "held in pool", b.pool[0], b.pool[1], 0, 0);
	if (!rep->want->cache_model.words)
		return;
	print_replayed(f, "LRU reads", rep->lru_max.read, rep->lru_total.read);
	print_replayed(f, "LRU writes", rep->lru_max.written,
		       rep->lru_total.written);
}

static void print_costs(FILE *f, const struct asl_rep *rep)
{
	int first = rep->want->plan.accounting;

	fprintf(f, "\n%-15s%15s%15s%15s\n", "cost", "critical path",
		"busiest rank", "predicted");
	for (int i = 0; i < ASL_ACCOUNTINGS; i++) {
		int a = i ? !first : first;

		fprintf(f, "Q %-13s%15.9g%15.9g%15.9g\n",
			asl_accounting_name(a), rep->q_path[a], rep->q_max[a],
			rep->predicted_q_max[a]);
	}
}

/* With overlap the path may be shorter than the work of the ranks on it. */
static void print_joint_bound(FILE *f, const struct asl_rep *rep)
{
	struct asl_plan plan = asl_rep_made(rep);
	double bound = plan.algorithm->family->joint_bound(&plan);
	double q = (plan.overlap ? rep->q_max : rep->q_path)[ASL_APM];

	if (bound > 0)
		fprintf(f, "joint bound    %15.9g; Q apm%s is %.4g times it\n",
			bound, plan.overlap ? " of the busiest rank" : "",
			q / bound);
}

/* By the profile's energy of a word and a flop, if it has them. */
static void print_joules(FILE *f, const struct asl_rep *rep)
{
	const struct asl_costs *x = &rep->want->costs_from.energy;
	const struct asl_costs part[] = {
		{.read = x->read, .dram_read = x->dram_read},
		{.write = x->write, .dram_write = x->dram_write},
		{.net = x->net},
		{.flop = x->flop},
	};
	static const char *const name[] = {"reading", "writing", "network",
					   "arithmetic"};
	double all = asl_joules(x, &rep->total);

	if (!(all > 0))
		return;
	fprintf(f, "energy         %13.6g J, by the profile: ", all);
	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
		fprintf(f, "%s%s %.3g", i ? ", " : "", name[i],
			asl_joules(&part[i], &rep->total));
	fputc('\n', f);
}

void asl_summary_counts(FILE *f, const struct asl_case *c,
			const struct asl_rep *rep)
{
	const struct asl_plan *plan = &c->want.plan;
	const struct asl_family_cli *cli = asl_cli_of(plan);

	fputs(c->automatic ? "auto chose " : "", f);
	cli->print_what(f, plan);
	fputs("\n\n", f);
	cli->print_ranks(f, plan);
	print_machine(f, c, rep);
	print_counts(f, rep);
	print_costs(f, rep);
	print_joint_bound(f, rep);
	print_joules(f, rep);
	if (plan->algorithm->outside_apm)
		fprintf(f,
			"\n%s is outside the APM: it never writes partial "
			"sums,\nand may be cheaper than the joint bound.\n",
			plan->algorithm->name);
	fprintf(f, "\n%s\n",
		rep->predicted_equal ? "Every counter of every rank is as "
				       "predicted."
				     : "COUNTED AND PREDICTED DIFFER.");
}

static void print_outcome(FILE *f, const struct asl_rep *rep)
{
	const struct asl_outcome *x = &rep->outcome;
	int most = rep->want->plan.iterations;

	if (!x->iterations)
		return;
	fprintf(f, "found     ");
	if (!isnan(x->eigenvalue))
		fprintf(f, "lambda = %.15g, |y - lambda x| = %.3g, after ",
			x->eigenvalue, x->eigen_residual);
	fprintf(f, "%d iteration%s%s\n", x->iterations,
		x->iterations == 1 ? "" : "s",
		x->iterations == most ? ", as many as were allowed" : "");
}

/* Beside the words that went between cache and memory, whatever the cause. */
static void print_hardware(FILE *f, const struct asl_rep *rep)
{
	const struct asl_rep_hardware *x = &rep->hardware;
	uint64_t bytes = asl_type_bytes(rep->want->plan.type);

	if (x->energy && rep->wall_s > 0)
		fprintf(f,
			"energy    %.4g J of packages%s: %.4g W, %.4g "
			"GFLOP/s/W\n",
			x->joules, x->energy_dram ? " and DRAM" : "",
			x->joules / rep->wall_s,
			(double)rep->total.of[ASL_FLOPS] / x->joules * 1e-9);
	if (!x->memory && !x->misses)
		return;
	fprintf(f, "\n%-15s%15s%15s\n", "bytes", "by hardware", "counted");
	if (x->memory) {
		print_row(f, "read", x->read_bytes,
			  bytes * asl_words_read(&rep->total), 0, 0);
		print_row(f, "written", x->write_bytes,
			  bytes * asl_words_written(&rep->total), 0, 0);
	}
	if (x->misses) {
		fprintf(f, "%-15s", "cache misses");
		print_cell(f, 15, (double)x->miss_bytes);
		fputc('\n', f);
	}
	fprintf(f, "%s: %s\n", x->backend, x->note);
}

/* On one thread a rank, as times were measured. */
static void print_predicted(FILE *f, const struct asl_rep *rep)
{
	if (!rep->timed || isnan(rep->predicted_s))
		return;
	fprintf(f, "predicted %.4g s, %.3g times as long\n          ",
		rep->predicted_s, rep->predicted_s / rep->wall_s);
	for (int i = 0; i < ASL_SPENDINGS; i++)
		fprintf(f, "%s%s %.4g s", i ? ", " : "", asl_spending_name(i),
			rep->predicted_part_s[i]);
	fputc('\n', f);
}

void asl_summary_times(FILE *f, const struct asl_rep *rep)
{
	const struct asl_family_cli *cli = asl_cli_of(&rep->want->plan);
	const char *how =
		rep->want->verify == ASL_VERIFY_ORACLE ? "oracle" : cli->test;

	fputc('\n', f);
	if (rep->want->reps > 1)
		fprintf(f, "Repetition %d\n", rep->rep + 1);
	print_outcome(f, rep);
	if (rep->verified >= 0)
		fprintf(f,
			"verified  %s%s%s%s (%s): residual %.3g, at most 16\n",
			asl_colour(f, rep->verified),
			rep->verified ? "yes" : "NO: ",
			rep->verified ? "" : cli->wrong, asl_colour(f, -1), how,
			rep->residual);
	else
		fprintf(f, "verified  not asked for%s\n",
			rep->moved ? "" : ": nothing was moved, only counted");
	if (!rep->moved)
		return;
	fprintf(f, "time      %.4g s", rep->wall_s);
	if (rep->wall_s > 0)
		fprintf(f, ", %.4g GFLOP/s",
			(double)rep->total.of[ASL_FLOPS] / rep->wall_s * 1e-9);
	if (!rep->timed)
		fputs(" (ranks take turns in one process)", f);
	if (rep->want->cache_model.words)
		fputs(", with the cache model", f);
	fprintf(f, "\n          busiest ranks: compute %.4g s, memory %.4g s",
		rep->compute_s, rep->io_s);
	if (rep->timed)
		fprintf(f, ", network %.4g s", rep->comm_s);
	fputc('\n', f);
	print_predicted(f, rep);
	if (rep->starts > 1)
		fprintf(f,
			"resumed   life %ju; moved again, all ranks: %ju words "
			"read, %ju written,\n          %ju sent, %.4g flops; "
			"times are of this life alone\n",
			rep->starts, asl_words_read(&rep->repeated),
			asl_words_written(&rep->repeated),
			rep->repeated.of[ASL_NET_SEND],
			(double)rep->repeated.of[ASL_FLOPS]);
	print_hardware(f, rep);
	if (rep->emulated && rep->io_queued_s > 1e-6)
		fprintf(f, "          of memory %.4g s: others were served\n",
			rep->io_queued_s);
	if (!isnan(rep->emulation_error))
		fprintf(f, "emulated  %s of %s: %.3g%% too slow\n",
			rep->emulated_net ? "pool and network" : "pool",
			rep->want->emulate.name, 100 * rep->emulation_error);
}

/*
 * More at the end of a file, or the file as it was
 */

/*
 * Take back what was written of something that then failed.  That failure is
 * reported; should this fail, too, there is nothing more to say.
 */
static void cut_back(int fd, off_t bytes)
{
	if (ftruncate(fd, bytes))
		return;
}

int asl_append(int fd, const char *text, size_t bytes)
{
	off_t before = lseek(fd, 0, SEEK_END);
	int err = before < 0 ? -errno : 0;

	if (!err)
		err = asl_write_all(fd, text, bytes);
	if (err && before >= 0)
		cut_back(fd, before);
	return err;
}

/*
 * A directory with runs.csv, ranks.csv, machine.json, topology.xml,
 * and of a suite cases.csv
 */

static const char *const file_names[ASL_RESULT_FILES] = {
	[ASL_RUNS] = "runs.csv",	[ASL_RANKS_TABLE] = "ranks.csv",
	[ASL_MACHINE] = "machine.json", [ASL_TOPOLOGY] = "topology.xml",
	[ASL_CASES] = "cases.csv",
};

/* The longest name of a file, while it is incomplete, adds so much to dir. */
#define ROOM sizeof "/topology.xml.XXXXXX"

/* Complain about a file, or with "" the directory; the exit code. */
static int result_failed(const char *dir, const char *name, int err)
{
	return asl_complain_alone(asl_exit_code(err), "--out: %s%s%s: %s", dir,
				  *name ? "/" : "", name, strerror(-err));
}

static int file_failed(const struct asl_result *r, int which, int err)
{
	return err ? result_failed(r->dir, file_names[which], err) : 0;
}

/* ---- The directory ---- */

static DIR *open_list(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return copy < 0 ? NULL : fdopendir(copy);
}

static bool is_empty(int fd)
{
	DIR *dir = open_list(fd);
	struct dirent *entry;
	bool empty = dir;

	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return empty;
}

/* Another run may have made it, and be about to fill it. */
static int lock(const struct asl_result *r, const char *dir)
{
	if (!flock(r->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0; /* not all file systems have locks */
	return asl_complain_alone(
		ASL_BAD_INPUT, "--out: another run or suite is at work in %s",
		dir);
}

/* The directory exists: can the suite continue in it? */
static int result_check_found(const struct asl_result *r)
{
	const char *dir = r->dir;

	if (!is_empty(r->fd))
		return asl_complain_alone(
			ASL_BAD_INPUT,
			"--out: %s is not empty; expected a new directory",
			dir);
	if (faccessat(r->fd, ".", W_OK | X_OK, 0))
		return result_failed(dir, "", -errno);
	return 0;
}

static int check_length(const char *dir)
{
	if (strlen(dir) + ROOM > PATH_MAX)
		return asl_complain_alone(
			ASL_BAD_INPUT, "--out: the path '%.40s...' is too long",
			dir);
	return 0;
}

static int reach(struct asl_result *r, const char *dir)
{
	struct asl_path spot;
	int err = asl_path_make_above(dir);

	if (!err)
		err = asl_path_open(&spot, dir);
	if (err)
		return asl_complain_alone(asl_exit_code(err), "--out: %s",
					  asl_failure());
	r->made_dir = !mkdirat(spot.dir, spot.name, 0700);
	if (!r->made_dir && errno != EEXIST)
		err = -errno;
	if (!err)
		r->fd = openat(spot.dir, spot.name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!err && r->fd < 0)
		err = -errno;
	close(spot.dir);
	if (err == -ENOTDIR)
		return asl_complain_alone(ASL_BAD_INPUT, "--out: %s: %s", dir,
					  strerror(-err));
	return err ? result_failed(dir, "", err) : 0;
}

/* Forget what was there before, if anything; nothing is open, then. */
static void result_init(struct asl_result *r)
{
	*r = (struct asl_result){.fd = -1};
	for (int i = 0; i < ASL_RESULT_FILES; i++)
		r->file[i] = -1;
}

static int result_reach(struct asl_result *r, const char *dir)
{
	int code = check_length(dir);

	if (!code)
		code = reach(r, dir);
	if (!code)
		code = lock(r, dir);
	if (!code) {
		r->dir = dir;
		return 0;
	}
	if (r->fd >= 0)
		close(r->fd);
	result_init(r);
	return code;
}

/* ---- Its files ---- */

static const char *result_path(char path[PATH_MAX], const struct asl_result *r,
			       int which)
{
	snprintf(path, PATH_MAX, "%s/%s", r->dir, file_names[which]);
	return path;
}

/* An open file, or a negative errno. */
static int open_file(const struct asl_result *r, int which, int flags)
{
	int fd = openat(r->fd, file_names[which], O_RDWR | O_CLOEXEC | flags,
			0600);

	return fd < 0 ? -errno : fd;
}

/* Open a new file, or return a negative errno: an existing one is not ours. */
static int result_make(struct asl_result *r, int which)
{
	int fd = open_file(r, which, O_CREAT | O_EXCL);

	r->made[which] = fd >= 0;
	return fd;
}

/* Reserve the name of a file that is replaced when it is complete. */
static int claim(struct asl_result *r, int which)
{
	int fd = result_make(r, which);

	return fd < 0 ? fd : close(fd) ? -errno : 0;
}

/* The rows of a repetition, below a heading if it is the first. */
static void put_rows(struct asl_csv *csv, bool first,
		     void (*put)(struct asl_csv *, const struct asl_rep *),
		     const struct asl_rep *rep)
{
	csv->naming = first;
	if (first)
		put(csv, rep);
	csv->naming = false;
	put(csv, rep);
}

static int add_rows(struct asl_result *r, int which,
		    void (*put)(struct asl_csv *, const struct asl_rep *),
		    const struct asl_rep *rep)
{
	bool first = r->file[which] < 0;
	struct asl_csv csv;
	int err = asl_csv_open(&csv);

	if (err)
		return file_failed(r, which, err);
	if (first)
		r->file[which] = result_make(r, which);
	if (r->file[which] < 0)
		err = r->file[which];
	put_rows(&csv, first, put, rep);
	if (!err)
		err = asl_csv_flush(&csv);
	if (!err)
		err = asl_append(r->file[which], csv.text, csv.bytes);
	asl_csv_close(&csv);
	return file_failed(r, which, err);
}

/* A machine that hides everything is no reason not to run. */
static int add_topology(struct asl_result *r)
{
	char path[PATH_MAX];
	int err = claim(r, ASL_TOPOLOGY);

	if (err)
		return err;
	err = asl_machine_write_topology(result_path(path, r, ASL_TOPOLOGY));
	if (err != -ENODEV)
		return err;
	r->made[ASL_TOPOLOGY] = false;
	asl_complain_alone(0, "note: %s", asl_failure());
	return unlinkat(r->fd, file_names[ASL_TOPOLOGY], 0) ? -errno : 0;
}

static int add_provenance(struct asl_result *r, const struct asl_case *c,
			  const struct asl_rep *rep, int argc, char **argv)
{
	char path[PATH_MAX];
	int err = add_topology(r);

	if (err)
		return file_failed(r, ASL_TOPOLOGY, err);
	err = claim(r, ASL_MACHINE);
	if (!err)
		err = asl_provenance_write(result_path(path, r, ASL_MACHINE), c,
					   rep, argc, argv);
	return file_failed(r, ASL_MACHINE, err);
}

static int result_add(struct asl_result *r, const struct asl_case *c,
		      const struct asl_rep *rep, int argc, char **argv)
{
	const int *ranks = &r->file[ASL_RANKS_TABLE];
	off_t before = *ranks < 0 ? 0 : lseek(*ranks, 0, SEEK_END);
	int err = 0;

	if (!r->dir)
		return 0;
	if (r->file[ASL_RUNS] < 0)
		err = add_provenance(r, c, rep, argc, argv);
	if (!err)
		err = add_rows(r, ASL_RANKS_TABLE, asl_put_ranks, rep);
	if (err)
		return err;
	err = add_rows(r, ASL_RUNS, asl_put_run, rep);
	/* A repetition is in both tables or in neither. */
	if (err)
		cut_back(*ranks, before);
	return err;
}

static void close_file(int fd)
{
	if (fd >= 0)
		close(fd);
}

void asl_result_close(struct asl_result *r)
{
	struct stat st;
	bool kept = r->file[ASL_RUNS] >= 0 && !fstat(r->file[ASL_RUNS], &st) &&
		    st.st_size > 0;

	if (!r->dir)
		return;
	for (int i = 0; i < ASL_RESULT_FILES; i++) {
		if (!kept && r->made[i])
			unlinkat(r->fd, file_names[i], 0);
		close_file(r->file[i]);
	}
	if (!kept && r->made_dir)
		rmdir(r->dir);
	close_file(r->fd);
}

/* cases.csv of a suite that was begun, or a new one. */
static int open_cases(struct asl_result *r)
{
	int *fd = &r->file[ASL_CASES], code;

	*fd = open_file(r, ASL_CASES, O_APPEND | O_NOFOLLOW);
	if (*fd >= 0)
		return 0;
	code = r->made_dir ? 0 : result_check_found(r);
	if (code)
		return code;
	*fd = result_make(r, ASL_CASES);
	return *fd < 0 ? file_failed(r, ASL_CASES, *fd) : 0;
}

int asl_result_open(struct asl_result *r, const char *dir, bool suite)
{
	int code;

	result_init(r);
	if (!dir)
		return 0;
	code = result_reach(r, dir);
	if (!code && suite)
		code = open_cases(r);
	else if (!code && !r->made_dir)
		code = result_check_found(r);
	return code;
}

/* Is it NAME.XXXXXX, as a file is called while it is written aside? */
static bool is_aside(const char *name, int which)
{
	size_t length = strlen(file_names[which]);

	return !strncmp(name, file_names[which], length) &&
	       name[length] == '.' && strlen(name) == length + 7;
}

static void remove_aside(const struct asl_result *r)
{
	DIR *dir = open_list(r->fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_aside(entry->d_name, ASL_MACHINE) ||
		    is_aside(entry->d_name, ASL_TOPOLOGY))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

static int cut(struct asl_result *r, int which, off_t bytes)
{
	int fd = open_file(r, which, O_APPEND | O_NOFOLLOW);
	struct stat st;

	r->file[which] = fd;
	if (fd < 0)
		return file_failed(r, which, fd);
	if (fstat(fd, &st) || (st.st_size >= bytes && ftruncate(fd, bytes)))
		return file_failed(r, which, -errno);
	if (st.st_size < bytes)
		return asl_complain_alone(
			ASL_BAD_INPUT,
			"--out: %s/%s: found %jd bytes, expected %jd or more, "
			"as cases.csv says",
			r->dir, file_names[which], (intmax_t)st.st_size,
			(intmax_t)bytes);
	return 0;
}

int asl_result_cut(struct asl_result *r, off_t runs_bytes, off_t ranks_bytes)
{
	int code;

	remove_aside(r);
	/* No case was finished: all files but cases.csv begin anew. */
	for (int i = 0; !runs_bytes && i < ASL_CASES; i++)
		if (unlinkat(r->fd, file_names[i], 0) && errno != ENOENT)
			return file_failed(r, i, -errno);
	if (!runs_bytes)
		return 0;
	code = cut(r, ASL_RUNS, runs_bytes);
	return code ? code : cut(r, ASL_RANKS_TABLE, ranks_bytes);
}

/* ---- The output of a run ---- */

static bool to_file(const char *csv)
{
	return csv && strcmp(csv, "-") != 0;
}

int asl_file_try(const char *path, const char *who)
{
	struct asl_atomic_file aside;
	int err = asl_atomic_file_create(&aside, path);

	if (err)
		return asl_complain(asl_exit_code(err), "%s: %s", who,
				    asl_failure());
	asl_atomic_file_discard(&aside);
	return 0;
}

int asl_output_open(struct asl_output *out, const struct asl_options *o)
{
	int err = 0;

	asl_noise_begin();
	out->csv = o->csv;
	out->precision = o->precision;
	out->fd = -1;
	if (asl_job().rank > 0)
		return 0;
	if (to_file(o->csv))
		err = asl_file_try(o->csv, "--csv");
	if (!err && asl_csv_open(&out->rows))
		err = asl_no_memory();
	if (!err)
		err = asl_result_open(&out->result, o->out, out->at_once);
	return err;
}

/* The first rows replace the file that was there; the others follow them. */
static int grow_file(struct asl_output *out)
{
	int err;

	if (out->fd >= 0) {
		err = asl_append(out->fd, out->rows.text, out->rows.bytes);
		return err ? asl_complain(asl_exit_code(err), "--csv: %s: %s",
					  out->csv, strerror(-err))
			   : 0;
	}
	err = asl_atomic_file_begin(&out->fd, out->csv, out->rows.text,
				    out->rows.bytes);
	return err ? asl_complain(asl_exit_code(err), "--csv: %s",
				  asl_failure())
		   : 0;
}

static int add_csv(struct asl_output *out, const struct asl_rep *rep)
{
	struct asl_csv *csv = &out->rows;
	int code = 0;

	if (!out->csv)
		return 0;
	put_rows(csv, !out->done, asl_put_run, rep);
	if (asl_csv_flush(csv))
		return asl_no_memory();
	if (to_file(out->csv) && !out->at_once)
		return 0;
	if (to_file(out->csv)) {
		code = grow_file(out);
	} else {
		fwrite(csv->text, 1, csv->bytes, stdout);
		code = asl_flush_stdout();
	}
	if (asl_csv_clear(csv))
		return asl_no_memory();
	return code;
}

/* Does the interval of the median lie within the precision? */
static bool is_precise(const struct asl_output *out)
{
	struct asl_estimate x = asl_estimate(out->wall_s, out->times);

	return x.samples >= ASL_LEAST_REPS &&
	       x.low >= x.median * (1 - out->precision) &&
	       x.high <= x.median * (1 + out->precision);
}

static int take_time(struct asl_output *out, const struct asl_rep *rep)
{
	double *more;

	out->times = rep->rep ? out->times : 0;
	more = reallocarray(out->wall_s, (size_t)out->times + 1, sizeof *more);
	if (!more)
		return asl_no_memory();
	out->wall_s = more;
	if (rep->moved)
		out->wall_s[out->times++] = rep->wall_s;
	out->enough =
		rep->rep + 1 == rep->want->reps ||
		(!isnan(out->precision) && (!rep->moved || is_precise(out)));
	return 0;
}

static void take_clock(struct asl_output *out, const struct asl_rep *rep)
{
	double mhz = asl_noise()->mhz;

	if (!rep->rep)
		out->mhz[0] = out->mhz[1] = NAN;
	out->mhz[0] = fmin(out->mhz[0], mhz);
	out->mhz[1] = fmax(out->mhz[1], mhz);
}

/* Did the clock change by more than a tenth from repetition to repetition? */
static bool clocked(const struct asl_output *out)
{
	return out->mhz[1] > 1.1 * out->mhz[0];
}

void asl_output_summary(FILE *f, struct asl_output *out)
{
	struct asl_estimate x = asl_estimate(out->wall_s, out->times);
	int far = asl_outliers(out->wall_s, out->times);

	if (out->times < 2)
		return;
	fprintf(f,
		"\n%d repetitions: median %.4g s, its interval %.4g to %.4g s "
		"(%.3g%%),\nleast %.4g s, most %.4g s, which is %.3g%% apart\n",
		x.samples, x.median, x.low, x.high, 100 * x.coverage,
		out->wall_s[0], out->wall_s[x.samples - 1],
		100 * (out->wall_s[x.samples - 1] / out->wall_s[0] - 1));
	if (far)
		fprintf(f, "%d of them outliers\n", far);
	if (clocked(out))
		fprintf(f,
			"the clock changed: from %.0f to %.0f MHz after "
			"repetitions\n",
			out->mhz[0], out->mhz[1]);
}

int asl_output_add(struct asl_output *out, const struct asl_case *c,
		   const struct asl_rep *rep)
{
	int code = take_time(out, rep);

	asl_noise_end();
	if (code)
		return code;
	take_clock(out, rep);
	asl_signals_hold();
	code = add_csv(out, rep);
	if (!code)
		code = result_add(&out->result, c, rep, out->argc, out->argv);
	asl_signals_release();
	out->wrong |= !asl_rep_check(rep);
	out->done++;
	return code;
}

int asl_output_finish(struct asl_output *out)
{
	if (!to_file(out->csv) || out->at_once || !out->rows.f || !out->done)
		return 0;
	if (!asl_atomic_file_put(out->csv, out->rows.text, out->rows.bytes))
		return 0;
	return asl_complain(ASL_NO_MACHINE, "--csv: %s", asl_failure());
}

void asl_output_close(struct asl_output *out)
{
	asl_result_close(&out->result);
	asl_csv_close(&out->rows);
	free(out->wall_s);
	out->wall_s = NULL;
	if (out->fd >= 0)
		close(out->fd);
}
