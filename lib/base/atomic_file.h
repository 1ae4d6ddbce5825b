/*
 * atomic_file.h -- a file that appears under its name only when it is complete
 *
 * It has no name while it is written, and gets it at the end.  Whatever ends the
 * process before, the old file of that name, if any, is untouched.  On a file
 * system without unnamed files it has an unpredictable name in the same
 * directory, NAME.XXXXXX, which only a killed process leaves behind.
 *
 * Errors	0, or a negative errno, described by asl_failure().
 * Name		A symbolic link is followed, unless a stranger may have made it
 *		(asl_path_open).  An existing file must be regular and writable:
 *		/dev/null is never replaced.
 * Mode		The mode of the file that it replaces, or as umask says.
 */
#ifndef ASL_ATOMIC_FILE_H
#define ASL_ATOMIC_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/path.h"

struct asl_atomic_file {
	char path[PATH_MAX];
	struct asl_path spot;	 /* where it will be */
	char temp[NAME_MAX + 1]; /* its name there until then; "": none */
	int fd;
	mode_t mode;	/* of the file that it replaces; 0: none */
	uint64_t limit; /* ulimit -f, in bytes */
};

/* On failure nothing needs to be discarded. */
int asl_atomic_file_create(struct asl_atomic_file *a, const char *path);

/* Allocate the blocks of the first `bytes` now: a full disk shows here. */
int asl_atomic_file_reserve(struct asl_atomic_file *a, uint64_t bytes);

int asl_atomic_file_write(struct asl_atomic_file *a, const void *from,
			  size_t bytes, uint64_t at);

/* Put it in its place, and end it; a failure leaves nothing of the new file. */
int asl_atomic_file_commit(struct asl_atomic_file *a);
void asl_atomic_file_discard(struct asl_atomic_file *a);

/* Create, write and commit; _begin keeps *fd open for more to be appended. */
int asl_atomic_file_put(const char *path, const void *from, size_t bytes);
int asl_atomic_file_begin(int *fd, const char *path, const void *from,
			  size_t bytes);

#endif
