/*
 * family.h -- C = A B as lib/plan/family.h asks: where A and B come from, where C
 * goes, and whether it is A B
 */
#ifndef ASL_MULTIPLY_FAMILY_H
#define ASL_MULTIPLY_FAMILY_H

#include "lib/matrix/file.h"
#include "lib/multiply/multiply.h"
#include "lib/plan/family.h"

int asl_multiply_open(struct asl_data *data);
int asl_multiply_create(struct asl_data *data);
void asl_multiply_close(struct asl_data *data);

void asl_multiply_fill(struct asl_rank *r, const struct asl_data *data,
		       struct asl_words *own);
int asl_multiply_write(struct asl_rank *r, struct asl_data *data,
		       struct asl_words *own);

/*
 * Freivalds: C x against A (B x) for a random x, over all ranks that the grid
 * uses.  || A B x - C x || / (eps max(n, k) (|| A || || B || + || C ||) || x ||)
 * in the maximum norm at rank 0; 0 elsewhere.
 *
 * The oracle: every entry of this rank's C against a sum of products of entries
 * made anew: the largest |error| / (eps k sum |a b|).
 */
double asl_multiply_verify(struct asl_rank *r, const struct asl_data *data,
			   struct asl_words *own, enum asl_verify how);

#endif
