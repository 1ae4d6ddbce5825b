/*
 * guard.c -- a rank's guard process, which sees that the rank is lost
 *
 * No transport sees reliably that a peer was killed, and the launcher sees
 * only that one of many has ended.  So each rank runs as the child of a guard,
 * which does nothing but wait: it knows the signal that killed or stopped the
 * rank, says so, and ends with a code at which launchers end the job.  If the
 * guard is killed instead, the kernel tells the child, which then ends, too.
 *
 * The guard keeps what it inherited open, above all the connection to the
 * launcher: if that closed with the child, the launcher could kill the guard
 * before it has spoken.
 *
 * It waits for its rank to end, to be killed, or to be stopped for too long; a
 * rank that computes for hours is none of these.  And it waits for the guards of
 * some other ranks, its ties: TCP connections on which a guard sends a byte now
 * and then.  If a host or the network between two is gone, the kernel says so,
 * because it probes, however busy anybody is.  If guard and rank are stopped
 * together, they are silent.
 *
 * Time in which this guard itself was stopped, or had no core, does not count:
 * so a whole job may be stopped and continued.
 *
 * A guard that ends the job tells its ties, and these theirs: one has said why,
 * all others end without a word, even those that the launcher cannot reach.
 */
#include "net/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/system.h"

#define ENDED_US 200000 /* the launcher kills us before */
#define ABORT_S 0.5
#define WORDLESS_S 2 /* another guard may know better */
#define LAUNCHER_S 1 /* after a guard has said why, the launcher may end all */
#define TICK_S 0.1
#define LATE_S 1 /* waiting for a core; if longer, we were stopped ourselves */
#define BEAT_MOST_S 1
#define JOINING 5 /* times the patience with a rank that is stopped */
#define ORPHAN (SIGRTMIN + 7) /* what the kernel sends if the guard dies */

enum { TIES_MOST = 32 }; /* a parent and children in a binomial tree: 1 + 31 */

struct watch {
	int rank;
	pid_t child;
	char host[64];
	int line; /* ties come from the child through it; -1: no more */
	struct asl_net_patience patience;
	const sigset_t *awake; /* the signals that may interrupt a rest */

	struct asl_tie tie[TIES_MOST];
	int ties;

	bool joins; /* the child does */
	double joins_s;
	bool stopped; /* the child is */
	int stop_signal;
	double stopped_s, since_beat_s;

	bool ending; /* after ending_s, saying this or nothing */
	double ending_s;
	int code;
	char says[256];
};

/* The last signal that the guard forwarded to the child. */
static volatile sig_atomic_t sent_on;

/* ---- What killed ranks leave in /dev/shm ---- */

/*
 * libfabric, MPICH and UCX make files there while they start, and remove their
 * names once all ranks have them; a rank that is killed before leaves them.  Such
 * a file is ours to remove if it has one of their names, belongs to this user,
 * and nobody, in whatever container, has it open or mapped: then, and only then,
 * the kernel grants a lease to write it.
 */

/* libfabric's are PID:UID:NUMBER. */
static bool is_known(const char *name)
{
	int pid, uid, number, end = 0;

	if (!strncmp(name, "mpich_shar_tmp", 14) ||
	    !strncmp(name, "ucx_shm_posix_", 14))
		return true;
	return sscanf(name, "%d:%d:%d%n", &pid, &uid, &number, &end) == 3 &&
	       end && !name[end];
}

static bool is_left(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool left;

	if (fd < 0)
		return false;
	left = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && !fcntl(fd, F_SETLEASE, F_WRLCK);
	close(fd);
	return left;
}

void asl_net_sweep(void)
{
	DIR *dir = opendir("/dev/shm");
	struct dirent *x;

	while (dir && (x = readdir(dir)))
		if (is_known(x->d_name) && is_left(dirfd(dir), x->d_name))
			unlinkat(dirfd(dir), x->d_name, 0);
	if (dir)
		closedir(dir);
}

/* ---- The end of the job ---- */

/* MPI_Abort's message; only MPICH's mpiexec is known to understand it. */
static char abort_text[] = "cmd=abort exitcode=000\n";
static int abort_fd = -1;

