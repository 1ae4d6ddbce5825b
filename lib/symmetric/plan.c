/*
 * plan.c -- every way of computing with a symmetric tensor, by predicted cost
 *
 * The ranks of a layout have much the same to do, and all of them are asked.  That
 * takes long where they are many; so systems come in the order of their blocks,
 * and those that could not be among the best even if their ranks only read the
 * tensor are not built.
 */
#include "lib/symmetric/plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/map.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/family.h"
#include "lib/symmetric/wedge.h"

/*
 * A struct asl_symmetric from what was chosen
 */

/* ---- Which system ---- */

static bool is_family(const char *name)
{
	struct asl_steiner_size x = {0};

	while (asl_steiner_next(&x, ASL_STEINER_BLOCKS))
		if (!strcmp(x.family, name))
			return true;
	return false;
}

/* spherical-3: the family, and the parameter; false: it is no such name. */
static bool read_name(char family[ASL_STEINER_NAME], int *parameter,
		      const char *name)
{
	const char *dash = strrchr(name, '-');
	size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
	size_t length = dash ? (size_t)(dash - name) : 0;

	if (!digits || digits > 6 || dash[1 + digits] ||
	    length >= ASL_STEINER_NAME)
		return false;
	memcpy(family, name, length);
	family[length] = '\0';
	*parameter = atoi(dash + 1);
	return is_family(family);
}

static int read_file(struct asl_steiner *x, const char *path)
{
	if (!access(path, F_OK))
		return asl_steiner_read(x, path);
	return asl_fail(-EINVAL,
			"found '%s', expected spherical, boolean or "
			"triples (or one of them, as spherical-3), cubic, "
			"or a file",
			path);
}

static int make_best(struct asl_steiner *x, const char *family, int ranks)
{
	struct asl_steiner_size size;
	int most = ranks < ASL_SYMMETRIC_RANKS ? ranks : ASL_SYMMETRIC_RANKS;
	int err = asl_steiner_fit(&size, family, most);

	return err ? err : asl_steiner_make(x, size.family, size.parameter);
}

/* `ranks` matters to those that take what there are. */
static int make_system(struct asl_steiner *x, const char *layout, int ranks)
{
	char family[ASL_STEINER_NAME];
	int parameter;

	*x = (struct asl_steiner){0};
	if (!layout || is_family(layout))
		return make_best(x, layout, ranks);
	if (read_name(family, &parameter, layout))
		return asl_steiner_make(x, family, parameter);
	return read_file(x, layout);
}

static bool is_cubic(const char *layout)
{
	return layout && !strcmp(layout, "cubic");
}

int asl_symmetric_blocks(int *ranks, const char *layout)
{
	struct asl_steiner x;
	int err;

	*ranks = 0;
	if (!layout || is_cubic(layout) || is_family(layout))
		return 0;
	err = make_system(&x, layout, 0);
	*ranks = x.blocks;
	asl_steiner_free(&x);
	return err;
}

/* ---- The layout ---- */

static int too_many(const char *name, int ranks)
{
	return asl_fail(-EINVAL,
			"%s: %d ranks are more than the %d that can "
			"exchange with each other",
			name, ranks, ASL_SYMMETRIC_RANKS);
}

static int lay_cubic(struct asl_layout *l,
		     const struct asl_symmetric_want *want)
{
	if (want->ranks > ASL_SYMMETRIC_RANKS)
		return too_many("cubic", want->ranks);
	return asl_layout_cubic(l, want->n, want->ranks);
}

static int lay_steiner(struct asl_layout *l,
		       const struct asl_symmetric_want *want)
{
	struct asl_steiner x;
	int err = make_system(&x, want->layout, want->ranks);

	if (!err && x.blocks > want->ranks)
		err = asl_fail(-EINVAL,
			       "%s has %d blocks, one for each rank, but "
			       "there are %d ranks",
			       x.name, x.blocks, want->ranks);
	if (!err && x.blocks > ASL_SYMMETRIC_RANKS)
		err = too_many(x.name, x.blocks);
	if (!err)
		err = asl_layout_steiner(l, want->n, &x);
	asl_steiner_free(&x);
	return err;
}

/* ---- Messages ---- */

