/*
 * bounds.c -- what no way of computing y = A x2 x x3 x betters
 *
 * Words sent or received by some rank, with the work shared evenly and x and y
 * each evenly owned (Theorem 2 of the paper that sttsv.c names):
 *
 *	2 (n (n-1) (n-2) / P)^(1/3) - 2 n/P
 *
 * It speaks of one symmetric product, in which no partial result of one
 * multiplication is used by another rank; so of sttsv alone.
 */
#include <math.h>

#include "lib/symmetric/family.h"
#include "lib/symmetric/packed.h"

static double net_words(double n, double P)
{
	return 2 * cbrt(n * (n - 1) * (n - 2) / P) - 2 * n / P;
}

double asl_symmetric_net_bound(const struct asl_plan *plan)
{
	double n = (double)plan->symmetric->n;
	int used = asl_plan_ranks(plan);

	if (plan->algorithm != &asl_symmetric_sttsv || plan->symmetric->n < 3)
		return 0;
	/* Of all ranks and of those at work: whichever is lower holds. */
	return ceil(
		fmax(0, fmin(net_words(n, used), net_words(n, plan->ranks))));
}

/* Every entry is read once by somebody, every word of Y written. */
double asl_symmetric_io_bound(const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;
	uint64_t ranks = (uint64_t)asl_plan_ranks(plan);
	uint64_t words = asl_tetrahedron(s->n) + s->n * (uint64_t)s->columns;

	return (double)asl_ceil_div(words, ranks);
}
