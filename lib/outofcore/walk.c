/*
 * walk.c -- the part of each rank, the loops over tiles, and moves within a rank
 */
#include "lib/outofcore/walk.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/rank/resume.h"

/* ---- Ranges of indices, and leaves ---- */

static int side_of_torus(const struct asl_plan *plan)
{
	return (int)asl_isqrt((uint64_t)plan->ranks);
}

int asl_ooc_ranks(const struct asl_plan *plan)
{
	int q = side_of_torus(plan);

	return asl_ooc_kind(plan)->method == ASL_ROTATION ? q * q : plan->ranks;
}

/* The index that the ranks cut, where there is no torus. */
static enum asl_operand cut_by_ranks(const struct asl_ooc_layout *l)
{
	return l->kind->method == ASL_REPLICATION ? l->o->replicated : ASL_C;
}

static void on_torus(struct asl_ooc_layout *l)
{
	int q = side_of_torus(l->plan), i = l->rank / q, j = l->rank % q;

	l->q = q;
	l->home = (i + j) % q;
	l->row = (struct asl_group){i * q, 1, q, j, NULL};
	l->col = (struct asl_group){j, q, q, i, NULL};
	l->index[ASL_A] = asl_part_of(l->index[ASL_A], q, j);
	l->index[ASL_B] = asl_part_of(l->index[ASL_B], q, i);
}

struct asl_ooc_layout asl_ooc_layout(const struct asl_plan *plan, int rank)
{
	const struct asl_outofcore *o = plan->outofcore;
	struct asl_ooc_layout l = {
		.plan = plan,
		.kind = asl_ooc_kind(plan),
		.o = o,
		.rank = rank,
		.ranks = asl_ooc_ranks(plan),
		.X = o->order.at[0],
		.Y = o->order.at[1],
		.Z = o->order.at[2],
		.q = 1,
		.index = {{0, asl_shape_of(plan)->n},
			  {0, asl_shape_of(plan)->m},
			  {0, asl_shape_of(plan)->k}},
	};

	if (l.kind->method == ASL_ROTATION)
		on_torus(&l);
	else
		l.index[cut_by_ranks(&l)] =
			asl_part_of(l.index[cut_by_ranks(&l)], l.ranks, rank);
	for (int i = 0; i < ASL_OPERANDS; i++)
		l.leaves[i] = o->n[i] * asl_ooc_again(&l, i);
	return l;
}

bool asl_ooc_is_shared(const struct asl_ooc_layout *l, enum asl_operand which)
{
	if (l->kind->method == ASL_REPLICATION)
		return which == l->o->replicated;
	return l->kind->method == ASL_ACCUMULATION && which == ASL_C;
}

struct asl_range asl_ooc_index(const struct asl_ooc_layout *l,
			       enum asl_operand lacking, int x)
{
	if (lacking == ASL_C)
		return asl_part_of(l->index[ASL_C], l->q, x);
	return l->index[lacking];
}

struct asl_range asl_ooc_leaf(const struct asl_ooc_layout *l,
			      enum asl_operand lacking, int x, int i)
{
	int again = asl_ooc_again(l, lacking);
	struct asl_range outer = asl_part_of(asl_ooc_index(l, lacking, x),
					     l->o->n[lacking], i / again);

	return asl_part_of(outer, again, i % again);
}

/* The first part of a cut is its longest. */
uint64_t asl_ooc_largest(const struct asl_ooc_layout *l, enum asl_operand which)
{
	return asl_ooc_leaf(l, asl_ooc_rows(which), 0, 0).count *
	       asl_ooc_leaf(l, asl_ooc_cols(which), 0, 0).count;
}

int asl_ooc_passes(const struct asl_ooc_layout *l, enum asl_operand which)
{
	return l->X == which ? 1 : l->o->n[which];
}

static struct asl_piece share_of_leaf(const struct asl_ooc_layout *l,
				      enum asl_operand which, int i)
{
	enum asl_operand rows = asl_ooc_rows(which), cols = asl_ooc_cols(which);
	struct asl_piece x =
		asl_whole_piece(asl_ooc_leaf(l, rows, 0, i / l->leaves[cols]),
				asl_ooc_leaf(l, cols, 0, i % l->leaves[cols]));

	x.words = asl_share(x.words.count, l->ranks, l->rank);
	return x;
}

