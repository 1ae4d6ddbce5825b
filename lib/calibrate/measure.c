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
#include "lib/rank/row.h"

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

/* ---- Rows on a disk ---- */

enum { ROW_GAP = 3 * 1024 + 5, MOST_ROWS = 64, BLOCKS = 5 };

/* 64 words to 512 KiB are rows of a block; a megaword is one of its own. */
uint64_t asl_disk_bench_size(int size)
{
	static const uint64_t words[ASL_ROW_SIZES] = {64,    512,     4096,
						      32768, 1 << 18, 1 << 20};

	return words[size];
}

/* Rows of a block; with a gap of less than 8 KiB all is transferred at once. */
struct disk_rows {
	uint64_t count, words, ld;
};

static struct disk_rows rows_of(const struct asl_store_bench *s, uint64_t words,
				enum asl_disk_kind kind)
{
	uint64_t most = asl_min(words, s->words) - 5, all = ASL_NEAR_WORDS;
	struct disk_rows x = {1, asl_disk_bench_size(0), ASL_NEAR_LD};

	all = asl_min(all, most);
	if (kind == ASL_DISK_NEAR)
		x.count = all / x.ld;
	else if (kind != ASL_DISK_BEGIN) {
		x.words = asl_disk_bench_size((int)kind - ASL_DISK_ROW);
		x.count = asl_min(all / x.words, MOST_ROWS);
		x.ld = x.words + ROW_GAP;
	}
	x.count = asl_max(1, x.count);
	return x;
}

/* The median of blocks of such rows, from here and there. */
static double block_ns(struct asl_store_bench *s, uint64_t words, bool writes,
		       const struct disk_rows *x, double *memory)
{
	uint64_t span = (x->count - 1) * x->ld + x->words + 5;
	uint64_t beyond = asl_min(words, s->words) - span;
	double time[BLOCKS];

	for (int i = 0; i < BLOCKS; i++) {
		double *at = s->at + beyond / BLOCKS * (uint64_t)i + 5;
		double since = asl_now();

		if (writes)
			asl_store_write(s->store, at, x->ld, memory, x->words,
					x->count, x->words);
		else
			asl_store_read(s->store, memory, x->words, at, x->ld,
				       x->count, x->words);
		time[i] = asl_now() - since;
	}
	return 1e9 * asl_median(time, BLOCKS);
}

/*
 * From the times of blocks: the shortest row's is what more of them take; the rest of
 * one alone is its beginning, which all blocks have.
 */
static void split_blocks(double ns[ASL_DISK_KINDS / 2],
			 const struct disk_rows x[ASL_DISK_KINDS / 2])
{
	double one = ns[ASL_DISK_BEGIN], all = ns[ASL_DISK_ROW];
	double more = (double)x[ASL_DISK_ROW].count - 1;
	double row = fmax(all - one, all / 8) / fmax(1, more);
	double begin = fmax(one - row, one / 8);

	ns[ASL_DISK_BEGIN] = begin;
	for (int i = ASL_DISK_ROW; i < ASL_DISK_NEAR; i++)
		ns[i] = fmax(ns[i] - begin, ns[i] / 8) / (double)x[i].count;
	ns[ASL_DISK_ROW] = row;
}

int asl_disk_bench_run(struct asl_store_bench *s, struct asl_net *net,
		       uint64_t words, double ns[ASL_DISK_KINDS])
{
	enum { KINDS = ASL_DISK_KINDS / 2 };
	double *memory =
		calloc(asl_disk_bench_size(ASL_ROW_SIZES - 1), sizeof *memory);
	int err = memory ? 0 : -ENOMEM;
	struct disk_rows x[KINDS];

	for (int i = 0; !err && i < ASL_DISK_KINDS; i++) {
		int kind = i % KINDS;

		x[kind] = rows_of(s, words, (enum asl_disk_kind)kind);
		err = net ? asl_net_barrier(net) : 0;
		if (!err)
			ns[i] = block_ns(s, words, i >= KINDS, &x[kind],
					 memory);
		if (!err && kind + 1 == KINDS)
			split_blocks(ns + i - kind, x);
	}
	free(memory);
	return err;
}

/* ---- Flops ---- */

/* Matrices are larger than a core's own cache. */
enum { N = ASL_FLOP_BENCH_SIDE, ROWS_OF_N = 4 * N, MOST_CUT = 16 };

static int take_matrix(double **x, struct asl_store *store, uint32_t which)
{
	struct asl_source source = {.seed = 1, .matrix = which};
	int err = asl_store_take(store, x, ROWS_OF_N * N);

	for (uint64_t i = 0; !err && i < ROWS_OF_N; i++)
		asl_source_read(&source, *x + i * N, i, 0, N);
	return err;
}

