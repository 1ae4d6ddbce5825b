/*
 * model_grids.c -- prescribed grids, integer grids, forecasts and lower bounds
 *
 * Figures of the papers first, then properties over random machines and shapes,
 * each against a search or a sum that is written here once more.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/parts.h"
#include "lib/multiply/bounds.h"
#include "lib/multiply/planner.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

__extension__ typedef __int128 wide;

static void print_plan(const struct asl_plan *x)
{
	print_error("%s %s m=%ju n=%ju k=%ju P=%d grid %dx%dx%d ideal "
		    "%gx%gx%g S=%ju M=%ju budget=%ju %s r=%g w=%g beta=%g\n",
		    x->algorithm->name, x->kernel->name, asl_shape_of(x)->m,
		    asl_shape_of(x)->n, asl_shape_of(x)->k, x->ranks,
		    x->grid.p[0], x->grid.p[1], x->grid.p[2],
		    x->multiplication->ideal[0], x->multiplication->ideal[1],
		    x->multiplication->ideal[2], x->cache, x->memory, x->budget,
		    x->panels == ASL_POOL ? "nvm" : "dram", x->costs.read,
		    x->costs.write, x->costs.net);
}

static void expect(const struct asl_plan *x, const char *what, double got,
		   double want)
{
	if (got == want)
		return;
	print_error("%s: %.17g, not %.17g: ", what, got, want);
	print_plan(x);
	fail();
}

static void expect_most(const struct asl_plan *x, const char *what, double got,
			double most)
{
	if (got <= most)
		return;
	print_error("%s: %.17g, more than %.17g: ", what, got, most);
	print_plan(x);
	fail();
}

static struct asl_plan plan_of(const char *algorithm, uint64_t m, uint64_t n,
			       uint64_t k, int ranks)
{
	return (struct asl_plan){
		.algorithm = asl_algorithm_find(algorithm),
		.kernel = asl_kernel_find("vomm"),
		.multiplication = product_of((struct asl_shape){m, n, k}),
		.ranks = ranks,
		.cache = 4096,
		.memory = (uint64_t)1 << 50,
		.panels = ASL_DRAM,
		.costs = {.read = 1,
			  .write = 2,
			  .dram_read = 1,
			  .dram_write = 1,
			  .net = 4},
	};
}

static void choose(struct asl_plan *x)
{
	uint64_t need;
	int err = asl_grid_choose(own_part(x), x, &need);

	expect(x, "asl_grid_choose", err, 0);
	expect_most(x, "ranks of the grid", asl_grid_ranks(&x->grid), x->ranks);
}

static void expect_grid(const struct asl_plan *x, int a, int b, int c)
{
	expect(x, "first of the grid", x->grid.p[0], a);
	expect(x, "second of the grid", x->grid.p[1], b);
	expect(x, "third of the grid", x->grid.p[2], c);
}

/* ---- What the papers prescribe ---- */

static void papers_example_in_3d(void **state)
{
	static const struct {
		int ranks, grid[3];
	} cases[] = {{3, {3, 1, 1}}, {36, {12, 3, 1}}, {512, {32, 8, 2}}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct asl_plan x =
			plan_of("3d", 9600, 600, 2400, cases[i].ranks);

		choose(&x);
		expect_grid(&x, cases[i].grid[0], cases[i].grid[1],
			    cases[i].grid[2]);
		expect(&x, "B_h", (double)asl_forecast(&x).bh,
		       asl_bound_net_words(&x));
	}
}

