/*
 * schedule.h -- in which order ranks exchange the row blocks that they share
 *
 * Two ranks that work with the same row blocks exchange their shares of x, and
 * then partial sums of each other's shares of y.  That takes steps: in a step a
 * rank sends to one other rank at most, and receives from one, which may be
 * another.  Every rank sends once to each rank that it shares a row block with.
 *
 * The steps between ranks with most row blocks in common come first, then those
 * with one less, and so on: so what a rank sends in a step is about as long as
 * what it receives, and equal where everything divides.  For each such number
 * there are as many steps as some rank has peers; ranks with fewer rest in some.
 * In layouts from Steiner systems the numbers are 2 and 1, and no rank rests:
 *
 *	spherical q	q^3 / 2 + 3 q^2 / 2 - 1 steps, instead of q^3 + q - 1
 *	boolean 3	12, instead of 13
 *
 * All to all, the alternative, needs no table: in step s = 1 ... P - 1, rank p
 * sends to p + s and receives from p - s, modulo P.
 */
#ifndef ASL_SCHEDULE_H
#define ASL_SCHEDULE_H

#include "lib/symmetric/layout.h"

struct asl_schedule {
	int ranks, steps;
	int *to, *from; /* [ranks][steps]; -1: no rank */
};

/* 0, or -ENOMEM with asl_failure(). */
int asl_schedule_make(struct asl_schedule *s, const struct asl_layout *l);
void asl_schedule_free(struct asl_schedule *s); /* all zero is allowed */

/* The steps of a schedule for this system. */
int asl_steiner_steps(const struct asl_steiner_size *x);

static inline int asl_schedule_to(const struct asl_schedule *s, int rank,
				  int step)
{
	return s->to[(size_t)rank * (size_t)s->steps + (size_t)step];
}

static inline int asl_schedule_from(const struct asl_schedule *s, int rank,
				    int step)
{
	return s->from[(size_t)rank * (size_t)s->steps + (size_t)step];
}

#endif
