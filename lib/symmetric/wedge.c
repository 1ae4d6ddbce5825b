/*
 * wedge.c -- a rank's wedge: exchange its vectors, multiply, predict both
 */
#include "lib/symmetric/wedge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clones.h"
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

/* Rows of x or y, in the cache or, by pieces, in DRAM. */
static struct asl_words
rows_of(struct asl_wedge *w, enum asl_wedge_vector which, struct asl_range rows)
{
	uint64_t c = (uint64_t)w->columns;
	bool x = which == ASL_WEDGE_X;

	if (w->s->by_pieces)
		return asl_slice(x ? &w->far_x : &w->far_y, rows.first,
				 rows.count);
	return asl_tile_words(x ? &w->x : &w->y, rows.first * c,
			      rows.count * c);
}

static struct asl_words packed(struct asl_wedge *w, uint64_t first,
			       uint64_t count)
{
	return w->s->by_pieces ? asl_slice(&w->parcel, first, count)
			       : asl_tile_words(&w->pack, first, count);
}

uint64_t asl_wedge_owned(const struct asl_wedge *w)
{
	uint64_t words = 0;

	for (int i = 0; i < w->rows; i++)
		words += asl_wedge_share(w, i).count;
	return words;
}

static uint64_t tensor_words(const struct asl_wedge *w)
{
	return asl_layout_words(&w->s->layout, w->rank);
}

uint64_t asl_wedge_held(const struct asl_wedge *w)
{
	return w->s->streams ? 0 : tensor_words(w);
}

/* ---- Its peers ---- */

/* Whom it sends to and receives from in a step. */
struct pair {
	struct asl_turn to, from;
};

static bool by_schedule(const struct asl_symmetric *s)
{
	return s->exchange != ASL_ALLTOALL;
}

/* A message has all of the shares, which are even parts of row blocks. */
static bool by_parts(const struct asl_symmetric *s)
{
	return s->layout.even == UINT64_MAX;
}

/* Two ranks exchange what they share in one step. */
static bool meets_pairwise(const struct asl_symmetric *s)
{
	return by_schedule(s) && by_parts(s);
}

static int steps(const struct asl_symmetric *s)
{
	return by_schedule(s) ? s->schedule.steps : s->layout.ranks - 1;
}

/* Steps at once: with little memory, one after another. */
static int flight(const struct asl_wedge *w)
{
	return w->s->streams ? 1 : ASL_FLIGHT;
}

/* But for cubic's, sums go the way back, so that no step has other words. */
static struct pair pair_of(const struct asl_wedge *w, int step, bool sums)
{
	const struct asl_symmetric *s = w->s;
	int P = s->layout.ranks;
	struct pair x = {{(w->rank + step + 1) % P, ASL_WHOLE},
			 {(w->rank + P - step - 1) % P, ASL_WHOLE}};

	if (by_schedule(s))
		x = (struct pair){
			asl_schedule_to(&s->schedule, w->rank, step),
			asl_schedule_from(&s->schedule, w->rank, step)};
	return sums && !by_parts(s) ? (struct pair){x.from, x.to} : x;
}

/*
 * With a system, all messages of even words and of extra ones are alike; in pairs,
 * count_words has found the longest.
 */
static uint64_t longest(const struct asl_wedge *w)
{
	const struct asl_symmetric *s = w->s;

	if (!by_schedule(s))
		return s->equal;
	return by_parts(s) ? w->longest : s->layout.longest;
}

/* ---- Begin ---- */

void asl_wedge_lists_free(struct asl_wedge_lists *l)
{
	free(l->step);
	free(l->theirs);
	free(l->mine);
	free(l->common);
	free(l->part);
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
		.part = malloc(((size_t)rows + 1) * sizeof *l->part),
	};
	if (l->at && l->mine && l->theirs && l->common && l->part)
		return true;
	asl_wedge_lists_free(l);
	return false;
}

