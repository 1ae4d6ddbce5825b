/*
 * team.c -- the threads of a rank
 *
 * A thread that has nothing to do looks for work for a moment, and then sleeps.
 * The caller never waits for a sleeper: it does all pieces that nobody has taken,
 * closes the work, and waits for those who joined it.
 */
#include "lib/base/team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"

#if defined(__x86_64__)
#define REST() __builtin_ia32_pause()
#else
#define REST() ((void)0)
#endif

/* About 20 microseconds: verbs follow each other faster than a sleeper wakes. */
enum { LOOKS = 4000 };

struct work {
	void (*piece)(void *arg, int piece);
	void *arg;
	int pieces;
};

static struct team {
	pthread_mutex_t lock;
	pthread_cond_t begun, ended;
	pthread_t *helper;
	int helpers;
	/* Under the lock: */
	struct work work;
	bool open; /* helpers may join */
	int joined;
	bool ends;

	atomic_uint number; /* of the work, to look at without the lock */
	atomic_int next;    /* piece */
	atomic_bool busy;
} team = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.begun = PTHREAD_COND_INITIALIZER,
	.ended = PTHREAD_COND_INITIALIZER,
};

static void take_pieces(const struct work *w)
{
	int i;

	while ((i = atomic_fetch_add(&team.next, 1)) < w->pieces)
		w->piece(w->arg, i);
}

/* ---- Helpers ---- */

static void look(unsigned seen)
{
	for (int i = 0; i < LOOKS && atomic_load(&team.number) == seen; i++)
		REST();
}

/* With the lock; false: the team ends. */
static bool join(unsigned *seen, struct work *w)
{
	while (!team.ends && (!team.open || team.number == *seen))
		pthread_cond_wait(&team.begun, &team.lock);
	*seen = team.number;
	*w = team.work;
	team.joined++;
	return !team.ends;
}

static void *help(void *arg)
{
	unsigned seen = 0;
	struct work w;
	bool more;

	(void)arg;
	do {
		look(seen);
		pthread_mutex_lock(&team.lock);
		more = join(&seen, &w);
		pthread_mutex_unlock(&team.lock);
		if (more)
			take_pieces(&w);
		pthread_mutex_lock(&team.lock);
		if (--team.joined == 0)
			pthread_cond_signal(&team.ended);
		pthread_mutex_unlock(&team.lock);
	} while (more);
	return NULL;
}

/* ---- The caller ---- */

static void open_work(const struct work *w)
{
	pthread_mutex_lock(&team.lock);
	team.work = *w;
	atomic_store(&team.next, 0);
	team.open = true;
	atomic_fetch_add(&team.number, 1);
	pthread_cond_broadcast(&team.begun);
	pthread_mutex_unlock(&team.lock);
}

static void close_work(void)
{
	pthread_mutex_lock(&team.lock);
	team.open = false;
	while (team.joined)
		pthread_cond_wait(&team.ended, &team.lock);
	pthread_mutex_unlock(&team.lock);
}

static void work_alone(const struct work *w)
{
	for (int i = 0; i < w->pieces; i++)
		w->piece(w->arg, i);
}

void asl_team_run(int pieces, void (*work)(void *arg, int piece), void *arg)
{
	struct work w = {work, arg, pieces};

	if (pieces < 2 || !team.helpers || atomic_exchange(&team.busy, true)) {
		work_alone(&w);
		return;
	}
	open_work(&w);
	take_pieces(&w);
	close_work();
	atomic_store(&team.busy, false);
}

int asl_team_threads(void)
{
	return team.helpers + 1;
}

int asl_team_pieces(uint64_t words, uint64_t least)
{
	uint64_t most = words / least;

	return (int)asl_max(asl_min(most, (uint64_t)asl_team_threads()), 1);
}

static void end_helpers(void)
{
	pthread_mutex_lock(&team.lock);
	team.ends = true;
	pthread_cond_broadcast(&team.begun);
	pthread_mutex_unlock(&team.lock);
	for (int i = 0; i < team.helpers; i++)
		pthread_join(team.helper[i], NULL);
	free(team.helper);
	team.helper = NULL;
	team.helpers = 0;
	team.ends = false;
}

/* Signals that somebody sends are for the thread that knows what to say. */
static int start(int helpers)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	sigset_t others, before;
	int err = 0;

	sigfillset(&others);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_SETMASK, &others, &before);
	for (; !err && team.helpers < helpers; team.helpers += !err)
		err = pthread_create(&team.helper[team.helpers], NULL, help,
				     NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int asl_team_resize(int threads)
{
	int err;

	if (threads == asl_team_threads())
		return 0;
	end_helpers();
	if (threads < 2)
		return 0;
	team.helper = calloc((size_t)threads - 1, sizeof *team.helper);
	err = team.helper ? start(threads - 1) : ENOMEM;
	if (!err)
		return 0;
	end_helpers();
	/* EAGAIN says that there is no room for more, not that it will do. */
	return asl_fail(-ENOMEM, "--threads: %d cannot be started here: %s",
			threads, strerror(err));
}
