/*
 * compare_text.c -- comparisons as tables for people
 */
#include <math.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/help.h"

static void print_side(FILE *f, const struct asl_side *side)
{
	fprintf(f, "%c  %s: host %s, medium %s, %d cases, %zu repetitions",
		side->letter, side->dir, asl_side_cell(side, 0, "host"),
		asl_side_cell(side, 0, "medium"), side->count,
		side->rows.count);
	if (!isnan(side->price))
		fprintf(f, ", price %g", side->price);
	fputc('\n', f);
}

/* ---- Cases that are compared ---- */

static void print_time(FILE *f, const struct asl_estimate *x)
{
	fprintf(f, " %9.4g (%.4g to %.4g)", x->median, x->low, x->high);
}

static void print_speed(FILE *f, const struct asl_comparison *c,
			const struct asl_pair *pair)
{
	char interval[40] = "";

	if (!isnan(pair->speed.low))
		snprintf(interval, sizeof interval, "%.3f to %.3f",
			 pair->speed.low, pair->speed.high);
	fprintf(f, "%8.3f  %-16s", pair->speed.ratio, interval);
	if (!isnan(c->base->price))
		fprintf(f, "%9.3f  ", asl_pair_worth(c, pair->speed.ratio));
	fprintf(f, "%-19s", asl_pair_verdict(pair));
}

static void print_pair(FILE *f, const struct asl_comparison *c,
		       const struct asl_pair *pair)
{
	char name[512];

	asl_pair_name(name, sizeof name, c, pair);
	print_speed(f, c, pair);
	fprintf(f, " %s\n%*s", name, isnan(c->base->price) ? 27 : 38, "");
	fprintf(f, "%c", c->base->letter);
	print_time(f, &c->base->cases[pair->i].time);
	fprintf(f, " s, %c", c->other->letter);
	print_time(f, &c->other->cases[pair->j].time);
	fputs(" s\n", f);
}

static void print_pairs(FILE *f, const struct asl_comparison *c)
{
	fprintf(f, "\n%c against %c\n\n%8s  %-16s", c->other->letter,
		c->base->letter, "speed", "95% interval");
	if (!isnan(c->base->price))
		fprintf(f, "%9s  ", "for money");
	fprintf(f, "%-19s case\n", "verdict");
	for (int i = 0; i < c->count; i++)
		if (!*c->pairs[i].why)
			print_pair(f, c, &c->pairs[i]);
}

/* ---- All others ---- */

static void print_left_out(FILE *f, const struct asl_comparison *c)
{
	if (asl_compare_count(c) < c->count)
		fputs("\nNot compared\n\n", f);
	for (int i = 0; i < c->count; i++) {
		char name[512];

		if (!*c->pairs[i].why)
			continue;
		asl_pair_name(name, sizeof name, c, &c->pairs[i]);
		fprintf(f, "  %s\n    %s\n", name, c->pairs[i].why);
	}
}

static void print_means(FILE *f, const struct asl_comparison *c,
			const char *weights)
{
	struct asl_mean mean[ASL_MOST_MEANS];
	int count = asl_compare_means(mean, c, weights);

	if (count)
		fputs("\nGeometric means\n\n", f);
	for (int i = 0; i < count; i++) {
		fprintf(f, "%8.3f  %s, %d %s", mean[i].speed, mean[i].family,
			mean[i].cases, mean[i].cases == 1 ? "case" : "cases");
		if (weights)
			fprintf(f, ", weight %g", mean[i].weight);
		if (!isnan(c->base->price))
			fprintf(f, "; for the money %.3f",
				asl_pair_worth(c, mean[i].speed));
		fputc('\n', f);
	}
}

static void print_answers(FILE *f, const struct asl_comparison *c, int count,
			  const char *weights)
{
	char text[256];

	for (int i = 0; i < count; i++)
		if (*asl_compare_answer(text, sizeof text, &c[i], weights)) {
			fputc('\n', f);
			asl_print_wrapped(f, text, 0);
		}
}

static void print_method(FILE *f)
{
	fputs("\nHow\n\n", f);
	for (const char *const *line = asl_compare_method; *line; line++) {
		fputs("  ", f);
		asl_print_wrapped(f, *line, 2);
	}
}

void asl_compare_text(FILE *f, const struct asl_comparison *c, int count,
		      const char *weights)
{
	print_side(f, c->base);
	for (int i = 0; i < count; i++)
		print_side(f, c[i].other);
	print_answers(f, c, count, weights);
	for (int i = 0; i < count; i++) {
		print_left_out(f, &c[i]);
		if (asl_compare_count(&c[i]))
			print_pairs(f, &c[i]);
		print_means(f, &c[i], weights);
	}
	print_method(f);
}
