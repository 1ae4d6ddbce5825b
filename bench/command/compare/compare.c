/*
 * compare.c -- aslant compare: result directories against the first of them
 */
#include "bench/command/compare/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/commands.h"
#include "bench/command/describe.h"
#include "bench/command/html.h"
#include "bench/library/csv.h"
#include "bench/library/number.h"
#include "bench/library/say.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/matrix/file.h"

/*
 * Pairs of cases in words
 */

const char *const asl_compare_method[] = {
	"Speed is the median wall_s of the first over that of the other: above "
	"1, the other is faster.",
	"Its interval is a percentile bootstrap of 95%: 1999 times both "
	"samples "
	"are drawn again from themselves, by a seeded generator. It knows how "
	"repetitions differ, and nothing of a machine that was busier on one "
	"day than on another.",
	"A case is faster or slower only if the interval leaves 1 out, as "
	"by chance it does for one pair of equals in 20; fewer than 5 "
	"repetitions of either have no interval.",
	"A median's own interval is two of its order statistics, those nearest "
	"to it that hold it in 95% of all samples; fewer than 6 repetitions "
	"reach less, and the least and the largest are given.",
	"Means are geometric, over all cases that are compared, those without "
	"a "
	"difference too; in that of all families weigh the same unless weights "
	"are given.",
	"Compared are cases that are the same in all that was asked and in "
	"every counter, and that were verified; all others are named.",
	NULL};

/* "faster", "slower", ... */
static const char *asl_pair_verdict(const struct asl_pair *pair)
{
	int verdict = asl_ratio_verdict(&pair->speed);

	if (pair->i < 0 || pair->j < 0)
		return "missing";
	if (*pair->why)
		return "not compared";
	if (isnan(pair->speed.low))
		return "too few repetitions";
	return verdict > 0   ? "faster"
	       : verdict < 0 ? "slower"
			     : "no difference";
}

/* The same of speed for the money; NAN without prices. */
static double asl_pair_worth(const struct asl_comparison *c, double speed)
{
	return speed * c->base->price / c->other->price;
}

/* ---- Which case it is ---- */

static const char *cell(const struct asl_comparison *c,
			const struct asl_pair *pair, const char *name)
{
	return pair->i < 0 ? asl_side_cell(c->other, pair->j, name)
			   : asl_side_cell(c->base, pair->i, name);
}

static void put_size(FILE *f, const struct asl_comparison *c,
		     const struct asl_pair *pair)
{
	const char *m = cell(c, pair, "m"), *n = cell(c, pair, "n"),
		   *k = cell(c, pair, "k");

	if (*cell(c, pair, "spec"))
		fprintf(f, " %s %s", cell(c, pair, "spec"),
			cell(c, pair, "dims"));
	else if (!*m || (!strcmp(m, n) && !strcmp(n, k)))
		fprintf(f, " %s", n);
	else
		fprintf(f, " %sx%sx%s", m, n, k);
}

/*
 * What else tells it from the other cases of its directory; a machine shares
 * its memory among the ranks that there are.
 */
static void put_varying(FILE *f, const struct asl_comparison *c,
			const struct asl_pair *pair)
{
	static const char *const said[] = {
		"algorithm",	"kernel", "m",	  "n",		"k",
		"spec",		"dims",	  "grid", "ranks_used", "ranks",
		"memory_words", NULL};
	const struct asl_side *side = pair->i < 0 ? c->other : c->base;
	const struct asl_identity *id = &side->identity;

	for (int x = 0; x < id->end[ASL_PLACED]; x++) {
		const char *name = asl_rows_name(&side->rows, id->column[x]);
		bool counted =
			x >= id->end[ASL_ASKED] && x < id->end[ASL_COUNTED];

		if (id->varies[x] && !counted && !asl_is_one_of(name, said))
			fprintf(f, ", %s %s", name, cell(c, pair, name));
	}
}

