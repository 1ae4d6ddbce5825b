/*
 * source.c -- entries by Philox 4x32-10 (Salmon et al., SC11), or from a file
 */
#include "lib/matrix/source.h"

#include <Random123/philox.h>

static double uniform(uint32_t low, uint32_t high, bool exact)
{
	uint64_t bits = (uint64_t)high << 32 | low;

	if (exact)
		return (double)(bits >> 54) * 0x1p-10 - 0.5;
	return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

/* One call of the generator makes the entries of columns 2 pair, 2 pair + 1. */
static philox4x32_ctr_t draw(const struct asl_source *s, uint64_t row,
			     uint64_t pair)
{
	philox4x32_ctr_t counter = {{(uint32_t)pair, (uint32_t)row, s->matrix}};
	philox4x32_key_t key = {{(uint32_t)s->seed, (uint32_t)(s->seed >> 32)}};

	return philox4x32(counter, key);
}

void asl_source_read(const struct asl_source *source, double *at, uint64_t row,
		     uint64_t col, uint64_t count)
{
	uint64_t end = col + count;

	if (source->file) {
		asl_matrix_read(source->file, at, row, col, count);
		return;
	}
	for (uint64_t pair = col / 2; 2 * pair < end; pair++) {
		philox4x32_ctr_t x = draw(source, row, pair);

		if (2 * pair >= col)
			*at++ = uniform(x.v[0], x.v[1], source->exact);
		if (2 * pair + 1 < end)
			*at++ = uniform(x.v[2], x.v[3], source->exact);
	}
}
