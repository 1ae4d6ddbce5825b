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
#include "lib/multiply/bounds.h"

/* Rounding must not lift a whole number to the next; 0 and not -0. */
static double whole(double words)
{
	return ceil(words * (1 - 1e-9) - 1e-6) + 0.0;
}

/* All points at once, as nothing else is settled yet. */
static struct asl_stage unsettled(const struct asl_contraction *c)
{
	return (struct asl_stage){.e = c->e};
}

/* In its whole length, if it is made in slices. */
static struct asl_stage first_stage(const struct asl_contraction *c)
{
	struct asl_stage x;

	if (!c->stages)
		return unsettled(c);
	x = c->stage[0];
	if (c->slices)
		x.e.size[c->sliced] = c->e.size[c->sliced];
	return x;
}

/* ---- Words between ranks ---- */

/*
 * Programs
 *
 * A program's stages are einsums of inputs and of earlier results.  In each the mean
 * over P ranks is at least asl_mesh_bound, or less in proportion if fewer ranks take
 * part: as slices grow more slowly than points, no smaller number of ranks has so
 * many words together.  The least sum over all groupings, of two tensors or more to a
 * stage, is found set by set, from the best of the sets into which it can be split.
 *
 * That leaves out what results cost between stages.  If a rank uses a word of an earlier
 * stage's result, and has not itself multiplied all that is summed up in it, it receives the
 * word or a part of it.  So every point of all inputs at once is a rank's alone, with all
 * that belongs to it in every stage, unless a word on its way is among those received.
 * Let a share f of the points be such ones, and m be the words of the smallest result on
 * the way, over P: at least f m words are received of results.  Every word of an input is
 * used and every one of the output made by some rank, so that of each tensor ranks
 * receive no less than nothing, and weights w of 0 to 1 for what they receive do not
 * make it more.  In the mean they receive
 *
 *	f m + (1 - f) a(w) - own(w)
 *
 * at least, for any w: a are the weighted words that a single stage needs of a rank, of
 * which one with fewer points needs more for each, and own those it owns.  The bound is
 * the least over f of the most over w, of which some are tried: those that leave no
 * tensor more than t of its words, which are many if it is large.
 */

/* For some w, a(w) - own(w) and own(w) of the single stage. */
struct weighted {
	double received, owned;
};

enum { WEIGHTS = 40 };

struct programs {
	const struct asl_einsum *e;
	/* What a stage costs at least; some of its inputs are operands. */
	double (*cost)(const struct asl_einsum *e, uint32_t operands,
		       double ranks);
	double ranks;
	bool results_cost; /* what moves between stages, too */
	/* All inputs at once, of the set that is being split. */
	struct weighted weighted[WEIGHTS];
	int weights;
	/* By set: at once, in several stages, and whichever is less. */
	double single[1 << ASL_MOST_TOGETHER], several[1 << ASL_MOST_TOGETHER],
		least[1 << ASL_MOST_TOGETHER];
	/* The words of the smallest result that its stages may have. */
	double smallest[1 << ASL_MOST_TOGETHER];
};

static bool is_operand(int set)
{
	return !(set & (set - 1));
}

static struct asl_term result_of(const struct asl_einsum *e, int set)
{
	uint32_t kept = asl_einsum_kept(e, set);
	struct asl_term t = {0};

	if (is_operand(set))
		return e->term[__builtin_ctz((unsigned)set)];
	if (set == asl_einsum_inputs(e))
		return e->term[e->inputs];
	for (int i = 0; i < e->indices; i++)
		if (kept >> i & 1)
			asl_term_add(&t, i);
	return t;
}

/* The stage that has a tensor for each of these blocks. */
static struct asl_einsum stage_of(const struct asl_einsum *e, int set,
				  const int *block, int blocks)
{
	struct asl_einsum x = *e;

	x.inputs = blocks;
	for (int b = 0; b < blocks; b++)
		x.term[b] = result_of(e, block[b]);
	x.term[blocks] = result_of(e, set);
	return x;
}

