/*
 * append.h -- more at the end of a file, or the file as it was
 */
#ifndef ASL_APPEND_H
#define ASL_APPEND_H

#include <stddef.h>
#include <sys/types.h>

/* All of the bytes, or none of them; 0 or a negative errno. */
int asl_append(int fd, const char *text, size_t bytes);

/*
 * Take back what was written of something that then failed.  That failure is
 * reported; should this fail, too, there is nothing more to say.
 */
void asl_cut_back(int fd, off_t bytes);

#endif
