/*
 * symmetric_layout.c -- who has which tensor blocks, and in which steps ranks meet
 *
 * Of every layout: each block of the tetrahedron is one rank's, who works with its
 * row blocks; the shares of a row block are all of it.  Of every schedule: each
 * pair that shares a row block meets once, each way.  And the numbers that are
 * known: blocks of each kind, steps, words.  ASLANT_TEST_LARGE=1 adds large ones.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/layout.h"
#include "tests/help/random.h"
#include "tests/help/steiner_tables.h"

/* ---- Layouts ---- */

static int kind(const struct asl_tensor_block *x)
{
	return (x->i == x->j) + (x->j == x->k);
}

static void check_block(const struct asl_layout *l, int p, size_t x,
			unsigned char *seen)
{
	const struct asl_tensor_block *b = &l->block[x];
	size_t i = (size_t)b->i, j = (size_t)b->j, k = (size_t)b->k;

	assert_true(b->k >= 0 && b->k <= b->j && b->j <= b->i && b->i < l->m);
	assert_true(x == l->first[p] || kind(b - 1) <= kind(b));
	assert_true(asl_list_find(&l->rows, p, b->i) >= 0);
	assert_true(asl_list_find(&l->rows, p, b->j) >= 0);
	assert_true(asl_list_find(&l->rows, p, b->k) >= 0);
	seen[i * (i + 1) * (i + 2) / 6 + j * (j + 1) / 2 + k]++;
}

static void check_blocks(const struct asl_layout *l)
{
	size_t m = (size_t)l->m, blocks = m * (m + 1) * (m + 2) / 6;
	unsigned char *seen = test_calloc(blocks, 1);

	assert_int_equal(l->first[0], 0);
	assert_int_equal(l->first[l->ranks], blocks);
	for (int p = 0; p < l->ranks; p++)
		for (size_t x = l->first[p]; x < l->first[p + 1]; x++)
			check_block(l, p, x, seen);
	for (size_t i = 0; i < blocks; i++)
		assert_int_equal(seen[i], 1);
	test_free(seen);
}

static void check_ascending(const struct asl_lists *x, int most)
{
	for (int i = 0; i < x->count; i++)
		for (int j = 0; j < asl_list_length(x, i); j++)
			assert_in_range(asl_list(x, i)[j],
					j ? asl_list(x, i)[j - 1] + 1 : 0,
					most - 1);
}

/* Rows and sharers say the same, and the shares follow one another. */
static void check_shares(const struct asl_layout *l)
{
	uint64_t at = 0;

	assert_int_equal(l->rows.count, l->ranks);
	assert_int_equal(l->sharers.count, l->m);
	check_ascending(&l->rows, l->m);
	check_ascending(&l->sharers, l->ranks);
	assert_int_equal(l->rows.first[l->ranks], l->sharers.first[l->m]);
	for (int i = 0; i < l->m; i++) {
		assert_true(asl_layout_row(l, i).first == at);
		assert_true(asl_list_length(&l->sharers, i) > 0);
		for (int j = 0; j < asl_list_length(&l->sharers, i); j++) {
			int p = asl_list(&l->sharers, i)[j];
			int place = asl_list_find(&l->rows, p, i);
			struct asl_range part;

			assert_true(place >= 0);
			part = asl_layout_part(l, p, place);
			assert_true(part.first == at);
			at += part.count;
		}
	}
	assert_true(at == l->n);
}

static void check_layout(const struct asl_layout *l)
{
	check_blocks(l);
	check_shares(l);
}

/* How many ranks have how many blocks of a kind. */
static void count_kinds(const struct asl_layout *l, int p, int count[3])
{
	memset(count, 0, 3 * sizeof *count);
	for (size_t x = l->first[p]; x < l->first[p + 1]; x++)
		count[kind(&l->block[x])]++;
}

/* By a Steiner system: all off the diagonal of s points, the others evenly. */
static void check_even(const struct asl_layout *l, int s)
{
	int pairs = l->m * (l->m - 1), P = l->ranks;

	for (int p = 0; p < P; p++) {
		int count[3];

		count_kinds(l, p, count);
		assert_int_equal(asl_list_length(&l->rows, p), s);
		assert_int_equal(count[0], s * (s - 1) * (s - 2) / 6);
		assert_in_range(count[1], pairs / P, (pairs + P - 1) / P);
		assert_in_range(count[2], l->m / P, (l->m + P - 1) / P);
	}
}

