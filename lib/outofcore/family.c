/*
 * family.c -- contraction out of core as a family, and its plans
 */
#include <math.h>
#include <stdlib.h>

#include "lib/multiply/bounds.h"
#include "lib/multiply/multiply.h"
#include "lib/outofcore/walk.h"
#include "lib/run/path.h"

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
		.adds = plan->c_factor != 0,
	};
}

struct asl_ooc_model asl_ooc_model_of_source(const struct asl_plan *plan)
{
	const struct asl_costs *c = &plan->costs;

	return (struct asl_ooc_model){
		.shape = *asl_shape_of(plan),
		.ranks = plan->ranks,
		.tile = ((double)plan->budget - (double)plan->cache) / 3,
		.read = c->read + c->dram_write,
		.write = c->write + c->dram_read,
		.net = c->net,
		.replicate = 1,
		.accumulate = log2(plan->ranks),
	};
}

/*
 * Tiles for a budget of DRAM
 *
 * What the budget leaves beside the cache is shared by the tiles of A, B and C as
 * each is worth it: X's may be most of it, and Y's and Z's slivers that pass by.  Of
 * the counts of parts whose tiles fit, those are taken whose words between pool, DRAM
 * and network cost least, together with those that the kernel moves between DRAM and
 * cache; so a tile is not so thin that C passes through the cache for every column of
 * A.  Counts that make parts of the same length are tried once, and along a long
 * index those that differ by 2%.
 *
 * Scratch of reductions comes on top.  If it exceeds the budget, tiles are given less
 * until the algorithm's own closed form fits.
 */

struct tiling {
	const struct asl_plan *plan;
	const struct asl_ooc_model *model;
	struct asl_ooc_terms terms;
	struct asl_rates rates;
	double room; /* words, for all tiles */
	int X, Y, Z;
	double extent[ASL_OPERANDS]; /* whole, by the operand that lacks it */
	double rounds;		     /* parts of k that come one by one */
	struct asl_ooc_tiles best;
	double least; /* its cost */
};

static struct tiling begin_tiling(const struct asl_plan *plan,
				  const struct asl_ooc_model *x, double room)
{
	bool torus = x->method == ASL_ROTATION;
	struct tiling t = {
		.plan = plan,
		.model = x,
		.terms = asl_ooc_terms(x),
		.rates = asl_rates(&plan->costs, ASL_FULL),
		.room = room,
		.X = (int)x->order.at[0],
		.Y = (int)x->order.at[1],
		.Z = (int)x->order.at[2],
		.rounds = torus ? floor(sqrt(x->ranks)) : 1,
		.least = INFINITY,
	};

	for (int i = 0; i < ASL_OPERANDS; i++)
		t.extent[i] = ceil(t.terms.extent[i]);
	return t;
}

/* Rooms for each leaf of an array that is no more than once in its tile. */
static double rooms(const struct tiling *t, int which)
{
	const struct asl_ooc_model *x = t->model;
	bool travels = x->method == ASL_ROTATION && x->inside &&
		       which != ASL_C && t->rounds > 1;
	bool shares =
		x->method == ASL_ACCUMULATION && which == ASL_C && x->ranks > 1;

	return 1 + travels + (shares ? 1.0 / x->ranks : 0);
}

/* The longest part of X's lacking index that fits beside parts of the others. */
static double longest(const struct tiling *t, double y, double z, double again)
{
	double left = t->room - y * z * (again + rooms(t, t->X) - 1);
	double wide = z * rooms(t, t->Y) + y * rooms(t, t->Z);

	return fmin(t->extent[t->X], floor(left / wide));
}

/* What the kernel moves, if all leaves are as long as the longest. */
static double kernel_cost(const struct tiling *t, const double length[],
			  double leaves)
{
	struct asl_product product = asl_ooc_product(
		t->plan, (uint64_t)length[ASL_B], (uint64_t)length[ASL_A],
		(uint64_t)length[ASL_C], true);
	struct asl_counts once = {{0}};

	asl_kernel_predict(t->plan->kernel, &once, &product);
	return leaves * t->rounds * asl_cost(&t->rates, &once);
}

