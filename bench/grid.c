/*
 * grid.c -- the processor grid: as given, or as prescribed
 */
#include "bench/grid.h"

#include <stdio.h>

#include "bench/say.h"
#include "lib/multiply/planner.h"

const char *asl_grid_text(char text[40], const struct asl_grid *g)
{
	snprintf(text, 40, "%dx%dx%d", g->p[0], g->p[1], g->p[2]);
	return text;
}

static int over_budget(const struct asl_plan *plan, uint64_t need)
{
	char text[40];

	if (plan->grid.p[0])
		return asl_complain(ASL_NO_MACHINE,
				    "grid %s of %s does not fit "
				    "into --memory-budget %ju words: it needs "
				    "%ju words",
				    asl_grid_text(text, &plan->grid),
				    plan->algorithm->name, plan->budget, need);
	return asl_complain(ASL_NO_MACHINE,
			    "no grid of %s fits into "
			    "--memory-budget %ju words: the least need is %ju "
			    "words",
			    plan->algorithm->name, plan->budget, need);
}

static int take_grid(struct asl_plan *plan)
{
	char text[40];
	uint64_t need;

	plan->algorithm->matmul->ideal(plan->ideal, plan);
	if (!asl_plan_possible(plan))
		return asl_complain(
			ASL_BAD_INPUT, "--grid: found %s, but %s works on %s",
			asl_grid_text(text, &plan->grid), plan->algorithm->name,
			plan->algorithm->matmul->grids);
	asl_plan_blocks(plan);
	need = asl_forecast(plan).need;
	if (plan->budget && need > plan->budget)
		return over_budget(plan, need);
	return 0;
}

static int none_at_all(const struct asl_plan *plan, uint64_t need)
{
	if (!plan->budget || need == UINT64_MAX)
		return asl_complain(ASL_BAD_INPUT, "no algorithm can do this "
						   "with these options");
	return asl_complain(ASL_NO_MACHINE,
			    "nothing fits into --memory-budget "
			    "%ju words: the least need is %ju words",
			    plan->budget, need);
}

int asl_grid_settle(struct asl_plan *plan)
{
	uint64_t need = 0;
	int err;

	if (!plan->algorithm) {
		err = asl_planner_best(plan, &need);
		return err ? none_at_all(plan, need) : 0;
	}
	if (plan->grid.p[0])
		return take_grid(plan);
	err = asl_grid_choose(plan, &need);
	return err ? over_budget(plan, need) : 0;
}