/* Add the rank's words that each other rank needs; `to` is all zero. */
static void add_messages(uint64_t *to, const struct asl_layout *l, int rank)
{
	const int *row = asl_list(&l->rows, rank);

	for (int i = 0; i < asl_list_length(&l->rows, rank); i++) {
		const int *sharer = asl_list(&l->sharers, row[i]);
		uint64_t words = asl_layout_part(l, rank, i).count;

		for (int j = 0; j < asl_list_length(&l->sharers, row[i]); j++)
			to[sharer[j]] += words;
	}
}

/*
 * Words of the longest message between any two ranks, for one column: all to all
 * has but one length.  Sums travel the other way, and are as many words.
 */
static int find_equal(struct asl_symmetric *s)
{
	size_t ranks = (size_t)s->layout.ranks;
	uint64_t *to = malloc(ranks * sizeof *to);

	if (!to)
		return asl_fail(-ENOMEM, "no memory for %zu ranks", ranks);
	for (int p = 0; p < s->layout.ranks; p++) {
		memset(to, 0, ranks * sizeof *to);
		add_messages(to, &s->layout, p);
		to[p] = 0;
		for (size_t q = 0; q < ranks; q++)
			s->equal = asl_max(s->equal, to[q]);
	}
	free(to);
	return 0;
}

/* Of any rank a closed form can be had from now on. */
static int find_room(struct asl_symmetric *s)
{
	const struct asl_layout *l = &s->layout;
	int most = 0;

	for (int p = 0; p < l->ranks; p++)
		if (asl_list_length(&l->rows, p) > most)
			most = asl_list_length(&l->rows, p);
	if (asl_wedge_lists_alloc(&s->scratch, most, l->ranks))
		return 0;
	return asl_fail(-ENOMEM, "no memory for %d ranks", l->ranks);
}

int asl_symmetric_make(struct asl_symmetric *out,
		       const struct asl_symmetric_want *want)
{
	int err;

	*out = (struct asl_symmetric){
		.n = want->n,
		.columns = want->columns,
		.gradient = want->gradient,
		.alltoall = want->alltoall,
		.shift = want->shift,
		.tolerance = want->tolerance,
	};
	err = is_cubic(want->layout) ? lay_cubic(&out->layout, want)
				     : lay_steiner(&out->layout, want);
	if (!err)
		err = out->alltoall
			      ? find_equal(out)
			      : asl_schedule_make(&out->schedule, &out->layout);
	if (!err)
		err = find_room(out);
	if (err)
		asl_symmetric_free(out);
	return err;
}

void asl_symmetric_free(struct asl_symmetric *s)
{
	asl_wedge_lists_free(&s->scratch);
	asl_schedule_free(&s->schedule);
	asl_layout_free(&s->layout);
	*s = (struct asl_symmetric){0};
}

/* ---- The cache ---- */

/* What a rank has in the cache beside what its wedge takes. */
static uint64_t beside(const struct asl_wedge *w)
{
	uint64_t R = (uint64_t)w->s->columns;

	/* Without gradients: two numbers that all ranks add up. */
	return w->s->gradient ? asl_wedge_owned(w) * R + R * R : 2;
}

static uint64_t cache_for(const struct asl_wedge *w, int columns)
{
	return asl_wedge_memory(w, columns).cache + beside(w);
}

bool asl_symmetric_fit(struct asl_symmetric *s, uint64_t cache, uint64_t *need)
{
	s->together = s->columns;
	*need = 0;
	for (int p = 0; p < s->layout.ranks; p++) {
		struct asl_wedge w;

		asl_wedge_for_prediction(&w, s, p);
		*need = asl_max(*need, cache_for(&w, 1));
		while (s->together > 0 && cache_for(&w, s->together) > cache)
			s->together--;
	}
	return s->together > 0;
}

/* ---- The best so far ---- */

struct ranking {
	const struct asl_plan *base;
	struct asl_candidates *list;
};

/* ---- Layouts ---- */

struct candidate {
	char name[ASL_STEINER_NAME];
	int ranks;
};

/* What the busiest rank's part of the tensor costs at least. */
static double floor_of(const struct ranking *x, int ranks)
{
	const struct asl_plan *base = x->base;
	double words = (double)asl_tetrahedron(base->symmetric->n) / ranks;

	return base->costs.read * words *
	       (base->iterations ? base->iterations : 1);
}