/* ---- Schedules ---- */

static int in_common(const struct asl_layout *l, int p, int q)
{
	struct asl_common_row *row = test_malloc((size_t)l->m * sizeof *row);
	int common = asl_layout_common(l, p, q, row), both = 0;

	for (int i = 0; i < l->m; i++)
		if (asl_list_find(&l->sharers, i, p) >= 0 &&
		    asl_list_find(&l->sharers, i, q) >= 0) {
			int a = row[both].of_a, b = row[both].of_b;

			assert_int_equal(asl_list(&l->rows, p)[a], i);
			assert_int_equal(asl_list(&l->rows, q)[b], i);
			both++;
		}
	assert_int_equal(both, common);
	assert_int_equal(asl_layout_common(l, q, p, NULL), common);
	test_free(row);
	return common;
}

static bool is_turn(struct asl_turn x, int peer, int extra)
{
	return x.peer == peer && x.extra == extra;
}

/* Where one rank sends to another, that one receives. */
static void check_turns(const struct asl_schedule *s, int step)
{
	for (int p = 0; p < s->ranks; p++) {
		struct asl_turn to = asl_schedule_to(s, p, step);
		struct asl_turn from = asl_schedule_from(s, p, step);

		assert_in_range(to.peer + 1, 0, s->ranks);
		assert_in_range(from.peer + 1, 0, s->ranks);
		assert_true(to.peer != p && from.peer != p);
		if (to.peer >= 0)
			assert_true(is_turn(asl_schedule_from(s, to.peer, step),
					    p, to.extra));
		if (from.peer >= 0)
			assert_true(is_turn(asl_schedule_to(s, from.peer, step),
					    p, from.extra));
	}
}

/* Each step is between ranks with as much in common. */
static int check_step(const struct asl_schedule *s, const int *common, int step)
{
	int now = 0;

	for (int p = 0; p < s->ranks; p++) {
		struct asl_turn turn = asl_schedule_to(s, p, step);
		int to = turn.peer;

		assert_int_equal(turn.extra, ASL_EVEN);
		if (to < 0)
			continue;
		assert_true(now == 0 || common[p * s->ranks + to] == now);
		now = common[p * s->ranks + to];
	}
	return now;
}

/* As many steps for every number in common as some rank has partners. */
static int least_steps(const int *common, int P, int most)
{
	int steps = 0;

	for (int c = 1; c <= most; c++) {
		int degree = 0;

		for (int p = 0; p < P; p++) {
			int partners = 0;

			for (int q = 0; q < P; q++)
				partners += q != p && common[p * P + q] == c;
			degree = partners > degree ? partners : degree;
		}
		steps += degree;
	}
	return steps;
}

/* Who meets for the even words has something in common, once. */
static void check_even_steps(const struct asl_layout *l,
			     const struct asl_schedule *s)
{
	size_t P = (size_t)l->ranks;
	int *common = test_malloc(P * P * sizeof *common), last = l->m;

	for (int p = 0; p < l->ranks; p++)
		for (int q = 0; q < l->ranks; q++)
			common[p * l->ranks + q] =
				l->even ? in_common(l, p, q) : 0;
	assert_int_equal(s->even, least_steps(common, l->ranks, l->m));
	for (int step = 0; step < s->even; step++) {
		int now = check_step(s, common, step);

		assert_in_range(now, 1, last);
		last = now;
	}
	for (int step = 0; step < s->even; step++)
		for (int p = 0; p < l->ranks; p++) {
			int to = asl_schedule_to(s, p, step).peer;

			if (to < 0)
				continue;
			assert_true(common[p * l->ranks + to] > 0);
			common[p * l->ranks + to] = 0;
		}
	for (int p = 0; p < l->ranks; p++)
		for (int q = 0; q < l->ranks; q++)
			assert_true(p == q || common[p * l->ranks + q] == 0);
	test_free(common);
}