int asl_flop_bench_open(struct asl_flop_bench *p, struct asl_store *store)
{
	int err;

	*p = (struct asl_flop_bench){.store = store, .cut = 1};
	err = take_matrix(&p->a, store, 0);
	if (!err)
		err = take_matrix(&p->b, store, 1);
	if (!err)
		err = take_matrix(&p->c, store, 2);
	return err;
}

void asl_flop_bench_close(struct asl_flop_bench *p)
{
	if (p->store) {
		asl_store_give(p->store, p->a);
		asl_store_give(p->store, p->b);
		asl_store_give(p->store, p->c);
	}
	*p = (struct asl_flop_bench){0};
}

static double cube_s(const struct asl_flop_bench *p, uint64_t n)
{
	double since = asl_now();

	asl_gemm(ASL_FLOAT64, n, n, n, p->a, N, p->b, N, 0, p->c, N);
	return asl_now() - since;
}

/* A small product tells, the second time: an emulated processor takes minutes. */
void asl_flop_bench_limit(struct asl_flop_bench *p, double seconds)
{
	enum { SMALL = N / MOST_CUT };
	double s = cube_s(p, SMALL);

	s = fmin(s, cube_s(p, SMALL)) * MOST_CUT * MOST_CUT * MOST_CUT;
	for (p->cut = 1; p->cut < MOST_CUT && s > seconds; p->cut *= 2)
		s /= 8;
}

double asl_flop_bench_run(struct asl_flop_bench *p)
{
	uint64_t n = (uint64_t)(N / p->cut);

	return cube_s(p, n) * 1e9 / (2.0 * (double)(n * n * n));
}

/* ---- Products ---- */

struct shape {
	int m, n, k;
};

enum { SHAPES = 64 };

/* Flops of the smallest product, and of the largest. */
#define LEAST_FLOPS 1e6
#define MOST_FLOPS 5e8

/* With more it hardly tells whether zeros were written first. */
#define FEW_FLOPS 2e8

/* A side from 32 to 32 times 2^most, evenly in its logarithm. */
static int side_at(double u, double most)
{
	return (int)(32 * exp2(most * (u - floor(u))));
}

static double flops_of(const struct shape *x)
{
	return 2.0 * x->m * x->n * x->k;
}

static bool fits(const struct shape *x)
{
	double m = x->m, n = x->n, k = x->k, flops = flops_of(x);
	double most = fmax(m * n, fmax(m * k, n * k));

	return most <= (double)ROWS_OF_N * N && flops >= LEAST_FLOPS &&
	       flops <= MOST_FLOPS;
}

/*
 * Shapes of all kinds, as people multiply them: skinny and fat ones, few of whose sides
 * are multiples of anything.  Points of a sequence that fills a cube evenly.
 */
static void draw_shapes(struct shape shape[SHAPES])
{
	const double g = 1.2207440846057596; /* g^4 = g + 1 */
	int count = 0;

	for (int i = 1; count < SHAPES; i++) {
		struct shape x = {side_at(i / g, 9), side_at(i / g / g, 7),
				  side_at(i / g / g / g, 7)};

		if (fits(&x))
			shape[count++] = x;
	}
}

static struct shape cut_shape(const struct shape *x, int by)
{
	return (struct shape){x->m > by ? x->m / by : 1,
			      x->n > by ? x->n / by : 1,
			      x->k > by ? x->k / by : 1};
}

/* Flops of one sample, so that the clock's own time does not count. */
#define SAMPLE_FLOPS 2e7

