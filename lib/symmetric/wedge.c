/*
 * wedge.c -- a rank's wedge: which words it has, and what it knows of its peers
 */
#include "lib/symmetric/wedge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rank/resume.h"
#include "lib/symmetric/block.h"

static struct asl_words asl_wedge_in_cache(const struct asl_wedge *w,
					   struct asl_tile *t,
					   struct asl_range rows);

static struct asl_range asl_wedge_offset(const struct asl_wedge *w, int place,
					 struct asl_range x);

/*
 * What ranks with row blocks in common send one another
 */

/* ---- With whom ---- */

/* Who is sent to in a step, and who is received from; -1: nobody. */
struct pair {
	int to, from;
};

static int steps(const struct asl_symmetric *s)
{
	return s->alltoall ? s->layout.ranks - 1 : s->schedule.steps;
}

static struct pair pair_of(const struct asl_wedge *w, int step)
{
	const struct asl_symmetric *s = w->s;
	int P = s->layout.ranks;

	if (!s->alltoall)
		return (struct pair){
			asl_schedule_to(&s->schedule, w->rank, step),
			asl_schedule_from(&s->schedule, w->rank, step)};
	return (struct pair){(w->rank + step + 1) % P,
			     (w->rank + P - step - 1) % P};
}

/* Words of this rank and of every other in row blocks that they share. */
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

/* Of x a rank sends what is its own; of y sums of what is the other's. */
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

	if (w->s->alltoall)
		return w->s->equal;
	for (int i = 0; i < steps(w->s); i++) {
		int to = pair_of(w, i).to;

		most = asl_max(most, words_out(w, to, false));
		most = asl_max(most, words_out(w, to, true));
	}
	return most;
}

/* Find what is exchanged with whom: mine, theirs, longest. */
static void asl_wedge_meet(struct asl_wedge *w)
{
	count_words(w);
	w->longest = longest(w);
}

/* ---- Exchanges ---- */

/* What this rank or its peer has of a row block that they have in common. */
static struct asl_range part_of(const struct asl_wedge *w,
				const struct asl_common_row *x, int owner)
{
	return asl_layout_part(&w->s->layout, owner,
			       owner == w->rank ? x->of_a : x->of_b);
}

/*
 * The row blocks in common with a peer (-1: nobody), to w->l.common; and the words
 * of these that one of the two has.
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

/* The owner's words of the common row blocks, into a message. */
static void pack(struct asl_rank *r, struct asl_wedge *w, struct asl_tile *from,
		 int count, int owner)
{
	uint64_t done = 0;

	for (int i = 0; i < count; i++) {
		struct asl_common_row *row = &w->l.common[i];
		struct asl_words x = asl_wedge_in_cache(
			w, from,
			asl_wedge_offset(w, row->of_a, part_of(w, row, owner)));
		struct asl_words to = asl_tile_words(&w->pack, done, x.count);

		asl_copy(r, &to, &x);
		done += x.count;
	}
}

