/*
 * calibrate.c -- measure the cost of words, messages and flops on this machine
 *
 * The kinds of a subject (reads and writes, of pool and DRAM) alternate in every
 * round, and all subjects are repeated in several sweeps, so that a disturbance of
 * the machine affects all of them.  Rank 0 decides when there are enough rounds.
 */
#include "lib/calibrate/calibrate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/calibrate/measure.h"
#include "lib/machine/machine.h"
#include "lib/machine/memories.h"
#include "lib/rank/blas.h"
#include "lib/rank/pools.h"
#include "lib/rank/rank.h"
#include "nvm/store.h"

/* What one rank measures with. */
struct bench {
	const struct asl_calibrate_want *want;
	struct asl_net *net;
	int rank, ranks;
	struct asl_store *pool, *dram;
	struct asl_store_bench pool_bench, dram_bench;
	struct asl_flop_bench flop_bench;
	struct asl_net_bench net_bench;
	double sample_s; /* what a sample of this subject may take */
	bool together;	 /* all ranks measure it at once */
	uint64_t words_all, words_alone, words_disk;
	const char *dirs, *dir; /* all, and this rank's; "": none */
	struct asl_pools pools;
	struct asl_near near;
	struct asl_memory_node memory;
};

/* ---- Subjects ---- */

enum {
	KINDS = ASL_DISK_KINDS, /* of one subject at most */
	SUBJECTS = 12,
	FLOPS = 2,
	STEPS = SUBJECTS - 1
};

_Static_assert((int)ASL_NET_BENCH_SIZES == (int)ASL_STEP_SIZES,
	       "steps of all sizes are measured");
_Static_assert((int)ASL_STEP_SIZES + 2 <= (int)KINDS,
	       "a sample has room for all kinds");

static int memory(struct bench *b, double ns[KINDS], uint64_t words)
{
	ns[0] = asl_store_bench_read(&b->pool_bench, words);
	ns[1] = asl_store_bench_write(&b->pool_bench, words);
	ns[2] = asl_store_bench_read(&b->dram_bench, words);
	ns[3] = asl_store_bench_write(&b->dram_bench, words);
	return asl_store_error(b->pool);
}

static int flops(struct bench *b, double ns[KINDS], uint64_t words)
{
	(void)words;
	ns[0] = asl_flop_bench_run(&b->flop_bench);
	return 0;
}

static int network(struct bench *b, double ns[KINDS], uint64_t words)
{
	int err = asl_net_bench_run(&b->net_bench, b->net, b->sample_s);
	struct asl_fit line;

	(void)words;
	if (err)
		return err;
	line = asl_fit_line(b->net_bench.words, b->net_bench.ns,
			    ASL_NET_BENCH_SIZES);
	ns[0] = line.alpha;
	ns[1] = line.beta;
	ns[2] = line.worst;
	return 0;
}

static int products(struct bench *b, double ns[KINDS], uint64_t words)
{
	(void)words;
	asl_product_bench_run(&b->flop_bench, ns);
	return 0;
}

static int vectors(struct bench *b, double ns[KINDS], uint64_t words)
{
	(void)words;
	asl_vector_bench_run(&b->dram_bench, b->sample_s, ns);
	return 0;
}

static int steps(struct bench *b, double ns[KINDS], uint64_t words)
{
	struct asl_crowd_ns crowd = {0};
	int err = b->want->crowd ? asl_crowd_bench_run(&b->net_bench, b->net,
						       &b->flop_bench,
						       b->sample_s, &crowd)
				 : asl_step_bench_run(&b->net_bench, b->net,
						      b->sample_s);

	(void)words;
	memcpy(ns, b->net_bench.ns, sizeof b->net_bench.ns);
	ns[ASL_STEP_SIZES] = crowd.row;
	ns[ASL_STEP_SIZES + 1] = crowd.message;
	return err;
}

