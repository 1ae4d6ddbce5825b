/*
 * rank_verbs.c -- what each verb charges, moves, refuses and does to the clocks
 *
 * A word costs more in the pool than in DRAM and more to write than to read, a
 * step of the network costs a message too, and all rates differ, so that a
 * count that went to another counter shows in the clocks.  All costs are exact
 * in binary: clocks are compared for equality.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/rank/rank.h"
#include "nvm/provider.h"
#include "tests/help/random.h"

static const struct asl_costs costs = {
	.read = 2,
	.write = 30,
	.dram_read = 3,
	.dram_write = 5,
	.net = 7,
	.latency = 100,
	.flop = 0.5,
};

enum { CACHE = 600 };

static int wrong; /* in any rank since the test began */

/* Ranks are fibers: they can't leave by cmocka's longjmp. */
#define EQUAL(got, want)                                                       \
	do {                                                                   \
		double got_ = (double)(got), want_ = (double)(want);           \
		if (got_ != want_) {                                           \
			print_error(                                           \
				"%s:%d: rank %d: %s is %.17g, not %.17g\n",    \
				__FILE__, __LINE__, r->id, #got, got_, want_); \
			wrong++;                                               \
		}                                                              \
	} while (0)

/* ---- Ranks to test with ---- */

struct session {
	const char *store;
	void (*body)(struct asl_rank *r, void *arg);
	void *arg;
};

static int be_rank(struct asl_net *net, void *arg)
{
	struct session *s = arg;
	struct asl_store_want store = {.name = s->store};
	struct asl_rank_want want = {
		.net = net, .cache = CACHE, .costs = &costs};
	struct asl_rank rank, *r = &rank;
	int err = asl_store_open(&want.pool, &store);

	if (!err)
		err = asl_store_open(&want.staging, &store);
	if (!err) {
		asl_rank_init(r, &want);
		s->body(r, s->arg);
		EQUAL(r->held[ASL_POOL], 0);
		EQUAL(r->held[ASL_DRAM], 0);
		EQUAL(r->cache_held, 0);
	}
	asl_store_close(want.staging);
	asl_store_close(want.pool);
	return err;
}

static void on_ranks(int ranks, const char *store,
		     void (*body)(struct asl_rank *r, void *arg), void *arg)
{
	struct session s = {store, body, arg};
	struct asl_net_want want = {.transport = "sim",
				    .ranks = ranks,
				    .data = strcmp(store, "null")};
	int err;

	wrong = 0;
	err = asl_net_run(&want, be_rank, &s);
	if (err)
		print_error("error %d: %s\n", err, asl_failure());
	assert_int_equal(wrong, 0);
}

/* ---- What was charged ---- */

/* FORMULAS section 1, written out. */
static double apm_cost(const uint64_t x[ASL_COUNTERS])
{
	return 2 * (double)(x[ASL_NVM_READ] + x[ASL_DRAM_READ]) +
	       30 * (double)(x[ASL_NVM_WRITE] + x[ASL_DRAM_WRITE]) +
	       7 * (double)x[ASL_BH] + 0.5 * (double)x[ASL_FLOPS];
}

static double full_cost(const uint64_t x[ASL_COUNTERS])
{
	return 2 * (double)(x[ASL_NVM_READ] + x[ASL_NVM_LIFT]) +
	       30 * (double)(x[ASL_NVM_WRITE] + x[ASL_NVM_LAND]) +
	       3 * (double)(x[ASL_DRAM_READ] + x[ASL_BOUNCE_READ]) +
	       5 * (double)(x[ASL_DRAM_WRITE] + x[ASL_BOUNCE_WRITE]) +
	       7 * (double)x[ASL_BH] + 0.5 * (double)x[ASL_FLOPS];
}

static bool outside(enum asl_phase phase)
{
	return phase == ASL_FILL || phase == ASL_VERIFY;
}

/* All that this rank has counted is `want`, in `phase`. */
static void expect_counts(struct asl_rank *r, enum asl_phase phase,
			  const uint64_t want[ASL_COUNTERS], const char *verb)
{
	struct asl_counts total = asl_ledger_total(&r->ledger);
	struct asl_counts due = {{0}};

	if (!outside(phase))
		memcpy(due.of, want, sizeof due.of);
	for (int p = 0; p < ASL_PHASES; p++)
		for (int c = 0; c < ASL_COUNTERS; c++) {
			uint64_t got = r->ledger.in[p].of[c];
			uint64_t here = p == (int)phase ? want[c] : 0;

			if (got == here && total.of[c] == due.of[c])
				continue;
			print_error("%s in %s: %s in %s is %ju, not %ju; in "
				    "all %ju, not %ju\n",
				    verb, asl_phase_name(phase),
				    asl_counter_name(c), asl_phase_name(p), got,
				    here, total.of[c], due.of[c]);
			wrong++;
		}
}

/* And local work has moved the clocks by its cost; begin anew. */
static void expect(struct asl_rank *r, enum asl_phase phase,
		   const uint64_t want[ASL_COUNTERS], const char *verb)
{
	expect_counts(r, phase, want, verb);
	EQUAL(r->clock.at[ASL_APM], outside(phase) ? 0 : apm_cost(want));
	EQUAL(r->clock.at[ASL_FULL], outside(phase) ? 0 : full_cost(want));
	asl_rank_restart(r);
}

/* ---- Local verbs ---- */

static const enum asl_where places[] = {ASL_POOL, ASL_DRAM};

static const enum asl_counter reads[] = {
	[ASL_POOL] = ASL_NVM_READ, [ASL_DRAM] = ASL_DRAM_READ};
static const enum asl_counter writes[] = {
	[ASL_POOL] = ASL_NVM_WRITE, [ASL_DRAM] = ASL_DRAM_WRITE};
static const enum asl_counter lifts[] = {
	[ASL_POOL] = ASL_NVM_LIFT, [ASL_DRAM] = ASL_BOUNCE_READ};
static const enum asl_counter lands[] = {
	[ASL_POOL] = ASL_NVM_LAND, [ASL_DRAM] = ASL_BOUNCE_WRITE};

static void take(struct asl_rank *r, struct asl_words *x, enum asl_where where,
		 uint64_t count, double first)
{
	asl_take(r, x, where, count);
	for (uint64_t i = 0; x->at && i < count; i++)
		x->at[i] = first + (double)(i * i % 97);
}

static void copies_and_sums(struct asl_rank *r, struct dice *d,
			    enum asl_phase phase)
{
	enum asl_where a = places[roll(d, 0, 1)], b = places[roll(d, 0, 1)],
		       c = places[roll(d, 0, 1)];
	uint64_t n = roll_size(d, 8) - 1;
	uint64_t copied[ASL_COUNTERS] = {0}, added[ASL_COUNTERS] = {0};
	struct asl_words x, y, z;

	take(r, &x, a, n, 1);
	take(r, &y, b, n, 1000);
	take(r, &z, c, n, 5000);
	asl_rank_restart(r);

	asl_add(r, &z, &x, &y);
	added[lifts[a]] += n;
	added[lifts[b]] += n;
	added[lands[c]] += n;
	expect(r, phase, added, "add");
	for (uint64_t i = 0; z.at && i < n; i++)
		EQUAL(z.at[i], 1001 + 2 * (double)(i * i % 97));

	asl_add(r, &x, &x, &y); /* into an operand */
	asl_rank_restart(r);
	for (uint64_t i = 0; x.at && i < n; i++)
		EQUAL(x.at[i], z.at[i]);

	asl_copy(r, &z, &y);
	copied[lifts[b]] += n;
	copied[lands[c]] += n;
	expect(r, phase, copied, "copy");
	for (uint64_t i = 0; z.at && i < n; i++)
		EQUAL(z.at[i], y.at[i]);
	asl_give(r, &z);
	asl_give(r, &y);
	asl_give(r, &x);
}

/* A block within a larger matrix, so that its rows lie apart. */
static struct asl_block inner(struct asl_rank *r, struct asl_words *room,
			      enum asl_where where, uint64_t rows,
			      uint64_t cols, double first)
{
	struct asl_block all;

	take(r, room, where, (rows + 2) * (cols + 3), first);
	all = asl_as_block(room, rows + 2, cols + 3);
	return asl_sub_block(&all, 1, 2, rows, cols);
}

static double at(const struct asl_block *x, uint64_t i, uint64_t j)
{
	return x->at[i * x->ld + j];
}

/*
 * Load C, add A B twice, store: c = C + 2 A B; a tile not loaded is zero.  Begun
 * over C it lies in its place if that is ordinary memory.
 */
static void tiles(struct asl_rank *r, struct dice *d, enum asl_phase phase)
{
	enum asl_where a = places[roll(d, 0, 1)], b = places[roll(d, 0, 1)],
		       c = places[roll(d, 0, 1)];
	uint64_t m = roll(d, 1, 12), n = roll(d, 1, 12), k = roll(d, 0, 20);
	bool loads = roll(d, 0, 1), begins = roll(d, 0, 1);
	uint64_t load[ASL_COUNTERS] = {0}, mult[ASL_COUNTERS] = {0},
		 store[ASL_COUNTERS] = {0};
	struct asl_words room[3];
	struct asl_block A = inner(r, &room[0], a, m, k, 1),
			 B = inner(r, &room[1], b, k, n, 2),
			 C = inner(r, &room[2], c, m, n, 3);
	double before = C.at ? C.at[-1] : 0, old[144] = {0};
	struct asl_tile t;

	for (uint64_t i = 0; C.at && loads && i < m * n; i++)
		old[i] = at(&C, i / n, i % n);
	asl_tile_take(r, &t, 13, 13); /* larger than needed */
	for (uint64_t i = 0; t.at && i < t.capacity; i++)
		t.at[i] = NAN; /* a zero tile is zero whatever it holds */
	asl_tile_zero(&t, m, n);
	if (begins)
		asl_tile_begin(r, &t, &C);
	EQUAL(C.at && t.at == C.at,
	      r->data && begins && asl_store_is_plain(r->memory[c]));
	asl_rank_restart(r);
	if (loads) {
		asl_tile_load(r, &t, &C);
		load[reads[c]] = m * n;
		expect(r, phase, load, "load");
	}
	for (int twice = 0; twice < 2; twice++) {
		asl_multiply(r, &t, &A, &B, roll(d, 1, 9));
		memset(mult, 0, sizeof mult);
		mult[reads[a]] += m * k;
		mult[reads[b]] += k * n;
		mult[ASL_FLOPS] = 2 * m * n * k;
		expect(r, phase, mult, "multiply");
	}
	asl_tile_store(r, &C, &t);
	store[writes[c]] = m * n;
	expect(r, phase, store, "store");
	for (uint64_t i = 0; C.at && i < m * n; i++) {
		double sum = 0;

		for (uint64_t l = 0; l < k; l++)
			sum += at(&A, i / n, l) * at(&B, l, i % n);
		EQUAL(at(&C, i / n, i % n), old[i] + 2 * sum);
	}
	if (C.at)
		EQUAL(C.at[-1], before);
	asl_tile_give(r, &t);
	for (int i = 2; i >= 0; i--)
		asl_give(r, &room[i]);
}

static void local_verbs(struct asl_rank *r, void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 700; i++) {
		struct dice d = {21, i, 0};
		enum asl_phase phase = (enum asl_phase)(i % ASL_PHASES);

		asl_phase(r, phase);
		copies_and_sums(r, &d, phase);
		tiles(r, &d, phase);
	}
}

