/*
 * pair.h -- C = A B on one rank, where A, B and C are tensors
 *
 * Every index is in two of them or in all three: in A and C (a row of the
 * product), in B and C (a column), in A and B (summed over) or in all (a batch:
 * one product for each of its values).  There are two ways:
 *
 *	product		a kernel of lib/kernels, once per batch.  A and B must
 *			have each group of indices in one piece, as a matrix has
 *			its rows and columns; otherwise they, or C, pass through
 *			a copy in DRAM that does.
 *	vector		for products with little work per word: all batches are
 *			the innermost loop, and C(i, j) += A(i, k) B(k, j) acts on
 *			vectors of them.
 *
 * The way, and the order of indices within each group, are those of least time.
 * The vector way works in slices of the sum and of the batches so small that a
 * slice of B and a vector of C fit into S, and
 *
 *	reads	A, once for each column; B, once; C, once for each slice of the
 *		sum but the first
 *	writes	C, once for each slice of the sum
 */
#ifndef ASL_PAIR_H
#define ASL_PAIR_H

#include "lib/contract/spec.h"

/* A tensor in a rank's main memory. */
struct asl_view {
	const struct asl_term *term; /* borrowed */
	enum asl_where where;
	double *at;
	uint64_t stride[ASL_MOST_INDICES]; /* by index */
};

/* These words, in the order of the term's indices; index i is len[i] long. */
struct asl_view asl_view_dense(const struct asl_words *x,
			       const struct asl_term *t, const uint64_t *len);

/* A view for predictions: dense, in DRAM, without an address. */
struct asl_view asl_view_nowhere(const struct asl_term *t, const uint64_t *len);

/*
 * dst = src, which have the same indices.  A tile reads a block in the order of
 * src and writes it in that of dst: every word is read once and written once.
 * The closed form returns the words of the tile.
 */
void asl_permute(struct asl_rank *r, const struct asl_view *dst,
		 const struct asl_view *src, const uint64_t *len);
uint64_t asl_permute_predict(struct asl_counts *x, const struct asl_view *dst,
			     const struct asl_view *src, const uint64_t *len,
			     uint64_t cache);

/*
 * Rough nanoseconds of the best way to multiply A by B and to keep these indices:
 * only ratios matter.  C, or if it is NULL the order that suits A and B, which
 * *order becomes, is the order of the result.
 */
double asl_pair_time(struct asl_term *order, const struct asl_term *A,
		     const struct asl_term *B, const struct asl_term *C,
		     uint32_t kept, const uint64_t *len);

void asl_pair_run(struct asl_rank *r, const struct asl_plan *plan,
		  const struct asl_view *C, const struct asl_view *A,
		  const struct asl_view *B, const uint64_t *len);

/* The closed form; returns the words of main memory that it takes. */
uint64_t asl_pair_predict(struct asl_counts *x, const struct asl_plan *plan,
			  const struct asl_view *C, const struct asl_view *A,
			  const struct asl_view *B, const uint64_t *len);

#endif
