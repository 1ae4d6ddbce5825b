/*
 * cli_multiply.c -- matrix multiplication as the command asks for it and shows it
 */
#include <stdlib.h>
#include <string.h>

#include "bench/library/case.h"
#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/multiply/multiply.h"
#include "lib/multiply/planner.h"

/* ---- From options to a plan ---- */

/* A grid that is asked for leaves nobody idle. */
static int check_grid(const struct asl_plan *plan)
{
	int job = asl_job().size, needed = asl_grid_ranks(&plan->grid);
	char text[40];

	if (needed == plan->ranks)
		return 0;
	return asl_refuse("--grid: found %s, which is %d ranks, but there are "
			  "%d (%s%d would do)",
			  asl_grid_text(text, &plan->grid), needed, plan->ranks,
			  job ? "a job of " : "--ranks ", needed);
}

static int choose_ranks(struct asl_plan *plan, const struct asl_options *o)
{
	bool given = o->grid.p[0];

	plan->grid = o->grid;
	if (!plan->ranks)
		plan->ranks = given ? asl_grid_ranks(&o->grid) : 1;
	return given ? check_grid(plan) : 0;
}

static int problem(struct asl_plan *plan, const struct asl_options *o)
{
	const struct asl_shape given = {o->m, o->n, o->k};
	struct asl_multiplication *x = calloc(1, sizeof *x);
	int err;

	if (!x)
		return asl_no_memory();
	plan->multiplication = x;
	x->panel = o->panel;
	err = asl_shape_find(&x->shape, &given, o->a, o->b);
	return err ? asl_complain_failure(err, "") : choose_ranks(plan, o);
}

static int take_kernel(struct asl_plan *plan, const char *name)
{
	plan->kernel = asl_kernel_find(name);
	return asl_fits_cache(plan);
}

static int means(struct asl_plan *plan, const struct asl_options *o)
{
	return o->kernel ? take_kernel(plan, o->kernel) : 0;
}

/* The algorithm's own, where it has one; else the one asked for. */
static int choose_kernel(struct asl_plan *plan)
{
	const char *own;

	/* The planner chooses that, too. */
	if (!plan->algorithm)
		return 0;
	own = plan->algorithm->matmul->kernel;
	if (!plan->kernel)
		return take_kernel(plan, own ? own : "vomm");
	if (!own || !strcmp(own, plan->kernel->name))
		return 0;
	return asl_refuse(
		"--kernel: found %s, but %s has a kernel of its own, %s",
		plan->kernel->name, plan->algorithm->name, own);
}

static int complete(struct asl_run_want *want, const struct asl_options *o)
{
	want->files[ASL_A] = o->a;
	want->files[ASL_B] = o->b;
	return choose_kernel(&want->plan);
}

static int settle(struct asl_plan *plan)
{
	int err = asl_multiply_complete(plan);

	return err ? asl_complain_failure(err, "") : 0;
}

static void show_blocks(struct asl_shown *out, const struct asl_plan *plan)
{
	const struct asl_multiplication *x = plan->multiplication;

	if (x->panel && !strcmp(plan->algorithm->name, "summa"))
		snprintf(out->blocks, sizeof out->blocks, "panel=%ju",
			 x->panel);
	else if (x->layers > 1)
		snprintf(out->blocks, sizeof out->blocks,
			 "bands=%d slices=%d layers=%d", x->bands, x->slices,
			 x->layers);
	else if (x->bands > 1 || x->slices > 1)
		snprintf(out->blocks, sizeof out->blocks, "bands=%d slices=%d",
			 x->bands, x->slices);
}

static void show(struct asl_shown *out, const struct asl_plan *plan)
{
	out->kernel = plan->kernel ? plan->kernel->name : NULL;
	asl_show_sizes(out, asl_shape_of(plan));
	if (plan->algorithm)
		show_blocks(out, plan);
	if (plan->grid.p[0])
		asl_grid_text(out->grid, &plan->grid);
}

/* How many times M the block takes; 0: M decides no block. */
static double block_over_memory(const struct asl_plan *plan)
{
	const struct asl_matmul *a = asl_plan_runs(plan)->matmul;

	return a->block_within_M && plan->memory
		       ? (double)a->block_within_M(plan) / (double)plan->memory
		       : 0;
}

static void print_ranks(FILE *f, const struct asl_plan *plan)
{
	const double *ideal = plan->multiplication->ideal;
	const char *axes = asl_plan_axes(plan);
	int idle = plan->ranks - asl_plan_ranks(plan);
	double over = block_over_memory(plan);
	char grid[40], real[80];

	if (plan->algorithm->matmul->grid.none) {
		fprintf(f, "ranks     %d, a box each%s\n", plan->ranks,
			idle ? ", as far as there are any" : "");
		return;
	}
	asl_grid_text(grid, &plan->grid);
	fprintf(f, "ranks     %d on a grid of %s (%c x %c x %c)\n", plan->ranks,
		grid, axes[0], axes[1], axes[2]);
	snprintf(real, sizeof real, "%.4gx%.4gx%.4g", ideal[0], ideal[1],
		 ideal[2]);
	if (!idle && over <= 1 && !strcmp(real, grid))
		return;
	fputs("          ", f);
	if (idle)
		fprintf(f, "%d idle, ", idle);
	fprintf(f, "prescribed: %s\n", real);
	if (over > 1)
		fprintf(f, "          blocks of A or B take %.3g times M\n",
			over);
}

const struct asl_family_cli asl_cli_multiply = {
	.family = &asl_family_multiply,
	.algorithms = asl_algorithms,
	.problem = problem,
	.means = means,
	.complete = complete,
	.settle = settle,
	.show = show,
	.print_what = asl_print_product,
	.print_ranks = print_ranks,
	.about = "Problem: C is m x n, A is m x k, B is k x n",
	.small = "--n 120",
	.test = "Freivalds' test",
	.wrong = "THE PRODUCT IS WRONG",
	.rank = asl_planner_rank,
	.bounds = asl_bounds,
};
