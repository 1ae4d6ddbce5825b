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

/* The condition of bounds on means, where no plan says who does how much. */
#define ASL_IF_EVEN "if all do as many multiplications"

/*
 * All bounds that apply to the plan's shape, ranks, cache, memory and costs
 * and grid, if it has one; how many.
 */
int asl_bounds(struct asl_bound bound[ASL_BOUNDS], const struct asl_plan *plan);

/*
 * The three that every result is held against: whole words of the busiest rank,
 * sent or received, and read or written between cache and memory; and the cost Q
 * of both together in the APM.
 *
 * A plan with a grid may leave ranks idle.  What holds for those at work is the
 * bound for their number P'; that for all P ranks may lie above it (in one
 * dimension) or below.  A bound is the lower of the two: it always holds, and
 * never makes a plan look good for using fewer ranks.  Its memory is the larger
 * of M and of what the busiest rank holds.
 *
 * Algorithms outside the APM may be cheaper than the joint bound, because they
 * do not write all partial sums; the other two hold for them.
 */
double asl_bound_net_words(const struct asl_plan *plan);
double asl_bound_io_words(const struct asl_plan *plan);
double asl_bound_joint(const struct asl_plan *plan);

/*
 * The curve between both: the least mean of B_h, if every rank writes so many
 * partial sums and does as many multiplications as the others.
 */
double asl_bound_sent(const struct asl_shape *s, int ranks, double written);

/* Ranks that share a multiplication; the bounds for these ranks. */
struct asl_sharing {
	struct asl_shape shape;
	int ranks;
	double balance;		/* the busiest rank's multiplications / mean */
	uint64_t cache, memory; /* of a rank */
	struct asl_costs costs;
	bool finished; /* ranks write finished words of C alone */
};

double asl_sharing_net_words(const struct asl_sharing *x);
double asl_sharing_io_words(const struct asl_sharing *x);
double asl_sharing_joint(const struct asl_sharing *x);

#endif
