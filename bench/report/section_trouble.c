/*
 * section_trouble.c -- what failed, and what nobody verified, before all else
 */
#include <math.h>
#include <stdio.h>

#include "bench/report/page.h"

static const char *const names[] = {
	"what is wrong", "algorithm",  "problem", "ranks", "grid",
	"residual",	 "result",     "run_id",  "rep",   "medium",
	"transport",	 "time (UTC)", NULL};

static const char *wrong(char text[ASL_SAID], const struct asl_row *x)
{
	int at = 0;

	*text = '\0';
	if (x->number[ASL_COL_VERIFIED] == 0)
		at += snprintf(text + at, ASL_SAID - at,
			       "the result failed verification; ");
	if (x->number[ASL_COL_EQUAL] == 0)
		at += snprintf(text + at, ASL_SAID - at,
			       "counts are not as predicted; ");
	if (*x->text[ASL_COL_EMULATION_VALID] == '0')
		at += snprintf(text + at, ASL_SAID - at,
			       "emulated too inexactly; ");
	if (!at)
		at = snprintf(text, ASL_SAID, "nobody verified it  ");
	text[at - 2] = '\0';
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

/* All rows of a verdict, as far as a table has room; how many there are. */
static int list(struct asl_page *p, struct asl_sheet *s,
		enum asl_verdict verdict)
{
	int found = 0;

	for (int i = 0; i < p->results->rows; i++) {
		if (p->results->sorted[i]->verdict != verdict)
			continue;
		if (found++ < ASL_MOST_FIGURE_ROWS)
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

static void failures(struct asl_page *p)
{
	struct asl_sheet s;
	int found;

	asl_sheet_begin(p, &s, names);
	if (p->failed)
		return;
	found = list(p, &s, ASL_BAD);
	if (!found) {
		asl_sheet_close(&s);
		return;
	}
	fputs("<div class=\"bad\"><p><b>", p->f);
	asl_page_say(p, "%d of %d rows failed.", found, p->results->rows);
	fputs("</b>", p->f);
	asl_page_say(p, " Do not trust these. A result that has a "
			"failed repetition is marked in the table of all "
			"results, and in no other figure.");
	say_rest(p, found);
	fputs("</p>\n", p->f);
	asl_page_table(p, &s, "failed.csv");
	fputs("</div>\n", p->f);
}

static void unverified(struct asl_page *p)
{
	struct asl_sheet s;
	int found;

	asl_sheet_begin(p, &s, names);
	if (p->failed)
		return;
	found = list(p, &s, ASL_UNKNOWN);
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