static void try_layout(struct ranking *x, const char *layout, bool alltoall)
{
	const struct asl_symmetric *from = x->base->symmetric;
	struct asl_symmetric_want want = {
		.n = from->n,
		.ranks = x->base->ranks,
		.layout = layout,
		.columns = from->columns,
		.gradient = from->gradient,
		.alltoall = alltoall,
		.shift = from->shift,
		.tolerance = from->tolerance,
	};
	struct asl_symmetric *s = calloc(1, sizeof *s);
	struct asl_plan plan = *x->base;
	uint64_t need;
	int err;

	x->list->failed |= !s;
	if (!s)
		return;
	plan.symmetric = s;
	err = asl_symmetric_make(s, &want);
	x->list->failed |= err == -ENOMEM;
	if (!err && asl_symmetric_fit(s, plan.cache, &need))
		asl_candidates_add(x->list, &plan);
	else
		asl_plan_release(&plan);
}

static void try_exchanges(struct ranking *x, const char *layout,
			  const struct asl_symmetric_ways *ways)
{
	if (ways->p2p)
		try_layout(x, layout, false);
	if (ways->alltoall)
		try_layout(x, layout, true);
}

static int by_ranks(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return y->ranks - x->ranks;
}

/* All that the ranks and the vectors are enough for; how many. */
static int list(struct candidate **all, struct ranking *x, const char *family)
{
	const struct asl_plan *base = x->base;
	int most = base->ranks < ASL_SYMMETRIC_RANKS ? base->ranks
						     : ASL_SYMMETRIC_RANKS;
	struct asl_steiner_size size = {0};
	int count = 0;

	*all = NULL;
	while (asl_steiner_next(&size, most)) {
		void *more;

		if ((uint64_t)size.m > base->symmetric->n ||
		    (family && strcmp(family, size.family)))
			continue;
		more = reallocarray(*all, (size_t)count + 1, sizeof **all);
		x->list->failed |= !more;
		if (!more)
			break;
		*all = more;
		snprintf((*all)[count].name, ASL_STEINER_NAME, "%s-%d",
			 size.family, size.parameter);
		(*all)[count++].ranks = size.blocks;
	}
	if (count)
		qsort(*all, (size_t)count, sizeof **all, by_ranks);
	return count;
}

static void try_layouts(struct ranking *x,
			const struct asl_symmetric_ways *ways)
{
	struct candidate *all;
	int count = list(&all, x, ways->layout);

	if (ways->layout && !count)
		try_exchanges(x, ways->layout, ways);
	if (!ways->layout)
		try_exchanges(x, "cubic", ways);
	for (int i = 0; i < count; i++)
		if (floor_of(x, all[i].ranks) < asl_candidates_limit(x->list))
			try_exchanges(x, all[i].name, ways);
	free(all);
}

/* ---- Grids ---- */

static void try_grid(struct ranking *x, const struct asl_algorithm *a)
{
	struct asl_symmetric *s = malloc(sizeof *s);
	struct asl_plan plan = *x->base;
	uint64_t need;

	x->list->failed |= !s;
	if (!s)
		return;
	*s = (struct asl_symmetric){.n = x->base->symmetric->n, .columns = 1};
	plan.algorithm = a;
	plan.symmetric = s;
	if ((!plan.grid.p[0] || asl_symmetric_possible(&plan)) &&
	    asl_symmetric_settle(&plan, &need))
		asl_candidates_add(x->list, &plan);
	else
		asl_plan_release(&plan);
}

int asl_symmetric_rank(struct asl_candidates *list, const struct asl_plan *base,
		       const struct asl_symmetric_ways *ways)
{
	struct ranking x = {base, list};
	const struct asl_algorithm *a = base->algorithm;

	if (!asl_symmetric_on_grid(a))
		try_layouts(&x, ways);
	else
		try_grid(&x, a);
	if (a == &asl_symmetric_sttsv && !ways->layout) {
		try_grid(&x, &asl_symmetric_naive);
		try_grid(&x, &asl_symmetric_sequence);
	}
	return asl_candidates_end(list);
}
