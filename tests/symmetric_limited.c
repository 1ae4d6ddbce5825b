/*
 * symmetric_limited.c -- sttsv, hopm and cpgrad in a small cache, on a budget
 *
 * Random cases, with caches from the least that is accepted on: counts are as
 * predicted, no bound is undercut, and as many words are sent as in a large
 * cache.  Budgets that are just enough hold.
 */
#include <errno.h>
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
#include "tests/help/layouts.h"
#include "tests/help/ledgers.h"
#include "tests/help/random.h"

/* What a plan of this request is predicted to send in all. */
static uint64_t words_sent(const struct asl_plan *plan)
{
	uint64_t sum = 0;

	for (int p = 0; p < asl_plan_ranks(plan); p++) {
		struct asl_ledger x;

		asl_plan_predict(&x, plan, p);
		sum += asl_ledger_total(&x).of[ASL_NET_SEND];
	}
	return sum;
}

static struct {
	uint64_t sent;
	bool by_pieces;
} expected;

static bool laws_hold(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_symmetric *s = plan->symmetric;
	const struct asl_counts *sum = &rep->total;
	uint64_t tensor = asl_packed_words(s->n, s->order);
	uint64_t products = s->n * asl_packed_words(s->n, s->order - 1);
	bool ok = s->by_pieces == expected.by_pieces;

	ok &= asl_symmetric_ternary(plan) == products * (uint64_t)s->columns;
	ok &= sum->of[ASL_NET_SEND] == sum->of[ASL_NET_RECV];
	if (plan->algorithm != &asl_symmetric_hopm)
		ok &= sum->of[ASL_NET_SEND] == expected.sent;
	if (plan->algorithm == &asl_symmetric_sttsv)
		ok &= sum->of[ASL_NVM_READ] == tensor + s->n &&
		      sum->of[ASL_NVM_WRITE] == s->n;
	/* Costs are whole numbers, whose sums are exact. */
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		ok &= rep->q_path[a] >= rep->q_max[a];
	return ok && (!plan->budget || rep->memory_high <= plan->budget);
}

static unsigned long number_in_failure(void)
{
	const char *at = strstr(asl_failure(), "needs ");
	unsigned long x;

	if (!at || sscanf(at, "needs %lu", &x) != 1)
		fail_msg("%s", asl_failure());
	return x;
}

static void settle(struct asl_plan *plan, const struct asl_symmetric_request *x)
{
	if (asl_symmetric_begin(plan, x) || asl_symmetric_settle(plan))
		fail_msg("%s", asl_failure());
}

/* The least that the request takes of *field, which is refused below it. */
static uint64_t least_of(struct asl_plan *plan,
			 const struct asl_symmetric_request *x, uint64_t *field)
{
	uint64_t least;

	if (asl_symmetric_begin(plan, x))
		fail_msg("%s", asl_failure());
	*field = 1;
	assert_int_equal(asl_symmetric_settle(plan), -EINVAL);
	least = number_in_failure();
	*field = least - 1;
	assert_int_equal(asl_symmetric_settle(plan), -EINVAL);
	*field = least;
	asl_plan_release(plan);
	return least;
}

static void roll_request(struct dice *d, struct asl_plan *plan,
			 struct asl_symmetric_request *x, uint64_t most)
{
	static const struct asl_algorithm *const all[] = {
		&asl_symmetric_sttsv, &asl_symmetric_sttsv, &asl_symmetric_hopm,
		&asl_symmetric_cpgrad};
	static const char *const layouts[] = {"spherical", "boolean", "triples",
					      "cubic",	   "cover",   NULL};

	plan->algorithm = all[roll(d, 0, 3)];
	plan->ranks = (int)roll(d, 14, 40);
	*x = (struct asl_symmetric_request){
		.n = 17 + roll(d, 0, most),
		.order = 3,
		.steiner = layouts[roll(d, 0, 5)],
		.exchange = roll(d, 0, 3) ? ASL_P2P : ASL_ALLTOALL,
		.columns = (int)roll(d, 1, 5),
		.iterations = (int)roll(d, 1, 4),
		.shift = (double)roll(d, 0, 2),
		.tolerance = NAN,
	};
	if (plan->algorithm == &asl_symmetric_cpgrad || roll(d, 0, 1))
		return;
	x->order = (int)roll(d, 3, 5);
	if (x->order > 3) {
		x->steiner = NULL;
		x->n = 3 + roll(d, 0, most / (x->order == 4 ? 4 : 8));
	}
	if (!x->steiner || !strcmp(x->steiner, "cubic"))
		plan->ranks = (int)roll(d, 1, 20);
	if (x->order == 3 && !x->steiner)
		plan->ranks += 3;
}

