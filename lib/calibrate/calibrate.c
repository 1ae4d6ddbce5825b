/*
 * calibrate.c -- measure what words, messages and flops cost on this machine
 *
 * The kinds of a subject (reads and writes, of pool and DRAM) take turns in every
 * round, and all subjects are gone through in several sweeps, so that whatever
 * the machine does meanwhile befalls all of them.  Rank 0 decides when there have
 * been rounds enough.
 */
#include "lib/calibrate/calibrate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/calibrate/measure.h"
#include "lib/machine/machine.h"
#include "lib/matrix/source.h"
#include "lib/rank/blas.h"
#include "lib/rank/rank.h"
#include "nvm/store.h"

/*
 * What one rank measures with, for the files of this folder
 */

struct asl_bench {
	const struct asl_calibrate_want *want;
	struct asl_net *net;
	int rank, ranks;
	struct asl_store *pool, *dram;
	struct asl_stream pool_stream, dram_stream;
	struct asl_product product;
	struct asl_sweep sweep;
	uint64_t words_all, words_alone;
	const char *dir;
};

/*
 * What is measured, by whom, and for how long
 */

enum { ASL_KINDS = 4, ASL_SUBJECTS = 5 };

/* Rank 0; all; rank 0 and the last, of which the first has the result. */
enum asl_who { ASL_ONE, ASL_ALL, ASL_PAIR };

struct asl_subject {
	const char *what;
	enum asl_who who;
	enum asl_quantity first; /* of so many kinds */
	int kinds;
	double share; /* of the time that all takes */
	/* One sample of each kind, from passes over so many words. */
	int (*measure)(struct asl_bench *b, double ns[ASL_KINDS],
		       uint64_t words);
};

/* In the order in which they are measured; ended by one without a name. */
extern const struct asl_subject asl_subjects[ASL_SUBJECTS + 1];

/*
 * What a flop costs in a multiplication by the BLAS, on one core
 */

enum { N = ASL_PRODUCT_SIDE };

static double *matrix(uint32_t which)
{
	struct asl_source source = {.seed = 1, .matrix = which};
	double *x = aligned_alloc(4096, sizeof(double[N][N]));

	for (uint64_t i = 0; x && i < N; i++)
		asl_source_read(&source, x + i * N, i, 0, N);
	return x;
}

int asl_product_open(struct asl_product *p)
{
	*p = (struct asl_product){matrix(0), matrix(1), matrix(2)};
	return p->a && p->b && p->c ? 0 : -ENOMEM;
}

void asl_product_close(struct asl_product *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
	*p = (struct asl_product){0};
}

double asl_product_time(struct asl_product *p)
{
	double since = asl_now();

	asl_gemm(N, N, N, p->a, N, p->b, N, 0, p->c, N);
	return (asl_now() - since) * 1e9 / (2.0 * N * N * N);
}

/*
 * What is measured, by whom, and for how long
 */

static int memory(struct asl_bench *b, double ns[ASL_KINDS], uint64_t words)
{
	ns[0] = asl_stream_read(&b->pool_stream, words);
	ns[1] = asl_stream_write(&b->pool_stream, words);
	ns[2] = asl_stream_read(&b->dram_stream, words);
	ns[3] = asl_stream_write(&b->dram_stream, words);
	return asl_store_error(b->pool);
}

static int flops(struct asl_bench *b, double ns[ASL_KINDS], uint64_t words)
{
	(void)words;
	ns[0] = asl_product_time(&b->product);
	return 0;
}

static int network(struct asl_bench *b, double ns[ASL_KINDS], uint64_t words)
{
	int err = asl_sweep_run(&b->sweep, b->net);
	struct asl_line line;

	(void)words;
	if (err)
		return err;
	line = asl_line_fit(b->sweep.words, b->sweep.ns, ASL_SWEEP_SIZES);
	ns[0] = line.alpha;
	ns[1] = line.beta;
	ns[2] = line.worst;
	return 0;
}

const struct asl_subject asl_subjects[ASL_SUBJECTS + 1] = {
	{"memory, one rank", ASL_ONE, ASL_READ_NS, 4, 0.25, memory},
	{"memory, all ranks", ASL_ALL, ASL_READ_NS, 4, 0.3, memory},
	{"flops, one rank", ASL_ONE, ASL_FLOP_NS, 1, 0.1, flops},
	{"flops, all ranks", ASL_ALL, ASL_FLOP_NS, 1, 0.1, flops},
	{"messages, two ranks", ASL_PAIR, ASL_LATENCY_NS, 3, 0.25, network},
	{0},
};

/*
 * What one rank measures with: regions of stores, matrices, messages
 *
 * A region is to be out of reach of all caches.  Of one rank alone it has to be
 * some times as large as the last-level cache; of all at once, all their regions
 * together.
 */

enum { CACHES = 4 };
#define LEAST_BYTES (UINT64_C(32) << 20)
#define MOST_BYTES (UINT64_C(1) << 30)

static uint64_t region_words(uint64_t cache_bytes)
{
	uint64_t bytes = CACHES * cache_bytes;

	bytes = bytes < LEAST_BYTES  ? LEAST_BYTES
		: bytes > MOST_BYTES ? MOST_BYTES
				     : bytes;
	return bytes / sizeof(double);
}

