/*
 * contest.c -- who is best in a case, and by what
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"
#include "bench/command/stats.h"

/*
 * Who is best in a case, and by what
 */

/* The cheapest of a case, and the cheapest that is another algorithm. */
struct asl_contest {
	struct asl_pack all;
	const struct asl_entry *best, *next, *inside; /* of the APM */
	const struct asl_entry *fastest, *second;
};

static bool is_other(const struct asl_entry *a, const struct asl_entry *b)
{
	return strcmp(a->row->text[ASL_COL_ALGORITHM],
		      b->row->text[ASL_COL_ALGORITHM]) != 0;
}

static double cost(const struct asl_entry *x)
{
	return asl_row_cost(x->row);
}

static double seconds(const struct asl_entry *x)
{
	return x->wall.samples ? x->wall.median : NAN;
}

/* The least of those that differ from `than`, NULL: of all. */
static const struct asl_entry *least(const struct asl_pack *g,
				     double (*of)(const struct asl_entry *x),
				     const struct asl_entry *than)
{
	const struct asl_entry *best = NULL;

	for (int i = 0; i < g->count; i++) {
		const struct asl_entry *x = g->at[i];

		if (isnan(of(x)) || (than && !is_other(x, than)))
			continue;
		if (!best || of(x) < of(best))
			best = x;
	}
	return best;
}

static double cost_inside(const struct asl_entry *x)
{
	return x->row->number[ASL_COL_OUTSIDE] == 1 ? NAN : cost(x);
}

/* False: there are no two algorithms, and best or next is NULL. */
static bool asl_contest_judge(struct asl_contest *c, const struct asl_pack *g)
{
	*c = (struct asl_contest){.all = *g};
	c->best = least(g, cost, NULL);
	if (c->best)
		c->next = least(g, cost, c->best);
	c->inside = least(g, cost_inside, NULL);
	c->fastest = least(g, seconds, NULL);
	if (c->fastest)
		c->second = least(g, seconds, c->fastest);
	return c->next != NULL;
}

/* How many times as much the next best costs. */
static double asl_contest_lead(const struct asl_contest *c)
{
	return cost(c->next) / cost(c->best);
}

/* The kind of words by which the best saves most. */
static const char *asl_contest_why(char text[ASL_SAID],
				   const struct asl_contest *c)
{
	static const char *const kinds[] = {
		[ASL_PART_NET] = "words between ranks",
		[ASL_PART_READ] = "words read",
		[ASL_PART_WRITE] = "words written",
		[ASL_PART_OTHER] = "messages, flops and DRAM",
	};
	double a[4], b[4], price[4];
	char x[ASL_BRIEF], y[ASL_BRIEF];
	int most = 0;

	asl_row_parts(a, c->best->row);
	asl_row_parts(b, c->next->row);
	for (int i = 1; i < 4; i++)
		if (b[i] - a[i] > b[most] - a[most])
			most = i;
	if (asl_contest_lead(c) < 1.005)
		return "the same within half a percent";
	price[ASL_PART_NET] = c->best->row->number[ASL_COL_BETA];
	price[ASL_PART_READ] = c->best->row->number[ASL_COL_R];
	price[ASL_PART_WRITE] = c->best->row->number[ASL_COL_W];
	price[ASL_PART_OTHER] = 1;
	snprintf(text, ASL_SAID, "%s %s instead of %s",
		 asl_brief(x, a[most] / price[most]), kinds[most],
		 asl_brief(y, b[most] / price[most]));
	return text;
}

/*
 * A sentence a family: who costs least, how often, by how much
 */

struct tally {
	int cases, won;
	double *leads;
};

/* How many contests of the list an algorithm wins, and by how much. */
static struct tally tally(const struct asl_contest *c, int count,
			  const char *name, double *leads)
{
	struct tally t = {.cases = count, .leads = leads};

	for (int i = 0; i < count; i++)
		if (!strcmp(c[i].best->row->text[ASL_COL_ALGORITHM], name))
			leads[t.won++] = asl_contest_lead(&c[i]);
	return t;
}