/* Grids p x q x r of cubes of side s attain the bound: 3 s^2 less what is owned. */
static void cubes_attain_the_bound(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		struct dice d = {41, i, 0};
		uint64_t s = roll_size(&d, 16), p[3], P, owned;
		struct asl_plan x;
		wide all;

		for (int j = 0; j < 3; j++)
			p[j] = roll(&d, 1, 12);
		P = p[0] * p[1] * p[2];
		x = plan_of("3d", p[0] * s, p[2] * s, p[1] * s, (int)P);
		all = (wide)(p[0] * p[1] + p[1] * p[2] + p[0] * p[2]) * s * s;
		owned = (uint64_t)(all / P); /* rounds down, the bound up */
		expect(&x, "bound", asl_bound_net_words(&x),
		       (double)(3 * s * s - owned));
		x.grid = (struct asl_grid){{(int)p[0], (int)p[1], (int)p[2]}};
		if (P > 600 || s * s % P)
			continue;
		choose(&x);
		expect_grid(&x, (int)p[0], (int)p[1], (int)p[2]);
		expect(&x, "B_h", (double)asl_forecast(&x).bh,
		       asl_bound_net_words(&x));
	}
}

/* Two dimensions: bricks s x s x k, with k < s, on a p x 1 x q grid. */
static void squares_attain_the_bound(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {42, i, 0};
		uint64_t s = 2 + roll_size(&d, 18), k = roll(&d, 1, s);
		uint64_t p = roll(&d, 1, 20), q = roll(&d, 1, 20), P = p * q;
		struct asl_plan x = plan_of("3d", p * s, q * s, k, (int)P);
		wide own = ((wide)p * s * k + (wide)q * s * k) / P;

		/* C is owned where it is made. */
		expect(&x, "bound", asl_bound_net_words(&x),
		       (double)(2 * s * k - (uint64_t)own));
		if (s * k % P)
			continue;
		choose(&x);
		expect_grid(&x, (int)p, 1, (int)q);
		expect(&x, "B_h", (double)asl_forecast(&x).bh,
		       asl_bound_net_words(&x));
	}
}

/*
 * em-jomma on square matrices: with Px = Py = a and Pz = z the paper's
 * Px = (t P)^(1/3), P = a^2 z give t = a/z.
 */
static void regimes_of_em_jomma(void **state)
{
	(void)state;
	for (int a = 1; a <= 24; a++)
		for (int z = 1; z <= a; z++) {
			uint64_t n = 48 * (uint64_t)a * (uint64_t)z;
			struct asl_plan x =
				plan_of("em-jomma", n, n, n, a * a * z);

			x.costs.write = a;
			x.costs.net = 2 * z;
			choose(&x);
			expect_grid(&x, a, a, z);
			/* And beyond: Pz stays 1, or a cube a cube. */
			x.costs.write *= z == 1 ? 1000 : 1;
			x.costs.net *= z == a ? 1000 : 1;
			choose(&x);
			expect_grid(&x, a, a, z);
		}
}

