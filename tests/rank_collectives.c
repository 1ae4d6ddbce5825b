/*
 * rank_collectives.c -- what groups do together is right, and costs its closed form
 *
 * Random collectives over random lines of a grid of ranks, on sim: every line
 * of the grid does the same one at a time, with numbers of its own.  Numbers
 * are small integers, so that results are exact.  What each member counted must
 * be asl_predict_* in every counter, and what it held, asl_reduce*_room.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/rank/collective.h"
#include "tests/help/random.h"

enum what {
	ALLGATHER,
	REDUCE_SCATTER,
	REDUCE_SCATTER_TILE,
	GATHER,
	SCATTER,
	BROADCAST,
	REDUCE,
	SUM_FEW,
	WHATS
};

static const char *const names[WHATS] = {
	"allgather", "reduce_scatter", "reduce_scatter_tile",
	"gather",    "scatter",	       "broadcast",
	"reduce",    "sum_few",
};

enum { MOST = 40 };

/*
 * Members of line l are skip + l + i * lines, i < p, or the same in an order of
 * their own; the ranks around idle.
 */
struct trial {
	enum what what;
	int p, root, lines, skip, beyond;
	int turn;    /* member i is the (turn i)th of the line; 0: in order */
	bool behind; /* what the rank computes */
	uint64_t W;
	enum asl_where to, from; /* results, operands */
	enum asl_phase phase;
	const char *store;
	uint64_t salt;

	int wrong; /* found by the members */
	uint64_t sent, received;
};

static int ranks_of(const struct trial *t)
{
	return t->skip + t->lines * t->p + t->beyond;
}

/* Word i of member j's vector, on one line. */
static double word(const struct trial *t, int line, int j, uint64_t i)
{
	uint64_t x = t->salt + (uint64_t)line * 7919 + (uint64_t)j * 104729 +
		     i * 31 + i * (uint64_t)j;

	return (double)(x % 1021) - 500;
}

static double sum_of_words(const struct trial *t, int line, uint64_t i)
{
	double sum = 0;

	for (int j = 0; j < t->p; j++)
		sum += word(t, line, j, i);
	return sum;
}

/* ---- One member ---- */

struct member {
	struct trial *t;
	struct asl_rank *r;
	struct asl_group g;
	int line;
	uint64_t operands; /* words held besides what the collective takes */
};

static void complain(struct member *m, const char *what, uint64_t index,
		     double got, double want)
{
	struct trial *t = m->t;

	if (t->wrong++ < 8)
		print_error("%s p=%d W=%ju root=%d lines=%d to=%d from=%d "
			    "store=%s: member %d: %s %ju is %.0f, not %.0f\n",
			    names[t->what], t->p, t->W, t->root, t->lines,
			    t->to, t->from, t->store, m->g.me, what, index, got,
			    want);
}

static void expect_word(struct member *m, const struct asl_words *x, uint64_t i,
			double want)
{
	if (x->at && x->at[i] != want)
		complain(m, "word", i, x->at[i], want);
}

static struct asl_words take(struct member *m, enum asl_where where,
			     uint64_t words)
{
	struct asl_words x;

	asl_take(m->r, &x, where, words);
	m->operands += words;
	for (uint64_t i = 0; x.at && i < words; i++)
		x.at[i] = 1e6; /* of no use to anybody */
	return x;
}

/* Words first to first + count of member j's vector, at the same place of x. */
static void fill(struct member *m, struct asl_words *x, int j,
		 struct asl_range range)
{
	for (uint64_t i = 0; x->at && i < range.count; i++)
		x->at[range.first + i] =
			word(m->t, m->line, j, range.first + i);
}

static struct asl_range everything(const struct trial *t)
{
	return (struct asl_range){0, t->W};
}

static void begin(struct member *m)
{
	asl_phase(m->r, m->t->phase);
	if (m->t->behind)
		asl_overlap_begin(m->r);
}

static void end(struct member *m)
{
	asl_phase(m->r, ASL_VERIFY);
	if (m->t->behind) {
		asl_overlap_end(m->r);
		asl_overlap_wait(m->r);
	}
}

/* Word i of the vector of which each member had its share. */
static double shared_word(const struct trial *t, int line, uint64_t i)
{
	for (int j = 0; j < t->p; j++) {
		struct asl_range own = asl_share(t->W, t->p, j);

		if (i >= own.first && i < own.first + own.count)
			return word(t, line, j, i);
	}
	return 1e9;
}

