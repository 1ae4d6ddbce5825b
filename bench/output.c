/*
 * output.c -- rows, files and verdicts of repetitions
 */
#include "bench/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bench/append.h"
#include "bench/judge.h"
#include "bench/rows.h"
#include "bench/say.h"
#include "bench/signals.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/matrix/file.h"

static bool to_file(const char *csv)
{
	return csv && strcmp(csv, "-") != 0;
}

/* ---- Before a run ---- */

/* Could the file be written?  Better asked before a long run than after. */
static int try_csv(const char *path)
{
	struct asl_atomic_file aside;
	int err = asl_atomic_file_create(&aside, path);

	if (err)
		return asl_complain(asl_exit_code(err), "--csv: %s",
				    asl_failure());
	asl_atomic_file_discard(&aside);
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
		err = out->at_once ? asl_result_open_suite(&out->result, o->out)
				   : asl_result_open(&out->result, o->out);
	return err;
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
	int code;

	asl_signals_hold();
	code = add_csv(out, rep);
	if (!code)
		code = asl_result_add(&out->result, c, rep, out->argc,
				      out->argv);
	asl_signals_release();
	out->wrong |= !asl_rep_check(rep);
	out->done++;
	return code;
}

/* ---- After a run ---- */

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
	if (out->fd >= 0)
		close(out->fd);
}
