/*
 * contract.c -- how near to one plain cblas_dgemm local contractions come
 *
 *	speed-contract [xT] [case ...]	cases are numbered from 1; all, if none
 *
 * Run rules.  One rank of T threads (1), and as many of OpenBLAS, operands in ordinary memory.  In turn, five
 * times after one of each that is not timed: one cblas_dgemm, and the einsum by
 * the same path as `aslant run einsum --ranks 1`, verified.  The dgemm is the
 * einsum's own, as if nothing had to be permuted; for MTTKRP it is the product
 * of the tensor's matrix by that of the first factor, which has all but a few of
 * the flops.  Medians; the ratio is einsum over dgemm, so more is better.
 */
#include "lib/contract/contract.h"
#include "bench/measure/speed/speed.h"
#include "lib/kernels/kernel.h"
#include "lib/machine/machine.h"

enum { REPS = 5 };

struct speed_case {
	const char *spec, *dims;
	struct asl_shape dgemm;
	double target;
};

static const struct speed_case cases[] = {
	{"ij,jk->ik", "i=2048,j=2048,k=2048", {2048, 2048, 2048}, 0.95},
	{"ijkl,klmn->ijmn",
	 "i=64,j=64,k=64,l=64,m=64,n=64",
	 {4096, 4096, 4096},
	 0.85},
	{"ikjl,lnkm->injm",
	 "i=64,j=64,k=64,l=64,m=64,n=64",
	 {4096, 4096, 4096},
	 0.85},
	{"ijk,kl,jl->il", "i=256,j=256,k=256,l=32", {65536, 32, 256}, 0.7},
	{"bij,bjk->bik", "b=64,i=256,j=256,k=256", {4096, 256, 1024}, 0.85},
};

enum { CASES = sizeof cases / sizeof *cases };

static double time_einsum(const struct speed_case *x, int threads)
{
	static struct asl_contraction contraction;
	struct asl_einsum *e = &contraction.e;
	struct asl_plan plan = {
		.algorithm = &asl_contract_einsum,
		.kernel = asl_kernel_find("tight"),
		.ranks = 1,
		.cache = asl_machine_cache_words(1, 1),
		.panels = ASL_DRAM,
		.memory = UINT64_C(1) << 30,
		.contraction = &contraction,
		.costs = {1, 1, 1, 1, 1, 0, 0},
	};
	uint64_t needed;

	if (asl_einsum_parse(e, x->spec) || asl_einsum_dims(e, x->dims))
		speed_fail(2, asl_failure());
	if (asl_contract_settle(&plan, &needed))
		exit(1);
	return speed_run(&plan, "dram", threads).wall_s;
}

/* The einsum leaves OpenBLAS with one thread. */
static double time_dgemm(const struct asl_shape *s, double *const at[3],
			 int threads)
{
	asl_blas_set_threads(threads);
	return speed_dgemm(s, at);
}

static void compare(const struct speed_case *x, int threads)
{
	const struct asl_shape *s = &x->dgemm;
	double *const at[] = {speed_operand(s->m * s->k, 0),
			      speed_operand(s->k * s->n, 1),
			      speed_operand(s->m * s->n, 2)};
	double dgemm[REPS], einsum[REPS];
	double gflop = 2e-9 * (double)s->m * (double)s->n * (double)s->k;

	time_dgemm(s, at, threads);
	for (int i = 0; i < REPS; i++) {
		dgemm[i] = time_dgemm(s, at, threads);
		einsum[i] = time_einsum(x, threads);
	}
	printf("%-16s %-32s dgemm %6.2f, einsum %6.2f GFLOP/s: %.3f of dgemm "
	       "(to be %.2f)\n",
	       x->spec, x->dims, gflop / asl_median(dgemm, REPS),
	       gflop / asl_median(einsum, REPS),
	       asl_median(dgemm, REPS) / asl_median(einsum, REPS), x->target);
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		free(at[i]);
}

int main(int argc, char **argv)
{
	int first = argc > 1 && *argv[1] == 'x' ? 2 : 1;
	int threads = first == 2 ? atoi(argv[1] + 1) : 1;

	if (threads < 1)
		speed_fail(2, "expected a number of threads after x");
	asl_blas_one_thread();
	printf("%d thread%s\n", threads, threads == 1 ? "" : "s");
	for (int i = 0; argc == first && i < CASES; i++)
		compare(&cases[i], threads);
	for (int i = first; i < argc; i++) {
		int number = atoi(argv[i]);

		if (number < 1 || number > CASES)
			speed_fail(2, "expected numbers of cases");
		compare(&cases[number - 1], threads);
	}
	return 0;
}
