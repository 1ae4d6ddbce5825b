/*
 * jomma.c -- joint-communication optimal multiplication: the one or the other
 *
 * Memory is enough if it holds the inputs of a brick at the least cut of k, which
 * is when they are largest: Pz = 1 and C cut into bricks as nearly square as the
 * shape allows, m/Px x n/Py.  On square matrices that is M >= n^2/sqrt(P).  Then
 * em-jomma runs, else lm-jomma; their files have the costs.
 *
 * Every function here calls that of the algorithm that runs, with a plan that
 * names it.  Which it is depends on the shape, P and M, never on the grid.
 *
 * L. Zhu, Q.-S. Hua, H. Jin, Joint-communication optimal matrix multiplication
 * with asymmetric memories, Algorithm 2 and Lemma 7.
 */
#include <math.h>

#include "lib/multiply/grid.h"
#include "lib/multiply/multiply.h"

/*
 * 2.5D as JOMMA does it where writing is not dear
 *
 * What jomma.txt's evaluation calls 2.5D is not Solomonik and Demmel's shifted
 * algorithm (25d.c) but JOMMA's two schedules with the grids that these have for
 * cheap writes, whatever w is: em-jomma's on as nearly cubic a grid as there is
 * where memory is enough, lm-jomma's on sqrt(P/c) x sqrt(P/c) x c where it is
 * limited.  The variants differ in the local kernel, which is the one that
 * plan->algorithm names and not the plan's.  Everything else here is jomma.c's.
 */

/*
 * JOMMA with a grid for cheap writes and a kernel of its own
 */

extern const struct asl_algorithm asl_multiply_jomma;

/* The only place where it is not JOMMA. */
static void asl_25d_ideal(double p[3], const struct asl_plan *plan)
{
	struct asl_plan cheap = *plan;

	cheap.costs.write = 0;
	asl_multiply_jomma.matmul->ideal(p, &cheap);
}

static const char *asl_25d_axes(const struct asl_plan *plan)
{
	return asl_multiply_jomma.matmul->axes_of(plan);
}

static struct asl_plan with_own_kernel(const struct asl_plan *plan)
{
	struct asl_plan x = *plan;

	x.kernel = asl_kernel_find(plan->algorithm->matmul->kernel);
	return x;
}

static void asl_25d_calls(struct asl_plan *plan)
{
	struct asl_plan x = with_own_kernel(plan);

	asl_multiply_jomma.matmul->calls(&x);
	asl_25d_ideal(x.ideal, plan);
	*plan = x;
}

static uint64_t asl_25d_flops(const struct asl_plan *plan)
{
	return asl_multiply_jomma.matmul->flops(plan);
}

static bool asl_25d_admits(const struct asl_plan *plan,
			   const struct asl_grid *g)
{
	return asl_multiply_jomma.matmul->admits(plan, g);
}

static void asl_25d_owns(struct asl_piece own[ASL_OPERANDS],
			 const struct asl_plan *plan, int rank)
{
	asl_multiply_jomma.matmul->owns(own, plan, rank);
}

static bool asl_25d_owns_also(struct asl_piece *C, const struct asl_plan *plan,
			      int rank, enum asl_operand which, int i)
{
	return asl_multiply_jomma.matmul->owns_also(C, plan, rank, which, i);
}

static void asl_25d_predict(struct asl_ledger *out, const struct asl_plan *plan,
			    int rank)
{
	struct asl_plan x = with_own_kernel(plan);

	asl_multiply_jomma.predict(out, &x, rank);
}

static void asl_25d_run(struct asl_rank *r, const struct asl_plan *plan,
			struct asl_words own[ASL_OPERANDS])
{
	struct asl_plan x = with_own_kernel(plan);

	asl_multiply_jomma.run(r, &x, own);
}

/*
 * 2.5D + COWE: fewest words on the network, halving on a rank
 *
 * Grid, schedule, data and B_h are 25d-mml3ool2's; the local kernel is COWE,
 * which need not know the cache's size and cuts k less the dearer writes are.
 * Per rank and product of m' x n' x k', to leading order (lib/kernels/cowe.c has
 * the exact count, and what the papers leave out of it):
 *
 *	r B_r + w B_w	3 sqrt(3) r^(2/3) w^(1/3) m'n'k'/sqrt(S)
 *
 * L. Zhu, Q.-S. Hua, H. Jin, Joint-communication optimal matrix multiplication
 * with asymmetric memories, section 8, Tables 6 and 7.
 */

static const struct asl_matmul matmul = {
	.kernel = "cowe",
	.axes_of = asl_25d_axes,
	.calls = asl_25d_calls,
	.ideal = asl_25d_ideal,
	.flops = asl_25d_flops,
	.admits = asl_25d_admits,
	.least_words = true,
	.owns = asl_25d_owns,
	.owns_also = asl_25d_owns_also,
};

const struct asl_algorithm asl_multiply_25d_cowe = {
	.name = "25d-cowe",
	.summary = "2.5D + COWE, as compared with JOMMA (Zhu et al., sec. 8)",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = asl_25d_predict,
	.run = asl_25d_run,
};

