/*
 * section_bounds.c -- counted, predicted, and what no algorithm betters
 */
#include <stdlib.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

struct spread {
	double low, middle, high;
	int count;
};

static double net_ratio(const struct asl_runs_row *x)
{
	return x->net_bound_ratio;
}

static double io_ratio(const struct asl_runs_row *x)
{
	if (x->io_bound_words <= 0)
		return NAN;
	return (x->read_words_max + x->write_words_max) / x->io_bound_words;
}

static struct spread spread(struct asl_page *p, const struct asl_pack *g,
			    double (*ratio)(const struct asl_runs_row *x))
{
	struct spread s = {NAN, NAN, NAN, 0};
	double *ratios = calloc((size_t)g->count, sizeof *ratios);

	p->failed |= !ratios;
	for (int i = 0; ratios && i < g->count; i++)
		if (!isnan(ratio(g->at[i]->row)))
			ratios[s.count++] = ratio(g->at[i]->row);
	if (s.count) {
		s.middle = asl_median(ratios, s.count); /* sorts */
		s.low = ratios[0];
		s.high = ratios[s.count - 1];
	}
	free(ratios);
	return s;
}

static void put(struct asl_sheet *t, const struct asl_pack *g,
		const struct spread *net, const struct spread *io)
{
	const struct asl_runs_row *row = g->at[0]->row;
	int equal = 0, judged = 0;
	char text[80];
	for (int i = 0; i < g->count; i++)
		for (int k = 0; k < g->at[i]->count; k++) {
			double x = g->at[i]->rows[k]->predicted_equal;

			judged += !isnan(x);
			equal += x == 1;
		}
	snprintf(text, sizeof text, "%d of %d", equal, judged);
	asl_sheet_put(t, "%s%s%d%s%g%g%g%g%g%g\n", row->family, row->algorithm,
		      g->count, text, net->low, net->middle, net->high, io->low,
		      io->middle, io->high);
}

static const char *say_no_ratio(const struct asl_pack *g)
{
	for (int i = 0; i < g->count; i++)
		if (g->at[i]->row->ranks > 1)
			return "No case has a lower bound above 0.";
	return "The bound is 0 in every case: with one rank no words have to "
	       "move between ranks.";
}

static void figure(struct asl_page *p, const struct asl_pack *family)
{
	static const int by_algorithm[] = {COL_algorithm, ASL_END};
	struct asl_bar bar[ASL_MOST_BARS];
	char note[ASL_MOST_BARS][32];
	struct asl_pack g = {0};
	struct asl_sheet t;
	int bars = 0;

	asl_sheet_begin(p, &t,
			"family|algorithm|ways and cases|"
			"rows counted as predicted|"
			"network words over bound: least|median|most|"
			"words read and written over bound: least|median|most");
	while (asl_pack_next(&g, family->at, family->count, by_algorithm)) {
		struct spread net = spread(p, &g, net_ratio);
		struct spread io = spread(p, &g, io_ratio);

		put(&t, &g, &net, &io);
		if (!net.count || bars == ASL_MOST_BARS)
			continue;
		snprintf(note[bars], sizeof note[bars], "%.3g", net.middle);
		bar[bars] = (struct asl_bar){.name = g.at[0]->row->algorithm,
					     .part = {net.low, net.high},
					     .mark = net.middle,
					     .note = note[bars]};
		bars++;
	}
	asl_figure_begin(p, "%s: network words over the lower bound",
			 family->at[0]->row->family);
	if (bars)
		asl_bars_ranges(p->f, p->title, bar, bars);
	asl_figure_end(p, bars ? NULL : say_no_ratio(family), &t);
}

static void write_section(struct asl_page *p)
{
	static const int by[] = {COL_family, COL_algorithm, ASL_END};
	static const int by_family[] = {COL_family, ASL_END};
	struct asl_packs all =
		asl_page_packs(p, asl_page_list(p, NULL), by, by_family, NULL);

	fputs("<p>Every algorithm has a prediction that says, without running "
	      "it, which words each rank will move in each phase: a closed "
	      "form, "
	      "or a walk over its schedule where there is none. Counted and "
	      "predicted words either agree exactly or the row has failed. "
	      "Whether the words were necessary is another question: a lower "
	      "bound holds for every algorithm there can be. Bars are words "
	      "over that bound, from the best case to the worst, with a tick "
	      "at the median; nothing can be left of 1.</p>\n",
	      p->f);
	asl_page_figures(p, &all, all.count, figure);
	free(all.at);
}

const struct asl_section asl_section_bounds = {
	.id = "bounds",
	.name = "bounds",
	.title = "Counted, predicted, and the bound",
	.write = write_section,
};
