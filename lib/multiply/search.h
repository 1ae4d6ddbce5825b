/*
 * search.h -- the best grids, without asking what all of them cost
 *
 * Best first: boxes of grids are kept in the order of the least that any grid in
 * them can cost (struct asl_matmul's lower_bound), single grids in the order of
 * what rank 0 is predicted to, and grids whose every rank has been asked in the
 * order of what the busiest costs.  The first in line is cut in two, or asked
 * more closely, and put back.  What comes out first as a grid that was asked
 * about everything is the best, because no cost of what is left in the line can
 * be less than what the line says; what comes out next is the second best.
 *
 * Many algorithms and kernels share one line, so that expensive ones are hardly
 * looked at.
 *
 * Where thousands of grids cost all but the same, or seem to, a proof takes long.
 * An algorithm with a kernel has so many looks, the same on every machine; then
 * its boxes are put aside, and what they could have cost at least is known.
 */
#ifndef ASL_SEARCH_H
#define ASL_SEARCH_H

#include "lib/multiply/multiply.h"
#include "lib/plan/candidates.h"

enum asl_aim {
	ASL_LEAST_COST,	 /* Q, within the budget; then nearness to the ideal */
	ASL_LEAST_WORDS, /* B_h, within the budget; then as above */
	ASL_LEAST_MEMORY /* or one that fits into the budget, if any does */
};

struct asl_search;

/* For so many plans at most; NULL: no memory is left. */
struct asl_search *asl_search_open(enum asl_aim aim, int most);

/*
 * All grids that the plan's algorithm admits within the flops limit; or the
 * plan's own, if it has one.  Kernel, costs and so on are the plan's.
 */
void asl_search_add(struct asl_search *s, const struct asl_plan *plan);

/* The prescription, if that is integer and a grid of all ranks. */
bool asl_grid_whole(struct asl_grid *g, const struct asl_plan *plan);

/*
 * The best, then the second best, ...; false: no more, or no memory is left.  The
 * plan's part is the search's, until the next call.
 */
bool asl_search_next(struct asl_search *s, struct asl_candidate *found);

/*
 * The least merit that anything put aside can have: cost, words or memory, as
 * was aimed at.  No less than what was found: then that is proven.
 */
double asl_search_lower_bound(const struct asl_search *s);

void asl_search_close(struct asl_search *s);

#endif
