/*
 * mtx.c -- Matrix Market files
 *
 *	%%MatrixMarket matrix array|coordinate real|integer SYMMETRY
 *	% comments
 *	rows cols		of an array: then a value a line, by columns
 *	rows cols entries	of coordinates: then lines `i j value`, from 1
 *
 * SYMMETRY is general, symmetric or skew-symmetric; of the latter two only the
 * lower triangle is listed, without the diagonal where it is skew.  A position
 * that is listed twice counts as the sum, as assembly codes expect.  Blank
 * lines and comments may stand everywhere.
 *
 * A file is read in one pass into a dense matrix by rows.  It is written from one,
 * since rows come in any order and the text goes by columns: an array with 17
 * digits, which are enough to read every double back exactly.
 *
 * R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange
 * formats: initial design, NISTIR 5935, 1996.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/matrix/format.h"

/* ---- Reading ---- */

enum layout { ARRAY, COORDINATE };
enum field { REAL, INTEGER };
enum symmetry { GENERAL, SYMMETRIC, SKEW };

struct reader {
	struct asl_lines lines;
	int layout, field, symmetry;
	uint64_t rows, cols, listed;
	double *to;
};

/* The next word must be one of the names, in letters of either case. */
static int choose(const struct reader *r, struct asl_text *line, int *choice,
		  const char *const *names, const char *expected)
{
	struct asl_text word = asl_next_word(line);
	size_t n = (size_t)(word.end - word.at);

	for (*choice = 0; names[*choice]; ++*choice)
		if (n == strlen(names[*choice]) &&
		    strncasecmp(word.at, names[*choice], n) == 0)
			return 0;
	return asl_unexpected(&r->lines, expected, word);
}

static int read_banner(struct reader *r)
{
	int only, err = 0;
	const struct {
		int *choice;
		const char *expected, *names[4];
	} parts[] = {
		{&only, "the banner %%MatrixMarket", {"%%MatrixMarket"}},
		{&only, "the object matrix", {"matrix"}},
		{&r->layout,
		 "the layout array or coordinate",
		 {"array", "coordinate"}},
		{&r->field, "the field real or integer", {"real", "integer"}},
		{&r->symmetry,
		 "the symmetry general, symmetric or skew-symmetric",
		 {"general", "symmetric", "skew-symmetric"}},
	};
	struct asl_text line = r->lines.rest;

	asl_next_line(&r->lines, &line);
	for (size_t i = 0; !err && i < sizeof parts / sizeof *parts; i++)
		err = choose(r, &line, parts[i].choice, parts[i].names,
			     parts[i].expected);
	return err ? err : asl_take_end(&r->lines, &line);
}

static int check_size(const struct reader *r)
{
	if (r->rows == 0 || r->cols == 0)
		return asl_fail(-EINVAL,
				"%s:%ju: a matrix of %ju x %ju has no entries",
				r->lines.path, r->lines.line, r->rows, r->cols);
	if (r->symmetry != GENERAL && r->rows != r->cols)
		return asl_fail(-EINVAL,
				"%s:%ju: %ju x %ju can't be symmetric: "
				"expected a square",
				r->lines.path, r->lines.line, r->rows, r->cols);
	return 0;
}

static int read_size(struct reader *r)
{
	struct asl_text line;
	int err;

	if (!asl_next_data_line(&r->lines, &line))
		return asl_fail(-EINVAL, "%s: ends before the line of its size",
				r->lines.path);
	err = asl_take_count(&r->lines, &line, "the number of rows", &r->rows);
	if (!err)
		err = asl_take_count(&r->lines, &line, "the number of columns",
				     &r->cols);
	if (!err && r->layout == COORDINATE)
		err = asl_take_count(&r->lines, &line, "the number of entries",
				     &r->listed);
	if (!err)
		err = asl_take_end(&r->lines, &line);
	return err ? err : check_size(r);
}

static int store(const struct reader *r, uint64_t i, uint64_t j, double value)
{
	double *at = &r->to[i * r->cols + j];

	/* Not 0 + value, which would lose the sign of -0. */
	*at = *at == 0 ? value : *at + value;
	if (!isfinite(*at))
		return asl_fail(-EINVAL,
				"%s:%ju: the sum of what is listed for this "
				"position overflows",
				r->lines.path, r->lines.line);
	if (r->symmetry != GENERAL && i != j)
		r->to[j * r->cols + i] = r->symmetry == SKEW ? -*at : *at;
	return 0;
}

static int too_few(const struct reader *r, uint64_t found)
{
	return asl_fail(-EINVAL,
			"%s: ends in line %ju after %ju of %ju entries",
			r->lines.path, r->lines.line, found, r->listed);
}

static int check_triangle(const struct reader *r, uint64_t i, uint64_t j)
{
	if (r->symmetry == GENERAL || i > j || (i == j && r->symmetry != SKEW))
		return 0;
	return asl_fail(-EINVAL,
			"%s:%ju: (%ju, %ju) is not below the diagonal%s; a "
			"%ssymmetric file lists nothing else",
			r->lines.path, r->lines.line, i + 1, j + 1,
			r->symmetry == SKEW ? "" : " or on it",
			r->symmetry == SKEW ? "skew-" : "");
}

/* The value of entry (i, j), which ends the line. */
static int take_entry(const struct reader *r, struct asl_text *line, uint64_t i,
		      uint64_t j)
{
	double value;
	int err = asl_take_value(&r->lines, line, r->field == INTEGER, &value);

	if (!err)
		err = asl_take_end(&r->lines, line);
	return err ? err : store(r, i, j, value);
}

