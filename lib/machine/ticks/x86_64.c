/*
 * x86_64.c -- the time-stamp counter
 */
#include "lib/machine/ticks.h"

#include <x86intrin.h>

uint64_t asl_ticks(void)
{
	return __rdtsc();
}

void asl_ticks_rest(void)
{
	_mm_pause();
}
