/*
 * draw.c -- entries by Philox 4x32-10 (Salmon et al., SC11)
 */
#include "lib/base/draw.h"

#include <Random123/philox.h>

static double uniform(uint32_t low, uint32_t high, bool exact)
{
	uint64_t bits = (uint64_t)high << 32 | low;

	if (exact)
		return (double)(bits >> 54) * 0x1p-10 - 0.5;
	return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

/* One call of the generator makes entries 2 pair and 2 pair + 1. */
static philox4x32_ctr_t draw_pair(const struct asl_draw *d, uint64_t pair)
{
	philox4x32_ctr_t counter = {
		{(uint32_t)pair, d->row[0], d->row[1], d->row[2]}};
	philox4x32_key_t key = {{(uint32_t)d->seed, (uint32_t)(d->seed >> 32)}};

	return philox4x32(counter, key);
}

void asl_draw(const struct asl_draw *draw, double *at, uint64_t first,
	      uint64_t count)
{
	uint64_t end = first + count;

	for (uint64_t pair = first / 2; 2 * pair < end; pair++) {
		philox4x32_ctr_t x = draw_pair(draw, pair);

		if (2 * pair >= first)
			*at++ = uniform(x.v[0], x.v[1], draw->exact);
		if (2 * pair + 1 < end)
			*at++ = uniform(x.v[2], x.v[3], draw->exact);
	}
}
