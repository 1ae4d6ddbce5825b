/*
 * bench_stats.c -- what comparisons conclude of repeated measurements
 *
 * Intervals are held against random samples whose true ratio is known: they
 * hold it about as often as they say, and equal machines are hardly ever told
 * apart.  Medians and their intervals: tests/calibrate_measures.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/command/results/stats.h"
#include "tests/help/random.h"

enum { MOST = 5000 };

static double uniform(struct dice *d)
{
	return (double)roll(d, 1, 1u << 30) / (1u << 30);
}

/* As times are: never below `least`, with a long tail. */
static void measure(double *x, int count, double least, struct dice *d)
{
	for (int i = 0; i < count; i++)
		x[i] = least * (1 - 0.1 * log(uniform(d)));
}

/* ---- Medians ---- */

static void coverage_is_that_of_coins(void **state)
{
	static const struct {
		int count;
		double coverage;
	} table[] = {{1, 0},	     {2, 0.5},	       {3, 0.75},
		     {5, 0.9375},    {6, 0.96875},     {7, 0.984375},
		     {9, 0.9609375}, {10, 0.978515625}};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		double x[16] = {0};
		double found = asl_estimate(x, table[i].count).coverage;

		if (fabs(found - table[i].coverage) > 1e-12)
			fail_msg("%d samples: %.12f, expected %.12f",
				 table[i].count, found, table[i].coverage);
	}
}

/* The smallest interval that covers 95%: 2^-count is 0 of so many. */
static void thousands_have_an_interval(void **state)
{
	static double x[MOST];
	struct asl_estimate e;

	(void)state;
	for (int i = 0; i < MOST; i++)
		x[i] = i;
	e = asl_estimate(x, MOST);
	assert_true(e.median == (MOST - 1) / 2.0);
	assert_true(e.low + e.high == MOST - 1);
	/* 1.96 standard deviations of a binomial distribution. */
	assert_true(fabs((e.high - e.low) / sqrt(MOST) - 1.96) < 0.05);
	assert_true(e.coverage >= 0.95 && e.coverage < 0.953);
}

/* ---- Ratios ---- */

/* The median of x over that of y, as cases are compared. */
static int ratio_of(struct asl_ratio *r, double *x, int x_count, double *y,
		    int y_count)
{
	double a[ASL_DRAWS], b[ASL_DRAWS];
	int least = x_count < y_count ? x_count : y_count;
	bool few = least < ASL_LEAST_SAMPLES;
	double ratio = log(asl_median(x, x_count) / asl_median(y, y_count));

	if (!few &&
	    (asl_resample(a, x, x_count, 0) || asl_resample(b, y, y_count, 1)))
		return -1;
	for (int i = 0; !few && i < ASL_DRAWS; i++)
		a[i] -= b[i];
	*r = asl_ratio_of(least ? ratio : NAN, few ? NULL : a, least);
	return 0;
}

static void intervals_hold_the_ratio(void **state)
{
	static const int counts[] = {5, 6, 9, 20};

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		struct dice d = {1, (uint32_t)i, 0};
		int n = counts[i], cases = 600, held = 0, told = 0;

		for (int k = 0; k < cases; k++) {
			double x[MOST], y[MOST];
			struct asl_ratio r;

			measure(x, n, 2, &d);
			measure(y, n + k % 3, 3, &d);
			assert_int_equal(ratio_of(&r, x, n, y, n + k % 3), 0);
			assert_int_equal(r.samples, n);
			assert_true(r.low <= r.ratio && r.ratio <= r.high);
			held += r.low <= 2 / 3. && 2 / 3. <= r.high;
			told += asl_ratio_verdict(&r) < 0;
		}
		/* 5% miss, and three standard deviations of chance. */
		if (held < cases * (0.95 - 3 * sqrt(0.05 * 0.95 / cases)))
			fail_msg("%d samples: %d of %d hold it", n, held,
				 cases);
		if (told < cases * 0.95)
			fail_msg("%d samples: %d of %d tell it", n, told,
				 cases);
	}
}

static void equals_are_not_told_apart(void **state)
{
	struct dice d = {2, 0, 0};
	int cases = 800, told = 0;

	(void)state;
	for (int k = 0; k < cases; k++) {
		int n = (int)roll(&d, ASL_LEAST_SAMPLES, 12);
		double x[MOST], y[MOST];
		struct asl_ratio r;

		measure(x, n, 1, &d);
		measure(y, n, 1, &d);
		assert_int_equal(ratio_of(&r, x, n, y, n), 0);
		told += asl_ratio_verdict(&r) != 0;
	}
	if (told > cases * 0.06)
		fail_msg("%d of %d pairs of equals are told apart", told,
			 cases);
}

