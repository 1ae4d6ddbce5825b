/*
 * sum.h -- numbers that all ranks add up, and all know afterwards
 *
 * They are in a tile, and travel through DRAM: stored, reduced to rank 0, spread,
 * and loaded.  A lone rank has nothing to add.
 */
#ifndef ASL_SUM_H
#define ASL_SUM_H

#include "lib/rank/collective.h"

struct asl_sum {
	struct asl_group all;
	struct asl_tile tile;
	struct asl_words mine, whole;
};

/* Room for up to `most` numbers. */
void asl_sum_take(struct asl_rank *r, struct asl_sum *s, int ranks,
		  uint64_t most);
void asl_sum_give(struct asl_rank *r, struct asl_sum *s);

/* The tile's first `count` words. */
void asl_sum_ranks(struct asl_rank *r, struct asl_sum *s, uint64_t count);

void asl_predict_sum_ranks(struct asl_counts *x, int ranks, int rank,
			   uint64_t count);

/* What is held with room for `most`, while so many are added up. */
uint64_t asl_sum_room(int ranks, int rank, uint64_t most, uint64_t count);

#endif
