/*
 * cover.c -- a layout for any number of ranks and tensors of any order: `cover`
 *
 * A cover has a set of s of v points for each rank, and any d points are in at
 * least one of the sets.  A point is a row block of n/v words, d the order of
 * the tensor: so whichever row blocks a tensor block names, some rank works with
 * all of them anyway.  A rank needs s n/v words of x; README.md has the lower
 * bound.
 *
 * Covers are searched for: sets are drawn, and then one point of a set is
 * exchanged for another as long as d points are in no set.  Of the pairs (v, s)
 * the one with the fewest words is tried first; the search for each is short, so
 * that it ends with the first that it finds.  Nothing but integers decides: all
 * ranks find the same.
 *
 * Steiner systems with every d points in exactly one set are the best covers.
 * For d = 4 and 5 those of Witt are at hand, from orbits of PSL(2, q):
 *
 *	d = 4	(11, 5) on 66 ranks, (23, 7) on 253
 *	d = 5	(12, 6) on 132 ranks, (24, 8) on 759
 *
 * Then the tensor's blocks are dealt to ranks whose sets have their row blocks,
 * those with the most row blocks first, to the rank with the fewest words so far.
 */
#include "lib/symmetric/layout.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"

/* ---- Sets and subsets of points, as bits ---- */

enum {
	MOST_POINTS = 64,
	MOST_SUBSETS = 12000, /* to be covered; or more for many ranks */
	PATIENCE = 400000,    /* subsets looked at before a search ends */
};

struct cover {
	int points, size, order; /* v, s, d; or v, if it is less than d */
	int sets;
	uint64_t *set; /* [sets] */

	/* Subsets of `order` points, by number: */
	int subsets;
	int *times; /* [subsets]: the sets that have it */
	int *bare;  /* those that no set has; their number */
	int bares;
	int *place; /* [subsets]: where it is in bare */

	uint32_t ways[MOST_POINTS][ASL_MOST_ORDER + 1]; /* k of n points */
	uint64_t *part; /* scratch: the subsets of one set */
	uint64_t random;
	int64_t patience; /* left */
};

static int size_of(uint64_t set)
{
	return __builtin_popcountll(set);
}

static uint64_t lowest(uint64_t set)
{
	return set & -set;
}

static uint64_t point(int i)
{
	return (uint64_t)1 << i;
}

/* A number below n, by Marsaglia's xorshift. */
static uint64_t draw(struct cover *c, uint64_t n)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return (c->random >> 11) % n;
}

static uint64_t draw_point_of(struct cover *c, uint64_t set)
{
	for (uint64_t skip = draw(c, (uint64_t)size_of(set)); skip; skip--)
		set ^= lowest(set);
	return lowest(set);
}

static uint64_t all_points(const struct cover *c)
{
	return UINT64_MAX >> (MOST_POINTS - c->points);
}

/* Add points until there are as many as a set has. */
static uint64_t complete(struct cover *c, uint64_t set)
{
	while (size_of(set) < c->size)
		set |= draw_point_of(c, all_points(c) & ~set);
	return set;
}

/* Subsets are numbered in the order of their largest points. */
static int number_of(const struct cover *c, uint64_t subset)
{
	uint32_t number = 0;

	for (int i = 1; subset; i++, subset ^= lowest(subset))
		number += c->ways[__builtin_ctzll(subset)][i];
	return (int)number;
}

static uint64_t subset_of(const struct cover *c, int number)
{
	uint32_t left = (uint32_t)number;
	uint64_t subset = 0;
	int at = c->points;

	for (int i = c->order; i > 0; i--) {
		do
			at--;
		while (c->ways[at][i] > left);
		left -= c->ways[at][i];
		subset |= point(at);
	}
	return subset;
}

