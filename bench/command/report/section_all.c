/*
 * section_all.c -- all results in one table, and how they were obtained
 */
#include <stdlib.h>

#include "bench/command/report/page.h"

static const char *verified(const struct asl_measured *x)
{
	if (x->row->verified == 0)
		return "FAILED";
	if (x->trouble <= ASL_MISCOUNTED)
		return "some failed";
	if (x->unverified)
		return "no";
	return isnan(x->row->verified) ? "" : "yes";
}

static double predicted(const struct asl_runs_row *row)
{
	return asl_row_out_of_core(row) ? row->predicted_q_full_max
					: row->predicted_q_apm_max;
}

static void put(struct asl_page *p, struct asl_sheet *t,
		const struct asl_measured *x, double *scratch)
{
	const struct asl_runs_row *row = x->row;
	bool timed = x->time.samples;

	asl_sheet_put(t, "%s%s%s%g%s%s%s%s%s%g%g%g%g%g%g",
		      asl_page_place_of(p, row), row->label, asl_say(row).size,
		      row->ranks, row->algorithm, row->kernel, row->grid,
		      row->medium, row->transport, row->r, row->w, row->beta,
		      row->bh_words_max, row->net_bound_words,
		      row->net_bound_ratio);
	asl_sheet_put(t, "%g%g%g%g%g%s%s%d%g%g%g%g%g%g", row->read_words_max,
		      row->write_words_max, asl_row_cost(row),
		      asl_row_busiest_cost(row), predicted(row),
		      row->predicted_equal == 1 ? "yes" : "NO", verified(x),
		      x->count, timed ? x->time.median : NAN,
		      timed ? x->time.low : NAN, timed ? x->time.high : NAN,
		      x->gflops, row->predicted_s,
		      timed && !isnan(row->prediction_error)
			      ? row->predicted_s / x->time.median
			      : NAN);
	asl_sheet_put(t, "%d%g\n", asl_outliers(x->wall_s, x->time.samples),
		      asl_case_median(scratch, x, COL_mhz));
}

static void write_all(struct asl_page *p)
{
	const struct asl_results *r = p->results;
	int shown = asl_shown(r->count, ASL_MOST_CASES);
	double *scratch = calloc((size_t)r->rows + 1, sizeof *scratch);
	struct asl_sheet t;

	asl_html(p->f, "<p>%d rows are repetitions of %d results. ", r->rows,
		 r->count);
	if (shown < r->count)
		asl_html(p->f,
			 "The table has the first %d of these; all rows are in",
			 shown);
	else
		fputs("All columns are in", p->f);
	for (int i = 0; i < r->places; i++)
		asl_html(p->f, "%s %s/runs.csv", i ? "," : "", r->dir[i]);
	fputs(".</p>\n", p->f);
	asl_sheet_begin(
		p, &t,
		"result|label|problem|ranks|algorithm|kernel|grid|pools "
		"on|transport|"
		"r|w|\xce\xb2|sent, B_h|lower bound|times bound|read, B_r|"
		"written, B_w|cost Q|busiest rank's|predicted|as "
		"predicted|verified|"
		"repetitions|seconds|low|high|GFLOP/s|"
		"predicted seconds|times as long|outliers|clock, MHz");
	for (int i = 0; scratch && i < shown; i++)
		put(p, &t, &r->cases[i], scratch);
	asl_page_details(p, &t, "Table", NULL);
	p->failed |= !scratch;
	free(scratch);
}

static void write_method(struct asl_page *p)
{
	fputs("<dl>\n"
	      "<dt>B<sub>r</sub>, B<sub>w</sub>, B<sub>h</sub></dt><dd>Words "
	      "(8 bytes) that the busiest rank reads from memory into its "
	      "cache, writes from there to memory, and exchanges with other "
	      "ranks.</dd>\n"
	      "<dt>r, w, &#946;</dt><dd>What a word of each of them costs on "
	      "this machine: in nanoseconds, or relative to each other.</dd>\n"
	      "<dt>Q</dt><dd>r B<sub>r</sub> + w B<sub>w</sub> + &#946; "
	      "B<sub>h</sub>, and messages and flops if they cost anything, "
	      "along the critical path: a rank that receives a message goes on "
	      "no earlier than its sender. The busiest rank&#39;s is what the "
	      "rank with most to do costs by itself, and so is the predicted "
	      "one. Contractions out of core are judged by the "
	      "accounting <i>full</i>, which tells pool from DRAM.</dd>\n"
	      "<dt>as predicted</dt><dd>Every counter of every rank and phase "
	      "equals its prediction.</dd>\n"
	      "<dt>lower bound</dt><dd>Words that no algorithm can do "
	      "without.</dd>\n"
	      "<dt>times</dt><dd>Medians of all repetitions, never the best of "
	      "them. <i>Low</i> and <i>high</i> are measured times that "
	      "enclose the true median with a probability of 95% or more "
	      "(order statistics, exact binomial), from 6 repetitions on; of "
	      "fewer they are the least and the largest.</dd>\n"
	      "<dt>predicted seconds</dt><dd>From what the verbs of a run take "
	      "by the times of the profile, or of the built-in machine, along "
	      "the critical path; beside measured times of ranks that run side "
	      "by side, how many times as long.</dd>\n"
	      "<dt>results</dt><dd>Rows with the same request, counts, costs, "
	      "medium, network and machine are repetitions of one "
	      "result.</dd>\n</dl>\n",
	      p->f);
}

const struct asl_section asl_section_all = {
	.id = "all",
	.name = "all results",
	.title = "All results",
	.write = write_all,
};

const struct asl_section asl_section_method = {
	.id = "method",
	.name = "how to read it",
	.title = "How to read it",
	.write = write_method,
};