/*
 * 2.5D + VOMM: fewest words on the network, C written late
 *
 * 2.5DMML3ooL2, also 2.5DL3ooL2, in the form in which JOMMA was compared with it
 * (25d_schedule.h).  Per rank, where the grid divides the shape:
 *
 * Memory enough, M >= n^2/sqrt(P), Px = Py = Pz = P^(1/3), em-jomma's schedule:
 *
 *	B_h	(1 - 1/Py) mk/(Px Pz) + (1 - 1/Px) kn/(Py Pz)
 *		+ 2 (1 - 1/Pz) mn/(Px Py) at the root
 *	B_w	mn/(Px Py)
 *	B_r	VOMM's, of m/Px, k/Pz, n/Py: 2 sqrt(3) mnk/(P sqrt(S))
 *
 * Else lm-jomma's schedule, and its table, with c = min(P^(1/3), sqrt(P M)/n),
 * Px = Py = sqrt(P/c) and Pz = c; VOMM's reads add up to the same.
 *
 * The grid is the one of fewest network words among integer grids, and does not
 * depend on what a write costs.  When memory is enough, and what rectangular
 * shapes get, is as in jomma.c and the two files that it names.
 *
 * E. Carson, J. Demmel, L. Grigori, N. Knight, P. Koanantakool, O. Schwartz, H.
 * V. Simhadri, Write-avoiding algorithms, IPDPS 2016; L. Zhu, Q.-S. Hua, H. Jin,
 * Joint-communication optimal matrix multiplication with asymmetric memories,
 * section 8, Tables 6 and 7.
 */

static const struct asl_matmul x5d_mml3ool2_matmul = {
	.kernel = "vomm",
	.axes_of = asl_25d_axes,
	.calls = asl_25d_calls,
	.ideal = asl_25d_ideal,
	.flops = asl_25d_flops,
	.admits = asl_25d_admits,
	.least_words = true,
	.owns = asl_25d_owns,
	.owns_also = asl_25d_owns_also,
};

const struct asl_algorithm asl_multiply_25d_mml3ool2 = {
	.name = "25d-mml3ool2",
	.summary = "2.5D + VOMM, as compared with JOMMA (Carson et al.)",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &x5d_mml3ool2_matmul,
	.predict = asl_25d_predict,
	.run = asl_25d_run,
};

extern const struct asl_algorithm asl_multiply_em_jomma, asl_multiply_lm_jomma;

enum { X, Y, Z };

static struct asl_plan called(const struct asl_plan *plan)
{
	double m = (double)plan->shape.m, n = (double)plan->shape.n;
	double k = (double)plan->shape.k, p[3];
	struct asl_plan x = *plan;

	x.algorithm = &asl_multiply_em_jomma;
	asl_grid_ideal(p, &x, INFINITY);
	if (k / p[Z] * fmax(m / p[X], n / p[Y]) >
	    (1 + 1e-9) * (double)plan->memory)
		x.algorithm = &asl_multiply_lm_jomma;
	return x;
}

static void jomma_calls(struct asl_plan *plan)
{
	*plan = called(plan);
	plan->algorithm->matmul->ideal(plan->ideal, plan);
}

static const char *jomma_axes(const struct asl_plan *plan)
{
	return called(plan).algorithm->matmul->axes;
}

static void jomma_ideal(double p[3], const struct asl_plan *plan)
{
	struct asl_plan x = called(plan);

	x.algorithm->matmul->ideal(p, &x);
}

static uint64_t jomma_flops(const struct asl_plan *plan)
{
	struct asl_plan x = called(plan);

	return asl_grid_flops(&x);
}

static bool jomma_admits(const struct asl_plan *plan, const struct asl_grid *g)
{
	struct asl_plan x = called(plan);

	return x.algorithm->matmul->admits(&x, g);
}

static void jomma_owns(struct asl_piece own[ASL_OPERANDS],
		       const struct asl_plan *plan, int rank)
{
	struct asl_plan x = called(plan);

	x.algorithm->matmul->owns(own, &x, rank);
}

static bool jomma_owns_also(struct asl_piece *x, const struct asl_plan *plan,
			    int rank, enum asl_operand which, int i)
{
	struct asl_plan called_plan = called(plan);

	return asl_plan_piece(x, &called_plan, rank, which, i);
}

static void jomma_predict(struct asl_ledger *out, const struct asl_plan *plan,
			  int rank)
{
	struct asl_plan x = called(plan);

	x.algorithm->predict(out, &x, rank);
}

static void jomma_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words own[ASL_OPERANDS])
{
	struct asl_plan x = called(plan);

	x.algorithm->run(r, &x, own);
}

static const struct asl_matmul jomma_matmul = {
	.axes_of = jomma_axes,
	.calls = jomma_calls,
	.ideal = jomma_ideal,
	.flops = jomma_flops,
	.admits = jomma_admits,
	.owns = jomma_owns,
	.owns_also = jomma_owns_also,
};

const struct asl_algorithm asl_multiply_jomma = {
	.name = "jomma",
	.summary = "em-jomma if memory is enough, else lm-jomma (Zhu et al.)",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &jomma_matmul,
	.predict = jomma_predict,
	.run = jomma_run,
};