/* Which case it is, in one line. */
static void asl_pair_name(char *to, size_t room, const struct asl_comparison *c,
			  const struct asl_pair *pair)
{
	FILE *f = fmemopen(to, room, "w");
	const char *kernel = cell(c, pair, "kernel");

	*to = '\0';
	if (!f)
		return;
	fprintf(f, "%s%s%s", cell(c, pair, "algorithm"), *kernel ? " " : "",
		kernel);
	put_size(f, c, pair);
	fprintf(f, ", %s ranks on %s", cell(c, pair, "ranks"),
		cell(c, pair, "grid"));
	put_varying(f, c, pair);
	fclose(f);
	to[room - 1] = '\0';
}

/* ---- All of it ---- */

/*
 * All of it in a sentence, in which there is nothing to be escaped: who is the
 * faster one, by how much, and in how many cases that is no chance.  "": no pair
 * is compared.
 */
static const char *asl_compare_answer(char *to, size_t room,
				      const struct asl_comparison *c,
				      const char *weights)
{
	struct asl_mean mean[ASL_MOST_MEANS];
	int count = asl_compare_means(mean, c, weights);
	char how[32] = "as fast as";
	int faster = 0, slower = 0;
	double speed;
	bool won;

	*to = '\0';
	if (!count)
		return to;
	for (int i = 0; i < c->count; i++) {
		int verdict = *c->pairs[i].why
				      ? 0
				      : asl_ratio_verdict(&c->pairs[i].speed);

		faster += verdict > 0;
		slower += verdict < 0;
	}
	speed = mean[count - 1].speed;
	won = speed >= 1;
	speed = won ? speed : 1 / speed;
	if (speed >= 1.005)
		snprintf(how, sizeof how, "%.3g times as fast as", speed);
	snprintf(to, room,
		 "%c is %s %c in the mean of %d case%s; beyond chance it is "
		 "faster in %d and slower in %d.",
		 won ? c->other->letter : c->base->letter, how,
		 won ? c->base->letter : c->other->letter,
		 mean[count - 1].cases, mean[count - 1].cases == 1 ? "" : "s",
		 won ? faster : slower, won ? slower : faster);
	return to;
}

/*
 * Comparisons as tables for people
 */

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

