/*
 * powercut.h -- loses what a pool's file would lose when the power is cut
 *
 * Stands in for what makes words durable: libpmem's functions, msync and fsync,
 * as called by the program and by libpmemobj, which has no other ways.  Of every
 * file below a directory that is mapped it keeps what was flushed and then
 * drained.  A point is a drain that has something to make durable in a file that
 * has a name.
 *
 * Names of files, their lengths, and their contents when they are first mapped,
 * are durable at once.  All pools must be this process's; and in its environment,
 * when it begins,
 *
 *	PMEM_IS_PMEM_FORCE		1: lines are flushed; 0: pages are synced
 *	UCX_MEM_MMAP_HOOK_MODE=none	else UCX stands in for mmap, too
 */
#ifndef ASL_TEST_POWERCUT_H
#define ASL_TEST_POWERCUT_H

#include <stdbool.h>
#include <stdint.h>

enum { POWERCUT_EXIT = 86 };

struct powercut {
	const char *dir; /* NULL: nothing is done */
	/*
	 * Cut before this point, from 1 on: every file becomes its durable
	 * image, and the process ends with POWERCUT_EXIT.  0: never.
	 */
	long at;
	/*
	 * Not 0: then a part of what was not drained is there, too, as caches
	 * and kernels write when they like to: each line (or page, where msync
	 * makes durable) is or is not.
	 */
	uint64_t seed;
	long lose; /* the drain at this point does nothing: a forgotten one */
};

extern struct powercut powercut;

/* So far. */
long powercut_points(void);

#endif
