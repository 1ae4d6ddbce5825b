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
 * Of every algorithm (base->algorithm if set, else all), kernel
 * (base->kernel if set, else all) and grid (base->grid if set, else all
 * feasible), the `top` of least predicted Q under base->accounting, best
 * first.  *best is the caller's to free.  -ENOMEM if every one exceeds the
 * memory budget: *least_need is then the least that would do.
 *
 * Of what is not among them, nothing costs less than the last that is, or less
 * than *floor, if that is lower: where a search ran out of patience (search.h).
 */
int asl_planner_rank(struct asl_candidate **best, int *count,
		     const struct asl_plan *base, int top, uint64_t *least_need,
		     double *floor);

/*
 * Complete a plan by the first of these.  Every process that asks the same is
 * answered the same.
 */
int asl_planner_best(struct asl_plan *plan, uint64_t *least_need);

/*
 * Is this something that can be multiplied at all?  0, or -EINVAL with why:
 * dimensions of 1 and more whose products can be counted in 63 bits.
 */
int asl_shape_check(const struct asl_shape *shape, char *why, int room);

#endif
