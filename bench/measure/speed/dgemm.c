/*
 * dgemm.c -- how fast is one core's cblas_dgemm?
 *
 *	speed-dgemm [n [times]]
 *
 * Prints the GFLOP/s of the median of `times` products n x n x n (2048, 5), after
 * one that is not timed.  What other benchmarks take for the ideal.
 */
#include <stdio.h>

#include "bench/measure/speed/median.h"
#include "lib/matrix/file.h"
#include "lib/rank/blas.h"
#include "lib/rank/rank.h"

static double *matrix(uint64_t n, uint32_t which)
{
	struct asl_source source = {.seed = 1, .matrix = which};
	double *x = aligned_alloc(64, n * n * sizeof *x);

	for (uint64_t i = 0; x && i < n; i++)
		asl_source_read(&source, x + i * n, i, 0, n);
	return x;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 2048;
	int times = argc > 2 ? atoi(argv[2]) : 5;
	double *a = matrix(n, 0), *b = matrix(n, 1), *c = matrix(n, 2);
	double *seconds = calloc((size_t)times + 1, sizeof *seconds);

	if (!a || !b || !c || !seconds || times < 1 || n < 8 || n % 8) {
		fputs("speed-dgemm: n must be a multiple of 8, times 1 or "
		      "more\n",
		      stderr);
		return 2;
	}
	asl_blas_one_thread();
	for (int i = times; i >= 0; i--) {
		double since = asl_now();

		asl_gemm(n, n, n, a, n, b, n, 0, c, n);
		seconds[i] = asl_now() - since;
	}
	printf("%.2f\n", 2e-9 * (double)n * (double)n * (double)n /
				 median(seconds, times));
	return 0;
}
