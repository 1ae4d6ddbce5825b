/*
 * symmetric.h -- what was asked of a symmetric tensor, for the files of its face
 */
#ifndef ASL_BENCH_SYMMETRIC_H
#define ASL_BENCH_SYMMETRIC_H

#include <stdio.h>

#include "bench/face.h"
#include "lib/symmetric/plan.h"

/* Of a plan from options; those that a planner found have the first part. */
struct asl_request {
	struct asl_symmetric s; /* plan->symmetric */
	const char *layout;	/* NULL: the best */
	const char *exchange;	/* NULL: not given */
};

static inline struct asl_request *asl_request(const struct asl_plan *plan)
{
	return (struct asl_request *)plan->symmetric;
}

void asl_symmetric_show(struct asl_shown *out, const struct asl_plan *plan);
void asl_symmetric_print_what(FILE *f, const struct asl_plan *plan);
void asl_symmetric_print_ranks(FILE *f, const struct asl_plan *plan);

int asl_symmetric_bounds(struct asl_bound bound[ASL_BOUNDS],
			 const struct asl_plan *plan);

#endif