static int transfers(struct bench *b, double ns[KINDS], uint64_t words)
{
	int err = asl_disk_bench_run(&b->pool_bench,
				     b->together ? b->net : NULL, words, ns);

	return err ? err : asl_store_error(b->pool);
}

/* Rank 0; all; rank 0 and the last, of which the first has the result. */
enum who { ONE, ALL, PAIR };

/* In the order in which they are measured. */
static const struct subject {
	const char *what;
	enum who who;
	enum asl_quantity first; /* of so many kinds */
	int kinds;
	double share; /* of the total time */
	/* One sample of each kind, from passes over so many words. */
	int (*measure)(struct bench *b, double ns[KINDS], uint64_t words);
} subjects[SUBJECTS + 1] = {
	{"memory, one rank", ONE, ASL_READ_NS, 4, 0.17, memory},
	{"memory, all ranks", ALL, ASL_READ_NS, 4, 0.19, memory},
	{"flops, one rank", ONE, ASL_FLOP_NS, 1, 0.05, flops},
	{"flops, all ranks", ALL, ASL_FLOP_NS, 1, 0.05, flops},
	{"products, one rank", ONE, ASL_PRODUCT_FLOP_NS, ASL_PRODUCT_TERMS,
	 0.09, products},
	{"products, all ranks", ALL, ASL_PRODUCT_FLOP_NS, ASL_PRODUCT_TERMS,
	 0.12, products},
	{"vectors, one rank", ONE, ASL_SIMPLE_NS, ASL_VECTOR_KINDS, 0.05,
	 vectors},
	{"vectors, all ranks", ALL, ASL_SIMPLE_NS, ASL_VECTOR_KINDS, 0.07,
	 vectors},
	{"transfers, one rank", ONE, ASL_DISK_NS, ASL_DISK_KINDS, 0.06,
	 transfers},
	{"transfers, all ranks", ALL, ASL_DISK_NS, ASL_DISK_KINDS, 0.1,
	 transfers},
	{"messages, two ranks", PAIR, ASL_LATENCY_NS, 3, 0.12, network},
	{"messages, all ranks", ALL, ASL_STEP_NS, ASL_STEP_SIZES + 2, 0.09,
	 steps},
	{0},
};

/* Only a disk has transfers, which come on top. */
static bool is_left_out(const struct bench *b, const struct subject *s)
{
	return s->measure == transfers && !asl_store_has_blocks(b->pool);
}

/*
 * ---- Opening ----
 *
 * A region must be larger than all caches: for one rank alone some times as large
 * as the last-level cache; for all ranks at once, all their regions together.  Between
 * a disk and its pool is no cache but the disk's own: regions on it are small enough
 * not to use up what a shared disk allows for a while.
 */

enum { CACHES = 4 };
#define LEAST_BYTES (UINT64_C(32) << 20)
#define MOST_BYTES (UINT64_C(1) << 30)
#define DISK_BYTES (UINT64_C(128) << 20)

static uint64_t region_words(uint64_t cache_bytes)
{
	uint64_t bytes = CACHES * cache_bytes;

	bytes = bytes < LEAST_BYTES  ? LEAST_BYTES
		: bytes > MOST_BYTES ? MOST_BYTES
				     : bytes;
	return bytes / sizeof(double);
}

/*
 * Rank 0's region is larger: it is also measured alone.  Of ranks that share cores only
 * messages are measured, of which none passes through a region.
 */
static uint64_t choose_regions(struct bench *b)
{
	const struct asl_machine *m = asl_machine();
	uint64_t cache = b->want->crowd ? 0 : m->cache_bytes;
	double share = (double)cache * asl_net_core(b->net) / m->cache_cores;

	b->words_alone = region_words(cache);
	b->words_all = region_words((uint64_t)share);
	return b->rank == 0 ? b->words_alone : b->words_all;
}

static int open_store(struct asl_store **out, struct asl_store_bench *s,
		      const struct asl_store_want *want)
{
	int err = asl_store_open(out, want);

	if (err)
		return err;
	err = asl_store_bench_open(s, *out, want->words);
	return err ? asl_fail(err, "no room for %ju words in the store %s: %s",
			      want->words, want->name, asl_failure())
		   : 0;
}

