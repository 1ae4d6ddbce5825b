/*
 * path.c -- candidates in the order of Q along their critical paths
 */
#include "lib/run/path.h"

#include <math.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/run/run.h"

/* So often all ranks fill their caches in a second or two of simulation. */
enum { MOST_RANKS = 512, MOST_FILLS = 10000000 };

static bool can_follow(const struct asl_candidates *list)
{
	double fills = 0;

	for (int i = 0; i < list->count; i++) {
		const struct asl_candidate *x = &list->best[i];
		double words =
			(double)x->forecast.read + (double)x->forecast.written;

		fills += words * x->plan.ranks / (double)x->plan.cache;
		if (x->plan.ranks > MOST_RANKS)
			return false;
	}
	return fills <= MOST_FILLS;
}

static int take(const struct asl_rep *rep, void *arg)
{
	memcpy(arg, rep->q_path, sizeof rep->q_path);
	return 0;
}

static bool follow(struct asl_candidate *x)
{
	const struct asl_run_want want = {
		.plan = x->plan,
		.transport = "sim",
		.store = "null",
		.reps = 1,
		.verify = ASL_VERIFY_NONE,
	};
	bool found = !asl_run(&want, take, x->path);

	asl_forget_failure();
	return found;
}

static void forget(struct asl_candidate *x)
{
	memset(x->path, 0, sizeof x->path);
}

static bool follow_all(struct asl_candidates *list)
{
	for (int i = 0; i < list->count; i++)
		if (!follow(&list->best[i])) {
			while (i >= 0)
				forget(&list->best[i--]);
			return false;
		}
	return true;
}

/* Among equals the one with less work for the busiest rank stays first. */
static void sort(struct asl_candidates *list)
{
	for (int i = 1; i < list->count; i++) {
		struct asl_candidate x = list->best[i];
		int at = i;

		for (; at > 0 && asl_candidate_cost(&list->best[at - 1]) >
					 asl_candidate_cost(&x);
		     at--)
			list->best[at] = list->best[at - 1];
		list->best[at] = x;
	}
}

static double least_of_others(const struct asl_candidates *list)
{
	if (list->count && list->best->plan.overlap)
		return NAN;
	return fmin(list->lower_bound, asl_candidates_limit(list));
}

void asl_path_rank(struct asl_candidates *list, int top)
{
	double others = least_of_others(list);

	if (can_follow(list) && follow_all(list)) {
		list->lower_bound = others;
		sort(list);
	}
	list->top = top;
	while (list->count > top)
		asl_plan_release(&list->best[--list->count].plan);
}
