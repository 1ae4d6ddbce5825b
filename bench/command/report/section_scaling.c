/*
 * section_scaling.c -- more ranks: strong (same problem), and weak (same work)
 */
#include <stdlib.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

#define WHERE COL_place, ASL_COSTS, COL_medium, COL_transport, ASL_GIVEN
#define CURVE COL_algorithm, COL_kernel, COL_overlap, COL_ranks

static const struct kind {
	const char *title, *text, *none;
	int by_figure[20], by_line[24];
} kinds[] = {
	{
		"The same problem",
		"Time falls as long as there is enough to do for each rank; "
		"words that the busiest rank sends fall more slowly than its "
		"work.",
		"No problem was solved with different numbers of ranks.",
		{COL_family, ASL_SIZE, WHERE, ASL_END},
		{COL_family, ASL_SIZE, WHERE, CURVE, ASL_END},
	},
	{
		"The same work for each rank",
		"Larger problems on more ranks, with about as many flops a "
		"rank. Level curves are the ideal.",
		"No problems grow with their ranks.",
		{COL_family, COL_work, WHERE, ASL_END},
		{COL_family, COL_work, WHERE, CURVE, ASL_END},
	},
};

/* Are there two numbers of ranks or more? */
static bool scales(const struct asl_pack *g)
{
	for (int i = 1; i < g->count; i++)
		if (g->at[i]->row->ranks != g->at[0]->row->ranks)
			return true;
	return false;
}

static bool is_timed(const struct asl_measured *x)
{
	return x->time.samples && !asl_row_simulated(x->row);
}

static double time_of(const struct asl_measured *x)
{
	return is_timed(x) ? x->time.median : NAN;
}

static double words_of(const struct asl_measured *x)
{
	return x->row->bh_words_max > 0 ? x->row->bh_words_max : NAN;
}

/* A curve an algorithm: the best of those with as many ranks. */
static void curve(struct asl_page *p, struct asl_plot *plot,
		  const struct asl_pack *g,
		  double (*of)(const struct asl_measured *x))
{
	enum { POINTS = 64 };
	double x[POINTS], y[POINTS];
	const char *name = g->at[0]->row->algorithm;
	int style = asl_page_style(p, name), count = 0;

	for (int i = 0; i < g->count && count < POINTS; i++) {
		double ranks = g->at[i]->row->ranks, value = of(g->at[i]);

		if (isnan(value))
			continue;
		if (count && x[count - 1] == ranks) {
			y[count - 1] = fmin(y[count - 1], value);
			continue;
		}
		x[count] = ranks;
		y[count++] = value;
	}
	if (!count)
		return;
	for (int i = 0; i < count; i++)
		asl_plot_dot(plot, x[i], y[i], style, NULL);
	for (int i = 0; of == time_of && i < g->count; i++)
		if (is_timed(g->at[i]))
			asl_plot_span(plot, g->at[i]->row->ranks,
				      g->at[i]->time.low, g->at[i]->time.high,
				      style);
	asl_plot_line(plot, x, y, count, style, name);
}

static bool find_ranges(const struct asl_pack *g, struct asl_plot_range *x,
			struct asl_plot_range *y,
			double (*of)(const struct asl_measured *x))
{
	*x = *y = ASL_NO_RANGE;
	for (int i = 0; i < g->count; i++) {
		if (isnan(of(g->at[i])))
			continue;
		asl_range_add(x, g->at[i]->row->ranks);
		asl_range_add(y, of(g->at[i]));
		if (of == time_of) {
			asl_range_add(y, g->at[i]->time.low);
			asl_range_add(y, g->at[i]->time.high);
		}
	}
	return x->low < x->high;
}

/*
 * Beyond the cores ranks take turns: the ideal ends there, a wall says so.  It
 * begins at the best time on the fewest ranks.
 */
static void draw_ideal(struct asl_page *p, struct asl_plot *plot,
		       const struct asl_pack *g, bool weak)
{
	const struct asl_runs_row *first = g->at[0]->row;
	double cores = asl_ranking_cores(p->ranking, (int)first->place);
	double x[2] = {INFINITY, cores}, y[2] = {INFINITY, 0}, most = 0;

	for (int i = 0; i < g->count; i++)
		if (is_timed(g->at[i])) {
			x[0] = fmin(x[0], g->at[i]->row->ranks);
			most = fmax(most, g->at[i]->row->ranks);
		}
	for (int i = 0; i < g->count; i++)
		if (is_timed(g->at[i]) && g->at[i]->row->ranks == x[0])
			y[0] = fmin(y[0], g->at[i]->time.median);
	x[1] = fmin(cores, most);
	y[1] = weak ? y[0] : y[0] * x[0] / x[1];
	if (x[0] < x[1])
		asl_plot_limit(plot, x, y, 2, "ideal");
	if (cores > 0 && most > cores)
		asl_plot_wall(plot, cores, "cores; ranks take turns");
}

