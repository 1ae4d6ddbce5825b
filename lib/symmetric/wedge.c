/*
 * wedge.c -- a rank's wedge: exchange its vectors, multiply, predict both
 */
#include "lib/symmetric/wedge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rank/resume.h"

/* ---- What a rank has ---- */

/* Where words of its row block at `place` are in x and y. */
static struct asl_range offset(const struct asl_wedge *w, int place,
			       struct asl_range x)
{
	x.first += w->l.at[place] -
		   asl_layout_row(&w->s->layout, w->row[place]).first;
	return x;
}

struct asl_range asl_wedge_share(const struct asl_wedge *w, int i)
{
	return offset(w, i, asl_layout_part(&w->s->layout, w->rank, i));
}

static struct asl_words in_cache(const struct asl_wedge *w, struct asl_tile *t,
				 struct asl_range rows)
{
	uint64_t c = (uint64_t)w->columns;

	return asl_tile_words(t, rows.first * c, rows.count * c);
}

uint64_t asl_wedge_owned(const struct asl_wedge *w)
{
	uint64_t words = 0;

	for (int i = 0; i < w->rows; i++)
		words += asl_wedge_share(w, i).count;
	return words;
}

uint64_t asl_wedge_tensor(const struct asl_wedge *w)
{
	return asl_layout_words(&w->s->layout, w->rank);
}

/* ---- Its peers ---- */

/* The ranks that it sends to and receives from in a step; -1: none. */
struct pair {
	int to, from;
};

static int steps(const struct asl_symmetric *s)
{
	return s->exchange == ASL_ALLTOALL ? s->layout.ranks - 1
					   : s->schedule.steps;
}

static struct pair pair_of(const struct asl_wedge *w, int step)
{
	const struct asl_symmetric *s = w->s;
	int P = s->layout.ranks;

	if (s->exchange != ASL_ALLTOALL)
		return (struct pair){
			asl_schedule_to(&s->schedule, w->rank, step),
			asl_schedule_from(&s->schedule, w->rank, step)};
	return (struct pair){(w->rank + step + 1) % P,
			     (w->rank + P - step - 1) % P};
}

/* Count the words of this rank and of its peers in row blocks that they share. */
static void count_words(struct asl_wedge *w)
{
	const struct asl_layout *l = &w->s->layout;

	for (int i = 0; i < w->rows; i++) {
		struct asl_range row = asl_layout_row(l, w->row[i]);
		uint64_t own = asl_wedge_share(w, i).count;
		int sharers = asl_list_length(&l->sharers, w->row[i]);

		for (int j = 0; j < sharers; j++) {
			int peer = asl_list(&l->sharers, w->row[i])[j];

			w->l.mine[peer] += own;
			w->l.theirs[peer] += asl_part_of(row, sharers, j).count;
		}
	}
}

/* A rank sends its own shares of x, and sums of the other's shares of y. */
static uint64_t words_out(const struct asl_wedge *w, int to, bool sums)
{
	return to < 0 ? 0 : (sums ? w->l.theirs : w->l.mine)[to];
}

static uint64_t words_in(const struct asl_wedge *w, int from, bool sums)
{
	return from < 0 ? 0 : (sums ? w->l.mine : w->l.theirs)[from];
}

static uint64_t longest(const struct asl_wedge *w)
{
	uint64_t most = 0;

	if (w->s->exchange == ASL_ALLTOALL)
		return w->s->equal;
	for (int i = 0; i < steps(w->s); i++) {
		int to = pair_of(w, i).to;

		most = asl_max(most, words_out(w, to, false));
		most = asl_max(most, words_out(w, to, true));
	}
	return most;
}

/* ---- Begin ---- */

void asl_wedge_lists_free(struct asl_wedge_lists *l)
{
	free(l->theirs);
	free(l->mine);
	free(l->common);
	free(l->at);
	*l = (struct asl_wedge_lists){0};
}

