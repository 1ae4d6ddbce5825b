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

/* One of the launcher's outputs, which is passed on line by line. */
struct stream {
	int from, to;	 /* from -1: there will be no more */
	char line[1024]; /* as far as it has come */
	size_t length;
};

enum { OUT, ERRORS, STREAMS };

struct following {
	pid_t launcher;
	struct stream stream[STREAMS];
	int unwritten; /* errno of a stdout that cannot be written */
	double told_s; /* when a guard said that the job ends; 0: none has */
	bool terminated;
	int stopped; /* the signal that stopped rank 0, as it said; 0: none has */
};

static const int passed_on[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
				SIGUSR1, SIGUSR2, SIGCONT, SIGALRM};

#define PASSED_ON (sizeof passed_on / sizeof passed_on[0])

static volatile sig_atomic_t launcher_pid, ended_by;

/* What signals did before the launcher was forked, and while we wait for it. */
static struct sigaction passed_on_before[PASSED_ON], child_before;
static sigset_t before, awake;

/* The terminal's reach the launcher by themselves: it is in our group. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP)
		ended_by = signal;
	if (launcher_pid && (info->si_code <= 0 || signal == SIGCONT))
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
	/* Who started us may have blocked it. */
	awake = before;
	sigdelset(&awake, SIGCHLD);
}

static void follow_unprepare(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void catch_signals(void)
{
	struct sigaction pass = {.sa_sigaction = pass_on,
				 .sa_flags = SA_SIGINFO},
			 child = {.sa_handler = wake};

	for (size_t i = 0; i < PASSED_ON; i++) {
		struct sigaction *was = &passed_on_before[i];

		sigaction(passed_on[i], NULL, was);
		if (was->sa_handler != SIG_IGN)
			sigaction(passed_on[i], &pass, NULL);
	}
	sigaction(SIGCHLD, &child, &child_before);
}

/* Signals that came last still count as those that ended the job. */
static void release_signals(void)
{
	struct timespec now = {0, 0};

	launcher_pid = 0;
	ppoll(NULL, 0, &now, &awake);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &passed_on_before[i], NULL);
	sigaction(SIGCHLD, &child_before, NULL);
	follow_unprepare();
}

/* ---- Output of the launcher ---- */

static bool begins_with(const struct stream *s, const char *text)
{
	size_t length = strlen(text);

	return s->length >= length && !memcmp(s->line, text, length);
}

static bool is_told(const struct stream *s)
{
	size_t end = strlen(TOLD);

	return s->length >= end && begins_with(s, "aslant: ") &&
	       !memcmp(s->line + s->length - end, TOLD, end);
}

/* 0, or errno. */
static int pass_bytes(int to, const char *at, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(to, at, bytes);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return errno;
		at += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* "aslant: run em-jomma was stopped by SIGINT": the number; 0: another line. */
static int stopped_by(const struct stream *s)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU};
	const char *at = memmem(s->line, s->length, STOPPED, strlen(STOPPED));
	size_t name_at = strlen(STOPPED);

	for (size_t i = 0; at && i < sizeof numbers / sizeof numbers[0]; i++) {
		const char *name = sigabbrev_np(numbers[i]);

		if (!strncmp(at + name_at, name, strlen(name)))
			return numbers[i];
	}
	return 0;
}

/*
 * Once it is to end, a launcher says, on either, how each rank has: only our
 * own lines and rows are of use then.  A line is decided on by its beginning.
 */
static bool is_noise(const struct following *f, const struct stream *s)
{
	if (begins_with(s, "[mpiexec@") && (f->stopped || ended_by))
		return true;
	if (!f->terminated && !f->stopped && !ended_by)
		return begins_with(s, "[mpiexec@") &&
		       memmem(s->line, s->length, "Ctrl-C", 6);
	if (s == &f->stream[ERRORS])
		return !begins_with(s, "aslant: ");
	return s->line[0] == '\n' || s->line[0] == '=' ||
	       begins_with(s, "Ctrl-C caught") ||
	       begins_with(s, "YOUR APPLICATION") ||
	       begins_with(s, "This typically") ||
	       begins_with(s, "Please see the FAQ");
}

