/*
 * stats.c -- comparisons of repeated measurements
 */
#include "bench/command/results/stats.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/draw.h"

enum { BEYOND = (ASL_DRAWS + 1) / 40 - 1 };

#define EQUAL 1.05

struct sample {
	const double *sorted;
	int count;
	uint32_t row;  /* of random numbers: no two samples share them */
	double *drawn; /* [count] scratch */
	int *times;    /* [count] how often each was drawn */
};

/* The element of the sample, as drawn again, that `below` elements precede. */
static double element(const struct sample *s, int below)
{
	int i = 0;

	for (int seen = s->times[0]; seen <= below; seen += s->times[i])
		i++;
	return s->sorted[i];
}

static double resampled_median(const struct sample *s, int which)
{
	struct asl_draw draw = {.row = {s->row, (uint32_t)which, 0}};

	memset(s->times, 0, (size_t)s->count * sizeof *s->times);
	asl_draw(&draw, s->drawn, 0, (uint64_t)s->count);
	for (int i = 0; i < s->count; i++)
		s->times[(int)((s->drawn[i] + 0.5) * s->count)]++;
	return (element(s, (s->count - 1) / 2) + element(s, s->count / 2)) / 2;
}

static int open_sample(struct sample *s)
{
	s->drawn = calloc((size_t)s->count, sizeof *s->drawn);
	s->times = calloc((size_t)s->count, sizeof *s->times);
	return s->drawn && s->times ? 0 : -ENOMEM;
}

static void close_sample(struct sample *s)
{
	free(s->drawn);
	free(s->times);
}

int asl_resample(double draws[ASL_DRAWS], const double *x, int count,
		 uint32_t stream)
{
	struct sample s = {.sorted = x, .count = count, .row = stream};
	int err = open_sample(&s);

	for (int i = 0; !err && i < ASL_DRAWS; i++)
		draws[i] = log(resampled_median(&s, i));
	close_sample(&s);
	return err;
}

/* ---- Drift ---- */

/* Fewer halves of cases say nothing. */
enum { LEAST_FREEDOM = 4 };

/* So much do all cases together weigh beside the blocks of one. */
enum { PRIOR = 4 };

#define FAIR 0.02 /* cases with less noise tell no more of drift */

#define APART 2.08 /* B2(4) of 1/f noise, see lasting() */

void asl_blocks_add(struct asl_blocks *b, bool begins, double x)
{
	double before;
	int *of;

	if ((begins || !b->blocks) && b->blocks < ASL_MOST_BLOCKS)
		b->blocks++;
	of = &b->of[b->blocks - 1];
	before = x - b->mean[b->blocks - 1];
	b->mean[b->blocks - 1] += before / ++*of;
	b->within += before * (x - b->mean[b->blocks - 1]);
	b->count++;
}

static double mean_of(const struct asl_blocks *b)
{
	double sum = 0;

	for (int i = 0; i < b->blocks; i++)
		sum += b->mean[i];
	return sum / b->blocks;
}

/* The variance of block means, with their noise. */
static double between(const struct asl_blocks *b)
{
	double mean = mean_of(b), sum = 0;

	for (int i = 0; i < b->blocks; i++)
		sum += (b->mean[i] - mean) * (b->mean[i] - mean);
	return b->blocks > 1 ? sum / (b->blocks - 1) : 0;
}

/* Their noise alone; single repetitions do not tell it from drift. */
static double noise_of(const struct asl_blocks *b)
{
	double shares = 0;

	if (b->count == b->blocks)
		return 0;
	for (int i = 0; i < b->blocks; i++)
		shares += 1. / b->of[i];
	return b->within / (b->count - b->blocks) * shares / b->blocks;
}

static double level_of(double *sorted, const double *x, int count)
{
	memcpy(sorted, x, (size_t)count * sizeof *x);
	return asl_median(sorted, count);
}

