/*
 * cache.c -- verbs on tiles: loading, storing and multiplying
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "lib/base/parts.h"
#include "lib/rank/blas.h"
#include "lib/rank/rank.h"
#include "lib/rank/replay.h"
#include "lib/rank/verbs.h"

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
	t->data = r->data && t->at;
	r->cache_held += t->room;
	asl_tile_zero(t, rows, cols);
}

void asl_tile_give(struct asl_rank *r, struct asl_tile *t)
{
	r->held[ASL_DRAM] -= t->room;
	r->cache_held -= t->room;
	asl_give_words(r, t->at, ASL_DRAM);
	*t = (struct asl_tile){0};
}

void asl_tile_zero(struct asl_tile *t, uint64_t rows, uint64_t cols)
{
	t->rows = rows;
	t->cols = cols;
	t->zero = true;
	t->over = (struct asl_block){0};
	t->from = NULL;
}

void asl_tile_begin(struct asl_tile *t, const struct asl_block *block)
{
	asl_tile_zero(t, block->rows, block->cols);
	t->over = *block;
}

/* Where it is in a cache that knows of no tiles. */
static struct asl_block place_of(const struct asl_tile *t)
{
	return t->over.at ? t->over
			  : (struct asl_block){ASL_DRAM, t->rows, t->cols,
					       t->cols, t->at};
}

void asl_tile_load(struct asl_rank *r, struct asl_tile *dst,
		   const struct asl_block *src)
{
	struct asl_block place;
	double since;

	if (r->err)
		return;
	assert(src->rows * src->cols <= dst->room);
	dst->rows = src->rows;
	dst->cols = src->cols;
	dst->zero = false;
	if (dst->over.at != src->at)
		dst->over = (struct asl_block){0};
	dst->from = src->at;
	place = place_of(dst);
	asl_replay_move(asl_replay_of(r), &place, src, NULL);
	asl_charge(r, src->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
		   src->rows * src->cols);
	if (!r->data || !asl_does_tiles(r))
		return;
	since = asl_now();
	asl_store_read(r->memory[src->where], dst->at, dst->cols, src->at,
		       src->ld, src->rows, src->cols);
	asl_time_since(r, ASL_MOVES, since);
}

void asl_tile_store(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_tile *src)
{
	struct asl_block place = place_of(src);
	double since;

	if (r->err)
		return;
	assert(dst->rows == src->rows && dst->cols == src->cols);
	asl_replay_move(asl_replay_of(r), dst, src->zero ? NULL : &place, NULL);
	asl_charge_block(
		r, dst->where == ASL_POOL ? ASL_NVM_WRITE : ASL_DRAM_WRITE,
		dst);
	if (r->resume)
		asl_resume_store(r, dst, src);
	if (!r->data || !asl_does_tiles(r))
		return;
	since = asl_now();
	if (src->zero)
		memset(src->at, 0, src->rows * src->cols * sizeof(double));
	asl_store_write(r->memory[dst->where], dst->at, dst->ld, src->at,
			src->cols, dst->rows, dst->cols);
	asl_time_since(r, ASL_MOVES, since);
}

/* What is not there yet is about to be looked at. */
static void write_zeros(struct asl_tile *t)
{
	if (t->zero && t->data)
		memset(t->at, 0, t->rows * t->cols * sizeof(double));
	t->zero = false;
}

struct asl_words asl_tile_words(struct asl_tile *t, uint64_t first,
				uint64_t count)
{
	assert(first + count <= t->rows * t->cols);
	write_zeros(t);
	return (struct asl_words){ASL_CACHE, count,
				  t->at ? t->at + first : NULL};
}

struct asl_tile asl_tile_row(struct asl_tile *t, uint64_t first, uint64_t count)
{
	struct asl_words x = asl_tile_words(t, first, count);

	return (struct asl_tile){
		.rows = 1, .cols = count, .at = x.at, .data = t->data};
}

struct asl_tile asl_tile_rows(struct asl_tile *t, uint64_t first,
			      uint64_t count)
{
	struct asl_words x =
		asl_tile_words(t, first * t->cols, count * t->cols);

	return (struct asl_tile){.rows = count,
				 .cols = t->cols,
				 .at = x.at,
				 .data = t->data,
				 .room = x.count};
}

void asl_compute(struct asl_rank *r, const struct asl_words *streamed,
		 uint64_t flops, void (*use)(const double *at, void *arg),
		 void *arg)
{
	double since;

	if (r->err)
		return;
	if (streamed) {
		asl_replay_words(asl_replay_of(r), streamed, false);
		asl_charge(r,
			   streamed->where == ASL_POOL ? ASL_NVM_READ
						       : ASL_DRAM_READ,
			   streamed->count);
	}
	asl_charge(r, ASL_FLOPS, flops);
	if (!r->data || !asl_does_tiles(r))
		return;
	since = asl_now();
	use(streamed ? streamed->at : NULL, arg);
	asl_time_since(r, ASL_COMPUTES, since);
}

/* A and B in a range of k. */
static void add_product(struct asl_rank *r, struct asl_tile *c,
			const struct asl_block *A, const struct asl_block *B,
			struct asl_range k)
{
	double since = asl_now();

	asl_gemm(c->rows, c->cols, k.count, A->at + k.first, A->ld,
		 B->at + k.first * B->ld, B->ld, c->zero ? 0 : 1, c->at,
		 c->cols);
	asl_time_since(r, ASL_COMPUTES, since);
}

/* Deep enough to keep the BLAS busy between two looks at the network. */
enum { BREATH = 256 };

void asl_multiply(struct asl_rank *r, struct asl_tile *c,
		  const struct asl_block *A, const struct asl_block *B,
		  uint64_t depth)
{
	uint64_t sliver = asl_min(depth, A->cols), step;
	struct asl_block place = place_of(c);
	bool acts = r->data && asl_does_tiles(r);

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
	asl_replay_multiply(asl_replay_of(r), &place, A, B, depth);
	asl_charge(r, A->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
		   A->rows * A->cols);
	asl_charge(r, B->where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
		   B->rows * B->cols);
	asl_charge(r, ASL_FLOPS, 2 * c->rows * c->cols * A->cols);
	for (uint64_t l = 0; l < A->cols; l += step) {
		step = acts && asl_overlap_poll(r)
			       ? asl_min(BREATH, A->cols - l)
			       : A->cols - l;
		if (acts)
			add_product(r, c, A, B, (struct asl_range){l, step});
		c->zero = false;
	}
}
