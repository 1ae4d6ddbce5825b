/*
 * sweep.c -- raw figures of a machine: bandwidths, latencies, messages, flops
 *
 * All ranks make the same list of points and go through it together.  A point has
 * up to SAMPLES samples of equal time, each from barrier to barrier.
 */
#include "lib/calibrate/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"
#include "lib/machine/memories.h"
#include "nvm/store.h"

enum { LEAST_SAMPLES = 3, SAMPLES = 6 };
enum { BATCH_BYTES = 1 << 16, LOAD_BYTES = 1 << 12 };
enum { LINE = 8 }; /* words */

static const struct {
	const char *name, *unit;
} kinds[ASL_SWEEP_KINDS] = {
	[ASL_SWEEP_READ] = {"read", "GB/s"},
	[ASL_SWEEP_WRITE] = {"write", "GB/s"},
	[ASL_SWEEP_FLUSH] = {"write and flush", "GB/s"},
	[ASL_SWEEP_MIX] = {"mix", "GB/s"},
	[ASL_SWEEP_LATENCY] = {"latency", "ns"},
	[ASL_SWEEP_MESSAGE] = {"message", "us"},
	[ASL_SWEEP_DGEMM] = {"dgemm", "GFLOP/s"},
};

const char *asl_sweep_name(enum asl_sweep_kind kind)
{
	return kinds[kind].name;
}

const char *asl_sweep_unit(enum asl_sweep_kind kind)
{
	return kinds[kind].unit;
}

/* ---- The list of points ---- */

static void add(struct asl_sweep *s, struct asl_sweep_point x)
{
	if (s->count < ASL_SWEEP_MOST)
		s->point[s->count++] = x;
}

static int double_up(int ranks, int most)
{
	return 2 * ranks < most ? 2 * ranks : most;
}

static void add_sizes(struct asl_sweep *s, struct asl_sweep_point x, int ranks,
		      int step)
{
	for (x.bytes = 64; x.bytes <= 1 << 20; x.bytes <<= step)
		for (x.ranks = 1;; x.ranks = double_up(x.ranks, ranks)) {
			add(s, x);
			if (x.ranks == ranks)
				break;
		}
}

static void add_mixtures(struct asl_sweep *s, struct asl_sweep_point x,
			 int ranks)
{
	x.kind = ASL_SWEEP_MIX;
	x.bytes = LOAD_BYTES;
	x.ranks = ranks;
	for (x.share = 0; x.share <= 1; x.share += 0.25)
		add(s, x);
}

static void add_latencies(struct asl_sweep *s, struct asl_sweep_point x,
			  int ranks)
{
	x.kind = ASL_SWEEP_LATENCY;
	x.bytes = 64;
	x.ranks = 1;
	x.share = x.duty = 0;
	add(s, x);
	x.ranks = ranks;
	for (x.share = 0; x.share <= 1; x.share += 0.5)
		for (x.duty = 0.25; x.duty <= 1; x.duty *= 4)
			add(s, x);
}

/* The store of the runs in full, others in coarse steps. */
static void add_store(struct asl_sweep *s, const char *store, int node,
		      int ranks, bool full)
{
	struct asl_sweep_point x = {.node = node};

	strncpy(x.store, store, sizeof x.store - 1);
	x.kind = ASL_SWEEP_READ;
	add_sizes(s, x, ranks, full ? 2 : 7);
	x.kind = ASL_SWEEP_WRITE;
	add_sizes(s, x, ranks, full ? 2 : 7);
	x.kind = ASL_SWEEP_FLUSH;
	if (!asl_store_can(store)->plain)
		add_sizes(s, x, ranks, full ? 2 : 7);
	add_mixtures(s, x, ranks);
	add_latencies(s, x, ranks);
}