/* Two of a block are nearer to their mean than to the truth. */
int asl_blocks_steady(double *x, const struct asl_blocks *b)
{
	double *sorted = calloc((size_t)b->count + 1, sizeof *sorted), level;
	int at = 0;

	if (!sorted)
		return -ENOMEM;
	level = level_of(sorted, x, b->count);
	for (int i = 0; b->count > b->blocks && i < b->blocks; i++) {
		double count = b->of[i];
		double stretch = count > 1 ? sqrt(count / (count - 1)) : 0;

		for (int k = 0; k < b->of[i]; k++, at++)
			x[at] = exp(stretch * (log(x[at]) - b->mean[i]));
	}
	level /= level_of(sorted, x, b->count);
	for (int i = 0; i < b->count; i++)
		x[i] = sorted[i] * level;
	free(sorted);
	return 0;
}

void asl_drift_of(struct asl_drift *d, const struct asl_blocks *cases,
		  int count, bool halves)
{
	double above = 0, below = 0;

	d->blocks = d->freedom = 0;
	d->drawn = d->turns = false;
	d->halves = halves;
	for (int i = 0; i < count; i++) {
		const struct asl_blocks *b = &cases[i];
		double noise, weight;

		if (b->blocks < 2)
			continue;
		noise = noise_of(b) + FAIR * FAIR;
		weight = (b->blocks - 1) / (noise * noise);
		above += weight * (between(b) - noise_of(b));
		below += weight;
		d->freedom += b->blocks - 1;
		d->blocks = b->blocks > d->blocks ? b->blocks : d->blocks;
	}
	if (halves && d->freedom < LEAST_FREEDOM)
		d->blocks = 0;
	d->variance = below > 0 ? above / below : 0;
}

/*
 * The variance of runs over that of the blocks of one, if the spectrum is 1/f and
 * runs are four times their length apart: B2(4) / B1(blocks) of J. A. Barnes, Tables
 * of bias functions, B1 and B2 (1969).  It is 2.1 for two blocks, 1.4 for five.
 */
static double lasting(int blocks)
{
	return APART * 2 * (blocks - 1) * M_LN2 / (blocks * log(blocks));
}

/* How many degrees of freedom all others add to those of a case. */
static int prior_of(const struct asl_drift *d, int own)
{
	int others = d->freedom - own;

	return others < PRIOR ? others : PRIOR;
}

static double deviation_of(const struct asl_drift *d,
			   const struct asl_blocks *b)
{
	int own = b->blocks > 1 ? b->blocks - 1 : 0, prior = prior_of(d, own);
	double sum = prior * d->variance;

	if (own)
		sum += own * (between(b) - noise_of(b));
	return sqrt(fmax(0, sum / (prior + own)));
}

/* A draw from the normal distribution, by Box and Muller. */
static double normal(uint32_t stream, int which, int number)
{
	struct asl_draw draw = {.row = {stream, (uint32_t)which, 1}};
	double x[2];

	asl_draw(&draw, x, 2 * (uint64_t)number, 2);
	return sqrt(-2 * log(0.5 - x[0])) * cos(2 * M_PI * (x[1] + 0.5));
}

/*
 * A factor for each block, the same ones for all cases of a run.  Cases that drift
 * alike know no more than one of them; halves are those of many times.
 */
static void draw_blocks(struct asl_drift *d)
{
	int freedom = d->halves ? 1 + prior_of(d, 1) : d->blocks - 1;

	for (int i = 0; i < ASL_DRAWS; i++) {
		double squares = 0;

		for (int k = 0; k < freedom; k++) {
			double x = normal(d->stream, i, d->blocks + k);

			squares += x * x;
		}
		for (int b = 0; b < d->blocks; b++)
			d->draws[i][b] = normal(d->stream, i, b) *
					 sqrt(freedom / squares);
	}
	d->drawn = true;
}

