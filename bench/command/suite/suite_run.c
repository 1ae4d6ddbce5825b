/*
 * suite_run.c -- the cases of a suite, one after another
 *
 * On sim those that follow each other and can share a net do; elsewhere all do:
 * a process joins a job once.  SIGTERM ends the suite after the repetition that
 * runs; or in it, if it takes too long.
 */
#include "bench/command/suite/suite.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/command/results/results.h"
#include "bench/command/signals.h"
#include "bench/library/cli.h"
#include "bench/library/rows.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/base/estimate.h"

/*
 * Cases.csv: which cases of a suite are finished
 */

#define NAME "cases.csv"

static int failed(const struct asl_suite_log *log, int err)
{
	return asl_complain_alone(asl_exit_code(err), "--out: %s/" NAME ": %s",
				  log->r->dir, strerror(-err));
}

/* ---- Lines ---- */

struct line {
	int number; /* of the case, from 1 */
	const char *label, *options, *run_id;
	int code;
	double seconds;
	off_t bytes[2];
};

static void put_line(struct asl_csv *csv, const struct line *x)
{
	asl_csv_put_count(csv, "schema", ASL_SCHEMA);
	asl_csv_put_count(csv, "case", (uint64_t)x->number);
	asl_csv_put(csv, "label", x->label);
	asl_csv_put(csv, "options", x->options);
	asl_csv_put(csv, "run_id", x->run_id);
	asl_csv_put_count(csv, "code", (uint64_t)x->code);
	asl_csv_put_number(csv, "seconds", x->seconds);
	asl_csv_put_count(csv, "runs_bytes", (uint64_t)x->bytes[0]);
	asl_csv_put_count(csv, "ranks_bytes", (uint64_t)x->bytes[1]);
	asl_csv_end_row(csv);
}

/* A line, or with NULL the heading. */
static int append(struct asl_suite_log *log, const struct line *x)
{
	struct asl_csv csv;
	int err = asl_csv_open(&csv);

	if (!err) {
		csv.naming = !x;
		put_line(&csv, x ? x : &(struct line){.number = 0});
		err = asl_csv_flush(&csv);
	}
	if (!err)
		err = asl_append(log->r->file[ASL_CASES], csv.text, csv.bytes);
	asl_csv_close(&csv);
	return err ? failed(log, err) : 0;
}

/* The case as options of aslant run; NULL: no memory. */
static char *describe(const struct asl_suite_case *x)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	if (!f)
		return NULL;
	asl_options_put(f, &x->o);
	fprintf(f, " --transport %s", x->c.want.transport);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

/* ---- Reading ---- */

/* A killed process may have left a part of a line. */
static int cut_part(struct asl_suite_log *log, off_t *whole)
{
	int fd = log->r->file[ASL_CASES];
	off_t end = lseek(fd, 0, SEEK_END);
	char c = 0;

	for (*whole = end; *whole > 0; --*whole)
		if (pread(fd, &c, 1, *whole - 1) != 1 || c == '\n')
			break;
	if (end < 0 || (*whole < end && ftruncate(fd, *whole)))
		return failed(log, -errno);
	return 0;
}

static int refuse_other(const struct asl_suite_log *log, int number,
			const char *found, const char *expected)
{
	return asl_complain_alone(
		ASL_BAD_INPUT,
		"--out: %s/" NAME
		": case %d: found '%.200s', expected '%.200s'; this suite, "
		"with these options, was not begun here",
		log->r->dir, number, found, expected);
}

static int take_case(struct asl_suite_log *log, int i, const char *found,
		     double seconds)
{
	char *expected = describe(&log->s->cases[i]);
	int code = 0;

	if (!expected)
		return failed(log, -ENOMEM);
	if (strcmp(found, expected) != 0)
		code = refuse_other(log, log->s->cases[i].number, found,
				    expected);
	free(expected);
	log->done[i] = true;
	log->seconds += seconds;
	return code;
}

