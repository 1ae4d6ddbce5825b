/*
 * asan.h -- telling AddressSanitizer that the stack is about to change
 *
 * Without the sanitizer all of this is nothing.  With it, frames carry red
 * zones, so that a stack holds less: ASL_STACK_FACTOR makes up for it.
 */
#ifndef ASL_NET_ASAN_H
#define ASL_NET_ASAN_H

#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>

#define ASL_STACK_FACTOR 4

/* Before a jump all that is known of the stack would be wiped out, at a cost. */
#define ASAN_JUMPS __attribute__((no_sanitize_address))

static inline void asan_leave(void **fake, const void *to, size_t to_bytes)
{
	__sanitizer_start_switch_fiber(fake, to, to_bytes);
}

static inline void asan_arrive(void *fake, const void **from,
			       size_t *from_bytes)
{
	__sanitizer_finish_switch_fiber(fake, from, from_bytes);
}

#else

#define ASL_STACK_FACTOR 1
#define ASAN_JUMPS

static inline void asan_leave(void **fake, const void *to, size_t to_bytes)
{
	(void)fake, (void)to, (void)to_bytes;
}

static inline void asan_arrive(void *fake, const void **from,
			       size_t *from_bytes)
{
	(void)fake, (void)from, (void)from_bytes;
}

#endif
#endif