/* Add words to the sums of a row block's other sharers. */
static void add_to(struct asl_wedge *w, uint64_t *sum, const int *sharer,
		   int sharers, uint64_t words)
{
	uint64_t most = w->longest;

	for (int i = 0; words && i < sharers; i++) {
		int peer = sharer[i];

		sum[peer] += peer == w->rank ? 0 : words;
		most = asl_max(most, sum[peer]);
	}
	w->longest = most;
}

/*
 * Words of this rank, and of its peers, in row blocks that they share, and the most
 * that one has for another.
 */
static void count_words(struct asl_wedge *w)
{
	const struct asl_layout *l = &w->s->layout;

	for (int i = 0; i < w->rows; i++) {
		const int *sharer = asl_list(&l->sharers, w->row[i]);
		int sharers = asl_list_length(&l->sharers, w->row[i]);
		uint64_t words = asl_layout_row(l, w->row[i]).count;
		int longer = (int)(words % (uint64_t)sharers);

		add_to(w, w->l.mine, sharer, sharers,
		       asl_wedge_share(w, i).count);
		add_to(w, w->l.theirs, sharer, longer, 1);
		add_to(w, w->l.theirs, sharer, sharers,
		       words / (uint64_t)sharers);
	}
}

static bool has_words(const struct asl_wedge *w, int step)
{
	int peer = asl_schedule_to(&w->s->schedule, w->rank, step).peer;

	return peer >= 0 && (w->l.mine[peer] || w->l.theirs[peer]);
}

/* The steps in which it has words to exchange.  False: there is no memory. */
static bool list_steps(struct asl_wedge *w)
{
	struct asl_wedge_lists *l = &w->l;
	int all = steps(w->s);
	int *step = malloc(((size_t)all + 1) * sizeof *step), *less;

	if (!step)
		return false;
	for (int i = 0; i < all; i++)
		if (has_words(w, i))
			step[l->steps++] = i;
	less = realloc(step, ((size_t)l->steps + 1) * sizeof *step);
	l->step = less ? less : step;
	return true;
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
	if (!l->s) {
		memset(w->l.mine, 0, peers);
		memset(w->l.theirs, 0, peers);
		count_words(w);
	}
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
	bool ready;

	*w = (struct asl_wedge){.s = s, .rank = r->id};
	ready = asl_wedge_lists_alloc(&w->l, rows, s->layout.ranks);
	if (ready)
		fill_lists(w);
	if (ready && meets_pairwise(s))
		ready = list_steps(w);
	if (ready)
		return;
	w->rows = 0;
	asl_rank_fail(r, -ENOMEM, "no memory for a rank's row blocks");
}

/* ---- Memory ---- */

/* x and y of a row block; before take NULL. */
static double *vector_of(const struct asl_wedge *w, const struct asl_tile *t,
			 int row)
{
	int place = asl_list_find(&w->s->layout.rows, w->rank, row);

	return t->at ? t->at + w->l.at[place] * (uint64_t)w->columns : NULL;
}

static struct asl_block_vectors vectors_of(const struct asl_wedge *w,
					   const struct asl_tensor_block *b)
{
	return (struct asl_block_vectors){
		.columns = (uint64_t)w->columns,
		.ld = (uint64_t)w->columns,
		.xi = vector_of(w, &w->x, b->i),
		.xj = vector_of(w, &w->x, b->j),
		.xk = vector_of(w, &w->x, b->k),
		.yi = vector_of(w, &w->y, b->i),
		.yj = vector_of(w, &w->y, b->j),
		.yk = vector_of(w, &w->y, b->k),
	};
}

/* Blocks of an order above 3 have one vector, which stays in place. */
static uint64_t scratch_of(const struct asl_wedge *w, int columns)
{
	const struct asl_layout *l = &w->s->layout;
	uint64_t most = 0;

	/* No block needs any; planning would take long to ask them all. */
	if (columns == 1)
		return 0;
	for (size_t i = l->first[w->rank]; i < l->first[w->rank + 1]; i++) {
		struct asl_block_shape x = asl_layout_shape(l, &l->block[i]);
		struct asl_block_vectors v = {
			.columns = (uint64_t)columns,
			.ld = (uint64_t)columns,
		};

		most = asl_max(most, asl_block_scratch(&x, &v));
	}
	return most;
}

