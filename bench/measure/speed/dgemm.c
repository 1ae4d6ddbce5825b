/*
 * dgemm.c -- how fast is cblas_dgemm, on one core or with OpenBLAS's own threads?
 *
 *	speed-dgemm [n [times [threads]]]
 *
 * Prints the GFLOP/s of the median of `times` products n x n x n (2048, 5), after
 * one that is not timed.  Other benchmarks take this rate as the ideal.
 */
#include "bench/measure/speed/speed.h"

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 2048;
	int times = argc > 2 ? atoi(argv[2]) : 5;
	const struct asl_shape s = {n, n, n};
	double *at[3], *seconds;

	if (times < 1 || n < 8 || n % 8)
		speed_fail(2, "n must be a multiple of 8, times 1 or more");
	for (uint32_t i = 0; i < 3; i++)
		at[i] = speed_operand(n * n, i);
	seconds = speed_room((uint64_t)times + 1);
	asl_blas_one_thread();
	if (argc > 3)
		asl_blas_set_threads(atoi(argv[3]));
	for (int i = times; i >= 0; i--)
		seconds[i] = speed_dgemm(&s, at);
	printf("%.2f\n", 2e-9 * (double)n * (double)n * (double)n /
				 asl_median(seconds, times));
	return 0;
}