/* The first rank's is the larger one: it is also measured alone. */
static uint64_t choose_regions(struct asl_bench *b)
{
	const struct asl_machine *m = asl_machine();

	b->words_alone = region_words(m->cache_bytes);
	b->words_all = region_words(m->cache_bytes / (uint64_t)m->cache_cores);
	return b->rank == 0 ? b->words_alone : b->words_all;
}

static int open_store(struct asl_store **out, struct asl_stream *s,
		      const struct asl_store_want *want)
{
	int err = asl_store_open(out, want);

	if (err)
		return err;
	err = asl_stream_open(s, *out, want->words);
	return err ? asl_fail(err,
			      "no room for %ju words in the store "
			      "%s: %s",
			      want->words, want->name, asl_failure())
		   : 0;
}

static int open_stores(struct asl_bench *b)
{
	bool fresh;
	struct asl_store_want want = {
		.name = b->want->store,
		.dir = b->want->nvm_dir ? b->want->nvm_dir
					: asl_store_default_dir(&fresh),
		.run_id = "calibrate",
		.rank = b->rank,
		.words = choose_regions(b),
		.pieces = 1,
	};
	int err = open_store(&b->pool, &b->pool_stream, &want);

	b->dir = asl_store_can(want.name)->needs_dir ? want.dir : "";
	want.name = "dram";
	return err ? err : open_store(&b->dram, &b->dram_stream, &want);
}

/* Only the first and the last rank play. */
static int open_sweep(struct asl_bench *b)
{
	int last = b->ranks - 1;

	if (b->rank > 0 && b->rank < last)
		return 0;
	return asl_sweep_open(&b->sweep, b->rank ? 0 : last, b->rank == 0);
}

static int bind(const struct asl_bench *b)
{
	int mates, mate = asl_net_mate(b->net, &mates);
	int err = asl_machine_bind(b->want->bind, mate, mates);

	return err ? asl_fail(err, "--bind: %s", asl_failure()) : 0;
}

/* 0 or a negative errno, after asl_calibrate_fail; close is due either way. */
static int asl_bench_open(struct asl_bench *b)
{
	int err;

	b->ranks = asl_net_size(b->net);
	err = bind(b);
	if (!err)
		err = open_stores(b);
	if (err)
		return err;
	err = asl_product_open(&b->product);
	if (!err)
		err = open_sweep(b);
	return err ? asl_fail(err, "no memory for matrices and "
				   "messages")
		   : 0;
}

static void asl_bench_close(struct asl_bench *b)
{
	asl_sweep_close(&b->sweep);
	asl_product_close(&b->product);
	asl_stream_close(&b->dram_stream);
	asl_stream_close(&b->pool_stream);
	asl_store_close(b->dram);
	asl_store_close(b->pool);
}

/* For a confidence interval it takes 6. */
enum { SWEEPS = 4, LEAST_ROUNDS = 8, MOST_ROUNDS = 500 };

/* ---- Rounds ---- */

struct sample {
	double ns[ASL_KINDS];
};

/* What rank 0 has of a subject. */
struct rounds {
	const struct asl_subject *subject;
	int sweep;
	double end; /* of the time that there is in this sweep */
	int count;
	struct sample *ranks; /* everybody's, for all subjects alike */
	double x[ASL_KINDS][MOST_ROUNDS];
};

static bool takes_part(const struct asl_bench *b, enum asl_who who)
{
	return who == ASL_ALL || b->rank == 0 ||
	       (who == ASL_PAIR && b->rank == b->ranks - 1);
}

/* Of a pair the first has measured for both. */
static void keep(struct rounds *r, int ranks)
{
	int count = r->subject->who == ASL_ALL ? ranks : 1;

	for (int k = 0; k < ASL_KINDS; k++) {
		double sum = 0;

		for (int i = 0; i < count; i++)
			sum += r->ranks[i].ns[k];
		r->x[k][r->count] = sum / count;
	}
	r->count++;
}

/* The round that nobody is used to is left out: its number is -1. */
static int play(struct asl_bench *b, struct rounds *r, int number)
{
	const struct asl_subject *s = r->subject;
	uint64_t words = s->who == ASL_ALL ? b->words_all : b->words_alone;
	struct sample mine = {{0}};
	int err = asl_net_barrier(b->net);

	if (!err && takes_part(b, s->who))
		err = s->measure(b, mine.ns, words);
	if (!err)
		err = asl_net_collect(b->net, r->ranks, &mine, sizeof mine);
	if (!err && b->rank == 0 && number >= 0)
		keep(r, b->ranks);
	return err;
}

static double left(const struct rounds *r)
{
	double left_s = r->end - asl_now();

	return left_s > 0 ? left_s : 0;
}

/* Of one sweep; shares add up to 1. */
static double total(const struct asl_bench *b)
{
	return (b->want->quick ? 32.0 : 120.0) / SWEEPS;
}

