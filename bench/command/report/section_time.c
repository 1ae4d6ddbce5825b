/*
 * section_time.c -- where the time goes: arithmetic, network, memory
 */
#include <stdlib.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

struct label {
	struct asl_said said;
	char name[64], note[ASL_BRIEF];
};

static bool fits(const struct asl_measured *x)
{
	return x->time.samples > 0;
}

static void put_data(struct asl_page *p, struct asl_sheet *t,
		     const struct asl_pack *g)
{
	asl_sheet_begin(
		p, t,
		"problem|algorithm|grid|compute, s|network, s|memory, s|"
		"all, s|low|high|coverage|repetitions|predicted, s|"
		"arithmetic|reading|writing|network|copies");
	for (int i = 0; i < g->count && i < ASL_MOST_FIGURE_ROWS; i++) {
		const struct asl_measured *x = g->at[i];

		asl_sheet_put(t, "%s%s%s%g%g%g%g%g%g%g%d", asl_say(x->row).size,
			      x->row->algorithm, x->row->grid, x->compute,
			      x->comm, x->io, x->time.median, x->time.low,
			      x->time.high, x->time.coverage, x->time.samples);
		asl_sheet_put(
			t, "%g%g%g%g%g%g\n", x->row->predicted_s,
			x->row->predicted_arithmetic_s,
			x->row->predicted_read_s, x->row->predicted_write_s,
			x->row->predicted_net_s, x->row->predicted_copy_s);
	}
}

static void figure(struct asl_page *p, const struct asl_pack *g)
{
	int shown = asl_shown(g->count, ASL_MOST_BARS);
	const struct asl_runs_row *row = g->at[0]->row;
	struct label *label = calloc(ASL_MOST_BARS, sizeof *label);
	struct asl_bar bar[ASL_MOST_BARS];
	struct asl_sheet t;

	if (!label) {
		p->failed = true;
		return;
	}
	for (int i = 0; i < shown; i++) {
		const struct asl_measured *x = g->at[i];

		label[i].said = asl_say(x->row);
		snprintf(label[i].name, sizeof label[i].name, "%.60s",
			 x->row->algorithm);
		bar[i] = (struct asl_bar){
			label[i].said.size,
			label[i].name,
			{[ASL_PART_NET] = asl_known(x->comm),
			 [ASL_PART_FLOPS] = asl_known(x->compute),
			 [ASL_PART_MEMORY] = asl_known(x->io)},
			x->time.median,
			asl_brief_seconds(label[i].note, x->time.median),
			0};
	}
	put_data(p, &t, g);
	asl_figure_begin(p, "%.100s, %.60s: %.140s; %.30s, %.30s %.30s",
			 asl_page_place_of(p, row), row->family,
			 label[0].said.means, row->medium, row->transport,
			 row->provider);
	asl_bars_stacked(p->f, p->title, bar, shown);
	asl_figure_end(p, shown < g->count ? "The first 40 are drawn." : NULL,
		       &t);
	free(label);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How far predictions are from the medians of measured times, in the list. */
static void say_predicted(struct asl_page *p, int cases)
{
	int count = 0;
	double *error = calloc((size_t)cases + 1, sizeof *error);

	p->failed |= !error;
	for (int i = 0; error && i < cases; i++) {
		const struct asl_measured *x = p->list[i];

		if (!isnan(x->row->prediction_error))
			error[count++] =
				fabs(x->row->predicted_s / x->time.median - 1);
	}
	if (count) {
		qsort(error, (size_t)count, sizeof *error, compare);
		asl_html(p->f,
			 "<p>Seconds were predicted for %d result%s: half of "
			 "the predictions are within %.2g%% of the median "
			 "time, nine of ten within %.2g%%.</p>\n",
			 count, count == 1 ? "" : "s",
			 100 * error[(count - 1) / 2],
			 100 * error[(9 * count - 1) / 10]);
	}
	free(error);
}

static void say_head(struct asl_page *p, int panels)
{
	fputs("<p>Medians over repetitions of the time that the slowest rank "
	      "of each kind spent; the tick is the time of all, from the first "
	      "rank's start to the last one's end. The parts may add up to "
	      "more, as they need not be of the same rank. On <code>sim</code> "
	      "ranks take turns in one process: the time is of all together, "
	      "and the parts are of one.",
	      p->f);
	if (panels > ASL_MOST_PLOTS)
		fprintf(p->f,
			" Drawn are the %d of %d sets of conditions "
			"with most results.",
			ASL_MOST_PLOTS, panels);
	fputs("</p>\n<p class=\"key\"><span class=\"p0\"></span>network "
	      "<span class=\"p5\"></span>arithmetic <span class=\"p6\">"
	      "</span>memory <span class=\"tick\"></span>all of it</p>\n",
	      p->f);
}

static void write_section(struct asl_page *p)
{
	static const int by_panel[] = {COL_family, COL_place,	    COL_ranks,
				       ASL_WAY,	   COL_cache_words, ASL_GIVEN,
				       ASL_COSTS,  ASL_END};
	int cases = asl_page_list(p, fits);
	struct asl_packs all =
		asl_page_packs(p, cases, by_panel, by_panel, NULL);

	asl_packs_sort(&all);
	if (all.count) {
		say_head(p, all.count);
		say_predicted(p, cases);
	} else {
		asl_note(p, "Nothing was timed: all rows only count (--store "
			    "null).");
	}
	asl_page_figures(p, &all, ASL_MOST_PLOTS, figure);
	free(all.at);
}

const struct asl_section asl_section_time = {
	.id = "time",
	.name = "time",
	.title = "Where the time goes",
	.write = write_section,
};
