/*
 * source.h -- where a matrix's entries come from: a generator, or a file
 *
 * A generated entry is a pure function of (seed, matrix, row, column), by a
 * counter-based generator, so that any rank can make or check any entry
 * without asking another.  Entries are uniform in [-1/2, 1/2).  Those of the
 * exact kind are multiples of 2^-10: their products are multiples of 2^-20 and
 * sums of up to 2^34 of these are exact, so that a product comes out the same
 * to the last bit in whatever order it is summed.
 */
#ifndef ASL_SOURCE_H
#define ASL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/matrix/file.h"

struct asl_source {
	const struct asl_matrix_in *file; /* NULL: generated */
	uint64_t seed;
	uint32_t matrix; /* which of the seed's matrices */
	bool exact;
};

/* Entries (row, col) to (row, col + count - 1); indices below 2^32. */
void asl_source_read(const struct asl_source *source, double *at, uint64_t row,
		     uint64_t col, uint64_t count);

#endif
