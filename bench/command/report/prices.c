/*
 * prices.c -- which algorithm for which w/beta, and where that turns
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

/*
 * Costs of a problem as lines in w/beta, and their lower envelopes
 *
 * Counts of a grid do not depend on costs, so that Q / beta is a straight line
 * in w / beta: B_h + (r / beta) B_r + (w / beta) B_w.  The lower envelope of all
 * lines of a problem says who is cheapest where, exactly, without another run.
 */

struct asl_line {
	const struct asl_row *row;
	double at0, slope; /* Q / beta */
	bool wins;
};

struct asl_turn {
	double x;
	int from, to; /* lines */
};

/* Who is cheapest where: of all, or of those that keep to the model. */
struct asl_envelope {
	bool inside;
	int first; /* where words cost nothing to write; -1: nobody */
	struct asl_turn *turn;
	int turns;
};

struct asl_prices {
	struct asl_pack all;
	struct asl_line *line;
	int lines;
	double read; /* r / beta */
	struct asl_envelope of_all, of_inside;
};

/* One line for all costs at which the same way was run. */
extern const int asl_by_way[];

/*
 * Costs of a problem as lines in w/beta, and their lower envelopes
 */

const int asl_by_way[] = {
	ASL_PROBLEM,  ASL_COL_ALGORITHM, ASL_COL_KERNEL,   ASL_COL_GRID,
	ASL_COL_READ, ASL_COL_WRITTEN,	 ASL_COL_BH_WORDS, ASL_END};

static double asl_line_value(const struct asl_line *l, double x)
{
	return l->at0 + l->slope * x;
}

static bool takes_part(const struct asl_envelope *e, const struct asl_line *l)
{
	return !e->inside || l->row->number[ASL_COL_OUTSIDE] != 1;
}

static int find_first(const struct asl_prices *s, const struct asl_envelope *e)
{
	int best = -1;

	for (int i = 0; i < s->lines; i++) {
		const struct asl_line *a = &s->line[i], *b = &s->line[best];

		if (takes_part(e, a) &&
		    (best < 0 || a->at0 < b->at0 ||
		     (a->at0 == b->at0 && a->slope < b->slope)))
			best = i;
	}
	return best;
}

/* Of those that cross `from` at x or beyond and fall below it: the first. */
static int next_turn(const struct asl_prices *s, const struct asl_envelope *e,
		     int from, double *x)
{
	const struct asl_line *a = &s->line[from];
	double best = INFINITY;
	int to = -1;

	for (int i = 0; i < s->lines; i++) {
		const struct asl_line *b = &s->line[i];
		double at = (b->at0 - a->at0) / (a->slope - b->slope);

		if (!takes_part(e, b) || b->slope >= a->slope || at < *x)
			continue;
		if (at < best || (at == best && b->slope < s->line[to].slope)) {
			best = at;
			to = i;
		}
	}
	*x = best;
	return to;
}

static bool find_turns(struct asl_prices *s, struct asl_envelope *e,
		       bool inside)
{
	double x = 0;
	int now;

	e->inside = inside;
	e->turn = calloc((size_t)s->lines, sizeof *e->turn);
	e->first = now = find_first(s, e);
	if (!e->turn || now < 0)
		return e->turn != NULL;
	s->line[now].wins = true;
	for (int to; (to = next_turn(s, e, now, &x)) >= 0; now = to) {
		s->line[to].wins = true;
		e->turn[e->turns++] = (struct asl_turn){x, now, to};
	}
	return true;
}

static double asl_row_read_cost(const struct asl_row *row)
{
	return row->number[ASL_COL_R] / row->number[ASL_COL_BETA];
}

/*
 * The ways of a problem, sorted by way, at r / beta = read; false: there is no
 * memory.  Close it either way.
 */
static bool asl_prices_open(struct asl_prices *s, const struct asl_pack *g,
			    double read)
{
	struct asl_pack way = {0};

	*s = (struct asl_prices){.all = *g, .read = read};
	s->line = calloc((size_t)g->count, sizeof *s->line);
	while (s->line && asl_pack_next(&way, g->at, g->count, asl_by_way)) {
		const double *x = way.at[0]->row->number;

		s->line[s->lines++] = (struct asl_line){
			way.at[0]->row,
			x[ASL_COL_BH_WORDS] + s->read * x[ASL_COL_READ],
			x[ASL_COL_WRITTEN], false};
	}
	return s->line && find_turns(s, &s->of_inside, true) &&
	       find_turns(s, &s->of_all, false);
}