static uint64_t try_allgather(struct member *m, struct asl_counts *x)
{
	const struct trial *t = m->t;
	struct asl_words all = take(m, t->to, t->W);

	fill(m, &all, m->g.me, asl_share(t->W, t->p, m->g.me));
	begin(m);
	asl_allgather(m->r, &m->g, &all);
	end(m);
	for (uint64_t i = 0; i < t->W; i++)
		expect_word(m, &all, i, shared_word(t, m->line, i));
	asl_give(m->r, &all);
	asl_predict_allgather(x, t->W, t->p, m->g.me, t->to);
	return 0;
}

static uint64_t try_reduce_scatter(struct member *m, struct asl_counts *x)
{
	const struct trial *t = m->t;
	struct asl_range own = asl_share(t->W, t->p, m->g.me);
	struct asl_words mine = take(m, t->to, own.count);
	struct asl_words whole = take(m, t->from, t->W);

	fill(m, &whole, m->g.me, everything(t));
	begin(m);
	asl_reduce_scatter(m->r, &m->g, &mine, &whole);
	end(m);
	for (uint64_t i = 0; i < own.count && t->p > 1; i++)
		expect_word(m, &mine, i,
			    sum_of_words(t, m->line, own.first + i));
	for (uint64_t i = 0; i < t->W; i++)
		expect_word(m, &whole, i, word(t, m->line, m->g.me, i));
	asl_give(m->r, &whole);
	asl_give(m->r, &mine);
	asl_predict_reduce_scatter(x, t->W, t->p, m->g.me, t->to, t->from);
	return asl_reduce_scatter_scratch(t->W, t->p, m->g.me);
}

static uint64_t try_reduce_scatter_tile(struct member *m, struct asl_counts *x)
{
	const struct trial *t = m->t;
	struct asl_range own = asl_share(t->W, t->p, m->g.me);
	struct asl_words mine = take(m, t->to, own.count);
	struct asl_words whole;
	struct asl_tile tile;

	asl_tile_take(m->r, &tile, 1, t->W);
	whole = asl_tile_words(&tile, 0, t->W);
	fill(m, &whole, m->g.me, everything(t));
	begin(m);
	asl_reduce_scatter_tile(m->r, &m->g, &mine, &tile);
	end(m);
	for (uint64_t i = 0; i < own.count; i++)
		expect_word(m, &mine, i,
			    sum_of_words(t, m->line, own.first + i));
	asl_tile_give(m->r, &tile);
	asl_give(m->r, &mine);
	asl_predict_reduce_scatter_tile(x, t->W, t->p, m->g.me, t->to);
	return asl_reduce_scatter_tile_scratch(t->W, t->p, m->g.me);
}

static uint64_t try_gather(struct member *m, struct asl_counts *x)
{
	const struct trial *t = m->t;
	struct asl_range own = asl_share(t->W, t->p, m->g.me);
	bool root = m->g.me == t->root;
	struct asl_words all =
		take(m, root ? t->to : t->from, root ? t->W : own.count);
	struct asl_words mine = all;

	if (root)
		mine = asl_slice(&all, own.first, own.count);
	for (uint64_t i = 0; mine.at && i < own.count; i++)
		mine.at[i] = word(t, m->line, m->g.me, own.first + i);
	begin(m);
	asl_gather(m->r, &m->g, t->root, root ? &all : NULL, &mine);
	end(m);
	for (uint64_t i = 0; root && i < t->W; i++)
		expect_word(m, &all, i, shared_word(t, m->line, i));
	asl_give(m->r, &all);
	asl_predict_gather(x, t->W, t->p, m->g.me, t->root, t->to, t->from);
	return 0;
}

static uint64_t try_scatter(struct member *m, struct asl_counts *x)
{
	const struct trial *t = m->t;
	struct asl_range own = asl_share(t->W, t->p, m->g.me);
	bool root = m->g.me == t->root;
	struct asl_words all =
		take(m, root ? t->from : t->to, root ? t->W : own.count);
	struct asl_words mine = all;

	if (root) {
		fill(m, &all, t->root, everything(t));
		mine = asl_slice(&all, own.first, own.count);
	}
	begin(m);
	asl_scatter(m->r, &m->g, t->root, &mine, root ? &all : NULL);
	end(m);
	for (uint64_t i = 0; i < own.count; i++)
		expect_word(m, &mine, i,
			    word(t, m->line, t->root, own.first + i));
	asl_give(m->r, &all);
	asl_predict_scatter(x, t->W, t->p, m->g.me, t->root, t->to, t->from);
	return 0;
}

