/*
 * sweep.h -- the innermost loop over rows of a tensor block
 *
 * A row A of length n is read once for both of its uses:
 *
 *	d = A . x	y += h A
 *
 * from memory one row at a time; or, where there are several x and y, four rows
 * for two of them at once, so that less is passed through for each.
 */
#ifndef ASL_SWEEP_H
#define ASL_SWEEP_H

#include <stdint.h>

#define ASL_SWEEP 4    /* rows at once, */
#define ASL_PAIR 2     /* for as many columns */
#define ASL_AHEAD 4096 /* words: how far ahead of them to fetch */

struct asl_swept {
	const double *A[ASL_SWEEP];
	/* Of the first row; the second column's beside the first one's. */
	const double *h;
	double *d;
	uint64_t step;	/* words from one row's h and d to the next one's */
	uint64_t pitch; /* and from one column of x and y to the next */
	/*
	 * As many words as the rows have are fetched from here on, to be near
	 * when they are used.  NULL: none; what is there need not be ours.
	 */
	const double *ahead;
};

/* d of one row.  y is not the row, nor x. */
double asl_sweep_row(const double *A, double h, double *y, const double *x,
		     uint64_t n);

/* Likewise. */
void asl_sweep(const struct asl_swept *rows, double *y, const double *x,
	       uint64_t n);

#endif
