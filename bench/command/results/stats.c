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