static uint64_t try_broadcast(struct member *m, struct asl_counts *x)
{
	const struct trial *t = m->t;
	struct asl_words all = take(m, t->to, t->W);

	if (m->g.me == t->root)
		fill(m, &all, t->root, everything(t));
	begin(m);
	asl_broadcast(m->r, &m->g, t->root, &all);
	end(m);
	for (uint64_t i = 0; i < t->W; i++)
		expect_word(m, &all, i, word(t, m->line, t->root, i));
	asl_give(m->r, &all);
	asl_predict_broadcast(x, t->W, t->p, m->g.me, t->root, t->to);
	return 0;
}

static uint64_t try_reduce(struct member *m, struct asl_counts *x)
{
	const struct trial *t = m->t;
	bool root = m->g.me == t->root;
	struct asl_words sum = take(m, t->to, root ? t->W : 0);
	struct asl_words whole = take(m, t->from, t->W);

	fill(m, &whole, m->g.me, everything(t));
	begin(m);
	asl_reduce(m->r, &m->g, t->root, root ? &sum : NULL, &whole);
	end(m);
	for (uint64_t i = 0; root && t->p > 1 && i < t->W; i++)
		expect_word(m, &sum, i, sum_of_words(t, m->line, i));
	for (uint64_t i = 0; i < t->W; i++)
		expect_word(m, &whole, i, word(t, m->line, m->g.me, i));
	asl_give(m->r, &whole);
	asl_give(m->r, &sum);
	asl_predict_reduce(x, t->W, t->p, m->g.me, t->root, t->to, t->from);
	return asl_reduce_scratch(t->W, t->p, m->g.me, t->root);
}

static uint64_t try_sum_few(struct member *m, struct asl_counts *x)
{
	const struct trial *t = m->t;
	struct asl_words sum = take(m, ASL_DRAM, t->W);
	struct asl_words in = take(m, ASL_DRAM, t->W);

	fill(m, &sum, m->g.me, everything(t));
	begin(m);
	asl_sum_few(m->r, &m->g, &sum, &in);
	end(m);
	for (uint64_t i = 0; i < t->W; i++)
		expect_word(m, &sum, i, sum_of_words(t, m->line, i));
	asl_give(m->r, &in);
	asl_give(m->r, &sum);
	asl_predict_sum_few(x, t->W, t->p, m->g.me);
	return 0;
}

static uint64_t (*const tries[WHATS])(struct member *, struct asl_counts *) = {
	try_allgather, try_reduce_scatter, try_reduce_scatter_tile,
	try_gather,    try_scatter,	   try_broadcast,
	try_reduce,    try_sum_few,
};

static void expect_counts(struct member *m, const struct asl_counts *want)
{
	for (int p = 0; p < ASL_PHASES; p++)
		for (int c = 0; c < ASL_COUNTERS; c++) {
			uint64_t got = m->r->ledger.in[p].of[c];
			uint64_t due = p == (int)m->t->phase ? want->of[c] : 0;

			if (got != due)
				complain(m, asl_counter_name(c), (uint64_t)p,
					 (double)got, (double)due);
		}
}

static void be_member(struct member *m)
{
	struct asl_counts want = {{0}};
	uint64_t room = tries[m->t->what](m, &want);
	uint64_t high = m->r->ledger.memory_high;

	expect_counts(m, &want);
	if (high != m->operands + room)
		complain(m, "memory high", 0, (double)high,
			 (double)(m->operands + room));
	if (m->r->held[ASL_POOL] + m->r->held[ASL_DRAM])
		complain(m, "held in the end", 0,
			 (double)(m->r->held[ASL_POOL] + m->r->held[ASL_DRAM]),
			 0);
	m->t->sent += m->r->ledger.in[m->t->phase].of[ASL_NET_SEND];
	m->t->received += m->r->ledger.in[m->t->phase].of[ASL_NET_RECV];
}

/* ---- All ranks ---- */

