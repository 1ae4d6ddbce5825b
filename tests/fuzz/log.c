/*
 * log.c -- cases.csv of a suite that was interrupted
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/suite/suite.h"
#include "tests/fuzz/fuzz.h"

static const char suite[] =
	"{\"cases\": [{\"n\": 64, \"algorithm\": [\"vomm\", \"fused\", "
	"\"cannon\"]}]}";

static const char table[] = "schema,a\n1,b\n1,c\n";

static struct asl_suite s;

static void open_suite(void)
{
	char name[] = "suite", *argv[] = {name, NULL};

	if (s.count)
		return;
	if (asl_suite_read(&s, asl_fuzz_file("s.json", suite, strlen(suite)), 1,
			   argv))
		abort();
	for (int i = 0; i < s.count; i++)
		if (asl_case_to_run(&s.cases[i].c, &s.cases[i].o))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct asl_suite_log log = {.s = NULL};
	struct asl_result r;
	int code;

	asl_fuzz_hush();
	open_suite();
	asl_fuzz_file("runs.csv", table, strlen(table));
	asl_fuzz_file("ranks.csv", table, strlen(table));
	asl_fuzz_file("cases.csv", data, bytes);
	code = asl_result_open(&r, asl_fuzz_dir(), true);
	if (!code)
		code = asl_suite_log_read(&log, &s, &r);
	asl_fuzz_check_code(code);
	if (!code && (log.finished < 0 || asl_suite_log_next(&log) >= s.count))
		abort();
	asl_suite_log_close(&log);
	asl_result_close(&r);
	return 0;
}
