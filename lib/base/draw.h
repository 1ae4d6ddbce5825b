/*
 * draw.h -- generated entries, by a counter-based generator
 *
 * A row of entries is identified by a seed and three numbers (matrix and row,
 * for example); entry i of it is a pure function of these and i.
 */
#ifndef ASL_DRAW_H
#define ASL_DRAW_H

#include <stdbool.h>
#include <stdint.h>

struct asl_draw {
	uint64_t seed;
	uint32_t row[3];
	bool exact; /* multiples of 2^-10 */
};

/* Entries first to first + count - 1, in [-1/2, 1/2); indices below 2^32. */
void asl_draw(const struct asl_draw *draw, double *at, uint64_t first,
	      uint64_t count);

#endif
