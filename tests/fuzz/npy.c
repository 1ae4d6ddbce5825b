/*
 * npy.c -- a NumPy file, as a matrix, as a symmetric tensor and as an operand
 */
#include <math.h>
#include <stdlib.h>

#include "lib/base/error.h"
#include "lib/contract/array.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/tensor.h"
#include "tests/fuzz/fuzz.h"

/* All of it lies in the file, so it is not long. */
static void read_matrix(const char *path)
{
	struct asl_matrix_in *in;
	int err = asl_matrix_open(&in, path);

	asl_fuzz_check_said(err, asl_failure());
	if (err)
		return;
	for (uint64_t i = 0; i < asl_matrix_rows(in); i++)
		for (uint64_t j = 0; j < asl_matrix_cols(in); j++) {
			double x;

			asl_matrix_read(in, &x, i, j, 1);
			if (!isfinite(x))
				abort();
		}
	asl_matrix_close(in);
}

static void read_tensor(const char *path)
{
	struct asl_tensor_in *in;
	int err = asl_tensor_open(&in, path);
	struct asl_tensor_source source = {.file = in};

	asl_fuzz_check_said(err, asl_failure());
	if (err)
		return;
	for (uint64_t i = 0; i < asl_tensor_size(in); i++)
		if (!isfinite(asl_tensor_entry(&source, i, 0, i)))
			abort();
	asl_tensor_close(in);
}

static void read_array(const char *path, int dims)
{
	struct asl_array_in *in;
	int err = asl_array_open(&in, path, ASL_FLOAT64, dims);

	asl_fuzz_check_said(err, asl_failure());
	if (!err && asl_array_dims(in) != dims)
		abort();
	if (!err)
		asl_array_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const char *path = asl_fuzz_file("x.npy", data, bytes);

	read_matrix(path);
	read_tensor(path);
	for (int dims = 1; dims <= 4; dims++)
		read_array(path, dims);
	return 0;
}
