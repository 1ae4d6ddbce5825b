/*
 * field.h -- arithmetic in the finite field of q = p^e elements
 *
 * An element is a number from 0 to q - 1: the digits to the base p are the
 * coefficients of a polynomial of degree less than e, modulo one that makes x
 * run through all elements but 0.  So 0 and 1 are themselves, and all others
 * are powers of one generator.
 */
#ifndef ASL_FIELD_H
#define ASL_FIELD_H

#include <stdbool.h>

#define ASL_FIELD_MOST (1 << 14) /* elements */

struct asl_field {
	int q, p, e;
	int *power; /* [q - 1]: of the generator; power[0] = 1 */
	int *log;   /* [q]: the other way round; log[0] means nothing */
};

bool asl_is_prime_power(int q);

/* -EINVAL: q is no prime power, or more than ASL_FIELD_MOST; -ENOMEM. */
int asl_field_make(struct asl_field *f, int q);
void asl_field_free(struct asl_field *f); /* all zero is allowed */

int asl_field_add(const struct asl_field *f, int a, int b);
int asl_field_multiply(const struct asl_field *f, int a, int b);
int asl_field_inverse(const struct asl_field *f, int a); /* not of 0 */

/* The generator to any power from 0 on. */
int asl_field_power(const struct asl_field *f, int exponent);

#endif
