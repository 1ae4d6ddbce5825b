/*
 * suite_print.c -- the cases of a suite for people, a line each
 */
#include <string.h>
#include <unistd.h>

#include "bench/face.h"
#include "bench/suite.h"
#include "lib/multiply/grid.h"

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

/* ---- How far it is ---- */

/* What a case may take, in units of about 0.1 ns. */
static double weigh(struct asl_suite_case *x)
{
	const struct asl_run_want *want = &x->c.want;
	double set_up = 1e7, reps = want->reps + want->warmup, once;
	struct asl_ledger ledger;
	struct asl_counts n;

	if (x->weight > 0)
		return x->weight;
	asl_plan_predict(&ledger, &want->plan, 0);
	n = asl_ledger_total(&ledger);
	once = (double)n.of[ASL_FLOPS] +
	       10 * (double)(asl_words_read(&n) + asl_words_written(&n)) +
	       20 * (double)n.of[ASL_BH];
	if (!strcmp(want->store, "null"))
		once = 0;
	x->weight = (set_up + once * reps) * want->plan.ranks;
	return x->weight;
}

static void print_duration(FILE *f, double seconds)
{
	if (seconds < 100)
		fprintf(f, "%.0f s", seconds);
	else if (seconds < 6000)
		fprintf(f, "%.0f min", seconds / 60);
	else
		fprintf(f, "%.1f h", seconds / 3600);
}

void asl_suite_outlook(FILE *f, const struct asl_suite *s, const bool *done,
		       double seconds)
{
	double behind = 0, ahead = 0;
	int left = 0;

	if (!isatty(fileno(f)))
		return;
	for (int i = 0; i < s->count; i++) {
		*(done[i] ? &behind : &ahead) += weigh(&s->cases[i]);
		left += !done[i];
	}
	if (!left)
		return;
	fprintf(f, "%d cases left, about ", left);
	print_duration(f, seconds * ahead / behind);
	fflush(f);
}

void asl_suite_progress(FILE *f, const struct asl_suite *s,
			const struct asl_suite_case *x, int done,
			const struct asl_rep *rep, double seconds)
{
	const struct asl_plan *plan = &rep->want->plan;

	if (isatty(fileno(f)))
		fputs("\r\033[K", f); /* over asl_suite_outlook's line */
	fprintf(f, "%4d/%-4d ", done, s->total);
	print_plan(f, plan);
	fprintf(f, " Q %-12.9g %-10s %8.3f s  %s\n",
		rep->q_max[plan->accounting], verdict(rep), seconds, x->label);
}
