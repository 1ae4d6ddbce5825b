/*
 * multiply_jomma.c -- LM-JOMMA's cost table and prescription, JOMMA's choice
 *
 * That counts and predictions agree is multiply_counts' business; this is about
 * what they are.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/multiply/planner.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

static struct asl_plan plan_of(const char *algorithm, uint64_t m, uint64_t n,
			       uint64_t k, int ranks)
{
	return (struct asl_plan){
		.algorithm = asl_algorithm_find(algorithm),
		.kernel = asl_kernel_find("vomm"),
		.multiplication = product_of((struct asl_shape){m, n, k}),
		.ranks = ranks,
		.cache = 4096,
		.memory = 65536,
		.panels = ASL_DRAM,
		.costs = {.read = 1, .write = 16, .net = 2},
	};
}

static void expect(const struct asl_plan *x, const char *what, double got,
		   double want)
{
	if (fabs(got - want) <= 1e-4 * fabs(want))
		return;
	print_error("%s: %.17g, not %.17g: %s m=%ju n=%ju k=%ju P=%d grid "
		    "%dx%dx%d ideal %gx%gx%g M=%ju w/beta %g\n",
		    what, got, want, x->algorithm->name, asl_shape_of(x)->m,
		    asl_shape_of(x)->n, asl_shape_of(x)->k, x->ranks,
		    x->grid.p[0], x->grid.p[1], x->grid.p[2],
		    x->multiplication->ideal[0], x->multiplication->ideal[1],
		    x->multiplication->ideal[2], x->memory,
		    x->costs.write / x->costs.net);
	fail();
}

static void expect_count(const struct asl_plan *x, const char *what,
			 uint64_t got, uint64_t want)
{
	if (got != want)
		print_error("%s: %ju, not %ju; ", what, got, want);
	expect(x, what, (double)got, got == want ? (double)want : NAN);
}

/* Blocks of a x b of A, b x c of B; every collective's parts are whole, too. */
static void costs_where_all_divides(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {61, i, 0};
		uint64_t Py = roll(&d, 1, 6), Pz = roll(&d, 1, 5);
		uint64_t R = roll(&d, 1, 5), Px = R * Pz;
		uint64_t a = Py * Pz * roll(&d, 1, 9), b = roll(&d, 1, 40);
		uint64_t c = Py * Pz * roll(&d, 1, 9), C = a * c;
		struct asl_plan x = plan_of("lm-jomma", Px * a, Px * c, Py * b,
					    (int)(Px * Py * Pz));

		x.grid = (struct asl_grid){{(int)Px, (int)Py, (int)Pz}};
		for (int rank = 0; rank < x.ranks; rank++) {
			uint64_t layer = (uint64_t)rank % Pz;
			uint64_t j = (uint64_t)rank / Pz % Py;
			uint64_t roots = R / Py + (j < R % Py);
			uint64_t shifts = Px == 1 ? 0 : R + (layer > 0);
			struct asl_ledger out;

			asl_plan_predict(&out, &x, rank);
			expect_count(&x, "gather",
				     out.in[ASL_GATHER].of[ASL_BH],
				     (a * b + b * c) / Pz * (Pz - 1));
			expect_count(&x, "shift", out.in[ASL_SHIFT].of[ASL_BH],
				     shifts * b * c);
			expect_count(&x, "shifts",
				     out.in[ASL_SHIFT].of[ASL_NET_MSGS],
				     shifts);
			expect_count(&x, "reduce",
				     out.in[ASL_REDUCE].of[ASL_BH],
				     Py == 1 ? 0
					     : C / Py * (Py - 1) * (R + roots) +
						       C / Py * (R - roots));
			expect_count(&x, "writes",
				     out.in[ASL_COMPUTE].of[ASL_NVM_WRITE],
				     R * C);
			expect_count(&x, "owned C",
				     asl_plan_owned(&x, rank, ASL_C),
				     roots * C);
			expect_count(&x, "flops",
				     out.in[ASL_COMPUTE].of[ASL_FLOPS],
				     asl_grid_flops(&x));
		}
	}
}

