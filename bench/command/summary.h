/*
 * summary.h -- a repetition for people
 */
#ifndef ASL_SUMMARY_H
#define ASL_SUMMARY_H

#include <stdio.h>

#include "bench/library/case.h"

/* The case, and everything that all repetitions share. */
void asl_summary_counts(FILE *f, const struct asl_case *c,
			const struct asl_rep *rep);

/* Time and verification. */
void asl_summary_times(FILE *f, const struct asl_rep *rep);

#endif
