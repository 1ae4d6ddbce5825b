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

#include "lib/model/grid.h"
#include "lib/multiply/multiply.h"

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

static const struct asl_matmul matmul = {
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
	.matmul = &matmul,
	.predict = jomma_predict,
	.run = jomma_run,
};
