/*
 * suite.c -- aslant suite: many cases, one after another
 *
 * All cases are checked before the first begins.  On sim those that follow each
 * other and can share a net do; elsewhere all do: a process joins a job once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/files.h"
#include "bench/launch.h"
#include "bench/leave.h"
#include "bench/output.h"
#include "bench/say.h"
#include "bench/suite.h"

struct running {
	struct asl_suite *s;
	const struct asl_run_want **want; /* [s->count] */
	struct asl_output out;
	FILE *f;      /* for people */
	int at;	      /* the case that runs */
	int done;     /* cases */
	int failed;   /* exit code of an output that failed */
	double since; /* when the last case ended */
};

/* ---- Before the first ---- */

static int check_ranks(const struct asl_suite_case *x,
		       const struct asl_suite_case *first)
{
	const struct asl_run_want *want = &x->c.want;

	if (asl_run_together(want, &first->c.want) ||
	    !strcmp(want->transport, "sim"))
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "--ranks: found %d, but the first case has %d; "
			    "expected the same in all cases of a job",
			    want->plan.ranks, first->c.want.plan.ranks);
}

/* What one case leaves behind is not to be replaced by another. */
static int check_result(const struct asl_suite *s, int at)
{
	const char *result = s->cases[at].o.result;

	for (int i = 0; result && i < at; i++)
		if (s->cases[i].o.result &&
		    asl_same_file(result, s->cases[i].o.result))
			return asl_complain(ASL_BAD_INPUT,
					    "--result: found %s, which another "
					    "case writes, too",
					    result);
	return 0;
}

static int check_csv(const struct asl_suite *s, const struct asl_options *o)
{
	if (!o->csv || !strcmp(o->csv, "-") || !asl_same_file(o->csv, s->path))
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "--csv: found %s, which is the suite", o->csv);
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

static int list_wants(struct running *x)
{
	int count = x->s->count;

	x->want = calloc((size_t)count, sizeof *x->want);
	if (!x->want)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	for (int i = 0; i < count; i++)
		x->want[i] = &x->s->cases[i].c.want;
	return 0;
}

/* ---- Running ---- */

static void say_notes(const struct running *x, const struct asl_rep *rep,
		      bool first)
{
	if (first && rep->note && *rep->note)
		asl_complain(0, "note: %s", rep->note);
	if (x->want[x->at]->keep && rep->rep == 0)
		asl_complain(0, "note: pools of run %s are kept in %s",
			     rep->run_id, rep->pool_dir);
}

/* The whole case, set-up and verification too: what somebody waits for. */
static int say_progress(struct running *x, const struct asl_rep *rep)
{
	double now = asl_now(), seconds = now - x->since;

	x->done++;
	x->since = now;
	asl_suite_progress(x->f, x->s, &x->s->cases[x->at], x->done, rep,
			   seconds);
	return x->f == stdout ? asl_flush_stdout() : 0;
}

static int each(const struct asl_rep *rep, void *arg)
{
	struct running *x = arg;
	bool first = !x->out.done;

	while (x->want[x->at] != rep->want)
		x->at++;
	asl_suite_about(x->s, &x->s->cases[x->at]);
	x->failed = asl_output_add(&x->out, NULL, rep);
	asl_complain_about(NULL);
	say_notes(x, rep, first);
	if (!x->failed && rep->rep + 1 == rep->want->reps)
		x->failed = say_progress(x, rep);
	/* What is wrong has been said; all ranks only need to hear of it. */
	return x->failed ? -EIO : 0;
}

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
	int at = x->done < x->s->count ? x->done : x->s->count - 1;

	asl_suite_about(x->s, asl_job().rank ? NULL : &x->s->cases[at]);
}

static int run_group(struct running *x, int from, int count)
{
	int err = asl_run_all(x->want + from, count, each, x);
	int code = x->failed ? x->failed : asl_exit_code(err);

	if (!err)
		return 0;
	about_failed(x);
	if (!x->failed && *asl_run_why())
		asl_complain_alone(code, "%s", asl_run_why());
	asl_complain(code, "ends the suite, %d of %d cases were completed",
		     x->done, x->s->count);
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
	return code ? code : x->out.wrong ? ASL_CHECK_FAILED : ASL_FINE;
}

/* ---- The command ---- */

static int read_and_check(struct asl_suite *s, const struct asl_options *o,
			  int argc, char **argv)
{
	int code = asl_suite_read(s, o->algorithm, argc - 1, argv + 1);

	return code ? code : check(s, o);
}

static int obey(struct asl_suite *s, const struct asl_options *o, int argc,
		char **argv)
{
	bool rows = o->csv && !strcmp(o->csv, "-");
	struct running x = {
		.s = s,
		.out = {.argc = argc, .argv = argv, .at_once = true, .fd = -1},
		.f = rows ? stderr : stdout,
	};
	int code = read_and_check(s, o, argc, argv);

	if (!code && o->dry_run) {
		asl_suite_print(s);
		return 0;
	}
	if (!code && o->launch)
		return asl_launch(s->cases[0].c.want.plan.ranks, argc, argv,
				  o->launch_at + 1);
	if (!code)
		code = list_wants(&x);
	if (!code)
		code = asl_output_open(&x.out, o);
	code = code ? asl_leave_together(o, code) : run_all(&x);
	asl_output_close(&x.out);
	free(x.want);
	return code;
}

int asl_command_suite(int argc, char **argv, const struct asl_command *self)
{
	struct asl_options o;
	struct asl_suite s = {0};
	struct asl_job job = asl_job();
	int code = asl_options_parse(&o, argc - 1, argv + 1, self->options);

	if (code)
		return code;
	if (o.help)
		return asl_command_help(self);
	if (!o.algorithm)
		return asl_complain(ASL_BAD_INPUT,
				    "suite: which suite? (aslant list suites)");
	if (job.size)
		asl_net_guard(job.rank);
	code = obey(&s, &o, argc, argv);
	asl_suite_close(&s);
	return code;
}
