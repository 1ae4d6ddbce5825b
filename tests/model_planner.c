/*
 * model_planner.c -- the planner's answers against a search of every grid
 *
 * The planner looks at few grids; here all of them are forecast, by loops that
 * know nothing of boxes and floors.
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

#include "lib/multiply/planner.h"
#include "lib/multiply/search.h"
#include "lib/run/path.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

static struct asl_plan roll_base(struct dice *d)
{
	int bits = (int)roll(d, 1, 8);
	struct asl_multiplication *part = product_of((struct asl_shape){
		roll_size(d, bits), roll_size(d, bits), roll_size(d, bits)});
	struct asl_plan x = {
		.multiplication = part,
		.ranks = (int)roll_size(d, 6),
		.cache = 2 + roll_size(d, (int)roll(d, 1, 12)),
		.memory = roll_size(d, 14),
		.panels = roll(d, 0, 1) ? ASL_DRAM : ASL_POOL,
		.overlap = roll(d, 0, 3) == 0,
		.accounting = roll(d, 0, 1) ? ASL_APM : ASL_FULL,
		.costs = {.read = (double)roll(d, 0, 4) / 3,
			  .write = (double)roll(d, 0, 40) / 4,
			  .dram_read = (double)roll(d, 0, 3),
			  .dram_write = (double)roll(d, 1, 3) / 7,
			  .net = (double)roll(d, 0, 10) / 3,
			  .latency = (double)roll(d, 0, 1) * 50,
			  .flop = (double)roll(d, 0, 1) / 10},
	};

	if (roll(d, 0, 2) == 0)
		part->panel = roll_size(d, 5);
	if (roll(d, 0, 2) == 0)
		x.kernel = asl_kernels[roll(d, 0, 2)];
	while (roll(d, 0, 1) && !x.algorithm) {
		int count = 0;

		while (asl_algorithms[count])
			count++;
		x.algorithm = asl_algorithms[roll(d, 0, (uint64_t)count - 1)];
	}
	return x;
}

static void print_base(const struct asl_plan *x, unsigned number)
{
	print_error("case %u: %s %s m=%ju n=%ju k=%ju P=%d S=%ju M=%ju "
		    "budget=%ju panel=%ju %s %s r=%g w=%g beta=%g\n",
		    number, x->algorithm ? x->algorithm->name : "any",
		    x->kernel ? x->kernel->name : "any", asl_shape_of(x)->m,
		    asl_shape_of(x)->n, asl_shape_of(x)->k, x->ranks, x->cache,
		    x->memory, x->budget, x->multiplication->panel,
		    asl_accounting_name(x->accounting),
		    x->panels == ASL_POOL ? "nvm" : "dram", x->costs.read,
		    x->costs.write, x->costs.net);
}

/* ---- Every grid ---- */

struct all {
	double *cost;
	size_t count, room;
	uint64_t need;
	uint64_t flops, limit;
	struct asl_grid whole; /* the prescription, if it is a grid */
};

static void visit(struct all *all, const struct asl_plan *with_grid)
{
	struct asl_multiplication part = *with_grid->multiplication;
	struct asl_plan x = *with_grid;
	struct asl_forecast f;

	x.multiplication = &part;
	asl_plan_blocks(&part, &x);
	f = asl_forecast(&x);
	if (f.memory_needed < all->need)
		all->need = f.memory_needed;
	if (x.budget && f.memory_needed > x.budget)
		return;
	if (all->count == all->room) {
		all->room = 2 * all->room + 64;
		all->cost = realloc(all->cost, all->room * sizeof(double));
		assert_non_null(all->cost);
	}
	all->cost[all->count++] = f.q[x.accounting];
}

/* 0: look for the least flops; 1: visit. */
static void each_grid(struct all *all, struct asl_plan *x, int pass)
{
	uint64_t dim[3];
	int *p = x->grid.p, P = x->ranks;

	asl_plan_dims(dim, x);
	for (p[0] = 1; p[0] <= P && (uint64_t)p[0] <= dim[0]; p[0]++)
		for (p[1] = 1; p[0] * p[1] <= P && (uint64_t)p[1] <= dim[1];
		     p[1]++)
			for (p[2] = 1; p[0] * p[1] * p[2] <= P &&
				       (uint64_t)p[2] <= dim[2];
			     p[2]++) {
				uint64_t flops;

				if (!asl_plan_possible(x) ||
				    !asl_plan_admits(x))
					continue;
				flops = asl_grid_flops(x);
				if (flops < all->flops)
					all->flops = flops;
				if (pass && flops <= all->limit &&
				    memcmp(&x->grid, &all->whole,
					   sizeof x->grid))
					visit(all, x);
			}
}

