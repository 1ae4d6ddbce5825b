/*
 * compare_csv.c -- comparisons as rows: every case, then every mean
 */
#include <math.h>
#include <string.h>

#include "bench/compare.h"

static void put_known(struct asl_csv *csv, const char *name, double x)
{
	if (isnan(x))
		asl_csv_put_empty(csv, name);
	else
		asl_csv_put_number(csv, name, x);
}

static void put_side(struct asl_csv *csv, const char *names[7],
		     const struct asl_side *side, int i)
{
	const struct asl_measured *x = i < 0 ? NULL : &side->cases[i];
	bool timed = x && !x->trouble;

	asl_csv_put(csv, names[0], x ? asl_side_cell(side, i, "host") : NULL);
	asl_csv_put(csv, names[1], x ? asl_side_cell(side, i, "medium") : NULL);
	asl_csv_put_length(csv, names[2],
			   timed ? (uint64_t)x->time.samples : 0);
	put_known(csv, names[3], timed ? x->time.median : NAN);
	put_known(csv, names[4], timed ? x->time.low : NAN);
	put_known(csv, names[5], timed ? x->time.high : NAN);
	put_known(csv, names[6], timed ? x->time.coverage : NAN);
}

static void put_case(struct asl_csv *csv, const struct asl_comparison *c,
		     const struct asl_pair *pair)
{
	static const char *const names[] = {
		"algorithm", "kernel", "m",    "n",	      "k",     "spec",
		"dims",	     "ranks",  "grid", "cache_words", "store", "panels",
		"seed",	     "r",      "w",    "beta",	      NULL};
	static const char *of_base[] = {
		"base_host",  "base_medium", "base_reps",    "base_median_s",
		"base_low_s", "base_high_s", "base_coverage"};
	static const char *of_other[] = {"other_host",	  "other_medium",
					 "other_reps",	  "other_median_s",
					 "other_low_s",	  "other_high_s",
					 "other_coverage"};
	const struct asl_side *side =
		!pair || pair->i >= 0 ? c->base : c->other;

	for (int i = 0; names[i]; i++)
		asl_csv_put(
			csv, names[i],
			pair ? asl_side_cell(side,
					     pair->i < 0 ? pair->j : pair->i,
					     names[i])
			     : NULL);
	put_side(csv, of_base, c->base, pair ? pair->i : -1);
	put_side(csv, of_other, c->other, pair ? pair->j : -1);
}

static void put_speed(struct asl_csv *csv, const struct asl_comparison *c,
		      const struct asl_ratio *speed)
{
	put_known(csv, "speed", speed->ratio);
	put_known(csv, "speed_low", speed->low);
	put_known(csv, "speed_high", speed->high);
	put_known(csv, "speed_for_price", asl_pair_worth(c, speed->ratio));
}

/* A row of a pair, or of a mean; pair or mean is NULL. */
static void put_row(struct asl_csv *csv, const struct asl_comparison *c,
		    const struct asl_pair *pair, const struct asl_mean *mean)
{
	struct asl_ratio of_mean = {mean ? mean->speed : NAN, NAN, NAN, 0};
	char method[2048] = "";

	for (const char *const *line = asl_compare_method; *line; line++)
		snprintf(method + strlen(method),
			 sizeof method - strlen(method), "%s%s",
			 *method ? " " : "", *line);
	asl_csv_put(csv, "row", mean ? "mean" : "case");
	asl_csv_put(csv, "base", c->base->dir);
	asl_csv_put(csv, "other", c->other->dir);
	asl_csv_put(csv, "family",
		    mean ? mean->family : asl_pair_family(c, pair));
	put_speed(csv, c, mean ? &of_mean : &pair->speed);
	asl_csv_put(csv, "verdict", mean ? NULL : asl_pair_verdict(pair));
	asl_csv_put(csv, "why_not", mean ? NULL : pair->why);
	asl_csv_put_count(csv, "cases",
			  mean ? (uint64_t)mean->cases : !*pair->why);
	put_known(csv, "weight", mean ? mean->weight : NAN);
	put_case(csv, c, pair);
	asl_csv_put(csv, "method", method);
	asl_csv_end_row(csv);
}

static void put_rows(struct asl_csv *csv, const struct asl_comparison *c,
		     const char *weights)
{
	struct asl_mean mean[ASL_MOST_MEANS];
	int count = asl_compare_means(mean, c, weights);

	for (int i = 0; i < c->count; i++)
		put_row(csv, c, &c->pairs[i], NULL);
	for (int i = 0; i < count; i++)
		put_row(csv, c, NULL, &mean[i]);
}

void asl_compare_csv(struct asl_csv *csv, const struct asl_comparison *c,
		     int count, const char *weights)
{
	csv->naming = true;
	put_row(csv, c, &c->pairs[0], NULL);
	csv->naming = false;
	for (int i = 0; i < count; i++)
		put_rows(csv, &c[i], weights);
}
