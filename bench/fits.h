/*
 * fits.h -- is there room for a plan?
 *
 * Each returns 0, or the exit code after a complaint that names what is needed.
 */
#ifndef ASL_FITS_H
#define ASL_FITS_H

#include "lib/plan/plan.h"

/* For the plan's kernel, if it has one, in the cache. */
int asl_fits_cache(const struct asl_plan *plan);

/* For the busiest rank in the memory budget, if there is one. */
int asl_fits_budget(const struct asl_plan *plan);

#endif