static void search_grids(struct all *all, struct asl_plan x)
{
	struct asl_multiplication part = *x.multiplication;
	uint64_t fair = 12 * asl_shape_of(&x)->m * asl_shape_of(&x)->n *
			asl_shape_of(&x)->k / (5 * (uint64_t)x.ranks);

	x.multiplication = &part;
	asl_plan_prescribe(part.ideal, &x);
	all->whole = (struct asl_grid){{0}};
	if (asl_grid_whole(&all->whole, &x)) {
		x.grid = all->whole;
		visit(all, &x);
	}
	if (x.algorithm->matmul->grid.none)
		return;
	all->flops = 2 * asl_shape_of(&x)->m * asl_shape_of(&x)->n *
		     asl_shape_of(&x)->k;
	each_grid(all, &x, 0);
	all->limit = all->flops < fair ? fair : all->flops;
	each_grid(all, &x, 1);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Who wants overlap gets it, if the choice is the planner's. */
static bool passed_over(const struct asl_plan *base,
			const struct asl_algorithm *a)
{
	return base->overlap && !a->overlaps;
}

static struct all search_all(const struct asl_plan *base)
{
	struct all all = {.need = UINT64_MAX};
	struct asl_plan x = *base;

	for (int i = 0; asl_algorithms[i]; i++)
		for (int j = 0; asl_kernels[j]; j++) {
			const struct asl_algorithm *a = asl_algorithms[i];
			const struct asl_kernel *kernel = asl_kernels[j];

			if (base->algorithm ? base->algorithm != a
					    : a->matmul->chooses != NULL)
				continue;
			if (!base->algorithm && passed_over(base, a))
				continue;
			if (base->kernel && base->kernel != kernel)
				continue;
			if (a->matmul->kernel &&
			    strcmp(a->matmul->kernel, kernel->name))
				continue;
			if (x.cache < kernel->least_cache)
				continue;
			x.algorithm = a;
			x.kernel = kernel;
			search_grids(&all, x);
		}
	if (all.count)
		qsort(all.cost, all.count, sizeof *all.cost, by_size);
	return all;
}

/* ---- The planner ---- */

enum { TOP = 12 };

static void compare(const struct asl_plan *base, unsigned number)
{
	struct all all = search_all(base);
	struct asl_candidates list = asl_candidates(TOP);
	int err = asl_planner_rank(&list, base), wrong = 0;

	if (err ? all.count > 0
		: (size_t)list.count != (all.count < TOP ? all.count : TOP))
		wrong++;
	wrong += !isinf(list.lower_bound); /* small enough to be proven */
	for (int i = 0; !err && !wrong && i < list.count; i++) {
		double q = list.best[i].forecast.q[base->accounting];

		if (q == all.cost[i])
			continue;
		print_error("place %d: Q %.17g (%s %s %dx%dx%d), not %.17g\n",
			    i + 1, q, list.best[i].plan.algorithm->name,
			    list.best[i].plan.kernel->name,
			    list.best[i].plan.grid.p[0],
			    list.best[i].plan.grid.p[1],
			    list.best[i].plan.grid.p[2], all.cost[i]);
		wrong++;
	}
	if (err && base->budget && list.memory_needed != all.need) {
		print_error("least need %ju, not %ju\n", list.memory_needed,
			    all.need);
		wrong++;
	}
	if (wrong)
		print_base(base, number);
	assert_int_equal(wrong, 0);
	asl_candidates_free(&list);
	free(all.cost);
}

static void best_of_all_grids(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1500; i++) {
		struct dice d = {61, i, 0};
		struct asl_plan base = roll_base(&d);

		if (!leave_out(i))
			compare(&base, i);
	}
}

static void budgets(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 800; i++) {
		struct dice d = {62, i, 0};
		struct asl_plan base = roll_base(&d);
		const struct asl_shape *s = asl_shape_of(&base);
		uint64_t words = s->m * s->n + s->m * s->k + s->n * s->k;

		base.budget = 1 + roll(&d, 0, 4 * words / (uint64_t)base.ranks);
		if (!leave_out(i))
			compare(&base, i);
	}
}

/* ---- A single algorithm's own choice ---- */

static double path_of(const struct asl_plan *plan)
{
	struct asl_candidate one = {.plan = *plan};
	struct asl_candidates list = {.best = &one, .count = 1, .top = 1};

	asl_path_rank(&list, 1);
	assert_true(one.path[plan->accounting] > 0);
	return one.path[plan->accounting];
}

/*
 * The best has the shortest path of the few that are followed.  What the others
 * can cost at least is returned: their busiest ranks cost no less, and no path is
 * shorter than that but with overlap.
 */
static double check_few(const struct asl_plan *base, double best)
{
	struct asl_candidates few = asl_candidates(asl_path_looks(1, base));
	double least;

	assert_int_equal(asl_planner_rank(&few, base), 0);
	least = base->overlap ? 0 : asl_candidates_limit(&few);
	for (int i = 0; i < few.count; i++) {
		double q = few.best[i].forecast.q[base->accounting];

		assert_true(asl_candidate_cost(&few.best[i]) == q);
	}
	asl_path_rank(&few, few.count);
	for (int i = 0; i < few.count; i++)
		assert_true(few.best[i].path[base->accounting] >= best);
	asl_candidates_free(&few);
	return least;
}

