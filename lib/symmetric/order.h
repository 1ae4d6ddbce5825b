/*
 * order.h -- blocks of a packed symmetric tensor of any order, and their products
 *
 * y = A x2 x ... xd x sums, for each i, the entries {i, j, ..., k} times
 * x_j ... x_k over all d - 1 other indices.  The packed tensor keeps the entry
 * of a multiset of indices once, at its descending order.
 *
 * The n indices are cut into row blocks.  The tensor's block of d row blocks, in
 * descending order, has the entries whose first index is in the first, and so
 * on.  They lie one after another, the last index running fastest.  Entries that
 * differ in the last index alone are a row.  A row block of b indices that is
 * named m times counts (b + m - 1 over m) times:
 *
 *	words of a block	the product of these
 *	rows of a block		the product without the last index
 *
 * An entry is read once and updates y of each of its different indices:
 *
 *	y_i += A times the product of x over the other d - 1 indices times the
 *	number of different orders of these
 *
 * For d = 3 block.h has blocks and updates of their own, for several vectors.
 */
#ifndef ASL_ORDER_H
#define ASL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/parts.h"

enum { ASL_LEAST_ORDER = 3, ASL_MOST_ORDER = 5 };

/* Ways to choose k of n. */
uint64_t asl_choose(uint64_t n, int k);

/* Words of a packed tensor: multisets of `order` of n indices. */
static inline uint64_t asl_packed_words(uint64_t n, int order)
{
	return asl_choose(n + (uint64_t)order - 1, order);
}

struct asl_tuple {
	int at[ASL_MOST_ORDER]; /* row blocks, descending */
};

struct asl_order_block {
	int order;
	struct asl_tuple row;
	struct asl_range in[ASL_MOST_ORDER]; /* indices of each row block */
};

/* Is the i-th row block the one before it, too? */
static inline bool asl_order_repeats(const struct asl_order_block *block, int i)
{
	return i > 0 && block->row.at[i] == block->row.at[i - 1];
}

/* The block of these row blocks, of n indices cut into m parts by asl_part. */
struct asl_order_block asl_order_block(uint64_t n, int m, int order,
				       const struct asl_tuple *row);

uint64_t asl_order_words(const struct asl_order_block *block);

/* Words of y that its entries update: one for each different index. */
uint64_t asl_order_products(const struct asl_order_block *block);

/* Entries at[0], ..., at[order - 1] and those after it in the last index. */
struct asl_order_row {
	uint64_t at[ASL_MOST_ORDER];
	uint64_t length;
};

struct asl_order_row asl_order_first(const struct asl_order_block *block);

/* Advance to the next row; false: that was the last one. */
bool asl_order_next(const struct asl_order_block *block,
		    struct asl_order_row *row);

/*
 * Update y with a block's words.  x[i] and y[i] are those of the i-th row block
 * from its first index on; the same row block has the same x and y.
 */
void asl_order_update(const struct asl_order_block *block, const double *A,
		      const double *const x[], double *const y[]);

#endif
