/*
 * cli_multiply.c -- matrix multiplication as the command asks for it and shows it
 */
#include "bench/library/cli_multiply.h"

#include <errno.h>
#include <string.h>

#include "bench/library/case.h"
#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/multiply/multiply.h"
#include "lib/multiply/planner.h"

/*
 * How large the multiplication is: from options and operand files
 *
 * A file fixes two of the three dimensions.  What files and options both say
 * must agree; what neither says is missing, but for --n alone, without files,
 * which is all three.
 */

/* A dimension, and who says so: "--n" or a file's name; NULL: nobody yet. */
struct length {
	uint64_t is;
	const char *by, *what; /* "rows" or "columns" of a file, else "" */
};

static int settle(struct length *x, uint64_t is, const char *by,
		  const char *what)
{
	if (x->by && x->is != is)
		return asl_refuse("%s has %ju%s, but %s has %ju%s: C is m x n, "
				  "A is m x k, B is k x n",
				  x->by, x->is, x->what, by, is, what);
	*x = (struct length){is, by, what};
	return 0;
}

static int settle_file(struct length *rows, struct length *cols,
		       const char *path)
{
	struct asl_matrix_in *in;
	int err;

	if (!path)
		return 0;
	err = asl_matrix_open(&in, path);
	if (err)
		return asl_complain(err == -ENOMEM ? ASL_NO_MACHINE
						   : ASL_BAD_INPUT,
				    "%s", asl_failure());
	err = settle(rows, asl_matrix_rows(in), path, " rows");
	if (!err)
		err = settle(cols, asl_matrix_cols(in), path, " columns");
	asl_matrix_close(in);
	return err;
}

static int settle_option(struct length *x, uint64_t is, const char *name)
{
	return is ? settle(x, is, name, "") : 0;
}

int asl_sizes(struct asl_shape *shape, const struct asl_options *o)
{
	struct length m = {0}, n = {0}, k = {0};
	char why[256];
	int err = settle_file(&m, &k, o->a);

	if (!err)
		err = settle_file(&k, &n, o->b);
	if (!err)
		err = settle_option(&m, o->m, "--m");
	if (!err)
		err = settle_option(&n, o->n, "--n");
	if (!err)
		err = settle_option(&k, o->k, "--k");
	if (err)
		return err;
	if (n.by && !m.by && !k.by)
		m = k = n;
	if (!m.by && !n.by && !k.by)
		return asl_refuse("the size is missing: expected --n N, or "
				  "--m, --n and --k");
	if (!m.by || !n.by || !k.by)
		return asl_refuse(
			"--%s is missing: C is m x n, A is m x k, B is k x n",
			!m.by	? "m"
			: !n.by ? "n"
				: "k");
	*shape = (struct asl_shape){m.is, n.is, k.is};
	if (asl_shape_check(shape, why, sizeof why))
		return asl_refuse("%s", why);
	return 0;
}

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
	int err = asl_sizes(&plan->shape, o);

	return err ? err : choose_ranks(plan, o);
}

static int means(struct asl_plan *plan, const struct asl_options *o)
{
	plan->panel = o->panel;
	plan->kernel = o->kernel ? asl_kernel_find(o->kernel) : NULL;
	return asl_fits_cache(plan);
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
		plan->kernel = asl_kernel_find(own ? own : "vomm");
	if (!own || !strcmp(own, plan->kernel->name))
		return 0;
	return asl_refuse(
		"--kernel: found %s, but %s has a kernel of its own, %s",
		plan->kernel->name, plan->algorithm->name, own);
}

static int complete(struct asl_run_want *want, const struct asl_options *o)
{
	int err = choose_kernel(&want->plan);

	want->files[ASL_A] = o->a;
	want->files[ASL_B] = o->b;
	return err ? err : asl_fits_cache(&want->plan);
}

/* ---- In tables ---- */

static void show_blocks(struct asl_shown *out, const struct asl_plan *plan)
{
	if (plan->panel && !strcmp(plan->algorithm->name, "summa"))
		snprintf(out->blocks, sizeof out->blocks, "panel=%ju",
			 plan->panel);
	else if (plan->bands > 1 || plan->slices > 1)
		snprintf(out->blocks, sizeof out->blocks, "bands=%d slices=%d",
			 plan->bands, plan->slices);
}

static void show(struct asl_shown *out, const struct asl_plan *plan)
{
	out->kernel = plan->kernel ? plan->kernel->name : NULL;
	asl_show_sizes(out, &plan->shape);
	if (plan->algorithm)
		show_blocks(out, plan);
	if (plan->grid.p[0])
		asl_grid_text(out->grid, &plan->grid);
}

/* ---- For people ---- */

static void print_what(FILE *f, const struct asl_plan *plan)
{
	fprintf(f, "%s with kernel %s: C = A B, %s", plan->algorithm->name,
		plan->kernel->name, asl_show(plan).problem);
}

static void print_ranks(FILE *f, const struct asl_plan *plan)
{
	const double *ideal = plan->ideal;
	const char *axes = asl_plan_axes(plan);
	int idle = plan->ranks - asl_plan_ranks(plan);
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
	if (!idle && !strcmp(real, grid))
		return;
	fputs("          ", f);
	if (idle)
		fprintf(f, "%d idle, ", idle);
	fprintf(f, "prescribed: %s\n", real);
}

const struct asl_family_cli asl_cli_multiply = {
	.family = &asl_family_multiply,
	.algorithms = asl_algorithms,
	.problem = problem,
	.means = means,
	.complete = complete,
	.settle = asl_grid_settle,
	.show = show,
	.print_what = print_what,
	.print_ranks = print_ranks,
	.test = "Freivalds' test",
	.wrong = "THE PRODUCT IS WRONG",
	.rank = asl_planner_rank,
	.bounds = asl_bounds,
};
