/*
 * section_trouble.c -- rows that failed, and what was checked
 */
#include "bench/command/report/page.h"

/* What is wrong with a row that has 0 in a column. */
static const struct reason {
	size_t offset;
	const char *text;
} reasons[] = {
	{offsetof(struct asl_runs_row, verified),
	 "the result failed verification"},
	{offsetof(struct asl_runs_row, predicted_equal),
	 "counts are not as predicted"},
};

enum { REASONS = sizeof reasons / sizeof reasons[0] };

static bool holds(const struct reason *reason, const struct asl_runs_row *x)
{
	const void *at = (const char *)x + reason->offset;

	return *(const double *)at == 0;
}

static void put(struct asl_page *p, struct asl_sheet *s,
		const struct asl_runs_row *x)
{
	char text[ASL_SAID] = "it was not verified";
	int at = 0;

	for (int i = 0; i < REASONS; i++)
		if (holds(&reasons[i], x))
			at += snprintf(text + at, (size_t)(ASL_SAID - at),
				       "%s%s", at ? "; " : "", reasons[i].text);
	asl_sheet_put(s, "%s%s%s%g%s%g%s%s%g%s%s%s\n", text, x->algorithm,
		      asl_say(x).size, x->ranks, x->grid, x->residual,
		      asl_page_place_of(p, x), x->run_id, x->rep, x->medium,
		      x->transport, x->time_utc);
}

/* A table of the first rows, up to `most`; how many there are in all. */
static int list(struct asl_page *p, struct asl_sheet *s,
		bool (*is)(const struct asl_runs_row *x), int most)
{
	int found = 0;

	asl_sheet_begin(p, s,
			"what is wrong|algorithm|problem|ranks|grid|residual|"
			"result|run_id|rep|medium|transport|time (UTC)");
	for (int i = 0; i < p->results->count; i++)
		for (int k = 0; k < p->results->cases[i].count; k++) {
			const struct asl_runs_row *x =
				p->results->cases[i].rows[k];

			if (is(x) && found++ < most)
				put(p, s, x);
		}
	return found;
}

static void say_rest(struct asl_page *p, int found)
{
	if (found > ASL_MOST_FIGURE_ROWS)
		asl_html(p->f,
			 " The table has the first %d of them; runs.csv has "
			 "all.",
			 ASL_MOST_FIGURE_ROWS);
	fputs("</p>\n", p->f);
}

/* "the result failed verification (3), emulated too inexactly (12)" */
static void say_reasons(struct asl_page *p)
{
	const char *comma = "";

	for (int k = 0; k < REASONS; k++) {
		int found = 0;

		for (int i = 0; i < p->results->rows; i++)
			found += holds(&reasons[k], &p->results->row[i]);
		if (found) {
			asl_html(p->f, "%s%s (%d)", comma, reasons[k].text,
				 found);
			comma = ", ";
		}
	}
}

/* Many would push away all else: then the rest opens on demand. */
static void say_failed(struct asl_page *p)
{
	enum { SIGHT = 10 };
	struct asl_sheet s;
	int found = list(p, &s, asl_row_is_bad, SIGHT);

	if (!found) {
		asl_sheet_close(&s);
		return;
	}
	asl_html(p->f, "<div class=\"bad\"><p><b>%d of %d rows failed:</b> ",
		 found, p->results->rows);
	say_reasons(p);
	fputs(". Do not trust these. A result that has a failed repetition is "
	      "marked in the table of all results, and in no other figure.",
	      p->f);
	say_rest(p, found);
	asl_page_table(p, &s,
		       found > SIGHT ? "failed-first.csv" : "failed.csv");
	if (found > SIGHT) {
		list(p, &s, asl_row_is_bad, ASL_MOST_FIGURE_ROWS);
		asl_page_details(p, &s, "More of them", "failed.csv");
	}
	fputs("</div>\n", p->f);
}

static void say_unverified(struct asl_page *p)
{
	struct asl_sheet s;
	int found = list(p, &s, asl_row_unverified, ASL_MOST_FIGURE_ROWS);

	if (!found) {
		asl_sheet_close(&s);
		return;
	}
	asl_html(p->f,
		 "<div class=\"warn\"><p><b>%d of %d rows were not "
		 "verified</b> (--verify none): their counts and times are "
		 "shown below, but their results were not checked.",
		 found, p->results->rows);
	say_rest(p, found);
	asl_page_details(p, &s, "Which", "unverified.csv");
	fputs("</div>\n", p->f);
}

/* Rows whose times are not what they seem. */
static void say_times(struct asl_page *p)
{
	int replayed = 0, late = 0, busy = 0;

	for (int i = 0; i < p->results->rows; i++) {
		const struct asl_runs_row *x = &p->results->row[i];

		replayed += *x->cache_model != '\0';
		late += x->emulation_valid == 0;
		busy += x->busy == 1;
	}
	if (replayed)
		asl_html(p->f,
			 " Times of %d row%s are left out, as a cache was "
			 "replayed in them.",
			 replayed, replayed == 1 ? "" : "s");
	if (late)
		asl_html(p->f,
			 " Times of %d row%s are left out, as emulated memory "
			 "was late in them; their costs are not.",
			 late, late == 1 ? "" : "s");
	if (busy)
		asl_html(p->f, " In %d row%s other work kept cores busy%s.",
			 busy, busy == 1 ? "" : "s",
			 p->results->places > 1
				 ? "; --busy compares cases with half of "
				   "their rows so, too"
				 : "");
}

/* Cases whose repetitions disagree for a reason that is in their rows. */
static void say_spread(struct asl_page *p)
{
	int outliers = 0, times = 0, clocks = 0;

	for (int i = 0; i < p->results->count; i++) {
		const struct asl_measured *x = &p->results->cases[i];
		double low = NAN, high = NAN;

		outliers += asl_outliers(x->wall_s, x->time.samples);
		times += x->time.samples;
		for (int k = 0; k < x->count; k++) {
			low = fmin(low, x->rows[k]->mhz);
			high = fmax(high, x->rows[k]->mhz);
		}
		clocks += high > 1.1 * low;
	}
	if (outliers)
		asl_html(p->f,
			 " %d of %d times are outliers, which medians leave "
			 "aside.",
			 outliers, times);
	if (clocks)
		asl_html(p->f,
			 " In %d case%s the processor's clock changed by more "
			 "than a tenth from repetition to repetition.",
			 clocks, clocks == 1 ? "" : "s");
}

static void write_failures(struct asl_page *p)
{
	say_failed(p);
	say_unverified(p);
}

static void write_checks(struct asl_page *p)
{
	int good = 0, counted = 0, rows = p->results->rows;
	char said[ASL_ANSWER];

	for (int i = 0; i < rows; i++) {
		const struct asl_runs_row *x = &p->results->row[i];

		good += x->verified == 1 && !asl_row_is_bad(x);
		counted += !asl_row_moved(x) && !asl_row_is_bad(x);
	}
	fputs("<p class=\"fine\">", p->f);
	if (good)
		asl_html(p->f,
			 "%d of %d rows were verified, and every counter of "
			 "every rank is as predicted. ",
			 good, rows);
	if (counted)
		asl_html(p->f,
			 "%d of %d rows only count: no words were moved, so "
			 "that there is no result to verify and no time.",
			 counted, rows);
	say_times(p);
	say_spread(p);
	asl_html(p->f, " %s</p>\n", asl_ranking_cached(said, p->ranking));
}

const struct asl_section asl_section_failures = {.write = write_failures};
const struct asl_section asl_section_checks = {.write = write_checks};
