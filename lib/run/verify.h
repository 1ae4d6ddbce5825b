/*
 * verify.h -- is C really A B?
 *
 * Both checks give a residual scaled so that rounding alone stays far below
 * ASL_RESIDUAL_LIMIT, HPL's threshold.  A residual that is not a number is
 * above it.
 */
#ifndef ASL_VERIFY_H
#define ASL_VERIFY_H

#include "lib/matrix/source.h"
#include "lib/multiply/multiply.h"

#define ASL_RESIDUAL_LIMIT 16.0

/* The larger residual; not a number, if either is (fmax would drop it). */
double asl_worse(double a, double b);

/* The oracle multiplies one entry at a time: small products only. */
#define ASL_ORACLE_MOST 1e10

struct asl_check {
	const struct asl_plan *plan;
	const struct asl_source *source; /* of A and B */
	struct asl_words *own;		 /* this rank's */
};

/*
 * Freivalds: C x against A (B x) for a random x, over all ranks that the grid
 * uses.  || A B x - C x || / (eps max(n, k) (|| A || || B || + || C ||) || x ||)
 * in the maximum norm at rank 0; 0 elsewhere.
 */
double asl_verify_freivalds(struct asl_rank *r, const struct asl_check *check);

/*
 * The oracle: every entry of this rank's C against a sum of products of entries
 * made anew: the largest |error| / (eps k sum |a b|).
 */
double asl_verify_oracle(struct asl_rank *r, const struct asl_check *check);

#endif
