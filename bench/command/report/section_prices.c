/*
 * section_prices.c -- which algorithm for which w/beta, and where that turns
 *
 * Counts of a grid do not depend on costs, so that Q / beta is a straight line
 * in w / beta: B_h + (r / beta) B_r + (w / beta) B_w.  The lower envelope of all
 * lines of a problem says which is cheapest where, exactly, without another run.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

/* One line for all costs at which the same way was run. */
static const int by_way[] = {
	ASL_PROBLEM,	    COL_algorithm,	 COL_kernel,	   COL_grid,
	COL_read_words_max, COL_write_words_max, COL_bh_words_max, ASL_END};

struct line {
	const struct asl_runs_row *row;
	double at0, slope; /* Q / beta */
	bool wins;
};

struct turn {
	double x;
	int from, to; /* lines */
};

/* The cheapest lines: of all, or within the asymmetric parallel model. */
struct envelope {
	bool inside;
	int first; /* where words cost nothing to write; -1: none */
	struct turn *turn;
	int turns;
};

struct prices {
	struct asl_pack all;
	struct line *line;
	int lines;
	double read; /* r / beta */
	struct envelope of_all, of_inside;
};

static double value_at(const struct line *l, double x)
{
	return l->at0 + l->slope * x;
}

static bool takes_part(const struct envelope *e, const struct line *l)
{
	return !e->inside || l->row->outside_apm != 1;
}

static int find_first(const struct prices *s, const struct envelope *e)
{
	int best = -1;

	for (int i = 0; i < s->lines; i++) {
		const struct line *a = &s->line[i], *b = &s->line[best];

		if (takes_part(e, a) &&
		    (best < 0 || a->at0 < b->at0 ||
		     (a->at0 == b->at0 && a->slope < b->slope)))
			best = i;
	}
	return best;
}

