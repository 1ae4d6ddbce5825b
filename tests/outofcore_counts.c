/*
 * outofcore_counts.c -- out of core: what is counted is what was predicted
 *
 * Random shapes, ranks, orders and tiles, sensible or not, on sim: every
 * counter of every phase of every rank, and both memory high-water marks.  Some
 * cases move data, in DRAM or in real pools, and are held against the oracle
 * with exact entries; a third are contractions of tensors, and half add to C.  C as it
 * was is read once.  Then tiles that are chosen: they keep to their budget,
 * and where everything divides the model's D and V are the words counted.  Of
 * the six, auto takes the one that costs least when all are run.  Programs of
 * contractions with the loops that are chosen, and with any; and the four-index
 * transform, which moves half of the words of single contractions.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/base/estimate.h"
#include "lib/base/parts.h"
#include "lib/outofcore/walk.h"
#include "lib/run/path.h"
#include "lib/run/run.h"
#include "nvm/store.h"
#include "tests/help/ledgers.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

enum { SIX = 6 };

/* ---- A case ---- */

struct test_case {
	struct asl_run_want want;
	struct asl_outofcore o;
};

static void print_case(const struct test_case *c, unsigned number)
{
	const struct asl_plan *x = &c->want.plan;
	const struct asl_outofcore *o = &c->o;

	print_error("case %u: %s of %c, %c%c%c, m=%ju n=%ju k=%ju P=%d, tiles "
		    "%d,%d,%d again %d, S=%ju budget %ju %s, products %ju, "
		    "factors %g, %g\n",
		    number, x->algorithm->name, "AB"[o->replicated],
		    "ABC"[o->order.at[0]], "ABC"[o->order.at[1]],
		    "ABC"[o->order.at[2]], asl_shape_of(x) -> m,
		    asl_shape_of(x) -> n, asl_shape_of(x) -> k, x -> ranks,
		    o -> n[0], o -> n[1], o -> n[2], o -> again, x -> cache,
		    x -> budget, x -> kernel -> name, o -> products,
		    x -> ab_factor, x -> c_factor);
}

/* Every word of A, B and C is somebody's, and nobody else's. */
static bool all_is_owned_once(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	const uint64_t words[] = {s->m * s->k, s->k * s->n, s->m * s->n};
	uint64_t times = asl_ooc_products(plan);
	struct asl_piece x;

	for (int which = 0; which < ASL_OPERANDS; which++) {
		uint64_t owned = 0, counted = 0;

		for (int r = 0; r < asl_plan_ranks(plan); r++) {
			for (int i = 0; i < ASL_OPERANDS; i++)
				if ((int)asl_ooc_operand(plan, i) == which)
					counted += asl_plan_owned(plan, r, i);
			for (int i = 0; asl_plan_piece(&x, plan, r, which, i);
			     i++)
				owned += x.words.count;
		}
		if (owned != words[which] || counted != owned * times) {
			print_error("%ju words of %c have owners, of %ju\n",
				    owned, "ABC"[which], words[which]);
			return false;
		}
	}
	return true;
}

static bool laws_hold(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_shape *s = asl_shape_of(plan);
	const uint64_t *of = rep->total.of, times = asl_ooc_products(plan);

	return all_is_owned_once(plan) &&
	       of[ASL_NET_SEND] == of[ASL_NET_RECV] &&
	       of[ASL_FLOPS] == times * 2 * s->m * s->n * s->k &&
	       of[ASL_NVM_LAND] >= times * s->m * s->n &&
	       of[ASL_NVM_READ] + of[ASL_NVM_WRITE] == 0;
}

struct outcome {
	struct asl_counts first; /* of rank 0 */
	struct asl_counts total;
	uint64_t pool;	      /* all ranks' high-water marks */
	double cost, busiest; /* along the path, and of one rank */
	uint64_t dram;
};

static void keep(const struct asl_rep *rep, void *arg)
{
	struct outcome *out = arg;

	out->first = asl_ledger_total(&rep->rank[0].counted);
	out->cost = rep->q_path[ASL_FULL];
	out->busiest = rep->q_max[ASL_FULL];
	out->total = rep->total;
	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_ledger *x = &rep->rank[i].counted;

		out->dram = asl_max(out->dram, x->memory_high - x->pool_high);
		out->pool += x->pool_high;
	}
}

static struct outcome run_case(struct test_case *c, unsigned number)
{
	struct outcome out = {.cost = 0};
	struct judge judge = {.laws_hold = laws_hold,
			      .exact = true,
			      .keep = keep,
			      .arg = &out};

	c->want.plan.outofcore = &c->o;
	if (judge_run(&judge, &c->want))
		return out;
	print_case(c, number);
	fail();
	return out;
}

/* Choose the plan's tiles, of this order or NULL: of any. */
static int settle(struct test_case *c, const struct asl_ooc_order *asked,
		  uint64_t *need)
{
	struct asl_plan *plan = &c->want.plan;
	const struct asl_multiplication *product = plan->multiplication;
	struct asl_outofcore *o = calloc(1, sizeof *o);
	int err;

	assert_non_null(o);
	o->asked = asked;
	plan->outofcore = o;
	err = asl_ooc_settle(plan, need);
	c->o = *plan->outofcore;
	asl_plan_release(plan);
	plan->multiplication = product;
	return err;
}

