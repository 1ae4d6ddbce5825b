/*
 * planner.c -- every algorithm, kernel and grid, by predicted cost
 */
#include "lib/model/planner.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool asked_for(const struct asl_plan *base, const struct asl_plan *plan)
{
	const struct asl_matmul *a = plan->algorithm->matmul;

	if (base->kernel && base->kernel != plan->kernel)
		return false;
	if (a->kernel && strcmp(a->kernel, plan->kernel->name))
		return false;
	if (plan->cache < plan->kernel->least_cache)
		return false;
	if (plan->grid.p[0] && !asl_plan_possible(plan))
		return false;
	if (base->algorithm)
		return base->algorithm == plan->algorithm;
	/* Who wants overlap has no use for what cannot. */
	if (plan->overlap && !a->overlaps)
		return false;
	/* A dispatcher would only repeat what it calls. */
	return !a->axes_of && (!a->gridless || plan->ranks <= ASL_MOST_WALKED);
}

static struct asl_search *search(const struct asl_plan *base, enum asl_aim aim)
{
	struct asl_search *s = asl_search_open(aim);
	struct asl_plan plan = *base;

	for (int i = 0; s && asl_algorithms[i]; i++)
		for (int j = 0; asl_kernels[j]; j++) {
			plan.algorithm = asl_algorithms[i];
			plan.kernel = asl_kernels[j];
			if (asked_for(base, &plan))
				asl_search_add(s, &plan);
		}
	return s;
}

static uint64_t least_memory(const struct asl_plan *base)
{
	struct asl_search *s = search(base, ASL_LEAST_MEMORY);
	struct asl_found x;
	uint64_t least = UINT64_MAX;

	if (s && asl_search_next(s, &x))
		least = x.forecast.need;
	asl_search_close(s);
	return least;
}

static int take(struct asl_found *best, const struct asl_plan *base, int top,
		double *floor)
{
	struct asl_search *s = search(base, ASL_LEAST_COST);
	int count = 0;

	while (s && count < top && asl_search_next(s, &best[count]))
		count++;
	*floor = s ? asl_search_floor(s) : 0;
	asl_search_close(s);
	return count;
}

int asl_planner_rank(struct asl_found **best, int *count,
		     const struct asl_plan *base, int top, uint64_t *least_need,
		     double *floor)
{
	*count = 0;
	*floor = INFINITY;
	*least_need = base->budget ? least_memory(base) : UINT64_MAX;
	*best = calloc((size_t)top, sizeof **best);
	if (*best && (!base->budget || *least_need <= base->budget))
		*count = take(*best, base, top, floor);
	if (*count)
		return 0;
	free(*best);
	*best = NULL;
	return -ENOMEM;
}

int asl_planner_best(struct asl_plan *plan, uint64_t *least_need)
{
	struct asl_found *best;
	double floor;
	int count, err;

	err = asl_planner_rank(&best, &count, plan, 1, least_need, &floor);
	if (err)
		return err;
	*plan = best->plan;
	free(best);
	return 0;
}

static bool fits(uint64_t a, uint64_t b)
{
	return a <= (uint64_t)INT64_MAX / b;
}

int asl_shape_check(const struct asl_shape *s, char *why, int room)
{
	uint64_t dim[] = {s->m, s->n, s->k};

	for (int i = 0; i < 3; i++)
		if (!dim[i] || dim[i] > INT32_MAX) {
			snprintf(why, (size_t)room,
				 "%c is %ju, expected 1 to %d", "mnk"[i],
				 dim[i], INT32_MAX);
			return -EINVAL;
		}
	/* 2 mnk flops, in all; fewer words than that are moved by anybody. */
	if (!fits(s->m, 2 * s->n) || !fits(2 * s->m * s->n, s->k)) {
		snprintf(why, (size_t)room,
			 "%ju x %ju x %ju: 2mnk flops cannot be counted in 63 "
			 "bits",
			 s->m, s->n, s->k);
		return -EINVAL;
	}
	return 0;
}
