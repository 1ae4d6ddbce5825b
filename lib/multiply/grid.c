/*
 * grid.c -- the grid prescribed, and the integer grid that is taken
 */
#include "lib/multiply/grid.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/base/parts.h"
#include "lib/multiply/search.h"

static void real_dims(double dim[3], const struct asl_plan *plan)
{
	uint64_t whole[3];

	asl_plan_dims(whole, plan);
	for (int i = 0; i < 3; i++)
		dim[i] = (double)whole[i];
}

/* The free side that sticks out most; -1 if none does. */
static int worst_side(const double side[3], const double dim[3],
		      const bool cut[3])
{
	int worst = -1;
	double most = 1 + 1e-12;

	for (int i = 0; i < 3; i++)
		if (!cut[i] && side[i] / dim[i] > most) {
			most = side[i] / dim[i];
			worst = i;
		}
	return worst;
}

void asl_grid_ideal(double p[3], const struct asl_plan *plan, double deep)
{
	const char *axes = asl_plan_axes(plan);
	double dim[3], side[3];
	bool cut[3] = {false, false, false};
	double weight[3] = {1, 1, 1};
	int worst;

	real_dims(dim, plan);
	weight[strchr(axes, 'k') - axes] = fmin(deep, 1e15);
	do {
		double volume = dim[0] * dim[1] * dim[2] / plan->ranks, unit;
		int left = 0;

		for (int i = 0; i < 3; i++) {
			volume /= cut[i] ? dim[i] : weight[i];
			left += !cut[i];
		}
		unit = left == 3   ? cbrt(volume)
		       : left == 2 ? sqrt(volume)
				   : volume;
		for (int i = 0; i < 3; i++)
			side[i] = cut[i] ? dim[i] : unit * weight[i];
		worst = worst_side(side, dim, cut);
		if (worst >= 0)
			cut[worst] = true;
	} while (worst >= 0 && !(cut[0] && cut[1] && cut[2]));
	for (int i = 0; i < 3; i++)
		p[i] = dim[i] / side[i];
}

uint64_t asl_grid_flops(const struct asl_plan *plan)
{
	uint64_t flops = 2, dim[3];

	if (asl_plan_runs(plan)->matmul->flops)
		return asl_plan_runs(plan)->matmul->flops(plan);
	asl_plan_dims(dim, plan);
	for (int i = 0; i < 3; i++)
		flops *= asl_ceil_div(dim[i], (uint64_t)plan->grid.p[i]);
	return flops;
}

/* ---- Choice ---- */

/* With more ranks than multiplications the prescription cuts words. */
static bool is_integer(struct asl_grid *g, const struct asl_plan *plan)
{
	const double *p = plan->ideal;
	uint64_t dim[3];

	asl_plan_dims(dim, plan);
	for (int i = 0; i < 3; i++) {
		if (p[i] > plan->ranks || p[i] > (double)dim[i] * (1 + 1e-9) ||
		    fabs(p[i] - round(p[i])) > 1e-9 * p[i])
			return false;
		g->p[i] = (int)round(p[i]);
	}
	return asl_grid_ranks(g) == plan->ranks;
}

static struct asl_grid all_ranks(const struct asl_plan *plan)
{
	const struct asl_shape *s = &plan->shape;
	uint64_t all = asl_min(s->m * s->n * s->k, (uint64_t)plan->ranks);

	return (struct asl_grid){{(int)all, 1, 1}};
}

bool asl_grid_whole(struct asl_grid *g, const struct asl_plan *plan)
{
	struct asl_grid found;

	if (plan->algorithm->matmul->grid.none)
		found = all_ranks(plan);
	else if (!is_integer(&found, plan))
		return false;
	*g = found;
	return true;
}

/* The search's first, if there is any. */
static bool first(struct asl_candidate *found, const struct asl_plan *plan,
		  enum asl_aim aim)
{
	struct asl_search *s = asl_search_open(aim);
	bool any;

	if (!s)
		return false;
	asl_search_add(s, plan);
	any = asl_search_next(s, found);
	asl_search_close(s);
	return any;
}

/* Without a search, as it is. */
static bool take_whole(struct asl_plan *plan)
{
	struct asl_plan x = *plan;

	if (!asl_grid_whole(&x.grid, &x))
		return false;
	asl_plan_blocks(&x);
	if (x.budget && asl_forecast(&x).memory_needed > x.budget)
		return false;
	*plan = x;
	return true;
}

int asl_grid_choose(struct asl_plan *plan, uint64_t *least_need)
{
	bool words = plan->algorithm->matmul->grid.least_words;
	struct asl_candidate found;

	*least_need = UINT64_MAX;
	plan->grid = (struct asl_grid){{0}};
	asl_plan_prescribe(plan);
	if (take_whole(plan))
		return 0;
	if (plan->budget && first(&found, plan, ASL_LEAST_MEMORY))
		*least_need = found.forecast.memory_needed;
	if (plan->budget && *least_need > plan->budget)
		return -ENOMEM;
	if (!first(&found, plan, words ? ASL_LEAST_WORDS : ASL_LEAST_COST))
		return -ENOMEM;
	*plan = found.plan;
	return 0;
}