static int open_stores(struct bench *b)
{
	uint64_t words = choose_regions(b);
	struct asl_store_want want = {
		.name = b->want->store,
		.dir = b->dir,
		.run_id = "calibrate",
		.rank = b->rank,
		.words = words,
		.pieces = 1,
		.erase = b->want->erase,
		.node = b->want->memory_node,
		.kind = b->memory.kind,
		.bind = asl_memory_bind,
	};
	int err;

	if (asl_store_can(want.name)->blocks)
		want.words = b->words_disk =
			asl_min(words, DISK_BYTES / sizeof(double));
	err = open_store(&b->pool, &b->pool_bench, &want);
	want.name = "dram";
	want.words = words;
	return err ? err : open_store(&b->dram, &b->dram_bench, &want);
}

/* In pairs only the first and the last rank exchange messages. */
static int open_net_bench(struct bench *b)
{
	int last = b->ranks - 1;

	return asl_net_bench_open(&b->net_bench, b->rank ? 0 : last,
				  b->rank == 0);
}

static int bind(const struct bench *b)
{
	int mates, mate = asl_net_mate(b->net, &mates);
	int err = asl_machine_bind(b->want->bind, mate, mates);

	return err ? asl_fail(err, "--bind: %s", asl_failure()) : 0;
}

static int begin(struct bench *b)
{
	bool fresh;
	int err;

	if (b->want->refused)
		return asl_fail(b->want->refused, "%s", b->want->refusal);
	err = bind(b);
	b->dirs = b->dir = "";
	if (!err && asl_store_can(b->want->store)->needs_node)
		err = asl_memory_node(&b->memory, b->want->memory_node);
	if (err || !asl_store_can(b->want->store)->needs_dir)
		return err;
	b->dirs = b->want->nvm_dir ? b->want->nvm_dir
				   : asl_store_default_dir(&fresh);
	return asl_pools_look(&b->pools, b->dirs);
}

static int take_place(struct bench *b)
{
	return *b->dirs ? asl_pools_take(&b->dir, &b->near, &b->pools, b->net)
			: 0;
}

static int open_all(struct bench *b)
{
	int err = open_stores(b);

	if (err)
		return err;
	err = asl_flop_bench_open(&b->flop_bench, b->dram);
	if (!err)
		err = open_net_bench(b);
	return err ? asl_fail(err, "no memory for matrices and messages") : 0;
}

/* 0 or an error of all ranks, of which *who has the failure; close is due. */
static int bench_open(struct bench *b, int *who)
{
	static int (*const steps[])(struct bench * b) = {begin, take_place,
							 open_all};
	int all = 0;

	for (size_t i = 0; !all && i < sizeof steps / sizeof *steps; i++)
		all = asl_net_agree(b->net, steps[i](b), who);
	return all;
}

static void bench_close(struct bench *b)
{
	asl_net_bench_close(&b->net_bench);
	asl_flop_bench_close(&b->flop_bench);
	asl_store_bench_close(&b->dram_bench);
	asl_store_bench_close(&b->pool_bench);
	asl_store_close(b->dram);
	asl_store_close(b->pool);
}

/* A confidence interval needs 6. */
enum { SWEEPS = 4, LEAST_ROUNDS = 8, MOST_ROUNDS = 500 };

/* ---- Rounds ---- */

struct sample {
	double ns[KINDS];
};

/* Rank 0's samples of a subject. */
struct rounds {
	const struct subject *subject;
	int sweep;
	double end; /* of the subject's time in this sweep */
	int count;
	struct sample *ranks; /* of all ranks; all subjects share it */
	double x[KINDS][MOST_ROUNDS];
};

static bool takes_part(const struct bench *b, enum who who)
{
	return who == ALL || b->rank == 0 ||
	       (who == PAIR && b->rank == b->ranks - 1);
}

