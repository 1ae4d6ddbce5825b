/*
 * net_load.c -- transports that load libraries leave signals as they were
 *
 * Some of those libraries catch signals as they start.  Each transport is opened
 * by a process of its own, where signals are caught, ignored, or left alone.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "net/net.h"

static void caught(int number)
{
	(void)number;
}

static void (*expected(int number))(int)
{
	static void (*const how[])(int) = {caught, SIG_IGN, SIG_DFL};

	return number == SIGINT || number == SIGTERM ? caught : how[number % 3];
}

static bool is_ours(int number)
{
	return number != SIGKILL && number != SIGSTOP && number != SIGCHLD &&
	       (number < 32 || number >= SIGRTMIN);
}

static int count_changed(void)
{
	int changed = 0;

	for (int i = 1; i <= SIGRTMAX; i++) {
		struct sigaction now = {0};

		if (!is_ours(i) || sigaction(i, NULL, &now))
			continue;
		if (now.sa_handler == expected(i))
			continue;
		fprintf(stderr, "signal %d (%s) has changed\n", i,
			strsignal(i));
		changed++;
	}
	return changed;
}

static int look(struct asl_net *net, void *arg)
{
	int *changed = arg;

	*changed = count_changed();
	return asl_net_barrier(net);
}

/* Returns an exit code. */
static int open_transport(const char *name)
{
	struct asl_net_want want = {.transport = name, .data = true};
	int changed = -1, err;

	if (!strcmp(name, "sim"))
		want.ranks = 1;
	for (int i = 1; i <= SIGRTMAX; i++)
		if (is_ours(i))
			signal(i, expected(i));
	err = asl_net_run(&want, look, &changed);
	if (err)
		fprintf(stderr, "%s: %s\n", name, asl_failure());
	return err || changed || count_changed();
}

static void leaves_signals(void **state)
{
	(void)state;
	for (const char *const *name = asl_net_transports(); *name; name++) {
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit(open_transport(*name));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