static struct asl_einsum all_at_once(const struct asl_einsum *e, int set)
{
	int block[ASL_MOST_TOGETHER], blocks = 0;

	for (int i = 0; set >> i; i++)
		if (set >> i & 1)
			block[blocks++] = 1 << i;
	return stage_of(e, set, block, blocks);
}

static void weigh(struct programs *x, int set)
{
	const struct asl_einsum once = all_at_once(x->e, set);
	double own[ASL_MOST_OPERANDS], most = 0;
	double all = fmin(x->ranks, asl_mesh_points(&once));

	for (int k = 0; k <= once.inputs; k++) {
		own[k] = (double)asl_term_words(&once.term[k], once.size) / all;
		most = fmax(most, own[k]);
	}
	x->weights = 0;
	for (double t = most; t >= 1 && x->weights < WEIGHTS; t /= 3) {
		double weight[ASL_MOST_OPERANDS], owned = 0;

		for (int k = 0; k <= once.inputs; k++) {
			weight[k] = fmin(1, t / own[k]);
			owned += weight[k] * own[k];
		}
		x->weighted[x->weights++] = (struct weighted){
			asl_mesh_least(&once, weight, x->ranks) - owned, owned};
	}
}

/* The least over f, which lies where two lines meet, or at an end. */
static double through(const struct programs *x, double smallest)
{
	double low = 0, high = 1, m = smallest / x->ranks, top = 0;

	for (int turn = 0; x->weights && turn < 60; turn++) {
		double f = (low + high) / 2, slope = 0;

		top = -INFINITY;
		for (int i = 0; i < x->weights; i++) {
			const struct weighted *w = &x->weighted[i];
			double rise = m - w->owned - w->received;

			if (w->received + f * rise <= top)
				continue;
			top = w->received + f * rise;
			slope = rise;
		}
		*(slope > 0 ? &high : &low) = f;
	}
	return top;
}

static double words_of(const struct programs *x, int set)
{
	struct asl_term t = result_of(x->e, set);

	return (double)asl_term_words(&t, x->e->size);
}

/* One tensor for each of these blocks of the set. */
static void try_stage(struct programs *x, int set, const int *block, int blocks)
{
	struct asl_einsum e = stage_of(x->e, set, block, blocks);
	bool at_once = blocks == __builtin_popcount((unsigned)set);
	double inner = 0, stage, passed = INFINITY, smallest = INFINITY, cost;
	uint32_t operands = 0;
	int made = 0, last = 0;

	for (int b = 0; b < blocks; b++) {
		operands |= (uint32_t)is_operand(block[b]) << b;
		if (is_operand(block[b]))
			continue;
		made++;
		last = block[b];
		inner += x->least[last];
		passed = fmin(passed, words_of(x, last));
		smallest = fmin(smallest, x->smallest[last]);
	}
	smallest = fmin(smallest, passed);
	x->smallest[set] = fmin(x->smallest[set], smallest);
	if (!at_once && inner >= x->least[set]) {
		x->several[set] = fmin(x->several[set], inner);
		return;
	}
	stage = x->cost(&e, operands, x->ranks);
	cost = inner + stage;
	if (made && cost < x->least[set])
		cost = fmax(cost, through(x, smallest));
	/* If a single stage made the only result, no smaller one lies on the way. */
	if (made == 1)
		cost = fmax(cost, fmin(x->several[last] + stage,
				       fmax(x->single[last] + stage,
					    through(x, passed))));
	if (at_once)
		x->single[set] = cost;
	else
		x->several[set] = fmin(x->several[set], cost);
	x->least[set] = fmin(x->least[set], cost);
}

/* Every way to split the set, of which `left` is not in a block yet. */
static void split(struct programs *x, int set, int left, int *block, int blocks)
{
	int lowest = left & -left, rest = left & ~lowest;

	if (!left) {
		try_stage(x, set, block, blocks);
		return;
	}
	for (int more = rest;; more = (more - 1) & rest) {
		block[blocks] = lowest | more;
		if (block[blocks] != set)
			split(x, set, rest & ~more, block, blocks + 1);
		if (!more)
			break;
	}
}

