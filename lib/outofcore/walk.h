/*
 * walk.h -- one pass through all tiles, in the plan's order
 *
 *	for all tiles of X
 *		fetch X
 *		for n[X] tiles of Y
 *			fetch Y
 *			for `again` tiles of Z
 *				fetch Z, and multiply
 *
 * where C, whichever it is, is put back before another tile of it is fetched.
 * How tiles are fetched, multiplied and put back is the method's; below is how
 * that goes between a rank's own pool and its own DRAM.
 *
 * DRAM		Room for X's leaves, and a leaf each of Y and Z; where A and B
 *		travel, one more each, to land in.
 */
#ifndef ASL_OUTOFCORE_WALK_H
#define ASL_OUTOFCORE_WALK_H

#include "lib/base/parts.h"
#include "lib/outofcore/outofcore.h"

/*
 * Which parts of A, B and C a rank works with, and which it owns
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

bool asl_ooc_owns(struct asl_piece *x, const struct asl_plan *plan, int rank,
		  enum asl_operand which, int i);

/* A piece of an array in DRAM. */
struct asl_ooc_tile {
	enum asl_operand which;
	int leaf[ASL_OPERANDS]; /* by index; not of the one it lacks */
	int part;		/* of k, where it has travelled to */
	bool sums;		/* of C: there are some in it */
	bool fresh;		/* of C: there are none in memory */
	struct asl_words room;
};

struct asl_ooc_walk {
	struct asl_rank *r;
	const struct asl_ooc_layout *l;

	/* asl_ooc_walk_take's, and then the method's where it has others. */
	void (*fetch)(struct asl_ooc_walk *w, struct asl_ooc_tile *t);
	void (*multiply)(struct asl_ooc_walk *w, struct asl_ooc_tile *A,
			 struct asl_ooc_tile *B, struct asl_ooc_tile *C);
	void (*put)(struct asl_ooc_walk *w, struct asl_ooc_tile *C);
	void *method; /* the method's own */

	struct asl_words array[ASL_OPERANDS]; /* all that it works with */
	int part;  /* of k, at the beginning of a tile's time */
	bool adds; /* C has sums of an earlier walk */

	struct asl_words rooms[ASL_OPERANDS], landing[ASL_OPERANDS];
	struct asl_ooc_tile *X, Y, Z;
};

/* Rooms, and ways to fetch, multiply and put.  `landings` for A and B. */
void asl_ooc_walk_take(struct asl_ooc_walk *w, bool landings);
void asl_ooc_walk_give(struct asl_ooc_walk *w);

void asl_ooc_walk(struct asl_ooc_walk *w);

/* ---- For methods ---- */

/* The words of it now. */
struct asl_words asl_ooc_tile_words(const struct asl_ooc_walk *w,
				    const struct asl_ooc_tile *t);

/* From its place in w->array, and to there, in the phase that it is. */
void asl_ooc_fetch(struct asl_ooc_walk *w, struct asl_ooc_tile *t);
void asl_ooc_put(struct asl_ooc_walk *w, struct asl_ooc_tile *C);

/* Between walks: all leaves of an array, in the room of its (first) tile. */
void asl_ooc_each_leaf(struct asl_ooc_walk *w, enum asl_operand which,
		       void (*see)(struct asl_ooc_walk *w,
				   struct asl_ooc_tile *t));

/* C += A B with these three as they are. */
void asl_ooc_multiply(struct asl_ooc_walk *w, struct asl_ooc_tile *A,
		      struct asl_ooc_tile *B, struct asl_ooc_tile *C);

#endif