static void local_verbs_charge_where_words_lie(void **state)
{
	(void)state;
	on_ranks(1, "dram", local_verbs, NULL);
	on_ranks(1, "null", local_verbs, NULL);
}

/* ---- Network verbs: counters ---- */

/* Rank i sends (i + 1) * 10 words to the next and receives the same around. */
static void around(struct asl_rank *r, void *arg)
{
	int next = (r->id + 1) % r->size,
	    back = (r->id + r->size - 1) % r->size;
	uint64_t s = 10 * (uint64_t)(r->id + 1), t = 10 * (uint64_t)(back + 1);

	(void)arg;
	for (unsigned i = 0; i < 4 * ASL_PHASES; i++) {
		enum asl_phase phase = (enum asl_phase)(i / 4);
		uint64_t want[ASL_COUNTERS] = {0};
		struct asl_words out, in;

		take(r, &out, places[i & 1], s, 100 * r->id);
		take(r, &in, places[i / 2 & 1], t, -1);
		asl_phase(r, phase);
		asl_rank_restart(r);
		asl_exchange(r, next, &out, back, &in);
		want[ASL_NET_SEND] = s;
		want[ASL_NET_RECV] = t;
		want[ASL_NET_MSGS] = 1;
		want[ASL_BH] = s > t ? s : t;
		/* In DRAM the network itself bounces nothing. */
		if (out.where == ASL_POOL)
			want[ASL_NVM_LIFT] = s;
		if (in.where == ASL_POOL)
			want[ASL_NVM_LAND] = t;
		expect_counts(r, phase, want, "exchange");
		for (uint64_t j = 0; in.at && j < t; j++)
			EQUAL(in.at[j], 100 * back + (double)(j * j % 97));
		asl_give(r, &in);
		asl_give(r, &out);
	}
}

