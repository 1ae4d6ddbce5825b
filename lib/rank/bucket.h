/*
 * bucket.h -- a bandwidth that several processes share, as they share a device
 *
 * A device serves one request at a time, in the order in which they come.  The
 * bucket keeps one number: when the device will have served all requests so far.
 * It lies in memory that the processes of a host share; nobody holds a lock, so
 * that a process that is killed or frozen keeps nobody waiting.
 *
 * Times are picoseconds since a moment that all processes agree on: 200 days
 * fit, and a sum of requests of single words is exact to 0.1%.
 */
#ifndef ASL_BUCKET_H
#define ASL_BUCKET_H

#include <stdatomic.h>
#include <stdint.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2,
	       "a lock would be the process's own, and protect nothing");

/* All zero: idle.  It has cache lines of its own. */
struct asl_bucket {
	_Alignas(128) _Atomic uint64_t idle_from;
};

/* When a request that came at `from` will have been served; none overlap. */
static inline uint64_t asl_bucket_serve(struct asl_bucket *b, uint64_t from,
					uint64_t takes)
{
	uint64_t idle = atomic_load(&b->idle_from), end;

	do
		end = (idle > from ? idle : from) + takes;
	while (!atomic_compare_exchange_weak(&b->idle_from, &idle, end));
	return end;
}

#endif
