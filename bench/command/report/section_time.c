/*
 * section_time.c -- where the time goes: arithmetic, network, memory
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/bars.h"
#include "bench/command/report/page.h"

static const int by_panel[] = {
	ASL_COL_FAMILY,	     ASL_COL_PLACE,	ASL_COL_RANKS,
	ASL_COL_MEDIUM,	     ASL_COL_TRANSPORT, ASL_COL_PROVIDER,
	ASL_COL_CACHE_WORDS, ASL_COSTS,		ASL_END};

static bool fits(const struct asl_entry *x)
{
	return x->wall.samples > 0;
}

static double known(double x)
{
	return isnan(x) ? 0 : x;
}

struct room {
	char group[ASL_SAID], name[ASL_SAID], note[64];
};

static void fill(struct asl_bar *bar, struct room *room,
		 const struct asl_entry *x)
{
	char text[ASL_BRIEF];

	asl_say_size(room->group, x->row);
	snprintf(room->name, sizeof room->name, "%.60s",
		 x->row->text[ASL_COL_ALGORITHM]);
	snprintf(room->note, sizeof room->note, "%s",
		 asl_brief_seconds(text, x->wall.median));
	*bar = (struct asl_bar){
		room->group,
		room->name,
		{known(x->comm), known(x->compute), known(x->io)},
		x->wall.median,
		room->note};
}

static void put_data(struct asl_sheet *t, const struct asl_entry *x)
{
	char text[ASL_SAID];

	asl_sheet_text(t, asl_say_size(text, x->row));
	asl_sheet_text(t, x->row->text[ASL_COL_ALGORITHM]);
	asl_sheet_text(t, x->row->text[ASL_COL_GRID]);
	asl_sheet_number(t, x->compute);
	asl_sheet_number(t, x->comm);
	asl_sheet_number(t, x->io);
	asl_sheet_number(t, x->wall.median);
	asl_sheet_number(t, x->wall.low);
	asl_sheet_number(t, x->wall.high);
	asl_sheet_number(t, x->wall.coverage);
	asl_sheet_number(t, x->wall.samples);
	asl_sheet_end_row(t);
}

static void figure(struct asl_page *p, const struct asl_pack *g)
{
	static const char *const names[] = {
		"problem",    "algorithm", "grid",	  "compute, s",
		"network, s", "memory, s", "all, s",	  "low",
		"high",	      "coverage",  "repetitions", NULL};
	int shown = g->count < ASL_MOST_BARS ? g->count : ASL_MOST_BARS;
	const struct asl_row *row = g->at[0]->row;
	struct room *room = calloc(ASL_MOST_BARS, sizeof *room);
	struct asl_bar bar[ASL_MOST_BARS];
	char title[2 * ASL_SAID], means[ASL_SAID];
	struct asl_sheet t;

	asl_sheet_begin(p, &t, names);
	p->failed |= !room;
	for (int i = 0; !p->failed && i < shown; i++)
		fill(&bar[i], &room[i], g->at[i]);
	for (int i = 0; !p->failed && i < g->count && i < ASL_MOST_FIGURE_ROWS;
	     i++)
		put_data(&t, g->at[i]);
	if (!p->failed) {
		snprintf(title, sizeof title,
			 "%.100s, %.60s: %.100s; %.30s, %.30s %.30s",
			 asl_page_place(p, (int)row->number[ASL_COL_PLACE]),
			 row->text[ASL_COL_FAMILY], asl_say_means(means, row),
			 row->text[ASL_COL_MEDIUM],
			 row->text[ASL_COL_TRANSPORT],
			 row->text[ASL_COL_PROVIDER]);
		asl_figure_begin(p, title);
		asl_bars_stacked(p->f, title, bar, shown);
		asl_figure_end(
			p, shown < g->count ? "The first 40 are drawn." : NULL,
			&t);
	}
	free(room);
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
	      "<span class=\"p1\"></span>arithmetic <span class=\"p2\">"
	      "</span>memory <span class=\"tick\"></span>all of it</p>\n",
	      p->f);
}

void asl_section_time(struct asl_page *p)
{
	int entries = asl_page_list(p, fits), count = 0;
	struct asl_pack *all = calloc((size_t)entries + 1, sizeof *all);
	struct asl_pack g = {0};

	p->failed |= !all;
	asl_page_section(p, "time", "Where the time goes");
	asl_entries_sort(p->list, entries, by_panel);
	while (all && asl_pack_next(&g, p->list, entries, by_panel))
		all[count++] = g;
	asl_packs_sort(all, count);
	if (count)
		say_head(p, count);
	else
		fputs("<p class=\"note\">Nothing was timed: all rows only "
		      "count (--store null).</p>\n",
		      p->f);
	fputs("<div class=\"plots\">\n", p->f);
	for (int i = 0; !p->failed && i < count && i < ASL_MOST_PLOTS; i++)
		figure(p, &all[i]);
	fputs("</div>\n", p->f);
	free(all);
}
