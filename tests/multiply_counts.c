/*
 * multiply_counts.c -- what is counted is what was predicted, word for word
 *
 * The heart of the project's tests: random shapes, grids, rank counts, cache
 * sizes, kernels, panels and costs, on sim.  asl_rep's predicted_equal compares
 * every counter of every phase of every rank, and both memory high-water marks;
 * a case that differs prints where.  Most cases move no data; some do, in DRAM
 * or in real pools, and are held against the oracle: their entries are exact,
 * so that the residual must be 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/multiply/brick.h"
#include "lib/multiply/module.h"
#include "lib/multiply/planner.h"
#include "lib/run/run.h"
#include "tests/help/ledgers.h"
#include "tests/help/multiply_cases.h"

/* Mark the words of a piece in `owned`, a matrix of ld columns. */
static void mark(unsigned char *owned, uint64_t ld, const struct asl_piece *x)
{
	for (uint64_t at = 0; at < x->words.count;) {
		struct asl_stretch s =
			asl_piece_stretch(x, at, x->words.count - at);

		for (uint64_t i = 0; i < s.count; i++)
			owned[s.row * ld + s.col + i]++;
		at += s.count;
	}
}

/* Every word of A, B and C is somebody's, and nobody else's. */
static bool all_is_owned_once(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	const uint64_t rows[] = {s->m, s->k, s->m}, cols[] = {s->k, s->n, s->n};
	struct asl_piece x;
	bool ok = true;

	for (int which = 0; which < ASL_OPERANDS; which++) {
		uint64_t words = rows[which] * cols[which];
		unsigned char *owned = test_calloc(words, 1);

		for (int r = 0; r < asl_grid_ranks(&plan->grid); r++)
			for (int i = 0; asl_plan_piece(&x, plan, r, which, i);
			     i++)
				mark(owned, cols[which], &x);
		for (uint64_t i = 0; ok && i < words; i++)
			if (owned[i] != 1) {
				print_error("word %ju of %c has %d owners\n", i,
					    "ABC"[which], owned[i]);
				ok = false;
			}
		test_free(owned);
	}
	return ok;
}

/* Only what never writes partial sums may be cheaper than the joint bound. */
static bool no_bound_is_undercut(const struct asl_rep *rep)
{
	struct asl_plan made = asl_rep_made(rep);
	const struct asl_family *family = made.algorithm->family;
	double little = 1 + 1e-12;
	double net = (double)rep->max.of[ASL_BH];
	double io = (double)(rep->read_max + rep->written_max);

	return net * little >= family->net_bound(&made) &&
	       io * little >= family->io_bound(&made) &&
	       (asl_plan_runs(&made)->outside_apm ||
		rep->q_max[ASL_APM] * little >= family->joint_bound(&made));
}

/*
 * 3d uncut and em-jomma hold in the pool the faces of their brick, which is the D
 * of Al Daas et al., and not what they own beside its panels; panels in DRAM are
 * another memory.  Only scratch of reductions comes on top.
 */
static bool holds_D(const struct asl_plan *plan, int rank,
		    const struct asl_ledger *held, bool is_3d)
{
	struct asl_brick x = asl_brick(plan, rank);
	uint64_t C = x.m.count * x.n.count, panels = 0, pool = C;
	int p = x.along_k.size, me = x.along_k.me;
	uint64_t scratch = is_3d ? asl_reduce_scatter_scratch(C, p, me)
				 : asl_reduce_scratch(C, p, me, 0);

	for (int i = ASL_A; i <= ASL_B; i++) {
		uint64_t face = asl_brick_block(&x, i).words.count;
		uint64_t own = asl_brick_share(&x, i).words.count;
		int line = i == ASL_A ? x.along_n.size : x.along_m.size;
		bool staged = plan->panels == ASL_DRAM && line > 1;

		panels += staged ? face : 0;
		pool += staged ? own : face;
	}
	return held->pool_high == pool &&
	       held->memory_high ==
		       pool + (panels > scratch ? panels : scratch);
}

