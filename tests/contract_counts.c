/*
 * contract_counts.c -- random contractions: what is counted is what was predicted
 *
 * Random einsum strings of one to four inputs, or of up to 26, and six indices, with
 * diagonals, traces, summed-only and batch indices and sizes of 1; any number of
 * ranks, cache, kernel, way, place of panels and of the operands.  Every counter
 * of every rank, memory included, must be as predicted; B_h no less than the
 * bound; and, where there is data, the output equal to the oracle's: entries are
 * exact, so that the residual must be 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/contract/contract.h"
#include "lib/kernels/kernel.h"
#include "lib/matrix/file.h"
#include "lib/run/run.h"
#include "tests/help/ledgers.h"
#include "tests/help/random.h"

enum { SPEC = 160, DIMS = 64 };

struct given {
	char spec[SPEC], dims[DIMS];
	struct asl_contraction contraction;
	struct asl_run_want want;
	unsigned number;
};

static void print_case(const struct given *g)
{
	const struct asl_plan *x = &g->want.plan;
	const struct asl_contraction *c = x->contraction;

	print_error("case %u: %s %s P=%d S=%ju kernel %s panels %d %s%s on %s, "
		    "mesh",
		    g->number, g->spec, g->dims, x->ranks, x->cache,
		    x->kernel->name, x->panels, asl_contract_way_name(c->way),
		    c->on_root ? " rank0" : "", g->want.store);
	for (int i = 0; i < c->e.indices; i++)
		print_error(" %c:%d", c->e.letter[i], c->whole.p[i]);
	print_error("\n");
}

/* What moved when operands began where they are used. */
static uint64_t words_of_rank(const struct asl_contraction *c,
			      const struct asl_ledger *x)
{
	if (!c->stages)
		return asl_ledger_total(x).of[ASL_BH];
	return x->in[ASL_GATHER].of[ASL_BH] + x->in[ASL_REDUCE].of[ASL_BH] +
	       x->in[ASL_SHIFT].of[ASL_BH];
}

/* Nor than that of a program whose stages are still to be chosen. */
static bool costs_no_less_than_the_bound(const struct asl_rep *rep)
{
	struct asl_plan plan = rep->want->plan;
	struct asl_contraction *open;
	double q = rep->q_max[ASL_APM] * (1 + 1e-12);
	double settled = asl_family_contract.joint_bound(&plan), any;

	if (plan.contraction->way ==
	    ASL_WAY_PRODUCT) /* fused: outside the APM */
		return true;
	open = test_calloc(1, sizeof *open);
	*open = *plan.contraction;
	open->stages = 0;
	plan.contraction = open;
	any = asl_family_contract.joint_bound(&plan);
	test_free(open);
	if (q >= settled && q >= any)
		return true;
	print_error("Q apm is %.17g, the joint bound %.17g, of any program "
		    "%.17g\n",
		    rep->q_max[ASL_APM], settled, any);
	return false;
}

static bool laws_hold(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	uint64_t busiest = 0, all = 0,
		 foreseen = asl_contraction_words(plan->contraction);
	double bound = asl_family_contract.net_bound(plan);
	const struct asl_counts *shift = &rep->rank[0].counted.in[ASL_SHIFT];
	bool ok = true;

	for (int r = 0; r < rep->ranks; r++) {
		uint64_t words =
			words_of_rank(plan->contraction, &rep->rank[r].counted);

		busiest = words > busiest ? words : busiest;
		words = asl_ledger_total(&rep->rank[r].counted).of[ASL_BH];
		all = words > all ? words : all;
	}
	ok &= rep->total.of[ASL_NET_SEND] == rep->total.of[ASL_NET_RECV];
	ok &= busiest == foreseen;
	ok &= (double)(plan->contraction->on_root ? all : busiest) >= bound;
	ok &= costs_no_less_than_the_bound(rep);
	/* What lies where it is needed stays there. */
	if (plan->ranks == 1)
		ok &= shift->of[ASL_NVM_LIFT] + shift->of[ASL_BOUNCE_READ] == 0;
	if (!ok)
		print_error("a law is broken: sent %ju, received %ju, words "
			    "%ju, foreseen %ju, bound %g\n",
			    rep->total.of[ASL_NET_SEND],
			    rep->total.of[ASL_NET_RECV], busiest, foreseen,
			    bound);
	return ok;
}

