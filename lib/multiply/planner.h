/*
 * planner.h -- every way of doing a multiplication, by predicted cost
 */
#ifndef ASL_PLANNER_H
#define ASL_PLANNER_H

#include "lib/multiply/search.h"

/*
 * Algorithms without a grid are left out beyond so many ranks: what a rank of
 * theirs counts takes a walk over a tree of all ranks.
 */
enum { ASL_MOST_WALKED = 4096 };

/*
 * Candidates: every algorithm (base->algorithm if set, else all), kernel
 * (base->kernel if set, else all) and grid (base->grid if set, else all
 * feasible).  list->lower_bound is set where a search was cut short (search.h).
 * 0, or what asl_candidates_end says.
 */
int asl_planner_rank(struct asl_candidates *list, const struct asl_plan *base);

/*
 * Complete a plan by the best candidate.  Every process that asks the same is
 * answered the same.  -ENOMEM: *least_need words of memory would be enough.
 */
int asl_planner_best(struct asl_plan *plan, uint64_t *least_need);

/*
 * Is this something that can be multiplied at all?  0, or -EINVAL with why:
 * dimensions of 1 and more whose products can be counted in 63 bits.
 */
int asl_shape_check(const struct asl_shape *shape, char *why, int room);

#endif
