/*
 * ways.c -- a few ways of solving a problem, all asked, cheapest first
 */
#include "bench/library/ways.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void lose(const struct asl_plan *plan)
{
	struct asl_plan lost = *plan;

	asl_cli_release(&lost);
}

void asl_ways_add(struct asl_ways *x, const struct asl_plan *plan)
{
	void *more =
		reallocarray(x->found, (size_t)x->count + 1, sizeof *x->found);

	if (!more) {
		x->failed = true;
		lose(plan);
		return;
	}
	x->found = more;
	x->found[x->count++] = (struct asl_candidate){*plan, asl_forecast(plan)};
}

void asl_ways_refuse(struct asl_ways *x, const struct asl_plan *plan,
		     uint64_t need)
{
	lose(plan);
	if (!x->need || need < x->need)
		x->need = need;
}

static double q_of(const struct asl_candidate *x)
{
	return x->forecast.q[x->plan.accounting];
}

static void sort(struct asl_candidate *x, int count)
{
	for (int i = 1; i < count; i++) {
		struct asl_candidate now = x[i];
		int at = i;

		for (; at > 0 && q_of(&x[at - 1]) > q_of(&now); at--)
			x[at] = x[at - 1];
		x[at] = now;
	}
}

int asl_ways_best(struct asl_candidate **best, int *count, struct asl_ways *x,
		  int top, uint64_t *least_need, double *floor)
{
	sort(x->found, x->count);
	while (x->count > top)
		asl_cli_release(&x->found[--x->count].plan);
	*best = x->found;
	*count = x->count;
	*least_need = x->need ? x->need : UINT64_MAX;
	*floor = INFINITY;
	return x->count && !x->failed ? 0 : -ENOMEM;
}
