/*
 * lm_jomma.h -- a rank's part in LM-JOMMA, as run and predict both see it
 *
 * Blocks B(j, i') travel along i, so that i' counts down, around the ring: after
 * s shifts rank (i, j) of a layer has i' = i - s.  Round 0 comes after first + 1
 * shifts, the first of them in one step.
 */
#ifndef ASL_LM_JOMMA_H
#define ASL_LM_JOMMA_H

#include "lib/multiply/brick.h"

struct asl_lm_part {
	struct asl_group row, column, layers; /* lines along j, i and Pz */
	struct asl_range m, k;
	uint64_t n;	   /* all of it */
	int first, rounds; /* of Px rounds, those of this layer */
};

struct asl_lm_part asl_lm_part(const struct asl_plan *plan, int rank);

/* i' after so many shifts, and its columns of B. */
int asl_lm_block(const struct asl_lm_part *x, int shifts);
struct asl_range asl_lm_columns(const struct asl_lm_part *x, int shifts);

/* Does B move at all? */
bool asl_lm_travels(const struct asl_lm_part *x);

/* Columns of the widest of all blocks. */
uint64_t asl_lm_widest(const struct asl_lm_part *x);

/* The product of a round with n columns. */
struct asl_product asl_lm_product(const struct asl_plan *plan,
				  const struct asl_lm_part *x, uint64_t n);

/* Numbers within a factor of two of the prescription. */
void asl_lm_limits(struct asl_box *box, const struct asl_plan *plan);
void asl_lm_floor(struct asl_least *least, const struct asl_plan *plan,
		  const struct asl_box *box, const struct asl_rates *rates);

void asl_lm_predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank);

#endif