static void run_case(const struct given *g)
{
	struct judge judge = {
		.laws_hold = laws_hold,
		.exact = g->want.verify == ASL_VERIFY_ORACLE && g->want.exact,
	};

	if (judge_run(&judge, &g->want))
		return;
	print_case(g);
	fail();
}

/* ---- Random cases ---- */

static char *put(char *at, uint64_t letter)
{
	*at = "abcXyZ"[letter];
	return at + 1;
}

/*
 * Modes of any letters, and as the output some of those that were used; now and
 * then a letter occurs in one input twice.
 */
static void roll_spec(struct dice *d, char *spec, int inputs)
{
	uint64_t letters = roll(d, 1, 6), used = 0;
	char *at = spec;

	for (int i = 0; i < inputs; i++) {
		uint64_t modes = roll(d, 0, 3) ? roll(d, 1, 3) : roll(d, 0, 4);

		if (i)
			*at++ = ',';
		for (uint64_t j = 0, here = 0; j < modes; j++) {
			uint64_t x = roll(d, 0, letters - 1);

			if (here >> x & 1 && roll(d, 0, 5))
				continue;
			here |= 1u << x;
			used |= 1u << x;
			at = put(at, x);
		}
	}
	*at++ = '-';
	*at++ = '>';
	for (uint64_t i = 0, from = roll(d, 0, 5); i < 6; i++) {
		uint64_t x = (i * 5 + from) % 6;

		if (used >> x & 1 && roll(d, 0, 1))
			at = put(at, x);
	}
	*at = '\0';
}

static void roll_dims(struct dice *d, char *dims, const struct asl_einsum *e,
		      int bits)
{
	dims[0] = '\0';
	for (int i = 0; i < e->indices; i++)
		sprintf(dims + strlen(dims), "%s%c=%ju", i ? "," : "",
			e->letter[i],
			roll(d, 0, 4) ? roll_size(d, bits) : roll(d, 1, 3));
}

/* Sizes that make up to `volume` points. */
static void roll_einsum(struct dice *d, struct given *g, struct asl_einsum *e,
			int inputs, double volume)
{
	double points;
	int bits = 8;

	roll_spec(d, g->spec, inputs);
	do {
		assert_int_equal(asl_einsum_parse(e, g->spec), 0);
		roll_dims(d, g->dims, e, bits);
		if (e->indices)
			assert_int_equal(asl_einsum_dims(e, g->dims), 0);
		points = 1;
		for (int i = 0; i < e->indices; i++)
			points *= (double)e->size[i];
		bits -= bits > 1;
	} while (points > volume);
	assert_int_equal(asl_einsum_check(e), 0);
}

static void roll_plan(struct dice *d, struct given *g,
		      const struct asl_einsum *e, int most_ranks,
		      enum asl_contract_way way)
{
	struct asl_plan *plan = &g->want.plan;
	int ranks = (int)roll(d, 1, (uint64_t)most_ranks);
	uint64_t cache = 3 + roll_size(d, 12), needed;

	g->contraction = (struct asl_contraction){
		.e = *e,
		.on_root = way < ASL_WAY_PRODUCT && roll(d, 0, 3) == 0,
		.twice = way == ASL_WAY_GRAM,
		.asked = way,
	};
	*plan = (struct asl_plan){
		.algorithm = &asl_contract_einsum,
		.ranks = ranks,
		.cache = cache,
		.panels = roll(d, 0, 1) ? ASL_DRAM : ASL_POOL,
		.kernel = way == ASL_WAY_PRODUCT ? NULL
						 : asl_kernels[roll(d, 0, 2)],
		.memory = 1 + roll_size(d, 16),
		.contraction = &g->contraction,
		.costs = {(double)roll(d, 1, 4), (double)roll(d, 1, 32), 1, 1,
			  (double)roll(d, 0, 8), 0, 0},
	};
	assert_int_equal(asl_contract_settle(plan, &needed), 0);
}

