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
	*r = asl_ratio_of(least ? ratio : NAN, few ? NULL : a, NULL, least);
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
	} table[] = {{{1.5, 1.2, 1.8, 6, 0}, "faster", 0},
		     {{0.7, 0.6, 0.8, 6, 0}, "slower", 0},
		     {{1.01, 0.98, 1.03, 6, 0}, "equal within 5%", 0},
		     {{1.02, 1.01, 1.03, 6, 0}, "equal within 5%", 0},
		     {{1, 0.56, 2.12, 6, 0}, "not known yet", 400},
		     {{1.2, 0.9, 1.4, 6, 0}, "not known yet", 8},
		     {{1.2, NAN, NAN, 4, 0}, "too few repetitions", 0}};

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

enum { CASES = 6, BLOCKS = 5, REPS = 2, PAIRS = 100 };

static double gauss(struct dice *d)
{
	return sqrt(-2 * log(uniform(d))) * cos(2 * M_PI * uniform(d));
}

/*
 * A sum of drifts that are forgotten after 1, 4, 16, 64 and 256 blocks: about 1/f.
 * The variance is 1.
 */
enum { SPANS = 5 };

struct wander {
	double off[SPANS];
};

static double step(struct wander *w, bool begins, struct dice *d)
{
	double sum = 0, span = 1;

	for (int i = 0; i < SPANS; i++, span *= 4) {
		double keep = begins ? 0 : exp(-1 / span);

		w->off[i] = keep * w->off[i] +
			    sqrt((1 - keep * keep) / SPANS) * gauss(d);
		sum += w->off[i];
	}
	return sum;
}

/* What times are off by: all cases alike, each by itself, each repetition. */
struct machine {
	double common, alone, noise;
	bool partly; /* every other case does not drift, as emulated memory */
	struct wander all, own[CASES];
};

/* The blocks of all cases, and the time between two runs. */
static void drift_on(struct machine *m, bool begins, double off[1 + CASES],
		     struct dice *d)
{
	off[0] = m->common * step(&m->all, begins, d);
	for (int i = 0; i < CASES; i++)
		off[1 + i] = m->alone * step(&m->own[i], begins, d);
}

/* A run: levels and draws of all cases, and of their mean, the last. */
struct drifting {
	double level[1 + CASES], draws[1 + CASES][ASL_DRAWS],
		drift[1 + CASES][ASL_DRAWS];
	struct asl_drift of;
};

static struct asl_blocks blocks[CASES];
static double times_of[CASES][BLOCKS * REPS];

static void conclude(struct drifting *to, uint32_t place, bool turns)
{
	memset(to, 0, sizeof *to);
	asl_drift_of(&to->of, blocks, CASES, false);
	to->of.stream = turns ? 0 : place;
	to->of.turns = turns;
	for (int i = 0; i < CASES; i++) {
		uint32_t stream = 100 + 100 * place + (uint32_t)i;

		to->level[i] = log(asl_median(times_of[i], BLOCKS * REPS));
		asl_resample(to->draws[i], times_of[i], BLOCKS * REPS, stream);
		asl_drift_draw(to->drift[i], &to->of, &blocks[i], stream);
		to->level[CASES] += to->level[i] / CASES;
		for (int k = 0; k < ASL_DRAWS; k++) {
			to->draws[CASES][k] += to->draws[i][k] / CASES;
			to->drift[CASES][k] += to->drift[i][k] / CASES;
		}
	}
}

/* off[]: of each block. */
static void run_drifting(struct drifting *to, const struct machine *m,
			 double off[BLOCKS][1 + CASES], uint32_t place,
			 bool turns, struct dice *d)
{
	memset(blocks, 0, sizeof blocks);
	for (int i = 0; i < CASES; i++)
		for (int k = 0; k < BLOCKS * REPS; k++) {
			const double *here = off[k / REPS];
			double x = here[1 + i] + m->noise * gauss(d);

			if (!m->partly || i % 2)
				x += here[0];
			asl_blocks_add(&blocks[i], k % REPS == 0, x);
			times_of[i][k] = exp(x);
		}
	for (int i = 0; i < CASES; i++)
		asl_blocks_steady(times_of[i], &blocks[i]);
	conclude(to, place, turns);
}

/* Of pairs of runs: shares of intervals that leave 1 out or are equal within 5%. */
struct told {
	double cases, whole, equal; /* equal: of cases */
	double width, drift,
		noise; /* of the whole: all, and from these alone */
};

static void look(struct told *t, struct drifting *a, struct drifting *b)
{
	for (int i = 0; i <= CASES; i++) {
		struct asl_ratio r, noise;
		double share = 1. / PAIRS / (i < CASES ? CASES : 1);

		for (int k = 0; k < ASL_DRAWS; k++) {
			a->draws[i][k] -= b->draws[i][k];
			a->drift[i][k] -= b->drift[i][k];
		}
		memcpy(b->draws[i], a->draws[i], sizeof b->draws[i]);
		noise = asl_ratio_of(0, b->draws[i], NULL, BLOCKS * REPS);
		r = asl_ratio_of(a->level[i] - b->level[i], a->draws[i],
				 a->drift[i], BLOCKS * REPS);
		*(i < CASES ? &t->cases : &t->whole) +=
			asl_ratio_verdict(&r) ? share : 0;
		if (i < CASES) {
			bool equal =
				!strcmp(asl_ratio_say(&r), "equal within 5%");

			t->equal += equal ? share : 0;
			continue;
		}
		t->width += log(r.high / r.low) / 2 * share;
		t->drift += r.drift * share;
		t->noise += log(noise.high / noise.low) / 2 * share;
	}
}