/* ---- Tiles of any kind ---- */

/* C = X A B + Y C, whose rounding is none: powers of 2, and quarters. */
static void roll_factors(struct dice *d, struct asl_plan *plan)
{
	static const double ab[] = {0, 1, 2, -1, 0.5, -4};

	plan->ab_factor = ab[roll(d, 0, 5)];
	plan->c_factor = 0;
	if (roll(d, 0, 1))
		plan->c_factor = (double)roll(d, 1, 12) / 4;
	if (roll(d, 0, 2) == 0)
		plan->c_factor = -plan->c_factor;
}

static struct test_case roll_case(struct dice *d, int bits, int most_ranks)
{
	struct test_case c = {.want = {.transport = "sim",
				       .store = "null",
				       .seed = d->number,
				       .exact = true,
				       .reps = 1}};
	struct asl_plan *plan = &c.want.plan;

	plan->algorithm = asl_ooc_algorithms[roll(d, 0, SIX - 1)];
	plan->kernel = asl_kernels[roll(d, 0, 2)];
	plan->multiplication = product_of((struct asl_shape){
		roll_size(d, bits), roll_size(d, bits), roll_size(d, bits)});
	plan->ranks = (int)roll(d, 1, (uint64_t)most_ranks);
	plan->cache = 2 + roll_size(d, 10);
	plan->memory = 1;
	plan->panels = ASL_DRAM;
	plan->costs = (struct asl_costs){
		.read = (double)roll(d, 1, 4),
		.write = (double)roll(d, 1, 32),
		.net = (double)roll(d, 0, 8),
		.dram_read = 1,
		.dram_write = 1.5,
		.latency = (double)roll(d, 0, 1) * 100,
	};
	roll_factors(d, plan);
	return c;
}

/* More parts than there is to cut, as well: then some are empty. */
static void roll_tiles(struct dice *d, struct test_case *c)
{
	c->o = (struct asl_outofcore){
		.replicated = (enum asl_operand)roll(d, 0, 1),
		.order = asl_ooc_orders[roll(d, 0, 5)],
		.again = (int)roll(d, 1, roll(d, 0, 1) ? 1 : 3),
	};
	for (int i = 0; i < ASL_OPERANDS; i++)
		c->o.n[i] = (int)roll(d, 1, roll(d, 1, 6));
}

/* The case's product for each value of an index, as an einsum's. */
static void roll_tensors(struct dice *d, struct test_case *c,
			 struct asl_contraction *x)
{
	static const char *const specs[] = {"hik,hkj->hij", "jkh,khi->ihj",
					    "ik,kj->ij", "khj,ikh->jih"};
	const struct asl_shape *s = asl_shape_of(&c->want.plan);
	struct asl_plan *plan = &c->want.plan;
	char dims[200];

	memset(x, 0, sizeof *x);
	assert_int_equal(asl_einsum_parse(&x->e, specs[roll(d, 0, 3)]), 0);
	snprintf(dims, sizeof dims, "%si=%ju,j=%ju,k=%ju",
		 x->e.indices == 4 ? "h=3," : "", s->m, s->n, s->k);
	assert_int_equal(asl_einsum_dims(&x->e, dims), 0);
	assert_true(asl_matrices_each(&x->matrices, &x->e));
	assert_true(asl_ooc_of_tensors(&c->o, &x->e));
	plan->multiplication = product_of(c->o.product.shape);
	x->way = ASL_WAY_PRODUCT;
	x->matrices.algorithm = plan->algorithm;
	x->ranks = asl_ooc_ranks(plan);
	x->whole = asl_mesh_choose(&x->e, x->ranks, NULL);
	plan->contraction = x;
}

static void any_tiles(uint32_t family, unsigned cases, int bits, int ranks,
		      const char *store)
{
	static struct asl_contraction tensors;

	for (unsigned i = 0; i < cases; i++) {
		struct dice d = {family, i, 0};
		struct test_case c = roll_case(&d, bits, ranks);

		roll_tiles(&d, &c);
		c.want.store = store;
		c.want.nvm_dir = strcmp(store, "disk") ? NULL : ".";
		if (store[0] != 'n')
			c.want.verify = ASL_VERIFY_ORACLE;
		if (i % 3 == 0)
			roll_tensors(&d, &c, &tensors);
		if (!leave_out(i))
			run_case(&c, i);
	}
}

static void counts_without_data(void **state)
{
	(void)state;
	any_tiles(91, how_many(300, 1500), 7, 40, "null");
}

static void counts_and_products_in_dram(void **state)
{
	(void)state;
	any_tiles(92, how_many(100, 300), 5, 26, "dram");
}

static void counts_and_products_in_pools(void **state)
{
	(void)state;
	any_tiles(93, how_many(15, 20), 5, 10, "pmem");
}

