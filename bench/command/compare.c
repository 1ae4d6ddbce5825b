/*
 * compare.c -- aslant compare: result directories against the first of them
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/commands.h"
#include "bench/command/html.h"
#include "bench/command/report/page.h"
#include "bench/command/results/ranking.h"
#include "bench/library/csv.h"
#include "bench/library/say.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"

enum { MOST_PLACES = 'Z' - 'A' + 1, NAME = 512 };

/* All directories, and what varies in them. */
struct comparing {
	struct asl_results results;
	struct asl_ranking ranking;
	const struct asl_runs_row *first[MOST_PLACES];
	int cases[MOST_PLACES];
	bool varies[MOST_PLACES][ASL_COLUMNS]; /* from case to case */
};

/* ---- Pairs in words ---- */

static const char *const method[] = {
	"Speed is the median wall_s of one directory over that of the other: "
	"above 1, the other is faster.",
	"Its interval is a percentile bootstrap of 95%: all samples are "
	"resampled 1999 times, with a seeded generator, without what their "
	"blocks are off by. To that comes drift: what the blocks of a suite "
	"(--blocks) differ by beyond the noise within them, or else the halves "
	"of each case's repetitions. Drift lasts (about 1/f): two runs are "
	"taken to differ by as much as two blocks do, and a little more, "
	"however many there are. The column drift is the interval, in per "
	"cent, that drift alone would leave. What changed a machine for good "
	"between two runs is not in it. Where runs took "
	"turns (--interleave), what affects both cancels.",
	"Equal within 5% means that the interval lies there; faster and "
	"slower, "
	"that it excludes 1, as by chance it does for one pair of equals in "
	"20. Else it is not known yet: more repetitions narrow the interval, "
	"but for drift. "
	"With fewer than 5 repetitions of either there is no interval.",
	"A median's own interval is the two order statistics nearest to it "
	"that enclose the true median in 95% of all samples; with fewer than 6 "
	"repetitions the coverage is less, and the least and the largest are "
	"given.",
	"Machines are ranked by the cases that all of them have. Means are "
	"geometric, over all of these, with a difference or without; each "
	"family has the same weight unless weights are given.",
	"Cases are compared if their requests and counters are the same, and "
	"if they were verified, not resumed, and measured without the replay "
	"of a cache; all others are named, with the reason. If no times can be "
	"compared, costs of counted words are, where they are nanoseconds.",
	NULL};

static const char *verdict_on(const struct asl_pair *pair)
{
	return pair->reason == ASL_ONLY_IN_ONE ? "missing"
	       : pair->reason		       ? "not compared"
					       : asl_ratio_say(&pair->speed);
}

static bool is_priced(const struct comparing *x)
{
	return !isnan(asl_ranking_money(&x->ranking, 0, 1));
}

static const char *name_of(const struct comparing *x, int place)
{
	return x->ranking.machine[place].name;
}

/* The base, against which others are listed; each of them is here once. */
static int base(const struct comparing *x)
{
	return x->ranking.base;
}

static double worth(const struct comparing *x, int place, double speed)
{
	return speed * asl_ranking_money(&x->ranking, place, base(x));
}

static const struct asl_runs_row *row_of(const struct asl_pair *pair)
{
	return (pair->base ? pair->base : pair->other)->row;
}

static void put_size(FILE *f, const struct asl_runs_row *row)
{
	const char *m = asl_row_cell(row, COL_m), *n = asl_row_cell(row, COL_n),
		   *k = asl_row_cell(row, COL_k);

	if (*row->spec)
		fprintf(f, " %s %s", row->spec, row->dims);
	else if (!*m || (!strcmp(m, n) && !strcmp(n, k)))
		fprintf(f, " %s", n);
	else
		fprintf(f, " %sx%sx%s", m, n, k);
}

/* ", cache 131 k words", ", w 4": a column in words. */
static void put_condition(FILE *f, const struct asl_runs_row *row, int column)
{
	const char *cell = asl_row_cell(row, column);
	char words[ASL_BRIEF];

	if (column == COL_cache_words)
		fprintf(f, ", cache %s words",
			asl_brief(words, row->cache_words));
	else if (column == COL_memory_budget_words)
		fprintf(f, ", budget %s words",
			asl_brief(words, row->memory_budget_words));
	else
		fprintf(f, ", %s %s", asl_column_name(column), cell);
}