static void exchanges_charge_where_words_lie(void **state)
{
	(void)state;
	for (int ranks = 2; ranks <= 5; ranks++) {
		on_ranks(ranks, "dram", around, NULL);
		on_ranks(ranks, "null", around, NULL);
	}
}

/* Two steps, 10 out and 5 in, then 3 out and 8 in: B_h is 10 + 8, not 13. */
static void steps(struct asl_rank *r, void *arg)
{
	static const uint64_t sent[2][2] = {{10, 3}, {5, 8}};
	struct asl_words x;
	int peer = 1 - r->id;
	const uint64_t *out = sent[r->id], *in = sent[peer];

	(void)arg;
	take(r, &x, ASL_DRAM, 30, 0);
	asl_phase(r, ASL_SHIFT);
	for (int i = 0; i < 2; i++) {
		struct asl_words to = asl_slice(&x, 0, out[i]);
		struct asl_words from = asl_slice(&x, 15, in[i]);

		asl_exchange(r, peer, &to, peer, &from);
	}
	EQUAL(r->ledger.in[ASL_SHIFT].of[ASL_BH], 18);
	EQUAL(r->ledger.in[ASL_SHIFT].of[ASL_NET_SEND], 13);
	EQUAL(r->ledger.in[ASL_SHIFT].of[ASL_NET_RECV], 13);
	/* Apart, each way counts by itself. */
	x.count = 4;
	if (r->id) {
		asl_send(r, peer, &x);
		asl_recv(r, peer, &x);
	} else {
		asl_recv(r, peer, &x);
		asl_send(r, peer, &x);
	}
	EQUAL(r->ledger.in[ASL_SHIFT].of[ASL_BH], 26);
	EQUAL(r->ledger.in[ASL_SHIFT].of[ASL_NET_MSGS], 3);
	x.count = 30;
	asl_give(r, &x);
}

