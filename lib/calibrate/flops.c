/*
 * flops.c -- what a flop costs in a multiplication by the BLAS, on one core
 */
#include "lib/calibrate/flops.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/matrix/source.h"
#include "lib/rank/blas.h"
#include "lib/rank/rank.h"

enum { N = ASL_PRODUCT_SIDE };

static double *matrix(uint32_t which)
{
	struct asl_source source = {.seed = 1, .matrix = which};
	double *x = aligned_alloc(4096, sizeof(double[N][N]));

	for (uint64_t i = 0; x && i < N; i++)
		asl_source_read(&source, x + i * N, i, 0, N);
	return x;
}

int asl_product_open(struct asl_product *p)
{
	*p = (struct asl_product){matrix(0), matrix(1), matrix(2)};
	return p->a && p->b && p->c ? 0 : -ENOMEM;
}

void asl_product_close(struct asl_product *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
	*p = (struct asl_product){0};
}

double asl_product_time(struct asl_product *p)
{
	double since = asl_now();

	asl_gemm(N, N, N, p->a, N, p->b, N, 0, p->c, N);
	return (asl_now() - since) * 1e9 / (2.0 * N * N * N);
}