/* The same ranks, but member i is the one that was (turn i)th. */
static void reorder(struct asl_group *g, int list[MOST], const struct trial *t)
{
	int was = g->me;

	for (int i = 0; i < t->p; i++) {
		list[i] = g->first + t->turn * i % t->p * g->stride;
		if (t->turn * i % t->p == was)
			g->me = i;
	}
	*g = (struct asl_group){.size = t->p, .me = g->me, .list = list};
}

static int body(struct asl_net *net, void *arg)
{
	static const struct asl_costs costs = {.read = 1, .write = 2, .net = 3};
	struct trial *t = arg;
	struct asl_store_want pool = {.name = t->store};
	struct asl_rank_want want = {
		.net = net, .cache = 1 << 20, .costs = &costs};
	int place = asl_net_rank(net) - t->skip;
	int list[MOST];
	struct asl_rank r;
	int err = 0;

	if (place < 0 || place >= t->p * t->lines)
		return 0;
	err |= asl_store_open(&want.pool, &pool);
	err |= asl_store_open(&want.staging, &pool);
	if (!err) {
		struct member m = {.t = t, .r = &r, .line = place % t->lines};

		asl_rank_init(&r, &want);
		m.g = (struct asl_group){.first = t->skip + m.line,
					 .stride = t->lines,
					 .size = t->p,
					 .me = place / t->lines};
		if (t->turn)
			reorder(&m.g, list, t);
		be_member(&m);
		err = r.err;
	}
	asl_store_close(want.staging);
	asl_store_close(want.pool);
	return err;
}

static void run_trial(struct trial *t, unsigned number)
{
	struct asl_net_want want = {.transport = "sim",
				    .ranks = ranks_of(t),
				    .data = strcmp(t->store, "null")};
	int err = asl_net_run(&want, body, t);

	if (t->sent != t->received)
		print_error("sent %ju, received %ju\n", t->sent, t->received);
	if (err || t->wrong || t->sent != t->received) {
		print_error("case %u: %s p=%d: error %d (%s), %d wrong\n",
			    number, names[t->what], t->p, err, asl_failure(),
			    t->wrong);
		fail();
	}
}

static uint64_t roll_length(struct dice *d, int p)
{
	switch (roll(d, 0, 7)) {
	case 0:
		return roll(d, 0, 2);
	case 1:
		return roll(d, 0, (uint64_t)p);
	case 2:
		return (uint64_t)p * roll(d, 1, 20);
	default:
		return roll_size(d, 9);
	}
}

static struct trial roll_trial(struct dice *d)
{
	struct trial t = {.what = (enum what)roll(d, 0, WHATS - 1)};

	t.p = roll(d, 0, 2) ? (int)roll(d, 1, MOST) : 1 << roll(d, 0, 5);
	t.root = (int)roll(d, 0, (uint64_t)t.p - 1);
	t.lines = (int)roll(d, 1, 4);
	t.skip = (int)roll(d, 0, 2);
	t.beyond = (int)roll(d, 0, 1);
	t.W = roll_length(d, t.p);
	t.to = roll(d, 0, 1) ? ASL_DRAM : ASL_POOL;
	t.from = roll(d, 0, 1) ? ASL_DRAM : ASL_POOL;
	t.phase = (enum asl_phase)roll(d, ASL_GATHER, ASL_EXCHANGE);
	if (roll(d, 0, 1))
		t.turn = t.p - 1; /* of one rank: 0 */
	if (t.p % 7 && roll(d, 0, 1))
		t.turn = 7;
	t.behind = t.what != REDUCE && t.what != REDUCE_SCATTER &&
		   t.what != REDUCE_SCATTER_TILE && t.what != SUM_FEW &&
		   roll(d, 0, 1);
	t.store = roll(d, 0, 3) ? "dram" : "null";
	t.salt = roll(d, 0, 1000000);
	return t;
}

static void random_collectives(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct dice d = {11, i, 0};
		struct trial t;

		if (leave_out(i))
			continue;
		t = roll_trial(&d);
		run_trial(&t, i);
	}
}

/* Every group size and every root, at lengths around p. */
static void all_sizes_and_roots(void **state)
{
	unsigned number = 0;

	(void)state;
	for (int what = 0; what < WHATS; what++)
		for (int p = 1; p <= 9; p++)
			for (int root = 0; root < p; root++)
				for (int W = 0; W <= 2 * p + 1; W++) {
					struct trial t = {
						.what = (enum what)what,
						.p = p,
						.root = root,
						.lines = 1,
						.W = (uint64_t)W,
						.phase = ASL_REDUCE,
						.store = "dram",
					};

					run_trial(&t, number++);
				}
}