static void bh_is_the_larger_way_of_each_step(void **state)
{
	(void)state;
	on_ranks(2, "dram", steps, NULL);
}

/* ---- Clocks ---- */

/* Work that advances the clocks by 2 n (apm), and 2 n or 3 n (full). */
static void work(struct asl_rank *r, enum asl_where where, uint64_t words)
{
	struct asl_words x;
	struct asl_block row;
	struct asl_tile t;

	asl_take(r, &x, where, words);
	row = asl_as_block(&x, 1, words);
	asl_tile_take(r, &t, 1, words);
	asl_tile_load(r, &t, &row);
	asl_tile_give(r, &t);
	asl_give(r, &x);
}

static void expect_clock(struct asl_rank *r, double apm, double full)
{
	EQUAL(r->clock.at[ASL_APM], apm);
	EQUAL(r->clock.at[ASL_FULL], full);
}

/*
 * Rank 0 stands at 100 and 100, rank 1 at 80 and 120: the sender is the later
 * one to the apm, the receiver to full.  10 words: alpha + beta x = 170.
 */
static void send_to_the_other(struct asl_rank *r, void *arg)
{
	struct asl_words x;

	(void)arg;
	asl_phase(r, ASL_GATHER);
	asl_take(r, &x, ASL_DRAM, 10);
	if (r->id == 0) {
		work(r, ASL_POOL, 50);
		expect_clock(r, 100, 100);
		asl_send(r, 1, &x);
		expect_clock(r, 270, 270);
	} else {
		work(r, ASL_DRAM, 40);
		expect_clock(r, 80, 120);
		asl_recv(r, 0, &x);
		expect_clock(r, 270, 290);
	}
	asl_give(r, &x);
}

/* From pool to pool: full lifts 10 words before (20), lands them after (300). */
static void send_to_the_other_pool(struct asl_rank *r, void *arg)
{
	struct asl_words x;

	(void)arg;
	asl_phase(r, ASL_GATHER);
	asl_take(r, &x, ASL_POOL, 10);
	if (r->id == 0) {
		work(r, ASL_POOL, 50);
		asl_send(r, 1, &x);
		expect_clock(r, 270, 290);
	} else {
		work(r, ASL_DRAM, 20);
		expect_clock(r, 40, 60);
		asl_recv(r, 0, &x);
		expect_clock(r, 270, 120 + 170 + 300);
	}
	asl_give(r, &x);
}

/*
 * To the next and from the one before, 10, 20 and 5 words; clocks of 100, 300,
 * 40 (apm) and 100, 450, 40 (full).  What travels is the clock before the step.
 *
 *	rank 0	max(100, 40) + 100 + 7 * 10	= 270	full the same
 *	rank 1	max(300, 100) + 100 + 7 * 20	= 540	max(450, 100) + 240
 *	rank 2	max(40, 300) + 100 + 7 * 20	= 540	max(40, 450) + 240
 */
