/*
 * path.h -- paths without links that a stranger may have laid
 */
#ifndef ASL_PATH_H
#define ASL_PATH_H

#include <limits.h>

/* `name` as seen from the open directory `dir`, which the caller closes. */
struct asl_path {
	int dir;
	char name[NAME_MAX + 1];
};

/*
 * Find where a path leads, to something that may not exist yet, but is no link.
 * Links are followed, but refused with -ELOOP in directories that anybody may
 * write to.  0, or a negative errno.
 */
int asl_path_open(struct asl_path *found, const char *path);

/* Open an existing directory in this way; a descriptor or a negative errno. */
int asl_path_open_dir(const char *path);

/* Make the directories above a path that are not there; 0, or a negative errno. */
int asl_path_make_above(const char *path);

#endif
