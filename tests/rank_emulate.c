/*
 * rank_emulate.c -- words that take as long as on another machine
 *
 * A shared bandwidth is never handed out twice, nor left unused while somebody
 * wants it: under a clock that the test makes up, and by processes that race.
 * The verbs then take as long as they should, at least; that they take no longer
 * is not certain on a machine that does other things (bench/measure/emulation shows it).
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/rank/bucket.h"
#include "lib/rank/emulate.h"
#include "tests/help/random.h"

/* ---- A bandwidth ---- */

struct served {
	uint64_t begin, end;
};

enum { SHARERS = 5, REQUESTS = 200 };

/* Whose clock is the earliest? */
static int next_of(const uint64_t *clock)
{
	int next = 0;

	for (int i = 1; i < SHARERS; i++)
		if (clock[i] < clock[next])
			next = i;
	return next;
}

/* Ranks ask, are served, compute for a while, and ask again. */
static void share_once(uint32_t number)
{
	struct dice d = {.family = 41, .number = number};
	struct asl_bucket b = {0};
	uint64_t clock[SHARERS] = {0}, busy_until = 0, longest = 0;
	int idle = (int)roll(&d, 0, 2);

	for (int i = 0; i < REQUESTS; i++) {
		int who = next_of(clock);
		uint64_t takes = roll_size(&d, 20), from = clock[who];
		uint64_t end = asl_bucket_serve(&b, from, takes);

		/* Nothing is served twice as fast, */
		assert_true(end - takes >= busy_until);
		assert_true(end - takes >= from);
		/* nor later than it could be, */
		assert_true(end - takes == from || end - takes == busy_until);
		busy_until = end;
		longest = takes > longest ? takes : longest;
		/* and each other rank was served once meanwhile, at most. */
		assert_true(end - from <= SHARERS * longest);
		clock[who] = end + (idle ? roll_size(&d, 20 * idle) : 0);
	}
}

static void bandwidth_is_shared_fairly(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 500; i++)
		share_once(i);
}

enum { RACERS = 4, LAPS = 20000 };

struct race {
	struct asl_bucket bucket;
	struct served lap[RACERS][LAPS];
};

static _Noreturn void be_racer(struct race *race, int who)
{
	struct dice d = {.family = 42, .number = (uint32_t)who};
	uint64_t end = 0;

	for (int i = 0; i < LAPS; i++) {
		uint64_t takes = roll(&d, 1, 100);

		end = asl_bucket_serve(&race->bucket, end, takes);
		race->lap[who][i] = (struct served){end - takes, end};
	}
	_exit(0);
}

