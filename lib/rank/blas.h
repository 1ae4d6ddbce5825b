/*
 * blas.h -- the arithmetic inside tiles: a CBLAS, called from each thread
 */
#ifndef ASL_BLAS_H
#define ASL_BLAS_H

#include <stdint.h>

/*
 * To be called before the first asl_gemm, and with each size of the team.  0, or
 * -ENOMEM if that is more than one.
 */
int asl_blas_one_thread(void);

/* The number of threads, to be restored later. */
int asl_blas_threads(void);
void asl_blas_set_threads(int threads);

/* c = a b + beta c, by rows; all dimensions fit an int (asl_problem_check). */
void asl_gemm(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t lda,
	      const double *b, uint64_t ldb, double beta, double *c,
	      uint64_t ldc);

/* "OpenBLAS 0.3.21 ...", for the result's provenance. */
const char *asl_blas_version(void);

#endif
