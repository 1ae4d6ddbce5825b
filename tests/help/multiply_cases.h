/*
 * multiply_cases.h -- random multiplications: shapes, grids, kernels, panels, costs
 */
#ifndef ASL_TEST_MULTIPLY_CASES_H
#define ASL_TEST_MULTIPLY_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/multiply/multiply.h"
#include "lib/multiply/planner.h"
#include "lib/run/run.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

static inline void print_case(const struct asl_run_want *w, unsigned number)
{
	const struct asl_plan *x = &w->plan;

	print_error("case %u: %s m=%ju n=%ju k=%ju P=%d grid %dx%dx%d S=%ju "
		    "%s panels=%d r=%g w=%g beta=%g store=%s panel %ju, %d "
		    "bands, %d slices, %d layers%s\n",
		    number, x->algorithm->name, asl_shape_of(x)->m,
		    asl_shape_of(x)->n, asl_shape_of(x)->k, x->ranks,
		    x->grid.p[0], x->grid.p[1], x->grid.p[2], x->cache,
		    x->kernel->name, x->panels, x->costs.read, x->costs.write,
		    x->costs.net, w->store, x->multiplication->panel,
		    x->multiplication->bands, x->multiplication->slices,
		    x->multiplication->layers, x->overlap ? ", overlap" : "");
}

static inline int count_algorithms(void)
{
	int count = 0;

	while (asl_algorithms[count])
		count++;
	return count;
}

/* Every part of a run's time is then known from its counts. */
static const struct asl_times simple_times = {
	.flop = 0.5,
	.simple = 0.5,
	.words = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
		  8192},
	.step = {3, 6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 12288,
		 24576},
	.crowded = {5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240,
		    20480, 40960},
};

/* Gridless algorithms have no more ranks than multiplications. */
static inline void roll_numbers(struct dice *d, struct asl_plan *plan, int most)
{
	const struct asl_shape *s = asl_shape_of(plan);
	int left = most;

	if (plan->algorithm->matmul->grid.none &&
	    s->m * s->n * s->k < (uint64_t)most)
		left = (int)(s->m * s->n * s->k);
	for (int i = 0; i < 3; i++) {
		plan->grid.p[i] = (int)roll(d, 1, (uint64_t)left);
		left /= plan->grid.p[i];
	}
}

/* A grid of up to `most` ranks that the algorithm can use; false: none found. */
static inline bool roll_any_grid(struct dice *d, struct asl_plan *plan,
				 int most)
{
	struct asl_multiplication *part;

	asl_plan_resolve(plan);
	for (int tries = 0; tries < 30; tries++) {
		roll_numbers(d, plan, most);
		plan->ranks = asl_grid_ranks(&plan->grid) + (int)roll(d, 0, 1);
		if (asl_plan_possible(plan)) {
			part = own_part(plan);
			asl_plan_blocks(part, plan);
			/* More slices than are best will do as well. */
			part->slices += part->slices ? (int)roll(d, 0, 2) : 0;
			part->layers = roll(d, 0, 1) ? 0 : (int)roll(d, 1, 5);
			return true;
		}
	}
	return false;
}

/* A grid of any kind, prescribed or not, or the one prescribed. */
static inline void roll_grid(struct dice *d, struct asl_plan *plan, int most)
{
	uint64_t need;

	if (roll(d, 0, 2) && roll_any_grid(d, plan, most))
		return;
	plan->ranks = (int)roll(d, 1, (uint64_t)most);
	assert_int_equal(asl_grid_choose(own_part(plan), plan, &need), 0);
}

/* Of this algorithm; NULL: of any. */
static inline struct asl_run_want
roll_case(struct dice *d, int bits, int most_ranks,
	  const struct asl_algorithm *algorithm)
{
	struct asl_run_want want = {.transport = "sim",
				    .store = "null",
				    .seed = d->number,
				    .exact = true,
				    .reps = 1};
	struct asl_plan *plan = &want.plan;
	struct asl_multiplication *part = product_of((struct asl_shape){0});

	plan->algorithm =
		asl_algorithms[roll(d, 0, (uint64_t)count_algorithms() - 1)];
	if (algorithm)
		plan->algorithm = algorithm;
	plan->kernel = asl_kernels[roll(d, 0, 2)];
	plan->multiplication = part;
	part->shape.m = roll_size(d, bits);
	part->shape.n = roll_size(d, bits);
	part->shape.k = roll_size(d, bits);
	plan->cache = 2 + roll_size(d, 12);
	plan->memory = roll_size(d, 20);
	part->panel = roll(d, 0, 2) ? 0 : roll_size(d, bits);
	part->bands = roll(d, 0, 2) ? 0 : (int)roll(d, 1, 5);
	plan->overlap = roll(d, 0, 1);
	plan->panels = roll(d, 0, 1) ? ASL_DRAM : ASL_POOL;
	plan->accounting = roll(d, 0, 1) ? ASL_APM : ASL_FULL;
	plan->costs = (struct asl_costs){
		.read = (double)roll(d, 0, 4),
		.write = (double)roll(d, 0, 32),
		.net = (double)roll(d, 0, 8),
		.dram_read = 1,
		.dram_write = 1.5,
		.latency = (double)roll(d, 0, 1) * 100,
		.flop = (double)roll(d, 0, 1) * 0.125,
	};
	plan->times = &simple_times;
	plan->cores = roll(d, 0, 1) ? 0 : (int)roll(d, 1, 5);
	roll_grid(d, plan, most_ranks);
	return want;
}

#endif
