/*
 * answer.h -- what plan and bounds find, and its rows
 */
#ifndef ASL_ANSWER_H
#define ASL_ANSWER_H

#include "bench/library/cli.h"
#include "bench/library/csv.h"

/*
 * Candidates, cheapest first, into an empty list (see struct asl_family_cli).  0, or the
 * exit code after a complaint.
 */
int asl_plans_find(struct asl_candidates *list, const struct asl_plan *base);

/* A heading and rows. */
void asl_put_plans(struct asl_csv *csv, const struct asl_candidates *list);
void asl_put_bounds(struct asl_csv *csv, const struct asl_bound *bound,
		    int count);

#endif