static void exchange_around(struct asl_rank *r, void *arg)
{
	static const uint64_t words[] = {10, 20, 5};
	static const double apm[] = {270, 540, 540}, full[] = {270, 690, 690};
	int next = (r->id + 1) % 3, back = (r->id + 2) % 3;
	struct asl_words out, in;

	(void)arg;
	asl_phase(r, ASL_SHIFT);
	asl_take(r, &out, ASL_DRAM, words[r->id]);
	asl_take(r, &in, ASL_DRAM, words[back]);
	if (r->id == 0)
		work(r, ASL_POOL, 50);
	else if (r->id == 1)
		work(r, ASL_DRAM, 150);
	else
		work(r, ASL_POOL, 20);
	asl_exchange(r, next, &out, back, &in);
	expect_clock(r, apm[r->id], full[r->id]);
	asl_give(r, &in);
	asl_give(r, &out);
}

/*
 * A chain 0 -> 1 -> 2 of 10 words: 170 a step.  Rank 1 receives at 0 and sends
 * on at 170; a sender does not wait for who receives.
 */
static void chain(struct asl_rank *r, void *arg)
{
	struct asl_words x;

	(void)arg;
	asl_phase(r, ASL_REDUCE);
	asl_take(r, &x, ASL_DRAM, 10);
	if (r->id == 2) {
		work(r, ASL_POOL, 100);
		asl_recv(r, 1, &x);
		/* max(200, rank 1's 170) + 170 */
		expect_clock(r, 370, 370);
	} else if (r->id == 1) {
		asl_recv(r, 0, &x);
		/* max(0, rank 0's 0) + 170: not after what rank 0 paid */
		expect_clock(r, 170, 170);
		asl_send(r, 2, &x);
		expect_clock(r, 340, 340);
	} else {
		asl_send(r, 1, &x);
		expect_clock(r, 170, 170);
	}
	asl_give(r, &x);
}

/* Filling and verifying are free: the step, the sums, the waiting. */
static void outside_of_time(struct asl_rank *r, void *arg)
{
	enum asl_phase phase = *(enum asl_phase *)arg;
	struct asl_words x;

	asl_phase(r, ASL_GATHER);
	if (r->id == 0)
		work(r, ASL_POOL, 50);
	asl_phase(r, phase);
	asl_take(r, &x, ASL_POOL, 10);
	if (r->id == 0)
		asl_send(r, 1, &x);
	else
		asl_recv(r, 0, &x);
	work(r, ASL_POOL, 7);
	asl_add(r, &x, &x, &x);
	expect_clock(r, r->id ? 0 : 100, r->id ? 0 : 100);
	EQUAL(r->ledger.in[phase].of[r->id ? ASL_NET_RECV : ASL_NET_SEND], 10);
	EQUAL(r->ledger.in[phase].of[ASL_NVM_READ], 7);
	EQUAL(asl_ledger_total(&r->ledger).of[ASL_BH], 0);
	EQUAL(asl_ledger_total(&r->ledger).of[ASL_NVM_READ], r->id ? 0 : 50);
	EQUAL(asl_ledger_total(&r->ledger).of[ASL_NVM_LIFT], 0);
	asl_give(r, &x);
}

/*
 * Two steps of 10 words behind, 340 on the link, and one of 5 words to somebody
 * else in front, 135, which the link has to carry too; beside work of `*arg`
 * words of 2 each.
 */
static void overlap(struct asl_rank *r, void *arg)
{
	uint64_t busy = *(uint64_t *)arg;
	double own = 135 + 2 * (double)busy, link = 340 + 135;
	struct asl_words out, in[3];

	asl_phase(r, ASL_SHIFT);
	asl_take(r, &out, ASL_DRAM, 10);
	for (int i = 0; i < 3; i++)
		asl_take(r, &in[i], ASL_DRAM, i < 2 ? 10 : 5);
	for (uint64_t i = 0; out.at && i < 10; i++)
		out.at[i] = 10 * r->id + (double)i;
	asl_overlap_begin(r);
	for (int i = 0; i < 2; i++)
		asl_exchange(r, r->id ^ 1, &out, r->id ^ 1, &in[i]);
	EQUAL(asl_ledger_total(&r->ledger).of[ASL_BH], 20);
	asl_overlap_end(r);
	asl_phase(r, ASL_COMPUTE);
	work(r, ASL_POOL, busy);
	out.count = 5;
	asl_exchange(r, r->id ^ 2, &out, r->id ^ 2, &in[2]);
	expect_clock(r, own, own);
	asl_overlap_wait(r);
	expect_clock(r, own > link ? own : link, own > link ? own : link);
	EQUAL(r->ledger.in[ASL_SHIFT].of[ASL_NET_MSGS], 2);
	EQUAL(r->ledger.in[ASL_COMPUTE].of[ASL_NET_MSGS], 1);
	for (int i = 0; out.at && i < 2; i++)
		EQUAL(in[i].at[9], 10 * (r->id ^ 1) + 9);
	if (out.at)
		EQUAL(in[2].at[4], 10 * (r->id ^ 2) + 4);
	out.count = 10;
	for (int i = 2; i >= 0; i--)
		asl_give(r, &in[i]);
	asl_give(r, &out);
}

