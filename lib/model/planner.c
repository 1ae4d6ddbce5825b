/*
 * planner.c -- every algorithm, kernel and grid, by predicted cost
 *
 * Grids are sorted by what rank 0, which has the largest brick, is predicted
 * to pay; the best of them then by their busiest rank.
 */
#include "lib/model/planner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ranking {
	struct asl_rates rates;
	struct asl_candidate *best;
	double *cost; /* of best[i] */
	int count, room;
	uint64_t least_need;
};

static void insert(struct ranking *x, const struct asl_plan *plan, double cost)
{
	int i;

	if (x->count == x->room && cost >= x->cost[x->count - 1])
		return;
	if (x->count < x->room)
		x->count++;
	for (i = x->count - 1; i > 0 && x->cost[i - 1] > cost; i--) {
		x->cost[i] = x->cost[i - 1];
		x->best[i] = x->best[i - 1];
	}
	x->cost[i] = cost;
	x->best[i].plan = *plan;
}

static void consider(const struct asl_plan *plan, void *arg)
{
	struct ranking *x = arg;
	struct asl_ledger ledger;
	struct asl_counts total;

	asl_plan_predict(&ledger, plan, 0);
	/* Others may hold more than rank 0, but are asked only if it matters. */
	if (plan->budget && ledger.memory_high < x->least_need) {
		uint64_t need = asl_forecast(plan).memory_high;

		if (need < x->least_need)
			x->least_need = need;
	}
	if (plan->budget && ledger.memory_high > plan->budget)
		return;
	total = asl_ledger_total(&ledger);
	insert(x, plan, asl_cost(&x->rates, &total));
}

static void consider_kernel(struct ranking *x, struct asl_plan plan)
{
	if (plan.cache < plan.kernel->least_cache)
		return;
	plan.algorithm->ideal(plan.ideal, &plan);
	if (!plan.grid.p[0])
		asl_grid_each(&plan, consider, x);
	else if (asl_plan_possible(&plan))
		consider(&plan, x);
}

static bool asked_for(const struct asl_plan *base, const struct asl_plan *plan)
{
	const struct asl_algorithm *a = plan->algorithm;

	if (base->kernel && base->kernel != plan->kernel)
		return false;
	if (a->kernel && strcmp(a->kernel, plan->kernel->name))
		return false;
	/* A dispatcher would only repeat what it calls. */
	return base->algorithm ? base->algorithm == a : !a->axes_of;
}

static void consider_all(struct ranking *x, const struct asl_plan *base)
{
	struct asl_plan plan = *base;

	for (int i = 0; asl_algorithms[i]; i++)
		for (int j = 0; asl_kernels[j]; j++) {
			plan.algorithm = asl_algorithms[i];
			plan.kernel = asl_kernels[j];
			if (asked_for(base, &plan))
				consider_kernel(x, plan);
		}
}

/* Costs of the busiest ranks, and the order anew by these. */
static void settle(struct ranking *x, enum asl_accounting accounting,
		   uint64_t budget)
{
	int kept = 0;

	for (int i = 0; i < x->count; i++) {
		struct asl_candidate now = x->best[i];
		int j = kept;

		now.forecast = asl_forecast(&now.plan);
		if (budget && now.forecast.memory_high > budget)
			continue;
		for (; j > 0 && x->best[j - 1].forecast.q[accounting] >
					now.forecast.q[accounting];
		     j--)
			x->best[j] = x->best[j - 1];
		x->best[j] = now;
		kept++;
	}
	x->count = kept;
}

int asl_planner_rank(struct asl_candidate **best, int *count,
		     const struct asl_plan *base, int top, uint64_t *least_need)
{
	struct ranking x = {
		.rates = asl_rates(&base->costs, base->accounting),
		.room = top + 64, /* busiest ranks may order them otherwise */
		.least_need = UINT64_MAX,
	};

	*best = NULL;
	*count = 0;
	x.best = calloc((size_t)x.room, sizeof *x.best);
	x.cost = calloc((size_t)x.room, sizeof *x.cost);
	if (x.best && x.cost) {
		consider_all(&x, base);
		settle(&x, base->accounting, base->budget);
	}
	free(x.cost);
	*least_need = x.least_need;
	if (!x.count) {
		free(x.best);
		return -ENOMEM;
	}
	*best = x.best;
	*count = x.count < top ? x.count : top;
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
