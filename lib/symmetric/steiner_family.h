/*
 * steiner_family.h -- what a family of Steiner systems implements
 *
 * To add a family: write these two functions, and name them in the table of
 * steiner.c.
 */
#ifndef ASL_STEINER_FAMILY_H
#define ASL_STEINER_FAMILY_H

#include <stdint.h>

#include "lib/symmetric/steiner.h"

struct asl_steiner_family {
	const char *name;
	int least; /* parameter */
	/* Points and points of a block; false: no system with this parameter. */
	bool (*size)(int64_t *m, int64_t *s, int parameter);
	/* The points of each block, in any order; there is room.  0 or -ENOMEM. */
	int (*build)(struct asl_steiner *x, int parameter);
	const char *needs; /* what parameters there are, for people */
};

/* For qsort, of int. */
int asl_by_number(const void *a, const void *b);

bool asl_spherical_size(int64_t *m, int64_t *s, int q);
int asl_spherical_build(struct asl_steiner *x, int q);

#endif