static void asl_prices_close(struct asl_prices *s)
{
	free(s->line);
	free(s->of_all.turn);
	free(s->of_inside.turn);
}

/* ---- In words ---- */

/* COWE's tiles depend on costs: the same grid may be there more than once. */
static bool is_alone(const struct asl_prices *s, int line)
{
	static const int by_name[] = {ASL_COL_ALGORITHM, ASL_COL_GRID, ASL_END};

	for (int i = 0; i < s->lines; i++)
		if (i != line && !asl_rows_compare(s->line[i].row,
						   s->line[line].row, by_name))
			return false;
	return true;
}

/* An algorithm and its grid, and what else tells it from others of the problem. */
static const char *asl_prices_name(char text[ASL_SAID],
				   const struct asl_prices *s, int line)
{
	const struct asl_row *row = s->line[line].row;
	size_t length;

	asl_say_how(text, row);
	length = strlen(text);
	if (!is_alone(s, line))
		snprintf(text + length, ASL_SAID - length, " (w %.3g)",
			 row->number[ASL_COL_W]);
	return text;
}

/* "below w/beta = 2 choose A; above 2 B; above 8 C" */
static const char *asl_prices_verdict(char text[2 * ASL_SAID],
				      const struct asl_prices *s,
				      const struct asl_envelope *e)
{
	char how[ASL_SAID], x[ASL_BRIEF];
	int at;

	if (!e->turns) {
		snprintf(text, 2 * ASL_SAID,
			 "whatever w/\xce\xb2, choose %.300s",
			 asl_prices_name(how, s, e->first));
		return text;
	}
	at = snprintf(text, 2 * ASL_SAID, "below w/\xce\xb2 = %s choose %.200s",
		      asl_brief(x, e->turn[0].x),
		      asl_prices_name(how, s, e->first));
	for (int i = 0; i < e->turns && at < ASL_SAID; i++)
		at += snprintf(text + at, (size_t)(2 * ASL_SAID - at),
			       "; above %s %.200s", asl_brief(x, e->turn[i].x),
			       asl_prices_name(how, s, e->turn[i].to));
	return text;
}

/* Is the verdict on those that keep to the model worth a word? */
static bool asl_prices_has_outsiders(const struct asl_prices *s)
{
	for (int i = 0; i < s->lines; i++)
		if (s->line[i].row->number[ASL_COL_OUTSIDE] == 1)
			return s->of_inside.first >= 0;
	return false;
}

/*
 * The figure of a problem: its lines, and where the choice turns
 */

/* Dear lines that never win are in the data only, if there are many. */
static int drawn(const struct asl_prices *s, int *which)
{
	int count = 0;

	for (int i = 0; i < s->lines && count < ASL_MOST_CURVES; i++)
		if (s->line[i].wins)
			which[count++] = i;
	for (int i = 0; i < s->lines && count < ASL_MOST_CURVES; i++)
		if (!s->line[i].wins)
			which[count++] = i;
	return count;
}

/* Prices beyond a thousand are for the words below the title. */
static void extend(double x[2], const struct asl_envelope *e)
{
	for (int i = 0; i < e->turns; i++) {
		double at = e->turn[i].x;

		if (at > 0.001)
			x[0] = fmin(x[0], at / 2);
		if (at < 1000)
			x[1] = fmax(x[1], at * 2);
	}
}

static void put_turns(struct asl_plot *plot, const struct asl_envelope *e)
{
	char text[ASL_BRIEF];

	for (int i = 0; i < e->turns; i++)
		if (e->turn[i].x < plot->x.high)
			asl_plot_wall(plot, e->turn[i].x,
				      asl_brief(text, e->turn[i].x));
}

static void draw(struct asl_page *p, const struct asl_prices *s,
		 const char *title)
{
	enum { POINTS = 41 };
	int which[ASL_MOST_CURVES], count = drawn(s, which);
	struct asl_range range = ASL_NO_RANGE;
	struct asl_plot plot;
	double end[2] = {0.25, 64}, x[POINTS], y[POINTS];
	char text[ASL_SAID];

	extend(end, &s->of_all);
	extend(end, &s->of_inside);
	for (int i = 0; i < POINTS; i++)
		x[i] = end[0] * pow(end[1] / end[0], i / (POINTS - 1.0));
	for (int k = 0; k < count; k++)
		for (int i = 0; i < 2; i++)
			asl_range_add(&range, asl_line_value(&s->line[which[k]],
							     end[i]));
	asl_plot_open(
		&plot, p->f, title,
		(struct asl_axis){"w / \xce\xb2", end[0], end[1], ASL_LOG},
		asl_range_axis(&range, "Q / \xce\xb2, in words sent", ASL_LOG));
	put_turns(&plot, &s->of_all);
	put_turns(&plot, &s->of_inside);
	for (int k = 0; k < count; k++) {
		const struct asl_line *l = &s->line[which[k]];

		for (int i = 0; i < POINTS; i++)
			y[i] = asl_line_value(l, x[i]);
		asl_plot_line(
			&plot, x, y, POINTS,
			asl_page_style(p, l->row->text[ASL_COL_ALGORITHM]),
			asl_prices_name(text, s, which[k]));
	}
	asl_plot_close(&plot);
}