/* One product after another, from one end of the matrices to the other. */
static double product_ns(const struct asl_flop_bench *p, const struct shape *x,
			 bool adds)
{
	double flops = SAMPLE_FLOPS / p->cut / p->cut / p->cut;
	uint64_t m = (uint64_t)x->m, n = (uint64_t)x->n, k = (uint64_t)x->k;
	int a = x->m * x->k, b = x->k * x->n, c = x->m * x->n,
	    all = ROWS_OF_N * N;
	int times = (int)(flops / flops_of(x)) + 1;
	double since = asl_now();

	for (int i = 0; i < times; i++) {
		const double *at = p->a + i % (all / a) * a;
		const double *bt = p->b + i % (all / b) * b;
		double *ct = p->c + i % (all / c) * c;

		if (adds)
			asl_gemm(ASL_FLOAT64, m, n, k, at, k, bt, n, 1, ct, n);
		else
			asl_gemm_in_memory(ASL_FLOAT64, m, n, k, at, k, bt, n,
					   ct, n);
	}
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
	double x[2 * SHAPES][ASL_PRODUCT_TERMS], y[2 * SHAPES];
	struct shape shape[SHAPES];
	int count = 0;

	draw_shapes(shape);
	for (int i = 0; i < SHAPES; i++) {
		struct shape cut = cut_shape(&shape[i], p->cut);

		for (int adds = flops_of(&shape[i]) > FEW_FLOPS; adds < 2;
		     adds++) {
			asl_product_terms(x[count], (uint64_t)cut.m,
					  (uint64_t)cut.n, (uint64_t)cut.k,
					  adds);
			y[count++] = product_ns(p, &cut, adds);
		}
	}
	asl_fit_terms(ns, ASL_PRODUCT_TERMS, *x, y, count);
}

/* ---- Vectors ---- */

/*
 * Rows of a tensor, of all lengths up to ROW.  A few fit into the first cache beside
 * both vectors.  None of these lies a whole page from another: words at equal places of
 * their pages would wait for each other.
 */
enum { ROW = 768, CACHED = 1536, TURNS = 512, APART = 72 };

/* Words in rows of 1, 2, ... words, and again. */
static double stream(const double *at, const double *x, double *y,
		     uint64_t words)
{
	double sum = 0;
	uint64_t n;

	for (uint64_t i = 0, row = 0; i < words; i += n, row++) {
		n = asl_min(row % ROW + 1, words - i);
		sum += asl_row_update(at + i, x[row % ROW], y, x, n);
	}
	return sum;
}

/* So many rows times a vector, and a vector times as many. */
static void multiply_vectors(const double *at, const double *x, double *y,
			     uint64_t rows)
{
	for (uint64_t i = 0; i < rows; i += ROW) {
		uint64_t n = asl_min(ROW, rows - i);

		asl_gemm(ASL_FLOAT64, n, 1, ROW, at + i * ROW, ROW, x, 1, 1, y,
			 1);
		asl_gemm(ASL_FLOAT64, 1, ROW, n, x, n, at + (rows + i) * ROW,
			 ROW, 1, y, ROW);
	}
}

ASL_CLONES
static void add(double *to, const double *from, uint64_t words)
{
	for (uint64_t i = 0; i < words; i++)
		to[i] += from[i];
}

/* Words of a region that pass in so many seconds, at so many of one word. */
static uint64_t words_in(double seconds, double word_s, uint64_t words)
{
	double most = fmax(seconds / word_s, ROW);

	return most < (double)words ? (uint64_t)most : words;
}

void asl_vector_bench_run(const struct asl_store_bench *s, double seconds,
			  double ns[ASL_VECTOR_KINDS])
{
	static volatile double kept;
	double *x = s->tile + APART, *y = x + ROW + APART;
	double *rows = y + ROW + APART, since, spent = 0;
	uint64_t half = s->words / 2, words;
	int turns = 0;

	since = asl_now();
	for (; turns < TURNS && spent < seconds; turns++) {
		kept = stream(rows, x, y, CACHED);
		spent = asl_now() - since;
	}
	/* Four flops a word; a word from memory takes no less than this. */
	ns[0] = 1e9 * spent / (4.0 * CACHED * turns);
	words = words_in(seconds, 4e-9 * ns[0], s->words);
	since = asl_now();
	kept = stream(s->at, x, y, words);
	ns[1] = 1e9 * (asl_now() - since) / (double)words;
	words = words_in(seconds, 1e-9 * ns[1], half);
	since = asl_now();
	add(s->at, s->at + half, words);
	ns[2] = 1e9 * (asl_now() - since) / (double)words;
	words = asl_max(words_in(seconds, 1e-9 * ns[1], s->words) / ROW / 2, 1);
	since = asl_now();
	multiply_vectors(s->at, x, y, words);
	ns[3] = 1e9 * (asl_now() - since) / (2.0 * ROW * (double)words);
	(void)kept;
}

/* ---- Messages ---- */

/*
 * The median of several times counts for each size.  A time is that of several
 * messages where these are short.  There are fewer of all where messages are slow, as
 * between ranks that take turns on a core, or on an emulated processor.
 */
enum { TIMES = 9, MOST_TRIPS = 32, MOST_WORDS = 1 << 19 };

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

/* What a message of one word takes, one way, and one of most words. */
struct pace {
	double brief_s, long_s;
};

struct count {
	int times, trips;
};

