/*
 * memory.c -- what a word costs between a store and the cache
 */
#include "lib/calibrate/memory.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/calibrate/estimate.h"
#include "lib/rank/rank.h"

static uint64_t chunks_of(uint64_t words)
{
	return (words + ASL_STREAM_CHUNK - 1) / ASL_STREAM_CHUNK;
}

int asl_stream_open(struct asl_stream *s, struct asl_store *store,
		    uint64_t words)
{
	uint64_t chunks = chunks_of(words);
	int err;

	*s = (struct asl_stream){
		.store = store,
		.words = chunks * ASL_STREAM_CHUNK,
		.tile = aligned_alloc(4096, ASL_STREAM_TILE * sizeof(double)),
		.times = calloc(chunks, sizeof(double)),
	};
	if (!s->tile || !s->times)
		return -ENOMEM;
	for (int i = 0; i < ASL_STREAM_TILE; i++)
		s->tile[i] = i;
	err = asl_store_take(store, &s->at, s->words);
	if (!err)
		asl_stream_write(s, s->words);
	return err;
}

void asl_stream_close(struct asl_stream *s)
{
	if (s->store)
		asl_store_give(s->store, s->at);
	free(s->tile);
	free(s->times);
	*s = (struct asl_stream){0};
}

static void read_tile(struct asl_stream *s, double *at)
{
	asl_store_read(s->store, s->tile, ASL_STREAM_TILE, at, ASL_STREAM_TILE,
		       1, ASL_STREAM_TILE);
}

static void write_tile(struct asl_stream *s, double *at)
{
	asl_store_write(s->store, at, ASL_STREAM_TILE, s->tile, ASL_STREAM_TILE,
			1, ASL_STREAM_TILE);
}

static double pass(struct asl_stream *s, uint64_t words,
		   void (*move)(struct asl_stream *s, double *at))
{
	uint64_t chunks = chunks_of(words < s->words ? words : s->words);

	for (uint64_t i = 0; i < chunks; i++) {
		double *at = s->at + i * ASL_STREAM_CHUNK;
		double since = asl_now();

		for (int j = 0; j < ASL_STREAM_CHUNK; j += ASL_STREAM_TILE)
			move(s, at + j);
		s->times[i] = asl_now() - since;
	}
	return asl_median(s->times, (int)chunks) * 1e9 / ASL_STREAM_CHUNK;
}

double asl_stream_read(struct asl_stream *s, uint64_t words)
{
	return pass(s, words, read_tile);
}

double asl_stream_write(struct asl_stream *s, uint64_t words)
{
	return pass(s, words, write_tile);
}
