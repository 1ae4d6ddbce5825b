/*
 * tns.c -- a symmetric tensor in FROSTT's text
 */
#include <math.h>
#include <stdlib.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/tensor.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct asl_tensor_in *in;
	int err = asl_tensor_open(&in, asl_fuzz_file("x.tns", data, bytes));
	struct asl_tensor_source source = {.file = in};

	asl_fuzz_check_said(err, asl_failure());
	if (err)
		return 0;
	/* Every entry is in the file: there are few. */
	for (uint64_t i = 0; i < asl_tensor_size(in); i++)
		for (uint64_t j = 0; j <= i; j++)
			if (!isfinite(asl_tensor_entry(&source, j, i, 0)))
				abort();
	asl_tensor_close(in);
	return 0;
}