static bool owns(struct asl_piece *x, const struct asl_plan *plan, int rank,
		 enum asl_operand which, int i)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	enum asl_operand rows = asl_ooc_rows(which), cols = asl_ooc_cols(which);
	bool shared = asl_ooc_is_shared(&l, which);

	if (i >= (shared ? l.leaves[rows] * l.leaves[cols] : 1))
		return false;
	*x = shared ? share_of_leaf(&l, which, i)
		    : asl_whole_piece(asl_ooc_index(&l, rows, l.home),
				      asl_ooc_index(&l, cols, l.home));
	return true;
}

const struct asl_matmul asl_ooc_matmul = {
	.grid = {.axes = "mkn"},
	.owns = owns,
};

/* ---- Tiles ---- */

static struct asl_range side(const struct asl_ooc_walk *w,
			     const struct asl_ooc_tile *t,
			     enum asl_operand lacking)
{
	return asl_ooc_leaf(w->l, lacking, t->part, t->leaf[lacking]);
}

static struct asl_block block(const struct asl_ooc_walk *w,
			      const struct asl_ooc_tile *t)
{
	uint64_t rows = side(w, t, asl_ooc_rows(t->which)).count;
	uint64_t cols = side(w, t, asl_ooc_cols(t->which)).count;
	struct asl_words words = asl_slice(&t->room, 0, rows * cols);

	return asl_as_block(&words, rows, cols);
}

struct asl_words asl_ooc_tile_words(const struct asl_ooc_walk *w,
				    const struct asl_ooc_tile *t)
{
	struct asl_block x = block(w, t);

	return asl_slice(&t->room, 0, x.rows * x.cols);
}

/* The tile's place in w->array. */
static struct asl_block place(const struct asl_ooc_walk *w,
			      const struct asl_ooc_tile *t)
{
	enum asl_operand i = asl_ooc_rows(t->which), j = asl_ooc_cols(t->which);
	struct asl_range rows = side(w, t, i), cols = side(w, t, j);
	struct asl_range above = asl_ooc_index(w->l, i, t->part);
	struct asl_range left = asl_ooc_index(w->l, j, t->part);
	struct asl_words now =
		asl_slice(&w->array[t->which], 0, above.count * left.count);
	struct asl_block all = asl_as_block(&now, above.count, left.count);

	return asl_sub_block(&all, rows.first - above.first,
			     cols.first - left.first, rows.count, cols.count);
}

void asl_ooc_fetch(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	struct asl_block from = place(w, t), to = block(w, t);
	bool begins = t->which == ASL_C && t->first;

	if (begins && asl_ooc_is_fresh(w, t))
		return;
	t->sums = t->which == ASL_C;
	asl_copy_scaled(w->r, &to, &from,
			begins ? w->c_factor / w->ab_factor : 1);
}

void asl_ooc_put(struct asl_ooc_walk *w, struct asl_ooc_tile *C)
{
	struct asl_block from = block(w, C), to = place(w, C);
	bool ends = C->which == ASL_C && C->last;

	if (C->which == ASL_C && !asl_ooc_is_fresh(w, C))
		asl_mark_save(w->r, &to);
	asl_copy_scaled(w->r, &to, &from, ends ? w->ab_factor : 1);
}

void asl_ooc_multiply(struct asl_ooc_walk *w, struct asl_ooc_tile *A,
		      struct asl_ooc_tile *B, struct asl_ooc_tile *C)
{
	const struct asl_plan *plan = w->l->plan;
	struct asl_block a = block(w, A), b = block(w, B), c = block(w, C);
	struct asl_product x =
		asl_ooc_product(plan, c.rows, c.cols, a.cols, C->sums);

	asl_phase(w->r, ASL_COMPUTE);
	if (!x.m || !x.n || (!x.k && x.add))
		return;
	plan->kernel->run(w->r, &x, &c, &a, &b);
	C->sums = true;
}

void asl_ooc_each_leaf(struct asl_ooc_walk *w, enum asl_operand which,
		       void (*see)(struct asl_ooc_walk *w,
				   struct asl_ooc_tile *t))
{
	struct asl_ooc_tile *t = w->tile[which];
	int rows = asl_ooc_rows(which), cols = asl_ooc_cols(which);

	if (w->r->err)
		return;
	t->part = w->part;
	t->first = t->last = false;
	for (t->leaf[rows] = 0; t->leaf[rows] < w->l->leaves[rows];
	     t->leaf[rows]++)
		for (t->leaf[cols] = 0; t->leaf[cols] < w->l->leaves[cols];
		     t->leaf[cols]++)
			see(w, t);
}

/* ---- Allocation ---- */

