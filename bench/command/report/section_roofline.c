/*
 * section_roofline.c -- flops against reads, and against writes
 *
 * Where memory is dearer to write than to read there are two slopes: how fast
 * can one be that needs a word read, or one written, for so many flops?  Both
 * from the costs that the rows ran with, if these are times.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"
#include "net/net.h"

static const int by_roof[] = {ASL_COL_PLACE, ASL_COL_R,	     ASL_COL_W,
			      ASL_COL_GAMMA, ASL_COL_FAMILY, ASL_COL_ALGORITHM,
			      ASL_END};
static const int by_machine[] = {ASL_COL_PLACE, ASL_COL_R, ASL_COL_W,
				 ASL_COL_GAMMA, ASL_END};

/* On sim all ranks take turns in one process. */
static double workers(const struct asl_row *x)
{
	return asl_net_can(x->text[ASL_COL_TRANSPORT])->simulated
		       ? 1
		       : x->number[ASL_COL_USED];
}

static double speed(const struct asl_entry *x)
{
	return x->gflops / workers(x->row);
}

static double per_read(const struct asl_row *x)
{
	return x->number[ASL_COL_FLOPS_ALL] /
	       (x->number[ASL_COL_POOL_READ_ALL] +
		x->number[ASL_COL_DRAM_READ_ALL]);
}

static double per_write(const struct asl_row *x)
{
	return x->number[ASL_COL_FLOPS_ALL] /
	       (x->number[ASL_COL_WRITTEN_ALL] +
		x->number[ASL_COL_DRAM_WRITTEN_ALL]);
}

static bool fits(const struct asl_entry *x)
{
	return x->gflops > 0 && asl_row_timed(x->row) &&
	       x->row->number[ASL_COL_R] > 0 && x->row->number[ASL_COL_W] > 0 &&
	       isfinite(per_read(x->row)) && isfinite(per_write(x->row));
}

/* Words that cost t ns each allow x flops a word to run at x / t GFLOP/s. */
static void ceiling(struct asl_plot *p, double t, double top, int style,
		    const char *label)
{
	double x[3] = {p->x.low, fmin(top * t, p->x.high), p->x.high};
	double y[3] = {x[0] / t, x[1] / t, x[1] / t};

	asl_plot_line(p, x, y, 2, style, label);
	asl_plot_line(p, x + 1, y + 1, 2, style, NULL);
}

static void put_data(struct asl_page *p, struct asl_sheet *t,
		     const struct asl_pack *g)
{
	static const char *const names[] = {
		"problem",	     "ranks",
		"algorithm",	     "transport",
		"flops a word read", "flops a word written",
		"GFLOP/s a rank",    "reading allows",
		"writing allows",    NULL};
	char text[ASL_SAID];

	asl_sheet_begin(p, t, names);
	for (int i = 0; !p->failed && i < g->count && i < ASL_MOST_FIGURE_ROWS;
	     i++) {
		const struct asl_row *x = g->at[i]->row;

		asl_sheet_text(t, asl_say_size(text, x));
		asl_sheet_number(t, x->number[ASL_COL_RANKS]);
		asl_sheet_text(t, x->text[ASL_COL_ALGORITHM]);
		asl_sheet_text(t, x->text[ASL_COL_TRANSPORT]);
		asl_sheet_number(t, per_read(x));
		asl_sheet_number(t, per_write(x));
		asl_sheet_number(t, speed(g->at[i]));
		asl_sheet_number(t, per_read(x) / x->number[ASL_COL_R]);
		asl_sheet_number(t, per_write(x) / x->number[ASL_COL_W]);
		asl_sheet_end_row(t);
	}
}

