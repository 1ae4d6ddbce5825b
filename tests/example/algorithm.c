/*
 * algorithm.c -- an algorithm in a shared object, for aslant run --load
 *
 *	cc -shared -fPIC $(pkg-config --cflags aslant-algorithms) algorithm.c \
 *		-o libstrips.so
 *	aslant run strips --load ./libstrips.so --n 600 --ranks 6
 *
 * strips: C = A B on P ranks, each with a strip of A's and C's rows.  A rank owns
 * its strip of A and a share of B, gathers all of B, and multiplies.  Where P
 * divides m and the share of B, a rank counts
 *
 *	B_h	(1 - 1/P) kn
 *	B_w	(mn)/P
 *	B_r	the kernel's, of m/P, k, n
 *
 * which is em-jomma's on the grid P x 1 x 1: much, unless m is much larger than k
 * and n.
 */
#include "lib/multiply/brick.h"
#include "lib/multiply/module.h"

/* The grid, in the order of the axes: m is cut, n and k are not. */
static void strips_ideal(double p[3], const struct asl_plan *plan)
{
	p[0] = plan->ranks;
	p[1] = p[2] = 1;
}

/* One piece of each operand; that of B is shared among those who gather it. */
static bool strips_owns(struct asl_piece *x, const struct asl_plan *plan,
			int rank, enum asl_operand which, int i)
{
	struct asl_brick strip = asl_brick(plan, rank);

	*x = which == ASL_B ? asl_brick_share(&strip, ASL_B)
			    : asl_brick_block(&strip, which);
	return i == 0;
}

/* What the run counts, from the formulas: phase by phase, and the words held. */
static void strips_predict(struct asl_ledger *out, const struct asl_plan *plan,
			   int rank)
{
	struct asl_brick strip = asl_brick(plan, rank);

	asl_brick_predict(out, plan, &strip, 0);
}

static void strips_run(struct asl_rank *r, const struct asl_plan *plan,
		       struct asl_words *own)
{
	struct asl_brick strip = asl_brick(plan, r->id);

	asl_brick_multiply(r, plan, &strip, &own[ASL_C], own);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mnk", .text = "P x 1 x 1", .most = {0, 1, 1}},
	.ideal = strips_ideal,
	.owns = strips_owns,
	.in_panel = {[ASL_A] = true, [ASL_B] = true},
};

static const struct asl_algorithm strips = {
	.name = "strips",
	.summary = "strips of rows, and all of B on every rank",
	.when = "an example is wanted of an algorithm that is loaded",
	.family = &asl_family_multiply,
	.matmul = &matmul,
	.predict = strips_predict,
	.run = strips_run,
};

ASL_MODULE(&strips)
