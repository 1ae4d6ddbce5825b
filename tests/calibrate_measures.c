/*
 * calibrate_measures.c -- what calibration concludes, and what it measures
 *
 * Confidence intervals are held against the binomial distribution and against
 * random samples with a known median; fits against lines, exact and disturbed;
 * measurements, which no test can foretell, against loops of their own, roughly.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/calibrate/calibrate.h"
#include "lib/calibrate/measure.h"
#include "lib/rank/rank.h"
#include "tests/help/random.h"

enum { MOST = 600 };

/* Any order of 1 to count. */
static void shuffle(double *x, int count, struct dice *d)
{
	for (int i = 0; i < count; i++) {
		int j = (int)roll(d, 0, (uint64_t)i);

		x[i] = x[j];
		x[j] = i + 1;
	}
}

/* ---- Estimates ---- */

/* The ranks that tables of the sign test give for 95%, from the lower end. */
static void intervals_are_those_of_tables(void **state)
{
	static const struct {
		int count, low;
	} table[] = {{6, 1},  {8, 1},  {9, 2},	 {10, 2},  {12, 3},  {15, 4},
		     {20, 6}, {25, 8}, {30, 10}, {40, 14}, {50, 18}, {100, 40}};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct dice d = {1, (uint32_t)i, 0};
		int n = table[i].count;
		double x[MOST];
		struct asl_estimate e;

		shuffle(x, n, &d);
		e = asl_estimate(x, n);
		assert_int_equal(e.samples, n);
		assert_true(e.median == (n + 1) / 2.0);
		assert_true(e.low == table[i].low);
		assert_true(e.high == n + 1 - table[i].low);
	}
}

static void few_samples_enclose_all(void **state)
{
	(void)state;
	for (int n = 1; n < 6; n++) {
		struct dice d = {2, (uint32_t)n, 0};
		double x[MOST];
		struct asl_estimate e;

		shuffle(x, n, &d);
		e = asl_estimate(x, n);
		assert_true(e.low == 1 && e.high == n);
		assert_true(e.median == (n + 1) / 2.0);
	}
	assert_int_equal(asl_estimate(NULL, 0).samples, 0);
}

/* Skewed, as times are: the true median of -log(u) is log 2. */
static void intervals_hold_the_median(void **state)
{
	static const int counts[] = {6, 7, 13, 50, 499};

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		struct dice d = {3, (uint32_t)i, 0};
		int cases = 4000, held = 0;
		double wanted = 0.95 * cases;

		for (int k = 0; k < cases; k++) {
			double x[MOST];
			struct asl_estimate e;

			for (int j = 0; j < counts[i]; j++)
				x[j] = -log((double)roll(&d, 1, 1u << 30) /
					    (1u << 30));
			e = asl_estimate(x, counts[i]);
			held += e.low <= log(2) && log(2) <= e.high;
		}
		/* Three standard deviations of chance. */
		if (held < wanted - 3 * sqrt(cases * 0.95 * 0.05) ||
		    held > cases * 0.995)
			fail_msg("%d samples: %d of %d intervals hold it",
				 counts[i], held, cases);
	}
}

/* ---- Lines ---- */

static double close_to(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static void lines_are_found(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		struct dice d = {4, i, 0};
		int count = (int)roll(&d, 2, 20);
		double alpha = (double)roll_size(&d, 20);
		double beta = (double)roll_size(&d, 20) / 1024;
		double x[20], y[20];
		struct asl_fit line;

		for (int j = 0; j < count; j++) {
			x[j] = j + (double)roll(&d, 0, 9) / 10;
			y[j] = alpha + beta * x[j];
		}
		line = asl_fit_line(x, y, count);
		if (fabs(line.alpha - alpha) > 1e-5 * (alpha + beta) ||
		    fabs(line.beta - beta) > 1e-5 * (alpha + beta) ||
		    line.worst > 1e-5)
			fail_msg("case %u: %g + %g x, expected %g + %g x", i,
				 line.alpha, line.beta, alpha, beta);
	}
}

static double squares(const double *x, const double *y, int count, double alpha,
		      double beta)
{
	double sum = 0;

	for (int j = 0; j < count; j++) {
		double off = (alpha + beta * x[j] - y[j]) / y[j];

		sum += off * off;
	}
	return sum;
}

