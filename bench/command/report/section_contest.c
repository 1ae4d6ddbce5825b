/*
 * section_contest.c -- which algorithm is best here, by how much, and why
 *
 * For each case that two algorithms or more solved: the one of least counted
 * cost, the next one of another name, and which kind of words makes the
 * difference; and, where times were measured, the fastest.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"
#include "bench/command/results/stats.h"

/* The cheapest of a case, and the cheapest rival: another algorithm. */
struct contest {
	double budget;
	const struct asl_measured *best, *next, *inside; /* of the APM */
	const struct asl_measured *fastest, *second;
	int others; /* machines on which it came out the same */
};

/* "A", "A and 1 more", "all". */
static const char *say_places(char text[ASL_SAID], const struct asl_page *p,
			      const struct contest *c)
{
	if (c->others + 1 == p->results->places)
		return "all machines";
	if (!c->others)
		return asl_page_place_of(p, c->best->row);
	snprintf(text, ASL_SAID, "%.200s and %d more",
		 asl_page_place_of(p, c->best->row), c->others);
	return text;
}

static double cost(const struct asl_measured *x)
{
	return asl_row_cost(x->row);
}

static double cost_inside(const struct asl_measured *x)
{
	return x->row->outside_apm == 1 ? NAN : cost(x);
}

static double seconds(const struct asl_measured *x)
{
	return x->time.samples ? x->time.median : NAN;
}

/* The least of all, or of the rivals of `than`; NULL: there is none. */
static const struct asl_measured *
least(const struct asl_pack *g, double (*of)(const struct asl_measured *x),
      const struct asl_measured *than)
{
	const struct asl_measured *best = NULL;

	for (int i = 0; i < g->count; i++) {
		const struct asl_measured *x = g->at[i];

		int budget = asl_budget_compare(x->row, g->budget);

		if (isnan(of(x)) || budget > 0)
			continue;
		if (than && (budget < 0 ||
			     !strcmp(x->row->algorithm, than->row->algorithm)))
			continue;
		if (!best || of(x) < of(best))
			best = x;
	}
	return best;
}

/* False: there are no two algorithms, and best or next is NULL. */
static bool judge(struct contest *c, const struct asl_pack *g)
{
	*c = (struct contest){.budget = g->budget,
			      .best = least(g, cost, NULL)};
	if (c->best)
		c->next = least(g, cost, c->best);
	c->inside = least(g, cost_inside, NULL);
	c->fastest = least(g, seconds, NULL);
	if (c->fastest)
		c->second = least(g, seconds, c->fastest);
	return c->next != NULL;
}

/* How many times as much the next best costs. */
static double lead(const struct contest *c)
{
	return cost(c->next) / cost(c->best);
}

/* The kind of words by which the best saves most. */
static const char *say_why(char text[ASL_SAID], const struct contest *c)
{
	static const char *const kinds[] = {
		[ASL_PART_NET] = "words between ranks",
		[ASL_PART_READ] = "words read",
		[ASL_PART_WRITE] = "words written",
		[ASL_PART_OTHER] = "messages, flops and DRAM",
		[ASL_PART_WAIT] = "cost of waiting",
	};
	const struct asl_runs_row *row = c->best->row;
	const double price[] = {[ASL_PART_NET] = row->beta,
				[ASL_PART_READ] = row->r,
				[ASL_PART_WRITE] = row->w,
				[ASL_PART_OTHER] = 1,
				[ASL_PART_WAIT] = 1};
	double a[ASL_PARTS], b[ASL_PARTS];
	char x[ASL_BRIEF], y[ASL_BRIEF];
	int most = 0;

	if (lead(c) < 1.005)
		return "the same within half a percent";
	asl_row_parts(a, row);
	asl_row_parts(b, c->next->row);
	for (int i = 1; i < ASL_PARTS; i++)
		if (b[i] - a[i] > b[most] - a[most])
			most = i;
	snprintf(text, ASL_SAID, "%s %s instead of %s",
		 asl_brief(x, a[most] / price[most]), kinds[most],
		 asl_brief(y, b[most] / price[most]));
	return text;
}

/* How many contests an algorithm wins, and by how much each. */
static int tally(double *leads, const struct contest *c, int count,
		 const char *name)
{
	int won = 0;

	for (int i = 0; i < count; i++)
		if (!strcmp(c[i].best->row->algorithm, name))
			leads[won++] = lead(&c[i]);
	return won;
}

