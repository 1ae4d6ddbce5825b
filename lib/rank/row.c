/*
 * row.c -- both products of a tensor's row, while it passes
 *
 * In two sums, as each addition to one waits for the last.  Rows lie one after another
 * and are one stream.  AMD's hardware prefetches it by itself at the memory's speed, and
 * at two thirds of it if it is told to; Intel's stops at the end of each page, and is
 * a fifth faster if the next one is called for in time.
 */
#include "lib/rank/row.h"

#include "lib/base/clones.h"

#define NEXT_PAGE 384 /* words: how far ahead to call */

/* For a function of ASL_CLONES, whose vectors it then has. */
static inline __attribute__((always_inline)) double
update_row(const double *A, double h, double *y, const double *x, uint64_t n,
	   bool told)
{
	asl_vector sums = {0}, others = {0};
	double rest = 0;
	uint64_t c = 0;

	for (; c + ASL_LINE <= n; c += ASL_LINE) {
		asl_vector a = ASL_AT(A + c), b = ASL_AT(A + c + ASL_LANES);

		if (told)
			__builtin_prefetch(A + c + NEXT_PAGE);
		sums += a * ASL_AT(x + c);
		others += b * ASL_AT(x + c + ASL_LANES);
		*(asl_unaligned *)(y + c) = ASL_AT(y + c) + h * a;
		*(asl_unaligned *)(y + c + ASL_LANES) =
			ASL_AT(y + c + ASL_LANES) + h * b;
	}
	for (; c + ASL_LANES <= n; c += ASL_LANES) {
		asl_vector a = ASL_AT(A + c);

		sums += a * ASL_AT(x + c);
		*(asl_unaligned *)(y + c) = ASL_AT(y + c) + h * a;
	}
	for (; c < n; c++) {
		rest += A[c] * x[c];
		y[c] += h * A[c];
	}
	sums += others;
	return ASL_SUM(sums) + rest;
}

ASL_CLONES
static double update_untold(const double *A, double h, double *y,
			    const double *x, uint64_t n)
{
	return update_row(A, h, y, x, n, false);
}

ASL_CLONES
static double update_told(const double *A, double h, double *y, const double *x,
			  uint64_t n)
{
	return update_row(A, h, y, x, n, true);
}

/* A call for each would take as long as a short row does. */
static inline __attribute__((always_inline)) void
update_run(const struct asl_row_run *rows, double *y, const double *x,
	   bool told)
{
	const double *A = rows->A;
	double twice = 2 * rows->xa, sum = *rows->ya;
	uint64_t longer = rows->longer, n = rows->n - longer;

	for (uint64_t i = 0; i < rows->count; i++, n += longer) {
		double b = rows->xb[i], last;
		double d = update_row(A, twice * b, y, x, n, told);

		last = longer ? A[n] * b : 0;
		sum += b * (2 * d + last);
		rows->yb[i] += twice * (d + last);
		A += n + longer;
	}
	*rows->ya = sum;
}

ASL_CLONES
static void update_run_untold(const struct asl_row_run *rows, double *y,
			      const double *x)
{
	update_run(rows, y, x, false);
}

ASL_CLONES
static void update_run_told(const struct asl_row_run *rows, double *y,
			    const double *x)
{
	update_run(rows, y, x, true);
}

static bool stops_at_pages(void)
{
#ifdef __x86_64__
	return __builtin_cpu_is("intel");
#else
	return false;
#endif
}

double asl_row_update(const double *A, double h, double *y, const double *x,
		      uint64_t n)
{
	return stops_at_pages() ? update_told(A, h, y, x, n)
				: update_untold(A, h, y, x, n);
}

void asl_row_run_update(const struct asl_row_run *rows, double *y,
			const double *x)
{
	if (stops_at_pages())
		update_run_told(rows, y, x);
	else
		update_run_untold(rows, y, x);
}
