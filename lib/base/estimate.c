/*
 * estimate.c -- medians, and confidence intervals from order statistics
 *
 * The k-th smallest of n samples lies above the true median if fewer than k of
 * them are below it: with the probability that n tosses of a coin show fewer
 * than k heads.
 */
#include "lib/base/estimate.h"

#include <math.h>
#include <stdlib.h>

#define MISS 0.025 /* on either side */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double middle(const double *sorted, int count)
{
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double asl_median(double *x, int count)
{
	if (count < 1)
		return 0;
	qsort(x, (size_t)count, sizeof *x, compare);
	return middle(x, count);
}

/*
 * The number of samples to leave out at either end (never the last), and the
 * probability that the median lies beyond.  2^-count underflows for thousands,
 * hence logarithms.
 */
static int outside(double *miss, int count)
{
	double heads = -count * log(2), fewer; /* the logarithm of P(k heads) */
	int k = 0;

	*miss = exp(heads);
	for (;; k++) {
		heads += log((double)(count - k) / (k + 1));
		fewer = *miss + exp(heads);
		if (fewer > MISS)
			return k;
		*miss = fewer;
	}
}

struct asl_estimate asl_estimate(double *x, int count)
{
	double miss;
	int k;

	if (count < 1)
		return (struct asl_estimate){0};
	k = outside(&miss, count);
	qsort(x, (size_t)count, sizeof *x, compare);
	return (struct asl_estimate){
		.median = middle(x, count),
		.low = x[k],
		.high = x[count - 1 - k],
		.coverage = 1 - 2 * miss,
		.samples = count,
	};
}

int asl_outliers(const double *x, int count)
{
	int quarter = count / 4, found = 0;
	double low, high, far;

	if (count < 5)
		return 0;
	low = x[quarter];
	high = x[count - 1 - quarter];
	far = 1.5 * (high - low);
	for (int i = 0; i < count; i++)
		found += x[i] < low - far || x[i] > high + far;
	return found;
}