static void say_family(struct asl_page *p, const struct contest *c, int count,
		       double *leads)
{
	const struct asl_runs_row *row = c->best->row;
	const char *name = "";
	double low = INFINITY, high = 0;
	char text[ASL_SAID];
	int won = 0;

	for (int i = 0; i < count; i++) {
		const char *x = c[i].best->row->algorithm;
		int wins = tally(leads, c, count, x);

		name = wins > won ? x : name;
		won = wins > won ? wins : won;
	}
	tally(leads, c, count, name);
	for (int i = 0; i < won; i++) {
		low = fmin(low, leads[i]);
		high = fmax(high, leads[i]);
	}
	asl_html(p->f, "<li><b>%s</b> costs least in %d of %d case%s of %s",
		 name, won, count, count == 1 ? "" : "s", row->family);
	if (p->results->places > 1)
		asl_html(p->f, " (%s)", say_places(text, p, c));
	asl_html(p->f, ": the next best algorithm costs %.3g times as much",
		 asl_geometric_mean(leads, won));
	if (won > 1)
		asl_html(p->f, " on average (%.3g to %.3g)", low, high);
	asl_html(p->f, ".%s</li>\n",
		 row->outside_apm == 1
			 ? " It never writes partial sums, which the "
			   "asymmetric parallel model takes for granted; the "
			   "table names the best that does, too."
			 : "");
}

static int compare_families(const void *a, const void *b)
{
	static const int by[] = {COL_family, COL_place, ASL_END};
	const struct contest *x = a, *y = b;

	if (x->others != y->others)
		return y->others - x->others;
	return asl_rows_compare(x->best->row, y->best->row, by);
}

static void say_families(struct asl_page *p, const struct contest *contests,
			 int count)
{
	size_t bytes = (size_t)count * sizeof *contests;
	struct contest *c = malloc(bytes);
	double *leads = calloc((size_t)count, sizeof *leads);
	int first = 0;

	p->failed |= !c || !leads;
	fputs("<ul class=\"lead\">\n", p->f);
	if (!p->failed)
		qsort(memcpy(c, contests, bytes), (size_t)count, sizeof *c,
		      compare_families);
	for (int i = 1; !p->failed && i <= count; i++)
		if (i == count || compare_families(&c[first], &c[i])) {
			say_family(p, &c[first], i - first, leads);
			first = i;
		}
	fputs("</ul>\n", p->f);
	free(leads);
	free(c);
}

/* "fused in 2.1 ms", or two of them where intervals touch. */
static const char *say_fastest(char text[ASL_SAID], const struct contest *c)
{
	char s[ASL_BRIEF];

	if (!c->fastest)
		return "";
	asl_brief_seconds(s, c->fastest->time.median);
	if (c->second && c->second->time.low <= c->fastest->time.high)
		snprintf(text, ASL_SAID, "%.60s (%s); too close to %.60s",
			 c->fastest->row->algorithm, s,
			 c->second->row->algorithm);
	else
		snprintf(text, ASL_SAID, "%.60s (%s)",
			 c->fastest->row->algorithm, s);
	return text;
}

/* ---- All algorithms, in a figure ---- */

/* How many times as much as the best an algorithm takes, over all contests. */
struct tally {
	const struct asl_runs_row *row; /* one of its */
	double sum, low, high;		/* sum: of logarithms */
	int count;
};

enum { MOST_TALLIES = 24 };

static void count_in(struct tally *t, int *count,
		     const struct asl_runs_row *row, double ratio)
{
	static const int by[] = {COL_family, COL_algorithm, ASL_END};
	int i = 0;

	while (i < *count && asl_rows_compare(t[i].row, row, by))
		i++;
	if (i == MOST_TALLIES)
		return;
	if (i == *count)
		t[(*count)++] = (struct tally){row, 0, INFINITY, 0, 0};
	t[i].sum += log(ratio);
	t[i].low = fmin(t[i].low, ratio);
	t[i].high = fmax(t[i].high, ratio);
	t[i].count++;
}