/* List the subsets of so many points; returns their number. */
static int list(uint64_t *to, uint64_t set, int points)
{
	int count = 0;

	if (!points) {
		*to = 0;
		return 1;
	}
	while (size_of(set) >= points) {
		uint64_t first = lowest(set);
		int more;

		set ^= first;
		more = list(to + count, set, points - 1);
		for (int i = 0; i < more; i++)
			to[count++] |= first;
	}
	return count;
}

/* ---- Search ---- */

static void enter(struct cover *c, uint64_t subset)
{
	int x = number_of(c, subset), last;

	if (c->times[x]++)
		return;
	last = c->bare[--c->bares];
	c->bare[c->place[x]] = last;
	c->place[last] = c->place[x];
}

static void leave(struct cover *c, uint64_t subset)
{
	int x = number_of(c, subset);

	if (--c->times[x])
		return;
	c->place[x] = c->bares;
	c->bare[c->bares++] = x;
}

static uint64_t draw_bare(struct cover *c)
{
	return subset_of(c, c->bare[draw(c, (uint64_t)c->bares)]);
}

/* How many bare subsets more there are when a set has `in` instead of `out`. */
static int change(struct cover *c, uint64_t set, uint64_t out, uint64_t in)
{
	int parts = list(c->part, set & ~out, c->order - 1), more = 0;

	c->patience -= 2 * parts;
	for (int i = 0; i < parts; i++) {
		more += c->times[number_of(c, c->part[i] | out)] == 1;
		more -= c->times[number_of(c, c->part[i] | in)] == 0;
	}
	return more;
}

static void exchange(struct cover *c, uint64_t *set, uint64_t out, uint64_t in)
{
	int parts = list(c->part, *set & ~out, c->order - 1);

	for (int i = 0; i < parts; i++) {
		leave(c, c->part[i] | out);
		enter(c, c->part[i] | in);
	}
	*set = (*set & ~out) | in;
}

static void add(struct cover *c, uint64_t set)
{
	int parts = list(c->part, set, c->order);

	for (int i = 0; i < parts; i++)
		enter(c, c->part[i]);
	c->set[c->sets++] = set;
}

enum { DRAWS = 8, ONE_IN = 1024, A_WORSE_ONE_IN = 64 };

static int bares_in(struct cover *c, uint64_t set)
{
	int parts = list(c->part, set, c->order), bares = 0;

	for (int i = 0; i < parts; i++)
		bares += !c->times[number_of(c, c->part[i])];
	return bares;
}

/* Add the best of a few sets, each with a bare subset, if there is one. */
static void add_drawn(struct cover *c)
{
	uint64_t best = complete(c, c->bares ? draw_bare(c) : 0);

	for (int i = 1; i < DRAWS && c->bares; i++) {
		uint64_t next = complete(c, draw_bare(c));

		if (bares_in(c, next) > bares_in(c, best))
			best = next;
	}
	add(c, best);
}

/*
 * Cover a bare subset by a set that lacks one of its points, at no loss if any
 * set can, and seldom at one.
 */
static void improve(struct cover *c)
{
	uint64_t bare = draw_bare(c), out = 0, first;
	uint64_t *worse = NULL;

	first = draw(c, (uint64_t)c->sets);
	c->patience -= 1 + c->sets / 16;
	for (int i = 0; i < c->sets; i++) {
		uint64_t *set =
			&c->set[(first + (uint64_t)i) % (uint64_t)c->sets];
		uint64_t in = bare & ~*set, other;
		int loss;

		if (size_of(in) != 1)
			continue;
		other = draw_point_of(c, *set & ~bare);
		loss = change(c, *set, other, in);
		if (loss <= 0 || (loss == 1 && !draw(c, ONE_IN))) {
			exchange(c, set, other, in);
			return;
		}
		worse = set;
		out = other;
	}
	if (worse && !draw(c, A_WORSE_ONE_IN))
		exchange(c, worse, out, bare & ~*worse);
}

