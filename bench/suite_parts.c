/*
 * suite_parts.c -- a suite in several jobs, as a job has one number of ranks
 *
 * Each job is this command once more, under mpiexec, with --part in place of
 * --launch: it takes the cases that have as many ranks as it has, and continues
 * the one directory that all of them fill.  Calibration is a job, too, the last.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/launch.h"
#include "bench/say.h"
#include "bench/suite.h"

static volatile pid_t job; /* that runs; 0: none */
static volatile sig_atomic_t asked_to_stop;

/* mpiexec hands it to all ranks. */
static void pass_on(int signal)
{
	asked_to_stop = 1;
	if (job)
		kill(job, signal);
}

static bool is_first(const struct asl_suite *s, int at)
{
	int ranks = s->cases[at].c.want.plan.ranks;

	for (int i = 0; i < at; i++)
		if (s->cases[i].c.want.plan.ranks == ranks)
			return false;
	return true;
}

static void watch_signals(void)
{
	struct sigaction action = {.sa_handler = pass_on};

	sigaction(SIGTERM, &action, NULL);
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return ASL_INTERNAL;
	if (asked_to_stop)
		return ASL_STOPPED;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return asl_complain(ASL_INTERNAL, "suite: a job ended by signal %d",
			    WTERMSIG(status));
}

/* As fork; without us the child is stopped, too. */
static pid_t begin(void)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	return child;
}

/* What `begin` has returned to the parent; the child's exit code. */
static int follow(pid_t child)
{
	int code;

	if (child < 0)
		return asl_complain(ASL_NO_MACHINE,
				    "suite: cannot start a job: %s",
				    strerror(errno));
	job = child;
	if (asked_to_stop)
		kill(child, SIGTERM);
	code = wait_for(child);
	job = 0;
	return code;
}

/* ---- Parts ---- */

static int run_part(int ranks, int argc, char **argv)
{
	pid_t child = begin();

	if (!child)
		_exit(asl_launch(ranks, argc, argv, 0));
	return follow(child);
}

static int run_parts(const struct asl_suite *s, int argc, char **argv)
{
	int worst = 0, code = 0;

	watch_signals();
	for (int i = 0; code <= ASL_CHECK_FAILED && i < s->count; i++) {
		if (!is_first(s, i))
			continue;
		code = run_part(s->cases[i].c.want.plan.ranks, argc, argv);
		worst = code > worst ? code : worst;
	}
	return worst;
}

static bool are_one(const struct asl_suite *s)
{
	for (int i = 1; i < s->count; i++)
		if (s->cases[i].c.want.plan.ranks !=
		    s->cases[0].c.want.plan.ranks)
			return false;
	return true;
}

int asl_suite_launch(const struct asl_suite *s, const struct asl_options *o,
		     int argc, char **argv)
{
	char **args;
	int code;

	if (are_one(s) && !s->calibrate)
		return asl_launch(s->cases[0].c.want.plan.ranks, argc, argv,
				  o->launch_at + 1);
	if (!o->out || o->csv)
		return asl_complain(ASL_BAD_INPUT,
				    "--launch: this suite takes several jobs, "
				    "and --out to collect the rows (not "
				    "--csv)");
	args = calloc((size_t)argc + 1, sizeof *args);
	if (!args)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	memcpy(args, argv, (size_t)argc * sizeof *args);
	args[o->launch_at + 1] = "--part";
	code = run_parts(s, argc, args);
	free(args);
	return code;
}

/* ---- Calibration ---- */

static void exec_calibrate(const struct asl_suite *s,
			   const struct asl_options *o, char *path)
{
	char *args[8] = {"aslant", "calibrate", path};
	int count = 3;

	if (s->calibrate == ASL_CALIBRATE_QUICK)
		args[count++] = "--quick";
	if (o->nvm_dir) {
		args[count++] = "--nvm-dir";
		args[count++] = (char *)o->nvm_dir;
	}
	if (o->csv && !strcmp(o->csv, "-"))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execv("/proc/self/exe", args);
	_exit(asl_complain(ASL_INTERNAL, "suite: cannot calibrate: %s",
			   strerror(errno)));
}

int asl_suite_calibrate(const struct asl_suite *s, const struct asl_options *o)
{
	char path[PATH_MAX];
	pid_t child;

	if (!s->calibrate || o->part || (o->store && !strcmp(o->store, "null")))
		return 0;
	if (!o->out || asl_job().size) {
		asl_complain(0, "note: nothing is calibrated %s",
			     o->out ? "inside a job; see aslant calibrate"
				    : "without --out");
		return 0;
	}
	snprintf(path, sizeof path, "%s/calibrated.json", o->out);
	if (!access(path, F_OK))
		return 0;
	watch_signals();
	child = begin();
	if (!child)
		exec_calibrate(s, o, path);
	return follow(child);
}
