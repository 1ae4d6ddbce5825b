/*
 * mtx.c -- a Matrix Market file
 */
#include <math.h>
#include <stdlib.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct asl_matrix_in *in;
	int err = asl_matrix_open(&in, asl_fuzz_file("x.mtx", data, bytes));

	asl_fuzz_check_said(err, asl_failure());
	if (err)
		return 0;
	/* One that is listed by places may be much larger than its file. */
	for (uint64_t i = 0; i < asl_matrix_rows(in) && i < 16; i++)
		for (uint64_t j = 0; j < asl_matrix_cols(in) && j < 16; j++) {
			double x;

			asl_matrix_read(in, &x, i, j, 1);
			if (!isfinite(x))
				abort();
		}
	asl_matrix_close(in);
	return 0;
}
