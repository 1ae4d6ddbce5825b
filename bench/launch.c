/*
 * launch.c -- starting the ranks of a run with mpiexec, or what a cluster has
 */
#include "bench/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/follow.h"
#include "bench/say.h"

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
	asl_follow_unprepare();
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
	asl_follow_prepare();
	pid = fork();
	if (pid == 0)
		become(args, ends[1]);
	close(ends[1]);
	if (pid > 0)
		return asl_launcher_wait(pid, ends[0]);
	asl_follow_unprepare();
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
