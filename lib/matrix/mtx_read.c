/*
 * mtx_read.c -- a Matrix Market file, line by line, into a dense matrix
 *
 * In one pass; whatever is wrong is named with its line.  The format is
 * described in mtx.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#include "lib/matrix/mtx.h"

/* No double needs more than 770 digits to be told from its neighbours. */
#define NUMBER_BYTES 1024

enum layout { ARRAY, COORDINATE };
enum field { REAL, INTEGER };
enum symmetry { GENERAL, SYMMETRIC, SKEW };

struct text {
	const char *at, *end;
};

struct reader {
	const char *path;
	struct text rest;
	uint64_t line;
	int layout, field, symmetry;
	uint64_t rows, cols, listed;
	double *to;
};

/* ---- Lines, words and numbers ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool next_line(struct reader *r, struct text *line)
{
	const char *end;

	if (r->rest.at == r->rest.end)
		return false;
	end = memchr(r->rest.at, '\n', (size_t)(r->rest.end - r->rest.at));
	*line = (struct text){r->rest.at, end ? end : r->rest.end};
	r->rest.at = end ? end + 1 : r->rest.end;
	r->line++;
	return true;
}

/* An empty word means that the line has no more. */
static struct text next_word(struct text *line)
{
	struct text word;

	while (line->at < line->end && is_blank(*line->at))
		line->at++;
	word.at = line->at;
	while (line->at < line->end && !is_blank(*line->at))
		line->at++;
	word.end = line->at;
	return word;
}

static bool next_data_line(struct reader *r, struct text *line)
{
	while (next_line(r, line)) {
		struct text look = *line, word = next_word(&look);

		if (word.at < word.end && *word.at != '%')
			return true;
	}
	return false;
}

static int bad(const struct reader *r, const char *expected, struct text found)
{
	char quote[ASL_QUOTE];

	asl_quote(quote, found.at, (size_t)(found.end - found.at));
	return asl_file_fail(
		-EINVAL, "%s:%" PRIu64 ": expected %s, found %s%s%s", r->path,
		r->line, expected, *quote ? "'" : "",
		*quote ? quote : "the end of the line", *quote ? "'" : "");
}

static int end_of_line(const struct reader *r, struct text *line)
{
	struct text word = next_word(line);

	return word.at == word.end ? 0 : bad(r, "the end of the line", word);
}

static int take_count(const struct reader *r, struct text *line,
		      const char *what, uint64_t *count)
{
	struct text word = next_word(line);

	*count = 0;
	if (word.at == word.end)
		return bad(r, what, word);
	for (const char *c = word.at; c < word.end; c++) {
		uint64_t digit = (uint64_t)(unsigned char)*c - '0';

		if (digit > 9 || __builtin_mul_overflow(*count, 10, count) ||
		    __builtin_add_overflow(*count, digit, count))
			return bad(r, what, word);
	}
	return 0;
}

/* Letters are refused before strtod can see hexadecimals, nan or inf in them. */
static int take_value(const struct reader *r, struct text *line, double *value)
{
	static const char *const alphabet[] = {"+-.0123456789eE",
					       "+-0123456789"};
	static const char *const what[] = {"a finite decimal number",
					   "an integer up to 2^53"};
	struct text word = next_word(line);
	size_t n = (size_t)(word.end - word.at);
	char number[NUMBER_BYTES], *end;

	if (n == 0 || n >= sizeof(number))
		return bad(r, what[r->field], word);
	memcpy(number, word.at, n);
	number[n] = '\0';
	*value = strtod(number, &end);
	if (strspn(number, alphabet[r->field]) != n || end != number + n ||
	    !isfinite(*value))
		return bad(r, what[r->field], word);
	/* Beyond, neighbours would become the same double. */
	if (r->field == INTEGER && fabs(*value) > 0x1p53)
		return bad(r, what[r->field], word);
	return 0;
}

/* ---- Reading ---- */

/* Which of the names, NULL-ended, comes next, in letters of either case. */
static int choose(const struct reader *r, struct text *line, int *choice,
		  const char *const *names, const char *expected)
{
	struct text word = next_word(line);
	size_t n = (size_t)(word.end - word.at);

	for (*choice = 0; names[*choice]; ++*choice)
		if (n == strlen(names[*choice]) &&
		    strncasecmp(word.at, names[*choice], n) == 0)
			return 0;
	return bad(r, expected, word);
}

static int read_banner(struct reader *r)
{
	static const char *const banner[] = {"%%MatrixMarket", NULL};
	static const char *const object[] = {"matrix", NULL};
	static const char *const layout[] = {"array", "coordinate", NULL};
	static const char *const field[] = {"real", "integer", NULL};
	static const char *const symmetry[] = {"general", "symmetric",
					       "skew-symmetric", NULL};
	struct text line = r->rest;
	int only, err;

	next_line(r, &line);
	err = choose(r, &line, &only, banner, "the banner %%MatrixMarket");
	if (!err)
		err = choose(r, &line, &only, object, "the object matrix");
	if (!err)
		err = choose(r, &line, &r->layout, layout,
			     "the layout array or coordinate");
	if (!err)
		err = choose(r, &line, &r->field, field,
			     "the field real or integer");
	if (!err)
		err = choose(r, &line, &r->symmetry, symmetry,
			     "the symmetry general, symmetric or "
			     "skew-symmetric");
	return err ? err : end_of_line(r, &line);
}

