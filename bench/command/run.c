/*
 * run.c -- aslant run and trace: one case, its repetitions, and where they go
 */
#include <errno.h>
#include <stdio.h>

#include "bench/command/commands.h"
#include "bench/command/machine.h"
#include "bench/command/output.h"
#include "bench/command/signals.h"
#include "bench/library/case.h"
#include "bench/library/launch.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/rank/trace.h"

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

static void say_notes(const struct running *x, const struct asl_rep *rep)
{
	if (rep->note && *rep->note)
		asl_complain(0, "note: %s", rep->note);
	if (asl_rep_multiplies(rep) && *asl_blas_note())
		asl_complain(0, "note: %s", asl_blas_note());
	if (x->c->automatic && x->c->want.plan.by_time &&
	    !asl_profile_has_times(&x->c->profile))
		asl_complain(0, "note: auto chose by the times of another "
				"machine (x86-64-avx2): aslant calibrate "
				"measures this one's, for --profile");
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