static bool owned_words_lie_in_panels(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_multiplication *part = plan->multiplication;
	const char *name = asl_plan_runs(plan)->name;
	bool is_3d = !strcmp(name, "3d") && part->bands <= 1 &&
		     part->slices <= 1 && part->layers <= 1;
	bool ok = true;

	if (is_3d || !strcmp(name, "em-jomma"))
		for (int r = 0; r < asl_plan_ranks(plan); r++)
			ok &= holds_D(plan, r, &rep->rank[r].counted, is_3d);
	return ok;
}

static bool about(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/*
 * A word of a message takes three nanoseconds, or five of a core that ranks share, and
 * a message no less.
 */
static bool times_follow_counts(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	double on[ASL_SPENDINGS] = {0}, most = 0, work = 0, cores = plan->cores;
	double bh = 0;
	bool crowded = cores > 0 && cores < rep->ranks;

	for (int i = 0; i < rep->ranks; i++) {
		struct asl_counts x = asl_ledger_total(&rep->rank[i].counted);
		double mine = 0;

		for (int j = 0; j < ASL_SPENDINGS; j++) {
			on[j] += rep->rank[i].spent.ns[j];
			mine += rep->rank[i].spent.ns[j];
		}
		most = fmax(most, mine);
		work += mine;
		bh += (double)x.of[ASL_BH];
	}
	if (!crowded)
		cores = rep->ranks;
	return about(on[ASL_ON_ARITHMETIC],
		     0.5 * (double)rep->total.of[ASL_FLOPS]) &&
	       on[ASL_ON_NETWORK] >= (crowded ? 5 : 3) * bh * (1 - 1e-9) &&
	       on[ASL_ON_READING] + on[ASL_ON_WRITING] + on[ASL_ON_COPYING] ==
		       0 &&
	       1e9 * rep->predicted_s >= work / cores * (1 - 1e-9) &&
	       (plan->overlap || crowded ||
		1e9 * rep->predicted_s >= most * (1 - 1e-9)) &&
	       1e9 * rep->predicted_s <= work * (1 + 1e-9);
}

/* Global laws, whatever the algorithm. */
static bool laws_hold(const struct asl_rep *rep)
{
	const struct asl_shape *s = asl_shape_of(&rep->want->plan);
	bool ok = all_is_owned_once(&rep->want->plan);

	ok &= !rep->want->plan.budget ||
	      rep->memory_high <= rep->want->plan.budget;
	ok &= rep->total.of[ASL_NET_SEND] == rep->total.of[ASL_NET_RECV];
	ok &= rep->total.of[ASL_FLOPS] == 2 * s->m * s->n * s->k;
	ok &= rep->total.of[ASL_NVM_WRITE] + rep->total.of[ASL_DRAM_WRITE] +
		      rep->total.of[ASL_NVM_LAND] >=
	      s->m * s->n;
	/* What overlaps costs once. */
	for (int a = 0; a < ASL_ACCOUNTINGS && !rep->want->plan.overlap; a++)
		ok &= rep->q_path[a] >= rep->q_max[a] * (1 - 1e-12);
	ok &= asl_forecast(&rep->want->plan).memory_needed >= rep->memory_high;
	ok &= no_bound_is_undercut(rep);
	ok &= owned_words_lie_in_panels(rep);
	ok &= times_follow_counts(rep);
	if (!ok)
		print_error("a law is broken: sent %ju, received %ju, flops "
			    "%ju, path %g and %g, max %g and %g\n",
			    rep->total.of[ASL_NET_SEND],
			    rep->total.of[ASL_NET_RECV],
			    rep->total.of[ASL_FLOPS], rep->q_path[0],
			    rep->q_path[1], rep->q_max[0], rep->q_max[1]);
	return ok;
}

static void run_case(const struct asl_run_want *want, unsigned number)
{
	struct judge judge = {.laws_hold = laws_hold, .exact = true};

	if (judge_run(&judge, want))
		return;
	print_case(want, number);
	fail();
}

static void each_case(uint32_t family, unsigned cases, int bits, int most_ranks,
		      void (*adapt)(struct dice *d, struct asl_run_want *want))
{
	for (unsigned i = 0; i < cases; i++) {
		struct dice d = {family, i, 0};
		struct asl_run_want want;

		if (leave_out(i))
			continue;
		want = roll_case(&d, bits, most_ranks, NULL);
		if (adapt)
			adapt(&d, &want);
		run_case(&want, i);
	}
}

static void counts_without_data(void **state)
{
	(void)state;
	each_case(1, how_many(200, 1200), 8, 64, NULL);
}

/* Tiles of a few words, and memory for hardly more than a rank owns. */
static void little_cache_and_memory(void **state)
{
	unsigned algorithms = (unsigned)count_algorithms();

	(void)state;
	for (unsigned i = 0; i < how_many(25, 700); i++) {
		struct dice d = {9, i, 0};
		struct asl_run_want want;

		if (leave_out(i))
			continue;
		do
			want = roll_case(&d, 8, 30,
					 asl_algorithms[i % algorithms]);
		while (want.plan.cache > 40);
		want.plan.memory = roll_size(&d, 8);
		run_case(&want, i);
	}
}

static void with_data(struct dice *d, struct asl_run_want *want)
{
	(void)d;
	want->store = "dram";
	want->verify = ASL_VERIFY_ORACLE;
}

/* Every algorithm in turn, on up to 100 ranks, half of them within a budget. */
static void counts_and_products_in_dram(void **state)
{
	unsigned cases = how_many(12, 25);
	unsigned algorithms = (unsigned)count_algorithms();

	(void)state;
	for (unsigned i = 0; i < cases * algorithms; i++) {
		struct dice d = {2, i, 0};
		struct asl_run_want want;

		if (leave_out(i))
			continue;
		want = roll_case(&d, 6, 100, asl_algorithms[i % algorithms]);
		if (roll(&d, 0, 1))
			want.plan.budget =
				asl_forecast(&want.plan).memory_needed +
				roll(&d, 0, 9);
		with_data(&d, &want);
		run_case(&want, i);
	}
}

static void keep_time(const struct asl_rep *rep, void *arg)
{
	*(double *)arg = rep->predicted_s;
}

/* Clocks travel with messages, whether these have words or only a length. */
static void time_is_the_same_without_data(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(40, 200); i++) {
		struct dice d = {21, i, 0};
		struct asl_run_want want = roll_case(&d, 6, 20, NULL);
		double without = 0, with = 0;
		struct judge a = {.laws_hold = laws_hold,
				  .keep = keep_time,
				  .arg = &without};
		struct judge b = {.laws_hold = laws_hold,
				  .keep = keep_time,
				  .arg = &with};
		bool ok = judge_run(&a, &want);

		want.store = "dram";
		ok &= judge_run(&b, &want);
		if (ok && about(without, with))
			continue;
		print_case(&want, i);
		fail_msg("%g s without data, %g s with", without, with);
	}
}