static void em_jomma_on_64_ranks(void **state)
{
	static const struct {
		double write, net;
		int grid[3];
	} cases[] = {
		{16, 2, {8, 8, 1}},  {8, 2, {8, 8, 1}},
		{1e9, 1, {8, 8, 1}}, {1, 0, {8, 8, 1}},
		{1, 2, {4, 4, 4}},   {2, 4, {4, 4, 4}},
		{0, 4, {4, 4, 4}},   {0.001, 100, {4, 4, 4}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct asl_plan x = plan_of("em-jomma", 1024, 1024, 1024, 64);

		x.costs.write = cases[i].write;
		x.costs.net = cases[i].net;
		choose(&x);
		expect_grid(&x, cases[i].grid[0], cases[i].grid[1],
			    cases[i].grid[2]);
	}
}

/* ---- Random plans ---- */

static struct asl_plan roll_plan(struct dice *d, int bits, uint64_t most_ranks)
{
	struct asl_plan x = plan_of(roll(d, 0, 1) ? "3d" : "em-jomma", 1, 1, 1,
				    (int)roll(d, 1, most_ranks));
	struct asl_shape *s = &own_part(&x)->shape;

	x.kernel = asl_kernels[roll(d, 0, 2)];
	s->m = roll_size(d, bits);
	s->n = roll_size(d, bits);
	s->k = roll_size(d, bits);
	x.cache = 2 + roll_size(d, 14);
	x.panels = roll(d, 0, 1) ? ASL_DRAM : ASL_POOL;
	x.accounting = roll(d, 0, 1) ? ASL_APM : ASL_FULL;
	x.costs.read = (double)roll(d, 0, 4);
	x.costs.write = (double)roll(d, 0, 40);
	x.costs.net = (double)roll(d, 0, 10);
	x.costs.latency = (double)roll(d, 0, 1) * 50;
	return x;
}

/* Number i of the grid cuts this many. */
static uint64_t dim(const struct asl_plan *x, int i)
{
	char axis = x->algorithm->matmul->grid.axes[i];

	return axis == 'm'   ? asl_shape_of(x)->m
	       : axis == 'n' ? asl_shape_of(x)->n
			     : asl_shape_of(x)->k;
}

static double busiest_flops(const struct asl_plan *x, const int p[3])
{
	double flops = 2;

	for (int i = 0; i < 3; i++)
		flops *= (double)((dim(x, i) + (uint64_t)p[i] - 1) /
				  (uint64_t)p[i]);
	return flops;
}

/* A fair share of 2mnk flops and a fifth more, rounded down. */
static double fair_flops(const struct asl_plan *x)
{
	return (double)(12 * asl_shape_of(x)->m * asl_shape_of(x)->n *
			asl_shape_of(x)->k / (5 * (uint64_t)x->ranks));
}

/* A prescription that is a grid is taken as it is. */
static bool is_whole(const struct asl_plan *x)
{
	double ranks = 1;

	for (int i = 0; i < 3; i++) {
		if (fabs(x->multiplication->ideal[i] -
			 round(x->multiplication->ideal[i])) > 1e-6 ||
		    round(x->multiplication->ideal[i]) > (double)dim(x, i))
			return false;
		ranks *= round(x->multiplication->ideal[i]);
	}
	return ranks == x->ranks;
}

/* Every grid of up to P ranks, Pz = 1 where em-jomma prescribes it. */
static void each_grid(const struct asl_plan *x,
		      void (*visit)(struct asl_plan *x, void *arg), void *arg)
{
	struct asl_plan y = *x;
	int *p = y.grid.p;

	for (p[0] = 1; p[0] <= x->ranks && (uint64_t)p[0] <= dim(x, 0); p[0]++)
		for (p[1] = 1;
		     p[0] * p[1] <= x->ranks && (uint64_t)p[1] <= dim(x, 1);
		     p[1]++)
			for (p[2] = 1; asl_grid_ranks(&y.grid) <= x->ranks &&
				       (uint64_t)p[2] <= dim(x, 2);
			     p[2]++)
				if (asl_plan_admits(&y))
					visit(&y, arg);
}

struct search {
	double flops, limit, cost;
	uint64_t need;
	struct asl_grid cheapest, leanest;
};

static double objective(const struct asl_plan *x, const struct asl_forecast *f)
{
	return x->algorithm->matmul->grid.least_words ? (double)f->bh
						      : f->q[x->accounting];
}

static void least_flops(struct asl_plan *x, void *arg)
{
	struct search *s = arg;

	s->flops = fmin(s->flops, busiest_flops(x, x->grid.p));
}

static void least_cost_and_need(struct asl_plan *x, void *arg)
{
	struct asl_multiplication part = *x->multiplication;
	struct asl_plan with = *x;
	struct search *s = arg;
	struct asl_forecast f;

	if (busiest_flops(x, x->grid.p) > s->limit)
		return;
	with.multiplication = &part;
	asl_plan_blocks(&part, &with);
	f = asl_forecast(&with);
	if (f.memory_needed < s->need) {
		s->need = f.memory_needed;
		s->leanest = x->grid;
	}
	if ((!x->budget || f.memory_needed <= x->budget) &&
	    objective(x, &f) < s->cost) {
		s->cost = objective(x, &f);
		s->cheapest = x->grid;
	}
}

static struct search search_all(const struct asl_plan *x)
{
	struct search s = {
		.flops = INFINITY, .cost = INFINITY, .need = UINT64_MAX};

	each_grid(x, least_flops, &s);
	s.limit = fmax(fair_flops(x), s.flops);
	each_grid(x, least_cost_and_need, &s);
	return s;
}

/* P of any kind, primes among them, and more ranks than multiplications. */
static void nobody_does_much_more_than_a_fair_share(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {43, i, 0};
		struct asl_plan x = roll_plan(&d, (int)roll(&d, 1, 12), 100);
		struct search s = {.flops = INFINITY};

		if (leave_out(i))
			continue;
		choose(&x);
		for (int j = 0; j < 3; j++)
			expect_most(&x, "parts of an axis", x.grid.p[j],
				    (double)dim(&x, j));
		if (is_whole(&x))
			continue;
		each_grid(&x, least_flops, &s);
		expect_most(&x, "flops of the busiest",
			    busiest_flops(&x, x.grid.p),
			    fmax(fair_flops(&x), s.flops));
	}
}

