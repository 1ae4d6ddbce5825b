/*
 * contract.h -- what was asked of an einsum, for the files of its face
 */
#ifndef ASL_BENCH_CONTRACT_H
#define ASL_BENCH_CONTRACT_H

#include <stdio.h>

#include "bench/face.h"
#include "lib/contract/contract.h"

/* Of every plan with an einsum, those that were found too. */
struct asl_asked_einsum {
	struct asl_contraction c; /* plan->contraction */
	enum asl_contract_way way;

	/* The string as it was understood; i=64,j=32, in the order in which
	 * indices appear. */
	char spec[ASL_MOST_OPERANDS * (ASL_MOST_INDICES + 2)];
	char dims[ASL_MOST_INDICES * 24];
};

static inline struct asl_asked_einsum *
asl_asked_einsum(const struct asl_plan *plan)
{
	return (struct asl_asked_einsum *)plan->contraction;
}

/* Set spec and dims. */
void asl_einsum_name(struct asl_asked_einsum *x);

void asl_einsum_show(struct asl_shown *out, const struct asl_plan *plan);
void asl_einsum_print_what(FILE *f, const struct asl_plan *plan);
void asl_einsum_print_ranks(FILE *f, const struct asl_plan *plan);

int asl_einsum_bounds(struct asl_bound bound[ASL_BOUNDS],
		      const struct asl_plan *plan);

#endif
