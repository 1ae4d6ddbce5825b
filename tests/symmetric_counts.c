/*
 * symmetric_counts.c -- symmetric tensors: what is counted is what was predicted
 *
 * Random algorithms, layouts, sizes, ranks and caches, on sim.  Most cases move no
 * data; those that do are verified by the test or by the oracle.
 *
 * ASLANT_TEST_LARGE=1 also counts the largest spherical system below 10,000 ranks.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/run/run.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/symmetric.h"
#include "tests/help/layouts.h"
#include "tests/help/ledgers.h"
#include "tests/help/random.h"

/* ---- A case ---- */

static bool is_cube(const struct asl_plan *plan)
{
	return !plan->symmetric->layout.ranks;
}

static const char *roll_layout(struct dice *d)
{
	static const char *const names[] = {"spherical", "boolean", "triples",
					    "cubic",	 "cover",   NULL};

	return names[roll(d, 0, 5)];
}

static void make(struct asl_symmetric *s, const char *layout, int ranks)
{
	if (lay_out(s, layout, ranks))
		fail_msg("%s", asl_failure());
}

/* A p x c x c grid, or a line. */
static void roll_grid(struct dice *d, struct asl_plan *plan, uint64_t n)
{
	int c = plan->algorithm == &asl_symmetric_naive ? (int)roll(d, 1, 3)
							: 1;
	int p = (int)roll(d, 1, 5);

	c = (uint64_t)c > n ? (int)n : c;
	p = (uint64_t)p > n ? (int)n : p;
	plan->grid = (struct asl_grid){{p, c, c}};
	plan->ranks = p * c * c + (int)roll(d, 0, 2);
}

static void roll_wedges(struct dice *d, struct asl_plan *plan,
			struct asl_symmetric *s, uint64_t most)
{
	const char *layout;
	uint64_t need;

	plan->ranks = (int)roll(d, 14, 72);
	layout = roll_layout(d);
	*s = (struct asl_symmetric){
		.order = 3,
		.columns = 1,
		.exchange = roll(d, 0, 3) == 0 ? ASL_ALLTOALL : ASL_P2P,
		.shift = (double)roll(d, 0, 3),
		.tolerance = roll(d, 0, 1) ? 1e-3 : 0,
	};
	if (layout && (!strcmp(layout, "cubic") || !strcmp(layout, "cover")))
		plan->ranks = (int)roll(d, 1, 40);
	if (plan->algorithm == &asl_symmetric_cpgrad) {
		s->columns = (int)roll(d, 1, 9);
		s->gradient = true;
	}
	/* The largest system here has 17 points. */
	s->n = 17 + roll(d, 0, most);
	make(s, layout, plan->ranks);
	plan->iterations = (int)roll(d, 1, 6);
	need = cache_for(s, 1);
	plan->cache = need + roll(d, 0, 3 * need);
	assert_true(asl_symmetric_fit(s, plan->cache, &need));
}

static void roll_plan(struct dice *d, struct asl_plan *plan,
		      struct asl_symmetric *s, uint64_t most)
{
	*s = (struct asl_symmetric){.order = 3, .columns = 1};
	*plan = (struct asl_plan){
		.algorithm = asl_symmetric_algorithms[roll(d, 0, 5)],
		.symmetric = s,
		.memory = 1 << 20,
		.cache = 1 << 20,
		.costs = {.read = (double)roll(d, 0, 4),
			  .write = (double)roll(d, 0, 9),
			  .dram_read = 1,
			  .dram_write = (double)roll(d, 1, 3),
			  .net = (double)roll(d, 0, 7),
			  .latency = (double)roll(d, 0, 1) * 50,
			  .flop = (double)roll(d, 0, 1) / 10},
	};
	if (plan->algorithm == &asl_symmetric_naive ||
	    plan->algorithm == &asl_symmetric_sequence ||
	    plan->algorithm == &asl_symmetric_half) {
		s->n = roll(d, 1, most / 2);
		roll_grid(d, plan, s->n);
	} else {
		roll_wedges(d, plan, s, most);
	}
}

/* ---- What must hold of a repetition ---- */

static uint64_t tensor_words(const struct asl_plan *plan)
{
	uint64_t n = plan->symmetric->n;

	if (plan->algorithm == &asl_symmetric_half)
		return n * asl_triangle(n);
	return is_cube(plan) ? n * n * n : asl_tetrahedron(n);
}

