/*
 * suite_log.c -- cases.csv: which cases of a suite are finished
 */
#include "bench/suite_log.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/append.h"
#include "bench/rows.h"
#include "bench/rows_read.h"
#include "bench/say.h"
#include "lib/base/error.h"

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
		err = asl_append(log->r->cases, csv.text, csv.bytes);
	asl_csv_close(&csv);
	return err ? failed(log, err) : 0;
}

/* What the case is, as options of aslant run; NULL: no memory. */
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
	int fd = log->r->cases;
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
		"--out: %s/" NAME ": case %d: found '%.200s', expected "
		"'%.200s'; this suite, with these options, was not begun here",
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
static int take_row(struct asl_suite_log *log, struct asl_rows *rows,
		    size_t row)
{
	int number = (int)asl_rows_count(rows, row, "case", INT_MAX);
	const char *options =
		asl_rows_text(rows, row, asl_rows_column(rows, "options"));

	log->failed |=
		asl_rows_number(rows, row, asl_rows_column(rows, "code")) != 0;
	if (rows->code)
		return rows->code;
	if (number < 1 || number > log->s->total)
		return refuse_other(log, number, options, "no such case");
	for (int i = 0; i < log->s->count; i++)
		if (log->s->cases[i].number == number)
			return take_case(
				log, i, options,
				asl_rows_number(
					rows, row,
					asl_rows_column(rows, "seconds")));
	return 0;
}

static off_t bytes_of(struct asl_rows *rows, const char *name)
{
	return rows->count
		       ? asl_rows_count(rows, rows->count - 1, name, INT64_MAX)
		       : 0;
}

/* Nothing of a case that has no line. */
static int cut_tables(struct asl_suite_log *log, struct asl_rows *rows)
{
	off_t runs = bytes_of(rows, "runs_bytes");
	off_t ranks = bytes_of(rows, "ranks_bytes");

	if (rows->code)
		return rows->code;
	return asl_result_cut(log->r, runs, ranks);
}

static int take_rows(struct asl_suite_log *log, struct asl_rows *rows)
{
	int code = asl_rows_read(rows, log->r->dir, NAME);

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
	struct asl_rows rows = {.count = 0};
	off_t whole;
	int code = 0;

	*log = (struct asl_suite_log){.s = s, .r = r};
	log->done = calloc((size_t)s->count, sizeof *log->done);
	if (!log->done)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	if (!r->dir)
		return 0;
	code = cut_part(log, &whole);
	if (!code && !whole)
		code = append(log, NULL);
	if (!code)
		code = take_rows(log, &rows);
	asl_rows_close(&rows);
	return code;
}

void asl_suite_log_close(struct asl_suite_log *log)
{
	free(log->done);
	*log = (struct asl_suite_log){.s = NULL};
}

/* ---- Writing ---- */

int asl_suite_log_add(struct asl_suite_log *log, int i,
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
	failure = append(log,
			 &(struct line){
				 .number = x->number,
				 .label = x->label,
				 .options = options,
				 .run_id = last->run_id,
				 .code = code,
				 .seconds = seconds,
				 .bytes = {lseek(log->r->runs, 0, SEEK_END),
					   lseek(log->r->ranks, 0, SEEK_END)},
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