uint64_t asl_wedge_rows(const struct asl_wedge *w)
{
	return w->rows ? w->l.at[w->rows] : 0;
}

uint64_t asl_wedge_cache(const struct asl_wedge *w, int columns)
{
	if (w->s->by_pieces)
		return asl_pieces_cache(w->s);
	return (2 * asl_wedge_rows(w) + w->longest) * (uint64_t)columns +
	       scratch_of(w, columns);
}

/*
 * The most that comes in, of x or of sums.  With a system it is the same number for all
 * ranks, which have a word beyond the even ones of each row block, or words of one.
 */
static uint64_t received(const struct asl_wedge *w)
{
	const struct asl_layout *l = &w->s->layout;
	uint64_t s = (uint64_t)l->s, all = 0, peers;

	if (s) {
		peers = (uint64_t)asl_list_length(&l->sharers, 0) - 1;
		all = l->even ? s * (l->even + 1) : asl_max(s, w->longest);
		return asl_max(s * asl_layout_row(l, 0).count, peers * all);
	}
	for (int i = 0; i < w->rows; i++) {
		peers = (uint64_t)asl_list_length(&l->sharers, w->row[i]) - 1;
		all += peers * asl_wedge_share(w, i).count;
	}
	return asl_max(all, asl_wedge_rows(w) - asl_wedge_owned(w));
}

/* For what comes in at once, for one column. */
static uint64_t landing(const struct asl_wedge *w)
{
	uint64_t at_once = (uint64_t)flight(w) * w->longest;

	if (!by_schedule(w->s))
		return asl_min(at_once, (uint64_t)steps(w->s) * w->longest);
	return asl_max(w->longest, asl_min(at_once, received(w)));
}

uint64_t asl_wedge_dram(const struct asl_wedge *w, int columns)
{
	if (w->s->by_pieces)
		return 2 * asl_wedge_rows(w) + w->longest + landing(w);
	return landing(w) * (uint64_t)columns;
}

void asl_wedge_take(struct asl_rank *r, struct asl_wedge *w, int columns)
{
	uint64_t c = (uint64_t)columns;

	/* On sim all ranks have a wedge at a time: keep no tables of peers. */
	free(w->l.theirs);
	free(w->l.mine);
	w->l.mine = w->l.theirs = NULL;
	if (w->s->by_pieces) {
		asl_pieces_take(r, w);
	} else {
		asl_tile_take(r, &w->x, asl_wedge_rows(w), c);
		asl_tile_take(r, &w->y, asl_wedge_rows(w), c);
		asl_tile_take(r, &w->pack, 1, w->longest * c);
		asl_tile_take(r, &w->scratch, 1, scratch_of(w, columns));
	}
	asl_take(r, &w->landing, ASL_DRAM, landing(w) * c);
	w->columns = columns;
}

void asl_wedge_give(struct asl_rank *r, struct asl_wedge *w)
{
	asl_give(r, &w->landing);
	asl_pieces_give(r, w);
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
		struct asl_words at = rows_of(w, ASL_WEDGE_X, mine);
		struct asl_block there =
			asl_as_block(&at, mine.count, (uint64_t)w->columns);
		struct asl_tile to;

		if (w->s->by_pieces) {
			asl_pieces_load(r, w, mine.first, &from);
		} else if (X->where == ASL_CACHE) {
			asl_copy_block(r, &there, &from);
		} else {
			to = asl_tile_rows(&w->x, mine.first, mine.count);
			asl_tile_load(r, &to, &from);
		}
	}
}

void asl_wedge_store(struct asl_rank *r, struct asl_wedge *w,
		     enum asl_wedge_vector which, const struct asl_words *words)
{
	struct asl_tile *from = which == ASL_WEDGE_X ? &w->x : &w->y;
	uint64_t done = 0;

	for (int i = 0; i < w->rows && !r->err; i++) {
		struct asl_range mine = asl_wedge_share(w, i);
		struct asl_block to = owned(w, words, &done, mine.count);
		struct asl_tile x;

		if (w->s->by_pieces) {
			asl_pieces_store(r, w, which, mine.first, &to);
			continue;
		}
		x = asl_tile_rows(from, mine.first, mine.count);
		asl_tile_store(r, &to, &x);
	}
}