/* The parts of p's extra words that q needs; their number. */
static int extras_between(const struct asl_layout *l, int p, int q,
			  uint64_t words[2])
{
	int count = 0;

	for (int i = 0; i < asl_list_length(&l->rows, p); i++) {
		uint64_t own = asl_layout_part(l, p, i).count;

		if (own > l->even &&
		    asl_list_find(&l->rows, q, asl_list(&l->rows, p)[i]) >= 0) {
			assert_true(count < 2);
			words[count++] = own - l->even;
		}
	}
	return count;
}

/* Extra words go in one step for each row block, and no step is idle. */
static void check_extra_steps(const struct asl_layout *l,
			      const struct asl_schedule *s)
{
	size_t P = (size_t)l->ranks;
	int *turns = test_calloc(P * P, sizeof *turns);
	uint64_t words[2];

	for (int step = s->even; step < s->steps; step++) {
		int busy = 0;

		for (int p = 0; p < l->ranks; p++) {
			struct asl_turn to = asl_schedule_to(s, p, step);

			if (to.peer < 0)
				continue;
			busy++;
			turns[p * l->ranks + to.peer] += 1 + 2 * to.extra;
		}
		assert_true(busy > 0);
	}
	for (int p = 0; p < l->ranks; p++)
		for (int q = 0; q < l->ranks; q++) {
			int extras =
				p == q ? 0 : extras_between(l, p, q, words);

			/* 1 for the first, 3 more for the second */
			assert_int_equal(turns[p * l->ranks + q],
					 extras * extras);
		}
	test_free(turns);
}

static void check_schedule(const struct asl_layout *l,
			   const struct asl_schedule *s)
{
	assert_int_equal(s->ranks, l->ranks);
	for (int step = 0; step < s->steps; step++)
		check_turns(s, step);
	check_even_steps(l, s);
	check_extra_steps(l, s);
}

/* Words of x that go from p to q in this turn. */
static uint64_t message(const struct asl_layout *l, int p, struct asl_turn to)
{
	uint64_t words = 0, extra[2] = {0, 0};

	if (to.peer < 0)
		return 0;
	if (to.extra >= 0) {
		extras_between(l, p, to.peer, extra);
		return extra[to.extra];
	}
	for (int i = 0; i < asl_list_length(&l->rows, p); i++)
		if (asl_list_find(&l->rows, to.peer,
				  asl_list(&l->rows, p)[i]) >= 0)
			words += asl_min(l->even,
					 asl_layout_part(l, p, i).count);
	return words;
}

/* Of x in all steps, and the larger of the two in each. */
struct traffic {
	uint64_t sent, received, busy;
};

static struct traffic traffic_of(const struct asl_layout *l,
				 const struct asl_schedule *s, int p)
{
	struct traffic sum = {0, 0, 0};

	for (int step = 0; step < s->steps; step++) {
		struct asl_turn from = asl_schedule_from(s, p, step);
		uint64_t out = message(l, p, asl_schedule_to(s, p, step));
		uint64_t in = 0;

		if (from.peer >= 0)
			in = message(l, from.peer,
				     (struct asl_turn){p, from.extra});
		sum.sent += out;
		sum.received += in;
		sum.busy += asl_max(out, in);
	}
	return sum;
}

/* ---- Systems of all families ---- */

static uint64_t owned(const struct asl_layout *l, int p)
{
	uint64_t words = 0;

	for (int i = 0; i < asl_list_length(&l->rows, p); i++)
		words += asl_layout_part(l, p, i).count;
	return words;
}

/* Nobody owns more than n/P words, rounded up, or fewer, rounded down. */
static void check_least(const struct asl_layout *l)
{
	uint64_t P = (uint64_t)l->ranks, c = asl_ceil_div(l->n, P);
	uint64_t others = (uint64_t)asl_list_length(&l->sharers, 0) - 1;
	uint64_t rows = 0, most = 0;

	for (int p = 0; p < l->ranks; p++) {
		uint64_t w = owned(l, p), W = asl_layout_rows_words(l, p);

		if (w < l->n / P || w > c)
			fail_msg("%s, n = %ju: rank %d owns %ju words", l->name,
				 l->n, p, w);
		most = asl_max(most, asl_max(w * others, W - w));
		rows = asl_max(rows, W);
	}
	if (most != asl_max(c * others, rows - c))
		fail_msg("%s, n = %ju: %ju words, least %ju", l->name, l->n,
			 most, asl_max(c * others, rows - c));
	assert_true(asl_shares_least(l) == most);
}

