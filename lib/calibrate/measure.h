/*
 * measure.h -- what a message and its words cost between two ranks
 *
 * Messages of many sizes go to and fro; the line alpha + beta x that is nearest
 * to their times, relative to these, gives both costs.  Not the absolute
 * distance: the largest messages alone would then decide on alpha, too.
 */
#ifndef ASL_MEASURE_H
#define ASL_MEASURE_H

#include <stdint.h>

#include "net/net.h"
#include "nvm/store.h"

/*
 * What a word costs between a store and the cache
 *
 * Tiles that fit a core's own cache are copied out of a region of the store that
 * no cache holds, and into it, one after another, as runs do: by the store, so
 * that a write is durable when it is over.
 */

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

enum { ASL_SWEEP_SIZES = 14 };

struct asl_sweep {
	int peer;
	bool first; /* of the two: to send */
	char *out, *in;
	double words[ASL_SWEEP_SIZES];
	double ns[ASL_SWEEP_SIZES]; /* one way, of the last sweep */
};

/* 0 or -ENOMEM; asl_sweep_close is due either way. */
int asl_sweep_open(struct asl_sweep *s, int peer, bool first);
void asl_sweep_close(struct asl_sweep *s); /* all zero is allowed */

/* All sizes once, by both ranks; 0 or an error of the net. */
int asl_sweep_run(struct asl_sweep *s, struct asl_net *net);

struct asl_line {
	double alpha, beta; /* 0 or more */
	double worst;	    /* relative distance of a point */
};

/* The line nearest to (x, y), all of which are positive, in least squares. */
struct asl_line asl_line_fit(const double *x, const double *y, int count);

#endif
