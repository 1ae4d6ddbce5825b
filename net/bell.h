/*
 * bell.h -- what ranks on a host tell each other beside their messages
 */
#ifndef ASL_NET_BELL_H
#define ASL_NET_BELL_H

#include <stdbool.h>
#include <stdint.h>

#include "net/boot.h"

struct asl_bells;

/*
 * A bell for each rank of a job on one host; every rank must call it.  NULL: there
 * are none, because the ranks cannot share memory, and a rank that waits has to look
 * from time to time.
 */
struct asl_bells *asl_bells_open(const struct asl_boot *boot);
void asl_bells_close(struct asl_bells *x); /* NULL is allowed */

/* There is something for this rank. */
void asl_bells_ring(struct asl_bells *x, int rank);

/* Someone waits until it has looked, whatever it sleeps for. */
void asl_bells_wake(struct asl_bells *x, int rank);

/* How often my bell rang: asked before looking, so that no ring is missed. */
uint32_t asl_bells_rung(const struct asl_bells *x);

/*
 * Sleep until my bell has rung `more` times more, for at most so long; not at all if it
 * has rung since it was asked.
 */
void asl_bells_sleep(struct asl_bells *x, uint32_t rung, int more, long ns);

/*
 * A barrier of all ranks: arrive, and wait until it is passed.  The last to arrive
 * wakes the others.
 */
uint32_t asl_bells_arrive(struct asl_bells *x);
bool asl_bells_passed(const struct asl_bells *x, uint32_t ticket);

/* One more message from this rank is received. */
void asl_bells_took(struct asl_bells *x, int from);

/*
 * Has this rank received so many messages of mine, of all that there were?  If not, it
 * wakes me when it has received another.
 */
bool asl_bells_taken(struct asl_bells *x, int to, uint32_t number);

#endif
