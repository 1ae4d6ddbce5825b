/*
 * lru.h -- a hardware cache: what it reads and writes by itself
 *
 * A cache of lines in sets of some ways.  Whatever is touched is brought in, also
 * to be written (write-allocate, as ordinary stores do; others could spare that
 * read); what was used least recently in its set has to leave, and is written
 * back if it was written since it came (write-back).
 *
 * A touched line takes O(1) time, however many ways there are.
 */
#ifndef ASL_LRU_H
#define ASL_LRU_H

#include <stdbool.h>
#include <stdint.h>

struct asl_lru_shape {
	uint64_t words; /* 0: no cache */
	uint64_t line;	/* words of a line */
	uint64_t ways;	/* lines of a set; of all, if fully associative */
};

/* More would not be a cache. */
#define ASL_LRU_MOST_LINES ((uint64_t)1 << 31)

struct asl_lru;

/* Empty.  line * ways divides words.  0 or -ENOMEM. */
int asl_lru_open(struct asl_lru **out, const struct asl_lru_shape *shape);
void asl_lru_close(struct asl_lru *c); /* NULL is allowed */

/* As after opening. */
void asl_lru_clear(struct asl_lru *c);

/* Words first, first + 1, ... are read, or written; the address of line 0 is 0. */
void asl_lru_touch(struct asl_lru *c, uint64_t first, uint64_t count,
		   bool write);

/*
 * Whole lines that came and went, in words.  Those that still have to be written
 * back are among them: they will.
 */
struct asl_lru_traffic {
	uint64_t read, written;
};

struct asl_lru_traffic asl_lru_traffic(const struct asl_lru *c);

#endif
