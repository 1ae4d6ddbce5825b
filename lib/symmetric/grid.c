/*
 * grid.c -- the grids of those that work on the whole cube
 */
#include <math.h>

#include "lib/symmetric/cube.h"
#include "lib/symmetric/family.h"
#include "lib/symmetric/planner.h"

bool asl_symmetric_on_grid(const struct asl_algorithm *a)
{
	return a == &asl_symmetric_naive || a == &asl_symmetric_sequence;
}

bool asl_symmetric_possible(const struct asl_plan *plan)
{
	const int *p = plan->grid.p;
	uint64_t n = plan->symmetric->n;
	bool slabs = plan->algorithm == &asl_symmetric_sequence;

	return p[1] == p[2] && (p[1] == 1 || !slabs) && (uint64_t)p[0] <= n &&
	       (uint64_t)p[1] <= n;
}

/* Rank 0 has the longest ranges. */
static uint64_t cache_for(const struct asl_plan *plan)
{
	struct asl_cube x = asl_cube(plan, 0);

	if (plan->algorithm == &asl_symmetric_sequence)
		return 2 * x.J.count;
	return x.I.count + x.J.count + x.L.count;
}

/* Of rank 1, which has no less to do than any other: 0 needs no second x. */
static double cost(const struct asl_plan *plan)
{
	struct asl_rates rates = asl_rates(&plan->costs, plan->accounting);
	struct asl_ledger ledger;
	struct asl_counts all;

	asl_plan_predict(&ledger, plan, plan->grid.p[1] > 1);
	all = asl_ledger_total(&ledger);
	return asl_cost(&rates, &all);
}

/* As many ranks as there is work for, c x c along the two contracted. */
static struct asl_grid grid_of(const struct asl_plan *plan, int c)
{
	uint64_t n = plan->symmetric->n, p = (uint64_t)(plan->ranks / c / c);

	return (struct asl_grid){{(int)(p < n ? p : n), c, c}};
}

bool asl_symmetric_settle(struct asl_plan *plan, uint64_t *need)
{
	struct asl_plan x = *plan;
	double least = INFINITY;

	if (plan->grid.p[0]) {
		*need = cache_for(plan);
		return *need <= plan->cache;
	}
	*need = UINT64_MAX;
	for (int c = 1; (int64_t)c * c <= x.ranks; c++) {
		x.grid = grid_of(&x, c);
		if (!asl_symmetric_possible(&x))
			break;
		if (cache_for(&x) < *need)
			*need = cache_for(&x);
		if (cache_for(&x) <= x.cache && cost(&x) < least) {
			least = cost(&x);
			plan->grid = x.grid;
		}
	}
	return plan->grid.p[0] > 0;
}
