/*
 * replay.c -- a harness on files, where there is no libFuzzer
 *
 *	fuzz-TARGET [FILE|DIR]...
 *
 * Gives every file, or every file of a directory, to the harness: what a fuzzer
 * has found must stay found.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static int files;

static void give_up(const char *path)
{
	perror(path);
	exit(1);
}

static void replay_file(const char *path, size_t bytes)
{
	uint8_t *data = malloc(bytes ? bytes : 1);
	FILE *f = fopen(path, "re");

	if (!data || !f || fread(data, 1, bytes, f) != bytes)
		give_up(path);
	fclose(f);
	/* The last one to be named is the one that it crashed on. */
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, bytes);
	free(data);
	files++;
}

static void replay(const char *path)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (stat(path, &st))
		give_up(path);
	if (!S_ISDIR(st.st_mode)) {
		replay_file(path, (size_t)st.st_size);
		return;
	}
	dir = opendir(path);
	if (!dir)
		give_up(path);
	while ((entry = readdir(dir))) {
		char inner[PATH_MAX];

		snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			replay(inner);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (files)
		return 0;
	fprintf(stderr, "%s: no files\n", argv[0]);
	return 1;
}