/* ---- Cheapest, and within the budget ---- */

static void the_cheapest_grid_is_taken(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 700; i++) {
		struct dice d = {44, i, 0};
		struct asl_plan x = roll_plan(&d, 11, 48);
		struct asl_forecast f;
		struct search s;

		if (leave_out(i))
			continue;
		choose(&x);
		if (is_whole(&x))
			continue;
		s = search_all(&x);
		f = asl_forecast(&x);
		if (objective(&x, &f) > s.cost)
			print_error("case %u: %dx%dx%d is cheaper\n", i,
				    s.cheapest.p[0], s.cheapest.p[1],
				    s.cheapest.p[2]);
		expect_most(&x, "cost", objective(&x, &f), s.cost);
	}
}

static void budgets_are_kept(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		struct dice d = {45, i, 0};
		struct asl_plan x = roll_plan(&d, 10, 40);
		uint64_t need = 0, words;
		struct search s;
		int err;

		if (leave_out(i))
			continue;
		words = asl_shape_of(&x)->m * asl_shape_of(&x)->n +
			asl_shape_of(&x)->m * asl_shape_of(&x)->k +
			asl_shape_of(&x)->n * asl_shape_of(&x)->k;
		x.budget = 1 + roll(&d, 0, 3 * words / (uint64_t)x.ranks);
		err = asl_grid_choose(own_part(&x), &x, &need);
		if (!err) {
			expect_most(&x, "memory",
				    (double)asl_forecast(&x).memory_high,
				    (double)x.budget);
			continue;
		}
		expect(&x, "refusal", err, -ENOMEM);
		expect_most(&x, "budget refused", (double)x.budget,
			    (double)need - 1);
		s = search_all(&x);
		x.grid = s.leanest;
		if (!is_whole(&x))
			expect(&x, "least need", (double)need, (double)s.need);
		x.budget = need;
		choose(&x);
		expect_most(&x, "memory", (double)asl_forecast(&x).memory_high,
			    (double)need);
	}
}

/* ---- Forecasts ---- */

static void raise_to(uint64_t *most, uint64_t x)
{
	if (*most < x)
		*most = x;
}

static struct asl_forecast of_all_ranks(const struct asl_plan *x)
{
	struct asl_forecast f = {.read = 0};

	for (int rank = 0; rank < asl_grid_ranks(&x->grid); rank++) {
		struct asl_ledger ledger;
		struct asl_counts c;

		asl_plan_predict(&ledger, x, rank);
		c = asl_ledger_total(&ledger);
		for (int a = 0; a < ASL_ACCOUNTINGS; a++) {
			struct asl_rates rates = asl_rates(&x->costs, a);

			f.q[a] = fmax(f.q[a], asl_cost(&rates, &c));
		}
		raise_to(&f.read, c.of[ASL_NVM_READ] + c.of[ASL_DRAM_READ]);
		raise_to(&f.written,
			 c.of[ASL_NVM_WRITE] + c.of[ASL_DRAM_WRITE]);
		raise_to(&f.bh, c.of[ASL_BH]);
		raise_to(&f.memory_high, ledger.memory_high);
		raise_to(&f.pool_high, ledger.pool_high);
	}
	return f;
}