/* What else varies in its directory; ranks imply memory_words. */
static void put_varying(FILE *f, const struct comparing *x,
			const struct asl_runs_row *row)
{
	static const int said[] = {
		COL_algorithm,	COL_kernel, COL_m,	     COL_n,
		COL_k,		COL_spec,   COL_dims,	     COL_grid,
		COL_ranks_used, COL_ranks,  COL_memory_words};
	const struct asl_results *r = &x->results;

	for (int i = 0; i < r->end[ASL_HOSTED]; i++) {
		int c = r->identity[i];
		bool left_out =
			!x->varies[(int)row->place][c] ||
			!*asl_row_cell(row, c) ||
			(i >= r->end[ASL_ASKED] && i < r->end[ASL_COUNTED]);

		for (size_t k = 0; k < sizeof said / sizeof said[0]; k++)
			left_out |= said[k] == c;
		if (!left_out)
			put_condition(f, row, c);
	}
}

static const char *name_pair(char to[NAME], const struct comparing *x,
			     const struct asl_pair *pair)
{
	const struct asl_runs_row *row = row_of(pair);
	FILE *f = fmemopen(to, NAME, "w");

	*to = '\0';
	if (!f)
		return to;
	fprintf(f, "%s%s%s", row->algorithm, *row->kernel ? " " : "",
		row->kernel);
	put_size(f, row);
	fprintf(f, ", %s ranks on %s", asl_row_cell(row, COL_ranks), row->grid);
	put_varying(f, x, row);
	fclose(f);
	to[NAME - 1] = '\0';
	return to;
}

/* ---- Tables for people ---- */

static void print_place(FILE *f, const struct comparing *x, int place)
{
	const struct asl_contender *m = &x->ranking.machine[place];
	char letter[2] = {asl_place_letter(place)};

	fprintf(f, "%c  %s: ", *letter, x->results.dir[place]);
	if (strcmp(m->name, letter) != 0)
		fprintf(f, "%s, ", m->name);
	fprintf(f, "host %s, medium %s, %d case%s, %zu repetition%s",
		x->first[place]->host, x->first[place]->medium, x->cases[place],
		x->cases[place] == 1 ? "" : "s", x->results.table[place].count,
		x->results.table[place].count == 1 ? "" : "s");
	if (!isnan(m->figure[ASL_PRICE]))
		fprintf(f, ", price %g", m->figure[ASL_PRICE]);
	if (!isnan(m->figure[ASL_WATTS]))
		fprintf(f, ", %g W", m->figure[ASL_WATTS]);
	fputc('\n', f);
}

/* Or as much blank space. */
static void put_interval(FILE *f, const struct asl_ratio *x)
{
	char interval[40] = "", drift[16] = "";

	if (x && !isnan(x->low)) {
		snprintf(interval, sizeof interval, "%.3f to %.3f", x->low,
			 x->high);
		snprintf(drift, sizeof drift, "%.1f%%", asl_ratio_drift(x));
	}
	fprintf(f, "%-16s%5s  ", interval, drift);
}

static void print_standing(FILE *f, const struct comparing *x,
			   const struct asl_workload *w, int place, int last)
{
	const struct asl_ranking *r = &x->ranking;
	struct asl_ratio speed = asl_ranking_ratio(w, place, last);
	double money = asl_ranking_money(r, place, last);
	double joule = asl_ranking_joule(r, place, last);

	fprintf(f, "%8.3f  ", speed.ratio);
	put_interval(f,
		     speed.low < speed.high && place != last ? &speed : NULL);
	if (!isnan(money))
		fprintf(f, "%9.3f", speed.ratio * money);
	if (!isnan(joule))
		fprintf(f, "%9.3f", speed.ratio * joule);
	fprintf(f, "  %s\n", name_of(x, place));
}