/* Of disturbed points none of the lines near the one found is nearer. */
static void fits_are_least_squares(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		struct dice d = {5, i, 0};
		int count = (int)roll(&d, 3, 20);
		double x[20], y[20], least;
		struct asl_fit line;

		for (int j = 0; j < count; j++) {
			x[j] = (double)(1u << j);
			y[j] = (double)roll(&d, 1, 1000) +
			       x[j] * (double)roll(&d, 0, 10);
		}
		line = asl_fit_line(x, y, count);
		least = squares(x, y, count, line.alpha, line.beta);
		assert_true(line.alpha >= 0 && line.beta >= 0);
		for (int k = 0; k < 4; k++) {
			double up = k % 2 ? 1.01 : 0.99;
			double a = line.alpha * (k < 2 ? up : 1);
			double b = line.beta * (k < 2 ? 1 : up);

			if (squares(x, y, count, a, b) < least * (1 - 1e-9))
				fail_msg("case %u: %g + %g x is nearer than "
					 "%g + %g x",
					 i, a, b, line.alpha, line.beta);
		}
	}
}

/* A line that would begin or lead below 0 is not one of costs. */
static void no_cost_is_negative(void **state)
{
	const double x[] = {1, 2, 3}, steep[] = {1, 4, 7},
		     falling[] = {3, 2, 1};
	struct asl_fit line = asl_fit_line(x, steep, 3);

	(void)state;
	assert_true(line.alpha == 0 && line.beta > 1 && line.beta < 7.0 / 3);
	line = asl_fit_line(x, falling, 3);
	assert_true(line.beta == 0 && line.alpha > 1 && line.alpha < 3);
	assert_true(line.worst > 0.1);
}

/* Three terms, of which two may be 0. */
static void terms_are_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct dice d = {7, i, 0};
		double x[20][3], y[20], found[3], terms[3];

		for (int j = 0; j < 3; j++)
			terms[j] = (double)roll(&d, 0, 20) / 4;
		terms[i % 3] += 1;
		for (int l = 0; l < 20; l++) {
			y[l] = 0;
			for (int j = 0; j < 3; j++) {
				x[l][j] = (double)roll(&d, 1, 100);
				y[l] += x[l][j] * terms[j];
			}
		}
		asl_fit_terms(found, 3, *x, y, 20);
		for (int j = 0; j < 3; j++)
			if (fabs(found[j] - terms[j]) > 1e-6)
				fail_msg("case %u: term %d is %g, expected %g",
					 i, j, found[j], terms[j]);
		/* Where the best term would be below 0, it is 0. */
		for (int l = 0; l < 20; l++)
			y[l] = 1000 - x[l][0];
		asl_fit_terms(found, 3, *x, y, 20);
		assert_true(found[0] >= 0 && found[1] >= 0 && found[2] >= 0);
	}
}

static void worst_is_told(void **state)
{
	const double x[] = {1, 2, 3, 1000}, y[] = {10, 10, 20, 10000};
	struct asl_fit line = asl_fit_line(x, y, 4);
	double worst = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		worst = fmax(worst,
			     fabs(line.alpha + line.beta * x[i] - y[i]) / y[i]);
	assert_true(close_to(line.worst, worst));
}

/* ---- Measurements ---- */

/* Roughly: others may be at work on this machine. */
static void check_times(const char *what, double found, double plain)
{
	if (!(found > plain / 3 && found < plain * 3))
		fail_msg("%s: %g ns a word, a plain loop takes %g", what, found,
			 plain);
}

static double plain_chunk(struct asl_store_bench *s, double *at, bool out)
{
	double since = asl_now();

	for (int i = 0; i < ASL_BENCH_CHUNK; i += ASL_BENCH_TILE) {
		memcpy(out ? s->tile : at + i, out ? at + i : s->tile,
		       ASL_BENCH_TILE * sizeof *s->tile);
		/* To the compiler it is of use now. */
		__asm__ volatile("" : : "r"(s->tile), "r"(at) : "memory");
	}
	return 1e9 * (asl_now() - since) / ASL_BENCH_CHUNK;
}

/* Of chunks, too, as most of them are not disturbed by others. */
static double plain_copies(struct asl_store_bench *s, bool out)
{
	enum { CHUNKS = 96 };
	double times[CHUNKS];

	assert_true(s->words >= (uint64_t)CHUNKS * ASL_BENCH_CHUNK);
	for (int i = 0; i < CHUNKS; i++)
		times[i] = plain_chunk(s, s->at + i * ASL_BENCH_CHUNK, out);
	return asl_median(times, CHUNKS);
}

