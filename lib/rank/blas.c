/*
 * blas.c -- cblas_dgemm with our argument order, cut over the rank's threads
 *
 * OpenBLAS uses one thread, and each thread of the team calls it for a part of C.
 * A word of C is then the same sum in the same order: OpenBLAS cuts k alike for
 * any m and n, and its kernels treat a word alike wherever it is, as long as
 * parts begin at whole tiles of its registers.
 */
#include "lib/rank/blas.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/parts.h"
#include "lib/base/team.h"

enum { SIDE = 160 };

static void multiply_some(void *arg, int piece)
{
	double *x = (double *)arg + (size_t)piece * SIDE * SIDE;

	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE,
		    1, arg, SIDE, arg, SIDE, 0, x, SIDE);
}

/*
 * OpenBLAS allocates a thread's buffer with the first product that is not small,
 * and waits for ever if there is no memory: better before the pools than after.
 */
static void take_buffers(int threads)
{
	double *x = calloc((size_t)(threads + 1) * SIDE * SIDE, sizeof *x);

	if (x)
		asl_team_run(threads, multiply_some, x + SIDE * SIDE);
	free(x);
}

void asl_blas_one_thread(void)
{
	static int taken;
	int threads = asl_team_threads();

	openblas_set_num_threads(1);
	if (taken >= threads)
		return;
	take_buffers(threads);
	taken = threads;
}

int asl_blas_threads(void)
{
	return openblas_get_num_threads();
}

void asl_blas_set_threads(int threads)
{
	openblas_set_num_threads(threads);
}

/* Registers hold tiles with sides that divide this. */
enum { TILE = 16 };

/* A part's multiplications: OpenBLAS has other kernels for small products. */
enum { LEAST_PART = 4000000 };

struct product {
	uint64_t m, n, k, lda, ldb, ldc;
	const double *a, *b;
	double *c, beta;
	int rows, cols; /* parts of C */
};

static struct asl_range part_of(uint64_t length, int parts, int i)
{
	struct asl_range x = asl_part(asl_ceil_div(length, TILE), parts, i);
	uint64_t first = asl_min(x.first * TILE, length);
	uint64_t end = asl_min((x.first + x.count) * TILE, length);

	return (struct asl_range){first, end - first};
}

static void multiply_part(void *arg, int piece)
{
	const struct product *x = arg;
	struct asl_range m = part_of(x->m, x->rows, piece / x->cols);
	struct asl_range n = part_of(x->n, x->cols, piece % x->cols);

	if (m.count && n.count)
		cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans,
			    (blasint)m.count, (blasint)n.count, (blasint)x->k,
			    1, x->a + m.first * x->lda, (blasint)x->lda,
			    x->b + n.first, (blasint)x->ldb, x->beta,
			    x->c + m.first * x->ldc + n.first, (blasint)x->ldc);
}

/* Every part packs its rows of a and columns of b: few of both together. */
static void cut(struct product *x, int parts)
{
	double least = 0;

	for (int rows = 1; rows <= parts; rows++) {
		double packed =
			(double)x->m / rows + (double)x->n * rows / parts;

		if (parts % rows || (least > 0 && packed >= least))
			continue;
		least = packed;
		x->rows = rows;
		x->cols = parts / rows;
	}
}

void asl_gemm(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t lda,
	      const double *b, uint64_t ldb, double beta, double *c,
	      uint64_t ldc)
{
	struct product x = {m, n, k, lda, ldb, ldc, a, b, c, beta, 1, 1};
	double multiplications = (double)m * (double)n * (double)k;

	cut(&x,
	    asl_team_pieces((uint64_t)fmin(multiplications, 1e18), LEAST_PART));
	asl_team_run(x.rows * x.cols, multiply_part, &x);
}

const char *asl_blas_version(void)
{
	return openblas_get_config();
}
