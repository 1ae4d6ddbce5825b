/*
 * rotation.c -- q x q ranks, and A and B that travel round them, out of core
 *
 * Rank (i, j) has C(i, j), and meets A(i, x) with B(x, j) for all x, beginning
 * with x = i + j, which it owns.  Outside, whole blocks travel from pool to
 * pool once all tiles of two have met; inside, tiles travel from DRAM to DRAM,
 * all round for each product of a tile of A, one of B and one of C.
 *
 * Per rank, with a, b, c the words of its blocks, where q divides everything:
 *
 *	outside	V	(a + b) (q - 1)
 *		D1	2 (a + b) (q - 1)
 *		D2	q (a p_A + b p_B + 2 c p_C) - c
 *	inside	V	a (q r_A - p_A) + b (q r_B - p_B)
 *		D2	a p_A + b p_B + 2 c p_C - c
 *
 * with passes p, and r_A, r_B for how often J and I are cut.  A tile that is
 * used again must come home first, the last time it stays where it is.
 */
#include "lib/outofcore/methods.h"

static const struct asl_group *ring(const struct asl_ooc_layout *l,
				    enum asl_operand which)
{
	return which == ASL_A ? &l->row : &l->col;
}

/* Words to the member before, others from the next; none is no message. */
static void pass(struct asl_rank *r, const struct asl_group *ring,
		 const struct asl_words *out, struct asl_words *in)
{
	int to = asl_member(ring, (ring->me + ring->size - 1) % ring->size);
	int from = asl_member(ring, (ring->me + 1) % ring->size);

	asl_phase(r, ASL_SHIFT);
	if (out->count || in->count)
		asl_exchange(r, to, out->count ? out : NULL, from,
			     in->count ? in : NULL);
}

/* ---- Inside ---- */

static void shift_tile(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	struct asl_words *landing = &w->landing[t->which];
	struct asl_words out = asl_ooc_tile_words(w, t), in, room = t->room;

	t->part = (t->part + 1) % w->l->q;
	t->room = *landing;
	*landing = room;
	in = asl_ooc_tile_words(w, t);
	pass(w->r, ring(w->l, t->which), &out, &in);
}

static void come_home(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	if (t->part != w->part)
		shift_tile(w, t);
}

static void multiply_all_round(struct asl_ooc_walk *w, struct asl_ooc_tile *A,
			       struct asl_ooc_tile *B, struct asl_ooc_tile *C)
{
	come_home(w, A);
	come_home(w, B);
	asl_ooc_multiply(w, A, B, C);
	for (int i = 1; i < w->l->q; i++) {
		shift_tile(w, A);
		shift_tile(w, B);
		asl_ooc_multiply(w, A, B, C);
	}
}

/* Rooms change places while tiles travel: what was taken is what is given. */
static void inside_run(struct asl_rank *r, const struct asl_plan *plan,
		       struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct asl_ooc_walk w = {.r = r, .l = &l};
	struct asl_words taken[ASL_OPERANDS];

	asl_ooc_walk_take(&w, l.q > 1);
	for (int i = 0; i < ASL_OPERANDS; i++) {
		w.array[i] = own[i];
		taken[i] = w.landing[i];
	}
	w.multiply = multiply_all_round;
	asl_ooc_walk(&w);
	for (int i = 0; i < ASL_OPERANDS; i++)
		w.landing[i] = taken[i];
	asl_ooc_walk_give(&w);
}

/* ---- Outside ---- */

/* Blocks of A and B: the owned first, then these two in turn. */
struct travel {
	struct asl_words room[2];
	int landing;
};

/* No more than come in; parts of k are largest first. */
static void take_travel(struct asl_rank *r, const struct asl_ooc_layout *l,
			struct travel *t, enum asl_operand which)
{
	uint64_t rows = asl_ooc_index(l, asl_ooc_rows(which), 0).count;
	uint64_t cols = asl_ooc_index(l, asl_ooc_cols(which), 0).count;

	for (int i = 0; i < 2 && i < l->q - 1; i++)
		asl_take(r, &t->room[i], ASL_POOL, rows * cols);
}

static void shift_block(struct asl_ooc_walk *w, struct travel *t,
			enum asl_operand which)
{
	const struct asl_ooc_layout *l = w->l;
	int next = (w->part + 1) % l->q;
	uint64_t across =
		asl_ooc_index(l, which == ASL_A ? ASL_B : ASL_A, 0).count;
	struct asl_words *here = &w->array[which];
	struct asl_words out = asl_slice(
		here, 0, across * asl_ooc_index(l, ASL_C, w->part).count);

	*here = asl_slice(&t->room[t->landing], 0,
			  across * asl_ooc_index(l, ASL_C, next).count);
	t->landing = !t->landing;
	pass(w->r, ring(l, which), &out, here);
}

static void rounds(struct asl_ooc_walk *w, struct travel *A, struct travel *B)
{
	for (int i = 0; i < w->l->q; i++) {
		if (i > 0) {
			shift_block(w, A, ASL_A);
			shift_block(w, B, ASL_B);
			w->part = (w->part + 1) % w->l->q;
		}
		w->adds = i > 0;
		asl_ooc_walk(w);
	}
}

static void outside_run(struct asl_rank *r, const struct asl_plan *plan,
			struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct asl_ooc_walk w = {.r = r, .l = &l};
	struct travel A = {.landing = 0}, B = {.landing = 0};

	take_travel(r, &l, &A, ASL_A);
	take_travel(r, &l, &B, ASL_B);
	asl_ooc_walk_take(&w, false);
	for (int i = 0; i < ASL_OPERANDS; i++)
		w.array[i] = own[i];
	rounds(&w, &A, &B);
	asl_ooc_walk_give(&w);
	for (int i = 1; i >= 0; i--) {
		asl_give(r, &B.room[i]);
		asl_give(r, &A.room[i]);
	}
}

const struct asl_algorithm asl_ooc_rotation_inside = {
	.name = "ooc-rotation-inside",
	.summary = "out of core: tiles of A and B rotate on a q x q torus",
	.family = &asl_family_outofcore,
	.resumes = true,
	.matmul = &asl_ooc_matmul,
	.predict = asl_ooc_rotation_inside_predict,
	.run = inside_run,
};

const struct asl_algorithm asl_ooc_rotation_outside = {
	.name = "ooc-rotation-outside",
	.summary = "out of core: blocks rotate on a q x q torus, pool to pool",
	.family = &asl_family_outofcore,
	.resumes = true,
	.matmul = &asl_ooc_matmul,
	.predict = asl_ooc_rotation_outside_predict,
	.run = outside_run,
};
