/*
 * measure.c -- the cost of words, of flops and of messages, measured once
 */
#include "lib/calibrate/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clones.h"
#include "lib/base/estimate.h"
#include "lib/base/parts.h"
#include "lib/matrix/file.h"
#include "lib/rank/blas.h"
#include "lib/rank/rank.h"

/* ---- Words ---- */

int asl_store_bench_open(struct asl_store_bench *s, struct asl_store *store,
			 uint64_t words)
{
	uint64_t chunks = asl_ceil_div(words, ASL_BENCH_CHUNK);
	int err;

	*s = (struct asl_store_bench){
		.store = store,
		.words = chunks * ASL_BENCH_CHUNK,
		.tile = aligned_alloc(4096, ASL_BENCH_TILE * sizeof(double)),
		.times = calloc(chunks, sizeof(double)),
	};
	if (!s->tile || !s->times)
		return -ENOMEM;
	for (int i = 0; i < ASL_BENCH_TILE; i++)
		s->tile[i] = i;
	err = asl_store_take(store, &s->at, s->words);
	if (!err)
		asl_store_bench_write(s, s->words);
	return err;
}

void asl_store_bench_close(struct asl_store_bench *s)
{
	if (s->store)
		asl_store_give(s->store, s->at);
	free(s->tile);
	free(s->times);
	*s = (struct asl_store_bench){0};
}

static void read_tile(struct asl_store_bench *s, double *at)
{
	asl_store_read(s->store, s->tile, ASL_BENCH_TILE, at, ASL_BENCH_TILE, 1,
		       ASL_BENCH_TILE);
}

static void write_tile(struct asl_store_bench *s, double *at)
{
	asl_store_write(s->store, at, ASL_BENCH_TILE, s->tile, ASL_BENCH_TILE,
			1, ASL_BENCH_TILE);
}

static double pass(struct asl_store_bench *s, uint64_t words,
		   void (*move)(struct asl_store_bench *s, double *at))
{
	uint64_t chunks =
		asl_ceil_div(asl_min(words, s->words), ASL_BENCH_CHUNK);

	for (uint64_t i = 0; i < chunks; i++) {
		double *at = s->at + i * ASL_BENCH_CHUNK;
		double since = asl_now();

		for (int j = 0; j < ASL_BENCH_CHUNK; j += ASL_BENCH_TILE)
			move(s, at + j);
		s->times[i] = asl_now() - since;
	}
	return asl_median(s->times, (int)chunks) * 1e9 / ASL_BENCH_CHUNK;
}

double asl_store_bench_read(struct asl_store_bench *s, uint64_t words)
{
	return pass(s, words, read_tile);
}

double asl_store_bench_write(struct asl_store_bench *s, uint64_t words)
{
	return pass(s, words, write_tile);
}

/* ---- Flops ---- */

enum { N = ASL_FLOP_BENCH_SIDE };

static double *matrix(uint32_t which)
{
	struct asl_source source = {.seed = 1, .matrix = which};
	double *x = aligned_alloc(4096, sizeof(double[N][N]));

	for (uint64_t i = 0; x && i < N; i++)
		asl_source_read(&source, x + i * N, i, 0, N);
	return x;
}

int asl_flop_bench_open(struct asl_flop_bench *p)
{
	*p = (struct asl_flop_bench){matrix(0), matrix(1), matrix(2)};
	return p->a && p->b && p->c ? 0 : -ENOMEM;
}

void asl_flop_bench_close(struct asl_flop_bench *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
	*p = (struct asl_flop_bench){0};
}

double asl_flop_bench_run(struct asl_flop_bench *p)
{
	double since = asl_now();

	asl_gemm(N, N, N, p->a, N, p->b, N, 0, p->c, N);
	return (asl_now() - since) * 1e9 / (2.0 * N * N * N);
}

/* ---- Products ---- */

static const struct shape {
	int m, n, k;
} shapes[] = {
	{768, 768, 768}, {512, 512, 64}, {512, 64, 512}, {64, 512, 512},
	{512, 512, 16},	 {512, 16, 512}, {16, 512, 512}, {256, 256, 256},
	{128, 128, 128}, {64, 64, 64},	 {32, 32, 32},	 {1024, 64, 64},
	{64, 1024, 64},	 {64, 64, 1024},
};

/* Most of what people multiply is large: the first counts for several. */
enum { SHAPES = sizeof shapes / sizeof shapes[0], FIRST = 12 };

/* Flops of one sample, so that the clock's own time does not count. */
#define SAMPLE_FLOPS 2e7

