/*
 * draw.c -- entries by Philox 4x32-10
 *
 * J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC11.  A call
 * of the generator makes two entries; calls are made side by side, in vectors.
 * tests/matrix_draw.c compares them with the authors' own.
 */
#include "lib/base/draw.h"

#include <string.h>

#include "lib/base/clones.h"
#include "lib/base/parts.h"

enum { ROUNDS = 10, LANES = 64, VECTOR = 8 };

struct counters {
	uint32_t of[4][LANES];
};

/* Every bit of the next counters depends on all bits of these, or is new. */
static inline void mix(struct counters *x, int lanes, uint32_t key0,
		       uint32_t key1)
{
	for (int i = 0; i < lanes; i++) {
		uint64_t a = UINT64_C(0xD2511F53) * x->of[0][i];
		uint64_t b = UINT64_C(0xCD9E8D57) * x->of[2][i];

		x->of[0][i] = (uint32_t)(b >> 32) ^ x->of[1][i] ^ key0;
		x->of[2][i] = (uint32_t)(a >> 32) ^ x->of[3][i] ^ key1;
		x->of[1][i] = (uint32_t)b;
		x->of[3][i] = (uint32_t)a;
	}
}

/* The top 53 of 64 bits as a fraction, less 1/2: each step is exact. */
static inline double fraction(uint32_t low, uint32_t high)
{
	return (double)(int32_t)(high ^ UINT32_C(0x80000000)) * 0x1p-32 +
	       (double)(int32_t)(low >> 11) * 0x1p-53;
}

static inline double tenbits(uint32_t high)
{
	return (double)(int32_t)(high >> 22) * 0x1p-10 - 0.5;
}

/* The entries of so many pairs; `lanes` is a multiple of VECTOR. */
ASL_CLONES static void draw_pairs(double *at, const struct asl_draw *d,
				  uint64_t pair, int lanes)
{
	uint32_t key0 = (uint32_t)d->seed, key1 = (uint32_t)(d->seed >> 32);
	struct counters x;

	for (int i = 0; i < lanes; i++) {
		x.of[0][i] = (uint32_t)pair + (uint32_t)i;
		for (int k = 0; k < 3; k++)
			x.of[k + 1][i] = d->row[k];
	}
	for (int i = 0; i < ROUNDS; i++) {
		mix(&x, lanes, key0, key1);
		key0 += UINT32_C(0x9E3779B9);
		key1 += UINT32_C(0xBB67AE85);
	}
	for (int i = 0; i < lanes; i++) {
		at[2 * i] = d->exact ? tenbits(x.of[1][i])
				     : fraction(x.of[0][i], x.of[1][i]);
		at[2 * i + 1] = d->exact ? tenbits(x.of[3][i])
					 : fraction(x.of[2][i], x.of[3][i]);
	}
}

/* A vector may begin before the first entry and end after the last. */
void asl_draw(const struct asl_draw *draw, double *at, uint64_t first,
	      uint64_t count)
{
	double all[2 * LANES];

	while (count) {
		uint64_t skip = first % 2;
		uint64_t some = asl_min(count, 2 * LANES - skip);
		uint64_t pairs = asl_ceil_div(skip + some, 2);

		draw_pairs(all, draw, first / 2,
			   (int)(asl_ceil_div(pairs, VECTOR) * VECTOR));
		memcpy(at, all + skip, some * sizeof *at);
		at += some;
		first += some;
		count -= some;
	}
}
