/*
 * section_wear.c -- bytes written, as a share of what a device is rated for
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"

/* Bytes that tiles of all ranks store, and that the network deposits. */
static double bytes(const struct asl_runs_row *x)
{
	return asl_row_bytes(x, x->nvm_write_words_total +
					asl_known(x->nvm_land_words_total));
}

/* 0: they differ in what words cost alone, and are one line. */
static int compare_lines(const struct asl_measured *a,
			 const struct asl_measured *b)
{
	const struct asl_runs_row *x = a->row, *y = b->row;
	struct asl_said p, q;
	int order;

	if (bytes(x) != bytes(y))
		return bytes(x) < bytes(y) ? 1 : -1;
	if (x->place != y->place || x->ranks != y->ranks)
		return x->place != y->place ? (x->place < y->place ? -1 : 1)
					    : (x->ranks < y->ranks ? -1 : 1);
	p = asl_say(x);
	q = asl_say(y);
	order = strcmp(p.size, q.size);
	return order ? order : strcmp(p.how, q.how);
}

static int compare(const void *a, const void *b)
{
	const struct asl_measured *x = *(struct asl_measured *const *)a;
	const struct asl_measured *y = *(struct asl_measured *const *)b;
	int order = compare_lines(x, y);

	return order ? order : (x > y) - (x < y);
}

static bool writes(const struct asl_measured *x)
{
	return bytes(x->row) > 0;
}

/* The first case of each line, of cases in order; returns their number. */
static int leave_lines(struct asl_page *p, int cases)
{
	int lines = 0;

	for (int i = 0; i < cases; i++)
		if (!lines || compare_lines(p->list[lines - 1], p->list[i]))
			p->list[lines++] = p->list[i];
	return lines;
}

static void put(struct asl_page *p, struct asl_sheet *t,
		const struct asl_measured *x)
{
	struct asl_said said = asl_say(x->row);
	double endurance = x->row->endurance_bytes, b = bytes(x->row);
	char lasts[ASL_BRIEF] = "";

	if (!isnan(endurance) && x->time.samples)
		asl_brief_seconds(lasts, endurance / b * x->time.median);
	asl_sheet_put(t, "%s%s%g%s%g%g%g%g%s\n", asl_page_place_of(p, x->row),
		      said.size, x->row->ranks, said.how, b,
		      b / x->row->flops_total, b / endurance, endurance / b,
		      lasts);
}

static void explain(struct asl_page *p, bool rated)
{
	asl_html(p->f,
		 "<p>Persistent memories wear out by being written. Counted "
		 "are words that all ranks of a run write to their pools, "
		 "without what the device may add (its own lines, file "
		 "systems). %s</p>\n",
		 rated ? "The share is that of one repetition in what the "
			 "device of the profile is rated for, as if it had "
			 "written everything; the last column, how long it "
			 "lasts if it does nothing else, at the measured "
			 "speed."
		       : "What share that is of a device's life is not known: "
			 "no profile that was used has a figure 'endurance'.");
}

static void write_section(struct asl_page *p)
{
	int cases = asl_page_list(p, writes), shown;
	bool rated = false;
	struct asl_sheet t;

	for (int i = 0; i < cases; i++)
		rated |= !isnan(p->list[i]->row->endurance_bytes);
	explain(p, rated);
	qsort(p->list, (size_t)cases, sizeof *p->list, compare);
	cases = leave_lines(p, cases);
	shown = asl_shown(cases, ASL_MOST_LINES / 3);
	asl_sheet_begin(p, &t,
			"result|problem|ranks|algorithm|bytes written|"
			"bytes a flop|share of a device|runs until then|"
			"lasts");
	for (int i = 0; i < shown; i++)
		put(p, &t, p->list[i]);
	asl_page_table(p, &t, "wear.csv");
	if (shown < cases)
		asl_note(p,
			 "The %d that write most, of %d; the others wear less.",
			 shown, cases);
}

const struct asl_section asl_section_wear = {
	.id = "wear",
	.name = "wear",
	.title = "Wear",
	.write = write_section,
};
