/*
 * plan.h -- from a request for a symmetric tensor to a plan, or all candidates
 *
 *	struct asl_symmetric_request x = {.n = 600, .shift = NAN, ...};
 *	struct asl_plan plan = {.algorithm = &asl_symmetric_sttsv, .ranks = 30};
 *
 *	err = asl_symmetric_begin(&plan, &x);
 *	... cache, costs and memory ...
 *	err = asl_symmetric_settle(&plan);	or asl_symmetric_rank(&list, &plan);
 *	asl_plan_release(&plan);
 *
 * The name of a layout, in tables and in requests, describes it completely:
 *
 *	spherical-3	a Steiner system of a family, by its parameter
 *	spherical	the one of that family with most blocks for these ranks
 *	cubic		cubic heaps, for all ranks
 *	any other	a file with a Steiner system
 *	NULL		the system with most blocks for these ranks, of any family
 *
 * A system leaves ranks without a block idle.  Tables of peers grow with the
 * square of the ranks, which limits the ranks that work.
 *
 * Errors are negative errnos; asl_failure() begins with the part of the
 * request, or of the plan, that is wrong: "steiner: ...", "grid: ...", "cache:
 * ...".
 */
#ifndef ASL_SYMMETRIC_PLAN_H
#define ASL_SYMMETRIC_PLAN_H

#include "lib/plan/candidates.h"
#include "lib/symmetric/symmetric.h"

enum { ASL_SYMMETRIC_RANKS = 10000 };

struct asl_symmetric_request {
	uint64_t n;
	const char *steiner;	    /* a layout, as above; outlives the plan */
	enum asl_exchange exchange; /* any: P2P, or what the planner finds */
	int columns;		    /* cpgrad: R; 0: 8 */
	int iterations;		    /* hopm: at most; 0: 100 */
	double shift, tolerance;    /* hopm; NaN: 0 and 1e-12 */
	struct asl_grid grid; /* of algorithms on the cube; zeros: the best */
};

/*
 * Begin a plan that has its algorithm.  A plan without ranks gets those of its
 * layout or grid, or 1.  After a failure the plan has no part of this family.
 *
 *	-EINVAL		too many flops to count; no such layout or grid
 *	-ENOENT		all systems of the family need more ranks
 *	-ENOMEM
 *	other		the layout's file can't be read
 */
int asl_symmetric_begin(struct asl_plan *plan,
			const struct asl_symmetric_request *x);

/*
 * Complete a plan for its cache: make its layout, or choose the grid of least
 * Q.  A complete plan stays as it is.  Errors as above.
 */
int asl_symmetric_settle(struct asl_plan *plan);

/*
 * Add candidates for a plan that has begun: its algorithm with all layouts and
 * exchanges, or on all grids, as far as the request leaves a choice; and for
 * sttsv the algorithms to compare it with.  0, or an error of
 * asl_candidates_end.
 */
int asl_symmetric_rank(struct asl_candidates *list,
		       const struct asl_plan *base);

/*
 * The two steps of completing a layout: make the one of that name, and choose
 * `together` for a cache of S words.  False: not even one column fits, and
 * *needed words would do.
 */
int asl_symmetric_make(struct asl_symmetric *s, const char *steiner, int ranks);
bool asl_symmetric_fit(struct asl_symmetric *s, uint64_t cache,
		       uint64_t *needed);

void asl_symmetric_free(struct asl_symmetric *s); /* all zero is allowed */

#endif