static void roll_case(struct dice *d, struct given *g, int most_ranks,
		      double volume)
{
	struct asl_einsum e;

	g->number = d->number;
	g->want = (struct asl_run_want){.transport = "sim",
					.store = "null",
					.seed = d->number,
					.exact = true,
					.reps = 1};
	roll_einsum(d, g, &e, (int)roll(d, 1, 4), volume);
	roll_plan(d, g, &e, most_ranks,
		  (enum asl_contract_way)roll(d, 0, ASL_WAY_SEQUENCE));
}

static void each_case(uint32_t family, unsigned cases, int most_ranks,
		      double volume,
		      void (*adapt)(struct dice *d, struct given *g))
{
	static struct given g;

	for (unsigned i = 0; i < cases; i++) {
		struct dice d = {family, i, 0};

		if (leave_out(i))
			continue;
		roll_case(&d, &g, most_ranks, volume);
		if (adapt)
			adapt(&d, &g);
		run_case(&g);
	}
}

static void counts_without_data(void **state)
{
	(void)state;
	each_case(1, how_many(400, 1500), 64, 1e5, NULL);
}

static void in_dram(struct dice *d, struct given *g)
{
	(void)d;
	g->want.store = "dram";
	g->want.verify = ASL_VERIFY_ORACLE;
}

static void counts_and_sums_in_dram(void **state)
{
	(void)state;
	each_case(2, how_many(200, 300), 24, 10000, in_dram);
}

static void in_pools(struct dice *d, struct given *g)
{
	(void)d;
	g->want.store = "pmem";
	g->want.nvm_dir = "/dev/shm";
	g->want.verify = ASL_VERIFY_ORACLE;
}

/* A pool takes milliseconds to make, and ranks have one each. */
static void in_dram_or_pools(struct dice *d, struct given *g)
{
	if (roll(d, 0, 9))
		in_dram(d, g);
	else
		in_pools(d, g);
}

static void counts_and_sums_in_pools(void **state)
{
	(void)state;
	each_case(3, how_many(20, 30), 12, 1000, in_pools);
}

/* The random test holds of what is right; entries of all 53 bits. */
static void with_random_test(struct dice *d, struct given *g)
{
	(void)d;
	g->want.store = "dram";
	g->want.verify = ASL_VERIFY_FREIVALDS;
	g->want.exact = false;
}

static void random_test_in_dram(void **state)
{
	(void)state;
	each_case(4, how_many(100, 150), 24, 20000, with_random_test);
}

/* ---- Boxes of no mesh ---- */

/* Few words, so that cells are as small as one; any number of ranks, primes too. */
static void in_boxes(struct dice *d, struct given *g)
{
	struct asl_einsum e;
	struct asl_boxes boxes;

	do
		roll_einsum(d, g, &e, (int)roll(d, 2, 4), 20000);
	while (!asl_boxes_of(&boxes, &e));
	roll_plan(d, g, &e, 40, ASL_WAY_CUTS);
	in_dram_or_pools(d, g);
}

static void boxes_of_no_mesh(void **state)
{
	(void)state;
	each_case(10, how_many(150, 500), 24, 20000, in_boxes);
}

/* Products, MTTKRP and its like, where a mesh moves up to 1.5 times the bound. */
static void boxes_are_near_the_bound(void **state)
{
	static const char *const cases[][2] = {
		{"ijk,jl,kl->il", "i=300,j=300,k=300,l=24"},
		{"ijk,kl,jl->il", "i=256,j=192,k=320,l=32"},
		{"ij,jk->ik", "i=512,j=512,k=512"},
		{"ijkl,jm,km,lm->im", "i=60,j=60,k=60,l=60,m=16"},
	};
	static const int ranks[] = {7, 11, 13};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int k = 0; k < 3; k++) {
			struct asl_contraction c = {.asked = ASL_WAY_CUTS};
			struct asl_plan plan = {.algorithm =
							&asl_contract_einsum,
						.ranks = ranks[k],
						.cache = 1 << 17,
						.contraction = &c,
						.costs = {.net = 1}};
			uint64_t needed;
			double ratio, any;

			assert_int_equal(asl_einsum_parse(&c.e, cases[i][0]),
					 0);
			assert_int_equal(asl_einsum_dims(&c.e, cases[i][1]), 0);
			assert_int_equal(asl_contract_settle(&plan, &needed),
					 0);
			ratio = (double)asl_contraction_words(&c) /
				asl_family_contract.net_bound(&plan);
			any = (double)asl_contraction_words(&c) /
			      asl_contract_least_words(&c.e, ranks[k]);
			print_message("%s on %d ranks: %.3f, of any program's "
				      "bound %.3f\n",
				      cases[i][0], ranks[k], ratio, any);
			assert_true(ratio >= 1 && ratio <= 1.15);
			assert_true(any >= 0.999 * ratio && any <= 1.15);
		}
}