static void draw(struct asl_page *p, const struct asl_pack *g, const char *axis,
		 double (*of)(const struct asl_measured *x), bool weak)
{
	static const int by_algorithm[] = {COL_algorithm, COL_kernel,
					   COL_overlap, ASL_END};
	struct asl_pack line = {0};
	struct asl_plot_range x, y;
	struct asl_plot plot;
	int curves = 0;

	if (!find_ranges(g, &x, &y, of))
		return;
	asl_plot_open(&plot, p->f, p->title,
		      asl_axis_around(&x, "ranks", ASL_TWOS),
		      asl_axis_around(&y, axis, ASL_TENS));
	while (asl_pack_next(&line, g->at, g->count, by_algorithm) &&
	       curves++ < ASL_MOST_CURVES)
		curve(p, &plot, &line, of);
	if (of == time_of)
		draw_ideal(p, &plot, g, weak);
	asl_plot_close(&plot);
}

static void put_data(struct asl_page *p, struct asl_sheet *t,
		     const struct asl_pack *g)
{
	asl_sheet_begin(p, t,
			"problem|algorithm|grid|ranks|seconds, median|low|high|"
			"reps|GFLOP/s|words sent, B_h|lower bound");
	for (int i = 0; i < g->count && i < ASL_MOST_FIGURE_ROWS; i++) {
		const struct asl_measured *x = g->at[i];
		bool timed = x->time.samples;

		asl_sheet_put(
			t, "%s%s%s%g%g%g%g%d%g%g%g\n", asl_say(x->row).size,
			x->row->algorithm, x->row->grid, x->row->ranks,
			timed ? x->time.median : NAN, timed ? x->time.low : NAN,
			timed ? x->time.high : NAN, x->count, x->gflops,
			x->row->bh_words_max, x->row->net_bound_words);
	}
}

static void figure(struct asl_page *p, const struct asl_pack *g, bool weak)
{
	const struct asl_runs_row *row = g->at[0]->row;
	struct asl_said said = asl_say(row);
	char work[ASL_BRIEF];
	struct asl_sheet t;

	put_data(p, &t, g);
	if (weak)
		snprintf(said.size, sizeof said.size, "about %s flops a rank",
			 asl_brief(work, row->flops_total / row->ranks));
	asl_figure_begin(p, "%.60s, %.300s; %.100s; %.30s, %.30s", row->family,
			 said.size, said.costs, row->medium, row->transport);
	draw(p, g, "seconds, median", time_of, weak);
	draw(p, g, "words sent by the busiest rank", words_of, weak);
	asl_figure_end(p,
		       is_timed(g->at[0])
			       ? "Upright lines: confidence intervals of the "
				 "medians. The ideal is that of the least time "
				 "on the fewest ranks, up to the cores."
			       : "No times: ranks on sim take turns, or only "
				 "counted.",
		       &t);
}

static void strong_figure(struct asl_page *p, const struct asl_pack *g)
{
	figure(p, g, false);
}

static void weak_figure(struct asl_page *p, const struct asl_pack *g)
{
	figure(p, g, true);
}

static void write_section(struct asl_page *p)
{
	for (int weak = 0; weak <= 1; weak++) {
		const struct kind *kind = &kinds[weak];
		struct asl_packs all =
			asl_page_packs(p, asl_page_list(p, NULL), kind->by_line,
				       kind->by_figure, scales);

		asl_packs_sort(&all);
		fprintf(p->f, "<h3>%s</h3>\n<p>%s</p>\n", kind->title,
			all.count ? kind->text : kind->none);
		if (all.count)
			asl_page_figures(p, &all, ASL_MOST_PLOTS,
					 weak ? weak_figure : strong_figure);
		if (all.count > ASL_MOST_PLOTS)
			asl_note(p, "Drawn are the %d of %d with most results.",
				 ASL_MOST_PLOTS, all.count);
		free(all.at);
	}
}

const struct asl_section asl_section_scaling = {
	.id = "scaling",
	.name = "more ranks",
	.title = "More ranks",
	.write = write_section,
};
