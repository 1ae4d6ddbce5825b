/*
 * plan.c -- what is asked of a plan, whichever family it belongs to
 */
#include "lib/plan/plan.h"

#include "lib/plan/family.h"

int asl_plan_ranks(const struct asl_plan *plan)
{
	return plan->algorithm->family->ranks(plan);
}

uint64_t asl_plan_owned(const struct asl_plan *plan, int rank, int which)
{
	return plan->algorithm->family->owned(plan, rank, which);
}

void asl_plan_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank)
{
	*out = (struct asl_ledger){0};
	if (rank < asl_plan_ranks(plan))
		plan->algorithm->predict(out, plan, rank);
}