/* Each algorithm's best of a contest, over the best of all. */
static void count_contest(struct tally *t, int *count, const struct asl_pack *g,
			  double (*of)(const struct asl_measured *x))
{
	const struct asl_measured *best = least(g, of, NULL);

	if (!best || !least(g, of, best) || !(of(best) > 0))
		return;
	for (int i = 0; i < g->count; i++) {
		const struct asl_runs_row *row = g->at[i]->row;
		double value = of(g->at[i]);
		bool first = true;

		if (isnan(value) || asl_budget_compare(row, g->budget) > 0)
			continue;
		for (int k = 0; k < g->count; k++)
			first &= strcmp(g->at[k]->row->algorithm,
					row->algorithm) != 0 ||
				 !(of(g->at[k]) < value ||
				   (k < i && of(g->at[k]) == value));
		if (first)
			count_in(t, count, row, value / of(best));
	}
}

static int compare_tallies(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;
	int order = strcmp(x->row->family, y->row->family);

	return order ? order
		     : (x->sum / x->count > y->sum / y->count) -
			       (x->sum / x->count < y->sum / y->count);
}

static int add_bars(struct asl_bar *bar, char (*text)[ASL_SAID],
		    const struct asl_packs *all,
		    double (*of)(const struct asl_measured *x),
		    const char *what)
{
	struct tally t[MOST_TALLIES];
	int count = 0;

	for (int i = 0; i < all->count; i++)
		count_contest(t, &count, &all->at[i], of);
	if (count)
		qsort(t, (size_t)count, sizeof *t, compare_tallies);
	for (int i = 0; i < count; i++) {
		double mean = exp(t[i].sum / t[i].count);

		snprintf(text[2 * i], ASL_SAID, "%.100s, %s", t[i].row->family,
			 what);
		snprintf(text[2 * i + 1], ASL_SAID, "%.3g", mean);
		bar[i] = (struct asl_bar){
			text[2 * i], t[i].row->algorithm, {t[i].low, t[i].high},
			mean,	     text[2 * i + 1],	  0};
	}
	return count;
}

/* With several machines the figure that compares these is the first. */
static void figure(struct asl_page *p, const struct asl_packs *all)
{
	char(*text)[ASL_SAID] = calloc(4 * MOST_TALLIES, sizeof *text);
	struct asl_bar bar[2 * MOST_TALLIES];
	int count;

	p->failed |= !text;
	if (p->failed || p->results->places > 1) {
		free(text);
		return;
	}
	count = add_bars(bar, text, all, cost, "counted cost Q");
	count += add_bars(bar + count, text + 2 * (size_t)count, all, seconds,
			  "measured time");
	for (int i = 0; i < count; i++)
		bar[i].style = 1 + asl_page_style(p, bar[i].name);
	fputs("<figure><figcaption>How many times as much as the best of a "
	      "case</figcaption>\n",
	      p->f);
	asl_bars_ranges(p->f, "algorithms over the best of each case", bar,
			count);
	fputs("<p class=\"note\">Bars reach from the best case of an algorithm "
	      "to its worst, ticks are geometric means; 1 is the best of a "
	      "case.</p></figure>\n",
	      p->f);
	free(text);
}

/* Columns that would be empty are not there. */
struct columns {
	bool place, inside, fastest, label, costs, on;
};

/* Beside their number, what is not the same for all. */
static const char *say_on(char text[ASL_SAID], const struct contest *c)
{
	struct asl_said said = asl_say(c->best->row);
	const char *rest = strchr(said.means, ' ');
	char budget[ASL_SAID];

	rest = strpbrk(rest ? rest + 1 : "", " ,");
	snprintf(text, ASL_SAID, "%.300s%.100s", rest ? rest : "",
		 asl_say_budget(budget, c->budget));
	return text + strspn(text, ", ");
}

static void put_contest(struct asl_page *p, struct asl_sheet *s,
			const struct contest *c, const struct columns *has)
{
	const struct asl_runs_row *best = c->best->row;
	struct asl_said said = asl_say(best);
	char text[ASL_SAID];

	if (has->place)
		asl_sheet_put(s, "%s", say_places(text, p, c));
	if (has->label)
		asl_sheet_put(s, "%s", best->label);
	asl_sheet_put(s, "%s%g%g%s%s%g%s", said.size, best->ranks,
		      best->w / best->beta, best->algorithm,
		      c->next->row->algorithm, lead(c), say_why(text, c));
	if (has->inside)
		asl_sheet_put(s, "%s",
			      c->inside ? c->inside->row->algorithm : "");
	if (has->fastest)
		asl_sheet_put(s, "%s", c->others ? "" : say_fastest(text, c));
	asl_sheet_put(s, "%g", asl_row_cost(best));
	if (has->costs)
		asl_sheet_put(s, "%s", said.costs);
	if (has->on)
		asl_sheet_put(s, "%s", say_on(text, c));
	asl_sheet_put(s, "\n");
}