/* All machines, for each workload, over the slowest at the whole. */
static void print_ranking(FILE *f, const struct comparing *x)
{
	const struct asl_ranking *r = &x->ranking;
	int order[ASL_MOST_RESULTS] = {0};
	int count = asl_ranking_order(order, r, r->work), last;

	last = order[count - 1];
	fprintf(f,
		"\nRanked by workload, over %s\n\n%8s  %-16s%5s  %s%s  "
		"machine\n",
		name_of(x, last), "speed", "95% interval", "drift",
		isnan(asl_ranking_money(r, last, last)) ? "" : "for money",
		isnan(asl_ranking_joule(r, last, last)) ? "" : "for joule");
	for (int k = 0; k < r->works; k++) {
		const struct asl_workload *w = &r->work[k];

		if (asl_workload_is_whole(r, w))
			continue;
		fprintf(f, "  %s, %d case%s\n", w->name, w->cases,
			w->cases == 1 ? "" : "s");
		asl_ranking_order(order, r, w);
		for (int i = 0; i < count; i++)
			print_standing(f, x, w, order[i], last);
	}
}

static void print_every_pair(FILE *f, const struct comparing *x)
{
	const struct asl_ranking *r = &x->ranking;
	int order[ASL_MOST_RESULTS] = {0};
	int count = asl_ranking_order(order, r, r->work);

	if (count < 3)
		return;
	fprintf(f, "\nEvery pair, %s\n\n%8s  %-16s%5s  %-19s pair\n",
		r->work->name, "speed", "95% interval", "drift", "verdict");
	for (int i = 0; i < count; i++)
		for (int k = i + 1; k < count; k++) {
			struct asl_ratio s =
				asl_ranking_ratio(r->work, order[i], order[k]);

			fprintf(f, "%8.3f  ", s.ratio);
			put_interval(f, &s);
			fprintf(f, "%-19s %s over %s\n", asl_ratio_say(&s),
				name_of(x, order[i]), name_of(x, order[k]));
		}
}

static void print_unranked(FILE *f, const struct comparing *x)
{
	char said[ASL_ANSWER];

	if (*asl_ranking_cached(said, &x->ranking))
		asl_print_wrapped(f, said, 0);
	for (int i = 0; i < x->results.places; i++)
		if (*x->ranking.machine[i].why_not) {
			char text[NAME];

			snprintf(text, sizeof text, "%s is not ranked: %s",
				 name_of(x, i), x->ranking.machine[i].why_not);
			asl_print_wrapped(f, text, 0);
		}
}

static void print_time(FILE *f, int place, const struct asl_estimate *x,
		       const char *end)
{
	fprintf(f, "%c %9.4g (%.4g to %.4g) s%s", asl_place_letter(place),
		x->median, x->low, x->high, end);
}

static void print_pair(FILE *f, const struct comparing *x, int place,
		       const struct asl_pair *pair)
{
	char name[NAME];

	fprintf(f, "%8.3f  ", pair->speed.ratio);
	put_interval(f, &pair->speed);
	if (is_priced(x))
		fprintf(f, "%9.3f  ", worth(x, place, pair->speed.ratio));
	fprintf(f, "%-19s %s\n", verdict_on(pair), name_pair(name, x, pair));
	if (pair->source == ASL_MODELLED)
		return;
	fprintf(f, "%*s", is_priced(x) ? 45 : 34, "");
	print_time(f, base(x), &pair->base->time, ", ");
	print_time(f, place, &pair->other->time, "\n");
}

static void print_pairs(FILE *f, const struct comparing *x, int place)
{
	const struct asl_comparison *c = &x->ranking.against[place];

	fprintf(f, "\n%c against %c\n\n%8s  %-16s%5s  ",
		asl_place_letter(place), asl_place_letter(base(x)), "speed",
		"95% interval", "drift");
	if (is_priced(x))
		fprintf(f, "%9s  ", "for money");
	fprintf(f, "%-19s case\n", "verdict");
	for (int i = 0; i < c->count; i++)
		if (!c->pairs[i].reason)
			print_pair(f, x, place, &c->pairs[i]);
}