/* Beyond 4096 ranks only corners and seams are asked: they have the maxima. */
static void forecasts_of_huge_grids(void **state)
{
	unsigned tried = 0;

	(void)state;
	for (unsigned i = 0; tried < 100; i++) {
		struct dice d = {46, i, 0};
		struct asl_plan x = roll_plan(&d, 14, 5);
		struct asl_forecast f, all;

		for (int j = 0; j < 3; j++)
			x.grid.p[j] = roll(&d, 0, 2) ? (int)roll(&d, 1, 70)
						     : 1 << roll(&d, 0, 6);
		x.ranks = asl_grid_ranks(&x.grid);
		if (x.ranks <= 4096 || x.ranks > 9000)
			continue;
		if (dim(&x, 0) < (uint64_t)x.grid.p[0] ||
		    dim(&x, 1) < (uint64_t)x.grid.p[1] ||
		    dim(&x, 2) < (uint64_t)x.grid.p[2])
			continue;
		tried++;
		if (leave_out(i))
			continue;
		x.kernel = asl_kernel_find(roll(&d, 0, 1) ? "vomm" : "cowe");
		f = asl_forecast(&x);
		all = of_all_ranks(&x);
		if (memcmp(&f, &all, sizeof f))
			print_error("case %u\n", i);
		expect(&x, "B_h", (double)f.bh, (double)all.bh);
		expect(&x, "reads", (double)f.read, (double)all.read);
		expect(&x, "writes", (double)f.written, (double)all.written);
		expect(&x, "memory", (double)f.memory_high,
		       (double)all.memory_high);
		expect(&x, "pool", (double)f.pool_high, (double)all.pool_high);
		expect(&x, "apm", f.q[ASL_APM], all.q[ASL_APM]);
		expect(&x, "full", f.q[ASL_FULL], all.q[ASL_FULL]);
	}
}

/* ---- Bounds ---- */

static double net_bound(uint64_t m, uint64_t n, uint64_t k, int P)
{
	struct asl_plan x = plan_of("3d", m, n, k, P);

	return asl_bound_net_words(&x);
}

static void expect_bound(double got, double want)
{
	if (got != want)
		print_error("a bound is %.17g, not %.17g\n", got, want);
	assert_true(got == want);
}

static void bounds_by_hand(void **state)
{
	struct asl_plan x = plan_of("3d", 1000, 1000, 1000, 8);

	(void)state;
	/* 1D, P = 3 <= 9600/2400: (23040000 + 5760000)/3 + 1440000 - 30240000/3 */
	expect_bound(net_bound(9600, 600, 2400, 3), 960000);
	/* 2D, 4 <= 36 <= 64: 2 sqrt(9600 2400 600^2 / 36) + 640000 - 840000 */
	expect_bound(net_bound(9600, 600, 2400, 36), 760000);
	/* 3D: 3 (13824000000/512)^(2/3) = 270000, - 30240000/512 = 59062.5 */
	expect_bound(net_bound(9600, 600, 2400, 512), 210938);
	/* In any order of the dimensions. */
	expect_bound(net_bound(600, 2400, 9600, 36), 760000);
	expect_bound(net_bound(2400, 9600, 600, 512), 210938);
	expect_bound(net_bound(7, 7, 7, 1), 0);
	/* 3 n^2/P^(2/3) - 3 n^2/P = 750000 - 375000 */
	expect_bound(asl_bound_net_words(&x), 375000);
	/* M + S = 10000: 2 10^9/(8 100) - 20000 - 125000 is more */
	x.memory = 6400;
	x.cache = 3600;
	expect_bound(asl_bound_net_words(&x), 2355000);
	/* M + S = 250000: 500000 - 500000 - 125000 is less */
	x.memory = 246400;
	expect_bound(asl_bound_net_words(&x), 375000);
	/* S = 10000: 2.5e6 - 20000 a rank; words touched: 3 500^2 */
	x.cache = 10000;
	expect_bound(asl_bound_io_words(&x), 2480000);
	x.cache = 1000000;
	expect_bound(asl_bound_io_words(&x), 750000);
	/* Finished words alone are written: 3 1000^2 / 8 */
	x = plan_of("fused", 1000, 1000, 1000, 8);
	x.cache = 1000000;
	expect_bound(asl_bound_io_words(&x), 375000);
}

