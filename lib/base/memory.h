/*
 * memory.h -- how much memory this process may have
 */
#ifndef ASL_MEMORY_H
#define ASL_MEMORY_H

#include <stdint.h>

/*
 * In bytes: the physical memory, or the least limit of a control group (of
 * either version) that this process is in, if that is less.  `root` goes
 * before the names of system files: "", except in tests.
 */
uint64_t asl_memory_limit(const char *root);

#endif