static void few_samples_have_no_interval(void **state)
{
	double x[] = {3, 1, 2, 1}, y[] = {8, 4, 6, 9, 5, 7};
	struct asl_ratio r;

	(void)state;
	assert_int_equal(ratio_of(&r, x, 4, y, 6), 0);
	assert_true(r.ratio == 1.5 / 6.5 && isnan(r.low) && isnan(r.high));
	assert_int_equal(asl_ratio_verdict(&r), 0);
	assert_int_equal(r.samples, 4);
	assert_int_equal(ratio_of(&r, x, 0, y, 6), 0);
	assert_true(isnan(r.ratio) && r.samples == 0);
}

/* Whatever else was asked before, and in which order samples are given. */
static void the_same_has_the_same_interval(void **state)
{
	struct dice d = {3, 0, 0};
	double x[7], y[7], z[7];
	struct asl_ratio a, b;

	(void)state;
	measure(x, 7, 1, &d);
	measure(y, 7, 1, &d);
	for (int i = 0; i < 7; i++)
		z[i] = x[6 - i];
	ratio_of(&a, x, 7, y, 7);
	ratio_of(&b, y, 7, x, 7);
	ratio_of(&b, z, 7, y, 7);
	assert_true(a.ratio == b.ratio && a.low == b.low && a.high == b.high);
}