static void in_pools(struct dice *d, struct asl_run_want *want)
{
	(void)d;
	want->store = "pmem";
	want->verify = ASL_VERIFY_ORACLE;
}

static void counts_and_products_in_pools(void **state)
{
	(void)state;
	each_case(3, how_many(15, 20), 6, 12, in_pools);
}

/*
 * A budget between nothing and more than enough: what is chosen keeps to it, or
 * nothing is, and then the least need named is more than the budget.
 */
static void budgets_are_kept(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(60, 300); i++) {
		struct dice d = {7, i, 0};
		struct asl_run_want want;
		struct asl_plan *plan = &want.plan;
		struct asl_multiplication *part;
		struct asl_shape shape;
		uint64_t enough, need = 0;

		if (leave_out(i))
			continue;
		want = roll_case(&d, 8, 40, NULL);
		shape = *asl_shape_of(plan);
		part = product_of(shape);
		assert_int_equal(asl_grid_choose(part, plan, &need), 0);
		enough = asl_forecast(plan).memory_high;
		plan->budget = 1 + enough * roll(&d, 30, 110) / 100;
		part = product_of(shape);
		if (asl_grid_choose(part, plan, &need)) {
			assert_true(need > plan->budget);
			continue;
		}
		if (asl_forecast(plan).memory_high > plan->budget) {
			print_case(&want, i);
			fail();
		}
		run_case(&want, i);
	}
}

