/*
 * candidates.c -- complete plans for one problem, ranked by predicted cost
 */
#include "lib/plan/candidates.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void release(const struct asl_plan *plan)
{
	struct asl_plan released = *plan;

	asl_plan_release(&released);
}

struct asl_candidates asl_candidates(int top)
{
	return (struct asl_candidates){
		.top = top,
		.memory_needed = UINT64_MAX,
		.lower_bound = INFINITY,
	};
}

double asl_candidates_limit(const struct asl_candidates *x)
{
	return x->count < x->top ? INFINITY
				 : asl_candidate_cost(&x->best[x->count - 1]);
}

/* There is room for one more than `top`: the last then drops out. */
static void insert(struct asl_candidates *x, const struct asl_candidate *new)
{
	int at = x->count;

	for (; at > 0 &&
	       asl_candidate_cost(&x->best[at - 1]) > asl_candidate_cost(new);
	     at--)
		x->best[at] = x->best[at - 1];
	x->best[at] = *new;
	if (++x->count > x->top)
		asl_plan_release(&x->best[--x->count].plan);
}

void asl_candidates_put(struct asl_candidates *x,
			const struct asl_candidate *candidate)
{
	struct asl_candidate *best = NULL;

	if (asl_candidate_cost(candidate) < asl_candidates_limit(x)) {
		best = reallocarray(x->best, (size_t)x->count + 1,
				    sizeof *best);
		x->failed |= !best;
	}
	if (!best) {
		release(&candidate->plan);
		return;
	}
	x->best = best;
	insert(x, candidate);
}

void asl_candidates_refuse(struct asl_candidates *x,
			   const struct asl_plan *plan, uint64_t memory_needed)
{
	release(plan);
	if (memory_needed < x->memory_needed)
		x->memory_needed = memory_needed;
}

void asl_candidates_judge(struct asl_candidates *x,
			  const struct asl_candidate *candidate)
{
	const struct asl_plan *plan = &candidate->plan;
	uint64_t needed = candidate->forecast.memory_needed;

	if (plan->budget && needed > plan->budget)
		asl_candidates_refuse(x, plan, needed);
	else
		asl_candidates_put(x, candidate);
}

void asl_candidates_add(struct asl_candidates *x, const struct asl_plan *plan)
{
	asl_candidates_judge(
		x, &(struct asl_candidate){.plan = *plan,
					   .forecast = asl_forecast(plan)});
}

int asl_candidates_end(struct asl_candidates *x)
{
	if (x->failed)
		asl_candidates_free(x);
	return x->count ? 0 : -ENOMEM;
}

void asl_candidates_take(struct asl_plan *plan, struct asl_candidates *x)
{
	asl_plan_release(plan);
	*plan = x->best[0].plan;
	x->best[0] = x->best[--x->count];
	asl_candidates_free(x);
}

void asl_candidates_free(struct asl_candidates *x)
{
	while (x->count)
		asl_plan_release(&x->best[--x->count].plan);
	free(x->best);
	x->best = NULL;
}
