/*
 * prices_figure.c -- the figure of a problem: its lines, and where the choice turns
 */
#include <math.h>
#include <stdio.h>

#include "bench/report/brief.h"
#include "bench/report/plot.h"
#include "bench/report/prices.h"

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

void asl_prices_figure(struct asl_page *p, const struct asl_prices *s)
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
