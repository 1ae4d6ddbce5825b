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

#include "lib/outofcore/layout.h"

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
