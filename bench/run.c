/*
 * run.c -- aslant run: one case, its repetitions, and where they go
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/launch.h"
#include "bench/result.h"
#include "bench/rows.h"
#include "bench/say.h"
#include "bench/summary.h"
#include "lib/matrix/aside.h"
#include "lib/matrix/file.h"

/* Where the repetitions of this run go. */
struct output {
	const struct asl_options *options;
	const struct asl_case *c;
	int argc;
	char **argv;
	struct asl_result result;
	struct asl_csv csv; /* rows for --csv */
	int done;	    /* repetitions */
	int failed;	    /* exit code of an output that failed */
	bool wrong;	    /* a check failed */
};

static bool to_stdout(const char *csv)
{
	return csv && !strcmp(csv, "-");
}

static bool to_file(const char *csv)
{
	return csv && strcmp(csv, "-") != 0;
}

/* ---- Before the run ---- */

/* Could the file be written?  Better asked before a long run than after. */
static int try_csv(const char *path)
{
	struct asl_aside aside;
	int err = asl_aside_create(&aside, path);

	if (err)
		return asl_complain(asl_exit_code(err), "--csv: %s",
				    asl_file_why());
	asl_aside_discard(&aside);
	return 0;
}

/* Outputs are rank 0's. */
static int open_output(struct output *out)
{
	const struct asl_options *o = out->options;
	int err = 0;

	if (asl_job().rank > 0)
		return 0;
	if (to_file(o->csv))
		err = try_csv(o->csv);
	if (!err && asl_csv_open(&out->csv))
		err = asl_complain(ASL_NO_MACHINE, "out of memory");
	if (!err)
		err = asl_result_open(&out->result, o->out);
	return err;
}

/* ---- A repetition ---- */

static const char *first_difference(enum asl_counter *counter,
				    enum asl_phase *phase,
				    const struct asl_rank_record *x)
{
	for (int p = 0; p < ASL_PHASES; p++)
		for (int c = 0; asl_phase_counts(p) && c < ASL_COUNTERS; c++)
			if (x->counted.in[p].of[c] !=
			    x->predicted.in[p].of[c]) {
				*counter = c;
				*phase = p;
				return asl_counter_name(c);
			}
	return NULL;
}

static void say_difference(const struct asl_rep *rep)
{
	enum asl_counter c = 0;
	enum asl_phase p = 0;

	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_rank_record *x = &rep->rank[i];
		const char *name = first_difference(&c, &p, x);

		if (asl_ledger_equal(&x->counted, &x->predicted))
			continue;
		if (name)
			asl_complain(0,
				     "COUNTED IS NOT WHAT WAS PREDICTED: "
				     "rank %d, phase %s, %s: counted %ju, "
				     "predicted %ju",
				     i, asl_phase_name(p), name,
				     x->counted.in[p].of[c],
				     x->predicted.in[p].of[c]);
		else
			asl_complain(0,
				     "COUNTED IS NOT WHAT WAS PREDICTED: "
				     "rank %d held %ju words (%ju in the "
				     "pool), predicted %ju (%ju)",
				     i, x->counted.memory_high,
				     x->counted.pool_high,
				     x->predicted.memory_high,
				     x->predicted.pool_high);
		return;
	}
}

static void judge(struct output *out, const struct asl_rep *rep)
{
	if (!rep->predicted_equal) {
		out->wrong = true;
		say_difference(rep);
	}
	if (rep->verified == 0) {
		out->wrong = true;
		asl_complain(0,
			     "VERIFICATION FAILED in repetition %d: residual "
			     "%g, expected 16 at most",
			     rep->rep + 1, rep->residual);
	}
}

static int add_csv(struct output *out, const struct asl_rep *rep)
{
	struct asl_csv *csv = &out->csv;

	if (!out->options->csv)
		return 0;
	if (!out->done) {
		csv->naming = true;
		asl_put_run(csv, rep);
		csv->naming = false;
	}
	asl_put_run(csv, rep);
	if (asl_csv_flush(csv))
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	if (!to_stdout(out->options->csv))
		return 0;
	fwrite(csv->text, 1, csv->bytes, stdout);
	return asl_csv_clear(csv) ? ASL_NO_MACHINE : asl_flush_stdout();
}