/* The joint bound of a square whose brick has z words of C. */
static double cost_of_squares(const struct asl_plan *x, double z)
{
	const struct asl_costs *c = &x->costs;
	double n = (double)asl_shape_of(x)->n, P = x->ranks, V = n * n * n / P;
	double S = (double)x->cache;

	return c->net * (2 * V / sqrt(z) + z - 3 * n * n / P) +
	       c->read * fmax(0, 2 * V / sqrt(S) - 2 * S) +
	       (c->write - c->read) * z;
}

/* By golden sections, as the cost is convex. */
static double least_of_squares(const struct asl_plan *x)
{
	double n = (double)asl_shape_of(x)->n, low = n * n / x->ranks;
	double high = n * n, phi = (sqrt(5) - 1) / 2;

	for (int i = 0; i < 200; i++) {
		double a = high - phi * (high - low);
		double b = low + phi * (high - low);

		if (cost_of_squares(x, a) < cost_of_squares(x, b))
			high = b;
		else
			low = a;
	}
	return cost_of_squares(x, low);
}

static void joint_bound_of_squares(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct dice d = {49, i, 0};
		uint64_t n = 100 + roll_size(&d, 12);
		struct asl_plan x = plan_of("3d", n, n, n, (int)roll(&d, 1, n));
		double expected, found;

		x.cache = 1;
		x.memory = UINT64_MAX / 2;
		x.costs.read = (double)roll(&d, 0, 4);
		x.costs.write = x.costs.read + (double)roll(&d, 0, 30);
		x.costs.net = (double)roll(&d, 0, 8);
		expected = least_of_squares(&x);
		found = asl_bound_joint(&x);
		/* With a cache of a word no other bound is larger. */
		if (fabs(found - expected) > 1e-9 * expected + 1) {
			print_error("case %u: %g, not %g\n", i, found,
				    expected);
			fail();
		}
	}
}

/* Whatever costs more, the bound does not fall; and it has no steps. */
static void joint_bound_grows_with_costs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {50, i, 0};
		struct asl_plan x = roll_plan(&d, 12, 64);
		double *cost[] = {&x.costs.read, &x.costs.write, &x.costs.net};
		double before, after, more;

		before = asl_bound_joint(&x);
		*cost[i % 3] += 1e-6;
		after = asl_bound_joint(&x);
		*cost[i % 3] += (double)roll(&d, 1, 9);
		more = asl_bound_joint(&x);
		assert_true(after >= before * (1 - 1e-12));
		assert_true(more >= after * (1 - 1e-12));
		assert_true(after - before <= 1e-3 * (1 + before));
	}
}

/*
 * At P = d1/d2 and at P = d1 d2/d3^2 the cases meet: one rank fewer or more
 * changes the bound by about 1/P of its terms, not by a step.
 */
static void bounds_meet_at_the_borders(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {47, i, 0};
		uint64_t k = roll(&d, 1, 60), a = roll(&d, 2, 30),
			 b = roll(&d, 2, 30), n = k * a, m = n * b;
		int border = (int)(i & 1 ? b : a * a * b);
		double M = (double)m, N = (double)n, K = (double)k;
		double P = border, own = (M * N + M * K + N * K) / P;
		double one = (M * N + M * K) / P + N * K - own;
		double two = 2 * K * sqrt(M * N / P) + M * N / P - own;
		double three = 3 * pow(M * N * K / P, 2.0 / 3) - own;
		double here = net_bound(m, n, k, border);
		double lower = net_bound(m, n, k, border - 1),
		       higher = net_bound(m, n, k, border + 1);
		double slack = 1 + 1e-9 * own;

		assert_true(fabs(here - (i & 1 ? one : two)) <= slack);
		assert_true(fabs(here - (i & 1 ? two : three)) <= slack);
		slack = 2 + 2 * (own + here) / (P - 1);
		if (fabs(here - lower) > slack || fabs(here - higher) > slack) {
			print_error("m=%ju n=%ju k=%ju P=%d: %g, %g, %g\n", m,
				    n, k, border, lower, here, higher);
			fail();
		}
	}
}