/* Cases of other parts are finished, too, and none of ours. */
static int take_row(struct asl_suite_log *log, struct asl_table *rows,
		    size_t row)
{
	int number = (int)asl_table_count(rows, row, "case", INT_MAX);
	const char *options =
		asl_table_text(rows, row, asl_table_column(rows, "options"));

	log->failed |= asl_table_number(rows, row,
					asl_table_column(rows, "code")) != 0;
	if (rows->code)
		return rows->code;
	if (number < 1 || number > log->s->total)
		return refuse_other(log, number, options, "no such case");
	for (int i = 0; i < log->s->count; i++)
		if (log->s->cases[i].number == number)
			return take_case(
				log, i, options,
				asl_table_number(
					rows, row,
					asl_table_column(rows, "seconds")));
	return 0;
}

static off_t bytes_of(struct asl_table *rows, const char *name)
{
	return rows->count
		       ? asl_table_count(rows, rows->count - 1, name, INT64_MAX)
		       : 0;
}

/* Nothing of a case that has no line. */
static int cut_tables(struct asl_suite_log *log, struct asl_table *rows)
{
	off_t runs = bytes_of(rows, "runs_bytes");
	off_t ranks = bytes_of(rows, "ranks_bytes");

	return rows->code ? rows->code : asl_result_cut(log->r, runs, ranks);
}

static int take_rows(struct asl_suite_log *log, struct asl_table *rows)
{
	int code = asl_table_read(rows, log->r->dir, NAME);

	for (size_t i = 0; !code && i < rows->count; i++)
		code = take_row(log, rows, i);
	if (!code)
		code = cut_tables(log, rows);
	log->finished = (int)rows->count;
	return code;
}

int asl_suite_log_read(struct asl_suite_log *log, const struct asl_suite *s,
		       struct asl_result *r)
{
	struct asl_table rows = {.count = 0};
	off_t whole;
	int code = 0;

	*log = (struct asl_suite_log){.s = s, .r = r};
	log->done = calloc((size_t)s->count, sizeof *log->done);
	if (!log->done)
		return asl_no_memory();
	if (!r->dir)
		return 0;
	code = cut_part(log, &whole);
	if (!code && !whole)
		code = append(log, NULL);
	if (!code)
		code = take_rows(log, &rows);
	asl_table_close(&rows);
	return code;
}

void asl_suite_log_close(struct asl_suite_log *log)
{
	free(log->done);
	*log = (struct asl_suite_log){.s = NULL};
}

/* ---- Writing ---- */

static int suite_log_add(struct asl_suite_log *log, int i,
			 const struct asl_rep *last, int code, double seconds)
{
	const struct asl_suite_case *x = &log->s->cases[i];
	char *options;
	int failure;

	log->done[i] = true;
	log->finished++;
	log->seconds += seconds;
	if (!log->r->dir)
		return 0;
	options = describe(x);
	if (!options)
		return failed(log, -ENOMEM);
	failure = append(
		log,
		&(struct line){
			.number = x->number,
			.label = x->label,
			.options = options,
			.run_id = last->run_id,
			.code = code,
			.seconds = seconds,
			.bytes = {lseek(log->r->file[ASL_RUNS], 0, SEEK_END),
				  lseek(log->r->file[ASL_RANKS_TABLE], 0,
					SEEK_END)},
		});
	free(options);
	return failure;
}

int asl_suite_log_next(const struct asl_suite_log *log)
{
	for (int i = 0; i < log->s->count; i++)
		if (!log->done[i])
			return i;
	return -1;
}

struct running {
	struct asl_suite *s;
	const struct asl_run_want **want; /* [s->count] */
	struct asl_output out;
	struct asl_suite_log log;
	FILE *f;    /* for people */
	int at;	    /* the case that runs */
	int failed; /* exit code of an output that failed */
	bool wrong; /* a check failed, in this case */
	const struct asl_rep *last;
	int busy;     /* repetitions of it that other programs disturbed */
	bool headed;  /* its columns have been named */
	double since; /* when the last case ended */
};

enum { PATIENCE_S = 7 };

static volatile sig_atomic_t asked_to_stop;

