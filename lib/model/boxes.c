/*
 * boxes.c -- cutting the space of all grids into smaller and smaller boxes
 *
 * A box is trimmed to what the number of ranks and the flops limit leave of it.
 * No rank count P' can have a busiest rank with less than 2mnk/P' flops; and
 * those of a brick are the product of its sides, rounded up.
 */
#include "lib/model/boxes.h"

#include <math.h>

#include "lib/matrix/parts.h"
#include "lib/model/grid.h"
#include "lib/model/heap.h"

static int most(uint64_t x)
{
	return x < INT32_MAX ? (int)x : INT32_MAX;
}

static void raise_low(struct asl_box *box, int i, double low)
{
	if (low > box->low[i])
		box->low[i] = low < INT32_MAX ? (int)low : INT32_MAX;
}

static void lower_high(struct asl_box *box, int i, uint64_t high)
{
	if (high < (uint64_t)box->high[i])
		box->high[i] = (int)high;
}

/* The longest side of a brick that the two other numbers leave. */
static void trim_brick(struct asl_box *box, const struct asl_grids *g, int i)
{
	int j = (i + 1) % 3, l = (i + 2) % 3;
	uint64_t least = asl_ceil_div(g->dim[j], (uint64_t)box->high[j]) *
			 asl_ceil_div(g->dim[l], (uint64_t)box->high[l]);
	uint64_t side = g->flops / 2 / least;

	if (!side)
		box->high[i] = 0;
	else
		raise_low(box, i, (double)asl_ceil_div(g->dim[i], side));
}

static void trim_axis(struct asl_box *box, const struct asl_grids *g, int i)
{
	int j = (i + 1) % 3, l = (i + 2) % 3;
	uint64_t P = (uint64_t)g->plan.ranks;
	double others = (double)box->high[j] * (double)box->high[l];

	lower_high(box, i, P / (uint64_t)box->low[j] / (uint64_t)box->low[l]);
	raise_low(box, i, ceil((1 - 1e-12) * g->ranks / others));
	if (!g->plan.algorithm->matmul->flops)
		trim_brick(box, g, i);
}

static void tie(struct asl_box *box)
{
	int low = box->low[0] > box->low[1] ? box->low[0] : box->low[1];
	int high = box->high[0] < box->high[1] ? box->high[0] : box->high[1];

	box->low[0] = box->low[1] = low;
	box->high[0] = box->high[1] = high;
}

/* What is left of it; false: nothing. */
static bool trim(struct asl_box *box, const struct asl_grids *g)
{
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3; i++) {
			if (g->plan.algorithm->matmul->square)
				tie(box);
			if (box->low[i] <= box->high[i])
				trim_axis(box, g, i);
			if (box->low[i] > box->high[i])
				return false;
		}
	return true;
}

/* Apart from the others: a number that is 1.  Else the widest in proportion. */
static int axis_to_cut(const struct asl_box *box)
{
	double widest = 1;
	int axis = 0;

	for (int i = 0; i < 3; i++) {
		double wide = (double)box->high[i] / box->low[i];

		if (box->low[i] == 1 && box->high[i] > 1)
			return i;
		if (wide > widest) {
			widest = wide;
			axis = i;
		}
	}
	return axis;
}

int asl_box_split(struct asl_box half[2], const struct asl_box *box,
		  const struct asl_grids *g)
{
	int i = axis_to_cut(box), count = 0;
	int at = box->low[i] == 1
			 ? 1
			 : (int)sqrt((double)box->low[i] * box->high[i]);

	if (at >= box->high[i])
		at = box->high[i] - 1;
	for (int upper = 0; upper < 2; upper++) {
		struct asl_box x = *box;

		if (upper)
			x.low[i] = at + 1;
		else
			x.high[i] = at;
		/* They are equal; tie() takes the tighter of the two. */
		if (trim(&x, g))
			half[count++] = x;
	}
	return count;
}

bool asl_grids_box(struct asl_box *box, const struct asl_grids *g)
{
	for (int i = 0; i < 3; i++) {
		box->low[i] = 1;
		box->high[i] = most(g->dim[i]);
	}
	if (g->plan.algorithm->matmul->limits)
		g->plan.algorithm->matmul->limits(box, &g->plan);
	for (int i = 0; i < 3; i++)
		if (box->low[i] > box->high[i])
			return false;
	return trim(box, g);
}

bool asl_grids_have(const struct asl_grids *g, const struct asl_grid *grid)
{
	const struct asl_matmul *a = g->plan.algorithm->matmul;
	struct asl_plan x = g->plan;

	x.grid = *grid;
	return asl_plan_possible(&x) && (!a->admits || a->admits(&x, grid)) &&
	       asl_grid_flops(&x) <= g->flops;
}

/* ---- The flops limit ---- */

static double least_in(const struct asl_box *box, const struct asl_grids *g)
{
	const struct asl_shape *s = &g->plan.shape;
	uint64_t all = s->m * s->n * s->k, sides = 1;

	for (int i = 0; i < 3; i++)
		sides *= asl_ceil_div(g->dim[i], (uint64_t)box->high[i]);
	if (g->plan.algorithm->matmul->flops)
		sides = 0;
	return 2 * (double)asl_larger(
			   sides, asl_ceil_div(all, (uint64_t)g->plan.ranks));
}

/* A single grid's flops count; a box is put in line.  The least so far. */
static uint64_t look_at(struct asl_heap *h, const struct asl_box *box,
			const struct asl_grids *g, uint64_t least)
{
	struct asl_entry x = {.box = *box, .stage = ASL_BOX};
	struct asl_plan plan = g->plan;

	if (asl_box_single(box)) {
		plan.grid = asl_box_grid(box);
		return asl_grids_have(g, &plan.grid)
			       ? asl_least(least, asl_grid_flops(&plan))
			       : least;
	}
	x.merit.objective = least_in(box, g);
	asl_heap_put(h, &x);
	return least;
}

/*
 * Over all admitted grids, the least that the busiest rank can have to do; or
 * anything that is fair.
 */
static uint64_t least_flops(const struct asl_grids *g, uint64_t fair)
{
	struct asl_heap h = {.entry = NULL};
	uint64_t least = g->flops;
	struct asl_entry x;

	if (asl_grids_box(&x.box, g))
		least = look_at(&h, &x.box, g, least);
	while (least > fair && asl_heap_take(&h, &x) &&
	       x.merit.objective < (double)least) {
		struct asl_box half[2];
		int count = asl_box_split(half, &x.box, g);

		for (int i = 0; i < count; i++)
			least = look_at(&h, &half[i], g, least);
	}
	asl_heap_free(&h);
	return least;
}

/* A fifth more than 2mnk/P, rounded down: 12 mnk/(5 P). */
static uint64_t fair_flops(uint64_t all, uint64_t P)
{
	return all / (5 * P) * 12 + all % (5 * P) * 12 / (5 * P);
}

void asl_grids_init(struct asl_grids *g, const struct asl_plan *plan)
{
	const struct asl_shape *s = &plan->shape;
	uint64_t all = s->m * s->n * s->k, fair;

	*g = (struct asl_grids){.plan = *plan, .flops = 2 * all};
	asl_plan_dims(g->dim, plan);
	fair = fair_flops(all, (uint64_t)plan->ranks);
	g->flops = asl_larger(fair, least_flops(g, fair));
	g->ranks = 2 * (double)all / (double)g->flops;
}
