/*
 * mapped.h -- which pools and files are mapped where, for signal handlers
 */
#ifndef ASL_MAPPED_H
#define ASL_MAPPED_H

#include <stddef.h>

void asl_mapped_note(const void *at, size_t bytes, const char *kind,
		     const char *path);
void asl_mapped_forget(const void *at);

/* For SIGBUS: "KIND PATH" of what is mapped at an address, or NULL. */
const char *asl_mapped_find(const void *at);

/*
 * For SIGABRT: the first error of a pool in use, as a line, or NULL.
 * libpmemobj ends the process when it cannot write, and says nothing: then it is
 * the pool that was opened last (NULL: none), and errno is EIO.
 */
void asl_mapped_blame(const char *why);
const char *asl_mapped_blamed(void);
const char *asl_mapped_last(void);

#endif
