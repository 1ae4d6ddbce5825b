/*
 * map.h -- files in memory, memory for what is in files, and what was wrong
 *
 * What the readers of all formats share.  Errors are negative errnos, and
 * asl_failure() gives the line that was set aside about the last one.
 */
#ifndef ASL_MAP_H
#define ASL_MAP_H

#include <stdbool.h>
#include <stddef.h>

/* What was found in a file, fit for a message: cut, and without control codes. */
#define ASL_QUOTE 64
const char *asl_quote(char to[ASL_QUOTE], const char *text, size_t length);

/* Has its name this ending, in letters of either case? */
bool asl_file_ends(const char *path, const char *ending);

/* The whole of a regular file that is not empty, to be read. */
int asl_file_map(void **map, size_t *map_bytes, const char *path);

/*
 * Memory for so many doubles, zeros but for those that *map has already (NULL:
 * none); on failure these stay.  A double, too, is `words`, so that no product
 * of sizes is too large to be refused with -ENOMEM as more than this machine
 * can hold: `what` needs it, is said of the file `path`.
 */
int asl_file_make_room(void **map, size_t *map_bytes, const char *path,
		       const char *what, double words);

void asl_file_unmap(void *map, size_t map_bytes); /* NULL is allowed */

#endif
