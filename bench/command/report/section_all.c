/*
 * section_all.c -- all results in one table, and how they were obtained
 */
#include <math.h>

#include "bench/command/report/page.h"

static const char *verified(const struct asl_measured *x)
{
	if (x->row->verified == 0)
		return "FAILED";
	if (x->trouble <= ASL_MISEMULATED)
		return "some failed";
	if (x->unverified)
		return "no";
	return isnan(x->row->verified) ? "" : "yes";
}

static void put(struct asl_page *p, struct asl_sheet *t,
		const struct asl_measured *x)
{
	const struct asl_runs_row *row = x->row;
	struct asl_said said = asl_say(row);
	bool timed = x->time.samples;

	ASL_SHEET_ROW(t, ASL_T(asl_page_place_of(p, row)), ASL_T(said.size),
		      ASL_N(row->ranks), ASL_T(row->algorithm),
		      ASL_T(row->kernel), ASL_T(row->grid), ASL_T(row->medium),
		      ASL_T(row->transport), ASL_N(row->r), ASL_N(row->w),
		      ASL_N(row->beta), ASL_N(row->bh_words_max),
		      ASL_N(row->net_bound_words), ASL_N(row->net_bound_ratio),
		      ASL_N(row->read_words_max), ASL_N(row->write_words_max),
		      ASL_N(asl_row_cost(row)), ASL_N(asl_row_predicted(row)),
		      ASL_T(row->predicted_equal == 1 ? "yes" : "NO"),
		      ASL_T(verified(x)), ASL_N(x->count),
		      ASL_N(timed ? x->time.median : NAN),
		      ASL_N(timed ? x->time.low : NAN),
		      ASL_N(timed ? x->time.high : NAN), ASL_N(x->gflops));
}

static void write_all(struct asl_page *p)
{
	const struct asl_results *r = p->results;
	int shown = r->count < ASL_MOST_CASES ? r->count : ASL_MOST_CASES;
	struct asl_sheet t;

	fputs("<p>", p->f);
	asl_page_say(p, "%d rows are repetitions of %d results. ", r->rows,
		     r->count);
	if (shown < r->count)
		asl_page_say(p,
			     "The table has the first %d of these; all rows "
			     "are in",
			     shown);
	else
		asl_page_say(p, "All columns are in");
	for (int i = 0; i < r->places; i++)
		asl_page_say(p, "%s %s/runs.csv", i ? "," : "", r->dir[i]);
	fputs(".</p>\n", p->f);
	asl_sheet_begin(
		p, &t,
		"result|problem|ranks|algorithm|kernel|grid|pools on|transport|"
		"r|w|\xce\xb2|sent, B_h|lower bound|times bound|read, B_r|"
		"written, B_w|cost Q|predicted Q|as predicted|verified|"
		"repetitions|seconds|low|high|GFLOP/s");
	for (int i = 0; i < shown; i++)
		put(p, &t, &r->cases[i]);
	asl_page_details(p, &t, "Table", NULL);
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
	      "B<sub>h</sub>, and messages and flops if they cost anything, of "
	      "the busiest rank. Contractions out of core are judged by the "
	      "accounting <i>full</i>, which tells pool from DRAM.</dd>\n"
	      "<dt>as predicted</dt><dd>Every counter of every rank and phase "
	      "equals a closed form that was written independently.</dd>\n"
	      "<dt>lower bound</dt><dd>Words that no algorithm can do "
	      "without.</dd>\n"
	      "<dt>times</dt><dd>Medians of all repetitions, never the best of "
	      "them. <i>Low</i> and <i>high</i> are measured times that "
	      "enclose the true median with a probability of 95% or more "
	      "(order statistics, exact binomial), from 6 repetitions on; of "
	      "fewer they are the least and the largest.</dd>\n"
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