static void stop(int signal)
{
	if (signal == SIGALRM)
		asl_signals_end(SIGTERM);
	if (!asked_to_stop)
		alarm(PATIENCE_S);
	asked_to_stop = 1;
}

static void watch_signals(const struct running *x)
{
	/* For good: mpiexec's comes twice, once by way of the guard. */
	struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	if (x->log.r && x->log.r->dir)
		asl_signals_add("; the same command continues");
}

/* ---- A repetition has ended ---- */

static void say_notes(const struct asl_rep *rep, bool first)
{
	if (first && rep->note && *rep->note)
		asl_complain(0, "note: %s", rep->note);
	if (rep->want->keep && rep->rep == 0)
		asl_complain(0, "note: pools of run %s are kept in %s",
			     rep->run_id, rep->pool_dir);
}

/* Numbers of the case that has ended, whose repetitions agree but in times. */
static double value_of(void *arg, const char *column)
{
	const struct running *x = arg;
	const struct asl_rep *rep = x->last;
	double wall_s = asl_median(x->out.wall_s, x->out.times);

	if (!strcmp(column, "wall_s"))
		return x->out.times ? wall_s : NAN;
	if (!strcmp(column, "gflops"))
		return x->out.times && wall_s > 0
			       ? (double)rep->total.of[ASL_FLOPS] / wall_s *
					 1e-9
			       : NAN;
	if (!strcmp(column, "q_apm_path"))
		return rep->q_path[ASL_APM];
	if (!strcmp(column, "q_full_path"))
		return rep->q_path[ASL_FULL];
	if (!strcmp(column, "memory_high_words"))
		return (double)rep->memory_high;
	return !strcmp(column, "read_words_max")    ? (double)rep->read_max
	       : !strcmp(column, "write_words_max") ? (double)rep->written_max
						    : NAN;
}

static void check_expected(struct running *x, const struct asl_rep *rep)
{
	const struct asl_suite_case *c = &x->s->cases[x->at];
	char why[ASL_EXPECT_WHY];

	x->last = rep;
	if (!c->expected || asl_expect_met(c->expected, value_of, x, why))
		return;
	asl_suite_about(x->s, c);
	asl_complain_alone(ASL_CHECK_FAILED, "%s, %s: not as expected: %s",
			   rep->want->plan.algorithm->name,
			   asl_show(&rep->want->plan).problem, why);
	asl_complain_about(NULL);
	x->wrong = x->out.wrong = true;
}

/* The whole case, set-up and verification too: what somebody waits for. */
static int finish_case(struct running *x, const struct asl_rep *rep)
{
	double now = asl_now(), seconds = now - x->since;
	int code;

	check_expected(x, rep);
	code = suite_log_add(&x->log, x->at, rep,
			     x->wrong ? ASL_CHECK_FAILED : ASL_FINE, seconds);

	x->since = now;
	x->wrong = false;
	if (code)
		return code;
	if (!x->headed)
		asl_suite_heading(x->f);
	x->headed = true;
	asl_suite_progress(x->f, x->s, &x->s->cases[x->at], x->log.finished,
			   rep, asl_median(x->out.wall_s, x->out.times),
			   x->out.times && 2 * x->busy >= x->out.times);
	x->busy = 0;
	asl_suite_outlook(x->f, x->s, x->log.done, x->log.seconds);
	return x->f == stdout ? asl_flush_stdout() : 0;
}

static int add_rep(struct running *x, const struct asl_rep *rep)
{
	bool wrong_before = x->out.wrong;
	int code;

	asl_suite_about(x->s, &x->s->cases[x->at]);
	x->out.wrong = false;
	asl_rows_label(x->s->cases[x->at].label);
	asl_rows_expected(x->s->cases[x->at].expected);
	code = asl_output_add(&x->out, NULL, rep);
	x->busy += asl_rep_busy(rep);
	x->wrong |= x->out.wrong;
	x->out.wrong |= wrong_before;
	asl_complain_about(NULL);
	return code;
}

