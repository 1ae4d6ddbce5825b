/*
 * family.c -- contractions as a family of algorithms
 */
#include "lib/contract/family.h"

#include <math.h>

#include "lib/contract/stage.h"

struct asl_spread asl_contraction_spread(const struct asl_contraction *c,
					 int operand)
{
	return c->on_root ? asl_root_spread(c, operand)
			  : asl_operand_spread(c, operand);
}

static int operands(const struct asl_plan *plan)
{
	return plan->contraction->e.inputs + 1;
}

static int fixed(const struct asl_plan *plan)
{
	return plan->contraction->e.inputs;
}

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_spread s = asl_contraction_spread(plan->contraction, which);

	return asl_spread_run(&s, rank).words.count;
}

static int ranks(const struct asl_plan *plan)
{
	return plan->contraction->ranks;
}

/*
 * For the ranks that there are or for those that take part, whichever is less:
 * as for multiplication.  A sequence moves as much as any of its stages must: a
 * rank that does its share of the stage's products, with even shares of what
 * they are made of and of what they make.  Not as much as all stages together:
 * two that do not need each other may be done by half of the ranks each, which
 * moves fewer words than both on all of them.
 */
static double net_bound(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double bound = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_einsum *e = &c->stage[i].e;
		int used = asl_mesh_ranks(e, &c->stage[i].mesh);

		bound = fmax(bound, fmin(asl_mesh_bound(e, c->given),
					 asl_mesh_bound(e, used)));
	}
	/* A bound that is whole is so but for rounding. */
	return ceil(bound * (1 - 1e-9) - 1e-6);
}

/* Every word of every operand passes through a cache once. */
static double io_bound(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double words = 0;

	for (int i = 0; i <= c->e.inputs; i++)
		words += (double)asl_term_words(&c->e, &c->e.term[i]);
	return ceil(words / c->given);
}

const struct asl_family asl_family_contract = {
	.name = "contraction",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.ranks = ranks,
	.open = asl_contract_open,
	.create = asl_contract_create,
	.close = asl_contract_close,
	.fill = asl_contract_fill,
	.verify = asl_contract_verify,
	.write = asl_contract_write,
	.net_bound = net_bound,
	.io_bound = io_bound,
};