static void put_data(struct asl_page *p, struct asl_sheet *t,
		     const struct asl_prices *s)
{
	static const char *const names[] = {"algorithm",
					    "kernel",
					    "grid",
					    "B_h",
					    "B_r",
					    "B_w",
					    "Q / \xce\xb2 at w = 0",
					    "per w / \xce\xb2",
					    "cheapest from w / \xce\xb2",
					    "to",
					    NULL};

	asl_sheet_begin(p, t, names);
	for (int i = 0; !p->failed && i < s->lines && i < ASL_MOST_FIGURE_ROWS;
	     i++) {
		const struct asl_line *l = &s->line[i];
		double from = i == s->of_all.first ? 0 : NAN;
		double to = l->wins ? INFINITY : NAN;

		for (int k = 0; k < s->of_all.turns; k++) {
			if (s->of_all.turn[k].to == i)
				from = s->of_all.turn[k].x;
			if (s->of_all.turn[k].from == i)
				to = s->of_all.turn[k].x;
		}
		to = isnan(from) ? NAN : to;
		asl_sheet_text(t, l->row->text[ASL_COL_ALGORITHM]);
		asl_sheet_text(t, l->row->text[ASL_COL_KERNEL]);
		asl_sheet_text(t, l->row->text[ASL_COL_GRID]);
		asl_sheet_number(t, l->row->number[ASL_COL_BH_WORDS]);
		asl_sheet_number(t, l->row->number[ASL_COL_READ]);
		asl_sheet_number(t, l->row->number[ASL_COL_WRITTEN]);
		asl_sheet_number(t, l->at0);
		asl_sheet_number(t, l->slope);
		asl_sheet_number(t, from);
		asl_sheet_number(t, to);
		asl_sheet_end_row(t);
	}
}

static void asl_prices_figure(struct asl_page *p, const struct asl_prices *s)
{
	char title[2 * ASL_SAID], size[ASL_SAID], means[ASL_SAID];
	char text[2 * ASL_SAID];
	struct asl_sheet t;

	put_data(p, &t, s);
	if (p->failed)
		return;
	snprintf(title, sizeof title,
		 "%.60s, %.300s; %.100s, r/\xce\xb2 = %.3g",
		 s->line[0].row->text[ASL_COL_FAMILY],
		 asl_say_size(size, s->line[0].row),
		 asl_say_means(means, s->line[0].row), s->read);
	asl_figure_begin(p, title);
	fputs("<p class=\"verdict\">", p->f);
	asl_page_say(p, "%c%s.",
		     asl_prices_verdict(text, s, &s->of_all)[0] - 'a' + 'A',
		     text + 1);
	if (asl_prices_has_outsiders(s))
		asl_page_say(p, " Of those that keep to the model: %s.",
			     asl_prices_verdict(text, s, &s->of_inside));
	fputs("</p>\n", p->f);
	draw(p, s, title);
	snprintf(text, sizeof text,
		 "%d of %d ways are drawn; the data have %d.", ASL_MOST_CURVES,
		 s->lines,
		 s->lines < ASL_MOST_FIGURE_ROWS ? s->lines
						 : ASL_MOST_FIGURE_ROWS);
	asl_figure_end(p, s->lines > ASL_MOST_CURVES ? text : NULL, &t);
}

/* ---- All problems ---- */

/* Those where the choice turns most often, and of most lines, come first. */
static int compare(const void *a, const void *b)
{
	const struct asl_prices *x = a, *y = b;

	int turns = y->of_all.turns + y->of_inside.turns - x->of_all.turns -
		    x->of_inside.turns;

	if (turns)
		return turns;
	if (x->lines != y->lines)
		return y->lines - x->lines;
	return (x->all.at > y->all.at) - (x->all.at < y->all.at);
}

