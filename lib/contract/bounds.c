/*
 * bounds.c -- lower bounds for contractions
 *
 * A rank that computes certain points of the iteration space needs the words of
 * the inputs that they touch, and makes sums of words of the output: slices,
 * whose least is asl_mesh_least.  The mean over ranks is that for L times the
 * mean number of points, over L, if no rank has more.  The joint bound and its
 * proof are those of lib/multiply/README.md.
 */
#include <math.h>

#include "lib/contract/contract.h"

/* Rounding must not lift a whole number to the next. */
static double whole(double words)
{
	return ceil(words * (1 - 1e-9) - 1e-6);
}

/* All points at once, as nothing else is settled yet. */
static struct asl_stage unsettled(const struct asl_contraction *c)
{
	return (struct asl_stage){.e = c->e};
}

static struct asl_stage stage_of(const struct asl_contraction *c, int i)
{
	return c->stages ? c->stage[i] : unsettled(c);
}

static int stages_of(const struct asl_contraction *c)
{
	return c->stages ? c->stages : 1;
}

/* ---- Words between ranks ---- */

/* For the ranks that there are or for those that take part, as lower. */
static double net_of_stage(const struct asl_plan *plan,
			   const struct asl_stage *x)
{
	double all = asl_mesh_bound(&x->e, plan->ranks);

	if (!plan->contraction->stages)
		return all;
	return fmin(all,
		    asl_mesh_bound(&x->e, asl_mesh_ranks(&x->e, &x->mesh)));
}

/*
 * A sequence moves at least as many words as any of its stages must, but not as
 * all of them together: two stages that do not need each other may be done by
 * half of the ranks each, which moves fewer words than both on all ranks.
 */
double asl_contract_net_words(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double bound = 0;

	for (int i = 0; i < stages_of(c); i++) {
		struct asl_stage x = stage_of(c, i);

		bound = fmax(bound, net_of_stage(plan, &x));
	}
	return whole(bound);
}

/* ---- Means over all ranks ---- */

/* The busiest rank's points over the mean. */
static double balance(const struct asl_plan *plan, const struct asl_stage *x)
{
	double points = asl_mesh_points(&x->e);
	double most = plan->contraction->stages
			      ? asl_mesh_volume(&x->e, &x->mesh)
			      : fmax(1, points / plan->ranks);

	return most * plan->ranks / points;
}

/* Words of all inputs at a cost each, and of the output at another. */
static double all_words(const struct asl_einsum *e, double in, double out)
{
	double cost = 0;

	for (int k = 0; k <= e->inputs; k++)
		cost += (k < e->inputs ? in : out) *
			(double)asl_term_words(&e->term[k], e->size);
	return cost;
}

/* The least cost of slices, a word of an input or of the output costing so. */
static double touched(const struct asl_plan *plan, const struct asl_stage *x,
		      double in, double out)
{
	double weight[ASL_MOST_OPERANDS], L = balance(plan, x);

	for (int k = 0; k < x->e.inputs; k++)
		weight[k] = in;
	weight[x->e.inputs] = out;
	return asl_mesh_least(&x->e, weight, plan->ranks / L) / L;
}

/*
 * Multiplications of two inputs, whose sums over indices of one input alone may
 * come first: so many products cannot be had from a cache of S words for less
 * than 2V/sqrt(S) - 2S words a rank.
 */
static double sequential(const struct asl_plan *plan)
{
	const struct asl_einsum *e = &plan->contraction->e;
	double V = 1, S = (double)plan->cache;

	if (e->inputs != 2)
		return 0;
	for (int i = 0; i < e->indices; i++) {
		int terms = 0;

		for (int k = 0; k <= 2; k++)
			terms += asl_term_has(&e->term[k], i);
		V *= terms > 1 ? (double)e->size[i] : 1;
	}
	return fmax(0, 2 * V / plan->ranks / sqrt(S) - 2 * S);
}

/* ---- Words between cache and memory ---- */

/* In a sequence, intermediate results may stay in the cache. */
static double once(const struct asl_plan *plan, double in, double out)
{
	const struct asl_contraction *c = plan->contraction;
	struct asl_stage x = stage_of(c, 0);

	return c->stages > 1 ? all_words(&c->e, in, out) / plan->ranks
			     : touched(plan, &x, in, out);
}

double asl_contract_io_words(const struct asl_plan *plan)
{
	return whole(fmax(once(plan, 1, 1), sequential(plan)));
}

/* ---- Both together ---- */

static double joint_of_sequence(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double words = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];

		words += fmax(0, touched(plan, x, 1, 1) -
					 all_words(&x->e, 1, 1) / plan->ranks);
	}
	return plan->costs.net * words +
	       once(plan, plan->costs.read, plan->costs.write);
}

double asl_contract_joint(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double r = plan->costs.read, w = plan->costs.write;
	double beta = plan->costs.net, often;

	if (c->stages > 1)
		return joint_of_sequence(plan);
	often = once(plan, beta + fmax(0, r - w), beta + fmax(0, w - r)) +
		fmin(r, w) * sequential(plan);
	return fmax(often, once(plan, beta + r, beta + w)) -
	       all_words(&c->e, beta, beta) / plan->ranks;
}
