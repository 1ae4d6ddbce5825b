/*
 * symmetric_make.c -- what a name, ranks and a cache make of a symmetric tensor
 *
 * Steps and messages against what the layout says pair by pair, the cache against
 * every rank's need, and the few best plans against all of them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/symmetric.h"
#include "tests/help/layouts.h"
#include "tests/help/random.h"

static struct asl_symmetric made(const char *layout, uint64_t n, int ranks,
				 bool alltoall)
{
	struct asl_symmetric s = {
		.n = n,
		.order = 3,
		.columns = 1,
		.exchange = alltoall ? ASL_ALLTOALL : ASL_P2P,
	};

	assert_int_equal(lay_out(&s, layout, ranks), 0);
	return s;
}

static void steps_are_as_many_as_said(void **state)
{
	struct asl_steiner_size x = {0};
	char name[ASL_STEINER_NAME];

	(void)state;
	while (asl_steiner_next(&x, 150)) {
		uint64_t even = (uint64_t)x.s * (uint64_t)x.blocks;
		struct asl_symmetric_request asked = {.n = even,
						      .steiner = name};
		struct asl_plan plan = {.algorithm = &asl_symmetric_sttsv};
		struct asl_symmetric s;

		snprintf(name, sizeof name, "%s-%d", x.family, x.parameter);
		assert_int_equal(asl_symmetric_begin(&plan, &asked), 0);
		assert_int_equal(plan.ranks, x.blocks);
		asl_plan_release(&plan);
		s = made(name, even, 1000, false);
		assert_string_equal(s.layout.name, name);
		assert_int_equal(s.layout.ranks, x.blocks);
		assert_int_equal(s.schedule.steps, asl_steiner_steps(&x));
		asl_symmetric_free(&s);
	}
}

/* The words that one owns of the row blocks that the other needs, too. */
static uint64_t message(const struct asl_layout *l, int from, int to)
{
	uint64_t words = 0;

	for (int i = 0; i < asl_list_length(&l->rows, from); i++)
		if (asl_list_find(&l->rows, to, asl_list(&l->rows, from)[i]) >=
		    0)
			words += asl_layout_part(l, from, i).count;
	return words;
}

static void alltoall_is_as_long_as_the_longest(void **state)
{
	static const char *const layouts[] = {"spherical-3", "boolean-3",
					      "triples-6", "cubic", NULL};
	struct dice r = {.family = 7};

	(void)state;
	for (int i = 0; i < 40; i++) {
		uint64_t n = roll(&r, 30, 300), longest = 0;
		struct asl_symmetric s =
			made(layouts[i % 5], n, 30 + i % 7, true);

		for (int p = 0; p < s.layout.ranks; p++)
			for (int q = 0; q < s.layout.ranks; q++)
				if (p != q)
					longest = asl_max(
						longest,
						message(&s.layout, p, q));
		assert_int_equal(s.equal, longest);
		asl_symmetric_free(&s);
	}
}

static void as_many_columns_as_fit(void **state)
{
	struct dice r = {.family = 11};
	uint64_t need, less;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct asl_symmetric s =
			made(i % 3 ? NULL : "cubic", roll(&r, 20, 90),
			     (int)roll(&r, 4, 31), i % 2);
		uint64_t cache;

		s.gradient = i % 4 > 0;
		s.columns = s.gradient ? (int)roll(&r, 1, 9) : 1;
		need = cache_for(&s, 1);
		cache = roll(&r, need, 2 * cache_for(&s, s.columns));
		assert_true(asl_symmetric_fit(&s, cache, &less));
		assert_false(s.by_pieces);
		assert_true(cache_for(&s, s.together) <= cache);
		if (s.together < s.columns)
			assert_true(cache_for(&s, s.together + 1) > cache);
		assert_true(asl_symmetric_fit(&s, need, &less));
		assert_false(s.by_pieces);
		asl_symmetric_free(&s);
	}
}

/* The longest parts that fit; six words and the sums are the least cache. */
static void parts_of_row_blocks(void **state)
{
	struct dice r = {.family = 13};
	uint64_t need;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct asl_symmetric s = made(NULL, roll(&r, 40, 90),
					      (int)roll(&r, 4, 31), i % 2);
		uint64_t R = roll(&r, 1, 4), more, cache, longest;

		s.gradient = i % 4 > 0;
		s.columns = s.gradient ? (int)R : 1;
		more = s.gradient ? R * R + R : 2;
		cache = roll(&r, 6 + more, cache_for(&s, 1) - 1);
		assert_false(asl_symmetric_fit(&s, 0, &need));
		assert_int_equal(need, 6 + more);
		assert_false(asl_symmetric_fit(&s, 5 + more, &need));
		assert_true(asl_symmetric_fit(&s, cache, &need));
		assert_true(s.by_pieces && s.together == 1);
		longest = asl_ceil_div(asl_layout_row(&s.layout, 0).count,
				       (uint64_t)s.layout.cuts);
		assert_true(6 * longest + more <= cache);
		if (s.layout.cuts > 1)
			longest =
				asl_ceil_div(asl_layout_row(&s.layout, 0).count,
					     (uint64_t)s.layout.cuts - 1);
		if (s.layout.cuts > 1)
			assert_true(6 * longest + more > cache);
		asl_symmetric_free(&s);
	}
}

