/*
 * turned.h -- several x_k and y_k of a tensor block, each as one run of words
 *
 * A block's innermost loop goes along c, and wants x and y of one column there.
 * Given are matrices by rows, so copies are made before the block and added back
 * after it; of one vector there is nothing to turn.
 */
#ifndef ASL_TURNED_H
#define ASL_TURNED_H

#include "lib/symmetric/block_update.h"

struct asl_turned {
	const double *x;
	double *y;
	uint64_t step; /* words from one column to the next */
};

/*
 * x_k by columns, and a y_k of zeros: that in Y may also be y_j.  The columns are
 * filled up with zeros to a multiple of ASL_PAIR.  Of `scratch` are
 * asl_block_scratch() words.
 */
void asl_turn(struct asl_turned *k, const struct asl_block_shape *shape,
	      const struct asl_block_vectors *v, double *scratch);

/* Add what y has become. */
void asl_turn_back(const struct asl_turned *k,
		   const struct asl_block_shape *shape,
		   const struct asl_block_vectors *v);

#endif
