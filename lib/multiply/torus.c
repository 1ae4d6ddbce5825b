/*
 * torus.c -- aligning, rolling and multiplying blocks that travel
 */
#include "lib/multiply/torus.h"

struct asl_torus asl_torus(const struct asl_plan *plan, int rank)
{
	struct asl_torus t = {
		.plan = plan,
		.x = asl_brick(plan, rank),
		.q = plan->grid.p[0],
	};
	struct asl_range mine =
		asl_part((uint64_t)t.q, t.x.along_k.size, t.x.along_k.me);

	t.rounds = (int)mine.count;
	t.A = (struct asl_travel){
		.ring = t.x.along_n,
		.side = t.x.m.count,
		.align = (t.x.along_m.me + (int)mine.first) % t.q,
		.part = t.x.along_n.me,
	};
	t.B = (struct asl_travel){
		.ring = t.x.along_m,
		.side = t.x.n.count,
		.align = (t.x.along_n.me + (int)mine.first) % t.q,
		.part = t.x.along_m.me,
	};
	return t;
}

static struct asl_range part_of_k(const struct asl_torus *t, int part)
{
	return asl_part(t->plan->shape.k, t->q, part);
}

void asl_torus_owns(struct asl_piece own[ASL_OPERANDS],
		    const struct asl_torus *t)
{
	own[ASL_A] = asl_whole_piece(t->x.m, part_of_k(t, t->A.part));
	own[ASL_B] = asl_whole_piece(part_of_k(t, t->B.part), t->x.n);
	own[ASL_C] = asl_whole_piece(t->x.m, t->x.n);
	if (t->x.along_k.me > 0)
		for (int i = 0; i < ASL_OPERANDS; i++)
			own[i].words.count = 0;
}

/* How many blocks come in, the layer's first copy included. */
static int arrivals(const struct asl_torus *t, const struct asl_travel *x)
{
	return (t->x.along_k.me > 0) + (x->align > 0) + t->rounds - 1;
}

static void take_rooms(struct asl_rank *r, const struct asl_torus *t,
		       struct asl_travel *x)
{
	for (int i = 0; i < 2 && i < arrivals(t, x); i++)
		asl_take(r, &x->room[i], t->plan->panels,
			 x->side * part_of_k(t, 0).count);
}

void asl_torus_take(struct asl_rank *r, struct asl_torus *t)
{
	take_rooms(r, t, &t->A);
	take_rooms(r, t, &t->B);
}

void asl_torus_give(struct asl_rank *r, struct asl_torus *t)
{
	for (int i = 1; i >= 0; i--) {
		asl_give(r, &t->B.room[i]);
		asl_give(r, &t->A.room[i]);
	}
}

struct asl_words asl_torus_land(const struct asl_torus *t, struct asl_travel *x)
{
	struct asl_words *room = &x->room[x->landing];

	x->landing = !x->landing;
	return asl_slice(room, 0, x->side * part_of_k(t, x->part).count);
}

/* All blocks of the ring go `by` places on: another one is here then. */
static void pass(struct asl_rank *r, const struct asl_torus *t,
		 struct asl_travel *x, int by)
{
	int q = t->q, me = x->ring.me;
	int to = asl_member(&x->ring, (me - by + q) % q);
	int from = asl_member(&x->ring, (me + by) % q);
	struct asl_words out = x->here;

	if (by == 0)
		return;
	x->part = (x->part + by) % q;
	x->here = asl_torus_land(t, x);
	if (out.count || x->here.count)
		asl_exchange(r, to, out.count ? &out : NULL, from,
			     x->here.count ? &x->here : NULL);
}

static void roll(struct asl_rank *r, struct asl_torus *t)
{
	asl_phase(r, ASL_SHIFT);
	pass(r, t, &t->A, 1);
	pass(r, t, &t->B, 1);
}

/* The blocks that are here are only read meanwhile: no more room is needed. */
static void roll_behind(struct asl_rank *r, struct asl_torus *t)
{
	asl_behind_begin(r);
	roll(r, t);
	asl_behind_end(r);
}

static void multiply(struct asl_rank *r, const struct asl_torus *t,
		     const struct asl_words *C, const struct asl_travel *A,
		     const struct asl_travel *B, bool add)
{
	const struct asl_plan *plan = t->plan;
	struct asl_product local = {
		.m = t->x.m.count,
		.n = t->x.n.count,
		.k = part_of_k(t, A->part).count,
		.cache = plan->cache,
		.read_cost = plan->costs.read,
		.write_cost = plan->costs.write,
		.A = A->here.where,
		.B = B->here.where,
		.C = C->where,
		.add = add,
	};
	struct asl_block a = asl_as_block(&A->here, local.m, local.k);
	struct asl_block b = asl_as_block(&B->here, local.k, local.n);
	struct asl_block c = asl_as_block(C, local.m, local.n);

	if (local.k || !add)
		plan->kernel->run(r, &local, &c, &a, &b);
}

void asl_torus_multiply(struct asl_rank *r, struct asl_torus *t,
			const struct asl_words *C)
{
	asl_phase(r, ASL_SHIFT);
	pass(r, t, &t->A, t->A.align);
	pass(r, t, &t->B, t->B.align);
	for (int round = 0; round < t->rounds; round++) {
		bool more = round + 1 < t->rounds, ahead = t->plan->overlap;
		struct asl_travel A = t->A, B = t->B;

		if (more && ahead)
			roll_behind(r, t);
		asl_phase(r, ASL_COMPUTE);
		multiply(r, t, C, &A, &B, round > 0);
		asl_behind_join(r);
		if (more && !ahead)
			roll(r, t);
	}
}
