/*
 * symmetric_order.c -- tensors of order 4 and 5: blocks, covers, counts, results
 *
 * Blocks have every entry once, and covers every block.  Random sizes and ranks on
 * sim count what was predicted, and give what a dense sum over all entries gives.
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
#include "lib/run/run.h"
#include "lib/symmetric/symmetric.h"
#include "lib/symmetric/tensor.h"
#include "tests/help/ledgers.h"
#include "tests/help/random.h"

/* ---- Blocks ---- */

/* The next d descending numbers below m, in lexicographic order. */
static bool next(int *at, int d, int m)
{
	int i = d - 1;

	while (i >= 0 && at[i] == (i ? at[i - 1] : m - 1))
		i--;
	if (i < 0)
		return false;
	at[i]++;
	while (++i < d)
		at[i] = 0;
	return true;
}

/* Where a multiset is among all of them: its descending indices say. */
static uint64_t number_of(const uint64_t *at, int d)
{
	uint64_t number = 0;

	for (int i = 0; i < d; i++)
		number += asl_packed_words(at[i], d - i);
	return number;
}

static void see_block(const struct asl_order_block *b, unsigned char *seen)
{
	struct asl_order_row row = asl_order_first(b);
	uint64_t words = 0;

	do {
		words += row.length;
		for (uint64_t i = 0; i < row.length; i++) {
			for (int j = 1; j < b->order; j++)
				assert_true(row.at[j] <= row.at[j - 1]);
			seen[number_of(row.at, b->order)]++;
			row.at[b->order - 1]++;
		}
		row.at[b->order - 1] -= row.length;
	} while (asl_order_next(b, &row));
	assert_int_equal(words, asl_order_words(b));
}

static void every_entry_once(void **state)
{
	(void)state;
	assert_int_equal(asl_choose(3, 5), 0);
	assert_int_equal(asl_choose(24, 5), 42504);
	for (unsigned i = 0; i < how_many(20, 200); i++) {
		struct dice dice = {91, i, 0};
		int d = (int)roll(&dice, 3, 5);
		uint64_t n = roll(&dice, 1, 13), all = asl_packed_words(n, d);
		int m = (int)roll(&dice, 1, n);
		unsigned char *seen = test_calloc(all, 1);
		struct asl_tuple row = {{0}};

		do {
			struct asl_order_block b =
				asl_order_block(n, m, d, &row);

			see_block(&b, seen);
		} while (next(row.at, d, m));
		for (uint64_t j = 0; j < all; j++)
			assert_int_equal(seen[j], 1);
		test_free(seen);
	}
}

/* ---- Covers ---- */

static const int *row_blocks(const struct asl_layout *l, size_t x, int at[5])
{
	const struct asl_tensor_block *b = l->tuple ? NULL : &l->block[x];

	if (l->tuple)
		return l->tuple[x].at;
	at[0] = b->i;
	at[1] = b->j;
	at[2] = b->k;
	return at;
}

/* Every block is one rank's, which works with its row blocks. */
static void check_blocks(const struct asl_layout *l)
{
	uint64_t all = asl_packed_words((uint64_t)l->m, l->order);
	unsigned char *seen = test_calloc(all, 1);

	assert_int_equal(l->first[0], 0);
	assert_int_equal(l->first[l->ranks], all);
	for (int p = 0; p < l->ranks; p++)
		for (size_t x = l->first[p]; x < l->first[p + 1]; x++) {
			int room[5];
			const int *at = row_blocks(l, x, room);
			uint64_t wide[5];

			for (int i = 0; i < l->order; i++) {
				assert_true(asl_list_find(&l->rows, p, at[i]) >=
					    0);
				wide[i] = (uint64_t)at[i];
			}
			seen[number_of(wide, l->order)]++;
		}
	for (uint64_t i = 0; i < all; i++)
		assert_int_equal(seen[i], 1);
	test_free(seen);
}

/* The ranks of a row block own all of it, in their order. */
static void check_shares(const struct asl_layout *l)
{
	uint64_t at = 0;

	for (int i = 0; i < l->m; i++)
		for (int j = 0; j < asl_list_length(&l->sharers, i); j++) {
			int p = asl_list(&l->sharers, i)[j];
			int place = asl_list_find(&l->rows, p, i);
			struct asl_range part = asl_layout_part(l, p, place);

			assert_true(!part.count || part.first == at);
			at += part.count;
		}
	assert_true(at == l->n);
}

static void lay(struct asl_layout *l, uint64_t n, int d, int ranks)
{
	if (asl_layout_cover(l, n, d, ranks))
		fail_msg("%s", asl_failure());
	assert_int_equal(l->ranks, ranks);
	check_blocks(l);
	check_shares(l);
}

/* The busiest rank's words over the average. */
static double work_of(const struct asl_layout *l)
{
	uint64_t most = 0;

	for (int p = 0; p < l->ranks; p++)
		most = asl_max(most, asl_layout_words(l, p));
	return (double)most * l->ranks /
	       (double)asl_packed_words(l->n, l->order);
}

/* The most words of x that a rank works with. */
static uint64_t needed(const struct asl_layout *l)
{
	uint64_t most = 0;

	for (int p = 0; p < l->ranks; p++)
		most = asl_max(most, asl_layout_rows_words(l, p));
	return most;
}

static void any_cover(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(12, 200); i++) {
		struct dice dice = {92, i, 0};
		int d = (int)roll(&dice, 3, 5);
		int ranks = (int)roll(&dice, 1, roll(&dice, 0, 3) ? 40 : 120);
		uint64_t n = roll(&dice, 1, 60);
		struct asl_layout l;

		if (leave_out(i))
			continue;
		lay(&l, n, d, ranks);
		/* Unless single entries are too large. */
		if (asl_packed_words(n, d) > 200 * (uint64_t)ranks)
			assert_true(work_of(&l) <= 1.2);
		asl_layout_free(&l);
	}
}

