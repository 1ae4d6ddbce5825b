/*
 * guard.c -- who watches over a rank?
 *
 * No transport sees reliably that a peer was killed, and the launcher sees
 * only that one of many has ended.  So each rank runs as the child of a guard,
 * which does nothing but wait (watch.c): it knows the signal that killed or
 * stopped the rank, says so, and ends with a code at which launchers end the
 * job.  Should the guard be killed instead, the kernel tells the child, which
 * ends likewise.
 *
 * The guard keeps what it inherited open, the connection to the launcher above
 * all: if that closed with the child, the launcher could kill the guard before
 * it has spoken.
 */
#include "net/guard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ORPHAN (SIGRTMIN + 7) /* what the kernel sends if the guard dies */

/* ---- The guard ---- */

static const int passed_on[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
				SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};

#define PASSED_ON (sizeof passed_on / sizeof passed_on[0])

volatile sig_atomic_t asl_guard_sent;
static volatile sig_atomic_t child;

static void pass_on(int signal)
{
	asl_guard_sent = signal;
	if (child > 0)
		kill((pid_t)child, signal);
}

static void wake(int signal)
{
	(void)signal;
}

static _Noreturn void guard(struct asl_watch *w, const sigset_t *before)
{
	struct sigaction act = {.sa_handler = wake};
	sigset_t awake = *before;

	child = w->child;
	sigaction(SIGCHLD, &act, NULL);
	sigdelset(&awake, SIGCHLD);
	w->awake = &awake;
	asl_watch(w);
}

/* ---- The child ---- */

static char orphan_says[128];

static void orphaned(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, orphan_says, strlen(orphan_says)) < 0)
		_exit(ASL_GUARD_LOST);
	usleep(ASL_PASS_ON_US);
	asl_job_end(ASL_GUARD_LOST);
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

static int line = -1;
static struct asl_net_patience patience;

const struct asl_net_patience *asl_guard_patience(void)
{
	return line < 0 ? NULL : &patience;
}

static void attach(struct msghdr *m, int fd)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
}

int asl_guard_give(const struct asl_tie *tie)
{
	struct asl_tie copy = *tie;
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec piece = {&copy, sizeof copy};
	struct msghdr m = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = room,
		.msg_controllen = sizeof room,
	};

	attach(&m, tie->fd);
	return sendmsg(line, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void asl_guard_say(enum asl_guard_at at)
{
	if (line >= 0)
		send(line, &at, sizeof at, MSG_NOSIGNAL);
}

static void take_line(struct asl_watch *w, const int ends[2], pid_t pid)
{
	bool mine = pid > 0;

	w->child = pid;
	if (mine || pid == 0)
		close(ends[mine ? 1 : 0]);
	w->line = line = ends[mine ? 0 : 1];
}

void asl_net_guard(int rank, const struct asl_net_patience *bears)
{
	struct sigaction act = {.sa_handler = pass_on}, was[PASSED_ON];
	struct asl_watch w = {
		.rank = rank,
		.patience = *bears,
		.code = ASL_GUARD_LOST,
		.line = -1,
	};
	pid_t guard_pid = getpid(), pid;
	sigset_t all, before;
	int ends[2] = {-1, -1};

	patience = *bears;
	asl_job_prepare();
	gethostname(w.host, sizeof w.host - 1);
	fflush(NULL);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		ends[0] = ends[1] = -1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &act, &was[i]);
	pid = fork();
	take_line(&w, ends, pid);
	if (pid > 0)
		guard(&w, &before);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &was[i], NULL);
	if (pid == 0)
		mind_guard(rank, guard_pid);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