/* An MTTKRP reads its large tensor once, and never writes the other product. */
static void slabs_stay_in_the_cache(void **state)
{
	static const char *const dims[] = {
		"i=256,j=256,k=256,l=32", "i=512,j=512,k=512,l=32",
		"i=256,j=256,k=256,l=64", "i=200,j=300,k=400,l=20"};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct asl_contraction c = {.asked = ASL_WAY_DIRECT};
		struct asl_plan plan = {.algorithm = &asl_contract_einsum,
					.ranks = 1,
					.cache = 1 << 17,
					.contraction = &c,
					.costs = {1, 1, 1, 1, 1, 0, 0}};
		struct asl_forecast of;
		uint64_t needed;
		double ratio;

		assert_int_equal(asl_einsum_parse(&c.e, "ijk,jl,kl->il"), 0);
		assert_int_equal(asl_einsum_dims(&c.e, dims[i]), 0);
		assert_int_equal(asl_contract_settle(&plan, &needed), 0);
		of = asl_forecast(&plan);
		ratio = (double)(of.read + of.written) /
			asl_family_contract.io_bound(&plan);
		print_message("%s: %.3f\n", dims[i], ratio);
		assert_true(ratio >= 1 && ratio <= 1.08);
	}
}

/* ---- Slices of an index ---- */

/* The first slice is settled, and the whole is made of so many. */
static bool slice(struct dice *d, struct given *g)
{
	struct asl_einsum e;
	uint64_t size, slices;
	int index;

	roll_einsum(d, g, &e, (int)roll(d, 1, 4), 20000);
	if (!e.indices)
		return false;
	index = (int)roll(d, 0, (uint64_t)e.indices - 1);
	size = e.size[index];
	if (!(asl_einsum_all(&e) >> index & 1) || size < 2)
		return false;
	slices = roll(d, 2, asl_min(size, 9));
	e.size[index] = asl_ceil_div(size, slices);
	roll_plan(d, g, &e, 24,
		  (enum asl_contract_way)roll(d, ASL_WAY_DIRECT,
					      ASL_WAY_SEQUENCE));
	return asl_slices_make(&g->contraction, index, size, slices);
}

static void slices_of_an_index(void **state)
{
	static struct given g;
	unsigned made = 0;

	(void)state;
	for (unsigned i = 0; i < how_many(200, 750); i++) {
		struct dice d = {11, i, 0};

		if (leave_out(i))
			continue;
		g.number = i;
		g.want = (struct asl_run_want){.transport = "sim",
					       .store = "null",
					       .seed = i,
					       .exact = true,
					       .reps = 1};
		if (!slice(&d, &g))
			continue;
		made++;
		in_dram_or_pools(&d, &g);
		run_case(&g);
		free(g.contraction.slice);
	}
	print_message("%u contractions in slices\n", made);
	assert_true(made > 20);
}

