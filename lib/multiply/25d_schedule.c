/*
 * 25d_schedule.c -- JOMMA with a grid for cheap writes and a kernel of its own
 */
#include "lib/multiply/25d_schedule.h"

extern const struct asl_algorithm asl_multiply_jomma;

/* The only place where it is not JOMMA. */
void asl_25d_ideal(double p[3], const struct asl_plan *plan)
{
	struct asl_plan cheap = *plan;

	cheap.costs.write = 0;
	asl_multiply_jomma.matmul->ideal(p, &cheap);
}

const char *asl_25d_axes(const struct asl_plan *plan)
{
	return asl_multiply_jomma.matmul->axes_of(plan);
}

static struct asl_plan with_own_kernel(const struct asl_plan *plan)
{
	struct asl_plan x = *plan;

	x.kernel = asl_kernel_find(plan->algorithm->matmul->kernel);
	return x;
}

void asl_25d_calls(struct asl_plan *plan)
{
	struct asl_plan x = with_own_kernel(plan);

	asl_multiply_jomma.matmul->calls(&x);
	asl_25d_ideal(x.ideal, plan);
	*plan = x;
}

uint64_t asl_25d_flops(const struct asl_plan *plan)
{
	return asl_multiply_jomma.matmul->flops(plan);
}

bool asl_25d_admits(const struct asl_plan *plan, const struct asl_grid *g)
{
	return asl_multiply_jomma.matmul->admits(plan, g);
}

void asl_25d_owns(struct asl_piece own[ASL_OPERANDS],
		  const struct asl_plan *plan, int rank)
{
	asl_multiply_jomma.matmul->owns(own, plan, rank);
}

bool asl_25d_owns_also(struct asl_piece *C, const struct asl_plan *plan,
		       int rank, enum asl_operand which, int i)
{
	return asl_multiply_jomma.matmul->owns_also(C, plan, rank, which, i);
}

void asl_25d_predict(struct asl_ledger *out, const struct asl_plan *plan,
		     int rank)
{
	struct asl_plan x = with_own_kernel(plan);

	asl_multiply_jomma.predict(out, &x, rank);
}

void asl_25d_run(struct asl_rank *r, const struct asl_plan *plan,
		 struct asl_words own[ASL_OPERANDS])
{
	struct asl_plan x = with_own_kernel(plan);

	asl_multiply_jomma.run(r, &x, own);
}
