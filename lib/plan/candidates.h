/*
 * candidates.h -- complete plans for one problem, ranked by predicted cost
 *
 * A planner adds every plan that it can think of.  The list keeps the `top` of
 * least Q, the busiest rank's under the accounting of the plans, and remembers
 * how much memory would have been enough for those that the budget refuses.
 * asl_path_rank (lib/run/path.h) can then rank them by their critical paths, in
 * words or in time.
 *
 *	struct asl_candidates list = asl_candidates(top);
 *
 *	for every plan
 *		asl_candidates_add(&list, &plan);
 *	err = asl_candidates_end(&list);
 *	... list.best, or after an error list.memory_needed ...
 *	asl_candidates_free(&list);
 *
 * The list owns the family's part of each plan from the moment that the plan is
 * added, and releases it if the plan is not kept.
 */
#ifndef ASL_CANDIDATES_H
#define ASL_CANDIDATES_H

#include "lib/plan/plan.h"

struct asl_candidate {
	struct asl_plan plan;
	struct asl_forecast forecast;
	double path[ASL_ACCOUNTINGS]; /* Q along the path; 0: not known */
	/* The time of all, and each part of it of the busiest rank; 0: not known. */
	double seconds, part_s[ASL_SPENDINGS];
};

/* Time, or Q by the plan's accounting: along the path if that is known. */
static inline double asl_candidate_cost(const struct asl_candidate *x)
{
	enum asl_accounting a = x->plan.accounting;

	if (x->plan.by_time && x->seconds > 0)
		return x->seconds;
	return x->path[a] > 0 ? x->path[a] : x->forecast.q[a];
}

struct asl_candidates {
	struct asl_candidate
		*best; /* cheapest first; among equals, first come */
	int count, top;

	/* The minimum over all that were refused; UINT64_MAX: none was. */
	uint64_t memory_needed;

	/*
	 * A plan that is not in the list costs no less than its last one, or no
	 * less than this, where a planner gave up before it had tried all.
	 */
	double lower_bound;

	bool failed; /* an allocation, the planner's own or the list's */
};

struct asl_candidates asl_candidates(int top);

/* Plans that cost so much or more are not kept: INFINITY while there is room. */
double asl_candidates_limit(const struct asl_candidates *x);

/* Predict the plan's cost; keep it, refuse it, or release it. */
void asl_candidates_add(struct asl_candidates *x, const struct asl_plan *plan);

/* Add a plan whose cost is known: keep it, refuse it, or release it. */
void asl_candidates_judge(struct asl_candidates *x,
			  const struct asl_candidate *candidate);

/* Add a plan whose cost is known, and which fits into its budget. */
void asl_candidates_put(struct asl_candidates *x,
			const struct asl_candidate *candidate);

/* Release a plan that needs more memory than its budget. */
void asl_candidates_refuse(struct asl_candidates *x,
			   const struct asl_plan *plan, uint64_t memory_needed);

/* 0; or -ENOMEM, with an empty list: no plan fits, or an allocation failed. */
int asl_candidates_end(struct asl_candidates *x);

/*
 * Complete a plan by the first of the list, which takes the place of the
 * family's part that the plan has; and free the list.
 */
void asl_candidates_take(struct asl_plan *plan, struct asl_candidates *x);

/* Release all plans; the list is then empty. */
void asl_candidates_free(struct asl_candidates *x);

#endif
