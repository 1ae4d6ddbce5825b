/*
 * sweep.c -- d = A . x and y += h A, for one row, or four rows and two columns
 *
 * In vectors of four doubles; where the machine has others, the compiler makes do
 * with them.
 *
 * Rows that lie one after another and are read so are one stream, which the
 * hardware follows by itself, but for the ends of pages.  Four rows at once are
 * four streams that end soon: left alone, the hardware reads them at half of the
 * memory's speed.  So for each word that is used another one is fetched; into the
 * second cache, as the first would be too small.
 */
#include "lib/symmetric/sweep.h"

#include "lib/machine/clones.h"

#define LANES 4
#define LINE 8 /* words of a cache line */

typedef double vector __attribute__((vector_size(LANES * sizeof(double))));
typedef double unaligned __attribute__((vector_size(LANES * sizeof(double)),
					aligned(sizeof(double)), may_alias));

#define AT(p) (*(const unaligned *)(p))
#define SUM(d) (((d)[0] + (d)[1]) + ((d)[2] + (d)[3]))

#define SOON 768 /* words: how far ahead of the row */

ASL_CLONES
double asl_sweep_row(const double *A, double h, double *y, const double *x,
		     uint64_t n)
{
	vector sums = {0};
	double d;
	uint64_t c = 0;

	for (; c + LANES <= n; c += LANES) {
		vector a = AT(A + c);

		__builtin_prefetch(A + c + SOON, 0, 2);
		sums += a * AT(x + c);
		*(unaligned *)(y + c) = AT(y + c) + h * a;
	}
	d = SUM(sums);
	for (; c < n; c++) {
		d += A[c] * x[c];
		y[c] += h * A[c];
	}
	return d;
}

/* Arrays would not stay in registers: hence one of each. */
ASL_CLONES
void asl_sweep(const struct asl_swept *rows, double *y, const double *x,
	       uint64_t n)
{
	const double *A0 = rows->A[0], *A1 = rows->A[1], *A2 = rows->A[2],
		     *A3 = rows->A[3];
	const uint64_t step = rows->step;
	const double *g = rows->h, *h = g + 1;
	const double g0 = g[0], g1 = g[step], g2 = g[2 * step],
		     g3 = g[3 * step];
	const double h0 = h[0], h1 = h[step], h2 = h[2 * step],
		     h3 = h[3 * step];
	const double *w = x + rows->pitch, *ahead = rows->ahead;
	double *d = rows->d, *e = d + 1, *z = y + rows->pitch;
	vector d0 = {0}, d1 = {0}, d2 = {0}, d3 = {0};
	vector e0 = {0}, e1 = {0}, e2 = {0}, e3 = {0};
	uint64_t c = 0;

	for (; c + LANES <= n; c += LANES) {
		vector a0 = AT(A0 + c), a1 = AT(A1 + c), a2 = AT(A2 + c),
		       a3 = AT(A3 + c), xc = AT(x + c), wc = AT(w + c);

		for (int i = 0; ahead && i < ASL_SWEEP * LANES; i += LINE)
			__builtin_prefetch(ahead + ASL_SWEEP * c + i, 0, 2);
		d0 += a0 * xc;
		d1 += a1 * xc;
		d2 += a2 * xc;
		d3 += a3 * xc;
		*(unaligned *)(y + c) =
			AT(y + c) + g0 * a0 + g1 * a1 + g2 * a2 + g3 * a3;
		e0 += a0 * wc;
		e1 += a1 * wc;
		e2 += a2 * wc;
		e3 += a3 * wc;
		*(unaligned *)(z + c) =
			AT(z + c) + h0 * a0 + h1 * a1 + h2 * a2 + h3 * a3;
	}
	d[0] = SUM(d0);
	d[step] = SUM(d1);
	d[2 * step] = SUM(d2);
	d[3 * step] = SUM(d3);
	e[0] = SUM(e0);
	e[step] = SUM(e1);
	e[2 * step] = SUM(e2);
	e[3 * step] = SUM(e3);
	for (; c < n; c++) {
		double a0 = A0[c], a1 = A1[c], a2 = A2[c], a3 = A3[c];

		d[0] += a0 * x[c];
		d[step] += a1 * x[c];
		d[2 * step] += a2 * x[c];
		d[3 * step] += a3 * x[c];
		y[c] += g0 * a0 + g1 * a1 + g2 * a2 + g3 * a3;
		e[0] += a0 * w[c];
		e[step] += a1 * w[c];
		e[2 * step] += a2 * w[c];
		e[3 * step] += a3 * w[c];
		z[c] += h0 * a0 + h1 * a1 + h2 * a2 + h3 * a3;
	}
}
