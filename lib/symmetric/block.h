/*
 * block.h -- a block of a packed symmetric tensor, and its rows
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
 * H. Al Daas, G. Ballard, L. Grigori, S. Kumar, K. Rouse, M. Verite, Minimizing
 * communication for parallel symmetric tensor times same vector computation,
 * 2025: Algorithm 5 has such blocks.
 */
#ifndef ASL_BLOCK_H
#define ASL_BLOCK_H

#include "lib/matrix/parts.h"

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
 * Ternary multiplications that its entries take: 3 where a, b and c differ, 2
 * where two of them do, 1 on the diagonal.
 */
uint64_t asl_block_ternary(const struct asl_block_shape *shape);

/* Row r, and the words of the rows before it; r = rows is the end. */
struct asl_block_row asl_block_row(const struct asl_block_shape *shape,
				   uint64_t r);
uint64_t asl_block_before(const struct asl_block_shape *shape, uint64_t r);

/* The rows of this a have b from shape->b.first to before this. */
static inline uint64_t asl_block_end(const struct asl_block_shape *shape,
				     uint64_t a)
{
	return shape->i == shape->j ? a + 1 : shape->b.first + shape->b.count;
}

/* On to the next row; after the last one, nothing that means anything. */
void asl_block_next(const struct asl_block_shape *shape,
		    struct asl_block_row *row);

#endif
