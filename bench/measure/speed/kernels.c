/*
 * kernels.c -- how near to one plain cblas_dgemm the local kernels come
 *
 * Run rules.  One rank, one thread, n x n x n.  In turn, five times after one
 * warm-up of each: one cblas_dgemm on operands in ordinary memory, then
 * `vomm` with each kernel on a pool (the same path as `aslant run vomm`),
 * verified.  Medians; the ratio is kernel over dgemm, so more is better.  Then
 * the words each kernel moves, against 2mnk/sqrt(S).
 *
 * Usage: speed-kernels [n [S ...]]; S in words, the machine's own if none.
 */
#include <math.h>

#include "bench/measure/speed/speed.h"
#include "lib/machine/machine.h"

enum { REPS = 5 };

static struct speed_run run_kernel(const char *kernel, uint64_t n,
				   uint64_t cache)
{
	struct asl_multiplication part = {.shape = {n, n, n}};
	const struct asl_plan plan = {
		.algorithm = asl_algorithm_find("vomm"),
		.kernel = asl_kernel_find(kernel),
		.multiplication = &part,
		.ranks = 1,
		.grid = {{1, 1, 1}},
		.cache = cache,
		.memory = asl_machine_memory_words(1),
		.panels = ASL_DRAM,
		.costs = {1, 1, 1, 1, 1, 0, 0},
	};

	return speed_run(&plan, "pmem", 1);
}

static void compare(uint64_t n, double *const at[3], uint64_t cache)
{
	static const char *const names[] = {"tight", "vomm"};
	double dgemm[REPS], kernel[2][REPS];
	struct speed_run m[2];
	const struct asl_shape s = {n, n, n};
	double cube = pow((double)n, 3), gflop = 2e-9 * cube;

	speed_dgemm(&s, at);
	for (int i = 0; i < REPS; i++) {
		dgemm[i] = speed_dgemm(&s, at);
		for (int k = 0; k < 2; k++) {
			m[k] = run_kernel(names[k], n, cache);
			kernel[k][i] = m[k].wall_s;
		}
	}
	printf("n %ju, S %ju words: dgemm %.2f GFLOP/s\n", n, cache,
	       gflop / asl_median(dgemm, REPS));
	for (int k = 0; k < 2; k++) {
		double unit = 2 * cube / sqrt((double)cache);

		printf("  %-5s  %.2f GFLOP/s, %.3f of dgemm; reads %.3f, reads "
		       "and writes %.3f of 2mnk/sqrt(S)\n",
		       names[k], gflop / asl_median(kernel[k], REPS),
		       asl_median(dgemm, REPS) / asl_median(kernel[k], REPS),
		       (double)m[k].read / unit,
		       (double)(m[k].read + m[k].written) / unit);
	}
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 4096;
	double *const at[] = {speed_operand(n * n, 0), speed_operand(n * n, 1),
			      speed_operand(n * n, 2)};

	asl_blas_one_thread();
	if (argc < 3)
		compare(n, at, asl_machine_cache_words(1, 1));
	for (int i = 2; i < argc; i++)
		compare(n, at, strtoull(argv[i], NULL, 10));
	for (int i = 0; i < 3; i++)
		free(at[i]);
	return 0;
}
