/*
 * steiner.c -- a Steiner system
 */
#include <stdlib.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/steiner.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct asl_steiner x;
	struct asl_lists lists;
	int err = asl_steiner_read(&x, asl_fuzz_file("system", data, bytes));

	asl_fuzz_check_said(err, asl_failure());
	for (int i = 0; !err && i < x.blocks * x.s; i++)
		if (x.point[i] < 0 || x.point[i] >= x.m)
			abort();
	if (!err && !asl_steiner_lists(&lists, &x))
		asl_lists_free(&lists);
	asl_steiner_free(&x);
	return 0;
}
