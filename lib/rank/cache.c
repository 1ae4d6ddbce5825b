/*
 * cache.c -- verbs on tiles: loading, storing and multiplying
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "lib/rank/blas.h"
#include "lib/rank/charge.h"
#include "lib/rank/rank.h"

void asl_tile_take(struct asl_rank *r, struct asl_tile *t, uint64_t rows,
		   uint64_t cols)
{
	*t = (struct asl_tile){0};
	if (!r->err && rows * cols > r->cache - r->cache_held)
		asl_rank_fail(r, -ENOTRECOVERABLE,
			      "a tile of %ju x %ju words does not fit into a "
			      "cache of %ju, of which %ju are taken",
			      rows, cols, r->cache, r->cache_held);
	t->room = asl_take_words(r, &t->at, ASL_DRAM, rows * cols);
	r->cache_held += t->room;
	asl_tile_zero(t, rows, cols);
}

void asl_tile_give(struct asl_rank *r, struct asl_tile *t)
{
	r->held[ASL_DRAM] -= t->room;
	r->cache_held -= t->room;
	asl_store_give(r->memory[ASL_DRAM], t->at);
	*t = (struct asl_tile){0};
}

void asl_tile_zero(struct asl_tile *t, uint64_t rows, uint64_t cols)
{
	t->rows = rows;
	t->cols = cols;
	t->zero = true;
}

void asl_tile_load(struct asl_rank *r, struct asl_tile *dst,
		   const struct asl_block *src)
{
	double since;

	if (r->err)
		return;
	assert(src->rows * src->cols <= dst->room);
	dst->rows = src->rows;
	dst->cols = src->cols;
	dst->zero = false;
	asl_charge(r, src->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
		   src->rows * src->cols);
	if (!r->data)
		return;
	since = asl_now();
	asl_store_read(r->memory[src->where], dst->at, dst->cols, src->at,
		       src->ld, src->rows, src->cols);
	asl_spent(r, ASL_MOVES, since);
}

void asl_tile_store(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_tile *src)
{
	double since;

	if (r->err)
		return;
	assert(dst->rows == src->rows && dst->cols == src->cols);
	asl_charge(r, dst->where == ASL_POOL ? ASL_NVM_WRITE : ASL_DRAM_WRITE,
		   dst->rows * dst->cols);
	if (!r->data)
		return;
	since = asl_now();
	if (src->zero)
		memset(src->at, 0, src->rows * src->cols * sizeof(double));
	asl_store_write(r->memory[dst->where], dst->at, dst->ld, src->at,
			src->cols, dst->rows, dst->cols);
	asl_spent(r, ASL_MOVES, since);
}

void asl_multiply(struct asl_rank *r, struct asl_tile *c,
		  const struct asl_block *A, const struct asl_block *B,
		  uint64_t depth)
{
	uint64_t sliver = depth < A->cols ? depth : A->cols;
	double since;

	if (r->err)
		return;
	assert(A->rows == c->rows && B->cols == c->cols && A->cols == B->rows);
	if (sliver * (A->rows + B->cols) > r->cache - r->cache_held) {
		asl_rank_fail(r, -ENOTRECOVERABLE,
			      "slivers %ju deep of a %ju x %ju tile do not fit "
			      "into a cache of %ju words",
			      sliver, c->rows, c->cols, r->cache);
		return;
	}
	asl_charge(r, A->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
		   A->rows * A->cols);
	asl_charge(r, B->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
		   B->rows * B->cols);
	asl_charge(r, ASL_FLOPS, 2 * c->rows * c->cols * A->cols);
	if (!A->cols)
		return;
	if (r->data) {
		since = asl_now();
		asl_gemm(c->rows, c->cols, A->cols, A->at, A->ld, B->at, B->ld,
			 c->zero ? 0 : 1, c->at, c->cols);
		asl_spent(r, ASL_COMPUTES, since);
	}
	c->zero = false;
}
