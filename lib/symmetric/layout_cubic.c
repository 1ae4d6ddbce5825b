/*
 * layout_cubic.c -- nearly cubic heaps of tensor blocks, for any number of ranks
 *
 * What one does without a Steiner system: a rank has about a cube of the tensor
 * (cubic_heaps.c), so three ranges of row blocks, and needs 3 / 6^(1/3) = 1.65
 * times the words.  Into how many row blocks the vectors are cut is tried out: of
 * those with no more than a fifth above the average of work for any rank, that
 * which leaves the busiest rank least of the vectors.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/matrix/map.h"
#include "lib/symmetric/cubic_heaps.h"
#include "lib/symmetric/layout_parts.h"

#define FAIR 1.2
enum { TRIALS = 8 };

/* ---- What a rank has ---- */

static int kind(const struct asl_tensor_block *x)
{
	return (x->i == x->j) + (x->j == x->k);
}

static int by_kind(const void *a, const void *b)
{
	const struct asl_tensor_block *x = a, *y = b;

	if (kind(x) != kind(y))
		return kind(x) - kind(y);
	if (x->i != y->i)
		return x->i - y->i;
	return x->j != y->j ? x->j - y->j : x->k - y->k;
}

static void sort(struct asl_layout *l)
{
	for (int p = 0; p < l->ranks; p++)
		qsort(l->block + l->first[p], l->first[p + 1] - l->first[p],
		      sizeof *l->block, by_kind);
}

/* Which ranks work with which row blocks: those that their blocks name. */
static int list_rows(struct asl_layout *l)
{
	size_t blocks = l->first[l->ranks];
	struct asl_lists named;
	int err = asl_lists_take(&named, l->ranks, 3 * blocks);

	if (err)
		return err;
	for (int p = 0; p < l->ranks; p++)
		named.first[p + 1] = 3 * l->first[p + 1];
	for (size_t x = 0; x < blocks; x++) {
		named.item[3 * x] = l->block[x].i;
		named.item[3 * x + 1] = l->block[x].j;
		named.item[3 * x + 2] = l->block[x].k;
	}
	err = asl_lists_transpose(&l->sharers, &named, l->m);
	asl_lists_give(&named);
	if (err)
		return err;
	asl_lists_unique(&l->sharers);
	err = asl_lists_transpose(&l->rows, &l->sharers, l->ranks);
	return err ? err : asl_layout_end(l);
}

/* ---- How good it is ---- */

/* Of the busiest rank; the work over the average. */
struct merit {
	double work, rows;
};

static double work_of(const struct asl_layout *l, int rank)
{
	double words = 0;

	for (size_t x = l->first[rank]; x < l->first[rank + 1]; x++) {
		struct asl_block_shape b = asl_layout_shape(l, &l->block[x]);

		words += (double)asl_block_words(&b);
	}
	return words;
}

static struct merit merit_of(const struct asl_layout *l)
{
	struct merit most = {0, 0};
	double all = 0;

	for (int p = 0; p < l->ranks; p++) {
		double work = work_of(l, p);
		double rows = (double)asl_list_length(&l->rows, p) / l->m;

		all += work;
		if (work > most.work)
			most.work = work;
		if (rows > most.rows)
			most.rows = rows;
	}
	most.work *= l->ranks / all;
	return most;
}

static bool is_better(const struct merit *x, const struct merit *than)
{
	if (x->work > FAIR || than->work > FAIR)
		return x->work < than->work;
	return x->rows < than->rows;
}

/* ---- How many row blocks ---- */

static int make(struct asl_layout *l, uint64_t n, int m, int ranks)
{
	size_t blocks = (size_t)m * (size_t)(m + 1) * (size_t)(m + 2) / 6;
	int err = asl_layout_begin(l, n, m, ranks, blocks);

	if (!err)
		err = asl_cubic_heaps(l);
	if (err)
		return err;
	sort(l);
	snprintf(l->name, sizeof l->name, "cubic-%d", m);
	return list_rows(l);
}

/* The better one of *l, if it has ranks yet, and one of m row blocks. */
static int try(struct asl_layout *l, uint64_t n, int m, int ranks)
{
	struct asl_layout x;
	struct merit now, best;
	int err = make(&x, n, m, ranks);

	if (!err) {
		now = merit_of(&x);
		best = l->ranks ? merit_of(l) : (struct merit){INFINITY, 1};
		if (is_better(&now, &best)) {
			asl_layout_free(l);
			*l = x;
			return 0;
		}
	}
	asl_layout_free(&x);
	return err;
}

/* The least m that makes two blocks for every rank; one for one. */
static int least_rows(int ranks)
{
	int64_t m = 1;

	while (ranks > 1 && m * (m + 1) * (m + 2) / 6 < (int64_t)2 * ranks)
		m++;
	return (int)m;
}

int asl_layout_cubic(struct asl_layout *l, uint64_t n, int ranks)
{
	int least = least_rows(ranks), m = 0, err = 0;

	*l = (struct asl_layout){0};
	if (n < 1)
		return asl_file_fail(-EINVAL,
				     "cubic: expected n to be 1 or more, "
				     "found 0");
	for (int i = 0; !err && i <= TRIALS; i++) {
		int next = (int)asl_least(n, least + i * least / TRIALS);

		if (next != m)
			err = try(l, n, next, ranks);
		m = next;
	}
	if (!err)
		return 0;
	asl_layout_free(l);
	return asl_file_fail(err, "cubic: no memory for the layout of %d ranks",
			     ranks);
}