static void lay_out(struct asl_layout *l, const char *family, int parameter,
		    uint64_t n, enum asl_shares how)
{
	struct asl_steiner x;

	assert_int_equal(asl_steiner_make(&x, family, parameter), 0);
	assert_int_equal(asl_layout_steiner(l, n, &x, how), 0);
	assert_string_equal(l->name, x.name);
	assert_true(l->n == n);
	assert_int_equal(l->m, x.m);
	assert_int_equal(l->ranks, x.blocks);
	check_layout(l);
	check_even(l, x.s);
	check_least(l);
	asl_steiner_free(&x);
}

/* Nobody waits for more words than it has to send or to receive. */
static void check_traffic(const struct asl_layout *l,
			  const struct asl_schedule *s)
{
	uint64_t most = 0;

	for (int p = 0; p < l->ranks; p++) {
		struct traffic x = traffic_of(l, s, p);
		uint64_t w = owned(l, p), sharers;

		sharers = (uint64_t)asl_list_length(&l->sharers, 0);
		assert_true(x.sent == w * (sharers - 1));
		assert_true(x.received == asl_layout_rows_words(l, p) - w);
		assert_true(x.busy == asl_max(x.sent, x.received));
		most = asl_max(most, x.busy);
	}
	assert_true(most == asl_shares_least(l));
}

static void every_family_is_laid_out(void **state)
{
	int most = getenv("ASLANT_TEST_LARGE") ? 1500 : 360;
	struct asl_steiner_size x = {0};
	struct dice dice = {.family = 73};

	(void)state;
	for (; asl_steiner_next(&x, most); dice.number++) {
		uint64_t n = roll(&dice, (uint64_t)x.m, (uint64_t)x.m * 50);
		struct asl_schedule s;
		struct asl_layout l;

		for (int how = ASL_SPREAD; how <= ASL_SINGLE; how++) {
			lay_out(&l, x.family, x.parameter, n,
				(enum asl_shares)how);
			assert_int_equal(asl_schedule_make(&s, &l), 0);
			check_schedule(&l, &s);
			check_traffic(&l, &s);
			asl_schedule_free(&s);
			asl_layout_free(&l);
		}
	}
}

/* All repeats after s P words, one more for every share. */
static void every_n_has_the_least_words(void **state)
{
	int most = getenv("ASLANT_TEST_LARGE") ? 150 : 30;
	struct asl_steiner_size size = {0};

	(void)state;
	while (asl_steiner_next(&size, most)) {
		uint64_t m = (uint64_t)size.m;
		uint64_t period = (uint64_t)size.s * (uint64_t)size.blocks;
		struct asl_steiner x;

		assert_int_equal(
			asl_steiner_make(&x, size.family, size.parameter), 0);
		for (uint64_t n = m; n < m + period + m; n++) {
			struct asl_layout l;

			for (int how = ASL_SPREAD; how <= ASL_SINGLE; how++) {
				assert_int_equal(asl_layout_steiner(
							 &l, n, &x,
							 (enum asl_shares)how),
						 0);
				check_shares(&l);
				check_least(&l);
				asl_layout_free(&l);
			}
		}
		asl_steiner_free(&x);
	}
}

static void large_systems_have_the_least_words(void **state)
{
	static const struct {
		const char *family;
		int parameter;
	} table[] = {{"spherical", 7},	{"spherical", 8},  {"spherical", 9},
		     {"spherical", 11}, {"spherical", 13}, {"boolean", 4},
		     {"boolean", 5},	{"triples", 17}};
	struct dice dice = {.family = 77};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct asl_steiner x;

		assert_int_equal(asl_steiner_make(&x, table[i].family,
						  table[i].parameter),
				 0);
		for (unsigned k = 0; k < how_many(2, 40); k++) {
			uint64_t P = (uint64_t)x.blocks;
			uint64_t n = roll(&dice, P, P * 20);
			struct asl_layout l;

			assert_int_equal(
				asl_layout_steiner(&l, n, &x,
						   (enum asl_shares)(k % 2)),
				0);
			check_least(&l);
			asl_layout_free(&l);
		}
		asl_steiner_free(&x);
	}
}