static uint64_t ceil_div(uint64_t a, int b)
{
	return (a + (uint64_t)b - 1) / (uint64_t)b;
}

/* Shares of whole faces, rounded up. */
static uint64_t owned_at_most(const struct asl_shape *s, const int p[3])
{
	uint64_t m = ceil_div(s->m, p[0]), k = ceil_div(s->k, p[1]);
	uint64_t n = ceil_div(s->n, p[2]);

	return ceil_div(m * k, p[2]) + ceil_div(k * n, p[0]) +
	       ceil_div(m * n, p[1]);
}

/* A grid of one to three dimensions, and bricks with sides of 32 or more. */
static void roll_bricks(struct dice *d, struct asl_plan *plan)
{
	struct asl_multiplication *part =
		product_of((struct asl_shape){0, 0, 0});
	uint64_t *side[] = {&part->shape.m, &part->shape.k, &part->shape.n};
	int flat = (int)roll(d, 0, 3); /* the axis that is not cut; 3: none */
	uint64_t most = flat < 3 ? 7 : 4;

	plan->multiplication = part;
	for (int i = 0; i < 3; i++) {
		uint64_t p = i == flat ? 1 : roll(d, 1, most);

		plan->grid.p[i] = (int)p;
		*side[i] = p * roll(d, 32, 44) + roll(d, 0, p - 1);
	}
	plan->ranks = asl_grid_ranks(&plan->grid);
	plan->cache = 3 + roll(d, 0, 20);
	asl_plan_prescribe(part->ideal, plan);
}

/*
 * A twentieth more than it owns will do, and a word for each number of the grid:
 * shares of small blocks are rounded up.  (With sides of 24 to 36 no cut of one
 * brick in a hundred fits.)
 */
static void little_more_than_owned_will_do_for_3d(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(12, 250); i++) {
		struct dice d = {8, i, 0};
		struct asl_run_want want;
		struct asl_plan *plan = &want.plan;
		const int *p = plan->grid.p;

		if (leave_out(i))
			continue;
		want = roll_case(&d, 1, 1, asl_algorithm_find("3d"));
		roll_bricks(&d, plan);
		plan->budget = owned_at_most(asl_shape_of(plan), p) * 21 / 20 +
			       (uint64_t)(p[0] + p[1] + p[2]);
		asl_plan_blocks(own_part(plan), plan);
		with_data(&d, &want);
		/* Its laws ask that it keeps to the budget. */
		run_case(&want, i);
	}
}

static void run_prime(unsigned number, const struct asl_algorithm *algorithm,
		      const struct asl_shape *shape, int ranks)
{
	struct dice d = {4, number, 0};
	struct asl_run_want want = roll_case(&d, 1, 1, NULL);
	struct asl_multiplication *part = own_part(&want.plan);
	uint64_t need;

	part->shape = *shape;
	want.plan.algorithm = algorithm;
	want.plan.ranks = ranks;
	part->bands = part->slices = 0;
	assert_int_equal(asl_grid_choose(part, &want.plan, &need), 0);
	with_data(&d, &want);
	run_case(&want, number);
}

/* A prime number of ranks and dimensions of 1 leave nothing to divide. */
static void primes_and_ones(void **state)
{
	static const struct asl_shape shapes[] = {
		{1, 1, 1}, {1, 7, 1},	{13, 1, 1},  {1, 1, 31},
		{2, 3, 5}, {1, 17, 19}, {97, 89, 83}};
	static const int primes[] = {1, 2, 3, 5, 7, 11, 13, 31, 61};
	unsigned number = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (unsigned j = 0; j < sizeof primes / sizeof *primes; j++)
			for (unsigned a = 0; asl_algorithms[a]; a++, number++)
				if ((i + j + a) % 8 == 0 || all_cases())
					run_prime(number, asl_algorithms[a],
						  &shapes[i], primes[j]);
}

