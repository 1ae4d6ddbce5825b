/*
 * multiply.c -- the list of algorithms, and small things that all of them use
 */
#include "lib/multiply/multiply.h"

#include <string.h>

extern const struct asl_algorithm asl_multiply_vomm, asl_multiply_3d,
	asl_multiply_cannon, asl_multiply_25d, asl_multiply_25d_mml3ool2,
	asl_multiply_25d_cowe, asl_multiply_em_jomma, asl_multiply_lm_jomma,
	asl_multiply_jomma, asl_multiply_fused, asl_multiply_summa,
	asl_multiply_summa_l3ool2, asl_multiply_cuts, asl_multiply_cuts_fused;

const struct asl_algorithm *const asl_algorithms[] = {
	&asl_multiply_vomm,
	&asl_multiply_3d,
	&asl_multiply_cannon,
	&asl_multiply_25d,
	&asl_multiply_25d_mml3ool2,
	&asl_multiply_25d_cowe,
	&asl_multiply_em_jomma,
	&asl_multiply_lm_jomma,
	&asl_multiply_jomma,
	&asl_multiply_fused,
	&asl_multiply_cuts,
	&asl_multiply_cuts_fused,
	&asl_multiply_summa,
	&asl_multiply_summa_l3ool2,
	NULL,
};

const struct asl_algorithm *asl_algorithm_find(const char *name)
{
	for (int i = 0; asl_algorithms[i]; i++)
		if (!strcmp(asl_algorithms[i]->name, name))
			return asl_algorithms[i];
	return NULL;
}

const char *asl_plan_axes(const struct asl_plan *plan)
{
	const struct asl_matmul *a = plan->algorithm->matmul;

	return a->axes_of ? a->axes_of(plan) : a->axes;
}

void asl_plan_dims(uint64_t dim[3], const struct asl_plan *plan)
{
	const char *axes = asl_plan_axes(plan);
	const struct asl_shape *s = &plan->shape;

	for (int i = 0; i < 3; i++)
		dim[i] = axes[i] == 'm' ? s->m : axes[i] == 'n' ? s->n : s->k;
}

int asl_grid_ranks(const struct asl_grid *g)
{
	return g->p[0] * g->p[1] * g->p[2];
}

bool asl_plan_possible(const struct asl_plan *plan)
{
	const struct asl_matmul *a = plan->algorithm->matmul;

	return asl_grid_ranks(&plan->grid) <= plan->ranks &&
	       (!a->works_on || a->works_on(&plan->grid));
}

void asl_plan_blocks(struct asl_plan *plan)
{
	const struct asl_matmul *a = plan->algorithm->matmul;

	if (a->blocks)
		a->blocks(plan);
}

bool asl_plan_piece(struct asl_piece *x, const struct asl_plan *plan, int rank,
		    enum asl_operand which, int i)
{
	const struct asl_matmul *a = plan->algorithm->matmul;
	struct asl_piece own[ASL_OPERANDS];

	if (i > 0)
		return a->owns_also && a->owns_also(x, plan, rank, which, i);
	a->owns(own, plan, rank);
	*x = own[which];
	return true;
}
