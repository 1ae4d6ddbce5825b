/*
 * bounds.h -- what no algorithm can do better than
 */
#ifndef ASL_BOUNDS_H
#define ASL_BOUNDS_H

#include "lib/multiply/multiply.h"

struct asl_bound {
	const char *name; /* "net_words", ... */
	double value;
	const char *unit;   /* "words" or "cost" */
	const char *source; /* the theorem */
};

enum { ASL_BOUNDS = 8 };

/*
 * All bounds that apply to the plan's shape, ranks, cache, memory and costs
 * and grid, if it has one; how many.
 */
int asl_bounds(struct asl_bound bound[ASL_BOUNDS], const struct asl_plan *plan);

/*
 * The two that every result is held against, in whole words of the busiest
 * rank: sent or received, and read or written between cache and memory.
 *
 * A plan with a grid may leave ranks idle.  What holds for those at work is the
 * bound for their number P'; that for all P ranks may lie above it (in one
 * dimension) or below.  The network bound is the lower of the two: it always
 * holds, and never makes a plan look good for using fewer ranks.  Likewise its
 * memory is the larger of M and of what the busiest rank holds.
 */
double asl_bound_net_words(const struct asl_plan *plan);
double asl_bound_io_words(const struct asl_plan *plan);

#endif
