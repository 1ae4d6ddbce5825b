/*
 * order.c -- rows and entries in order, and in groups of what agrees
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/rows.h"

const int asl_by_problem[] = {ASL_PROBLEM, ASL_END};
const int asl_by_case[] = {ASL_CASE, ASL_END};
const int asl_by_entry[] = {
	ASL_CASE,	  ASL_COL_ALGORITHM, ASL_COL_KERNEL,
	ASL_COL_GRID,	  ASL_COL_PANELS,    ASL_COL_OVERLAP,
	ASL_COL_STORE,	  ASL_COL_MEDIUM,    ASL_COL_TRANSPORT,
	ASL_COL_PROVIDER, ASL_COL_EMULATED,  ASL_COL_PROFILE,
	ASL_COL_HOST,	  ASL_COL_SEED,	     ASL_COL_ITERATIONS,
	ASL_COL_READ,	  ASL_COL_WRITTEN,   ASL_COL_BH_WORDS,
	ASL_END};

/* Nothing comes before all numbers. */
static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(b) - isnan(a);
	return (a > b) - (a < b);
}

int asl_rows_compare(const struct asl_row *a, const struct asl_row *b,
		     const int *columns)
{
	int order = 0;

	for (; !order && *columns != ASL_END; columns++)
		order = *columns < ASL_TEXTS
				? strcmp(a->text[*columns], b->text[*columns])
				: compare_numbers(a->number[*columns],
						  b->number[*columns]);
	return order;
}

static int compare_entries(const void *a, const void *b, void *columns)
{
	const struct asl_entry *x = *(struct asl_entry *const *)a;
	const struct asl_entry *y = *(struct asl_entry *const *)b;
	int order = asl_rows_compare(x->row, y->row, columns);

	return order ? order : (x > y) - (x < y);
}

void asl_entries_sort(struct asl_entry **list, int count, const int *columns)
{
	qsort_r(list, (size_t)count, sizeof *list, compare_entries,
		(void *)columns);
}

bool asl_pack_next(struct asl_pack *g, struct asl_entry **list, int count,
		   const int *columns)
{
	struct asl_entry **end = list + count;

	g->at = g->at ? g->at + g->count : list;
	for (g->count = 0; g->at + g->count < end; g->count++)
		if (asl_rows_compare(g->at[0]->row, g->at[g->count]->row,
				     columns))
			break;
	return g->count > 0;
}

static int compare_packs(const void *a, const void *b)
{
	const struct asl_pack *x = a, *y = b;

	if (x->count != y->count)
		return y->count - x->count;
	return (x->at > y->at) - (x->at < y->at);
}

void asl_packs_sort(struct asl_pack *packs, int count)
{
	qsort(packs, (size_t)count, sizeof *packs, compare_packs);
}
