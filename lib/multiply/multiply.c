/*
 * multiply.c -- the list of algorithms, and small things that all of them use
 */
#include "lib/multiply/multiply.h"

#include <string.h>

extern const struct asl_algorithm asl_multiply_vomm, asl_multiply_3d,
	asl_multiply_em_jomma;

const struct asl_algorithm *const asl_algorithms[] = {
	&asl_multiply_vomm,
	&asl_multiply_3d,
	&asl_multiply_em_jomma,
	NULL,
};

const struct asl_algorithm *asl_algorithm_find(const char *name)
{
	for (int i = 0; asl_algorithms[i]; i++)
		if (!strcmp(asl_algorithms[i]->name, name))
			return asl_algorithms[i];
	return NULL;
}

int asl_grid_ranks(const struct asl_grid *g)
{
	return g->p[0] * g->p[1] * g->p[2];
}

bool asl_plan_possible(const struct asl_plan *plan)
{
	const struct asl_algorithm *a = plan->algorithm;

	return asl_grid_ranks(&plan->grid) <= plan->ranks &&
	       (!a->works_on || a->works_on(&plan->grid));
}

void asl_plan_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank)
{
	*out = (struct asl_ledger){0};
	if (rank < asl_grid_ranks(&plan->grid))
		plan->algorithm->predict(out, plan, rank);
}