static void list_points(struct asl_sweep *s,
			const struct asl_calibrate_want *want, int ranks)
{
	struct asl_sweep_point x = {.node = -1};

	s->count = 0;
	add_store(s, want->store,
		  asl_store_can(want->store)->needs_node ? want->memory_node
							 : -1,
		  ranks, true);
	if (strcmp(want->store, "dram") != 0)
		add_store(s, "dram", -1, ranks, false);
	for (int i = 0; s->nodes > 1 && i < s->nodes; i++)
		add_store(s, "node", i, ranks, false);
	x.kind = ASL_SWEEP_MESSAGE;
	x.ranks = 2;
	for (x.bytes = 8; x.bytes <= 4 << 20; x.bytes <<= x.bytes < 64 ? 3 : 2)
		add(s, x);
	x.kind = ASL_SWEEP_DGEMM;
	x.bytes = 0;
	for (x.ranks = 1;; x.ranks = double_up(x.ranks, ranks)) {
		add(s, x);
		if (x.ranks == ranks)
			return;
	}
}

/* ---- A sample of a point ---- */

/* The region that a rank measures on. */
struct area {
	struct asl_store_bench *bench;
	uint64_t random;
	bool chained;
};

static uint64_t roll(struct area *a)
{
	a->random ^= a->random << 13;
	a->random ^= a->random >> 7;
	a->random ^= a->random << 17;
	return a->random;
}

static void access_once(struct area *a, const struct asl_sweep_point *x,
			bool writes)
{
	struct asl_store_bench *s = a->bench;
	uint64_t words = x->bytes / sizeof(double);
	double *at = s->at + roll(a) % (s->words / words) * words;

	for (uint64_t done = 0; done < words; done += ASL_BENCH_TILE) {
		uint64_t part = asl_min(words - done, ASL_BENCH_TILE);

		if (!writes) {
			asl_store_read(s->store, s->tile, part, at + done, part,
				       1, part);
		} else if (x->kind == ASL_SWEEP_FLUSH) {
			memcpy(at + done, s->tile, part * sizeof(double));
			asl_store_settle(s->store, at + done, part);
		} else {
			asl_store_write(s->store, at + done, part, s->tile,
					part, 1, part);
		}
	}
}

static void rest(double seconds)
{
	double since = asl_now();

	while (asl_now() - since < seconds)
		;
}

/* GB/s of this rank in so many seconds. */
static double move(struct area *a, const struct asl_sweep_point *x,
		   double seconds)
{
	double since = asl_now(), now = since, before, bytes = 0;
	bool only = x->kind == ASL_SWEEP_WRITE || x->kind == ASL_SWEEP_FLUSH;
	double share = only ? 1 : x->share;

	do {
		before = now;
		for (uint64_t done = 0; done < BATCH_BYTES; done += x->bytes) {
			access_once(a, x,
				    (double)(roll(a) % 1000) < 1000 * share);
			bytes += (double)x->bytes;
			if (x->bytes >= 4096 && asl_now() - since > seconds)
				break;
		}
		if (x->duty > 0 && x->duty < 1)
			rest((asl_now() - before) * (1 / x->duty - 1));
		now = asl_now();
	} while (now - since < seconds);
	a->chained = false;
	return bytes / (now - since) * 1e-9;
}

/*
 * The line where the next one is stands in each line: a generator of full period
 * over a power of two of lines, so that it is made without random writes.
 */
static uint64_t chain(struct area *a)
{
	struct asl_store_bench *s = a->bench;
	uint64_t lines = 1;

	while (2 * lines * LINE <= s->words)
		lines *= 2;
	for (uint64_t i = 0; !a->chained && i < lines; i++) {
		uint64_t next =
			(i * UINT64_C(0x5851f42d4c957f2d) + 1) & (lines - 1);

		memcpy(s->at + i * LINE, &next, sizeof next);
	}
	a->chained = true;
	return lines;
}