static int each(const struct asl_rep *rep, void *arg)
{
	struct running *x = arg;
	bool first = !x->out.done;

	while (x->want[x->at] != rep->want)
		x->at++;
	x->failed = add_rep(x, rep);
	say_notes(rep, first);
	if (!x->failed && x->out.enough)
		x->failed = finish_case(x, rep);
	/* The complaint has been made; the other ranks have to learn of it. */
	return x->failed       ? -EIO
	       : asked_to_stop ? -EINTR
	       : x->out.enough ? ASL_RUN_ENOUGH
			       : 0;
}

/* ---- All of them ---- */

/* How many cases from there on share a net. */
static int count_group(const struct running *x, int from)
{
	int count = 1;

	while (from + count < x->s->count &&
	       asl_run_together(x->want[from], x->want[from + count]))
		count++;
	return count;
}

/* Only rank 0 knows how far they all came. */
static void about_failed(const struct running *x)
{
	int at = asl_suite_log_next(&x->log);

	asl_suite_about(x->s,
			asl_job().rank || at < 0 ? NULL : &x->s->cases[at]);
}

static int run_group(struct running *x, int from, int count)
{
	int err =
		asl_run_all(x->want + from, count, x->log.done + from, each, x);
	int code = x->failed ? x->failed : asl_exit_code(err);

	if (!err)
		return 0;
	if (err == -EINTR && !*asl_failure_to_print())
		return asl_complain(
			ASL_STOPPED,
			"stopped by SIGTERM, %d of %d cases were completed%s",
			x->log.finished, x->s->total,
			x->log.r->dir ? "; the same command continues" : "");
	about_failed(x);
	if (!x->failed && *asl_failure_to_print())
		asl_complain_alone(code, "%s", asl_failure_to_print());
	asl_complain(code, "ends the suite, %d of %d cases were completed",
		     x->log.finished, x->s->total);
	asl_complain_about(NULL);
	return code;
}

static int run_all(struct running *x)
{
	int code = 0, count;

	x->since = asl_now();
	for (int from = 0; !code && from < x->s->count; from += count) {
		count = count_group(x, from);
		code = run_group(x, from, count);
	}
	if (code)
		return code;
	return x->out.wrong || x->log.failed ? ASL_CHECK_FAILED : ASL_FINE;
}

static int open_all(struct running *x, const struct asl_options *o)
{
	int count = x->s->count, code;

	x->want = calloc((size_t)count, sizeof *x->want);
	if (!x->want)
		return asl_no_memory();
	for (int i = 0; i < count; i++)
		x->want[i] = &x->s->cases[i].c.want;
	code = asl_output_open(&x->out, o);
	if (!code)
		code = asl_suite_log_read(&x->log, x->s, &x->out.result);
	if (!code && x->log.finished && !o->part && !o->block)
		asl_complain(0, "note: %d of %d cases are in %s already",
			     x->log.finished, x->s->total, o->out);
	return code;
}

/* A summary and the next command; of several jobs the last one prints it. */
static void say_end(const struct running *x, const struct asl_options *o)
{
	int all = x->s->total - x->s->left_out;

	if ((o->part || o->block) && x->log.finished < all)
		return;
	fprintf(x->f, "\n%d of %d cases are complete in %s%s.\n",
		x->log.finished, x->s->total, o->out,
		x->out.wrong || x->log.failed ? "; not all are right" : "");
	fprintf(x->f,
		"aslant report %s writes the page, aslant compare %s OTHER "
		"compares machines.\n",
		o->out, o->out);
}

int asl_suite_run(struct asl_suite *s, const struct asl_options *o, int argc,
		  char **argv)
{
	bool rows = o->csv && !strcmp(o->csv, "-");
	struct running x = {
		.s = s,
		.out = {.argc = argc, .argv = argv, .at_once = true, .fd = -1},
		.f = rows ? stderr : stdout,
	};
	int code = open_all(&x, o);

	watch_signals(&x);
	code = code ? asl_job_abort(o, code) : run_all(&x);
	if (code <= ASL_CHECK_FAILED && x.headed && o->out)
		say_end(&x, o);
	asl_output_close(&x.out);
	asl_suite_log_close(&x.log);
	free(x.want);
	return code;
}