/* One product after another, from one end of the matrices to the other. */
static double product_ns(const struct asl_flop_bench *p, const struct shape *x)
{
	int a = x->m * x->k, b = x->k * x->n, c = x->m * x->n, all = N * N;
	int times = (int)(SAMPLE_FLOPS / (2.0 * x->m * x->n * x->k)) + 1;
	double since = asl_now();

	for (int i = 0; i < times; i++)
		asl_gemm((uint64_t)x->m, (uint64_t)x->n, (uint64_t)x->k,
			 p->a + i % (all / a) * a, (uint64_t)x->k,
			 p->b + i % (all / b) * b, (uint64_t)x->n, 1,
			 p->c + i % (all / c) * c, (uint64_t)x->n);
	return (asl_now() - since) * 1e9 / times;
}

/* The share of column j that the other columns leave of all y. */
static void fit_term(double *c, int terms, const double *x, const double *y,
		     int count, int j)
{
	double above = 0, below = 0;

	for (int i = 0; i < count; i++) {
		const double *row = x + i * terms;
		double rest = y[i];

		for (int l = 0; l < terms; l++)
			rest -= l == j ? 0 : c[l] * row[l];
		above += row[j] * rest / (y[i] * y[i]);
		below += row[j] * row[j] / (y[i] * y[i]);
	}
	c[j] = below > 0 ? fmax(0, above / below) : 0;
}

/* One term after another, which ends at the minimum: the sum is convex. */
void asl_fit_terms(double *c, int terms, const double *x, const double *y,
		   int count)
{
	memset(c, 0, (size_t)terms * sizeof *c);
	for (int turn = 0; turn < 2000; turn++)
		for (int j = 0; j < terms; j++)
			fit_term(c, terms, x, y, count, j);
}

void asl_product_bench_run(const struct asl_flop_bench *p,
			   double ns[ASL_PRODUCT_TERMS])
{
	double x[FIRST + SHAPES][ASL_PRODUCT_TERMS], y[FIRST + SHAPES];

	for (int i = SHAPES - 1; i >= 0; i--) {
		double m = shapes[i].m, n = shapes[i].n, k = shapes[i].k;

		memcpy(x[i],
		       (double[ASL_PRODUCT_TERMS]){2 * m * n * k, 1, m * k,
						   k * n, m * n},
		       sizeof x[i]);
		y[i] = product_ns(p, &shapes[i]);
	}
	for (int i = SHAPES; i < SHAPES + FIRST; i++) {
		memcpy(x[i], x[0], sizeof x[i]);
		y[i] = y[0];
	}
	asl_fit_terms(ns, ASL_PRODUCT_TERMS, *x, y, SHAPES + FIRST);
}

/* ---- Vectors ---- */

/* A few rows fit into the first cache beside both vectors. */
enum { ROW = 512, ROWS = 4, TURNS = 512 };

enum { SUMS = 16 }; /* at a time, for the processor's vectors */

/* As a tensor's row does: every word for two sums. */
ASL_CLONES
static double stream(const double *at, const double *x, double *y,
		     uint64_t words)
{
	double sum[SUMS] = {0};

	for (uint64_t i = 0; i + ROW <= words; i += ROW)
		for (int j = 0; j < ROW; j += SUMS)
			for (int l = j; l < j + SUMS; l++) {
				y[l] += at[i + (uint64_t)l] * x[i / ROW % ROW];
				sum[l - j] += at[i + (uint64_t)l] * x[l];
			}
	return sum[0];
}

ASL_CLONES
static void add(double *to, const double *from, uint64_t words)
{
	for (uint64_t i = 0; i < words; i++)
		to[i] += from[i];
}

void asl_vector_bench_run(const struct asl_store_bench *s,
			  double ns[ASL_VECTOR_KINDS])
{
	static volatile double kept;
	double *x = s->tile, *y = x + ROW, *rows = y + ROW, since[4];
	uint64_t half = s->words / 2;

	since[0] = asl_now();
	for (int i = 0; i < TURNS; i++)
		kept = stream(rows, x, y, ROWS * ROW);
	since[1] = asl_now();
	kept = stream(s->at, x, y, s->words);
	since[2] = asl_now();
	add(s->at, s->at + half, half);
	since[3] = asl_now();
	(void)kept;
	/* Four flops a word. */
	ns[0] = 1e9 * (since[1] - since[0]) / (4.0 * ROW * ROWS * TURNS);
	ns[1] = 1e9 * (since[2] - since[1]) / (double)s->words;
	ns[2] = 1e9 * (since[3] - since[2]) / (double)half;
}

/* ---- Messages ---- */

/*
 * The median of several times counts for each size.  A time is that of several
 * messages where these are short and fast; ranks that take turns on a core need
 * milliseconds for each.
 */
