/*
 * options.c -- a command line: its command, and an argument a line
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/results/ranking.h"
#include "bench/library/case.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_ARGUMENTS = 48 };

static const struct {
	const char *name;
	unsigned options;
} commands[] = {
	{"run", ASL_FOR_RUN},	      {"plan", ASL_FOR_PLAN},
	{"bounds", ASL_FOR_BOUNDS},   {"suite", ASL_FOR_SUITE},
	{"report", ASL_FOR_REPORT},   {"calibrate", ASL_FOR_CALIBRATE},
	{"compare", ASL_FOR_COMPARE},
};

static unsigned find(const char *name)
{
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].options;
	return 0;
}

/* What main has done before: and nothing is to be read or left elsewhere. */
static int split(char *argv[MOST_ARGUMENTS + 1], char *text)
{
	int argc = 0;

	while (text && argc < MOST_ARGUMENTS) {
		argv[argc] = strsep(&text, "\n");
		if (strchr(argv[argc], '/') || strlen(argv[argc]) >= 4096)
			return 0;
		argc++;
	}
	argv[argc] = NULL;
	return argc;
}

static void plan(const struct asl_options *o, unsigned command)
{
	struct asl_case c = {0};

	asl_fuzz_check_code(command == ASL_FOR_RUN ? asl_case_to_run(&c, o)
						   : asl_case_to_plan(&c, o));
	asl_case_close(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = asl_fuzz_text(data, bytes), *argv[MOST_ARGUMENTS + 1];
	int argc = split(argv, text), code;
	unsigned command = argc ? find(argv[0]) : 0;
	struct asl_options o;

	asl_fuzz_hush();
	if (command) {
		code = asl_options_parse(&o, argc, argv, command);
		asl_fuzz_check_code(code);
		if (!code && o.weight)
			asl_fuzz_check_code(asl_weights_check(o.weight));
		if (!code && command <= ASL_FOR_BOUNDS && asl_fuzz_is_small(&o))
			plan(&o, command);
	}
	free(text);
	return 0;
}
