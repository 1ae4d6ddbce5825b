/*
 * torus.c -- aligning, rolling and multiplying blocks that travel
 */
#include "lib/multiply/torus.h"

#include "lib/base/parts.h"

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
	return asl_part(asl_shape_of(t->plan)->k, t->q, part);
}

bool asl_torus_owns(struct asl_piece *x, const struct asl_plan *plan, int rank,
		    enum asl_operand which, int i)
{
	struct asl_torus t = asl_torus(plan, rank);

	*x = asl_whole_piece(which == ASL_B ? part_of_k(&t, t.B.part) : t.x.m,
			     which == ASL_A ? part_of_k(&t, t.A.part) : t.x.n);
	return i == 0 && t.x.along_k.me == 0;
}

static void take_rooms(struct asl_rank *r, const struct asl_torus *t,
		       struct asl_travel *x)
{
	/* How many blocks come in, the layer's first copy included. */
	int arrivals = (t->x.along_k.me > 0) + (x->align > 0) + t->rounds - 1;

	for (int i = 0; i < 2 && i < arrivals; i++)
		asl_take(r, &x->buffer[i], t->plan->panels,
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
		asl_give(r, &t->B.buffer[i]);
		asl_give(r, &t->A.buffer[i]);
	}
}

struct asl_words asl_torus_land(const struct asl_torus *t, struct asl_travel *x)
{
	struct asl_words *buffer = &x->buffer[x->landing];

	x->landing = !x->landing;
	return asl_slice(buffer, 0, x->side * part_of_k(t, x->part).count);
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
	asl_overlap_begin(r);
	roll(r, t);
	asl_overlap_end(r);
}

static void multiply(struct asl_rank *r, const struct asl_torus *t,
		     const struct asl_words *C, const struct asl_travel *A,
		     const struct asl_travel *B, bool add)
{
	const struct asl_plan *plan = t->plan;
	struct asl_product local = asl_plan_product(
		plan, t->x.m.count, t->x.n.count, part_of_k(t, A->part).count,
		A->here.where, B->here.where);
	struct asl_block a = asl_as_block(&A->here, local.m, local.k);
	struct asl_block b = asl_as_block(&B->here, local.k, local.n);
	struct asl_block c = asl_as_block(C, local.m, local.n);

	local.add = add;
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
		asl_overlap_wait(r);
		if (more && !ahead)
			roll(r, t);
	}
}

/*
 * What blocks that travel count, in closed form
 *
 * Independent of the run on purpose: no buffers here, and no block on its way.
 * Parts come by in the order x, x + 1, ..., around q, and the k % q larger ones
 * come first.  So the larger ones among any parts in a row can be counted, and
 * a roll sends more than it receives only where part k % q comes in, the first
 * of the smaller ones: that is one slice more for B_h.
 */

/* Some parts in a row: their length, how many are larger, and not empty. */
struct row {
	uint64_t length, larger, filled;
};

static struct row row(const struct asl_torus *t, uint64_t first, uint64_t count)
{
	uint64_t q = (uint64_t)t->q, end = first + count;
	uint64_t each = asl_shape_of(t->plan)->k / q,
		 more = asl_shape_of(t->plan)->k % q;
	uint64_t larger = end / q * more + asl_min(end % q, more) -
			  first / q * more - asl_min(first % q, more);

	return (struct row){count * each + larger, larger,
			    each ? count : larger};
}

/* The part of k of the first product. */
static uint64_t first_part(const struct asl_torus *t)
{
	return (uint64_t)((t->x.along_n.me + t->A.align) % t->q);
}

static uint64_t rolls(const struct asl_torus *t)
{
	return (uint64_t)t->rounds - 1;
}

static bool owner(const struct asl_torus *t)
{
	return t->x.along_k.me == 0;
}

uint64_t asl_torus_start(const struct asl_torus *t, const struct asl_travel *x)
{
	return x->side * row(t, (uint64_t)x->ring.me, 1).length;
}

uint64_t asl_torus_owned(const struct asl_torus *t)
{
	if (!owner(t))
		return 0;
	return asl_torus_start(t, &t->A) + asl_torus_start(t, &t->B) +
	       t->x.m.count * t->x.n.count;
}

static void predict_align(struct asl_counts *counts, const struct asl_torus *t,
			  const struct asl_travel *x)
{
	uint64_t sent = asl_torus_start(t, x);
	uint64_t received = x->side * row(t, first_part(t), 1).length;

	if (x->align)
		asl_counts_add_net(counts, sent, received,
				   asl_max(sent, received), sent > 0);
}

