/*
 * lm_jomma.c -- joint-communication optimal multiplication, limited memory
 *
 * Where a brick's inputs do not fit, a layer of Px x Py ranks works through the
 * columns of C in rounds.  Px cuts m and n, Py cuts k, and each of Pz layers has
 * a copy of both inputs: rank (i, j) of a layer keeps A(i, j), and blocks
 * B(j, i') travel along i.  In a round it multiplies the two; the ranks of a row
 * add up C(i, i') at the root, j = round mod Py, which owns it.  So a rank owns
 * several blocks of C, or none.  The layers share the Px rounds, R = ceil(Px/Pz)
 * to each and to the last what is left (nothing, if the grid is an odd one).
 *
 * Per rank, where the grid divides the shape and Pz divides Px, Px > 1:
 *
 *	B_h	(1 - 1/Pz) (mk + kn)/(Px Py)	to gather
 *		+ (1 + R) kn/(Px Py)		to shift; on layer 0, R
 *		+ 2 (1 - 1/Py) mn/Px^2		to reduce, a round as the root
 *		+ mn/Px^2			the same, any other round (Py > 1)
 *	B_w	R mn/Px^2
 *	B_r	R times the kernel's, of m/Px, k/Py, n/Px
 *	owned	(mk + kn)/P + mn/Px^2 times R/Py, up or down
 *	held	(mk + 2 kn)/(Px Py) beside it, and mn/Px^2 if Py > 1
 *
 * As printed, a layer shifts once more than it must: it first moves B to where
 * it starts, and then on before every product, the first one too.
 *
 * The inputs start balanced: the broadcast of A(i, j) and B(j, i) over the
 * layers becomes an allgather.  With one layer they are used where they lie.
 *
 * The grid.  Let q ranks hold a copy of the inputs between them, q = max(mk,
 * kn)/M, and t = w/beta.  To leading order shifting costs beta kn Px/P and
 * writing w mn Py/P.  Under Px Py = q and Pz = P/q that is least for
 *
 *	Px = sqrt(t m q/k), Py = sqrt(k q/(t m))	(t > 1)
 *
 * and if that makes Py < 1, for Px = q and Py = 1.  On square matrices these are
 * the paper's Px = n/d1, Py = n/d2 with d1 = sqrt(M/t), d2 = sqrt(M t), and Px =
 * n^2/M.  If it makes Pz > Px, layers would idle: then Pz = Px and memory does
 * not bind, Px = (2 t m P/k)^(1/3), which is em-jomma's block.  For t <= 1 the
 * paper has c = min(P^(1/3), sqrt(P M)/n) layers of sqrt(P/c) x sqrt(P/c); here
 * (m P/k)^(1/3), sqrt(P/q), and Px : Py = m : k.  (Its Lemma 9 would have
 * Pz = P M/n^2 here, too; the root makes do with less memory.)  Integer grids
 * are of the kind if each number is within a factor of two of it; a block of
 * A or B may then exceed M, which the result says.
 *
 * L. Zhu, Q.-S. Hua, H. Jin, Joint-communication optimal matrix multiplication
 * with asymmetric memories, Algorithm 4 and Lemma 9; there line 12 has Py where
 * the shift runs over Px, and line 5 cube roots where Lemma 9 has square roots.
 */
#include <math.h>

#include "lib/base/parts.h"
#include "lib/multiply/brick.h"
#include "lib/rank/resume.h"

/*
 * A rank's part in LM-JOMMA
 *
 * Blocks B(j, i') travel along i, so that i' counts down, around the ring: after
 * s shifts rank (i, j) of a layer has i' = i - s.  Round 0 comes after first + 1
 * shifts, the first of them in one step.
 */

struct asl_lm_part {
	struct asl_group row, column, layers; /* lines along j, i and Pz */
	struct asl_range m, k;
	uint64_t n;	   /* all of it */
	int first, rounds; /* of Px rounds, those of this layer */
};

/*
 * What LM-JOMMA counts at least, on any grid of a box
 *
 * The ranks (0, 0) of all layers have the largest A(i, j), and between them all
 * n columns of C(0, *).  What the busiest of them counts is no less than the
 * mean: a Pz-th of what they do together.
 */

