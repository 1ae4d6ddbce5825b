/*
 * layout.c -- layouts: one from a Steiner system, and cubic heaps
 */
#include "lib/symmetric/layout.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"

/* A layout without blocks, but with memory for all of them.  0 or -ENOMEM. */
static int begin(struct asl_layout *l, uint64_t n, int m, int ranks)
{
	size_t blocks = (size_t)m * (size_t)(m + 1) * (size_t)(m + 2) / 6;

	*l = (struct asl_layout){
		.n = n,
		.m = m,
		.order = 3,
		.ranks = ranks,
		.cuts = 1,
		.block = malloc(blocks * sizeof *l->block),
		.first = calloc((size_t)ranks + 1, sizeof *l->first),
	};
	return l->block && l->first ? 0 : -ENOMEM;
}

int asl_layout_list_rows(struct asl_layout *l, const struct asl_lists *named)
{
	int err = asl_lists_transpose(&l->sharers, named, l->m);

	if (err)
		return err;
	asl_lists_unique(&l->sharers);
	return asl_lists_transpose(&l->rows, &l->sharers, l->ranks);
}

void asl_layout_free(struct asl_layout *l)
{
	asl_lists_free(&l->rows);
	asl_lists_free(&l->sharers);
	free(l->share);
	free(l->extras);
	free(l->block);
	free(l->tuple);
	free(l->first);
	*l = (struct asl_layout){0};
}

struct asl_order_block asl_layout_order_block(const struct asl_layout *l,
					      size_t i)
{
	const struct asl_tensor_block *x = l->block + i;
	struct asl_tuple row;

	if (l->tuple)
		return asl_order_block(l->n, l->m, l->order, &l->tuple[i]);
	row = (struct asl_tuple){{x->i, x->j, x->k}};
	return asl_order_block(l->n, l->m, l->order, &row);
}

/* ---- Pieces ---- */

struct asl_pieces asl_pieces(const struct asl_layout *l, size_t i)
{
	struct asl_pieces x = {.l = l, .parts = asl_layout_order_block(l, i)};

	for (int j = 0; j < l->order; j++) {
		int row = x.parts.row.at[j];

		x.parts.in[j] =
			(struct asl_range){(uint64_t)row * (uint64_t)l->cuts,
					   (uint64_t)asl_layout_parts(l, row)};
	}
	x.at = asl_order_first(&x.parts);
	return x;
}

struct asl_order_block asl_piece_now(const struct asl_pieces *x)
{
	const struct asl_layout *l = x->l;
	struct asl_order_block piece = {.order = l->order};

	for (int i = 0; i < l->order; i++) {
		int row = x->parts.row.at[i];
		uint64_t part = x->at.at[i] + (i + 1 == l->order ? x->last : 0);

		piece.row.at[i] = (int)part;
		piece.in[i] = asl_part_of(asl_layout_row(l, row),
					  asl_layout_parts(l, row),
					  (int)(part - x->parts.in[i].first));
	}
	return piece;
}

bool asl_piece_next(struct asl_pieces *x)
{
	if (++x->last < x->at.length)
		return true;
	x->last = 0;
	return asl_order_next(&x->parts, &x->at);
}

/* ---- Words ---- */

uint64_t asl_layout_block_words(const struct asl_layout *l, size_t i)
{
	struct asl_block_shape shape;
	struct asl_order_block block;

	if (l->tuple) {
		block = asl_layout_order_block(l, i);
		return asl_order_words(&block);
	}
	shape = asl_layout_shape(l, &l->block[i]);
	return asl_block_words(&shape);
}

uint64_t asl_layout_block_products(const struct asl_layout *l, size_t i)
{
	struct asl_block_shape shape;
	struct asl_order_block block;

	if (l->tuple) {
		block = asl_layout_order_block(l, i);
		return asl_order_products(&block);
	}
	shape = asl_layout_shape(l, &l->block[i]);
	return asl_block_ternary(&shape);
}

uint64_t asl_layout_words(const struct asl_layout *l, int rank)
{
	uint64_t words = 0;

	for (size_t i = l->first[rank]; i < l->first[rank + 1]; i++)
		words += asl_layout_block_words(l, i);
	return words;
}

