/*
 * sweep.c -- d = A . x and y += h A, for four rows at once
 *
 * In vectors of four doubles; where the machine has others, the compiler makes do
 * with them.
 *
 * Rows are too short for the hardware to see where they lead, and four of them
 * begin at a time: it alone reads at half of the memory's speed.  So for each
 * word that is used another one is fetched into the second cache; the first one
 * would be too small.  Only rows so short that most of their time is their
 * beginning are fetched from there into the first cache, too, when their turn
 * comes next.
 */
#include "lib/symmetric/sweep.h"

#include <stdbool.h>

#include "lib/machine/clones.h"

#define LANES 4
#define LINE 8 /* words of a cache line */

typedef double vector __attribute__((vector_size(LANES * sizeof(double))));
typedef double unaligned __attribute__((vector_size(LANES * sizeof(double)),
					aligned(sizeof(double)), may_alias));

#define AT(p) (*(const unaligned *)(p))
#define SUM(d) (((d)[0] + (d)[1]) + ((d)[2] + (d)[3]))

#define SHORT 256

/* Arrays of four would not stay in registers: hence four of each. */
ASL_CLONES
void asl_sweep(const struct asl_swept *rows, double *y, const double *x,
	       uint64_t n)
{
	const double *A0 = rows->A[0], *A1 = rows->A[1], *A2 = rows->A[2],
		     *A3 = rows->A[3];
	const uint64_t step = rows->step;
	const double h0 = rows->h[0], h1 = rows->h[step],
		     h2 = rows->h[2 * step], h3 = rows->h[3 * step];
	double *d = rows->d;
	const double *ahead = rows->ahead, *next = A0 + ASL_SWEEP * n;
	bool soon = ahead && n < SHORT;
	vector d0 = {0}, d1 = {0}, d2 = {0}, d3 = {0};
	uint64_t c = 0;

	for (; c + LANES <= n; c += LANES) {
		vector a0 = AT(A0 + c), a1 = AT(A1 + c), a2 = AT(A2 + c),
		       a3 = AT(A3 + c), xc = AT(x + c);

		for (int i = 0; ahead && i < ASL_SWEEP * LANES; i += LINE)
			__builtin_prefetch(ahead + ASL_SWEEP * c + i, 0, 2);
		for (int i = 0; soon && i < ASL_SWEEP * LANES; i += LINE)
			__builtin_prefetch(next + ASL_SWEEP * c + i, 0, 3);
		d0 += a0 * xc;
		d1 += a1 * xc;
		d2 += a2 * xc;
		d3 += a3 * xc;
		*(unaligned *)(y + c) =
			AT(y + c) + h0 * a0 + h1 * a1 + h2 * a2 + h3 * a3;
	}
	d[0] = SUM(d0);
	d[step] = SUM(d1);
	d[2 * step] = SUM(d2);
	d[3 * step] = SUM(d3);
	for (; c < n; c++) {
		d[0] += A0[c] * x[c];
		d[step] += A1[c] * x[c];
		d[2 * step] += A2[c] * x[c];
		d[3 * step] += A3[c] * x[c];
		y[c] += h0 * A0[c] + h1 * A1[c] + h2 * A2[c] + h3 * A3[c];
	}
}