static void say_family(struct asl_page *p, const struct asl_contest *c,
		       int count, double *leads)
{
	struct tally most = {0};
	const char *name = "";
	double range[2] = {INFINITY, 0};

	for (int i = 0; i < count; i++) {
		const char *x = c[i].best->row->text[ASL_COL_ALGORITHM];
		struct tally t = tally(c, count, x, leads);

		if (t.won > most.won) {
			most = t;
			name = x;
		}
	}
	most = tally(c, count, name, leads);
	for (int i = 0; i < most.won; i++) {
		range[0] = fmin(range[0], leads[i]);
		range[1] = fmax(range[1], leads[i]);
	}
	fputs("<li><b>", p->f);
	asl_page_say(p, "%s", name);
	fputs("</b>", p->f);
	asl_page_say(p, " costs least in %d of %d case%s of %s", most.won,
		     most.cases, most.cases == 1 ? "" : "s",
		     c->best->row->text[ASL_COL_FAMILY]);
	if (p->results->places > 1)
		asl_page_say(
			p, " (%s)",
			asl_page_place(
				p, (int)c->best->row->number[ASL_COL_PLACE]));
	asl_page_say(p, ": the next best algorithm costs %.3g times as much",
		     asl_geometric_mean(leads, most.won));
	if (most.won > 1)
		asl_page_say(p, " on average (%.3g to %.3g)", range[0],
			     range[1]);
	asl_page_say(p, ".");
	if (c->best->row->number[ASL_COL_OUTSIDE] == 1)
		asl_page_say(p, " It never writes partial sums, which the "
				"asymmetric parallel model takes for granted; "
				"the table names the best that does, too.");
	fputs("</li>\n", p->f);
}

static const int by_family[] = {ASL_COL_FAMILY, ASL_COL_PLACE, ASL_END};

static int compare(const void *a, const void *b)
{
	const struct asl_contest *x = a, *y = b;

	return asl_rows_compare(x->best->row, y->best->row, by_family);
}

/* A list with a sentence for each family and directory. */
static void asl_contests_say(struct asl_page *p,
			     const struct asl_contest *contests, int count)
{
	size_t bytes = (size_t)count * sizeof *contests;
	struct asl_contest *c = malloc(bytes);
	double *leads = calloc((size_t)count, sizeof *leads);
	int first = 0;

	p->failed |= !c || !leads;
	fputs("<ul class=\"lead\">\n", p->f);
	if (c && leads)
		qsort(memcpy(c, contests, bytes), (size_t)count, sizeof *c,
		      compare);
	for (int i = 1; c && leads && i <= count; i++)
		if (i == count || compare(&c[first], &c[i])) {
			say_family(p, &c[first], i - first, leads);
			first = i;
		}
	fputs("</ul>\n", p->f);
	free(leads);
	free(c);
}

/*
 * Which algorithm is best here, by how much, and why
 *
 * Of every case that more than one algorithm solved: the one of least counted
 * cost, the next of another name, and which kind of words makes the difference;
 * and, where times were measured, the fastest.
 */

/* ---- The table ---- */

/* "fused in 2.1 ms", or two of them where intervals touch. */
static const char *say_fastest(char text[ASL_SAID], const struct asl_contest *c)
{
	char s[ASL_BRIEF];

	if (!c->fastest)
		return "";
	asl_brief_seconds(s, c->fastest->wall.median);
	if (c->second && c->second->wall.low <= c->fastest->wall.high)
		snprintf(text, ASL_SAID, "%.60s (%s); too close to %.60s",
			 c->fastest->row->text[ASL_COL_ALGORITHM], s,
			 c->second->row->text[ASL_COL_ALGORITHM]);
	else
		snprintf(text, ASL_SAID, "%.60s (%s)",
			 c->fastest->row->text[ASL_COL_ALGORITHM], s);
	return text;
}

/* Columns that would be empty are not there. */
struct columns {
	bool place, inside, fastest;
};

