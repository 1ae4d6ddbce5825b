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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/speed/median.h"
#include "lib/base/error.h"
#include "lib/machine/machine.h"
#include "lib/matrix/file.h"
#include "lib/multiply/multiply.h"
#include "lib/rank/blas.h"
#include "lib/run/run.h"

enum { REPS = 5 };

struct operands {
	uint64_t n;
	double *a, *b, *c;
};

static double *matrix(uint64_t n, uint32_t which)
{
	struct asl_source source = {.seed = 1, .matrix = which};
	double *x = aligned_alloc(64, n * n * sizeof *x);

	if (!x)
		exit(3);
	for (uint64_t i = 0; i < n; i++)
		asl_source_read(&source, x + i * n, i, 0, n);
	return x;
}

static double time_dgemm(const struct operands *x)
{
	double since = asl_now();

	asl_gemm(x->n, x->n, x->n, x->a, x->n, x->b, x->n, 0, x->c, x->n);
	return asl_now() - since;
}

struct measured {
	double wall_s;
	uint64_t read, written;
	bool sound;
};

static int look(const struct asl_rep *rep, void *arg)
{
	*(struct measured *)arg =
		(struct measured){rep->wall_s, rep->read_max, rep->written_max,
				  rep->verified == 1 && rep->predicted_equal};
	return 0;
}

static struct measured run_kernel(const struct asl_kernel *kernel, uint64_t n,
				  uint64_t cache)
{
	struct measured m = {0};
	struct asl_multiplication part = {.shape = {n, n, n}};
	struct asl_run_want want = {
		.plan = {.algorithm = asl_algorithm_find("vomm"),
			 .kernel = kernel,
			 .multiplication = &part,
			 .ranks = 1,
			 .grid = {{1, 1, 1}},
			 .cache = cache,
			 .memory = asl_machine_memory_words(1),
			 .panels = ASL_DRAM,
			 .costs = {1, 1, 1, 1, 1, 0, 0}},
		.transport = "sim",
		.store = "pmem",
		.seed = 1,
		.reps = 1,
		.warmup =
			1, /* the pool's pages are touched for the first time */
		.verify = ASL_VERIFY_FREIVALDS,
	};

	if (asl_run(&want, look, &m)) {
		fprintf(stderr, "speed-kernels: %s\n", asl_failure());
		exit(3);
	}
	return m;
}

static void compare(const struct operands *x, uint64_t cache)
{
	static const char *const names[] = {"tight", "vomm"};
	double dgemm[REPS], kernel[2][REPS];
	struct measured m[2];
	double gflop = 2e-9 * pow((double)x->n, 3);

	time_dgemm(x);
	for (int i = 0; i < REPS; i++) {
		dgemm[i] = time_dgemm(x);
		for (int k = 0; k < 2; k++) {
			m[k] = run_kernel(asl_kernel_find(names[k]), x->n,
					  cache);
			kernel[k][i] = m[k].wall_s;
			if (!m[k].sound) {
				fprintf(stderr, "speed-kernels: %s: wrong\n",
					names[k]);
				exit(1);
			}
		}
	}
	printf("n %ju, S %ju words: dgemm %.2f GFLOP/s\n", x->n, cache,
	       gflop / median(dgemm, REPS));
	for (int k = 0; k < 2; k++) {
		double unit = 2 * pow((double)x->n, 3) / sqrt((double)cache);

		printf("  %-5s  %.2f GFLOP/s, %.3f of dgemm; reads %.3f, reads "
		       "and writes %.3f of 2mnk/sqrt(S)\n",
		       names[k], gflop / median(kernel[k], REPS),
		       median(dgemm, REPS) / median(kernel[k], REPS),
		       (double)m[k].read / unit,
		       (double)(m[k].read + m[k].written) / unit);
	}
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 4096;
	struct operands x = {n, matrix(n, 0), matrix(n, 1), matrix(n, 2)};

	asl_blas_one_thread();
	if (argc < 3)
		compare(&x, asl_machine_cache_words(1));
	for (int i = 2; i < argc; i++)
		compare(&x, strtoull(argv[i], NULL, 10));
	free(x.a);
	free(x.b);
	free(x.c);
	return 0;
}
