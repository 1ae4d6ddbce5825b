/*
 * vomm.c -- C = A B on one rank: the local kernel, alone
 *
 * The sequential case that the kernels' papers are about; further ranks idle.
 *
 *	B_r, B_w	the kernel's, of m, n, k
 *	B_h		0
 *	owned		mk + kn + mn, all of it in the pool
 */
#include "lib/multiply/brick.h"

static void vomm_ideal(double p[3], const struct asl_plan *plan)
{
	(void)plan;
	p[0] = p[1] = p[2] = 1;
}

static bool vomm_owns(struct asl_piece *x, const struct asl_plan *plan,
		      int rank, enum asl_operand which, int i)
{
	struct asl_brick brick = asl_brick(plan, rank);

	*x = asl_brick_block(&brick, which);
	return i == 0;
}

static void vomm_predict(struct asl_ledger *out, const struct asl_plan *plan,
			 int rank)
{
	struct asl_brick x = asl_brick(plan, rank);

	asl_brick_predict(out, plan, &x, 0);
}

static void vomm_run(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_words own[ASL_OPERANDS])
{
	struct asl_brick x = asl_brick(plan, r->id);

	asl_brick_multiply(r, plan, &x, &own[ASL_C], own);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mnk", .text = "1x1x1", .most = {1, 1, 1}},
	.ideal = vomm_ideal,
	.owns = vomm_owns,
};

const struct asl_algorithm asl_multiply_vomm = {
	.name = "vomm",
	.summary = "the local kernel on one rank",
	.when = "there is one rank",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = vomm_predict,
	.run = vomm_run,
};
