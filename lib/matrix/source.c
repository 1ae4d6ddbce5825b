/*
 * source.c -- entries of a matrix, generated or from a file
 */
#include "lib/matrix/source.h"

#include "lib/base/draw.h"

void asl_source_read(const struct asl_source *source, double *at, uint64_t row,
		     uint64_t col, uint64_t count)
{
	struct asl_draw draw = {.seed = source->seed,
				.row = {(uint32_t)row, source->matrix},
				.exact = source->exact};

	if (source->file)
		asl_matrix_read(source->file, at, row, col, count);
	else
		asl_draw(&draw, at, col, count);
}
