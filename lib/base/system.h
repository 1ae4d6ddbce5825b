/*
 * system.h -- system files of this machine, or of one recorded in a directory, and
 * what its kernel gives
 *
 * `root` goes before their names: "", or the directory with /proc and /sys of
 * another machine.
 */
#ifndef ASL_SYSTEM_H
#define ASL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* NULL and errno if it can't be read. */
FILE *asl_system_open(const char *root, const char *path);

/* The first line of such a file, without its newline; false: there is none. */
bool asl_system_line(char *line, size_t capacity, const char *root,
		     const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Bytes that this process may use: physical, or its control groups' limit. */
uint64_t asl_memory_limit(const char *root);

/* Has the file system so much left?  True, and *left is 0, if it is silent. */
bool asl_has_space(int fd, uint64_t bytes, uint64_t *left);

/* 0, or a negative errno: -ENOSPC also for a quota.  *at: where it ended. */
int asl_allocate_blocks(int fd, uint64_t bytes, uint64_t *at);

/* 0, or a negative errno. */
int asl_write_all(int fd, const char *at, size_t bytes);

/* As calloc, to be freed with free; in huge pages, where the kernel gives them. */
void *asl_take_large(size_t count, size_t bytes);

/* Seconds by a clock that all processes of this host share. */
double asl_now(void);

#endif