static void verdicts_leave_one_out(void **state)
{
	static const struct {
		double low, high;
		int verdict;
	} table[] = {{1.01, 2, 1}, {0.5, 0.99, -1}, {0.9, 1.1, 0},
		     {1, 2, 0},	   {0.5, 1, 0},	    {NAN, NAN, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_int_equal(
			asl_ratio_verdict(&(struct asl_ratio){
				.low = table[i].low, .high = table[i].high}),
			table[i].verdict);
}

static void equal_is_not_unknown(void **state)
{
	static const struct {
		struct asl_ratio of;
		const char *words;
		int needs; /* 0: none; the least */
	} table[] = {{{1.5, 1.2, 1.8, 6}, "faster", 0},
		     {{0.7, 0.6, 0.8, 6}, "slower", 0},
		     {{1.01, 0.98, 1.03, 6}, "equal within 5%", 0},
		     {{1.02, 1.01, 1.03, 6}, "equal within 5%", 0},
		     {{1, 0.56, 2.12, 6}, "not known yet", 400},
		     {{1.2, 0.9, 1.4, 6}, "not known yet", 8},
		     {{1.2, NAN, NAN, 4}, "too few repetitions", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		int needs = asl_ratio_needs(&table[i].of);

		assert_string_equal(asl_ratio_say(&table[i].of),
				    table[i].words);
		if (!needs != !table[i].needs || needs < table[i].needs)
			fail_msg("%zu: needs %d", i, needs);
	}
}

/* So many repetitions as were asked for do decide, half of the time at least. */
static void what_is_needed_is_enough(void **state)
{
	struct dice d = {4, 0, 0};
	int asked = 0, decided = 0;

	(void)state;
	for (int k = 0; k < 200; k++) {
		double x[MOST], y[MOST], ratio = k % 2 ? 1 : 1.1;
		struct asl_ratio r;
		int needs;

		measure(x, 6, ratio, &d);
		measure(y, 6, 1, &d);
		assert_int_equal(ratio_of(&r, x, 6, y, 6), 0);
		needs = asl_ratio_needs(&r);
		if (!needs || needs > 400)
			continue;
		measure(x, needs, ratio, &d);
		measure(y, needs, 1, &d);
		assert_int_equal(ratio_of(&r, x, needs, y, needs), 0);
		asked++;
		decided += !asl_ratio_needs(&r);
	}
	if (asked < 50 || decided < asked / 2)
		fail_msg("%d of %d are decided", decided, asked);
}

static void means_are_geometric(void **state)
{
	(void)state;
	assert_true(isnan(asl_geometric_mean(NULL, 0)));
	assert_true(fabs(asl_geometric_mean((double[]){2, 8}, 2) - 4) < 1e-12);
	assert_true(fabs(asl_geometric_mean((double[]){4, 0.25, 8}, 3) - 2) <
		    1e-12);
}

/* ---- Drift ---- */

enum { CASES = 6, BLOCKS = 3, REPS = 3, PAIRS = 60 };

/* 5% of them, and two and a half deviations of chance. */
enum { MOST_TOLD = 7 };

static double gauss(struct dice *d)
{
	return sqrt(-2 * log(uniform(d))) * cos(2 * M_PI * uniform(d));
}

/* A run of all cases: its mean over them, and that mean's draws. */
struct drifting {
	double level[2], draws[2][ASL_DRAWS]; /* of the first case; of all */
	struct asl_drift drift;
};

/* In every block all cases are off alike, and each by itself. */
static void run_drifting(struct drifting *to, double common, double alone,
			 const double *off, uint32_t place, struct dice *d)
{
	static struct asl_blocks blocks[CASES];
	static double x[CASES][BLOCKS * REPS], draws[ASL_DRAWS];

	memset(to, 0, sizeof *to);
	memset(blocks, 0, sizeof blocks);
	for (int i = 0; i < CASES; i++)
		for (int k = 0; k < BLOCKS * REPS; k++) {
			static double here;

			if (k % REPS == 0)
				here = alone * gauss(d) +
				       common * off[k / REPS];
			x[i][k] = here + 0.01 * gauss(d);
			asl_blocks_add(&blocks[i], k % REPS == 0, x[i][k]);
			x[i][k] = exp(x[i][k]);
		}
	to->drift = asl_drift_of(blocks, CASES, false);
	to->drift.stream = place;
	for (int i = 0; i < CASES; i++) {
		uint32_t stream = 100 + 100 * place + (uint32_t)i;
		double level = log(asl_median(x[i], BLOCKS * REPS));

		asl_resample(draws, x[i], BLOCKS * REPS, stream);
		asl_drift_add(draws, &to->drift, stream);
		for (int all = i > 0; all < 2; all++) {
			double share = all ? 1. / CASES : 1;

			to->level[all] += share * level;
			for (int k = 0; k < ASL_DRAWS; k++)
				to->draws[all][k] += share * draws[k];
		}
	}
}

/* How many pairs of equal machines are told apart by case and whole. */
static void tell_apart(int told[2], double *width, double common, double alone,
		       bool turns)
{
	static struct drifting a, b;
	struct dice d = {7, (uint32_t)(1000 * common), (uint32_t)turns};

	told[0] = told[1] = 0;
	*width = 0;
	for (int pair = 0; pair < PAIRS; pair++) {
		double off[2][BLOCKS];

		for (int k = 0; k < BLOCKS; k++) {
			off[0][k] = gauss(&d);
			off[1][k] = turns ? off[0][k] : gauss(&d);
		}
		run_drifting(&a, common, alone, off[0], 0, &d);
		run_drifting(&b, common, alone, off[1], !turns, &d);
		for (int all = 0; all < 2; all++) {
			struct asl_ratio r;

			for (int k = 0; k < ASL_DRAWS; k++)
				a.draws[all][k] -= b.draws[all][k];
			r = asl_ratio_of(a.level[all] - b.level[all],
					 a.draws[all], REPS);
			told[all] += asl_ratio_verdict(&r) != 0;
			*width += all ? log(r.high / r.low) / PAIRS : 0;
		}
	}
}

/* Equal machines are told apart once in 20 times, drift or not. */
static void drift_does_not_tell_equals_apart(void **state)
{
	static const double table[][2] = {{0, 0}, {0, 0.02}, {0.1, 0.05}};
	double width, apart;
	int told[2];

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		tell_apart(told, &width, table[i][0], table[i][1], false);
		if (told[0] > MOST_TOLD || told[1] > MOST_TOLD)
			fail_msg("drift %g, %g: %d cases and %d wholes of %d "
				 "are told apart",
				 table[i][0], table[i][1], told[0], told[1],
				 PAIRS);
	}
	/* With turns a common drift cancels: intervals know that. */
	tell_apart(told, &apart, 0.1, 0.01, false);
	tell_apart(told, &width, 0.1, 0.01, true);
	if (told[1] > MOST_TOLD || width > apart / 5)
		fail_msg("with turns: %d, width %g and %g apart", told[1],
			 width, apart);
}

/* Two halves of repetitions that differ are drift, too. */
static void halves_show_drift(void **state)
{
	static struct asl_blocks steady[CASES], drifting[CASES];
	struct dice d = {8, 0, 0};

	(void)state;
	for (int i = 0; i < CASES; i++)
		for (int k = 0; k < 8; k++) {
			double x = 0.01 * gauss(&d), late = k < 4 ? 0 : 0.1;

			asl_blocks_add(&steady[i], k == 4, x);
			asl_blocks_add(&drifting[i], k == 4, x + late);
		}
	assert_true(asl_drift_of(steady, CASES, true).alone < 0.01);
	assert_true(asl_drift_of(drifting, CASES, true).alone > 0.06);
	assert_true(asl_drift_of(drifting, 2, true).alone == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(coverage_is_that_of_coins),
		cmocka_unit_test(thousands_have_an_interval),
		cmocka_unit_test(intervals_hold_the_ratio),
		cmocka_unit_test(equals_are_not_told_apart),
		cmocka_unit_test(few_samples_have_no_interval),
		cmocka_unit_test(the_same_has_the_same_interval),
		cmocka_unit_test(verdicts_leave_one_out),
		cmocka_unit_test(equal_is_not_unknown),
		cmocka_unit_test(what_is_needed_is_enough),
		cmocka_unit_test(means_are_geometric),
		cmocka_unit_test(drift_does_not_tell_equals_apart),
		cmocka_unit_test(halves_show_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
