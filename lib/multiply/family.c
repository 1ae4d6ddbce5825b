/*
 * family.c -- multiplication as a family of algorithms
 */
#include "lib/multiply/family.h"

#include "lib/model/bounds.h"

static int operands(const struct asl_plan *plan)
{
	(void)plan;
	return ASL_OPERANDS;
}

static int fixed(const struct asl_plan *plan)
{
	(void)plan;
	return ASL_C;
}

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_piece x;
	uint64_t words = 0;

	for (int i = 0; asl_plan_piece(&x, plan, rank, which, i); i++)
		words += x.words.count;
	return words;
}

static int ranks(const struct asl_plan *plan)
{
	return asl_grid_ranks(&plan->grid);
}

const struct asl_family asl_family_multiply = {
	.name = "multiplication",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.ranks = ranks,
	.open = asl_multiply_open,
	.create = asl_multiply_create,
	.close = asl_multiply_close,
	.fill = asl_multiply_fill,
	.verify = asl_multiply_verify,
	.write = asl_multiply_write,
	.net_bound = asl_bound_net_words,
	.io_bound = asl_bound_io_words,
};
