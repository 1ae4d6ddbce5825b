/*
 * task_operands.c -- tasks of aslant.h on arrays that a program has, anywhere
 *
 * Random operations by random algorithms, on arrays with gaps, by rows or by
 * columns.  Entries are small whole numbers, so that every result is exact.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/library/aslant.h"
#include "tests/help/random.h"

enum { CASES = 40, GAP = -7777 };

static struct dice dice = {.family = 71};

static uint64_t random_below(uint64_t n)
{
	return roll(&dice, 0, n - 1);
}

/* In place of libpmem's: what is to become durable, were it in a file. */
static const void *secured;
static size_t secured_bytes;

int pmem_msync(const void *at, size_t bytes);

int pmem_msync(const void *at, size_t bytes)
{
	secured = at;
	secured_bytes = bytes;
	return 0;
}

/* A matrix in the middle of a larger one. */
struct matrix {
	uint64_t size[2], step[2];
	double *all;
	size_t count;
};

static struct matrix make(uint64_t rows, uint64_t cols, bool fill)
{
	bool turned = random_below(2);
	uint64_t gap = random_below(4), across = turned ? rows : cols;
	struct matrix x = {
		.size = {rows, cols},
		.step = {turned ? 1 : across + gap, turned ? across + gap : 1},
	};

	x.count = (size_t)((across + gap) * (turned ? cols : rows));
	x.all = malloc(x.count * sizeof *x.all);
	assert_non_null(x.all);
	for (size_t i = 0; i < x.count; i++)
		x.all[i] = GAP;
	for (uint64_t i = 0; i < rows; i++)
		for (uint64_t j = 0; fill && j < cols; j++)
			x.all[i * x.step[0] + j * x.step[1]] =
				(double)random_below(9) - 4;
	return x;
}

static double *at(const struct matrix *x, uint64_t i, uint64_t j)
{
	return &x->all[i * x->step[0] + j * x->step[1]];
}

static void set(struct asl_task *task, const char *option, const char *value)
{
	if (asl_task_set(task, option, value))
		fail_msg("%s %s: %s", option, value, asl_why());
}

static void set_number(struct asl_task *task, const char *option, uint64_t x)
{
	char text[32];

	snprintf(text, sizeof text, "%ju", x);
	set(task, option, text);
}

static void give(struct asl_task *task, int which, const struct matrix *x)
{
	assert_int_equal(
		asl_task_operand(task, which, x->all, 2, x->size, x->step), 0);
}

static void check_product(const struct matrix *C, const struct matrix *A,
			  const struct matrix *B)
{
	for (uint64_t i = 0; i < C->size[0]; i++)
		for (uint64_t j = 0; j < C->size[1]; j++) {
			double sum = 0;

			for (uint64_t k = 0; k < A->size[1]; k++)
				sum += *at(A, i, k) * *at(B, k, j);
			if (*at(C, i, j) != sum)
				fail_msg("C[%ju, %ju] is %g, expected %g", i, j,
					 *at(C, i, j), sum);
			*at(C, i, j) = GAP;
		}
	/* And nothing beside it. */
	for (size_t i = 0; i < C->count; i++)
		assert_true(C->all[i] == GAP);
}

static void run(struct asl_task *task)
{
	uint64_t equal, verified;

	if (asl_task_run(task))
		fail_msg("%s", asl_why());
	assert_int_equal(asl_task_rows(task), 1);
	assert_int_equal(asl_task_count(task, 0, "predicted_equal", &equal), 0);
	assert_int_equal(asl_task_count(task, 0, "verified", &verified), 0);
	assert_true(equal == 1 && verified == 1);
}