/* From the least cache to one that x and y almost fit into. */
static void roll_cache(struct dice *d, struct asl_plan *plan,
		       const struct asl_symmetric_request *x)
{
	struct asl_plan large = *plan;
	uint64_t least, whole;

	large.cache = 1 << 24;
	settle(&large, x);
	expected.sent = words_sent(&large);
	whole = cache_for(large.symmetric, 1);
	asl_plan_release(&large);
	least = least_of(plan, x, &plan->cache);
	plan->cache = roll(d, least, roll(d, 0, 1) ? whole : least + 9);
	expected.by_pieces = plan->cache < whole;
}

static void run_one(unsigned i, const char *store, uint64_t most)
{
	struct dice d = {97, i, 0};
	bool moves = strcmp(store, "null");
	struct asl_symmetric_request x;
	struct asl_run_want want = {
		.transport = "sim",
		.store = store,
		.reps = 1,
		.seed = i + 1,
		.verify = moves ? ASL_VERIFY_ORACLE : ASL_VERIFY_NONE,
		.plan = {.memory = 1 << 20,
			 .costs = {.read = (double)roll(&d, 1, 4),
				   .write = (double)roll(&d, 1, 9),
				   .dram_read = 1,
				   .dram_write = 2,
				   .net = (double)roll(&d, 0, 7)}},
	};
	struct judge judge = {.laws_hold = laws_hold};

	roll_request(&d, &want.plan, &x, most);
	roll_cache(&d, &want.plan, &x);
	if (roll(&d, 0, 1))
		want.plan.budget = least_of(&want.plan, &x, &want.plan.budget) +
				   roll(&d, 0, 5);
	settle(&want.plan, &x);
	if (!judge_run(&judge, &want)) {
		print_error("case %u: %s order %d n=%ju P=%d %s S=%ju "
			    "budget %ju store %s\n",
			    i, want.plan.algorithm->name, x.order, x.n,
			    want.plan.ranks, want.plan.symmetric->layout.name,
			    want.plan.cache, want.plan.budget, store);
		fail();
	}
	asl_plan_release(&want.plan);
}

static void counts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(12, 500); i++)
		if (!leave_out(i))
			run_one(i, "null", 60);
}

static void results(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(10, 300); i++)
		if (!leave_out(i))
			run_one(i + 1000, i % 5 ? "dram" : "pmem", 20);
}

/* The tensor is held if it fits, and else the vectors alone count. */
static void a_budget_for_less(void **state)
{
	struct asl_symmetric_request x = {
		.n = 60, .columns = 4, .shift = NAN, .tolerance = NAN};
	struct asl_plan plan = {.algorithm = &asl_symmetric_cpgrad,
				.ranks = 10,
				.cache = 1 << 20};
	uint64_t held, least;

	(void)state;
	settle(&plan, &x);
	assert_false(plan.symmetric->streams);
	assert_int_equal(plan.symmetric->together, 4);
	held = asl_forecast(&plan).memory_high;
	asl_plan_release(&plan);

	plan.budget = held;
	settle(&plan, &x);
	assert_false(plan.symmetric->streams);
	asl_plan_release(&plan);

	plan.budget = held - 1;
	settle(&plan, &x);
	assert_true(plan.symmetric->streams);
	assert_int_equal(plan.symmetric->together, 4);
	asl_plan_release(&plan);

	/* Fewer columns at a time need less. */
	least = least_of(&plan, &x, &plan.budget);
	assert_true(least < asl_packed_words(60, 3) / 10);
	settle(&plan, &x);
	assert_int_equal(plan.symmetric->together, 1);
	asl_plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(results),
		cmocka_unit_test(a_budget_for_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
