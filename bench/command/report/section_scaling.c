/*
 * section_scaling.c -- more ranks: strong (same problem), and weak (same work); and
 * larger problems on as many ranks
 */
#include <stdlib.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

#define WHERE COL_place, ASL_COSTS, COL_medium, COL_transport, ASL_GIVEN
#define CURVE COL_algorithm, COL_kernel, COL_overlap, COL_ranks

enum which { STRONG, WEAK, LARGER, KINDS };

static const struct kind {
	const char *title, *text, *none;
	int by_figure[24], by_line[28];
} kinds[KINDS] = {
	{
		"The same problem",
		"Time falls as long as there is enough to do for each rank; "
		"words that the busiest rank sends fall more slowly than its "
		"work. Upright lines are 95% intervals of the medians; the "
		"ideal is that of the least time on the fewest ranks, up to "
		"the cores.",
		"No problem was solved with different numbers of ranks.",
		{COL_family, ASL_SIZE, WHERE, ASL_END},
		{COL_family, ASL_SIZE, WHERE, CURVE, ASL_END},
	},
	{
		"The same work for each rank",
		"Larger problems on more ranks, with about as many flops a "
		"rank. Level curves are the ideal, up to the cores.",
		"No problems grow with their ranks.",
		{COL_family, COL_work, WHERE, ASL_END},
		{COL_family, COL_work, WHERE, CURVE, ASL_END},
	},
	{
		"Larger problems on as many ranks",
		"Words that the busiest rank sends grow more slowly than "
		"flops, as a larger part of a rank's words stays with it.",
		"",
		{COL_family, COL_spec, COL_ranks, WHERE, ASL_END},
		{COL_family, COL_spec, COL_ranks, WHERE, COL_algorithm,
		 COL_kernel, COL_overlap, COL_flops_total, ASL_END},
	},
};

