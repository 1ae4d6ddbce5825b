/*
 * symmetric.c -- symmetric tensors as the command shows them
 */
#include "bench/symmetric.h"

#include <math.h>
#include <string.h>

#include "bench/grid.h"
#include "lib/symmetric/block.h"

static bool has_layout(const struct asl_plan *plan)
{
	return plan->symmetric->layout.ranks > 0;
}

void asl_symmetric_show(struct asl_shown *out, const struct asl_plan *plan)
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

void asl_symmetric_print_what(FILE *f, const struct asl_plan *plan)
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

void asl_symmetric_print_ranks(FILE *f, const struct asl_plan *plan)
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

int asl_symmetric_bounds(struct asl_bound bound[ASL_BOUNDS],
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
