/*
 * layout.c -- what can be asked of a layout, however it was made
 */
#include "lib/symmetric/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/map.h"
#include "lib/symmetric/schedule.h"

/*
 * For those who make layouts: what is the same in all of them
 */

/* Append one to those of the rank that is being filled. */
static inline void asl_layout_put(struct asl_layout *l, int rank, int i, int j,
				  int k)
{
	l->block[l->first[rank + 1]++] = (struct asl_tensor_block){i, j, k};
}

/*
 * The tensor's blocks in nearly cubic heaps, one for each rank
 */

/*
 * The tensor's blocks in nearly cubic heaps, one for each rank
 *
 * The blocks of the tetrahedron are cut in two heaps for half of the ranks each,
 * in proportion of their words, and again, until every rank has its own.  A cut
 * goes through the blocks in the order of one index, then of another one: of the
 * six orders it takes that after which the ranks have to do with least row
 * blocks.
 */

struct item {
	int at[3]; /* i, j, k */
	double words;
};

struct cutter {
	int m;
	struct item *item, *spare;
	int *count; /* [m + 1], to sort by */
	int *seen;  /* [m]: the last heap that had the row block */
	int heaps;
	size_t *first; /* [ranks + 1], of every rank's items */
};

/* In which order of indices the blocks may be gone through. */
static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
				{1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

enum { ORDERS = sizeof(orders) / sizeof(orders[0]) };

struct heap {
	size_t first, count;
	int rank, ranks;
};

/* ---- Order ---- */

static void sort_by(struct cutter *c, const struct heap *h, int axis)
{
	struct item *item = c->item + h->first;

	memset(c->count, 0, ((size_t)c->m + 1) * sizeof *c->count);
	for (size_t x = 0; x < h->count; x++)
		c->count[item[x].at[axis] + 1]++;
	for (int i = 0; i < c->m; i++)
		c->count[i + 1] += c->count[i];
	for (size_t x = 0; x < h->count; x++)
		c->spare[c->count[item[x].at[axis]]++] = item[x];
	memcpy(item, c->spare, h->count * sizeof *item);
}

static void sort(struct cutter *c, const struct heap *h, const int order[3])
{
	for (int i = 3; i-- > 0;)
		sort_by(c, h, order[i]);
}

/* ---- A cut ---- */

/* How many of the blocks come nearest to the first ranks' share of the words. */
static size_t fair(const struct cutter *c, const struct heap *h, int ranks)
{
	const struct item *item = c->item + h->first;
	double all = 0, sum = 0;
	size_t x;

	for (x = 0; x < h->count; x++)
		all += item[x].words;
	all *= (double)ranks / h->ranks;
	for (x = 0; x < h->count && sum + item[x].words / 2 < all; x++)
		sum += item[x].words;
	return x;
}

static int row_blocks(struct cutter *c, const struct heap *h)
{
	int rows = 0;

	c->heaps++;
	for (size_t x = h->first; x < h->first + h->count; x++)
		for (int i = 0; i < 3; i++) {
			int row = c->item[x].at[i];

			rows += c->seen[row] != c->heaps;
			c->seen[row] = c->heaps;
		}
	return rows;
}

static void halve(const struct cutter *c, const struct heap *h,
		  struct heap half[2])
{
	int ranks = h->ranks / 2;
	size_t count = fair(c, h, ranks);

	half[0] = (struct heap){h->first, count, h->rank, ranks};
	half[1] = (struct heap){h->first + count, h->count - count,
				h->rank + ranks, h->ranks - ranks};
}

static int64_t cost(struct cutter *c, const struct heap *h, const int order[3])
{
	struct heap half[2];

	sort(c, h, order);
	halve(c, h, half);
	return (int64_t)half[0].ranks * row_blocks(c, &half[0]) +
	       (int64_t)half[1].ranks * row_blocks(c, &half[1]);
}

static void cut(struct cutter *c, struct heap h)
{
	int64_t least = INT64_MAX;
	int best = 0;
	struct heap half[2];

	if (h.ranks == 1) {
		c->first[h.rank + 1] = h.first + h.count;
		return;
	}
	for (int i = 0; i < ORDERS; i++) {
		int64_t now = cost(c, &h, orders[i]);

		if (now < least) {
			least = now;
			best = i;
		}
	}
	sort(c, &h, orders[best]);
	halve(c, &h, half);
	cut(c, half[0]);
	cut(c, half[1]);
}

/* ---- All of them ---- */

static void list_all(struct item *to, const struct asl_layout *l)
{
	for (int i = 0; i < l->m; i++)
		for (int j = 0; j <= i; j++)
			for (int k = 0; k <= j; k++) {
				struct asl_block_shape x =
					asl_block_shape(l->n, l->m, i, j, k);

				*to++ = (struct item){
					{i, j, k}, (double)asl_block_words(&x)};
			}
}

static void deal(struct asl_layout *l, struct cutter *c, size_t blocks)
{
	list_all(c->item, l);
	cut(c, (struct heap){0, blocks, 0, l->ranks});
	for (size_t x = 0; x < blocks; x++) {
		const int *at = c->item[x].at;

		l->block[x] = (struct asl_tensor_block){at[0], at[1], at[2]};
	}
}

/*
 * Give each rank of a layout, which has n, m, ranks and room for all blocks, its
 * heap.  0 or -ENOMEM.
 */
static int asl_cubic_heaps(struct asl_layout *l)
{
	size_t m = (size_t)l->m, blocks = m * (m + 1) * (m + 2) / 6;
	struct cutter c = {
		.m = l->m,
		.item = malloc(blocks * sizeof *c.item),
		.spare = malloc(blocks * sizeof *c.spare),
		.count = malloc((m + 1) * sizeof *c.count),
		.seen = calloc(m, sizeof *c.seen),
		.first = l->first,
	};
	int err = c.item && c.spare && c.count && c.seen ? 0 : -ENOMEM;

	if (!err)
		deal(l, &c, blocks);
	free(c.item);
	free(c.spare);
	free(c.count);
	free(c.seen);
	return err;
}

/* A layout without blocks, but with room for so many.  0 or -ENOMEM. */
static int asl_layout_begin(struct asl_layout *l, uint64_t n, int m, int ranks,
			    size_t blocks)
{
	*l = (struct asl_layout){
		.n = n,
		.m = m,
		.ranks = ranks,
		.block = malloc(blocks * sizeof *l->block),
		.first = calloc((size_t)ranks + 1, sizeof *l->first),
	};
	return l->block && l->first ? 0 : -ENOMEM;
}

void asl_layout_free(struct asl_layout *l)
{
	asl_lists_give(&l->rows);
	asl_lists_give(&l->sharers);
	free(l->part);
	free(l->block);
	free(l->first);
	*l = (struct asl_layout){0};
}

struct asl_range asl_layout_share(const struct asl_layout *l, int rank, int i)
{
	int place = asl_list_find(&l->rows, rank, i);

	if (place < 0)
		return (struct asl_range){asl_layout_row(l, i).first, 0};
	return asl_layout_part(l, rank, place);
}

uint64_t asl_layout_words(const struct asl_layout *l, int rank)
{
	uint64_t words = 0;

	for (size_t i = l->first[rank]; i < l->first[rank + 1]; i++) {
		struct asl_block_shape x = asl_layout_shape(l, &l->block[i]);

		words += asl_block_words(&x);
	}
	return words;
}

int asl_layout_common(const struct asl_layout *l, int a, int b,
		      struct asl_common_row *x)
{
	const int *of_a = asl_list(&l->rows, a), *of_b = asl_list(&l->rows, b);
	int a_end = asl_list_length(&l->rows, a);
	int b_end = asl_list_length(&l->rows, b);
	int common = 0;

	for (int i = 0, j = 0; i < a_end && j < b_end;) {
		int left = of_a[i], right = of_b[j];

		if (left == right) {
			if (x)
				x[common] = (struct asl_common_row){i, j};
			common++;
		}
		i += left <= right;
		j += right <= left;
	}
	return common;
}

/*
 * When rows and sharers are known: ranks meet their parts of a row block in
 * order.  0 or -ENOMEM.
 */
static int asl_layout_end(struct asl_layout *l)
{
	size_t rows = l->rows.first[l->ranks];
	int *met = calloc((size_t)l->m, sizeof *met);

	l->part = calloc(rows + 1, sizeof *l->part);
	for (size_t i = 0; met && l->part && i < rows; i++)
		l->part[i] = met[l->rows.item[i]]++;
	free(met);
	return met && l->part ? 0 : -ENOMEM;
}

/*
 * A rank for each block of a Steiner system
 *
 * Every three different row blocks are in one rank's list, so the blocks off the
 * diagonal are dealt out.  A pair i > j is in several ranks' lists: any of them
 * may have (i, i, j) and (i, j, j).  All pairs are in equally many and all ranks
 * have equally many pairs, so that by Hall's theorem the even deal exists.
 */

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
static int steiner_deal(struct asl_lists *out, const struct asl_lists *choices,
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
	err = steiner_deal(out, &choices, l->ranks);
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
		err = steiner_deal(&central, &l->sharers, l->ranks);
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
		return asl_fail(-EINVAL,
				"%s: expected n to be %d or more, for as "
				"many row blocks, found %" PRIu64,
				x->name, x->m, n);
	err = make(l, n, x);
	if (!err)
		return 0;
	asl_layout_free(l);
	return asl_fail(err, "%s: no memory for the layout of %d ranks",
			x->name, x->blocks);
}

/*
 * Nearly cubic heaps of tensor blocks, for any number of ranks
 *
 * What one does without a Steiner system: a rank has about a cube of the tensor
 * (cubic_heaps.c), so three ranges of row blocks, and needs 3 / 6^(1/3) = 1.65
 * times the words.  Into how many row blocks the vectors are cut is tried out: of
 * those with no more than a fifth above the average of work for any rank, that
 * which leaves the busiest rank least of the vectors.
 */

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

static void cubic_sort(struct asl_layout *l)
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

static int cubic_make(struct asl_layout *l, uint64_t n, int m, int ranks)
{
	size_t blocks = (size_t)m * (size_t)(m + 1) * (size_t)(m + 2) / 6;
	int err = asl_layout_begin(l, n, m, ranks, blocks);

	if (!err)
		err = asl_cubic_heaps(l);
	if (err)
		return err;
	cubic_sort(l);
	snprintf(l->name, sizeof l->name, "cubic-%d", m);
	return list_rows(l);
}

/* The better one of *l, if it has ranks yet, and one of m row blocks. */
static int try(struct asl_layout *l, uint64_t n, int m, int ranks)
{
	struct asl_layout x;
	struct merit now, best;
	int err = cubic_make(&x, n, m, ranks);

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
		return asl_fail(-EINVAL, "cubic: expected n to be 1 or more, "
					 "found 0");
	for (int i = 0; !err && i <= TRIALS; i++) {
		int next = (int)asl_min(n, least + i * least / TRIALS);

		if (next != m)
			err = try(l, n, next, ranks);
		m = next;
	}
	if (!err)
		return 0;
	asl_layout_free(l);
	return asl_fail(err, "cubic: no memory for the layout of %d ranks",
			ranks);
}
