/*
 * sttsv.c -- y = A x2 x x3 x with a symmetric tensor, by wedges
 *
 * Ranks own wedges of the packed tensor and shares of x and y, according to a
 * layout: from a Steiner system, in which a rank needs few of the row blocks,
 * or `cubic`, for any number of ranks.  No word of the tensor is ever sent.
 *
 * Per rank, with a spherical system of q, P = q(q^2 + 1), where q(q+1) divides
 * n/(q^2+1); shares.c has B_h for every n:
 *
 *	B_h	2 (n (q+1)/(q^2+1) - n/P), the lower bound's leading term; with
 *		--exchange alltoall, 4 n/(q+1) (1 - 1/P)
 *	B_r	the tensor blocks, n^3/6P, once, and (q+1) n/(q^2+1) of x
 *	B_w	n/P
 *
 * H. Al Daas, G. Ballard, L. Grigori, S. Kumar, K. Rouse, M. Verite, Minimizing
 * Communication for Parallel Symmetric Tensor Times Same Vector Computation,
 * 2025, Algorithm 5.
 */
#include "lib/symmetric/wedge.h"

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	struct asl_wedge w;

	asl_wedge_begin(r, &w, plan->symmetric);
	asl_phase(r, ASL_GATHER);
	asl_wedge_take(r, &w, 1);
	asl_wedge_load(r, &w, &own[ASL_X]);
	asl_wedge_product(r, &w, &own[ASL_TENSOR]);
	asl_wedge_store(r, &w, ASL_WEDGE_Y, &own[ASL_Y]);
	asl_wedge_give(r, &w);
}

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	struct asl_wedge w;
	uint64_t own;

	asl_wedge_for_prediction(&w, plan->symmetric, rank);
	own = asl_wedge_owned(&w);
	asl_wedge_predict_load(&out->in[ASL_GATHER], &w);
	asl_wedge_predict_product(out, &w, 1);
	asl_wedge_predict_store(&out->in[ASL_REDUCE], &w);
	out->pool_high = asl_wedge_held(&w) + 2 * own;
	out->memory_high = out->pool_high + asl_wedge_dram(&w, 1);
}

const struct asl_algorithm asl_symmetric_sttsv = {
	.name = "sttsv",
	.summary = "y = A x2 x x3 x, A symmetric, by Steiner systems (Al Daas)",
	.when = "A is symmetric: it reads a sixth of the cube",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = predict,
	.run = run,
};
