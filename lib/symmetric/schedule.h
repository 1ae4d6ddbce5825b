/*
 * schedule.h -- in which order ranks exchange what they share
 *
 * Two ranks that work with the same row blocks exchange: of x, each sends its own
 * shares of them; of y, each sends its partial sums of the other's shares.  The
 * exchanges are done in steps, in which a rank sends to one other rank at most,
 * and receives from one, which may be another.  Every rank sends once to each
 * that it shares a row block with, in some step.
 *
 * First come the steps between the ranks that have most row blocks in common, then
 * those with one less, and so on: so what a rank sends in a step is about as long
 * as what it receives, and equal where everything divides.  For each such number
 * there are as many steps as some rank has others to send to; ranks with fewer rest
 * in some.  In layouts from Steiner systems the numbers are 2 and 1, and nobody
 * ever rests.  There are
 *
 *	spherical q	q^3 / 2 + 3 q^2 / 2 - 1 steps, instead of q^3 + q - 1
 *	boolean 3	12, instead of 13
 *
 * The other way, all to all, needs no table: in step s = 1 ... P - 1, rank p sends
 * to p + s, and receives from p - s, modulo P.
 */
#ifndef ASL_SCHEDULE_H
#define ASL_SCHEDULE_H

#include <stddef.h>

#include "lib/symmetric/layout.h"
#include "lib/symmetric/steiner.h"

/*
 * A regular bipartite graph as permutations
 */

/*
 * From u, 0 <= u < n, go `degree` edges to what edge[u * degree] and so on say,
 * and as many come to every 0 <= v < n; several may be equal.  Afterwards u goes
 * to edge[i * n + u] in permutation i, i < degree.  0 or -ENOMEM, which is
 * also said of 2^32 edges.
 */
int asl_permutations(int *edge, int n, int degree);

/*
 * Dealing items out to places, evenly, each to one that suits it
 */

/*
 * Every item, which is a list of the places that suit it, gets one of them,
 * place_of[item], such that the fullest place has as few as can be, and the
 * others have the integer part of the average if all can.  With as many items as
 * places, and as many choices for each as items for each, that is a perfect
 * matching.  Every item needs a choice.  0 or -ENOMEM.
 */
int asl_match_evenly(int *place_of, const struct asl_lists *choices,
		     int places);

struct asl_schedule {
	int ranks, steps;
	int *to, *from; /* [ranks][steps]; -1: nobody */
};

/* 0, or -ENOMEM with asl_failure(). */
int asl_schedule_make(struct asl_schedule *s, const struct asl_layout *l);
void asl_schedule_free(struct asl_schedule *s); /* all zero is allowed */

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
