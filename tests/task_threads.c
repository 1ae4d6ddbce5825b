/*
 * task_threads.c -- threads change how long a task takes, and nothing else
 *
 * Tasks of all families, with operands of which verbs cut pieces, on several
 * ranks and on one: each counter, each cost and the result are those of one
 * thread.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/command/results/results.h"
#include "bench/library/aslant.h"

enum { MOST_WORDS = 400 * 400, MOST_OPTIONS = 16 };

/* Options and their values, NULL-ended; a result of up to three dimensions. */
static const struct example {
	const char *algorithm, *options[MOST_OPTIONS];
	int dims;
	uint64_t size[3];
} examples[] = {
	{"vomm", {"n", "400", "store", "pmem"}, 2, {400, 400}},
	{"cannon", {"n", "390", "ranks", "9"}, 2, {390, 390}},
	{"3d", {"n", "400", "ranks", "8"}, 2, {400, 400}},
	{"summa", {"n", "380", "ranks", "6", "overlap", ""}, 2, {380, 380}},
	{"fused",
	 {"n", "390", "ranks", "5", "kernel", "tight", "cache", "40000"},
	 2,
	 {390, 390}},
	{"25d-cowe",
	 {"n", "384", "ranks", "8", "cache", "60000"},
	 2,
	 {384, 384}},
	{"lm-jomma",
	 {"n", "390", "ranks", "9", "panels", "nvm"},
	 2,
	 {390, 390}},
	{"ooc-auto",
	 {"n", "300", "memory-budget", "60000", "cache", "12000"},
	 2,
	 {300, 300}},
	{"einsum",
	 {"spec", "aib,bja->ij", "dims", "a=40,b=50,i=70,j=90"},
	 2,
	 {70, 90}},
	{"einsum",
	 {"spec", "ijb,jkb->ikb", "dims", "i=30,j=40,k=20,b=100", "ranks", "3"},
	 3,
	 {30, 20, 100}},
	{"einsum",
	 {"spec", "bij,bjk->bik", "dims", "b=101,i=30,j=40,k=20"},
	 3,
	 {101, 30, 20}},
	{"einsum",
	 {"spec", "bij,bjk->bik", "dims", "b=7,i=60,j=70,k=50", "cache", "2000",
	  "kernel", "cowe", "write-cost", "2"},
	 3,
	 {7, 60, 50}},
	{"sttsv", {"n", "130", "entries", "exact"}, 1, {130}},
	{"sttsv",
	 {"n", "130", "ranks", "5", "steiner", "cubic", "entries", "exact"},
	 1,
	 {130}},
	{"sttsv",
	 {"n", "60", "order", "4", "ranks", "3", "steiner", "cover", "entries",
	  "exact"},
	 1,
	 {60}},
	{"sttsv", {"n", "44", "order", "4", "entries", "exact"}, 1, {44}},
	{"sttsv-naive", {"n", "80", "ranks", "4", "entries", "exact"}, 1, {80}},
	{"cpgrad",
	 {"n", "120", "cp-rank", "5", "entries", "exact"},
	 2,
	 {120, 5}},
	{"sttsv-sequence",
	 {"n", "60", "ranks", "2", "entries", "exact"},
	 1,
	 {60}},
	{"ooc-auto",
	 {"spec", "bij,bjk->bik", "dims", "b=3,i=60,j=70,k=50", "memory-budget",
	  "20000", "cache", "6000", "ranks", "2"},
	 3,
	 {3, 60, 50}},
	{"ooc-auto",
	 {"spec", "aib,bja->ij", "dims", "a=30,b=40,i=70,j=60", "memory-budget",
	  "20000", "cache", "6000"},
	 2,
	 {70, 60}},
};

/* Sums are not exact, and each number of threads has its order of them. */
static const struct example rounds = {
	"sttsv", {"n", "24", "order", "5"}, 1, {24}};

/* Iterations multiply such differences. */
static const struct example iterates = {
	"hopm", {"n", "120", "ranks", "2", "steiner", "cover"}, 1, {120}};

static double result[2][MOST_WORDS];

static void set(struct asl_task *task, const char *option, const char *value)
{
	if (asl_task_set(task, option, *value ? value : NULL))
		fail_msg("%s %s: %s", option, value, asl_why());
}

