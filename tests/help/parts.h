/*
 * parts.h -- multiplication's part of plans that are copied by value
 */
#ifndef ASL_TEST_PARTS_H
#define ASL_TEST_PARTS_H

#include <stdlib.h>

#include "lib/multiply/multiply.h"

/* A copy that lasts as long as the process. */
static inline struct asl_multiplication *
keep_part(struct asl_multiplication part)
{
	static struct kept {
		struct kept *before;
		struct asl_multiplication part;
	} * last;
	struct kept *x = malloc(sizeof *x);

	if (!x)
		abort();
	*x = (struct kept){last, part};
	last = x;
	return &x->part;
}

/* Sizes alone. */
static inline struct asl_multiplication *product_of(struct asl_shape shape)
{
	return keep_part((struct asl_multiplication){.shape = shape});
}

/* The plan's part, to be changed: no copy of the plan has it. */
static inline struct asl_multiplication *own_part(struct asl_plan *plan)
{
	struct asl_multiplication *part = keep_part(*plan->multiplication);

	plan->multiplication = part;
	return part;
}

#endif
