/*
 * median.h -- of a few measurements, the one in the middle
 */
#ifndef ASL_SPEED_MEDIAN_H
#define ASL_SPEED_MEDIAN_H

#include <stdlib.h>

static inline int median_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts x. */
static inline double median(double *x, int count)
{
	qsort(x, (size_t)count, sizeof *x, median_order);
	return x[count / 2];
}

#endif
