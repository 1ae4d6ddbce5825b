/*
 * pair_ways.h -- the two ways of multiplying a pair (pair.h), once it is in order
 */
#ifndef ASL_PAIR_WAYS_H
#define ASL_PAIR_WAYS_H

#include "lib/contract/pair.h"

/* The three tensors as they are multiplied, copies where there must be. */
struct asl_sides_of_pair {
	const struct asl_plan *plan;
	const struct asl_pairing *p;
	const uint64_t *len;
	struct asl_view of[3];
};

/* Predictions return the words of tiles. */
void asl_pair_by_kernel(struct asl_rank *r, const struct asl_sides_of_pair *s);
uint64_t asl_pair_predict_kernel(struct asl_counts *x,
				 const struct asl_sides_of_pair *s);

void asl_pair_by_vectors(struct asl_rank *r, const struct asl_sides_of_pair *s);
uint64_t asl_pair_predict_vectors(struct asl_counts *x,
				  const struct asl_sides_of_pair *s);

#endif