static double between_ranks(const struct asl_einsum *e, uint32_t operands,
			    double ranks)
{
	(void)operands;
	return asl_mesh_bound(e, ranks);
}

static double least_of_programs(struct programs *x)
{
	int all = asl_einsum_inputs(x->e), block[ASL_MOST_TOGETHER];

	if (x->e->inputs == 1)
		return x->cost(x->e, 1, x->ranks);
	for (int set = 1; set <= all; set++) {
		if (is_operand(set))
			continue;
		x->single[set] = x->several[set] = x->least[set] =
			x->smallest[set] = INFINITY;
		if (x->results_cost)
			weigh(x, set);
		split(x, set, set, block, 0);
	}
	return x->least[all];
}

double asl_contract_least_words(const struct asl_einsum *e, double ranks)
{
	struct programs x = {
		.e = e,
		.cost = between_ranks,
		.ranks = ranks,
		.results_cost = true,
	};

	return least_of_programs(&x);
}

/* This program's stages, a mean over all ranks that take part in one. */
static double words_of_stages(const struct asl_contraction *c)
{
	double words = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];
		int ranks = asl_mesh_ranks(&x->e, &x->mesh);

		words += asl_mesh_bound(&x->e, ranks) * ranks / c->ranks;
	}
	return words;
}

/*
 * With all data on rank 0, the others get what their points need from there, and
 * return what they make: of the points that rank 0 does not multiply itself, at
 * least the slices' words, of operands or of the result.
 */
static double slices_elsewhere(const struct asl_einsum *e, uint32_t terms,
			       double most)
{
	double weight[ASL_MOST_OPERANDS], points = asl_mesh_points(e);

	if (most >= points)
		return 0;
	for (int k = 0; k <= e->inputs; k++)
		weight[k] = terms >> k & 1;
	return asl_mesh_least(e, weight, points / (points - most));
}

static double from_root(const struct asl_einsum *e, uint32_t operands,
			double ranks)
{
	operands &= (UINT32_C(1) << e->inputs) - 1;
	return slices_elsewhere(e, operands,
				fmax(1, asl_mesh_points(e) / ranks));
}

/* Whatever the last stage is, others make all but the P-th part of the result. */
static double to_root(const struct asl_einsum *e, double ranks)
{
	struct asl_einsum last = *e;

	last.inputs = 1;
	last.term[0] = last.term[1] = e->term[e->inputs];
	return slices_elsewhere(&last, 2,
				fmax(1, asl_mesh_points(&last) / ranks));
}

/* Is a single stage asked for, all inputs at once? */
static bool asks_for_one(const struct asl_contraction *c)
{
	return c->asked == ASL_WAY_DIRECT || c->asked == ASL_WAY_CUTS;
}

/* The programs that are asked for: one stage, or any. */
static double least_words(const struct asl_contraction *c, double ranks)
{
	struct programs x = {
		.e = &c->e,
		.cost = c->on_root ? from_root : between_ranks,
		.ranks = ranks,
		.results_cost = !c->on_root,
	};
	double least;

	/* Groupings of many inputs are not gone through. */
	if (c->e.inputs > ASL_MOST_TOGETHER)
		least = c->stages ? INFINITY : 0;
	else if (asks_for_one(c))
		least = x.cost(&c->e, UINT32_MAX, ranks);
	else
		least = least_of_programs(&x);

	return c->on_root ? fmax(least, to_root(&c->e, ranks)) : least;
}

static uint32_t operands_of(const struct asl_contraction *c,
			    const struct asl_stage *x)
{
	uint32_t set = 0;

	for (int j = 0; j < x->e.inputs; j++)
		set |= (uint32_t)(x->from[j] < c->e.inputs) << j;
	return set;
}

static double root_of_stages(const struct asl_contraction *c)
{
	double in = 0, out = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];
		double most = asl_mesh_volume(&x->e, &x->mesh);

		in += slices_elsewhere(&x->e, operands_of(c, x), most);
		out = slices_elsewhere(&x->e, UINT32_C(1) << x->e.inputs, most);
	}
	return fmax(in, out);
}