static void put_contest(struct asl_page *p, struct asl_sheet *s,
			const struct asl_contest *c, const struct columns *has)
{
	const struct asl_row *best = c->best->row;
	char text[ASL_SAID];

	if (has->place)
		asl_sheet_text(
			s, asl_page_place(p, (int)best->number[ASL_COL_PLACE]));
	asl_sheet_text(s, asl_say_size(text, best));
	asl_sheet_number(s, best->number[ASL_COL_RANKS]);
	asl_sheet_number(s,
			 best->number[ASL_COL_W] / best->number[ASL_COL_BETA]);
	asl_sheet_text(s, best->text[ASL_COL_ALGORITHM]);
	asl_sheet_text(s, c->next->row->text[ASL_COL_ALGORITHM]);
	asl_sheet_number(s, asl_contest_lead(c));
	asl_sheet_text(s, asl_contest_why(text, c));
	if (has->inside)
		asl_sheet_text(
			s, c->inside ? c->inside->row->text[ASL_COL_ALGORITHM]
				     : "");
	if (has->fastest)
		asl_sheet_text(s, say_fastest(text, c));
	asl_sheet_number(s, asl_row_cost(best));
	asl_sheet_text(s, asl_say_costs(text, best));
	asl_sheet_text(s, asl_say_means(text, best));
	asl_sheet_end_row(s);
}

static void begin(struct asl_page *p, struct asl_sheet *s,
		  const struct columns *has)
{
	const char *const names[] = {
		has->place ? "result" : NULL,
		"problem",
		"ranks",
		"w/\xce\xb2",
		"least cost",
		"next best",
		"costs times as much",
		"because the best moves",
		has->inside ? "best that keeps to the model" : NULL,
		has->fastest ? "shortest time" : NULL,
		"Q",
		"costs of a word",
		"on",
	};

	asl_sheet_begin(p, s, NULL);
	for (size_t i = 0; !p->failed && i < sizeof names / sizeof names[0];
	     i++)
		if (names[i])
			asl_sheet_text(s, names[i]);
	if (!p->failed)
		asl_sheet_end_row(s);
}

static struct columns columns_of(const struct asl_page *p,
				 const struct asl_contest *c, int count)
{
	struct columns has = {.place = p->results->places > 1};

	for (int i = 0; i < count; i++) {
		has.inside |= c[i].inside != c[i].best;
		has.fastest |= c[i].fastest != NULL;
	}
	return has;
}

static void table(struct asl_page *p, const struct asl_contest *c, int count,
		  bool open)
{
	struct columns has = columns_of(p, c, count);
	struct asl_sheet s;

	begin(p, &s, &has);
	for (int i = 0; !p->failed && i < count; i++)
		put_contest(p, &s, &c[i], &has);
	if (p->failed)
		return;
	if (open)
		asl_page_table(p, &s, "best.csv");
	else
		asl_page_details(p, &s, "More cases", "best-more.csv");
}

static void show(struct asl_page *p, const struct asl_contest *c, int count)
{
	int sight = count < ASL_MOST_LINES / 2 ? count : ASL_MOST_LINES / 2;
	int most = count < ASL_MOST_ENTRIES / 2 ? count : ASL_MOST_ENTRIES / 2;

	asl_contests_say(p, c, count);
	table(p, c, sight, true);
	if (most > sight)
		table(p, c + sight, most - sight, false);
	if (count > most) {
		fputs("<p class=\"note\">", p->f);
		asl_page_say(p,
			     "%d more cases are not in these tables; "
			     "runs.csv has them.",
			     count - most);
		fputs("</p>\n", p->f);
	}
}

void asl_section_short(struct asl_page *p)
{
	int entries = asl_page_list(p, NULL), count = 0;
	struct asl_contest *c = calloc((size_t)entries + 1, sizeof *c);
	struct asl_pack g = {0};

	p->failed |= !c;
	asl_page_section(p, "short", "Which algorithm is best here");
	asl_entries_sort(p->list, entries, asl_by_case);
	while (c && asl_pack_next(&g, p->list, entries, asl_by_case))
		count += asl_contest_judge(&c[count], &g);
	if (count)
		show(p, c, count);
	else
		fputs("<p class=\"note\">No case was solved by two "
		      "algorithms: there is nothing to choose from.</p>\n",
		      p->f);
	free(c);
}
