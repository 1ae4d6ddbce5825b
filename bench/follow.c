/*
 * follow.c -- how the job that was launched ends
 */
#include "bench/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/say.h"
#include "net/net.h"

#define TOLD "; the job ends\n" /* guards say it last; net/guard.c */
#define TERM_S 1.5		/* after that the launcher is told to end */
#define KILL_S 3		/* and killed */
#define TICK_NS 100000000
#define SWEEPS 5

struct following {
	pid_t launcher;
	int errors;
	char line[1024]; /* as far as it has come */
	size_t length;
	double told_s; /* when a guard said that the job ends; 0: none has */
	bool terminated;
};

static const int passed_on[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
				SIGUSR1, SIGUSR2, SIGCONT, SIGALRM};

#define PASSED_ON (sizeof passed_on / sizeof passed_on[0])

static volatile sig_atomic_t launcher_pid, ended_by;
static sigset_t before;

/* The terminal's reach the launcher by themselves: it is in our group. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP)
		ended_by = signal;
	if (info->si_code <= 0 || signal == SIGCONT)
		kill((pid_t)launcher_pid, signal);
}

static void wake(int signal)
{
	(void)signal;
}

void asl_follow_prepare(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
}

void asl_follow_unprepare(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void catch_signals(void)
{
	struct sigaction pass = {.sa_sigaction = pass_on,
				 .sa_flags = SA_SIGINFO},
			 child = {.sa_handler = wake}, was;

	for (size_t i = 0; i < PASSED_ON; i++)
		if (!sigaction(passed_on[i], NULL, &was) &&
		    was.sa_handler != SIG_IGN)
			sigaction(passed_on[i], &pass, NULL);
	sigaction(SIGCHLD, &child, NULL);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- What is said ---- */

static bool is_told(const struct following *f)
{
	size_t end = strlen(TOLD);

	return f->length >= end && !strncmp(f->line, "aslant: ", 8) &&
	       !memcmp(f->line + f->length - end, TOLD, end);
}

static void listen_to(struct following *f, const char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (f->length == sizeof f->line)
			f->length = 0;
		f->line[f->length++] = at[i];
		if (at[i] != '\n')
			continue;
		if (is_told(f) && f->told_s <= 0)
			f->told_s = now_s();
		f->length = 0;
	}
}

static void pass_bytes(const char *at, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(STDERR_FILENO, at, bytes);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		at += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
}

/* All that is there; false: there will be no more. */
static bool hear(struct following *f)
{
	char text[4096];
	ssize_t n;

	while ((n = read(f->errors, text, sizeof text)) > 0) {
		/* A launcher that is told to end complains about it. */
		if (!f->terminated)
			pass_bytes(text, (size_t)n);
		listen_to(f, text, (size_t)n);
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* ---- The end ---- */

static void hurry(struct following *f)
{
	double since = f->told_s > 0 ? now_s() - f->told_s : 0;

	if (since > TERM_S && !f->terminated) {
		kill(f->launcher, SIGTERM);
		f->terminated = true;
	}
	if (since > KILL_S)
		kill(f->launcher, SIGKILL);
}

/* The last ranks may take a moment to be gone. */
static void sweep(void)
{
	struct timespec tick = {0, TICK_NS};

	for (int i = 0; i < SWEEPS; i++) {
		nanosleep(&tick, NULL);
		asl_net_sweep();
	}
}

static int code_of(const struct following *f, int status)
{
	if (f->told_s > 0)
		return ASL_PEER_LOST;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	/* Of ranks that all ended by a signal mpiexec may say that all is well. */
	if (!WEXITSTATUS(status) && ended_by)
		return 128 + ended_by;
	return WEXITSTATUS(status);
}

int asl_launcher_wait(pid_t launcher, int errors)
{
	struct following f = {.launcher = launcher, .errors = errors};
	int status;

	launcher_pid = launcher;
	catch_signals();
	fcntl(errors, F_SETFL, O_NONBLOCK);
	while (waitpid(launcher, &status, WNOHANG) == 0) {
		struct pollfd p = {.fd = f.errors, .events = POLLIN};
		struct timespec tick = {0, TICK_NS};

		ppoll(&p, 1, f.told_s > 0 ? &tick : NULL, &before);
		if (p.revents && !hear(&f))
			f.errors = -1;
		hurry(&f);
	}
	f.errors = errors;
	hear(&f);
	close(errors);
	if (f.told_s > 0)
		sweep();
	return code_of(&f, status);
}
