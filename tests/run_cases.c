/*
 * run_cases.c -- one net, many cases: each is what it would be alone
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/multiply/multiply.h"
#include "lib/run/run.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

enum { CASES = 6, RANKS = 27 };

/* Stores, shapes, grids and repetitions that differ from case to case. */
static struct asl_run_want make(int i)
{
	static const char *const names[] = {"3d", "em-jomma", "lm-jomma"};
	struct asl_run_want want = {
		.plan = {.algorithm = asl_algorithm_find(names[i % 3]),
			 .kernel = asl_kernel_find(i & 1 ? "tight" : "vomm"),
			 .multiplication = product_of((struct asl_shape){
				 20 + 7 * (uint64_t)i, 31, 40}),
			 .ranks = RANKS,
			 .grid = {{3, 3, 3}},
			 .cache = 100 + 10 * (uint64_t)i,
			 .memory = 1000,
			 .costs = {1, 2, 1, 1, 1, 0, 0}},
		.transport = "sim",
		.store = i & 1 ? "pmem" : "dram",
		.nvm_dir = "/dev/shm",
		.seed = 1,
		.exact = true,
		.reps = 1 + i % 2,
		.verify = ASL_VERIFY_ORACLE,
	};

	asl_plan_prescribe(own_part(&want.plan)->ideal, &want.plan);
	return want;
}

struct seen {
	const struct asl_run_want *want;
	struct asl_counts total;
	char run_id[40];
	int rep;
};

struct log {
	struct seen seen[4 * CASES];
	int count;
	int stop_at, say; /* what `each` says after so many repetitions */
};

static int look(const struct asl_rep *rep, void *arg)
{
	struct log *log = arg;
	struct seen *x = &log->seen[log->count++];

	*x = (struct seen){.want = rep->want, .total = rep->total};
	x->rep = rep->rep;
	memcpy(x->run_id, rep->run_id, sizeof x->run_id);
	assert_true(rep->predicted_equal);
	assert_int_equal(rep->verified, 1);
	return log->count == log->stop_at ? log->say : 0;
}

static void make_all(struct asl_run_want want[CASES],
		     const struct asl_run_want *list[CASES])
{
	for (int i = 0; i < CASES; i++) {
		want[i] = make(i);
		list[i] = &want[i];
	}
}

static void as_alone(void **state)
{
	struct asl_run_want want[CASES];
	const struct asl_run_want *list[CASES];
	struct log all = {0}, alone = {0};

	(void)state;
	make_all(want, list);
	assert_int_equal(asl_run_all(list, CASES, NULL, look, &all), 0);
	for (int i = 0; i < CASES; i++)
		assert_int_equal(asl_run(list[i], look, &alone), 0);
	assert_int_equal(all.count, alone.count);
	for (int i = 0; i < all.count; i++) {
		struct seen *x = &all.seen[i], *y = &alone.seen[i];

		assert_ptr_equal(x->want, y->want);
		assert_int_equal(x->rep, y->rep);
		assert_memory_equal(&x->total, &y->total, sizeof x->total);
		/* A case has a name of its own, which its repetitions share. */
		if (i)
			assert_int_equal(strcmp(x->run_id, x[-1].run_id) == 0,
					 x->want == x[-1].want);
	}
}

static void some_are_left_out(void **state)
{
	struct asl_run_want want[CASES];
	const struct asl_run_want *list[CASES];
	int step = (int)how_many(21, 7); /* 21: each out once, none, and all */

	(void)state;
	make_all(want, list);
	for (int set = 0; set < 1 << CASES; set += step) {
		bool out[CASES];
		struct log log = {0};
		int seen = 0;

		for (int i = 0; i < CASES; i++)
			out[i] = set >> i & 1;
		assert_int_equal(asl_run_all(list, CASES, out, look, &log), 0);
		for (int i = 0; i < CASES; i++)
			for (int rep = 0; !out[i] && rep < want[i].reps; rep++)
				assert_ptr_equal(log.seen[seen++].want,
						 list[i]);
		assert_int_equal(log.count, seen);
	}
}

static void error_ends_all(void **state)
{
	struct asl_run_want want[CASES];
	const struct asl_run_want *list[CASES];
	struct log log = {.stop_at = 2, .say = -EIO};

	(void)state;
	make_all(want, list);
	assert_int_equal(asl_run_all(list, CASES, NULL, look, &log), -EIO);
	assert_int_equal(log.count, 2);
	assert_string_equal(asl_failure_to_print(), "");

	/* The fourth cannot be set up; three are complete. */
	log = (struct log){0};
	want[3].nvm_dir = "/nowhere";
	assert_int_equal(asl_run_all(list, CASES, NULL, look, &log), -ENOENT);
	assert_ptr_equal(log.seen[log.count - 1].want, list[2]);
	assert_non_null(strstr(asl_failure_to_print(), "/nowhere"));

	log = (struct log){0};
	make_all(want, list);
	want[0].files[ASL_A] = "/nowhere.npy";
	assert_int_equal(asl_run_all(list, CASES, NULL, look, &log), -ENOENT);
	assert_int_equal(log.count, 0);
}

static void alike_or_not_at_all(void **state)
{
	struct asl_run_want want[CASES];
	const struct asl_run_want *list[CASES];
	struct log log = {0};

	(void)state;
	make_all(want, list);
	want[4].store = "null";
	assert_int_equal(asl_run_all(list, CASES, NULL, look, &log), -EINVAL);
	make_all(want, list);
	want[5].plan.ranks = 28;
	assert_int_equal(asl_run_all(list, CASES, NULL, look, &log), -EINVAL);
	assert_non_null(strstr(asl_failure_to_print(), "cases 1 and 6"));
	make_all(want, list);
	want[1].provider = "tcp";
	assert_int_equal(asl_run_all(list, CASES, NULL, look, &log), -EINVAL);
	assert_int_equal(log.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_alone),
		cmocka_unit_test(some_are_left_out),
		cmocka_unit_test(error_ends_all),
		cmocka_unit_test(alike_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