/* Rank 0 measures for a pair. */
static void keep(struct rounds *r, int ranks)
{
	int count = r->subject->who == ALL ? ranks : 1;

	for (int k = 0; k < KINDS; k++) {
		double sum = 0;

		for (int i = 0; i < count; i++)
			sum += r->ranks[i].ns[k];
		r->x[k][r->count] = sum / count;
	}
	r->count++;
}

static double left(const struct rounds *r)
{
	double left_s = r->end - asl_now();

	return left_s > 0 ? left_s : 0;
}

/* The first round, number -1, is a warm-up, unless it takes all the time there is. */
static int play(struct bench *b, struct rounds *r, int number)
{
	const struct subject *s = r->subject;
	uint64_t words = s->who == ALL ? b->words_all : b->words_alone;
	struct sample mine = {{0}};
	int err = asl_net_barrier(b->net);

	b->together = s->who == ALL;
	if (!err && takes_part(b, s->who))
		err = s->measure(b, mine.ns, words);
	if (!err)
		err = asl_net_collect(b->net, r->ranks, &mine, sizeof mine);
	if (!err && b->rank == 0 && (number >= 0 || left(r) == 0))
		keep(r, b->ranks);
	return err;
}

double asl_calibrate_seconds(bool quick)
{
	return quick ? 24 : 120;
}

/* The time of one sweep. */
static double total(const struct bench *b)
{
	return asl_calibrate_seconds(b->want->quick) / SWEEPS;
}

/* A subject has the least number of rounds, and a warm-up, in its time. */
static double sample_s(const struct bench *b, const struct subject *s)
{
	const int samples = 1 + LEAST_ROUNDS / SWEEPS;

	return s->share * total(b) / samples;
}

static void say(const struct bench *b, const struct rounds *r, bool ends)
{
	struct asl_calibrating at = {
		.what = r->subject->what,
		.left_s = ends ? 0 : left(r),
		.step_ends = ends && r->sweep + 1 == SWEEPS,
	};

	for (const struct subject *s = subjects; s->what; s++) {
		if (is_left_out(b, s))
			continue;
		at.step += s < r->subject;
		at.steps++;
		if (s > r->subject)
			at.left_s += s->share * total(b);
	}
	at.left_s += (SWEEPS - 1 - r->sweep) * total(b);
	if (b->rank == 0 && b->want->progress)
		b->want->progress(&at);
}

/* Rank 0 decides, and tells the others. */
static int share_more(struct bench *b, const struct rounds *r, int *more)
{
	int sweeps = r->sweep + 1;

	*more = r->count < sweeps * LEAST_ROUNDS / SWEEPS ||
		(r->count < sweeps * MOST_ROUNDS / SWEEPS && left(r) > 0);
	return asl_net_share(b->net, more, sizeof *more);
}

static void conclude(struct asl_calibration *out, struct rounds *r)
{
	const struct subject *s = r->subject;
	struct asl_estimate *to = s->who == ONE ? out->alone : out->all;

	for (int k = 0; k < s->kinds; k++)
		to[s->first + k] = asl_estimate(r->x[k], r->count);
}

