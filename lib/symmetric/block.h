/*
 * block.h -- a block of a packed symmetric tensor, and its part of a product
 *
 * The n indices are cut into row blocks; the tensor's block (i, j, k), with
 * row blocks i >= j >= k, has the entries with a in i, b in j, c in k and
 * a >= b >= c.  They lie one after another, c running fastest, then b.  Those
 * with one a and one b are a row:
 *
 *	kind		rows		of length	words
 *	(i, j, k)	bi bj		bk		bi bj bk
 *	(i, i, k)	bi (bi + 1) / 2	bk		bk bi (bi + 1) / 2
 *	(i, k, k)	bi bk		1 to bk		bi bk (bk + 1) / 2
 *	(i, i, i)	bi (bi + 1) / 2	1 to bi		bi (bi + 1) (bi + 2) / 6
 *
 * where bi, bj, bk, 1 or more each, are the lengths of the row blocks.
 *
 * An entry A of a block is read once and updates up to three elements of y:
 *
 *	a > b > c	y_a += 2 A x_b x_c, y_b += 2 A x_a x_c, y_c += 2 A x_a x_b
 *	a = b > c	y_a += 2 A x_a x_c, y_c += A x_a^2
 *	a > b = c	y_a += A x_b^2, y_b += 2 A x_a x_b
 *	a = b = c	y_a += A x_a^2
 *
 * For R vectors x, the columns of X, and their y, the block passes from memory
 * once for all of them.
 *
 * Algorithm 5 of the paper that sttsv.c names has such blocks, Algorithm 4 the
 * updates.
 */
#ifndef ASL_BLOCK_H
#define ASL_BLOCK_H

#include <stdint.h>

#include "lib/base/parts.h"

struct asl_block_shape {
	int i, j, k;		  /* row blocks, i >= j >= k */
	struct asl_range a, b, c; /* their indices: of i, of j, of k */
};

struct asl_block_row {
	uint64_t a, b; /* of the tensor; c runs from shape->c.first on */
	uint64_t length;
};

/* Block (i, j, k) of n indices that are cut into m parts by asl_part. */
struct asl_block_shape asl_block_shape(uint64_t n, int m, int i, int j, int k);

uint64_t asl_block_rows(const struct asl_block_shape *shape);
uint64_t asl_block_words(const struct asl_block_shape *shape);

/*
 * Ternary multiplications, A x x, of a block for one vector: an entry has one
 * for every element of y that it updates.
 */
uint64_t asl_block_ternary(const struct asl_block_shape *shape);

/* Row r, and the words of the rows before it; r = rows is the end. */
struct asl_block_row asl_block_row(const struct asl_block_shape *shape,
				   uint64_t r);
uint64_t asl_block_before(const struct asl_block_shape *shape, uint64_t r);

/* Advance to the next row; behind the last one, *row is undefined. */
void asl_block_next(const struct asl_block_shape *shape,
		    struct asl_block_row *row);

/*
 * X and Y of the block's three row blocks: matrices by rows with R columns and
 * `ld` words from one row to the next.  Equal row blocks have the same X and
 * the same Y; otherwise no two of the matrices overlap.
 */
struct asl_block_vectors {
	uint64_t columns, ld;
	const double *xi, *xj, *xk;
	double *yi, *yj, *yk;
};

/* Words of scratch for asl_block_update; 0 for one vector with ld = 1. */
uint64_t asl_block_scratch(const struct asl_block_shape *shape,
			   const struct asl_block_vectors *v);

/*
 * Update y with these rows of the block; A has their words, and no others.  The
 * choice of rows, and whether there are threads, decide the order of additions,
 * and so the last bits of y, unless all sums are exact.
 */
void asl_block_update(const struct asl_block_shape *shape, const double *A,
		      struct asl_range rows, const struct asl_block_vectors *v,
		      double *scratch);

/*
 * Pieces of so many words for the rank's threads, if each but the first takes
 * `own` words of memory; 1 if it is not worth it.
 */
enum { ASL_BLOCK_PIECES = 256 };
int asl_block_pieces(uint64_t words, uint64_t columns, uint64_t own);

/*
 * Positions in a packed symmetric tensor
 *
 * Entry {a, b, c} has six places in the cube, of which the packed tensor
 * keeps a >= b >= c; c runs fastest, then b.  The position of an entry does not
 * depend on n: a larger tensor begins with the smaller one.
 */

/* Pairs a >= b below n. */
static inline uint64_t asl_triangle(uint64_t n)
{
	return n % 2 ? (n + 1) / 2 * n : n / 2 * (n + 1);
}

/* Triples a >= b >= c below n; fits when n < 4801279. */
static inline uint64_t asl_tetrahedron(uint64_t n)
{
	uint64_t pairs = asl_triangle(n);

	return pairs % 3 ? (n + 2) / 3 * pairs : pairs / 3 * (n + 2);
}

static inline uint64_t asl_packed_at(uint64_t a, uint64_t b, uint64_t c)
{
	return asl_tetrahedron(a) + asl_triangle(b) + c;
}

#endif
