/*
 * cli_symmetric.c -- symmetric tensors as the command asks for them
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/family.h"
#include "lib/symmetric/plan.h"

/*
 * What was asked of a symmetric tensor, for the files of its face
 */

/* Of a plan from options; those that a planner found have the first part. */
struct asl_request {
	struct asl_symmetric s; /* plan->symmetric */
	const char *layout;	/* NULL: the best */
	const char *exchange;	/* NULL: not given */
};

static inline struct asl_request *asl_request(const struct asl_plan *plan)
{
	return (struct asl_request *)plan->symmetric;
}

/*
 * Symmetric tensors as the command shows them
 */

static bool has_layout(const struct asl_plan *plan)
{
	return plan->symmetric->layout.ranks > 0;
}

static void asl_symmetric_show(struct asl_shown *out,
			       const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;

	out->n = s->n;
	snprintf(out->size, sizeof out->size, "%ju", s->n);
	if (s->gradient)
		snprintf(out->problem, sizeof out->problem, "n = %ju, R = %d",
			 s->n, s->columns);
	else
		snprintf(out->problem, sizeof out->problem, "n = %ju", s->n);
	if (has_layout(plan))
		snprintf(out->grid, sizeof out->grid, "%s%s", s->layout.name,
			 s->alltoall ? "/alltoall" : "");
	else if (plan->grid.p[0])
		asl_grid_text(out->grid, &plan->grid);
}

static void asl_symmetric_print_what(FILE *f, const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;

	fprintf(f, "%s: ", plan->algorithm->name);
	if (plan->iterations)
		fprintf(f,
			"A x2 x x3 x = lambda x, A symmetric, n = %ju,\n"
			"shift %g, tolerance %g, at most %d iterations",
			s->n, s->shift, s->tolerance, plan->iterations);
	else if (s->gradient)
		fprintf(f,
			"Y = X G - [A x2 x x3 x], A symmetric, n = %ju, R = "
			"%d, %d at a time",
			s->n, s->columns, s->together);
	else
		fprintf(f, "y = A x2 x x3 x, A symmetric, n = %ju", s->n);
}

/* ---- Ranks ---- */

/* Of x and y together, where all parts are even. */
static double words_by_formula(const struct asl_symmetric *s)
{
	const struct asl_layout *l = &s->layout;
	double n = (double)s->n, rows = asl_list_length(&l->rows, 0);

	return 2 * (n * rows / l->m - n / l->ranks);
}

static void print_exchange(FILE *f, const struct asl_symmetric *s)
{
	const struct asl_layout *l = &s->layout;

	fprintf(f, "          ");
	if (s->alltoall) {
		fprintf(f, "%d steps each way, all to all, of %ju words\n",
			l->ranks - 1, s->equal);
		return;
	}
	fprintf(f, "%d steps each way", s->schedule.steps);
	if (strncmp(l->name, "cubic", 5))
		fprintf(f,
			"; where all divides, 2 (%dn/%d - n/%d) = %.6g words",
			asl_list_length(&l->rows, 0), l->m, l->ranks,
			words_by_formula(s));
	fputc('\n', f);
}

static void asl_symmetric_print_ranks(FILE *f, const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;
	int used = asl_plan_ranks(plan), idle = plan->ranks - used;

	fprintf(f, "ranks     %d", used);
	if (idle)
		fprintf(f, " of %d", plan->ranks);
	if (has_layout(plan))
		fprintf(f, " by %s, %d row blocks", s->layout.name,
			s->layout.m);
	else
		fprintf(f, " on a grid of %s", asl_show(plan).grid);
	if (idle)
		fprintf(f, ": %d idle", idle);
	fputc('\n', f);
	if (has_layout(plan) && used > 1)
		print_exchange(f, s);
}

/* ---- Bounds ---- */