static int measure(struct bench *b, struct rounds *r)
{
	int err = 0, more = 1;

	b->sample_s = sample_s(b, r->subject);
	r->end = asl_now() + r->subject->share * total(b);
	say(b, r, false);
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

static int measure_all(struct asl_calibration *out, struct bench *b)
{
	struct sample *ranks = calloc((size_t)b->ranks, sizeof *ranks);
	struct rounds *r = calloc(SUBJECTS, sizeof *r);
	int err = ranks && r ? 0 : -ENOMEM;
	int first = b->want->crowd ? STEPS : 0;

	for (int i = first; !err && i < SUBJECTS; i++) {
		r[i].subject = &subjects[i];
		r[i].ranks = ranks;
	}
	asl_flop_bench_limit(&b->flop_bench, sample_s(b, &subjects[FLOPS]));
	for (int sweep = 0; sweep < SWEEPS; sweep++)
		for (int i = first; !err && i < SUBJECTS; i++) {
			r[i].sweep = sweep;
			if (!is_left_out(b, &subjects[i]))
				err = measure(b, &r[i]);
		}
	for (int i = first; !err && b->rank == 0 && i < SUBJECTS; i++)
		if (r[i].count)
			conclude(out, &r[i]);
	free(r);
	free(ranks);
	return err;
}

static void describe(struct asl_calibration *out, const struct bench *b)
{
	out->ranks = b->ranks;
	out->core = asl_net_core(b->net);
	out->words_all = b->words_all;
	out->words_alone = b->words_alone;
	out->words_disk = b->words_disk;
	out->product_side = ASL_FLOP_BENCH_SIDE / b->flop_bench.cut;
	memcpy(out->step_words, b->net_bench.words, sizeof out->step_words);
	snprintf(out->dir, sizeof out->dir, "%s", b->dirs);
	snprintf(out->medium, sizeof out->medium, "%s",
		 asl_store_medium(b->pool));
	snprintf(out->provider, sizeof out->provider, "%s",
		 asl_net_provider(b->net));
	snprintf(out->note, sizeof out->note, "%s", asl_store_note(b->pool));
}

struct call {
	struct asl_calibration *out;
	int (*other)(struct asl_calibrate_bench *b, void *arg);
	void *arg; /* of `other`, which measures in place of a calibration */
	const struct asl_calibrate_want *want;
	char why[768]; /* the failure of this rank */
	bool printed;  /* by the network or by another rank */
};

/* A rank that fails while others measure ends them. */
static int measure_or_abort(struct call *call, struct bench *b)
{
	struct asl_calibrate_bench x = {
		.want = b->want,
		.net = b->net,
		.rank = b->rank,
		.ranks = b->ranks,
		.pool = &b->pool_bench,
		.dram = &b->dram_bench,
		.flops = &b->flop_bench,
		.messages = &b->net_bench,
		.medium = asl_store_medium(b->pool),
		.provider = asl_net_provider(b->net),
	};
	int err = call->other ? call->other(&x, call->arg)
			      : measure_all(call->out, b);

	if (err) {
		asl_store_error(b->pool); /* sets asl_failure() */
		asl_net_abort(b->net, asl_exit_code(err), asl_failure());
	}
	call->printed = err;
	return err;
}

static int body(struct asl_net *net, void *arg)
{
	struct call *call = arg;
	struct bench b = {
		.want = call->want,
		.net = net,
		.rank = asl_net_rank(net),
		.ranks = asl_net_size(net),
	};
	int who = 0, err = bench_open(&b, &who);

	if (err) {
		snprintf(call->why, sizeof call->why, "%s", asl_failure());
		call->printed = who != b.rank;
	} else {
		err = measure_or_abort(call, &b);
	}
	if (!err && call->out)
		describe(call->out, &b);
	bench_close(&b);
	return err;
}

static int run(struct call *call)
{
	const struct asl_calibrate_want *want = call->want;
	struct asl_net_want net = {
		.transport = want->transport,
		.provider = want->provider,
		.interface = want->interface,
		.data = true,
	};
	int err;

	asl_blas_one_thread();
	err = asl_net_run(&net, body, call);
	if (*call->why)
		asl_fail(err, "%s", call->why);
	if (call->printed)
		asl_failure_printed();
	return err;
}

int asl_calibrate_ranks(const struct asl_calibrate_want *want,
			int (*other)(struct asl_calibrate_bench *b, void *arg),
			void *arg)
{
	return run(&(struct call){.other = other, .arg = arg, .want = want});
}

int asl_calibrate(struct asl_calibration *out,
		  const struct asl_calibrate_want *want)
{
	*out = (struct asl_calibration){0};
	return run(&(struct call){.out = out, .want = want});
}