enum { X, Y, Z };

/* Numbers within a factor of two of the prescription; both ends are out. */
static void lm_limits(struct asl_box *box, const struct asl_plan *plan)
{
	for (int i = 0; i < 3; i++) {
		double low = floor(plan->multiplication->ideal[i] / 2);
		double high = ceil(plan->multiplication->ideal[i] * 2);

		if (low > box->low[i])
			box->low[i] = (int)fmin(low, INT32_MAX);
		if (high < box->high[i])
			box->high[i] = (int)high;
		if (box->low[i] == box->high[i] &&
		    (box->low[i] >= 2 * plan->multiplication->ideal[i] ||
		     plan->multiplication->ideal[i] >= 2 * box->low[i]))
			box->high[i] = 0;
	}
}

/* All rounds in which there are columns, and all columns, over the layers. */
static void widen(struct asl_products *of, const struct asl_plan *plan,
		  const struct asl_box *box)
{
	uint64_t n = asl_shape_of(plan)->n, layers = (uint64_t)box->high[Z];
	uint64_t filled = asl_min((uint64_t)box->low[X], n);
	uint64_t narrow = n / (uint64_t)box->high[X];

	of->B = of->x.k * n / layers;
	of->C = of->x.m * n / layers;
	of->A = of->x.m * of->x.k * filled / layers;
	of->x.n = narrow;
	of->x.k *= (uint64_t)box->low[X] / layers;
	of->x.B =
		box->high[Z] > 1 || box->high[X] > 1 ? plan->panels : ASL_POOL;
}

static void lm_lower_bound(struct asl_lower_bound *least,
			   const struct asl_plan *plan,
			   const struct asl_box *box,
			   const struct asl_rates *rates)
{
	struct asl_brick_bound x = asl_brick_bound(plan, box);
	struct asl_counts *counts = &least->counts;
	struct asl_products of = x.of;
	uint64_t B = of.x.k * asl_ceil_div(asl_shape_of(plan)->n, x.pm.high);
	uint64_t copied = x.pn.high > 1 ? of.A + B : 0;

	widen(&of, plan, box);
	if (x.pn.high > 1) {
		counts->of[ASL_BH] += x.of.A - asl_ceil_div(x.of.A, x.pn.low);
		counts->of[ASL_BH] += B - asl_ceil_div(B, x.pn.low);
	}
	if (x.pm.high > 1)
		counts->of[ASL_BH] += of.B;
	if (x.pk.high > 1)
		counts->of[ASL_BH] += of.C - asl_ceil_div(of.C, x.pk.low);
	of.volume = asl_max(of.volume, of.C * of.deep);
	plan->kernel->lower_bound(counts, &of, rates);
	least->memory += copied + (x.pm.high > 1 ? B : 0);
}

static double clamp(double x, double low, double high)
{
	return fmax(low, fmin(x, high));
}

static void lm_jomma_ideal(double p[3], const struct asl_plan *plan)
{
	double m = (double)asl_shape_of(plan)->m,
	       n = (double)asl_shape_of(plan)->n;
	double k = (double)asl_shape_of(plan)->k, P = plan->ranks;
	double t = plan->costs.write / plan->costs.net;
	double q = clamp(k * fmax(m, n) / (double)plan->memory, 1, P);
	double layers = P / q;

	/* No network cost at all (0/0 too): nothing to trade writes for. */
	if (t > 1) {
		p[X] = cbrt(2 * t * m * P / k);
		if (p[X] > layers)
			p[X] = fmax(layers, sqrt(t * m * q / k));
		p[X] = fmin(p[X], fmax(q, sqrt(P)));
	} else {
		layers = fmax(1, fmin(cbrt(m * P / k), sqrt(layers)));
		p[X] = fmin(sqrt(m * P / (k * layers)), P / layers);
	}
	p[X] = clamp(p[X], 1, fmin(m, n));
	p[Z] = fmin(layers, p[X]);
	p[Y] = clamp(P / (p[X] * p[Z]), 1, k);
}

