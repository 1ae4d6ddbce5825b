/*
 * section_scaling.c -- more ranks: strong (same problem), and weak (same work)
 */
#include <math.h>
#include <stdlib.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"
#include "net/net.h"

#define WHERE                                                                  \
	ASL_COL_PLACE, ASL_COSTS, ASL_COL_MEDIUM, ASL_COL_TRANSPORT,           \
		ASL_COL_STORE
#define CURVE ASL_COL_ALGORITHM, ASL_COL_KERNEL, ASL_COL_OVERLAP, ASL_COL_RANKS
#define SIZE ASL_COL_SPEC, ASL_COL_M, ASL_COL_N, ASL_COL_K, ASL_COL_DIMS

static const struct kind {
	const char *title, *text, *none;
	int by_figure[16], by_line[20];
	bool weak;
} kinds[] = {
	{
		"The same problem",
		"Time falls as long as there is enough to do for each rank; "
		"words that the busiest rank sends fall more slowly than its "
		"work.",
		"No problem was solved with different numbers of ranks.",
		{ASL_COL_FAMILY, SIZE, WHERE, ASL_END},
		{ASL_COL_FAMILY, SIZE, WHERE, CURVE, ASL_END},
		false,
	},
	{
		"The same work for each rank",
		"Larger problems on more ranks, with about as many flops a "
		"rank. Level curves are the ideal.",
		"No problems grow with their ranks.",
		{ASL_COL_FAMILY, ASL_COL_WORK, WHERE, ASL_END},
		{ASL_COL_FAMILY, ASL_COL_WORK, WHERE, CURVE, ASL_END},
		true,
	},
};

static const int by_algorithm[] = {ASL_COL_ALGORITHM, ASL_COL_KERNEL,
				   ASL_COL_OVERLAP, ASL_END};

/* Are there two numbers of ranks or more? */
static bool scales(const struct asl_pack *g)
{
	for (int i = 1; i < g->count; i++)
		if (g->at[i]->row->number[ASL_COL_RANKS] !=
		    g->at[0]->row->number[ASL_COL_RANKS])
			return true;
	return false;
}

/* On sim ranks take turns: more of them are not faster. */
static bool is_timed(const struct asl_entry *x)
{
	return x->wall.samples &&
	       !asl_net_can(x->row->text[ASL_COL_TRANSPORT])->simulated;
}

static double time_of(const struct asl_entry *x)
{
	return is_timed(x) ? x->wall.median : NAN;
}

static double words_of(const struct asl_entry *x)
{
	double words = x->row->number[ASL_COL_BH_WORDS];

	return words > 0 ? words : NAN;
}

enum { MOST = 64 }; /* points of a curve */

/* A curve an algorithm: the best of those with as many ranks. */
static void curve(struct asl_page *p, struct asl_plot *plot,
		  const struct asl_pack *g,
		  double (*of)(const struct asl_entry *x))
{
	double x[MOST], y[MOST];
	int count = 0;
	const char *name = g->at[0]->row->text[ASL_COL_ALGORITHM];
	int style = asl_page_style(p, name);

	for (int i = 0; i < g->count && count < MOST; i++) {
		double ranks = g->at[i]->row->number[ASL_COL_RANKS];

		if (isnan(of(g->at[i])))
			continue;
		if (count && x[count - 1] == ranks) {
			y[count - 1] = fmin(y[count - 1], of(g->at[i]));
			continue;
		}
		x[count] = ranks;
		y[count++] = of(g->at[i]);
	}
	if (!count)
		return;
	for (int i = 0; i < count; i++)
		asl_plot_dot(plot, x[i], y[i], style, NULL);
	for (int i = 0; of == time_of && i < g->count; i++)
		if (!isnan(of(g->at[i])))
			asl_plot_span(
				plot, g->at[i]->row->number[ASL_COL_RANKS],
				g->at[i]->wall.low, g->at[i]->wall.high, style);
	asl_plot_line(plot, x, y, count, style, name);
}

static bool ranges(const struct asl_pack *g, struct asl_range *x,
		   struct asl_range *y, double (*of)(const struct asl_entry *x))
{
	*x = *y = ASL_NO_RANGE;
	for (int i = 0; i < g->count; i++) {
		if (isnan(of(g->at[i])))
			continue;
		asl_range_add(x, g->at[i]->row->number[ASL_COL_RANKS]);
		asl_range_add(y, of(g->at[i]));
		if (of == time_of) {
			asl_range_add(y, g->at[i]->wall.low);
			asl_range_add(y, g->at[i]->wall.high);
		}
	}
	return x->low < x->high;
}

