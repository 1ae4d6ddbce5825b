/*
 * sum.c -- numbers that all ranks add up
 */
#include "lib/symmetric/sum.h"

void asl_sum_take(struct asl_rank *r, struct asl_sum *s, int ranks,
		  uint64_t most)
{
	s->all = (struct asl_group){.stride = 1, .size = ranks, .me = r->id};
	asl_tile_take(r, &s->tile, 1, most);
	asl_take(r, &s->mine, ASL_DRAM, ranks > 1 ? most : 0);
	asl_take(r, &s->whole, ASL_DRAM, ranks > 1 ? most : 0);
}

void asl_sum_give(struct asl_rank *r, struct asl_sum *s)
{
	asl_give(r, &s->whole);
	asl_give(r, &s->mine);
	asl_tile_give(r, &s->tile);
}

void asl_sum_ranks(struct asl_rank *r, struct asl_sum *s, uint64_t count)
{
	struct asl_words mine = asl_slice(&s->mine, 0, count);
	struct asl_words whole = asl_slice(&s->whole, 0, count);
	struct asl_block to = asl_as_block(&mine, 1, count);
	struct asl_block from = asl_as_block(&whole, 1, count);
	struct asl_tile row = asl_tile_row(&s->tile, 0, count);

	if (s->all.size == 1)
		return;
	row.room = count;
	asl_tile_store(r, &to, &row);
	asl_reduce(r, &s->all, 0, &whole, &mine);
	asl_broadcast(r, &s->all, 0, &whole);
	asl_tile_load(r, &row, &from);
}

void asl_predict_sum_ranks(struct asl_counts *x, int ranks, int rank,
			   uint64_t count)
{
	if (ranks == 1)
		return;
	x->of[ASL_DRAM_WRITE] += count;
	asl_predict_reduce(x, count, ranks, rank, 0, ASL_DRAM, ASL_DRAM);
	asl_predict_broadcast(x, count, ranks, rank, 0, ASL_DRAM);
	x->of[ASL_DRAM_READ] += count;
}

uint64_t asl_sum_room(int ranks, int rank, uint64_t most, uint64_t count)
{
	if (ranks == 1)
		return most;
	return 3 * most + asl_reduce_room(count, ranks, rank, 0);
}
