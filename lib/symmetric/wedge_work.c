/*
 * wedge_work.c -- what a rank does with its wedge: to and from the cache, multiply
 */
#include <errno.h>

#include "lib/rank/resume.h"
#include "lib/symmetric/block_update.h"
#include "lib/symmetric/wedge.h"

/* ---- Rooms ---- */

/* x and y of a tensor block; where there is no data, just their form. */
static struct asl_block_vectors vectors_of(const struct asl_wedge *w,
					   const struct asl_tensor_block *b,
					   int columns)
{
	const struct asl_lists *rows = &w->s->layout.rows;
	const int block[] = {b->i, b->j, b->k};
	struct asl_block_vectors v = {
		.columns = (uint64_t)columns,
		.ld = (uint64_t)columns,
	};
	const double **x[] = {&v.xi, &v.xj, &v.xk};
	double **y[] = {&v.yi, &v.yj, &v.yk};

	for (int i = 0; i < 3 && w->x.at; i++) {
		int place = asl_list_find(rows, w->rank, block[i]);

		*x[i] = w->x.at + w->l.at[place] * v.ld;
		*y[i] = w->y.at + w->l.at[place] * v.ld;
	}
	return v;
}

static uint64_t scratch_of(const struct asl_wedge *w, int columns)
{
	const struct asl_layout *l = &w->s->layout;
	uint64_t most = 0;

	for (size_t i = l->first[w->rank]; i < l->first[w->rank + 1]; i++) {
		struct asl_block_shape x = asl_layout_shape(l, &l->block[i]);
		struct asl_block_vectors v =
			vectors_of(w, &l->block[i], columns);

		most = asl_larger(most, asl_block_scratch(&x, &v));
	}
	return most;
}

struct asl_wedge_rooms asl_wedge_rooms(const struct asl_wedge *w, int columns)
{
	uint64_t c = (uint64_t)columns;

	return (struct asl_wedge_rooms){
		.cache = (2 * asl_wedge_words(w) + w->longest) * c +
			 scratch_of(w, columns),
		.beside = w->longest * c,
	};
}

void asl_wedge_take(struct asl_rank *r, struct asl_wedge *w, int columns)
{
	uint64_t c = (uint64_t)columns, W = w->failed ? 0 : asl_wedge_words(w);

	if (w->failed)
		asl_rank_fail(r, -ENOMEM, "no memory for a rank's row blocks");
	asl_wedge_forget(w);
	asl_tile_take(r, &w->x, W, c);
	asl_tile_take(r, &w->y, W, c);
	asl_tile_take(r, &w->pack, 1, w->longest * c);
	asl_tile_take(r, &w->scratch, 1,
		      w->failed ? 0 : scratch_of(w, columns));
	asl_take(r, &w->landing, ASL_DRAM, w->longest * c);
	w->columns = columns;
}

void asl_wedge_give(struct asl_rank *r, struct asl_wedge *w)
{
	asl_give(r, &w->landing);
	asl_tile_give(r, &w->scratch);
	asl_tile_give(r, &w->pack);
	asl_tile_give(r, &w->y);
	asl_tile_give(r, &w->x);
}

void asl_wedge_turn(struct asl_wedge *w, int first, int columns)
{
	w->first = first;
	w->columns = columns;
	asl_tile_zero(&w->x, w->x.rows, (uint64_t)columns);
}

/* ---- Where x and y are owned ---- */

/* The columns worked with, of this rank's share of its i-th row block. */
static struct asl_block owned(const struct asl_wedge *w,
			      const struct asl_words *own, uint64_t *done,
			      uint64_t rows)
{
	uint64_t R = (uint64_t)w->s->columns;
	struct asl_words at = asl_slice(own, *done * R, rows * R);
	struct asl_block all = asl_as_block(&at, rows, R);

	*done += rows;
	return asl_sub_block(&all, 0, (uint64_t)w->first, rows,
			     (uint64_t)w->columns);
}

struct asl_words asl_wedge_in_cache(const struct asl_wedge *w,
				    struct asl_tile *t, struct asl_range rows)
{
	uint64_t c = (uint64_t)w->columns;

	return asl_tile_words(t, rows.first * c, rows.count * c);
}

void asl_wedge_load(struct asl_rank *r, struct asl_wedge *w,
		    const struct asl_words *X)
{
	uint64_t done = 0;

	for (int i = 0; i < w->rows && !r->err; i++) {
		struct asl_range mine = asl_wedge_share(w, i);
		struct asl_block from = owned(w, X, &done, mine.count);
		struct asl_tile to =
			asl_tile_rows(&w->x, mine.first, mine.count);
		struct asl_words at = asl_wedge_in_cache(w, &w->x, mine);
		struct asl_block there =
			asl_as_block(&at, mine.count, (uint64_t)w->columns);

		if (X->where == ASL_CACHE)
			asl_copy_block(r, &there, &from);
		else
			asl_tile_load(r, &to, &from);
	}
}

void asl_wedge_store(struct asl_rank *r, struct asl_wedge *w,
		     struct asl_tile *from, const struct asl_words *Y)
{
	uint64_t done = 0;

	for (int i = 0; i < w->rows && !r->err; i++) {
		struct asl_range mine = asl_wedge_share(w, i);
		struct asl_block to = owned(w, Y, &done, mine.count);
		struct asl_tile x = asl_tile_rows(from, mine.first, mine.count);

		asl_tile_store(r, &to, &x);
	}
}

/* ---- The product ---- */

struct update {
	struct asl_block_shape shape;
	struct asl_block_vectors v;
	double *scratch;
};

static void update(const double *A, void *arg)
{
	struct update *u = arg;
	struct asl_range all = {0, asl_block_rows(&u->shape)};

	asl_block_update(&u->shape, A, all, &u->v, u->scratch);
}

/* Vectors are short beside the tensor that has been read since. */
static void mark(struct asl_rank *r, struct asl_wedge *w)
{
	uint64_t words = w->x.rows * w->x.cols;
	struct asl_words live[] = {
		asl_tile_words(&w->x, 0, words),
		asl_tile_words(&w->y, 0, words),
		w->beside[0],
		w->beside[1],
	};

	asl_epoch(r, live, 4);
}

enum { PARTS = 4 };

void asl_wedge_multiply(struct asl_rank *r, struct asl_wedge *w,
			const struct asl_words *A)
{
	const struct asl_layout *l = &w->s->layout;
	uint64_t done = 0, all = asl_wedge_tensor(w), part = 0;

	asl_phase(r, ASL_COMPUTE);
	asl_tile_zero(&w->y, w->y.rows, (uint64_t)w->columns);
	asl_tile_words(&w->y, 0, 0);
	mark(r, w);
	for (size_t i = l->first[w->rank]; i < l->first[w->rank + 1] && !r->err;
	     i++) {
		struct update u = {
			asl_layout_shape(l, &l->block[i]),
			vectors_of(w, &l->block[i], w->columns),
			w->scratch.at,
		};
		uint64_t words = asl_block_words(&u.shape);
		struct asl_words x = asl_slice(A, done, words);

		asl_compute(r, &x, 4 * words * (uint64_t)w->columns, update,
			    &u);
		done += words;
		for (; part < PARTS && done * PARTS >= all * (part + 1); part++)
			mark(r, w);
	}
	for (; part < PARTS; part++)
		mark(r, w);
}