/* 20 words land in a pool, 300 each way, and are lifted out of one, 20. */
static void behind_in_pools(struct asl_rank *r, void *arg)
{
	struct asl_words x, y;

	(void)arg;
	asl_phase(r, ASL_GATHER);
	asl_take(r, &x, ASL_POOL, 10);
	asl_take(r, &y, ASL_POOL, 10);
	asl_overlap_begin(r);
	asl_exchange(r, 1 - r->id, &x, 1 - r->id, &y);
	asl_overlap_end(r);
	asl_overlap_wait(r);
	expect_clock(r, 170, 20 + 300);
	EQUAL(r->ledger.in[ASL_GATHER].of[ASL_NVM_LIFT], 10);
	EQUAL(r->ledger.in[ASL_GATHER].of[ASL_NVM_LAND], 10);
	asl_give(r, &y);
	asl_give(r, &x);
}

static void steps_behind_cost_what_they_delay(void **state)
{
	uint64_t little = 20, much = 400;

	(void)state;
	on_ranks(4, "dram", overlap, &little);
	on_ranks(4, "dram", overlap, &much);
	on_ranks(4, "null", overlap, &little);
	on_ranks(2, "dram", behind_in_pools, NULL);
}

static void clocks_follow_the_messages(void **state)
{
	enum asl_phase fill = ASL_FILL, verify = ASL_VERIFY;

	(void)state;
	on_ranks(2, "dram", send_to_the_other, NULL);
	on_ranks(2, "null", send_to_the_other, NULL);
	on_ranks(2, "dram", send_to_the_other_pool, NULL);
	on_ranks(3, "dram", exchange_around, NULL);
	on_ranks(3, "null", exchange_around, NULL);
	on_ranks(3, "dram", chain, NULL);
	on_ranks(2, "dram", outside_of_time, &fill);
	on_ranks(2, "dram", outside_of_time, &verify);
}

/* ---- Memory ---- */

static void most_held(struct asl_rank *r, void *arg)
{
	struct asl_words a, b, c;
	struct asl_tile t;

	(void)arg;
	asl_phase(r, ASL_FILL);
	asl_take(r, &a, ASL_POOL, 1000);
	asl_take(r, &b, ASL_POOL, 5000);
	EQUAL(r->ledger.memory_high, 0);
	asl_give(r, &b);
	asl_phase(r, ASL_GATHER); /* from here on what is held counts */
	EQUAL(r->ledger.memory_high, 1000);
	EQUAL(r->ledger.pool_high, 1000);
	asl_take(r, &b, ASL_DRAM, 300);
	asl_tile_take(r, &t, 10, 20);
	EQUAL(r->cache_held, 200);
	asl_give(r, &b);
	asl_take(r, &c, ASL_POOL, 50);
	EQUAL(r->ledger.memory_high, 1300);
	EQUAL(r->ledger.pool_high, 1050);
	asl_give(r, &c);
	asl_tile_give(r, &t);
	asl_phase(r, ASL_VERIFY);
	asl_take(r, &b, ASL_DRAM, 9000);
	EQUAL(r->ledger.memory_high, 1300);
	asl_give(r, &b);
	asl_rank_restart(r);
	EQUAL(r->ledger.memory_high, 0);
	EQUAL(r->held[ASL_POOL], 1000);
	asl_phase(r, ASL_COMPUTE);
	EQUAL(r->ledger.memory_high, 1000);
	asl_give(r, &a);
}

static void memory_high_is_the_most_held_at_a_time(void **state)
{
	(void)state;
	on_ranks(1, "dram", most_held, NULL);
	on_ranks(1, "null", most_held, NULL);
}

/* ---- Refusals and errors ---- */

static void says(struct asl_rank *r, int err, const char *what)
{
	EQUAL(r->err, err);
	if (!strstr(asl_failure(), what)) {
		print_error("rank %d says '%s', not '%s'\n", r->id,
			    asl_failure(), what);
		wrong++;
	}
}