static void table(struct asl_page *p, const struct asl_prices *s, int count)
{
	static const char *const names[] = {
		"problem", "on", "r/\xce\xb2", "choose", "keeping to the model",
		NULL};
	char text[2 * ASL_SAID];
	struct asl_sheet t;

	asl_sheet_begin(p, &t, names);
	for (int i = 0; !p->failed && i < count && i < ASL_MOST_FIGURE_ROWS;
	     i++) {
		const struct asl_row *row = s[i].line[0].row;

		asl_sheet_text(&t, asl_say_size(text, row));
		asl_sheet_text(&t, asl_say_means(text, row));
		asl_sheet_number(&t, s[i].read);
		asl_sheet_text(&t,
			       asl_prices_verdict(text, &s[i], &s[i].of_all));
		asl_sheet_text(&t, asl_prices_has_outsiders(&s[i])
					   ? asl_prices_verdict(text, &s[i],
								&s[i].of_inside)
					   : "");
		asl_sheet_end_row(&t);
	}
	if (!p->failed)
		asl_page_details(p, &t,
				 "All problems: which algorithm from "
				 "which w/&#946; on",
				 "crossovers.csv");
}

static void show(struct asl_page *p, struct asl_prices *s, int count)
{
	qsort(s, (size_t)count, sizeof *s, compare);
	fputs("<div class=\"plots\">\n", p->f);
	for (int i = 0; !p->failed && i < count && i < ASL_MOST_PLOTS; i++)
		asl_prices_figure(p, &s[i]);
	fputs("</div>\n", p->f);
	if (count > ASL_MOST_PLOTS) {
		fputs("<p class=\"note\">", p->f);
		asl_page_say(p,
			     "Drawn are the %d of %d problems whose choice "
			     "turns most often; the table has %s.",
			     ASL_MOST_PLOTS, count,
			     count > ASL_MOST_FIGURE_ROWS ? "the first 400"
							  : "all");
		fputs("</p>\n", p->f);
	}
	if (count > 1)
		table(p, s, count);
}

static bool fits(const struct asl_entry *x)
{
	return isfinite(asl_row_read_cost(x->row)) &&
	       strcmp(x->row->text[ASL_COL_FAMILY],
		      "contraction out of core") != 0;
}

/* All r / beta that a problem was run with, of which there are few. */
static int distinct(double to[ASL_MOST_PLOTS], const struct asl_pack *g)
{
	int count = 0;

	for (int i = 0; i < g->count && count < ASL_MOST_PLOTS; i++) {
		double x = asl_row_read_cost(g->at[i]->row);
		int k = 0;

		while (k < count && to[k] != x)
			k++;
		if (k == count)
			to[count++] = x;
	}
	return count;
}

struct all_prices {
	struct asl_prices *at;
	int count;
};

static void add(struct asl_page *p, struct all_prices *all,
		const struct asl_pack *g)
{
	double read[ASL_MOST_PLOTS];
	int reads = distinct(read, g);

	for (int i = 0; i < reads; i++) {
		struct asl_prices *s = &all->at[all->count];

		p->failed |= !asl_prices_open(s, g, read[i]);
		if (s->lines > 1)
			all->count++;
		else
			asl_prices_close(s);
	}
}

void asl_section_prices(struct asl_page *p)
{
	int entries = asl_page_list(p, fits);
	struct all_prices all = {calloc((size_t)entries + 1, sizeof *all.at),
				 0};
	struct asl_pack g = {0};

	p->failed |= !all.at;
	asl_page_section(p, "sweep",
			 "Which algorithm for which price of writing");
	fputs("<p>How much dearer is it to write a word to memory than to send "
	      "one, w/&#946;? Counts of a grid that ran do not depend on it, "
	      "so "
	      "that costs for every other w/&#946; follow from them without "
	      "another run: straight lines, whose lowest is the one to choose. "
	      "Messages and flops are left out, and words are those of the "
	      "busiest rank of each kind. Other grids, which did not run, may "
	      "be cheaper still: <code>aslant plan</code> knows.</p>\n",
	      p->f);
	asl_entries_sort(p->list, entries, asl_by_way);
	while (!p->failed &&
	       asl_pack_next(&g, p->list, entries, asl_by_problem))
		add(p, &all, &g);
	if (all.count)
		show(p, all.at, all.count);
	else
		fputs("<p class=\"note\">No problem was solved in two "
		      "ways.</p>\n",
		      p->f);
	for (int i = 0; i < all.count; i++)
		asl_prices_close(&all.at[i]);
	free(all.at);
}