/* `trips` of long messages; in so many seconds for all sizes, if possible. */
static struct count count_of(const struct pace *p, int size, int trips,
			     double seconds)
{
	double word_s = fmax(0, p->long_s - p->brief_s) / MOST_WORDS, all = 0;
	int most = 1;

	for (int i = 0; i < ASL_NET_BENCH_SIZES; i++) {
		bool brief = sizes[i] * MOST_TRIPS <= 1 << 14;
		int n = TIMES * (brief ? MOST_TRIPS : trips);

		all += n * (p->brief_s + word_s * sizes[i]);
		most = i == size ? n : most;
	}
	most = (int)(most * fmin(1, seconds / all));
	return (struct count){most < 1	     ? 1
			      : most < TIMES ? most
					     : TIMES,
			      most < TIMES ? 1 : most / TIMES};
}

/* The first rank knows how fast messages are, and tells the other. */
static int share_pace(struct asl_net_bench *s, struct asl_net *net,
		      struct pace *p)
{
	double since = asl_now(), then;
	int err = play(s, net, sizeof(double), 2);
	struct asl_net_op op = {
		.to = s->first ? s->peer : ASL_NET_NONE,
		.from = s->first ? ASL_NET_NONE : s->peer,
		.out = p,
		.in = p,
		.out_bytes = s->first ? sizeof *p : 0,
		.in_bytes = s->first ? 0 : sizeof *p,
	};

	then = asl_now();
	p->brief_s = (then - since) / 4;
	if (!err)
		err = play(s, net, sizeof(double[MOST_WORDS]), 1);
	p->long_s = (asl_now() - then) / 2;
	return err ? err : asl_net_step(net, &op);
}

int asl_net_bench_trips(struct asl_net_bench *s, struct asl_net *net,
			size_t bytes, int trips, double *ns)
{
	double since = asl_now();
	int err = play(s, net, bytes, trips);

	*ns = 1e9 * (asl_now() - since) / (2.0 * trips);
	return err;
}