/* As few words of the tensor as matched blocks allow. */
static void central_blocks_go_where_there_is_room(void **state)
{
	const uint64_t b = 35;
	struct asl_layout l;
	uint64_t most = 0;

	(void)state;
	lay_out(&l, "boolean", 4, 16 * b, ASL_SINGLE);
	for (int p = 0; p < l.ranks; p++)
		most = asl_max(most, asl_layout_words(&l, p));
	assert_true(most == 4 * b * b * b + 2 * b * (b * (b + 1) / 2));
	asl_layout_free(&l);
}

/* Words and steps as calculated, when everything divides. */
static void spherical_words_and_steps(void **state)
{
	static const int most = 9, q[] = {2, 3, 4, 5, 7, 8, 9};

	(void)state;
	for (size_t i = 0; i < sizeof q / sizeof *q && q[i] <= most; i++) {
		uint64_t x = (uint64_t)q[i], m = x * x + 1;
		uint64_t n = 3 * m * x * (x + 1), P = x * m;
		struct asl_schedule s;
		struct asl_layout l;

		lay_out(&l, "spherical", q[i], n, ASL_SINGLE);
		assert_int_equal(asl_schedule_make(&s, &l), 0);
		assert_int_equal(2 * s.steps, x * x * x + 3 * x * x - 2);
		for (int p = 0; p < l.ranks; p++) {
			int count[3];

			count_kinds(&l, p, count);
			assert_int_equal(count[1], x);
			assert_true(traffic_of(&l, &s, p).busy ==
				    n * (x + 1) / m - n / P);
		}
		asl_schedule_free(&s);
		asl_layout_free(&l);
	}
}

/* ---- The published tables ---- */

static void read_table(struct asl_steiner *x, const char *text)
{
	char path[] = "/tmp/aslant-layout-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
	assert_int_equal(asl_steiner_read(x, path), 0);
	assert_int_equal(unlink(path), 0);
}

static void tables_give_their_numbers(void **state)
{
	static const struct {
		const char *text;
		int each[3], central, steps, sharers;
	} table[] = {
		{steiner_10_4, {4, 3, 1}, 10, 26, 12},
		{steiner_8_4, {4, 4, 1}, 8, 12, 7},
	};

	(void)state;
	for (int t = 0; t < 2; t++) {
		struct asl_steiner x;
		struct asl_layout l;
		struct asl_schedule s;
		uint64_t share = 5;
		int central = 0;

		read_table(&x, table[t].text);
		assert_int_equal(
			asl_layout_steiner(&l,
					   share * (uint64_t)table[t].sharers *
						   (uint64_t)x.m,
					   &x, ASL_SINGLE),
			0);
		check_layout(&l);
		check_even(&l, x.s);
		assert_int_equal(asl_schedule_make(&s, &l), 0);
		check_schedule(&l, &s);
		assert_int_equal(s.steps, table[t].steps);
		for (int p = 0; p < l.ranks; p++) {
			int count[3];

			count_kinds(&l, p, count);
			assert_int_equal(count[0], table[t].each[0]);
			assert_int_equal(count[1], table[t].each[1]);
			assert_true(count[2] <= table[t].each[2]);
			central += count[2];
			assert_true(traffic_of(&l, &s, p).busy ==
				    4 * share *
					    (uint64_t)(table[t].sharers - 1));
		}
		assert_int_equal(central, table[t].central);
		for (int i = 0; i < l.m; i++)
			assert_int_equal(asl_list_length(&l.sharers, i),
					 table[t].sharers);
		asl_schedule_free(&s);
		asl_layout_free(&l);
		asl_steiner_free(&x);
	}
}

static void too_few_words(void **state)
{
	struct asl_steiner x;
	struct asl_layout l;

	(void)state;
	assert_int_equal(asl_steiner_make(&x, "spherical", 3), 0);
	for (uint64_t n = 0; n < 10; n++) {
		assert_int_equal(asl_layout_steiner(&l, n, &x, ASL_SPREAD),
				 -EINVAL);
		assert_null(l.block);
		assert_memory_equal(asl_failure(), "spherical-3: expected", 21);
	}
	assert_int_equal(asl_layout_steiner(&l, 10, &x, ASL_SINGLE), 0);
	check_layout(&l);
	asl_layout_free(&l);
	asl_steiner_free(&x);
	assert_int_equal(asl_layout_cubic(&l, 0, 4), -EINVAL);
	assert_memory_equal(asl_failure(), "cubic: expected", 15);
}