/* ---- Clocks, with data and without ---- */

/* What a member of a ring knows in the end. */
struct told {
	struct asl_ledger ledger;
	struct asl_net_stamp clock;
	struct asl_spent spent;
};

/* Members are first + i * stride; bit i of `in_pool`: member i's words lie there. */
struct ring_trial {
	int p, first, stride, rounds;
	uint64_t W, in_pool, salt;
	bool timed, shifts, leaves_out;
	int flight; /* of shifts */
	const char *store;
	struct told told[MOST];
};

static void make_times(struct asl_times *x)
{
	*x = (struct asl_times){.write = {[ASL_POOL] = 0.7, [ASL_DRAM] = 0.3},
				.row = 100.3,
				.message = 7.9};
	for (int i = 0; i < ASL_STEP_SIZES; i++) {
		x->words[i] = 1 << i;
		x->step[i] = 90.1 + 1.3 * (1 << i);
		x->crowded[i] = 240.7 + 2.9 * (1 << i);
	}
}

/* Steps of a shift each, in which some rest; out of the first half, into the rest. */
struct shifting {
	const struct ring_trial *t;
	const struct asl_group *g;
	struct asl_words all;
};

static uint64_t scramble(uint64_t x, uint64_t y)
{
	x = (x + 1) * 6364136223846793005 + (y + 1) * 1442695040888963407;
	return (x ^ x >> 29) * 6364136223846793005 >> 40;
}

/* Words that a member sends in a step; 0: none. */
static uint64_t shifted(const struct shifting *x, int member, int i)
{
	uint64_t y =
		scramble(scramble(x->t->salt, (uint64_t)i), (uint64_t)member);

	return y % 3 ? y / 3 % (x->t->W / 2 + 1) : 0;
}

static int steps_of(const struct ring_trial *t)
{
	return (int)(t->salt % (t->flight ? 30 : 9));
}

static int distance(const struct shifting *x, int i)
{
	return (int)(scramble(x->t->salt, (uint64_t)i) % (uint64_t)x->g->size);
}

static void before_shift(struct asl_rank *r, int i, struct asl_step *x,
			 void *arg)
{
	const struct shifting *s = arg;
	int p = s->g->size, by = distance(s, i);
	int from = (s->g->me + p - by) % p;
	uint64_t out = shifted(s, s->g->me, i), in = shifted(s, from, i);

	asl_spend(r, ASL_ON_ARITHMETIC, (double)out / 7);
	if (out) {
		x->to = asl_member(s->g, (s->g->me + by) % p);
		x->out = asl_slice(&s->all, 0, out);
	}
	if (in) {
		x->from = asl_member(s->g, from);
		x->in = asl_slice(&s->all, s->t->W / 2, in);
	}
}

/* That in which this member sends or receives. */
static int next_shift(const struct asl_rank *r, int i, void *arg)
{
	const struct shifting *s = arg;
	int p = s->g->size, steps = steps_of(s->t);

	(void)r;
	for (; i < steps; i++) {
		int from = (s->g->me + p - distance(s, i)) % p;

		if (shifted(s, s->g->me, i) || shifted(s, from, i))
			break;
	}
	return i;
}

static void after_shift(struct asl_rank *r, int i, void *arg)
{
	const struct shifting *s = arg;

	asl_charge(r, ASL_DRAM_READ, scramble((uint64_t)i, s->t->salt) >> 20);
}

static void shift(struct asl_rank *r, const struct asl_group *g,
		  const struct ring_trial *t, const struct asl_words *all)
{
	struct shifting s = {t, g, *all};
	struct asl_exchanges x = {
		.steps = steps_of(t),
		.before = before_shift,
		.after = after_shift,
		.next = t->leaves_out ? next_shift : NULL,
		.arg = &s,
		.flight = t->flight,
	};

	asl_exchange_all(r, g, &x);
}

