/*
 * row.h -- a tensor's row, read once for two products, and vectors for such loops
 *
 * Vectors have four doubles; where the machine has others, the compiler adapts.
 */
#ifndef ASL_ROW_H
#define ASL_ROW_H

#include <stdbool.h>
#include <stdint.h>

#define ASL_LANES 4
#define ASL_LINE 8 /* words of a cache line */

typedef double asl_vector
	__attribute__((vector_size(ASL_LANES * sizeof(double))));
typedef double asl_unaligned
	__attribute__((vector_size(ASL_LANES * sizeof(double)),
		       aligned(sizeof(double)), may_alias));

#define ASL_AT(p) (*(const asl_unaligned *)(p))
#define ASL_SUM(d) (((d)[0] + (d)[1]) + ((d)[2] + (d)[3]))

/*
 * y += h A; returns A . x.  y overlaps neither the row A, of n words, nor x.  What
 * lies behind the row is read soon.
 */
double asl_row_update(const double *A, double h, double *y, const double *x,
		      uint64_t n);

/*
 * Rows of n words, one after another, of one x_a, and of x_b and y_b for each; or the
 * first of n words and each next one a word longer, and then x_b, y_b are the elements
 * of x, y that the row's last word belongs to.
 */
struct asl_row_run {
	const double *A;
	uint64_t count, n;
	bool longer;
	double xa, *ya;
	const double *xb;
	double *yb;
};

/*
 * With d = A . x of each row A: y_a += 2 x_b d, y_b += 2 x_a d, y += 2 x_a x_b A.  A row's
 * last word L, with x_b twice, is not in d: y_a += x_b^2 L, y_b += 2 x_a x_b L.
 */
void asl_row_run_update(const struct asl_row_run *rows, double *y,
			const double *x);

#endif