static void print_left_out(FILE *f, const struct comparing *x, int place)
{
	const struct asl_comparison *c = &x->ranking.against[place];
	char name[NAME];

	if (c->reasons[ASL_COMPARED] < c->count)
		fputs("\nNot compared\n\n", f);
	for (int i = 0; i < c->count; i++)
		if (c->pairs[i].reason)
			fprintf(f, "  %s\n    %s\n",
				name_pair(name, x, &c->pairs[i]),
				c->pairs[i].why);
}

static void print_all(FILE *f, const struct comparing *x)
{
	const struct asl_ranking *r = &x->ranking;
	char text[ASL_ANSWER];

	for (int i = 0; i < x->results.places; i++)
		print_place(f, x, i);
	fputc('\n', f);
	if (r->works) {
		asl_print_wrapped(f, asl_ranking_answer(text, r, r->work), 0);
		print_unranked(f, x);
		print_ranking(f, x);
		print_every_pair(f, x);
	}
	for (int i = 0; i < x->results.places; i++) {
		print_left_out(f, x, i);
		if (r->against[i].reasons[ASL_COMPARED])
			print_pairs(f, x, i);
	}
	fputs("\nHow\n\n", f);
	for (const char *const *line = method; *line; line++) {
		fputs("  ", f);
		asl_print_wrapped(f, *line, 2);
	}
}

/* ---- A page of HTML, without scripts or other files ---- */

