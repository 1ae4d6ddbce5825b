/*
 * section_bounds.c -- counted, predicted, and what no algorithm betters
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/bars.h"
#include "bench/command/report/page.h"

static const int by_algorithm[] = {ASL_COL_FAMILY, ASL_COL_ALGORITHM, ASL_END};
static const int by_family[] = {ASL_COL_FAMILY, ASL_END};

struct spread {
	double low, middle, high;
	int count;
};

/* io: of words between cache and memory; else between ranks. */
static double ratio(const struct asl_row *x, bool io)
{
	if (!io)
		return x->number[ASL_COL_NET_RATIO];
	if (x->number[ASL_COL_IO_BOUND] <= 0)
		return NAN;
	return (x->number[ASL_COL_READ] + x->number[ASL_COL_WRITTEN]) /
	       x->number[ASL_COL_IO_BOUND];
}

static struct spread spread(const struct asl_pack *g, bool io, double *room)
{
	struct spread s = {NAN, NAN, NAN, 0};

	for (int i = 0; i < g->count; i++)
		if (!isnan(ratio(g->at[i]->row, io)))
			room[s.count++] = ratio(g->at[i]->row, io);
	if (!s.count)
		return s;
	s.middle = asl_median(room, s.count); /* sorts */
	s.low = room[0];
	s.high = room[s.count - 1];
	return s;
}

static void put(struct asl_sheet *t, const struct asl_pack *g,
		const struct spread *net, const struct spread *io)
{
	int equal = 0, judged = 0;
	char text[80];

	for (int i = 0; i < g->count; i++)
		for (int k = 0; k < g->at[i]->count; k++) {
			double x = g->at[i]->rows[k]->number[ASL_COL_EQUAL];

			judged += !isnan(x);
			equal += x == 1;
		}
	snprintf(text, sizeof text, "%d of %d", equal, judged);
	asl_sheet_text(t, g->at[0]->row->text[ASL_COL_FAMILY]);
	asl_sheet_text(t, g->at[0]->row->text[ASL_COL_ALGORITHM]);
	asl_sheet_number(t, g->count);
	asl_sheet_text(t, text);
	asl_sheet_number(t, net->low);
	asl_sheet_number(t, net->middle);
	asl_sheet_number(t, net->high);
	asl_sheet_number(t, io->low);
	asl_sheet_number(t, io->middle);
	asl_sheet_number(t, io->high);
	asl_sheet_end_row(t);
}

/* One family: a range an algorithm. */
static void figure(struct asl_page *p, struct asl_entry **list, int count,
		   double *room)
{
	static const char *const names[] = {
		"family",
		"algorithm",
		"ways and cases",
		"rows counted as predicted",
		"network words over bound: least",
		"median",
		"most",
		"words read and written over bound: least",
		"median",
		"most",
		NULL};
	struct asl_bar bar[ASL_MOST_BARS];
	char note[ASL_MOST_BARS][32], title[ASL_SAID];
	struct asl_pack g = {0};
	struct asl_sheet t;
	int bars = 0;

	asl_sheet_begin(p, &t, names);
	while (!p->failed && asl_pack_next(&g, list, count, by_algorithm)) {
		struct spread net = spread(&g, false, room);
		struct spread io = spread(&g, true, room);

		put(&t, &g, &net, &io);
		if (!net.count || bars == ASL_MOST_BARS)
			continue;
		snprintf(note[bars], sizeof note[bars], "%.3g", net.middle);
		bar[bars] = (struct asl_bar){
			.name = g.at[0]->row->text[ASL_COL_ALGORITHM],
			.part = {net.low, net.high},
			.mark = net.middle,
			.note = note[bars]};
		bars++;
	}
	if (p->failed)
		return;
	snprintf(title, sizeof title, "%s: network words over the lower bound",
		 list[0]->row->text[ASL_COL_FAMILY]);
	asl_figure_begin(p, title);
	if (bars)
		asl_bars_ranges(p->f, title, bar, bars);
	asl_figure_end(p,
		       bars ? "From the best case to the worst, with the "
			      "median. 1 is the bound: nothing can be left of "
			      "it."
			    : "The bound is 0 in every case: with one rank no "
			      "words have to move between ranks.",
		       &t);
}

void asl_section_bounds(struct asl_page *p)
{
	int entries = asl_page_list(p, NULL);
	double *room = calloc((size_t)entries + 1, sizeof *room);
	struct asl_pack g = {0};

	p->failed |= !room;
	asl_page_section(p, "bounds", "Counted, predicted, and the bound");
	fputs("<p>Every algorithm has a closed form that says, without running "
	      "it, which words each rank will move in each phase. Counted and "
	      "predicted words either agree exactly or the row has failed. "
	      "Whether the words were necessary is another question: a lower "
	      "bound holds for every algorithm there can be.</p>\n"
	      "<div class=\"plots\">\n",
	      p->f);
	asl_entries_sort(p->list, entries, by_algorithm);
	while (room && !p->failed &&
	       asl_pack_next(&g, p->list, entries, by_family))
		figure(p, g.at, g.count, room);
	fputs("</div>\n", p->f);
	free(room);
}