/* Unless the build lies in memory. */
static void counts_and_products_on_a_disk(void **state)
{
	struct asl_store_want want = {
		.name = "disk", .dir = ".", .run_id = "counts"};
	struct asl_store *store;

	(void)state;
	if (asl_store_open(&store, &want)) {
		print_message("%s\n", asl_failure());
		skip();
	}
	asl_store_close(store);
	any_tiles(94, how_many(30, 50), 5, 10, "disk");
}

/*
 * C as it was costs one more read of it, by all ranks together, and of what passes
 * between pools and ranks nothing else; in DRAM the kernel adds where it would set.
 */
static void adding_reads_C_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(100, 500); i++) {
		struct dice d = {102, i, 0};
		struct test_case c = roll_case(&d, 6, 30);
		struct asl_plan *plan = &c.want.plan;
		const struct asl_shape *s = asl_shape_of(plan);
		struct outcome without, with;

		roll_tiles(&d, &c);
		if (leave_out(i))
			continue;
		plan->c_factor = 0;
		without = run_case(&c, i);
		plan->c_factor = -1.25;
		with = run_case(&c, i);
		without.total.of[ASL_NVM_LIFT] += s->m * s->n;
		for (int j = 0; j < ASL_COUNTERS; j++) {
			bool in_dram =
				j == ASL_DRAM_READ || j == ASL_DRAM_WRITE ||
				j == ASL_BOUNCE_READ || j == ASL_BOUNCE_WRITE;

			if (in_dram || with.total.of[j] == without.total.of[j])
				continue;
			print_case(&c, i);
			print_error("%s: %ju, without C %ju\n",
				    asl_counter_name(j), with.total.of[j],
				    without.total.of[j]);
			fail();
		}
	}
}

/* ---- Tiles that are chosen ---- */

/*
 * What fits into DRAM passes between pool and DRAM once, whatever the ranks, and beside
 * the operands themselves there is nothing in the pool.
 */
static void what_fits_is_read_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(60, 300); i++) {
		struct dice d = {103, i, 0};
		struct test_case c = roll_case(&d, 6, 16);
		struct asl_plan *plan = &c.want.plan;
		const struct asl_shape *s = asl_shape_of(plan);
		uint64_t words = s->m * s->k + s->k * s->n + s->m * s->n;
		uint64_t moved = words, need;
		struct outcome x;

		moved += plan->c_factor != 0 ? s->m * s->n : 0;
		plan->algorithm = asl_ooc_algorithms[SIX];
		plan->budget = 4 * words + plan->cache;
		c.want.store = i % 3 ? "null" : "dram";
		c.want.verify = i % 3 ? ASL_VERIFY_NONE : ASL_VERIFY_ORACLE;
		if (leave_out(i))
			continue;
		assert_int_equal(settle(&c, NULL, &need), 0);
		x = run_case(&c, i);
		if (x.total.of[ASL_NVM_LIFT] + x.total.of[ASL_NVM_LAND] !=
			    moved ||
		    x.pool != words) {
			print_case(&c, i);
			print_error("%ju words read and %ju written, of %ju; "
				    "%ju in pools, of %ju\n",
				    x.total.of[ASL_NVM_LIFT],
				    x.total.of[ASL_NVM_LAND], moved, x.pool,
				    words);
			fail();
		}
	}
}

/* Each of A, B and C has at least 4 times what a rank may have of DRAM. */
static void budgets_are_kept(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(50, 150); i++) {
		struct dice d = {94, i, 0};
		struct test_case c = roll_case(&d, 5, 20);
		struct asl_plan *plan = &c.want.plan;
		struct asl_shape *s = &own_part(plan)->shape;
		uint64_t need, least;

		s->m += 50;
		s->n += 50;
		s->k += 50;
		plan->cache = 2 + roll_size(&d, 6);
		least = asl_min(asl_min(s->m * s->k, s->k * s->n), s->m * s->n);
		plan->budget = roll(&d, least / 20, least / 4);
		if (leave_out(i))
			continue;
		if (settle(&c, NULL, &need)) {
			assert_true(need > plan->budget);
			continue;
		}
		c.want.store = i % 3 ? "null" : "dram";
		c.want.verify = i % 3 ? ASL_VERIFY_NONE : ASL_VERIFY_ORACLE;
		if (run_case(&c, i).dram > plan->budget) {
			print_case(&c, i);
			fail();
		}
	}
}

/*
 * Counts of any kind that fit, of the same method, order and replicated operand: none
 * costs 5% less than what is chosen.
 */
