/*
 * guard.h -- a rank's guard, and what ties it to the guards of other ranks
 */
#ifndef ASL_NET_GUARD_H
#define ASL_NET_GUARD_H

#include <signal.h>
#include <sys/types.h>

#include "net/net.h"

/* Exit code of aslant: a rank is lost. */
enum { ASL_GUARD_LOST = 5 };

/* From the last line to the end: mpiexec drops what it has not passed on. */
enum { ASL_PASS_ON_US = 100000 };

/* A connection to the guard of another rank. */
struct asl_tie {
	int rank;
	char host[64];
	int fd;
	double silent; /* seconds since it was heard */
};

/* A rank has a tie to a parent and to children in a binomial tree: 1 + 31. */
enum { ASL_TIES_MOST = 32 };

/* What a guard knows; guard.c begins, watch.c goes on. */
struct asl_watch {
	int rank;
	pid_t child;
	char host[64];
	int line; /* ties come from the child through it; -1: no more */
	struct asl_net_patience patience;
	const sigset_t *awake; /* the signals that may interrupt a rest */

	struct asl_tie tie[ASL_TIES_MOST];
	int ties;

	bool joins; /* the child does */
	double joins_s;
	bool stopped; /* the child is */
	int stop_signal;
	double stopped_s, since_beat_s;

	bool ending; /* in so many seconds, with these words or none */
	double ending_s;
	int code;
	char says[256];
};

/* Signals that came to the guard and went on to the child: the last one. */
extern volatile sig_atomic_t asl_guard_sent;

/*
 * End all ranks with an exit code.  A launcher that is not told it may take its
 * own from the ranks that it then kills.  Signal handlers may call it.
 */
void asl_job_prepare(void);
_Noreturn void asl_job_end(int code);

/* Wait until the child, or the job, has ended. */
_Noreturn void asl_watch(struct asl_watch *w);

/*
 * In the child: what the guard bears with, NULL if there is none; hand a tie
 * over (the guard has it then); and say where the rank has come to.
 */
enum asl_guard_at {
	ASL_GUARD_JOINS,  /* it waits for others to be there, too */
	ASL_GUARD_JOINED, /* all are */
	ASL_GUARD_PARTS	  /* nobody needs another rank any more */
};

const struct asl_net_patience *asl_guard_patience(void);
int asl_guard_give(const struct asl_tie *tie);
void asl_guard_say(enum asl_guard_at at);

#endif
