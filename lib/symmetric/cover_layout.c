/*
 * cover_layout.c -- a layout for any number of ranks, and tensors of any order
 *
 * A cover (cover.c) has a set of s of v points for each rank, and any d points
 * are in at least one of the sets.  A point is a row block of n/v words, d the
 * order of the tensor: so some rank works with all row blocks that a tensor
 * block names, and the block goes to it.  A rank needs s n/v words of x;
 * README.md has the lower bound.
 *
 * Blocks that name the most row blocks are dealt first, as the fewest ranks can
 * have them, each to the rank with the fewest words so far.  Of the pairs (v, s)
 * the one with the fewest words of x is tried first, until a cover gives no rank
 * much more than the average work.
 */
#include "lib/symmetric/layout.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"

static int size_of(uint64_t set)
{
	return __builtin_popcountll(set);
}

/* ---- Tensor blocks, dealt to ranks ---- */

struct item {
	struct asl_tuple row;
	uint64_t points, words;
};

struct dealer {
	struct asl_layout *l;
	const struct asl_cover *c;
	struct asl_lists holders; /* the ranks whose sets have a point */
	struct item *item;
	size_t items;
	int *owner;	/* [items] */
	uint64_t *load; /* [ranks]: words */
};

static bool next_tuple(struct asl_tuple *x, int order, int rows)
{
	for (int i = order - 1; i >= 0; i--) {
		if (x->at[i] < (i ? x->at[i - 1] : rows - 1)) {
			x->at[i]++;
			return true;
		}
		x->at[i] = 0;
	}
	return false;
}

static int by_points(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int i = 0;

	if (size_of(x->points) != size_of(y->points))
		return size_of(y->points) - size_of(x->points);
	if (x->words != y->words)
		return x->words < y->words ? 1 : -1;
	while (i < ASL_MOST_ORDER - 1 && x->row.at[i] == y->row.at[i])
		i++;
	return x->row.at[i] - y->row.at[i];
}

static void list_items(struct dealer *d)
{
	const struct asl_layout *l = d->l;
	struct asl_tuple row = {{0}};

	do {
		struct asl_order_block block =
			asl_order_block(l->n, l->m, l->order, &row);
		struct item *x = &d->item[d->items++];

		*x = (struct item){.row = row,
				   .words = asl_order_words(&block)};
		for (int i = 0; i < l->order; i++)
			x->points |= (uint64_t)1 << row.at[i];
	} while (next_tuple(&row, l->order, l->m));
	qsort(d->item, d->items, sizeof *d->item, by_points);
}

/* The rank with the fewest words of those that have all of the points. */
static int rank_for(const struct dealer *d, const struct item *x)
{
	int row = __builtin_ctzll(x->points), best = -1;
	const int *holder = asl_list(&d->holders, row);

	for (int i = 0; i < asl_list_length(&d->holders, row); i++) {
		int p = holder[i];

		if (!(x->points & ~d->c->set[p]) &&
		    (best < 0 || d->load[p] < d->load[best]))
			best = p;
	}
	return best;
}

static void deal(struct dealer *d)
{
	list_items(d);
	for (size_t i = 0; i < d->items; i++) {
		d->owner[i] = rank_for(d, &d->item[i]);
		d->load[d->owner[i]] += d->item[i].words;
		d->l->first[d->owner[i] + 1]++;
	}
}

static int list_holders(struct asl_lists *out, const struct asl_cover *c)
{
	struct asl_lists sets;
	int err = asl_lists_alloc(&sets, c->ranks,
				  (size_t)c->ranks * (size_t)c->size);
	size_t at = 0;

	if (err)
		return err;
	for (int p = 0; p < c->ranks; p++) {
		for (uint64_t x = c->set[p]; x; x &= x - 1)
			sets.item[at++] = __builtin_ctzll(x);
		sets.first[p + 1] = at;
	}
	err = asl_lists_transpose(out, &sets, c->points);
	asl_lists_free(&sets);
	return err;
}

/* ---- The layout ---- */

static void put(struct asl_layout *l, size_t at, const struct asl_tuple *row)
{
	const int *x = row->at;

	if (l->order == 3)
		l->block[at] = (struct asl_tensor_block){x[0], x[1], x[2]};
	else
		l->tuple[at] = *row;
}

/* Put each rank's blocks in their places, and name its row blocks. */
static int collect(const struct dealer *d, struct asl_lists *named)
{
	struct asl_layout *l = d->l;
	size_t order = (size_t)l->order;
	int err;

	for (int p = 0; p < l->ranks; p++)
		l->first[p + 1] += l->first[p];
	err = asl_lists_alloc(named, l->ranks, order * d->items);
	if (err)
		return err;
	for (int p = 0; p <= l->ranks; p++)
		named->first[p] = order * l->first[p];
	/* While the blocks come, first[p] moves on to the next one's place. */
	for (size_t i = 0; i < d->items; i++) {
		size_t at = l->first[d->owner[i]]++;

		put(l, at, &d->item[i].row);
		memcpy(named->item + order * at, d->item[i].row.at,
		       order * sizeof *named->item);
	}
	memmove(l->first + 1, l->first, (size_t)l->ranks * sizeof *l->first);
	l->first[0] = 0;
	return 0;
}