static void table(struct asl_page *p, const struct contest *c, int count,
		  bool open)
{
	struct columns has = {.place = p->results->places > 1};
	struct asl_sheet s;
	char names[256], text[ASL_SAID];

	for (int i = 0; i < count; i++) {
		has.costs |= c[i].best->row->r != c->best->row->r ||
			     c[i].best->row->beta != c->best->row->beta;
		has.inside |= c[i].inside != c[i].best;
		has.fastest |= c[i].fastest && !c[i].others;
		has.on |= *say_on(text, &c[i]) != '\0';
		has.label |= *c[i].best->row->label != '\0';
	}
	snprintf(
		names, sizeof names,
		"%s%sproblem|ranks|w/\xce\xb2|least cost|next best|costs times "
		"as much|because the best moves%s%s|Q%s%s",
		has.place ? "result|" : "", has.label ? "label|" : "",
		has.inside ? "|best that keeps to the model" : "",
		has.fastest ? "|shortest time" : "",
		has.costs ? "|costs of a word" : "", has.on ? "|on" : "");
	asl_sheet_begin(p, &s, names);
	for (int i = 0; i < count; i++)
		put_contest(p, &s, &c[i], &has);
	if (open)
		asl_page_table(p, &s, "best.csv");
	else
		asl_page_details(p, &s, "More cases", "best-more.csv");
}

static void show(struct asl_page *p, const struct contest *c, int count,
		 const struct asl_packs *all)
{
	int sight = asl_shown(count, ASL_MOST_LINES / 2);
	int most = asl_shown(count, ASL_MOST_CASES / 2);

	say_families(p, c, count);
	figure(p, all);
	table(p, c, sight, true);
	if (most > sight)
		table(p, c + sight, most - sight, false);
	if (count > most)
		asl_note(p,
			 "%d more cases are not in these tables; runs.csv has "
			 "them.",
			 count - most);
}

static bool is_equal(const struct contest *a, const struct contest *b)
{
	static const int by[] = {COL_family,	  ASL_SIZE,   COL_ranks,
				 COL_cache_words, COL_panels, COL_initial,
				 COL_seed,	  ASL_COSTS,  ASL_END};

	return !asl_rows_compare(a->best->row, b->best->row, by) &&
	       a->best->row->place != b->best->row->place &&
	       (a->budget == b->budget ||
		(isnan(a->budget) && isnan(b->budget))) &&
	       cost(a->best) == cost(b->best) &&
	       cost(a->next) == cost(b->next) &&
	       !strcmp(a->best->row->algorithm, b->best->row->algorithm) &&
	       !strcmp(a->next->row->algorithm, b->next->row->algorithm);
}

/* Keeps one of contests that are equal on several machines; returns how many remain. */
static int merge(struct contest *c, int count)
{
	int kept = 0;

	for (int i = 0; i < count; i++) {
		int k = 0;

		while (k < kept && !is_equal(&c[k], &c[i]))
			k++;
		if (k < kept)
			c[k].others++;
		else
			c[kept++] = c[i];
	}
	return kept;
}

static void write_section(struct asl_page *p)
{
	static const int by_case[] = {ASL_PROBLEM, COL_place, ASL_COSTS,
				      ASL_WAY, ASL_END};
	static const int order[] = {ASL_PROBLEM,
				    COL_place,
				    ASL_COSTS,
				    ASL_WAY,
				    COL_memory_budget_words,
				    ASL_END};
	int cases = asl_page_list(p, NULL), count = 0;
	struct contest *c = calloc((size_t)cases + 1, sizeof *c);
	struct asl_packs all = asl_page_budgets(p, cases, order, by_case);

	p->failed |= !c;
	for (int i = 0; !p->failed && i < all.count; i++)
		count += judge(&c[count], &all.at[i]);
	count = p->failed ? 0 : merge(c, count);
	if (count)
		show(p, c, count, &all);
	else
		asl_note(p, "No case was solved by two algorithms: there is "
			    "nothing to choose from.");
	free(c);
	free(all.at);
}

const struct asl_section asl_section_contest = {
	.id = "short",
	.name = "best algorithm",
	.title = "Which algorithm is best here",
	.write = write_section,
};
