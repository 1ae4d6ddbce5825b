/*
 * vomm.c -- the vertically optimal multiplication: three square tiles in S
 *
 * A tile of C stays in the cache while tiles of A and B pass by it, and is
 * written once, which no kernel can better.  With b = floor(sqrt(S/3)):
 *
 *	reads	m k ceil(n/b) + k n ceil(m/b)	~ 2 sqrt(3) mnk / sqrt(S)
 *	writes	m n (and as many reads more when adding to C)
 *
 * L. Zhu, Q.-S. Hua, H. Jin, Joint-communication optimal matrix multiplication
 * with asymmetric memories, Algorithm 1 (after Carson et al., write-avoiding
 * algorithms).
 */
#include "lib/base/parts.h"
#include "lib/kernels/kernel.h"

static uint64_t side(uint64_t cache)
{
	return asl_isqrt(cache / 3);
}

static void vomm_run(struct asl_rank *r, const struct asl_product *x,
		     const struct asl_block *C, const struct asl_block *A,
		     const struct asl_block *B)
{
	uint64_t b = side(x->cache);

	asl_stream(r, x, C, A, B, b, b, b);
}

static void vomm_predict(struct asl_counts *counts, const struct asl_product *x)
{
	asl_stream_predict(counts, x, side(x->cache), side(x->cache));
}

/* m k ceil(n/b) is mnk/b or more, and no less than for the least n. */
static void vomm_lower_bound(struct asl_counts *counts,
			     const struct asl_products *x,
			     const struct asl_rates *rates)
{
	uint64_t b = side(x->x.cache);
	uint64_t each = asl_ceil_div(x->volume, b);

	asl_stream_lower_bound(
		counts, x, rates, asl_max(each, x->A * asl_ceil_div(x->x.n, b)),
		asl_max(each, x->B * asl_ceil_div(x->x.m, b)), 0);
}

const struct asl_kernel asl_kernel_vomm = {
	.name = "vomm",
	.summary = "three square tiles of S/3 words (Zhu et al., Alg. 1)",
	.least_cache = 3,
	.run = vomm_run,
	.predict = vomm_predict,
	.lower_bound = vomm_lower_bound,
};