static void draw(struct asl_page *p, const struct asl_pack *g,
		 const char *title)
{
	const double *cost = g->at[0]->row->number;
	struct asl_range x = ASL_NO_RANGE, y = ASL_NO_RANGE;
	double top =
		cost[ASL_COL_GAMMA] > 0 ? 1 / cost[ASL_COL_GAMMA] : INFINITY;
	struct asl_plot plot;
	int most = g->count < ASL_MOST_FIGURE_ROWS ? g->count
						   : ASL_MOST_FIGURE_ROWS;

	for (int i = 0; i < most; i++) {
		asl_range_add(&x, per_read(g->at[i]->row));
		asl_range_add(&x, per_write(g->at[i]->row));
		asl_range_add(&y, speed(g->at[i]));
	}
	asl_range_add(&y, fmin(top, x.low / cost[ASL_COL_R]));
	asl_range_add(&y, fmin(top, x.high / cost[ASL_COL_W]));
	asl_plot_open(
		&plot, p->f, title,
		asl_range_axis(&x, "flops for a word read or written", ASL_LOG),
		asl_range_axis(&y, "GFLOP/s a rank", ASL_LOG));
	ceiling(&plot, cost[ASL_COL_R], top, 0, "reading allows");
	ceiling(&plot, cost[ASL_COL_W], top, 1, "writing allows");
	for (int i = 0; i < most; i++) {
		asl_plot_dot(&plot, per_read(g->at[i]->row), speed(g->at[i]), 0,
			     NULL);
		asl_plot_box(&plot, per_write(g->at[i]->row), speed(g->at[i]),
			     1, NULL);
	}
	asl_plot_close(&plot);
}

static void figure(struct asl_page *p, const struct asl_pack *g)
{
	const double *cost = g->at[0]->row->number;
	char title[ASL_SAID], note[ASL_SAID];
	struct asl_sheet t;

	put_data(p, &t, g);
	if (p->failed)
		return;
	snprintf(title, sizeof title,
		 "%.100s: a word read in %.3g ns (%.3g GB/s), written in %.3g "
		 "ns (%.3g GB/s)",
		 asl_page_place(p, (int)cost[ASL_COL_PLACE]), cost[ASL_COL_R],
		 8 / cost[ASL_COL_R], cost[ASL_COL_W], 8 / cost[ASL_COL_W]);
	asl_figure_begin(p, title);
	draw(p, g, title);
	snprintf(note, sizeof note,
		 "Dots: a case by what it reads; squares: the same by what it "
		 "writes.%s%s",
		 cost[ASL_COL_GAMMA] > 0
			 ? ""
			 : " What arithmetic allows is not known: "
			   "the profile has no figure for a flop.",
		 g->count > ASL_MOST_FIGURE_ROWS
			 ? " The first 400 cases are drawn."
			 : "");
	asl_figure_end(p, note, &t);
}

void asl_section_roofline(struct asl_page *p)
{
	int entries = asl_page_list(p, fits), drawn = 0, found = 0;
	struct asl_pack g = {0};

	asl_page_section(p, "roofline", "How fast memory lets it be");
	if (!entries) {
		fputs("<p class=\"note\">Not drawn: no row has both a time and "
		      "costs in nanoseconds. Measure the machine with "
		      "<code>aslant calibrate</code>, and run with the profile "
		      "that it writes.</p>\n",
		      p->f);
		return;
	}
	fputs("<p>The more flops an algorithm makes of a word, the faster "
	      "memory lets it run: up to the slopes, one for words read and "
	      "one for words written. A dot far below its slope is not held up "
	      "by that. Above it, words came faster than the profile says: it "
	      "is of another machine, or caches helped.</p>\n"
	      "<div class=\"plots\">\n",
	      p->f);
	asl_entries_sort(p->list, entries, by_roof);
	while (!p->failed && asl_pack_next(&g, p->list, entries, by_machine))
		if (found++ < ASL_MOST_PLOTS) {
			figure(p, &g);
			drawn++;
		}
	fputs("</div>\n", p->f);
	if (drawn < found)
		fprintf(p->f,
			"<p class=\"note\">Drawn are %d of %d sets of "
			"costs.</p>\n",
			drawn, found);
}
