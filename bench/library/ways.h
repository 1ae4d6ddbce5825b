/*
 * ways.h -- a few ways of solving a problem, all asked, cheapest first
 *
 * For families that have so few that none needs to be left out.
 */
#ifndef ASL_WAYS_H
#define ASL_WAYS_H

#include "bench/library/cli.h"

/* Begins as all zeros. */
struct asl_ways {
	struct asl_candidate *found;
	int count;
	uint64_t need; /* the least of those that need too much; 0: none does */
	bool failed;   /* there was no memory */
};

/* Takes over what the plan's face has to release. */
void asl_ways_add(struct asl_ways *x, const struct asl_plan *plan);

/* The same of one that cannot be had for less than so many words. */
void asl_ways_refuse(struct asl_ways *x, const struct asl_plan *plan,
		     uint64_t need);

/*
 * As a face's `rank`: the `top` of least Q, of equal ones those added first.  The
 * others are released.
 */
int asl_ways_best(struct asl_candidate **best, int *count, struct asl_ways *x,
		  int top, uint64_t *least_need, double *floor);

#endif