bool asl_wedge_lists_alloc(struct asl_wedge_lists *l, int rows, int ranks)
{
	*l = (struct asl_wedge_lists){
		.at = malloc(((size_t)rows + 1) * sizeof *l->at),
		.mine = malloc((size_t)ranks * sizeof *l->mine),
		.theirs = malloc((size_t)ranks * sizeof *l->theirs),
		.common = malloc(((size_t)rows + 1) * sizeof *l->common),
	};
	if (l->at && l->mine && l->theirs && l->common)
		return true;
	asl_wedge_lists_free(l);
	return false;
}

static void fill_lists(struct asl_wedge *w)
{
	const struct asl_layout *l = &w->s->layout;
	size_t peers = (size_t)l->ranks * sizeof *w->l.mine;

	w->rows = asl_list_length(&l->rows, w->rank);
	w->row = asl_list(&l->rows, w->rank);
	w->l.at[0] = 0;
	for (int i = 0; i < w->rows; i++)
		w->l.at[i + 1] =
			w->l.at[i] + asl_layout_row(l, w->row[i]).count;
	memset(w->l.mine, 0, peers);
	memset(w->l.theirs, 0, peers);
	count_words(w);
	w->longest = longest(w);
}

void asl_wedge_for_prediction(struct asl_wedge *w,
			      const struct asl_symmetric *s, int rank)
{
	*w = (struct asl_wedge){.s = s, .rank = rank, .l = s->scratch};
	fill_lists(w);
}

void asl_wedge_begin(struct asl_rank *r, struct asl_wedge *w,
		     const struct asl_symmetric *s)
{
	int rows = asl_list_length(&s->layout.rows, r->id);

	*w = (struct asl_wedge){.s = s, .rank = r->id};
	if (asl_wedge_lists_alloc(&w->l, rows, s->layout.ranks))
		fill_lists(w);
	else
		asl_rank_fail(r, -ENOMEM, "no memory for a rank's row blocks");
}

/* ---- Memory ---- */

/* x and y of a tensor block; before take only their shape. */
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

		most = asl_max(most, asl_block_scratch(&x, &v));
	}
	return most;
}

/* Words of all its row blocks. */
static uint64_t row_words(const struct asl_wedge *w)
{
	return w->rows ? w->l.at[w->rows] : 0;
}

struct asl_wedge_memory asl_wedge_memory(const struct asl_wedge *w, int columns)
{
	uint64_t c = (uint64_t)columns;

	return (struct asl_wedge_memory){
		.cache = (2 * row_words(w) + w->longest) * c +
			 scratch_of(w, columns),
		.dram = w->longest * c,
	};
}

void asl_wedge_take(struct asl_rank *r, struct asl_wedge *w, int columns)
{
	uint64_t c = (uint64_t)columns;

	/* On sim all ranks have a wedge at a time: keep no tables of peers. */
	free(w->l.theirs);
	free(w->l.mine);
	w->l.mine = w->l.theirs = NULL;
	asl_tile_take(r, &w->x, row_words(w), c);
	asl_tile_take(r, &w->y, row_words(w), c);
	asl_tile_take(r, &w->pack, 1, w->longest * c);
	asl_tile_take(r, &w->scratch, 1, scratch_of(w, columns));
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
	asl_wedge_lists_free(&w->l);
}

void asl_wedge_select(struct asl_wedge *w, int first, int columns)
{
	w->first = first;
	w->columns = columns;
	asl_tile_zero(&w->x, w->x.rows, (uint64_t)columns);
}

/* ---- Load and store ---- */

/* The next rows of the words that a rank owns, in the selected columns. */
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

