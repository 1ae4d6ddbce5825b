/*
 * suite_print.c -- the cases of a suite for people, a line each
 */
#include "bench/grid.h"
#include "bench/suite.h"
#include "lib/model/grid.h"

/* n alone if that says all; else C's rows, its columns, and what is between. */
static const char *size_text(char text[40], const struct asl_shape *x)
{
	if (x->m == x->n && x->n == x->k)
		snprintf(text, 40, "%ju", x->n);
	else
		snprintf(text, 40, "%jux%jux%ju", x->m, x->n, x->k);
	return text;
}

static void print_plan(FILE *f, const struct asl_plan *plan)
{
	char size[40], grid[40];

	fprintf(f, "%-14s %-6s %8s %6d  %-9s", plan->algorithm->name,
		plan->kernel->name, size_text(size, &plan->shape), plan->ranks,
		asl_grid_text(grid, &plan->grid));
}

void asl_suite_print(const struct asl_suite *s)
{
	printf("   case %-14s %-6s %8s %6s  %-9s %12s %12s  %s\n", "algorithm",
	       "kernel", "n", "ranks", "grid", "Q", "memory held", "label");
	for (int i = 0; i < s->count; i++) {
		const struct asl_plan *plan = &s->cases[i].c.want.plan;
		struct asl_forecast f = asl_forecast(plan);

		printf("%7d ", i + 1);
		print_plan(stdout, plan);
		printf(" %12.9g %12ju  %s\n", f.q[plan->accounting],
		       f.memory_high, s->cases[i].label);
	}
}

static const char *verdict(const struct asl_rep *rep)
{
	if (!rep->predicted_equal)
		return "MISCOUNTED";
	if (rep->verified >= 0)
		return rep->verified ? "verified" : "WRONG";
	return rep->moved ? "unverified" : "counted";
}

void asl_suite_progress(FILE *f, const struct asl_suite *s,
			const struct asl_suite_case *x, int done,
			const struct asl_rep *rep, double seconds)
{
	const struct asl_plan *plan = &rep->want->plan;

	fprintf(f, "%4d/%-4d ", done, s->count);
	print_plan(f, plan);
	fprintf(f, " Q %-12.9g %-10s %8.3f s  %s\n",
		rep->q_max[plan->accounting], verdict(rep), seconds, x->label);
}
