/*
 * pair.h -- C = A B on one rank, where A, B and C are tensors
 *
 * Every index is in two of them or in all three: in A and C (a row of the
 * product), in B and C (a column), in A and B (summed over) or in all (a batch:
 * a product for each).  Two ways:
 *
 *	product		a kernel of lib/kernels, once a batch.  A and B must have
 *			each group of indices in one piece, as a matrix has its
 *			rows and columns; else they, or C, pass through a copy
 *			in DRAM that does.
 *	vector		where a product has next to no work for each of its
 *			words: all batches at once are the innermost loop, and
 *			C(i, j) += A(i, k) B(k, j) acts on vectors of them.
 *
 * asl_pair_choose finds the way, and the order of indices within each group,
 * that take least time; run and predict follow it.  Vector, in slices of the sum
 * and of the batches so small that one of B and a vector of C fit into S:
 *
 *	reads	A, once for each column; B, once; C again, once for each slice of
 *		the sum but the first
 *	writes	C, once for each slice
 */
#ifndef ASL_PAIR_H
#define ASL_PAIR_H

#include "lib/contract/spec.h"

/*
 * A tensor in a rank's main memory, and another order for its words
 */

struct asl_view {
	const struct asl_term *term; /* borrowed */
	enum asl_where where;
	double *at;
	uint64_t stride[ASL_MOST_INDICES]; /* by index */
};

/* Words that a term spans where index i is len[i] long. */
uint64_t asl_view_words(const struct asl_term *t, const uint64_t *len);

/* These words, in the order of the term's indices. */
struct asl_view asl_view_dense(const struct asl_words *x,
			       const struct asl_term *t, const uint64_t *len);

/*
 * Indices that are gone through together, the last fastest: one dimension as
 * long as their product.  Those of length 1 are left out.
 */
struct asl_axis {
	int count, index[ASL_MOST_INDICES];
	uint64_t len;
};

/*
 * dst = src, which have the same indices.  By way of a tile, into which a block
 * is read in the order of src and out of which it is written in that of dst:
 * every word is read once and written once.
 */
void asl_permute(struct asl_rank *r, const struct asl_view *dst,
		 const struct asl_view *src, const uint64_t *len);
void asl_permute_predict(struct asl_counts *x, enum asl_where dst,
			 enum asl_where src, uint64_t words);
uint64_t asl_permute_room(const struct asl_view *dst,
			  const struct asl_view *src, const uint64_t *len,
			  uint64_t cache);

struct asl_pairing {
	bool vector;
	bool swapped; /* A is the second input, B the first */
	struct asl_axis batch, rows, cols, sum;
	bool copies[3]; /* A, B, C: of the pairing, not of the caller */
	uint64_t copied;

	/* The orders of indices that need no copy; of C, what suits the others. */
	struct asl_term order[3];
};

/*
 * C: the order in which C lies, or NULL: in whatever order comes out, which is
 * order[2].
 */
void asl_pair_choose(struct asl_pairing *p, const struct asl_view *A,
		     const struct asl_view *B, const struct asl_view *C,
		     uint32_t kept, const uint64_t *len);

/* Rough nanoseconds, to be compared with those of others. */
double asl_pairing_time(const struct asl_pairing *p);

void asl_pair_run(struct asl_rank *r, const struct asl_plan *plan,
		  const struct asl_view *C, const struct asl_view *A,
		  const struct asl_view *B, const uint64_t *len);

/* Its closed form; returns the words of main memory that it takes. */
uint64_t asl_pair_predict(struct asl_counts *x, const struct asl_plan *plan,
			  const struct asl_view *C, const struct asl_view *A,
			  const struct asl_view *B, const uint64_t *len);

#endif
