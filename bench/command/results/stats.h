/*
 * stats.h -- comparisons of repeated measurements
 *
 * A sample's own median and its confidence interval: lib/base/estimate.h.
 */
#ifndef ASL_STATS_H
#define ASL_STATS_H

#include <stdint.h>

#include "lib/base/estimate.h"

/*
 * How many times as fast one is as another, and an interval that holds the true
 * ratio with a probability of about 95%: the percentile bootstrap.
 */
struct asl_ratio {
	double ratio, low, high; /* NAN: there is none */
	int samples;		 /* of the smallest */
};

/* (ASL_DRAWS + 1) x 2.5% is whole: bounds are elements, not between two. */
enum { ASL_DRAWS = 1999 };

/*
 * Fewer samples than these of either have no interval: the bootstrap knows no
 * more extreme values than those that it was given (tests/bench_stats.c).
 */
enum { ASL_LEAST_SAMPLES = 5 };

/*
 * The logarithms of medians: of samples as large as x, sorted, drawn from it.
 * The generator is seeded, and no two streams share a draw.  -ENOMEM, or 0.
 */
int asl_resample(double draws[ASL_DRAWS], const double *x, int count,
		 uint32_t stream);

/* The ratio of that logarithm; sorts draws, which are of it, or NULL. */
struct asl_ratio asl_ratio_of(double logarithm, double *draws, int samples);

/* Does the interval leave 1 out?  Above: 1, below: -1, else or without: 0. */
int asl_ratio_verdict(const struct asl_ratio *ratio);

/*
 * In words: "faster" and "slower" if the interval leaves 1 out; "equal within
 * 5%" if it lies there, even so; "not known yet"; "too few repetitions".
 */
const char *asl_ratio_say(const struct asl_ratio *ratio);

/*
 * The repetitions, about, that a verdict which is not known yet needs: intervals
 * shrink as the root of their number.  0: it is known.
 */
int asl_ratio_needs(const struct asl_ratio *ratio);

/* The geometric mean of positive numbers; NAN without any. */
double asl_geometric_mean(const double *x, int count);

#endif