static bool covers(struct cover *c, int ranks)
{
	while (c->sets < ranks)
		add_drawn(c);
	while (c->bares && c->patience > 0)
		improve(c);
	return !c->bares;
}

/*
 * Systems of Witt: the images of a set under PSL(2, q), which acts on the field
 * of q elements and infinity, point q; and from these the sets with point q, but
 * without it, for d - 1.
 */

struct system {
	int points, size, order, sets;
	uint64_t base; /* of the system with one point more, if it is derived */
	bool derived;
};

#define IN_12 ((uint64_t)0xa3a)	   /* 1, 3, 4, 5, 9 and 11 */
#define IN_24 ((uint64_t)0x82402f) /* 0, 1, 2, 3, 5, 14, 17 and 23 */

static const struct system systems[] = {
	{11, 5, 4, 66, IN_12, true},
	{12, 6, 5, 132, IN_12, false},
	{23, 7, 4, 253, IN_24, true},
	{24, 8, 5, 759, IN_24, false},
};

enum { SYSTEMS = sizeof systems / sizeof *systems };

static const struct system *find_system(int points, int size, int order)
{
	for (int i = 0; i < SYSTEMS; i++)
		if (systems[i].points == points && systems[i].size == size &&
		    systems[i].order == order)
			return &systems[i];
	return NULL;
}

enum { MOST_IMAGES = 759 };

/* z + 1, or -1/z. */
static int moved(int z, int q, bool turned)
{
	int w = 1;

	if (!turned)
		return z == q ? q : (z + 1) % q;
	if (z == q || z == 0)
		return q - z;
	while ((z * w + 1) % q)
		w++;
	return w;
}

static uint64_t image(uint64_t set, int q, bool turned)
{
	uint64_t to = 0;

	for (; set; set ^= lowest(set))
		to |= point(moved(__builtin_ctzll(set), q, turned));
	return to;
}

static bool contains(const uint64_t *list, int count, uint64_t set)
{
	while (count > 0)
		if (list[--count] == set)
			return true;
	return false;
}

static int list_images(uint64_t to[MOST_IMAGES], uint64_t base, int q)
{
	int count = 1;

	to[0] = base;
	for (int i = 0; i < 2 * count; i++) {
		uint64_t next = image(to[i / 2], q, i % 2);

		if (!contains(to, count, next))
			to[count++] = next;
	}
	return count;
}

static void add_system(struct cover *c, const struct system *x)
{
	int q = x->derived ? x->points : x->points - 1;
	uint64_t set[MOST_IMAGES];
	int count = list_images(set, x->base, q);

	for (int i = 0; i < count; i++)
		if (!x->derived)
			add(c, set[i]);
		else if (set[i] & point(q))
			add(c, set[i] ^ point(q));
}

/* ---- A cover ---- */

static void close_cover(struct cover *c)
{
	free(c->set);
	free(c->times);
	free(c->bare);
	free(c->place);
	free(c->part);
}

static void open_tables(struct cover *c)
{
	for (int n = 0; n < MOST_POINTS; n++)
		for (int k = 0; k <= ASL_MOST_ORDER; k++)
			c->ways[n][k] = (uint32_t)asl_choose((uint64_t)n, k);
	for (int i = 0; i < c->subsets; i++)
		c->bare[i] = c->place[i] = i;
	c->bares = c->subsets;
}

/* 0 or -ENOMEM; closed by the caller in either case. */
static int open_cover(struct cover *c, int points, int size, int order,
		      int ranks)
{
	int least = order < points ? order : points;
	size_t subsets = asl_choose((uint64_t)points, least);

	*c = (struct cover){
		.points = points,
		.size = size,
		.order = least,
		.subsets = (int)subsets,
		.set = malloc((size_t)ranks * sizeof *c->set),
		.times = calloc(subsets, sizeof *c->times),
		.bare = malloc(subsets * sizeof *c->bare),
		.place = malloc(subsets * sizeof *c->place),
		.part = malloc(subsets * sizeof *c->part),
		.random = 88172645463325252,
		.patience = PATIENCE,
	};
	if (!c->set || !c->times || !c->bare || !c->place || !c->part)
		return -ENOMEM;
	open_tables(c);
	return 0;
}

