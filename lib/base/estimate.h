/*
 * estimate.h -- what repeated measurements say: a median and its confidence
 *
 * Times of a computer have a long tail, and no distribution that one could
 * name: the median, and bounds that are measurements themselves, assume none.
 */
#ifndef ASL_ESTIMATE_H
#define ASL_ESTIMATE_H

/*
 * low and high enclose the true median with a probability of 95% or more, if
 * there are 6 samples or more; of fewer they are the least and the largest.
 * `coverage` is the probability: 0.5 of 2 samples, 0.9375 of 5.
 */
struct asl_estimate {
	double median, low, high, coverage;
	int samples; /* 0: not measured */
};

/* Both sort x.  Of no samples all is 0. */
struct asl_estimate asl_estimate(double *x, int count);
double asl_median(double *x, int count);

#endif
