/*
 * lm_jomma_predict.c -- what LM-JOMMA counts, in closed form
 *
 * The n % Px first blocks of columns are wide, by a column.  All that a rank
 * counts depends on how many wide blocks it meets in its rounds, in its rounds
 * as a root, and on the way from one round to the next.
 */
#include "lib/matrix/parts.h"
#include "lib/multiply/lm_jomma.h"
#include "lib/multiply/plane.h"

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

/* ---- Shifts ---- */

static void predict_first_shift(struct asl_counts *counts,
				const struct asl_lm_part *x)
{
	uint64_t sent = x->k.count * asl_lm_columns(x, 0).count;
	uint64_t received = x->k.count * asl_lm_columns(x, x->first).count;

	if (!x->first)
		return;
	counts->of[ASL_NET_SEND] += sent;
	counts->of[ASL_NET_RECV] += received;
	counts->of[ASL_BH] += asl_larger(sent, received);
	counts->of[ASL_NET_MSGS] += sent > 0;
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
	int out = asl_lm_block(x, x->first), in = asl_lm_block(x, x->first + 1);
	uint64_t wide_out = wide_turns(x, out, wide, 0, 1);
	uint64_t wide_in = wide_turns(x, in, wide, 0, 1);
	uint64_t either = wide_turns(x, out, wide + (wide > 0), 0, 1);

	counts->of[ASL_NET_SEND] += k * (narrow + wide_out);
	counts->of[ASL_NET_RECV] += k * (narrow + wide_in);
	counts->of[ASL_BH] += k * (narrow + either);
	if (k)
		counts->of[ASL_NET_MSGS] +=
			each ? (uint64_t)x->rounds : wide_out;
}

static void predict_shifts(struct asl_counts *counts,
			   const struct asl_lm_part *x, enum asl_where panels)
{
	if (!asl_lm_travels(x))
		return;
	predict_first_shift(counts, x);
	predict_round_shifts(counts, x);
	if (panels == ASL_POOL) {
		counts->of[ASL_NVM_LIFT] = counts->of[ASL_NET_SEND];
		counts->of[ASL_NVM_LAND] = counts->of[ASL_NET_RECV];
	} else if (x->layers.size == 1) {
		counts->of[ASL_NVM_LIFT] =
			x->k.count * asl_lm_columns(x, 0).count;
	}
}

/* ---- Rounds ---- */

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
	struct asl_product local = asl_lm_product(plan, x, kind->n);
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
	return asl_larger(asl_kernel_room(plan->kernel, &local),
			  asl_reduce_room(C, p, j, others ? other : j));
}

static uint64_t panels(const struct asl_lm_part *x)
{
	bool copied = x->layers.size > 1, travels = asl_lm_travels(x);
	uint64_t B = x->k.count * asl_lm_widest(x);

	return (copied ? x->m.count * x->k.count : 0) +
	       (copied || travels ? B : 0) + (travels ? B : 0);
}

void asl_lm_predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	struct asl_lm_part x = asl_lm_part(plan, rank);
	int Px = x.column.size, Py = x.row.size, j = x.row.me;
	int in = asl_lm_block(&x, x.first + 1),
	    many = (int)(x.n % (uint64_t)Px);
	uint64_t each = x.n / (uint64_t)Px, roots = turns(x.rounds, j, Py);
	struct kind wide = {each + 1, wide_turns(&x, in, many, 0, 1),
			    wide_turns(&x, in, many, j, Py)};
	struct kind narrow = {each, (uint64_t)x.rounds - wide.rounds,
			      roots - wide.roots};
	uint64_t A = x.m.count * x.k.count;
	uint64_t B = x.k.count * asl_lm_columns(&x, 0).count;
	uint64_t own = asl_share(A, x.layers.size, x.layers.me).count +
		       asl_share(B, x.layers.size, x.layers.me).count +
		       x.m.count * (roots * each + wide.roots);
	uint64_t summand =
		Py > 1 && x.rounds ? x.m.count * asl_lm_widest(&x) : 0;

	asl_brick_predict_gather(&out->in[ASL_GATHER], A, &x.layers,
				 plan->panels);
	asl_brick_predict_gather(&out->in[ASL_GATHER], B, &x.layers,
				 plan->panels);
	predict_shifts(&out->in[ASL_SHIFT], &x, plan->panels);
	out->memory_high = own + panels(&x) + summand +
			   asl_larger(predict_rounds(out, plan, &x, &wide),
				      predict_rounds(out, plan, &x, &narrow));
	out->pool_high =
		own + summand + (plan->panels == ASL_POOL ? panels(&x) : 0);
}
