/*
 * multiply_torus.c -- the cost tables of cannon.c and 25d.c, where all divides
 *
 * And what a table cannot say: 25d's flops are those of its busiest rank, also
 * where nothing divides; one layer of it is Cannon's algorithm; and it takes more
 * layers only where M has room for its blocks.  The variants with a kernel of
 * their own are JOMMA's schedules on a grid that ignores the cost of a write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/multiply/planner.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

static const struct asl_costs costs = {.read = 1, .write = 3, .net = 2};

static struct asl_plan plan_of(const char *name, int q, int c,
			       struct asl_shape shape)
{
	return (struct asl_plan){
		.algorithm = asl_algorithm_find(name),
		.kernel = asl_kernel_find("vomm"),
		.multiplication = product_of(shape),
		.ranks = q * q * c,
		.grid = {{q, q, c}},
		.cache = 48, /* tiles of 4 x 4 */
		.memory = 1 << 20,
		.panels = ASL_DRAM,
		.costs = costs,
	};
}

/* Blocks of 8 x 24, 24 x 12 and 8 x 12 words; a row of the table a line. */
static void check_rank(const struct asl_plan *plan, int rank)
{
	uint64_t wA = 8 * 24, wB = 24 * 12, wC = 8 * 12;
	int q = plan->grid.p[0], c = plan->grid.p[2];
	int i = rank / c / q, j = rank / c % q, l = rank % c;
	uint64_t rounds = (uint64_t)(q / c), root = l == 0;
	uint64_t layers = (uint64_t)c, align = (uint64_t)l * rounds;
	bool moves_A = ((uint64_t)i + align) % (uint64_t)q;
	bool moves_B = ((uint64_t)j + align) % (uint64_t)q;
	struct asl_ledger x;
	struct asl_counts total;

	asl_plan_predict(&x, plan, rank);
	total = asl_ledger_total(&x);
	assert_int_equal(x.in[ASL_SHIFT].of[ASL_BH], (wA + wB) * (rounds - 1) +
							     moves_A * wA +
							     moves_B * wB);
	if (root) {
		assert_int_equal(x.in[ASL_GATHER].of[ASL_BH],
				 2 * (wA + wB) * (layers - 1) / layers);
		assert_int_equal(x.in[ASL_REDUCE].of[ASL_BH],
				 2 * wC * (layers - 1) / layers);
	}
	assert_int_equal(asl_words_written(&total), wC * rounds);
	assert_int_equal(asl_words_read(&total),
			 rounds * (3 * wA + 2 * wB) + wC * (rounds - 1));
	assert_int_equal(total.of[ASL_FLOPS], 2 * 8 * 12 * 24 * rounds);
	if (rounds >= 3)
		assert_int_equal(x.memory_high,
				 root * (wA + wB) + wC + 2 * (wA + wB));
}

static void tables(void **state)
{
	static const int grids[][2] = {{1, 1}, {2, 1}, {3, 1}, {5, 1}, {2, 2},
				       {3, 3}, {4, 2}, {6, 2}, {6, 3}, {8, 4}};

	(void)state;
	for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
		int q = grids[g][0], c = grids[g][1];
		uint64_t by = (uint64_t)q;
		struct asl_shape shape = {8 * by, 12 * by, 24 * by};
		struct asl_plan plan = plan_of("25d", q, c, shape);

		for (int rank = 0; rank < plan.ranks; rank++)
			check_rank(&plan, rank);
		if (c > 1)
			continue;
		plan = plan_of("cannon", q, c, shape);
		for (int rank = 0; rank < plan.ranks; rank++)
			check_rank(&plan, rank);
	}
}

/* All ranks together: (mk + kn) (q - 1/q), whether or not q divides. */
static void cannon_sends(void **state)
{
	(void)state;
	for (int q = 1; q < 9; q++) {
		struct asl_shape s = {8 * (uint64_t)q, 8 * (uint64_t)q, 61};
		struct asl_plan plan = plan_of("cannon", q, 1, s);
		uint64_t sent = 0;

		for (int rank = 0; rank < plan.ranks; rank++) {
			struct asl_ledger x;

			asl_plan_predict(&x, &plan, rank);
			sent += x.in[ASL_SHIFT].of[ASL_NET_SEND];
		}
		assert_int_equal(sent, 8 * 61 * 2 * (q * q - 1));
	}
}

