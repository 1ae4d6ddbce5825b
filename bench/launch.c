/*
 * launch.c -- starting the ranks of a run with mpiexec
 */
#include "bench/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/say.h"

#define LAUNCHER "mpiexec.mpich"

/* mpiexec would swallow a stdin meant for others, as in a while-read loop. */
static void close_stdin(void)
{
	int null = open("/dev/null", O_RDONLY);

	if (null > 0) {
		dup2(null, 0);
		close(null);
	}
}

int asl_launch(int ranks, int argc, char **argv, int leave_out)
{
	char self[PATH_MAX], count[16];
	char **args = calloc((size_t)argc + 4, sizeof *args);
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	int i = 0;

	if (!args || length < 0)
		return asl_complain(ASL_INTERNAL,
				    "--launch: cannot find out "
				    "what to start: %s",
				    strerror(errno));
	self[length] = '\0';
	snprintf(count, sizeof count, "%d", ranks);
	args[i++] = LAUNCHER;
	args[i++] = "-n";
	args[i++] = count;
	args[i++] = self;
	for (int j = 1; j < argc; j++)
		if (j != leave_out)
			args[i++] = argv[j];
	close_stdin();
	execvp(LAUNCHER, args);
	free(args);
	return asl_complain(ASL_NO_MACHINE,
			    "--launch: cannot start " LAUNCHER
			    ": %s (it is in the package mpich)",
			    strerror(errno));
}