static void never_worse_than_a_choice(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(120, 400); i++) {
		struct dice d = {63, i, 0};
		struct asl_plan base = roll_base(&d), best;
		uint64_t need;
		double q;

		if (leave_out(i))
			continue;
		base.algorithm = NULL;
		base.cache = 3 + base.cache;
		best = base;
		assert_int_equal(asl_path_best(&best, asl_planner_rank, &need),
				 0);
		q = path_of(&best);
		asl_plan_release(&best);
		q = fmin(q, check_few(&base, q));
		for (int j = 0; asl_algorithms[j]; j++) {
			const struct asl_algorithm *a = asl_algorithms[j];
			struct asl_plan x = base;

			x.algorithm = a;
			if (passed_over(&base, a))
				continue;
			if (a->matmul->kernel && x.kernel &&
			    strcmp(a->matmul->kernel, x.kernel->name))
				continue;
			if (!x.kernel)
				x.kernel = asl_kernel_find(
					a->matmul->kernel ? a->matmul->kernel
							  : "vomm");
			if (asl_grid_choose(own_part(&x), &x, &need) ||
			    path_of(&x) >= q)
				continue;
			print_error("%s chooses better: ", a->name);
			print_base(&base, i);
			fail();
		}
	}
}

/* ---- Floors ---- */

/* A box around the grid; where a number is 1, it is on the whole box. */
static struct asl_box roll_box(struct dice *d, const struct asl_plan *x)
{
	struct asl_box box;

	for (int i = 0; i < 3; i++) {
		int p = x->grid.p[i], wide = (int)roll_size(d, 4) - 1;

		box.low[i] = p == 1 ? 1 : p - (int)roll(d, 0, (uint64_t)wide);
		box.low[i] = p > 1 && box.low[i] < 2 ? 2 : box.low[i];
		box.high[i] = p == 1 ? 1 : p + wide;
	}
	if (x->algorithm->matmul->grid.square) {
		box.low[1] = box.low[0];
		box.high[1] = box.high[0];
	}
	return box;
}

static void floor_is_below(struct asl_plan *x, const struct asl_box *box,
			   unsigned number)
{
	static const struct asl_costs words = {.net = 1};
	struct asl_rates q = asl_rates(&x->costs, x->accounting);
	struct asl_rates bh = asl_rates(&words, ASL_APM);
	struct asl_lower_bound of_q = {.memory = 0}, of_words = {.memory = 0};
	struct asl_forecast f;

	x->algorithm->matmul->lower_bound(&of_q, x, box, &q);
	x->algorithm->matmul->lower_bound(&of_words, x, box, &bh);
	asl_plan_blocks(own_part(x), x);
	f = asl_forecast(x);
	/* Costs are those of grids that fit. */
	if (x->budget && f.memory_needed > x->budget)
		of_q.counts = of_words.counts = (struct asl_counts){{0}};
	/*
	 * A floor may be the cost itself, split up among other counters (a panel
	 * in the pool or in DRAM): then sums of thirds differ in the last place.
	 */
	if (asl_cost(&q, &of_q.counts) <= f.q[x->accounting] * (1 + 4e-16) &&
	    asl_cost(&bh, &of_words.counts) <= (double)f.bh &&
	    of_q.memory <= f.memory_high)
		return;
	print_error("grid %dx%dx%d: floors Q %.17g, B_h %g, memory %ju; "
		    "forecast %.17g, %ju, %ju\n",
		    x->grid.p[0], x->grid.p[1], x->grid.p[2],
		    asl_cost(&q, &of_q.counts), asl_cost(&bh, &of_words.counts),
		    of_q.memory, f.q[x->accounting], f.bh, f.memory_high);
	print_base(x, number);
	fail();
}

static void floors_are_below(void **state)
{
	unsigned tried = 0;

	(void)state;
	for (unsigned i = 0; tried < 20000; i++) {
		struct dice d = {64, i, 0};
		struct asl_plan x = roll_base(&d);
		struct asl_box box;

		if (!x.algorithm || !x.algorithm->matmul->lower_bound)
			continue;
		if (!x.kernel || x.algorithm->matmul->kernel)
			x.kernel = asl_kernel_find(
				x.algorithm->matmul->kernel
					? x.algorithm->matmul->kernel
					: "cowe");
		if (x.cache < 3)
			x.cache = 3;
		for (int j = 0; j < 3; j++)
			x.grid.p[j] =
				roll(&d, 0, 2) ? (int)roll_size(&d, 4) : 1;
		if (x.algorithm->matmul->grid.square)
			x.grid.p[1] = x.grid.p[0];
		x.ranks = asl_grid_ranks(&x.grid) + (int)roll(&d, 0, 9);
		if (!asl_plan_possible(&x))
			continue;
		if (roll(&d, 0, 1))
			x.budget = roll_size(&d, 12);
		asl_plan_prescribe(own_part(&x)->ideal, &x);
		box = roll_box(&d, &x);
		tried++;
		if (!leave_out(i))
			floor_is_below(&x, &box, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floors_are_below),
		cmocka_unit_test(best_of_all_grids),
		cmocka_unit_test(budgets),
		cmocka_unit_test(never_worse_than_a_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
