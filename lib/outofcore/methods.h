/*
 * methods.h -- what the files of the six algorithms share
 */
#ifndef ASL_OUTOFCORE_METHODS_H
#define ASL_OUTOFCORE_METHODS_H

#include "lib/outofcore/walk.h"

extern const struct asl_matmul asl_ooc_matmul;

/* ---- Shares of leaves: shares.c ---- */

/* Where a rank's shares of an array's leaves lie in what it owns. */
struct asl_ooc_shares {
	uint64_t *first; /* by leaf, by rows of leaves */
	struct asl_group all;
};

void asl_ooc_shares_take(struct asl_rank *r, struct asl_ooc_shares *s,
			 const struct asl_ooc_layout *l,
			 enum asl_operand which);
void asl_ooc_shares_give(struct asl_ooc_shares *s);

/* Of this tile: where in the tile, and in what the rank owns. */
struct asl_range asl_ooc_share_within(const struct asl_ooc_shares *s,
				      const struct asl_words *tile);
struct asl_words asl_ooc_share_owned(const struct asl_ooc_shares *s,
				     const struct asl_ooc_walk *w,
				     const struct asl_ooc_tile *t,
				     const struct asl_words *own);

/* ---- Closed forms: predict.c ---- */

uint64_t asl_ooc_owned(const struct asl_ooc_layout *l, enum asl_operand which);

#endif
