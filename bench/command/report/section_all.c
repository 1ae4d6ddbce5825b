/*
 * section_all.c -- all results in one table, and how they were obtained
 */
#include <math.h>

#include "bench/command/report/page.h"

static const char *const names[] = {
	"result",      "problem",     "ranks",	      "algorithm",
	"kernel",      "grid",	      "pools on",     "transport",
	"r",	       "w",	      "\xce\xb2",     "sent, B_h",
	"lower bound", "times bound", "read, B_r",    "written, B_w",
	"cost Q",      "predicted Q", "as predicted", "verified",
	"repetitions", "seconds",     "low",	      "high",
	"GFLOP/s",     NULL};

static const char *verified(const struct asl_entry *x)
{
	if (x->row->number[ASL_COL_VERIFIED] == 0)
		return "FAILED";
	if (x->of[ASL_BAD])
		return "some failed";
	if (x->of[ASL_UNKNOWN])
		return "no";
	return isnan(x->row->number[ASL_COL_VERIFIED]) ? "" : "yes";
}

static void put_time(struct asl_sheet *t, const struct asl_entry *x)
{
	bool timed = x->wall.samples;

	asl_sheet_number(t, x->count);
	asl_sheet_number(t, timed ? x->wall.median : NAN);
	asl_sheet_number(t, timed ? x->wall.low : NAN);
	asl_sheet_number(t, timed ? x->wall.high : NAN);
	asl_sheet_number(t, x->gflops);
}

static void put(struct asl_page *p, struct asl_sheet *t,
		const struct asl_entry *x)
{
	static const enum asl_column after[] = {
		ASL_COL_R,	  ASL_COL_W,	     ASL_COL_BETA,
		ASL_COL_BH_WORDS, ASL_COL_NET_BOUND, ASL_COL_NET_RATIO,
		ASL_COL_READ,	  ASL_COL_WRITTEN};
	const struct asl_row *row = x->row;
	char text[ASL_SAID];

	asl_sheet_text(t, asl_page_place(p, (int)row->number[ASL_COL_PLACE]));
	asl_sheet_text(t, asl_say_size(text, row));
	asl_sheet_number(t, row->number[ASL_COL_RANKS]);
	asl_sheet_text(t, row->text[ASL_COL_ALGORITHM]);
	asl_sheet_text(t, row->text[ASL_COL_KERNEL]);
	asl_sheet_text(t, row->text[ASL_COL_GRID]);
	asl_sheet_text(t, row->text[ASL_COL_MEDIUM]);
	asl_sheet_text(t, row->text[ASL_COL_TRANSPORT]);
	for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
		asl_sheet_number(t, row->number[after[i]]);
	asl_sheet_number(t, asl_row_cost(row));
	asl_sheet_number(t, asl_row_predicted(row));
	asl_sheet_text(t, row->number[ASL_COL_EQUAL] == 1 ? "yes" : "NO");
	asl_sheet_text(t, verified(x));
	put_time(t, x);
	asl_sheet_end_row(t);
}

static void method(struct asl_page *p)
{
	asl_page_section(p, "method", "How to read it");
	fputs("<dl>\n"
	      "<dt>B<sub>r</sub>, B<sub>w</sub>, B<sub>h</sub></dt><dd>Words "
	      "(8 "
	      "bytes) that the busiest rank reads from memory into its cache, "
	      "writes from there to memory, and exchanges with other "
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
	      "enclose "
	      "the true median with a probability of 95% or more (order "
	      "statistics, exact binomial), from 6 repetitions on; of fewer "
	      "they are the least and the largest.</dd>\n"
	      "<dt>results</dt><dd>Rows with the same algorithm, grid, kernel, "
	      "problem, costs, machine and counts are repetitions of one "
	      "result.</dd>\n</dl>\n",
	      p->f);
}

void asl_section_all(struct asl_page *p)
{
	int entries = p->results->entries;
	int shown = entries < ASL_MOST_ENTRIES ? entries : ASL_MOST_ENTRIES;
	struct asl_sheet t;

	asl_page_section(p, "all", "All results");
	fputs("<p>", p->f);
	asl_page_say(p, "%d rows are repetitions of %d results. ",
		     p->results->rows, entries);
	if (shown < entries)
		asl_page_say(p,
			     "The table has the first %d of these; all rows "
			     "are in",
			     shown);
	else
		asl_page_say(p, "All columns are in");
	for (int i = 0; i < p->results->places; i++)
		asl_page_say(p, "%s %s/runs.csv", i ? "," : "",
			     p->results->dir[i]);
	fputs(".</p>\n", p->f);
	asl_sheet_begin(p, &t, names);
	for (int i = 0; !p->failed && i < shown; i++)
		put(p, &t, &p->results->entry[i]);
	if (p->failed)
		return;
	fputs("<details><summary>Table</summary>\n", p->f);
	p->failed |= asl_sheet_table(&t, p->f) != 0;
	asl_sheet_close(&t);
	fputs("</details>\n", p->f);
	method(p);
}
