/*
 * collective.h -- collective operations of a group of ranks
 *
 * Bandwidth-optimal, for any group size p and any length W.  A vector of W
 * words is shared out as asl_share says, q[i] words to member i.  For member j:
 *
 *	operation	p	sent		received	messages
 *	allgather	2^x	W - q[j] (+x)	W - q[j]	x
 *			else	W - q[j+1]	W - q[j]	p - 1
 *	reduce_scatter	2^x	W - q[j] (+x)	W - q[j] (+x)	x
 *	(and _tile)	else	W - q[j]	W - q[j-1]	p - 1
 *	gather			root 0, else q[j]  root W - q[j]  root 0, else 1
 *	scatter			root W - q[j], else 0  else q[j]  root p - 1
 *	broadcast		scatter, then allgather
 *	reduce			reduce_scatter, then gather
 *
 * where (+x): up to one word a step more or less when p does not divide W.
 * Each has a closed form of all its counters, written independently of the
 * operation: asl_predict_*.  A group of one and W = 0 need no messages; a tile is
 * stored all the same.
 */
#ifndef ASL_COLLECTIVE_H
#define ASL_COLLECTIVE_H

#include "lib/rank/rank.h"

/* all = every member's part; this member's part is in place already. */
void asl_allgather(struct asl_rank *r, const struct asl_group *g,
		   struct asl_words *all);

/*
 * mine = this member's part of the sum of every member's `whole`, where it may lie
 * in its place; with `mine` NULL sums are formed in `whole`, which is destroyed but
 * for this part.
 */
void asl_reduce_scatter(struct asl_rank *r, const struct asl_group *g,
			struct asl_words *mine, const struct asl_words *whole);

/*
 * Zero a tile for a product that asl_reduce_scatter_tile will sum and store to
 * `mine`: in a group of one it is laid over that (asl_tile_begin).
 */
void asl_begin_sum(const struct asl_rank *r, const struct asl_group *g,
		   const struct asl_words *mine, struct asl_tile *tile,
		   uint64_t rows, uint64_t cols);

/*
 * Reduce-scatter straight from the cache: sums are formed in the tile, by rows,
 * which destroys it; this member's part is stored to `mine`.  In a group of one
 * that is the whole tile.
 */
void asl_reduce_scatter_tile(struct asl_rank *r, const struct asl_group *g,
			     struct asl_words *mine, struct asl_tile *tile);

/* At the root all = every member's part, its own in place; else unused. */
void asl_gather(struct asl_rank *r, const struct asl_group *g, int root,
		struct asl_words *all, const struct asl_words *mine);

/* mine = this member's part of the root's `all`; the root's stays in `all`. */
void asl_scatter(struct asl_rank *r, const struct asl_group *g, int root,
		 struct asl_words *mine, const struct asl_words *all);

/* all = the root's. */
void asl_broadcast(struct asl_rank *r, const struct asl_group *g, int root,
		   struct asl_words *all);

/* At the root: sum = the sum of every member's `whole`, which sum may be. */
void asl_reduce(struct asl_rank *r, const struct asl_group *g, int root,
		struct asl_words *sum, const struct asl_words *whole);

/*
 * sum = the sum of every member's, the same bits at all of them, in log2 p steps, and two
 * more where p is no power of two.  All words pass in each: for a handful.  `in`, as
 * long, receives the others'.
 */
void asl_sum_few(struct asl_rank *r, const struct asl_group *g,
		 struct asl_words *sum, struct asl_words *in);

/* ---- Closed forms: add to *x what member j of p counts ---- */

void asl_predict_allgather(struct asl_counts *x, uint64_t W, int p, int j,
			   enum asl_where all);
void asl_predict_reduce_scatter(struct asl_counts *x, uint64_t W, int p, int j,
				enum asl_where mine, enum asl_where whole);
void asl_predict_reduce_scatter_tile(struct asl_counts *x, uint64_t W, int p,
				     int j, enum asl_where mine);
void asl_predict_gather(struct asl_counts *x, uint64_t W, int p, int j,
			int root, enum asl_where all, enum asl_where mine);
void asl_predict_scatter(struct asl_counts *x, uint64_t W, int p, int j,
			 int root, enum asl_where mine, enum asl_where all);
void asl_predict_broadcast(struct asl_counts *x, uint64_t W, int p, int j,
			   int root, enum asl_where all);
void asl_predict_reduce(struct asl_counts *x, uint64_t W, int p, int j,
			int root, enum asl_where sum, enum asl_where whole);
/* The sum and what comes in are in DRAM. */
void asl_predict_sum_few(struct asl_counts *x, uint64_t W, int p, int j);

/* DRAM words that reductions need as scratch. */
uint64_t asl_reduce_scatter_scratch(uint64_t W, int p, int j);
uint64_t asl_reduce_scatter_tile_scratch(uint64_t W, int p, int j);
uint64_t asl_reduce_scratch(uint64_t W, int p, int j, int root);

#endif
