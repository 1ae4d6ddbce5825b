/*
 * compare_cases.c -- a result directory, and the cases in it
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/say.h"

/* ---- Reading ---- */

static int check_columns(const struct asl_rows *rows)
{
	static const char *const needed[] = {"algorithm", "wall_s", "verified",
					     "predicted_equal", NULL};

	for (int i = 0; needed[i]; i++)
		if (asl_rows_column(rows, needed[i]) < 0)
			return asl_complain(ASL_BAD_INPUT,
					    "%s: line %d: there is no column "
					    "'%s'",
					    rows->path, rows->line[0],
					    needed[i]);
	if (!rows->count)
		return asl_complain(ASL_BAD_INPUT,
				    "%s: there are no repetitions in it",
				    rows->path);
	return 0;
}

int asl_side_read(struct asl_side *side, const char *dir)
{
	int code;

	side->dir = dir;
	code = asl_rows_read(&side->rows, dir, "runs.csv");
	return code ? code : check_columns(&side->rows);
}

void asl_side_close(struct asl_side *side)
{
	free(side->cases);
	free(side->wall_s);
	asl_rows_close(&side->rows);
}

/* ---- Grouping ---- */

static int order_rows(const void *a, const void *b, void *arg)
{
	const struct asl_side *side = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int order = asl_identity_order(side, x, side, y, ASL_PLACED);

	return order ? order : (x > y) - (x < y);
}

static int order_cases(const void *a, const void *b)
{
	size_t x = ((const struct asl_measured *)a)->row;
	size_t y = ((const struct asl_measured *)b)->row;

	return (x > y) - (x < y);
}

static bool is_cell(const struct asl_side *side, size_t row, const char *name,
		    const char *value)
{
	int column = asl_rows_column(&side->rows, name);

	return !strcmp(asl_rows_text(&side->rows, row, column), value);
}

/* The worst is said; one such row spoils a case. */
static const char *trouble_of(const struct asl_side *side, size_t row)
{
	if (is_cell(side, row, "verified", "0"))
		return "failed verification";
	if (is_cell(side, row, "predicted_equal", "0"))
		return "was not counted as predicted";
	if (is_cell(side, row, "emulation_valid", "0"))
		return "was not emulated well enough";
	if (is_cell(side, row, "wall_s", ""))
		return "was only counted";
	if (!is_cell(side, row, "lives", "") &&
	    !is_cell(side, row, "lives", "1"))
		return "was interrupted";
	if (!is_cell(side, row, "verified", "1"))
		return "was not verified";
	return NULL;
}

static void take_rows(struct asl_side *side, struct asl_measured *x,
		      const size_t *row, int count)
{
	int column = asl_rows_column(&side->rows, "wall_s");

	*x = (struct asl_measured){.row = row[0], .wall_s = x->wall_s};
	for (int i = 0; i < count; i++) {
		const char *trouble = trouble_of(side, row[i]);

		x->wall_s[i] = asl_rows_number(&side->rows, row[i], column);
		if (!trouble && !(x->wall_s[i] > 0 && isfinite(x->wall_s[i])))
			trouble = "took no time";
		x->trouble = x->trouble ? x->trouble : trouble;
	}
	if (!x->trouble)
		x->time = asl_estimate(x->wall_s, count);
}

static void mark_varying(struct asl_side *side)
{
	struct asl_identity *id = &side->identity;

	for (int c = 0; c < id->end[ASL_PLACED]; c++)
		for (int i = 1; !id->varies[c] && i < side->count; i++)
			id->varies[c] = strcmp(
				asl_rows_text(&side->rows, side->cases[i].row,
					      id->column[c]),
				asl_rows_text(&side->rows, side->cases[0].row,
					      id->column[c]));
}

static void group(struct asl_side *side, size_t *row)
{
	size_t count = side->rows.count;

	for (size_t i = 0; i < count; i++)
		row[i] = i;
	qsort_r(row, count, sizeof *row, order_rows, side);
	for (size_t i = 0, end; i < count; i = end) {
		struct asl_measured *x = &side->cases[side->count++];

		for (end = i + 1; end < count; end++)
			if (asl_identity_order(side, row[i], side, row[end],
					       ASL_PLACED))
				break;
		x->wall_s = side->wall_s + i;
		take_rows(side, x, row + i, (int)(end - i));
	}
	qsort(side->cases, (size_t)side->count, sizeof *side->cases,
	      order_cases);
	mark_varying(side);
}

int asl_side_group(struct asl_side *side)
{
	size_t count = side->rows.count;
	size_t *row = calloc(count, sizeof *row);

	side->wall_s = calloc(count, sizeof *side->wall_s);
	side->cases = calloc(count, sizeof *side->cases);
	if (!row || !side->wall_s || !side->cases) {
		free(row);
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	}
	group(side, row);
	free(row);
	return side->rows.code;
}

const char *asl_side_cell(const struct asl_side *side, int i, const char *name)
{
	return asl_rows_text(&side->rows, side->cases[i].row,
			     asl_rows_column(&side->rows, name));
}