/* A(i, j) or B(j, i), whichever is larger. */
static uint64_t lm_jomma_block(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	const int *p = plan->grid.p;

	return asl_ceil_div(asl_max(s->m, s->n), (uint64_t)p[X]) *
	       asl_ceil_div(s->k, (uint64_t)p[Y]);
}

static int rounds_of_a_layer(const struct asl_grid *g)
{
	return (g->p[X] + g->p[Z] - 1) / g->p[Z];
}

/* R neighbouring blocks of columns, as many wide ones among them as can be. */
static uint64_t lm_jomma_flops(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	const struct asl_grid *g = &plan->grid;
	uint64_t Px = (uint64_t)g->p[X];
	uint64_t R = (uint64_t)rounds_of_a_layer(g), wide = s->n % Px;

	return 2 * asl_ceil_div(s->m, Px) *
	       asl_ceil_div(s->k, (uint64_t)g->p[Y]) *
	       (R * (s->n / Px) + asl_min(wide, R));
}

/* ---- A rank's part ---- */

static struct asl_lm_part lm_part(const struct asl_plan *plan, int rank)
{
	struct asl_brick x = asl_brick(plan, rank);
	int R = rounds_of_a_layer(&plan->grid), first = R * x.along_n.me;
	int left = x.along_m.size - first;

	return (struct asl_lm_part){
		.row = x.along_k,
		.column = x.along_m,
		.layers = x.along_n,
		.m = x.m,
		.k = x.k,
		.n = asl_shape_of(plan)->n,
		.first = first,
		.rounds = left < 0   ? 0
			  : left < R ? left
				     : R,
	};
}

/* i' after so many shifts, and its columns of B. */
static int lm_block(const struct asl_lm_part *x, int shifts)
{
	int Px = x->column.size;

	return (x->column.me - shifts % Px + Px) % Px;
}

static struct asl_range lm_columns(const struct asl_lm_part *x, int shifts)
{
	return asl_part(x->n, x->column.size, lm_block(x, shifts));
}

/* Does B move at all? */
static bool lm_travels(const struct asl_lm_part *x)
{
	return x->column.size > 1 && x->rounds;
}

/* Columns of the widest of all blocks. */
static uint64_t lm_widest(const struct asl_lm_part *x)
{
	return asl_part(x->n, x->column.size, 0).count;
}

/* The product of a round with n columns. */
static struct asl_product lm_product(const struct asl_plan *plan,
				     const struct asl_lm_part *x, uint64_t n)
{
	bool copied = x->layers.size > 1;

	return asl_plan_product(plan, x->m.count, n, x->k.count,
				asl_brick_where(plan, &x->layers),
				copied || lm_travels(x) ? plan->panels
							: ASL_POOL);
}

static struct asl_range columns_in(const struct asl_lm_part *x, int round)
{
	return lm_columns(x, x->first + 1 + round);
}

static int root_in(const struct asl_lm_part *x, int round)
{
	return round % x->row.size;
}

/* The C(i, i') of the i-th round that this rank is the root of. */
static bool owns_block(struct asl_piece *C, const struct asl_lm_part *x, int i)
{
	int round = x->row.me + i * x->row.size;

	*C = asl_whole_piece(x->m, columns_in(x, round));
	return round < x->rounds;
}

static bool lm_jomma_owns(struct asl_piece *x, const struct asl_plan *plan,
			  int rank, enum asl_operand which, int i)
{
	struct asl_lm_part part = lm_part(plan, rank);

	if (which == ASL_C)
		return owns_block(x, &part, i);
	*x = which == ASL_A ? asl_whole_piece(part.m, part.k)
			    : asl_whole_piece(part.k, lm_columns(&part, 0));
	x->words = asl_share(x->words.count, part.layers.size, part.layers.me);
	return i == 0;
}

/* ---- The run ---- */

/* The B(j, .) that is here, and two places to receive the next in. */
struct traveller {
	struct asl_words here, buffer[2];
	int spare;
};

