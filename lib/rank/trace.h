/*
 * trace.h -- a rank's flops and messages as a file that SimGrid replays
 *
 * A rank with a trace writes what its verbs charge to it: flops, time that words
 * take between its cache and its memory, messages.  Collectives are the messages
 * that they consist of.  `smpirun -replay` takes such files, one a rank, and
 * says how long they take on the hosts and the network of a platform.
 *
 *	RANK compute FLOPS
 *	RANK sleep SECONDS	reading and writing by the profile, a unit is 1 ns
 *	RANK send PEER 0 WORDS 0, RANK recv PEER 0 WORDS 0
 *	RANK isend PEER 0 WORDS 0, RANK irecv ..., RANK waitall
 *
 * Only phases that count are traced.  Steps that overlap with computing have no
 * place in such a trace: a rank that has one fails.
 */
#ifndef ASL_TRACE_H
#define ASL_TRACE_H

#include "lib/rank/ledger.h"

struct asl_trace;

/*
 * Make the directory, which holds a file for each rank, named by its number,
 * `ranks`, which lists them, and `hosts`, node-0 to node-(ranks - 1).
 * Negative errno, described by asl_failure(), as of all functions here.
 */
int asl_trace_prepare(const char *dir, int ranks);

int asl_trace_open(struct asl_trace **out, const char *dir, int rank);
void asl_trace_close(struct asl_trace *x); /* NULL is allowed */

/* So many of a counter, which cost so much under the APM. */
void asl_trace_work(struct asl_trace *x, enum asl_counter counter, uint64_t n,
		    double cost);

/* A step: words to one rank, words from another; either may be ASL_NET_NONE. */
void asl_trace_step(struct asl_trace *x, int to, uint64_t out, int from,
		    uint64_t in);

/* The run has ended: write what is left; NULL is allowed.  The first error. */
int asl_trace_end(struct asl_trace *x);

#endif
