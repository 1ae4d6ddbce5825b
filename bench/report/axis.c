/*
 * axis.c -- ranges of values, and the axes that they are drawn along
 */
#include "bench/report/axis.h"

#include <math.h>

void asl_range_add(struct asl_range *range, double x)
{
	range->low = fmin(range->low, x);
	range->high = fmax(range->high, x);
}

struct asl_axis asl_range_axis(const struct asl_range *range, const char *title,
			       int log)
{
	struct asl_axis axis = {title, range->low, range->high, log};
	double air;

	if (log) {
		air = fmax(pow(axis.high / axis.low, 0.06), 1.1);
		axis.low /= air;
		axis.high *= air;
		return axis;
	}
	axis.low = fmin(axis.low, 0);
	axis.high = axis.high > axis.low ? axis.high * 1.06 : axis.low + 1;
	return axis;
}

double asl_axis_part(const struct asl_axis *axis, double v)
{
	if (axis->log)
		return log(v / axis->low) / log(axis->high / axis->low);
	return (v - axis->low) / (axis->high - axis->low);
}

/* ---- Ticks ---- */

struct ticks {
	const struct asl_axis *axis;
	double *at;
	int count;
};

/* Rounding may put the last one beyond the end. */
static void add(struct ticks *t, double v)
{
	double off = asl_axis_part(t->axis, v);

	if (t->count < ASL_TICKS && off > -1e-9 && off < 1 + 1e-9)
		t->at[t->count++] = v;
}

/* 1, 2, 5 times a power of ten, so that there are about `wanted` of them. */
static double even_step(double length, int wanted)
{
	double power = pow(10, floor(log10(length / wanted)));
	double times = length / wanted / power;

	return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void even(struct ticks *t)
{
	double step = even_step(t->axis->high - t->axis->low, 5);
	double first = ceil(t->axis->low / step - 1e-9);

	for (int i = 0; i < ASL_TICKS; i++)
		add(t, (first + i) * step);
}

static void powers_of_two(struct ticks *t)
{
	double low = ceil(log2(t->axis->low) - 1e-9);
	double step = fmax(1, ceil((log2(t->axis->high) - low) / 8));

	for (int i = 0; i < ASL_TICKS; i++)
		add(t, exp2(low + i * step));
}

/* Powers of ten; where they are few, 2 and 5 times those as well. */
static void powers_of_ten(struct ticks *t)
{
	double decades = log10(t->axis->high / t->axis->low);
	double low = floor(log10(t->axis->low));
	double step = fmax(1, ceil(decades / 6));

	for (int i = 0; i < ASL_TICKS; i++) {
		double v = pow(10, low + i * step);

		add(t, v);
		if (decades <= 3) {
			add(t, 2 * v);
			add(t, 5 * v);
		}
	}
}

int asl_axis_ticks(const struct asl_axis *axis, double at[ASL_TICKS])
{
	struct ticks t = {axis, at, 0};

	/* In so little a logarithm is nearly even, and 1, 2, 5 too few. */
	if (axis->log == ASL_LOG2)
		powers_of_two(&t);
	else if (!axis->log || axis->high < 5 * axis->low)
		even(&t);
	else
		powers_of_ten(&t);
	return t.count;
}
