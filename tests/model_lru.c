/*
 * model_lru.c -- the cache of lib/model/lru.h: as a plain one, on random traces
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rank/lru.h"
#include "tests/help/random.h"

enum { CASES = 400, STEPS = 400, MOST_LINES = 64 };

/* ---- A plain cache: a vector of lines a set, the newest first ---- */

struct plain {
	struct asl_lru_shape shape;
	uint64_t line[MOST_LINES][MOST_LINES];
	bool dirty[MOST_LINES][MOST_LINES];
	uint64_t filled[MOST_LINES];
	uint64_t misses, write_backs;
};

static void plain_word(struct plain *p, uint64_t word, bool write)
{
	uint64_t sets = p->shape.words / p->shape.line / p->shape.ways;
	uint64_t line = word / p->shape.line, s = line % sets, i = 0;
	bool dirty = write;

	while (i < p->filled[s] && p->line[s][i] != line)
		i++;
	if (i < p->filled[s]) {
		dirty |= p->dirty[s][i];
	} else {
		p->misses++;
		if (i == p->shape.ways)
			p->write_backs += p->dirty[s][--i];
		else
			p->filled[s]++;
	}
	memmove(&p->line[s][1], &p->line[s][0], i * sizeof p->line[s][0]);
	memmove(&p->dirty[s][1], &p->dirty[s][0], i * sizeof p->dirty[s][0]);
	p->line[s][0] = line;
	p->dirty[s][0] = dirty;
}

static struct asl_lru_traffic plain_traffic(const struct plain *p)
{
	uint64_t dirty = 0;

	for (int s = 0; s < MOST_LINES; s++)
		for (uint64_t i = 0; i < p->filled[s]; i++)
			dirty += p->dirty[s][i];
	return (struct asl_lru_traffic){p->misses * p->shape.line,
					(p->write_backs + dirty) *
						p->shape.line};
}

/* ---- Traces ---- */

static struct asl_lru_shape roll_shape(struct dice *d)
{
	uint64_t line = roll(d, 1, 9), ways = roll_size(d, 3);
	uint64_t sets = roll(d, 1, MOST_LINES / ways);

	if (roll(d, 0, 2) == 0) {
		ways *= sets;
		sets = 1;
	}
	return (struct asl_lru_shape){sets * ways * line, line, ways};
}

/* Mostly near what was used before, or there is nothing to be remembered. */
struct access {
	uint64_t first, count;
	bool write;
};

static struct access roll_access(struct dice *d, const struct asl_lru_shape *x)
{
	uint64_t room = roll(d, 0, 3) ? x->words : 4 * x->words;

	return (struct access){roll(d, 0, room), roll(d, 0, 3 * x->line),
			       roll(d, 0, 2) == 0};
}

static struct asl_lru *open_lru(const struct asl_lru_shape *shape)
{
	struct asl_lru *c;

	assert_int_equal(asl_lru_open(&c, shape), 0);
	return c;
}

static void same(int number, int step, struct asl_lru_traffic got,
		 struct asl_lru_traffic want)
{
	if (got.read == want.read && got.written == want.written)
		return;
	print_error("case %d, step %d: read %ju, written %ju, expected %ju and "
		    "%ju\n",
		    number, step, got.read, got.written, want.read,
		    want.written);
	fail();
}

/* Twice, with a clearing between. */
static void as_plain(void **state)
{
	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct dice d = {.family = 1, .number = (uint32_t)i};
		struct asl_lru_shape shape = roll_shape(&d);
		struct asl_lru *c = open_lru(&shape);

		for (int times = 0; times < 2; times++) {
			struct plain p = {.shape = shape};

			for (int s = 0; s < STEPS; s++) {
				struct access a = roll_access(&d, &shape);

				asl_lru_touch(c, a.first, a.count, a.write);
				for (uint64_t w = 0; w < a.count; w++)
					plain_word(&p, a.first + w, a.write);
				same(i, s, asl_lru_traffic(c),
				     plain_traffic(&p));
			}
			asl_lru_clear(c);
			same(i, -1, asl_lru_traffic(c),
			     (struct asl_lru_traffic){0, 0});
		}
		asl_lru_close(c);
	}
}

/* What is in a fully associative cache is in a larger one, too. */
static void larger_misses_less(void **state)
{
	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct dice d = {.family = 2, .number = (uint32_t)i};
		uint64_t line = roll(&d, 1, 9), lines = roll_size(&d, 10);
		struct asl_lru_shape small = {lines * line, line, lines};
		struct asl_lru_shape large = small;
		struct asl_lru *c, *more;

		large.ways += roll_size(&d, 10);
		large.words = large.ways * line;
		c = open_lru(&small);
		more = open_lru(&large);
		for (int s = 0; s < STEPS; s++) {
			struct access a = roll_access(&d, &large);
			struct asl_lru_traffic x, y;

			asl_lru_touch(c, a.first, a.count, a.write);
			asl_lru_touch(more, a.first, a.count, a.write);
			x = asl_lru_traffic(c);
			y = asl_lru_traffic(more);
			if (y.read > x.read || y.written > x.written) {
				print_error("case %d, step %d: %ju lines miss "
					    "more than %ju\n",
					    i, s, large.ways, small.ways);
				fail();
			}
		}
		asl_lru_close(more);
		asl_lru_close(c);
	}
}

/* Addresses a power of two apart neither collide nor take long. */
static void strided(void **state)
{
	enum { LINES = 1 << 12, ROUNDS = 50 };
	struct asl_lru_shape shape = {8 * LINES, 8, LINES};

	(void)state;
	for (int shift = 3; shift < 40; shift++) {
		struct asl_lru *c = open_lru(&shape);

		for (int r = 0; r < ROUNDS; r++)
			for (uint64_t i = 0; i < LINES; i++)
				asl_lru_touch(c, i << shift, 1, false);
		assert_int_equal(asl_lru_traffic(c).read, 8 * LINES);
		assert_int_equal(asl_lru_traffic(c).written, 0);
		asl_lru_close(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_plain),
		cmocka_unit_test(larger_misses_less),
		cmocka_unit_test(strided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
