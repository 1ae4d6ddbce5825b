/*
 * packed.h -- products of tiles and slabs with AVX-512
 */
#ifndef ASL_PACKED_H
#define ASL_PACKED_H

#include <stdbool.h>
#include <stdint.h>

/* Does the compiler make good vectors of the text?  clang's take twice as long. */
#if defined(__x86_64__) && !defined(__clang__)
#define ASL_PACKED 1
#else
#define ASL_PACKED 0
#endif

struct asl_packed {
	uint64_t m, n, k, lda, ldb, ldc;
	const double *a, *b;
	double *c, beta;
};

/*
 * c = a b + beta c, by rows, beta 0 or 1.  The processor has AVX-512.  False: nothing
 * was done, as there is no memory, or no ASL_PACKED.
 */
bool asl_packed_multiply(const struct asl_packed *x);

#endif