static int check_size(const struct reader *r)
{
	if (r->rows == 0 || r->cols == 0)
		return asl_file_fail(-EINVAL,
				     "%s:%" PRIu64 ": a matrix of %" PRIu64
				     " x %" PRIu64 " has no entries",
				     r->path, r->line, r->rows, r->cols);
	if (r->symmetry != GENERAL && r->rows != r->cols)
		return asl_file_fail(-EINVAL,
				     "%s:%" PRIu64 ": %" PRIu64 " x %" PRIu64
				     " can't be symmetric: expected a square",
				     r->path, r->line, r->rows, r->cols);
	return 0;
}

static int read_size(struct reader *r)
{
	struct text line;
	int err;

	if (!next_data_line(r, &line))
		return asl_file_fail(-EINVAL,
				     "%s: ends before the line of its size",
				     r->path);
	err = take_count(r, &line, "the number of rows", &r->rows);
	if (!err)
		err = take_count(r, &line, "the number of columns", &r->cols);
	if (!err && r->layout == COORDINATE)
		err = take_count(r, &line, "the number of entries", &r->listed);
	if (!err)
		err = end_of_line(r, &line);
	return err ? err : check_size(r);
}

static int store(const struct reader *r, uint64_t i, uint64_t j, double value)
{
	double *at = &r->to[i * r->cols + j];

	/* Not 0 + value, which would lose the sign of -0. */
	*at = *at == 0 ? value : *at + value;
	if (!isfinite(*at))
		return asl_file_fail(-EINVAL,
				     "%s:%" PRIu64 ": the sum of what is "
				     "listed for this position overflows",
				     r->path, r->line);
	if (r->symmetry != GENERAL && i != j)
		r->to[j * r->cols + i] = r->symmetry == SKEW ? -*at : *at;
	return 0;
}

static int too_few(const struct reader *r, uint64_t found)
{
	return asl_file_fail(-EINVAL,
			     "%s: ends in line %" PRIu64 " after %" PRIu64
			     " of %" PRIu64 " entries",
			     r->path, r->line, found, r->listed);
}

static int take_index(const struct reader *r, struct text *line,
		      const char *what, uint64_t *index, uint64_t most)
{
	int err = take_count(r, line, what, index);

	if (err)
		return err;
	if (*index == 0 || *index > most)
		return asl_file_fail(-EINVAL,
				     "%s:%" PRIu64 ": %s is %" PRIu64
				     ", expected 1 to %" PRIu64,
				     r->path, r->line, what, *index, most);
	--*index;
	return 0;
}

static int check_triangle(const struct reader *r, uint64_t i, uint64_t j)
{
	if (r->symmetry == GENERAL || i > j || (i == j && r->symmetry != SKEW))
		return 0;
	return asl_file_fail(-EINVAL,
			     "%s:%" PRIu64 ": (%" PRIu64 ", %" PRIu64
			     ") is not below the diagonal%s; a %ssymmetric "
			     "file lists nothing else",
			     r->path, r->line, i + 1, j + 1,
			     r->symmetry == SKEW ? "" : " or on it",
			     r->symmetry == SKEW ? "skew-" : "");
}

static int read_coordinates(struct reader *r)
{
	struct text line;

	for (uint64_t n = 0; n < r->listed; n++) {
		uint64_t i, j;
		double value;
		int err;

		if (!next_data_line(r, &line))
			return too_few(r, n);
		err = take_index(r, &line, "the row", &i, r->rows);
		if (!err)
			err = take_index(r, &line, "the column", &j, r->cols);
		if (!err)
			err = check_triangle(r, i, j);
		if (!err)
			err = take_value(r, &line, &value);
		if (!err)
			err = end_of_line(r, &line);
		if (!err)
			err = store(r, i, j, value);
		if (err)
			return err;
	}
	return 0;
}

/* The first row of column j that is listed. */
static uint64_t top(const struct reader *r, uint64_t j)
{
	return r->symmetry == GENERAL ? 0 : j + (r->symmetry == SKEW);
}

static int read_array(struct reader *r)
{
	struct text line;
	uint64_t n = 0;

	for (uint64_t j = 0; j < r->cols; j++)
		for (uint64_t i = top(r, j); i < r->rows; i++, n++) {
			double value;
			int err;

			if (!next_data_line(r, &line))
				return too_few(r, n);
			err = take_value(r, &line, &value);
			if (!err)
				err = end_of_line(r, &line);
			if (!err)
				err = store(r, i, j, value);
			if (err)
				return err;
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
	struct text line;
	int err;

	if (r->layout == ARRAY)
		r->listed = listed_in_array(r);
	err = r->layout == ARRAY ? read_array(r) : read_coordinates(r);
	if (err || !next_data_line(r, &line))
		return err;
	return asl_file_fail(-EINVAL,
			     "%s:%" PRIu64 ": more than the %" PRIu64
			     " entries that its size calls for",
			     r->path, r->line, r->listed);
}

int asl_mtx_read(struct asl_matrix_in *in, const char *path)
{
	const char *text = in->map;
	struct reader r = {.path = path, .rest = {text, text + in->map_bytes}};
	size_t bytes;
	void *dense;
	int err = read_banner(&r);

	if (!err)
		err = read_size(&r);
	if (!err)
		err = asl_matrix_allocate(&dense, &bytes, path, r.rows, r.cols);
	if (err)
		return err;
	r.to = dense;
	err = read_entries(&r);
	if (err) {
		munmap(dense, bytes);
		return err;
	}
	munmap(in->map, in->map_bytes);
	*in = (struct asl_matrix_in){.rows = r.rows,
				     .cols = r.cols,
				     .entries = dense,
				     .row_step = r.cols,
				     .col_step = 1,
				     .map = dense,
				     .map_bytes = bytes};
	return 0;
}