/* A budget between what ranks own and what the whole at once needs. */
static void budgets_are_kept(void **state)
{
	static struct given g;
	unsigned sliced = 0, kept = 0;

	(void)state;
	for (unsigned i = 0; i < how_many(60, 200); i++) {
		struct dice d = {12, i, 0};
		struct asl_plan *plan = &g.want.plan;
		uint64_t whole, needed, owned = 0;

		if (leave_out(i))
			continue;
		roll_case(&d, &g, 16, 1e5);
		g.contraction.asked = ASL_WAY_DIRECT;
		assert_int_equal(asl_contract_settle(plan, &needed), 0);
		whole = asl_forecast(plan).memory_needed;
		for (int k = 0; k <= g.contraction.e.inputs; k++)
			owned += asl_plan_owned(plan, 0, k);
		plan->budget = owned + (whole - owned) * roll(&d, 2, 9) / 10;
		if (!plan->budget || asl_contract_settle(plan, &needed))
			continue;
		kept++;
		sliced += g.contraction.slices > 0;
		assert_true(asl_forecast(plan).memory_needed <= plan->budget);
		in_dram(&d, &g);
		g.want.verify = ASL_VERIFY_FREIVALDS;
		run_case(&g);
		free(g.contraction.slice);
	}
	print_message("%u budgets kept, %u by slices\n", kept, sliced);
	assert_true(sliced > 3);
}

/* ---- Products, by the algorithms of multiplication ---- */

/* Whatever the order of indices, in one operand or the other. */
static void as_product(struct dice *d, struct given *g)
{
	static const char *const specs[] = {
		"ab,bc->ac", "ba,bc->ca", "abcX,cYa->YXb", "Xa,bYX->bYa",
		"a,b->ba",   "ab,ab->",	  "abc,bdc->da"};
	struct asl_einsum e;

	strcpy(g->spec, specs[roll(d, 0, sizeof specs / sizeof *specs - 1)]);
	do {
		assert_int_equal(asl_einsum_parse(&e, g->spec), 0);
		roll_dims(d, g->dims, &e, 4);
		assert_int_equal(asl_einsum_dims(&e, g->dims), 0);
	} while (asl_points(asl_einsum_all(&e), e.size) > 20000);
	roll_plan(d, g, &e, 24, ASL_WAY_PRODUCT);
	in_dram_or_pools(d, g);
}

static void products_of_matrices(void **state)
{
	(void)state;
	each_case(6, how_many(60, 200), 24, 20000, as_product);
}

/* ---- One array that is given twice ---- */

/* Flops of the triangle with squares on the diagonal, and not twice as many. */
static bool gram_laws_hold(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_gram *g = &plan->contraction->gram;
	double least = g->n * (g->n + 1) * g->k, whole = 2 * g->n * g->n * g->k;
	double flops = (double)rep->total.of[ASL_FLOPS];
	uint64_t second = 0, read = 0, result = 0;

	for (int r = 0; r < rep->ranks; r++) {
		read += asl_plan_owned(plan, r, 0);
		second += asl_plan_owned(plan, r, 1);
		result += asl_plan_owned(plan, r, 2);
	}
	if (laws_hold(rep) && flops >= least && flops <= whole && !second &&
	    (double)read == g->n * g->k && 2 * (double)result * g->k == flops)
		return true;
	print_error("%g flops, %g are enough; %ju words of %g, %ju of the "
		    "second operand, %ju of the result\n",
		    flops, least, read, g->n * g->k, second, result);
	return false;
}

static void run_gram(const struct given *g)
{
	struct judge judge = {
		.laws_hold = gram_laws_hold,
		.exact = g->want.verify == ASL_VERIFY_ORACLE && g->want.exact,
	};

	if (judge_run(&judge, &g->want))
		return;
	print_case(g);
	fail();
}

static void roll_gram(struct dice *d, struct given *g)
{
	static const char *const specs[] = {
		"ka,kb->ab", "ak,bk->ba",     "akX,bkX->ab", "kaX,kbY->XbYa",
		"a,b->ab",   "kaX,kbY->aXbY", "kX,kX->"};
	struct asl_einsum e;

	g->number = d->number;
	g->want = (struct asl_run_want){.transport = "sim",
					.store = "null",
					.seed = d->number,
					.exact = true,
					.reps = 1};
	strcpy(g->spec, specs[roll(d, 0, sizeof specs / sizeof *specs - 1)]);
	do {
		assert_int_equal(asl_einsum_parse(&e, g->spec), 0);
		roll_dims(d, g->dims, &e, 6);
		assert_int_equal(asl_einsum_dims(&e, g->dims), 0);
		for (int i = 0; i < e.term[0].modes; i++)
			e.size[e.term[1].mode[i]] = e.size[e.term[0].mode[i]];
	} while (asl_points(asl_einsum_all(&e), e.size) > 50000);
	roll_plan(d, g, &e, 40, ASL_WAY_GRAM);
}

