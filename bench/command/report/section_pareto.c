/*
 * section_pareto.c -- words written against words sent, and both lower bounds
 *
 * Carson et al. (Write-avoiding algorithms, 2016) proved that no algorithm of
 * this model attains both bounds: how near to the corner can one come?
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

static const int by_point[] = {ASL_PROBLEM,	ASL_COL_ALGORITHM,
			       ASL_COL_WRITTEN, ASL_COL_BH_WORDS,
			       ASL_COL_GRID,	ASL_END};

struct bounds {
	double net, written; /* NAN: none, or 0 */
};

static struct bounds bounds_of(const struct asl_pack *g)
{
	struct bounds b = {INFINITY, asl_row_write_bound(g->at[0]->row)};

	/* That of an entry is for the memory that it held: the least holds. */
	for (int i = 0; i < g->count; i++)
		b.net = fmin(b.net, g->at[i]->row->number[ASL_COL_NET_BOUND]);
	if (!(b.net > 0))
		b.net = NAN;
	return b;
}

static bool is_beaten(const struct asl_pack *g, const struct asl_row *x)
{
	for (int i = 0; i < g->count; i++) {
		const double *a = g->at[i]->row->number;

		if (a[ASL_COL_BH_WORDS] <= x->number[ASL_COL_BH_WORDS] &&
		    a[ASL_COL_WRITTEN] <= x->number[ASL_COL_WRITTEN] &&
		    (a[ASL_COL_BH_WORDS] < x->number[ASL_COL_BH_WORDS] ||
		     a[ASL_COL_WRITTEN] < x->number[ASL_COL_WRITTEN]))
			return true;
	}
	return false;
}

static void put_data(struct asl_page *p, struct asl_sheet *t,
		     const struct asl_pack *g, const struct bounds *b)
{
	static const char *const names[] = {"algorithm",
					    "grid",
					    "words sent, B_h",
					    "lower bound",
					    "words written, B_w",
					    "lower bound",
					    "outside the model",
					    "beaten in both",
					    NULL};

	asl_sheet_begin(p, t, names);
	for (int i = 0; !p->failed && i < g->count && i < ASL_MOST_FIGURE_ROWS;
	     i++) {
		const struct asl_row *x = g->at[i]->row;

		asl_sheet_text(t, x->text[ASL_COL_ALGORITHM]);
		asl_sheet_text(t, x->text[ASL_COL_GRID]);
		asl_sheet_number(t, x->number[ASL_COL_BH_WORDS]);
		asl_sheet_number(t, b->net);
		asl_sheet_number(t, x->number[ASL_COL_WRITTEN]);
		asl_sheet_number(t, b->written);
		asl_sheet_text(t, x->number[ASL_COL_OUTSIDE] == 1 ? "yes" : "");
		asl_sheet_text(t, is_beaten(g, x) ? "yes" : "");
		asl_sheet_end_row(t);
	}
}

/* Logarithms have no 0: what sends nothing is not in the plot. */
static bool has_place(const struct asl_row *x)
{
	return x->number[ASL_COL_BH_WORDS] > 0 &&
	       x->number[ASL_COL_WRITTEN] > 0;
}

/* Who was there before, of those that are drawn. */
static bool is_taken(const struct asl_pack *g, int i)
{
	static const int by_place[] = {ASL_COL_WRITTEN, ASL_COL_BH_WORDS,
				       ASL_END};

	for (int k = 0; k < i; k++)
		if (!asl_rows_compare(g->at[k]->row, g->at[i]->row, by_place))
			return true;
	return false;
}

/* An algorithm's name is at the first of its points. */
static int put_point(struct asl_page *p, struct asl_plot *plot,
		     const struct asl_pack *g, int i)
{
	const struct asl_row *x = g->at[i]->row;
	const char *name = x->text[ASL_COL_ALGORITHM];
	bool again =
		i && !strcmp(name, g->at[i - 1]->row->text[ASL_COL_ALGORITHM]);

	if (!has_place(x))
		return 0;
	if (is_taken(g, i))
		asl_plot_box(plot, x->number[ASL_COL_BH_WORDS],
			     x->number[ASL_COL_WRITTEN],
			     asl_page_style(p, name), again ? NULL : name);
	else
		asl_plot_dot(plot, x->number[ASL_COL_BH_WORDS],
			     x->number[ASL_COL_WRITTEN],
			     asl_page_style(p, name), again ? NULL : name);
	return 1;
}

