/*
 * memory.c -- verbs on main memory and on tiles
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/parts.h"
#include "lib/base/team.h"
#include "lib/rank/blas.h"
#include "lib/rank/rank.h"
#include "lib/rank/replay.h"
#include "lib/rank/resume.h"

/* Words of the cache are in ordinary memory. */
static struct asl_store *store_of(const struct asl_rank *r,
				  enum asl_where where)
{
	return r->memory[where == ASL_POOL ? ASL_POOL : ASL_DRAM];
}

static void give_words(struct asl_rank *r, double *at, enum asl_where where)
{
	if (r->resume && !r->resume->store)
		return;
	asl_replay_give(r->replay, at);
	asl_store_give(store_of(r, where), at);
}

/* Returns the words taken: 0 after an error. */
static uint64_t take_words(struct asl_rank *r, double **at,
			   enum asl_where where, uint64_t count)
{
	uint64_t doubles = asl_type_doubles(r->type, count);

	*at = NULL;
	if (r->err)
		return 0;
	asl_rank_stop(r, asl_store_take(store_of(r, where), at, doubles));
	if (r->err)
		return 0;
	if (asl_replay_take(r->replay, at, r->type, count)) {
		give_words(r, *at, where);
		*at = NULL;
		asl_rank_fail(r, -ENOMEM,
			      "no addresses for the cache model of %ju words",
			      count);
		return 0;
	}
	if (r->resume)
		asl_resume_take(r, at, where, doubles);
	return count;
}

/* What is held of a memory, or of the cache. */
static uint64_t *held_of(struct asl_rank *r, enum asl_where where)
{
	return where == ASL_CACHE ? &r->cache_held : &r->held[where];
}

static void need_cache(struct asl_rank *r, uint64_t rows, uint64_t cols)
{
	if (!r->err && rows * cols > r->cache - r->cache_held)
		asl_rank_fail(r, -ENOTRECOVERABLE,
			      "a tile of %ju x %ju words does not fit into a "
			      "cache of %ju, of which %ju are taken",
			      rows, cols, r->cache, r->cache_held);
}

void asl_take(struct asl_rank *r, struct asl_words *x, enum asl_where where,
	      uint64_t count)
{
	*x = (struct asl_words){.where = where, .type = r->type};
	if (where == ASL_CACHE)
		need_cache(r, 1, count);
	x->count = take_words(r, &x->at, where, count);
	*held_of(r, where) += x->count;
	asl_note_high(r);
}

/* Acts after an error, too: words that were taken are given back. */
void asl_give(struct asl_rank *r, struct asl_words *x)
{
	*held_of(r, x->where) -= x->count;
	if (r->resume && x->at)
		asl_resume_give(r, x->where,
				asl_type_doubles(x->type, x->count));
	give_words(r, x->at, x->where);
	*x = (struct asl_words){0};
}

struct asl_words asl_slice(const struct asl_words *x, uint64_t first,
			   uint64_t count)
{
	return (struct asl_words){x->where, x->type, count,
				  asl_type_at(x->type, x->at, first)};
}

struct asl_block asl_as_block(const struct asl_words *x, uint64_t rows,
			      uint64_t cols)
{
	return (struct asl_block){x->where, x->type, rows, cols, cols, x->at};
}

struct asl_block asl_sub_block(const struct asl_block *x, uint64_t row,
			       uint64_t col, uint64_t rows, uint64_t cols)
{
	assert(row + rows <= x->rows && col + cols <= x->cols);
	return (struct asl_block){
		x->where, x->type,
		rows,	  cols,
		x->ld,	  asl_type_at(x->type, x->at, row * x->ld + col)};
}

/* ---- Moving words within main memory ---- */

/* Rows that do not adjoin are runs of their own. */
static void charge_block(struct asl_rank *r, enum asl_counter counter,
			 const struct asl_block *x)
{
	if (x->ld == x->cols)
		asl_charge(r, counter, x->rows * x->cols);
	else
		asl_charge_runs(r, counter, x->rows, x->cols);
}