static void predict_rolls(struct asl_counts *counts, const struct asl_torus *t,
			  const struct asl_travel *x)
{
	uint64_t q = (uint64_t)t->q, more = asl_shape_of(t->plan)->k % q;
	uint64_t first = first_part(t);
	struct row out = row(t, first, rolls(t));
	struct row in = row(t, first + 1, rolls(t));
	bool shrinks = more && (more + q - (first + 1) % q) % q < rolls(t);

	asl_counts_add_net(counts, x->side * out.length, x->side * in.length,
			   x->side * (in.length + shrinks),
			   x->side ? out.filled : 0);
}

static void predict_travel(struct asl_counts *counts, const struct asl_torus *t,
			   const struct asl_travel *x)
{
	struct asl_counts here = {{0}};

	predict_align(&here, t, x);
	predict_rolls(&here, t, x);
	if (t->plan->panels == ASL_POOL) {
		here.of[ASL_NVM_LIFT] = here.of[ASL_NET_SEND];
		here.of[ASL_NVM_LAND] = here.of[ASL_NET_RECV];
	} else if (owner(t) && (x->align || rolls(t))) {
		here.of[ASL_NVM_LIFT] = asl_torus_start(t, x);
	}
	asl_counts_add(counts, &here);
}

uint64_t asl_torus_buffers(const struct asl_torus *t)
{
	uint64_t largest =
		asl_ceil_div(asl_shape_of(t->plan)->k, (uint64_t)t->q);
	uint64_t others = rolls(t) + !owner(t);

	return largest * (t->A.side * asl_min(2, others + (t->A.align != 0)) +
			  t->B.side * asl_min(2, others + (t->B.align != 0)));
}

struct products {
	struct asl_product of;
	uint64_t many;
};

/* The first, the larger others and the smaller others. */
static void all_products(struct products x[3], const struct asl_torus *t)
{
	const struct asl_plan *plan = t->plan;
	uint64_t each = asl_shape_of(plan)->k / (uint64_t)t->q,
		 first = first_part(t);
	struct row others = row(t, first + 1, rolls(t));
	struct asl_product p = asl_plan_product(
		plan, t->x.m.count, t->x.n.count, row(t, first, 1).length,
		owner(t) && !t->A.align ? ASL_POOL : plan->panels,
		owner(t) && !t->B.align ? ASL_POOL : plan->panels);

	x[0] = (struct products){p, 1};
	p.A = p.B = plan->panels;
	p.add = true;
	p.k = each + 1;
	x[1] = (struct products){p, others.larger};
	p.k = each;
	x[2] = (struct products){p, each ? rolls(t) - others.larger : 0};
}

static void predict_products(struct asl_counts *counts,
			     const struct asl_torus *t)
{
	struct products x[3];

	all_products(x, t);
	for (int i = 0; i < 3; i++) {
		struct asl_counts once = {{0}};

		if (!x[i].many)
			continue;
		asl_kernel_predict(t->plan->kernel, &once, &x[i].of);
		asl_counts_add_times(counts, &once, x[i].many);
	}
}

void asl_torus_predict(struct asl_ledger *out, const struct asl_torus *t)
{
	predict_travel(&out->in[ASL_SHIFT], t, &t->A);
	predict_travel(&out->in[ASL_SHIFT], t, &t->B);
	predict_products(&out->in[ASL_COMPUTE], t);
}

/*
 * Rank 0 does ceil(q/c) rounds, of k/q rounded down or more each, on C(0, 0);
 * it has A and B in place for the first, and receives the others.
 */
void asl_torus_lower_bound(struct asl_lower_bound *least,
			   const struct asl_plan *plan,
			   const struct asl_box *box,
			   const struct asl_rates *rates)
{
	const struct asl_shape *s = asl_shape_of(plan);
	uint64_t q = (uint64_t)box->high[0], c = (uint64_t)box->high[2];
	uint64_t rounds = asl_ceil_div((uint64_t)box->low[0], c);
	uint64_t k = asl_ceil_div(s->k, c), rolled;
	struct asl_span layers = {(uint64_t)box->low[2], c};
	/* Found in place for the first round, and in panels for the others. */
	enum asl_where cheaper =
		rates->of[ASL_NVM_READ] < rates->of[ASL_DRAM_READ]
			? ASL_POOL
			: plan->panels;
	struct asl_products of = {
		.x = asl_plan_product(plan, asl_ceil_div(s->m, q),
				      asl_ceil_div(s->n, q), k, cheaper,
				      cheaper),
	};

	of.A = of.x.m * k;
	of.B = of.x.n * k;
	of.C = of.x.m * of.x.n;
	of.deep = k;
	of.volume = of.C * k;
	of.passes = asl_min(rounds, s->k);
	plan->kernel->lower_bound(&least->counts, &of, rates);
	rolled = (rounds - 1) * (s->k / q);
	least->counts.of[ASL_BH] += (of.x.m + of.x.n) * rolled;
	asl_lower_bound_reduce(&least->counts, of.C, &layers);
	least->memory += (of.x.m + of.x.n) * (s->k / q) + of.C;
}