static uint64_t busiest(const struct asl_plan *plan)
{
	uint64_t most = 0;

	for (int rank = 0; rank < plan->ranks; rank++) {
		struct asl_ledger x;

		asl_plan_predict(&x, plan, rank);
		if (most < x.in[ASL_COMPUTE].of[ASL_FLOPS])
			most = x.in[ASL_COMPUTE].of[ASL_FLOPS];
	}
	return most;
}

static void random_grids(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		struct dice d = {1, i, 0};
		int q = (int)roll(&d, 1, 7), c = (int)roll(&d, 1, (uint64_t)q);
		struct asl_shape s = {roll_size(&d, 6), roll_size(&d, 6),
				      roll_size(&d, 6)};
		struct asl_plan plan = plan_of("25d", q, c, s);
		struct asl_plan cannon = plan_of("cannon", q, 1, s);
		struct asl_plan bricks = plan_of("25d-cowe", q, c, s);
		struct asl_ledger a, b;

		assert_int_equal(asl_grid_flops(&plan), busiest(&plan));
		asl_plan_resolve(&bricks);
		assert_int_equal(asl_grid_flops(&bricks), busiest(&bricks));
		plan.grid.p[2] = 1;
		for (int rank = 0; rank < q * q; rank++) {
			asl_plan_predict(&a, &plan, rank);
			asl_plan_predict(&b, &cannon, rank);
			assert_true(asl_ledger_equal(&a, &b));
		}
	}
}

static void layers_fit_memory(void **state)
{
	struct asl_shape s = {1024, 1024, 1024};
	struct asl_plan plan = plan_of("25d", 1, 1, s);
	const struct asl_grid g = {{4, 4, 4}}, flat = {{8, 8, 1}};
	uint64_t need;

	(void)state;
	/* c = 4 = P^(1/3) = sqrt(P M)/n */
	plan.ranks = 64;
	plan.memory = 1 << 18;
	assert_int_equal(asl_grid_choose(own_part(&plan), &plan, &need), 0);
	assert_memory_equal(&plan.grid, &g, sizeof g);

	/* M = n^2/q^2 will just do. */
	plan.memory = 1 << 16;
	assert_true(asl_plan_admits(&plan));
	plan.memory--;
	assert_false(asl_plan_admits(&plan));
	plan.grid = flat;
	assert_true(asl_plan_admits(&plan));
	assert_int_equal(asl_grid_choose(own_part(&plan), &plan, &need), 0);
	assert_memory_equal(&plan.grid, &flat, sizeof flat);
}

/* 2.5D in JOMMA's form: its schedule for cheap writes, whatever they cost. */
static void as_jomma(const char *name, const char *kernel, uint64_t memory,
		     const char *schedule)
{
	struct asl_plan x =
		plan_of(name, 4, 4, (struct asl_shape){960, 960, 960});
	struct asl_plan y = x;
	struct asl_forecast a, b;
	uint64_t need;

	x.memory = y.memory = memory;
	x.costs.write = 0;
	assert_int_equal(asl_grid_choose(own_part(&x), &x, &need), 0);
	y.costs.write = 50;
	assert_int_equal(asl_grid_choose(own_part(&y), &y, &need), 0);
	assert_memory_equal(&x.grid, &y.grid, sizeof x.grid);
	assert_memory_equal(x.multiplication->ideal, y.multiplication->ideal,
			    3 * sizeof(double));

	y.algorithm = asl_algorithm_find(schedule);
	y.kernel = asl_kernel_find(kernel);
	y.costs = x.costs;
	a = asl_forecast(&x);
	b = asl_forecast(&y);
	assert_memory_equal(&a, &b, sizeof a);
}

static void variants(void **state)
{
	uint64_t enough = 960 * 960 / 8;

	(void)state;
	as_jomma("25d-mml3ool2", "vomm", enough, "em-jomma");
	as_jomma("25d-mml3ool2", "vomm", enough - 1, "lm-jomma");
	as_jomma("25d-cowe", "cowe", enough, "em-jomma");
	as_jomma("25d-cowe", "cowe", enough - 1, "lm-jomma");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(cannon_sends),
		cmocka_unit_test(random_grids),
		cmocka_unit_test(layers_fit_memory),
		cmocka_unit_test(variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