static int draw(struct asl_page *p, const struct asl_pack *g,
		const struct bounds *b, const char *title)
{
	struct asl_range net = ASL_NO_RANGE, written = ASL_NO_RANGE;
	struct asl_plot plot;
	int drawn = 0;

	asl_range_add(&net, b->net);
	asl_range_add(&written, b->written);
	for (int i = 0; i < g->count; i++)
		if (has_place(g->at[i]->row)) {
			asl_range_add(&net,
				      g->at[i]->row->number[ASL_COL_BH_WORDS]);
			asl_range_add(&written,
				      g->at[i]->row->number[ASL_COL_WRITTEN]);
		}
	asl_plot_open(&plot, p->f, title,
		      asl_range_axis(&net,
				     "words sent by the busiest rank, B_h",
				     ASL_LOG),
		      asl_range_axis(&written, "words written, B_w", ASL_LOG));
	if (!isnan(b->net))
		asl_plot_wall(&plot, b->net, "least sent");
	if (!isnan(b->written))
		asl_plot_floor(&plot, b->written, "least written");
	for (int i = 0; i < g->count && drawn < 4 * ASL_MOST_CURVES; i++)
		drawn += put_point(p, &plot, g, i);
	asl_plot_close(&plot);
	return drawn;
}

static void figure(struct asl_page *p, const struct asl_pack *g)
{
	const struct asl_row *row = g->at[0]->row;
	struct bounds b = bounds_of(g);
	char title[2 * ASL_SAID], size[ASL_SAID], means[ASL_SAID];
	char note[ASL_SAID];
	struct asl_sheet t;
	int drawn;

	put_data(p, &t, g, &b);
	if (p->failed)
		return;
	snprintf(title, sizeof title, "%.60s, %.300s; %.100s",
		 row->text[ASL_COL_FAMILY], asl_say_size(size, row),
		 asl_say_means(means, row));
	asl_figure_begin(p, title);
	drawn = draw(p, g, &b, title);
	snprintf(note, sizeof note,
		 "%d of %d points; the data have %d, also what sends nothing.",
		 drawn, g->count,
		 g->count < ASL_MOST_FIGURE_ROWS ? g->count
						 : ASL_MOST_FIGURE_ROWS);
	asl_figure_end(p, drawn < g->count ? note : NULL, &t);
}

/* One point for all costs and repetitions of the same way; in place. */
static int unite(struct asl_entry **list, int count)
{
	struct asl_pack g = {0};
	int kept = 0;

	while (asl_pack_next(&g, list, count, by_point))
		list[kept++] = g.at[0];
	return kept;
}

static bool fits(const struct asl_entry *x)
{
	return has_place(x->row) || x->row->number[ASL_COL_RANKS] > 1;
}

void asl_section_pareto(struct asl_page *p)
{
	int entries = asl_page_list(p, fits), count = 0;
	struct asl_pack *all, g = {0};

	asl_page_section(p, "pareto", "Few words written, or few words sent");
	fputs("<p>Dashed: what no algorithm can go below, in words sent (left "
	      "of it) and in words written (below it). Carson et al. "
	      "(<i>Write-avoiding algorithms</i>, IPDPS 2016) proved that no "
	      "algorithm which stores the partial sums that it updates can be "
	      "in the corner where both lines meet: fewer words written must "
	      "be "
	      "paid for with more words sent. What never writes partial sums "
	      "(<code>fused</code>, <code>cuts-fused</code>) is outside of "
	      "that model.</p>\n",
	      p->f);
	asl_entries_sort(p->list, entries, by_point);
	entries = unite(p->list, entries);
	all = calloc((size_t)entries + 1, sizeof *all);
	p->failed |= !all;
	while (all && asl_pack_next(&g, p->list, entries, asl_by_problem))
		if (g.count > 1)
			all[count++] = g;
	asl_packs_sort(all, count);
	fputs("<div class=\"plots\">\n", p->f);
	for (int i = 0; !p->failed && i < count && i < ASL_MOST_PLOTS; i++)
		figure(p, &all[i]);
	fputs("</div>\n<p class=\"note\">", p->f);
	if (!count)
		asl_page_say(p, "No problem was solved in two ways on more "
				"than one rank.");
	if (count > ASL_MOST_PLOTS)
		asl_page_say(p,
			     "Drawn are the %d of %d problems with most "
			     "points.",
			     ASL_MOST_PLOTS, count);
	fputs("</p>\n", p->f);
	free(all);
}