static int asl_symmetric_bounds(struct asl_bound bound[ASL_BOUNDS],
				const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;
	double n = (double)s->n, P = plan->ranks;
	struct asl_plan all = *plan;
	double net;
	int count = 0;

	/* Of ranks that all work, however: that is asked of a grid of them. */
	all.grid = (struct asl_grid){{plan->ranks, 1, 1}};
	net = asl_symmetric_net_bound(&all);
	if (net > 0)
		bound[count++] =
			(struct asl_bound){"net_words", net, "words",
					   "Al Daas et al. 2025, Theorem 2: "
					   "2 (n(n-1)(n-2)/P)^(1/3) - 2n/P"};
	bound[count++] = (struct asl_bound){
		"io_words_reads", (double)asl_tetrahedron(s->n) / P, "words",
		"every word of the tensor is read once: n(n+1)(n+2)/6P"};
	bound[count++] = (struct asl_bound){
		"io_words_writes", n * s->columns / P, "words",
		"every word of the result is written once: n/P a vector"};
	bound[count++] = (struct asl_bound){
		"io_words", asl_symmetric_io_bound(&all), "words",
		"the sum of the two, in whole words"};
	return count;
}

static int refuse(int err, const char *before)
{
	return asl_complain(err == -ENOMEM ? ASL_NO_MACHINE : ASL_BAD_INPUT,
			    "%s%s", before, asl_failure());
}

/* ---- How large ---- */

static int size_of_file(uint64_t *n, const char *path)
{
	struct asl_tensor_in *in;
	int err = asl_tensor_open(&in, path);

	if (err)
		return refuse(err, "");
	*n = asl_tensor_size(in);
	asl_tensor_close(in);
	return 0;
}

static int find_size(uint64_t *n, const struct asl_options *o)
{
	int err = o->tensor ? size_of_file(n, o->tensor) : 0;

	if (err)
		return err;
	if (!o->tensor)
		*n = o->n;
	if (o->n && o->n != *n)
		return asl_complain(ASL_BAD_INPUT,
				    "--n: found %ju, but the tensor in %s has "
				    "n = %ju",
				    o->n, o->tensor, *n);
	if (!*n)
		return asl_complain(ASL_BAD_INPUT,
				    "the size is missing: expected --n N, or "
				    "--tensor FILE");
	return 0;
}

/* More flops than any algorithm here does: of n^3 entries, and of R^2 n words. */
static int check_flops(const struct asl_plan *plan)
{
	double n = (double)plan->symmetric->n, R = plan->symmetric->columns;
	double times = plan->iterations ? plan->iterations : 1;

	if (times * (4 * n * n * n * R + 16 * n * R * R) <= 0x1p63)
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "n = %ju: its flops cannot be counted in 63 bits",
			    plan->symmetric->n);
}

/* ---- By whom ---- */

static int check_grid(const struct asl_plan *plan)
{
	const int *p = plan->grid.p;
	char text[40];

	asl_grid_text(text, &plan->grid);
	if (!asl_symmetric_possible(plan))
		return asl_complain(ASL_BAD_INPUT,
				    "--grid: found %s, but %s works on p x c x "
				    "c, with no side above n",
				    text, plan->algorithm->name);
	if (p[0] * p[1] * p[2] != plan->ranks)
		return asl_complain(ASL_BAD_INPUT,
				    "--grid: found %s, which is %d ranks, but "
				    "there are %d",
				    text, p[0] * p[1] * p[2], plan->ranks);
	return 0;
}

/* Where it was not said how many ranks there are, as many as have work. */
static int choose_ranks(struct asl_plan *plan, const struct asl_options *o)
{
	const int *p = o->grid.p;
	int blocks = 0, err = 0;

	plan->grid = o->grid;
	if (o->steiner)
		err = asl_symmetric_blocks(&blocks, o->steiner);
	if (err)
		return refuse(err, "--steiner: ");
	if (!plan->ranks)
		plan->ranks = p[0] ? p[0] * p[1] * p[2] : blocks ? blocks : 1;
	return p[0] ? check_grid(plan) : 0;
}

static double or_else(double given, double otherwise)
{
	return isnan(given) ? otherwise : given;
}