int asl_net_bench_run(struct asl_net_bench *s, struct asl_net *net,
		      double seconds)
{
	struct pace pace = {0, 0};
	double times[TIMES];
	int err = share_pace(s, net, &pace);

	for (int i = 0; !err && i < ASL_NET_BENCH_SIZES; i++) {
		struct count n = count_of(&pace, i, 1, seconds / 2);

		for (int j = 0; !err && j < n.times; j++) {
			double since = asl_now();

			err = play(s, net, (size_t)sizes[i] * sizeof(double),
				   n.trips);
			times[j] = (asl_now() - since) / (2.0 * n.trips);
		}
		s->ns[i] = 1e9 * asl_median(times, n.times);
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

/* Rank 0's pace is that of all. */
static int share_step_pace(struct asl_net_bench *s, struct asl_net *net,
			   struct pace *p)
{
	double since = asl_now(), then;
	int err = step(s, net, sizeof(double));

	then = asl_now();
	if (!err)
		err = step(s, net, sizeof(double[MOST_WORDS]));
	*p = (struct pace){then - since, asl_now() - then};
	return err ? err : asl_net_share(net, p, sizeof *p);
}

int asl_step_bench_run(struct asl_net_bench *s, struct asl_net *net,
		       double seconds)
{
	struct pace pace = {0, 0};
	double times[TIMES];
	int err = share_step_pace(s, net, &pace);

	for (int i = 0; !err && i < ASL_NET_BENCH_SIZES; i++) {
		struct count n = count_of(&pace, i, 2, seconds);
		size_t bytes = (size_t)sizes[i] * sizeof(double);

		for (int j = 0; !err && j < n.times; j++) {
			double since = asl_now();

			for (int l = 0; !err && l < n.trips; l++)
				err = step(s, net, bytes);
			times[j] = (asl_now() - since) / n.trips;
		}
		s->ns[i] = 1e9 * asl_median(times, n.times);
	}
	return err;
}

/* Messages of vectors among ranks that share cores have a few words. */
enum { FLIGHT = 32, FLIGHT_WORDS = 8 };

/* Steps with one rank after another, which all go out before they come in. */
static int flight(struct asl_net_bench *s, struct asl_net *net, size_t bytes)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0;
	struct asl_net_op op[FLIGHT];

	for (int i = 0; !err && i < FLIGHT; i++) {
		int away = 1 + i % (size - 1);
		struct asl_net_op out = {
			.to = (rank + away) % size,
			.from = ASL_NET_NONE,
			.out = s->out,
			.out_bytes = bytes,
		};

		op[i] = (struct asl_net_op){
			.to = ASL_NET_NONE,
			.from = (rank + size - away) % size,
			.in = (char *)s->in + (size_t)i * bytes,
			.in_bytes = bytes,
		};
		err = asl_net_start(net, &op[i]);
		if (!err)
			err = asl_net_step(net, &out);
	}
	for (int i = 0; !err && i < FLIGHT; i++)
		err = asl_net_wait_of(net, &op[i], FLIGHT - i);
	return err;
}

/* Half a millisecond of work, in squares of a side that fits the processor. */
#define WORK_S 5e-4

enum { LEAST_SIDE = 16, PROBE_SIDE = 64, MOST_SIDE = 256 };

static void square(const struct asl_flop_bench *p, uint64_t side)
{
	asl_gemm(ASL_FLOAT64, side, side, side, p->a, side, p->b, side, 1, p->c,
		 side);
}

static uint64_t side_of_work(const struct asl_flop_bench *p)
{
	double least = INFINITY;

	for (int i = 0; i < TIMES; i++) {
		double since = asl_now();

		square(p, PROBE_SIDE);
		least = fmin(least, asl_now() - since);
	}
	return (uint64_t)fmin(
		MOST_SIDE, fmax(LEAST_SIDE, PROBE_SIDE * cbrt(WORK_S / least)));
}

/* Steps of so many bytes. */
typedef int talk(struct asl_net_bench *s, struct asl_net *net, size_t bytes);

/* A few squares unless the side is 0, each with steps after it unless `talks` is NULL. */
static int work(double *s_each, struct asl_net_bench *s, struct asl_net *net,
		const struct asl_flop_bench *p, uint64_t side, int turns,
		talk *talks, size_t bytes)
{
	int err = asl_net_barrier(net);
	double since = asl_now();

	for (int i = 0; !err && i < turns; i++) {
		if (side)
			square(p, side);
		if (talks)
			err = talks(s, net, bytes);
	}
	if (!err)
		err = asl_net_barrier(net);
	*s_each = (asl_now() - since) / turns;
	return err;
}

#define LEAST_STEP_NS 100

/*
 * The time of a step that follows another at once, and of each step of a flight that
 * ranks begin at different times.
 */
static int take_turns(struct asl_crowd_ns *ns, struct asl_net_bench *s,
		      struct asl_net *net, const struct asl_flop_bench *p,
		      uint64_t side)
{
	enum { STEPS = 200, FLIGHTS = 10 };
	double row, with, without;
	int err = work(&row, s, net, NULL, 0, STEPS, step, sizeof(double));

	if (!err)
		err = work(&without, s, net, p, side, FLIGHTS, NULL, 0);
	/* The first ones take longer, and those of a run are many. */
	for (int i = 0; !err && i < 2; i++)
		err = work(&with, s, net, p, side, FLIGHTS, flight,
			   sizeof(double[FLIGHT_WORDS]));
	if (err)
		return err;
	ns->row = 1e9 * row;
	ns->message = fmax(LEAST_STEP_NS, 1e9 * (with - without) / FLIGHT);
	return 0;
}

int asl_crowd_bench_run(struct asl_net_bench *s, struct asl_net *net,
			const struct asl_flop_bench *p, double seconds,
			struct asl_crowd_ns *ns)
{
	enum { MOST_TURNS = 4 };
	uint64_t side = side_of_work(p);
	struct pace pace = {0, 0};
	int err = share_step_pace(s, net, &pace), turns;

	turns = (int)(seconds / (ASL_NET_BENCH_SIZES * pace.long_s));
	turns = turns < 1 ? 1 : turns > MOST_TURNS ? MOST_TURNS : turns;
	if (!err)
		err = take_turns(ns, s, net, p, side);
	for (int i = 0; !err && i < ASL_NET_BENCH_SIZES; i++) {
		double with = 0, without = 0;

		err = work(&without, s, net, p, side, turns, NULL, 0);
		if (!err)
			err = work(&with, s, net, p, side, turns, step,
				   (size_t)sizes[i] * sizeof(double));
		s->ns[i] = fmax(LEAST_STEP_NS, 1e9 * (with - without));
	}
	return err;
}

/* Neighbours in the wrong order become their mean, and all that this leaves so. */
void asl_fit_rising(double *y, int count)
{
	for (int i = 0; i < count; i++) {
		int first = i, many = 1;
		double sum = y[i];

		while (first > 0 && y[first - 1] * many > sum) {
			sum += y[--first];
			many++;
		}
		for (int j = first; j <= i; j++)
			y[j] = sum / many;
	}
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
