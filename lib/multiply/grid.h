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

/* What the busiest of all ranks is predicted to count, by various measures. */
struct asl_forecast {
	double q[ASL_ACCOUNTINGS];
	uint64_t read, written, bh; /* B_r, B_w, B_h */
	uint64_t memory_high, pool_high;
	uint64_t need; /* for a budget: the former, or what is enough */
};

/*
 * Of all ranks up to a few thousand, and beyond that of the corners and seams
 * of the grid, where blocks and shares change size.
 */
struct asl_forecast asl_forecast(const struct asl_plan *plan);

#endif
