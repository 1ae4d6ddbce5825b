/*
 * measure.c -- what a message and its words cost between two ranks
 */
#include "lib/calibrate/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/estimate.h"
#include "lib/rank/rank.h"

/*
 * What a word costs between a store and the cache
 */

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

/*
 * Of every size so many times are taken, and the middle one counts.  One is of
 * several messages where these are short, and fast: ranks that have to take turns
 * on a core need milliseconds for each.
 */
enum { TIMES = 9, MOST_TRIPS = 32, MOST_WORDS = 1 << 19 };
#define FAST_S 1e-4

/*
 * Short messages, which say what alpha is, and long ones.  The ways of providers
 * change in between, where the line would only be bent.
 */
static const int sizes[ASL_SWEEP_SIZES] = {
	1,	 2,	  4,	   8,	    16,	     32,      64,
	1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 3 << 17, MOST_WORDS,
};

int asl_sweep_open(struct asl_sweep *s, int peer, bool first)
{
	size_t bytes = sizeof(double[MOST_WORDS]);

	*s = (struct asl_sweep){
		.peer = peer,
		.first = first,
		.out = aligned_alloc(4096, bytes),
		.in = aligned_alloc(4096, bytes),
	};
	if (!s->out || !s->in)
		return -ENOMEM;
	memset(s->out, 1, bytes);
	memset(s->in, 2, bytes);
	for (int i = 0; i < ASL_SWEEP_SIZES; i++)
		s->words[i] = sizes[i];
	return 0;
}

void asl_sweep_close(struct asl_sweep *s)
{
	free(s->out);
	free(s->in);
	*s = (struct asl_sweep){0};
}

static int send(struct asl_net *net, struct asl_net_op *out)
{
	int err = asl_net_start(net, out);

	return err ? err : asl_net_wait(net, out);
}

/* A receive is ready before the other can send, as in any good ping-pong. */
static int play(struct asl_sweep *s, struct asl_net *net, size_t bytes,
		int trips)
{
	struct asl_net_op in = {
		.to = ASL_NET_NONE,
		.from = s->peer,
		.in = s->in,
		.in_bytes = bytes,
	};
	struct asl_net_op out = {
		.to = s->peer,
		.from = ASL_NET_NONE,
		.out = s->out,
		.out_bytes = bytes,
	};
	int err = asl_net_start(net, &in);

	for (int i = 0; !err && i < trips; i++) {
		if (s->first)
			err = send(net, &out);
		if (!err)
			err = asl_net_wait(net, &in);
		if (!err && i + 1 < trips)
			err = asl_net_start(net, &in);
		if (!err && !s->first)
			err = send(net, &out);
	}
	return err;
}

/* The first knows how fast messages are, and tells the other. */
static int share_pace(struct asl_sweep *s, struct asl_net *net, bool *fast)
{
	double since = asl_now();
	int err = play(s, net, sizeof(double), 2);
	double pace = asl_now() - since;
	struct asl_net_op op = {
		.to = s->first ? s->peer : ASL_NET_NONE,
		.from = s->first ? ASL_NET_NONE : s->peer,
		.out = &pace,
		.in = &pace,
		.out_bytes = s->first ? sizeof pace : 0,
		.in_bytes = s->first ? 0 : sizeof pace,
	};

	if (!err)
		err = asl_net_start(net, &op);
	if (!err)
		err = asl_net_wait(net, &op);
	*fast = pace < 4 * FAST_S;
	return err;
}

static int trips_of(int words, bool fast)
{
	return !fast || words * MOST_TRIPS > 1 << 14 ? 1 : MOST_TRIPS;
}

int asl_sweep_run(struct asl_sweep *s, struct asl_net *net)
{
	double times[TIMES];
	bool fast = true;
	int err = share_pace(s, net, &fast);

	for (int i = 0; !err && i < ASL_SWEEP_SIZES; i++) {
		int trips = trips_of(sizes[i], fast);

		for (int j = 0; !err && j < TIMES; j++) {
			double since = asl_now();

			err = play(s, net, (size_t)sizes[i] * sizeof(double),
				   trips);
			times[j] = (asl_now() - since) / (2.0 * trips);
		}
		s->ns[i] = 1e9 * asl_median(times, TIMES);
	}
	return err;
}

/* ---- The line ---- */

static double distance(struct asl_line line, double x, double y)
{
	return fabs(line.alpha + line.beta * x - y) / y;
}

/*
 * The squares of (alpha + beta x - y) / y: weighted by 1 / y^2.  A cost below 0
 * would be no cost; the best line without it takes its place.
 */
struct asl_line asl_line_fit(const double *x, const double *y, int count)
{
	double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, slope;
	struct asl_line line = {0};

	for (int i = 0; i < count; i++) {
		double weight = 1 / (y[i] * y[i]);

		w += weight;
		wx += weight * x[i];
		wy += weight * y[i];
		wxx += weight * x[i] * x[i];
		wxy += weight * x[i] * y[i];
	}
	slope = w * wxx - wx * wx;
	line.beta = slope > 0 ? (w * wxy - wx * wy) / slope : 0;
	line.alpha = (wy - line.beta * wx) / w;
	if (line.alpha < 0)
		line = (struct asl_line){.beta = wxy / wxx};
	if (line.beta < 0)
		line = (struct asl_line){.alpha = wy / w};
	for (int i = 0; i < count; i++)
		line.worst = fmax(line.worst, distance(line, x[i], y[i]));
	return line;
}