/* The same out of one: loaded as x, or added to y. */
static void unpack(struct asl_rank *r, struct asl_wedge *w, int count,
		   int owner, bool sums)
{
	uint64_t done = 0;

	for (int i = 0; i < count; i++) {
		struct asl_common_row *row = &w->l.common[i];
		struct asl_range rows =
			asl_wedge_offset(w, row->of_a, part_of(w, row, owner));
		struct asl_words x =
			asl_wedge_in_cache(w, sums ? &w->y : &w->x, rows);
		struct asl_words from = asl_slice(&w->landing, done, x.count);
		struct asl_block block =
			asl_as_block(&from, rows.count, (uint64_t)w->columns);
		struct asl_tile tile;

		done += x.count;
		if (sums) {
			asl_add(r, &x, &x, &from);
			continue;
		}
		tile = asl_tile_rows(&w->x, rows.first, rows.count);
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
	if (w->s->alltoall)
		send = receive = w->s->equal * (uint64_t)w->columns;
	out = asl_tile_words(&w->pack, 0, send);
	in = asl_slice(&w->landing, 0, receive);
	if (send || receive)
		asl_exchange(r, x.to, send ? &out : NULL, x.from,
			     receive ? &in : NULL);
	unpack(r, w, count, from_owner, sums);
}

void asl_wedge_spread(struct asl_rank *r, struct asl_wedge *w)
{
	asl_phase(r, ASL_GATHER);
	for (int i = 0; i < steps(w->s) && !r->err; i++)
		exchange(r, w, i, false);
}

void asl_wedge_collect(struct asl_rank *r, struct asl_wedge *w)
{
	asl_phase(r, ASL_REDUCE);
	for (int i = 0; i < steps(w->s) && !r->err; i++)
		exchange(r, w, i, true);
}

/* ---- The closed form ---- */

static void predict_exchanges(struct asl_counts *x, const struct asl_wedge *w,
			      uint64_t columns, bool sums)
{
	enum asl_counter received = sums ? ASL_BOUNCE_READ : ASL_DRAM_READ;

	for (int i = 0; i < steps(w->s); i++) {
		struct pair p = pair_of(w, i);
		uint64_t out = words_out(w, p.to, sums) * columns;
		uint64_t in = words_in(w, p.from, sums) * columns;

		x->of[received] += in;
		if (w->s->alltoall)
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

/* Where words of the row block at that place are in x and y. */
static struct asl_range asl_wedge_offset(const struct asl_wedge *w, int place,
					 struct asl_range x)
{
	x.first += w->l.at[place] -
		   asl_layout_row(&w->s->layout, w->row[place]).first;
	return x;
}

struct asl_range asl_wedge_share(const struct asl_wedge *w, int i)
{
	return asl_wedge_offset(w, i,
				asl_layout_part(&w->s->layout, w->rank, i));
}

/* Words of all its row blocks, of its shares, and of its tensor blocks. */
static uint64_t asl_wedge_words(const struct asl_wedge *w)
{
	return w->l.at[w->rows];
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

/* Its peers: on sim all ranks of a run have a wedge at a time. */
static void asl_wedge_forget(struct asl_wedge *w)
{
	free(w->l.theirs);
	free(w->l.mine);
	w->l.mine = w->l.theirs = NULL;
}

void asl_wedge_lists_give(struct asl_wedge_lists *l)
{
	free(l->theirs);
	free(l->mine);
	free(l->common);
	free(l->at);
	*l = (struct asl_wedge_lists){0};
}

bool asl_wedge_lists_take(struct asl_wedge_lists *l, int rows, int ranks)
{
	*l = (struct asl_wedge_lists){
		.at = malloc(((size_t)rows + 1) * sizeof *l->at),
		.mine = malloc((size_t)ranks * sizeof *l->mine),
		.theirs = malloc((size_t)ranks * sizeof *l->theirs),
		.common = malloc(((size_t)rows + 1) * sizeof *l->common),
	};
	if (l->at && l->mine && l->theirs && l->common)
		return true;
	asl_wedge_lists_give(l);
	return false;
}

static struct asl_wedge wedge_of(const struct asl_symmetric *s, int rank)
{
	return (struct asl_wedge){
		.s = s,
		.rank = rank,
		.rows = asl_list_length(&s->layout.rows, rank),
		.row = asl_list(&s->layout.rows, rank),
	};
}

static void fill_lists(struct asl_wedge *w)
{
	const struct asl_layout *l = &w->s->layout;
	size_t peers = (size_t)l->ranks * sizeof *w->l.mine;

	w->l.at[0] = 0;
	for (int i = 0; i < w->rows; i++)
		w->l.at[i + 1] =
			w->l.at[i] + asl_layout_row(l, w->row[i]).count;
	memset(w->l.mine, 0, peers);
	memset(w->l.theirs, 0, peers);
	asl_wedge_meet(w);
}

void asl_wedge_for_prediction(struct asl_wedge *w,
			      const struct asl_symmetric *s, int rank)
{
	*w = wedge_of(s, rank);
	w->l = s->scratch;
	fill_lists(w);
}

void asl_wedge_begin(struct asl_wedge *w, const struct asl_symmetric *s,
		     int rank)
{
	*w = wedge_of(s, rank);
	w->failed = !asl_wedge_lists_take(&w->l, w->rows, s->layout.ranks);
	if (w->failed)
		w->rows = 0;
	else
		fill_lists(w);
}

void asl_wedge_end(struct asl_wedge *w)
{
	asl_wedge_lists_give(&w->l);
}

/*
 * What a rank does with its wedge: to and from the cache, multiply
 */

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

		most = asl_max(most, asl_block_scratch(&x, &v));
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

static struct asl_words asl_wedge_in_cache(const struct asl_wedge *w,
					   struct asl_tile *t,
					   struct asl_range rows)
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

	asl_mark_epoch(r, live, 4);
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