uint64_t asl_layout_rows_words(const struct asl_layout *l, int rank)
{
	uint64_t words = 0;

	for (int i = 0; i < asl_list_length(&l->rows, rank); i++)
		words += asl_layout_row(l, asl_list(&l->rows, rank)[i]).count;
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
 * A rank for each block of a Steiner system
 *
 * Every three different row blocks are in one rank's list, which decides the
 * blocks off the diagonal.  A pair i > j is in several ranks' lists: any of
 * them may have (i, i, j) and (i, j, j).  All pairs are in equally many lists
 * and all ranks have equally many pairs, so by Hall's theorem an even deal
 * exists.
 */

/* Non-central block 2 t is (i, i, j), 2 t + 1 is (i, j, j), t = pair(i, j). */
static int pair(int i, int j)
{
	return i * (i - 1) / 2 + j;
}

/* For every rank, the numbers of non-central blocks with row blocks of its own. */
static int list_suitable(struct asl_lists *out, const struct asl_layout *l)
{
	int s = l->s;
	size_t each = (size_t)s * (size_t)(s - 1);
	int err = asl_lists_alloc(out, l->ranks, each * (size_t)l->ranks);
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

/* Deal evenly: for every rank, the items that it gets. */
static int deal(struct asl_lists *out, const struct asl_lists *choices,
		int ranks)
{
	struct asl_lists one;
	int err = asl_lists_alloc(&one, choices->count, (size_t)choices->count);

	if (err)
		return err;
	for (int i = 0; i <= choices->count; i++)
		one.first[i] = (size_t)i;
	err = asl_match_evenly(one.item, choices, ranks);
	if (!err)
		err = asl_lists_transpose(out, &one, ranks);
	asl_lists_free(&one);
	return err;
}

static int deal_non_central(struct asl_lists *out, const struct asl_layout *l)
{
	struct asl_lists suitable, choices = {0};
	int err = list_suitable(&suitable, l);

	if (!err)
		err = asl_lists_transpose(&choices, &suitable,
					  l->m * (l->m - 1));
	if (!err)
		err = deal(out, &choices, l->ranks);
	asl_lists_free(&choices);
	asl_lists_free(&suitable);
	return err;
}

/*
 * Central blocks are the smallest: where the non-central ones leave some ranks
 * with one less, those have room.  Where a row block has no such rank, any of its
 * ranks may have its central block.
 */
static int deal_central(struct asl_lists *out, const struct asl_layout *l,
			const struct asl_lists *non_central)
{
	int most = (l->m * (l->m - 1) + l->ranks - 1) / l->ranks, err;
	struct asl_lists choices;

	err = asl_lists_alloc(&choices, l->m, l->sharers.first[l->m]);
	if (err)
		return err;
	for (int i = 0; i < l->m; i++) {
		const int *sharer = asl_list(&l->sharers, i);
		size_t count = (size_t)asl_list_length(&l->sharers, i), to;

		to = choices.first[i];
		for (size_t j = 0; j < count; j++)
			if (asl_list_length(non_central, sharer[j]) < most)
				choices.item[to++] = sharer[j];
		if (to == choices.first[i]) {
			memcpy(choices.item + to, sharer, count * sizeof(int));
			to += count;
		}
		choices.first[i + 1] = to;
	}
	err = deal(out, &choices, l->ranks);
	asl_lists_free(&choices);
	return err;
}

/* ---- The blocks in their order ---- */

static void put(struct asl_layout *l, int rank, int i, int j, int k)
{
	l->block[l->first[rank + 1]++] = (struct asl_tensor_block){i, j, k};
}

static void put_off_diagonal(struct asl_layout *l, int rank)
{
	const int *row = asl_list(&l->rows, rank);
	int s = asl_list_length(&l->rows, rank);

	for (int i = 2; i < s; i++)
		for (int j = 1; j < i; j++)
			for (int k = 0; k < j; k++)
				put(l, rank, row[i], row[j], row[k]);
}

/* The rank's list is in the order of their numbers. */
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
		put(l, rank, i, list[x] % 2 ? j : i, j);
	}
}

static void put_central(struct asl_layout *l, int rank,
			const struct asl_lists *dealt)
{
	const int *list = asl_list(dealt, rank);

	for (int x = 0; x < asl_list_length(dealt, rank); x++)
		put(l, rank, list[x], list[x], list[x]);
}

static int put_blocks(struct asl_layout *l)
{
	struct asl_lists non_central = {0}, central = {0};
	int err = deal_non_central(&non_central, l);

	if (!err)
		err = deal_central(&central, l, &non_central);
	for (int p = 0; !err && p < l->ranks; p++) {
		l->first[p + 1] = l->first[p];
		put_off_diagonal(l, p);
		put_non_central(l, p, &non_central);
		put_central(l, p, &central);
	}
	asl_lists_free(&central);
	asl_lists_free(&non_central);
	return err;
}

static int make_steiner(struct asl_layout *l, uint64_t n,
			const struct asl_steiner *x, enum asl_shares how)
{
	int err = begin(l, n, x->m, x->blocks);

	l->s = x->s;
	if (!err)
		err = asl_steiner_lists(&l->rows, x);
	if (!err)
		err = asl_lists_transpose(&l->sharers, &l->rows, x->m);
	if (!err)
		err = asl_shares_make(l, how);
	if (!err)
		err = put_blocks(l);
	strcpy(l->name, x->name);
	return err;
}

int asl_layout_steiner(struct asl_layout *l, uint64_t n,
		       const struct asl_steiner *x, enum asl_shares how)
{
	int err;

	*l = (struct asl_layout){0};
	if (n < (uint64_t)x->m)
		return asl_fail(-EINVAL,
				"%s: expected n to be %d or more, for as many "
				"row blocks, found %ju",
				x->name, x->m, n);
	err = make_steiner(l, n, x, how);
	if (!err)
		return 0;
	asl_layout_free(l);
	return asl_fail(err, "%s: no memory for the layout of %d ranks",
			x->name, x->blocks);
}

