/*
 * any.c -- for other processors: nanoseconds of a clock
 */
#include "lib/machine/ticks.h"

#include <time.h>

uint64_t asl_ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void asl_ticks_rest(void)
{
}
