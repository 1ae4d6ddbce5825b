/*
 * files.h -- files for tests, in a directory of their own, and what was wrong
 */
#ifndef ASL_TEST_FILES_H
#define ASL_TEST_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"

static char dir[64];

/* For cmocka_run_group_tests. */
static inline int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/aslant-test.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

/* Good for three more calls. */
static inline const char *in_dir(const char *name)
{
	static char path[4][256];
	static int next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", dir, name);
	return path[next];
}

static inline const char *put(const char *name, const void *from, size_t bytes)
{
	const char *path = in_dir(name);
	FILE *f;

	unlink(path); /* an overwritten file would be flushed to the disk */
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(from, 1, bytes, f), bytes);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* The error is a line, beginning with the file's name and saying each of `words`. */
static inline void says(const char *path, const char *words)
{
	const char *why = asl_failure();
	char copy[256], *save;

	if (strncmp(why, path, strlen(path)) != 0)
		fail_msg("'%s' does not begin with '%s'", why, path);
	assert_null(strchr(why, '\n'));
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok_r(copy, "|", &save); w;
	     w = strtok_r(NULL, "|", &save))
		if (!strstr(why, w))
			fail_msg("'%s' does not say '%s'", why, w);
}

#endif