static int print_summary(struct output *out, const struct asl_rep *rep)
{
	if (out->options->csv || out->options->out)
		return 0;
	if (!out->done)
		asl_summary_counts(stdout, out->c, rep);
	asl_summary_times(stdout, rep);
	return asl_flush_stdout();
}

static void say_notes(const struct output *out, const struct asl_rep *rep)
{
	if (rep->note && *rep->note)
		asl_complain(0, "note: %s", rep->note);
	if (out->c->want.keep && rep->pool_dir && *rep->pool_dir)
		asl_complain(0, "note: pools of run %s are kept in %s",
			     rep->run_id, rep->pool_dir);
}

static int each(const struct asl_rep *rep, void *arg)
{
	struct output *out = arg;
	int code = print_summary(out, rep);

	if (!code)
		code = add_csv(out, rep);
	if (!code)
		code = asl_result_add(&out->result, out->c, rep, out->argc,
				      out->argv);
	judge(out, rep);
	if (!out->done++)
		say_notes(out, rep);
	out->failed = code;
	/* What is wrong has been said; all ranks only need to hear of it. */
	return code ? -EIO : 0;
}

/* ---- After the run ---- */

static int write_csv(struct output *out)
{
	const char *path = out->options->csv;

	if (!to_file(path) || !out->csv.f || !out->done)
		return 0;
	if (!asl_aside_put(path, out->csv.text, out->csv.bytes))
		return 0;
	return asl_complain(ASL_NO_MACHINE, "--csv: %s", asl_file_why());
}

static int run_case(struct output *out, struct asl_case *c)
{
	int err = asl_run(&c->want, each, out);
	int code = out->failed ? out->failed : asl_exit_code(err);
	int late;

	/* Only the rank that has something to say has words for it. */
	if (err && !out->failed && *asl_run_why())
		asl_complain_alone(code, "%s", asl_run_why());
	/* What was completed before a failure is written all the same. */
	late = write_csv(out);
	code = code ? code : late;
	return code ? code : out->wrong ? ASL_CHECK_FAILED : ASL_FINE;
}

/*
 * This rank has complained and cannot go on, and others of its job may not know:
 * files and profiles are read on every host.  All leave together, and the
 * complaint is heard, even if it is not rank 0's.
 */
static int leave_together(const struct asl_options *o, int code)
{
	struct asl_job job = asl_job();
	char refusal[2048];
	struct asl_run_want want = {
		.plan = {.ranks = job.size},
		.transport = "ofi",
		.provider = o->provider,
		.store = "dram",
		.refusal = refusal,
		.refused = code == ASL_BAD_INPUT ? -EINVAL : -EIO,
	};

	if (job.size < 2)
		return code;
	if (o->transport && !strcmp(o->transport, "mpi"))
		want.transport = "mpi";
	snprintf(refusal, sizeof refusal, "%s", asl_last_complaint());
	asl_run(&want, NULL, NULL);
	if (job.rank > 0 && *asl_run_why())
		asl_complain_alone(code, "%s", asl_run_why());
	return code;
}

int asl_command_run(int argc, char **argv, const struct asl_command *self)
{
	struct asl_options o;
	struct asl_case c;
	struct output out = {
		.options = &o, .c = &c, .argc = argc, .argv = argv};
	struct asl_job job = asl_job();
	int code = asl_options_parse(&o, argc - 1, argv + 1, self->options);

	if (code)
		return code;
	if (o.help)
		return asl_command_help(self);
	if (job.size)
		asl_net_guard(job.rank);
	code = asl_case_to_run(&c, &o);
	if (!code && o.launch)
		return asl_launch(c.want.plan.ranks, argc, argv,
				  o.launch_at + 1);
	if (!code)
		code = open_output(&out);
	code = code ? leave_together(&o, code) : run_case(&out, &c);
	asl_result_close(&out.result);
	asl_csv_close(&out.csv);
	return code;
}