static int by_begin(const void *a, const void *b)
{
	const struct served *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void processes_race_for_it(void **state)
{
	struct race *race = mmap(NULL, sizeof *race, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct served *all;
	int status;

	(void)state;
	assert_true(race != MAP_FAILED);
	for (int i = 0; i < RACERS; i++)
		if (fork() == 0)
			be_racer(race, i);
	for (int i = 0; i < RACERS; i++) {
		wait(&status);
		assert_int_equal(status, 0);
	}
	all = &race->lap[0][0];
	qsort(all, RACERS * LAPS, sizeof *all, by_begin);
	/* Somebody always wanted it: there are no gaps either. */
	assert_int_equal(all[0].begin, 0);
	for (int i = 1; i < RACERS * LAPS; i++)
		assert_int_equal(all[i].begin, all[i - 1].end);
	munmap(race, sizeof *race);
}

/* ---- The verbs ---- */

enum { CACHE = 1200, SIDE = 30 };

/* The same verbs with a pace and without. */
struct session {
	const struct asl_emulation *as; /* NULL: none */
	uint32_t number;
	struct asl_ledger ledger;
	struct asl_seconds seconds;
	double wall_s, expected_s;
};

static uint64_t lines(uint64_t words, int line_bytes)
{
	uint64_t line = (uint64_t)line_bytes;

	return (words * 8 + line - 1) / line * line / 8;
}

/* In seconds. */
static double read_takes(const struct asl_emulation *as, uint64_t words)
{
	return words ? 1e-9 * (as->latency[ASL_READS] +
			       as->word[ASL_READS] * (double)words)
		     : 0;
}

static double write_takes(const struct asl_emulation *as, uint64_t runs,
			  uint64_t run)
{
	return 1e-9 * (as->latency[ASL_WRITES] +
		       as->word[ASL_WRITES] *
			       (double)(runs * lines(run, as->line_bytes)));
}

static void look_at(const double *at, void *arg)
{
	*(double *)arg += *at;
}

/* One verb of any kind on a part of x, a SIDE x SIDE block; what it takes. */
static double act(struct asl_rank *r, struct dice *d, struct asl_words *x,
		  struct asl_words *y, struct asl_tile *t,
		  const struct asl_emulation *as)
{
	uint64_t rows = roll(d, 1, SIDE), cols = roll(d, 1, SIDE);
	uint64_t words = roll(d, 1, SIDE * SIDE);
	struct asl_block whole = asl_as_block(x, SIDE, SIDE);
	struct asl_block part = asl_sub_block(&whole, 0, 0, rows, cols);
	struct asl_block square = asl_sub_block(&whole, 0, 0, 9, 9);
	struct asl_words some = asl_slice(x, 0, words);
	struct asl_words other = asl_slice(y, 0, words);
	uint64_t runs = cols == SIDE ? 1 : rows;
	double sum = 0;

	switch (roll(d, 0, 6)) {
	case 0:
		asl_tile_load(r, t, &part);
		return read_takes(as, rows * cols);
	case 1:
		asl_tile_zero(t, rows, cols);
		asl_tile_store(r, &part, t);
		return write_takes(as, runs, rows * cols / runs);
	case 2:
		asl_copy(r, &some, &other);
		return write_takes(as, 1, words);
	case 3:
		asl_copy(r, &other, &some);
		return read_takes(as, words);
	case 4:
		asl_add(r, &some, &some, &other);
		return read_takes(as, words) + write_takes(as, 1, words);
	case 5:
		asl_tile_zero(t, 9, 9);
		asl_multiply(r, t, &square, &square, 1);
		return read_takes(as, 2 * 81);
	default:
		asl_compute(r, &some, 0, look_at, &sum);
		return read_takes(as, words);
	}
}

static void act_often(struct asl_rank *r, struct session *s)
{
	static const struct asl_emulation none = {.line_bytes = 8};
	struct dice d = {.family = 43, .number = s->number};
	struct asl_words x, y;
	struct asl_tile t;
	double since;

	asl_take(r, &x, ASL_POOL, SIDE * SIDE);
	asl_take(r, &y, ASL_DRAM, SIDE * SIDE);
	memset(x.at, 0, SIDE * SIDE * sizeof *x.at);
	memset(y.at, 0, SIDE * SIDE * sizeof *y.at);
	asl_tile_take(r, &t, SIDE, SIDE);
	asl_phase(r, ASL_FILL);
	for (int i = 0; i < 5; i++)
		act(r, &d, &x, &y, &t, &none);
	asl_phase(r, ASL_COMPUTE);
	since = asl_now();
	for (int i = 0; i < 40; i++)
		s->expected_s += act(r, &d, &x, &y, &t, s->as ? s->as : &none);
	s->wall_s = asl_now() - since;
	asl_tile_give(r, &t);
	asl_give(r, &y);
	asl_give(r, &x);
}

static int be_rank(struct asl_net *net, void *arg)
{
	struct session *s = arg;
	struct asl_store_want store = {.name = "dram"};
	struct asl_costs costs = {0};
	struct asl_rank_want want = {.net = net, .cache = CACHE};
	struct asl_emulator *emulator = NULL;
	struct asl_rank r;

	want.costs = &costs;
	asl_store_open(&want.pool, &store);
	asl_store_open(&want.staging, &store);
	asl_rank_init(&r, &want);
	if (s->as && asl_emulator_open(&emulator, s->as, net))
		print_error("%s\n", asl_failure());
	r.emulator = emulator;
	act_often(&r, s);
	s->ledger = r.ledger;
	s->seconds = r.seconds;
	asl_emulator_close(emulator);
	asl_store_close(want.staging);
	asl_store_close(want.pool);
	return r.err;
}

static void run(struct session *s)
{
	struct asl_net_want want = {
		.transport = "sim", .ranks = 1, .data = true};

	assert_int_equal(asl_net_run(&want, be_rank, s), 0);
}

static struct asl_emulation random_machine(struct dice *d)
{
	static const int line[] = {8, 64, 256};
	struct asl_emulation as = {
		.name = "made up",
		.word = {(double)roll(d, 50, 400), (double)roll(d, 50, 1600)},
		.latency = {(double)roll(d, 0, 3000), (double)roll(d, 0, 900)},
		.line_bytes = line[roll(d, 0, 2)],
	};

	return as;
}

/* A debt of the last microsecond may be left, and rounding of each turn. */
static void verbs_once(uint32_t number)
{
	struct dice d = {.family = 44, .number = number};
	struct asl_emulation as = random_machine(&d);
	struct session with = {.as = &as, .number = number};
	struct session without = {.number = number};
	double debt = 1e-6;

	run(&with);
	run(&without);
	if (fabs(with.seconds.target - with.expected_s) > 1e-9 ||
	    with.wall_s < with.expected_s - debt ||
	    with.seconds.io < with.expected_s - debt) {
		print_error("case %u: expected %.9g s, the rank's target is "
			    "%.9g, its io %.9g, the wall's %.9g\n",
			    number, with.expected_s, with.seconds.target,
			    with.seconds.io, with.wall_s);
		fail();
	}
	assert_true(with.seconds.late >= 0);
	assert_true(fabs(with.seconds.queued) < 1e-9);
	assert_memory_equal(&with.ledger, &without.ledger, sizeof with.ledger);
	assert_true(without.seconds.target == 0);
}

static void verbs_take_their_time(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 60; i++)
		verbs_once(i);
}

/* ---- Steps ---- */

static const struct asl_emulation wire = {
	.name = "a wire",
	.word = {1, 1},
	.net = 100,
	.message = 50e3,
};

/* One end began now, the other a while ago, or is not there. */
static int step(struct asl_rank *r, struct dice *d)
{
	uint64_t words = roll(d, 1, 5000);
	double now = asl_now(), before = now - 1e-3 * (double)roll(d, 1, 50);
	bool late = roll(d, 0, 1), hears = roll(d, 0, 1);
	struct asl_net_op op = {
		.to = 1 - r->id,
		.from = hears ? 1 - r->id : ASL_NET_NONE,
		.out_bytes = roll(d, 0, words) * sizeof(double),
		.in_bytes = words * sizeof(double),
		.sent.since = hears && late ? before : now,
		.got.since = late ? now : before,
	};
	double due = now + 1e-9 * (wire.message + wire.net * (double)words);
	bool ended;
	int early;

	asl_emulator_start_overlap(r->emulator);
	ended = asl_emulator_overlap_ended(r->emulator, &op);
	early = ended && asl_now() < due;

	if (roll(d, 0, 1))
		asl_emulator_step(r, &op);
	else
		asl_emulator_end_overlap(r->emulator, &op);
	early += asl_now() < due - 1e-9;
	if (early)
		print_error("rank %d: a step of %d words ended %g s early\n",
			    r->id, (int)words, due - asl_now());
	return early ? -EDOM : 0;
}

static int be_end(struct asl_net *net, void *arg)
{
	struct asl_rank r = {.id = asl_net_rank(net), .size = 2, .net = net};
	struct dice d = {.family = 45, .number = (uint32_t)r.id};
	int err = asl_emulator_open(&r.emulator, &wire, net);

	(void)arg;
	for (int i = 0; !err && i < 50; i++)
		err = step(&r, &d);
	asl_emulator_close(r.emulator);
	return err;
}

static void steps_take_their_time_from_both_ends(void **state)
{
	struct asl_net_want want = {
		.transport = "sim", .ranks = 2, .data = true};

	(void)state;
	assert_int_equal(asl_net_run(&want, be_end, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bandwidth_is_shared_fairly),
		cmocka_unit_test(processes_race_for_it),
		cmocka_unit_test(verbs_take_their_time),
		cmocka_unit_test(steps_take_their_time_from_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
