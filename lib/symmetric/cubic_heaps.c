/*
 * cubic_heaps.c -- the tensor's blocks in nearly cubic heaps, one for each rank
 *
 * The blocks of the tetrahedron are cut in two heaps for half of the ranks each,
 * in proportion of their words, and again, until every rank has its own.  A cut
 * goes through the blocks in the order of one index, then of another one: of the
 * six orders it takes that after which the ranks have to do with least row
 * blocks.
 */
#include "lib/symmetric/cubic_heaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int asl_cubic_heaps(struct asl_layout *l)
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