/* Nanoseconds of one dependent access. */
static double chase(struct area *a, double seconds)
{
	enum { STEPS = 256 };
	static volatile uint64_t kept;
	uint64_t lines = chain(a), at = roll(a) % lines, steps = 0;
	double since = asl_now(), spent;

	do {
		for (int i = 0; i < STEPS; i++)
			memcpy(&at, a->bench->at + (at & (lines - 1)) * LINE,
			       sizeof at);
		steps += STEPS;
		spent = asl_now() - since;
	} while (spent < seconds);
	kept = at;
	(void)kept;
	return spent * 1e9 / (double)steps;
}

static double multiply(struct asl_flop_bench *p, double seconds)
{
	double since = asl_now(), sum = 0;
	int count = 0;

	do {
		sum += asl_flop_bench_run(p);
		count++;
	} while (asl_now() - since < seconds);
	return count / sum;
}

/* Microseconds; rank 0 says how many trips fit into the time. */
static int send(const struct asl_calibrate_bench *b, double *us, uint64_t bytes,
		double seconds)
{
	bool takes_part = b->rank == 0 || b->rank == b->ranks - 1;
	double ns = 0;
	int err = 0, trips = 1;

	if (takes_part)
		err = asl_net_bench_trips(b->messages, b->net, bytes, 2, &ns);
	if (ns > 0)
		trips = (int)(seconds * 1e9 / (2 * ns));
	trips = trips < 1 ? 1 : trips > 20000 ? 20000 : trips;
	if (!err)
		err = asl_net_share(b->net, &trips, sizeof trips);
	if (!err && takes_part)
		err = asl_net_bench_trips(b->messages, b->net, bytes, trips,
					  &ns);
	*us = ns / 1000;
	return err;
}

/* ---- A point ---- */

struct sweeping {
	struct asl_calibrate_bench *b;
	struct asl_sweep *s;
	struct area area;
	double *all;			 /* of all ranks */
	double end, point_end, sample_s; /* rank 0 knows all three */
};

static int sample(struct sweeping *g, const struct asl_sweep_point *x,
		  double *mine)
{
	bool busy = g->b->rank < x->ranks;
	struct asl_sweep_point load;

	*mine = 0;
	if (x->kind == ASL_SWEEP_MESSAGE)
		return send(g->b, mine, x->bytes, g->sample_s);
	if (!busy)
		return 0;
	if (x->kind == ASL_SWEEP_DGEMM) {
		*mine = multiply(g->b->flops, g->sample_s);
		return 0;
	}
	load = *x;
	if (x->kind == ASL_SWEEP_LATENCY)
		load.bytes = LOAD_BYTES;
	*mine = x->kind == ASL_SWEEP_LATENCY && g->b->rank == 0
			? chase(&g->area, g->sample_s)
			: move(&g->area, &load, g->sample_s);
	return asl_store_error(g->area.bench->store);
}

/* Rank 0: what all ranks say together; loads are summed up. */
static double together(const struct sweeping *g, struct asl_sweep_point *x)
{
	double sum = 0;

	for (int i = 0; i < g->b->ranks; i++)
		sum += g->all[i];
	if (x->kind == ASL_SWEEP_LATENCY)
		x->load += sum - g->all[0];
	return x->kind == ASL_SWEEP_LATENCY || x->kind == ASL_SWEEP_MESSAGE
		       ? g->all[0]
		       : sum;
}

/*
 * Rank 0 shares the time that is left among the points that are, and tells the
 * others; on a machine that is slow to meet, points have fewer samples.
 */
static int share_time(struct sweeping *g, int points)
{
	double left_s = g->end - asl_now();

	g->point_end = asl_now() + left_s / points;
	g->sample_s = left_s > 0 ? left_s / (points * SAMPLES) : 0;
	return asl_net_share(g->b->net, &g->sample_s, sizeof g->sample_s);
}

static int share_more(struct sweeping *g, int samples, bool *more)
{
	*more = samples < LEAST_SAMPLES ||
		(samples < SAMPLES && asl_now() < g->point_end);
	return asl_net_share(g->b->net, more, sizeof *more);
}

