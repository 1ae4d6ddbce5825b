/*
 * check.h -- for the two ways of verifying a contraction
 */
#ifndef ASL_CHECK_H
#define ASL_CHECK_H

#include "lib/contract/family.h"

struct asl_contract_check {
	const struct asl_data *data;
	const struct asl_contraction *c;
	const struct asl_einsum *e;
	const struct asl_words *out; /* this rank's */
	/* A random number for every value of every index of the output. */
	double *weight[ASL_MOST_INDICES];
};

/* Who looks at this rank's output, row by row. */
struct asl_row_reader {
	void (*use)(const struct asl_contract_check *check,
		    const struct asl_row *row, const double *at, double *found);
	double *found;
};

void asl_each_row(struct asl_rank *r, const struct asl_contract_check *check,
		  const struct asl_row_reader *reader);

/* The residuals that asl_contract_verify (family.h) promises. */
double asl_contract_freivalds(struct asl_rank *r,
			      struct asl_contract_check *check);
double asl_contract_oracle(struct asl_rank *r,
			   const struct asl_contract_check *check);

#endif