static void no_tiles_cost_less(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(40, 200); i++) {
		struct dice d = {98, i, 0};
		struct test_case c = roll_case(&d, 6, 12);
		struct asl_plan *plan = &c.want.plan;
		struct asl_shape *s = &own_part(plan)->shape;
		struct asl_forecast chosen;
		uint64_t need;

		s->m += 20;
		s->n += 20;
		s->k += 20;
		plan->cache = 2 + roll_size(&d, 6);
		plan->costs.latency = 0;
		plan->budget = roll(&d, 100, 1500);
		if (leave_out(i) ||
		    settle(&c, &asl_ooc_orders[i % ASL_OOC_ORDERS], &need))
			continue;
		plan->outofcore = &c.o;
		chosen = asl_forecast(plan);
		for (int j = 0; j < 300; j++) {
			struct test_case other = c;
			struct asl_forecast x;

			for (int k = 0; k < ASL_OPERANDS; k++)
				other.o.n[k] = (int)roll(&d, 1, 30);
			other.o.again = (int)roll(&d, 1, 4);
			other.want.plan.outofcore = &other.o;
			x = asl_forecast(&other.want.plan);
			if (x.memory_needed + plan->cache <= plan->budget &&
			    x.q[ASL_FULL] < 0.95 * chosen.q[ASL_FULL]) {
				print_case(&c, i);
				print_case(&other, i);
				print_error("%g, not %g\n", x.q[ASL_FULL],
					    chosen.q[ASL_FULL]);
				fail();
			}
		}
	}
}

/* Too small a budget for anything: said so, with the least that will do. */
static void too_little_is_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SIX; i++) {
		struct dice d = {95, i, 0};
		struct test_case c = roll_case(&d, 4, 9);
		uint64_t need;

		c.want.plan.algorithm = asl_ooc_algorithms[i];
		c.want.plan.budget = 2;
		assert_int_equal(settle(&c, NULL, &need), -ENOMEM);
		for (uint64_t budget = need - 1; budget <= need; budget++) {
			uint64_t again;

			c.want.plan.budget = budget;
			assert_int_equal(settle(&c, NULL, &again),
					 budget < need ? -ENOMEM : 0);
		}
	}
}

static void expect_words(const struct test_case *c, unsigned number,
			 const char *what, uint64_t counted, double model)
{
	if (fabs((double)counted - model) < 1e-6 * (1 + model))
		return;
	print_case(c, number);
	print_error("%s: counted %ju, the model has %.9g\n", what, counted,
		    model);
	fail();
}

/* Everything divides: extents by the parts, shares of tiles by the ranks. */
static void model_is_exact(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(40, 300); i++) {
		struct dice d = {96, i, 0};
		struct test_case c = roll_case(&d, 1, 1);
		struct asl_plan *plan = &c.want.plan;
		struct asl_ooc_tiles t;
		struct asl_ooc_model x;
		struct asl_ooc_volume v;
		struct outcome out;
		uint64_t side;

		roll_tiles(&d, &c);
		side = roll(&d, 1, 5);
		plan->ranks = (int)(asl_ooc_kind(plan)->method == ASL_ROTATION
					    ? side * side
					    : side);
		side *= 36; /* 4 parts and 3, 3 and 3 */
		for (int j = 0; j < ASL_OPERANDS; j++)
			c.o.n[j] = (int)roll(&d, 1, 4);
		plan->multiplication = product_of(
			(struct asl_shape){side, 2 * side, 3 * side});
		plan->cache = 10000;
		if (leave_out(i))
			continue;
		c.o.again = (int)roll(&d, 1, 3);
		out = run_case(&c, i);
		x = asl_ooc_model_of(plan);
		x.replicated = c.o.replicated;
		x.order = c.o.order;
		x.tile = 1;
		t = (struct asl_ooc_tiles){{c.o.n[0], c.o.n[1], c.o.n[2]},
					   c.o.again};
		v = asl_ooc_volume(&x, &t);
		expect_words(&c, i, "read", out.first.of[ASL_NVM_LIFT], v.read);
		expect_words(&c, i, "written", out.first.of[ASL_NVM_LAND],
			     v.write);
		expect_words(&c, i, "sent", out.first.of[ASL_NET_RECV], v.net);
	}
}

/* The least cost of the busiest rank in plans that auto does not choose. */
static double least_of_others(const struct test_case *c)
{
	struct asl_candidates few =
		asl_candidates(asl_path_looks(1, &c->want.plan));
	struct asl_plan plan = c->want.plan;
	struct asl_outofcore none = {.asked = NULL};
	double least = INFINITY;

	plan.outofcore = &none;
	if (!asl_ooc_rank(&few, &plan))
		least = asl_candidates_limit(&few);
	asl_candidates_free(&few);
	return least;
}

static void auto_takes_the_cheapest(void **state)
{
	int taken[SIX] = {0}, kinds = 0;

	(void)state;
	for (unsigned i = 0; i < how_many(80, 100); i++) {
		struct dice d = {97, i, 0};
		struct test_case c = roll_case(&d, 8, 16), other = c;
		struct outcome x;
		struct asl_plan *plan = &c.want.plan;
		uint64_t need, budget = 200 + roll_size(&d, 13);
		double least, others;

		plan->kernel = asl_kernel_find("tight");
		plan->cache = other.want.plan.cache = 100;
		plan->budget = other.want.plan.budget = budget;
		other.want.plan.kernel = plan->kernel;
		if (leave_out(i))
			continue;
		plan->algorithm = asl_ooc_algorithms[SIX];
		others = least_of_others(&c);
		if (settle(&c, NULL, &need))
			continue;
		least = run_case(&c, i).cost;
		for (int j = 0; j < SIX; j++) {
			other.want.plan.algorithm = asl_ooc_algorithms[j];
			taken[j] += plan->algorithm == asl_ooc_algorithms[j];
			if (settle(&other, &asl_ooc_orders[i % ASL_OOC_ORDERS],
				   &need))
				continue;
			x = run_case(&other, i);
			if (x.cost < least && x.busiest < others) {
				print_case(&other, i);
				fail();
			}
		}
	}
	for (int j = 0; j < SIX; j++)
		kinds += taken[j] > 0;
	assert_true(kinds >= 4); /* none is best for all */
}

