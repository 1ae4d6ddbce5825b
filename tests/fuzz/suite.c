/*
 * suite.c -- a suite, and its first cases as far as they are about to run
 */
#include "bench/command/suite/suite.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_CASES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char name[] = "suite", *argv[] = {name, NULL};
	struct asl_suite s;
	int code;

	asl_fuzz_hush();
	code = asl_suite_read(&s, asl_fuzz_file("suite.json", data, bytes), 1,
			      argv);
	asl_fuzz_check_code(code);
	for (int i = 0; !code && i < s.count && i < MOST_CASES; i++)
		if (asl_fuzz_is_small(&s.cases[i].o))
			asl_fuzz_check_code(
				asl_case_to_run(&s.cases[i].c, &s.cases[i].o));
	asl_suite_close(&s);
	return 0;
}