/* Parts of Y's and Z's lacking indices are chosen, and how long X's are. */
static void try_counts(struct tiling *t, struct asl_ooc_tiles *n, double y,
		       double z, double x)
{
	double length[ASL_OPERANDS], cost;

	n->n[t->X] = ceil(t->extent[t->X] / x);
	cost = asl_ooc_price(&t->terms, &t->model->order, n);
	if (cost >= t->least)
		return;
	length[t->X] = ceil(t->extent[t->X] / n->n[t->X]);
	length[t->Y] = y;
	length[t->Z] = z;
	cost += kernel_cost(t, length,
			    n->n[ASL_A] * n->n[ASL_B] * n->n[ASL_C] * n->again);
	if (cost < t->least) {
		t->least = cost;
		t->best = *n;
	}
}

/* The next count whose longest part is shorter; 2% more of very many. */
static double next_count(double extent, double count)
{
	double length = ceil(extent / count);

	return length == 1
		       ? extent + 1
		       : fmax(ceil(extent / (length - 1)), floor(count * 1.02));
}

/* More parts of Z's index than the least that fit make room for thicker leaves. */
enum { FITS = 40 };

static void each_Z(struct tiling *t, struct asl_ooc_tiles n, double y)
{
	double E = t->extent[t->Z];
	int fits = 0;

	for (double z = 1; z <= E && fits < FITS; z = next_count(E, z)) {
		double length = ceil(E / z), x = longest(t, y, length, n.again);

		n.n[t->X] = 1;
		n.n[t->Z] = z;
		if (asl_ooc_price(&t->terms, &t->model->order, &n) >= t->least)
			return;
		if (x < 1)
			continue;
		/* As few of X's as fit; or all, where a kernel in a tiny cache
		 * moves less for thin leaves. */
		try_counts(t, &n, y, length, x);
		if (x > 1)
			try_counts(t, &n, y, length, 1);
		fits++;
	}
}