static void names_that_are_none(void **state)
{
	static const struct {
		const char *layout;
		int ranks, n, err;
		const char *why;
	} wrong[] = {
		{"spherical-6", 900, 90, -EINVAL, "prime power"},
		{"spherical-3", 29, 90, -EINVAL, "30 blocks"},
		{"spherical", 9, 90, -ENOENT, "as few as 9"},
		{"triples-6", 20, 5, -EINVAL, "6 or more"},
		{"spherical-", 30, 90, -EINVAL, "found 'spherical-'"},
		{"spherical-3x", 30, 90, -EINVAL, "found 'spherical-3x'"},
		{"cubic-3", 30, 90, -EINVAL, "found 'cubic-3'"},
		{"-3", 30, 90, -EINVAL, "found '-3'"},
		{"triples-41", 20000, 90, -EINVAL, "more than the 10000"},
		{"cubic", 10001, 90, -EINVAL, "more than the 10000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct asl_symmetric s = {
			.n = (uint64_t)wrong[i].n, .order = 3, .columns = 1};

		assert_int_equal(lay_out(&s, wrong[i].layout, wrong[i].ranks),
				 wrong[i].err);
		if (!strstr(asl_failure(), wrong[i].why))
			fail_msg("%s: %s", wrong[i].layout, asl_failure());
		assert_null(s.layout.block);
	}
}

/* ---- Plans ---- */

/* Two families may have a system of the same numbers: one will do. */
static int systems(int ranks, uint64_t n)
{
	struct asl_steiner_size x = {0};
	bool seen[64][16] = {{false}};
	int count = 0;

	while (asl_steiner_next(&x, ranks)) {
		assert_true(x.m < 64 && x.s < 16);
		count += (uint64_t)x.m <= n && !seen[x.m][x.s];
		seen[x.m][x.s] = true;
	}
	return count;
}

/* Costs of messages make systems of fewer ranks the better ones now and then. */
static struct asl_plan random_base(struct dice *r,
				   const struct asl_symmetric *s)
{
	return (struct asl_plan){
		.algorithm = &asl_symmetric_sttsv,
		.ranks = (int)roll(r, 1, 36),
		.cache = roll(r, 4 * s->n, 8 * s->n),
		.memory = 1000000,
		.costs = {.read = (double)roll(r, 0, 3),
			  .write = 1,
			  .net = (double)roll(r, 0, 20),
			  .latency = (double)roll(r, 0, 300)},
		.symmetric = s,
	};
}

static void the_first_few_are_those_of_all(void **state)
{
	struct dice r = {.family = 23};

	(void)state;
	for (unsigned i = 0; i < how_many(12, 40); i++) {
		struct asl_symmetric s = {
			.n = roll(&r, 2, 60), .order = 3, .columns = 1};
		struct asl_plan base = random_base(&r, &s);
		int top = (int)roll(&r, 1, 7);
		struct asl_candidates all = asl_candidates(1000);
		struct asl_candidates few = asl_candidates(top);

		assert_int_equal(asl_symmetric_rank(&all, &base), 0);
		/* Cubic heaps and covers, twice each; the three on grids. */
		assert_int_equal(all.count, 2 * systems(base.ranks, s.n) + 7);
		assert_int_equal(asl_symmetric_rank(&few, &base), 0);
		assert_int_equal(few.count, all.count < top ? all.count : top);
		for (int j = 0; j < few.count; j++)
			assert_true(few.best[j].forecast.q[ASL_APM] ==
				    all.best[j].forecast.q[ASL_APM]);
		for (int j = 1; j < all.count; j++)
			assert_true(all.best[j].forecast.q[ASL_APM] >=
				    all.best[j - 1].forecast.q[ASL_APM]);
		/* A plan that was found is complete. */
		for (int j = 0; j < few.count; j++) {
			struct asl_plan plan = few.best[j].plan;

			assert_int_equal(asl_symmetric_settle(&plan), 0);
			assert_memory_equal(&plan, &few.best[j].plan,
					    sizeof plan);
		}
		asl_candidates_free(&few);
		asl_candidates_free(&all);
	}
}

static void grids_use_the_ranks(void **state)
{
	struct dice r = {.family = 31};
	(void)state;
	for (int i = 0; i < 200; i++) {
		struct asl_symmetric s = {
			.n = roll(&r, 1, 50), .order = 3, .columns = 1};
		struct asl_plan plan = random_base(&r, &s), again;
		struct asl_symmetric_request asked = {.n = s.n};
		unsigned long need;

		plan.algorithm =
			i % 2 ? &asl_symmetric_naive : &asl_symmetric_sequence;
		assert_int_equal(asl_symmetric_settle(&plan), 0);
		assert_in_range(asl_plan_ranks(&plan), 1, plan.ranks);

		/* The grid is one that may be asked for, and that stays. */
		again = plan;
		again.ranks = asl_plan_ranks(&plan);
		asked.grid = plan.grid;
		assert_int_equal(asl_symmetric_begin(&again, &asked), 0);
		assert_int_equal(asl_symmetric_settle(&again), 0);
		assert_memory_equal(&again.grid, &plan.grid, sizeof plan.grid);

		/* A cache of fewer words than the vectors need is refused. */
		again.cache = 0;
		assert_int_equal(asl_symmetric_settle(&again), -EINVAL);
		assert_int_equal(sscanf(strstr(asl_failure(), "needs "),
					"needs %lu", &need),
				 1);
		again.cache = need - 1;
		assert_int_equal(asl_symmetric_settle(&again), -EINVAL);
		again.cache = need;
		assert_int_equal(asl_symmetric_settle(&again), 0);
		asl_plan_release(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_as_many_as_said),
		cmocka_unit_test(alltoall_is_as_long_as_the_longest),
		cmocka_unit_test(as_many_columns_as_fit),
		cmocka_unit_test(parts_of_row_blocks),
		cmocka_unit_test(names_that_are_none),
		cmocka_unit_test(the_first_few_are_those_of_all),
		cmocka_unit_test(grids_use_the_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