/* In turns, on the same pages. */
static void memory_is_as_fast_as_memcpy(void **state)
{
	enum { TURNS = 9 };
	struct asl_store_want want = {.name = "dram"};
	struct asl_store *store;
	struct asl_store_bench s;
	double times[4][TURNS];

	(void)state;
	assert_int_equal(asl_store_open(&store, &want), 0);
	assert_int_equal(asl_store_bench_open(&s, store, UINT64_C(12) << 20),
			 0);
	for (int i = 0; i < TURNS; i++) {
		times[0][i] = asl_store_bench_read(&s, s.words);
		times[1][i] = plain_copies(&s, true);
		times[2][i] = asl_store_bench_write(&s, s.words);
		times[3][i] = plain_copies(&s, false);
	}
	check_times("read", asl_median(times[0], TURNS),
		    asl_median(times[1], TURNS));
	check_times("write", asl_median(times[2], TURNS),
		    asl_median(times[3], TURNS));
	asl_store_bench_close(&s);
	asl_store_close(store);
}

/* What was written is there, to the last word, and nothing beyond a pass. */
static void streams_move_all_words(void **state)
{
	struct asl_store_want want = {.name = "dram"};
	struct asl_store *store;
	struct asl_store_bench s;

	(void)state;
	assert_int_equal(asl_store_open(&store, &want), 0);
	assert_int_equal(
		asl_store_bench_open(&s, store, 3 * ASL_BENCH_CHUNK - 1), 0);
	assert_int_equal(s.words, 3 * ASL_BENCH_CHUNK);
	for (uint64_t i = 0; i < s.words; i++)
		if (s.at[i] != (double)(i % ASL_BENCH_TILE))
			fail_msg("word %ju is %g", i, s.at[i]);
	memset(s.at, 0, s.words * sizeof *s.at);
	assert_true(asl_store_bench_write(&s, ASL_BENCH_CHUNK) > 0);
	assert_true(s.at[ASL_BENCH_CHUNK - 1] == ASL_BENCH_TILE - 1);
	assert_true(s.at[ASL_BENCH_CHUNK + 1] == 0);
	s.at[s.words - 1] = 5;
	assert_true(asl_store_bench_read(&s, s.words) > 0);
	assert_true(s.tile[ASL_BENCH_TILE - 1] == 5);
	asl_store_bench_close(&s);
	asl_store_close(store);
}

/* The mean stays; none is below the one before; what rises already is as it was. */
static void rising_numbers_are_near(void **state)
{
	double y[] = {3, 2, 1, 5, 4, 4.5, 9}, rises[] = {1, 1, 2, 7};
	const double still[] = {1, 1, 2, 7};
	const double want[] = {2, 2, 2, 4.5, 4.5, 4.5, 9};
	double none = 0;

	(void)state;
	asl_fit_rising(y, 7);
	for (int i = 0; i < 7; i++)
		assert_true(fabs(y[i] - want[i]) < 1e-12);
	asl_fit_rising(rises, 4);
	for (int i = 0; i < 4; i++)
		assert_true(rises[i] == still[i]);
	asl_fit_rising(&none, 0);
}

/* Rows of a disk take time, and longer ones more of it; unless there is none here. */
static void rows_of_a_disk_take_time(void **state)
{
	struct asl_store_want want = {.name = "disk",
				      .dir = ".",
				      .run_id = "measures",
				      .words = 4 << 20,
				      .pieces = 1};
	struct asl_store *store;
	struct asl_store_bench s;
	double ns[ASL_DISK_KINDS];

	(void)state;
	if (asl_store_open(&store, &want)) {
		print_message("%s\n", asl_failure());
		skip();
	}
	assert_int_equal(asl_store_bench_open(&s, store, want.words), 0);
	assert_int_equal(asl_disk_bench_run(&s, NULL, want.words, ns), 0);
	for (int i = 0; i < ASL_DISK_KINDS; i++)
		assert_true(ns[i] > 0 && ns[i] < 10e9);
	for (int i = 0; i < 2; i++) {
		const double *row =
			ns + i * (ASL_DISK_KINDS / 2) + ASL_DISK_ROW;

		/* 8 MiB in less than 1 TB/s; 16384 times as long as the first. */
		assert_true(row[ASL_ROW_SIZES - 1] > 8e3);
		assert_true(row[ASL_ROW_SIZES - 1] > 4 * row[0]);
	}
	asl_store_bench_close(&s);
	asl_store_close(store);
}

