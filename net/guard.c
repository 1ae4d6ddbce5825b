/*
 * guard.c -- is this process part of a job, and who watches over it?
 *
 * No transport sees reliably that a peer was killed, and the launcher sees
 * only that one of many has ended.  So each rank runs as the child of a guard,
 * which does nothing but wait: it knows the signal that killed the rank, says
 * so, and ends with a code at which launchers end the job.  Should the guard
 * be killed instead, the kernel tells the child, which ends likewise.
 *
 * The guard keeps what it inherited open, the connection to the launcher above
 * all: if that closed with the child, the launcher could kill the guard before
 * it has spoken.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/net.h"

#define PEER_LOST 5
#define PASS_ON_US 100000     /* mpiexec drops what it has not passed on */
#define ORPHAN (SIGRTMIN + 7) /* what the kernel sends if the guard dies */

/* ---- The job ---- */

static bool number(const char *name, long long *value)
{
	const char *text = getenv(name);
	char *end;

	if (!text || !*text)
		return false;
	*value = strtoll(text, &end, 10);
	return !*end && *value >= 0;
}

/*
 * srun's steps count from 0; the shells of sbatch and salloc, which have the
 * same variables, run in steps with reserved numbers or in none.
 */
static bool in_step(void)
{
	long long step;

	return (number("SLURM_STEP_ID", &step) ||
		number("SLURM_STEPID", &step)) &&
	       step < 0xfffffff0;
}

static bool find_job(long long *rank, long long *size)
{
	if (number("PMI_RANK", rank) && number("PMI_SIZE", size))
		return true;
	if (number("PMIX_RANK", rank) && number("OMPI_COMM_WORLD_SIZE", size))
		return true;
	return in_step() && number("SLURM_PROCID", rank) &&
	       (number("SLURM_STEP_NUM_TASKS", size) ||
		number("SLURM_NTASKS", size));
}

bool asl_net_job(int *rank, int *size)
{
	long long r, s;

	if (!find_job(&r, &s) || r >= s || s > INT32_MAX)
		return false;
	*rank = (int)r;
	*size = (int)s;
	return true;
}

/* ---- The guard ---- */

static const int passed_on[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
				SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};

#define PASSED_ON (sizeof passed_on / sizeof passed_on[0])

static volatile sig_atomic_t child, sent;

static void pass_on(int signal)
{
	sent = signal;
	if (child > 0)
		kill((pid_t)child, signal);
}

static _Noreturn void speak(int rank, int signal)
{
	char host[64] = "?";

	gethostname(host, sizeof host - 1);
	fprintf(stderr,
		"aslant: rank %d (pid %d on %s) was killed by signal %d (%s); "
		"the job ends\n",
		rank, (int)child, host, signal, strsignal(signal));
	usleep(PASS_ON_US);
	_exit(PEER_LOST);
}

/* A signal that came through us was meant: end by it, and say nothing. */
static _Noreturn void end_by(int signo)
{
	sigset_t one;

	signal(signo, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, signo);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(signo);
	_exit(128 + signo);
}

static _Noreturn void watch(int rank)
{
	int status = 0;

	while (waitpid((pid_t)child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status) && WTERMSIG(status) == sent)
		end_by(sent);
	if (WIFSIGNALED(status))
		speak(rank, WTERMSIG(status));
	_exit(WEXITSTATUS(status));
}

/* ---- The child ---- */

static char orphan_says[128];

static void orphaned(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, orphan_says, strlen(orphan_says)) < 0)
		_exit(PEER_LOST);
	_exit(PEER_LOST);
}

/*
 * Libraries of some networks catch these as they are loaded, print addresses
 * and exit with code 1, which hides from the guard what happened.
 */
static void die_visibly(void)
{
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

	for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
		signal(deadly[i], SIG_DFL);
}

static void mind_guard(int rank, pid_t guard)
{
	struct sigaction act = {.sa_handler = orphaned};

	die_visibly();
	snprintf(orphan_says, sizeof orphan_says,
		 "aslant: rank %d (pid %d) lost its guard process; the job "
		 "ends\n",
		 rank, (int)getpid());
	sigaction(ORPHAN, &act, NULL);
	prctl(PR_SET_PDEATHSIG, ORPHAN);
	if (getppid() != guard)
		raise(ORPHAN);
}

void asl_net_guard(int rank)
{
	struct sigaction act = {.sa_handler = pass_on}, was[PASSED_ON];
	pid_t guard = getpid(), pid;
	sigset_t all, before;

	fflush(NULL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &act, &was[i]);
	pid = fork();
	if (pid > 0) {
		child = pid;
		sigprocmask(SIG_SETMASK, &before, NULL);
		watch(rank);
	}
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &was[i], NULL);
	if (pid == 0)
		mind_guard(rank, guard);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
