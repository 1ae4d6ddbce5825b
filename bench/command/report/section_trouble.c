/*
 * section_trouble.c -- what failed, and what nobody verified, before all else
 */
#include <stdbool.h>
#include <stdio.h>

#include "bench/command/report/page.h"

static const char *const names[] = {
	"what is wrong", "algorithm",  "problem", "ranks", "grid",
	"residual",	 "result",     "run_id",  "rep",   "medium",
	"transport",	 "time (UTC)", NULL};

static bool unequal(const struct asl_row *x)
{
	return x->number[ASL_COL_EQUAL] == 0;
}

static bool refuted(const struct asl_row *x)
{
	return x->number[ASL_COL_VERIFIED] == 0;
}

static bool inexact(const struct asl_row *x)
{
	return *x->text[ASL_COL_EMULATION_VALID] == '0';
}

static const struct reason {
	bool (*is)(const struct asl_row *x);
	const char *text;
} reasons[] = {
	{refuted, "the result failed verification"},
	{unequal, "counts are not as predicted"},
	{inexact, "emulated too inexactly"},
};

enum { REASONS = sizeof reasons / sizeof reasons[0] };

static const char *wrong(char text[ASL_SAID], const struct asl_row *x)
{
	int at = 0;

	for (int i = 0; i < REASONS; i++)
		if (reasons[i].is(x))
			at += snprintf(text + at, (size_t)(ASL_SAID - at),
				       "%s%s", at ? "; " : "", reasons[i].text);
	if (!at)
		snprintf(text, ASL_SAID, "nobody verified it");
	return text;
}

static void put(struct asl_page *p, struct asl_sheet *s,
		const struct asl_row *x)
{
	char text[ASL_SAID];

	asl_sheet_text(s, wrong(text, x));
	asl_sheet_text(s, x->text[ASL_COL_ALGORITHM]);
	asl_sheet_text(s, asl_say_size(text, x));
	asl_sheet_number(s, x->number[ASL_COL_RANKS]);
	asl_sheet_text(s, x->text[ASL_COL_GRID]);
	asl_sheet_number(s, x->number[ASL_COL_RESIDUAL]);
	asl_sheet_text(s, asl_page_place(p, (int)x->number[ASL_COL_PLACE]));
	asl_sheet_text(s, x->text[ASL_COL_RUN_ID]);
	asl_sheet_number(s, x->number[ASL_COL_REP]);
	asl_sheet_text(s, x->text[ASL_COL_MEDIUM]);
	asl_sheet_text(s, x->text[ASL_COL_TRANSPORT]);
	asl_sheet_text(s, x->text[ASL_COL_TIME]);
	asl_sheet_end_row(s);
}

/* The first rows of a verdict, up to `most`; how many there are in all. */
static int list(struct asl_page *p, struct asl_sheet *s,
		enum asl_verdict verdict, int most)
{
	int found = 0;

	for (int i = 0; i < p->results->rows; i++) {
		if (p->results->sorted[i]->verdict != verdict)
			continue;
		if (found++ < most)
			put(p, s, p->results->sorted[i]);
	}
	return found;
}

static void say_rest(struct asl_page *p, int found)
{
	if (found > ASL_MOST_FIGURE_ROWS)
		asl_page_say(p,
			     " The table has the first %d of them; runs.csv "
			     "has all.",
			     ASL_MOST_FIGURE_ROWS);
}

/* "the result failed verification (3), emulated too inexactly (12)" */
static void say_reasons(struct asl_page *p)
{
	const char *comma = "";

	for (int k = 0; k < REASONS; k++) {
		int found = 0;

		for (int i = 0; i < p->results->rows; i++)
			found += reasons[k].is(p->results->sorted[i]);
		if (found) {
			asl_page_say(p, "%s%s (%d)", comma, reasons[k].text,
				     found);
			comma = ", ";
		}
	}
}

/* Many would push away all else: then the rest opens on demand. */
static void failures(struct asl_page *p)
{
	enum { SIGHT = 10 };
	struct asl_sheet s;
	int found;

	asl_sheet_begin(p, &s, names);
	if (p->failed)
		return;
	found = list(p, &s, ASL_BAD, SIGHT);
	if (!found) {
		asl_sheet_close(&s);
		return;
	}
	fputs("<div class=\"bad\"><p><b>", p->f);
	asl_page_say(p, "%d of %d rows failed:", found, p->results->rows);
	fputs("</b> ", p->f);
	say_reasons(p);
	asl_page_say(p, ". Do not trust these. A result that has a "
			"failed repetition is marked in the table of all "
			"results, and in no other figure.");
	say_rest(p, found);
	fputs("</p>\n", p->f);
	asl_page_table(p, &s,
		       found > SIGHT ? "failed-first.csv" : "failed.csv");
	if (found > SIGHT) {
		asl_sheet_begin(p, &s, names);
		if (p->failed)
			return;
		list(p, &s, ASL_BAD, ASL_MOST_FIGURE_ROWS);
		asl_page_details(p, &s, "More of them", "failed.csv");
	}
	fputs("</div>\n", p->f);
}

static void unverified(struct asl_page *p)
{
	struct asl_sheet s;
	int found;

	asl_sheet_begin(p, &s, names);
	if (p->failed)
		return;
	found = list(p, &s, ASL_UNKNOWN, ASL_MOST_FIGURE_ROWS);
	if (!found) {
		asl_sheet_close(&s);
		return;
	}
	fputs("<div class=\"warn\"><p><b>", p->f);
	asl_page_say(p, "%d of %d rows were not verified", found,
		     p->results->rows);
	fputs("</b>", p->f);
	asl_page_say(p, " (--verify none): their counts and times are shown "
			"below, but nobody looked at their results.");
	say_rest(p, found);
	fputs("</p>\n", p->f);
	asl_page_details(p, &s, "Which", "unverified.csv");
	fputs("</div>\n", p->f);
}

void asl_section_trouble(struct asl_page *p)
{
	int good = 0, counted = 0, replayed = 0;

	failures(p);
	unverified(p);
	for (int i = 0; i < p->results->rows; i++) {
		const struct asl_row *x = p->results->sorted[i];

		good += x->number[ASL_COL_VERIFIED] == 1 &&
			x->verdict == ASL_GOOD;
		counted += !asl_row_moved(x) && x->verdict == ASL_GOOD;
		replayed += *x->text[ASL_COL_CACHE_MODEL] != '\0';
	}
	fputs("<p class=\"fine\">", p->f);
	if (good)
		asl_page_say(p,
			     "%d of %d rows were verified, and every "
			     "counter of every rank is as predicted. ",
			     good, p->results->rows);
	if (counted)
		asl_page_say(p,
			     "%d of %d rows only count: no words were "
			     "moved, so that there is no result to verify "
			     "and no time.",
			     counted, p->results->rows);
	if (replayed)
		asl_page_say(p,
			     " Times of %d row%s are left out, as a cache "
			     "was replayed in them.",
			     replayed, replayed == 1 ? "" : "s");
	fputs("</p>\n", p->f);
}