/*
 * Nearly cubic heaps of tensor blocks, for any number of ranks
 *
 * The blocks of the tetrahedron are cut into two heaps for half of the ranks
 * each, in proportion to their words, and again, until every rank has its own.
 * A cut follows the order of one index, then of another one; of the six orders
 * it takes that which leaves the ranks fewest row blocks.
 *
 * The number of row blocks is found by trial: of those that give no rank more
 * than a fifth above the average work, the one with the least of the vectors
 * for the busiest rank.
 */

struct item {
	int at[3]; /* i, j, k */
	double words;
};

struct cutter {
	int m;
	struct item *item, *spare;
	int *count; /* [m + 1], to sort */
	int *seen;  /* [m]: the last heap that had the row block */
	int heaps;
	size_t *first; /* [ranks + 1]: where each rank's items begin */
};

struct heap {
	size_t first, count; /* of its items */
	int rank, ranks;
};

/* Orders of indices. */
static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
				{1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

enum { ORDERS = sizeof orders / sizeof *orders };

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

/* The number of blocks nearest to the first ranks' share of the words. */
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

static void list_items(struct item *to, const struct asl_layout *l)
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

/* Give each rank its heap.  0 or -ENOMEM. */
static int cut_heaps(struct asl_layout *l)
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

	if (!err) {
		list_items(c.item, l);
		cut(&c, (struct heap){0, blocks, 0, l->ranks});
	}
	for (size_t x = 0; !err && x < blocks; x++) {
		const int *at = c.item[x].at;

		l->block[x] = (struct asl_tensor_block){at[0], at[1], at[2]};
	}
	free(c.item);
	free(c.spare);
	free(c.count);
	free(c.seen);
	return err;
}

static int kind_of(const struct asl_tensor_block *x)
{
	return (x->i == x->j) + (x->j == x->k);
}

static int by_kind(const void *a, const void *b)
{
	const struct asl_tensor_block *x = a, *y = b;

	if (kind_of(x) != kind_of(y))
		return kind_of(x) - kind_of(y);
	if (x->i != y->i)
		return x->i - y->i;
	return x->j != y->j ? x->j - y->j : x->k - y->k;
}

static void sort_by_kind(struct asl_layout *l)
{
	for (int p = 0; p < l->ranks; p++)
		qsort(l->block + l->first[p], l->first[p + 1] - l->first[p],
		      sizeof *l->block, by_kind);
}

/* Ranks work with the row blocks that their blocks name. */
static int list_rows(struct asl_layout *l)
{
	size_t blocks = l->first[l->ranks];
	struct asl_lists named;
	int err = asl_lists_alloc(&named, l->ranks, 3 * blocks);

	if (err)
		return err;
	for (int p = 0; p < l->ranks; p++)
		named.first[p + 1] = 3 * l->first[p + 1];
	for (size_t x = 0; x < blocks; x++) {
		named.item[3 * x] = l->block[x].i;
		named.item[3 * x + 1] = l->block[x].j;
		named.item[3 * x + 2] = l->block[x].k;
	}
	err = asl_layout_list_rows(l, &named);
	asl_lists_free(&named);
	return err ? err : asl_shares_by_parts(l);
}

/* ---- How many row blocks ---- */

#define FAIR 1.2
enum { TRIALS = 8, MANY_RANKS = 2000 };

/* The busiest rank: work over the average, and the part of the vectors. */
struct merit {
	double work, rows;
};

static struct merit merit_of(const struct asl_layout *l)
{
	struct merit most = {0, 0};
	double all = 0;

	for (int p = 0; p < l->ranks; p++) {
		double work = (double)asl_layout_words(l, p);
		double rows = (double)asl_list_length(&l->rows, p) / l->m;

		all += work;
		most.work = fmax(most.work, work);
		most.rows = fmax(most.rows, rows);
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

static int make_cubic(struct asl_layout *l, uint64_t n, int m, int ranks)
{
	int err = begin(l, n, m, ranks);

	if (!err)
		err = cut_heaps(l);
	if (err)
		return err;
	sort_by_kind(l);
	snprintf(l->name, sizeof l->name, "cubic-%d", m);
	return list_rows(l);
}

/* Keep the better of *l, if it has ranks yet, and a layout of m row blocks. */
static int try(struct asl_layout *l, uint64_t n, int m, int ranks)
{
	struct asl_layout x;
	struct merit now, best = {INFINITY, 1};
	int err = make_cubic(&x, n, m, ranks);

	if (!err) {
		now = merit_of(&x);
		if (l->ranks)
			best = merit_of(l);
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

/* For many ranks a trial takes long, and only many row blocks are fair. */
static int first_trial(int ranks)
{
	return ranks > MANY_RANKS ? TRIALS : 0;
}

int asl_layout_cubic(struct asl_layout *l, uint64_t n, int ranks)
{
	int least = least_rows(ranks), m = 0, err = 0;

	*l = (struct asl_layout){0};
	if (n < 1)
		return asl_fail(-EINVAL,
				"cubic: expected n to be 1 or more, found 0");
	for (int i = first_trial(ranks); !err && i <= TRIALS; i++) {
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
