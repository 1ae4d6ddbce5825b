/*
 * grid.h -- from a prescription in real numbers to a grid of ranks
 *
 * Prescriptions are real-valued; ranks are not.  A prescription that happens to
 * be integer is taken as it is.  Else, of all integer grids with P ranks or
 * fewer (idle ranks may help) that the algorithm admits, that keep the busiest
 * rank's flops within 20% of 2mnk/P, or of the least possible where no grid
 * does, and that fit the memory budget, the one is taken whose predicted
 * objective (Q, or B_h where the algorithm says so) is least.
 */
#ifndef ASL_GRID_H
#define ASL_GRID_H

#include "lib/multiply/multiply.h"

/*
 * The grid of bricks that are `deep` times as long in k as in m and n, as far
 * as the shape allows: sides that would stick out of the matrix are cut to its
 * size, and the others grow in proportion.  In the order of the plan's axes.
 */
void asl_grid_ideal(double p[3], const struct asl_plan *plan, double deep);

/* The busiest rank's flops on the plan's grid. */
uint64_t asl_grid_flops(const struct asl_plan *plan);

/* The prescription, if that is integer and a grid of all ranks. */
bool asl_grid_whole(struct asl_grid *g, const struct asl_plan *plan);

/*
 * Choose plan->grid and plan->ideal.  -ENOMEM if every grid exceeds the memory
 * budget: *least_need is then the least that would do.
 */
int asl_grid_choose(struct asl_plan *plan, uint64_t *least_need);

/*
 * The family's forecast (lib/plan/family.h): of a grid with thousands of ranks
 * only corners and seams are asked, where blocks and shares change size.
 */
bool asl_multiply_forecast(struct asl_forecast *most,
			   const struct asl_plan *plan);

#endif