/* P = 64, as in the paper's Fig. 5, and square matrices. */
static void prescriptions_of_the_paper(void **state)
{
	static const struct {
		uint64_t n;
		double write, grid[3];
	} cases[] = {
		{768, 2, {4.898979, 4.898979, 2.666667}},
		{1024, 2, {5.656854, 5.656854, 2}},
		{768, 16, {8.485281, 1.060660, 7.111111}},
		{1024, 16, {11.313708, 1.414214, 4}},
		{1536, 16, {16.970563, 2.121320, 1.777778}},
		{768, 32, {9, 1, 7.111111}},
		{1024, 32, {16, 1, 4}},
		{1024, 1e9, {16, 1, 4}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct asl_plan x = plan_of("lm-jomma", cases[i].n, cases[i].n,
					    cases[i].n, 64);

		x.costs.write = cases[i].write;
		asl_plan_prescribe(own_part(&x)->ideal, &x);
		for (int j = 0; j < 3; j++)
			expect(&x, "a number of the prescription",
			       x.multiplication->ideal[j], cases[i].grid[j]);
	}
}

/*
 * More writes than network words and nothing cut to a single row: no real grid
 * of the same ranks and memory is cheaper by the rule that the file states.
 */
static void prescriptions_are_cheapest(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct dice d = {62, i, 0};
		uint64_t m = roll(&d, 400, 4000), n = roll(&d, 400, 4000);
		uint64_t k = roll(&d, 400, 4000), most = m > n ? m : n;
		struct asl_plan x =
			plan_of("lm-jomma", m, n, k, (int)roll(&d, 1, 300));
		double P = x.ranks, t, q, Px, cost, least = INFINITY;

		x.memory = k * most / (uint64_t)x.ranks + roll_size(&d, 22);
		x.costs.write = 3 + (double)roll_size(&d, 8);
		asl_plan_prescribe(own_part(&x)->ideal, &x);
		t = x.costs.write / x.costs.net;
		q = fmax(1, (double)(k * most) / (double)x.memory);
		for (Px = 1; Px <= P; Px *= 1.01) {
			double Py = fmax(1, fmax(q / Px, P / (Px * Px)));

			least = fmin(least,
				     (double)k * Px + t * (double)m * Py);
		}
		cost = (double)k * x.multiplication->ideal[0] +
		       t * (double)m * x.multiplication->ideal[1];
		if (cost > 1.0001 * least)
			expect(&x, "cost of the prescription", cost, least);
		expect(&x, "ranks of the prescription",
		       x.multiplication->ideal[0] * x.multiplication->ideal[1] *
			       x.multiplication->ideal[2],
		       P);
	}
}

static void expect_call(struct asl_plan *x, const char *callee)
{
	struct asl_plan y = *x;
	uint64_t need;

	y.algorithm = asl_algorithm_find(callee);
	assert_int_equal(asl_grid_choose(own_part(x), x, &need), 0);
	assert_int_equal(asl_grid_choose(own_part(&y), &y, &need), 0);
	assert_string_equal(asl_plan_axes(x), y.algorithm->matmul->grid.axes);
	for (int i = 0; i < 3; i++)
		expect(x, "a number of the grid", x->grid.p[i], y.grid.p[i]);
	expect(x, "Q", asl_forecast(x).q[0], asl_forecast(&y).q[0]);
}

static void jomma_asks_for_memory(void **state)
{
	static const struct {
		uint64_t m, n, k;
		int ranks;
		uint64_t enough;
	} cases[] = {
		{1024, 1024, 1024, 64, 1024 * 128}, /* n^2/sqrt(P) */
		{960, 960, 960, 36, 960 * 160},
		{2048, 128, 512, 16, 512 * 128}, /* bricks of 128 x 128 */
		{100, 1600, 700, 4, 700 * 400},	 /* of 100 x 400 */
		{1000, 900, 800, 61, 97174},	 /* 800 sqrt(1000 900/61) */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct asl_plan x = plan_of("jomma", cases[i].m, cases[i].n,
					    cases[i].k, cases[i].ranks);

		for (double w = 1; w < 100; w *= 3) {
			x.costs.write = w;
			x.memory = cases[i].enough;
			expect_call(&x, "em-jomma");
			x.memory--;
			expect_call(&x, "lm-jomma");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_where_all_divides),
		cmocka_unit_test(prescriptions_of_the_paper),
		cmocka_unit_test(prescriptions_are_cheapest),
		cmocka_unit_test(jomma_asks_for_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