/* The time of n words to or from memory, at these rates; a tile's cost none. */
static double ns_of(const double rate[2], enum asl_where where, uint64_t n)
{
	return where == ASL_CACHE ? 0 : (double)n * rate[where];
}

/* A disk whose times are known takes them for rows, else for words. */
static bool spends_disk(const struct asl_rank *r, enum asl_where where)
{
	return where == ASL_POOL && asl_knows_disk(r->times);
}

static void spend_on_disk(struct asl_rank *r, bool writes,
			  const struct asl_block *x)
{
	asl_spend_disk(r, writes, x->rows, x->cols, x->ld);
}

/* Rows apart from each other take whole lines, unless they begin and end with these. */
static uint64_t words_in_lines(const struct asl_block *x)
{
	uint64_t line = ASL_LINE_BYTES / asl_type_bytes(x->type);
	bool whole = x->rows <= 1 || x->ld == x->cols ||
		     (x->ld % line == 0 && x->cols % line == 0);

	return x->rows * (x->cols + (whole ? 0 : line - 1));
}

/* At these rates of reading or writing. */
static void spend_block(struct asl_rank *r, enum asl_spending on, bool writes,
			const struct asl_block *x)
{
	if (!r->times)
		return;
	if (spends_disk(r, x->where))
		spend_on_disk(r, writes, x);
	else
		asl_spend(r, on,
			  ns_of(writes ? r->times->write : r->times->read,
				x->where, words_in_lines(x)));
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
		charge_block(r,
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

/* Rows of two blocks, or of a tile, of the same shape. */
static struct asl_store_rows rows_of(enum asl_type type, uint64_t dst_ld,
				     uint64_t src_ld, uint64_t rows,
				     uint64_t cols)
{
	uint64_t bytes = asl_type_bytes(type);

	return (struct asl_store_rows){dst_ld * bytes, src_ld * bytes, rows,
				       cols * bytes};
}

/* A disk is read and written; else words are copied to where they belong. */
static void copy_words(struct asl_rank *r, const struct asl_block *dst,
		       const struct asl_block *src)
{
	struct asl_store_rows rows =
		rows_of(src->type, dst->ld, src->ld, src->rows, src->cols);
	enum asl_where to = dst->where == ASL_POOL ? ASL_POOL : ASL_DRAM;
	bool reads = src->where == ASL_POOL && to != ASL_POOL &&
		     asl_store_has_blocks(r->memory[ASL_POOL]);

	if (reads)
		asl_store_read_bytes(r->memory[ASL_POOL], dst->at, src->at,
				     &rows);
	else
		asl_store_write_bytes(r->memory[to], dst->at, src->at, &rows);
}

void asl_copy_block(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_block *src)
{
	double since;

	if (r->err)
		return;
	assert(dst->rows == src->rows && dst->cols == src->cols);
	assert(dst->type == src->type);
	asl_replay_move(asl_replay_of(r), dst, src, NULL);
	charge_lifted(r, src->where, src->rows * src->cols);
	charge_landed(r, dst);
	spend_block(r, ASL_ON_COPYING, false, src);
	spend_block(r, ASL_ON_COPYING, true, dst);
	if (!r->data || !asl_does_moves(r, r->phase))
		return;
	since = asl_now();
	copy_words(r, dst, src); /* tiles lie in DRAM */
	asl_time_since(r, ASL_MOVES, since);
}

/* to = x a + y b; without b: x a. */
struct sum {
	enum asl_type type;
	double x, y;
	double *to;
	const double *a, *b;
	uint64_t count;
	int pieces;
};

/* All parts of numbers are added alike; most sums have no factors, and are faster. */
#define COMBINE(name, part)                                                    \
	static void name(const struct sum *s, void *to, const void *from,      \
			 const void *other, uint64_t bytes)                    \
	{                                                                      \
		part *c = to, x = (part)s->x, y = (part)s->y;                  \
		const part *a = from, *b = other;                              \
		uint64_t parts = bytes / sizeof *c;                            \
                                                                               \
		if (b && s->x == 1 && s->y == 1) {                             \
			for (uint64_t i = 0; i < parts; i++)                   \
				c[i] = a[i] + b[i];                            \
			return;                                                \
		}                                                              \
		for (uint64_t i = 0; i < parts; i++)                           \
			c[i] = x * a[i] + (b ? y * b[i] : 0);                  \
	}

COMBINE(combine_floats, asl_float_part)
COMBINE(combine_doubles, asl_double_part)

static void add_piece(void *arg, int i)
{
	const struct sum *s = arg;
	struct asl_range part = asl_part(s->count, s->pieces, i);

	(asl_type(s->type)->floats ? combine_floats : combine_doubles)(
		s, asl_type_at(s->type, s->to, part.first),
		asl_type_at(s->type, s->a, part.first),
		asl_type_at(s->type, s->b, part.first),
		part.count * asl_type_bytes(s->type));
}

static void add_words(struct sum s)
{
	s.pieces = asl_team_pieces(s.count, ASL_TEAM_WORDS);
	asl_team_run(s.pieces, add_piece, &s);
}

/* What lies on a disk passes through memory, so many words at a time. */
enum { PASSING_WORDS = 1 << 17 };

static bool on_disk(const struct asl_rank *r, const struct asl_words *x)
{
	return x->where == ASL_POOL &&
	       asl_store_has_blocks(r->memory[ASL_POOL]);
}

/* The words where they lie, or what is read of them. */
static const double *read_passing(struct asl_rank *r, double *room,
				  const struct asl_words *x, uint64_t first,
				  uint64_t count)
{
	const double *at = asl_type_at(x->type, x->at, first);
	struct asl_store_rows row = rows_of(x->type, count, count, 1, count);

	if (!on_disk(r, x))
		return at;
	asl_store_read_bytes(r->memory[ASL_POOL], room, at, &row);
	return room;
}

static void add_on_disk(struct asl_rank *r, struct asl_words *dst, double x,
			const struct asl_words *a, double y,
			const struct asl_words *b)
{
	uint64_t most = asl_min(dst->count, PASSING_WORDS);
	double *room = malloc(2 * most * asl_type_bytes(dst->type));
	double *other = asl_type_at(dst->type, room, most);

	if (!room && dst->count) {
		asl_rank_fail(r, -ENOMEM, "no memory to add words on a disk");
		return;
	}
	for (uint64_t i = 0; i < dst->count; i += most) {
		uint64_t n = asl_min(most, dst->count - i);
		struct asl_store_rows row = rows_of(dst->type, n, n, 1, n);

		add_words((struct sum){
			.type = dst->type,
			.x = x,
			.y = y,
			.to = room,
			.a = read_passing(r, room, a, i, n),
			.b = read_passing(r, other, b, i, n),
			.count = n,
		});
		asl_store_write_bytes(r->memory[dst->where],
				      asl_type_at(dst->type, dst->at, i), room,
				      &row);
	}
	free(room);
}

/* In the memory where they are. */
static void scale_rows(const struct asl_block *block, double x)
{
	bool dense = block->ld == block->cols;
	uint64_t rows = dense ? 1 : block->rows;
	uint64_t cols = dense ? block->rows * block->cols : block->cols;

	for (uint64_t i = 0; i < rows; i++) {
		double *row =
			asl_type_at(block->type, block->at, i * block->ld);

		add_words((struct sum){.type = block->type,
				       .x = x,
				       .to = row,
				       .a = row,
				       .count = cols});
	}
}

static void scale(struct asl_rank *r, const struct asl_block *block, double x)
{
	double since;

	if (r->err)
		return;
	if (r->times)
		asl_spend(r, ASL_ON_COPYING,
			  (double)(block->rows * block->cols) * r->times->add);
	if (!r->data || !asl_does_moves(r, r->phase))
		return;
	since = asl_now();
	scale_rows(block, x);
	asl_time_since(r, ASL_MOVES, since);
}

void asl_copy_scaled(struct asl_rank *r, const struct asl_block *dst,
		     const struct asl_block *src, double x)
{
	bool after = dst->where == ASL_DRAM;

	assert(after || src->where == ASL_DRAM);
	if (x != 1 && !after)
		scale(r, src, x);
	asl_copy_block(r, dst, src);
	if (x != 1 && after)
		scale(r, dst, x);
}

void asl_add(struct asl_rank *r, struct asl_words *dst,
	     const struct asl_words *a, const struct asl_words *b)
{
	asl_add_scaled(r, dst, 1, a, 1, b);
}

void asl_add_scaled(struct asl_rank *r, struct asl_words *dst, double x,
		    const struct asl_words *a, double y,
		    const struct asl_words *b)
{
	struct asl_block to = asl_as_block(dst, 1, dst->count);
	struct asl_block from = asl_as_block(a, 1, a->count);
	struct asl_block other = asl_as_block(b, 1, b->count);
	double since;

	if (r->err)
		return;
	assert(dst->count == a->count && a->count == b->count);
	assert(dst->type == a->type && a->type == b->type);
	asl_replay_move(asl_replay_of(r), &to, &from, &other);
	charge_lifted(r, a->where, a->count);
	charge_lifted(r, b->where, b->count);
	charge_landed(r, &to);
	if (r->times)
		asl_spend(r, ASL_ON_COPYING,
			  (double)dst->count * r->times->add);
	if (spends_disk(r, a->where))
		spend_on_disk(r, false, &from);
	if (spends_disk(r, b->where))
		spend_on_disk(r, false, &other);
	if (spends_disk(r, dst->where))
		spend_on_disk(r, true, &to);
	if (!r->data || !asl_does_moves(r, r->phase))
		return;
	since = asl_now();
	if (on_disk(r, dst))
		add_on_disk(r, dst, x, a, y, b);
	else
		add_words((struct sum){dst->type, x, y, dst->at, a->at, b->at,
				       dst->count, 0});
	if (dst->where != ASL_CACHE && !on_disk(r, dst))
		asl_store_settle(r->memory[dst->where], dst->at,
				 asl_type_doubles(dst->type, dst->count));
	asl_time_since(r, ASL_MOVES, since);
}

/* ---- Tiles: loading, storing, computing ---- */

void asl_tile_take(struct asl_rank *r, struct asl_tile *t, uint64_t rows,
		   uint64_t cols)
{
	*t = (struct asl_tile){.type = r->type};
	need_cache(r, rows, cols);
	t->capacity = take_words(r, &t->own, ASL_DRAM, rows * cols);
	t->data = r->data && t->own;
	r->cache_held += t->capacity;
	asl_tile_zero(t, rows, cols);
}

void asl_tile_give(struct asl_rank *r, struct asl_tile *t)
{
	r->cache_held -= t->capacity;
	give_words(r, t->own, ASL_DRAM);
	*t = (struct asl_tile){0};
}

static void shape(struct asl_tile *t, uint64_t rows, uint64_t cols)
{
	t->at = t->own;
	t->rows = rows;
	t->cols = t->ld = cols;
	t->over = (struct asl_block){0};
}

void asl_tile_zero(struct asl_tile *t, uint64_t rows, uint64_t cols)
{
	shape(t, rows, cols);
	t->zero = true;
	t->from = NULL;
}

/* What is interrupted is resumed from blocks as they were stored. */
static bool lies_in_place(const struct asl_rank *r, const struct asl_block *x)
{
	return r->data && x->at && !r->emulator && !r->resume &&
	       asl_store_is_plain(store_of(r, x->where));
}

void asl_tile_begin(const struct asl_rank *r, struct asl_tile *t,
		    const struct asl_block *block)
{
	asl_tile_zero(t, block->rows, block->cols);
	t->over = *block;
	if (lies_in_place(r, block)) {
		t->at = block->at;
		t->ld = block->ld;
	}
}

/* Nothing moves between a tile and this block. */
static bool is_laid_over(const struct asl_tile *t, const struct asl_block *x)
{
	return t->over.rows && t->over.at == x->at;
}

/* The time of a tile's words from or to a block. */
static void spend_tile(struct asl_rank *r, enum asl_spending on,
		       const struct asl_tile *t, const struct asl_block *x)
{
	if (r->times && x->where != ASL_CACHE &&
	    !(r->times->in_place[x->where] && is_laid_over(t, x)))
		spend_block(r, on, on == ASL_ON_WRITING, x);
}

/* Where its words are in a hardware cache, which has no tiles. */
static struct asl_block block_under(const struct asl_tile *t)
{
	return t->over.at ? t->over
			  : (struct asl_block){ASL_DRAM, t->type, t->rows,
					       t->cols,	 t->cols, t->at};
}

static void charge_read(struct asl_rank *r, enum asl_where from, uint64_t n)
{
	if (from != ASL_CACHE)
		asl_charge(r, from == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ,
			   n);
}

static void charge_written(struct asl_rank *r, const struct asl_block *to)
{
	if (to->where != ASL_CACHE)
		charge_block(r,
			     to->where == ASL_POOL ? ASL_NVM_WRITE
						   : ASL_DRAM_WRITE,
			     to);
}

void asl_tile_load(struct asl_rank *r, struct asl_tile *dst,
		   const struct asl_block *src)
{
	struct asl_store_rows rows;
	struct asl_block under;
	double since;

	if (r->err)
		return;
	assert(src->rows * src->cols <= dst->capacity);
	assert(dst->type == src->type);
	if (!is_laid_over(dst, src))
		shape(dst, src->rows, src->cols);
	dst->zero = false;
	dst->from = src->at;
	under = block_under(dst);
	asl_replay_move(asl_replay_of(r), &under, src, NULL);
	charge_read(r, src->where, src->rows * src->cols);
	spend_tile(r, ASL_ON_READING, dst, src);
	if (!r->data || dst->at == src->at || !asl_does_tiles(r))
		return;
	since = asl_now();
	rows = rows_of(src->type, dst->ld, src->ld, src->rows, src->cols);
	asl_store_read_bytes(store_of(r, src->where), dst->at, src->at, &rows);
	asl_time_since(r, ASL_MOVES, since);
}

static void write_zeros(const struct asl_tile *t)
{
	for (uint64_t i = 0; i < t->rows; i++)
		memset(asl_type_at(t->type, t->at, i * t->ld), 0,
		       t->cols * asl_type_bytes(t->type));
}

void asl_tile_store(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_tile *src)
{
	struct asl_block under = block_under(src);
	struct asl_store_rows rows =
		rows_of(dst->type, dst->ld, src->ld, dst->rows, dst->cols);
	double since;

	if (r->err)
		return;
	assert(dst->rows == src->rows && dst->cols == src->cols);
	assert(dst->type == src->type);
	asl_replay_move(asl_replay_of(r), dst, src->zero ? NULL : &under, NULL);
	charge_written(r, dst);
	spend_tile(r, ASL_ON_WRITING, src, dst);
	if (r->resume)
		asl_resume_store(r, dst, src);
	if (!r->data || !asl_does_tiles(r))
		return;
	since = asl_now();
	if (src->zero)
		write_zeros(src);
	if (src->at != dst->at)
		asl_store_write_bytes(store_of(r, dst->where), dst->at, src->at,
				      &rows);
	asl_time_since(r, ASL_MOVES, since);
}

struct asl_words asl_tile_words(struct asl_tile *t, uint64_t first,
				uint64_t count)
{
	assert(first + count <= t->rows * t->cols && t->ld == t->cols);
	/* The tile is about to be read: write its zeros. */
	if (t->zero && t->data)
		write_zeros(t);
	t->zero = false;
	return (struct asl_words){ASL_CACHE, t->type, count,
				  asl_type_at(t->type, t->at, first)};
}

static struct asl_tile part_of(struct asl_tile *t, uint64_t first,
			       uint64_t rows, uint64_t cols)
{
	struct asl_words x = asl_tile_words(t, first, rows * cols);

	return (struct asl_tile){.rows = rows,
				 .cols = cols,
				 .ld = cols,
				 .at = x.at,
				 .type = t->type,
				 .own = x.at,
				 .data = t->data,
				 .capacity = x.count};
}

struct asl_tile asl_tile_row(struct asl_tile *t, uint64_t first, uint64_t count)
{
	return part_of(t, first, 1, count);
}

struct asl_tile asl_tile_rows(struct asl_tile *t, uint64_t first,
			      uint64_t count)
{
	return part_of(t, first * t->cols, count, t->cols);
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
		charge_read(r, streamed->where, streamed->count);
	}
	asl_charge(r, ASL_FLOPS, flops);
	if (r->times)
		asl_spend(r, ASL_ON_ARITHMETIC,
			  fmax((double)flops * r->times->simple,
			       streamed ? (double)streamed->count *
						  r->times->stream
					: 0));
	if (!r->data || !asl_does_tiles(r))
		return;
	since = asl_now();
	use(streamed ? streamed->at : NULL, arg);
	asl_time_since(r, ASL_COMPUTES, since);
}

/* c += A B for a range of k. */
static void add_product(struct asl_rank *r, struct asl_tile *c,
			const struct asl_block *A, const struct asl_block *B,
			struct asl_range k)
{
	const double *a = asl_type_at(A->type, A->at, k.first);
	const double *b = asl_type_at(B->type, B->at, k.first * B->ld);
	bool stored = c->at == c->own; /* later, from there */
	double since = asl_now();

	if (stored)
		asl_gemm_finish();
	if (c->zero && !stored && c->over.where != ASL_CACHE)
		asl_gemm_in_memory(c->type, c->rows, c->cols, k.count, a, A->ld,
				   b, B->ld, c->at, c->ld);
	else
		asl_gemm(c->type, c->rows, c->cols, k.count, a, A->ld, b, B->ld,
			 c->zero ? 0 : 1, c->at, c->ld);
	asl_time_since(r, ASL_COMPUTES, since);
}

void asl_batch(struct asl_rank *r, uint64_t i, uint64_t count)
{
	uint64_t threads = (uint64_t)asl_team_threads();
	double since;

	if (!r->data || r->emulator || threads == 1)
		return;
	if (i < count - count % threads) {
		asl_gemm_group();
		return;
	}
	since = asl_now();
	asl_gemm_finish();
	asl_time_since(r, ASL_COMPUTES, since);
}

/* Deep enough to keep the BLAS busy between two polls of the network. */
enum { POLL_DEPTH = 256 };

void asl_multiply(struct asl_rank *r, struct asl_tile *c,
		  const struct asl_block *A, const struct asl_block *B,
		  uint64_t depth)
{
	uint64_t sliver = asl_min(depth, A->cols), step;
	struct asl_block under = block_under(c);
	bool acts = r->data && asl_does_tiles(r);

	if (r->err)
		return;
	assert(A->rows == c->rows && B->cols == c->cols && A->cols == B->rows);
	assert(A->type == c->type && B->type == c->type);
	if (sliver * (A->rows + B->cols) > r->cache - r->cache_held) {
		asl_rank_fail(r, -ENOTRECOVERABLE,
			      "slivers %ju deep of a %ju x %ju tile do not fit "
			      "into a cache of %ju words",
			      sliver, c->rows, c->cols, r->cache);
		return;
	}
	asl_replay_multiply(asl_replay_of(r), &under, A, B, depth);
	charge_read(r, A->where, A->rows * A->cols);
	charge_read(r, B->where, B->rows * B->cols);
	asl_charge(r, ASL_FLOPS, 2 * c->rows * c->cols * A->cols);
	if (r->times)
		asl_spend(r, ASL_ON_ARITHMETIC,
			  asl_product_ns(r->times, c->rows, c->cols, A->cols,
					 !c->zero));
	for (uint64_t l = 0; l < A->cols; l += step) {
		step = acts && asl_overlap_poll(r)
			       ? asl_min(POLL_DEPTH, A->cols - l)
			       : A->cols - l;
		if (acts)
			add_product(r, c, A, B, (struct asl_range){l, step});
		c->zero = false;
	}
}

void asl_multiply_within(struct asl_rank *r, const struct asl_block *C,
			 const struct asl_block *A, const struct asl_block *B)
{
	struct asl_tile c = {.rows = C->rows,
			     .cols = C->cols,
			     .ld = C->ld,
			     .at = C->at,
			     .zero = true,
			     .data = r->data,
			     .over = *C,
			     .type = C->type};

	assert(C->where == ASL_CACHE);
	asl_multiply(r, &c, A, B, 1);
}