/* ---- cubic ---- */

static double work_of(const struct asl_layout *l, int p)
{
	double sum = 0;

	for (size_t x = l->first[p]; x < l->first[p + 1]; x++) {
		struct asl_block_shape b = asl_layout_shape(l, &l->block[x]);

		sum += (double)asl_block_words(&b);
	}
	return sum;
}

/*
 * Nobody has more than a fifth too much work.  How many row blocks the one with
 * most of them has, over those of a Steiner system?
 */
static double check_quality(const struct asl_layout *l)
{
	double n = (double)l->n, all = n * (n + 1) * (n + 2) / 6, P = l->ranks;
	int most = 0;

	for (int p = 0; p < l->ranks; p++) {
		if (work_of(l, p) > 1.2 * all / P)
			fail_msg("P=%d: rank %d has %g times its share",
				 l->ranks, p, work_of(l, p) * P / all);
		if (asl_list_length(&l->rows, p) > most)
			most = asl_list_length(&l->rows, p);
	}
	return most * cbrt(P) / l->m;
}

/* Two ranks meet once, and both ways in the same step; at most one rests. */
static void check_pairs(const struct asl_schedule *s, int ranks)
{
	size_t P = (size_t)ranks;
	char *met = test_calloc(P * P, 1);

	assert_int_equal(s->ranks, ranks);
	assert_int_equal(s->steps, ranks > 1 ? (ranks - 1) | 1 : 0);
	for (int step = 0; step < s->steps; step++) {
		int rests = 0;

		check_turns(s, step);
		for (int p = 0; p < ranks; p++) {
			int to = asl_schedule_to(s, p, step).peer;

			assert_int_equal(asl_schedule_from(s, p, step).peer,
					 to);
			if (to < 0)
				rests++;
			else
				assert_int_equal(met[p * ranks + to]++, 0);
		}
		assert_int_equal(rests, ranks % 2);
	}
	for (int p = 0; p < ranks; p++)
		for (int q = 0; q < ranks; q++)
			assert_int_equal(met[p * ranks + q], p != q);
	test_free(met);
}

static double check_cubic(uint64_t n, int ranks)
{
	struct asl_schedule s;
	struct asl_layout l;
	double rows = 0;

	assert_int_equal(asl_layout_cubic(&l, n, ranks), 0);
	assert_int_equal(l.ranks, ranks);
	assert_true(l.n == n && (uint64_t)l.m <= n);
	check_layout(&l);
	if (n >= 1000)
		rows = check_quality(&l);
	assert_int_equal(asl_schedule_make(&s, &l), 0);
	check_pairs(&s, ranks);
	asl_schedule_free(&s);
	asl_layout_free(&l);
	return rows;
}

static void any_number_of_ranks(void **state)
{
	static const int more[] = {97, 128, 151, 200, 256};
	struct dice dice = {.family = 74};
	double rows = 0;

	(void)state;
	for (int P = 1; P <= 64; P++, dice.number++) {
		rows += check_cubic(roll(&dice, 1000, 2000), P);
		check_cubic(roll(&dice, 1, 12), P);
	}
	if (rows > 2 * 64)
		fail_msg("on average, the most row blocks are %g of P^(-1/3)",
			 rows / 64);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		check_cubic(3000, more[i]);
	if (getenv("ASLANT_TEST_LARGE"))
		for (int P = 65; P < 1000; P += 31)
			check_cubic(5000, P);
}

static void one_rank_has_all(void **state)
{
	struct asl_layout l;

	(void)state;
	assert_int_equal(asl_layout_cubic(&l, 100, 1), 0);
	assert_string_equal(l.name, "cubic-1");
	assert_int_equal(l.m, 1);
	assert_int_equal(l.first[1], 1);
	asl_layout_free(&l);
}

/* ---- Matching and permutations on their own ---- */

/* The fullest place of the best deal, by trying all. */
static int fewest(const struct asl_lists *x, int item, int *load, int places)
{
	int best = x->count;

	if (item == x->count) {
		best = 0;
		for (int i = 0; i < places; i++)
			best = load[i] > best ? load[i] : best;
		return best;
	}
	for (int i = 0; i < asl_list_length(x, item); i++) {
		int place = asl_list(x, item)[i], now;

		load[place]++;
		now = fewest(x, item + 1, load, places);
		load[place]--;
		best = now < best ? now : best;
	}
	return best;
}

