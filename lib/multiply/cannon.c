/*
 * cannon.c -- C = A B on a q x q grid, with blocks of A and B that travel
 *
 * Blocks of A travel left, blocks of B travel up, so that rank (i, j) meets
 * A(i, x) and B(x, j) for every x in turn, while C(i, j) stays where it is.  A
 * rank holds two blocks of each at a time, one that leaves and one that comes,
 * beside what it owns.  With w_A = mk/q^2, w_B = kn/q^2 and w_C = mn/q^2, per
 * rank, where q divides the shape:
 *
 *	B_h	(w_A + w_B) (q - 1)	to roll
 *		+ w_A if i > 0, + w_B if j > 0	to align
 *	B_w	w_C q
 *	B_r	q times the kernel's, of m/q, n/q, k/q, and w_C (q - 1)
 *	owned	w_A + w_B + w_C
 *	held	2 w_A + 2 w_B beside it (q >= 3)
 *
 * so that all ranks send (mk + kn) (q - 1/q).  C(i, j) is complete only with
 * the last block, and is written to memory once a round: what Cannon saves in
 * memory it pays for in writes.
 *
 * The classic algorithm has n x n matrices and q dividing n.  Here k is cut into
 * q parts whatever m and n are, so that blocks are rectangles, and parts that
 * are not equal travel as they are, in room for the largest.  The prescription
 * is q = sqrt(P) for every shape, which leaves no other choice than fewer ranks.
 *
 * L. E. Cannon, A cellular computer to implement the Kalman filter algorithm,
 * PhD thesis, Montana State University, 1969.
 */
#include <math.h>

#include "lib/multiply/torus.h"

static void cannon_ideal(double p[3], const struct asl_plan *plan)
{
	p[0] = p[1] = sqrt(plan->ranks);
	p[2] = 1;
}

static void cannon_predict(struct asl_ledger *out, const struct asl_plan *plan,
			   int rank)
{
	struct asl_torus t = asl_torus(plan, rank);
	uint64_t own = asl_torus_owned(&t), buffers = asl_torus_buffers(&t);

	asl_torus_predict(out, &t);
	out->memory_high = own + buffers;
	out->pool_high = own + (plan->panels == ASL_POOL ? buffers : 0);
}

static void cannon_run(struct asl_rank *r, const struct asl_plan *plan,
		       struct asl_words own[ASL_OPERANDS])
{
	struct asl_torus t = asl_torus(plan, r->id);

	asl_torus_take(r, &t);
	t.A.here = own[ASL_A];
	t.B.here = own[ASL_B];
	asl_torus_multiply(r, &t, &own[ASL_C]);
	asl_torus_give(r, &t);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mnk",
		 .text = "q x q x 1",
		 .square = true,
		 .most = {0, 0, 1}},
	.ideal = cannon_ideal,
	.lower_bound = asl_torus_lower_bound,
	.owns = asl_torus_owns,
};

const struct asl_algorithm asl_multiply_cannon = {
	.name = "cannon",
	.summary = "blocks of A and B travel round a q x q torus (Cannon)",
	.when = "you want a reference, and ranks are a square number",
	.family = &asl_family_multiply,
	.resumes = true,
	.overlaps = true,
	.matmul = &matmul,
	.predict = cannon_predict,
	.run = cannon_run,
};
