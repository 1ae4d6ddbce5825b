/*
 * suite_run.c -- the cases of a suite, one after another
 *
 * On sim those that follow each other and can share a net do; elsewhere all do:
 * a process joins a job once.  SIGTERM ends the suite after the repetition that
 * runs; or in it, if it takes too long.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/leave.h"
#include "bench/output.h"
#include "bench/say.h"
#include "bench/signals.h"
#include "bench/suite.h"
#include "bench/suite_log.h"
#include "lib/base/error.h"

struct running {
	struct asl_suite *s;
	const struct asl_run_want **want; /* [s->count] */
	struct asl_output out;
	struct asl_suite_log log;
	FILE *f;      /* for people */
	int at;	      /* the case that runs */
	int failed;   /* exit code of an output that failed */
	bool wrong;   /* a check failed, in this case */
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

/* The whole case, set-up and verification too: what somebody waits for. */
static int finish_case(struct running *x, const struct asl_rep *rep)
{
	double now = asl_now(), seconds = now - x->since;
	int code = asl_suite_log_add(&x->log, x->at, rep,
				     x->wrong ? ASL_CHECK_FAILED : ASL_FINE,
				     seconds);

	x->since = now;
	x->wrong = false;
	if (code)
		return code;
	asl_suite_progress(x->f, x->s, &x->s->cases[x->at], x->log.finished,
			   rep, seconds);
	asl_suite_outlook(x->f, x->s, x->log.done, x->log.seconds);
	return x->f == stdout ? asl_flush_stdout() : 0;
}

static int add_rep(struct running *x, const struct asl_rep *rep)
{
	bool wrong_before = x->out.wrong;
	int code;

	asl_suite_about(x->s, &x->s->cases[x->at]);
	x->out.wrong = false;
	code = asl_output_add(&x->out, NULL, rep);
	x->wrong |= x->out.wrong;
	x->out.wrong |= wrong_before;
	asl_complain_about(NULL);
	return code;
}

static int each(const struct asl_rep *rep, void *arg)
{
	struct running *x = arg;
	bool first = !x->out.done, last = rep->rep + 1 == rep->want->reps;

	while (x->want[x->at] != rep->want)
		x->at++;
	x->failed = add_rep(x, rep);
	say_notes(rep, first);
	if (!x->failed && last)
		x->failed = finish_case(x, rep);
	/* What is wrong has been said; all ranks only need to hear of it. */
	return x->failed ? -EIO : asked_to_stop ? -EINTR : 0;
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

static int say_stopped(const struct running *x)
{
	return asl_complain(ASL_STOPPED,
			    "stopped by SIGTERM, %d of %d cases were completed"
			    "%s",
			    x->log.finished, x->s->total,
			    x->log.r->dir ? "; the same command continues"
					  : "");
}

static int run_group(struct running *x, int from, int count)
{
	int err =
		asl_run_all(x->want + from, count, x->log.done + from, each, x);
	int code = x->failed ? x->failed : asl_exit_code(err);

	if (!err)
		return 0;
	if (err == -EINTR && !*asl_run_why())
		return say_stopped(x);
	about_failed(x);
	if (!x->failed && *asl_run_why())
		asl_complain_alone(code, "%s", asl_run_why());
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
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	for (int i = 0; i < count; i++)
		x->want[i] = &x->s->cases[i].c.want;
	code = asl_output_open(&x->out, o);
	if (!code)
		code = asl_suite_log_read(&x->log, x->s, &x->out.result);
	if (!code && x->log.finished && !o->part)
		asl_complain(0, "note: %d of %d cases are in %s already",
			     x->log.finished, x->s->total, o->out);
	return code;
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
	asl_output_close(&x.out);
	asl_suite_log_close(&x.log);
	free(x.want);
	return code;
}