static void exactly_the_cache(struct asl_rank *r, void *arg)
{
	struct asl_words x;
	struct asl_block A, B;
	struct asl_tile s, t;

	(void)arg;
	asl_phase(r, ASL_COMPUTE);
	asl_tile_take(r, &t, 20, 30);
	EQUAL(r->err, 0);
	asl_tile_give(r, &t);
	asl_tile_take(r, &s, 10, 10);
	asl_tile_take(r, &t, 20, 20);
	take(r, &x, ASL_POOL, 400, 0);
	A = asl_as_block(&x, 20, 7);
	B = asl_as_block(&x, 7, 20);
	/* 100 words are left: slivers of 20 + 20, two at a time. */
	asl_multiply(r, &t, &A, &B, 2);
	EQUAL(r->err, 0);
	EQUAL(r->ledger.in[ASL_COMPUTE].of[ASL_NVM_READ], 280);
	asl_tile_give(r, &s);
	/* Five now; and slivers are no deeper than what there is. */
	asl_multiply(r, &t, &A, &B, 5);
	A = asl_as_block(&x, 20, 5);
	B = asl_as_block(&x, 5, 20);
	asl_multiply(r, &t, &A, &B, 1000);
	EQUAL(r->err, 0);
	asl_give(r, &x);
	asl_tile_give(r, &t);
}

static void a_word_too_many(struct asl_rank *r, void *arg)
{
	struct asl_tile s, t;

	(void)arg;
	asl_phase(r, ASL_COMPUTE);
	asl_tile_take(r, &s, 10, 10);
	asl_tile_take(r, &t, 3, 167); /* 501 */
	says(r, -ENOTRECOVERABLE, "a tile of 3 x 167");
	EQUAL(r->cache_held, 100);
	EQUAL(r->held[ASL_DRAM], 0);
	asl_tile_give(r, &t);
	asl_tile_give(r, &s);
}

static void slivers_too_deep(struct asl_rank *r, void *arg)
{
	struct asl_ledger before;
	struct asl_words x;
	struct asl_block A, B;
	struct asl_tile t;

	(void)arg;
	asl_phase(r, ASL_COMPUTE);
	asl_tile_take(r, &t, 20, 20);
	take(r, &x, ASL_POOL, 400, 0);
	A = asl_as_block(&x, 20, 7);
	B = asl_as_block(&x, 7, 20);
	before = r->ledger;
	asl_multiply(r, &t, &A, &B, 6); /* 240 words, and 200 are left */
	says(r, -ENOTRECOVERABLE, "slivers 6 deep");
	EQUAL(asl_ledger_equal(&before, &r->ledger), true);
	asl_give(r, &x);
	asl_tile_give(r, &t);
}

/* After the first error nothing counts, moves or is taken; it can be given. */
static void sticks(struct asl_rank *r, void *arg)
{
	struct asl_words x, y, late;
	struct asl_block block;
	struct asl_tile t, none;
	struct asl_ledger before;
	struct asl_net_stamp clock;

	(void)arg;
	asl_phase(r, ASL_COMPUTE);
	take(r, &x, ASL_POOL, 9, 1);
	take(r, &y, ASL_DRAM, 9, 50);
	asl_tile_take(r, &t, 3, 3);
	block = asl_as_block(&x, 3, 3);
	asl_tile_load(r, &t, &block);
	if (r->id != 0) {
		/* The others find out when they wait for somebody. */
		asl_recv(r, (r->id + 1) % r->size, &y);
		EQUAL(r->err, -ECONNABORTED);
	}
	asl_rank_fail(r, -EINVAL, "the first %s", "word");
	asl_rank_fail(r, -ENOMEM, "the second");
	if (r->id == 0)
		says(r, -EINVAL, "the first word");
	before = r->ledger;
	clock = r->clock;

	asl_copy(r, &y, &x);
	asl_add(r, &y, &x, &x);
	asl_tile_load(r, &t, &block);
	asl_tile_store(r, &block, &t);
	asl_multiply(r, &t, &block, &block, 1);
	asl_send(r, (r->id + 1) % r->size, &x);
	asl_recv(r, (r->id + 1) % r->size, &x);
	asl_exchange(r, (r->id + 1) % r->size, &x, (r->id + 2) % r->size, &y);
	asl_take(r, &late, ASL_POOL, 77);
	EQUAL(late.count, 0);
	EQUAL(late.at == NULL, true);
	asl_tile_take(r, &none, 2, 2);
	EQUAL(r->held[ASL_POOL], 9);
	EQUAL(r->held[ASL_DRAM], 9);
	EQUAL(memcmp(&before, &r->ledger, sizeof before), 0);
	EQUAL(memcmp(&clock, &r->clock, sizeof clock), 0);
	for (int i = 0; y.at && i < 9; i++)
		EQUAL(y.at[i], 50 + i * i % 97);
	EQUAL(asl_rank_finish(r), r->id ? -ECONNABORTED : -EINVAL);
	asl_tile_give(r, &none);
	asl_give(r, &late);
	asl_tile_give(r, &t);
	asl_give(r, &y);
	asl_give(r, &x);
}