static double x_of(const struct asl_pack *g, int i, enum which kind)
{
	const struct asl_runs_row *row = g->at[i]->row;

	return kind == LARGER ? row->flops_total : row->ranks;
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

/* Are there two numbers of ranks or more? */
static bool scales(const struct asl_pack *g)
{
	for (int i = 1; i < g->count; i++)
		if (g->at[i]->row->ranks != g->at[0]->row->ranks)
			return true;
	return false;
}

/* Are there three sizes of a contraction or more?  Rows are in their order. */
static bool grows(const struct asl_pack *g)
{
	int sizes = 1;

	for (int i = 1; i < g->count; i++)
		sizes += x_of(g, i, LARGER) > x_of(g, i - 1, LARGER);
	return *g->at[0]->row->spec && g->at[0]->row->ranks > 1 && sizes > 2;
}

/* A curve an algorithm: the best of those with as many ranks, or flops. */
static void curve(struct asl_page *p, struct asl_plot *plot,
		  const struct asl_pack *g, enum which kind,
		  double (*of)(const struct asl_measured *x))
{
	enum { POINTS = 64 };
	double x[POINTS], y[POINTS];
	const char *name = g->at[0]->row->algorithm;
	int style = asl_page_style(p, name), count = 0;

	for (int i = 0; i < g->count && count < POINTS; i++) {
		double at = x_of(g, i, kind), value = of(g->at[i]);

		if (isnan(value))
			continue;
		if (count && x[count - 1] == at) {
			y[count - 1] = fmin(y[count - 1], value);
			continue;
		}
		x[count] = at;
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

/* The lower bound on words that are sent, where all rows have one. */
static void draw_bound(struct asl_plot *plot, const struct asl_pack *g,
		       enum which kind)
{
	enum { POINTS = 64 };
	double x[POINTS], y[POINTS];
	int count = 0;

	for (int i = 0; i < g->count && count < POINTS; i++) {
		double at = x_of(g, i, kind);
		double bound = g->at[i]->row->net_bound_words;
		int j = 0;

		if (!(bound > 0))
			return;
		while (j < count && x[j] < at)
			j++;
		if (j < count && x[j] == at) {
			y[j] = fmin(y[j], bound);
			continue;
		}
		for (int k = count++; k > j; k--) {
			x[k] = x[k - 1];
			y[k] = y[k - 1];
		}
		x[j] = at;
		y[j] = bound;
	}
	asl_plot_limit(plot, x, y, count, "lower bound");
}

static bool find_ranges(const struct asl_pack *g, struct asl_plot_range *x,
			struct asl_plot_range *y, enum which kind,
			double (*of)(const struct asl_measured *x))
{
	*x = *y = ASL_NO_RANGE;
	for (int i = 0; i < g->count; i++) {
		if (isnan(of(g->at[i])))
			continue;
		asl_range_add(x, x_of(g, i, kind));
		asl_range_add(y, of(g->at[i]));
		if (of == words_of && g->at[i]->row->net_bound_words > 0)
			asl_range_add(y, g->at[i]->row->net_bound_words);
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
	double x[2] = {INFINITY, 0}, y[2] = {INFINITY, 0}, most = 0;
	bool crowded = false;

	for (int i = 0; i < g->count; i++)
		if (is_timed(g->at[i])) {
			x[0] = fmin(x[0], g->at[i]->row->ranks);
			most = fmax(most, g->at[i]->row->ranks);
			crowded |= asl_row_crowded(g->at[i]->row);
		}
	for (int i = 0; i < g->count; i++)
		if (is_timed(g->at[i]) && g->at[i]->row->ranks == x[0])
			y[0] = fmin(y[0], g->at[i]->time.median);
	x[1] = crowded ? fmin(cores, most) : most;
	y[1] = weak ? y[0] : y[0] * x[0] / x[1];
	if (x[0] < x[1])
		asl_plot_limit(plot, x, y, 2, "ideal");
	if (crowded && cores > 0 && most > cores)
		asl_plot_wall(plot, cores, "cores; ranks take turns");
}

static void draw(struct asl_page *p, const struct asl_pack *g, const char *axis,
		 double (*of)(const struct asl_measured *x), enum which kind)
{
	static const int by_algorithm[] = {COL_algorithm, COL_kernel,
					   COL_overlap, ASL_END};
	struct asl_pack line = {0};
	struct asl_plot_range x, y;
	struct asl_plot plot;
	int curves = 0;

	if (!find_ranges(g, &x, &y, kind, of))
		return;
	asl_plot_open(&plot, p->f, p->title,
		      kind == LARGER ? asl_axis_around(&x, "flops", ASL_TENS)
				     : asl_axis_around(&x, "ranks", ASL_TWOS),
		      asl_axis_around(&y, axis, ASL_TENS));
	while (asl_pack_next(&line, g->at, g->count, by_algorithm) &&
	       curves++ < ASL_MOST_CURVES)
		curve(p, &plot, &line, kind, of);
	if (of == time_of)
		draw_ideal(p, &plot, g, kind == WEAK);
	else
		draw_bound(&plot, g, kind);
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

static const char *below(const struct asl_pack *g, enum which kind)
{
	if (kind == LARGER)
		return "Flops are those of all ranks.";
	return is_timed(g->at[0])
		       ? NULL
		       : "No times: ranks on sim take turns, or only counted.";
}

static void figure(struct asl_page *p, const struct asl_pack *g,
		   enum which kind)
{
	const struct asl_runs_row *row = g->at[0]->row;
	struct asl_said said = asl_say(row);
	char work[ASL_BRIEF];
	struct asl_sheet t;

	put_data(p, &t, g);
	if (kind == WEAK)
		snprintf(said.size, sizeof said.size, "about %s flops a rank",
			 asl_brief(work, row->flops_total / row->ranks));
	if (kind == LARGER)
		snprintf(said.size, sizeof said.size, "%s on %.0f ranks",
			 row->spec, row->ranks);
	asl_figure_begin(p, "%.60s, %.300s; %.100s; %.30s, %.30s", row->family,
			 said.size, said.costs, row->medium, row->transport);
	if (kind != LARGER)
		draw(p, g, "seconds, median", time_of, kind);
	draw(p, g, "words sent by the busiest rank", words_of, kind);
	asl_figure_end(p, below(g, kind), &t);
}

static void strong_figure(struct asl_page *p, const struct asl_pack *g)
{
	figure(p, g, STRONG);
}

static void weak_figure(struct asl_page *p, const struct asl_pack *g)
{
	figure(p, g, WEAK);
}

static void larger_figure(struct asl_page *p, const struct asl_pack *g)
{
	figure(p, g, LARGER);
}

static void write_kind(struct asl_page *p, enum which which)
{
	static void (*const figures[KINDS])(struct asl_page *,
					    const struct asl_pack *) = {
		strong_figure, weak_figure, larger_figure};
	const struct kind *kind = &kinds[which];
	struct asl_packs all = asl_page_packs(p, asl_page_list(p, NULL),
					      kind->by_line, kind->by_figure,
					      which == LARGER ? grows : scales);

	asl_packs_sort(&all);
	/* Few suites have such problems. */
	if (all.count || which != LARGER)
		fprintf(p->f, "<h3>%s</h3>\n<p>%s</p>\n", kind->title,
			all.count ? kind->text : kind->none);
	if (all.count)
		asl_page_figures(p, &all, ASL_MOST_PLOTS, figures[which]);
	if (all.count > ASL_MOST_PLOTS)
		asl_note(p, "Drawn are the %d of %d with most results.",
			 ASL_MOST_PLOTS, all.count);
	free(all.at);
}

static void write_section(struct asl_page *p)
{
	for (enum which which = STRONG; which < KINDS; which++)
		write_kind(p, which);
}

const struct asl_section asl_section_scaling = {
	.id = "scaling",
	.name = "more ranks",
	.title = "More ranks",
	.write = write_section,
};
