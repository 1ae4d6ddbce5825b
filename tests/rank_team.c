/*
 * rank_team.c -- the threads of a rank: all work is done, once, by all of them
 *
 * And products of matrices have the same bits with any number of threads, one by
 * one or many at once.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cblas.h>

#include "lib/base/draw.h"
#include "lib/base/team.h"
#include "lib/rank/blas.h"
#include "tests/help/random.h"

enum { MOST = 5, PIECES = 300 };

struct tally {
	atomic_int times[PIECES];
	pthread_barrier_t all;
	pthread_t by[MOST];
};

static void note(void *arg, int piece)
{
	struct tally *x = arg;

	atomic_fetch_add(&x->times[piece], 1);
}

static void every_piece_once(void **state)
{
	struct dice d = {1, 0, 0};

	(void)state;
	for (int k = 0; k < 400; k++) {
		int pieces = (int)roll(&d, 0, PIECES);
		struct tally x = {0};

		if (roll(&d, 0, 9) == 0)
			assert_int_equal(
				asl_team_resize((int)roll(&d, 1, MOST)), 0);
		asl_team_run(pieces, note, &x);
		for (int i = 0; i < PIECES; i++)
			assert_int_equal(x.times[i], i < pieces);
	}
	asl_team_resize(1);
}

/* It ends only if each piece has a thread. */
static void meet(void *arg, int piece)
{
	struct tally *x = arg;

	pthread_barrier_wait(&x->all);
	x->by[piece] = pthread_self();
}

static void threads_work_at_once(void **state)
{
	(void)state;
	for (int threads = 1; threads <= MOST; threads++) {
		struct tally x = {0};

		assert_int_equal(asl_team_resize(threads), 0);
		assert_int_equal(asl_team_threads(), threads);
		pthread_barrier_init(&x.all, NULL, (unsigned)threads);
		asl_team_run(threads, meet, &x);
		pthread_barrier_destroy(&x.all);
		for (int i = 0; i < threads; i++)
			for (int j = 0; j < i; j++)
				assert_false(pthread_equal(x.by[i], x.by[j]));
	}
	asl_team_resize(1);
}

/* A piece that has pieces of its own does them alone. */
static void nest(void *arg, int piece)
{
	(void)piece;
	asl_team_run(PIECES, note, arg);
}

static void pieces_of_pieces(void **state)
{
	struct tally x = {0};

	(void)state;
	assert_int_equal(asl_team_resize(3), 0);
	asl_team_run(7, nest, &x);
	asl_team_resize(1);
	for (int i = 0; i < PIECES; i++)
		assert_int_equal(x.times[i], 7);
}

static void few_words_are_one_piece(void **state)
{
	(void)state;
	assert_int_equal(asl_team_resize(3), 0);
	assert_int_equal(asl_team_pieces(0, 100), 1);
	assert_int_equal(asl_team_pieces(199, 100), 1);
	assert_int_equal(asl_team_pieces(200, 100), 2);
	assert_int_equal(asl_team_pieces(9000, 100), 3);
	asl_team_resize(1);
}

/* ---- Products ---- */

static atomic_int products;

/* In place of OpenBLAS's, which it calls. */
void cblas_dgemm(const enum CBLAS_ORDER order,
		 const enum CBLAS_TRANSPOSE transA,
		 const enum CBLAS_TRANSPOSE transB, const blasint m,
		 const blasint n, const blasint k, const double alpha,
		 const double *a, const blasint lda, const double *b,
		 const blasint ldb, const double beta, double *c,
		 const blasint ldc)
{
	void (*real)(enum CBLAS_ORDER, enum CBLAS_TRANSPOSE,
		     enum CBLAS_TRANSPOSE, blasint, blasint, blasint, double,
		     const double *, blasint, const double *, blasint, double,
		     double *, blasint);
	void *next = dlsym(RTLD_NEXT, "cblas_dgemm");

	memcpy(&real, &next, sizeof real);
	atomic_fetch_add(&products, 1);
	real(order, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c,
	     ldc);
}

