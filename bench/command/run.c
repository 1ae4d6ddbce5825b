/*
 * run.c -- aslant run and trace: one case, its repetitions, and where they go
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/commands.h"
#include "bench/command/machine.h"
#include "bench/command/output.h"
#include "bench/command/signals.h"
#include "bench/library/case.h"
#include "bench/library/cli.h"
#include "bench/library/launch.h"
#include "bench/library/number.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/rank/trace.h"
#include "lib/run/path.h"

enum { LONG_S = 10 };

struct running {
	const struct asl_options *o;
	struct asl_case *c;
	struct asl_output out;
	int failed; /* exit code of an output that failed */
};

static int print_summary(const struct running *x, const struct asl_rep *rep)
{
	if ((x->o->csv || x->o->out) && !x->c->want.trace)
		return 0;
	if (!x->out.done)
		asl_summary_counts(stdout, x->c, rep);
	if (!x->c->want.trace)
		asl_summary_times(stdout, rep);
	return asl_flush_stdout();
}

/* An m or g after a memory is easily taken for bytes. */
static void say_words(const struct running *x)
{
	static const char *const names[] = {"cache", "memory", "memory-budget",
					    NULL};
	char bytes[ASL_BYTES];
	uint64_t words;

	for (int i = 2; i < x->out.argc; i++) {
		const char *name = x->out.argv[i - 1], *text = x->out.argv[i];
		size_t end = strlen(text);

		if (strncmp(name, "--", 2) || !asl_is_one_of(name + 2, names) ||
		    !asl_read_words(&words, text) ||
		    !strchr("mg", text[end - 1]))
			continue;
		asl_complain(0, "note: %s %s is words, %s; %.*s%ciB is bytes",
			     name, text,
			     asl_write_bytes(bytes, 8. * (double)words),
			     (int)end - 1, text, text[end - 1] - 'a' + 'A');
	}
}

/* At a terminal: how long a run will be silent. */
static void say_time(const struct running *x)
{
	const struct asl_run_want *want = &x->c->want;
	struct asl_candidate of = {.plan = want->plan};
	double patience = 0.3, s;
	char text[ASL_DURATION];

	if (!isatty(STDERR_FILENO) || asl_job().size ||
	    !asl_path_seconds(&of, &patience))
		return;
	s = of.seconds * (want->reps + want->warmup);
	if (!x->o->launch)
		s *= asl_plan_ranks(&want->plan);
	if (s >= LONG_S)
		asl_complain(0,
			     "note: about %s of multiplying and moving are "
			     "predicted, besides drawing the operands and "
			     "verifying",
			     asl_write_duration(text, s));
}

static void say_idle(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	int idle = rep->ranks - asl_plan_ranks(plan);
	char why[64] = "";

	if (!idle)
		return;
	if (plan->by_time && plan->cores && plan->cores < rep->ranks)
		snprintf(why, sizeof why, ", as they share %d core%s",
			 plan->cores, plan->cores == 1 ? "" : "s");
	asl_complain(0, "note: %s has work for %d of %d ranks: %d idle%s",
		     asl_show(plan).grid, rep->ranks - idle, rep->ranks, idle,
		     why);
}

static void say_notes(const struct running *x, const struct asl_rep *rep)
{
	say_idle(rep);
	say_words(x);
	if (rep->note && *rep->note)
		asl_complain(0, "note: %s", rep->note);
	if (asl_rep_multiplies(rep) && *asl_blas_note())
		asl_complain(0, "note: %s", asl_blas_note());
	if (x->c->automatic && x->c->want.plan.by_time &&
	    !asl_profile_has_times(&x->c->profile))
		asl_complain(0,
			     "note: auto chose by the times of a machine of "
			     "this class (%s): aslant calibrate measures this "
			     "one's, for --profile",
			     asl_profile_of_class());
	if (x->c->want.keep && rep->pool_dir && *rep->pool_dir)
		asl_complain(0, "note: pools of run %s are kept in %s",
			     rep->run_id, rep->pool_dir);
}

static int each(const struct asl_rep *rep, void *arg)
{
	struct running *x = arg;
	bool first = !x->out.done;
	int code = print_summary(x, rep), late;

	late = asl_output_add(&x->out, x->c, rep);
	if (first)
		say_notes(x, rep);
	x->failed = code ? code : late;
	/* The complaint has been made; the other ranks have to learn of it. */
	if (x->failed)
		return -EIO;
	return x->out.enough ? ASL_RUN_ENOUGH : 0;
}

static int run_case(struct running *x)
{
	int err = asl_run(&x->c->want, each, x);
	int code = x->failed ? x->failed : asl_exit_code(err);
	int late;

	/* Only the rank that has something to say has words for it. */
	if (err && !x->failed && *asl_failure_to_print())
		asl_complain_alone(code, "%s", asl_failure_to_print());
	/* What was completed before a failure is written all the same. */
	if (!code && !x->out.csv && !x->o->out)
		asl_output_summary(stdout, &x->out);
	late = asl_output_finish(&x->out);
	code = code ? code : late;
	return code ? code : x->out.wrong ? ASL_CHECK_FAILED : ASL_FINE;
}

static int run_here(struct running *x, int code)
{
	if (!code)
		code = asl_output_open(&x->out, x->o);
	code = code ? asl_job_abort(x->o, code) : run_case(x);
	asl_output_close(&x->out);
	return code;
}

static int run_or_launch(struct running *x, int code)
{
	if (!code)
		say_time(x);
	if (code || !x->o->launch)
		return run_here(x, code);
	return asl_launch(x->c->want.plan.ranks, x->out.argc, x->out.argv,
			  x->o->launch_at + 1);
}

/* The directory of results is there, and empty. */
static int run_traced(struct running *x, int code)
{
	struct asl_run_want *want = &x->c->want;
	char dir[PATH_MAX];
	int err;

	if (code)
		return code;
	code = asl_output_open(&x->out, x->o);
	snprintf(dir, sizeof dir, "%s/trace", x->o->out);
	want->trace = dir;
	err = code ? 0 : asl_trace_prepare(dir, want->plan.ranks);
	if (err)
		code = asl_complain(asl_exit_code(err), "--out: %s",
				    asl_failure());
	if (!code)
		code = run_case(x);
	want->trace = NULL;
	asl_output_close(&x->out);
	return code;
}

/* `how` is told whether the case can be run: 0, or the exit code. */
static int with_case(struct asl_options *o, int argc, char **argv,
		     int (*how)(struct running *x, int code))
{
	struct asl_case c = {0};
	struct running x = {
		.o = o,
		.c = &c,
		.out = {.argc = argc, .argv = argv, .fd = -1},
	};
	int code = how(&x, asl_case_to_run(&c, o));

	asl_case_close(&c);
	return code;
}

int asl_command_run(struct asl_options *o, int argc, char **argv)
{
	if (asl_job().size)
		asl_signals_guard(o);
	return with_case(o, argc, argv, run_or_launch);
}

int asl_command_trace(struct asl_options *o, int argc, char **argv)
{
	if (!o->out)
		return asl_refuse("trace: --out is missing, expected a new "
				  "directory for the trace");
	o->transport = "sim";
	o->store = "null";
	return with_case(o, argc, argv, run_traced);
}
