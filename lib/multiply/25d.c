/*
 * 25d.c -- C = A B on c layers of a q x q grid, each doing a c-th of Cannon
 *
 * Layer 0 owns A, B and C in q x q blocks.  A(i, j) and B(i, j) are broadcast
 * over the c layers; every layer aligns its copies so that it starts where the
 * layer before it leaves off, and does q/c of the q rounds (ceil or floor of
 * them, where c does not divide q); C is summed over the layers onto layer 0.
 * With w_A = mk/q^2, w_B = kn/q^2 and w_C = mn/q^2, per rank, where q divides
 * the shape and c divides q:
 *
 *	B_h	2 (1 - 1/c) (w_A + w_B)		to replicate, on layer 0
 *		+ (w_A + w_B) (q/c - 1)		to roll
 *		+ w_A, w_B		to align, unless it is there already
 *		+ 2 (1 - 1/c) w_C		to reduce, on layer 0
 *	B_w	w_C q/c
 *	B_r	q/c times the kernel's, of m/q, n/q, k/q, and w_C (q/c - 1)
 *	owned	w_A + w_B + w_C on layer 0, nothing else
 *	held	2 w_A + 2 w_B beside it (q/c >= 3), and w_C on other layers
 *
 * The square prescription, c = min(P^(1/3), sqrt(P M)/n) and q = sqrt(P/c), has
 * n^2 as the words of a matrix, each of which is held c times over.  Of
 * rectangular ones that is (mk + kn + mn)/3 on the average, which is put in its
 * place.  Integer grids are admitted as long as such a block, of (mk + kn +
 * mn)/(3 q^2) words, fits M: that is c <= P M/n^2, the bound of Solomonik and
 * Demmel, of which the paper that the prescription is from takes the root.
 *
 * E. Solomonik, J. Demmel, Communication-optimal parallel 2.5D matrix
 * multiplication and LU factorization algorithms, Euro-Par 2011, Algorithm 2;
 * the prescription as in L. Zhu, Q.-S. Hua, H. Jin, Joint-communication optimal
 * matrix multiplication with asymmetric memories, Lemma 2.
 */
#include <math.h>

#include "lib/multiply/torus.h"

enum { ROOT = 0, Z = 2 };

static double words_of_a_matrix(const struct asl_shape *s)
{
	double m = (double)s->m, n = (double)s->n, k = (double)s->k;

	return (m * k + k * n + m * n) / 3;
}

static void mm25d_ideal(double p[3], const struct asl_plan *plan)
{
	double P = plan->ranks, M = (double)plan->memory;
	double c = sqrt(P * M / words_of_a_matrix(asl_shape_of(plan)));

	p[Z] = fmax(1, fmin(cbrt(P), c));
	p[0] = p[1] = sqrt(P / p[Z]);
}

static void mm25d_limits(struct asl_box *box, const struct asl_plan *plan)
{
	double q = box->high[0], M = (double)plan->memory;

	if (box->low[Z] > 1 &&
	    words_of_a_matrix(asl_shape_of(plan)) > M * q * q)
		box->high[Z] = 0;
}

/* Rank 0's: layer 0 has the most rounds, and starts with the largest part. */
static uint64_t mm25d_flops(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	const int *p = plan->grid.p;
	int rounds = (int)asl_part((uint64_t)p[0], p[Z], 0).count;
	struct asl_range last = asl_part(s->k, p[0], rounds - 1);

	return 2 * asl_part(s->m, p[0], 0).count *
	       asl_part(s->n, p[1], 0).count * (last.first + last.count);
}

static void predict_replicate(struct asl_counts *counts,
			      const struct asl_torus *t,
			      const struct asl_travel *x)
{
	int c = t->x.along_k.size, l = t->x.along_k.me;

	asl_predict_broadcast(counts, asl_torus_start(t, x), c, l, ROOT,
			      l == ROOT ? ASL_POOL : t->plan->panels);
}

static void mm25d_predict(struct asl_ledger *out, const struct asl_plan *plan,
			  int rank)
{
	struct asl_torus t = asl_torus(plan, rank);
	int c = t.x.along_k.size, l = t.x.along_k.me;
	uint64_t C = t.x.m.count * t.x.n.count;
	uint64_t own = asl_torus_owned(&t) + (l == ROOT ? 0 : C);
	uint64_t buffers = asl_torus_buffers(&t);
	uint64_t reducing = asl_reduce_scratch(C, c, l, ROOT);

	predict_replicate(&out->in[ASL_GATHER], &t, &t.A);
	predict_replicate(&out->in[ASL_GATHER], &t, &t.B);
	asl_torus_predict(out, &t);
	asl_predict_reduce(&out->in[ASL_REDUCE], C, c, l, ROOT, ASL_POOL,
			   ASL_POOL);
	out->memory_high = own + asl_max(buffers, reducing);
	out->pool_high = own + (plan->panels == ASL_POOL ? buffers : 0);
}

static void replicate(struct asl_rank *r, const struct asl_torus *t,
		      struct asl_travel *x, const struct asl_words *own)
{
	const struct asl_group *layers = &t->x.along_k;

	x->here = *own;
	if (layers->me != ROOT)
		x->here = asl_torus_land(t, x);
	asl_broadcast(r, layers, ROOT, &x->here);
}

static void mm25d_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words own[ASL_OPERANDS])
{
	struct asl_torus t = asl_torus(plan, r->id);
	struct asl_words C = own[ASL_C];

	asl_torus_take(r, &t);
	asl_phase(r, ASL_GATHER);
	replicate(r, &t, &t.A, &own[ASL_A]);
	replicate(r, &t, &t.B, &own[ASL_B]);
	if (t.x.along_k.me != ROOT)
		asl_take(r, &C, ASL_POOL, t.x.m.count * t.x.n.count);
	asl_torus_multiply(r, &t, &C);
	asl_torus_give(r, &t);
	asl_brick_sum(r, &t.x.along_k, ROOT, &C);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mnk",
		 .text = "q x q x c, c <= q",
		 .square = true,
		 .flat = true},
	.ideal = mm25d_ideal,
	.limits = mm25d_limits,
	.lower_bound = asl_torus_lower_bound,
	.flops = mm25d_flops,
	.owns = asl_torus_owns,
};

const struct asl_algorithm asl_multiply_25d = {
	.name = "25d",
	.summary = "c layers do a share of Cannon's rounds (Solomonik, Demmel)",
	.when = "memory holds copies of A and B, and ranks are c q^2",
	.family = &asl_family_multiply,
	.resumes = true,
	.overlaps = true,
	.matmul = &matmul,
	.predict = mm25d_predict,
	.run = mm25d_run,
};