static void draw(struct asl_page *p, const struct asl_pack *g,
		 const char *title, const char *axis,
		 double (*of)(const struct asl_entry *x))
{
	struct asl_pack line = {0};
	struct asl_range x, y;
	struct asl_plot plot;
	int curves = 0;

	if (!ranges(g, &x, &y, of))
		return;
	asl_plot_open(&plot, p->f, title, asl_range_axis(&x, "ranks", ASL_LOG2),
		      asl_range_axis(&y, axis, ASL_LOG));
	while (asl_pack_next(&line, g->at, g->count, by_algorithm) &&
	       curves++ < ASL_MOST_CURVES)
		curve(p, &plot, &line, of);
	asl_plot_close(&plot);
}

static void put_data(struct asl_page *p, struct asl_sheet *t,
		     const struct asl_pack *g)
{
	static const char *const names[] = {"problem",
					    "algorithm",
					    "grid",
					    "ranks",
					    "seconds, median",
					    "low",
					    "high",
					    "reps",
					    "GFLOP/s",
					    "words sent, B_h",
					    "lower bound",
					    NULL};

	char text[ASL_SAID];

	asl_sheet_begin(p, t, names);
	for (int i = 0; !p->failed && i < g->count && i < ASL_MOST_FIGURE_ROWS;
	     i++) {
		const struct asl_entry *x = g->at[i];
		bool timed = x->wall.samples;

		asl_sheet_text(t, asl_say_size(text, x->row));
		asl_sheet_text(t, x->row->text[ASL_COL_ALGORITHM]);
		asl_sheet_text(t, x->row->text[ASL_COL_GRID]);
		asl_sheet_number(t, x->row->number[ASL_COL_RANKS]);
		asl_sheet_number(t, timed ? x->wall.median : NAN);
		asl_sheet_number(t, timed ? x->wall.low : NAN);
		asl_sheet_number(t, timed ? x->wall.high : NAN);
		asl_sheet_number(t, x->count);
		asl_sheet_number(t, x->gflops);
		asl_sheet_number(t, x->row->number[ASL_COL_BH_WORDS]);
		asl_sheet_number(t, x->row->number[ASL_COL_NET_BOUND]);
		asl_sheet_end_row(t);
	}
}

static void figure(struct asl_page *p, const struct asl_pack *g, bool weak)
{
	const struct asl_row *row = g->at[0]->row;
	char title[2 * ASL_SAID], size[ASL_SAID], costs[ASL_SAID];
	char work[ASL_BRIEF];
	struct asl_sheet t;

	put_data(p, &t, g);
	if (p->failed)
		return;
	if (weak)
		snprintf(size, sizeof size, "about %s flops a rank",
			 asl_brief(work, row->number[ASL_COL_FLOPS_ALL] /
						 row->number[ASL_COL_RANKS]));
	else
		asl_say_size(size, row);
	snprintf(title, sizeof title, "%.60s, %.300s; %.100s; %.30s, %.30s",
		 row->text[ASL_COL_FAMILY], size, asl_say_costs(costs, row),
		 row->text[ASL_COL_MEDIUM], row->text[ASL_COL_TRANSPORT]);
	asl_figure_begin(p, title);
	draw(p, g, title, "seconds, median", time_of);
	draw(p, g, title, "words sent by the busiest rank", words_of);
	asl_figure_end(p,
		       is_timed(g->at[0])
			       ? "Upright lines: confidence intervals of the "
				 "medians."
			       : "No times: ranks on sim take turns, or only "
				 "counted.",
		       &t);
}

static void figures(struct asl_page *p, struct asl_pack *all, int count,
		    bool weak)
{
	asl_packs_sort(all, count);
	fputs("<div class=\"plots\">\n", p->f);
	for (int i = 0; !p->failed && i < count && i < ASL_MOST_PLOTS; i++)
		figure(p, &all[i], weak);
	fputs("</div>\n", p->f);
	if (count > ASL_MOST_PLOTS)
		fprintf(p->f,
			"<p class=\"note\">Drawn are the %d of %d with most "
			"results.</p>\n",
			ASL_MOST_PLOTS, count);
}

static void show(struct asl_page *p, const struct kind *kind)
{
	int entries = asl_page_list(p, NULL), count = 0;
	struct asl_pack *all = calloc((size_t)entries + 1, sizeof *all);
	struct asl_pack g = {0};

	p->failed |= !all;
	asl_entries_sort(p->list, entries, kind->by_line);
	while (all && asl_pack_next(&g, p->list, entries, kind->by_figure))
		if (scales(&g))
			all[count++] = g;
	fprintf(p->f, "<h3>%s</h3>\n<p>%s</p>\n", kind->title,
		count ? kind->text : kind->none);
	if (count)
		figures(p, all, count, kind->weak);
	free(all);
}

void asl_section_scaling(struct asl_page *p)
{
	asl_page_section(p, "scaling", "More ranks");
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		show(p, &kinds[i]);
}
