/*
 * layout_steiner.c -- a rank for each block of a Steiner system
 *
 * Every three different row blocks are in one rank's list, so the blocks off the
 * diagonal are dealt out.  A pair i > j is in several ranks' lists: any of them
 * may have (i, i, j) and (i, j, j).  All pairs are in equally many and all ranks
 * have equally many pairs, so that by Hall's theorem the even deal exists.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/matrix/map.h"
#include "lib/symmetric/layout_parts.h"
#include "lib/symmetric/matching.h"

/* Non-central block 2 t is (i, i, j), 2 t + 1 is (i, j, j), t = pair(i, j). */
static int pair(int i, int j)
{
	return i * (i - 1) / 2 + j;
}

/* Every rank's non-central blocks, as numbers, that it has the row blocks for. */
static int suitable(struct asl_lists *out, const struct asl_layout *l, int s)
{
	size_t each = (size_t)s * (size_t)(s - 1);
	int err = asl_lists_take(out, l->ranks, each * (size_t)l->ranks);
	int *to = out->item;

	for (int p = 0; !err && p < l->ranks; p++) {
		const int *row = asl_list(&l->rows, p);

		for (int i = 1; i < s; i++)
			for (int j = 0; j < i; j++) {
				*to++ = 2 * pair(row[i], row[j]);
				*to++ = 2 * pair(row[i], row[j]) + 1;
			}
		out->first[p + 1] = out->first[p] + each;
	}
	return err;
}

/* Of every rank, the items that are dealt to it. */
static int deal(struct asl_lists *out, const struct asl_lists *choices,
		int ranks)
{
	struct asl_lists one;
	int err = asl_lists_take(&one, choices->count, (size_t)choices->count);

	if (err)
		return err;
	for (int i = 0; i <= choices->count; i++)
		one.first[i] = (size_t)i;
	err = asl_match_evenly(one.item, choices, ranks);
	if (!err)
		err = asl_lists_transpose(out, &one, ranks);
	asl_lists_give(&one);
	return err;
}

static int deal_non_central(struct asl_lists *out, const struct asl_layout *l,
			    int s)
{
	struct asl_lists suits, choices;
	int err = suitable(&suits, l, s);

	if (err)
		return err;
	err = asl_lists_transpose(&choices, &suits, l->m * (l->m - 1));
	asl_lists_give(&suits);
	if (err)
		return err;
	err = deal(out, &choices, l->ranks);
	asl_lists_give(&choices);
	return err;
}

/* ---- The blocks in their order ---- */

static void put_off_diagonal(struct asl_layout *l, int rank)
{
	const int *row = asl_list(&l->rows, rank);
	int s = asl_list_length(&l->rows, rank);

	for (int i = 2; i < s; i++)
		for (int j = 1; j < i; j++)
			for (int k = 0; k < j; k++)
				asl_layout_put(l, rank, row[i], row[j], row[k]);
}

/* Those of list `rank`, which are in the order of their numbers. */
static void put_non_central(struct asl_layout *l, int rank,
			    const struct asl_lists *dealt)
{
	const int *list = asl_list(dealt, rank);
	int i = 1;

	for (int x = 0; x < asl_list_length(dealt, rank); x++) {
		int t = list[x] / 2, j;

		while (pair(i + 1, 0) <= t)
			i++;
		j = t - pair(i, 0);
		asl_layout_put(l, rank, i, list[x] % 2 ? j : i, j);
	}
}

static void put_central(struct asl_layout *l, int rank,
			const struct asl_lists *dealt)
{
	const int *list = asl_list(dealt, rank);

	for (int x = 0; x < asl_list_length(dealt, rank); x++)
		asl_layout_put(l, rank, list[x], list[x], list[x]);
}

static int put_blocks(struct asl_layout *l, int s)
{
	struct asl_lists non_central = {0}, central = {0};
	int err = deal_non_central(&non_central, l, s);

	if (!err)
		err = deal(&central, &l->sharers, l->ranks);
	for (int p = 0; !err && p < l->ranks; p++) {
		l->first[p + 1] = l->first[p];
		put_off_diagonal(l, p);
		put_non_central(l, p, &non_central);
		put_central(l, p, &central);
	}
	asl_lists_give(&central);
	asl_lists_give(&non_central);
	return err;
}

static int make(struct asl_layout *l, uint64_t n, const struct asl_steiner *x)
{
	size_t m = (size_t)x->m;
	int err = asl_layout_begin(l, n, x->m, x->blocks,
				   m * (m + 1) * (m + 2) / 6);

	if (!err)
		err = asl_steiner_lists(&l->rows, x);
	if (!err)
		err = asl_lists_transpose(&l->sharers, &l->rows, x->m);
	if (!err)
		err = asl_layout_end(l);
	if (!err)
		err = put_blocks(l, x->s);
	strcpy(l->name, x->name);
	return err;
}

int asl_layout_steiner(struct asl_layout *l, uint64_t n,
		       const struct asl_steiner *x)
{
	int err;

	*l = (struct asl_layout){0};
	if (n < (uint64_t)x->m)
		return asl_file_fail(-EINVAL,
				     "%s: expected n to be %d or more, for as "
				     "many row blocks, found %" PRIu64,
				     x->name, x->m, n);
	err = make(l, n, x);
	if (!err)
		return 0;
	asl_layout_free(l);
	return asl_file_fail(err, "%s: no memory for the layout of %d ranks",
			     x->name, x->blocks);
}
