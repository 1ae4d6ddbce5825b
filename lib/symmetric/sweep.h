/*
 * sweep.h -- the innermost loop over rows of a tensor block
 *
 * A row A of length n is read once for both of its uses:
 *
 *	d = A . x	y += h A
 *
 * and several rows at once, so that x and y are passed through once for all.
 */
#ifndef ASL_SWEEP_H
#define ASL_SWEEP_H

#include <stdint.h>

#define ASL_SWEEP 4    /* rows at once */
#define ASL_AHEAD 4096 /* words: how far ahead of them to fetch */

struct asl_swept {
	const double *A[ASL_SWEEP];
	const double *h; /* of the first, and so on: */
	double *d;
	uint64_t step; /* words from one row's h and d to the next one's */
	/*
	 * As many words as the rows have are fetched from here on, to be near
	 * when they are used.  NULL: none; what is there need not be ours.
	 */
	const double *ahead;
};

/* y is none of the rows, nor x. */
void asl_sweep(const struct asl_swept *rows, double *y, const double *x,
	       uint64_t n);

#endif