struct working {
	struct asl_wedge *w;
	const struct asl_wedge_work *work;
};

static void use_shares(const double *at, void *arg)
{
	const struct working *p = arg;
	struct asl_wedge *w = p->w;

	(void)at;
	for (int i = 0; i < w->rows; i++) {
		struct asl_range mine = asl_wedge_share(w, i);

		for (uint64_t j = mine.first; j < mine.first + mine.count; j++)
			p->work->use(p->work->arg, w->x.at + j, w->y.at + j);
	}
}

void asl_wedge_do(struct asl_rank *r, struct asl_wedge *w,
		  const struct asl_wedge_work *x)
{
	struct working p = {w, x};

	if (w->s->by_pieces)
		asl_pieces_do(r, w, x);
	else
		asl_compute(r, NULL, x->flops * asl_wedge_owned(w), use_shares,
			    &p);
}

/* ---- Exchange ---- */

/* All steps of x, or of sums of y. */
struct exchange {
	struct asl_wedge *w;
	bool sums;
	int at; /* of w->l.step */
	/* Whose row blocks are in w->l.common, -1: nobody's, and their number. */
	int peer, common;
	/* The step whose incoming parts are in w->l.part, and their number. */
	int listed, parts;
	uint64_t brings; /* bit i: words come in in step i of the flight */
	/* Words of the flight: with the steps asked for, with those unpacked. */
	uint64_t landed, unpacked;
};

/*
 * Put the words of row blocks in common with a peer that this rank (`mine`) or
 * the peer owns, and that this turn is for, in w->l.part, as rows of x and y.
 * Returns the number of parts, and their words in all columns.
 */
static int list_parts(struct exchange *e, struct asl_turn t, bool mine,
		      uint64_t *words)
{
	struct asl_wedge *w = e->w;
	const struct asl_layout *l = &w->s->layout;
	struct asl_common_row *x = w->l.common;
	int parts = 0, extras = 0;

	*words = 0;
	if (t.peer < 0)
		return 0;
	if (t.peer != e->peer)
		e->common = asl_layout_common(l, w->rank, t.peer, x);
	e->peer = t.peer;
	for (int i = 0; i < e->common; i++) {
		struct asl_range own =
			mine ? asl_layout_part(l, w->rank, x[i].of_a)
			     : asl_layout_part(l, t.peer, x[i].of_b);
		uint64_t even = asl_min(l->even, own.count);

		if (t.extra == ASL_EVEN)
			own.count = even;
		else if (t.extra != ASL_WHOLE) {
			if (own.count == even || extras++ != t.extra)
				continue;
			own.first += even;
			own.count -= even;
		}
		w->l.part[parts++] = offset(w, x[i].of_a, own);
		*words += own.count * (uint64_t)w->columns;
	}
	return parts;
}

/* Copy the parts into a message. */
static void pack(struct asl_rank *r, struct asl_wedge *w,
		 enum asl_wedge_vector which, int parts)
{
	uint64_t done = 0;

	for (int i = 0; i < parts; i++) {
		struct asl_words x = rows_of(w, which, w->l.part[i]);
		struct asl_words to = packed(w, done, x.count);

		asl_copy(r, &to, &x);
		done += x.count;
	}
}

/*
 * Load them from the message at `first` as x, or add them to y.  Returns their number
 * of words.
 */
static uint64_t unpack(struct asl_rank *r, struct asl_wedge *w, uint64_t first,
		       int parts, bool sums)
{
	uint64_t done = 0;

	for (int i = 0; i < parts; i++) {
		struct asl_range part = w->l.part[i];
		struct asl_words x =
			rows_of(w, sums ? ASL_WEDGE_Y : ASL_WEDGE_X, part);
		struct asl_words from =
			asl_slice(&w->landing, first + done, x.count);
		struct asl_block block =
			asl_as_block(&from, part.count, (uint64_t)w->columns);
		struct asl_tile tile;

		done += x.count;
		if (sums) {
			asl_add(r, &x, &x, &from);
			continue;
		}
		if (w->s->by_pieces) {
			asl_copy(r, &x, &from);
			continue;
		}
		tile = asl_tile_rows(&w->x, part.first, part.count);
		asl_tile_load(r, &tile, &block);
	}
	return done;
}

