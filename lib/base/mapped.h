/*
 * mapped.h -- which pools and files are mapped where, for signal handlers
 */
#ifndef ASL_MAPPED_H
#define ASL_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void asl_mapped_note(const void *at, size_t bytes, const char *kind,
		     const char *path);
void asl_mapped_forget(const void *at);

/* A pool that is being opened, somewhere; NULL: no longer. */
void asl_mapped_open(const char *path);

/*
 * For SIGBUS: "KIND PATH" of what is mapped at an address, else of a pool that is
 * being opened, or NULL; and the offset of the address in its file, if it is in one.
 */
const char *asl_mapped_find(const void *at);
bool asl_mapped_offset(uint64_t *offset, const void *at);

/*
 * The kernel, which copies messages and results, says EFAULT at a page that is lost.
 * This reads a byte of each page, which is SIGBUS, whose handler names the pool.
 */
void asl_mapped_touch(const void *at, size_t bytes);

/*
 * For SIGABRT: the first error of a pool in use, as a line, or NULL.
 * libpmemobj ends the process when it cannot write, and says nothing: then it is
 * the pool that was opened last (NULL: none), and errno is EIO.
 */
void asl_mapped_blame(const char *why);
const char *asl_mapped_blamed(void);
const char *asl_mapped_last(void);

#endif
