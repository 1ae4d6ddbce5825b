/*
 * outofcore.h -- what was asked of a contraction out of core, for its face's files
 */
#ifndef ASL_BENCH_OUTOFCORE_H
#define ASL_BENCH_OUTOFCORE_H

#include <stdio.h>

#include "bench/face.h"
#include "lib/outofcore/outofcore.h"

/* Of a plan from options; those that were found have the first part. */
struct asl_asked_outofcore {
	struct asl_outofcore o;		   /* plan->outofcore */
	const struct asl_ooc_order *order; /* NULL: the best */
};

static inline struct asl_asked_outofcore *
asl_asked_outofcore(const struct asl_plan *plan)
{
	return (struct asl_asked_outofcore *)plan->outofcore;
}

/* ABC, ACB, ...; the text is static. */
const char *asl_ooc_order_name(const struct asl_ooc_order *order);

/* NULL: there is none of that name. */
const struct asl_ooc_order *asl_ooc_order_find(const char *name);

void asl_ooc_show(struct asl_shown *out, const struct asl_plan *plan);
void asl_ooc_print_what(FILE *f, const struct asl_plan *plan);
void asl_ooc_print_ranks(FILE *f, const struct asl_plan *plan);

int asl_ooc_bounds(struct asl_bound bound[ASL_BOUNDS],
		   const struct asl_plan *plan);

#endif
