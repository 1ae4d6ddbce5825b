/*
 * output.c -- rows, files and verdicts of repetitions
 */
#include "bench/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bench/append.h"
#include "bench/rows.h"
#include "bench/say.h"
#include "lib/matrix/aside.h"
#include "lib/matrix/file.h"

static bool to_file(const char *csv)
{
	return csv && strcmp(csv, "-") != 0;
}

/* ---- Before a run ---- */

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

int asl_output_open(struct asl_output *out, const struct asl_options *o)
{
	int err = 0;

	out->csv = o->csv;
	out->fd = -1;
	if (asl_job().rank > 0)
		return 0;
	if (to_file(o->csv))
		err = try_csv(o->csv);
	if (!err && asl_csv_open(&out->rows))
		err = asl_complain(ASL_NO_MACHINE, "out of memory");
	if (!err)
		err = asl_result_open(&out->result, o->out);
	return err;
}

/* ---- Is it right? ---- */

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

static void judge_emulation(struct asl_output *out, const struct asl_rep *rep)
{
	double error = rep->emulation_error;

	if (!rep->emulated)
		return;
	if (rep->rep == 0 && !rep->emulated_net && rep->ranks > 1)
		asl_complain(0,
			     "note: the network is as it is: a word takes "
			     "%.3g ns, %.3g in %s",
			     rep->emulated->net, rep->want->emulate.net,
			     rep->want->emulate.name);
	if (rep->rep == 0 && rep->crowded)
		asl_complain(0, "warning: ranks outnumber cores, and wait for "
				"each other: trust q_path, not times");
	if (error > ASL_EMULATION_INVALID) {
		out->wrong = true;
		asl_complain(0,
			     "EMULATION IS NOT VALID in repetition %d: words "
			     "took %.3g%% longer than in %s, expected 15%% at "
			     "most",
			     rep->rep + 1, 100 * error,
			     rep->want->emulate.name);
	} else if (error > ASL_EMULATION_OFF) {
		asl_complain(0,
			     "warning: in repetition %d words took %.3g%% "
			     "longer than in %s",
			     rep->rep + 1, 100 * error,
			     rep->want->emulate.name);
	}
}

static void judge(struct asl_output *out, const struct asl_rep *rep)
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
	judge_emulation(out, rep);
}

/* ---- Rows ---- */

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
	err = asl_aside_put(out->csv, out->rows.text, out->rows.bytes);
	if (err)
		return asl_complain(asl_exit_code(err), "--csv: %s",
				    asl_file_why());
	out->fd = open(out->csv, O_WRONLY | O_APPEND | O_CLOEXEC);
	return out->fd < 0 ? asl_complain(ASL_NO_MACHINE, "--csv: %s: %s",
					  out->csv, strerror(errno))
			   : 0;
}

static int add_csv(struct asl_output *out, const struct asl_rep *rep)
{
	struct asl_csv *csv = &out->rows;
	int code = 0;

	if (!out->csv)
		return 0;
	if (!out->done) {
		csv->naming = true;
		asl_put_run(csv, rep);
		csv->naming = false;
	}
	asl_put_run(csv, rep);
	if (asl_csv_flush(csv))
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	if (to_file(out->csv) && !out->at_once)
		return 0;
	if (to_file(out->csv)) {
		code = grow_file(out);
	} else {
		fwrite(csv->text, 1, csv->bytes, stdout);
		code = asl_flush_stdout();
	}
	if (asl_csv_clear(csv))
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	return code;
}

int asl_output_add(struct asl_output *out, const struct asl_case *c,
		   const struct asl_rep *rep)
{
	int code = add_csv(out, rep);

	if (!code)
		code = asl_result_add(&out->result, c, rep, out->argc,
				      out->argv);
	judge(out, rep);
	out->done++;
	return code;
}

/* ---- After a run ---- */

int asl_output_finish(struct asl_output *out)
{
	if (!to_file(out->csv) || out->at_once || !out->rows.f || !out->done)
		return 0;
	if (!asl_aside_put(out->csv, out->rows.text, out->rows.bytes))
		return 0;
	return asl_complain(ASL_NO_MACHINE, "--csv: %s", asl_file_why());
}

void asl_output_close(struct asl_output *out)
{
	asl_result_close(&out->result);
	asl_csv_close(&out->rows);
	if (out->fd >= 0)
		close(out->fd);
}
