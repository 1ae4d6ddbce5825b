/*
 * family.c -- contraction out of core as a family, and its plans
 */
#include <math.h>
#include <stdlib.h>

#include "lib/multiply/bounds.h"
#include "lib/multiply/multiply.h"
#include "lib/outofcore/walk.h"
#include "lib/run/path.h"

/*
 * Tiles for a budget of DRAM, by the model
 *
 * M is a third of the budget less the cache; a fifth where A and B need
 * room to land in.  Sides of tiles rounded up, and scratch of reductions, may
 * exceed that; then M is reduced until the algorithm's own closed form fits.
 */

struct asl_ooc_model asl_ooc_model_of(const struct asl_plan *plan)
{
	const struct asl_ooc_kind *kind = asl_ooc_kind(plan);
	const struct asl_costs *c = &plan->costs;

	return (struct asl_ooc_model){
		.method = kind->method,
		.inside = kind->inside,
		.shape = *asl_shape_of(plan),
		.ranks = asl_ooc_ranks(plan),
		/* A copy has two ends. */
		.read = c->read + c->dram_write,
		.write = c->write + c->dram_read,
		.net = c->net,
		.replicate = 1 - 1.0 / plan->ranks,
		.accumulate = 1 - 1.0 / plan->ranks,
		.executed = true,
	};
}

static void set(struct asl_outofcore *o, const struct asl_ooc_model *x,
		const struct asl_ooc_tiles *t)
{
	o->replicated = x->replicated;
	o->order = x->order;
	for (int i = 0; i < ASL_OPERANDS; i++)
		o->n[i] = (int)t->n[i];
	o->again = (int)t->again;
}

/* The best tiles, and the best operand to replicate; false: no tiles fit. */
static bool choose(struct asl_outofcore *o, struct asl_ooc_model x)
{
	double least = INFINITY;
	int last = x.method == ASL_REPLICATION ? ASL_B : ASL_A;

	for (int i = ASL_A; i <= last; i++) {
		struct asl_ooc_tiles t;
		struct asl_ooc_volume v;

		x.replicated = i;
		if (!asl_ooc_search(&t, &x, true))
			continue;
		v = asl_ooc_volume(&x, &t);
		if (asl_ooc_cost(&x, &v) < least) {
			least = asl_ooc_cost(&x, &v);
			set(o, &x, &t);
		}
	}
	return isfinite(least);
}

static bool fit(struct asl_outofcore *o, const struct asl_plan *plan,
		const struct asl_ooc_order *order, uint64_t budget)
{
	struct asl_ooc_model x = asl_ooc_model_of(plan);
	struct asl_plan made = *plan;
	double tiles = x.method == ASL_ROTATION && x.inside ? 5 : 3;
	double beside = (double)plan->cache;
	uint64_t held;

	x.order = *order;
	made.outofcore = o;
	for (;;) {
		x.tile = floor(((double)budget - beside) / tiles);
		if (x.tile < 1 || !choose(o, x))
			return false;
		held = asl_forecast(&made).memory_needed;
		if (held <= budget)
			return true;
		beside += fmax(tiles, (double)(held - budget));
	}
}

/* The least budget that fits, by bisection; `little` does not. */
static uint64_t find_needed(struct asl_outofcore *o,
			    const struct asl_plan *plan,
			    const struct asl_ooc_order *order, uint64_t little)
{
	uint64_t much = 2 * asl_max(little, 1), middle;

	while (!fit(o, plan, order, much))
		much *= 2;
	while (much - little > 1) {
		middle = little + (much - little) / 2;
		*(fit(o, plan, order, middle) ? &much : &little) = middle;
	}
	return much;
}

/* ---- Candidates ---- */

static void try_order(struct asl_candidates *list, struct asl_plan plan,
		      const struct asl_ooc_order *order)
{
	struct asl_outofcore *o = malloc(sizeof *o);

	list->failed |= !o;
	if (!o)
		return;
	*o = *plan.outofcore;
	o->product = *plan.multiplication;
	plan.outofcore = o;
	plan.multiplication = &o->product;
	if (fit(o, &plan, order, plan.budget))
		asl_candidates_add(list, &plan);
	else
		asl_candidates_refuse(
			list, &plan, find_needed(o, &plan, order, plan.budget));
}

