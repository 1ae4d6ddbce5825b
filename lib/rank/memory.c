/*
 * memory.c -- verbs on main memory: taking it, and moving words within it
 */
#include <assert.h>

#include "lib/base/error.h"
#include "lib/rank/rank.h"
#include "lib/rank/replay.h"
#include "lib/rank/verbs.h"

uint64_t asl_take_words(struct asl_rank *r, double **at, enum asl_where where,
			uint64_t count)
{
	int err;

	*at = NULL;
	if (r->err)
		return 0;
	err = asl_store_take(r->memory[where], at, count);
	if (err) {
		asl_rank_fail(r, err, "%s", asl_failure());
		return 0;
	}
	err = asl_replay_take(r->replay, at, count);
	if (err) {
		asl_give_words(r, *at, where);
		*at = NULL;
		asl_rank_fail(r, err,
			      "no addresses for the cache model of %ju words",
			      count);
		return 0;
	}
	if (r->resume)
		asl_walk_take(r, at, where, count);
	r->held[where] += count;
	asl_note_high(r);
	return count;
}

void asl_give_words(struct asl_rank *r, double *at, enum asl_where where)
{
	if (r->resume && !r->resume->store)
		return;
	asl_replay_give(r->replay, at);
	asl_store_give(r->memory[where], at);
}

void asl_take(struct asl_rank *r, struct asl_words *x, enum asl_where where,
	      uint64_t count)
{
	*x = (struct asl_words){.where = where};
	x->count = asl_take_words(r, &x->at, where, count);
}

/* Acts after an error too: what was taken is still given back. */
void asl_give(struct asl_rank *r, struct asl_words *x)
{
	r->held[x->where] -= x->count;
	if (r->resume && x->at)
		asl_walk_give(r, x->where, x->count);
	asl_give_words(r, x->at, x->where);
	*x = (struct asl_words){0};
}

struct asl_words asl_slice(const struct asl_words *x, uint64_t first,
			   uint64_t count)
{
	return (struct asl_words){x->where, count,
				  x->at ? x->at + first : NULL};
}

struct asl_block asl_as_block(const struct asl_words *x, uint64_t rows,
			      uint64_t cols)
{
	return (struct asl_block){x->where, rows, cols, cols, x->at};
}

struct asl_block asl_sub_block(const struct asl_block *x, uint64_t row,
			       uint64_t col, uint64_t rows, uint64_t cols)
{
	assert(row + rows <= x->rows && col + cols <= x->cols);
	return (struct asl_block){x->where, rows, cols, x->ld,
				  x->at ? x->at + row * x->ld + col : NULL};
}

static void charge_lifted(struct asl_rank *r, enum asl_where from, uint64_t n)
{
	if (from != ASL_CACHE)
		asl_charge(r, from == ASL_POOL ? ASL_NVM_LIFT : ASL_BOUNCE_READ,
			   n);
}

static void charge_landed(struct asl_rank *r, const struct asl_block *to)
{
	if (to->where != ASL_CACHE)
		asl_charge_block(r,
				 to->where == ASL_POOL ? ASL_NVM_LAND
						       : ASL_BOUNCE_WRITE,
				 to);
}

void asl_copy(struct asl_rank *r, struct asl_words *dst,
	      const struct asl_words *src)
{
	struct asl_block to = asl_as_block(dst, 1, dst->count);
	struct asl_block from = asl_as_block(src, 1, src->count);

	asl_copy_block(r, &to, &from);
}

void asl_copy_block(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_block *src)
{
	double since;

	if (r->err)
		return;
	assert(dst->rows == src->rows && dst->cols == src->cols);
	asl_replay_move(asl_replay_of(r), dst, src, NULL);
	charge_lifted(r, src->where, src->rows * src->cols);
	charge_landed(r, dst);
	if (!r->data || !asl_does_moves(r, r->phase))
		return;
	since = asl_now();
	/* Tiles lie in DRAM. */
	asl_store_write(r->memory[dst->where == ASL_POOL ? ASL_POOL : ASL_DRAM],
			dst->at, dst->ld, src->at, src->ld, src->rows,
			src->cols);
	asl_time_since(r, ASL_MOVES, since);
}

void asl_add(struct asl_rank *r, struct asl_words *dst,
	     const struct asl_words *a, const struct asl_words *b)
{
	struct asl_block to = asl_as_block(dst, 1, dst->count);
	struct asl_block x = asl_as_block(a, 1, a->count);
	struct asl_block y = asl_as_block(b, 1, b->count);
	double since;

	if (r->err)
		return;
	assert(dst->count == a->count && a->count == b->count);
	asl_replay_move(asl_replay_of(r), &to, &x, &y);
	charge_lifted(r, a->where, a->count);
	charge_lifted(r, b->where, b->count);
	charge_landed(r, &to);
	if (!r->data || !asl_does_moves(r, r->phase))
		return;
	since = asl_now();
	for (uint64_t i = 0; i < dst->count; i++)
		dst->at[i] = a->at[i] + b->at[i];
	if (dst->where != ASL_CACHE)
		asl_store_settle(r->memory[dst->where], dst->at, dst->count);
	asl_time_since(r, ASL_MOVES, since);
}