/* The busiest rank's points over the mean, in the stage where they are the most. */
static double most_uneven(const struct asl_contraction *c)
{
	double most = 1;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_einsum *e = &c->stage[i].e;

		most = fmax(most, asl_mesh_volume(e, &c->stage[i].mesh) *
					  c->ranks / asl_mesh_points(e));
	}
	return most;
}

/* A bound for programs that are no less even. */
static double words_if_uneven(const struct asl_contraction *c)
{
	double L = most_uneven(c);

	if (c->slices || c->on_root || c->e.inputs > ASL_MOST_TOGETHER)
		return 0;
	return least_words(c, c->ranks / L) / L;
}

/* The least over groupings and real meshes, or this program's if that is less. */
double asl_contract_net_words(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	struct asl_plan product;
	struct asl_gram gram;
	double bound;

	if (asl_gram_of(&gram, c))
		return whole(asl_gram_net_words(&gram, plan));
	if (c->way == ASL_WAY_PRODUCT) {
		product = asl_matrices_plan(plan);
		return asl_bound_net_words(&product);
	}
	bound = least_words(c, plan->ranks);
	if (c->stages) {
		double own = asl_slices_sum(c, c->on_root ? root_of_stages
							  : words_of_stages);

		bound = fmin(bound, fmax(own, words_if_uneven(c)));
	}
	return whole(bound);
}

/* ---- Means over all ranks ---- */

static double volume_of_first(const struct asl_contraction *c)
{
	return asl_mesh_volume(&c->stage[0].e, &c->stage[0].mesh);
}

/* The busiest rank's points over the mean; of all slices of a single stage. */
static double balance(const struct asl_plan *plan, const struct asl_stage *x)
{
	const struct asl_contraction *c = plan->contraction;
	double points = asl_mesh_points(&x->e);
	double most = fmax(1, points / plan->ranks);

	if (c->stages == 1)
		most = asl_slices_sum(c, volume_of_first);
	else if (c->stages)
		most = asl_mesh_volume(&x->e, &x->mesh);
	else if (c->way == ASL_WAY_CUTS)
		most = asl_boxes_volume(c);
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
	struct asl_stage x = first_stage(c);

	return c->stages > 1 ? all_words(&c->e, in, out) / plan->ranks
			     : touched(plan, &x, in, out);
}

double asl_contract_io_words(const struct asl_plan *plan)
{
	struct asl_plan product;
	struct asl_gram gram;

	if (asl_gram_of(&gram, plan->contraction))
		return whole(asl_gram_io_words(&gram, plan));
	if (plan->contraction->way == ASL_WAY_PRODUCT) {
		product = asl_matrices_plan(plan);
		return asl_bound_io_words(&product);
	}
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

/* Whatever the stages are to be. */
static double joint_of_programs(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;

	return plan->costs.net * least_words(c, plan->ranks) +
	       all_words(&c->e, plan->costs.read, plan->costs.write) /
		       plan->ranks;
}

double asl_contract_joint(const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double r = plan->costs.read, w = plan->costs.write;
	double beta = plan->costs.net, often;
	struct asl_plan product;
	struct asl_gram gram;

	if (asl_gram_of(&gram, c))
		return asl_gram_joint(&gram, plan);
	if (c->way == ASL_WAY_PRODUCT) {
		product = asl_matrices_plan(plan);
		return asl_bound_joint(&product);
	}
	if (c->stages > 1)
		return joint_of_sequence(plan);
	if (!c->stages && c->e.inputs > 2 && !asks_for_one(c))
		return joint_of_programs(plan);
	often = once(plan, beta + fmax(0, r - w), beta + fmax(0, w - r)) +
		fmin(r, w) * sequential(plan);
	return fmax(often, once(plan, beta + r, beta + w)) -
	       all_words(&c->e, beta, beta) / plan->ranks;
}