static void one_array_twice(void **state)
{
	static struct given g;

	(void)state;
	for (unsigned i = 0; i < how_many(120, 500); i++) {
		struct dice d = {9, i, 0};

		if (leave_out(i))
			continue;
		roll_gram(&d, &g);
		if (i % 3 == 1)
			with_random_test(&d, &g);
		if (i % 3 == 2)
			in_dram_or_pools(&d, &g);
		run_gram(&g);
	}
}

/* A square product needs 2.0 times the flops, and more words on 49 ranks. */
static void half_as_much_as_a_product(void **state)
{
	struct asl_forecast of[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct asl_contraction c = {.asked = i ? ASL_WAY_PRODUCT
						       : ASL_WAY_GRAM,
					    .twice = true};
		struct asl_plan plan = {.algorithm = &asl_contract_einsum,
					.ranks = 57,
					.cache = 1 << 20,
					.contraction = &c,
					.costs = {.net = 1}};
		uint64_t needed, flops = 0;

		assert_int_equal(asl_einsum_parse(&c.e, "ki,kj->ij"), 0);
		assert_int_equal(asl_einsum_dims(&c.e, "k=912,i=912,j=912"), 0);
		assert_int_equal(asl_contract_settle(&plan, &needed), 0);
		of[i] = asl_forecast(&plan);
		for (int r = 0; r < asl_plan_ranks(&plan); r++) {
			struct asl_ledger x = {0};

			asl_plan_predict(&x, &plan, r);
			flops += asl_ledger_total(&x).of[ASL_FLOPS];
		}
		print_message("%s: %ju words, %ju flops\n",
			      asl_contract_way_name(c.way), of[i].bh, flops);
		assert_true(i || flops <= 1.1 * 912 * 912 * 912);
	}
	assert_true(3 * of[0].bh < 2 * of[1].bh);
}

/* ---- More inputs than groupings are tried of ---- */

static void of_many(struct dice *d, struct given *g)
{
	struct asl_einsum e;

	roll_einsum(d, g, &e,
		    (int)roll(d, ASL_MOST_TOGETHER + 1, ASL_MOST_INPUTS), 2000);
	roll_plan(d, g, &e, 24,
		  roll(d, 0, 1) ? ASL_WAY_SEQUENCE : ASL_WAY_BEST);
	if (roll(d, 0, 1))
		in_dram(d, g);
	/* Products of so many entries are not exact in double. */
	g->want.exact = false;
}

static void many_inputs(void **state)
{
	(void)state;
	each_case(7, how_many(60, 200), 24, 20000, of_many);
}

/* ---- Forecasts, which ask ranks and products once for many ---- */

static bool same_forecast(const struct asl_forecast *a,
			  const struct asl_forecast *b)
{
	return a->q[ASL_APM] == b->q[ASL_APM] &&
	       a->q[ASL_FULL] == b->q[ASL_FULL] && a->read == b->read &&
	       a->written == b->written && a->bh == b->bh &&
	       a->memory_high == b->memory_high && a->pool_high == b->pool_high;
}

/* Multiplication has only a bound on what each of very many ranks needs. */
static bool same_need(const struct asl_forecast *found,
		      const struct asl_forecast *all, enum asl_contract_way way)
{
	return way == ASL_WAY_PRODUCT
		       ? found->memory_needed >= all->memory_needed
		       : found->memory_needed == all->memory_needed;
}

