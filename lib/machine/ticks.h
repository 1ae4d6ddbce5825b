/*
 * ticks.h -- the processor's own counter, to wait by
 *
 * Reading it takes a few nanoseconds, less than any clock.  Its rate is not known
 * and may change: whoever waits by it looks at a clock now and then.  One file in
 * ticks/ for each kind of processor; CMake chooses.
 */
#ifndef ASL_TICKS_H
#define ASL_TICKS_H

#include <stdint.h>

uint64_t asl_ticks(void);

/* For loops that only wait: leave the core to its other thread. */
void asl_ticks_rest(void);

#endif
