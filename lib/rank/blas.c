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
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/team.h"

enum { SIDE = 160 };

static void multiply_some(void *arg, int piece)
{
	double *x = (double *)arg + (size_t)piece * SIDE * SIDE;

	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE,
		    1, arg, SIDE, arg, SIDE, 0, x, SIDE);
}

/* OpenBLAS's own size on x86, from 0.3.10 on. */
#define BUFFER_BYTES ((size_t)128 << 20)

static bool has_memory(int threads)
{
	size_t bytes = (size_t)threads * BUFFER_BYTES;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at != MAP_FAILED && !munmap(at, bytes);
}

/*
 * As many products at once as OpenBLAS has buffers for, two for each thread that it
 * was built for: with more it complains on stderr, and in the end it exits.
 */
static int at_most(int pieces)
{
	static int most;

	if (!most) {
		const char *at = strstr(openblas_get_config(), "MAX_THREADS=");

		most = at ? 2 * atoi(strchr(at, '=') + 1) : INT_MAX;
	}
	return pieces < most ? pieces : most;
}

/*
 * OpenBLAS allocates a thread's buffer with the first product that is not small,
 * and waits for ever if there is no memory: better before the pools than after.
 */
static int take_buffers(int threads)
{
	double *x;

	if (threads > 1 && !has_memory(threads))
		return asl_fail(-ENOMEM,
				"--threads: OpenBLAS has no memory for %d: "
				"%zu MiB (ulimit -v?)",
				threads,
				(size_t)threads * (BUFFER_BYTES >> 20));
	x = calloc((size_t)(threads + 1) * SIDE * SIDE, sizeof *x);
	if (x)
		asl_team_run(threads, multiply_some, x + SIDE * SIDE);
	free(x);
	return 0;
}

int asl_blas_one_thread(void)
{
	static int taken;
	int threads = at_most(asl_team_threads());
	int err;

	openblas_set_num_threads(1);
	if (taken >= threads)
		return 0;
	err = take_buffers(threads);
	if (!err)
		taken = threads;
	return err;
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
	int parts;

	parts = asl_team_pieces((uint64_t)fmin(multiplications, 1e18),
				LEAST_PART);
	cut(&x, at_most(parts));
	asl_team_run(x.rows * x.cols, multiply_part, &x);
}

const char *asl_blas_version(void)
{
	return openblas_get_config();
}