/* Room for `count` tiles and, for A and B, a landing as large as one. */
static void take_rooms(struct asl_ooc_walk *w, enum asl_operand which,
		       uint64_t count, bool landings)
{
	uint64_t words = asl_ooc_largest(w->l, which);
	uint64_t more = landings && which != ASL_C;
	struct asl_words *all = &w->rooms[which];

	asl_take(w->r, all, ASL_DRAM, (count + more) * words);
	if (w->r->err)
		return;
	w->landing[which] = asl_slice(all, count * words, more * words);
	for (uint64_t i = 0; i < count; i++) {
		struct asl_words room = asl_slice(all, i * words, words);

		w->tile[which][i] =
			(struct asl_ooc_tile){.which = which, .room = room};
	}
}

void asl_ooc_walk_take(struct asl_ooc_walk *w,
		       const struct asl_words array[ASL_OPERANDS],
		       bool landings)
{
	uint64_t again = (uint64_t)w->l->o->again;
	struct asl_ooc_tile *tiles = calloc(again + 2, sizeof *tiles);

	for (int i = 0; i < ASL_OPERANDS; i++)
		w->array[i] = array[i];
	w->fetch = asl_ooc_fetch;
	w->multiply = asl_ooc_multiply;
	w->put = asl_ooc_put;
	w->part = w->l->home;
	w->ends = true;
	w->ab_factor = asl_plan_ab_factor(w->l->plan);
	w->c_factor = w->l->plan->c_factor;
	w->tile[w->l->X] = tiles;
	if (!tiles) {
		asl_rank_fail(w->r, -ENOMEM, "no memory for %ju tiles' records",
			      again + 2);
		return;
	}
	w->tile[w->l->Y] = tiles + again;
	w->tile[w->l->Z] = tiles + again + 1;
	take_rooms(w, w->l->X, again, landings);
	take_rooms(w, w->l->Y, 1, landings);
	take_rooms(w, w->l->Z, 1, landings);
}

void asl_ooc_walk_give(struct asl_ooc_walk *w)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		asl_give(w->r, &w->rooms[i]);
	free(w->tile[w->l->X]);
}

/* ---- Loops ---- */

/* The counters of the loops, by index. */
struct at {
	int outer[ASL_OPERANDS], again;
};

static void fetch(struct asl_ooc_walk *w, struct asl_ooc_tile *t,
		  const struct at *at)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		t->leaf[i] = at->outer[i];
	t->leaf[w->l->Y] = at->outer[w->l->Y] * w->l->o->again + at->again;
	t->part = w->part;
	t->sums = false;
	t->first = !w->adds && at->outer[ASL_C] == 0;
	t->last = w->ends && (w->l->X == ASL_C ||
			      at->outer[ASL_C] == w->l->o->n[ASL_C] - 1);
	asl_phase(w->r, ASL_COMPUTE);
	w->fetch(w, t);
}

static void put(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	if (t->which != ASL_C)
		return;
	asl_phase(w->r, ASL_COMPUTE);
	w->put(w, t);
}

static void meet(struct asl_ooc_walk *w, int again)
{
	struct asl_ooc_tile *of[ASL_OPERANDS];

	for (int i = 0; i < ASL_OPERANDS; i++)
		of[i] = w->tile[i];
	of[w->l->X] += again;
	w->multiply(w, of[ASL_A], of[ASL_B], of[ASL_C]);
}

static void one_of_Y(struct asl_ooc_walk *w, struct at *at)
{
	struct asl_ooc_tile *Y = w->tile[w->l->Y], *Z = w->tile[w->l->Z];

	at->again = 0;
	fetch(w, Y, at);
	for (; at->again < w->l->o->again; at->again++) {
		fetch(w, Z, at);
		meet(w, at->again);
		put(w, Z);
	}
	put(w, Y);
}

static void one_of_X(struct asl_ooc_walk *w, struct at *at)
{
	const struct asl_outofcore *o = w->l->o;
	int *x = &at->outer[w->l->X];

	*x = 0;
	for (at->again = 0; at->again < o->again; at->again++)
		fetch(w, &w->tile[w->l->X][at->again], at);
	for (; *x < o->n[w->l->X]; ++*x)
		one_of_Y(w, at);
	for (int i = 0; i < o->again; i++)
		put(w, &w->tile[w->l->X][i]);
	asl_mark_epoch(w->r, NULL, 0);
}

void asl_ooc_walk(struct asl_ooc_walk *w)
{
	const struct asl_outofcore *o = w->l->o;
	struct at at = {{0}, 0};
	int *y = &at.outer[w->l->Y], *z = &at.outer[w->l->Z];

	for (*y = 0; !w->r->err && *y < o->n[w->l->Y]; ++*y)
		for (*z = 0; !w->r->err && *z < o->n[w->l->Z]; ++*z)
			one_of_X(w, &at);
}