/* Members come at different times, and again when others are still at it. */
static void go_round(struct asl_rank *r, const struct asl_group *g,
		     const struct ring_trial *t)
{
	struct asl_words all;
	uint64_t x = t->salt;

	asl_phase(r, ASL_GATHER);
	asl_take(r, &all, t->in_pool >> g->me & 1 ? ASL_POOL : ASL_DRAM, t->W);
	for (int i = 0; i < t->rounds; i++) {
		x = x * 6364136223846793005 + (uint64_t)g->me;
		asl_charge(r, ASL_FLOPS, x >> 50);
		asl_spend(r, ASL_ON_ARITHMETIC, (double)(x >> 40) / 7e3);
		if (t->shifts)
			shift(r, g, t, &all);
		else
			asl_allgather(r, g, &all);
	}
	asl_give(r, &all);
}

static int ring_body(struct asl_net *net, void *arg)
{
	static const struct asl_costs costs = {1.1, 2.3, 0.9,  1.7,
					       0.7, 5.3, 0.013};
	struct ring_trial *t = arg;
	struct asl_store_want pool = {.name = t->store};
	struct asl_times times;
	struct asl_rank_want want = {
		.net = net, .cache = 1 << 20, .costs = &costs, .crowded = true};
	int place = asl_net_rank(net) - t->first, me = place / t->stride, err;
	struct asl_group g = {t->first, t->stride, t->p, me, NULL};
	struct asl_rank r;

	if (place < 0 || place % t->stride || me >= t->p)
		return 0;
	make_times(&times);
	want.times = t->timed ? &times : NULL;
	err = asl_store_open(&want.pool, &pool);
	err |= asl_store_open(&want.staging, &pool);
	if (!err) {
		asl_rank_init(&r, &want);
		go_round(&r, &g, t);
		t->told[me] = (struct told){r.ledger, r.clock, r.spent};
		err = r.err;
	}
	asl_store_close(want.staging);
	asl_store_close(want.pool);
	return err;
}

static void run_ring(struct ring_trial *t, const char *store)
{
	struct asl_net_want want = {.transport = "sim",
				    .ranks = t->first + t->p * t->stride,
				    .data = strcmp(store, "null")};

	t->store = store;
	assert_int_equal(asl_net_run(&want, ring_body, t), 0);
}

static void steps_without_data_keep_counts_and_clocks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct dice d = {12, i, 0};
		struct ring_trial with = {
			.p = (int)roll(&d, 1, MOST),
			.first = (int)roll(&d, 0, 3),
			.stride = (int)roll(&d, 1, 3),
			.rounds = (int)roll(&d, 1, 3),
			.W = roll_size(&d, 9),
			.in_pool = roll(&d, 0, 1) ? roll(&d, 0, 1 << 20) : 0,
			.salt = roll(&d, 0, 1000000),
			.timed = roll(&d, 0, 1),
			.shifts = i % 2,
			.flight = i % 4 == 3 ? (int)roll(&d, 1, 20) : 0,
			.leaves_out = i % 8 == 7,
		};
		struct ring_trial without = with;

		if (leave_out(i))
			continue;
		run_ring(&with, "dram");
		run_ring(&without, "null");
		for (int j = 0; j < with.p; j++)
			/* To the last bit: the same sums in the same order. */
			if (memcmp(&with.told[j], &without.told[j],
				   sizeof *with.told)) {
				print_error("case %u: member %d of %d, W=%ju: "
					    "clocks %.17g, %.17g\n",
					    i, j, with.p, with.W,
					    with.told[j].clock.at[0],
					    without.told[j].clock.at[0]);
				fail();
			}
	}
}

/* ---- The table of words and steps ---- */

static uint64_t log2_of(int p)
{
	uint64_t x = 0;

	for (; p > 1; p /= 2)
		x++;
	return x;
}

static void expect(uint64_t got, uint64_t want, const char *what, int p, int j)
{
	if (got == want)
		return;
	print_error("%s of member %d of %d: %ju, not %ju\n", what, j, p, got,
		    want);
	fail();
}

