/*
 * guard.h -- a rank and its guard process
 *
 * asl_net_guard starts the guard; the rest is for the ranks that have one.
 */
#ifndef ASL_NET_GUARD_H
#define ASL_NET_GUARD_H

#include "net/net.h"

/* Exit code of aslant: a rank is lost. */
enum { ASL_GUARD_LOST = 5 };

/* Between the last line and the end: mpiexec must forward the line. */
enum { ASL_GUARD_PASS_ON_US = 100000 };

/* Seconds that a rank waits before it says why: one line of many is enough. */
double asl_guard_turn_s(int rank);

/* A connection to the guard of another rank. */
struct asl_tie {
	int rank;
	char host[64];
	int fd;
	double silent; /* seconds since it was heard */
};

/* The patience of this rank's guard; NULL: there is no guard. */
const struct asl_net_patience *asl_guard_patience(void);

/* Hand a tie over: the guard has it then.  0 or a negative errno. */
int asl_guard_give(const struct asl_tie *tie);

/* Tell the guard where the rank is. */
enum asl_guard_at {
	ASL_GUARD_JOINS,  /* it waits for others to be there, too */
	ASL_GUARD_JOINED, /* all are */
	ASL_GUARD_PARTS	  /* nobody needs another rank any more */
};

void asl_guard_say(enum asl_guard_at at);

#endif