int asl_ooc_rank(struct asl_candidates *list, const struct asl_plan *base)
{
	const struct asl_ooc_order *asked = base->outofcore->asked;
	struct asl_plan plan = *base;

	/* The apm has only one memory. */
	plan.accounting = ASL_FULL;
	if (!plan.kernel)
		plan.kernel = asl_kernel_find("vomm");
	/* ooc-auto is of no kind. */
	for (int i = 0; asl_ooc_algorithms[i]->outofcore; i++) {
		plan.algorithm = asl_ooc_algorithms[i];
		if (base->algorithm->outofcore &&
		    base->algorithm != plan.algorithm)
			continue;
		for (int j = 0; j < ASL_OOC_ORDERS; j++)
			if (!asked || asked == &asl_ooc_orders[j])
				try_order(list, plan, &asl_ooc_orders[j]);
	}
	return asl_candidates_end(list);
}

int asl_ooc_settle(struct asl_plan *plan, uint64_t *memory_needed)
{
	struct asl_candidates list = asl_candidates(asl_path_looks(1, plan));
	int err = asl_ooc_rank(&list, plan);

	*memory_needed = list.memory_needed;
	if (!err) {
		asl_path_rank(&list, 1);
		asl_candidates_take(plan, &list);
	}
	return err;
}

/* ---- The family ---- */

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);

	return asl_ooc_owned(&l, which);
}

/* The busiest rank's multiplications; it has all parts of k. */
static double multiplications(const struct asl_plan *plan)
{
	double most = 0;

	for (int rank = 0; rank < asl_ooc_ranks(plan); rank++) {
		struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
		double mine = 1;

		for (int i = 0; i < ASL_OPERANDS; i++)
			mine *= (double)l.index[i].count;
		most = fmax(most, mine);
	}
	return most;
}

/* With pools of any size, no bound that depends on M holds. */
static struct asl_sharing sharing(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	double all = (double)s->m * (double)s->n * (double)s->k;
	bool settled = plan->outofcore->n[0];
	int P = settled ? asl_ooc_ranks(plan) : plan->ranks;

	return (struct asl_sharing){
		.shape = *s,
		.ranks = P,
		.balance = settled ? multiplications(plan) * P / all
				   : fmax(1, P / all),
		.cache = plan->cache,
		.memory = UINT64_MAX,
		.costs = plan->costs,
	};
}

static double net_bound(const struct asl_plan *plan)
{
	struct asl_sharing x = sharing(plan);

	return asl_sharing_net_words(&x);
}

static double io_bound(const struct asl_plan *plan)
{
	struct asl_sharing x = sharing(plan);

	return asl_sharing_io_words(&x);
}

static double joint_bound(const struct asl_plan *plan)
{
	struct asl_sharing x = sharing(plan);

	return asl_sharing_joint(&x);
}

static int operands(const struct asl_plan *plan)
{
	return asl_family_multiply.operands(plan);
}

static int fixed(const struct asl_plan *plan)
{
	return asl_family_multiply.fixed(plan);
}

static void describe(FILE *f, const struct asl_plan *plan)
{
	asl_family_multiply.describe(f, plan);
}

static void release(struct asl_plan *plan)
{
	free((struct asl_outofcore *)plan->outofcore);
	plan->outofcore = NULL;
	plan->multiplication = NULL;
}

const struct asl_family asl_family_outofcore = {
	.name = "contraction out of core",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.ranks = asl_ooc_ranks,
	.describe = describe,
	.dram_budget = true,
	.release = release,
	.open = asl_multiply_open,
	.create = asl_multiply_create,
	.close = asl_multiply_close,
	.fill = asl_multiply_fill,
	.verify = asl_multiply_verify,
	.write = asl_multiply_write,
	.net_bound = net_bound,
	.io_bound = io_bound,
	.joint_bound = joint_bound,
};