/* Every word of the tensor, of X and of Y is somebody's. */
static bool all_is_owned(const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;
	uint64_t words[ASL_SYMMETRIC_OPERANDS] = {0};

	for (int r = 0; r < asl_plan_ranks(plan); r++)
		for (int i = 0; i < ASL_SYMMETRIC_OPERANDS; i++)
			words[i] += asl_plan_owned(plan, r, i);
	return words[ASL_TENSOR] == tensor_words(plan) &&
	       words[ASL_X] == s->n * (uint64_t)s->columns &&
	       words[ASL_Y] == words[ASL_X];
}

/* Half of the operations: n^2 (n + 1), where the other has 2 n^3. */
static bool flops_hold(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	uint64_t n = plan->symmetric->n, n2 = n * n;
	uint64_t flops = rep->total.of[ASL_FLOPS];

	if (plan->algorithm == &asl_symmetric_half)
		return flops == n2 * (n + 1) + 2 * n2;
	return plan->algorithm != &asl_symmetric_sequence ||
	       flops == 2 * n2 * n + 2 * n2;
}

static bool laws_hold(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_counts *sum = &rep->total;
	bool ok = all_is_owned(plan);

	ok &= sum->of[ASL_NET_SEND] == sum->of[ASL_NET_RECV];
	ok &= sum->of[ASL_NVM_READ] >= tensor_words(plan);
	ok &= flops_hold(rep);
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		ok &= rep->q_path[a] >= rep->q_max[a] * (1 - 1e-12);
	return ok;
}

struct seen {
	double residual;
	struct asl_outcome outcome;
	struct asl_counts max, total;
};

static void keep(const struct asl_rep *rep, void *arg)
{
	*(struct seen *)arg = (struct seen){
		.residual = rep->residual,
		.outcome = rep->outcome,
		.max = rep->max,
		.total = rep->total,
	};
}

static void print_case(const struct asl_run_want *want, unsigned number)
{
	const struct asl_plan *plan = &want->plan;
	const struct asl_symmetric *s = plan->symmetric;

	print_error("case %u: %s n=%ju R=%d (%d) P=%d layout %s %s "
		    "grid %dx%dx%d S=%ju store %s\n",
		    number, plan->algorithm->name, s->n, s->columns,
		    s->together, plan->ranks, s->layout.name,
		    s->exchange == ASL_ALLTOALL ? "alltoall" : "p2p",
		    plan->grid.p[0], plan->grid.p[1], plan->grid.p[2],
		    plan->cache, want->store);
}

static struct seen run(struct asl_run_want *want, unsigned number)
{
	struct seen seen = {0};
	struct judge judge = {
		.laws_hold = laws_hold, .keep = keep, .arg = &seen};

	want->transport = "sim";
	want->reps = 1;
	want->seed = number + 1;
	if (judge_run(&judge, want))
		return seen;
	print_case(want, number);
	fail();
	return seen;
}

static void without_data(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(80, 400); i++) {
		struct dice d = {81, i, 0};
		struct asl_run_want want = {.store = "null"};
		struct asl_symmetric s;

		if (leave_out(i))
			continue;
		roll_plan(&d, &want.plan, &s, 300);
		run(&want, i);
		asl_symmetric_free(&s);
	}
}

/* Exact entries: every sum but those of gradients is exact, in any order. */
static void with_data(void **state)
{
	unsigned count = how_many(25, 200);

	(void)state;
	for (unsigned i = 0; i < count; i++) {
		struct dice d = {82, i, 0};
		bool oracle = roll(&d, 0, 1), exact = roll(&d, 0, 1);
		struct asl_run_want want = {
			.store = roll(&d, 0, 9) ? "dram" : "pmem",
			.verify = oracle ? ASL_VERIFY_ORACLE
					 : ASL_VERIFY_FREIVALDS,
			.exact = exact,
		};
		struct asl_symmetric s;
		struct seen seen;

		if (leave_out(i))
			continue;
		roll_plan(&d, &want.plan, &s, roll(&d, 0, 3) ? 40 : 110);
		seen = run(&want, i);
		if (exact && oracle &&
		    want.plan.algorithm != &asl_symmetric_hopm &&
		    want.plan.algorithm != &asl_symmetric_cpgrad)
			assert_true(seen.residual == 0);
		if (want.plan.algorithm == &asl_symmetric_hopm) {
			assert_in_range(seen.outcome.iterations, 1,
					want.plan.iterations);
			assert_true(isfinite(seen.outcome.eigenvalue));
		}
		asl_symmetric_free(&s);
	}
}

