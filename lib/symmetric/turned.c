/* turned.c -- several x_k and y_k of a tensor block, each as one run of words */
#include "lib/symmetric/turned.h"

#include <stdbool.h>
#include <string.h>

#include "lib/symmetric/sweep.h"

#define LINE 8 /* words of a cache line */

static bool in_place(const struct asl_block_vectors *v)
{
	return v->columns == 1 && v->ld == 1;
}

/* Columns begin with a cache line: vectors that lie across two take longer. */
static uint64_t step_of(const struct asl_block_shape *shape)
{
	return asl_ceil_div(shape->c.count, LINE) * LINE;
}

static uint64_t filled(uint64_t columns)
{
	return asl_ceil_div(columns, ASL_PAIR) * ASL_PAIR;
}

uint64_t asl_block_scratch(const struct asl_block_shape *shape,
			   const struct asl_block_vectors *v)
{
	if (in_place(v))
		return 0;
	return 2 * filled(v->columns) * step_of(shape) + LINE - 1;
}

static double *align(double *x)
{
	return x + (LINE - (uintptr_t)x / sizeof *x % LINE) % LINE;
}

void asl_turn(struct asl_turned *k, const struct asl_block_shape *shape,
	      const struct asl_block_vectors *v, double *scratch)
{
	uint64_t step = step_of(shape), words = filled(v->columns) * step;
	double *x, *y;

	if (in_place(v)) {
		*k = (struct asl_turned){.x = v->xk, .y = v->yk};
		return;
	}
	x = align(scratch);
	y = x + words;
	memset(x, 0, 2 * words * sizeof *x);
	for (uint64_t c = 0; c < shape->c.count; c++)
		for (uint64_t column = 0; column < v->columns; column++)
			x[column * step + c] = v->xk[c * v->ld + column];
	*k = (struct asl_turned){.x = x, .y = y, .step = step};
}

void asl_turn_back(const struct asl_turned *k,
		   const struct asl_block_shape *shape,
		   const struct asl_block_vectors *v)
{
	if (in_place(v))
		return;
	for (uint64_t c = 0; c < shape->c.count; c++)
		for (uint64_t column = 0; column < v->columns; column++)
			v->yk[c * v->ld + column] += k->y[column * k->step + c];
}