static int next(const struct asl_rank *r, int i, void *arg)
{
	struct exchange *e = arg;
	const struct asl_wedge_lists *l = &e->w->l;

	(void)r;
	while (e->at < l->steps && l->step[e->at] < i)
		e->at++;
	return e->at < l->steps ? l->step[e->at] : steps(e->w->s);
}

static uint64_t bit_of(const struct asl_wedge *w, int step)
{
	return (uint64_t)1 << step % flight(w);
}

static void before(struct asl_rank *r, int step, struct asl_step *x, void *arg)
{
	struct exchange *e = arg;
	struct asl_wedge *w = e->w;
	struct pair p = pair_of(w, step, e->sums);
	uint64_t send, receive;
	int parts = list_parts(e, p.to, !e->sums, &send);

	if (step / flight(w) != e->listed / flight(w))
		e->landed = e->unpacked = e->brings = 0;
	pack(r, w, e->sums ? ASL_WEDGE_Y : ASL_WEDGE_X, parts);
	e->parts = list_parts(e, p.from, e->sums, &receive);
	e->listed = step;
	if (!by_schedule(w->s))
		send = receive = w->s->equal * (uint64_t)w->columns;
	if (send) {
		x->to = p.to.peer;
		x->out = packed(w, 0, send);
	}
	if (receive) {
		x->from = p.from.peer;
		x->in = asl_slice(&w->landing, e->landed, receive);
		e->landed += receive;
		e->brings |= bit_of(w, step);
	}
}

static void after(struct asl_rank *r, int step, void *arg)
{
	struct exchange *e = arg;
	struct asl_wedge *w = e->w;
	uint64_t words;

	if (!(e->brings & bit_of(w, step)))
		return;
	if (e->listed != step)
		e->parts = list_parts(e, pair_of(w, step, e->sums).from,
				      e->sums, &words);
	e->listed = step;
	words = unpack(r, w, e->unpacked, e->parts, e->sums);
	if (!by_schedule(w->s))
		words = w->s->equal * (uint64_t)w->columns;
	e->unpacked += words;
}

/* With all peers: x, or sums of y. */
static void exchange_all(struct asl_rank *r, struct asl_wedge *w, bool sums)
{
	struct exchange e = {.w = w, .sums = sums, .peer = -1};
	struct asl_exchanges x = {
		.steps = steps(w->s),
		.before = before,
		.after = after,
		.next = meets_pairwise(w->s) ? next : NULL,
		.arg = &e,
		.flight = flight(w),
	};
	struct asl_group all = {
		.stride = 1,
		.size = w->s->layout.ranks,
		.me = r->id,
	};

	asl_phase(r, sums ? ASL_REDUCE : ASL_GATHER);
	asl_exchange_all(r, &all, &x);
}

/* ---- Multiply ---- */

struct update {
	const struct asl_wedge *w;
	size_t block;
};

static void update_order_block(const struct asl_wedge *w, const double *A,
			       size_t at)
{
	struct asl_order_block block =
		asl_layout_order_block(&w->s->layout, at);
	const double *x[ASL_MOST_ORDER];
	double *y[ASL_MOST_ORDER];

	for (int i = 0; i < block.order; i++) {
		x[i] = vector_of(w, &w->x, block.row.at[i]);
		y[i] = vector_of(w, &w->y, block.row.at[i]);
	}
	asl_order_update(&block, A, x, y);
}

static void update(const double *A, void *arg)
{
	const struct update *u = arg;
	const struct asl_layout *l = &u->w->s->layout;
	struct asl_block_shape shape;
	struct asl_block_vectors v;

	if (l->tuple) {
		update_order_block(u->w, A, u->block);
		return;
	}
	shape = asl_layout_shape(l, &l->block[u->block]);
	v = vectors_of(u->w, &l->block[u->block]);
	asl_block_update(&shape, A,
			 (struct asl_range){0, asl_block_rows(&shape)}, &v,
			 u->w->scratch.at);
}