/* The first line that crosses `from` at x or beyond and falls below it. */
static int next_turn(const struct prices *s, const struct envelope *e, int from,
		     double *x)
{
	const struct line *a = &s->line[from];
	double best = INFINITY;
	int to = -1;

	for (int i = 0; i < s->lines; i++) {
		const struct line *b = &s->line[i];
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

static bool find_turns(struct prices *s, struct envelope *e)
{
	double x = 0;
	int now;

	e->turn = calloc((size_t)s->lines, sizeof *e->turn);
	e->first = now = find_first(s, e);
	if (!e->turn || now < 0)
		return e->turn != NULL;
	s->line[now].wins = true;
	for (int to; (to = next_turn(s, e, now, &x)) >= 0; now = to) {
		s->line[to].wins = true;
		e->turn[e->turns++] = (struct turn){x, now, to};
	}
	return true;
}

static double read_cost(const struct asl_runs_row *row)
{
	return row->r / row->beta;
}

/* A case of the way that had this budget, or else less; NULL: all had more. */
static const struct asl_runs_row *within(const struct asl_pack *way,
					 double budget)
{
	const struct asl_runs_row *found = NULL;

	for (int i = 0; i < way->count; i++) {
		const struct asl_runs_row *row = way->at[i]->row;
		int order = asl_budget_compare(row, budget);

		if (!order)
			return row;
		if (order < 0)
			found = row;
	}
	return found;
}

static void close_prices(struct prices *s)
{
	free(s->line);
	free(s->of_all.turn);
	free(s->of_inside.turn);
}

static bool find_envelopes(struct prices *s)
{
	free(s->of_all.turn);
	free(s->of_inside.turn);
	s->of_all = (struct envelope){.inside = false};
	s->of_inside = (struct envelope){.inside = true};
	return find_turns(s, &s->of_inside) && find_turns(s, &s->of_all);
}

/* A case with less memory might do better with all of it: it wins, or is left out. */
static int drop_losers(struct prices *s)
{
	int kept = 0;

	for (int i = 0; i < s->lines; i++)
		if (s->line[i].wins ||
		    !asl_budget_compare(s->line[i].row, s->all.budget))
			s->line[kept++] = s->line[i];
	return kept;
}

/*
 * The ways of a problem, sorted by way, at r / beta = read; false: out of
 * memory.  Close it either way.
 */
static bool open_prices(struct prices *s, const struct asl_pack *g, double read)
{
	struct asl_pack way = {0};

	*s = (struct prices){.all = *g, .read = read};
	s->line = calloc((size_t)g->count, sizeof *s->line);
	while (s->line && asl_pack_next(&way, g->at, g->count, by_way)) {
		const struct asl_runs_row *x = within(&way, g->budget);

		if (x)
			s->line[s->lines++] = (struct line){
				x, x->bh_words_max + read * x->read_words_max,
				x->write_words_max, false};
	}
	if (!s->line || !find_envelopes(s))
		return false;
	s->lines = drop_losers(s);
	return find_envelopes(s);
}

/* ---- In words ---- */

/* COWE's tiles depend on costs: the same grid may be there more than once. */
static bool is_alone(const struct prices *s, int line)
{
	static const int by_name[] = {COL_algorithm, COL_grid, ASL_END};

	for (int i = 0; i < s->lines; i++)
		if (i != line && !asl_rows_compare(s->line[i].row,
						   s->line[line].row, by_name))
			return false;
	return true;
}

/* An algorithm and its grid, and what else tells it from others of the problem. */
static const char *name_line(char text[ASL_SAID], const struct prices *s,
			     int line)
{
	const struct asl_runs_row *row = s->line[line].row;
	int at = snprintf(text, ASL_SAID, "%s", asl_say(row).how);

	if (!is_alone(s, line))
		snprintf(text + at, ASL_SAID - (size_t)at, " (w %.3g)", row->w);
	return text;
}

/* "below w/beta = 2 choose A; above 2 B; above 8 C" */
static const char *say_verdict(char text[2 * ASL_SAID], const struct prices *s,
			       const struct envelope *e)
{
	char how[ASL_SAID], x[ASL_BRIEF];
	int at;

	if (!e->turns) {
		snprintf(text, 2 * ASL_SAID,
			 "whatever w/\xce\xb2, choose %.300s",
			 name_line(how, s, e->first));
		return text;
	}
	at = snprintf(text, 2 * ASL_SAID, "below w/\xce\xb2 = %s choose %.200s",
		      asl_brief(x, e->turn[0].x), name_line(how, s, e->first));
	for (int i = 0; i < e->turns && at < ASL_SAID; i++)
		at += snprintf(text + at, (size_t)(2 * ASL_SAID - at),
			       "; above %s %.200s", asl_brief(x, e->turn[i].x),
			       name_line(how, s, e->turn[i].to));
	return text;
}

/* Is there another verdict, on algorithms within the model? */
static bool has_outsiders(const struct prices *s)
{
	for (int i = 0; i < s->lines; i++)
		if (s->line[i].row->outside_apm == 1)
			return s->of_inside.first >= 0;
	return false;
}

/* ---- The figure of a problem ---- */

/* Expensive lines that never win are in the data only, if there are many. */
static int drawn(const struct prices *s, int *which)
{
	int count = 0;

	for (int wins = 1; wins >= 0; wins--)
		for (int i = 0; i < s->lines && count < ASL_MOST_CURVES; i++)
			if (s->line[i].wins == wins)
				which[count++] = i;
	return count;
}

/* Prices beyond a thousand are for the words below the title. */
static void extend(double x[2], const struct envelope *e)
{
	for (int i = 0; i < e->turns; i++) {
		double at = e->turn[i].x;

		if (at > 0.001)
			x[0] = fmin(x[0], at / 2);
		if (at < 1000)
			x[1] = fmax(x[1], at * 2);
	}
}

static void put_turns(struct asl_plot *plot, const struct envelope *e)
{
	char text[ASL_BRIEF];

	for (int i = 0; i < e->turns; i++)
		if (e->turn[i].x < plot->x.high)
			asl_plot_wall(plot, e->turn[i].x,
				      asl_brief(text, e->turn[i].x));
}

enum { BOUNDS = 64 };

/* The lowest joint bound at each w / beta between `end` that ran: how many. */
static int find_bounds(double x[BOUNDS], double y[BOUNDS], const double end[2],
		       const struct prices *s)
{
	int count = 0;

	for (int i = 0; i < s->all.count && count < BOUNDS; i++) {
		const struct asl_runs_row *row = s->all.at[i]->row;
		double price = row->w / row->beta;
		double q = row->q_joint_bound / row->beta;
		int at = count;

		if (!(q > 0) || read_cost(row) != s->read ||
		    !(price >= end[0] && price <= end[1]))
			continue;
		while (at > 0 && x[at - 1] > price)
			at--;
		if (at > 0 && x[at - 1] == price) {
			y[at - 1] = fmin(y[at - 1], q);
			continue;
		}
		memmove(&x[at + 1], &x[at], sizeof *x * (size_t)(count - at));
		memmove(&y[at + 1], &y[at], sizeof *y * (size_t)(count - at));
		x[at] = price;
		y[at] = q;
		count++;
	}
	return count;
}

static void draw(struct asl_page *p, const struct prices *s)
{
	enum { POINTS = 41 };
	int which[ASL_MOST_CURVES], count = drawn(s, which);
	struct asl_plot_range range = ASL_NO_RANGE;
	struct asl_plot plot;
	double end[2] = {0.25, 64}, x[POINTS], y[POINTS];
	double price[BOUNDS], least[BOUNDS];
	int bounds;
	char text[ASL_SAID];

	extend(end, &s->of_all);
	extend(end, &s->of_inside);
	bounds = find_bounds(price, least, end, s);
	for (int i = 0; i < POINTS; i++)
		x[i] = end[0] * pow(end[1] / end[0], i / (POINTS - 1.0));
	for (int k = 0; k < count; k++)
		for (int i = 0; i < 2; i++)
			asl_range_add(&range,
				      value_at(&s->line[which[k]], end[i]));
	for (int i = 0; i < bounds; i++)
		asl_range_add(&range, least[i]);
	asl_plot_open(&plot, p->f, p->title,
		      (struct asl_plot_axis){"w / \xce\xb2", end[0], end[1],
					     ASL_TENS},
		      asl_axis_around(&range, "Q / \xce\xb2, in words sent",
				      ASL_TENS));
	put_turns(&plot, &s->of_all);
	put_turns(&plot, &s->of_inside);
	if (bounds > 1)
		asl_plot_limit(&plot, price, least, bounds, "joint bound");
	for (int k = 0; k < count; k++) {
		const struct line *l = &s->line[which[k]];

		for (int i = 0; i < POINTS; i++)
			y[i] = value_at(l, x[i]);
		asl_plot_line(&plot, x, y, POINTS,
			      asl_page_style(p, l->row->algorithm),
			      name_line(text, s, which[k]));
	}
	asl_plot_close(&plot);
}

static void put_data(struct asl_page *p, struct asl_sheet *t,
		     const struct prices *s)
{
	const struct envelope *e = &s->of_all;

	asl_sheet_begin(p, t,
			"algorithm|kernel|grid|B_h|B_r|B_w|"
			"Q / \xce\xb2 at w = 0|per w / \xce\xb2|"
			"cheapest from w / \xce\xb2|to");
	for (int i = 0; i < s->lines && i < ASL_MOST_FIGURE_ROWS; i++) {
		const struct line *l = &s->line[i];
		double from = i == e->first ? 0 : NAN;
		double to = l->wins ? INFINITY : NAN;

		for (int k = 0; k < e->turns; k++) {
			if (e->turn[k].to == i)
				from = e->turn[k].x;
			if (e->turn[k].from == i)
				to = e->turn[k].x;
		}
		asl_sheet_put(t, "%s%s%s%g%g%g%g%g%g%g\n", l->row->algorithm,
			      l->row->kernel, l->row->grid,
			      l->row->bh_words_max, l->row->read_words_max,
			      l->row->write_words_max, l->at0, l->slope, from,
			      isnan(from) ? NAN : to);
	}
}

static void figure(struct asl_page *p, const struct prices *s)
{
	const struct asl_runs_row *row = s->line[0].row;
	struct asl_said said = asl_say(row);
	char text[2 * ASL_SAID];
	struct asl_sheet t;

	put_data(p, &t, s);
	asl_figure_begin(p, "%.60s, %.300s; %.140s%.60s, r/\xce\xb2 = %.3g",
			 row->family, said.size, said.means,
			 asl_say_budget(text, s->all.budget), s->read);
	asl_html(p->f, "<p class=\"verdict\">%c%s.",
		 say_verdict(text, s, &s->of_all)[0] - 'a' + 'A', text + 1);
	if (has_outsiders(s))
		asl_html(p->f, " Within the model: %s.",
			 say_verdict(text, s, &s->of_inside));
	fputs("</p>\n", p->f);
	draw(p, s);
	if (s->lines > ASL_MOST_CURVES)
		asl_note(p, "%d of %d ways are drawn; the data have %d.",
			 ASL_MOST_CURVES, s->lines,
			 asl_shown(s->lines, ASL_MOST_FIGURE_ROWS));
	asl_figure_end(p, NULL, &t);
}

/* ---- All problems ---- */

/* Problems whose choice turns most often, then those of most lines, come first. */
static int compare(const void *a, const void *b)
{
	const struct prices *x = a, *y = b;
	int turns = y->of_all.turns + y->of_inside.turns - x->of_all.turns -
		    x->of_inside.turns;

	if (turns)
		return turns;
	if (x->lines != y->lines)
		return y->lines - x->lines;
	return (x->all.at > y->all.at) - (x->all.at < y->all.at);
}

static void table(struct asl_page *p, const struct prices *s, int count)
{
	char all[2 * ASL_SAID], inside[2 * ASL_SAID];
	struct asl_sheet t;

	asl_sheet_begin(p, &t,
			"problem|on|r/\xce\xb2|choose|keeping to the model");
	for (int i = 0; i < count && i < ASL_MOST_FIGURE_ROWS; i++) {
		struct asl_said said = asl_say(s[i].line[0].row);

		strcat(said.means, asl_say_budget(all, s[i].all.budget));
		asl_sheet_put(
			&t, "%s%s%g%s%s\n", said.size, said.means, s[i].read,
			say_verdict(all, &s[i], &s[i].of_all),
			has_outsiders(&s[i])
				? say_verdict(inside, &s[i], &s[i].of_inside)
				: "");
	}
	asl_page_details(p, &t,
			 "All problems: which algorithm from which w/&#946; on",
			 "crossovers.csv");
}

static void show(struct asl_page *p, struct prices *s, int count)
{
	qsort(s, (size_t)count, sizeof *s, compare);
	fputs("<div class=\"plots\">\n", p->f);
	for (int i = 0; i < count && i < ASL_MOST_PLOTS; i++)
		figure(p, &s[i]);
	fputs("</div>\n", p->f);
	if (count > ASL_MOST_PLOTS)
		asl_note(p,
			 "Drawn are the %d of %d problems whose choice turns "
			 "most often; the table has %s.",
			 ASL_MOST_PLOTS, count,
			 count > ASL_MOST_FIGURE_ROWS ? "the first 400"
						      : "all");
	if (count > 1)
		table(p, s, count);
}

static bool fits(const struct asl_measured *x)
{
	return isfinite(read_cost(x->row)) && !asl_row_out_of_core(x->row);
}

/* All r / beta that a problem was run with, of which there are few. */
static int distinct(double to[ASL_MOST_PLOTS], const struct asl_pack *g)
{
	int count = 0;

	for (int i = 0; i < g->count && count < ASL_MOST_PLOTS; i++) {
		double x = read_cost(g->at[i]->row);
		int k = 0;

		if (asl_budget_compare(g->at[i]->row, g->budget) > 0)
			continue;
		while (k < count && to[k] != x)
			k++;
		if (k == count)
			to[count++] = x;
	}
	return count;
}

/* How many there are more, from *to on. */
static int add(struct asl_page *p, struct prices *to, const struct asl_pack *g)
{
	double read[ASL_MOST_PLOTS];
	int reads = distinct(read, g), count = 0;

	for (int i = 0; i < reads; i++) {
		p->failed |= !open_prices(&to[count], g, read[i]);
		if (to[count].lines > 1)
			count++;
		else
			close_prices(&to[count]);
	}
	return count;
}

static void write_section(struct asl_page *p)
{
	int cases = asl_page_list(p, fits), count = 0;
	struct asl_packs all =
		asl_page_budgets(p, cases, by_way, asl_by_problem);

	struct prices *s =
		calloc(ASL_MOST_PLOTS * (size_t)all.count + 1, sizeof *s);

	p->failed |= !s;
	fputs("<p>How much more does it cost to write a word to memory than to "
	      "send one, w/&#946;? Counts of a grid that ran do not depend on "
	      "it, so that costs for every other w/&#946; follow from them "
	      "without another run: straight lines, whose lowest is the one "
	      "to choose. Messages, flops and waiting are left out, and words "
	      "are those of the busiest rank of each kind, so that Q along the "
	      "critical path may be more than a line says. Other grids, which "
	      "did "
	      "not run, may be cheaper still: <code>aslant plan</code> "
	      "knows. Dashed: the joint bound at the prices that ran, which "
	      "only "
	      "algorithms outside the model can go below.</p>\n",
	      p->f);
	for (int i = 0; !p->failed && i < all.count; i++)
		count += add(p, s + count, &all.at[i]);
	if (!p->failed && count)
		show(p, s, count);
	else
		asl_note(p, "No problem was solved in two ways.");
	for (int i = 0; i < count; i++)
		close_prices(&s[i]);
	free(s);
	free(all.at);
}

const struct asl_section asl_section_prices = {
	.id = "sweep",
	.name = "by write cost",
	.title = "Best algorithm by write cost",
	.write = write_section,
};