/* ---- The formulas of the paper, where everything divides ---- */

static void count_spherical(int q, uint64_t times)
{
	uint64_t m = (uint64_t)(q * q + 1), P = (uint64_t)q * m, words;
	uint64_t n = m * (uint64_t)(q * (q + 1)) * times, Q = (uint64_t)q;
	struct asl_run_want want = {.store = "null"};
	struct asl_symmetric s = {.n = n, .order = 3, .columns = 1};
	struct seen seen;

	make(&s, "spherical", (int)P);
	assert_int_equal(s.layout.ranks, P);
	assert_int_equal(2 * s.schedule.steps, q * q * q + 3 * q * q - 2);
	s.together = 1;
	want.plan = (struct asl_plan){
		.algorithm = &asl_symmetric_sttsv,
		.symmetric = &s,
		.ranks = (int)P,
		.cache = 1 << 24,
		.memory = 1 << 24,
		.costs = {.read = 1, .write = 1, .net = 1},
	};
	seen = run(&want, (unsigned)q);
	words = 2 * (n * (Q + 1) / m - n / P);
	assert_int_equal(seen.max.of[ASL_BH], words);
	assert_int_equal(seen.max.of[ASL_NET_SEND], words);
	assert_int_equal(seen.max.of[ASL_NET_MSGS], 2 * s.schedule.steps);
	assert_int_equal(seen.max.of[ASL_NVM_WRITE], n / P);
	assert_int_equal(asl_symmetric_ternary(&want.plan),
			 n * n * (n + 1) / 2);
	asl_symmetric_free(&s);

	/* 4n/(q+1) (1 - 1/P) with all to all: 2 (P-1) messages of two shares. */
	s = (struct asl_symmetric){
		.n = n, .order = 3, .columns = 1, .exchange = ASL_ALLTOALL};
	make(&s, "spherical", (int)P);
	s.together = 1;
	seen = run(&want, (unsigned)q);
	assert_int_equal(seen.max.of[ASL_BH], 4 * n * (P - 1) / ((Q + 1) * P));
	asl_symmetric_free(&s);
}

static void formulas(void **state)
{
	(void)state;
	for (int q = 2; q <= 5; q++)
		for (uint64_t times = 1; times <= 2; times++)
			count_spherical(q, times);
	if (getenv("ASLANT_TEST_LARGE"))
		count_spherical(19, 1);
}

/* Of bricks of the cube; who has x(J) and needs x(J) only is not sent x(L). */
static void count_cube(int p, int c)
{
	uint64_t b = (uint64_t)(p * c * c), n = 6 * b, P = b;
	uint64_t up = (uint64_t)p, uc = (uint64_t)c;
	struct asl_symmetric s = {.n = n, .order = 3, .columns = 1};
	struct asl_run_want want = {
		.store = "null",
		.plan = {.algorithm = &asl_symmetric_naive,
			 .symmetric = &s,
			 .ranks = (int)P,
			 .grid = {{p, c, c}},
			 .cache = 1 << 24,
			 .memory = 1 << 24},
	};
	struct seen seen = run(&want, (unsigned)b);
	uint64_t x = n / uc - n / (uc * up * uc),
		 y = n / up - n / (up * uc * uc);

	assert_int_equal(seen.max.of[ASL_BH], x + y + (c > 1 ? n / uc : 0));
	assert_int_equal(asl_symmetric_ternary(&want.plan), n * n * n);
	assert_int_equal(seen.total.of[ASL_NET_SEND],
			 P * (x + y) + up * uc * (uc - 1) * n / uc);
}

static void formulas_of_cubes(void **state)
{
	(void)state;
	for (int p = 1; p <= 4; p++)
		for (int c = 1; c <= 4; c++)
			count_cube(p, c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_data),
		cmocka_unit_test(with_data),
		cmocka_unit_test(formulas),
		cmocka_unit_test(formulas_of_cubes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