enum { TIMES = 9, MOST_TRIPS = 32, MOST_WORDS = 1 << 19 };
#define FAST_S 1e-4

/* Short and long ones: in between providers change their protocol. */
static const int sizes[ASL_NET_BENCH_SIZES] = {
	1,	 2,	  4,	   8,	    16,	     32,      64,
	1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 3 << 17, MOST_WORDS,
};

int asl_net_bench_open(struct asl_net_bench *s, int peer, bool first)
{
	size_t bytes = sizeof(double[MOST_WORDS]);

	*s = (struct asl_net_bench){
		.peer = peer,
		.first = first,
		.out = aligned_alloc(4096, bytes),
		.in = aligned_alloc(4096, bytes),
	};
	if (!s->out || !s->in)
		return -ENOMEM;
	memset(s->out, 1, bytes);
	memset(s->in, 2, bytes);
	for (int i = 0; i < ASL_NET_BENCH_SIZES; i++)
		s->words[i] = sizes[i];
	return 0;
}

void asl_net_bench_close(struct asl_net_bench *s)
{
	free(s->out);
	free(s->in);
	*s = (struct asl_net_bench){0};
}

/* A receive is posted before the other rank can send. */
static int play(struct asl_net_bench *s, struct asl_net *net, size_t bytes,
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
			err = asl_net_step(net, &out);
		if (!err)
			err = asl_net_wait(net, &in);
		if (!err && i + 1 < trips)
			err = asl_net_start(net, &in);
		if (!err && !s->first)
			err = asl_net_step(net, &out);
	}
	return err;
}

/* The first rank knows how fast messages are, and tells the other. */
static int share_speed(struct asl_net_bench *s, struct asl_net *net, bool *fast)
{
	double since = asl_now();
	int err = play(s, net, sizeof(double), 2);
	double trip_s = asl_now() - since;
	struct asl_net_op op = {
		.to = s->first ? s->peer : ASL_NET_NONE,
		.from = s->first ? ASL_NET_NONE : s->peer,
		.out = &trip_s,
		.in = &trip_s,
		.out_bytes = s->first ? sizeof trip_s : 0,
		.in_bytes = s->first ? 0 : sizeof trip_s,
	};

	if (!err)
		err = asl_net_step(net, &op);
	*fast = trip_s < 4 * FAST_S;
	return err;
}

int asl_net_bench_run(struct asl_net_bench *s, struct asl_net *net)
{
	double times[TIMES];
	bool fast = true;
	int err = share_speed(s, net, &fast);

	for (int i = 0; !err && i < ASL_NET_BENCH_SIZES; i++) {
		bool brief = sizes[i] * MOST_TRIPS <= 1 << 14;
		int trips = fast && brief ? MOST_TRIPS : 1;

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

static int step(struct asl_net_bench *s, struct asl_net *net, size_t bytes)
{
	int rank = asl_net_rank(net), size = asl_net_size(net);
	struct asl_net_op op = {
		.to = (rank + 1) % size,
		.from = (rank + size - 1) % size,
		.out = s->out,
		.in = s->in,
		.out_bytes = bytes,
		.in_bytes = bytes,
	};

	return asl_net_step(net, &op);
}

int asl_step_bench_run(struct asl_net_bench *s, struct asl_net *net)
{
	double times[TIMES];
	int err = 0;

	for (int i = 0; !err && i < ASL_NET_BENCH_SIZES; i++) {
		int trips = sizes[i] * MOST_TRIPS <= 1 << 14 ? MOST_TRIPS : 2;
		size_t bytes = (size_t)sizes[i] * sizeof(double);

		for (int j = 0; !err && j < TIMES; j++) {
			double since = asl_now();

			for (int l = 0; !err && l < trips; l++)
				err = step(s, net, bytes);
			times[j] = (asl_now() - since) / trips;
		}
		s->ns[i] = 1e9 * asl_median(times, TIMES);
	}
	return err;
}

/*
 * Minimize the squares of (alpha + beta x - y) / y: weighted by 1 / y^2.  A
 * negative cost is replaced by the best line without it.
 */
struct asl_fit asl_fit_line(const double *x, const double *y, int count)
{
	double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, slope;
	struct asl_fit line = {0};

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
		line = (struct asl_fit){.beta = wxy / wxx};
	if (line.beta < 0)
		line = (struct asl_fit){.alpha = wy / w};
	for (int i = 0; i < count; i++)
		line.worst =
			fmax(line.worst,
			     fabs(line.alpha + line.beta * x[i] - y[i]) / y[i]);
	return line;
}