/* Does every rank do as many multiplications? */
static bool is_even(const struct asl_plan *x)
{
	const struct asl_shape *s = asl_shape_of(x);

	return asl_grid_flops(x) * (uint64_t)x->ranks == 2 * s->m * s->n * s->k;
}

/* The fewest words sent with any number of sums up to that. */
static double least_sent(const struct asl_plan *x, double written)
{
	const struct asl_shape *s = asl_shape_of(x);
	double least = INFINITY;

	written = fmin(written, (double)s->m * (double)s->n);
	for (int i = 0; i <= 1000; i++)
		least = fmin(least,
			     asl_bound_sent(s, x->ranks, written * i / 1000));
	return least;
}

/*
 * A grid of P' ranks owns 1/P' of everything on each, so that the bound for P'
 * holds for its busiest rank.  In detail: rank 0 has the largest brick, no
 * side of it is shorter than m/p1, k/p2, n/p3, and every collective costs
 * (1 - 1/p) W or more.  So also with idle ranks, as far as the bound for all P
 * is not higher than that for P'.  The memory-dependent bound holds with what
 * the busiest rank really held.
 */
static void nothing_beats_the_bounds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		struct dice d = {48, i, 0};
		struct asl_plan x = roll_plan(&d, 12, 64);
		struct asl_forecast f;

		if (leave_out(i))
			continue;
		if (roll(&d, 0, 1)) {
			choose(&x);
		} else {
			int most = 200;

			for (int j = 0; j < 3; j++) {
				x.grid.p[j] = (int)roll(&d, 1, (uint64_t)most);
				most /= x.grid.p[j];
			}
		}
		f = asl_forecast(&x);
		x.ranks = asl_grid_ranks(&x.grid);
		expect_most(&x, "bound on words sent or received",
			    asl_bound_net_words(&x), (double)f.bh);
		x.memory = f.memory_high;
		expect_most(&x, "bound with this memory",
			    asl_bound_net_words(&x), (double)f.bh);
		expect_most(&x, "bound on words read and written",
			    asl_bound_io_words(&x),
			    (double)(f.read + f.written));
		if (f.written > 0 && x.ranks == asl_grid_ranks(&x.grid) &&
		    is_even(&x))
			expect_most(&x, "words sent, if so many are written",
				    least_sent(&x, (double)f.written) *
					    (1 - 1e-5),
				    (double)f.bh);
		if (!x.algorithm->outside_apm)
			expect_most(&x, "joint bound",
				    asl_bound_joint(&x) * (1 - 1e-12),
				    f.q[ASL_APM]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(papers_example_in_3d),
		cmocka_unit_test(cubes_attain_the_bound),
		cmocka_unit_test(squares_attain_the_bound),
		cmocka_unit_test(regimes_of_em_jomma),
		cmocka_unit_test(em_jomma_on_64_ranks),
		cmocka_unit_test(nobody_does_much_more_than_a_fair_share),
		cmocka_unit_test(the_cheapest_grid_is_taken),
		cmocka_unit_test(budgets_are_kept),
		cmocka_unit_test(forecasts_of_huge_grids),
		cmocka_unit_test(bounds_by_hand),
		cmocka_unit_test(joint_bound_of_squares),
		cmocka_unit_test(joint_bound_grows_with_costs),
		cmocka_unit_test(bounds_meet_at_the_borders),
		cmocka_unit_test(nothing_beats_the_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
