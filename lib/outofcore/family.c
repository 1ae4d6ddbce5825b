/*
 * family.c -- the six algorithms, and contraction out of core as a family
 *
 * Operands, files and verification are multiplication's, which asks who owns
 * what.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/multiply/bounds.h"
#include "lib/multiply/family.h"
#include "lib/outofcore/methods.h"

/*
 * Order and tiles for a budget of DRAM, by the model
 *
 * A third of what the kernel's tile leaves of the budget is M; a fifth where A
 * and B need room to land in.  Sides of tiles rounded up, and what reductions
 * need beside, may be more than that: then M is made smaller until all fits,
 * which the algorithm's own closed form says.
 */

/* What the name says. */
static struct asl_outofcore kind(const struct asl_plan *plan)
{
	const char *name = plan->algorithm->name;

	return (struct asl_outofcore){
		.method = strstr(name, "rotation")	? ASL_ROTATION
			  : strstr(name, "replication") ? ASL_REPLICATION
							: ASL_ACCUMULATION,
		.inside = strstr(name, "-inside"),
	};
}

struct asl_ooc_model asl_ooc_model_of(const struct asl_plan *plan)
{
	struct asl_outofcore o = kind(plan);
	struct asl_plan named = *plan;
	const struct asl_costs *c = &plan->costs;

	named.outofcore = &o;
	return (struct asl_ooc_model){
		.method = o.method,
		.inside = o.inside,
		.shape = plan->shape,
		.ranks = asl_ooc_ranks(&named),
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

/*
 * Best order (or the only one that is asked for), and best operand to replicate;
 * false: there is no room.
 */
static bool choose(struct asl_outofcore *o, struct asl_ooc_model x,
		   const struct asl_ooc_order *only)
{
	double least = INFINITY;
	int last = o->method == ASL_REPLICATION ? ASL_B : ASL_A;

	for (int i = ASL_A; i <= last; i++) {
		struct asl_ooc_tiles t;
		struct asl_ooc_volume v;

		x.replicated = i;
		if (only)
			x.order = *only;
		if (!(only ? asl_ooc_search(&t, &x, true)
			   : asl_ooc_choose(&t, &x, true)))
			continue;
		v = asl_ooc_volume(&x, &t);
		if (asl_ooc_cost(&x, &v) < least) {
			least = asl_ooc_cost(&x, &v);
			set(o, &x, &t);
		}
	}
	return isfinite(least);
}

uint64_t asl_ooc_predicted_dram(const struct asl_plan *plan)
{
	uint64_t most = 0;

	for (int i = 0; i < asl_ooc_ranks(plan); i++) {
		struct asl_ledger x;

		asl_plan_predict(&x, plan, i);
		most = asl_max(most, x.memory_high - x.pool_high);
	}
	return most;
}

static bool fit(struct asl_outofcore *o, const struct asl_plan *plan,
		const struct asl_ooc_order *only, uint64_t budget)
{
	struct asl_ooc_model x = asl_ooc_model_of(plan);
	struct asl_plan made = *plan;
	double rooms = x.method == ASL_ROTATION && x.inside ? 5 : 3;
	double beside = (double)plan->cache;
	uint64_t held;

	*o = kind(plan);
	made.outofcore = o;
	for (;;) {
		x.tile = floor(((double)budget - beside) / rooms);
		if (x.tile < 1 || !choose(o, x, only))
			return false;
		held = asl_ooc_predicted_dram(&made);
		if (held <= budget)
			return true;
		beside += fmax(rooms, (double)(held - budget));
	}
}

/* The least that fits, between what does not and twice as much, or more. */
static uint64_t enough(struct asl_outofcore *o, const struct asl_plan *plan,
		       const struct asl_ooc_order *only, uint64_t little)
{
	uint64_t much = 2 * asl_max(little, 1), middle;

	while (!fit(o, plan, only, much))
		much *= 2;
	while (much - little > 1) {
		middle = little + (much - little) / 2;
		*(fit(o, plan, only, middle) ? &much : &little) = middle;
	}
	return much;
}

int asl_ooc_fit(struct asl_outofcore *o, const struct asl_plan *plan,
		uint64_t *need)
{
	return asl_ooc_fit_order(o, plan, NULL, need);
}

int asl_ooc_fit_order(struct asl_outofcore *o, const struct asl_plan *plan,
		      const struct asl_ooc_order *only, uint64_t *need)
{
	uint64_t budget = plan->budget ? plan->budget : plan->memory;

	if (fit(o, plan, only, budget))
		return 0;
	*need = enough(o, plan, only, budget);
	return -ENOMEM;
}

double asl_ooc_predicted_cost(const struct asl_plan *plan)
{
	struct asl_rates rates = asl_rates(&plan->costs, ASL_FULL);
	double most = 0;

	for (int i = 0; i < asl_ooc_ranks(plan); i++) {
		struct asl_ledger x;
		struct asl_counts total;

		asl_plan_predict(&x, plan, i);
		total = asl_ledger_total(&x);
		most = fmax(most, asl_cost(&rates, &total));
	}
	return most;
}

int asl_ooc_auto(struct asl_outofcore *o, struct asl_plan *plan, uint64_t *need)
{
	double least = INFINITY;
	struct asl_plan best = *plan;

	*need = UINT64_MAX;
	for (int i = 0; asl_ooc_algorithms[i]; i++) {
		struct asl_outofcore now;
		struct asl_plan made = *plan;
		uint64_t needs;
		double cost;

		made.algorithm = asl_ooc_algorithms[i];
		if (asl_ooc_fit(&now, &made, &needs)) {
			*need = asl_min(*need, needs);
			continue;
		}
		made.outofcore = &now;
		cost = asl_ooc_predicted_cost(&made);
		if (cost < least) {
			least = cost;
			*o = now;
			best.algorithm = made.algorithm;
		}
	}
	if (!isfinite(least))
		return -ENOMEM;
	plan->algorithm = best.algorithm;
	plan->outofcore = o;
	return 0;
}

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
	.grid = {.axes = "mkn"},
	.owns = asl_ooc_owns,
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

static void release(struct asl_plan *plan)
{
	free((struct asl_outofcore *)plan->outofcore);
	plan->outofcore = NULL;
}

const struct asl_family asl_family_outofcore = {
	.name = "contraction out of core",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.ranks = asl_ooc_ranks,
	.release = release,
	.open = asl_multiply_open,
	.create = asl_multiply_create,
	.close = asl_multiply_close,
	.fill = asl_multiply_fill,
	.verify = asl_multiply_verify,
	.write = asl_multiply_write,
	.net_bound = net_bound,
	.io_bound = io_bound,
};
