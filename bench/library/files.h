/*
 * files.h -- files that are read must be there, and must not be written
 */
#ifndef ASL_FILES_H
#define ASL_FILES_H

#include "bench/library/options.h"

/* 0 or a negative errno; -EISDIR: it is a directory. */
int asl_readable(const char *path);

/* Also if it is yet to be made. */
bool asl_same_file(const char *a, const char *b);

/* No file that one option writes is named by another.  0, or the exit code. */
int asl_files_check(const struct asl_options *o);

#endif
