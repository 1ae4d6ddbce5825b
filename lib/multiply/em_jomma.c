/*
 * em_jomma.c -- joint-communication optimal multiplication, enough memory
 *
 * When writing is dear, it pays to cut k less and to send more: a rank's
 * summand of C is a write each, and there are Pz of every word.  Px cuts m,
 * Py cuts n, Pz cuts k; A(i, k) is gathered over Py, B(k, j) over Px, and
 * C(i, j) reduced over Pz to the rank with k = 0, which owns it.  With t = 2 w
 * / beta, the square grid of the paper is
 *
 *	t <= 1			Px = Py = Pz = P^(1/3)
 *	1 < t < sqrt(P)		Px = Py = (t P)^(1/3), Pz = (P / t^2)^(1/3)
 *	t >= sqrt(P)		Px = Py = sqrt(P), Pz = 1
 *
 * which is one rule: a brick is max(1, t) times as deep in k as it is wide in m
 * and n, and no longer than the matrix.  That rule is what rectangular shapes
 * get.  Of the integer grids the one of least predicted Q is taken; Pz stays 1
 * where the prescription says so.  Per rank, where the grid divides the shape:
 *
 *	B_h	(1 - 1/Py) mk/(Px Pz) + (1 - 1/Px) kn/(Py Pz)
 *		+ 2 (1 - 1/Pz) mn/(Px Py) at the root
 *	B_w	mn/(Px Py)
 *	B_r	the kernel's, of m/Px, k/Pz, n/Py
 *
 * The inputs start balanced, as section 7.1.1 of the paper allows: a broadcast
 * of A(i, k) from one owner becomes an allgather.
 *
 * L. Zhu, Q.-S. Hua, H. Jin, Joint-communication optimal matrix multiplication
 * with asymmetric memories, Algorithm 3 and Lemma 8.
 */
#include "lib/multiply/brick.h"
#include "lib/multiply/multiply.h"

enum { ROOT = 0, Z = 2 };

static void em_jomma_ideal(double p[3], const struct asl_plan *plan)
{
	double t = 2 * plan->costs.write / plan->costs.net;

	/* No network cost at all (0/0 too): nothing to trade writes for. */
	asl_grid_ideal(p, plan, t > 1 ? t : 1);
}

static void em_jomma_limits(struct asl_box *box, const struct asl_plan *plan)
{
	if (plan->multiplication->ideal[Z] <= 1 && box->high[Z] > 1)
		box->high[Z] = 1;
}

static bool em_jomma_owns(struct asl_piece *x, const struct asl_plan *plan,
			  int rank, enum asl_operand which, int i)
{
	struct asl_brick brick = asl_brick(plan, rank);

	*x = which == ASL_C ? asl_brick_block(&brick, ASL_C)
			    : asl_brick_share(&brick, which);
	return i == 0 && (which != ASL_C || brick.along_k.me == ROOT);
}

static void em_jomma_predict(struct asl_ledger *out,
			     const struct asl_plan *plan, int rank)
{
	struct asl_brick x = asl_brick(plan, rank);
	int Pz = x.along_k.size, k = x.along_k.me;
	uint64_t C = x.m.count * x.n.count;

	asl_brick_predict(out, plan, &x, asl_reduce_scratch(C, Pz, k, ROOT));
	asl_predict_reduce(&out->in[ASL_REDUCE], C, Pz, k, ROOT, ASL_POOL,
			   ASL_POOL);
}

static void em_jomma_lower_bound(struct asl_lower_bound *least,
				 const struct asl_plan *plan,
				 const struct asl_box *box,
				 const struct asl_rates *rates)
{
	struct asl_brick_bound x = asl_brick_bound(plan, box);

	asl_lower_bound_brick(least, plan, &x, rates);
	asl_lower_bound_reduce(&least->counts, x.of.C, &x.pk);
}

static void em_jomma_run(struct asl_rank *r, const struct asl_plan *plan,
			 struct asl_words own[ASL_OPERANDS])
{
	struct asl_brick x = asl_brick(plan, r->id);
	struct asl_words C = own[ASL_C];

	if (x.along_k.me != ROOT)
		asl_take(r, &C, ASL_POOL, x.m.count * x.n.count);
	asl_brick_multiply(r, plan, &x, &C, own);
	asl_brick_sum(r, &x.along_k, ROOT, &C);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mnk"},
	.ideal = em_jomma_ideal,
	.limits = em_jomma_limits,
	.lower_bound = em_jomma_lower_bound,
	.owns = em_jomma_owns,
	.in_panel = {[ASL_A] = true, [ASL_B] = true},
};

const struct asl_algorithm asl_multiply_em_jomma = {
	.name = "em-jomma",
	.summary =
		"trades network words for writes, enough memory (Zhu et al.)",
	.when = "a write costs more than a word over the network, and memory "
		"is ample",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = em_jomma_predict,
	.run = em_jomma_run,
};
