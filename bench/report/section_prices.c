/*
 * section_prices.c -- which algorithm for which w/beta, and where that turns
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/brief.h"
#include "bench/report/prices.h"

/* ---- All problems ---- */

/* Those where the choice turns most often, and of most lines, come first. */
static int compare(const void *a, const void *b)
{
	const struct asl_prices *x = a, *y = b;

	int turns = y->of_all.turns + y->of_inside.turns - x->of_all.turns -
		    x->of_inside.turns;

	if (turns)
		return turns;
	if (x->lines != y->lines)
		return y->lines - x->lines;
	return (x->all.at > y->all.at) - (x->all.at < y->all.at);
}

static void table(struct asl_page *p, const struct asl_prices *s, int count)
{
	static const char *const names[] = {
		"problem", "on", "r/\xce\xb2", "choose", "keeping to the model",
		NULL};
	char text[2 * ASL_SAID];
	struct asl_sheet t;

	asl_sheet_begin(p, &t, names);
	for (int i = 0; !p->failed && i < count && i < ASL_MOST_FIGURE_ROWS;
	     i++) {
		const struct asl_row *row = s[i].line[0].row;

		asl_sheet_text(&t, asl_say_size(text, row));
		asl_sheet_text(&t, asl_say_means(text, row));
		asl_sheet_number(&t, s[i].read);
		asl_sheet_text(&t,
			       asl_prices_verdict(text, &s[i], &s[i].of_all));
		asl_sheet_text(&t, asl_prices_has_outsiders(&s[i])
					   ? asl_prices_verdict(text, &s[i],
								&s[i].of_inside)
					   : "");
		asl_sheet_end_row(&t);
	}
	if (!p->failed)
		asl_page_details(p, &t,
				 "All problems: which algorithm from "
				 "which w/&#946; on",
				 "crossovers.csv");
}

static void show(struct asl_page *p, struct asl_prices *s, int count)
{
	qsort(s, (size_t)count, sizeof *s, compare);
	fputs("<div class=\"plots\">\n", p->f);
	for (int i = 0; !p->failed && i < count && i < ASL_MOST_PLOTS; i++)
		asl_prices_figure(p, &s[i]);
	fputs("</div>\n", p->f);
	if (count > ASL_MOST_PLOTS) {
		fputs("<p class=\"note\">", p->f);
		asl_page_say(p,
			     "Drawn are the %d of %d problems whose choice "
			     "turns most often; the table has %s.",
			     ASL_MOST_PLOTS, count,
			     count > ASL_MOST_FIGURE_ROWS ? "the first 400"
							  : "all");
		fputs("</p>\n", p->f);
	}
	if (count > 1)
		table(p, s, count);
}

static bool fits(const struct asl_entry *x)
{
	return isfinite(asl_row_read_cost(x->row)) &&
	       strcmp(x->row->text[ASL_COL_FAMILY],
		      "contraction out of core") != 0;
}

/* All r / beta that a problem was run with, of which there are few. */
static int distinct(double to[ASL_MOST_PLOTS], const struct asl_pack *g)
{
	int count = 0;

	for (int i = 0; i < g->count && count < ASL_MOST_PLOTS; i++) {
		double x = asl_row_read_cost(g->at[i]->row);
		int k = 0;

		while (k < count && to[k] != x)
			k++;
		if (k == count)
			to[count++] = x;
	}
	return count;
}

struct all_prices {
	struct asl_prices *at;
	int count;
};

static void add(struct asl_page *p, struct all_prices *all,
		const struct asl_pack *g)
{
	double read[ASL_MOST_PLOTS];
	int reads = distinct(read, g);

	for (int i = 0; i < reads; i++) {
		struct asl_prices *s = &all->at[all->count];

		p->failed |= !asl_prices_open(s, g, read[i]);
		if (s->lines > 1)
			all->count++;
		else
			asl_prices_close(s);
	}
}

void asl_section_prices(struct asl_page *p)
{
	int entries = asl_page_list(p, fits);
	struct all_prices all = {calloc((size_t)entries + 1, sizeof *all.at),
				 0};
	struct asl_pack g = {0};

	p->failed |= !all.at;
	asl_page_section(p, "sweep",
			 "Which algorithm for which price of writing");
	fputs("<p>How much dearer is it to write a word to memory than to send "
	      "one, w/&#946;? Counts of a grid that ran do not depend on it, "
	      "so "
	      "that costs for every other w/&#946; follow from them without "
	      "another run: straight lines, whose lowest is the one to choose. "
	      "Messages and flops are left out, and words are those of the "
	      "busiest rank of each kind. Other grids, which did not run, may "
	      "be cheaper still: <code>aslant plan</code> knows.</p>\n",
	      p->f);
	asl_entries_sort(p->list, entries, asl_by_way);
	while (!p->failed &&
	       asl_pack_next(&g, p->list, entries, asl_by_problem))
		add(p, &all, &g);
	if (all.count)
		show(p, all.at, all.count);
	else
		fputs("<p class=\"note\">No problem was solved in two "
		      "ways.</p>\n",
		      p->f);
	for (int i = 0; i < all.count; i++)
		asl_prices_close(&all.at[i]);
	free(all.at);
}