/* compare_text.c, compare_csv.c, compare_html.c; count is of comparisons. */
static void asl_compare_text(FILE *f, const struct asl_comparison *c, int count,
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

/*
 * Comparisons as one page, without scripts or other files
 */

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
	"charset=\"utf-8\">\n<meta name=\"viewport\" "
	"content=\"width=device-width, initial-scale=1\">\n"
	"<title>aslant: comparison</title>\n<style>\n"
	":root { color-scheme: light dark; --line: #8884; --good: #0072b2; "
	"--bad: #d55e00 }\n"
	"@media (prefers-color-scheme: dark) { :root { --good: #56b4e9; "
	"--bad: #e69f00 } }\n"
	"body { font: 15px/1.5 system-ui, sans-serif; max-width: 75em; "
	"margin: 2em auto; padding: 0 1em }\n"
	"h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }\n"
	".wide { overflow-x: auto }\n"
	"table { border-collapse: collapse; margin: 1em 0; "
	"font-variant-numeric: "
	"tabular-nums }\n"
	"th, td { padding: .3em .7em; text-align: left; vertical-align: top; "
	"border-bottom: 1px solid var(--line) }\n"
	".number { text-align: right; white-space: nowrap }\n"
	".faster { color: var(--good); font-weight: 600 }\n"
	".slower { color: var(--bad); font-weight: 600 }\n"
	"</style>\n</head>\n<body>\n<h1>Comparison of results</h1>\n";

static void html_cell(FILE *f, const char *text)
{
	fputs("<td>", f);
	asl_html_text(f, text);
	fputs("</td>", f);
}

/* The heading of a table; its last column is of money, which may not be told. */
static void headings(FILE *f, const char *const *names, bool money)
{
	fputs("<div class=\"wide\">\n<table>\n<tr>", f);
	for (; *names && (money || names[1]); names++)
		fprintf(f, "<th>%s</th>", *names);
	fputs("</tr>\n", f);
}

static void put_money(FILE *f, double x)
{
	if (!isnan(x))
		fprintf(f, "<td class=\"number\">%.4g</td>", x);
}

static void end_table(FILE *f)
{
	fputs("</table>\n</div>\n", f);
}

/* ---- Parts ---- */

static void put_side(FILE *f, const struct asl_side *side)
{
	fprintf(f, "<tr><td>%c</td>", side->letter);
	html_cell(f, side->dir);
	html_cell(f, asl_side_cell(side, 0, "host"));
	html_cell(f, asl_side_cell(side, 0, "medium"));
	fprintf(f, "<td class=\"number\">%d</td><td class=\"number\">%zu</td>",
		side->count, side->rows.count);
	put_money(f, side->price);
	fputs("</tr>\n", f);
}

static void put_sides(FILE *f, const struct asl_comparison *c, int count)
{
	static const char *const names[] = {
		"",	 "directory",	"host",	 "medium",
		"cases", "repetitions", "price", NULL};

	headings(f, names, !isnan(c->base->price));
	put_side(f, c->base);
	for (int i = 0; i < count; i++)
		put_side(f, c[i].other);
	end_table(f);
}

static void put_left_out(FILE *f, const struct asl_comparison *c)
{
	static const char *const names[] = {"case", "why", "", NULL};

	if (asl_compare_count(c) == c->count)
		return;
	fputs("<h2>Not compared</h2>\n", f);
	headings(f, names, false);
	for (int i = 0; i < c->count; i++) {
		char name[512];

		if (!*c->pairs[i].why)
			continue;
		asl_pair_name(name, sizeof name, c, &c->pairs[i]);
		fputs("<tr>", f);
		html_cell(f, name);
		html_cell(f, c->pairs[i].why);
		fputs("</tr>\n", f);
	}
	end_table(f);
}

static void put_time(FILE *f, const struct asl_estimate *x)
{
	fprintf(f,
		"<td class=\"number\" title=\"covers %.4g\">%.4g s<br>%.4g to "
		"%.4g</td>",
		x->coverage, x->median, x->low, x->high);
}

static void put_pair(FILE *f, const struct asl_comparison *c,
		     const struct asl_pair *pair)
{
	const char *verdict = asl_pair_verdict(pair);
	char name[512];

	asl_pair_name(name, sizeof name, c, pair);
	fputs("<tr>", f);
	html_cell(f, name);
	put_time(f, &c->base->cases[pair->i].time);
	put_time(f, &c->other->cases[pair->j].time);
	fprintf(f, "<td class=\"number\">%.3f", pair->speed.ratio);
	if (!isnan(pair->speed.low))
		fprintf(f, "<br>%.3f to %.3f", pair->speed.low,
			pair->speed.high);
	fprintf(f, "</td><td class=\"%s\">%s</td>", verdict, verdict);
	put_money(f, asl_pair_worth(c, pair->speed.ratio));
	fputs("</tr>\n", f);
}

static void put_pairs(FILE *f, const struct asl_comparison *c)
{
	char first[16], second[16];
	const char *names[] = {"case",	  first,	   second, "speed",
			       "verdict", "for the money", NULL};

	snprintf(first, sizeof first, "%c, median", c->base->letter);
	snprintf(second, sizeof second, "%c, median", c->other->letter);
	fprintf(f, "<h2>%c against %c</h2>\n", c->other->letter,
		c->base->letter);
	headings(f, names, !isnan(c->base->price));
	for (int i = 0; i < c->count; i++)
		if (!*c->pairs[i].why)
			put_pair(f, c, &c->pairs[i]);
	end_table(f);
}

static void put_means(FILE *f, const struct asl_comparison *c,
		      const char *weights)
{
	static const char *const names[] = {"geometric mean", "cases",
					    "weight",	      "speed",
					    "for the money",  NULL};
	struct asl_mean mean[ASL_MOST_MEANS];
	int count = asl_compare_means(mean, c, weights);

	headings(f, names, !isnan(c->base->price));
	for (int i = 0; i < count; i++) {
		fputs("<tr>", f);
		html_cell(f, mean[i].family);
		fprintf(f,
			"<td class=\"number\">%d</td><td "
			"class=\"number\">%g</td><td "
			"class=\"number\">%.3f</td>",
			mean[i].cases, mean[i].weight, mean[i].speed);
		put_money(f, asl_pair_worth(c, mean[i].speed));
		fputs("</tr>\n", f);
	}
	end_table(f);
}

static void asl_compare_html(FILE *f, const struct asl_comparison *c, int count,
			     const char *weights)
{
	char text[256];

	fputs(head, f);
	put_sides(f, c, count);
	for (int i = 0; i < count; i++)
		if (*asl_compare_answer(text, sizeof text, &c[i], weights))
			fprintf(f, "<p><b>%s</b></p>\n", text);
	for (int i = 0; i < count; i++) {
		put_left_out(f, &c[i]);
		if (!asl_compare_count(&c[i]))
			continue;
		put_pairs(f, &c[i]);
		put_means(f, &c[i], weights);
	}
	fputs("<h2>How</h2>\n<ul>\n", f);
	for (const char *const *line = asl_compare_method; *line; line++)
		fprintf(f, "<li>%s</li>\n", *line);
	fputs("</ul>\n</body>\n</html>\n", f);
}

/*
 * Comparisons as rows: every case, then every mean
 */

static void put_known(struct asl_csv *csv, const char *name, double x)
{
	if (isnan(x))
		asl_csv_put_empty(csv, name);
	else
		asl_csv_put_number(csv, name, x);
}

static void csv_put_side(struct asl_csv *csv, const char *names[7],
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
	csv_put_side(csv, of_base, c->base, pair ? pair->i : -1);
	csv_put_side(csv, of_other, c->other, pair ? pair->j : -1);
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

static void asl_compare_csv(struct asl_csv *csv, const struct asl_comparison *c,
			    int count, const char *weights)
{
	csv->naming = true;
	put_row(csv, c, &c->pairs[0], NULL);
	csv->naming = false;
	for (int i = 0; i < count; i++)
		put_rows(csv, &c[i], weights);
}

/*
 * --fail-below: is no case missing, wrong, or slower?
 *
 * A case of the base that cannot be compared fails, unless it is the base's own
 * fault.  One that has too few repetitions is not judged, which is said: a gate
 * that never closes would be none.
 */

static bool fails(const struct asl_comparison *c, const struct asl_pair *p,
		  double least)
{
	if (p->i < 0 || c->base->cases[p->i].trouble)
		return false;
	return *p->why ||
	       (p->speed.ratio < least && asl_ratio_verdict(&p->speed) < 0);
}

static void name_failed(const struct asl_comparison *c,
			const struct asl_pair *p, double least)
{
	char name[512];

	asl_pair_name(name, sizeof name, c, p);
	if (*p->why)
		asl_complain(0, "--fail-below %g: %c: %s: %s", least,
			     c->other->letter, name, p->why);
	else
		asl_complain(0, "--fail-below %g: %c: %s: speed %.3f", least,
			     c->other->letter, name, p->speed.ratio);
}

/* Is no case missing, wrong or slower than that?  0, or the exit code. */
static int asl_compare_gate(const struct asl_comparison *c, int count,
			    double least)
{
	int failed = 0, unjudged = 0;

	for (int k = 0; k < count; k++)
		for (int i = 0; i < c[k].count; i++) {
			const struct asl_pair *p = &c[k].pairs[i];

			unjudged += !*p->why && isnan(p->speed.low);
			if (!fails(&c[k], p, least))
				continue;
			failed++;
			name_failed(&c[k], p, least);
		}
	if (failed)
		return ASL_CHECK_FAILED;
	if (unjudged)
		return asl_complain(ASL_BAD_INPUT,
				    "--fail-below %g: %d cases have fewer than "
				    "%d repetitions, and are not judged "
				    "(--reps)",
				    least, unjudged, ASL_LEAST_SAMPLES);
	return 0;
}

enum { MOST_SIDES = 'Z' - 'A' + 1 };

/* All sides, and each but the first against it. */
struct comparing {
	struct asl_side side[ASL_MOST_RESULTS];
	struct asl_comparison c[ASL_MOST_RESULTS];
	int count; /* of sides */
};

/* ---- Before ---- */

static int refuse_prices(const char *prices)
{
	return asl_complain(ASL_BAD_INPUT,
			    "--price: found '%s', expected a price above 0 for "
			    "each directory, as A=10000,B=8000",
			    prices);
}

static int take_prices(struct comparing *x, const char *prices)
{
	const char *rest = prices;
	char name[2];
	double price;

	for (int i = 0; i < x->count; i++)
		x->side[i].price = NAN;
	while (rest && *rest) {
		int i;

		if (!asl_read_named(name, sizeof name, &price, &rest))
			return refuse_prices(prices);
		i = *name - 'A';
		if (i < 0 || i >= x->count || !(price > 0))
			return refuse_prices(prices);
		x->side[i].price = price;
	}
	for (int i = 0; prices && i < x->count; i++)
		if (isnan(x->side[i].price))
			return refuse_prices(prices);
	return 0;
}

static int read_sides(struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	while (o->dir[x->count])
		x->count++;
	if (x->count < 2 || x->count > MOST_SIDES)
		return asl_complain(ASL_BAD_INPUT,
				    "compare: found %d, expected 2 to %d "
				    "result directories",
				    x->count, MOST_SIDES);
	code = take_prices(x, o->price);
	if (!code)
		code = asl_weights_check(o->weight);
	for (int i = 0; !code && i < x->count; i++) {
		x->side[i].letter = (char)('A' + i);
		code = asl_side_read(&x->side[i], o->dir[i]);
	}
	if (!code)
		asl_identify(x->side, x->count);
	for (int i = 0; !code && i < x->count; i++)
		code = asl_side_group(&x->side[i]);
	return code;
}

/* ---- After ---- */

static int write_csv(const struct comparing *x, const struct asl_options *o)
{
	struct asl_csv csv;
	int code;

	if (asl_csv_open(&csv))
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	asl_compare_csv(&csv, x->c, x->count - 1, o->weight);
	code = asl_table_write(&csv, o->csv);
	asl_csv_close(&csv);
	return code;
}

static int write_html(const struct comparing *x, const struct asl_options *o)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int err;

	if (!f)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	asl_compare_html(f, x->c, x->count - 1, o->weight);
	err = ferror(f);
	if (fclose(f) || err) {
		free(text);
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	}
	err = asl_atomic_file_put(o->out, text, bytes);
	free(text);
	return err ? asl_complain(asl_exit_code(err), "--out: %s",
				  asl_failure())
		   : 0;
}

static int write_all(const struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	if (!o->csv && !o->out)
		asl_compare_text(stdout, x->c, x->count - 1, o->weight);
	if (o->csv)
		code = write_csv(x, o);
	if (!code && o->out)
		code = write_html(x, o);
	return code;
}

/* ---- Between ---- */

static int match_sides(struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	for (int i = 1; !code && i < x->count; i++) {
		x->c[i - 1] = (struct asl_comparison){
			.base = &x->side[0],
			.other = &x->side[i],
			.mixed = o->mixed,
		};
		code = asl_compare_match(&x->c[i - 1]);
	}
	return code;
}

/* Sides that have nothing in common are not what was meant. */
static int check_any(const struct asl_comparison *c)
{
	if (asl_compare_count(c))
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "%s and %s: no case can be compared; the first: %s",
			    c->base->dir, c->other->dir, c->pairs[0].why);
}

static int judge(const struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	if (!isnan(o->fail_below))
		code = asl_compare_gate(x->c, x->count - 1, o->fail_below);
	for (int i = 1; !code && i < x->count; i++)
		code = check_any(&x->c[i - 1]);
	return code;
}

static void close_all(struct comparing *x)
{
	for (int i = 0; i < x->count; i++) {
		free(x->c[i].pairs);
		asl_side_close(&x->side[i]);
	}
}

int asl_command_compare(int argc, char **argv, const struct asl_command *self)
{
	struct comparing x = {.count = 0};
	struct asl_options o;
	int code = asl_options_parse(&o, argc - 1, argv + 1, self->options);

	if (code)
		return code;
	if (o.help)
		return asl_command_help(self);
	code = read_sides(&x, &o);
	if (!code)
		code = match_sides(&x, &o);
	if (!code)
		code = write_all(&x, &o);
	if (!code)
		code = judge(&x, &o);
	close_all(&x);
	return code;
}
