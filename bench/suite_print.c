/*
 * suite_print.c -- the cases of a suite for people, a line each
 */
#include "bench/face.h"
#include "bench/suite.h"
#include "lib/model/grid.h"

static void print_plan(FILE *f, const struct asl_plan *plan)
{
	struct asl_shown x = asl_show(plan);

	fprintf(f, "%-14s %-6s %8s %6d  %-9s", plan->algorithm->name,
		x.kernel ? x.kernel : "", x.size, plan->ranks, x.grid);
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
