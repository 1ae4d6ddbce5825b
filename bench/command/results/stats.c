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

/* Fewer blocks beyond the first of each case say nothing. */
enum { LEAST_FREEDOM = 4 };

#define CLOCK 0.005 /* no case's noise is taken to be less */

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
		sum += b->mean[i] * b->of[i];
	return sum / b->count;
}

static bool has_blocks(const struct asl_blocks *b)
{
	return b->blocks > 1 && b->count > b->blocks;
}

static double noise_of(const struct asl_blocks *b)
{
	return b->within / (b->count - b->blocks);
}

/* Cases with little noise tell most of what blocks differ by. */
static double weight_of(const struct asl_blocks *b)
{
	double mean = noise_of(b) * b->blocks / b->count + CLOCK * CLOCK;

	return 1 / (mean * mean);
}

/* The variance of blocks, of every case by itself. */
static double total_drift(const struct asl_blocks *x, int count)
{
	double above = 0, below = 0;
	int freedom = 0;

	for (int i = 0; i < count; i++) {
		double between = 0, squares = 0, mean, weight;

		if (!has_blocks(&x[i]))
			continue;
		mean = mean_of(&x[i]);
		weight = weight_of(&x[i]);
		for (int b = 0; b < x[i].blocks; b++) {
			double off = x[i].mean[b] - mean;

			between += x[i].of[b] * off * off;
			squares += (double)x[i].of[b] * x[i].of[b];
		}
		freedom += x[i].blocks - 1;
		above += weight *
			 (between - (x[i].blocks - 1) * noise_of(&x[i]));
		below += weight * (x[i].count - squares / x[i].count);
	}
	return freedom >= LEAST_FREEDOM ? fmax(0, above / below) : 0;
}

/* By how much a block of all cases is off; and the share that is no chance. */
static double common_drift(struct asl_drift *d, const struct asl_blocks *x,
			   int count)
{
	double found = 0, chance = 0;

	for (int b = 0; b < d->blocks; b++) {
		double sum = 0, squares = 0, weights = 0;

		for (int i = 0; i < count; i++) {
			double weight, off;

			if (x[i].blocks != d->blocks || !has_blocks(&x[i]))
				continue;
			weight = sqrt(weight_of(&x[i]));
			off = weight * (x[i].mean[b] - mean_of(&x[i]));
			sum += off;
			squares += off * off;
			weights += weight;
		}
		d->common[b] = sum / weights;
		found += d->common[b] * d->common[b];
		chance += squares / (weights * weights);
	}
	return found > chance ? (found - chance) / found : 0;
}

struct asl_drift asl_drift_of(const struct asl_blocks *cases, int count,
			      bool halves)
{
	struct asl_drift d = {.blocks = 0};
	double total = total_drift(cases, count), share, common = 0;

	for (int i = 0; i < count; i++)
		if (has_blocks(&cases[i]) && cases[i].blocks > d.blocks)
			d.blocks = cases[i].blocks;
	if (!d.blocks)
		return d;
	if (halves) {
		d.blocks = 1;
		d.alone = d.common[0] = sqrt(total);
		return d;
	}
	share = common_drift(&d, cases, count);
	for (int b = 0; b < d.blocks; b++) {
		d.common[b] *= sqrt(share);
		common += d.common[b] * d.common[b];
	}
	d.alone = sqrt(fmax(0, total - common / (d.blocks - 1)));
	return d;
}

/* A draw from the normal distribution, by Box and Muller. */
static double normal(uint32_t stream, int which, int number)
{
	struct asl_draw draw = {.row = {stream, (uint32_t)which, 1}};
	double x[2];

	asl_draw(&draw, x, 2 * (uint64_t)number, 2);
	return sqrt(-2 * log(0.5 - x[0])) * cos(2 * M_PI * (x[1] + 0.5));
}

/* Few blocks say little of how far others may be off: Student's distribution. */
static double common_draw(const struct asl_drift *d, int which)
{
	int freedom = d->blocks - 1;
	double sum = 0, squares = freedom ? 0 : 1;

	for (int b = 0; b < d->blocks; b++)
		sum += normal(d->stream, which, b) * d->common[b];
	for (int i = 0; i < freedom; i++) {
		double x = normal(d->stream, which, d->blocks + i);

		squares += x * x;
	}
	return sum / sqrt((double)d->blocks * squares);
}

void asl_drift_add(double draws[ASL_DRAWS], struct asl_drift *d,
		   uint32_t stream)
{
	for (int i = 0; d->blocks && !d->drawn && i < ASL_DRAWS; i++)
		d->draws[i] = common_draw(d, i);
	d->drawn = true;
	for (int i = 0; d->blocks && i < ASL_DRAWS; i++)
		draws[i] += d->alone / sqrt(d->blocks) * normal(stream, i, 0) +
			    d->draws[i];
}

struct asl_ratio asl_ratio_of(double logarithm, double *draws, int samples)
{
	struct asl_ratio r = {exp(logarithm), NAN, NAN, samples};

	if (!draws)
		return r;
	asl_median(draws, ASL_DRAWS); /* which sorts them */
	r.low = exp(draws[BEYOND]);
	r.high = exp(draws[ASL_DRAWS - 1 - BEYOND]);
	return r;
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
	double middle = fabs(log(ratio->ratio)), below, above, times;

	if (isnan(ratio->low) || is_equal(ratio) || asl_ratio_verdict(ratio))
		return 0;
	below = log(ratio->ratio / ratio->low);
	above = log(ratio->high / ratio->ratio);
	times = middle > log(EQUAL) / 2
			? (ratio->ratio > 1 ? below : above) / middle
			: fmax(below, above) / (log(EQUAL) - middle);
	times = fmin(times * times, 1e6);
	return (int)fmax(ceil(ratio->samples * times), ratio->samples) + 1;
}

double asl_geometric_mean(const double *x, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += log(x[i]);
	return count ? exp(sum / count) : NAN;
}
