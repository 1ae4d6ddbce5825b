/*
 * plan.h -- every way of computing with a symmetric tensor, by predicted cost
 */
#ifndef ASL_SYMMETRIC_PLAN_H
#define ASL_SYMMETRIC_PLAN_H

#include "lib/plan/candidates.h"
#include "lib/symmetric/symmetric.h"

/*
 * A struct asl_symmetric from what was chosen, and what to choose from
 *
 * A layout has a name that says all about it, in tables and in options:
 *
 *	spherical-3	a Steiner system of a family, by its parameter
 *	spherical	the one of that family with most blocks for these ranks
 *	cubic		cubic heaps, for all ranks
 *	any other	a file with a Steiner system
 *	NULL		the system with most blocks for these ranks, of any family
 *
 * Ranks that a system has no block for are left idle.  Tables of who sends to
 * whom grow with the square of the ranks, so there is a limit to those that work.
 */

enum { ASL_SYMMETRIC_RANKS = 10000 };

struct asl_symmetric_want {
	uint64_t n;
	int ranks;	    /* there are */
	const char *layout; /* as above */
	int columns;
	bool gradient, alltoall;
	double shift, tolerance;
};

/*
 * All but `together`, which asl_symmetric_fit chooses.  0, or a negative errno
 * with asl_failure(); *out is then all zero.
 *
 *	-EINVAL		no such layout, or the file has none; fewer words than row
 *			blocks; fewer ranks than blocks
 *	-ENOENT		all systems of the family need more ranks
 *	-ENOMEM
 *	other		the file can't be read
 */
int asl_symmetric_make(struct asl_symmetric *out,
		       const struct asl_symmetric_want *want);

/*
 * For how many ranks the layout is, if its name says so: *ranks is 0 for those
 * that take what there are.  Errors as above.
 */
int asl_symmetric_blocks(int *ranks, const char *layout);

struct asl_symmetric_ways {
	const char *layout; /* or a family's name; NULL: all (make.h) */
	bool p2p, alltoall;
};

/*
 * Candidates: the base's algorithm, and for sttsv those to compare with, too, with
 * all layouts and exchanges, or on all grids (base->grid if set).  0, or what
 * asl_candidates_end says.
 */
int asl_symmetric_rank(struct asl_candidates *list, const struct asl_plan *base,
		       const struct asl_symmetric_ways *ways);

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
