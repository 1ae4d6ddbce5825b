/*
 * nvm_splits.c -- a pool holds what was announced, in any split and order
 *
 * asl_pool_bytes is a derivation about libpmemobj's heap; here the heap has
 * its say.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "nvm/pmem.h"

enum { MOST_PIECES = 48, CHUNK_WORDS = 32768 };

static char dir[64];
static uint64_t dice = 20240607;

static uint64_t below(uint64_t n)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice % n;
}

static struct asl_store *open_pool(uint64_t words, int pieces)
{
	struct asl_store_want want = {.name = "pmem",
				      .dir = dir,
				      .run_id = "splits",
				      .words = words,
				      .pieces = pieces};
	struct asl_store *store;

	if (asl_store_open(&store, &want) != 0)
		fail_msg("%s", asl_failure());
	return store;
}

static void shuffle(uint64_t *w, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)below((uint64_t)i + 1);
		uint64_t t = w[i];

		w[i] = w[j];
		w[j] = t;
	}
}

/* Splits of `words` into n pieces that are hard in different ways. */
static void split(uint64_t *w, uint64_t words, int n, int how)
{
	uint64_t rest = words;

	for (int i = 0; i < n; i++) {
		uint64_t left = (uint64_t)(n - i), part;

		switch (how) {
		case 0: /* all equal */
			part = rest / left;
			break;
		case 1: /* single words and a large one */
			part = 1;
			break;
		case 2: /* nothing and a large one */
			part = 0;
			break;
		case 3: /* one word over 2, 3, ... chunks */
			part = CHUNK_WORDS * (2 + below(4)) - 14 + 1;
			break;
		case 4: /* sizes of libpmemobj's shared runs */
			part = 1 + below(3 * CHUNK_WORDS / 2);
			break;
		default: /* anything */
			part = rest ? below(2 * rest / left + 1) : 0;
		}
		if (i == n - 1 || part > rest)
			part = rest;
		w[i] = part;
		rest -= part;
	}
	shuffle(w, n);
}

static void take_all(struct asl_store *store, double **at, const uint64_t *w,
		     int n, uint64_t words)
{
	for (int i = 0; i < n; i++) {
		if (asl_store_take(store, &at[i], w[i]) != 0)
			fail_msg("%ju words in %d pieces: piece %d of %ju: %s",
				 (uintmax_t)words, n, i, (uintmax_t)w[i],
				 asl_failure());
		/* Whole chunks: nothing shares a run with anything. */
		assert_int_equal((at[i] - at[0]) % CHUNK_WORDS, 0);
		if (w[i] > 0)
			at[i][0] = at[i][w[i] - 1] = (double)i;
	}
	for (int i = 0; i < n; i++)
		if (w[i] > 0 && (at[i][0] != i || at[i][w[i] - 1] != i))
			fail_msg("piece %d: %g and %g", i, at[i][0],
				 at[i][w[i] - 1]);
}

static void give_all(struct asl_store *store, double **at, int n, bool reverse)
{
	for (int i = 0; i < n; i++)
		asl_store_give(store, at[reverse ? n - 1 - i : i]);
}

static void any_split_fits(uint64_t words, int n)
{
	struct asl_store *store = open_pool(words, n);
	uint64_t w[MOST_PIECES];
	double *at[MOST_PIECES], *more;

	for (int how = 0; how < 8; how++) {
		split(w, words, n, how);
		take_all(store, at, w, n, words);
		assert_int_equal(asl_store_take(store, &more, 0), -ENOMEM);
		assert_null(more);
		give_all(store, at, n, how % 2);
	}
	asl_store_close(store);
}

static void splits_fit(void **state)
{
	(void)state;
	for (int n = 1; n <= 9; n++)
		any_split_fits((uint64_t)n, n);
	for (int n = 1; n <= 40; n++)
		any_split_fits((uint64_t)n * (2 * CHUNK_WORDS - 13), n);
	for (int i = 0; i < 60; i++)
		any_split_fits(below(UINT64_C(1) << (4 + below(19))),
			       1 + (int)below(MOST_PIECES));
}

