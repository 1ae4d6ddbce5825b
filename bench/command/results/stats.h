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
	double drift; /* the interval from drift alone: times or over exp(drift) */
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
 * Where the cases of a run were repeated in blocks, one after another, the blocks'
 * means show by how much; else the two halves of each case's repetitions do.
 *
 * The drift of a case is by how much its blocks differ beyond the noise within them (a
 * one-way analysis of variance).  Cases drift by more and by less, as cores do and
 * memory does, but few blocks say little: all cases together count as four more
 * degrees of freedom of each (a moderated t-statistic).
 *
 * Drift lasts.  It has no time after which it is forgotten, as noise with a
 * spectrum of 1/f: two runs differ as much as two blocks of one do, however many
 * blocks there are.  More of them only make it better known.  Where runs took
 * turns, what lasts cancels, and the rest becomes less with each block.
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
	int blocks;	 /* 0: none is known */
	bool halves;	 /* of each case, at times of its own */
	bool turns;	 /* with all runs that it is compared with */
	double variance; /* of a block, in all cases */
	int freedom;	 /* of all cases' blocks */
	uint32_t stream; /* equal where blocks took turns */
	bool drawn;
	double draws[ASL_DRAWS]
		    [ASL_MOST_BLOCKS]; /* of Student's distribution */
};

void asl_blocks_add(struct asl_blocks *b, bool begins, double x);

/*
 * Times, block after block, without what their blocks are off by, sorted: as far as
 * there are several in a block.  Their median stays.  -ENOMEM, or 0.
 */
int asl_blocks_steady(double *x, const struct asl_blocks *b);

/* The drift of a run, by all of its cases, which is large: do not copy it. */
void asl_drift_of(struct asl_drift *d, const struct asl_blocks *cases,
		  int count, bool halves);

/* By how much a case may be off, whose blocks and stream these are. */
void asl_drift_draw(double draws[ASL_DRAWS], struct asl_drift *d,
		    const struct asl_blocks *b, uint32_t stream);

/*
 * The ratio of that logarithm; draws of what is known of it without drift, or NULL,
 * and of drift.  Sorts both.
 */
struct asl_ratio asl_ratio_of(double logarithm, double *draws, double *drift,
			      int samples);

/* By how many per cent the interval would leave the ratio from drift alone. */
double asl_ratio_drift(const struct asl_ratio *ratio);

/* Does the interval leave 1 out?  Above: 1, below: -1, else or without: 0. */
int asl_ratio_verdict(const struct asl_ratio *ratio);

/*
 * In words: "faster" and "slower" if the interval leaves 1 out; "equal within
 * 5%" if it lies there, even so; "not known yet"; "too few repetitions".
 */
const char *asl_ratio_say(const struct asl_ratio *ratio);

/*
 * The repetitions, about, that a verdict which is not known yet needs: intervals
 * shrink as the root of their number, but for drift.  0: it is known.
 */
enum { ASL_NEVER = -1 }; /* drift alone leaves it open */
int asl_ratio_needs(const struct asl_ratio *ratio);

/* The geometric mean of positive numbers; NAN without any. */
double asl_geometric_mean(const double *x, int count);

#endif
