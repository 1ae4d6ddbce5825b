/*
 * replay.h -- for verbs: the traffic that they would cause in a hardware cache
 *
 * A rank with a replay tells a model of a cache (lru.h) which words its verbs
 * touch, and in which order.  Counts and data do not depend on it.
 *
 * Addresses	A rank's main memory is one address space, in which each piece
 *		lies as low as it fits while it is held, on cache lines of its
 *		own, whatever the real addresses are.  Without data pieces have
 *		addresses that must not be read or written.
 * Tiles	A tile is ordinary memory: a buffer that loads copy to and stores
 *		copy from.  But a tile that asl_tile_begin laid over a block is
 *		the words of that block, and loading or storing it does nothing.
 * Multiplying	goes sliver by sliver; in a sliver, for all rows i of A, for all
 *		columns l of A: word (i, l) of A and row l of B are read, and row
 *		i of the tile is written.
 * Computing	of other kinds reads the streamed words, one after another.  Its
 *		use of tiles, which stay in the cache, is not replayed.
 * Network	The processor copies words from where they are sent to where they
 *		arrive.
 *
 * A NULL replay does nothing.
 */
#ifndef ASL_REPLAY_H
#define ASL_REPLAY_H

#include "lib/rank/rank.h"

/* Empty the cache; pieces keep their addresses. */
void asl_replay_clear(struct asl_replay *x);

/* A piece of main memory; *at gets an address if it is NULL.  0 or -ENOMEM. */
int asl_replay_take(struct asl_replay *x, double **at, enum asl_type type,
		    uint64_t count);
void asl_replay_give(struct asl_replay *x, const double *at);

void asl_replay_words(struct asl_replay *x, const struct asl_words *words,
		      bool write);

/* dst = a, dst = a + b, or (both NULL) dst = 0; dst = dst does nothing. */
void asl_replay_move(struct asl_replay *x, const struct asl_block *dst,
		     const struct asl_block *a, const struct asl_block *b);

void asl_replay_multiply(struct asl_replay *x, const struct asl_block *C,
			 const struct asl_block *A, const struct asl_block *B,
			 uint64_t depth);

/* The rank's replay; NULL in phases that do not count. */
static inline struct asl_replay *asl_replay_of(const struct asl_rank *r)
{
	return r->replay && asl_phase_counts(r->phase) ? r->replay : NULL;
}

#endif
