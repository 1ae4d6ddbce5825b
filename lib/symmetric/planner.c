/*
 * planner.c -- every way of computing with a symmetric tensor, by predicted cost
 *
 * The ranks of a layout have much the same to do, and all of them are asked.  That
 * takes long where they are many; so systems come in the order of their blocks,
 * and those that could not be among the best even if their ranks only read the
 * tensor are not built.
 */
#include "lib/symmetric/planner.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symmetric/family.h"
#include "lib/symmetric/packed.h"

struct ranking {
	const struct asl_plan *base;
	struct asl_found *best;
	int count, top;
	uint64_t least_need;
	bool failed; /* there was no memory */
};

/* ---- The best so far ---- */

static double q_of(const struct asl_found *x)
{
	return x->forecast.q[x->plan.accounting];
}

static double worst(const struct ranking *x)
{
	return x->count < x->top ? INFINITY : q_of(&x->best[x->count - 1]);
}

static void drop(const struct asl_plan *plan)
{
	struct asl_symmetric *s = (struct asl_symmetric *)plan->symmetric;

	asl_symmetric_free(s);
	free(s);
}

/* Behind those that cost as much. */
static void insert(struct ranking *x, const struct asl_found *found)
{
	int at = x->count;

	for (; at > 0 && q_of(&x->best[at - 1]) > q_of(found); at--)
		x->best[at] = x->best[at - 1];
	x->best[at] = *found;
	if (++x->count > x->top)
		drop(&x->best[--x->count].plan);
}

/* Takes the symmetric part over. */
static void add(struct ranking *x, const struct asl_plan *plan)
{
	struct asl_found found = {*plan, asl_forecast(plan)};
	uint64_t need = found.forecast.need;
	bool fits = !plan->budget || need <= plan->budget;
	void *more = NULL;

	if (!fits && need < x->least_need)
		x->least_need = need;
	if (fits && q_of(&found) < worst(x)) {
		more = reallocarray(x->best, (size_t)x->count + 2,
				    sizeof *x->best);
		x->failed = x->failed || !more;
	}
	if (!more) {
		drop(plan);
		return;
	}
	x->best = more;
	insert(x, &found);
}

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

	x->failed = x->failed || !s;
	if (!s)
		return;
	plan.symmetric = s;
	err = asl_symmetric_make(s, &want);
	x->failed = x->failed || err == -ENOMEM;
	if (!err && asl_symmetric_fit(s, plan.cache, &need))
		add(x, &plan);
	else
		drop(&plan);
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
		x->failed = x->failed || !more;
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
		if (floor_of(x, all[i].ranks) < worst(x))
			try_exchanges(x, all[i].name, ways);
	free(all);
}

/* ---- Grids ---- */

static void try_grid(struct ranking *x, const struct asl_algorithm *a)
{
	struct asl_symmetric *s = malloc(sizeof *s);
	struct asl_plan plan = *x->base;
	uint64_t need;

	x->failed = x->failed || !s;
	if (!s)
		return;
	*s = (struct asl_symmetric){.n = x->base->symmetric->n, .columns = 1};
	plan.algorithm = a;
	plan.symmetric = s;
	if ((!plan.grid.p[0] || asl_symmetric_possible(&plan)) &&
	    asl_symmetric_settle(&plan, &need))
		add(x, &plan);
	else
		drop(&plan);
}

int asl_symmetric_rank(struct asl_found **best, int *count,
		       const struct asl_plan *base,
		       const struct asl_symmetric_ways *ways, int top,
		       uint64_t *least_need)
{
	struct ranking x = {base, NULL, 0, top, UINT64_MAX, false};
	const struct asl_algorithm *a = base->algorithm;

	if (!asl_symmetric_on_grid(a))
		try_layouts(&x, ways);
	else
		try_grid(&x, a);
	if (a == &asl_symmetric_sttsv && !ways->layout) {
		try_grid(&x, &asl_symmetric_naive);
		try_grid(&x, &asl_symmetric_sequence);
	}
	*best = x.best;
	*count = x.count;
	*least_need = x.least_need;
	return x.count && !x.failed ? 0 : -ENOMEM;
}
