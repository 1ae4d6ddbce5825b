/*
 * stats.c -- comparisons of repeated measurements
 */
#include "bench/command/results/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/draw.h"

/* (RESAMPLES + 1) x 2.5% is whole: bounds are elements, not between two. */
enum { RESAMPLES = 1999, BEYOND = (RESAMPLES + 1) / 40 - 1 };

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

static int bootstrap(struct asl_ratio *out, struct sample *x, struct sample *y)
{
	double ratios[RESAMPLES];
	int err = open_sample(x);

	if (!err)
		err = open_sample(y);
	if (!err) {
		for (int i = 0; i < RESAMPLES; i++)
			ratios[i] =
				resampled_median(x, i) / resampled_median(y, i);
		asl_median(ratios, RESAMPLES); /* which sorts them */
		out->low = ratios[BEYOND];
		out->high = ratios[RESAMPLES - 1 - BEYOND];
	}
	close_sample(x);
	close_sample(y);
	return err;
}

int asl_ratio(struct asl_ratio *out, double *x, int x_count, double *y,
	      int y_count)
{
	*out = (struct asl_ratio){
		.ratio = NAN,
		.low = NAN,
		.high = NAN,
		.samples = x_count < y_count ? x_count : y_count,
	};
	if (out->samples < 1)
		return 0;
	out->ratio = asl_median(x, x_count) / asl_median(y, y_count);
	if (out->samples < ASL_LEAST_SAMPLES)
		return 0;
	return bootstrap(out, &(struct sample){x, x_count, 0, NULL, NULL},
			 &(struct sample){y, y_count, 1, NULL, NULL});
}

int asl_ratio_verdict(const struct asl_ratio *ratio)
{
	return ratio->low > 1 ? 1 : ratio->high < 1 ? -1 : 0;
}

double asl_geometric_mean(const double *x, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += log(x[i]);
	return count ? exp(sum / count) : NAN;
}