static void multiply(void **state)
{
	static const char *const names[] = {
		"3d",	"em-jomma", "lm-jomma", "jomma", "fused",   "cuts",
		"auto", "summa",    "25d",	"vomm",	 "ooc-auto"};
	static const char *const stores[] = {"pmem", "dram"};

	(void)state;
	for (int i = 0; i < CASES; i++) {
		const char *name = names[random_below(11)];
		uint64_t m = 1 + random_below(40), k = 1 + random_below(40),
			 n = 1 + random_below(40);
		struct matrix A = make(m, k, true), B = make(k, n, true),
			      C = make(m, n, false);
		struct asl_task *task;

		assert_int_equal(asl_task_open(&task, name), 0);
		if (strcmp(name, "vomm"))
			set_number(task, "ranks", 1 + random_below(27));
		if (!strcmp(name, "ooc-auto"))
			set(task, "memory-budget", "1MiB");
		set_number(task, "cache", 40 + random_below(400));
		set(task, "store", stores[random_below(2)]);
		give(task, 0, &A);
		give(task, 1, &B);
		assert_int_equal(
			asl_task_result(task, C.all, 2, C.size, C.step), 0);
		run(task);
		check_product(&C, &A, &B);
		/* Its first word to its last. */
		assert_ptr_equal(secured, C.all);
		assert_ptr_equal((const char *)secured + secured_bytes,
				 at(&C, m - 1, n - 1) + 1);
		asl_task_close(task);
		free(A.all);
		free(B.all);
		free(C.all);
	}
}

/* ab,bc,cd->da, with all four sizes different. */
static void contract(void **state)
{
	(void)state;
	for (int i = 0; i < CASES / 4; i++) {
		uint64_t a = 1 + random_below(9), b = 1 + random_below(9),
			 c = 1 + random_below(9), d = 1 + random_below(9);
		struct matrix A = make(a, b, true), B = make(b, c, true),
			      C = make(c, d, true), D = make(d, a, false),
			      AB = make(a, c, false);
		struct matrix turned = D;
		struct asl_task *task;

		assert_int_equal(asl_task_open(&task, "einsum"), 0);
		set(task, "spec", "ab,bc,cd->da");
		set_number(task, "ranks", 1 + random_below(12));
		give(task, 0, &A);
		give(task, 1, &B);
		give(task, 2, &C);
		assert_int_equal(
			asl_task_result(task, D.all, 2, D.size, D.step), 0);
		run(task);
		for (uint64_t x = 0; x < a; x++)
			for (uint64_t z = 0; z < c; z++) {
				*at(&AB, x, z) = 0;
				for (uint64_t y = 0; y < b; y++)
					*at(&AB, x, z) +=
						*at(&A, x, y) * *at(&B, y, z);
			}
		turned.size[0] = a;
		turned.size[1] = d;
		turned.step[0] = D.step[1];
		turned.step[1] = D.step[0];
		check_product(&turned, &AB, &C);
		asl_task_close(task);
		free(A.all);
		free(B.all);
		free(C.all);
		free(D.all);
		free(AB.all);
	}
}

/* y[i] = sum of A[i, j, k] x[j] x[k], A by its packed entries and as a cube. */
static void symmetric(void **state)
{
	enum { N = 11, PACKED = N * (N + 1) * (N + 2) / 6 };
	static double cube[N][N][N], packed[PACKED], x[N], y[N], expected[N];
	const uint64_t sizes[] = {N, N, N}, one[] = {PACKED};
	int place = 0;

	(void)state;
	for (int i = 0; i < N; i++)
		x[i] = (double)random_below(9) - 4;
	for (int i = 0; i < N; i++)
		for (int j = 0; j <= i; j++)
			for (int k = 0; k <= j; k++) {
				double e = (double)random_below(9) - 4;

				packed[place++] = e;
				cube[i][j][k] = cube[i][k][j] = e;
				cube[j][i][k] = cube[j][k][i] = e;
				cube[k][i][j] = cube[k][j][i] = e;
			}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				expected[i] += cube[i][j][k] * x[j] * x[k];
	for (int is_packed = 0; is_packed < 2; is_packed++) {
		struct asl_task *task;

		assert_int_equal(asl_task_open(&task, "sttsv"), 0);
		set(task, "ranks", "10");
		assert_int_equal(is_packed ? asl_task_operand(task, 0, packed,
							      1, one, NULL)
					   : asl_task_operand(task, 0,
							      &cube[0][0][0], 3,
							      sizes, NULL),
				 0);
		assert_int_equal(asl_task_operand(task, 1, x, 1, sizes, NULL),
				 0);
		assert_int_equal(asl_task_result(task, y, 1, sizes, NULL), 0);
		memset(y, 0, sizeof y);
		run(task);
		assert_memory_equal(y, expected, sizeof y);
		asl_task_close(task);
	}
}

/* Code and words. */
static void refused(int code, int expected, const char *words)
{
	if (code != expected || !strstr(asl_why(), words))
		fail_msg("%d, '%s'; expected %d, '%s'", code, asl_why(),
			 expected, words);
}

