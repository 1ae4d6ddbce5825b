/*
 * 3d.c -- C = A B on a p1 x p2 x p3 grid, with the fewest words on the network
 *
 * p1 cuts m, p2 cuts k, p3 cuts n.  Rank (i, l, j) gathers A(i, l) over the p3
 * ranks and B(l, j) over the p1 ranks that share it, multiplies, and the p2
 * ranks that hold summands of C(i, j) add them up, each keeping a share of the
 * sum.  Per rank, where the grid divides the shape:
 *
 *	B_h	(1 - 1/p3) mk/(p1 p2) + (1 - 1/p1) kn/(p2 p3)
 *		+ (1 - 1/p2) mn/(p1 p3)
 *	B_w	mn/(p1 p3)
 *	B_r	the kernel's, of m/p1, k/p2, n/p3
 *	owned	(mk + kn + mn)/P
 *
 * The grid makes the bricks as nearly cubes as the shape allows: in one
 * dimension for P <= d1/d2, in two for P <= d1 d2/d3^2 and in three beyond, with
 * d1 >= d2 >= d3 the sorted dimensions.  It attains the lower bound of the same
 * paper exactly when it is integer and divides the shape.
 *
 * H. Al Daas, G. Ballard, L. Grigori, S. Kumar, K. Rouse, Tight
 * memory-independent parallel matrix multiplication communication lower
 * bounds, SPAA 2022, Algorithm 1 and section 5.
 */
#include "lib/multiply/brick.h"
#include "lib/multiply/multiply.h"
#include "lib/rank/resume.h"

static void mm3d_ideal(double p[3], const struct asl_plan *plan)
{
	asl_grid_ideal(p, plan, 1);
}

static bool mm3d_owns(struct asl_piece *x, const struct asl_plan *plan,
		      int rank, enum asl_operand which, int i)
{
	struct asl_brick brick = asl_brick(plan, rank);

	*x = asl_brick_share(&brick, which);
	return i == 0;
}

static void mm3d_predict(struct asl_ledger *out, const struct asl_plan *plan,
			 int rank)
{
	struct asl_brick x = asl_brick(plan, rank);
	uint64_t C = x.m.count * x.n.count;
	uint64_t own = asl_brick_share(&x, ASL_A).words.count +
		       asl_brick_share(&x, ASL_B).words.count +
		       asl_brick_share(&x, ASL_C).words.count;

	asl_brick_predict(
		out, plan, &x, own,
		asl_reduce_scatter_scratch(C, x.along_k.size, x.along_k.me));
	asl_predict_reduce_scatter(&out->in[ASL_REDUCE], C, x.along_k.size,
				   x.along_k.me, ASL_POOL, ASL_POOL);
}

static void mm3d_lower_bound(struct asl_lower_bound *least,
			     const struct asl_plan *plan,
			     const struct asl_box *box,
			     const struct asl_rates *rates)
{
	struct asl_brick_bound x = asl_brick_bound(plan, box);

	asl_lower_bound_brick(least, plan, &x, rates);
	asl_lower_bound_reduce_scatter(&least->counts, x.of.C, &x.pk);
	least->memory += x.of.C / x.pk.high;
}

static void mm3d_run(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_words own[ASL_OPERANDS])
{
	struct asl_brick x = asl_brick(plan, r->id);
	struct asl_words C;

	if (!asl_brick_multiply(r, plan, &x, &C, own))
		return;
	asl_mark_epoch(r, NULL, 0);
	asl_phase(r, ASL_REDUCE);
	asl_reduce_scatter(r, &x.along_k, &own[ASL_C], &C);
	asl_give(r, &C);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mkn", .least_words = true},
	.ideal = mm3d_ideal,
	.lower_bound = mm3d_lower_bound,
	.owns = mm3d_owns,
};

const struct asl_algorithm asl_multiply_3d = {
	.name = "3d",
	.summary = "1D, 2D or 3D grid of fewest network words (Al Daas et al.)",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = mm3d_predict,
	.run = mm3d_run,
};