static const char head[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
			   "charset=\"utf-8\">\n<meta name=\"viewport\" "
			   "content=\"width=device-width, initial-scale=1\">\n"
			   "<title>aslant: comparison</title>\n<style>\n";

/* After style.css, which figures need. */
static const char head_style[] =
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
	"body > p { max-width: none } figure { max-width: 46rem; margin: 1em 0 "
	"}\n"
	"th, td { padding: .3em .7em; text-align: left; vertical-align: top; "
	"white-space: normal; "
	"border-bottom: 1px solid var(--line) }\n"
	".number { text-align: right; white-space: nowrap }\n"
	".faster { color: var(--good); font-weight: 600 }\n"
	".slower { color: var(--bad); font-weight: 600 }\n"
	"</style>\n</head>\n<body>\n<h1>Comparison of results</h1>\n";

/* The last column of a table is about money, and there only with prices. */
static void put_money(FILE *f, double x)
{
	if (!isnan(x))
		asl_html(f, "<td class=\"number\">%.4g</td>", x);
	fputs("</tr>\n", f);
}

/* Names of columns with a | between. */
static void begin_table(FILE *f, const char *names, const char *money)
{
	fputs("<div class=\"wide\">\n<table>\n<tr><th>", f);
	for (; *names; names++)
		if (*names == '|')
			fputs("</th><th>", f);
		else
			fputc(*names, f);
	fprintf(f, "%s%s</th></tr>\n", money ? "</th><th>" : "",
		money ? money : "");
}

static void end_table(FILE *f)
{
	fputs("</table>\n</div>\n", f);
}

static void put_places(FILE *f, const struct comparing *x)
{
	begin_table(f, "|machine|directory|host|medium|cases|repetitions",
		    is_priced(x) ? "price" : NULL);
	for (int i = 0; i < x->results.places; i++) {
		asl_html(f,
			 "<tr><td>%c</td><td>%s</td><td>%s</td><td>%s</td>"
			 "<td>%s</td><td class=\"number\">%d</td>"
			 "<td class=\"number\">%d</td>",
			 asl_place_letter(i), name_of(x, i), x->results.dir[i],
			 x->first[i]->host, x->first[i]->medium, x->cases[i],
			 (int)x->results.table[i].count);
		put_money(f, x->ranking.machine[i].figure[ASL_PRICE]);
	}
	end_table(f);
}

static void put_pair(FILE *f, const struct comparing *x, int place,
		     const struct asl_pair *pair)
{
	const struct asl_estimate *times[] = {&pair->base->time,
					      &pair->other->time};
	const char *verdict = verdict_on(pair);
	char name[NAME];

	asl_html(f, "<tr><td>%s</td>", name_pair(name, x, pair));
	for (int i = 0; i < 2; i++)
		asl_html(f,
			 "<td class=\"number\" title=\"covers %.4g\">%.4g s"
			 "<br>%.4g to %.4g</td>",
			 times[i]->coverage, times[i]->median, times[i]->low,
			 times[i]->high);
	asl_html(f, "<td class=\"number\">%.3f", pair->speed.ratio);
	if (!isnan(pair->speed.low))
		asl_html(f, "<br>%.3f to %.3f", pair->speed.low,
			 pair->speed.high);
	asl_html(f, "</td><td class=\"%s\">%s</td>",
		 strcspn(verdict, " ") == 6 ? verdict : "", verdict);
	put_money(f, worth(x, place, pair->speed.ratio));
}

static void put_left_out(FILE *f, const struct comparing *x, int place)
{
	const struct asl_comparison *c = &x->ranking.against[place];
	char name[NAME];

	if (c->reasons[ASL_COMPARED] == c->count)
		return;
	fputs("<h2>Not compared</h2>\n", f);
	begin_table(f, "case|why", NULL);
	for (int i = 0; i < c->count; i++)
		if (c->pairs[i].reason)
			asl_html(f, "<tr><td>%s</td><td>%s</td></tr>\n",
				 name_pair(name, x, &c->pairs[i]),
				 c->pairs[i].why);
	end_table(f);
}

static void put_pairs(FILE *f, const struct comparing *x, int place)
{
	const struct asl_comparison *c = &x->ranking.against[place];
	char names[80];

	snprintf(names, sizeof names,
		 "case|%c, median|%c, median|speed|verdict",
		 asl_place_letter(base(x)), asl_place_letter(place));
	fprintf(f, "<h2>%c against %c</h2>\n", asl_place_letter(place),
		asl_place_letter(base(x)));
	begin_table(f, names, is_priced(x) ? "for the money" : NULL);
	for (int i = 0; i < c->count; i++)
		if (!c->pairs[i].reason)
			put_pair(f, x, place, &c->pairs[i]);
	end_table(f);
}

static void put_standing(FILE *f, const struct comparing *x,
			 const struct asl_workload *w, int place, int last)
{
	struct asl_ratio speed = asl_ranking_ratio(w, place, last);

	asl_html(f,
		 "<tr><td>%s</td><td>%s</td><td class=\"number\">%.3f</td>"
		 "<td class=\"number\">",
		 w->name, name_of(x, place), speed.ratio);
	if (speed.low < speed.high && place != last)
		asl_html(f, "%.3f to %.3f", speed.low, speed.high);
	asl_html(f, "</td><td class=\"number\">%d</td>", w->cases);
	put_money(f, speed.ratio * asl_ranking_money(&x->ranking, place, last));
}

static void put_ranking(FILE *f, const struct comparing *x)
{
	const struct asl_ranking *r = &x->ranking;
	int order[ASL_MOST_RESULTS] = {0};
	int count = asl_ranking_order(order, r, r->work), last;

	last = order[count - 1];
	fputs("<h2>Ranked by workload</h2>\n", f);
	begin_table(f, "workload|machine|speed|95% interval|cases",
		    is_priced(x) ? "for the money" : NULL);
	for (int k = 0; k < r->works; k++) {
		if (asl_workload_is_whole(r, &r->work[k]))
			continue;
		asl_ranking_order(order, r, &r->work[k]);
		for (int i = 0; i < count; i++)
			put_standing(f, x, &r->work[k], order[i], last);
	}
	end_table(f);
}

static void put_page(FILE *f, const struct comparing *x)
{
	const struct asl_ranking *r = &x->ranking;
	char text[ASL_ANSWER];

	fprintf(f, "%s%s%s", head, asl_style, head_style);
	if (r->works)
		asl_html(f, "<p><b>%s</b></p>\n",
			 asl_ranking_answer(text, r, r->work));
	for (int i = 0; i < x->results.places; i++)
		if (*r->machine[i].why_not)
			asl_html(f, "<p>%s is not ranked: %s</p>\n",
				 name_of(x, i), r->machine[i].why_not);
	if (*asl_ranking_cached(text, r))
		asl_html(f, "<p>%s</p>\n", text);
	if (r->works)
		asl_forest(f, r);
	put_places(f, x);
	if (r->works)
		put_ranking(f, x);
	for (int i = 0; i < x->results.places; i++) {
		put_left_out(f, x, i);
		if (r->against[i].reasons[ASL_COMPARED])
			put_pairs(f, x, i);
	}
	fputs("<h2>How</h2>\n<ul>\n", f);
	for (const char *const *line = method; *line; line++)
		fprintf(f, "<li>%s</li>\n", *line);
	fputs("</ul>\n</body>\n</html>\n", f);
}

/* ---- CSV: a row for each case, then one for each mean ---- */

static void csv_number(struct asl_csv *csv, const char *name, double x)
{
	if (isnan(x))
		asl_csv_put(csv, name, NULL);
	else
		asl_csv_put_number(csv, name, x);
}

/* Six columns about a case, whose names begin with `whose`. */
static void csv_case(struct asl_csv *csv, const char *whose,
		     const struct asl_measured *x)
{
	bool timed = x && x->trouble == ASL_NO_TROUBLE;
	struct asl_estimate none = {NAN, NAN, NAN, NAN, 0};
	const struct asl_estimate *time = timed ? &x->time : &none;
	const struct {
		const char *name;
		double x;
	} numbers[] = {{"median_s", time->median},
		       {"low_s", time->low},
		       {"high_s", time->high},
		       {"coverage", time->coverage}};
	char name[32];

	snprintf(name, sizeof name, "%s_host", whose);
	asl_csv_put(csv, name, x ? x->row->host : NULL);
	snprintf(name, sizeof name, "%s_medium", whose);
	asl_csv_put(csv, name, x ? x->row->medium : NULL);
	snprintf(name, sizeof name, "%s_reps", whose);
	asl_csv_put_length(csv, name, (uint64_t)time->samples);
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "%s_%s", whose, numbers[i].name);
		csv_number(csv, name, numbers[i].x);
	}
}

