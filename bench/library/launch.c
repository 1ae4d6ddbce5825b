/*
 * launch.c -- starting the ranks of a run with mpiexec, or what a cluster has
 */
#include "bench/library/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/library/say.h"
#include "lib/base/system.h"
#include "net/net.h"

/* ---- The end of the launched job, whatever its launcher reports ---- */

#define TOLD "; the job ends\n"	  /* guards say it last; net/guard.c */
#define STOPPED " stopped by SIG" /* rank 0's word; bench/command/signals.c */
#define TERM_S 1.5		  /* after that the launcher is told to end */
#define KILL_S 3		  /* and killed */
#define TICK_NS 100000000
#define SWEEPS 5

struct following {
	pid_t launcher;
	int errors;
	char line[1024]; /* as far as it has come */
	size_t length;
	double told_s; /* when a guard said that the job ends; 0: none has */
	bool terminated;
	bool stopped; /* rank 0 said that a signal stopped it */
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

/* Before the launcher is forked: signals wait for launcher_wait. */
static void follow_prepare(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
}

static void follow_unprepare(void)
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

/* ---- Output of the launcher ---- */

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
			f->told_s = asl_now();
		if (memmem(f->line, f->length, STOPPED, strlen(STOPPED)))
			f->stopped = true;
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

static void hurry(struct following *f)
{
	double since = f->told_s > 0 ? asl_now() - f->told_s : 0;

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
	/* mpiexec may report success when a signal ended all ranks. */
	if (!WEXITSTATUS(status) && ended_by)
		return 128 + ended_by;
	return WEXITSTATUS(status);
}

/*
 * Wait for the launcher, whose stderr comes through `errors`, and return the
 * exit code.  What it says is passed on, signals that come to us go to it.
 *
 * Launchers take their exit code from any rank, or from those that they have
 * killed, and some wait for a host that is gone.  So once a rank's guard has said
 * that the job ends, it ends soon, with ASL_PEER_LOST.
 */
static int launcher_wait(pid_t launcher, int errors)
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
	if (ended_by && !f.stopped)
		asl_complain(128 + ended_by,
			     "stopped by SIG%s before the ranks had begun",
			     sigabbrev_np(ended_by));
	return code_of(&f, status);
}

#define LAUNCHER "mpiexec.mpich -n"

static const char *own_launcher(void)
{
	const char *own = getenv("ASLANT_LAUNCH");

	return own && own[strspn(own, " ")] ? own : NULL;
}

bool asl_launch_is_local(void)
{
	return !own_launcher();
}

/* mpiexec would swallow a stdin meant for others, as in a while-read loop. */
static void close_stdin(void)
{
	int null = open("/dev/null", O_RDONLY);

	if (null > 0) {
		dup2(null, 0);
		close(null);
	}
}

/* The words of the launcher, to args; how many. */
static int split(char **args, char *words)
{
	int count = 0;
	char *at;

	for (char *word = strtok_r(words, " ", &at); word;
	     word = strtok_r(NULL, " ", &at))
		args[count++] = word;
	return count;
}

static int not_started(const char *launcher)
{
	return asl_complain(ASL_NO_MACHINE, "--launch: cannot start %s: %s%s",
			    launcher, strerror(errno),
			    own_launcher() ? " (ASLANT_LAUNCH says so)"
					   : " (it is in the package mpich)");
}

/* In the child; stderr is ours until the launcher is there. */
static _Noreturn void become(char **args, int errors)
{
	int own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* A stack of UCX says nothing about the peer that it has lost. */
	setenv("UCX_HANDLE_ERRORS", "none", 0);
	follow_unprepare();
	close_stdin();
	dup2(errors, STDERR_FILENO);
	execvp(args[0], args);
	dup2(own, STDERR_FILENO);
	_exit(not_started(args[0]));
}

static int launch(char **args)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return not_started(args[0]);
	fflush(NULL);
	follow_prepare();
	pid = fork();
	if (pid == 0)
		become(args, ends[1]);
	close(ends[1]);
	if (pid > 0)
		return launcher_wait(pid, ends[0]);
	follow_unprepare();
	close(ends[0]);
	return not_started(args[0]);
}

int asl_launch(int ranks, int argc, char **argv, int leave_out)
{
	char self[PATH_MAX], count[16];
	char *words = strdup(own_launcher() ? own_launcher() : LAUNCHER);
	char **args =
		words ? calloc(strlen(words) + (size_t)argc + 4, sizeof *args)
		      : NULL;
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	int i;

	if (!args || length < 0) {
		i = asl_complain(ASL_INTERNAL,
				 "--launch: cannot find out what to start: %s",
				 strerror(errno));
		goto free_words;
	}
	self[length] = '\0';
	snprintf(count, sizeof count, "%d", ranks);
	i = split(args, words);
	args[i++] = count;
	args[i++] = self;
	for (int j = 1; j < argc; j++)
		if (j != leave_out)
			args[i++] = argv[j];
	i = launch(args);
free_words:
	free(args);
	free(words);
	return i;
}
