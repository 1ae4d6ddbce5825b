/*
 * pace_check.c -- can this machine be as fast as the one that it stands in for?
 *
 * Measured with the verbs that a run moves words with, first without a pace: on
 * each host one rank alone, which must not be slower than the device, and then
 * all at once, which together must not be either.  Messages go between two
 * halves of the ranks.  Then with it, which gives the error.  Of many requests
 * the middle one counts: what the machine can do, not what else it does for a
 * while; that shows in the error of the run.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/error.h"
#include "lib/calibrate/estimate.h"
#include "lib/matrix/parts.h"
#include "lib/rank/pace_state.h"

enum { PASSES = 4, REQUESTS = 512 };
enum { TILE_WORDS = 1 << 15, MESSAGE_WORDS = 1 << 17 };
#define PACED_NS 2e7

struct bench {
	struct asl_rank *r;
	struct asl_words region;
	struct asl_tile tile;
};

/* ---- One rank ---- */

/* One request, of so many that there is room for; in seconds. */
static double move(struct bench *b, enum asl_direction way, int number)
{
	uint64_t each = b->tile.room, first = (uint64_t)number * each;
	struct asl_words x = asl_slice(&b->region, first, each);
	struct asl_block at = asl_as_block(&x, 1, each);
	double since = asl_now();

	if (way == ASL_READS)
		asl_tile_load(b->r, &b->tile, &at);
	else
		asl_tile_store(b->r, &at, &b->tile);
	return asl_now() - since;
}

static int requests(const struct bench *b)
{
	return (int)asl_least(b->region.count / b->tile.room, REQUESTS);
}

/* Nanoseconds a word.  Writing comes first: nothing has been touched yet. */
static void measure_pool(struct bench *b, double word[ASL_DIRECTIONS])
{
	double times[PASSES * REQUESTS];
	int count = requests(b);

	for (int way = ASL_DIRECTIONS - 1; way >= 0; way--) {
		for (int i = 0; i < PASSES * count; i++)
			times[i] = move(b, way, i % count);
		word[way] = asl_median(times, PASSES * count) * 1e9 /
			    (double)b->tile.room;
	}
}

/* Requests that take a while on the other machine. */
static double measure_error(struct bench *b, const struct asl_emulation *as)
{
	const struct asl_seconds *s = &b->r->seconds;

	for (int way = 0; way < ASL_DIRECTIONS; way++) {
		double each = as->word[way] * (double)b->tile.room;

		for (int i = 0; i < requests(b) && i * each < PACED_NS; i++)
			move(b, way, i);
	}
	return s->target > 0 ? s->late / s->target : 0;
}

static int peer_of(const struct asl_rank *r)
{
	int half = r->size / 2;

	return r->id < half	  ? r->id + half
	       : r->id < 2 * half ? r->id - half
				  : ASL_NET_NONE;
}

static double measure_net(struct asl_rank *r)
{
	struct asl_words out, in;
	int peer = peer_of(r);
	double best = peer == ASL_NET_NONE ? 0 : INFINITY;

	asl_take(r, &out, ASL_DRAM, MESSAGE_WORDS);
	asl_take(r, &in, ASL_DRAM, MESSAGE_WORDS);
	for (uint64_t i = 0; i < out.count; i++)
		out.at[i] = 0;
	for (int i = 0; i < PASSES && peer != ASL_NET_NONE; i++) {
		double since = asl_now();

		asl_exchange(r, peer, &out, peer, &in);
		best = fmin(best, asl_now() - since);
	}
	asl_give(r, &in);
	asl_give(r, &out);
	return best * 1e9 / MESSAGE_WORDS;
}

/* ---- All ranks ---- */

static void together(struct asl_rank *r)
{
	int err = r->err ? r->err : asl_net_barrier(r->net);

	if (err)
		asl_rank_fail(r, err, "%s", asl_failure());
}

static void measure(struct asl_pace_probe *mine, struct bench *b)
{
	struct asl_rank *r = b->r;
	struct asl_pace *p = r->pace;

	r->pace = NULL;
	if (asl_net_host_rank(r->net) == 0)
		measure_pool(b, mine->alone);
	together(r);
	measure_pool(b, mine->shared);
	for (int way = 0; way < ASL_DIRECTIONS; way++)
		mine->shared[way] /= p->host_ranks;
	together(r);
	mine->net = measure_net(r);
	together(r);
	r->pace = p;
	mine->error = measure_error(b, &p->as);
}

static void worst(struct asl_pace_probe *x, const struct asl_pace_probe *y)
{
	for (int way = 0; way < ASL_DIRECTIONS; way++) {
		x->alone[way] = fmax(x->alone[way], y->alone[way]);
		x->shared[way] = fmax(x->shared[way], y->shared[way]);
	}
	x->net = fmax(x->net, y->net);
	x->error = fmax(x->error, y->error);
}

/* Rank 0 finds the worst, and all get it. */
static int share(struct asl_pace_probe *out, struct asl_rank *r)
{
	struct asl_pace_probe *all = calloc((size_t)r->size, sizeof *all);
	int err =
		all ? asl_net_collect(r->net, all, out, sizeof *out) : -ENOMEM;

	for (int i = 0; !err && r->id == 0 && i < r->size; i++)
		worst(out, &all[i]);
	free(all);
	return err ? err : asl_net_share(r->net, out, sizeof *out);
}

static int judge(struct asl_pace_probe *out, struct asl_pace *p)
{
	if (p->net)
		p->net = out->net <= p->as.net;
	else
		out->net = NAN;
	for (int way = 0; way < ASL_DIRECTIONS; way++)
		if (out->alone[way] > p->as.word[way] ||
		    out->shared[way] > p->as.word[way])
			return -EOPNOTSUPP;
	return 0;
}

int asl_pace_check(struct asl_pace_probe *out, struct asl_rank *r)
{
	struct bench b = {.r = r};
	int err;

	*out = (struct asl_pace_probe){0};
	asl_phase(r, ASL_COMPUTE);
	asl_take(r, &b.region, ASL_POOL, ASL_PACE_WORDS);
	asl_tile_take(r, &b.tile, 1, asl_least(TILE_WORDS, r->cache));
	if (!r->err)
		measure(out, &b);
	asl_tile_give(r, &b.tile);
	asl_give(r, &b.region);
	asl_rank_restart(r);
	err = r->err ? r->err : share(out, r);
	return err ? err : judge(out, r->pace);
}