static void expect_forecast(const struct given *g, const struct asl_plan *plan,
			    const struct asl_forecast *found)
{
	struct asl_forecast all = {.read = 0};

	for (int rank = 0; rank < asl_plan_ranks(plan); rank++)
		asl_forecast_rank(&all, plan, rank);
	if (same_forecast(found, &all) &&
	    same_need(found, &all, plan->contraction->way))
		return;
	print_error("%s: q %.17g, read %ju, memory %ju; all ranks: q %.17g, "
		    "read %ju, memory %ju\n",
		    plan->kernel->name, found->q[ASL_FULL], found->read,
		    found->memory_high, all.q[ASL_FULL], all.read,
		    all.memory_high);
	print_case(g);
	fail();
}

static void forecasts_are_of_all_ranks(void **state)
{
	static struct given g;
	struct asl_forecast found[3];
	struct asl_plan plan[3];

	(void)state;
	for (unsigned i = 0; i < how_many(300, 1000); i++) {
		struct dice d = {5, i, 0};

		if (leave_out(i))
			continue;
		roll_case(&d, &g, 600, 1e6);
		for (int k = 0; k < 3; k++) {
			plan[k] = g.want.plan;
			plan[k].kernel = asl_kernels[k];
		}
		assert_true(asl_contract_forecast(found, plan, 3));
		for (int k = 0; k < 3; k++)
			expect_forecast(&g, &plan[k], &found[k]);
		found[0] = asl_forecast(&g.want.plan);
		expect_forecast(&g, &g.want.plan, &found[0]);
	}
}

/* Few of so many are asked: they may miss a rank that has a word more. */
static void expect_nearly(unsigned number, const struct asl_forecast *found,
			  const struct asl_forecast *all)
{
	const uint64_t some[] = {found->read, found->written, found->bh,
				 found->memory_high};
	const uint64_t most[] = {all->read, all->written, all->bh,
				 all->memory_high};

	for (int i = 0; i < 4; i++)
		if (some[i] > most[i] || some[i] + 2 < most[i]) {
			print_error("case %u, measure %d: %ju; all ranks: "
				    "%ju\n",
				    number, i, some[i], most[i]);
			fail();
		}
}

static void forecasts_of_very_many_ranks(void **state)
{
	static const char *const specs[] = {"ij,jk,kl->il", "ijk,kl,jl->il",
					    "abcd,ai,bj->ijcd",
					    "ab,bc,cd,de->ae"};

	(void)state;
	for (unsigned i = 0; i < how_many(12, 30); i++) {
		struct dice d = {8, i, 0};
		struct asl_forecast found, all = {.read = 0};
		struct asl_contraction c = {.on_root = !roll(&d, 0, 3)};
		struct asl_plan plan = {.algorithm = &asl_contract_einsum,
					.kernel = asl_kernels[0],
					.cache = 100000,
					.ranks = (int)roll(&d, 4100, 8000),
					.contraction = &c};

		if (leave_out(i))
			continue;
		assert_int_equal(asl_einsum_parse(&c.e, specs[roll(&d, 0, 3)]),
				 0);
		for (int j = 0; j < c.e.indices; j++)
			c.e.size[j] = roll(&d, 30, 300);
		asl_contract_stages(&c, plan.ranks, plan.cache, NULL);
		assert_true(asl_contract_forecast(&found, &plan, 1));
		for (int rank = 0; rank < asl_plan_ranks(&plan); rank++)
			asl_forecast_rank(&all, &plan, rank);
		expect_nearly(i, &found, &all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_without_data),
		cmocka_unit_test(counts_and_sums_in_dram),
		cmocka_unit_test(counts_and_sums_in_pools),
		cmocka_unit_test(random_test_in_dram),
		cmocka_unit_test(boxes_of_no_mesh),
		cmocka_unit_test(boxes_are_near_the_bound),
		cmocka_unit_test(slabs_stay_in_the_cache),
		cmocka_unit_test(slices_of_an_index),
		cmocka_unit_test(budgets_are_kept),
		cmocka_unit_test(products_of_matrices),
		cmocka_unit_test(one_array_twice),
		cmocka_unit_test(half_as_much_as_a_product),
		cmocka_unit_test(many_inputs),
		cmocka_unit_test(forecasts_are_of_all_ranks),
		cmocka_unit_test(forecasts_of_very_many_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
