/*
 * aside.h -- a file that appears under its name only when it is complete
 *
 * It is written under an unpredictable name beside its place and renamed at
 * the end.  Whatever ends the process before, the old file of that name, or
 * none, is there; only a killed process leaves NAME.XXXXXX behind.
 *
 * Errors	0, or a negative errno with asl_file_why() saying more.
 * Place	A symbolic link is followed.  What is there must be a regular
 *		file that may be written: /dev/null stays what it is.
 */
#ifndef ASL_ASIDE_H
#define ASL_ASIDE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct asl_aside {
	char path[PATH_MAX], temp[PATH_MAX];
	int fd;
	uint64_t limit; /* ulimit -f, in bytes */
};

/* On failure nothing needs to be discarded. */
int asl_aside_create(struct asl_aside *a, const char *path);

/* Take the blocks of the first `bytes` now: a full disk shows here. */
int asl_aside_reserve(struct asl_aside *a, uint64_t bytes);

int asl_aside_write(struct asl_aside *a, const void *from, size_t bytes,
		    uint64_t at);

/* Ends it either way: after a failure nothing is left of the new file. */
int asl_aside_commit(struct asl_aside *a);
void asl_aside_discard(struct asl_aside *a);

/* All of the above, for contents that are in memory. */
int asl_aside_put(const char *path, const void *from, size_t bytes);

#endif