static void refuse(void **state)
{
	static double A[6], nobody;
	const uint64_t sizes[] = {2, 3};
	struct asl_task *task;
	uint64_t count;

	(void)state;
	refused(asl_task_open(&task, "foo"), ASL_BAD_INPUT, "'foo'");
	assert_null(task);
	asl_task_close(task);
	assert_int_equal(asl_task_open(&task, "3d"), 0);
	refused(asl_task_set(task, "foo", "1"), ASL_BAD_INPUT, "'foo'");
	refused(asl_task_set(task, "launch", NULL), ASL_BAD_INPUT, "launch");
	refused(asl_task_set(task, "ranks", NULL), ASL_BAD_INPUT, "ranks");
	refused(asl_task_set(task, "overlap", "1"), ASL_BAD_INPUT, "overlap");
	refused(asl_task_set(task, "ranks", "x"), ASL_BAD_INPUT, "'x'");
	refused(asl_task_operand(task, -1, A, 2, sizes, NULL), ASL_BAD_INPUT,
		"operand -1");
	refused(asl_task_operand(task, 0, NULL, 2, sizes, NULL), ASL_BAD_INPUT,
		"no address");
	refused(asl_task_run(task), ASL_BAD_INPUT, "size is missing");
	assert_int_equal(asl_task_operand(task, 0, A, 2, sizes, NULL), 0);
	assert_int_equal(asl_task_operand(task, 1, A, 2, sizes, NULL), 0);
	refused(asl_task_run(task), ASL_BAD_INPUT, "rows of B: found 2");
	assert_int_equal(asl_task_matrix(task, 1, A, 3, 2, 2), 0);
	assert_int_equal(asl_task_result_matrix(task, &nobody, 1, 1, 1), 0);
	refused(asl_task_run(task), ASL_BAD_INPUT, "expected 2 x 2");
	assert_int_equal(asl_task_rows(task), 0);
	assert_null(asl_task_text(task, 0, "algorithm"));
	refused(asl_task_count(task, 0, "ranks", &count), ASL_BAD_INPUT,
		"'ranks'");
	set(task, "transport", "ofi");
	refused(asl_task_run(task), ASL_BAD_INPUT, "communicator");
	asl_task_close(task);
	assert_int_equal(asl_task_open(&task, "3d"), 0);
	set(task, "n", "100");
	set(task, "nvm-dir", "/nowhere");
	refused(asl_task_run(task), ASL_NO_MACHINE, "/nowhere");
	asl_task_close(task);
}

/* As the command's: the cheapest first, and every column by its name. */
static void plan(void **state)
{
	struct asl_task *task;
	double q, last = 0;

	(void)state;
	assert_int_equal(asl_task_open(&task, "auto"), 0);
	set(task, "n", "500");
	set(task, "ranks", "12");
	set(task, "top", "5");
	assert_int_equal(asl_task_plan(task), 0);
	assert_int_equal(asl_task_rows(task), 5);
	for (int i = 0; i < 5; i++, last = q) {
		assert_int_equal(asl_task_number(task, i, "q_apm_path", &q), 0);
		assert_true(q >= last && q > 0);
	}
	assert_non_null(strstr(asl_task_csv(task), "place,algorithm,"));
	assert_string_equal(asl_task_ranks_csv(task), "");
	assert_int_equal(asl_task_bounds(task), 0);
	assert_string_equal(asl_task_text(task, 0, "unit"), "words");
	asl_task_close(task);
}

/* Of every rank and phase, as often as the task is run, and with nothing left. */
static void again(void **state)
{
	struct asl_task *task;

	(void)state;
	assert_int_equal(asl_task_open(&task, "em-jomma"), 0);
	set(task, "n", "30");
	set(task, "ranks", "4");
	run(task);
	set(task, "reps", "3");
	assert_int_equal(asl_task_run(task), 0);
	assert_int_equal(asl_task_rows(task), 3);
	assert_non_null(strstr(asl_task_ranks_csv(task), ",2,3,compute,"));
	assert_string_equal(asl_task_text(task, 2, "rep"), "2");
	assert_string_equal(asl_task_text(task, 2, "provider"), "");
	asl_task_close(task);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiply),  cmocka_unit_test(contract),
		cmocka_unit_test(symmetric), cmocka_unit_test(refuse),
		cmocka_unit_test(plan),	     cmocka_unit_test(again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