static void gather(struct asl_rank *r, const struct asl_plan *plan,
		   const struct asl_lm_part *x, struct asl_words *A,
		   struct traveller *B, const struct asl_words *own)
{
	uint64_t columns = lm_columns(x, 0).count;
	uint64_t B_words = x->k.count * lm_widest(x);

	*A = asl_brick_take(r, plan, &x->layers, &own[ASL_A],
			    x->m.count * x->k.count);
	*B = (struct traveller){.here = own[ASL_B]};
	if (x->layers.size > 1 || lm_travels(x))
		asl_take(r, &B->buffer[0], plan->panels, B_words);
	if (lm_travels(x))
		asl_take(r, &B->buffer[1], plan->panels, B_words);
	if (x->layers.size == 1)
		return;
	B->here = asl_slice(&B->buffer[0], 0, x->k.count * columns);
	B->spare = 1;
	asl_brick_gather(r, &x->layers, &B->here, &own[ASL_B]);
}

/* All blocks of the layer move `by` places along i, `shifts` in all. */
static void shift(struct asl_rank *r, const struct asl_lm_part *x,
		  struct traveller *B, int by, int shifts)
{
	const struct asl_group *g = &x->column;
	int to = asl_member(g, (g->me + by) % g->size);
	int from = asl_member(g, (g->me - by + g->size) % g->size);
	struct asl_words in;

	if (!lm_travels(x) || !by)
		return;
	in = asl_slice(&B->buffer[B->spare], 0,
		       x->k.count * lm_columns(x, shifts).count);
	/* Empty blocks are not sent. */
	if (B->here.count || in.count)
		asl_exchange(r, to, B->here.count ? &B->here : NULL, from,
			     in.count ? &in : NULL);
	B->here = in;
	B->spare = !B->spare;
}

/* To where the next round wants them. */
static void shift_on(struct asl_rank *r, const struct asl_lm_part *x,
		     struct traveller *B, int round)
{
	if (round + 1 == x->rounds)
		return;
	asl_phase(r, ASL_SHIFT);
	shift(r, x, B, 1, x->first + 2 + round);
}

/* Sums travel along rows meanwhile, B along columns: different peers. */
static void shift_behind(struct asl_rank *r, const struct asl_lm_part *x,
			 struct traveller *B, int round)
{
	asl_overlap_begin(r);
	shift_on(r, x, B, round);
	asl_overlap_end(r);
}

static void multiply(struct asl_rank *r, const struct asl_plan *plan,
		     const struct asl_words *C, const struct asl_words *A,
		     const struct asl_words *B, const struct asl_product *local)
{
	struct asl_block a = asl_as_block(A, local->m, local->k);
	struct asl_block b = asl_as_block(B, local->k, local->n);
	struct asl_block c = asl_as_block(C, local->m, local->n);

	plan->kernel->run(r, local, &c, &a, &b);
}

static void lm_jomma_run(struct asl_rank *r, const struct asl_plan *plan,
			 struct asl_words own[ASL_OPERANDS])
{
	struct asl_lm_part x = lm_part(plan, r->id);
	struct asl_words A, summand = {0}, rest = own[ASL_C];
	struct traveller B;

	asl_phase(r, ASL_GATHER);
	gather(r, plan, &x, &A, &B, own);
	if (x.row.size > 1 && x.rounds)
		asl_take(r, &summand, ASL_POOL, x.m.count * lm_widest(&x));

	asl_phase(r, ASL_SHIFT);
	shift(r, &x, &B, x.first, x.first);
	if (x.rounds)
		shift(r, &x, &B, 1, x.first + 1);
	for (int round = 0; round < x.rounds; round++) {
		uint64_t n = columns_in(&x, round).count, words = x.m.count * n;
		struct asl_product local = lm_product(plan, &x, n);
		bool root = root_in(&x, round) == x.row.me;
		struct asl_words sum = asl_slice(&rest, 0, root ? words : 0);
		struct asl_words C =
			x.row.size > 1 ? asl_slice(&summand, 0, words) : sum;
		struct asl_words here = B.here;

		if (plan->overlap)
			shift_behind(r, &x, &B, round);
		asl_phase(r, ASL_COMPUTE);
		multiply(r, plan, &C, &A, &here, &local);
		asl_phase(r, ASL_REDUCE);
		asl_reduce(r, &x.row, root_in(&x, round), &sum, &C);
		asl_overlap_wait(r);
		if (!plan->overlap)
			shift_on(r, &x, &B, round);
		rest = asl_slice(&rest, sum.count, rest.count - sum.count);
		asl_mark_round(r);
	}
	/* Layers that have fewer of them. */
	for (int i = x.rounds; i < rounds_of_a_layer(&plan->grid); i++)
		asl_mark_round(r);

