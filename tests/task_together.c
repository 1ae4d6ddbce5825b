/*
 * task_together.c -- threads of a program use the library at once
 *
 * Each has tasks of its own, right ones and wrong ones, and must find its own
 * result, and its own line about its last error.  One may end the run of another;
 * signals stay the program's.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/library/aslant.h"

enum { CALLERS = 4, TASKS = 12, N = 70 };

struct caller {
	pthread_t thread;
	int number, wrong; /* tasks that went otherwise than they should */
	double A[N * N], C[N * N];
};

static double ones[N * N];

/* C = A 1, as all entries of B are 1. */
static int multiply(struct caller *x, struct asl_task *task)
{
	int code = asl_task_matrix(task, 0, x->A, N, N, N);

	if (!code)
		code = asl_task_matrix(task, 1, ones, N, N, N);
	if (!code)
		code = asl_task_result_matrix(task, x->C, N, N, N);
	return code ? code : asl_task_run(task);
}

static int is_right(const struct caller *x)
{
	for (int i = 0; i < N; i++) {
		double sum = 0;

		for (int j = 0; j < N; j++)
			sum += x->A[i * N + j];
		for (int j = 0; j < N; j++)
			if (x->C[i * N + j] != sum)
				return 0;
	}
	return 1;
}

static int one_task(struct caller *x, int number)
{
	static const char *const algorithm[] = {"vomm", "cannon", "3d",
						"fused"};
	struct asl_task *task;
	char wrong[16], threads[16];
	int right;

	for (int i = 0; i < N * N; i++)
		x->A[i] = (i * 7 + x->number * 13 + number) % 19;
	if (asl_task_open(&task, algorithm[(x->number + number) % 4]))
		return 0;
	snprintf(threads, sizeof threads, "%d", 1 + number % 3);
	right = !asl_task_set(task, "ranks", x->number % 2 ? "4" : "1") &&
		!asl_task_set(task, "store", "dram") &&
		!asl_task_set(task, "threads", threads) && !multiply(x, task) &&
		is_right(x);
	snprintf(wrong, sizeof wrong, "wrong-%d", x->number);
	right = right && asl_task_set(task, wrong, "1") == ASL_BAD_INPUT &&
		strstr(asl_why(), wrong);
	asl_task_close(task);
	return right;
}

static void *call(void *arg)
{
	struct caller *x = arg;

	for (int i = 0; i < TASKS; i++)
		x->wrong += !one_task(x, i);
	return NULL;
}

static void each_has_its_own(void **state)
{
	static struct caller callers[CALLERS];

	(void)state;
	for (int i = 0; i < N * N; i++)
		ones[i] = 1;
	for (int i = 0; i < CALLERS; i++) {
		callers[i].number = i;
		assert_int_equal(pthread_create(&callers[i].thread, NULL, call,
						&callers[i]),
				 0);
	}
	for (int i = 0; i < CALLERS; i++)
		pthread_join(callers[i].thread, NULL);
	for (int i = 0; i < CALLERS; i++)
		assert_int_equal(callers[i].wrong, 0);
}

static atomic_bool ended;

/* A task of hours. */
static void *run_long(void *code)
{
	struct asl_task *task;

	if (!asl_task_open(&task, "3d") && !asl_task_set(task, "n", "60") &&
	    !asl_task_set(task, "ranks", "8") &&
	    !asl_task_set(task, "reps", "1m"))
		*(int *)code = asl_task_run(task);
	asl_task_close(task);
	ended = true;
	return NULL;
}

static void a_run_is_interrupted(void **state)
{
	static struct caller next;
	pthread_t thread;
	int code = -1;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, run_long, &code), 0);
	while (!ended) {
		usleep(1000);
		asl_interrupt();
	}
	pthread_join(thread, NULL);
	assert_int_equal(code, ASL_CANCELLED);
	assert_true(one_task(&next, 0));
}

static void signals_are_the_program_s(void **state)
{
	static struct caller one;
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		one_task(&one, 0); /* of one thread */
		raise(SIGTERM);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_are_the_program_s),
		cmocka_unit_test(each_has_its_own),
		cmocka_unit_test(a_run_is_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