static void deals_are_the_best(void **state)
{
	struct dice dice = {.family = 75};

	(void)state;
	for (dice.number = 0; dice.number < 2000; dice.number++) {
		int items = (int)roll(&dice, 1, 8), load[6] = {0}, most = 0;
		int places = (int)roll(&dice, 1, 6), place_of[8];
		struct asl_lists x;

		assert_int_equal(asl_lists_alloc(&x, items, 8 * 6), 0);
		for (int i = 0; i < items; i++) {
			size_t *end = &x.first[i + 1];

			*end = x.first[i];
			for (int j = 0; j < places; j++)
				if (roll(&dice, 0, 2) == 0)
					x.item[(*end)++] = j;
			if (*end == x.first[i])
				x.item[(*end)++] = places - 1;
		}
		assert_int_equal(asl_match_evenly(place_of, &x, places), 0);
		for (int i = 0; i < items; i++) {
			assert_true(asl_list_find(&x, i, place_of[i]) >= 0);
			if (++load[place_of[i]] > most)
				most = load[place_of[i]];
		}
		memset(load, 0, sizeof load);
		assert_int_equal(most, fewest(&x, 0, load, places));
		asl_lists_free(&x);
	}
}

/* Random permutations, mixed, come apart into permutations of the same edges. */
static void regular_graphs_come_apart(void **state)
{
	struct dice dice = {.family = 76};

	(void)state;
	for (dice.number = 0; dice.number < 200; dice.number++) {
		int n = (int)roll_size(&dice, 6);
		int degree = (int)roll_size(&dice, 5) - 1;
		size_t N = (size_t)n, d = (size_t)degree;
		int *edge = test_malloc((N * d + 1) * sizeof *edge);
		int *left = test_calloc(N * N, sizeof *left);

		for (int u = 0; u < n; u++)
			for (int i = 0; i < degree; i++)
				edge[u * degree + i] = u;
		for (size_t i = 0; i < d; i++)
			for (size_t u = N; u-- > 1;) {
				size_t v = roll(&dice, 0, u);
				int x = edge[u * d + i];

				edge[u * d + i] = edge[v * d + i];
				edge[v * d + i] = x;
			}
		for (size_t e = 0; e < N * d; e++)
			left[e / d * N + (size_t)edge[e]]++;
		assert_int_equal(asl_permutations(edge, n, degree), 0);
		for (size_t i = 0; i < d; i++) {
			char *seen = test_calloc(N, 1);

			for (size_t u = 0; u < N; u++) {
				left[u * N + (size_t)edge[i * N + u]]--;
				assert_int_equal(seen[edge[i * N + u]]++, 0);
			}
			test_free(seen);
		}
		for (size_t i = 0; i < N * N; i++)
			assert_int_equal(left[i], 0);
		test_free(left);
		test_free(edge);
	}
}

/* 6878 ranks in 3970 steps. */
static void the_largest_is_feasible(void **state)
{
	struct asl_schedule s;
	struct asl_layout l;

	(void)state;
	if (!getenv("ASLANT_TEST_LARGE"))
		skip();
	lay_out(&l, "spherical", 19, 362 * 380, ASL_SINGLE);
	assert_int_equal(asl_schedule_make(&s, &l), 0);
	assert_int_equal(s.steps, 3970);
	for (int p = 0; p < s.ranks; p += 137)
		assert_true(traffic_of(&l, &s, p).busy == 20 * 379);
	asl_schedule_free(&s);
	asl_layout_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_family_is_laid_out),
		cmocka_unit_test(every_n_has_the_least_words),
		cmocka_unit_test(large_systems_have_the_least_words),
		cmocka_unit_test(central_blocks_go_where_there_is_room),
		cmocka_unit_test(spherical_words_and_steps),
		cmocka_unit_test(tables_give_their_numbers),
		cmocka_unit_test(too_few_words),
		cmocka_unit_test(any_number_of_ranks),
		cmocka_unit_test(one_rank_has_all),
		cmocka_unit_test(deals_are_the_best),
		cmocka_unit_test(regular_graphs_come_apart),
		cmocka_unit_test(the_largest_is_feasible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