/* ---- Programs ---- */

static bool program_laws_hold(const struct asl_rep *rep)
{
	const uint64_t *of = rep->total.of;

	return of[ASL_NET_SEND] == of[ASL_NET_RECV] &&
	       of[ASL_NVM_READ] + of[ASL_NVM_WRITE] == 0;
}

/* A plan of this string, which asl_plan_release frees. */
static void set_spec(struct asl_plan *plan, const char *spec, const char *dims)
{
	struct asl_contraction *x = calloc(1, sizeof *x);
	struct asl_outofcore *o = calloc(1, sizeof *o);

	assert_non_null(x);
	assert_non_null(o);
	assert_int_equal(asl_einsum_parse(&x->e, spec), 0);
	assert_int_equal(asl_einsum_dims(&x->e, dims), 0);
	plan->contraction = x;
	plan->outofcore = o;
	plan->multiplication = NULL;
	if (asl_ooc_of_tensors(o, &x->e))
		plan->multiplication = &o->product;
}

/* An einsum of this string and of indices so long. */
static void roll_dims(struct dice *d, struct asl_plan *plan, const char *spec,
		      uint64_t least, uint64_t most)
{
	char dims[200] = "";
	size_t used = 0;

	for (char c = 'a'; c <= 'z'; c++)
		if (strchr(spec, c))
			used += (size_t)snprintf(
				dims + used, sizeof dims - used, "%s%c=%ju",
				used ? "," : "", c, roll(d, least, most));
	set_spec(plan, spec, dims);
}

static void roll_program(struct dice *d, struct asl_plan *plan)
{
	static const char *const specs[] = {
		"ab,bc,cd->ad",	       "abcd,ai,bj,ck,dl->ijkl",
		"ab,bc,cd,de->ae",     "mnef,ecmi,fdnj->cdij",
		"ijk,kl,jl->il",       "aab,bc,cd->bd",
		"a,b,c->abc",	       "ab,bc,ca->",
		"abcd,ai,bj,ck->ijkd", "zab,bc,zcd,e->zad",
	};

	roll_dims(d, plan, specs[roll(d, 0, 9)], 1, 7);
}

/* Loops that make no sense, in any order. */
static void roll_loops(struct dice *d, struct asl_outofcore *o,
		       struct asl_contraction *c, uint64_t cache)
{
	o->slabs = (int)roll(d, 1, 5);
	for (int i = 0; i < c->stages; i++) {
		struct asl_stage *x = &c->stage[i];
		struct asl_loops *l = &x->loops;

		l->count = 0;
		for (int j = 0; j < x->e.indices; j++) {
			uint64_t most = x->e.size[j] / (uint64_t)x->mesh.p[j];
			int at = (int)roll(d, 0, (uint64_t)l->count);

			l->parts[j] = 1;
			if (!(asl_einsum_all(&x->e) >> j & 1) || most < 2 ||
			    roll(d, 0, 1))
				continue;
			l->parts[j] = (int)roll(d, 2, most);
			l->index[l->count++] = l->index[at];
			l->index[at] = (unsigned char)j;
		}
		/* The output's, if ranks share them, always are. */
		x->in_tiles &=
			~(uint32_t)roll(d, 0, UINT32_MAX) | 1U << x->e.inputs;
		for (int j = 0; j < x->e.inputs; j++)
			x->moves[j] |= x->from[j] >= c->e.inputs;
		asl_ooc_stage_local(x, cache);
	}
}

static bool shares_tiles(const struct asl_stage *x)
{
	bool shared = false;

	for (int i = 0; i <= x->e.inputs; i++) {
		struct asl_spread s = asl_stage_spread(x, i);

		shared |= s.tiles && asl_spread_tiles(&s) > 1;
	}
	return shared;
}