	asl_give(r, &summand);
	asl_give(r, &B.buffer[1]);
	asl_give(r, &B.buffer[0]);
	asl_brick_give(r, plan, &x.layers, &A);
}

/*
 * What LM-JOMMA counts, in closed form
 *
 * The n % Px first blocks of columns are wide, by a column.  All that a rank
 * counts depends on how many wide blocks it meets in its rounds, in its rounds
 * as a root, and on the way from one round to the next.
 */

/* Rounds before `round` among first, first + step, ... */
static uint64_t turns(int round, int first, int step)
{
	return round <= first ? 0 : (uint64_t)((round - first - 1) / step + 1);
}

/*
 * In round s block `from` - s is met, around the ring.  In how many of the
 * rounds first, first + step, ... is it one of the first `wide` blocks?  Those
 * rounds come in one run, or in two.
 */
static uint64_t wide_turns(const struct asl_lm_part *x, int from, int wide,
			   int first, int step)
{
	int Px = x->column.size;
	uint64_t count = 0;

	for (int end = from + 1; end <= from + 1 + Px; end += Px) {
		int begin = end > wide ? end - wide : 0;
		int stop = end < x->rounds ? end : x->rounds;

		if (begin < stop)
			count += turns(stop, first, step) -
				 turns(begin, first, step);
	}
	return count;
}

static void predict_first_shift(struct asl_counts *counts,
				const struct asl_lm_part *x)
{
	uint64_t sent = x->k.count * lm_columns(x, 0).count;
	uint64_t received = x->k.count * lm_columns(x, x->first).count;

	if (x->first)
		asl_counts_add_net(counts, sent, received,
				   asl_max(sent, received), sent > 0);
}

/*
 * What goes out was met a round before what comes in.  The larger of the two
 * is wide where one of them is: as if one block more were wide.
 */
static void predict_round_shifts(struct asl_counts *counts,
				 const struct asl_lm_part *x)
{
	uint64_t k = x->k.count, Px = (uint64_t)x->column.size;
	uint64_t each = x->n / Px, narrow = (uint64_t)x->rounds * each;
	int wide = (int)(x->n % Px);
	int out = lm_block(x, x->first), in = lm_block(x, x->first + 1);
	uint64_t wide_out = wide_turns(x, out, wide, 0, 1);
	uint64_t wide_in = wide_turns(x, in, wide, 0, 1);
	uint64_t either = wide_turns(x, out, wide + (wide > 0), 0, 1);

	if (k)
		asl_counts_add_net(counts, k * (narrow + wide_out),
				   k * (narrow + wide_in),
				   k * (narrow + either),
				   each ? (uint64_t)x->rounds : wide_out);
}

static void predict_shifts(struct asl_counts *counts,
			   const struct asl_lm_part *x, enum asl_where panels)
{
	if (!lm_travels(x))
		return;
	predict_first_shift(counts, x);
	predict_round_shifts(counts, x);
	if (panels == ASL_POOL) {
		counts->of[ASL_NVM_LIFT] = counts->of[ASL_NET_SEND];
		counts->of[ASL_NVM_LAND] = counts->of[ASL_NET_RECV];
	} else if (x->layers.size == 1) {
		counts->of[ASL_NVM_LIFT] = x->k.count * lm_columns(x, 0).count;
	}
}

/* Rounds with n columns of C each; in `roots` of them this rank is the root. */
struct kind {
	uint64_t n, rounds, roots;
};

