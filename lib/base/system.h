/*
 * system.h -- system files: of this machine, or of one recorded in a directory
 *
 * `root` goes before their names: "", or where /proc and /sys of another machine
 * are.
 */
#ifndef ASL_SYSTEM_H
#define ASL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* NULL, and errno, if it can't be read. */
FILE *asl_system_open(const char *root, const char *path);

/* The first line of such a file, without its end; false: there is none. */
bool asl_system_line(char *line, size_t room, const char *root,
		     const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