static void csv_pair(struct asl_csv *csv, const struct asl_pair *pair)
{
	static const int known[] = {
		COL_algorithm, COL_kernel,	COL_m,	   COL_n,
		COL_k,	       COL_spec,	COL_dims,  COL_ranks,
		COL_grid,      COL_cache_words, COL_store, COL_panels,
		COL_seed,      COL_r,		COL_w,	   COL_beta};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		asl_csv_put(csv, asl_column_name(known[i]),
			    pair ? asl_row_cell(row_of(pair), known[i]) : NULL);
	csv_case(csv, "base", pair ? pair->base : NULL);
	csv_case(csv, "other", pair ? pair->other : NULL);
}

/* A row of a pair of cases, or of two machines at a workload; one is NULL. */
static void csv_row(struct asl_csv *csv, const struct comparing *x, int than,
		    int place, const struct asl_pair *pair,
		    const struct asl_workload *w)
{
	struct asl_ratio speed =
		w ? asl_ranking_ratio(w, place, than) : pair->speed;
	double money = asl_ranking_money(&x->ranking, place, than);
	double joule = asl_ranking_joule(&x->ranking, place, than);
	int at = 0, needs = asl_ratio_needs(&speed);
	char text[3072] = "";

	for (const char *const *line = method; *line; line++)
		at += snprintf(text + at, sizeof text - (size_t)at, "%s%s",
			       at ? " " : "", *line);
	asl_csv_put(csv, "row", w ? "mean" : "case");
	asl_csv_put(csv, "base", x->results.dir[than]);
	asl_csv_put(csv, "other", x->results.dir[place]);
	asl_csv_put(csv, "family", w ? w->name : asl_pair_family(pair));
	csv_number(csv, "speed", speed.ratio);
	csv_number(csv, "speed_low", speed.low);
	csv_number(csv, "speed_high", speed.high);
	csv_number(csv, "speed_for_price", speed.ratio * money);
	asl_csv_put(csv, "verdict",
		    w ? asl_ratio_say(&speed) : verdict_on(pair));
	asl_csv_put(csv, "why_not", w ? NULL : pair->why);
	asl_csv_put_count(csv, "cases", w ? (uint64_t)w->cases : !pair->reason);
	csv_number(csv, "weight", w ? w->weight : NAN);
	csv_pair(csv, pair);
	asl_csv_put(csv, "method", text);
	asl_csv_put(csv, "workload", w ? w->kind : NULL);
	asl_csv_put(csv, "label", w ? NULL : row_of(pair)->label);
	asl_csv_put(csv, "base_name", name_of(x, than));
	asl_csv_put(csv, "other_name", name_of(x, place));
	csv_number(csv, "speed_for_watts", speed.ratio * joule);
	asl_csv_put_length(csv, "needs_reps",
			   needs == ASL_NEVER ? 0 : (uint64_t)needs);
	csv_number(csv, "drift_percent", asl_ratio_drift(&speed));
	asl_csv_end_row(csv);
}

