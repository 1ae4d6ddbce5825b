/*
 * fused.h -- how `fused` cuts a brick: bands, slices and tiles, for fused_*.c
 *
 * One operand is held, the other streamed.  The brick's length along m, if A is
 * held, else along n, is cut into bands, and these into tiles; its length along
 * the other is cut into slices, a tile wide.  All ranks use the same numbers,
 * whatever the size of their brick, because lines of them gather together.
 */
#ifndef ASL_FUSED_H
#define ASL_FUSED_H

#include "lib/multiply/brick.h"

struct asl_fused {
	const struct asl_plan *plan;
	struct asl_brick x;
	bool holds_A;
	int bands, tiles, slices;

	struct asl_range along, across; /* held and streamed, of the matrix */
	const struct asl_group *holders,
		*streamers; /* lines that gather them */
};

/* *f points into itself: it stays where it is. */
void asl_fused_init(struct asl_fused *f, const struct asl_plan *plan, int rank);

/* Bands and slices of the plan, where not given. */
void asl_fused_blocks(struct asl_plan *plan);

void asl_fused_floor(struct asl_least *least, const struct asl_plan *plan,
		     const struct asl_box *box, const struct asl_rates *rates);

/* Shares are taken to be rounded up. */
uint64_t asl_fused_enough(const struct asl_plan *plan);

void asl_fused_predict(struct asl_ledger *out, const struct asl_plan *plan,
		       int rank);

/* Pieces of the matrix, in places of the matrix. */
struct asl_range asl_fused_band(const struct asl_fused *f, int band);
struct asl_range asl_fused_tile(const struct asl_fused *f, int band, int tile);
struct asl_range asl_fused_slice(const struct asl_fused *f, int slice);

/* Slices that have room in memory: the next one comes while one is used. */
int asl_fused_slices_held(const struct asl_fused *f);

#endif