void asl_wedge_load(struct asl_rank *r, struct asl_wedge *w,
		    const struct asl_words *X)
{
	uint64_t done = 0;

	for (int i = 0; i < w->rows && !r->err; i++) {
		struct asl_range mine = asl_wedge_share(w, i);
		struct asl_block from = owned(w, X, &done, mine.count);
		struct asl_tile to =
			asl_tile_rows(&w->x, mine.first, mine.count);
		struct asl_words at = in_cache(w, &w->x, mine);
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

/* ---- Exchange ---- */

/* The part of a common row block that this rank or its peer owns. */
static struct asl_range part_of(const struct asl_wedge *w,
				const struct asl_common_row *x, int owner)
{
	return asl_layout_part(&w->s->layout, owner,
			       owner == w->rank ? x->of_a : x->of_b);
}

/*
 * List the row blocks in common with a peer (-1: none) in w->l.common, and
 * count the words of these that `owner` owns.  Returns their number.
 */
static int find_common(struct asl_wedge *w, int peer, int owner,
		       uint64_t *words)
{
	int count = peer < 0 ? 0
			     : asl_layout_common(&w->s->layout, w->rank, peer,
						 w->l.common);

	*words = 0;
	for (int i = 0; i < count; i++)
		*words += part_of(w, &w->l.common[i], owner).count;
	*words *= (uint64_t)w->columns;
	return count;
}

/* Copy the owner's words of the common row blocks into a message. */
static void pack(struct asl_rank *r, struct asl_wedge *w, struct asl_tile *from,
		 int count, int owner)
{
	uint64_t done = 0;

	for (int i = 0; i < count; i++) {
		struct asl_common_row *row = &w->l.common[i];
		struct asl_range part =
			offset(w, row->of_a, part_of(w, row, owner));
		struct asl_words x = in_cache(w, from, part);
		struct asl_words to = asl_tile_words(&w->pack, done, x.count);

		asl_copy(r, &to, &x);
		done += x.count;
	}
}

/* Load them from a message as x, or add them to y. */
static void unpack(struct asl_rank *r, struct asl_wedge *w, int count,
		   int owner, bool sums)
{
	uint64_t done = 0;

	for (int i = 0; i < count; i++) {
		struct asl_common_row *row = &w->l.common[i];
		struct asl_range part =
			offset(w, row->of_a, part_of(w, row, owner));
		struct asl_words x = in_cache(w, sums ? &w->y : &w->x, part);
		struct asl_words from = asl_slice(&w->landing, done, x.count);
		struct asl_block block =
			asl_as_block(&from, part.count, (uint64_t)w->columns);
		struct asl_tile tile;

		done += x.count;
		if (sums) {
			asl_add(r, &x, &x, &from);
			continue;
		}
		tile = asl_tile_rows(&w->x, part.first, part.count);
		asl_tile_load(r, &tile, &block);
	}
}

static void exchange(struct asl_rank *r, struct asl_wedge *w, int step,
		     bool sums)
{
	struct pair x = pair_of(w, step);
	int to_owner = sums ? x.to : w->rank,
	    from_owner = sums ? w->rank : x.from;
	struct asl_words out, in;
	uint64_t send, receive;
	int count = find_common(w, x.to, to_owner, &send);

	pack(r, w, sums ? &w->y : &w->x, count, to_owner);
	count = find_common(w, x.from, from_owner, &receive);
	if (w->s->exchange == ASL_ALLTOALL)
		send = receive = w->s->equal * (uint64_t)w->columns;
	out = asl_tile_words(&w->pack, 0, send);
	in = asl_slice(&w->landing, 0, receive);
	if (send || receive)
		asl_exchange(r, x.to, send ? &out : NULL, x.from,
			     receive ? &in : NULL);
	unpack(r, w, count, from_owner, sums);
}

/* With all peers: x, or sums of y. */
static void exchange_all(struct asl_rank *r, struct asl_wedge *w, bool sums)
{
	asl_phase(r, sums ? ASL_REDUCE : ASL_GATHER);
	for (int i = 0; i < steps(w->s) && !r->err; i++)
		exchange(r, w, i, sums);
}

/* ---- Multiply ---- */

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

/* Vectors are short beside the part of the tensor read since the last mark. */
static void mark(struct asl_rank *r, struct asl_wedge *w)
{
	uint64_t words = w->x.rows * w->x.cols;
	struct asl_words live[] = {
		asl_tile_words(&w->x, 0, words),
		asl_tile_words(&w->y, 0, words),
		w->live[0],
		w->live[1],
	};

	asl_mark_epoch(r, live, 4);
}

enum { PARTS = 4 };

/* Mark an epoch before each of four parts, and after the last. */
static void multiply(struct asl_rank *r, struct asl_wedge *w,
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

void asl_wedge_product(struct asl_rank *r, struct asl_wedge *w,
		       const struct asl_words *A)
{
	exchange_all(r, w, false);
	multiply(r, w, A);
	exchange_all(r, w, true);
}

/* ---- Predict ---- */

static void predict_exchanges(struct asl_counts *x, const struct asl_wedge *w,
			      uint64_t columns, bool sums)
{
	enum asl_counter received = sums ? ASL_BOUNCE_READ : ASL_DRAM_READ;

	for (int i = 0; i < steps(w->s); i++) {
		struct pair p = pair_of(w, i);
		uint64_t out = words_out(w, p.to, sums) * columns;
		uint64_t in = words_in(w, p.from, sums) * columns;

		x->of[received] += in;
		if (w->s->exchange == ASL_ALLTOALL)
			out = in = w->s->equal * columns;
		x->of[ASL_NET_SEND] += out;
		x->of[ASL_NET_RECV] += in;
		x->of[ASL_NET_MSGS] += out > 0;
		x->of[ASL_BH] += asl_max(out, in);
	}
}

void asl_wedge_predict_product(struct asl_ledger *out,
			       const struct asl_wedge *w, int columns)
{
	uint64_t c = (uint64_t)columns, A = asl_wedge_tensor(w);

	predict_exchanges(&out->in[ASL_GATHER], w, c, false);
	predict_exchanges(&out->in[ASL_REDUCE], w, c, true);
	out->in[ASL_COMPUTE].of[ASL_NVM_READ] += A;
	out->in[ASL_COMPUTE].of[ASL_FLOPS] += 4 * A * c;
}

/* ---- Numbers that all ranks add up ---- */

void asl_allsum_take(struct asl_rank *r, struct asl_allsum *s, int ranks,
		     uint64_t most)
{
	s->all = (struct asl_group){.stride = 1, .size = ranks, .me = r->id};
	asl_tile_take(r, &s->tile, 1, most);
	asl_take(r, &s->mine, ASL_DRAM, ranks > 1 ? most : 0);
	asl_take(r, &s->whole, ASL_DRAM, ranks > 1 ? most : 0);
}

void asl_allsum_give(struct asl_rank *r, struct asl_allsum *s)
{
	asl_give(r, &s->whole);
	asl_give(r, &s->mine);
	asl_tile_give(r, &s->tile);
}

void asl_allsum_add(struct asl_rank *r, struct asl_allsum *s, uint64_t count)
{
	struct asl_words mine = asl_slice(&s->mine, 0, count);
	struct asl_words whole = asl_slice(&s->whole, 0, count);
	struct asl_block to = asl_as_block(&mine, 1, count);
	struct asl_block from = asl_as_block(&whole, 1, count);
	struct asl_tile row = asl_tile_row(&s->tile, 0, count);

	if (s->all.size == 1)
		return;
	asl_tile_store(r, &to, &row);
	asl_reduce(r, &s->all, 0, &whole, &mine);
	asl_broadcast(r, &s->all, 0, &whole);
	asl_tile_load(r, &row, &from);
}

void asl_allsum_predict(struct asl_counts *x, int ranks, int rank,
			uint64_t count)
{
	if (ranks == 1)
		return;
	x->of[ASL_DRAM_WRITE] += count;
	asl_predict_reduce(x, count, ranks, rank, 0, ASL_DRAM, ASL_DRAM);
	asl_predict_broadcast(x, count, ranks, rank, 0, ASL_DRAM);
	x->of[ASL_DRAM_READ] += count;
}

uint64_t asl_allsum_memory(int ranks, int rank, uint64_t most, uint64_t count)
{
	if (ranks == 1)
		return most;
	return 3 * most + asl_reduce_scratch(count, ranks, rank, 0);
}
