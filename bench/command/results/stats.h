/*
 * stats.h -- comparisons of repeated measurements
 *
 * A sample's own median and its confidence interval: lib/base/estimate.h.
 */
#ifndef ASL_STATS_H
#define ASL_STATS_H

#include <stdbool.h>
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

/*
 * ---- Drift ----
 *
 * Repetitions in a row agree better than those of another hour: a machine drifts.
 * Where the cases of a run were repeated in blocks, one after another, the
 * blocks' means show by how much, for each case and for all at once; else the two
 * halves of a case's repetitions do, and cases are taken to drift together.  It
 * is a one-way analysis of variance: what blocks differ by beyond the noise
 * within them.
 */

enum { ASL_MOST_BLOCKS = 50 };

/* Logarithms of a case's times, block after block. */
struct asl_blocks {
	int blocks, count; /* of all */
	double mean[ASL_MOST_BLOCKS];
	int of[ASL_MOST_BLOCKS]; /* counts */
	double within;		 /* sum of squares about the means */
};

struct asl_drift {
	int blocks;   /* 0: none is known */
	double alone; /* standard deviation of a block of a case */
	double common[ASL_MOST_BLOCKS]; /* of all cases in a block */
	uint32_t stream;		/* equal where blocks took turns */
	bool drawn;
	double draws[ASL_DRAWS]; /* of what is common */
};

void asl_blocks_add(struct asl_blocks *b, bool begins, double x);

/* The drift of a run, by all of its cases; `halves` are no blocks that cases have in common. */
struct asl_drift asl_drift_of(const struct asl_blocks *cases, int count,
			      bool halves);

/* Add the drift of a case, whose stream that is, to its draws. */
void asl_drift_add(double draws[ASL_DRAWS], struct asl_drift *d,
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
