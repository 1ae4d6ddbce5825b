/*
 * blas.h -- the arithmetic inside tiles: a CBLAS, called from each thread
 */
#ifndef ASL_BLAS_H
#define ASL_BLAS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/type.h"

/*
 * To be called before the first asl_gemm, and with each size of the team.  0, or
 * -ENOMEM if that is more than one.
 */
int asl_blas_one_thread(void);

/* The number of threads, to be restored later. */
int asl_blas_threads(void);
void asl_blas_set_threads(int threads);

/*
 * c = a b + beta c of words of this type, by rows, beta 0 or 1; all dimensions fit an
 * int (asl_problem_check).
 */
void asl_gemm(enum asl_type type, uint64_t m, uint64_t n, uint64_t k,
	      const double *a, uint64_t lda, const double *b, uint64_t ldb,
	      double beta, double *c, uint64_t ldc);

/*
 * c = a b where c lies in main memory, of which words may be written twice: it can be set
 * to zero past the caches first.
 */
void asl_gemm_in_memory(enum asl_type type, uint64_t m, uint64_t n, uint64_t k,
			const double *a, uint64_t lda, const double *b,
			uint64_t ldb, double *c, uint64_t ldc);

/*
 * From asl_gemm_group to asl_gemm_finish products only wait, and are then computed
 * by all threads, each of which takes whole groups: for many small products.  What
 * one group writes no other reads or writes.
 */
void asl_gemm_group(void);
void asl_gemm_finish(void);

/* "OpenBLAS 0.3.21 ...", for the result's provenance. */
const char *asl_blas_version(void);

/*
 * OpenBLAS has kernels for several processors, and takes a set as it is loaded:
 * that of the processor, or of the environment variable ASL_BLAS_CHOICE.  Sets
 * that are newer than the library stay unknown to it.
 */
#define ASL_BLAS_CHOICE "OPENBLAS_CORETYPE"

struct asl_blas {
	const char *kernels; /* the set in use, as "Haswell" */
	bool chosen;	     /* by the variable */
	/* Vector instructions: "", SSE, AVX, AVX2 or AVX-512; "": not known. */
	const char *uses, *has; /* the kernels, the processor */
	/* A set for all that the processor has; NULL: the one in use, or none. */
	const char *wider;
};

struct asl_blas asl_blas(void);

/* The sets that can be chosen, NULL-ended; does the processor have enough? */
const char *const *asl_blas_kernel_names(void);
bool asl_blas_can_run(const char *kernels);

/* ---- Tiles and slabs with AVX-512 (packed.c) ---- */

/* Does the compiler make good vectors of the text?  clang's take twice as long. */
#if defined(__x86_64__) && !defined(__clang__)
#define ASL_PACKED 1
#else
#define ASL_PACKED 0
#endif

/* A product that is deeper passes over c several times. */
enum { ASL_PACKED_DEPTH = 256 };

struct asl_packed {
	uint64_t m, n, k, lda, ldb, ldc;
	const double *a, *b;
	double *c, beta;
};

/*
 * c = a b + beta c, by rows, beta 0 or 1; asl_gemm calls it.  The processor has
 * AVX-512.  False: nothing was done, as there is no memory, or no ASL_PACKED.
 */
bool asl_packed_multiply(const struct asl_packed *x);

#endif
