/*
 * estimate.h -- the median of repeated measurements, and its confidence interval
 *
 * Times on a computer have a long tail and no known distribution.  The median,
 * and bounds that are measurements themselves, assume none.
 */
#ifndef ASL_ESTIMATE_H
#define ASL_ESTIMATE_H

/*
 * low and high enclose the true median with a probability of 95% or more if
 * there are 6 samples or more; otherwise they are the minimum and the maximum.
 * `coverage` is the probability: 0.5 for 2 samples, 0.9375 for 5.
 */
struct asl_estimate {
	double median, low, high, coverage;
	int samples; /* 0: not measured */
};

/* Both sort x.  Without samples all fields are 0. */
struct asl_estimate asl_estimate(double *x, int count);
double asl_median(double *x, int count);

/*
 * How many of sorted samples are outliers: half again as far from the middle half
 * as that is wide, or farther (Tukey).  0 of fewer than 5.
 */
int asl_outliers(const double *x, int count);

#endif