static int make(struct dealer *d, uint64_t *words)
{
	struct asl_layout *l = d->l;
	struct asl_lists named = {0};
	size_t items = asl_packed_words((uint64_t)l->m, l->order);
	int err;

	l->first = calloc((size_t)l->ranks + 1, sizeof *l->first);
	if (l->order == 3)
		l->block = malloc(items * sizeof *l->block);
	else
		l->tuple = malloc(items * sizeof *l->tuple);
	d->item = malloc(items * sizeof *d->item);
	d->owner = malloc(items * sizeof *d->owner);
	d->load = calloc((size_t)l->ranks, sizeof *d->load);
	if (!l->first || (!l->block && !l->tuple) || !d->item || !d->owner ||
	    !d->load)
		return -ENOMEM;
	err = list_holders(&d->holders, d->c);
	if (err)
		return err;
	deal(d);
	err = collect(d, &named);
	if (!err)
		err = asl_layout_list_rows(l, &named);
	if (!err)
		err = asl_shares_by_chunks(l, words);
	asl_lists_free(&named);
	return err;
}

/* The busiest rank's words over the average. */
static double work_of(const struct dealer *d)
{
	uint64_t most = 0;

	for (int p = 0; p < d->l->ranks; p++)
		most = asl_max(most, d->load[p]);
	return (double)most * d->l->ranks /
	       (double)asl_packed_words(d->l->n, d->l->order);
}

/* The busiest rank: its work over the average, and words of x each way. */
struct merit {
	double work;
	uint64_t words;
};

static int lay(struct asl_layout *l, struct merit *merit,
	       const struct asl_cover *c, const struct asl_layout *asked)
{
	struct dealer d = {.l = l, .c = c};
	int err;

	*l = (struct asl_layout){
		.n = asked->n,
		.m = c->points,
		.order = asked->order,
		.ranks = asked->ranks,
		.cuts = 1,
	};
	snprintf(l->name, sizeof l->name, "cover-%d-%d", c->points, c->size);
	err = make(&d, &merit->words);
	if (!err)
		merit->work = work_of(&d);
	asl_lists_free(&d.holders);
	free(d.item);
	free(d.owner);
	free(d.load);
	return err;
}

/* ---- Which covers to try ---- */

#define FAIR 1.2

struct trial {
	int points, size;
	uint64_t words; /* of x that a rank needs at most */
};

static int by_words(const void *a, const void *b)
{
	const struct trial *x = a, *y = b;

	if (x->words != y->words)
		return x->words < y->words ? -1 : 1;
	return x->points - y->points;
}

enum { MOST_TRIALS = ASL_COVER_POINTS * (ASL_COVER_POINTS + 1) / 2 };

static int list_trials(struct trial to[MOST_TRIALS],
		       const struct asl_layout *asked)
{
	int most = (int)asl_min(asked->n, ASL_COVER_POINTS), count = 0;

	for (int v = 1; v <= most; v++) {
		uint64_t row = asl_part(asked->n, v, 0).count;
		int s = asked->order < v ? asked->order : v;

		for (; s <= v; s++) {
			struct asl_cover x = {v, s, asked->order, asked->ranks,
					      NULL};

			if (asl_cover_is_worth_trying(&x))
				to[count++] = (struct trial){
					v, s,
					asl_min((uint64_t)s * row, asked->n)};
		}
	}
	qsort(to, (size_t)count, sizeof *to, by_words);
	return count;
}

static bool is_better(const struct merit *x, const struct merit *than)
{
	if (x->work > FAIR || than->work > FAIR)
		return x->work < than->work;
	return x->words < than->words;
}

/* Lay out a cover for this trial, if one is found. */
static int find(struct asl_layout *l, struct merit *merit,
		const struct trial *x, const struct asl_layout *asked)
{
	struct asl_cover c = {
		.points = x->points,
		.size = x->size,
		.order = asked->order,
		.ranks = asked->ranks,
		.set = malloc((size_t)asked->ranks * sizeof *c.set),
	};
	int err = c.set ? asl_cover_find(&c) : -ENOMEM;

	if (!err)
		err = lay(l, merit, &c, asked);
	free(c.set);
	return err == -ENOENT ? 0 : err;
}

/* Keep a layout from this trial, if there is one that is better. */
static int try(struct asl_layout *l, struct merit *best, const struct trial *x,
	       const struct asl_layout *asked)
{
	struct asl_layout next = {0};
	struct merit now = {INFINITY, UINT64_MAX};
	int err = find(&next, &now, x, asked);

	if (is_better(&now, best)) {
		struct asl_layout old = *l;

		*best = now;
		*l = next;
		next = old;
	}
	asl_layout_free(&next);
	return err;
}

/* Could any layout from this trial be better? */
static bool may_better(const struct trial *x, const struct merit *best,
		       const struct asl_layout *asked)
{
	uint64_t own = asl_ceil_div(asked->n, (uint64_t)asked->ranks);

	return best->work > FAIR ||
	       x->words < best->words + asl_min(own, x->words);
}

/* Trials after the first that gave a layout: fewer, if they take long. */
static int more_trials(int ranks)
{
	return ranks < 64 ? 12 : 2 + 640 / ranks;
}

int asl_layout_cover(struct asl_layout *l, uint64_t n, int order, int ranks)
{
	struct asl_layout asked = {.n = n, .order = order, .ranks = ranks};
	struct trial *trial = malloc(MOST_TRIALS * sizeof *trial);
	struct merit best = {INFINITY, UINT64_MAX};
	int err = trial ? 0 : -ENOMEM, more = more_trials(ranks);
	int trials = err ? 0 : list_trials(trial, &asked);

	*l = (struct asl_layout){0};
	for (int i = 0; !err && i < trials && more > 0; i++) {
		if (!may_better(&trial[i], &best, &asked))
			break;
		err = try(l, &best, &trial[i], &asked);
		more -= best.work <= FAIR;
	}
	free(trial);
	if (!err)
		return 0;
	asl_layout_free(l);
	return asl_fail(err, "cover: no memory for the layout of %d ranks",
			ranks);
}
