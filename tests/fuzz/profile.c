/*
 * profile.c -- a machine profile
 */
#include "bench/library/profile.h"

#include <stdlib.h>

#include "bench/library/number.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const char *path = asl_fuzz_file("profile.json", data, bytes);
	struct asl_profile x;
	int code;

	asl_fuzz_hush();
	code = asl_profile_find(&x, path);
	asl_fuzz_check_code(code);
	if (!code && !(asl_is_cost(x.costs.read) &&
		       asl_is_cost(x.costs.write) && asl_is_cost(x.costs.net)))
		abort();
	return 0;
}