static int tamper_look(const struct asl_rep *rep, void *arg)
{
	*(double *)arg = rep->residual;
	return 0;
}

/* An algorithm that leaves C untouched: NaN must not pass for a product. */
static void runs_nothing(struct asl_rank *r, const struct asl_plan *plan,
			 struct asl_words own[ASL_OPERANDS])
{
	(void)plan;
	(void)own;
	asl_phase(r, ASL_COMPUTE);
}

static void unwritten_products_do_not_verify(void **state)
{
	struct asl_algorithm broken = *asl_algorithm_find("3d");
	struct asl_run_want want;
	struct dice d = {5, 0, 0};
	double residual = 0;

	(void)state;
	want = roll_case(&d, 5, 8, NULL);
	broken.run = runs_nothing;
	want.plan.algorithm = &broken;
	want.store = "dram";
	for (int v = ASL_VERIFY_FREIVALDS; v <= ASL_VERIFY_ORACLE; v++) {
		want.verify = v;
		assert_int_equal(asl_run(&want, tamper_look, &residual), 0);
		assert_false(residual <= 16);
	}
}

/* One wrong word of C, off by a thousandth. */
static void spoils_one(struct asl_rank *r, const struct asl_plan *plan,
		       struct asl_words own[ASL_OPERANDS])
{
	asl_algorithm_find("3d")->run(r, plan, own);
	if (r->id == 0)
		own[ASL_C].at[own[ASL_C].count / 2] += 1e-3;
}

static void one_wrong_word_does_not_verify(void **state)
{
	struct asl_algorithm broken = *asl_algorithm_find("3d");
	struct dice d = {6, 0, 0};
	struct asl_run_want want = roll_case(&d, 5, 8, NULL);
	struct asl_multiplication *part = own_part(&want.plan);
	double residual = 0;
	uint64_t need;

	(void)state;
	broken.run = spoils_one;
	want.plan.algorithm = &broken;
	part->shape = (struct asl_shape){61, 47, 53};
	want.plan.ranks = 12;
	part->bands = part->slices = 0;
	want.store = "dram";
	want.exact = false;
	assert_int_equal(asl_grid_choose(part, &want.plan, &need), 0);
	for (int v = ASL_VERIFY_FREIVALDS; v <= ASL_VERIFY_ORACLE; v++) {
		want.verify = v;
		assert_int_equal(asl_run(&want, tamper_look, &residual), 0);
		assert_false(residual <= 16);
	}
}

static bool is_known(const char *name)
{
	return asl_algorithm_find(name);
}

/* $ASLANT_TEST_LOAD: only the last algorithm of that module, which --load takes. */
static const char *load_one(void)
{
	const char *path = getenv("ASLANT_TEST_LOAD");

	if (path && asl_module_load(path, is_known)) {
		print_error("%s\n", asl_failure());
		exit(1);
	}
	if (path) {
		asl_algorithms[0] = asl_algorithms[count_algorithms() - 1];
		asl_algorithms[1] = NULL;
	}
	return path;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_without_data),
		cmocka_unit_test(little_cache_and_memory),
		cmocka_unit_test(counts_and_products_in_dram),
		cmocka_unit_test(counts_and_products_in_pools),
		cmocka_unit_test(time_is_the_same_without_data),
		cmocka_unit_test(budgets_are_kept),
		cmocka_unit_test(primes_and_ones),
	};
	const struct CMUnitTest of_3d[] = {
		cmocka_unit_test(little_more_than_owned_will_do_for_3d),
		cmocka_unit_test(unwritten_products_do_not_verify),
		cmocka_unit_test(one_wrong_word_does_not_verify),
	};
	bool loaded = load_one();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed || loaded ? failed
				: cmocka_run_group_tests(of_3d, NULL, NULL);
}
