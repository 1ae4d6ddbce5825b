/*
 * lru.h -- a model of a hardware cache, with least-recently-used replacement
 *
 * The cache has sets of several lines (ways).  A touched line is brought in, even
 * to be written (write-allocate, as ordinary stores do); the least recently used
 * line of its set is evicted and, if it was written, written back.
 *
 * Touching a line takes O(1) time, however many ways there are.
 */
#ifndef ASL_LRU_H
#define ASL_LRU_H

#include <stdbool.h>
#include <stdint.h>

struct asl_lru_shape {
	uint64_t words; /* 0: no cache */
	uint64_t line;	/* words of a line */
	uint64_t ways;	/* lines of a set; all lines: fully associative */
};

/* More lines than any cache has. */
#define ASL_LRU_MOST_LINES ((uint64_t)1 << 31)

struct asl_lru;

/* An empty cache; line * ways divides words.  0 or -ENOMEM. */
int asl_lru_open(struct asl_lru **out, const struct asl_lru_shape *shape);
void asl_lru_close(struct asl_lru *c); /* NULL is allowed */

/* Empty it. */
void asl_lru_clear(struct asl_lru *c);

/* Read or write `count` words from address `first` on; line 0 is at 0. */
void asl_lru_touch(struct asl_lru *c, uint64_t first, uint64_t count,
		   bool write);

/* Words of whole lines, including dirty ones that must still be written back. */
struct asl_lru_traffic {
	uint64_t read, written;
};

struct asl_lru_traffic asl_lru_traffic(const struct asl_lru *c);

#endif
