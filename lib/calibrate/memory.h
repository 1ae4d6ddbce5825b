/*
 * memory.h -- what a word costs between a store and the cache
 *
 * Tiles that fit a core's own cache are copied out of a region of the store that
 * no cache holds, and into it, one after another, as runs do: by the store, so
 * that a write is durable when it is over.
 */
#ifndef ASL_CALIBRATE_MEMORY_H
#define ASL_CALIBRATE_MEMORY_H

#include "nvm/store.h"

struct asl_stream {
	struct asl_store *store;
	double *at, *tile;
	double *times; /* of the chunks of one pass */
	uint64_t words;
};

/*
 * A region of so many words, which all have been touched.  0 or a negative
 * errno; asl_stream_close is due either way.  The store stays the caller's.
 */
int asl_stream_open(struct asl_stream *s, struct asl_store *store,
		    uint64_t words);
void asl_stream_close(struct asl_stream *s); /* all zero is allowed */

/*
 * Go once through the first `words` of it: nanoseconds a word, the median of
 * chunks of 1 MiB, so that what else the machine does for a while is not seen.
 */
double asl_stream_read(struct asl_stream *s, uint64_t words);
double asl_stream_write(struct asl_stream *s, uint64_t words);

/* What a region is rounded up to, and its tiles have, in words. */
enum { ASL_STREAM_TILE = 1 << 15, ASL_STREAM_CHUNK = 4 * ASL_STREAM_TILE };

#endif