/* All pairs of ranked machines; the base is the first of its pairs. */
static void csv_means(struct asl_csv *csv, const struct comparing *x,
		      const struct asl_workload *w)
{
	const struct asl_contender *m = x->ranking.machine;

	for (int i = 0; i < x->results.places; i++)
		for (int k = i + 1; k < x->results.places; k++)
			if (m[i].ranked && m[k].ranked)
				csv_row(csv, x, k == base(x) ? k : i,
					k == base(x) ? i : k, NULL, w);
}

static void csv_all(struct asl_csv *csv, const struct comparing *x)
{
	const struct asl_ranking *r = &x->ranking;

	csv->naming = true;
	csv_row(csv, x, 0, 1, r->against[!base(x)].pairs, NULL);
	csv->naming = false;
	for (int place = 0; place < x->results.places; place++)
		for (int i = 0; i < r->against[place].count; i++)
			csv_row(csv, x, base(x), place,
				&r->against[place].pairs[i], NULL);
	for (int k = 0; k < r->works; k++)
		csv_means(csv, x, &r->work[k]);
}

/*
 * ---- --fail-below: is no case missing, wrong, or slower? ----
 *
 * A case of the base that cannot be compared fails, unless the trouble is the
 * base's own.  A case with too few repetitions is not judged, and the command
 * says so: a gate that never closes would be none.
 */

static bool fails(const struct asl_pair *p, double least)
{
	if (!p->base || p->base->trouble != ASL_NO_TROUBLE)
		return false;
	return p->reason ||
	       (p->speed.ratio < least && asl_ratio_verdict(&p->speed) < 0);
}

static void name_failed(const struct comparing *x, int place,
			const struct asl_pair *p, double least)
{
	char name[NAME], speed[32];

	snprintf(speed, sizeof speed, "speed %.3f", p->speed.ratio);
	asl_complain(0, "--fail-below %g: %c: %s: %s", least,
		     asl_place_letter(place), name_pair(name, x, p),
		     p->reason ? p->why : speed);
}

static int gate(const struct comparing *x, double least)
{
	int failed = 0, unjudged = 0;

	for (int place = 1; place < x->results.places; place++)
		for (int i = 0; i < x->ranking.against[place].count; i++) {
			const struct asl_pair *p =
				&x->ranking.against[place].pairs[i];

			unjudged += !p->reason && isnan(p->speed.low);
			if (!fails(p, least))
				continue;
			failed++;
			name_failed(x, place, p, least);
		}
	if (failed)
		return ASL_CHECK_FAILED;
	if (unjudged)
		return asl_refuse("--fail-below %g: %d cases have fewer than "
				  "%d repetitions, and are not judged (--reps)",
				  least, unjudged, ASL_LEAST_SAMPLES);
	return 0;
}

/* ---- The command ---- */

static int check_table(const struct asl_table *table)
{
	static const char *const needed[] = {"algorithm", "wall_s", "verified",
					     "predicted_equal", NULL};

	for (int i = 0; needed[i]; i++)
		if (asl_table_column(table, needed[i]) < 0)
			return asl_refuse(
				"%s: line %d: there is no column '%s'",
				table->path, table->line[0], needed[i]);
	if (!table->count)
		return asl_refuse("%s: there are no repetitions in it",
				  table->path);
	return 0;
}

