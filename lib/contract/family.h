/*
 * family.h -- contractions as lib/plan/family.h asks: where inputs come from,
 * where the output goes, and whether it is what it should be
 */
#ifndef ASL_CONTRACT_FAMILY_H
#define ASL_CONTRACT_FAMILY_H

#include "lib/contract/array.h"
#include "lib/contract/contract.h"

/* How an operand is spread before and after a run. */
struct asl_spread asl_contraction_spread(const struct asl_contraction *c,
					 int operand);

int asl_contract_open(struct asl_data *data);
int asl_contract_create(struct asl_data *data);
void asl_contract_close(struct asl_data *data);

struct asl_array_source asl_contract_source(const struct asl_data *data,
					    int which);

void asl_contract_fill(struct asl_rank *r, const struct asl_data *data,
		       struct asl_words *own);
int asl_contract_write(struct asl_rank *r, struct asl_data *data,
		       struct asl_words *own);

/*
 * Freivalds: the sum over all entries of the output, each times a random number
 * for every one of its indices' values, against the same sum of products of the
 * inputs, which each rank of the direct way's mesh makes anew for its cell.  At
 * rank 0 their difference over eps times the sum of the products' magnitudes; 0
 * elsewhere.
 *
 * The oracle: every entry of this rank's output against the sum of products of
 * entries made anew, one by one: the largest |error| over eps, the number of
 * products and the sum of their magnitudes.
 */
double asl_contract_verify(struct asl_rank *r, const struct asl_data *data,
			   struct asl_words *own, enum asl_verify how);

#endif