static void prepare_end(void)
{
	const char *fd = getenv("PMI_FD");

	if (getenv("HYDI_CONTROL_FD") && fd && *fd >= '0' && *fd <= '9')
		abort_fd = atoi(fd);
}

/*
 * End all ranks with an exit code.  A launcher that does not get it may return
 * that of ranks that it killed.  Signal handlers may call this.
 */
static _Noreturn void end_all(int code)
{
	char *digit = strchr(abort_text, '0');

	digit[0] = (char)('0' + code / 100 % 10);
	digit[1] = (char)('0' + code / 10 % 10);
	digit[2] = (char)('0' + code % 10);
	if (abort_fd >= 0 &&
	    write(abort_fd, abort_text, sizeof abort_text - 1) > 0)
		usleep(ENDED_US);
	_exit(code);
}

/* Bytes between guards; the last one is ENDS with an exit code. */
enum { BEAT = '.', BYE = 'g', ENDS = 0x80 };

static void tell(struct watch *w, int what)
{
	unsigned char word = (unsigned char)what;

	for (int i = 0; i < w->ties; i++)
		if (w->tie[i].fd >= 0)
			send(w->tie[i].fd, &word, 1,
			     MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Closing with unread input would discard our last byte: read all. */
static void hang_up(struct watch *w, int word)
{
	char rest[64];

	tell(w, word);
	for (int i = 0; i < w->ties; i++)
		if (w->tie[i].fd >= 0) {
			shutdown(w->tie[i].fd, SHUT_WR);
			while (recv(w->tie[i].fd, rest, sizeof rest,
				    MSG_DONTWAIT) > 0)
				;
			close(w->tie[i].fd);
			w->tie[i].fd = -1;
		}
}

static _Noreturn void leave(struct watch *w, const char *says)
{
	if (*says)
		fprintf(stderr, "aslant: %s; the job ends\n", says);
	hang_up(w, ENDS | w->code);
	asl_net_sweep();
	usleep(ASL_GUARD_PASS_ON_US);
	end_all(w->code);
}

static _Noreturn void end_job(struct watch *w)
{
	if (w->child > 0) {
		kill(w->child, SIGKILL);
		while (waitpid(w->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	leave(w, w->says);
}

/* The first reason is printed, unless another guard printed one. */
static void end_soon(struct watch *w, double seconds)
{
	if (!w->ending || seconds < w->ending_s)
		w->ending_s = seconds;
	w->ending = true;
}

double asl_guard_turn_s(int rank)
{
	return 0.3 * (rank < 4 ? rank : 4);
}

/* ---- The rank ---- */

/* The guard forwarded this signal: end by it, silently. */
static _Noreturn void end_by(struct watch *w, int signo)
{
	sigset_t one;

	hang_up(w, ENDS | ASL_GUARD_LOST);
	signal(signo, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, signo);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(signo);
	_exit(128 + signo);
}

/* UCX aborts when a peer is gone, whose guard may have a better reason. */
static void was_killed(struct watch *w, int signo)
{
	int pid = (int)w->child;

	w->child = 0;
	if (w->ending)
		end_job(w);
	snprintf(w->says, sizeof w->says,
		 "rank %d (pid %d on %s) was killed by signal %d (%s)", w->rank,
		 pid, w->host, signo, strsignal(signo));
	end_soon(w, signo == SIGABRT ? ABORT_S : 0);
}

/* If there are ties left, the rank left the others in the middle. */
static _Noreturn void has_ended(struct watch *w, int code)
{
	hang_up(w, ENDS | (code ? code & 0x7f : ASL_GUARD_LOST));
	_exit(code);
}

/*
 * mpiexec signals the guard and the rank together; while the guard hears, such a
 * signal stays blocked and is pending.
 */
static bool was_sent_on(int signo)
{
	sigset_t pending;

	sigemptyset(&pending);
	sigpending(&pending);
	return signo == sent_on || sigismember(&pending, signo) == 1;
}

static void look_after_child(struct watch *w)
{
	int status;

	while (w->child > 0 && waitpid(w->child, &status,
				       WNOHANG | WUNTRACED | WCONTINUED) > 0) {
		if (WIFEXITED(status))
			has_ended(w, WEXITSTATUS(status));
		if (WIFSIGNALED(status) && was_sent_on(WTERMSIG(status)))
			end_by(w, WTERMSIG(status));
		if (WIFSIGNALED(status)) {
			was_killed(w, WTERMSIG(status));
			return;
		}
		w->stopped = WIFSTOPPED(status);
		w->stop_signal = w->stopped ? WSTOPSIG(status) : 0;
		w->stopped_s = 0;
	}
}

static void mind_stop(struct watch *w, double passed)
{
	if (!w->stopped || w->ending)
		return;
	w->stopped_s += passed;
	if (w->stopped_s < w->patience.stopped)
		return;
	snprintf(w->says, sizeof w->says,
		 "rank %d (pid %d on %s) has been stopped for %d s by signal "
		 "%d (%s)",
		 w->rank, (int)w->child, w->host, w->patience.stopped,
		 w->stop_signal, strsignal(w->stop_signal));
	end_soon(w, 0);
}

/* Before there are ties nobody knows why other ranks are missing. */
static void mind_joining(struct watch *w, double passed)
{
	int most = JOINING * w->patience.stopped;

	if (!w->joins || w->ending)
		return;
	w->joins_s += passed;
	if (w->joins_s < most)
		return;
	snprintf(w->says, sizeof w->says,
		 "rank %d (pid %d on %s) has waited for %d s for all ranks to "
		 "start",
		 w->rank, (int)w->child, w->host, most);
	end_soon(w, asl_guard_turn_s(w->rank));
}

/* ---- Ties ---- */

static double beat_s(const struct watch *w)
{
	double beat = w->patience.stopped / 12.0;

	return beat > BEAT_MOST_S ? BEAT_MOST_S : beat;
}

static void hear_where(struct watch *w, enum asl_guard_at at)
{
	w->joins = at == ASL_GUARD_JOINS;
	w->joins_s = 0;
	if (at == ASL_GUARD_PARTS) {
		hang_up(w, BYE);
		w->ties = 0;
	}
}

/* The rank hands over a tie, or says where it is. */
static void hear_line(struct watch *w)
{
	struct asl_tie tie;
	char room[CMSG_SPACE(sizeof(int))];
	struct iovec piece = {&tie, sizeof tie};
	struct msghdr m = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = room,
		.msg_controllen = sizeof room,
	};
	ssize_t n = recvmsg(w->line, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	if (n == 0) {
		close(w->line);
		w->line = -1;
	}
	if (n == sizeof(enum asl_guard_at))
		hear_where(w, (enum asl_guard_at)tie.rank);
	if (n != (ssize_t)sizeof tie || !c || w->ties == TIES_MOST)
		return;
	memcpy(&tie.fd, CMSG_DATA(c), sizeof tie.fd);
	tie.silent = 0;
	w->tie[w->ties++] = tie;
}

/* End the job after so many seconds, and this rank's turn. */
static void lose(struct watch *w, struct asl_tie *tie, const char *how,
		 double seconds)
{
	if (!w->ending)
		snprintf(w->says, sizeof w->says,
			 "rank %d (on %s) lost rank %d (on %s): %s", w->rank,
			 w->host, tie->rank, tie->host, how);
	close(tie->fd);
	tie->fd = -1;
	end_soon(w, seconds + asl_guard_turn_s(w->rank));
}

static void cut(struct watch *w, struct asl_tie *tie, int cause)
{
	char how[160];

	snprintf(how, sizeof how,
		 "its host, or the network in between, does not answer (%s)",
		 strerror(cause));
	lose(w, tie, how, 0);
}

/* The other guard has said why. */
static void ends_too(struct watch *w, int code)
{
	if (!w->ending)
		tell(w, ENDS | code);
	w->code = code;
	w->says[0] = '\0';
	end_soon(w, LAUNCHER_S);
}

static void hear(struct watch *w, struct asl_tie *tie)
{
	unsigned char words[64];
	ssize_t n = recv(tie->fd, words, sizeof words, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0 && errno != ECONNRESET && errno != EPIPE) {
		cut(w, tie, errno);
		return;
	}
	tie->silent = 0;
	if (n <= 0) {
		lose(w, tie,
		     "it and its guard process have ended without a word",
		     WORDLESS_S);
	} else if (words[n - 1] & ENDS) {
		ends_too(w, words[n - 1] & ~ENDS);
	} else if (words[n - 1] == BYE) {
		close(tie->fd);
		tie->fd = -1;
	}
}

static void mind_silence(struct watch *w, struct asl_tie *tie, double passed)
{
	char how[96];

	tie->silent += passed;
	if (tie->silent < w->patience.stopped + beat_s(w) || w->ending)
		return;
	snprintf(how, sizeof how,
		 "it and its guard process have been stopped for %d s",
		 w->patience.stopped);
	lose(w, tie, how, 0);
}

static void beat(struct watch *w, double passed)
{
	w->since_beat_s += passed;
	if (w->since_beat_s < beat_s(w))
		return;
	w->since_beat_s = 0;
	tell(w, BEAT);
}

/* ---- Waiting ---- */

/* Seconds until something must be checked; 0: never. */
static double tick(const struct watch *w)
{
	if (w->stopped || w->ending)
		return TICK_S;
	return w->ties || w->joins ? beat_s(w) : 0;
}

/* Returns the seconds that passed while this guard was not stopped. */
static double rest(struct watch *w)
{
	struct pollfd fd[TIES_MOST + 1];
	double longest = tick(w), begin = asl_now(), passed;
	struct timespec t = {
		.tv_sec = (time_t)longest,
		.tv_nsec = (long)(1e9 * (longest - (double)(time_t)longest)),
	};

	for (int i = 0; i < w->ties; i++)
		fd[i] = (struct pollfd){.fd = w->tie[i].fd, .events = POLLIN};
	fd[w->ties] = (struct pollfd){.fd = w->line, .events = POLLIN};
	if (ppoll(fd, (nfds_t)w->ties + 1, longest > 0 ? &t : NULL, w->awake) >
	    0) {
		for (int i = 0; i < w->ties; i++)
			if (fd[i].revents)
				hear(w, &w->tie[i]);
		if (fd[w->ties].revents)
			hear_line(w);
	}
	passed = asl_now() - begin;
	return passed < longest + LATE_S ? passed : longest;
}

static _Noreturn void keep_watch(struct watch *w)
{
	for (;;) {
		double passed = rest(w);

		look_after_child(w);
		mind_stop(w, passed);
		mind_joining(w, passed);
		for (int i = 0; i < w->ties; i++)
			if (w->tie[i].fd >= 0)
				mind_silence(w, &w->tie[i], passed);
		beat(w, passed);
		if (w->ending && (w->ending_s -= passed) <= 0)
			end_job(w);
	}
}

/* ---- The guard ---- */

static const int passed_on[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
				SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};

#define PASSED_ON (sizeof passed_on / sizeof passed_on[0])

static volatile sig_atomic_t child;

static void pass_on(int signal)
{
	sent_on = signal;
	if (child > 0)
		kill((pid_t)child, signal);
}

static void wake(int signal)
{
	(void)signal;
}

static _Noreturn void guard(struct watch *w, const sigset_t *before)
{
	struct sigaction act = {.sa_handler = wake};
	sigset_t awake = *before;

	child = w->child;
	sigaction(SIGCHLD, &act, NULL);
	sigdelset(&awake, SIGCHLD);
	w->awake = &awake;
	keep_watch(w);
}

/* ---- The child ---- */

static char orphan_says[128];

static void orphaned(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, orphan_says, strlen(orphan_says)) < 0)
		_exit(ASL_GUARD_LOST);
	usleep(ASL_GUARD_PASS_ON_US);
	end_all(ASL_GUARD_LOST);
}

static void mind_guard(int rank, pid_t guard)
{
	struct sigaction act = {.sa_handler = orphaned};

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

static void take_line(struct watch *w, const int ends[2], pid_t pid)
{
	bool mine = pid > 0;

	w->child = pid;
	if (mine || pid == 0)
		close(ends[mine ? 1 : 0]);
	w->line = line = ends[mine ? 0 : 1];
}

void asl_net_guard(int rank, const struct asl_net_patience *limits)
{
	struct sigaction act = {.sa_handler = pass_on}, was[PASSED_ON];
	struct watch w = {
		.rank = rank,
		.patience = *limits,
		.code = ASL_GUARD_LOST,
		.line = -1,
	};
	pid_t guard_pid = getpid(), pid;
	sigset_t all, before;
	int ends[2] = {-1, -1};

	patience = *limits;
	prepare_end();
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
