/*
 * section_cost.c -- the joint cost: what network, reads and writes add to it
 *
 * As in the figures of the JOMMA paper: a panel for a machine's costs, a group
 * of bars for a size, a bar for an algorithm.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

struct label {
	struct asl_said said;
	char name[ASL_SAID], note[64];
};

static void put_data(struct asl_page *p, struct asl_sheet *s,
		     const struct asl_pack *g)
{
	asl_sheet_begin(
		p, s,
		"problem|algorithm|kernel|grid|\xce\xb2 B_h|r B_r|w B_w|"
		"messages and rest|waiting|Q|memory budget");
	for (int i = 0; i < g->count && i < ASL_MOST_FIGURE_ROWS; i++) {
		const struct asl_runs_row *x = g->at[i]->row;
		double part[ASL_PARTS];

		asl_row_parts(part, x);
		asl_sheet_put(s, "%s%s%s%s%g%g%g%g%g%g%g\n", asl_say(x).size,
			      x->algorithm, x->kernel, x->grid, part[0],
			      part[1], part[2], part[3], part[4],
			      asl_row_cost(x), x->memory_budget_words);
	}
}

/*
 * The algorithm, as long as its size has it once; with its memory budget, if
 * another case of it had another one, or else its grid.  Cases of a size and an
 * algorithm are neighbours.
 */
static void name_bar(struct label *label, const struct asl_pack *g, int i)
{
	static const int by_name[] = {ASL_SIZE, COL_algorithm, ASL_END};
	const struct asl_runs_row *row = g->at[i]->row;
	double budget = row->memory_budget_words;
	char words[ASL_BRIEF];

	snprintf(label->name, sizeof label->name, "%.60s", row->algorithm);
	for (int k = i - 1; k <= i + 1; k += 2) {
		if (k < 0 || k >= g->count ||
		    asl_rows_compare(g->at[k]->row, row, by_name))
			continue;
		if (!asl_budget_compare(g->at[k]->row, budget)) {
			strcpy(label->name, label->said.how);
			continue;
		}
		snprintf(label->name, sizeof label->name, "%.60s %s",
			 row->algorithm,
			 isnan(budget) ? "" : asl_brief(words, budget));
		return;
	}
}

static void fill(struct asl_bar *bar, struct label *label,
		 const struct asl_pack *g, int i)
{
	const struct asl_runs_row *row = g->at[i]->row;
	double total = 0, cost = asl_row_cost(row);
	char text[ASL_BRIEF];

	label->said = asl_say(row);
	name_bar(label, g, i);
	snprintf(label->note, sizeof label->note, "%s", asl_brief(text, cost));
	*bar = (struct asl_bar){label->said.size, label->name,
				.note = label->note};
	asl_row_parts(bar->part, row);
	for (int k = 0; k < ASL_PARTS; k++)
		total += bar->part[k];
	bar->mark = fabs(total - cost) > 0.01 * cost ? cost : NAN;
}

/* Is it the cheapest, if there is no more memory than it had? */
static bool is_least(struct asl_measured *const *at, int count, int i,
		     double budget)
{
	int best = -1;

	for (int k = 0; k < count; k++)
		if (asl_budget_compare(at[k]->row, budget) <= 0 &&
		    (best < 0 ||
		     asl_row_cost(at[k]->row) < asl_row_cost(at[best]->row)))
			best = k;
	return i == best;
}

/* The cheapest bar of a size says so, for each memory budget. */
static void crown(const struct asl_bar *bar, struct label *label,
		  struct asl_measured *const *at, int count)
{
	for (int first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count; end++)
			if (strcmp(bar[end].group, bar[first].group) != 0)
				break;
		for (int i = first; i < end; i++)
			for (int k = first; k < end; k++)
				if (is_least(at + first, end - first, i - first,
					     at[k]->row->memory_budget_words)) {
					strcat(label[i].note, " least");
					break;
				}
	}
}

static void panel(struct asl_page *p, const struct asl_pack *g)
{
	const struct asl_runs_row *row = g->at[0]->row;
	int shown = asl_shown(g->count, ASL_MOST_BARS);
	struct label *label = calloc(ASL_MOST_BARS, sizeof *label);
	struct asl_bar bar[ASL_MOST_BARS];
	struct asl_said said = asl_say(row);
	struct asl_sheet s;

	if (!label) {
		p->failed = true;
		return;
	}
	for (int i = 0; i < shown; i++)
		fill(&bar[i], &label[i], g, i);
	crown(bar, label, g->at, shown);
	put_data(p, &s, g);
	asl_figure_begin(p, "%s%s%s: %s; %s",
			 p->results->places > 1 ? asl_page_place_of(p, row)
						: "",
			 p->results->places > 1 ? ", " : "", row->family,
			 said.means, said.costs);
	asl_bars_stacked(p->f, p->title, bar, shown);
	if (shown < g->count)
		asl_note(p, "%d of %d bars; the data below have %d.", shown,
			 g->count, asl_shown(g->count, ASL_MOST_FIGURE_ROWS));
	asl_figure_end(p, NULL, &s);
	free(label);
}

static void write_section(struct asl_page *p)
{
	static const int by_panel[] = {
		COL_family,	 COL_place,	   COL_ranks,
		COL_cache_words, COL_memory_words, ASL_GIVEN,
		COL_seed,	 ASL_COSTS,	   ASL_END};
	struct asl_packs all = asl_page_packs(p, asl_page_list(p, NULL),
					      by_panel, by_panel, NULL);

	asl_packs_sort(&all);
	fputs("<p>Counted words of the busiest rank, times what a word costs, "
	      "and what ranks on the critical path wait beyond that. A short "
	      "bar is good; its longest part is where to save. At its end is "
	      "Q along the critical path. Where memory budgets differ, the "
	      "budget is beside the "
	      "name, and &#39;least&#39; means among bars with no larger one. ",
	      p->f);
	if (all.count > 2 * ASL_MOST_PLOTS)
		asl_html(p->f,
			 "Drawn are the %d of %d sets of conditions that most "
			 "algorithms and sizes ran under; the table of all "
			 "results has the rest.",
			 2 * ASL_MOST_PLOTS, all.count);
	fputs("</p>\n<p class=\"key\"><span class=\"p0\"></span>network, "
	      "&#946;&#160;B<sub>h</sub> <span class=\"p1\"></span>reading, "
	      "r&#160;B<sub>r</sub> <span class=\"p2\"></span>writing, "
	      "w&#160;B<sub>w</sub> <span class=\"p3\"></span>messages, "
	      "flops, DRAM <span class=\"p4\"></span>waiting</p>\n",
	      p->f);
	asl_page_figures(p, &all, 2 * ASL_MOST_PLOTS, panel);
	free(all.at);
}

const struct asl_section asl_section_cost = {
	.id = "cost",
	.name = "cost",
	.title = "What the cost is made of",
	.write = write_section,
};
