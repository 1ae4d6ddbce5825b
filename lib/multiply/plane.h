/*
 * plane.h -- a plane of ranks: pr x pc, with blocks of A, B and C on each
 *
 * Rank (i, j) owns C(i, j), A(i, j) and B(i, j), each of them whole.  The rows
 * of A and C are cut into pr parts and the columns of B and C into pc.  k is cut
 * twice: by A's columns into pc parts and by B's rows into pr, and the two cuts
 * agree on a square grid only.  A strip of k within a part of both has one owner
 * column, whose blocks of A reach the others along rows, and one owner row,
 * whose blocks of B reach the others along columns.
 *
 * What is sent or received passes through a panel; what a line of one rank
 * owns is used where it lies.  The owner packs its block into its panel first,
 * even where the block is contiguous: a broadcast ends with an allgather, which
 * writes at the root too, and operands are only read.
 */
#ifndef ASL_PLANE_H
#define ASL_PLANE_H

#include "lib/multiply/multiply.h"
#include "lib/rank/collective.h"

struct asl_plane {
	struct asl_range m, n;	 /* C(i, j) */
	struct asl_range kA, kB; /* of k: columns of A(i, j), rows of B(i, j) */
	struct asl_group row,
		col; /* ranks (i, 0), (i, 1), ... and (0, j), ... */
};

/* The plan's axes are m and n, then k, which the grid leaves uncut. */
struct asl_plane asl_plane(const struct asl_plan *plan, int rank);

/* ---- As struct asl_matmul asks ---- */

#define ASL_PLANE_GRID                                                         \
	{                                                                      \
		.axes = "mnk", .text = "pr x pc x 1", .most = { 0, 0, 1 }      \
	}

/* Blocks of C as nearly square as the shape allows. */
void asl_plane_ideal(double p[3], const struct asl_plan *plan);
bool asl_plane_owns(struct asl_piece *x, const struct asl_plan *plan, int rank,
		    enum asl_operand which, int i);

/* Every panel comes once, and C is completed in as many passes as strips. */
void asl_plane_lower_bound(struct asl_lower_bound *least,
			   const struct asl_plan *plan,
			   const struct asl_box *box,
			   const struct asl_rates *rates);

/* All three operands' words. */
uint64_t asl_plane_owned(const struct asl_plane *x);

/* ---- Strips of k ---- */

struct asl_strip {
	struct asl_range k; /* in the matrix */
	int column, row;    /* who own it, of A and of B */
};

/* From `first` on, up to `most` deep, or to where either cut ends a part. */
struct asl_strip asl_plane_strip(const struct asl_plan *plan, uint64_t first,
				 uint64_t most);

/* The deepest of all strips. */
uint64_t asl_plane_deepest(const struct asl_plan *plan, uint64_t most);

/* ---- Panels ---- */

struct asl_panels {
	struct asl_words A, B; /* none where nothing is sent */
};

/* For blocks of up to rows x depth of A, and depth x cols of B. */
void asl_panels_take(struct asl_rank *r, struct asl_panels *panels,
		     const struct asl_plan *plan, const struct asl_plane *x,
		     uint64_t rows, uint64_t cols, uint64_t depth);
void asl_panels_give(struct asl_rank *r, struct asl_panels *panels,
		     const struct asl_plane *x);

/*
 * These rows of A(i, *) within a strip, and these columns of B(*, j); in the
 * panel, or in place.  All ranks of the row (column) must ask for the same.
 */
struct asl_block
asl_plane_spread_A(struct asl_rank *r, const struct asl_plane *x,
		   const struct asl_strip *s, struct asl_range rows,
		   const struct asl_words *own, struct asl_panels *panels);
struct asl_block
asl_plane_spread_B(struct asl_rank *r, const struct asl_plane *x,
		   const struct asl_strip *s, struct asl_range cols,
		   const struct asl_words *own, struct asl_panels *panels);

/* ---- Closed forms ---- */

/* Blocks of one depth in k: how many there are, and how many a rank owns. */
struct asl_depth {
	uint64_t depth, many, of_A, of_B;
};

/*
 * All strips in pieces of up to `most`, by depth.  The first strip's comes
 * first; one that is not may come up more than once.
 */
void asl_plane_each_depth(const struct asl_plan *plan,
			  const struct asl_plane *x, uint64_t most,
			  void (*visit)(const struct asl_depth *d, void *arg),
			  void *arg);

/*
 * Add what blocks of `words` words count that travel along a line: `many` of
 * them, of which this rank owns `own`.
 */
void asl_plane_predict_spread(struct asl_counts *counts,
			      const struct asl_group *line, uint64_t words,
			      uint64_t many, uint64_t own,
			      enum asl_where panels);

/* Words of both panels. */
uint64_t asl_panels_words(const struct asl_plane *x, uint64_t rows,
			  uint64_t cols, uint64_t depth);

#endif