/* Equal machines, three times the length of a run apart, or block by block. */
static struct told tell_apart(struct machine m, bool turns)
{
	static struct drifting a, b;
	struct dice d = {7, (uint32_t)(1000 * m.common),
			 (uint32_t)(1000 * m.alone) + 2u * m.partly};
	struct told t = {0};

	for (int pair = 0; pair < PAIRS; pair++) {
		double off[2][BLOCKS][1 + CASES], between[1 + CASES];

		for (int k = 0; k < BLOCKS; k++) {
			drift_on(&m, k == 0, off[0][k], &d);
			memcpy(off[1][k], off[0][k], sizeof off[1][k]);
		}
		for (int k = 0; !turns && k < 2 * BLOCKS; k++)
			drift_on(&m, false, between, &d);
		for (int k = 0; !turns && k < BLOCKS; k++)
			drift_on(&m, false, off[1][k], &d);
		run_drifting(&a, &m, off[0], 0, turns, &d);
		run_drifting(&b, &m, off[1], 1, turns, &d);
		look(&t, &a, &b);
	}
	return t;
}

/* Equal machines are told apart once in 20 times, whatever drifts. */
static void drift_does_not_tell_equals_apart(void **state)
{
	static const struct machine table[] = {
		{.noise = 0.01},
		{.common = 0.03, .noise = 0.01},
		{.alone = 0.03, .noise = 0.01},
		{.common = 0.03, .alone = 0.01, .noise = 0.03},
		{.common = 0.03, .noise = 0.003, .partly = true},
		{.common = 0.08, .alone = 0.03, .noise = 0.002}};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct told t = tell_apart(table[i], false);

		/* Of so many wholes 5%, and chance. */
		if (t.cases > 0.05 || t.whole > 0.1)
			fail_msg("machine %zu: %.3f of cases and %.3f of "
				 "wholes are told apart",
				 i, t.cases, t.whole);
	}
}

/* Without drift intervals are those of noise, and little drift leaves equals equal. */
static void little_drift_is_little_width(void **state)
{
	struct told none, little;

	(void)state;
	none = tell_apart((struct machine){.noise = 0.01}, false);
	if (none.width > 1.75 * none.noise || none.equal < 0.95)
		fail_msg("no drift: width %.4f, noise %.4f, %.2f are equal",
			 none.width, none.noise, none.equal);
	little = tell_apart((struct machine){.common = 0.01, .noise = 0.005},
			    false);
	if (little.equal < 0.5)
		fail_msg("drift of 1%%: %.2f are equal", little.equal);
	if (little.drift > little.width || little.drift < 0.8 * little.width)
		fail_msg("drift of 1%%: width %.4f, %.4f of it from drift",
			 little.width, little.drift);
}

/* What affects both of two that take turns cancels: intervals know that. */
static void turns_cancel_drift(void **state)
{
	struct machine m = {.common = 0.1, .noise = 0.01};
	struct told apart = tell_apart(m, false), turns = tell_apart(m, true);

	(void)state;
	if (turns.cases > 0.05 || turns.whole > 0.1 ||
	    turns.width > apart.width / 10)
		fail_msg("turns: %.3f and %.3f are told apart, widths %.4f "
			 "and %.4f",
			 turns.cases, turns.whole, turns.width, apart.width);
}

/* Two halves of repetitions that differ are drift, too. */
static void halves_show_drift(void **state)
{
	static struct asl_blocks steady[CASES], drifting[CASES];
	static struct asl_drift of;
	double draws[ASL_DRAWS];
	struct dice d = {8, 0, 0};

	(void)state;
	for (int i = 0; i < CASES; i++)
		for (int k = 0; k < 8; k++) {
			double x = 0.01 * gauss(&d), late = k < 4 ? 0 : 0.1;

			asl_blocks_add(&steady[i], k == 4, x);
			asl_blocks_add(&drifting[i], k == 4, x + late);
		}
	asl_drift_of(&of, steady, CASES, true);
	assert_true(of.variance < 0.0001);
	asl_drift_of(&of, drifting, CASES, true);
	assert_true(of.variance > 0.06 * 0.06);
	asl_drift_draw(draws, &of, &drifting[0], 9);
	assert_true(asl_ratio_of(0, draws, NULL, 8).high > 1.1);
	asl_drift_of(&of, drifting, 2, true);
	asl_drift_draw(draws, &of, &drifting[0], 9);
	assert_true(asl_ratio_of(0, draws, NULL, 8).high == 1);
}

/* Repetitions make noise less, and not drift. */
static void drift_cannot_be_repeated_away(void **state)
{
	struct asl_ratio r = {1.04, 0.95, 1.14, 10, 0};
	int needs = asl_ratio_needs(&r);

	(void)state;
	r.drift = 0.03;
	assert_true(asl_ratio_needs(&r) > needs);
	r.drift = 0.04;
	assert_int_equal(asl_ratio_needs(&r), ASL_NEVER);
	r.low = 1.01;
	assert_int_equal(asl_ratio_needs(&r), 0);
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
		cmocka_unit_test(little_drift_is_little_width),
		cmocka_unit_test(turns_cancel_drift),
		cmocka_unit_test(halves_show_drift),
		cmocka_unit_test(drift_cannot_be_repeated_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