static void late_error(struct asl_rank *r, void *arg)
{
	(void)arg;
	r->memory[ASL_POOL]->error = -EIO;
	EQUAL(r->err, 0);
	EQUAL(asl_rank_finish(r), -EIO);
	EQUAL(r->err, -EIO);
}

/* Like on_ranks, for ranks that end the run. */
static void failing(int ranks, const char *store,
		    void (*body)(struct asl_rank *r, void *arg))
{
	struct session s = {store, body, NULL};
	struct asl_net_want want = {.transport = "sim",
				    .ranks = ranks,
				    .data = strcmp(store, "null")};

	wrong = 0;
	assert_int_equal(asl_net_run(&want, be_rank, &s), -ECONNABORTED);
	assert_int_equal(wrong, 0);
}

static void what_does_not_fit_the_cache_is_refused(void **state)
{
	(void)state;
	on_ranks(1, "dram", exactly_the_cache, NULL);
	on_ranks(1, "null", exactly_the_cache, NULL);
	failing(1, "dram", a_word_too_many);
	failing(1, "null", a_word_too_many);
	failing(1, "dram", slivers_too_deep);
	failing(1, "null", slivers_too_deep);
}

static void the_first_error_sticks(void **state)
{
	(void)state;
	failing(1, "dram", sticks);
	failing(3, "dram", sticks);
	failing(3, "null", sticks);
	failing(1, "dram", late_error);
}

static void errors_have_their_exit_codes(void **state)
{
	(void)state;
	assert_int_equal(asl_exit_code(0), 0);
	assert_int_equal(asl_exit_code(-EINVAL), 2);
	assert_int_equal(asl_exit_code(-ENOMEM), 3);
	assert_int_equal(asl_exit_code(-ENOSPC), 3);
	assert_int_equal(asl_exit_code(-EIO), 3);
	assert_int_equal(asl_exit_code(-EDEADLK), 4);
	assert_int_equal(asl_exit_code(-EMSGSIZE), 4);
	assert_int_equal(asl_exit_code(-ECONNRESET), 5);
	assert_int_equal(asl_exit_code(-ECONNABORTED), 5);
}

/* ---- Time ---- */

/* Eight words a line; a copy from one block of these rows to another. */
static void copies_take_lines(struct asl_rank *r, void *arg)
{
	static const struct {
		uint64_t rows, cols, ld, words;
	} copies[] = {
		{4, 20, 20, 80},	   /* adjoining */
		{1, 3, 40, 3},		   /* a single row */
		{4, 16, 24, 64},	   /* whole lines */
		{4, 16, 20, 4 * (16 + 7)}, /* somewhere in lines */
		{4, 1, 24, 4 * (1 + 7)},
	};
	static const struct asl_times times = {.read = {[ASL_DRAM] = 0.5},
					       .write = {[ASL_DRAM] = 2}};
	struct asl_words from, to;

	(void)arg;
	r->times = &times;
	asl_phase(r, ASL_COMPUTE);
	asl_take(r, &from, ASL_DRAM, 100);
	asl_take(r, &to, ASL_DRAM, 100);
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
		struct asl_block a =
			asl_as_block(&from, copies[i].rows, copies[i].cols);
		struct asl_block b =
			asl_as_block(&to, copies[i].rows, copies[i].cols);
		double before = r->spent.ns[ASL_ON_COPYING];

		a.ld = b.ld = copies[i].ld;
		asl_copy_block(r, &b, &a);
		EQUAL(r->spent.ns[ASL_ON_COPYING] - before,
		      2.5 * (double)copies[i].words);
	}
	asl_give(r, &to);
	asl_give(r, &from);
	r->times = NULL;
}

static void rows_take_whole_lines(void **state)
{
	(void)state;
	on_ranks(1, "dram", copies_take_lines, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_verbs_charge_where_words_lie),
		cmocka_unit_test(exchanges_charge_where_words_lie),
		cmocka_unit_test(bh_is_the_larger_way_of_each_step),
		cmocka_unit_test(clocks_follow_the_messages),
		cmocka_unit_test(steps_behind_cost_what_they_delay),
		cmocka_unit_test(memory_high_is_the_most_held_at_a_time),
		cmocka_unit_test(what_does_not_fit_the_cache_is_refused),
		cmocka_unit_test(rows_take_whole_lines),
		cmocka_unit_test(the_first_error_sticks),
		cmocka_unit_test(errors_have_their_exit_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