static struct asl_task *run(const struct example *x, const char *threads,
			    double *to)
{
	struct asl_task *task;

	assert_int_equal(asl_task_open(&task, x->algorithm), 0);
	/* The share of more cores is another S. */
	set(task, "cache", "200k");
	for (int i = 0; x->options[i]; i += 2)
		set(task, x->options[i], x->options[i + 1]);
	set(task, "threads", threads);
	memset(to, 0, sizeof result[0]);
	assert_int_equal(asl_task_result(task, to, x->dims, x->size, NULL), 0);
	if (asl_task_run(task))
		fail_msg("%s, %s threads: %s", x->algorithm, threads,
			 asl_why());
	return task;
}

/* Columns that may differ between two runs, with and without threads. */
static bool may_differ(const char *name)
{
#define TEXT(column, role, value) {#column, ASL_##role == ASL_VARIES},
#define COUNT(column, role, known, value) {#column, ASL_##role == ASL_VARIES},
#define NUMBER(column, role, known, value) {#column, ASL_##role == ASL_VARIES},
	static const struct {
		const char *name;
		bool varies;
	} columns[] = {
#include "bench/library/columns.def"
	};

	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (!strcmp(name, columns[i].name) && columns[i].varies)
			return true;
	/* What threads take is not predicted; "predicted_q..." and "_equal" are. */
	return !strcmp(name, "residual") || !strcmp(name, "threads") ||
	       (!strncmp(name, "predicted_", 10) &&
		!strcmp(name + strlen(name) - 2, "_s"));
}

static void columns_agree(struct asl_task *const task[2])
{
	char *names = strdup(asl_task_csv(task[0])), *rest = names;

	assert_non_null(names);
	names[strcspn(names, "\n")] = '\0';
	for (char *name; (name = strsep(&rest, ","));) {
		const char *a = asl_task_text(task[0], 0, name);
		const char *b = asl_task_text(task[1], 0, name);

		if (!may_differ(name) && strcmp(a, b))
			fail_msg("%s: %s, with threads %s",
				 asl_task_text(task[0], 0, "algorithm"), a, b);
	}
	free(names);
}

/* Seconds have a point or an exponent. */
static bool is_count(const char *at, size_t length)
{
	return !memchr(at, '.', length) && !memchr(at, 'e', length);
}

/* All columns of each rank and phase but run_id and seconds, which are no counts. */
static void counters_agree(struct asl_task *const task[2])
{
	const char *at[2] = {asl_task_ranks_csv(task[0]),
			     asl_task_ranks_csv(task[1])};

	assert_true(strlen(at[0]) > 300);
	for (int column = 0; *at[0] && *at[1]; column++) {
		size_t length[2] = {strcspn(at[0], ",\n"),
				    strcspn(at[1], ",\n")};
		bool same = length[0] == length[1] &&
			    !memcmp(at[0], at[1], length[0]);

		if (!same && column != 1 && is_count(at[0], length[0]) &&
		    is_count(at[1], length[1]))
			fail_msg("%s, column %d: %.*s, with threads %.*s",
				 asl_task_text(task[0], 0, "algorithm"), column,
				 (int)length[0], at[0], (int)length[1], at[1]);
		if (at[0][length[0]] == '\n')
			column = -1;
		at[0] += length[0] + 1;
		at[1] += length[1] + 1;
	}
	assert_int_equal(*at[0], *at[1]);
}

static bool results_agree(double tolerance)
{
	const double *a = result[0], *b = result[1];

	for (int i = 0; i < MOST_WORDS; i++)
		if (!(fabs(a[i] - b[i]) <= tolerance * fabs(a[i])))
			return false;
	return true;
}

static void alike(const struct example *x, const char *threads,
		  double tolerance)
{
	struct asl_task *task[] = {run(x, "1", result[0]),
				   run(x, threads, result[1])};

	assert_string_equal(asl_task_text(task[0], 0, "threads"), "1");
	assert_string_equal(asl_task_text(task[1], 0, "threads"), threads);
	assert_string_equal(asl_task_text(task[1], 0, "verified"), "1");
	columns_agree(task);
	counters_agree(task);
	if (!results_agree(tolerance))
		fail_msg("%s: another result with %s threads", x->algorithm,
			 threads);
	asl_task_close(task[0]);
	asl_task_close(task[1]);
}

static void nothing_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		alike(&examples[i], i % 2 ? "2" : "3", 0);
	alike(&rounds, "3", 1e-12);
}

static void as_predicted(void **state)
{
	struct asl_task *task = run(&iterates, "3", result[0]);

	(void)state;
	assert_string_equal(asl_task_text(task, 0, "verified"), "1");
	assert_string_equal(asl_task_text(task, 0, "predicted_equal"), "1");
	asl_task_close(task);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_else),
					   cmocka_unit_test(as_predicted)};

	setenv("ASLANT_NVM_DIR", "/dev/shm", 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
