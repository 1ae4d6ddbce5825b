/*
 * path.c -- candidates in the order of Q along their critical paths
 */
#include "lib/run/path.h"

#include <math.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/run/run.h"

/* Caches filled and messages sent in a second or two of simulation. */
enum { MOST_RANKS = 512, MOST_STEPS = 10000000 };

static double steps(const struct asl_candidate *x)
{
	double words = (double)x->forecast.read + (double)x->forecast.written;
	struct asl_counts total;
	struct asl_ledger first;

	asl_plan_predict(&first, &x->plan, 0);
	total = asl_ledger_total(&first);
	return x->plan.ranks *
	       (words / (double)x->plan.cache + (double)total.of[ASL_NET_MSGS]);
}

static bool can_follow(const struct asl_candidates *list)
{
	double all = 0;

	for (int i = 0; i < list->count; i++) {
		if (list->best[i].plan.ranks > MOST_RANKS)
			return false;
		all += steps(&list->best[i]);
	}
	return all <= MOST_STEPS;
}

static int take(const struct asl_rep *rep, void *arg)
{
	struct asl_candidate *x = arg;

	memcpy(x->path, rep->q_path, sizeof rep->q_path);
	x->seconds = isnan(rep->predicted_s) ? 0 : rep->predicted_s;
	memcpy(x->part_s, rep->predicted_part_s, sizeof x->part_s);
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
	bool found = !asl_run(&want, take, x);

	asl_forget_failure();
	return found;
}

static void forget(struct asl_candidate *x)
{
	memset(x->path, 0, sizeof x->path);
	x->seconds = 0;
}

bool asl_path_seconds(struct asl_candidate *x, double *patience)
{
	double needed;

	x->forecast = asl_forecast(&x->plan);
	if (x->plan.ranks > MOST_RANKS)
		return false;
	needed = steps(x) / MOST_STEPS;
	if (needed > *patience)
		return false;
	*patience -= needed;
	return follow(x) && x->seconds > 0;
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
	if (list->count &&
	    (list->best->plan.overlap || list->best->plan.by_time))
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

static int find(struct asl_candidates *list, const struct asl_plan *base,
		asl_planner *planner)
{
	int top = list->top, err;

	list->top = asl_path_looks(top, base);
	err = planner(list, base);
	if (!err)
		asl_path_rank(list, top);
	return err;
}

/* A product of matrices, by time, and no place that is asked for. */
static bool may_move_panels(const struct asl_plan *base)
{
	return base->any_panels && base->by_time && !base->algorithm &&
	       base->multiplication;
}

/* Words do not tell. */
static bool knows_time(const struct asl_candidates *list)
{
	return list->count && list->best->seconds > 0;
}

int asl_path_find(struct asl_candidates *list, const struct asl_plan *base,
		  asl_planner *planner)
{
	struct asl_candidates other = asl_candidates(list->top), faster;
	struct asl_plan x = *base;
	int err = find(list, &x, planner), other_err;

	if (!may_move_panels(base) || (!err && !knows_time(list)))
		return err;
	x.panels = x.panels == ASL_POOL ? ASL_DRAM : ASL_POOL;
	other_err = find(&other, &x, planner);
	if (!other_err &&
	    (err || (knows_time(&other) &&
		     other.best->seconds < list->best->seconds))) {
		faster = other;
		other = *list;
		*list = faster;
		err = 0;
	}
	list->memory_needed = asl_min(list->memory_needed, other.memory_needed);
	asl_candidates_free(&other);
	return err;
}

int asl_path_best(struct asl_plan *plan, asl_planner *planner,
		  uint64_t *memory_needed)
{
	struct asl_candidates list = asl_candidates(1);
	int err = asl_path_find(&list, plan, planner);

	*memory_needed = list.memory_needed;
	if (!err)
		asl_candidates_take(plan, &list);
	return err;
}
