/*
 * compare_html.c -- comparisons as one page, without scripts or other files
 */
#include <math.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/html.h"

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

static void cell(FILE *f, const char *text)
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
	cell(f, side->dir);
	cell(f, asl_side_cell(side, 0, "host"));
	cell(f, asl_side_cell(side, 0, "medium"));
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
		cell(f, name);
		cell(f, c->pairs[i].why);
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
	cell(f, name);
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
		cell(f, mean[i].family);
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

void asl_compare_html(FILE *f, const struct asl_comparison *c, int count,
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
