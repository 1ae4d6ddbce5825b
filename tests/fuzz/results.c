/*
 * results.c -- a result directory, reported and compared with itself
 *
 * The bytes are runs.csv; and machine.json behind a line of ---, if there is one.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/commands.h"
#include "tests/fuzz/fuzz.h"

#define BETWEEN "\n---\n"

static void obey(char **words)
{
	char *argv[12] = {words[0], words[0]};
	int argc = 1;

	while (words[argc - 1]) {
		argv[argc] = words[argc - 1];
		argc++;
	}
	asl_fuzz_check_code(
		asl_command_obey(asl_command_find(words[0]), argc, argv));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const uint8_t *cut = memmem(data, bytes, BETWEEN, strlen(BETWEEN));
	size_t rows = cut ? (size_t)(cut - data) + 1 : bytes;
	size_t rest = cut ? rows + strlen(BETWEEN) - 1 : bytes;
	char *dir = strdup(asl_fuzz_dir());
	char report[] = "report", compare[] = "compare", out[] = "--out",
	     csv[] = "--csv", there[] = "-";
	char *reported[] = {report, dir, out, there, NULL};
	char *compared[] = {compare, dir, dir, NULL};
	char *tabled[] = {compare, dir, dir, csv, there, NULL};

	asl_fuzz_hush();
	asl_fuzz_file("runs.csv", data, rows);
	asl_fuzz_file("machine.json", data + rest, bytes - rest);
	obey(reported);
	obey(compared);
	obey(tabled);
	free(dir);
	return 0;
}
