/*
 * profile_files.h -- the files of bench/profiles, as the build put them into
 * the command: it needs them wherever it is copied to
 */
#ifndef ASL_PROFILE_FILES_H
#define ASL_PROFILE_FILES_H

#include <stddef.h>

struct asl_profile_file {
	const char *name; /* without .json; NULL ends the list */
	const char *text;
	size_t bytes;
};

/* In the order of their names. */
extern const struct asl_profile_file asl_profile_files[];

#endif