static void look_round(struct comparing *x)
{
	const struct asl_results *r = &x->results;

	for (int i = r->rows - 1; i >= 0; i--)
		x->first[(int)r->row[i].place] = &r->row[i];
	for (int i = 0; i < r->count; i++) {
		const struct asl_runs_row *row = r->cases[i].row;
		int place = (int)row->place;

		x->cases[place]++;
		for (int k = 0; k < r->end[ASL_HOSTED]; k++)
			x->varies[place][r->identity[k]] |=
				asl_cells_compare(row, x->first[place],
						  r->identity[k]) != 0;
	}
}

static int read_all(struct comparing *x, struct asl_options *o)
{
	static char letters[MOST_PLACES][2];
	const char *names[MOST_PLACES];
	int places = 0, code;

	for (; places < MOST_PLACES && o->dir[places]; places++) {
		letters[places][0] = asl_place_letter(places);
		names[places] = letters[places];
	}
	if (places < 2 || o->dir[places])
		return asl_refuse("compare: found %d, expected 2 to %d result "
				  "directories",
				  places, MOST_PLACES);
	code = asl_ranking_open(&x->ranking, o, names);
	if (!code)
		code = asl_results_read(&x->results, o->dir, places);
	for (int i = 0; !code && i < places; i++)
		code = check_table(&x->results.table[i]);
	if (!code)
		look_round(x);
	return code ? code
		    : asl_ranking_rank(&x->ranking, &x->results,
				       !isnan(o->fail_below));
}

static int write_csv(const struct comparing *x, const char *path)
{
	struct asl_csv csv;

	if (asl_csv_open(&csv))
		return asl_no_memory();
	csv_all(&csv, x);
	return asl_table_write(&csv, path);
}

static int write_page(const struct comparing *x, const char *path)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int err;

	if (!f)
		return asl_no_memory();
	put_page(f, x);
	err = ferror(f);
	if (fclose(f) || err) {
		free(text);
		return asl_no_memory();
	}
	err = asl_atomic_file_put(path, text, bytes);
	free(text);
	return err ? asl_complain(asl_exit_code(err), "--out: %s",
				  asl_failure())
		   : 0;
}

static int write_all(const struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	if (!o->csv && !o->out)
		print_all(stdout, x);
	if (o->csv)
		code = write_csv(x, o->csv);
	if (!code && o->out)
		code = write_page(x, o->out);
	return code;
}

/* No times, and costs that are none either: machines then cannot differ. */
static bool only_counted(const struct comparing *x)
{
	for (int i = 0; i < x->results.count; i++)
		if (x->results.cases[i].time.samples ||
		    asl_case_modelled(&x->results.cases[i]))
			return false;
	return true;
}

/* Directories that have nothing in common are not what was meant. */
static int judge(const struct comparing *x, const struct asl_options *o)
{
	int code = isnan(o->fail_below) ? 0 : gate(x, o->fail_below);
	int place = !base(x);

	if (code || x->ranking.works)
		return code;
	return asl_refuse("%s and %s: no case can be compared; the first: %s%s",
			  x->results.dir[base(x)], x->results.dir[place],
			  x->ranking.against[place].pairs[0].why,
			  only_counted(x)
				  ? "; aslant report compares counts of "
				    "algorithms, and --profile with costs in "
				    "ns counts for a machine"
				  : "");
}

int asl_command_compare(struct asl_options *o, int argc, char **argv)
{
	struct comparing x = {.cases = {0}};
	int code = 0;

	(void)argc, (void)argv;
	for (int i = 0; !code && o->dir[i]; i++)
		code = asl_unpack(&o->dir[i]);
	if (code)
		return code;
	code = read_all(&x, o);
	if (!code)
		code = write_all(&x, o);
	if (!code)
		code = judge(&x, o);
	asl_ranking_close(&x.ranking);
	asl_results_close(&x.results);
	return code;
}
