/*
 * block_update.h -- y += A x2 x x3 x, the part of it that one tensor block has
 *
 * With the symmetric tensor packed, an entry A of the block is read once and
 * updates up to three elements of y:
 *
 *	a > b > c	y_a += 2 A x_b x_c, y_b += 2 A x_a x_c, y_c += 2 A x_a x_b
 *	a = b > c	y_a += 2 A x_a x_c, y_c += A x_a^2
 *	a > b = c	y_a += A x_b^2, y_b += 2 A x_a x_b
 *	a = b = c	y_a += A x_a^2
 *
 * The same for R vectors x, the columns of X, and their y: the block passes
 * from memory once for all of them.
 *
 * Algorithm 4 of the paper that block.h names.
 */
#ifndef ASL_BLOCK_UPDATE_H
#define ASL_BLOCK_UPDATE_H

#include "lib/symmetric/block.h"

/*
 * X and Y of the block's three row blocks: matrices by rows with R columns and
 * `ld` words from one row to the next.  Row blocks that are one and the same
 * have the same X and the same Y; otherwise no two of the matrices overlap.
 */
struct asl_block_vectors {
	uint64_t columns, ld;
	const double *xi, *xj, *xk;
	double *yi, *yj, *yk;
};

/* Words of scratch that asl_block_update wants; 0 for one vector with ld = 1. */
uint64_t asl_block_scratch(const struct asl_block_shape *shape,
			   const struct asl_block_vectors *v);

/*
 * The updates of these rows of the block; A has their words, and no others.
 * What rows are done together decides the order of additions, and so the last
 * bits of y, unless all sums are exact.
 */
void asl_block_update(const struct asl_block_shape *shape, const double *A,
		      struct asl_range rows, const struct asl_block_vectors *v,
		      double *scratch);

#endif
