/*
 * suite.c -- aslant suite: many cases, all checked before the first begins
 */
#include <string.h>

#include "bench/commands.h"
#include "bench/files.h"
#include "bench/leave.h"
#include "bench/say.h"
#include "bench/signals.h"
#include "bench/suite.h"

/* ---- Before the first ---- */

static int check_ranks(const struct asl_suite_case *x,
		       const struct asl_suite_case *first)
{
	const struct asl_run_want *want = &x->c.want;

	if (asl_run_together(want, &first->c.want) || x->o.launch ||
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

/* ---- The command ---- */

static int keep_part(struct asl_suite *s)
{
	int ranks = asl_job().size;

	if (!ranks)
		return asl_complain(ASL_BAD_INPUT,
				    "--part: this is no MPI job; expected "
				    "mpiexec or srun");
	asl_suite_keep(s, ranks);
	if (s->count)
		return 0;
	return asl_complain(ASL_BAD_INPUT, "--part: no case has %d ranks",
			    ranks);
}

static int read_and_check(struct asl_suite *s, const struct asl_options *o,
			  int argc, char **argv)
{
	int code = asl_suite_read(s, o->algorithm, argc - 1, argv + 1);

	if (!code && o->part)
		code = keep_part(s);
	return code ? code : check(s, o);
}

static int obey(struct asl_suite *s, const struct asl_options *o, int argc,
		char **argv)
{
	int code = read_and_check(s, o, argc, argv), late;

	if (!code && o->dry_run) {
		asl_suite_print(s);
		return 0;
	}
	if (code)
		return asl_job_abort(o, code);
	code = o->launch ? asl_suite_launch(s, o, argc, argv)
			 : asl_suite_run(s, o, argc, argv);
	late = code <= ASL_CHECK_FAILED ? asl_suite_calibrate(s, o) : 0;
	return code > late ? code : late;
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
		asl_signals_guard(&o);
	code = obey(&s, &o, argc, argv);
	asl_suite_close(&s);
	return code;
}