static int read_coordinates(struct reader *r)
{
	struct asl_text line;

	for (uint64_t n = 0; n < r->listed; n++) {
		uint64_t i, j;
		int err;

		if (!asl_next_data_line(&r->lines, &line))
			return too_few(r, n);
		err = asl_take_index(&r->lines, &line, "the row", &i, r->rows);
		if (!err)
			err = asl_take_index(&r->lines, &line, "the column", &j,
					     r->cols);
		if (!err)
			err = check_triangle(r, i, j);
		if (!err)
			err = take_entry(r, &line, i, j);
		if (err)
			return err;
	}
	return 0;
}

static int read_array(struct reader *r)
{
	struct asl_text line;
	uint64_t n = 0;

	for (uint64_t j = 0; j < r->cols; j++) {
		/* The first row of the column that is listed. */
		uint64_t top =
			r->symmetry == GENERAL ? 0 : j + (r->symmetry == SKEW);

		for (uint64_t i = top; i < r->rows; i++, n++) {
			int err;

			if (!asl_next_data_line(&r->lines, &line))
				return too_few(r, n);
			err = take_entry(r, &line, i, j);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Cannot overflow: rows x cols doubles have been allocated. */
static uint64_t listed_in_array(const struct reader *r)
{
	uint64_t n = r->rows;

	if (r->symmetry == GENERAL)
		return n * r->cols;
	return r->symmetry == SKEW ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

static int read_entries(struct reader *r)
{
	struct asl_text line;
	int err;

	if (r->layout == ARRAY)
		r->listed = listed_in_array(r);
	err = r->layout == ARRAY ? read_array(r) : read_coordinates(r);
	if (err || !asl_next_data_line(&r->lines, &line))
		return err;
	return asl_fail(
		-EINVAL,
		"%s:%ju: more than the %ju entries that its size calls for",
		r->lines.path, r->lines.line, r->listed);
}

static int read_matrix(struct reader *r, void **dense, size_t *bytes)
{
	int err = read_banner(r);

	if (!err)
		err = read_size(r);
	if (!err)
		err = asl_matrix_allocate(dense, bytes, r->lines.path, r->rows,
					  r->cols);
	r->to = *dense;
	return err ? err : read_entries(r);
}

/* Parse the mapped text and put the matrix in its place. */
static int mtx_open(struct asl_matrix_in *in, const char *path)
{
	struct reader r = {0};
	size_t bytes = 0;
	void *dense = NULL;
	int err = asl_lines_open(&r.lines, path, in->map, in->map_bytes, '%');

	if (err)
		return err;
	err = read_matrix(&r, &dense, &bytes);
	asl_lines_close(&r.lines);
	asl_file_unmap(err ? dense : in->map, err ? bytes : in->map_bytes);
	if (err)
		return err;
	*in = (struct asl_matrix_in){.rows = r.rows,
				     .cols = r.cols,
				     .entries = dense,
				     .row_step = r.cols,
				     .col_step = 1,
				     .map = dense,
				     .map_bytes = bytes};
	return 0;
}

/* ---- Writing ---- */

#define BUFFER_BYTES 65536
#define VALUE_BYTES 32 /* a value of 17 digits and its newline fit */

static int mtx_create(struct asl_matrix_out *out)
{
	return asl_matrix_allocate(&out->map, &out->map_bytes, out->file.path,
				   out->rows, out->cols);
}

static int mtx_write(struct asl_matrix_out *out, const double *at, uint64_t row,
		     uint64_t col, uint64_t count)
{
	memcpy((double *)out->map + row * out->cols + col, at, count * 8);
	return 0;
}

struct printer {
	struct asl_atomic_file *to;
	uint64_t done; /* bytes */
	size_t held;
	char buffer[BUFFER_BYTES];
};

static int flush(struct printer *p)
{
	int err = asl_atomic_file_write(p->to, p->buffer, p->held, p->done);

	p->done += p->held;
	p->held = 0;
	return err;
}

static int print_value(struct printer *p, double value)
{
	int err = 0;

	if (sizeof(p->buffer) - p->held < VALUE_BYTES)
		err = flush(p);
	p->held += (size_t)snprintf(p->buffer + p->held, VALUE_BYTES, "%.17g\n",
				    value);
	return err;
}

static int print(struct printer *p, const struct asl_matrix_out *out)
{
	const double *entries = out->map;
	int err = 0;

	p->held = (size_t)snprintf(p->buffer, sizeof(p->buffer),
				   "%%%%MatrixMarket matrix array real general"
				   "\n%ju %ju\n",
				   out->rows, out->cols);
	for (uint64_t j = 0; !err && j < out->cols; j++)
		for (uint64_t i = 0; !err && i < out->rows; i++)
			err = print_value(p, entries[i * out->cols + j]);
	return err ? err : flush(p);
}

/* Numbers in files have a point, whatever the user's language. */
static int mtx_finish(struct asl_matrix_out *out)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", 0), before;
	struct printer *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (c && p) {
		p->to = &out->file;
		before = uselocale(c);
		err = print(p, out);
		uselocale(before);
	} else {
		asl_fail(err, "%s: no memory", out->file.path);
	}
	free(p);
	if (c)
		freelocale(c);
	return err;
}

const struct asl_format asl_format_mtx = {
	.name = "Matrix Market",
	.ending = ".mtx",
	.magic = "%%MatrixMarket",
	.open = mtx_open,
	.create = mtx_create,
	.write = mtx_write,
	.finish = mtx_finish,
};
