/*
 * atomic_file.h -- a file that appears under its name only when it is complete
 *
 * It has no name while it is written, and gets it at the end.  Whatever ends the
 * process before, the old file of that name, or none, is there.  A file system
 * that has no files without names has it under an unpredictable one beside its
 * place, NAME.XXXXXX, which only a killed process leaves behind.
 *
 * Errors	0, or a negative errno with asl_failure() saying more.
 * Place	A symbolic link is followed, but not one that a stranger may have
 *		laid (asl_path_open).  What is there must be a regular file that
 *		may be written: /dev/null stays what it is.
 * Mode		That of the file whose place it takes; else as umask says.
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
	char temp[NAME_MAX + 1]; /* what it is called there; "": nothing */
	int fd;
	mode_t mode;	/* of the file that is there; 0: none is */
	uint64_t limit; /* ulimit -f, in bytes */
};

/* On failure nothing needs to be discarded. */
int asl_atomic_file_create(struct asl_atomic_file *a, const char *path);

/* Take the blocks of the first `bytes` now: a full disk shows here. */
int asl_atomic_file_reserve(struct asl_atomic_file *a, uint64_t bytes);

int asl_atomic_file_write(struct asl_atomic_file *a, const void *from,
			  size_t bytes, uint64_t at);

/* Ends it either way: after a failure nothing is left of the new file. */
int asl_atomic_file_commit(struct asl_atomic_file *a);
void asl_atomic_file_discard(struct asl_atomic_file *a);

/*
 * All of the above, for contents that are in memory; and the same of a file that
 * will grow: *fd stays open to be written to.
 */
int asl_atomic_file_put(const char *path, const void *from, size_t bytes);
int asl_atomic_file_begin(int *fd, const char *path, const void *from,
			  size_t bytes);

/* ---- For aside.c ---- */

#endif
