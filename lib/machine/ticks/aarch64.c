/*
 * aarch64.c -- the counter of the generic timer
 */
#include "lib/machine/ticks.h"

uint64_t asl_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

void asl_ticks_rest(void)
{
	__asm__ volatile("yield");
}