/*
 * A draw is a random mix of the offsets of blocks: it is as large as these were, and
 * two cases' draws are as much alike as their offsets.  A case without blocks follows
 * all others by half.
 */
void asl_drift_draw(double draws[ASL_DRAWS], struct asl_drift *d,
		    const struct asl_blocks *b, uint32_t stream)
{
	double deviation = d->blocks ? deviation_of(d, b) : 0;
	double all = sqrt(between(b) * (b->blocks - 1)), mean = mean_of(b);
	bool apart = d->halves || b->blocks < 2 || !(all > 0);

	if (d->blocks && !d->drawn)
		draw_blocks(d);
	if (d->blocks)
		deviation *=
			sqrt(d->turns ? 1. / d->blocks : lasting(d->blocks));
	for (int i = 0; i < ASL_DRAWS; i++) {
		double sum = 0;

		for (int k = 0; !apart && k < b->blocks; k++)
			sum += (b->mean[k] - mean) / all * d->draws[i][k];
		if (apart && deviation > 0)
			sum = (d->draws[i][0] + normal(stream, i, 0)) / M_SQRT2;
		draws[i] = deviation * sum;
	}
}

/* The bounds of the middle 95%; sorts them. */
static double low_of(double *draws)
{
	asl_median(draws, ASL_DRAWS);
	return draws[BEYOND];
}

static double high_of(const double *sorted)
{
	return sorted[ASL_DRAWS - 1 - BEYOND];
}

struct asl_ratio asl_ratio_of(double logarithm, double *draws, double *drift,
			      int samples)
{
	struct asl_ratio r = {exp(logarithm), NAN, NAN, samples, 0};

	if (!draws)
		return r;
	for (int i = 0; drift && i < ASL_DRAWS; i++)
		draws[i] += drift[i];
	r.low = exp(low_of(draws));
	r.high = exp(high_of(draws));
	if (drift) {
		double low = low_of(drift);

		r.drift = (high_of(drift) - low) / 2;
	}
	return r;
}

double asl_ratio_drift(const struct asl_ratio *ratio)
{
	return isnan(ratio->low) ? NAN : 100 * expm1(ratio->drift);
}

int asl_ratio_verdict(const struct asl_ratio *ratio)
{
	return ratio->low > 1 ? 1 : ratio->high < 1 ? -1 : 0;
}

static bool is_equal(const struct asl_ratio *ratio)
{
	return ratio->low > 1 / EQUAL && ratio->high < EQUAL;
}

const char *asl_ratio_say(const struct asl_ratio *ratio)
{
	int verdict = asl_ratio_verdict(ratio);

	if (isnan(ratio->low))
		return "too few repetitions";
	if (is_equal(ratio))
		return "equal within 5%";
	return verdict > 0   ? "faster"
	       : verdict < 0 ? "slower"
			     : "not known yet";
}

/*
 * The interval is to leave 1 out, on the side where 1 is, or to lie within 5%: the
 * nearer of both.
 */
int asl_ratio_needs(const struct asl_ratio *ratio)
{
	double middle = fabs(log(ratio->ratio)), below, above, width, aim,
	       times;
	double drift = ratio->drift * ratio->drift;

	if (isnan(ratio->low) || is_equal(ratio) || asl_ratio_verdict(ratio))
		return 0;
	below = log(ratio->ratio / ratio->low);
	above = log(ratio->high / ratio->ratio);
	width = ratio->ratio > 1 ? below : above;
	aim = middle;
	if (middle <= log(EQUAL) / 2) {
		width = fmax(below, above);
		aim = log(EQUAL) - middle;
	}
	if (aim * aim <= drift)
		return ASL_NEVER;
	times = (width * width - drift) / (aim * aim - drift);
	times = fmin(fmax(times, 1), 1e6);
	return (int)fmax(ceil(ratio->samples * times), ratio->samples) + 1;
}

double asl_geometric_mean(const double *x, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += log(x[i]);
	return count ? exp(sum / count) : NAN;
}
