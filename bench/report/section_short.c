/*
 * section_short.c -- which algorithm is best here, by how much, and why
 *
 * Of every case that more than one algorithm solved: the one of least counted
 * cost, the next of another name, and which kind of words makes the difference;
 * and, where times were measured, the fastest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/brief.h"
#include "bench/report/contest.h"
#include "bench/report/page.h"
#include "bench/stats.h"

/* ---- The table ---- */

/* "fused in 2.1 ms", or two of them where intervals touch. */
static const char *say_fastest(char text[ASL_SAID], const struct asl_contest *c)
{
	char s[ASL_BRIEF];

	if (!c->fastest)
		return "";
	asl_brief_seconds(s, c->fastest->wall.median);
	if (c->second && c->second->wall.low <= c->fastest->wall.high)
		snprintf(text, ASL_SAID, "%.60s (%s); too close to %.60s",
			 c->fastest->row->text[ASL_COL_ALGORITHM], s,
			 c->second->row->text[ASL_COL_ALGORITHM]);
	else
		snprintf(text, ASL_SAID, "%.60s (%s)",
			 c->fastest->row->text[ASL_COL_ALGORITHM], s);
	return text;
}

/* Columns that would be empty are not there. */
struct columns {
	bool place, inside, fastest;
};

static void put_contest(struct asl_page *p, struct asl_sheet *s,
			const struct asl_contest *c, const struct columns *has)
{
	const struct asl_row *best = c->best->row;
	char text[ASL_SAID];

	if (has->place)
		asl_sheet_text(
			s, asl_page_place(p, (int)best->number[ASL_COL_PLACE]));
	asl_sheet_text(s, asl_say_size(text, best));
	asl_sheet_number(s, best->number[ASL_COL_RANKS]);
	asl_sheet_number(s,
			 best->number[ASL_COL_W] / best->number[ASL_COL_BETA]);
	asl_sheet_text(s, best->text[ASL_COL_ALGORITHM]);
	asl_sheet_text(s, c->next->row->text[ASL_COL_ALGORITHM]);
	asl_sheet_number(s, asl_contest_lead(c));
	asl_sheet_text(s, asl_contest_why(text, c));
	if (has->inside)
		asl_sheet_text(
			s, c->inside ? c->inside->row->text[ASL_COL_ALGORITHM]
				     : "");
	if (has->fastest)
		asl_sheet_text(s, say_fastest(text, c));
	asl_sheet_number(s, asl_row_cost(best));
	asl_sheet_text(s, asl_say_costs(text, best));
	asl_sheet_text(s, asl_say_means(text, best));
	asl_sheet_end_row(s);
}

static void begin(struct asl_page *p, struct asl_sheet *s,
		  const struct columns *has)
{
	const char *const names[] = {
		has->place ? "result" : NULL,
		"problem",
		"ranks",
		"w/\xce\xb2",
		"least cost",
		"next best",
		"costs times as much",
		"because the best moves",
		has->inside ? "best that keeps to the model" : NULL,
		has->fastest ? "shortest time" : NULL,
		"Q",
		"costs of a word",
		"on",
	};

	asl_sheet_begin(p, s, NULL);
	for (size_t i = 0; !p->failed && i < sizeof names / sizeof names[0];
	     i++)
		if (names[i])
			asl_sheet_text(s, names[i]);
	if (!p->failed)
		asl_sheet_end_row(s);
}

static struct columns columns_of(const struct asl_page *p,
				 const struct asl_contest *c, int count)
{
	struct columns has = {.place = p->results->places > 1};

	for (int i = 0; i < count; i++) {
		has.inside |= c[i].inside != c[i].best;
		has.fastest |= c[i].fastest != NULL;
	}
	return has;
}

static void table(struct asl_page *p, const struct asl_contest *c, int count,
		  bool open)
{
	struct columns has = columns_of(p, c, count);
	struct asl_sheet s;

	begin(p, &s, &has);
	for (int i = 0; !p->failed && i < count; i++)
		put_contest(p, &s, &c[i], &has);
	if (p->failed)
		return;
	if (open)
		asl_page_table(p, &s, "best.csv");
	else
		asl_page_details(p, &s, "More cases", "best-more.csv");
}

static void show(struct asl_page *p, const struct asl_contest *c, int count)
{
	int sight = count < ASL_MOST_LINES / 2 ? count : ASL_MOST_LINES / 2;
	int most = count < ASL_MOST_ENTRIES / 2 ? count : ASL_MOST_ENTRIES / 2;

	asl_contests_say(p, c, count);
	table(p, c, sight, true);
	if (most > sight)
		table(p, c + sight, most - sight, false);
	if (count > most) {
		fputs("<p class=\"note\">", p->f);
		asl_page_say(p,
			     "%d more cases are not in these tables; "
			     "runs.csv has them.",
			     count - most);
		fputs("</p>\n", p->f);
	}
}

void asl_section_short(struct asl_page *p)
{
	int entries = asl_page_list(p, NULL), count = 0;
	struct asl_contest *c = calloc((size_t)entries + 1, sizeof *c);
	struct asl_pack g = {0};

	p->failed |= !c;
	asl_page_section(p, "short", "Which algorithm is best here");
	asl_entries_sort(p->list, entries, asl_by_case);
	while (c && asl_pack_next(&g, p->list, entries, asl_by_case))
		count += asl_contest_judge(&c[count], &g);
	if (count)
		show(p, c, count);
	else
		fputs("<p class=\"note\">No case was solved by two "
		      "algorithms: there is nothing to choose from.</p>\n",
		      p->f);
	free(c);
}
