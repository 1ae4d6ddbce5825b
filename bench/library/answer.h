/*
 * answer.h -- what plan and bounds find, and its rows
 */
#ifndef ASL_ANSWER_H
#define ASL_ANSWER_H

#include "bench/library/cli.h"
#include "bench/library/csv.h"

/*
 * The `top` ways of least predicted cost (see struct asl_family_cli); 0, or the exit
 * code after a complaint.
 */
int asl_plans_find(struct asl_candidate **best, int *count,
		   const struct asl_plan *base, int top, double *floor);
void asl_plans_free(struct asl_candidate *best, int count);

/* A heading and rows. */
void asl_put_plans(struct asl_csv *csv, const struct asl_candidate *best,
		   int count);
void asl_put_bounds(struct asl_csv *csv, const struct asl_bound *bound,
		    int count);

#endif
