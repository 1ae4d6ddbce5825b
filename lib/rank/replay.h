/*
 * replay.h -- for the verbs only: what a hardware cache would make of them
 *
 * A rank that is replayed tells a model of a cache (lib/model/lru.h) which words
 * its verbs touch, and in which order.  Counts and data do not depend on it.
 *
 * Addresses	A rank's main memory is one space of its own, in which a piece
 *		lies as low as it fits, on lines of its own, for as long as it is
 *		held: the same whatever is held for real, or nothing is.  Without
 *		data pieces have addresses at which nothing may be touched.
 * Tiles	are not different from other memory: a tile is a buffer that loads
 *		copy to and stores copy from.  But one that asl_tile_begin laid
 *		over a block is the words of that block, and its loading and
 *		storing is nothing.
 * Multiplying	goes sliver by sliver; in a sliver, for all rows i of A, for all
 *		columns l of A: word (i, l) of A and row l of B are read, and row
 *		i of the tile is written.
 * Computing	of other kinds reads the words streamed, one after another, and
 *		what it does to tiles, which it uses all the time, is not seen.
 * Network	Words are copied from where they are sent, to where they arrive,
 *		by the processor.
 *
 * NULL for a replay: nothing is replayed.
 */
#ifndef ASL_REPLAY_H
#define ASL_REPLAY_H

#include "lib/rank/rank.h"

/* Empty again; what is held keeps its addresses. */
void asl_replay_clear(struct asl_replay *x);

/* Main memory taken: *at is given an address if it has none.  0 or -ENOMEM. */
int asl_replay_take(struct asl_replay *x, double **at, uint64_t count);
void asl_replay_give(struct asl_replay *x, const double *at);

void asl_replay_words(struct asl_replay *x, const struct asl_words *words,
		      bool write);

/* dst = a, dst = a + b, or (both NULL) dst = 0; dst = dst is nothing. */
void asl_replay_move(struct asl_replay *x, const struct asl_block *dst,
		     const struct asl_block *a, const struct asl_block *b);

void asl_replay_multiply(struct asl_replay *x, const struct asl_block *C,
			 const struct asl_block *A, const struct asl_block *B,
			 uint64_t depth);

/* The rank's, in phases that count. */
static inline struct asl_replay *asl_replay_of(const struct asl_rank *r)
{
	return r->replay && asl_phase_counts(r->phase) ? r->replay : NULL;
}

#endif
