/*
 * cli_symmetric.c -- symmetric tensors: from options to a plan, and as text
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/symmetric/tensor.h"
#include "lib/symmetric/wedge.h"

/* ---- In tables, and for people ---- */

static bool has_layout(const struct asl_plan *plan)
{
	return plan->symmetric->layout.ranks > 0;
}

static void show(struct asl_shown *out, const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;

	out->n = s->n;
	out->order = s->order;
	snprintf(out->size, sizeof out->size, "%ju", s->n);
	if (s->order > 3)
		snprintf(out->problem, sizeof out->problem, "n = %ju, order %d",
			 s->n, s->order);
	else if (s->gradient)
		snprintf(out->problem, sizeof out->problem, "n = %ju, R = %d",
			 s->n, s->columns);
	else
		snprintf(out->problem, sizeof out->problem, "n = %ju", s->n);
	if (has_layout(plan))
		snprintf(out->grid, sizeof out->grid, "%s%s", s->layout.name,
			 s->exchange == ASL_ALLTOALL ? "/alltoall" : "");
	else if (plan->grid.p[0])
		asl_grid_text(out->grid, &plan->grid);
}

/* A x2 x x3 x, for order 3. */
static void print_product(FILE *f, int order)
{
	fprintf(f, "A");
	for (int i = 2; i <= order; i++)
		fprintf(f, " x%d x", i);
}

static void print_what(FILE *f, const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;

	fprintf(f, "%s: ", plan->algorithm->name);
	if (!plan->iterations && !s->gradient)
		fprintf(f, "y = ");
	if (!s->gradient)
		print_product(f, s->order);
	if (plan->iterations)
		fprintf(f,
			" = lambda x, A symmetric, n = %ju,\n"
			"shift %g, tolerance %g, at most %d iterations",
			s->n, s->shift, s->tolerance, plan->iterations);
	else if (s->gradient)
		fprintf(f,
			"Y = X G - [A x2 x x3 x], A symmetric, n = %ju, R = "
			"%d, %d at a time",
			s->n, s->columns, s->together);
	else
		fprintf(f, ", A symmetric, n = %ju", s->n);
}

/* Words of x and y together, where all parts are even. */
static double words_by_formula(const struct asl_symmetric *s)
{
	const struct asl_layout *l = &s->layout;
	double n = (double)s->n;

	return 2 * (n * l->s / l->m - n / l->ranks);
}

static void print_exchange(FILE *f, const struct asl_symmetric *s)
{
	const struct asl_layout *l = &s->layout;
	uint64_t least;

	fprintf(f, "          ");
	if (s->exchange == ASL_ALLTOALL) {
		fprintf(f, "%d steps each way, all to all, of %ju words\n",
			l->ranks - 1, s->equal);
		return;
	}
	fprintf(f, "%d steps each way", s->schedule.steps);
	if (l->s)
		fprintf(f,
			"; where all divides, 2 (%dn/%d - n/%d) = %.6g words",
			l->s, l->m, l->ranks, words_by_formula(s));
	fputc('\n', f);
	least = l->s ? 2 * asl_shares_least(l) : 0;
	if (l->s && (double)least > words_by_formula(s))
		fprintf(f,
			"          no shares of n = %ju words need fewer than "
			"%ju "
			"words\n",
			s->n, least);
}

static void print_ranks(FILE *f, const struct asl_plan *plan)
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
	if (s->by_pieces)
		fprintf(f,
			"          x and y in DRAM, %ju words of a row "
			"block at a time in the cache\n",
			asl_pieces_longest(s));
	if (s->streams)
		fprintf(f, "          the tensor in storage, beside the memory "
			   "that the budget limits\n");
}

/* See lib/symmetric/bounds.c. */
static const char *net_source(const struct asl_plan *plan)
{
	if (plan->symmetric->order > 3 &&
	    plan->algorithm == &asl_symmetric_sttsv)
		return "Al Daas et al. 2025, Theorem 2, for order d: "
		       "2 (n(n-1)...(n-d+1)/P)^(1/d) - 2n/P";
	if (plan->symmetric->order > 3 &&
	    plan->algorithm == &asl_symmetric_naive)
		return "without symmetry: d/(d-1) ((d-1)n^d/P)^(1/d) - 2n/P";
	return plan->algorithm == &asl_symmetric_sttsv
		       ? "Al Daas et al. 2025, Theorem 2: "
			 "2 (n(n-1)(n-2)/P)^(1/3) - 2n/P"
	       : plan->algorithm == &asl_symmetric_hopm
		       ? "sttsv's, Al Daas et al. 2025, in every iteration"
	       : plan->algorithm == &asl_symmetric_cpgrad
		       ? "sttsv's for each vector; or for a few, with more of "
			 "the tensor"
	       : plan->algorithm == &asl_symmetric_half
		       ? "entries for pairs: 2 (n^2(n-1)/P)^(1/3) - 2n/P"
		       : "without symmetry: 3 (n^3/4P)^(1/3) - 2n/P";
}

