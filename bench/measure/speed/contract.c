/*
 * contract.c -- how near to one plain cblas_dgemm local contractions come
 *
 *	speed-contract [case ...]	cases are numbered from 1; all, if none
 *
 * Run rules.  One rank, one thread, operands in ordinary memory.  In turn, five
 * times after one of each that is not timed: one cblas_dgemm, and the einsum by
 * the same path as `aslant run einsum --ranks 1`, verified.  The dgemm is the
 * einsum's own, as if nothing had to be permuted; for MTTKRP it is the product
 * of the tensor's matrix by that of the first factor, which has all but a few of
 * the flops.  Medians; the ratio is einsum over dgemm, so more is better.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/measure/speed/median.h"
#include "lib/base/draw.h"
#include "lib/base/error.h"
#include "lib/contract/contract.h"
#include "lib/kernels/kernel.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"
#include "lib/run/run.h"

enum { REPS = 5 };

struct speed_case {
	const char *spec, *dims;
	uint64_t m, n, k; /* of the dgemm */
	double target;
};

static const struct speed_case cases[] = {
	{"ij,jk->ik", "i=2048,j=2048,k=2048", 2048, 2048, 2048, 0.95},
	{"ijkl,klmn->ijmn", "i=64,j=64,k=64,l=64,m=64,n=64", 4096, 4096, 4096,
	 0.85},
	{"ikjl,lnkm->injm", "i=64,j=64,k=64,l=64,m=64,n=64", 4096, 4096, 4096,
	 0.85},
	{"ijk,kl,jl->il", "i=256,j=256,k=256,l=32", 65536, 32, 256, 0.7},
	{"bij,bjk->bik", "b=64,i=256,j=256,k=256", 4096, 256, 1024, 0.85},
};

enum { CASES = sizeof cases / sizeof *cases };

static double *matrix(uint64_t words, uint32_t which)
{
	struct asl_draw draw = {.seed = 1, .row = {which}};
	double *x = aligned_alloc(64, (words * 8 + 63) / 64 * 64);

	if (!x) {
		fprintf(stderr, "speed-contract: no memory\n");
		exit(3);
	}
	asl_draw(&draw, x, 0, words);
	return x;
}

static double time_dgemm(const struct speed_case *x, double *const at[3])
{
	double since = asl_now();

	asl_gemm(x->m, x->n, x->k, at[0], x->k, at[1], x->n, 0, at[2], x->n);
	return asl_now() - since;
}

struct measured {
	double wall_s;
	bool sound;
};

static int look(const struct asl_rep *rep, void *arg)
{
	*(struct measured *)arg = (struct measured){
		rep->wall_s, rep->verified == 1 && rep->predicted_equal};
	return 0;
}

static double time_einsum(const struct speed_case *x)
{
	static struct asl_contraction contraction;
	struct asl_einsum *e = &contraction.e;
	struct measured m = {0};
	struct asl_run_want want = {
		.plan = {.algorithm = &asl_contract_einsum,
			 .kernel = asl_kernel_find("tight"),
			 .ranks = 1,
			 .cache = asl_machine_cache_words(1),
			 .panels = ASL_DRAM,
			 .contraction = &contraction,
			 .costs = {1, 1, 1, 1, 1, 0, 0}},
		.transport = "sim",
		.store = "dram",
		.seed = 1,
		.reps = 1,
		.warmup = 1,
		.verify = ASL_VERIFY_FREIVALDS,
	};

	if (asl_einsum_parse(e, x->spec) || asl_einsum_dims(e, x->dims)) {
		fprintf(stderr, "speed-contract: %s\n", asl_failure());
		exit(2);
	}
	asl_contract_settle(&want.plan);
	if (asl_run(&want, look, &m)) {
		fprintf(stderr, "speed-contract: %s\n", asl_failure());
		exit(3);
	}
	if (!m.sound) {
		fprintf(stderr, "speed-contract: %s: wrong\n", x->spec);
		exit(1);
	}
	return m.wall_s;
}

static void compare(const struct speed_case *x)
{
	double *const at[] = {matrix(x->m * x->k, 0), matrix(x->k * x->n, 1),
			      matrix(x->m * x->n, 2)};
	double dgemm[REPS], einsum[REPS];
	double gflop = 2e-9 * (double)x->m * (double)x->n * (double)x->k;

	time_dgemm(x, at);
	for (int i = 0; i < REPS; i++) {
		dgemm[i] = time_dgemm(x, at);
		einsum[i] = time_einsum(x);
	}
	printf("%-16s %-32s dgemm %6.2f, einsum %6.2f GFLOP/s: %.3f of dgemm "
	       "(to be %.2f)\n",
	       x->spec, x->dims, gflop / median(dgemm, REPS),
	       gflop / median(einsum, REPS),
	       median(dgemm, REPS) / median(einsum, REPS), x->target);
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		free(at[i]);
}

int main(int argc, char **argv)
{
	asl_blas_one_thread();
	for (int i = 0; argc == 1 && i < CASES; i++)
		compare(&cases[i]);
	for (int i = 1; i < argc; i++) {
		int number = atoi(argv[i]);

		if (number < 1 || number > CASES) {
			fprintf(stderr, "speed-contract: no case '%s'\n",
				argv[i]);
			return 2;
		}
		compare(&cases[number - 1]);
	}
	return 0;
}