/* A stack of pieces, up and down at random, and full now and then. */
static void stacks_leave_no_gaps(void **state)
{
	const uint64_t words = 600000;
	struct asl_store *store = open_pool(words, MOST_PIECES);
	double *at[MOST_PIECES];
	uint64_t w[MOST_PIECES], held = 0;
	int n = 0;

	(void)state;
	for (int step = 0; step < 3000; step++) {
		if (n < MOST_PIECES && below(100) < 52) {
			w[n] = below(8) ? below((words - held) / 4 + 1)
					: words - held;
			take_all(store, at + n, w + n, 1, words);
			held += w[n++];
		} else if (n > 0) {
			asl_store_give(store, at[--n]);
			held -= w[n];
		}
	}
	asl_store_close(store);
}

static void more_than_announced_is_refused(void **state)
{
	struct asl_store *store = open_pool(1000, 3);
	double *at, *more;

	(void)state;
	assert_int_equal(asl_store_take(store, &at, 900), 0);
	assert_int_equal(asl_store_take(store, &more, 101), -ENOMEM);
	assert_null(more);
	assert_non_null(strstr(asl_failure(), "1000"));
	assert_int_equal(asl_store_take(store, &more, 100), 0);
	asl_store_give(store, at);
	assert_int_equal(asl_store_take(store, &at, 900), 0);
	asl_store_close(store);
}

static void a_piece_is_limited(void **state)
{
	uint64_t longest = asl_pool_longest();
	struct asl_store_want want = {.name = "pmem",
				      .dir = dir,
				      .run_id = "splits",
				      .words = longest + 1,
				      .pieces = 1};
	struct asl_store *store = open_pool(10, 2);
	double *at;

	(void)state;
	assert_int_equal(asl_store_take(store, &at, longest + 1), -EFBIG);
	assert_null(at);
	assert_non_null(
		strstr(asl_failure(), "15.998 GiB; expected at least 2"));
	assert_int_equal(asl_store_take(store, &at, longest), -ENOMEM);
	assert_int_equal(asl_store_take(store, &at, UINT64_MAX), -EFBIG);
	asl_store_close(store);

	assert_int_equal(asl_store_open(&store, &want), -EFBIG);
	assert_null(store);
	assert_non_null(
		strstr(asl_failure(), "at least 2 times as many --ranks"));
	/* Many pieces would do, if one of them were not so long. */
	want.pieces = 9;
	want.longest = 4 * longest + 1;
	want.words = want.longest + 5;
	assert_int_equal(asl_store_open(&store, &want), -EFBIG);
	assert_non_null(
		strstr(asl_failure(), "at least 5 times as many --ranks"));
	want.longest = 0;
	want.words = UINT64_MAX;
	want.pieces = INT_MAX;
	assert_int_equal(asl_store_open(&store, &want), -EFBIG);
	want.words = 1;
	want.pieces = 0;
	assert_int_equal(asl_store_open(&store, &want), -EINVAL);
	want.pieces = -1;
	assert_int_equal(asl_store_open(&store, &want), -EINVAL);
}

static void pools_are_modest(void **state)
{
	const uint64_t gib_words = UINT64_C(1) << 27;
	const uint64_t mib = 1 << 20;

	(void)state;
	/* Larger than what libpmemobj may put into a run. */
	assert_true(asl_pool_piece_bytes(0) > 3 * 131072);
	assert_int_equal(asl_pool_bytes(0, 0), 8 * mib);
	assert_int_equal(asl_pool_bytes(3 * 100 * 100, 3), 8 * mib);
	for (uint64_t words = 1; words < 8 * gib_words; words *= 3)
		for (int n = 1; n < 40; n++)
			assert_in_range(asl_pool_bytes(words, n), 8 * words,
					8 * words + 8 * mib +
						(uint64_t)n * mib / 2);

	/* One zone holds it; or two are needed, as for 1 and 15.99 GiB. */
	assert_in_range(asl_pool_bytes(15 * gib_words, 9), 15 * 1024 * mib,
			15 * 1024 * mib + 16 * mib);
	assert_in_range(asl_pool_bytes(17 * gib_words, 2), 31 * 1024 * mib,
			32 * 1024 * mib + 16 * mib);
	assert_in_range(asl_pool_bytes(48 * gib_words, 100), 79 * 1024 * mib,
			112 * 1024 * mib);
}

static int make_dir(void **state)
{
	bool fresh;

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/asl-splits-XXXXXX",
		 asl_store_default_dir(&fresh));
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_fit),
		cmocka_unit_test(stacks_leave_no_gaps),
		cmocka_unit_test(more_than_announced_is_refused),
		cmocka_unit_test(a_piece_is_limited),
		cmocka_unit_test(pools_are_modest),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
