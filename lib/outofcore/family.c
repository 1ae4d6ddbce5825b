/*
 * family.c -- the six algorithms, and contraction out of core as a family
 *
 * Operands, files and verification are multiplication's, which asks who owns
 * what.
 */
#include "lib/multiply/family.h"

#include <string.h>

#include "lib/model/bounds.h"
#include "lib/outofcore/methods.h"

const struct asl_algorithm *const asl_ooc_algorithms[] = {
	&asl_ooc_rotation_inside,
	&asl_ooc_rotation_outside,
	&asl_ooc_replication_inside,
	&asl_ooc_replication_outside,
	&asl_ooc_accumulation_inside,
	&asl_ooc_accumulation_outside,
	NULL,
};

const struct asl_algorithm *asl_ooc_find(const char *name)
{
	for (int i = 0; asl_ooc_algorithms[i]; i++)
		if (!strcmp(asl_ooc_algorithms[i]->name, name))
			return asl_ooc_algorithms[i];
	return NULL;
}

const struct asl_matmul asl_ooc_matmul = {
	.axes = "mkn",
	.owns = asl_ooc_owns,
	.owns_also = asl_ooc_owns_also,
};

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);

	return asl_ooc_owned(&l, which);
}

/*
 * The ranks at work, and pools of any size: what is bound to M among
 * multiplication's bounds does not apply.
 */
static struct asl_plan at_work(const struct asl_plan *plan)
{
	struct asl_plan x = *plan;

	x.ranks = asl_ooc_ranks(plan);
	x.grid = (struct asl_grid){{0, 0, 0}};
	x.memory = (uint64_t)1 << 62;
	return x;
}

static double net_bound(const struct asl_plan *plan)
{
	struct asl_plan x = at_work(plan);

	return asl_bound_net_words(&x);
}

static double io_bound(const struct asl_plan *plan)
{
	struct asl_plan x = at_work(plan);

	return asl_bound_io_words(&x);
}

static int operands(const struct asl_plan *plan)
{
	return asl_family_multiply.operands(plan);
}

static int fixed(const struct asl_plan *plan)
{
	return asl_family_multiply.fixed(plan);
}

const struct asl_family asl_family_outofcore = {
	.name = "contraction out of core",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.ranks = asl_ooc_ranks,
	.open = asl_multiply_open,
	.create = asl_multiply_create,
	.close = asl_multiply_close,
	.fill = asl_multiply_fill,
	.verify = asl_multiply_verify,
	.write = asl_multiply_write,
	.net_bound = net_bound,
	.io_bound = io_bound,
};