static void say(const struct asl_bench *b, const struct rounds *r, bool ends)
{
	struct asl_calibrating at = {
		.what = r->subject->what,
		.step = (int)(r->subject - asl_subjects),
		.left_s = ends ? 0 : left(r),
		.step_ends = ends && r->sweep + 1 == SWEEPS,
	};

	for (at.steps = at.step + 1; asl_subjects[at.steps].what; at.steps++)
		at.left_s += asl_subjects[at.steps].share * total(b);
	at.left_s += (SWEEPS - 1 - r->sweep) * total(b);
	if (b->rank == 0 && b->want->progress)
		b->want->progress(&at);
}

/* Rank 0 knows, and tells the others. */
static int share_more(struct asl_bench *b, const struct rounds *r, int *more)
{
	int sweeps = r->sweep + 1;

	*more = r->count < sweeps * LEAST_ROUNDS / SWEEPS ||
		(r->count < sweeps * MOST_ROUNDS / SWEEPS && left(r) > 0);
	return asl_net_share(b->net, more, sizeof *more);
}

static void conclude(struct asl_calibration *out, struct rounds *r)
{
	const struct asl_subject *s = r->subject;
	struct asl_estimate *to = s->who == ASL_ONE ? out->alone : out->all;

	for (int k = 0; k < s->kinds; k++)
		to[s->first + k] = asl_estimate(r->x[k], r->count);
}

static int measure(struct asl_bench *b, struct rounds *r)
{
	int err = 0, more = 1;

	r->end = asl_now() + r->subject->share * total(b);
	for (int i = -1; !err && more; i++) {
		err = play(b, r, i);
		say(b, r, false);
		if (!err)
			err = share_more(b, r, &more);
	}
	if (!err)
		say(b, r, true);
	return err;
}

/* ---- The ranks ---- */

static int sweep(struct asl_bench *b, struct rounds *r, int number)
{
	int err = 0;

	for (int i = 0; !err && asl_subjects[i].what; i++) {
		r[i].sweep = number;
		err = measure(b, &r[i]);
	}
	return err;
}

static int measure_all(struct asl_calibration *out, struct asl_bench *b)
{
	struct sample *ranks = calloc((size_t)b->ranks, sizeof *ranks);
	struct rounds *r = calloc(ASL_SUBJECTS, sizeof *r);
	int err = ranks && r ? 0 : -ENOMEM;

	for (int i = 0; !err && i < ASL_SUBJECTS; i++) {
		r[i].subject = &asl_subjects[i];
		r[i].ranks = ranks;
	}
	for (int i = 0; !err && i < SWEEPS; i++)
		err = sweep(b, r, i);
	for (int i = 0; !err && b->rank == 0 && i < ASL_SUBJECTS; i++)
		conclude(out, &r[i]);
	free(r);
	free(ranks);
	return err;
}

static void describe(struct asl_calibration *out, const struct asl_bench *b)
{
	out->ranks = b->ranks;
	out->words_all = b->words_all;
	out->words_alone = b->words_alone;
	snprintf(out->dir, sizeof out->dir, "%s", b->dir);
	snprintf(out->medium, sizeof out->medium, "%s",
		 asl_store_medium(b->pool));
	snprintf(out->provider, sizeof out->provider, "%s",
		 asl_net_provider(b->net));
	snprintf(out->note, sizeof out->note, "%s", asl_store_note(b->pool));
}

struct call {
	struct asl_calibration *out;
	const struct asl_calibrate_want *want;
	char why[768]; /* the failure of this rank */
	bool printed;  /* by the network or by another rank */
};

/* A rank that leaves while others measure takes them along. */
static int measure_or_abort(struct call *call, struct asl_bench *b)
{
	int err = measure_all(call->out, b);

	if (err) {
		asl_store_error(b->pool); /* if there is one, it has the word */
		asl_net_abort(b->net, asl_exit_code(err), asl_failure());
	}
	call->printed = err;
	return err;
}

static int open_bench(struct asl_bench *b)
{
	b->rank = asl_net_rank(b->net);
	if (b->want->refused)
		return asl_fail(b->want->refused, "%s", b->want->refusal);
	return asl_bench_open(b);
}

static int body(struct asl_net *net, void *arg)
{
	struct call *call = arg;
	struct asl_bench b = {.want = call->want, .net = net};
	int who = 0, err = open_bench(&b);

	if (err)
		snprintf(call->why, sizeof call->why, "%s", asl_failure());
	err = asl_net_agree(net, err, &who);
	if (err)
		call->printed = who != b.rank;
	else
		err = measure_or_abort(call, &b);
	if (!err)
		describe(call->out, &b);
	asl_bench_close(&b);
	return err;
}

int asl_calibrate(struct asl_calibration *out,
		  const struct asl_calibrate_want *want)
{
	struct call call = {.out = out, .want = want};
	struct asl_net_want net = {
		.transport = want->transport,
		.provider = want->provider,
		.interface = want->interface,
		.data = true,
	};
	int err;

	*out = (struct asl_calibration){0};
	asl_blas_one_thread();
	err = asl_net_run(&net, body, &call);
	if (*call.why)
		asl_fail(err, "%s", call.why);
	if (call.printed)
		asl_failure_printed();
	return err;
}
