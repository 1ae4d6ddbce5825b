/*
 * answer.c -- what plan and bounds find, and its rows
 */
#include "bench/library/answer.h"

#include <math.h>

#include "bench/library/say.h"
#include "lib/run/path.h"

static int nothing_fits(const struct asl_plan *base, uint64_t memory_needed)
{
	if (!base->budget || memory_needed == UINT64_MAX)
		return asl_refuse(
			"plan: no algorithm can do this with these options");
	return asl_refuse("nothing fits into --memory-budget %ju words: the "
			  "least need is %ju words",
			  base->budget, memory_needed);
}

int asl_plans_find(struct asl_candidates *list, const struct asl_plan *base)
{
	int err = asl_path_find(list, base, asl_cli_of(base)->rank);

	return err < 0 ? nothing_fits(base, list->memory_needed) : err;
}

static void put_path(struct asl_csv *csv, const char *name, double q)
{
	asl_csv_put_number(csv, name, q > 0 ? q : NAN);
}

static void put_plan(struct asl_csv *csv, int place,
		     const struct asl_candidate *x)
{
	const struct asl_plan *plan = &x->plan;
	const struct asl_forecast *f = &x->forecast;
	struct asl_shown shown = asl_show(plan);

	asl_csv_put_count(csv, "place", (uint64_t)place);
	asl_csv_put(csv, "algorithm", plan->algorithm->name);
	asl_csv_put(csv, "kernel", shown.kernel);
	asl_csv_put_length(csv, "m", shown.m);
	asl_csv_put_length(csv, "n", shown.n);
	asl_csv_put_length(csv, "k", shown.k);
	asl_csv_put_count(csv, "ranks", (uint64_t)plan->ranks);
	asl_csv_put_count(csv, "ranks_used", (uint64_t)asl_plan_ranks(plan));
	asl_csv_put(csv, "grid", shown.grid);
	asl_csv_put_count(csv, "cache_words", plan->cache);
	asl_csv_put_count(csv, "memory_words", plan->memory);
	asl_csv_put_number(csv, "r", plan->costs.read);
	asl_csv_put_number(csv, "w", plan->costs.write);
	asl_csv_put_number(csv, "beta", plan->costs.net);
	asl_csv_put_number(csv, "q_apm_max", f->q[ASL_APM]);
	asl_csv_put_number(csv, "q_full_max", f->q[ASL_FULL]);
	asl_csv_put_count(csv, "read_words_max", f->read);
	asl_csv_put_count(csv, "write_words_max", f->written);
	asl_csv_put_count(csv, "bh_words_max", f->bh);
	asl_csv_put_count(csv, "memory_high_words", f->memory_high);
	asl_csv_put_count(csv, "outside_apm", asl_plan_runs(plan)->outside_apm);
	asl_csv_put(csv, "blocks", shown.blocks);
	asl_csv_put(csv, "spec", shown.spec);
	asl_csv_put(csv, "dims", shown.dims);
	asl_csv_put_number(csv, "q_joint_bound",
			   plan->algorithm->family->joint_bound(plan));
	put_path(csv, "q_apm_path", x->path[ASL_APM]);
	put_path(csv, "q_full_path", x->path[ASL_FULL]);
	put_path(csv, "seconds", x->seconds);
	for (int i = 0; i < ASL_SPENDINGS; i++) {
		char name[40];

		snprintf(name, sizeof name, "%s_s", asl_spending_name(i));
		asl_csv_put_number(csv, name,
				   x->seconds > 0 ? x->part_s[i] : NAN);
	}
	asl_csv_put(csv, "panels", asl_plan_panels(plan));
	asl_csv_end_row(csv);
}

void asl_put_plans(struct asl_csv *csv, const struct asl_candidates *list)
{
	csv->naming = true;
	put_plan(csv, 0, &list->best[0]);
	csv->naming = false;
	for (int i = 0; i < list->count; i++)
		put_plan(csv, i + 1, &list->best[i]);
}

static void put_bound(struct asl_csv *csv, const struct asl_bound *x)
{
	asl_csv_put(csv, "name", x->name);
	asl_csv_put_number(csv, "value", x->value);
	asl_csv_put(csv, "unit", x->unit);
	asl_csv_put(csv, "source", x->source);
	asl_csv_end_row(csv);
}

void asl_put_bounds(struct asl_csv *csv, const struct asl_bound *bound,
		    int count)
{
	csv->naming = true;
	put_bound(csv, &bound[0]);
	csv->naming = false;
	for (int i = 0; i < count; i++)
		put_bound(csv, &bound[i]);
}