/* ---- Tensor blocks, dealt to ranks ---- */

struct item {
	struct asl_tuple row;
	uint64_t points, words;
};

struct dealer {
	struct asl_layout *l;
	const struct cover *c;
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
			x->points |= point(row.at[i]);
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

static int list_holders(struct asl_lists *out, const struct cover *c)
{
	struct asl_lists sets;
	int err = asl_lists_alloc(&sets, c->sets,
				  (size_t)c->sets * (size_t)c->size);
	size_t at = 0;

	if (err)
		return err;
	for (int p = 0; p < c->sets; p++) {
		for (uint64_t x = c->set[p]; x; x ^= lowest(x))
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

static int lay(struct asl_layout *l, struct merit *merit, const struct cover *c,
	       const struct asl_layout *asked)
{
	struct dealer d = {.l = l, .c = c};
	int err;

	*l = (struct asl_layout){
		.n = asked->n,
		.m = c->points,
		.order = asked->order,
		.ranks = asked->ranks,
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

/* Each point needs a cover of the others for the sets that have it. */
static bool may_cover(int points, int size, int order, int ranks)
{
	uint64_t sets = 1;

	for (int i = order - 1; i >= 0; i--)
		sets = asl_ceil_div(sets * (uint64_t)(points - i),
				    (uint64_t)(size - i));
	return sets <= (uint64_t)ranks;
}

static bool is_worth_trying(int points, int size, int order, int ranks)
{
	uint64_t P = (uint64_t)ranks, v = (uint64_t)points;
	int d = order < points ? order : points;
	const struct system *known = find_system(points, size, order);

	if (known)
		return known->sets <= ranks;
	if (asl_packed_words(v, order) > asl_max(40000, 16 * P))
		return false;
	if (size == points)
		return true;
	if (size == d)
		return asl_choose(v, d) <= P;
	/* With less overlap the search finds none. */
	return asl_choose(v, d) <= asl_max(MOST_SUBSETS, 4 * P) &&
	       may_cover(points, size, d, ranks) &&
	       10 * P * asl_choose((uint64_t)size, d) >= 11 * asl_choose(v, d);
}

static int by_words(const void *a, const void *b)
{
	const struct trial *x = a, *y = b;

	if (x->words != y->words)
		return x->words < y->words ? -1 : 1;
	return x->points - y->points;
}

enum { MOST_TRIALS = MOST_POINTS * (MOST_POINTS + 1) / 2 };

static int list_trials(struct trial to[MOST_TRIALS],
		       const struct asl_layout *asked)
{
	int most = (int)asl_min(asked->n, MOST_POINTS), count = 0;

	for (int v = 1; v <= most; v++) {
		uint64_t row = asl_part(asked->n, v, 0).count;
		int s = asked->order < v ? asked->order : v;

		for (; s <= v; s++)
			if (is_worth_trying(v, s, asked->order, asked->ranks))
				to[count++] = (struct trial){
					v, s,
					asl_min((uint64_t)s * row, asked->n)};
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

/* Keep a layout from this trial, if there is one that is better. */
static int try(struct asl_layout *l, struct merit *best, const struct trial *x,
	       const struct asl_layout *asked)
{
	const struct system *known =
		find_system(x->points, x->size, asked->order);
	struct asl_layout next = {0};
	struct merit now = {INFINITY, UINT64_MAX};
	struct cover c;
	int err =
		open_cover(&c, x->points, x->size, asked->order, asked->ranks);

	if (!err && known)
		add_system(&c, known);
	if (!err && covers(&c, asked->ranks))
		err = lay(&next, &now, &c, asked);
	close_cover(&c);
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