static bool find_tiles(struct tiling *t)
{
	double E = t->extent[t->Y];

	for (double y = 1; y <= E; y = next_count(E, y))
		for (double again = 1; again * y <= E; again *= 2) {
			struct asl_ooc_tiles n = {{1, 1, 1}, again};

			n.n[t->Y] = y;
			if (asl_ooc_price(&t->terms, &t->model->order, &n) >=
			    t->least)
				break;
			each_Z(t, n, ceil(ceil(E / y) / again));
		}
	return isfinite(t->least);
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

/* The cost of what the network takes from pools, whatever the tiles. */
static double transfer(const struct asl_ooc_model *x, const struct tiling *t)
{
	return asl_ooc_cost(x, &t->terms.transfer);
}

/* The best tiles, and the best operand to replicate; false: no tiles fit. */
static bool choose(struct asl_outofcore *o, const struct asl_plan *plan,
		   struct asl_ooc_model x, double room)
{
	double least = INFINITY;
	int last = x.method == ASL_REPLICATION ? ASL_B : ASL_A;

	for (int i = ASL_A; i <= last; i++) {
		struct tiling t;

		x.replicated = i;
		t = begin_tiling(plan, &x, room);
		if (find_tiles(&t) && t.least + transfer(&x, &t) < least) {
			least = t.least + transfer(&x, &t);
			set(o, &x, &t.best);
		}
	}
	return isfinite(least);
}

static bool fit(struct asl_outofcore *o, const struct asl_plan *plan,
		const struct asl_ooc_order *order, uint64_t budget)
{
	struct asl_ooc_model x = asl_ooc_model_of(plan);
	struct asl_plan made = *plan;
	double beside = (double)plan->cache;
	uint64_t held;

	x.order = *order;
	made.outofcore = o;
	for (;;) {
		if (!choose(o, plan, x, (double)budget - beside))
			return false;
		held = asl_forecast(&made).memory_needed;
		if (held <= budget)
			return true;
		beside += fmax(3, (double)(held - budget));
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

/* ---- Tensors ---- */

/* Whose operands, files and verification there are. */
static const struct asl_family *kin(const struct asl_plan *plan)
{
	return plan->contraction ? &asl_family_contract : &asl_family_multiply;
}

enum asl_operand asl_ooc_operand(const struct asl_plan *plan, int which)
{
	return plan->contraction ? asl_matrices_operand(
					   &plan->contraction->matrices, which)
				 : (enum asl_operand)which;
}

bool asl_ooc_of_tensors(struct asl_outofcore *o, const struct asl_einsum *e)
{
	struct asl_matrices x;

	if (!asl_matrices_each(&x, e))
		return false;
	o->product = x.part;
	o->products = x.products;
	return true;
}

/* The contraction as products by the plan's algorithm. */
static void set_product(struct asl_contraction *c, const struct asl_plan *plan)
{
	*c = *plan->contraction;
	c->way = ASL_WAY_PRODUCT;
	c->ranks = asl_ooc_ranks(plan);
	asl_matrices_each(&c->matrices, &c->e);
	c->matrices.algorithm = plan->algorithm;
}

/* ---- Candidates ---- */

/* The plan with a part of its own; false: no memory is left. */
static bool own_part(struct asl_plan *plan)
{
	struct asl_outofcore *o = malloc(sizeof *o);
	struct asl_contraction *c =
		plan->contraction ? malloc(sizeof *c) : NULL;

	if (!o || (plan->contraction && !c)) {
		free(o);
		free(c);
		return false;
	}
	*o = *plan->outofcore;
	o->product = *plan->multiplication;
	if (c)
		set_product(c, plan);
	plan->outofcore = o;
	plan->multiplication = &o->product;
	plan->contraction = c;
	return true;
}

static void try_order(struct asl_candidates *list, struct asl_plan plan,
		      const struct asl_ooc_order *order)
{
	struct asl_outofcore *o;

	if (!own_part(&plan)) {
		list->failed = true;
		return;
	}
	o = (struct asl_outofcore *)plan.outofcore;
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

/* Verification divides the points among ranks. */
static void set_cells(struct asl_plan *plan)
{
	struct asl_contraction *c = (struct asl_contraction *)plan->contraction;

	c->whole = asl_mesh_choose(&c->e, c->ranks, NULL);
}

int asl_ooc_settle(struct asl_plan *plan, uint64_t *memory_needed)
{
	int err = asl_path_best(plan, asl_ooc_rank, memory_needed);

	if (!err && plan->contraction)
		set_cells(plan);
	return err;
}

/* ---- The family ---- */

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);

	return asl_ooc_products(plan) *
	       asl_ooc_owned(&l, asl_ooc_operand(plan, which));
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

/*
 * Several products: a rank's points touch as many words at least as if they were a box
 * of all indices, and so few multiplications have 2 V / sqrt(S) - 2 S words from S.
 */
static double touched(const struct asl_plan *plan)
{
	const struct asl_einsum *e = &plan->contraction->e;
	struct asl_sharing x = sharing(plan);
	double weight[] = {1, 1, 1}, L = x.balance;

	return asl_mesh_least(e, weight, fmax(1, x.ranks / L)) / L;
}

static double all_words(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	double m = (double)s->m, n = (double)s->n, k = (double)s->k;

	return (m * k + k * n + m * n) * (double)asl_ooc_products(plan);
}

/* Words of C that are read before it is written. */
static double result_words(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);

	return plan->c_factor == 0 ? 0
				   : (double)s->m * (double)s->n *
					     (double)asl_ooc_products(plan);
}

static double points(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);

	return (double)s->m * (double)s->n * (double)s->k *
	       (double)asl_ooc_products(plan);
}

static double round_up(double words)
{
	return ceil(words * (1 - 1e-9) - 1e-6);
}

static double net_bound(const struct asl_plan *plan)
{
	struct asl_sharing x = sharing(plan);

	if (asl_ooc_products(plan) > 1)
		return round_up(
			fmax(0, touched(plan) - all_words(plan) / x.ranks));
	return asl_sharing_net_words(&x);
}

static double io_bound(const struct asl_plan *plan)
{
	struct asl_sharing x = sharing(plan);
	double S = (double)plan->cache;

	if (asl_ooc_products(plan) > 1)
		return round_up(
			fmax(touched(plan),
			     2 * points(plan) / x.ranks / sqrt(S) - 2 * S));
	return asl_sharing_io_words(&x);
}

/* Several products: the sum of both bounds, which are of means. */
static double joint_bound(const struct asl_plan *plan)
{
	struct asl_sharing x = sharing(plan);
	const struct asl_costs *c = &plan->costs;

	if (asl_ooc_products(plan) > 1)
		return c->net * net_bound(plan) +
		       fmin(c->read, c->write) * io_bound(plan);
	return asl_sharing_joint(&x);
}

/*
 * All ranks together have P times the DRAM, between whose parts words travel freely:
 * 2mnk multiplications from W words of memory take 2mnk/sqrt(W) - 2W words in and
 * out.  And every word of A and B is read, and of C is written, once; and read, if it
 * is added to.
 */
static double pool_bound(const struct asl_plan *plan)
{
	double P = plan->ranks, W = P * (double)plan->budget;
	double all = 0;

	if (plan->budget)
		all = 2 * points(plan) / sqrt(W) - 2 * W;
	return ceil(fmax(all_words(plan) + result_words(plan), all) / P *
		    (1 - 1e-14));
}

static int operands(const struct asl_plan *plan)
{
	return kin(plan)->operands(plan);
}

static int fixed(const struct asl_plan *plan)
{
	return kin(plan)->fixed(plan);
}

static void describe(FILE *f, const struct asl_plan *plan)
{
	kin(plan)->describe(f, plan);
}

static int open_files(struct asl_data *data)
{
	return kin(data->plan)->open(data);
}

static int create(struct asl_data *data)
{
	return kin(data->plan)->create(data);
}

static void close_files(struct asl_data *data)
{
	kin(data->plan)->close(data);
}

static void fill(struct asl_rank *r, const struct asl_data *data,
		 struct asl_words *own)
{
	kin(data->plan)->fill(r, data, own);
}

static double verify(struct asl_rank *r, const struct asl_data *data,
		     struct asl_words *own, enum asl_verify how)
{
	return kin(data->plan)->verify(r, data, own, how);
}

static int write_result(struct asl_rank *r, struct asl_data *data,
			struct asl_words *own)
{
	return kin(data->plan)->write(r, data, own);
}

static void release(struct asl_plan *plan)
{
	free((struct asl_outofcore *)plan->outofcore);
	free((struct asl_contraction *)plan->contraction);
	plan->outofcore = NULL;
	plan->multiplication = NULL;
	plan->contraction = NULL;
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
	.open = open_files,
	.create = create,
	.close = close_files,
	.fill = fill,
	.verify = verify,
	.write = write_result,
	.net_bound = net_bound,
	.io_bound = io_bound,
	.joint_bound = joint_bound,
	.pool_bound = pool_bound,
};

/* ---- Programs: the contraction's family, but for the memory that a budget is for ---- */

static uint64_t owned_of_program(const struct asl_plan *plan, int rank,
				 int which)
{
	return asl_family_contract.owned(plan, rank, which);
}

static int ranks_of_program(const struct asl_plan *plan)
{
	return plan->contraction->ranks;
}

/* Every input is read once, and the output is written, and read if it is added to. */
static double program_pool_bound(const struct asl_plan *plan)
{
	const struct asl_einsum *e = &plan->contraction->e;
	double words = 0;

	for (int i = 0; i <= e->inputs; i++)
		words += (double)asl_term_words(&e->term[i], e->size) *
			 (i == e->inputs && plan->c_factor != 0 ? 2 : 1);
	return ceil(words / plan->ranks * (1 - 1e-14));
}

const struct asl_family asl_family_program = {
	.name = "contraction out of core",
	.operands = operands,
	.fixed = fixed,
	.owned = owned_of_program,
	.ranks = ranks_of_program,
	.describe = describe,
	.dram_budget = true,
	.release = release,
	.open = open_files,
	.create = create,
	.close = close_files,
	.fill = fill,
	.verify = verify,
	.write = write_result,
	.net_bound = asl_contract_net_words,
	.io_bound = asl_contract_io_words,
	.joint_bound = asl_contract_joint,
	.pool_bound = program_pool_bound,
};
