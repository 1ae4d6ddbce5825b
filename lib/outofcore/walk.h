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
 * A method says how tiles are fetched, multiplied and put back; the functions
 * below do so between a rank's own pool and its own DRAM.
 *
 * A rank works with a range of each index; the tiles of n parts and `again`
 * parts of these cut it into leaves.  A leaf of an array is a pair of leaves of
 * its two indices: one fetch, and X's tile is `again` of them.  Indices go by the
 * operand that lacks them, as in the model.
 *
 * On a torus rank (i, j) has rows i, columns j, and one part of k after another,
 * beginning with part i + j: so A(i, x) and B(x, j) meet without an alignment.
 *
 * A rank owns the tiles that it works with, but not those that all ranks need:
 * of the operand that is replicated, and of C where k is cut, it owns a share of
 * every leaf, so that all ranks read the same amount when one is put together.
 *
 * DRAM holds X's leaves, and a leaf each of Y and Z; where A and B travel, one
 * more of each, to receive.
 */
#ifndef ASL_OUTOFCORE_WALK_H
#define ASL_OUTOFCORE_WALK_H

#include "lib/base/parts.h"
#include "lib/kernels/kernel.h"
#include "lib/outofcore/outofcore.h"

struct asl_ooc_layout {
	const struct asl_plan *plan;
	const struct asl_ooc_kind *kind;
	const struct asl_outofcore *o;
	int rank, ranks;
	enum asl_operand X, Y, Z;

	int q;			   /* the side of the torus; 1: no torus */
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

/* Parts that the index is cut into once more, within each of its n. */
static inline int asl_ooc_again(const struct asl_ooc_layout *l,
				enum asl_operand lacking)
{
	return l->Y == lacking ? l->o->again : 1;
}

/* The ranks that take part. */
int asl_ooc_ranks(const struct asl_plan *plan);

struct asl_ooc_layout asl_ooc_layout(const struct asl_plan *plan, int rank);

/* Do ranks own shares of every leaf, or the tiles that they work with? */
bool asl_ooc_is_shared(const struct asl_ooc_layout *l, enum asl_operand which);

/* The range of an index, for k of part `x`; and leaf i of it. */
struct asl_range asl_ooc_index(const struct asl_ooc_layout *l,
			       enum asl_operand lacking, int x);
struct asl_range asl_ooc_leaf(const struct asl_ooc_layout *l,
			      enum asl_operand lacking, int x, int i);

/* Words of the largest leaf. */
uint64_t asl_ooc_largest(const struct asl_ooc_layout *l,
			 enum asl_operand which);

/* How often the loops pass over the array. */
int asl_ooc_passes(const struct asl_ooc_layout *l, enum asl_operand which);

/* Words that a rank owns, of one product (methods.c). */
uint64_t asl_ooc_owned(const struct asl_ooc_layout *l, enum asl_operand which);

extern const struct asl_matmul asl_ooc_matmul;

/* A piece of an array in DRAM. */
struct asl_ooc_tile {
	enum asl_operand which;
	int leaf[ASL_OPERANDS]; /* by index; not of the one it lacks */
	int part;		/* of k, where it has travelled to */
	bool sums;		/* C: it has sums */
	bool first, last;	/* C: of all times that it is fetched */
	struct asl_words room;
};

struct asl_ooc_walk {
	struct asl_rank *r;
	const struct asl_ooc_layout *l;

	/* asl_ooc_walk_take sets those below; a method may replace them. */
	void (*fetch)(struct asl_ooc_walk *w, struct asl_ooc_tile *t);
	void (*multiply)(struct asl_ooc_walk *w, struct asl_ooc_tile *A,
			 struct asl_ooc_tile *B, struct asl_ooc_tile *C);
	void (*put)(struct asl_ooc_walk *w, struct asl_ooc_tile *C);
	void *method; /* the method's own */

	struct asl_words array[ASL_OPERANDS]; /* the tiles of the loops */
	int part;			      /* of k, that tiles begin with */
	bool adds; /* C has sums of an earlier walk */
	bool ends; /* no later walk adds to them */

	/* The plan's: of the sums, and of C as it was (0: not read). */
	double ab_factor, c_factor;

	/* DRAM, cut into the rooms of tiles and a landing, which swap. */
	struct asl_words rooms[ASL_OPERANDS], landing[ASL_OPERANDS];
	struct asl_ooc_tile *tile[ASL_OPERANDS]; /* of X: `again` of them */
};

/* Allocate the tiles of arrays; `landings` to receive A and B as well. */
void asl_ooc_walk_take(struct asl_ooc_walk *w,
		       const struct asl_words array[ASL_OPERANDS],
		       bool landings);
void asl_ooc_walk_give(struct asl_ooc_walk *w);

void asl_ooc_walk(struct asl_ooc_walk *w);

/* ---- For methods ---- */

struct asl_words asl_ooc_tile_words(const struct asl_ooc_walk *w,
				    const struct asl_ooc_tile *t);

/* Does the pool have nothing yet that the tile adds to? */
static inline bool asl_ooc_is_fresh(const struct asl_ooc_walk *w,
				    const struct asl_ooc_tile *C)
{
	return C->first && w->c_factor == 0;
}

/*
 * Copy from the tile's place in w->array, and to it, in the current phase.  C's sums
 * are those of A B while they grow: so C as it was comes times c_factor / ab_factor,
 * and leaves times ab_factor in the end.
 */
void asl_ooc_fetch(struct asl_ooc_walk *w, struct asl_ooc_tile *t);
void asl_ooc_put(struct asl_ooc_walk *w, struct asl_ooc_tile *C);

/* A product of tiles. */
static inline struct asl_product asl_ooc_product(const struct asl_plan *plan,
						 uint64_t m, uint64_t n,
						 uint64_t k, bool add)
{
	return (struct asl_product){
		.m = m,
		.n = n,
		.k = k,
		.cache = plan->cache,
		.read_cost = plan->costs.dram_read,
		.write_cost = plan->costs.dram_write,
		.A = ASL_DRAM,
		.B = ASL_DRAM,
		.C = ASL_DRAM,
		.add = add,
	};
}

/* C += A B for three tiles. */
void asl_ooc_multiply(struct asl_ooc_walk *w, struct asl_ooc_tile *A,
		      struct asl_ooc_tile *B, struct asl_ooc_tile *C);

/* Between walks: all leaves of an array, in the room of its (first) tile. */
void asl_ooc_each_leaf(struct asl_ooc_walk *w, enum asl_operand which,
		       void (*see)(struct asl_ooc_walk *w,
				   struct asl_ooc_tile *t));

#endif