static int measure_point(struct sweeping *g, struct asl_sweep_point *x)
{
	double values[SAMPLES], mine;
	bool more = true;
	int err = 0, count = 0;

	if (x->kind == ASL_SWEEP_LATENCY && g->b->rank == 0)
		chain(&g->area);
	x->load = 0;
	while (!err && more) {
		err = asl_net_barrier(g->b->net);
		if (!err)
			err = sample(g, x, &mine);
		if (!err)
			err = asl_net_collect(g->b->net, g->all, &mine,
					      sizeof mine);
		if (!err && g->b->rank == 0)
			values[count] = together(g, x);
		if (!err)
			err = share_more(g, ++count, &more);
	}
	if (!err && g->b->rank == 0)
		x->value = asl_estimate(values, count);
	x->load /= count;
	return err;
}

/* ---- Stores ---- */

/* A region of the memory of one node, as large as that in DRAM. */
static int open_node(struct sweeping *g, struct asl_store **store,
		     struct asl_store_bench *bench, int node)
{
	struct asl_memory_node memory;
	struct asl_store_want want = {
		.name = "node",
		.dir = "",
		.run_id = "sweep",
		.rank = g->b->rank,
		.words = g->b->dram->words,
		.pieces = 1,
		.node = node,
		.bind = asl_memory_bind,
	};
	int err = asl_memory_node(&memory, node);

	want.kind = memory.kind;
	if (!err)
		err = asl_store_open(store, &want);
	if (!err)
		err = asl_store_bench_open(bench, *store, want.words);
	g->area.bench = bench;
	return err ? asl_fail(err, "no room on memory node %d", node) : 0;
}

static bool same_memory(const struct asl_sweep_point *x,
			const struct asl_sweep_point *y)
{
	return !strcmp(x->store, y->store) && x->node == y->node;
}

/* The points of one memory, from there on; how many. */
static int measure_memory(struct sweeping *g, int from, int *count)
{
	struct asl_sweep *s = g->s;
	struct asl_sweep_point *first = &s->point[from];
	const char *run = g->b->want->store;
	bool extra = *first->store && strcmp(first->store, run) != 0 &&
		     strcmp(first->store, "dram") != 0;
	struct asl_store *store = NULL;
	struct asl_store_bench bench = {0};
	int err = 0, who;

	g->area = (struct area){
		.bench = !strcmp(first->store, run) ? g->b->pool : g->b->dram,
		.random = 88172645463325252u + (uint64_t)g->b->rank};
	if (extra)
		err = asl_net_agree(g->b->net,
				    open_node(g, &store, &bench, first->node),
				    &who);
	for (*count = 0; !err && from + *count < s->count; ++*count) {
		struct asl_sweep_point *x = first + *count;
		int left = s->count - from - *count;

		if (!same_memory(x, first))
			break;
		if (*x->store)
			snprintf(x->medium, sizeof x->medium, "%s",
				 asl_store_medium(g->area.bench->store));
		if (g->b->rank == 0 && s->progress)
			s->progress(s->count - left, s->count,
				    fmax(0, g->end - asl_now()));
		err = share_time(g, left);
		if (!err)
			err = measure_point(g, x);
	}
	g->area.bench = NULL;
	asl_store_bench_close(&bench);
	asl_store_close(store);
	return err;
}

static int sweep(struct asl_calibrate_bench *b, void *arg)
{
	struct asl_sweep *s = arg;
	struct sweeping g = {.b = b,
			     .s = s,
			     .all = calloc((size_t)b->ranks, sizeof *g.all),
			     .end = asl_now() + s->seconds};
	int err = g.all ? 0 : -ENOMEM, count;

	list_points(s, b->want, b->ranks);
	for (int from = 0; !err && from < s->count; from += count)
		err = measure_memory(&g, from, &count);
	snprintf(s->provider, sizeof s->provider, "%s", b->provider);
	free(g.all);
	return err;
}

int asl_sweep_run(struct asl_sweep *out, const struct asl_calibrate_want *want)
{
	return asl_calibrate_ranks(want, sweep, out);
}
