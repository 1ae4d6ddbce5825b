/*
 * layout.h -- which parts of A, B and C a rank works with, and which it owns
 *
 * A rank works with a range of each index; the tiles of n parts and `again`
 * parts of these cut it into leaves.  A leaf of an array is a pair of leaves of
 * its two indices: what is fetched at a time, and X's tile is `again` of them.
 * Indices go by the operand that lacks them, as in the model.
 *
 * On a torus rank (i, j) has rows i, columns j, and of k one part after the
 * other. It begins with part i + j: so A(i, x) and B(x, j) meet without being
 * aligned first.
 *
 * What a rank works with it owns, but for what all need: the operand that is
 * replicated, and C where k is cut.  Of those it owns a share of every leaf, so
 * that all ranks have the same to read when one is put together.
 */
#ifndef ASL_OUTOFCORE_LAYOUT_H
#define ASL_OUTOFCORE_LAYOUT_H

#include "lib/matrix/parts.h"
#include "lib/outofcore/outofcore.h"

struct asl_ooc_layout {
	const struct asl_plan *plan;
	const struct asl_outofcore *o;
	int rank, ranks;
	enum asl_operand X, Y, Z;

	int q;			   /* the torus; 1: there is none */
	int home;		   /* the part of k that it begins with */
	struct asl_group row, col; /* along which A and B rotate */

	struct asl_range index[ASL_OPERANDS]; /* k: all parts of it */
	int leaves[ASL_OPERANDS];	      /* by index */
};

/* Indices of rows and columns. */
static inline enum asl_operand asl_ooc_rows(enum asl_operand which)
{
	return which == ASL_B ? ASL_C : ASL_B;
}

static inline enum asl_operand asl_ooc_cols(enum asl_operand which)
{
	return which == ASL_A ? ASL_C : ASL_A;
}

struct asl_ooc_layout asl_ooc_layout(const struct asl_plan *plan, int rank);

/* How many ranks take part. */
int asl_ooc_ranks(const struct asl_plan *plan);

/* Has every rank a share of each leaf?  Else it owns all that it works with. */
bool asl_ooc_spread(const struct asl_ooc_layout *l, enum asl_operand which);

/* Where the index is, part `x` of k. */
struct asl_range asl_ooc_index(const struct asl_ooc_layout *l,
			       enum asl_operand lacking, int x);

/* Leaf i of it. */
struct asl_range asl_ooc_leaf(const struct asl_ooc_layout *l,
			      enum asl_operand lacking, int x, int i);

/* Words of the largest leaf. */
uint64_t asl_ooc_largest(const struct asl_ooc_layout *l,
			 enum asl_operand which);

/* How often it is passed over. */
int asl_ooc_passes(const struct asl_ooc_layout *l, enum asl_operand which);

/* ---- As struct asl_matmul wants them ---- */

void asl_ooc_owns(struct asl_piece own[ASL_OPERANDS],
		  const struct asl_plan *plan, int rank);
bool asl_ooc_owns_also(struct asl_piece *x, const struct asl_plan *plan,
		       int rank, enum asl_operand which, int i);

#endif
