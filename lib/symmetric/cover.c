/*
 * cover.c -- sets of points such that any few points are in at least one
 *
 * A cover has a set of s of v points for each rank, and any d points are in at
 * least one of the sets.  Covers are searched for: sets are drawn, and then one
 * point of a set is exchanged for another as long as d points are in no set.
 * Nothing but integers decides: all ranks find the same.
 *
 * Steiner systems with every d points in exactly one set are the best covers.
 * For d = 4 and 5 those of Witt are at hand, from orbits of PSL(2, q):
 *
 *	d = 4	(11, 5) on 66 ranks, (23, 7) on 253
 *	d = 5	(12, 6) on 132 ranks, (24, 8) on 759
 */
#include "lib/symmetric/layout.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Sets and subsets of points, as bits ---- */

enum {
	MOST_SUBSETS = 12000, /* to be covered; more for many ranks */
	MOST_BLOCKS = 40000, /* of a tensor, to be dealt; more for many ranks */
	PATIENCE = 400000,   /* subsets looked at before a search ends */
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

	uint32_t ways[ASL_COVER_POINTS][ASL_MOST_ORDER + 1]; /* k of n points */
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

static bool is_one(uint64_t set)
{
	return set && set == lowest(set);
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
	return UINT64_MAX >> (ASL_COVER_POINTS - c->points);
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
	if (points == 1) {
		for (; set; set ^= lowest(set))
			to[count++] = lowest(set);
		return count;
	}
	for (int left = size_of(set); left >= points; left--) {
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

		if (!is_one(in))
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

static const struct system *find_system(const struct asl_cover *x)
{
	for (int i = 0; i < SYSTEMS; i++)
		if (systems[i].points == x->points &&
		    systems[i].size == x->size && systems[i].order == x->order)
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
	free(c->times);
	free(c->bare);
	free(c->place);
	free(c->part);
}

static void open_tables(struct cover *c)
{
	for (int n = 0; n < ASL_COVER_POINTS; n++)
		for (int k = 0; k <= ASL_MOST_ORDER; k++)
			c->ways[n][k] = (uint32_t)asl_choose((uint64_t)n, k);
	for (int i = 0; i < c->subsets; i++)
		c->bare[i] = c->place[i] = i;
	c->bares = c->subsets;
}

/* 0 or -ENOMEM; closed by the caller in either case. */
static int open_cover(struct cover *c, const struct asl_cover *x)
{
	int least = x->order < x->points ? x->order : x->points;
	size_t subsets = asl_choose((uint64_t)x->points, least);

	*c = (struct cover){
		.points = x->points,
		.size = x->size,
		.order = least,
		.subsets = (int)subsets,
		.set = x->set,
		.times = calloc(subsets, sizeof *c->times),
		.bare = malloc(subsets * sizeof *c->bare),
		.place = malloc(subsets * sizeof *c->place),
		.part = malloc(subsets * sizeof *c->part),
		.random = 88172645463325252,
		.patience = PATIENCE,
	};
	if (!c->times || !c->bare || !c->place || !c->part)
		return -ENOMEM;
	open_tables(c);
	return 0;
}

int asl_cover_find(struct asl_cover *x)
{
	const struct system *known = find_system(x);
	struct cover c;
	int err = open_cover(&c, x);

	if (!err && known)
		add_system(&c, known);
	if (!err && !covers(&c, x->ranks))
		err = -ENOENT;
	close_cover(&c);
	return err;
}

/* Each point needs a cover of the others for the sets that have it. */
static bool may_cover(int points, int size, int order, int ranks)
{
	uint64_t sets = 1;

	for (int i = order - 1; i >= 0; i--)
		sets = asl_ceil_div(sets * (uint64_t)(points - i),
				    (uint64_t)(size - i));
	return sets <= (uint64_t)ranks;
}

bool asl_cover_is_worth_trying(const struct asl_cover *x)
{
	uint64_t P = (uint64_t)x->ranks, v = (uint64_t)x->points;
	int d = x->order < x->points ? x->order : x->points;
	const struct system *known = find_system(x);

	if (known)
		return known->sets <= x->ranks;
	if (asl_packed_words(v, x->order) > asl_max(MOST_BLOCKS, 16 * P))
		return false;
	if (x->size == x->points)
		return true;
	if (x->size == d)
		return asl_choose(v, d) <= P;
	/* With less overlap the search finds none. */
	return asl_choose(v, d) <= asl_max(MOST_SUBSETS, 4 * P) &&
	       may_cover(x->points, x->size, d, x->ranks) &&
	       10 * P * asl_choose((uint64_t)x->size, d) >=
		       11 * asl_choose(v, d);
}
