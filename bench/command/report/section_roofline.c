/*
 * section_roofline.c -- flops against reads, and against writes
 *
 * Where writing to memory is more expensive than reading there are two slopes:
 * how fast can an algorithm be that needs a word read, or one written, for so
 * many flops?  Both are from the costs that the rows ran with, if these are times.
 */
#include <stdlib.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

/* As in the bars of costs. */
enum {
	READING = ASL_STYLE_PART - ASL_PART_READ,
	WRITING = ASL_STYLE_PART - ASL_PART_WRITE
};

static double speed(const struct asl_measured *x)
{
	return x->gflops / (asl_row_simulated(x->row) ? 1 : x->row->ranks_used);
}

static double per_read(const struct asl_runs_row *x)
{
	return x->flops_total /
	       (x->nvm_read_words_total + x->dram_read_words_total);
}

static double per_write(const struct asl_runs_row *x)
{
	return x->flops_total /
	       (x->nvm_write_words_total + x->dram_write_words_total);
}

static bool fits(const struct asl_measured *x)
{
	return x->gflops > 0 && asl_row_timed(x->row) && x->row->r > 0 &&
	       x->row->w > 0 && isfinite(per_read(x->row)) &&
	       isfinite(per_write(x->row));
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
	asl_sheet_begin(p, t,
			"problem|ranks|algorithm|transport|flops a word read|"
			"flops a word written|GFLOP/s a rank|reading allows|"
			"writing allows");
	for (int i = 0; i < g->count && i < ASL_MOST_FIGURE_ROWS; i++) {
		const struct asl_runs_row *x = g->at[i]->row;

		asl_sheet_put(t, "%s%g%s%s%g%g%g%g%g\n", asl_say(x).size,
			      x->ranks, x->algorithm, x->transport, per_read(x),
			      per_write(x), speed(g->at[i]), per_read(x) / x->r,
			      per_write(x) / x->w);
	}
}

static void draw(struct asl_page *p, const struct asl_pack *g)
{
	const struct asl_runs_row *row = g->at[0]->row;
	struct asl_plot_range x = ASL_NO_RANGE, y = ASL_NO_RANGE;
	double top = row->gamma > 0 ? 1 / row->gamma : INFINITY;
	struct asl_plot plot;
	int most = asl_shown(g->count, ASL_MOST_FIGURE_ROWS);

	for (int i = 0; i < most; i++) {
		asl_range_add(&x, per_read(g->at[i]->row));
		asl_range_add(&x, per_write(g->at[i]->row));
		asl_range_add(&y, speed(g->at[i]));
	}
	asl_range_add(&y, fmin(top, x.low / row->r));
	asl_range_add(&y, fmin(top, x.high / row->w));
	asl_plot_open(&plot, p->f, p->title,
		      asl_axis_around(&x, "flops for a word read or written",
				      ASL_TENS),
		      asl_axis_around(&y, "GFLOP/s a rank", ASL_TENS));
	ceiling(&plot, row->r, top, READING, "reading allows");
	ceiling(&plot, row->w, top, WRITING, "writing allows");
	for (int i = 0; i < most; i++) {
		asl_plot_dot(&plot, per_read(g->at[i]->row), speed(g->at[i]),
			     READING, NULL);
		asl_plot_box(&plot, per_write(g->at[i]->row), speed(g->at[i]),
			     WRITING, NULL);
	}
	asl_plot_close(&plot);
}

static void figure(struct asl_page *p, const struct asl_pack *g)
{
	const struct asl_runs_row *row = g->at[0]->row;
	struct asl_sheet t;

	put_data(p, &t, g);
	asl_figure_begin(p,
			 "%.100s: a word read in %.3g ns (%.3g GB/s), written "
			 "in %.3g ns (%.3g GB/s)",
			 asl_page_place_of(p, row), row->r, 8 / row->r, row->w,
			 8 / row->w);
	draw(p, g);
	asl_note(p,
		 "Dots: a case by what it reads; squares: the same by what it "
		 "writes.%s%s",
		 row->gamma > 0 ? ""
				: " What arithmetic allows is not known: "
				  "the profile has no figure for a flop.",
		 g->count > ASL_MOST_FIGURE_ROWS
			 ? " The first 400 cases are drawn."
			 : "");
	asl_figure_end(p, NULL, &t);
}

static void write_section(struct asl_page *p)
{
	static const int by_roof[] = {COL_place, COL_r,	     COL_w,
				      COL_gamma, COL_family, COL_algorithm,
				      ASL_END};
	static const int by_machine[] = {COL_place, COL_r, COL_w, COL_gamma,
					 ASL_END};
	struct asl_packs all = asl_page_packs(p, asl_page_list(p, fits),
					      by_roof, by_machine, NULL);

	if (all.count) {
		fputs("<p>The more flops an algorithm makes of a word, the "
		      "faster memory lets it run: up to the slopes, one for "
		      "words read and one for words written. A dot far below "
		      "its slope is not held up by that. Above it, words came "
		      "faster than the profile says: it is of another "
		      "machine, or caches helped.</p>\n",
		      p->f);
		asl_page_figures(p, &all, ASL_MOST_PLOTS, figure);
	} else {
		asl_note(p, "Not drawn: no row has both a time and costs in "
			    "nanoseconds. Measure the machine with "
			    "<code>aslant calibrate</code>, and run with the "
			    "profile that it writes.");
	}
	if (all.count > ASL_MOST_PLOTS)
		asl_note(p, "Drawn are %d of %d sets of costs.", ASL_MOST_PLOTS,
			 all.count);
	free(all.at);
}

const struct asl_section asl_section_roofline = {
	.id = "roofline",
	.name = "roofline",
	.title = "Roofline",
	.write = write_section,
};
