/*
 * section_wear.c -- bytes written, as a share of what a device is rated for
 */
#include <math.h>
#include <stdlib.h>

#include "bench/command/report/page.h"

/* Of all ranks: what tiles store, and what the network deposits. */
static double bytes(const struct asl_row *x)
{
	double landed = x->number[ASL_COL_LANDED_ALL];

	return 8 *
	       (x->number[ASL_COL_WRITTEN_ALL] + (isnan(landed) ? 0 : landed));
}

static int compare(const void *a, const void *b)
{
	const struct asl_entry *x = *(struct asl_entry *const *)a;
	const struct asl_entry *y = *(struct asl_entry *const *)b;

	if (bytes(x->row) != bytes(y->row))
		return bytes(x->row) < bytes(y->row) ? 1 : -1;
	return (x > y) - (x < y);
}

static bool writes(const struct asl_entry *x)
{
	return bytes(x->row) > 0;
}

/* How long a device lasts if this is all that it ever does. */
static const char *lasts(char text[ASL_BRIEF], const struct asl_entry *x)
{
	double endurance = x->row->number[ASL_COL_ENDURANCE];

	if (isnan(endurance) || !x->wall.samples)
		return "";
	return asl_brief_seconds(text,
				 endurance / bytes(x->row) * x->wall.median);
}

static void put(struct asl_page *p, struct asl_sheet *t,
		const struct asl_entry *x)
{
	char text[ASL_SAID], brief[ASL_BRIEF];
	double endurance = x->row->number[ASL_COL_ENDURANCE];

	asl_sheet_text(t,
		       asl_page_place(p, (int)x->row->number[ASL_COL_PLACE]));
	asl_sheet_text(t, asl_say_size(text, x->row));
	asl_sheet_number(t, x->row->number[ASL_COL_RANKS]);
	asl_sheet_text(t, asl_say_how(text, x->row));
	asl_sheet_number(t, bytes(x->row));
	asl_sheet_number(t, bytes(x->row) / x->row->number[ASL_COL_FLOPS_ALL]);
	asl_sheet_number(t, bytes(x->row) / endurance);
	asl_sheet_number(t, endurance / bytes(x->row));
	asl_sheet_text(t, lasts(brief, x));
	asl_sheet_end_row(t);
}

static void explain(struct asl_page *p, bool rated)
{
	fputs("<p>", p->f);
	asl_page_say(p,
		     "Persistent memories wear out by being written. Counted "
		     "are words that all ranks of a run write to their "
		     "pools, without what the device may add (its own lines, "
		     "file systems). ");
	asl_page_say(p, "%s",
		     rated ? "The share is that of one repetition in what the "
			     "device of the profile is rated for, as if it had "
			     "written everything; the last column, how long it "
			     "lasts if it does nothing else, at the measured "
			     "speed."
			   : "What share that is of a device's life is not "
			     "known: no profile that was used has a figure "
			     "'endurance'.");
	fputs("</p>\n", p->f);
}

void asl_section_wear(struct asl_page *p)
{
	static const char *const names[] = {"result",
					    "problem",
					    "ranks",
					    "algorithm",
					    "bytes written",
					    "bytes a flop",
					    "share of a device",
					    "runs until then",
					    "lasts",
					    NULL};
	int entries = asl_page_list(p, writes);
	int shown = entries < ASL_MOST_LINES / 3 ? entries : ASL_MOST_LINES / 3;
	bool rated = false;
	struct asl_sheet t;

	asl_page_section(p, "wear", "Wear");
	for (int i = 0; i < entries; i++)
		rated |= !isnan(p->list[i]->row->number[ASL_COL_ENDURANCE]);
	explain(p, rated);
	qsort(p->list, (size_t)entries, sizeof *p->list, compare);
	asl_sheet_begin(p, &t, names);
	for (int i = 0; !p->failed && i < shown; i++)
		put(p, &t, p->list[i]);
	if (p->failed)
		return;
	asl_page_table(p, &t, "wear.csv");
	if (shown < entries)
		fprintf(p->f,
			"<p class=\"note\">The %d that write most, of %d; the "
			"others wear less.</p>\n",
			shown, entries);
}