void cblas_dgemv(const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE trans,
		 const blasint m, const blasint n, const double alpha,
		 const double *a, const blasint lda, const double *x,
		 const blasint incx, const double beta, double *y,
		 const blasint incy)
{
	void (*real)(enum CBLAS_ORDER, enum CBLAS_TRANSPOSE, blasint, blasint,
		     double, const double *, blasint, const double *, blasint,
		     double, double *, blasint);
	void *next = dlsym(RTLD_NEXT, "cblas_dgemv");

	memcpy(&real, &next, sizeof real);
	atomic_fetch_add(&products, 1);
	real(order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

/* In place of ours. */
bool __wrap_asl_packed_multiply(const struct asl_packed *x);
bool __real_asl_packed_multiply(const struct asl_packed *x);

bool __wrap_asl_packed_multiply(const struct asl_packed *x)
{
	atomic_fetch_add(&products, 1);
	return __real_asl_packed_multiply(x);
}

struct operands {
	uint64_t m, n, k;
	double *at[4]; /* A, B, and C twice */
	uint64_t words[4];
};

static struct operands operands_of(const uint64_t shape[3])
{
	struct operands x = {shape[0], shape[1], shape[2], {0}, {0}};
	struct asl_draw draw = {.seed = 1};

	for (uint32_t i = 0; i < 4; i++) {
		x.words[i] = i == 0   ? x.m * x.k
			     : i == 1 ? x.k * x.n
				      : x.m * x.n;
		x.at[i] = malloc(x.words[i] * sizeof(double));
		assert_non_null(x.at[i]);
		draw.row[0] = i < 2 ? i : 2;
		asl_draw(&draw, x.at[i], 0, x.words[i]);
	}
	return x;
}

static void free_operands(struct operands *x)
{
	for (int i = 0; i < 4; i++)
		free(x->at[i]);
}

/* A matrix by a matrix, or by a vector. */
static struct operands draw_operands(struct dice *d, bool vector)
{
	uint64_t shape[3] = {roll(d, 1, 500), roll(d, 1, 500), roll(d, 1, 500)};

	if (vector) {
		bool column = roll(d, 0, 1);

		shape[2] = roll(d, 2000, 4000);
		shape[0] = column ? roll(d, 3000, 6000) : 1;
		shape[1] = column ? 1 : roll(d, 3000, 6000);
	}
	return operands_of(shape);
}

/* Returns the products that it took. */
static int multiply(const struct operands *x, int threads, double beta, int to)
{
	assert_int_equal(asl_team_resize(threads), 0);
	asl_blas_one_thread();
	products = 0;
	asl_gemm(ASL_FLOAT64, x->m, x->n, x->k, x->at[0], x->k, x->at[1], x->n,
		 beta, x->at[to], x->n);
	return products;
}

static void products_have_the_same_bits(void **state)
{
	int cut = 0;

	(void)state;
	for (uint32_t k = 0; k < 120; k++) {
		struct dice d = {2, k, 0};
		struct operands x = draw_operands(&d, k % 20 == 0);
		int threads = (int)roll(&d, 2, MOST), parts;
		double beta = (double)roll(&d, 0, 1);

		assert_int_equal(multiply(&x, 1, beta, 2), 1);
		parts = multiply(&x, threads, beta, 3);
		assert_in_range(parts, 1, threads);
		cut += parts > 1;
		if (memcmp(x.at[2], x.at[3], x.words[2] * sizeof(double)))
			fail_msg("%ju x %ju x %ju, %d threads: other bits", x.m,
				 x.n, x.k, threads);
		free_operands(&x);
	}
	asl_team_resize(1);
	assert_in_range(cut, 45, 119);
}

/* Words of C, here and there, beside their sums: C was as drawn, or is new. */
static void compare_words(struct dice *d, const struct operands *x, double beta)
{
	double *c = malloc(x->words[2] * sizeof *c);
	struct asl_draw draw = {.seed = 1, .row = {2}};

	assert_non_null(c);
	asl_draw(&draw, c, 0, x->words[2]);
	for (int i = 0; i < 200; i++) {
		uint64_t row = roll(d, 0, x->m - 1), col = roll(d, 0, x->n - 1);
		double sum = beta * c[row * x->n + col];

		for (uint64_t l = 0; l < x->k; l++)
			sum += x->at[0][row * x->k + l] *
			       x->at[1][l * x->n + col];
		assert_float_equal(x->at[2][row * x->n + col], sum, 1e-11);
	}
	free(c);
}

/* They are packed, or in bands, and neither depends on threads. */
static void tall_products_have_the_same_bits(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 60; k++) {
		struct dice d = {5, k, 0};
		uint64_t shape[3] = {roll(&d, 700, 4000), roll(&d, 2, 550),
				     roll(&d, 1, 550)};
		struct operands x = operands_of(shape);
		int threads = (int)roll(&d, 2, MOST);
		double beta = (double)roll(&d, 0, 1);

		multiply(&x, 1, beta, 2);
		multiply(&x, threads, beta, 3);
		if (memcmp(x.at[2], x.at[3], x.words[2] * sizeof(double)))
			fail_msg("%ju x %ju x %ju, %d threads: other bits", x.m,
				 x.n, x.k, threads);
		compare_words(&d, &x, beta);
		free_operands(&x);
	}
	asl_team_resize(1);
}

/* Products in groups of one to three, which add up in the C of their group. */
static void groups_have_the_same_bits(void **state)
{
	enum { GROUPS = 200, SIDE = 24, WORDS = SIDE * SIDE };
	static double a[GROUPS * WORDS], c[2][GROUPS * WORDS];
	struct asl_draw draw = {.seed = 3};

	(void)state;
	asl_draw(&draw, a, 0, GROUPS * WORDS);
	for (int threads = 1; threads <= MOST; threads++) {
		struct dice d = {4, 0, 0};
		int wanted = 0;

		assert_int_equal(asl_team_resize(threads), 0);
		asl_blas_one_thread();
		products = 0;
		for (int i = 0; i < GROUPS; i++) {
			int count = (int)roll(&d, 1, 3);

			asl_gemm_group();
			for (int j = 0; j < count; j++)
				asl_gemm(ASL_FLOAT64, SIDE, SIDE, SIDE,
					 a + i * WORDS, SIDE,
					 a + (i + j * 7) % GROUPS * WORDS, SIDE,
					 j > 0, c[threads > 1] + i * WORDS,
					 SIDE);
			wanted += count;
			assert_true(threads == 1 || products < wanted);
		}
		asl_gemm_finish();
		assert_int_equal(products, wanted);
		assert_memory_equal(c[threads > 1], c[0], sizeof c[0]);
	}
	asl_team_resize(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_piece_once),
		cmocka_unit_test(threads_work_at_once),
		cmocka_unit_test(pieces_of_pieces),
		cmocka_unit_test(few_words_are_one_piece),
		cmocka_unit_test(products_have_the_same_bits),
		cmocka_unit_test(tall_products_have_the_same_bits),
		cmocka_unit_test(groups_have_the_same_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