/* Returns the words held at most beside panels and summand. */
static uint64_t predict_rounds(struct asl_ledger *out,
			       const struct asl_plan *plan,
			       const struct asl_lm_part *x,
			       const struct kind *kind)
{
	struct asl_product local = lm_product(plan, x, kind->n);
	struct asl_counts once = {{0}}, at_root = {{0}}, elsewhere = {{0}};
	struct asl_counts *reduce = &out->in[ASL_REDUCE];
	uint64_t C = local.m * local.n, others = kind->rounds - kind->roots;
	int p = x->row.size, j = x->row.me, other = (j + 1) % p;

	if (!kind->rounds)
		return 0;
	asl_kernel_predict(plan->kernel, &once, &local);
	asl_counts_add_times(&out->in[ASL_COMPUTE], &once, kind->rounds);
	asl_predict_reduce(&at_root, C, p, j, j, ASL_POOL, ASL_POOL);
	asl_counts_add_times(reduce, &at_root, kind->roots);
	asl_predict_reduce(&elsewhere, C, p, j, other, ASL_POOL, ASL_POOL);
	asl_counts_add_times(reduce, &elsewhere, others);
	return asl_reduce_scratch(C, p, j, others ? other : j);
}

/* Room for A beside what is owned of it, and for the blocks B(j, .). */
static uint64_t panels(const struct asl_plan *plan, const struct asl_lm_part *x)
{
	bool copied = x->layers.size > 1, travels = lm_travels(x);
	uint64_t A = x->m.count * x->k.count, B = x->k.count * lm_widest(x);
	uint64_t own = asl_share(A, x->layers.size, x->layers.me).count;

	return (copied ? A - (plan->panels == ASL_POOL ? own : 0) : 0) +
	       (copied || travels ? B : 0) + (travels ? B : 0);
}

static void lm_predict(struct asl_ledger *out, const struct asl_plan *plan,
		       int rank)
{
	struct asl_lm_part x = lm_part(plan, rank);
	int Px = x.column.size, Py = x.row.size, j = x.row.me;
	int in = lm_block(&x, x.first + 1), many = (int)(x.n % (uint64_t)Px);
	uint64_t each = x.n / (uint64_t)Px, roots = turns(x.rounds, j, Py);
	struct kind wide = {each + 1, wide_turns(&x, in, many, 0, 1),
			    wide_turns(&x, in, many, j, Py)};
	struct kind narrow = {each, (uint64_t)x.rounds - wide.rounds,
			      roots - wide.roots};
	uint64_t A = x.m.count * x.k.count;
	uint64_t B = x.k.count * lm_columns(&x, 0).count;
	uint64_t own = asl_share(A, x.layers.size, x.layers.me).count +
		       asl_share(B, x.layers.size, x.layers.me).count +
		       x.m.count * (roots * each + wide.roots);
	uint64_t summand = Py > 1 && x.rounds ? x.m.count * lm_widest(&x) : 0;

	asl_brick_predict_take(&out->in[ASL_GATHER], plan, A, &x.layers);
	asl_brick_predict_gather(&out->in[ASL_GATHER], B, &x.layers,
				 plan->panels);
	predict_shifts(&out->in[ASL_SHIFT], &x, plan->panels);
	out->memory_high = own + panels(plan, &x) + summand +
			   asl_max(predict_rounds(out, plan, &x, &wide),
				   predict_rounds(out, plan, &x, &narrow));
	out->pool_high = own + summand +
			 (plan->panels == ASL_POOL ? panels(plan, &x) : 0);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mkn"},
	.ideal = lm_jomma_ideal,
	.limits = lm_limits,
	.block_within_M = lm_jomma_block,
	.lower_bound = lm_lower_bound,
	.flops = lm_jomma_flops,
	.owns = lm_jomma_owns,
	.in_panel = {[ASL_A] = true},
};

const struct asl_algorithm asl_multiply_lm_jomma = {
	.name = "lm-jomma",
	.summary =
		"trades network words for writes, limited memory (Zhu et al.)",
	.when = "a write costs more than a word over the network, and memory "
		"is short",
	.family = &asl_family_multiply,
	.resumes = true,
	.overlaps = true,
	.matmul = &matmul,
	.predict = lm_predict,
	.run = lm_jomma_run,
};
