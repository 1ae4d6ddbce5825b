/*
 * grid.h -- the processor grid: as given, or as prescribed
 */
#ifndef ASL_GRID_OPTION_H
#define ASL_GRID_OPTION_H

#include "lib/plan/plan.h"

/*
 * Check plan->grid if there is one, else choose it; without an algorithm choose
 * everything that is not given.  0, or the exit code after a complaint.
 */
int asl_grid_settle(struct asl_plan *plan);

/* The grid as text: 4x4x1. */
const char *asl_grid_text(char text[40], const struct asl_grid *g);

#endif