static int bounds(struct asl_bound bound[ASL_BOUNDS],
		  const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;
	double n = (double)s->n, P = plan->ranks;
	double net = asl_symmetric_net_words(plan);
	double io = asl_symmetric_io_words(plan), writes = n * s->columns / P;
	const struct asl_bound all[] = {
		{"net_words", net, "words", net_source(plan)},
		{"io_words_reads", (double)asl_packed_words(s->n, s->order) / P,
		 "words",
		 s->order > 3 ? "every word of the tensor is read once: (n+d-1 "
				"choose d)/P"
			      : "every word of the tensor is read once: "
				"n(n+1)(n+2)/6P"},
		{"io_words_vectors", 2 * writes, "words",
		 "every word of x is read and of y written once: n/P a vector"},
		{"io_words", io, "words",
		 "the sum; for hopm the tensor in each iteration, less S "
		 "words"},
		{"joint_cost", asl_symmetric_joint(plan), "cost",
		 "Q in the APM: r, w and beta times the least means of all "
		 "ranks"},
	};
	int first = net <= 0;

	memcpy(bound, all + first, sizeof all - (size_t)first * sizeof *all);
	return (int)(sizeof all / sizeof *all) - first;
}

/* ---- From options to a plan ---- */

static int size_of_file(uint64_t *n, const char *path)
{
	struct asl_tensor_in *in;
	int err = asl_tensor_open(&in, path);

	if (err)
		return asl_complain_failure(err, "");
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
		return asl_refuse(
			"--n: found %ju, but the tensor in %s has n = %ju",
			o->n, o->tensor, *n);
	if (!*n)
		return asl_refuse("the size is missing: expected --n N, or "
				  "--tensor FILE");
	return 0;
}

/* asl_failure() begins with the name of an option. */
static int check(int err)
{
	return err ? asl_complain_failure(err, "--") : 0;
}

/* 3, 4 or 5; the parser knows the orders of loops, too. */
static int find_order(int *order, const char *text)
{
	*order = text ? atoi(text) : 3;
	if (*order)
		return 0;
	return asl_refuse("--order: found %s, expected 3, 4 or 5 dimensions "
			  "of a tensor",
			  text);
}

static int problem(struct asl_plan *plan, const struct asl_options *o)
{
	struct asl_symmetric_request x = {
		.steiner = o->steiner,
		.exchange = !o->exchange ? ASL_EXCHANGE_ANY
			    : !strcmp(o->exchange, "alltoall") ? ASL_ALLTOALL
							       : ASL_P2P,
		.columns = o->cp_rank,
		.iterations = o->iterations,
		.shift = o->shift,
		.tolerance = o->tol,
		.grid = o->grid,
	};
	int err = find_order(&x.order, o->order);

	if (!err)
		err = find_size(&x.n, o);
	return err ? err : check(asl_symmetric_begin(plan, &x));
}

static int complete(struct asl_run_want *want, const struct asl_options *o)
{
	want->files[ASL_TENSOR] = o->tensor;
	want->files[ASL_X] = o->b;
	return check(asl_symmetric_settle(&want->plan));
}

static int settle(struct asl_plan *plan)
{
	return asl_fits_budget(plan);
}

const struct asl_family_cli asl_cli_symmetric = {
	.family = &asl_family_symmetric,
	.algorithms = asl_symmetric_algorithms,
	.problem = problem,
	.complete = complete,
	.settle = settle,
	.show = show,
	.print_what = print_what,
	.print_ranks = print_ranks,
	.about = "Problem: A is a symmetric n x n x n tensor",
	.small = "--n 120",
	.test = "test with a random vector",
	.wrong = "THE RESULT IS WRONG",
	.rank = asl_symmetric_rank,
	.bounds = bounds,
};