static void even_parts_follow_the_table(void **state)
{
	(void)state;
	for (int p = 2; p <= 70; p++)
		for (int j = 0; j < p; j++) {
			uint64_t each = 12, W = each * (uint64_t)p;
			uint64_t others = W - each;
			uint64_t steps = asl_is_power_of_two(p)
						 ? log2_of(p)
						 : (uint64_t)p - 1;
			struct asl_counts g = {{0}}, s = {{0}}, b = {{0}},
					  r = {{0}}, one = {{0}};

			asl_predict_allgather(&g, W, p, j, ASL_POOL);
			expect(g.of[ASL_NET_SEND], others, "allgather", p, j);
			expect(g.of[ASL_NET_RECV], others, "allgather", p, j);
			expect(g.of[ASL_BH], others, "allgather B_h", p, j);
			expect(g.of[ASL_NET_MSGS], steps, "steps", p, j);
			asl_predict_reduce_scatter(&s, W, p, j, ASL_POOL,
						   ASL_POOL);
			expect(s.of[ASL_NET_SEND], others, "scattered", p, j);
			expect(s.of[ASL_NET_RECV], others, "scattered", p, j);
			expect(s.of[ASL_BH], others, "scattered B_h", p, j);
			expect(s.of[ASL_NET_MSGS], steps, "steps", p, j);
			asl_predict_broadcast(&b, W, p, j, j, ASL_POOL);
			expect(b.of[ASL_BH], 2 * others, "broadcast", p, j);
			expect(b.of[ASL_NET_SEND], 2 * others, "bcast", p, j);
			asl_predict_reduce(&r, W, p, j, j, ASL_POOL, ASL_POOL);
			expect(r.of[ASL_BH], 2 * others, "reduce", p, j);
			expect(r.of[ASL_NET_RECV], 2 * others, "reduce", p, j);
			asl_predict_gather(&one, W, p, j, j, ASL_POOL,
					   ASL_POOL);
			expect(one.of[ASL_NET_RECV], others, "gather", p, j);
		}
}

/* However W is cut, no member gets off with less than (1 - 1/p) W. */
static void uneven_parts_cost_no_less(void **state)
{
	(void)state;
	for (int j = 0; j < 32; j++) {
		struct asl_counts x = {{0}};

		asl_predict_allgather(&x, 90000, 32, j, ASL_DRAM);
		expect(x.of[ASL_BH], 87188, "B_h of 90000 words", 32, j);
	}
	for (int p = 3; p <= 40; p++)
		for (uint64_t W = 1; W < 200; W++)
			for (int j = 0; j < p; j++) {
				uint64_t fair = (W * (uint64_t)(p - 1) +
						 (uint64_t)p - 1) /
						(uint64_t)p;
				struct asl_counts x = {{0}};

				asl_predict_allgather(&x, W, p, j, ASL_DRAM);
				if (x.of[ASL_BH] < fair)
					expect(x.of[ASL_BH], fair,
					       "B_h below its share", p, j);
			}
}

static void near(double a, double b)
{
	if (fabs(a - b) > 1e-9 * (1 + fabs(b)))
		fail_msg("%.12g instead of %.12g ns", a, b);
}

/*
 * On a shared core a step and the work after it take what a step between products does,
 * if there is so much work; and steps in a row, what their words do.
 */
static void shared_cores_pay_for_the_cache_once(void **state)
{
	struct asl_times times;

	(void)state;
	make_times(&times);
	for (unsigned i = 0; i < 1000; i++) {
		struct dice d = {13, i, 0};
		struct asl_rank r = {.phase = ASL_COMPUTE, .times = &times};
		double work = (double)roll(&d, 0, 300), own = 0, later = 0;
		double words = (double)roll_size(&d, 12);

		for (int s = (int)roll(&d, 1, 9); s > 0; s--) {
			struct asl_step_work x =
				asl_step_work(&times, (uint64_t)words, true);

			asl_spend_work(&r, ASL_ON_NETWORK, x.own);
			r.owed = later = x.later;
			own += x.own;
			near(x.own + x.later, 240.7 + 2.9 * words);
			near(x.own, 100.3 + 2.9 * (words - 1));
		}
		asl_spend(&r, ASL_ON_ARITHMETIC, work / 2);
		asl_spend(&r, ASL_ON_READING, work / 2);
		near(r.spent.ns[ASL_ON_NETWORK], own + fmin(later, work));
		near(asl_step_work(&times, (uint64_t)words, false).own,
		     asl_step_ns(&times, (uint64_t)words));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_collectives),
		cmocka_unit_test(shared_cores_pay_for_the_cache_once),
		cmocka_unit_test(all_sizes_and_roots),
		cmocka_unit_test(steps_without_data_keep_counts_and_clocks),
		cmocka_unit_test(even_parts_follow_the_table),
		cmocka_unit_test(uneven_parts_cost_no_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
