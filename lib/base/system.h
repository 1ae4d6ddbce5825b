/*
 * system.h -- system files of this machine, or of one recorded in a directory
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

/*
 * Bytes of memory that this process may use: the physical memory, or the minimum
 * limit of its control groups (of either version), whichever is less.
 */
uint64_t asl_memory_limit(const char *root);

#endif
