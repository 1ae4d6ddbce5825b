/*
 * watch.c -- what a guard waits for
 *
 * For its rank, to end, to be killed, or to be stopped for too long; a rank that
 * computes for hours is neither.  And for the guards of some other ranks, its
 * ties: TCP connections on which a guard says a byte now and then.  If a host or
 * the network between two is gone, the kernel says so, because it probes; it is
 * no matter how busy anybody is.  If guard and rank are stopped together, they
 * are silent.
 *
 * Time in which this guard itself was stopped, or was not given a core, does not
 * count: so a whole job may be stopped and continued.
 *
 * A guard that ends the job tells its ties, and these theirs: one has said why,
 * all others end without a word, even those that the launcher cannot reach.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "net/guard.h"

#define TURN_S 0.3 /* so that of many guards one is heard */
#define TURNS 4
#define ABORT_S 0.5
#define WORDLESS_S 2 /* whoever knows better may say so */
#define LAUNCHER_S 1 /* to end the job itself, once a guard has said why */
#define TICK_S 0.1
#define LATE_S 1 /* for want of a core; for longer we were stopped ourselves */
#define BEAT_MOST_S 1
#define JOINING 5 /* times the patience with a rank that is stopped */

/* What guards say to each other: a byte, the last one with an exit code. */
enum { BEAT = '.', BYE = 'g', ENDS = 0x80 };

/* ---- Ends ---- */

static void tell(struct asl_watch *w, int what)
{
	unsigned char word = (unsigned char)what;

	for (int i = 0; i < w->ties; i++)
		if (w->tie[i].fd >= 0)
			send(w->tie[i].fd, &word, 1,
			     MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Words that have not been read would take ours back when we end. */
static void hang_up(struct asl_watch *w, int word)
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

static _Noreturn void leave(struct asl_watch *w, const char *says)
{
	if (*says)
		fprintf(stderr, "aslant: %s; the job ends\n", says);
	hang_up(w, ENDS | w->code);
	asl_net_sweep();
	usleep(ASL_PASS_ON_US);
	asl_job_end(w->code);
}

static _Noreturn void end_job(struct asl_watch *w)
{
	if (w->child > 0) {
		kill(w->child, SIGKILL);
		while (waitpid(w->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	leave(w, w->says);
}

/* What was to be said first is said, unless another guard has said it. */
static void end_soon(struct asl_watch *w, double seconds)
{
	if (!w->ending || seconds < w->ending_s)
		w->ending_s = seconds;
	w->ending = true;
}

static double turn(const struct asl_watch *w)
{
	return TURN_S * (w->rank < TURNS ? w->rank : TURNS);
}

/* ---- The rank ---- */

/* A signal that came through us was meant: end by it, and say nothing. */
static _Noreturn void end_by(struct asl_watch *w, int signo)
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

/*
 * Libraries abort when a peer is gone (UCX, where it copies from process to
 * process): the peer's guard may have something better to say.
 */
static void was_killed(struct asl_watch *w, int signo)
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

/* Ties that are there still mean that it left the others in the middle. */
static _Noreturn void has_ended(struct asl_watch *w, int code)
{
	hang_up(w, ENDS | (code ? code & 0x7f : ASL_GUARD_LOST));
	_exit(code);
}

static void look_after_child(struct asl_watch *w)
{
	int status;

	while (w->child > 0 && waitpid(w->child, &status,
				       WNOHANG | WUNTRACED | WCONTINUED) > 0) {
		if (WIFEXITED(status))
			has_ended(w, WEXITSTATUS(status));
		if (WIFSIGNALED(status) && WTERMSIG(status) == asl_guard_sent)
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

static void mind_stop(struct asl_watch *w, double passed)
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

/* Before there are ties nobody can tell why others do not come. */
static void mind_joining(struct asl_watch *w, double passed)
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
	end_soon(w, turn(w));
}

/* ---- Ties ---- */

static double beat_s(const struct asl_watch *w)
{
	double beat = w->patience.stopped / 12.0;

	return beat > BEAT_MOST_S ? BEAT_MOST_S : beat;
}

static void hear_where(struct asl_watch *w, enum asl_guard_at at)
{
	w->joins = at == ASL_GUARD_JOINS;
	w->joins_s = 0;
	if (at == ASL_GUARD_PARTS) {
		hang_up(w, BYE);
		w->ties = 0;
	}
}

/* A tie, or where the rank has come to. */
static void hear_line(struct asl_watch *w)
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
	if (n != (ssize_t)sizeof tie || !c || w->ties == ASL_TIES_MOST)
		return;
	memcpy(&tie.fd, CMSG_DATA(c), sizeof tie.fd);
	tie.silent = 0;
	w->tie[w->ties++] = tie;
}

static void lose(struct asl_watch *w, struct asl_tie *tie, const char *how)
{
	if (!w->ending)
		snprintf(w->says, sizeof w->says,
			 "rank %d (on %s) lost rank %d (on %s): %s", w->rank,
			 w->host, tie->rank, tie->host, how);
	close(tie->fd);
	tie->fd = -1;
}

static void cut(struct asl_watch *w, struct asl_tie *tie, int cause)
{
	char how[160];

	snprintf(how, sizeof how,
		 "its host, or the network in between, does not answer (%s)",
		 strerror(cause));
	lose(w, tie, how);
	end_soon(w, turn(w));
}

static void ended_wordless(struct asl_watch *w, struct asl_tie *tie)
{
	lose(w, tie, "it and its guard process have ended without a word");
	end_soon(w, WORDLESS_S + turn(w));
}

/* Whoever ends has said why. */
static void ends_too(struct asl_watch *w, int code)
{
	if (!w->ending)
		tell(w, ENDS | code);
	w->code = code;
	w->says[0] = '\0';
	end_soon(w, LAUNCHER_S);
}

static void hear(struct asl_watch *w, struct asl_tie *tie)
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
		ended_wordless(w, tie);
	} else if (words[n - 1] & ENDS) {
		ends_too(w, words[n - 1] & ~ENDS);
	} else if (words[n - 1] == BYE) {
		close(tie->fd);
		tie->fd = -1;
	}
}

static void mind_silence(struct asl_watch *w, struct asl_tie *tie,
			 double passed)
{
	char how[96];

	tie->silent += passed;
	if (tie->silent < w->patience.stopped + beat_s(w) || w->ending)
		return;
	snprintf(how, sizeof how,
		 "it and its guard process have been stopped for %d s",
		 w->patience.stopped);
	lose(w, tie, how);
	end_soon(w, turn(w));
}

static void beat(struct asl_watch *w, double passed)
{
	w->since_beat_s += passed;
	if (w->since_beat_s < beat_s(w))
		return;
	w->since_beat_s = 0;
	tell(w, BEAT);
}

/* ---- A rest ---- */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How long nothing will have to be done; 0: for ever. */
static double tick(const struct asl_watch *w)
{
	if (w->stopped || w->ending)
		return TICK_S;
	return w->ties || w->joins ? beat_s(w) : 0;
}

/* Returns the seconds that passed, without those that were not to be expected. */
static double rest(struct asl_watch *w)
{
	struct pollfd fd[ASL_TIES_MOST + 1];
	double longest = tick(w), begin = now_s(), passed;
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
	passed = now_s() - begin;
	return passed < longest + LATE_S ? passed : longest;
}

_Noreturn void asl_watch(struct asl_watch *w)
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
