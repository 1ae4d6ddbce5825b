/*
 * cube.h -- one rank's brick of the whole cube of entries, symmetric or not
 *
 * For the ways that know nothing of symmetry: the n^3 entries are cut by a grid
 * p x c x c, rank (i, j, l) owning those of I x J x L.  The ranks of one j share
 * x(J), in even parts; those of one i share y(I), in even parts of the parts
 * along l.
 */
#ifndef ASL_CUBE_H
#define ASL_CUBE_H

#include "lib/rank/collective.h"
#include "lib/symmetric/symmetric.h"

struct asl_cube {
	struct asl_range I, J, L;
	struct asl_group of_j;		   /* all that need x(J) */
	struct asl_group along_l, along_j; /* that have sums of y(I) */
	int twin; /* (i, l, j), which has x(L); -1: j is l */
};

struct asl_cube asl_cube(const struct asl_plan *plan, int rank);

/* What it owns of x and of y, in the vector. */
struct asl_range asl_cube_x(const struct asl_cube *c);
struct asl_range asl_cube_y(const struct asl_cube *c);

uint64_t asl_cube_words(const struct asl_cube *c);

#endif
