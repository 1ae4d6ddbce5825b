/*
 * replay.c -- addresses, and the order in which verbs touch them
 */
#include "lib/rank/replay.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/parts.h"

/* A piece of main memory: its address, and its lines in the model. */
struct piece {
	const double *at;
	uint64_t bytes, first, lines;
	bool reserved; /* the address was reserved here, without data */
};

struct asl_replay {
	struct asl_lru *cache;
	uint64_t line;
	struct piece *piece; /* by `first` */
	int count, capacity;
};

int asl_replay_open(struct asl_replay **out, const struct asl_lru_shape *shape)
{
	struct asl_replay *x = calloc(1, sizeof *x);
	int err = x ? asl_lru_open(&x->cache, shape) : -ENOMEM;

	*out = NULL;
	if (err) {
		free(x);
		return err;
	}
	x->line = shape->line;
	*out = x;
	return 0;
}

static void release(const struct piece *p)
{
	if (p->reserved)
		munmap((void *)p->at, p->bytes);
}

void asl_replay_close(struct asl_replay *x)
{
	if (!x)
		return;
	for (int i = 0; i < x->count; i++)
		release(&x->piece[i]);
	free(x->piece);
	asl_lru_close(x->cache);
	free(x);
}

void asl_replay_clear(struct asl_replay *x)
{
	if (x)
		asl_lru_clear(x->cache);
}

struct asl_lru_traffic asl_replay_traffic(const struct asl_replay *x)
{
	return x ? asl_lru_traffic(x->cache) : (struct asl_lru_traffic){0, 0};
}

/* ---- Addresses ---- */

static int grow(struct asl_replay *x)
{
	int capacity = x->capacity ? 2 * x->capacity : 16;
	struct piece *more;

	if (x->count < x->capacity)
		return 0;
	more = realloc(x->piece, (size_t)capacity * sizeof *more);
	if (!more)
		return -ENOMEM;
	x->piece = more;
	x->capacity = capacity;
	return 0;
}

/* Reserve an address without memory: touching it is a segmentation fault. */
static int reserve(struct piece *p, double **at)
{
	void *words;

	words = mmap(NULL, p->bytes, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (words == MAP_FAILED)
		return -ENOMEM;
	p->reserved = true;
	*at = words;
	return 0;
}

/* The first gap that is wide enough. */
static void insert(struct asl_replay *x, struct piece p)
{
	int i = 0;

	for (; i < x->count && x->piece[i].first - p.first < p.lines; i++)
		p.first = x->piece[i].first + x->piece[i].lines;
	memmove(&x->piece[i + 1], &x->piece[i],
		(size_t)(x->count - i) * sizeof p);
	x->piece[i] = p;
	x->count++;
}

int asl_replay_take(struct asl_replay *x, double **at, enum asl_type type,
		    uint64_t count)
{
	struct piece p = {0};

	if (!x || !count)
		return 0;
	if (__builtin_mul_overflow(count, asl_type_bytes(type), &p.bytes))
		return -ENOMEM;
	if (grow(x) || (!*at && reserve(&p, at)))
		return -ENOMEM;
	p.at = *at;
	p.lines = asl_ceil_div(count, x->line);
	insert(x, p);
	return 0;
}

static struct piece *find(const struct asl_replay *x, const double *at)
{
	for (int i = 0; i < x->count; i++) {
		struct piece *p = &x->piece[i];

		if ((uintptr_t)at - (uintptr_t)p->at < p->bytes)
			return p;
	}
	return NULL;
}

void asl_replay_give(struct asl_replay *x, const double *at)
{
	struct piece *p = x && at ? find(x, at) : NULL;

	if (!p)
		return;
	release(p);
	x->count--;
	memmove(p, p + 1, (size_t)(x->piece + x->count - p) * sizeof *p);
}

/* In words of the type. */
static uint64_t address(const struct asl_replay *x, const double *at,
			enum asl_type type)
{
	const struct piece *p = find(x, at);

	assert(p);
	return p->first * x->line +
	       ((uintptr_t)at - (uintptr_t)p->at) / asl_type_bytes(type);
}

/* ---- What verbs touch ---- */

void asl_replay_words(struct asl_replay *x, const struct asl_words *words,
		      bool write)
{
	if (x && words->count)
		asl_lru_touch(x->cache, address(x, words->at, words->type),
			      words->count, write);
}

/* Row i of a block, from word j on. */
static void touch_part(struct asl_replay *x, const struct asl_block *b,
		       uint64_t i, uint64_t j, uint64_t count, bool write)
{
	asl_lru_touch(x->cache, address(x, b->at, b->type) + i * b->ld + j,
		      count, write);
}

/* A line at a time, which causes the same traffic as word by word. */
void asl_replay_move(struct asl_replay *x, const struct asl_block *dst,
		     const struct asl_block *a, const struct asl_block *b)
{
	if (!x || (a && !b && a->at == dst->at))
		return;
	for (uint64_t i = 0; i < dst->rows; i++)
		for (uint64_t j = 0; j < dst->cols; j += x->line) {
			uint64_t count = asl_min(x->line, dst->cols - j);

			if (a)
				touch_part(x, a, i, j, count, false);
			if (b)
				touch_part(x, b, i, j, count, false);
			touch_part(x, dst, i, j, count, true);
		}
}

/* Addresses and row lengths of A, B and the tile. */
struct operands {
	uint64_t a, b, c, lda, ldb, ldc;
};

static void multiply_sliver(struct asl_lru *cache, const struct operands *o,
			    uint64_t rows, uint64_t cols, struct asl_range k)
{
	for (uint64_t i = 0; i < rows; i++)
		for (uint64_t l = k.first; l < k.first + k.count; l++) {
			asl_lru_touch(cache, o->a + i * o->lda + l, 1, false);
			asl_lru_touch(cache, o->b + l * o->ldb, cols, false);
			asl_lru_touch(cache, o->c + i * o->ldc, cols, true);
		}
}

void asl_replay_multiply(struct asl_replay *x, const struct asl_block *C,
			 const struct asl_block *A, const struct asl_block *B,
			 uint64_t depth)
{
	struct operands o;

	if (!x || !A->rows || !A->cols || !B->cols)
		return;
	o = (struct operands){address(x, A->at, A->type),
			      address(x, B->at, B->type),
			      address(x, C->at, C->type),
			      A->ld,
			      B->ld,
			      C->ld};
	for (uint64_t l = 0; l < A->cols; l += depth) {
		struct asl_range k = {l, asl_min(depth, A->cols - l)};

		multiply_sliver(x->cache, &o, A->rows, B->cols, k);
	}
}