/* On d + 1 ranks each d of d + 1 row blocks are one rank's; Witt's systems. */
static void known_covers(void **state)
{
	static const struct {
		int order, ranks, points, size;
	} known[] = {{3, 4, 4, 3},    {4, 5, 5, 4},   {5, 6, 6, 5},
		     {4, 66, 11, 5},  {4, 70, 11, 5}, {5, 132, 12, 6},
		     {4, 253, 23, 7}, {5, 759, 24, 8}};
	int count = all_cases() ? 8 : 6;

	(void)state;
	for (int i = 0; i < count; i++) {
		uint64_t v = (uint64_t)known[i].points, n = 60 * v;
		struct asl_layout l;

		lay(&l, n, known[i].order, known[i].ranks);
		assert_int_equal(l.m, v);
		assert_true(needed(&l) == 60 * (uint64_t)known[i].size);
		assert_true(work_of(&l) <= 1.2);
		asl_layout_free(&l);
	}
}

/* ---- Runs ---- */

static bool laws_hold(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_symmetric *s = plan->symmetric;
	uint64_t tensor = 0, all = asl_packed_words(s->n, s->order);
	uint64_t flops = rep->total.of[ASL_FLOPS];
	uint64_t products;
	bool ok = true;

	for (int r = 0; r < asl_plan_ranks(plan); r++)
		tensor += asl_plan_owned(plan, r, ASL_TENSOR);
	if (plan->algorithm == &asl_symmetric_naive)
		all = (uint64_t)pow((double)s->n, s->order);
	products = all;
	ok &= tensor == all;
	if (plan->algorithm != &asl_symmetric_naive)
		products = s->n * asl_packed_words(s->n, s->order - 1);
	ok &= asl_symmetric_ternary(plan) == products;
	if (plan->algorithm == &asl_symmetric_sttsv)
		ok &= flops == 4 * all &&
		      rep->total.of[ASL_NVM_READ] == all + s->n;
	ok &= rep->total.of[ASL_NET_SEND] == rep->total.of[ASL_NET_RECV];
	return ok;
}

static const struct asl_algorithm *roll_algorithm(struct dice *d)
{
	static const struct asl_algorithm *const all[] = {
		&asl_symmetric_sttsv, &asl_symmetric_sttsv, &asl_symmetric_hopm,
		&asl_symmetric_naive};

	return all[roll(d, 0, 3)];
}

static void run_one(unsigned i, int order, const char *store)
{
	struct dice d = {93, i, 0};
	bool moves = strcmp(store, "null");
	uint64_t n = roll(&d, 1, !moves ? 90 : order == 4 ? 20 : 12);
	struct asl_symmetric_request x = {
		.n = n,
		.order = order,
		.steiner = order == 3 ? "cover" : NULL,
		.exchange = roll(&d, 0, 3) ? ASL_P2P : ASL_ALLTOALL,
		.iterations = (int)roll(&d, 1, 4),
		.shift = NAN,
		.tolerance = NAN,
	};
	struct asl_run_want want = {
		.transport = "sim",
		.store = store,
		.reps = 1,
		.seed = i + 1,
		.verify = moves ? ASL_VERIFY_ORACLE : ASL_VERIFY_NONE,
		.plan = {.algorithm = roll_algorithm(&d),
			 .ranks = (int)roll(&d, 1, 30),
			 .cache = 1 << 20,
			 .memory = 1 << 20,
			 .costs = {.read = 1, .write = 1, .net = 1}},
	};
	struct judge judge = {.laws_hold = laws_hold};

	if (moves && !roll(&d, 0, 3))
		want.verify = ASL_VERIFY_FREIVALDS;
	if (asl_symmetric_begin(&want.plan, &x) ||
	    asl_symmetric_settle(&want.plan))
		fail_msg("case %u: %s", i, asl_failure());
	if (!judge_run(&judge, &want)) {
		print_error("case %u: %s order %d n=%ju P=%d store %s\n", i,
			    want.plan.algorithm->name, order, n,
			    want.plan.ranks, store);
		fail();
	}
	asl_plan_release(&want.plan);
}

static void runs(void **state)
{
	(void)state;
	/* 3/8 are sttsv verified by the oracle: 100 and more of all. */
	for (unsigned i = 0; i < how_many(10, 300); i++)
		for (int order = 4; order <= 5 && !leave_out(i); order++)
			run_one(i, order, "dram");
}

static void counts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(10, 500); i++)
		for (int order = 3; order <= 5 && !leave_out(i); order++)
			run_one(i, order, "null");
}

/* ---- Entries ---- */

static void any_order_of_indices(void **state)
{
	struct asl_tensor_source source = {.seed = 3};
	uint64_t at[] = {4, 1, 3, 1, 2}, turned[] = {1, 2, 1, 4, 3};
	uint64_t third[] = {5, 4, 2}, other[] = {4, 1, 3, 2, 2};
	double x = asl_tensor_entry_any(&source, 5, at);

	(void)state;
	assert_true(x == asl_tensor_entry_any(&source, 5, turned));
	assert_true(x != asl_tensor_entry_any(&source, 5, other));
	assert_true(asl_tensor_entry_any(&source, 3, third) ==
		    asl_tensor_entry(&source, 2, 5, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_entry_once),
		cmocka_unit_test(any_cover),
		cmocka_unit_test(known_covers),
		cmocka_unit_test(runs),
		cmocka_unit_test(counts),
		cmocka_unit_test(any_order_of_indices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
