/*
 * stats.h -- comparisons of repeated measurements
 *
 * A sample's own median and its confidence interval: lib/base/estimate.h.
 */
#ifndef ASL_STATS_H
#define ASL_STATS_H

#include "lib/base/estimate.h"

/*
 * How many times larger the median of x is than that of y, and an interval that
 * holds the true ratio with a probability of about 95%: the percentile
 * bootstrap, 1999 pairs of samples drawn again.  The generator is seeded, so
 * that the same samples have the same interval.
 */
struct asl_ratio {
	double ratio, low, high; /* NAN: there is none */
	int samples;		 /* of the smaller one */
};

/*
 * Fewer samples than these of either have no interval: the bootstrap knows no
 * more extreme values than those that it was given (tests/bench_stats.c).
 */
enum { ASL_LEAST_SAMPLES = 5 };

/* Sorts x and y; -ENOMEM, or 0. */
int asl_ratio(struct asl_ratio *out, double *x, int x_count, double *y,
	      int y_count);

/* Does the interval leave 1 out?  Above: 1, below: -1, else or without: 0. */
int asl_ratio_verdict(const struct asl_ratio *ratio);

/* The geometric mean of positive numbers; NAN without any. */
double asl_geometric_mean(const double *x, int count);

#endif