/* Rows apart, that adjoin, and near each other, which a write reads first. */
static void times_of_a_disk(void **state)
{
	static const struct asl_disk_times t = {
		.words = {100, 1000, 2000, 3000, 4000, 5000},
		.begin = {10, 20},
		.row = {{1, 10, 20, 30, 40, 50}, {2, 20, 40, 60, 80, 100}}};

	(void)state;
	assert_true(asl_disk_ns(&t, false, 3, 1000, 9000) == 10 + 3 * 10);
	assert_true(asl_disk_ns(&t, true, 3, 1500, 9000) == 20 + 3 * 30);
	assert_true(asl_disk_ns(&t, false, 4, 1000, 1000) == 10 + 40);
	assert_true(asl_disk_ns(&t, false, 2, 1000, 2000) == 10 + 30);
	assert_true(asl_disk_ns(&t, true, 2, 1000, 2000) == 20 + 60 + 10 + 30);
	assert_true(asl_disk_ns(&t, true, 1, 50, 50) == 20 + 2);
	/* Whole blocks are written without reading any. */
	assert_true(asl_disk_ns(&t, true, 4, 1024, 1024) == 10 + 80.92);
	assert_true(asl_disk_ns(&t, true, 1, 0, 50) == 0);
}

/* Half of what is transferred as one is worth its words: copies are left out. */
static void near_rows_of_a_disk(void **state)
{
	struct asl_disk_times t = {
		.words = {1, 2, 3, 4, 5, 6},
		.begin = {10, 20},
		.row = {{1, 2, 3, 4, 5, 6}, {2, 4, 6, 8, 10, 12}}};

	(void)state;
	assert_true(asl_disk_ns(&t, false, 2, 1000, 2000) == 10 + 3000);
	t.near[false] = 10 + ASL_NEAR_WORDS / 2;
	t.near[true] = t.near[false] + 20 + ASL_NEAR_WORDS / 2;
	assert_true(asl_disk_ns(&t, false, 2, 1000, 2000) == 10 + 1500);
	assert_true(asl_disk_ns(&t, true, 2, 1000, 2000) ==
		    10 + 1500 + 20 + 1500);
	/* Rows apart, and those that adjoin, are as they were. */
	assert_true(asl_disk_ns(&t, false, 2, 1000, 2025) == 10 + 2000);
	assert_true(asl_disk_ns(&t, false, 2, 1000, 1000) == 10 + 2000);
}

static void products_take_time(void **state)
{
	struct asl_store_want want = {.name = "dram"};
	struct asl_store *store;
	struct asl_flop_bench p;
	double ns;

	(void)state;
	assert_int_equal(asl_store_open(&store, &want), 0);
	assert_int_equal(asl_flop_bench_open(&p, store), 0);
	ns = asl_flop_bench_run(&p);
	/* From 1 TFLOP/s to 10 MFLOP/s. */
	assert_true(ns > 1e-3 && ns < 100);
	asl_flop_bench_close(&p);
	asl_store_close(store);
}

/* On sim two ranks share this process: a sweep ends, with times of all sizes. */
static int sweep(struct asl_net *net, void *arg)
{
	int *swept = arg, me = asl_net_rank(net), err;
	struct asl_net_bench s;

	err = asl_net_bench_open(&s, 1 - me, me == 0);
	if (!err)
		err = asl_net_bench_run(&s, net, 1);
	for (int i = 0; !err && i < ASL_NET_BENCH_SIZES; i++)
		if (s.ns[i] > 0 && (!i || s.words[i] > s.words[i - 1]))
			++*swept;
	for (size_t i = 0;
	     !err && i < 8 * (size_t)s.words[ASL_NET_BENCH_SIZES - 1]; i++)
		if (s.in[i] != 1)
			err = -EBADMSG;
	asl_net_bench_close(&s);
	return err;
}

static void sweeps_send_all_sizes(void **state)
{
	struct asl_net_want want = {
		.transport = "sim",
		.ranks = 2,
		.data = true,
	};
	int swept = 0;

	(void)state;
	assert_int_equal(asl_net_run(&want, sweep, &swept), 0);
	assert_int_equal(swept, 2 * ASL_NET_BENCH_SIZES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_those_of_tables),
		cmocka_unit_test(few_samples_enclose_all),
		cmocka_unit_test(intervals_hold_the_median),
		cmocka_unit_test(lines_are_found),
		cmocka_unit_test(fits_are_least_squares),
		cmocka_unit_test(no_cost_is_negative),
		cmocka_unit_test(terms_are_found),
		cmocka_unit_test(worst_is_told),
		cmocka_unit_test(memory_is_as_fast_as_memcpy),
		cmocka_unit_test(streams_move_all_words),
		cmocka_unit_test(rising_numbers_are_near),
		cmocka_unit_test(rows_of_a_disk_take_time),
		cmocka_unit_test(times_of_a_disk),
		cmocka_unit_test(near_rows_of_a_disk),
		cmocka_unit_test(products_take_time),
		cmocka_unit_test(sweeps_send_all_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
