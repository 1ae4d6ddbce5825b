/*
 * multiply_replay.c -- the replay of a product, held against a plain loop nest
 *
 * One rank holds A, B and C, one after another, each from the beginning of a
 * line; the loops of the kernels, down to the last word, say what is touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/multiply/multiply.h"
#include "lib/run/run.h"
#include "tests/help/ledgers.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

enum { CASES = 150 };

struct sides {
	uint64_t rows, cols, depth;
};

static struct sides sides_of(const struct asl_plan *plan)
{
	struct asl_product x = {.m = asl_shape_of(plan)->m,
				.n = asl_shape_of(plan)->n,
				.k = asl_shape_of(plan)->k,
				.cache = plan->cache};
	uint64_t b = asl_isqrt(plan->cache / 3);
	struct asl_sides tight = asl_tight_sides(&x);

	return !strcmp(plan->kernel->name, "tight")
		       ? (struct sides){tight.rows, tight.cols, 1}
		       : (struct sides){b, b, b};
}

/* ---- The loop nest ---- */

struct nest {
	struct asl_lru *cache;
	struct asl_shape x;
	uint64_t B, C; /* where they begin; A at 0 */
};

static void touch_sliver(const struct nest *t, struct asl_range rows,
			 struct asl_range cols, struct asl_range deep)
{
	const struct asl_shape *x = &t->x;

	for (uint64_t i = rows.first; i < rows.first + rows.count; i++)
		for (uint64_t l = deep.first; l < deep.first + deep.count;
		     l++) {
			uint64_t b = t->B + l * x->n, c = t->C + i * x->n;
			uint64_t end = cols.first + cols.count;

			asl_lru_touch(t->cache, i * x->k + l, 1, false);
			for (uint64_t j = cols.first; j < end; j++)
				asl_lru_touch(t->cache, b + j, 1, false);
			for (uint64_t j = cols.first; j < end; j++)
				asl_lru_touch(t->cache, c + j, 1, true);
		}
}

static void touch_all(const struct nest *t, struct sides side)
{
	const struct asl_shape *x = &t->x;

	for (uint64_t i = 0; i < x->m; i += side.rows)
		for (uint64_t j = 0; j < x->n; j += side.cols)
			for (uint64_t l = 0; l < x->k; l += side.depth)
				touch_sliver(t,
					     (struct asl_range){
						     i, asl_min(side.rows,
								x->m - i)},
					     (struct asl_range){
						     j, asl_min(side.cols,
								x->n - j)},
					     (struct asl_range){
						     l, asl_min(side.depth,
								x->k - l)});
}

static struct asl_lru_traffic expected(const struct asl_run_want *want)
{
	const struct asl_lru_shape *shape = &want->cache_model;
	struct nest t = {.x = *asl_shape_of(&want->plan)};
	struct asl_lru_traffic traffic;

	t.B = asl_ceil_div(t.x.m * t.x.k, shape->line) * shape->line;
	t.C = t.B + asl_ceil_div(t.x.k * t.x.n, shape->line) * shape->line;
	assert_int_equal(asl_lru_open(&t.cache, shape), 0);
	touch_all(&t, sides_of(&want->plan));
	traffic = asl_lru_traffic(t.cache);
	asl_lru_close(t.cache);
	return traffic;
}

/* ---- Runs ---- */

static int keep(const struct asl_rep *rep, void *arg)
{
	if (!rep->predicted_equal)
		print_ledgers(rep);
	assert_true(rep->predicted_equal);
	*(struct asl_rep *)arg = *rep;
	return 0;
}

static struct asl_run_want product(struct asl_shape shape, const char *kernel,
				   uint64_t cache)
{
	return (struct asl_run_want){
		.plan = {.algorithm = asl_algorithm_find("vomm"),
			 .kernel = asl_kernel_find(kernel),
			 .multiplication = product_of(shape),
			 .ranks = 1,
			 .grid = {{1, 1, 1}},
			 .cache = cache,
			 .memory = 1000,
			 .costs = {1, 2, 1, 1, 1, 0, 0}},
		.transport = "sim",
		.store = "null",
		.seed = 1,
		.reps = 1,
	};
}

static struct asl_rep run(const struct asl_run_want *want)
{
	struct asl_rep rep;

	if (asl_run(want, keep, &rep))
		fail_msg("%s", asl_failure_to_print());
	return rep;
}

static struct asl_lru_shape roll_cache(struct dice *d)
{
	uint64_t line = roll(d, 1, 9), ways = roll_size(d, 5);
	uint64_t sets = roll(d, 0, 1) ? 1 : roll_size(d, 4);

	return (struct asl_lru_shape){sets * ways * line, line, ways};
}

static void as_loops(void **state)
{
	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct dice d = {.family = 1, .number = (uint32_t)i};
		struct asl_shape shape = {roll(&d, 1, 30), roll(&d, 1, 30),
					  roll(&d, 1, 30)};
		struct asl_run_want want =
			product(shape, roll(&d, 0, 1) ? "vomm" : "tight",
				roll(&d, 3, 400));
		struct asl_lru_traffic right;
		struct asl_rep rep;

		want.store = roll(&d, 0, 1) ? "null" : "dram";
		want.cache_model = roll_cache(&d);
		want.reps = (int)roll(&d, 1, 2);
		right = expected(&want);
		rep = run(&want);
		if (rep.lru_max.read == right.read &&
		    rep.lru_max.written == right.written)
			continue;
		print_error("case %d: %s of %ju x %ju x %ju, S = %ju, cache "
			    "%ju:%ju:%ju: read %ju, written %ju, expected %ju "
			    "and %ju\n",
			    i, want.plan.kernel->name, shape.m, shape.n,
			    shape.k, want.plan.cache, want.cache_model.words,
			    want.cache_model.line, want.cache_model.ways,
			    rep.lru_max.read, rep.lru_max.written, right.read,
			    right.written);
		fail();
	}
}

/* Every line comes once, and those of C go once; sides are whole lines. */
static void all_fits(void **state)
{
	struct asl_run_want want =
		product((struct asl_shape){40, 48, 56}, "vomm", 300);
	struct asl_rep rep;

	(void)state;
	want.cache_model = (struct asl_lru_shape){8192, 8, 1024};
	rep = run(&want);
	assert_int_equal(rep.lru_total.read, 40 * 56 + 56 * 48 + 40 * 48);
	assert_int_equal(rep.lru_total.written, 40 * 48);
}

/*
 * Room for three blocks is enough for tiles, but it takes five, of whole lines,
 * and a line, where they are not told to stay.
 */
static void five_blocks(void **state)
{
	enum { N = 240, MN = N * N };

	(void)state;
	for (uint64_t b = 16; b <= 40; b += 8) {
		uint64_t S = 5 * b * b + 8;
		struct asl_run_want want =
			product((struct asl_shape){N, N, N}, "vomm", S);
		struct asl_rep three, five;

		want.cache_model = (struct asl_lru_shape){S, 8, S / 8};
		three = run(&want);
		want.plan.cache = 3 * b * b;
		five = run(&want);
		assert_int_equal(three.written_max, MN);
		assert_int_equal(five.written_max, MN);
		if (three.lru_max.written < 2 * MN ||
		    five.lru_max.written != MN) {
			print_error("S = %ju: %ju words with room for three "
				    "blocks, %ju for five, of %d\n",
				    S, three.lru_max.written,
				    five.lru_max.written, MN);
			fail();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_loops),
		cmocka_unit_test(all_fits),
		cmocka_unit_test(five_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