static void programs_are_as_predicted(void **state)
{
	int fused = 0, moved = 0, many = 0, shared = 0;

	(void)state;
	for (unsigned i = 0; i < how_many(200, 750); i++) {
		struct dice d = {99, i, 0};
		struct test_case c = roll_case(&d, 4, 9);
		struct asl_plan *plan = &c.want.plan;
		struct outcome out = {.cost = 0};
		struct judge judge = {.laws_hold = program_laws_hold,
				      .exact = true,
				      .keep = keep,
				      .arg = &out};
		uint64_t need;

		plan->algorithm = &asl_ooc_program;
		plan->budget = roll(&d, 60, 600);
		roll_program(&d, plan);
		if (leave_out(i) || asl_ooc_program_settle(plan, &need)) {
			assert_true(leave_out(i) || need > plan->budget);
			asl_plan_release(plan);
			continue;
		}
		if (i % 2)
			roll_loops(&d, (struct asl_outofcore *)plan->outofcore,
				   (struct asl_contraction *)plan->contraction,
				   plan->cache);
		c.want.store = i % 8 == 0 ? "pmem" : i % 4 ? "dram" : "null";
		c.want.verify = i % 4 || i % 8 == 0 ? ASL_VERIFY_ORACLE
						    : ASL_VERIFY_NONE;
		if (!judge_run(&judge, &c.want) ||
		    (i % 2 == 0 && out.dram > plan->budget)) {
			print_error("program %u: %d stages, %d ranks, %ju of "
				    "%ju words\n",
				    i, plan->contraction->stages, plan->ranks,
				    out.dram, plan->budget);
			fail();
		}
		for (int j = 0; j < plan->contraction->stages; j++) {
			const struct asl_stage *x =
				&plan->contraction->stage[j];

			fused += x->e.inputs > 2;
			shared += shares_tiles(x);
			for (int k = 0; k < x->e.inputs; k++)
				moved += x->moves[k];
		}
		many += plan->contraction->stages > 2;
		asl_plan_release(plan);
	}
	assert_true(fused > 50 && moved > 20 && many > 2 && shared > 50);
}

/* Tiles of few words or of many, in any order. */
static void roll_other_loops(struct dice *d, struct asl_stage *x,
			     uint64_t cache)
{
	struct asl_loops *l = &x->loops;

	l->count = 0;
	for (int j = 0; j < x->e.indices; j++) {
		uint64_t most = x->e.size[j] / (uint64_t)x->mesh.p[j];
		int at = (int)roll(d, 0, (uint64_t)l->count);

		l->parts[j] = 1;
		if (!(asl_einsum_all(&x->e) >> j & 1) || roll(d, 0, 2) == 0)
			continue;
		most = roll(d, 1, most);
		l->parts[j] = (int)roll(d, 1, most);
		if (l->parts[j] < 2)
			continue;
		l->index[l->count++] = l->index[at];
		l->index[at] = (unsigned char)j;
	}
	asl_ooc_stage_local(x, cache);
}

/* The least Q of the same stages on the same ranks, in other loops that fit. */
static double least_of_other_loops(struct dice *d, struct asl_plan *plan,
				   int tries)
{
	struct asl_contraction *x = (struct asl_contraction *)plan->contraction;
	double least = INFINITY;

	for (int i = 0; i < tries; i++) {
		struct asl_stage *stage =
			&x->stage[roll(d, 0, (uint64_t)x->stages - 1)];
		struct asl_loops keep = stage->loops;
		struct asl_forecast f;

		roll_other_loops(d, stage, plan->cache);
		f = asl_forecast(plan);
		if (f.memory_needed <= plan->budget)
			least = fmin(least, f.q[ASL_FULL]);
		stage->loops = keep;
		asl_ooc_stage_local(stage, plan->cache);
	}
	return least;
}

/* Hardly any cost 5% less than those that are chosen, and none 20%. */
static void no_loops_cost_less(void **state)
{
	static const char *const specs[] = {"ab,bc->ac", "abc,cd->abd",
					    "ijk,kl,jl->il", "ab,bc,cd->ad",
					    "abmn,cdmn->abcd"};
	unsigned cases = how_many(40, 200), dearer = 0, tried = 0;

	(void)state;
	for (unsigned i = 0; i < cases; i++) {
		struct dice d = {103, i, 0};
		struct test_case c = roll_case(&d, 4, i % 2 ? 1 : 6);
		struct asl_plan *plan = &c.want.plan;
		const char *spec = specs[i % 5];
		double chosen, least;
		uint64_t need;

		plan->algorithm = &asl_ooc_program;
		plan->cache = 16 << roll(&d, 0, 5);
		plan->costs.latency = 0;
		plan->budget =
			plan->cache + roll(&d, 100, 1 << roll(&d, 9, 15));
		roll_dims(&d, plan, spec, 4, strlen(spec) > 12 ? 20 : 200);
		if (!leave_out(i) && !asl_ooc_program_settle(plan, &need)) {
			chosen = asl_forecast(plan).q[ASL_FULL];
			least = least_of_other_loops(&d, plan, 1000);
			tried += isfinite(least);
			dearer += least < 0.95 * chosen;
			if (least < 0.8 * chosen) {
				print_error("program %u: %s, %g, not %g\n", i,
					    spec, least, chosen);
				fail();
			}
		}
		asl_plan_release(plan);
	}
	assert_true(dearer <= cases / 40);
	assert_true(tried > cases / 2);
}

/* Q of what is settled, or a negative number. */
static double least_cost(struct asl_plan *plan,
			 int (*how)(struct asl_plan *plan, uint64_t *need))
{
	uint64_t need;

	return how(plan, &need) ? -1 : asl_forecast(plan).q[ASL_FULL];
}

