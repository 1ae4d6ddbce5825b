/*
 * section_cost.c -- the joint cost: what network, reads and writes add to it
 *
 * As in the figures of the JOMMA paper: a panel for a machine's costs, a group
 * of bars for a size, a bar for an algorithm.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/bars.h"
#include "bench/command/report/page.h"

static const int by_panel[] = {
	ASL_COL_FAMILY,	      ASL_COL_PLACE, ASL_COL_RANKS, ASL_COL_CACHE_WORDS,
	ASL_COL_MEMORY_WORDS, ASL_COSTS,     ASL_END};

struct room {
	char group[ASL_SAID], name[ASL_SAID], note[ASL_SAID];
};

static void put_data(struct asl_sheet *s, const struct asl_entry *x,
		     const double part[4])
{
	char text[ASL_SAID];

	asl_sheet_text(s, asl_say_size(text, x->row));
	asl_sheet_text(s, x->row->text[ASL_COL_ALGORITHM]);
	asl_sheet_text(s, x->row->text[ASL_COL_KERNEL]);
	asl_sheet_text(s, x->row->text[ASL_COL_GRID]);
	for (int i = 0; i < 4; i++)
		asl_sheet_number(s, part[i]);
	asl_sheet_number(s, asl_row_cost(x->row));
	asl_sheet_end_row(s);
}

/* Does a size have the algorithm once?  Its entries are neighbours. */
static bool is_alone(const struct asl_pack *g, int i)
{
	static const int by_name[] = {
		ASL_COL_SPEC, ASL_COL_M,	 ASL_COL_N, ASL_COL_K,
		ASL_COL_DIMS, ASL_COL_ALGORITHM, ASL_END};

	for (int k = i - 1; k <= i + 1; k += 2)
		if (k >= 0 && k < g->count &&
		    !asl_rows_compare(g->at[k]->row, g->at[i]->row, by_name))
			return false;
	return true;
}

static void fill(struct asl_bar *bar, struct room *room,
		 const struct asl_entry *x, bool alone)
{
	double total = 0, cost = asl_row_cost(x->row);
	char text[ASL_BRIEF];

	*bar = (struct asl_bar){room->group, room->name, .note = room->note};
	asl_row_parts(bar->part, x->row);
	asl_say_size(room->group, x->row);
	if (alone)
		snprintf(room->name, sizeof room->name, "%.60s",
			 x->row->text[ASL_COL_ALGORITHM]);
	else
		asl_say_how(room->name, x->row);
	for (int i = 0; i < 4; i++)
		total += bar->part[i];
	bar->mark = fabs(total - cost) > 0.01 * cost ? cost : NAN;
	snprintf(room->note, sizeof room->note, "%s", asl_brief(text, cost));
}

/* The cheapest of a size says so. */
static void crown(struct asl_bar *bar, struct room *room,
		  struct asl_entry *const *at, int count)
{
	for (int first = 0, i = 1, best = 0; i <= count; i++) {
		if (i < count && !strcmp(bar[i].group, bar[first].group)) {
			if (asl_row_cost(at[i]->row) <
			    asl_row_cost(at[best]->row))
				best = i;
			continue;
		}
		strcat(room[best].note, " least");
		first = best = i;
	}
}

static void panel(struct asl_page *p, const struct asl_pack *g)
{
	static const char *const names[] = {
		"problem", "algorithm",		"kernel",
		"grid",	   "\xce\xb2 B_h",	"r B_r",
		"w B_w",   "messages and rest", "Q",
		NULL};
	int shown = g->count < ASL_MOST_BARS ? g->count : ASL_MOST_BARS;
	struct asl_bar bar[ASL_MOST_BARS];
	struct room *room = calloc(ASL_MOST_BARS, sizeof *room);
	struct asl_sheet s;
	char title[3 * ASL_SAID], means[ASL_SAID], costs[ASL_SAID];
	double part[4];

	asl_sheet_begin(p, &s, names);
	p->failed |= !room;
	for (int i = 0; !p->failed && i < shown; i++)
		fill(&bar[i], &room[i], g->at[i], is_alone(g, i));
	for (int i = 0; !p->failed && i < g->count && i < ASL_MOST_FIGURE_ROWS;
	     i++) {
		asl_row_parts(part, g->at[i]->row);
		put_data(&s, g->at[i], part);
	}
	if (!p->failed) {
		const struct asl_row *row = g->at[0]->row;

		crown(bar, room, g->at, shown);
		snprintf(title, sizeof title, "%s%s%s: %s; %s",
			 p->results->places > 1
				 ? asl_page_place(
					   p, (int)row->number[ASL_COL_PLACE])
				 : "",
			 p->results->places > 1 ? ", " : "",
			 row->text[ASL_COL_FAMILY], asl_say_means(means, row),
			 asl_say_costs(costs, row));
		asl_figure_begin(p, title);
		asl_bars_stacked(p->f, title, bar, shown);
		snprintf(title, sizeof title,
			 "%d of %d bars; the data below have %d.", shown,
			 g->count,
			 g->count < ASL_MOST_FIGURE_ROWS
				 ? g->count
				 : ASL_MOST_FIGURE_ROWS);
		asl_figure_end(p, shown < g->count ? title : NULL, &s);
	}
	free(room);
}

static void key(struct asl_page *p)
{
	fputs("<p class=\"key\"><span class=\"p0\"></span>network, "
	      "&#946;&#160;B<sub>h</sub> <span class=\"p1\"></span>reading, "
	      "r&#160;B<sub>r</sub> <span class=\"p2\"></span>writing, "
	      "w&#160;B<sub>w</sub> <span class=\"p3\"></span>messages, "
	      "flops, DRAM</p>\n",
	      p->f);
}

void asl_section_cost(struct asl_page *p)
{
	int entries = asl_page_list(p, NULL), panels = 0;
	struct asl_pack *all = calloc((size_t)entries + 1, sizeof *all);
	struct asl_pack g = {0};

	p->failed |= !all;
	asl_page_section(p, "cost", "What the cost is made of");
	asl_entries_sort(p->list, entries, by_panel);
	while (all && asl_pack_next(&g, p->list, entries, by_panel))
		all[panels++] = g;
	asl_packs_sort(all, panels);
	fputs("<p>", p->f);
	asl_page_say(p, "Counted words of the busiest rank, times what a word "
			"costs. A short bar is good; its longest part is "
			"where to save. At its end is Q. ");
	if (panels > 2 * ASL_MOST_PLOTS)
		asl_page_say(p,
			     "Drawn are the %d of %d sets of conditions "
			     "that most algorithms and sizes ran under; the "
			     "table of all results has the rest.",
			     2 * ASL_MOST_PLOTS, panels);
	fputs("</p>\n", p->f);
	key(p);
	fputs("<div class=\"plots\">\n", p->f);
	for (int i = 0; !p->failed && i < panels && i < 2 * ASL_MOST_PLOTS; i++)
		panel(p, &all[i]);
	fputs("</div>\n", p->f);
	free(all);
}
