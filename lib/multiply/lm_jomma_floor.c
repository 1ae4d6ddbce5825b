/*
 * lm_jomma_floor.c -- what LM-JOMMA counts at least, on any grid of a box
 *
 * The ranks (0, 0) of all layers have the largest A(i, j), and between them all
 * n columns of C(0, *).  What the busiest of them counts is no less than the
 * mean: a Pz-th of what they do together.
 */
#include <math.h>

#include "lib/matrix/parts.h"
#include "lib/multiply/floor.h"
#include "lib/multiply/lm_jomma.h"

enum { X, Y, Z };

void asl_lm_limits(struct asl_box *box, const struct asl_plan *plan)
{
	for (int i = 0; i < 3; i++) {
		double low = floor(plan->ideal[i] / 2);
		double high = ceil(plan->ideal[i] * 2);

		if (low > box->low[i])
			box->low[i] = low < INT32_MAX ? (int)low : INT32_MAX;
		if (high < box->high[i])
			box->high[i] = (int)high;
	}
}

/* All rounds in which there are columns, and all columns, over the layers. */
static void widen(struct asl_products *of, const struct asl_plan *plan,
		  const struct asl_box *box)
{
	uint64_t n = plan->shape.n, layers = (uint64_t)box->high[Z];
	uint64_t filled = asl_least((uint64_t)box->low[X], n);
	uint64_t narrow = n / (uint64_t)box->high[X];

	of->B = of->x.k * n / layers;
	of->C = of->x.m * n / layers;
	of->A = of->x.m * of->x.k * filled / layers;
	of->x.n = narrow;
	of->x.k *= (uint64_t)box->low[X] / layers;
	of->x.B =
		box->high[Z] > 1 || box->high[X] > 1 ? plan->panels : ASL_POOL;
}

void asl_lm_floor(struct asl_least *least, const struct asl_plan *plan,
		  const struct asl_box *box, const struct asl_rates *rates)
{
	struct asl_brick_floor x = asl_brick_floor(plan, box);
	struct asl_counts *counts = &least->counts;
	struct asl_products of = x.of;
	uint64_t B = of.x.k * asl_ceil_div(plan->shape.n, x.pm.high);
	uint64_t copied = x.pn.high > 1 ? of.A + B : 0;

	widen(&of, plan, box);
	if (x.pn.high > 1) {
		counts->of[ASL_BH] += x.of.A - asl_ceil_div(x.of.A, x.pn.low);
		counts->of[ASL_BH] += B - asl_ceil_div(B, x.pn.low);
	}
	if (x.pm.high > 1)
		counts->of[ASL_BH] += of.B;
	if (x.pk.high > 1)
		counts->of[ASL_BH] += of.C - asl_ceil_div(of.C, x.pk.low);
	of.volume = asl_larger(of.volume, of.C * of.deep);
	plan->kernel->floor(counts, &of, rates);
	least->memory += copied + (x.pm.high > 1 ? B : 0);
}