/* Two tensors as a program cost about as much as by the best of the six methods. */
static void pairs_cost_no_more_than_by_six_methods(void **state)
{
	double ratio[400];
	int count = 0;

	(void)state;
	for (unsigned i = 0; i < how_many(60, 200); i++) {
		struct dice d = {104, i, 0};
		struct test_case c = roll_case(&d, 4, 16);
		struct asl_plan program = c.want.plan, six;
		struct asl_contraction *x = malloc(sizeof *x);
		struct asl_outofcore *o = malloc(sizeof *o);
		double by_program, by_six;

		assert_non_null(x);
		assert_non_null(o);
		program.cache = 64 << roll(&d, 0, 4);
		program.kernel = asl_kernel_find("vomm");
		program.budget =
			roll(&d, 3, 20) * program.cache * (i % 5 ? 1 : 10);
		program.costs.latency = 0;
		six = program;
		roll_dims(&d, &program, i % 3 ? "ab,bc->ac" : "abc,dbc->ad", 20,
			  i % 3 ? 400 : 60);
		program.algorithm = &asl_ooc_program;
		six.algorithm = asl_ooc_algorithms[SIX];
		*x = *program.contraction;
		*o = *program.outofcore;
		six.contraction = x;
		six.outofcore = o;
		six.multiplication = &o->product;
		by_program = least_cost(&program, asl_ooc_program_settle);
		by_six = least_cost(&six, asl_ooc_settle);
		if (!leave_out(i) && by_program > 0 && by_six > 0)
			ratio[count++] = by_program / by_six;
		asl_plan_release(&program);
		asl_plan_release(&six);
	}
	assert_true(count > 30);
	assert_true(asl_median(ratio, count) < 1.03);
	assert_true(ratio[count * 9 / 10] < 1.12 && ratio[count - 1] < 1.3);
}

/*
 * One rank, a pool that is far more expensive than DRAM, and no more tensors than a stage
 * takes: a program that fits into DRAM reads its inputs once, and needs no more pool.
 */
static void programs_that_fit_are_read_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(30, 150); i++) {
		struct dice d = {104, i, 0};
		struct test_case c = roll_case(&d, 4, 1);
		struct asl_plan *plan = &c.want.plan;
		struct outcome out = {.cost = 0};
		struct judge judge = {.laws_hold = program_laws_hold,
				      .exact = true,
				      .keep = keep,
				      .arg = &out};
		uint64_t need, words = 0;
		double moved;

		plan->algorithm = &asl_ooc_program;
		plan->budget = 1000000;
		plan->costs.read = plan->costs.write = 1000;
		roll_program(&d, plan);
		if (!leave_out(i) && plan->contraction->e.inputs <= 4) {
			assert_int_equal(asl_ooc_program_settle(plan, &need),
					 0);
			assert_true(judge_run(&judge, &c.want));
			for (int j = 0; j <= plan->contraction->e.inputs; j++)
				words += asl_plan_owned(plan, 0, j);
			moved = (double)(out.total.of[ASL_NVM_LIFT] +
					 out.total.of[ASL_NVM_LAND]);
			if (moved != asl_family_program.pool_bound(plan) ||
			    out.pool != words) {
				print_error("program %u: %g words moved of %g, "
					    "%ju in the pool of %ju, %d "
					    "stages\n",
					    i, moved,
					    asl_family_program.pool_bound(plan),
					    out.pool, words,
					    plan->contraction->stages);
				fail();
			}
		}
		asl_plan_release(plan);
	}
}

/* With so little memory as is said to be enough there is a program. */
static void needs_of_programs_are_enough(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(12, 100); i++) {
		struct dice d = {100, i, 0};
		struct test_case c = roll_case(&d, 4, 9);
		struct asl_plan *plan = &c.want.plan;
		uint64_t need, again;

		plan->algorithm = &asl_ooc_program;
		plan->budget = roll(&d, 1, 30);
		roll_program(&d, plan);
		if (!leave_out(i) && asl_ooc_program_settle(plan, &need)) {
			assert_true(need > plan->budget);
			plan->budget = need;
			assert_int_equal(asl_ooc_program_settle(plan, &again),
					 0);
		}
		asl_plan_release(plan);
	}
}

/* D of what is chosen. */
static double words_of(struct asl_plan *plan)
{
	struct asl_ledger x;
	struct asl_counts all;

	asl_plan_predict(&x, plan, 0);
	all = asl_ledger_total(&x);
	return (double)(all.of[ASL_NVM_LIFT] + all.of[ASL_NVM_LAND]);
}