/* Vectors are short beside the part of the tensor read since the last mark. */
static void mark(struct asl_rank *r, struct asl_wedge *w)
{
	struct asl_range rows = {0, asl_wedge_rows(w)};
	struct asl_words live[] = {
		rows_of(w, ASL_WEDGE_X, rows),
		rows_of(w, ASL_WEDGE_Y, rows),
		w->live[0],
		w->live[1],
	};

	asl_mark_epoch(r, live, 4);
}

static void zero(struct asl_rank *r, struct asl_wedge *w)
{
	if (w->s->by_pieces) {
		asl_pieces_zero(r, w);
		return;
	}
	asl_tile_zero(&w->y, w->y.rows, (uint64_t)w->columns);
	asl_tile_words(&w->y, 0, 0);
}

static void multiply_block(struct asl_rank *r, struct asl_wedge *w,
			   const struct asl_words *A, size_t block)
{
	struct update u = {w, block};

	if (w->s->by_pieces)
		asl_pieces_multiply(r, w, A, block);
	else
		asl_compute(r, A, 4 * A->count * (uint64_t)w->columns, update,
			    &u);
}

enum { PARTS = 4 };

/* Mark an epoch before each of four parts, and after the last. */
static void multiply(struct asl_rank *r, struct asl_wedge *w,
		     const struct asl_words *A)
{
	const struct asl_layout *l = &w->s->layout;
	uint64_t done = 0, all = tensor_words(w), part = 0;

	asl_phase(r, ASL_COMPUTE);
	zero(r, w);
	mark(r, w);
	for (size_t i = l->first[w->rank]; i < l->first[w->rank + 1] && !r->err;
	     i++) {
		struct asl_words x =
			asl_slice(A, done, asl_layout_block_words(l, i));

		multiply_block(r, w, &x, i);
		done += x.count;
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

/*
 * All to all, and with a Steiner system, counts have a closed form, of w, W and
 * the numbers of row blocks with extra words; steps do not matter, nor in pairs, where
 * they are sums over peers.  Covers have none: what a rank waits for depends on whom it
 * meets in a step.
 */

static void predict_system(struct asl_ledger *out, const struct asl_wedge *w,
			   uint64_t columns)
{
	const struct asl_layout *l = &w->s->layout;
	struct asl_counts *x = &out->in[ASL_GATHER], *y = &out->in[ASL_REDUCE];
	uint64_t peers = (uint64_t)asl_list_length(&l->sharers, 0) - 1;
	uint64_t own = asl_wedge_owned(w);
	uint64_t sent = own * peers * columns;
	uint64_t received = (asl_wedge_rows(w) - own) * columns;
	uint64_t B_h = asl_max(sent, received);
	struct asl_steiner_size size = {.m = l->m, .s = l->s};
	uint64_t even = l->even ? (uint64_t)asl_steiner_steps(&size) : 0;
	uint64_t mine = 0, all = 0;

	for (int i = 0; i < w->rows; i++) {
		mine += asl_wedge_share(w, i).count > l->even;
		all += (uint64_t)l->extras[w->row[i]];
	}
	asl_counts_add_net(x, sent, received, B_h, even + mine * peers);
	asl_counts_add_net(y, received, sent, B_h, even + all - mine);
	x->of[ASL_DRAM_READ] += received;
	y->of[ASL_BOUNCE_READ] += sent;
}

static void predict_all_to_all(struct asl_ledger *out,
			       const struct asl_wedge *w, uint64_t columns)
{
	struct asl_counts *x = &out->in[ASL_GATHER], *y = &out->in[ASL_REDUCE];
	uint64_t steps = (uint64_t)w->s->layout.ranks - 1;
	uint64_t words = steps * w->s->equal * columns;
	uint64_t own = asl_wedge_owned(w);

	asl_counts_add_net(x, words, words, words, w->s->equal ? steps : 0);
	asl_counts_add_net(y, words, words, words, w->s->equal ? steps : 0);
	x->of[ASL_DRAM_READ] += (asl_wedge_rows(w) - own) * columns;
	for (int i = 0; i < w->rows; i++) {
		int row = w->row[i];

		y->of[ASL_BOUNCE_READ] +=
			asl_wedge_share(w, i).count * columns *
			(uint64_t)(asl_list_length(&w->s->layout.sharers, row) -
				   1);
	}
}

/* Words of x that this rank (`mine`) or its peer owns, in a turn. */
static uint64_t words_with(const struct asl_wedge *w, struct asl_turn t,
			   bool mine)
{
	const struct asl_layout *l = &w->s->layout;
	int common, extra = t.extra;

	if (t.peer < 0)
		return 0;
	common = asl_layout_common(l, w->rank, t.peer, w->l.common);
	for (int i = 0; i < common; i++) {
		const struct asl_common_row *x = &w->l.common[i];
		uint64_t words =
			mine ? asl_layout_part(l, w->rank, x->of_a).count
			     : asl_layout_part(l, t.peer, x->of_b).count;

		if (words && extra-- == 0)
			return words;
	}
	return 0;
}

/* Sums over peers: words both ways, the more of the two, and peers that get any. */
struct pairs {
	uint64_t sent, received, longer, to, from;
};

static ASL_CLONES struct pairs all_pairs(const uint64_t *mine,
					 const uint64_t *theirs, int ranks)
{
	struct pairs x = {0};

	for (int p = 0; p < ranks; p++) {
		x.sent += mine[p];
		x.received += theirs[p];
		x.longer += mine[p] > theirs[p] ? mine[p] : theirs[p];
		x.to += mine[p] > 0;
		x.from += theirs[p] > 0;
	}
	return x;
}

static void predict_pairs(struct asl_ledger *out, const struct asl_wedge *w,
			  uint64_t columns)
{
	struct asl_counts *x = &out->in[ASL_GATHER], *y = &out->in[ASL_REDUCE];
	struct pairs p = all_pairs(w->l.mine, w->l.theirs, w->s->layout.ranks);
	uint64_t sent = p.sent * columns, received = p.received * columns;
	uint64_t B_h = p.longer * columns;

	asl_counts_add_net(x, sent, received, B_h, p.to);
	asl_counts_add_net(y, received, sent, B_h, p.from);
	x->of[ASL_DRAM_READ] += received;
	y->of[ASL_BOUNCE_READ] += sent;
}

static void predict_steps(struct asl_ledger *out, const struct asl_wedge *w,
			  uint64_t columns)
{
	struct asl_counts *x = &out->in[ASL_GATHER], *y = &out->in[ASL_REDUCE];

	for (int i = 0; i < steps(w->s); i++) {
		struct pair p = pair_of(w, i, false), q = pair_of(w, i, true);
		uint64_t own = words_with(w, p.to, true) * columns;
		uint64_t other = words_with(w, p.from, false) * columns;
		uint64_t sums = words_with(w, q.to, false) * columns;
		uint64_t back = words_with(w, q.from, true) * columns;

		asl_counts_add_net(x, own, other, asl_max(own, other), own > 0);
		asl_counts_add_net(y, sums, back, asl_max(sums, back),
				   sums > 0);
		x->of[ASL_DRAM_READ] += other;
		y->of[ASL_BOUNCE_READ] += back;
	}
}

/*
 * In DRAM, the words packed are read and written, and so are those that are
 * added; those of x are not loaded, but copied.
 */
static void pack_in_dram(struct asl_ledger *x)
{
	uint64_t *spread = x->in[ASL_GATHER].of, *sums = x->in[ASL_REDUCE].of;
	uint64_t in = spread[ASL_DRAM_READ], out = sums[ASL_BOUNCE_READ];

	spread[ASL_DRAM_READ] = 0;
	spread[ASL_BOUNCE_READ] = spread[ASL_BOUNCE_WRITE] = out + in;
	sums[ASL_BOUNCE_READ] = in + 2 * out;
	sums[ASL_BOUNCE_WRITE] = in + out;
}

void asl_wedge_predict_product(struct asl_ledger *out,
			       const struct asl_wedge *w, int columns)
{
	uint64_t c = (uint64_t)columns, A = tensor_words(w);
	struct asl_ledger x = {0};

	if (!by_schedule(w->s))
		predict_all_to_all(&x, w, c);
	else if (w->s->layout.s)
		predict_system(&x, w, c);
	else if (by_parts(w->s))
		predict_pairs(&x, w, c);
	else
		predict_steps(&x, w, c);
	x.in[ASL_COMPUTE].of[ASL_NVM_READ] += A;
	x.in[ASL_COMPUTE].of[ASL_FLOPS] += 4 * A * c;
	if (w->s->by_pieces) {
		pack_in_dram(&x);
		asl_pieces_predict(&x.in[ASL_COMPUTE], w);
	}
	for (int i = 0; i < ASL_PHASES; i++)
		asl_counts_add(&out->in[i], &x.in[i]);
}

void asl_wedge_predict_load(struct asl_counts *out, const struct asl_wedge *w)
{
	uint64_t own = asl_wedge_owned(w);

	out->of[ASL_NVM_READ] += own;
	if (w->s->by_pieces)
		out->of[ASL_DRAM_WRITE] += own;
}

void asl_wedge_predict_store(struct asl_counts *out, const struct asl_wedge *w)
{
	uint64_t own = asl_wedge_owned(w);

	out->of[ASL_NVM_WRITE] += own;
	if (w->s->by_pieces)
		out->of[ASL_DRAM_READ] += own;
}

void asl_wedge_predict_work(struct asl_counts *out, const struct asl_wedge *w,
			    const struct asl_wedge_work *x, uint64_t times)
{
	uint64_t words = times * asl_wedge_owned(w);

	out->of[ASL_FLOPS] += x->flops * words;
	if (!w->s->by_pieces)
		return;
	out->of[ASL_DRAM_READ] += (1 + x->reads_y) * words;
	out->of[ASL_DRAM_WRITE] += x->writes_x * words;
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

/* Rings would pass most of their steps without a word. */
static bool are_few(uint64_t count, int ranks)
{
	return count < (uint64_t)ranks;
}

void asl_allsum_add(struct asl_rank *r, struct asl_allsum *s, uint64_t count)
{
	struct asl_words mine = asl_slice(&s->mine, 0, count);
	struct asl_words whole = asl_slice(&s->whole, 0, count);
	struct asl_block to = asl_as_block(&mine, 1, count);
	bool few = are_few(count, s->all.size);
	struct asl_block from = asl_as_block(few ? &mine : &whole, 1, count);
	struct asl_tile row = asl_tile_row(&s->tile, 0, count);

	if (s->all.size == 1)
		return;
	asl_tile_store(r, &to, &row);
	if (few) {
		asl_sum_few(r, &s->all, &mine, &whole);
	} else {
		asl_reduce(r, &s->all, 0, &whole, &mine);
		asl_broadcast(r, &s->all, 0, &whole);
	}
	asl_tile_load(r, &row, &from);
}

void asl_allsum_predict(struct asl_counts *x, int ranks, int rank,
			uint64_t count)
{
	if (ranks == 1)
		return;
	x->of[ASL_DRAM_WRITE] += count;
	if (are_few(count, ranks)) {
		asl_predict_sum_few(x, count, ranks, rank);
	} else {
		asl_predict_reduce(x, count, ranks, rank, 0, ASL_DRAM,
				   ASL_DRAM);
		asl_predict_broadcast(x, count, ranks, rank, 0, ASL_DRAM);
	}
	x->of[ASL_DRAM_READ] += count;
}

uint64_t asl_allsum_memory(int ranks, int rank, uint64_t most, uint64_t count)
{
	if (ranks == 1)
		return 0;
	if (are_few(count, ranks))
		return 2 * most;
	return 2 * most + asl_reduce_scratch(count, ranks, rank, 0);
}
