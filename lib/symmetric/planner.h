/*
 * planner.h -- every way of computing with a symmetric tensor, by predicted cost
 */
#ifndef ASL_SYMMETRIC_PLANNER_H
#define ASL_SYMMETRIC_PLANNER_H

#include "lib/model/search.h"
#include "lib/symmetric/make.h"

struct asl_symmetric_ways {
	const char *layout; /* or a family's name; NULL: all (make.h) */
	bool p2p, alltoall;
};

/*
 * Of the base's algorithm, and for sttsv of those to compare with, too: with all
 * layouts and exchanges, or on all grids (base->grid if set), the `top` of least
 * predicted Q under base->accounting, best first.  *best, and the symmetric part
 * of each plan, are the caller's to free.
 *
 * -ENOMEM if there is none: *least_need is then the least memory budget that
 * would do, or UINT64_MAX if there is no such.
 */
int asl_symmetric_rank(struct asl_found **best, int *count,
		       const struct asl_plan *base,
		       const struct asl_symmetric_ways *ways, int top,
		       uint64_t *least_need);

/* Does it work on a grid?  Those that do not have a layout. */
bool asl_symmetric_on_grid(const struct asl_algorithm *a);

/* Can it work on the plan's? */
bool asl_symmetric_possible(const struct asl_plan *plan);

/*
 * The plan's grid, if it has none: of those that fit into the cache the one of
 * least Q.  False: none fits, or not the one there is; *need words would do.
 */
bool asl_symmetric_settle(struct asl_plan *plan, uint64_t *need);

#endif