static int problem(struct asl_plan *plan, const struct asl_options *o)
{
	struct asl_request *x = calloc(1, sizeof *x);
	int err;

	if (!x)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	plan->symmetric = &x->s;
	x->layout = o->steiner;
	x->exchange = o->exchange;
	x->s.columns = 1;
	if (plan->algorithm == &asl_symmetric_hopm) {
		plan->iterations = o->iterations ? o->iterations : 100;
		x->s.shift = or_else(o->shift, 0);
		x->s.tolerance = or_else(o->tol, 1e-12);
	} else if (plan->algorithm == &asl_symmetric_cpgrad) {
		x->s.columns = o->cp_rank ? o->cp_rank : 8;
		x->s.gradient = true;
	}
	err = find_size(&x->s.n, o);
	if (!err)
		err = check_flops(plan);
	return err ? err : choose_ranks(plan, o);
}

static int means(struct asl_plan *plan, const struct asl_options *o)
{
	(void)plan;
	(void)o;
	return 0;
}

/* ---- How they are arranged ---- */

static bool by_alltoall(const struct asl_request *x)
{
	return x->exchange && !strcmp(x->exchange, "alltoall");
}

static int make_layout(struct asl_plan *plan)
{
	struct asl_request *x = asl_request(plan);
	struct asl_symmetric_want want = {
		.n = x->s.n,
		.ranks = plan->ranks,
		.layout = x->layout,
		.columns = x->s.columns,
		.gradient = x->s.gradient,
		.alltoall = by_alltoall(x),
		.shift = x->s.shift,
		.tolerance = x->s.tolerance,
	};
	int err = asl_symmetric_make(&x->s, &want);

	return err ? refuse(err, "--steiner: ") : 0;
}

/* Those of the launcher say so. */
static void say_idle(const struct asl_plan *plan, const struct asl_options *o)
{
	int used = asl_plan_ranks(plan);

	if (used < plan->ranks && !o->launch)
		asl_complain(0, "note: %s has work for %d of %d ranks: %d idle",
			     asl_show(plan).grid, used, plan->ranks,
			     plan->ranks - used);
}

static int complete(struct asl_run_want *want, const struct asl_options *o)
{
	struct asl_plan *plan = &want->plan;
	int err;

	want->files[ASL_TENSOR] = o->tensor;
	want->files[ASL_X] = o->b;
	if (asl_symmetric_on_grid(plan->algorithm))
		return 0;
	err = make_layout(plan);
	if (!err)
		say_idle(plan, o);
	return err;
}

static int settle(struct asl_plan *plan)
{
	uint64_t need;
	bool fits = asl_symmetric_on_grid(plan->algorithm)
			    ? asl_symmetric_settle(plan, &need)
			    : asl_symmetric_fit(&asl_request(plan)->s,
						plan->cache, &need);

	if (fits)
		return asl_fits_budget(plan);
	return asl_complain(ASL_BAD_INPUT,
			    "--cache: found %ju words, but %s needs %ju for "
			    "its vectors",
			    plan->cache, plan->algorithm->name, need);
}

static int rank(struct asl_candidates *list, const struct asl_plan *base)
{
	const struct asl_request *x = asl_request(base);
	const struct asl_symmetric_ways ways = {
		.layout = x->layout,
		.p2p = !x->exchange || !by_alltoall(x),
		.alltoall = !x->exchange || by_alltoall(x),
	};

	return asl_symmetric_rank(list, base, &ways);
}

const struct asl_family_cli asl_cli_symmetric = {
	.family = &asl_family_symmetric,
	.algorithms = asl_symmetric_algorithms,
	.problem = problem,
	.means = means,
	.complete = complete,
	.settle = settle,
	.show = asl_symmetric_show,
	.print_what = asl_symmetric_print_what,
	.print_ranks = asl_symmetric_print_ranks,
	.test = "test with a random vector",
	.wrong = "THE RESULT IS WRONG",
	.rank = rank,
	.bounds = asl_symmetric_bounds,
};
