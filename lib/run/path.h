/*
 * path.h -- candidates in the order of Q along their critical paths
 */
#ifndef ASL_RUN_PATH_H
#define ASL_RUN_PATH_H

#include "lib/plan/candidates.h"

/*
 * A planner prunes by the busiest rank's Q, which is cheap to predict; so many
 * of the best, or as many as are asked for, are then ranked by their paths.  By
 * time these are many more: the best few of each algorithm.
 */
static inline int asl_path_looks(int top, const struct asl_plan *base)
{
	int least = base->by_time ? 64 : 10;

	return top > least ? top : least;
}

/*
 * Rank a list that has been filled by the busiest rank's Q, and keep the best
 * `top`.  Each candidate is run on sim without data, where the ranks' clocks
 * travel with the messages.  Q of the path is never less than the busiest rank's,
 * so that lower_bound is known; with overlap it may be, and lower_bound is NAN.
 *
 * For many ranks, or where the run would take long, the list stays in the order
 * that it had, and path[] of each candidate is 0.
 */
void asl_path_rank(struct asl_candidates *list, int top);

/* Fills a list with the best plans: 0, or what asl_candidates_end says. */
typedef int asl_planner(struct asl_candidates *list,
			const struct asl_plan *base);

/*
 * The `top` best plans, by their paths where these can be followed.  By time, without an
 * algorithm and with any_panels, panels of all of them are where those of the fastest
 * are.  Errors are the planner's.
 */
int asl_path_find(struct asl_candidates *list, const struct asl_plan *base,
		  asl_planner *planner);

/*
 * Complete a plan by the best of these, which takes the place of the family's part
 * that it has.  Every process that asks the same is answered the same.
 * -ENOMEM: *memory_needed words of memory would be enough.
 */
int asl_path_best(struct asl_plan *plan, asl_planner *planner,
		  uint64_t *memory_needed);

/*
 * The forecast of one plan, which the caller keeps, and its predicted seconds if the
 * path can be followed within *patience, in about seconds, less what it takes; else
 * false.
 */
bool asl_path_seconds(struct asl_candidate *x, double *patience);

#endif