/* Up to the end of a line, or as far as it has come: progress has no ends. */
static void take(struct following *f, struct stream *s, const char *at,
		 size_t bytes)
{
	size_t room = sizeof s->line - s->length;
	int err = 0;

	memcpy(s->line + s->length, at, bytes < room ? bytes : room);
	s->length += bytes < room ? bytes : room;
	if (!is_noise(f, s))
		err = pass_bytes(s->to, at, bytes);
	if (s == &f->stream[OUT] && err)
		f->unwritten = err;
	if (at[bytes - 1] != '\n')
		return;
	if (is_told(s) && f->told_s <= 0)
		f->told_s = asl_now();
	if (!f->stopped && begins_with(s, "aslant: "))
		f->stopped = stopped_by(s);
	s->length = 0;
}

/* All that is there. */
static void hear(struct following *f, struct stream *s)
{
	char text[4096];
	ssize_t n;

	while ((n = read(s->from, text, sizeof text)) > 0)
		for (char *at = text, *end; at < text + n; at = end) {
			end = memchr(at, '\n', (size_t)(text + n - at));
			end = end ? end + 1 : text + n;
			take(f, s, at, (size_t)(end - at));
		}
	if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(s->from);
		s->from = -1;
	}
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
	/* mpiexec reports success then, or 2, or the bits of 2 and 9 together. */
	if (ended_by || f->stopped)
		return 128 + (ended_by ? ended_by : f->stopped);
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	if (!WEXITSTATUS(status) && f->unwritten)
		return asl_complain(ASL_NO_MACHINE,
				    "cannot write to stdout: %s",
				    strerror(f->unwritten));
	return WEXITSTATUS(status);
}

/*
 * Wait for the launcher, whose stdout and stderr come through `from`, and return
 * the exit code.  What it says is passed on, signals that come to us go to it.
 *
 * Launchers take their exit code from any rank, or from those that they have
 * killed, and some wait for a host that is gone.  So once a rank's guard has said
 * that the job ends, it ends soon, with ASL_PEER_LOST.
 */
static int launcher_wait(pid_t launcher, const int from[STREAMS])
{
	struct following f = {
		.launcher = launcher,
		.stream = {{.from = from[OUT], .to = STDOUT_FILENO},
			   {.from = from[ERRORS], .to = STDERR_FILENO}},
	};
	int status;

	launcher_pid = launcher;
	catch_signals();
	while (waitpid(launcher, &status, WNOHANG) == 0) {
		struct pollfd p[STREAMS] = {{f.stream[OUT].from, POLLIN, 0},
					    {f.stream[ERRORS].from, POLLIN, 0}};
		struct timespec tick = {0, TICK_NS};

		ppoll(p, STREAMS, f.told_s > 0 ? &tick : NULL, &awake);
		/* Errors first: they name the signal that stopped the job. */
		for (int i = ERRORS; i >= OUT; i--)
			if (p[i].revents)
				hear(&f, &f.stream[i]);
		hurry(&f);
	}
	for (int i = ERRORS; i >= OUT; i--)
		if (f.stream[i].from >= 0)
			hear(&f, &f.stream[i]);
	if (f.told_s > 0)
		sweep();
	release_signals();
	if (ended_by && !f.stopped)
		asl_complain(128 + ended_by, "stopped by SIG%s",
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
static _Noreturn void become(char **args, const int to[STREAMS])
{
	int own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* A stack of UCX says nothing about the peer that it has lost. */
	setenv("UCX_HANDLE_ERRORS", "none", 0);
	asl_terminal_pass_on();
	follow_unprepare();
	close_stdin();
	dup2(to[OUT], STDOUT_FILENO);
	dup2(to[ERRORS], STDERR_FILENO);
	execvp(args[0], args);
	dup2(own, STDERR_FILENO);
	_exit(not_started(args[0]));
}

static bool make_pipes(int from[STREAMS], int to[STREAMS])
{
	for (int i = 0; i < STREAMS; i++) {
		int ends[2];

		if (pipe2(ends, O_CLOEXEC))
			return false;
		from[i] = ends[0];
		to[i] = ends[1];
		fcntl(from[i], F_SETFL, O_NONBLOCK);
	}
	return true;
}

static int launch(char **args)
{
	int from[STREAMS], to[STREAMS];
	pid_t pid;

	if (!make_pipes(from, to))
		return not_started(args[0]);
	fflush(NULL);
	follow_prepare();
	pid = fork();
	if (pid == 0)
		become(args, to);
	close(to[OUT]);
	close(to[ERRORS]);
	if (pid > 0)
		return launcher_wait(pid, from);
	follow_unprepare();
	close(from[OUT]);
	close(from[ERRORS]);
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
