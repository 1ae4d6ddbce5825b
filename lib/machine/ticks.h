/*
 * ticks.h -- the processor's own counter, to wait by
 *
 * Reading it takes a few nanoseconds, less than any clock.  How often it counts,
 * and whether always as often, is not promised: who waits by it looks at a clock
 * now and then.  One file in ticks/ a kind of processor; CMake chooses.
 */
#ifndef ASL_TICKS_H
#define ASL_TICKS_H

#include <stdint.h>

uint64_t asl_ticks(void);

/* In a loop that only waits: let the core's other thread have it. */
void asl_ticks_rest(void);

#endif
