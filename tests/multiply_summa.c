/*
 * multiply_summa.c -- the cost tables of summa and summa-l3ool2, and any panel
 *
 * Where everything divides, every rank counts what the algorithm's head comment
 * says; panels of any width count what was predicted and multiply right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/multiply/multiply.h"
#include "lib/run/run.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

struct table {
	uint64_t bh, written, read, memory;
};

static int differ(const char *what, int rank, uint64_t counted, uint64_t table)
{
	if (counted != table)
		print_error("rank %d %s: counted %ju, expected %ju\n", rank,
			    what, counted, table);
	return counted != table;
}

static int hold_against(const struct asl_rep *rep, void *arg)
{
	const struct table *t = arg;
	int wrong = !rep->predicted_equal;

	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_ledger *ledger = &rep->rank[i].counted;
		struct asl_counts x = asl_ledger_total(ledger);

		wrong += differ("B_h", i, x.of[ASL_BH], t->bh);
		wrong += differ("B_w", i, asl_words_written(&x), t->written);
		wrong += differ("B_r", i, asl_words_read(&x), t->read);
		wrong += differ("memory", i, ledger->memory_high, t->memory);
	}
	assert_int_equal(wrong, 0);
	return 0;
}

static struct asl_run_want want_of(const char *algorithm, struct dice *d)
{
	struct asl_run_want want = {
		.plan = {.algorithm = asl_algorithm_find(algorithm),
			 .kernel = asl_kernel_find("vomm"),
			 .multiplication = product_of((struct asl_shape){0}),
			 .memory = 1 << 20,
			 .panels = roll(d, 0, 1) ? ASL_DRAM : ASL_POOL,
			 .costs = {.read = 1, .write = 2, .net = 3}},
		.transport = "sim",
		.store = "null",
		.exact = true,
		.reps = 1,
	};
	int pr = (int)roll(d, 1, 6), pc = (int)roll(d, 1, 6);

	want.plan.grid = (struct asl_grid){{pr, pc, 1}};
	want.plan.ranks = pr * pc;
	return want;
}

/* (1 - 1/p) (1 + 2/p) words, which p^2 divides. */
static uint64_t broadcasts(uint64_t words, uint64_t p)
{
	return words / (p * p) * (p - 1) * (p + 2);
}

static void table_of_summa(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct dice d = {71, i, 0};
		struct asl_run_want want = want_of("summa", &d);
		struct asl_plan *plan = &want.plan;
		uint64_t pr = (uint64_t)plan->grid.p[0];
		uint64_t pc = (uint64_t)plan->grid.p[1], P = pr * pc;
		uint64_t m = roll(&d, 1, 20), n = roll(&d, 1, 20);
		uint64_t w = P * roll(&d, 1, 2), s = P * roll(&d, 1, 2);
		struct asl_multiplication *part = own_part(plan);
		uint64_t k = s * w, b = roll(&d, 1, 9), C = m * n;
		struct table t = {
			.bh = broadcasts(m * k, pc) + broadcasts(k * n, pr),
			.written = s * C,
			.read = m * k * asl_ceil_div(n, b) +
				k * n * asl_ceil_div(m, b) + (s - 1) * C,
			.memory = m * k / pc + k * n / pr + C +
				  (pc > 1) * m * w + (pr > 1) * w * n,
		};

		part->shape = (struct asl_shape){pr * m, pc * n, k};
		part->panel = w;
		plan->cache = 3 * b * b;
		assert_int_equal(asl_run(&want, hold_against, &t), 0);
	}
}

static void table_of_summa_l3ool2(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct dice d = {72, i, 0};
		struct asl_run_want want = want_of("summa-l3ool2", &d);
		struct asl_plan *plan = &want.plan;
		uint64_t pr = (uint64_t)plan->grid.p[0];
		uint64_t pc = (uint64_t)plan->grid.p[1], P = pr * pc, b = P;
		uint64_t Tm = roll(&d, 1, 3), Tn = roll(&d, 1, 3);
		uint64_t m = Tm * b, n = Tn * b, k = P * b, C = m * n;
		struct table t = {
			.bh = Tn * broadcasts(m * k, pc) +
			      Tm * broadcasts(k * n, pr),
			.written = C,
			.read = Tn * m * k + Tm * k * n,
			.memory = m * k / pc + k * n / pr + C +
				  ((pc > 1) + (pr > 1)) * b * b,
		};

		own_part(plan)->shape = (struct asl_shape){pr * m, pc * n, k};
		plan->cache = 3 * b * b;
		assert_int_equal(asl_run(&want, hold_against, &t), 0);
	}
}

static int is_sound(const struct asl_rep *rep, void *arg)
{
	const struct asl_plan *plan = &rep->want->plan;

	(void)arg;
	if (!rep->predicted_equal || rep->residual != 0)
		print_error("m=%ju n=%ju k=%ju grid %dx%d panel %ju S=%ju %s: "
			    "predicted %d, residual %g\n",
			    asl_shape_of(plan)->m, asl_shape_of(plan)->n,
			    asl_shape_of(plan)->k, plan->grid.p[0],
			    plan->grid.p[1], plan->multiplication->panel,
			    plan->cache, plan->kernel->name,
			    rep->predicted_equal, rep->residual);
	assert_true(rep->predicted_equal);
	assert_true(rep->residual == 0);
	return 0;
}

static void panels_of_any_width(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1500; i++) {
		struct dice d = {73, i, 0};
		struct asl_run_want want = want_of("summa", &d);
		struct asl_plan *plan = &want.plan;
		struct asl_multiplication *part = own_part(plan);

		if (leave_out(i))
			continue;
		part->shape.m = roll_size(&d, 5);
		part->shape.n = roll_size(&d, 5);
		part->shape.k = roll_size(&d, 6);
		part->panel = roll(&d, 0, part->shape.k + 1);
		plan->cache = 2 + roll_size(&d, 8);
		plan->kernel = asl_kernels[roll(&d, 0, 2)];
		want.store = "dram";
		want.verify = ASL_VERIFY_ORACLE;
		assert_int_equal(asl_run(&want, is_sound, NULL), 0);
	}
}

/* More depths of panel than predict keeps apart at a time. */
static void many_depths(void **state)
{
	static const char *const names[] = {"summa", "summa-l3ool2"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dice d = {74, (uint32_t)i, 0};
		struct asl_run_want want = want_of(names[i], &d);
		struct asl_plan *plan = &want.plan;

		plan->grid = (struct asl_grid){{35, 37, 1}};
		plan->ranks = 35 * 37;
		own_part(plan)->shape =
			(struct asl_shape){50, 60, 35 * 37 * 2 + 20};
		plan->cache = 1 << 20;
		assert_int_equal(asl_run(&want, is_sound, NULL), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_of_summa),
		cmocka_unit_test(table_of_summa_l3ool2),
		cmocka_unit_test(panels_of_any_width),
		cmocka_unit_test(many_depths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
