/*
 * cube.h -- one rank's brick of the whole cube of entries, symmetric or not
 *
 * For the algorithms that ignore symmetry: a grid p x c x c cuts the n^3
 * entries, and rank (i, j, l) owns those of I x J x L.  The ranks of one j
 * share x(J), in even parts; those of one i share y(I), in even parts of the
 * parts along l.  A tensor of order d > 3 is cut along its first index alone, into
 * p x 1 x 1 slabs: J and L, and the ranges of the indices between, are [0, n).
 *
 * Rank (i, j, l) has number (j p + i) c + l: the ranks of one j are successive.
 */
#ifndef ASL_CUBE_H
#define ASL_CUBE_H

#include "lib/rank/collective.h"
#include "lib/symmetric/symmetric.h"

struct asl_cube {
	int order;
	struct asl_range I, J, L;
	struct asl_group of_j;		   /* the ranks that need x(J) */
	struct asl_group along_l, along_j; /* those with sums of y(I) */
	int twin; /* (i, l, j), which has x(L); -1: j is l */
};

struct asl_cube asl_cube(const struct asl_plan *plan, int rank);

/* The words of the vectors x and y that it owns. */
struct asl_range asl_cube_x(const struct asl_cube *c);
struct asl_range asl_cube_y(const struct asl_cube *c);

uint64_t asl_cube_words(const struct asl_cube *c);

/* Pairs i >= j, by i and then by j; and those that a rank of p x 1 x 1 owns. */
struct asl_cube_pair {
	uint64_t i, j;
};

struct asl_cube_pair asl_pair_of(uint64_t number);
struct asl_range asl_cube_pairs(const struct asl_cube *c);

#endif
