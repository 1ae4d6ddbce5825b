/*
 * blas.c -- cblas_dgemm with our argument order
 */
#include "lib/rank/blas.h"

#include <cblas.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * OpenBLAS allocates its buffer with the first product that is not small, and
 * waits for ever if there is no memory: better before the pools than after.
 */
static void take_buffer(void)
{
	enum { SIDE = 160 };
	double *x = calloc(3 * SIDE * SIDE, sizeof *x);

	if (x)
		asl_gemm(SIDE, SIDE, SIDE, x, SIDE, x + SIDE * SIDE, SIDE, 0,
			 x + 2 * SIDE * SIDE, SIDE);
	free(x);
}

void asl_blas_one_thread(void)
{
	static bool taken;

	openblas_set_num_threads(1);
	if (!taken)
		take_buffer();
	taken = true;
}

int asl_blas_threads(void)
{
	return openblas_get_num_threads();
}

void asl_blas_set_threads(int threads)
{
	openblas_set_num_threads(threads);
}

void asl_gemm(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t lda,
	      const double *b, uint64_t ldb, double beta, double *c,
	      uint64_t ldc)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)m,
		    (blasint)n, (blasint)k, 1, a, (blasint)lda, b, (blasint)ldb,
		    beta, c, (blasint)ldc);
}

const char *asl_blas_version(void)
{
	return openblas_get_config();
}