/* Of n = 64 counted, of n = 32 done, with a 64th of an intermediate. */
static void four_index_transform(void **state)
{
	static const char *const pairs[] = {"abcd,ai->ibcd", "ibcd,bj->ijcd",
					    "ijcd,ck->ijkd", "ijkd,dl->ijkl"};

	(void)state;
	for (uint64_t n = 32; n <= 64; n *= 2) {
		struct dice d = {101, 0, 0};
		struct test_case c = roll_case(&d, 4, 1);
		struct asl_plan *plan = &c.want.plan, one = *plan;
		struct judge judge = {.laws_hold = program_laws_hold,
				      .exact = false};
		char dims[200];
		double singly = 0, fused;
		uint64_t need;

		plan->ranks = one.ranks = 1;
		plan->cache = one.cache = n * n / 4;
		plan->costs.read = plan->costs.write = 10;
		plan->costs.latency = 0;
		one.costs = plan->costs;
		plan->budget = one.budget = n * n * n * n / 64;
		plan->kernel = one.kernel = asl_kernel_find("vomm");
		one.algorithm = asl_ooc_algorithms[SIX];
		for (int i = 0; i < 4; i++) {
			struct asl_plan now = one;

			snprintf(dims, sizeof dims,
				 "%c=%ju,%c=%ju,%c=%ju,"
				 "%c=%ju,%c=%ju",
				 pairs[i][0], n, pairs[i][1], n, pairs[i][2], n,
				 pairs[i][3], n, pairs[i][6], n);
			set_spec(&now, pairs[i], dims);
			assert_int_equal(asl_ooc_settle(&now, &need), 0);
			singly += words_of(&now);
			asl_plan_release(&now);
		}
		snprintf(dims, sizeof dims,
			 "a=%ju,b=%ju,c=%ju,d=%ju,i=%ju,j=%ju,k=%ju,l=%ju", n,
			 n, n, n, n, n, n, n);
		plan->algorithm = &asl_ooc_program;
		set_spec(plan, "abcd,ai,bj,ck,dl->ijkl", dims);
		assert_int_equal(asl_ooc_program_settle(plan, &need), 0);
		fused = words_of(plan);
		if (fused > 0.51 * singly) {
			print_error("n = %ju: %g words, singly %g\n", n, fused,
				    singly);
			fail();
		}
		c.want.exact = false;
		c.want.store = n == 32 ? "dram" : "null";
		c.want.verify =
			n == 32 ? ASL_VERIFY_FREIVALDS : ASL_VERIFY_NONE;
		assert_true(judge_run(&judge, &c.want));
		asl_plan_release(plan);
	}
}

/* Words that follow each other in a tile of the term. */
static uint64_t row_words(const struct asl_stage *x, int term)
{
	const struct asl_term *t = &x->e.term[term];
	uint64_t words = 1;

	for (int i = t->count - 1; i >= 0; i--) {
		int index = t->index[i], parts = x->loops.parts[index];

		words *= asl_ceil_div(x->e.size[index], (uint64_t)parts);
		if (parts > 1)
			break;
	}
	return words;
}

/* Where time is meant, rows of tiles are at least a line of memory. */
static void time_takes_long_rows(void **state)
{
	static const struct asl_times times = {.flop = 1};

	(void)state;
	for (int by_time = 0; by_time < 2; by_time++) {
		struct dice d = {105, 0, 0};
		struct test_case c = roll_case(&d, 4, 1);
		struct asl_plan *plan = &c.want.plan;
		uint64_t need, least = UINT64_MAX;

		plan->ranks = 1;
		plan->cache = 4096;
		plan->costs = (struct asl_costs){1, 1, 1, 1, 1, 0, 0};
		plan->budget = 1 << 18;
		plan->kernel = asl_kernel_find("vomm");
		plan->algorithm = &asl_ooc_program;
		plan->by_time = by_time;
		plan->times = &times;
		set_spec(plan, "abcd,ai,bj,ck,dl->ijkl",
			 "a=64,b=64,c=64,d=64,i=64,j=64,k=64,l=64");
		assert_int_equal(asl_ooc_program_settle(plan, &need), 0);
		for (int i = 0; i < plan->contraction->stages; i++) {
			const struct asl_stage *x =
				&plan->contraction->stage[i];

			for (int j = 0; j <= x->e.inputs; j++)
				least = asl_min(least, row_words(x, j));
		}
		assert_true(by_time ? least >= 8 : least < 8);
		asl_plan_release(plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_without_data),
		cmocka_unit_test(counts_and_products_in_dram),
		cmocka_unit_test(counts_and_products_in_pools),
		cmocka_unit_test(counts_and_products_on_a_disk),
		cmocka_unit_test(adding_reads_C_once),
		cmocka_unit_test(what_fits_is_read_once),
		cmocka_unit_test(budgets_are_kept),
		cmocka_unit_test(no_tiles_cost_less),
		cmocka_unit_test(too_little_is_refused),
		cmocka_unit_test(model_is_exact),
		cmocka_unit_test(auto_takes_the_cheapest),
		cmocka_unit_test(programs_are_as_predicted),
		cmocka_unit_test(no_loops_cost_less),
		cmocka_unit_test(pairs_cost_no_more_than_by_six_methods),
		cmocka_unit_test(programs_that_fit_are_read_once),
		cmocka_unit_test(needs_of_programs_are_enough),
		cmocka_unit_test(four_index_transform),
		cmocka_unit_test(time_takes_long_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
