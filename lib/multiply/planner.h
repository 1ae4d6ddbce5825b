/*
 * planner.h -- every algorithm, kernel and grid, by predicted cost
 */
#ifndef ASL_PLANNER_H
#define ASL_PLANNER_H

#include "lib/multiply/multiply.h"
#include "lib/plan/candidates.h"

/*
 * Algorithms without a grid are left out beyond so many ranks: what a rank of
 * theirs counts takes a walk over a tree of all ranks.
 */
enum { ASL_MOST_WALKED = 4096 };

/*
 * Candidates: every algorithm (base->algorithm if set, else all), kernel
 * (base->kernel if set, else all) and grid (base->grid if set, else all
 * feasible).  list->lower_bound is set where a search was cut short (search.h).
 * 0, or what asl_candidates_end says.
 */
int asl_planner_rank(struct asl_candidates *list, const struct asl_plan *base);

/*
 * Choose plan->grid, and the prescription and blocks of `part`, which is the
 * plan's from here on and says what is given.
 *
 * Prescriptions are real-valued; ranks are not.  A prescription that happens to
 * be integer is taken as it is.  Else, of all integer grids with P ranks or
 * fewer (idle ranks may help) that the algorithm admits, that keep the busiest
 * rank's flops within 20% of 2mnk/P, or of the minimum where no grid does, and
 * that fit the memory budget, the one is taken whose predicted objective (Q, or
 * B_h where the algorithm says so) is least.
 *
 * -ENOMEM if every grid exceeds the memory budget: *memory_needed would be enough.
 */
int asl_grid_choose(struct asl_multiplication *part, struct asl_plan *plan,
		    uint64_t *memory_needed);

/*
 * Complete a plan of shape, ranks, machine and costs: algorithm, kernel, grid and
 * blocks, each as given or as is best.  With an algorithm it has a kernel.  The plan
 * owns its part, from malloc(), before and after.
 *
 * 0, or with asl_failure(), which calls what was given by the command's options:
 *
 *	-EINVAL		the algorithm can't work on this grid, or none can do it
 *	-ENOMEM		it does not fit into the memory budget
 */
int asl_multiply_complete(struct asl_plan *plan);

/*
 * The shape of C = A B, from dimensions (0: not given) and from operand files
 * (NULL: none), each of which fixes two of the three.  n alone is all three.  What
 * files and numbers both say must agree.
 *
 * 0; -EINVAL, if they don't, if one is missing, or if products could not be
 * counted in 63 bits; or another negative errno.  With asl_failure().
 */
int asl_shape_find(struct asl_shape *out, const struct asl_shape *given,
		   const char *a, const char *b);

#endif
