/*
 * section_beside.c -- machines side by side: which one for writes, and by how much
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/bars.h"
#include "bench/report/brief.h"
#include "bench/report/pairs.h"

/* ---- In words ---- */

static void say_sum(struct asl_page *p, const char *work,
		    const struct asl_sum *s, int place, enum asl_how how)
{
	const char *base = asl_page_place(p, 0);
	const char *other = asl_page_place(p, place);
	bool won = s->mean > 1,
	     sure = how == ASL_MODELLED || 2 * s->sure > s->count;
	double mean = won ? s->mean : 1 / s->mean;

	fputs("<li>For ", p->f);
	asl_page_say(p, "%s ", work);
	if (mean < 1.02) {
		asl_page_say(p, "%s and %s are alike: %.2g%% apart", base,
			     other, 100 * (mean - 1));
	} else {
		fputs("<b>", p->f);
		asl_page_say(p, "%s %s better than %s: %.3g times as fast",
			     won ? other : base, sure ? "is" : "seems",
			     won ? base : other, mean);
		fputs("</b>", p->f);
	}
	asl_page_say(p,
		     " on average of %d case%s, in single ones %.3g to %.3g "
		     "times",
		     s->count, s->count == 1 ? "" : "s",
		     won ? s->low : 1 / s->high, won ? s->high : 1 / s->low);
	if (how != ASL_MODELLED)
		asl_page_say(p,
			     ". In %d of them chance alone does not explain "
			     "that (95%%)",
			     s->sure);
	fputs(".</li>\n", p->f);
}

static void say_how(struct asl_page *p, enum asl_how how)
{
	static const char *const texts[ASL_HOWS] = {
		[ASL_MEASURED] = "Measured times.",
		[ASL_EMULATED] = "Times with emulated memory.",
		[ASL_MODELLED] = ("Not measured: costs Q of counted words, in "
				  "nanoseconds of the profiles."),
	};

	asl_page_say(p, " %s", texts[how]);
}

/* A third, but not less than one; the fewer the sharper. */
static int most_writing(int count)
{
	return (count + 2) / 3;
}

static void say_device(struct asl_page *p, const struct asl_match *m, int place)
{
	const double *a = m->pair[0].base->row->number;
	const double *b = m->pair[0].other->row->number;
	bool first = a[ASL_COL_W] < b[ASL_COL_W];

	if (!asl_row_timed(m->pair[0].base->row) ||
	    !asl_row_timed(m->pair[0].other->row) || !(a[ASL_COL_W] > 0) ||
	    !(b[ASL_COL_W] > 0))
		return;
	fputs("<li>", p->f);
	asl_page_say(p,
		     "By their profiles, a word written costs %.3g ns on %s "
		     "and %.3g ns on %s",
		     a[ASL_COL_W], asl_page_place(p, 0), b[ASL_COL_W],
		     asl_page_place(p, place));
	if (a[ASL_COL_W] != b[ASL_COL_W])
		asl_page_say(p,
			     ": memory of %s takes writes %.3g times as "
			     "fast",
			     asl_page_place(p, first ? 0 : place),
			     first ? b[ASL_COL_W] / a[ASL_COL_W]
				   : a[ASL_COL_W] / b[ASL_COL_W]);
	asl_page_say(p, ". A word read costs %.3g and %.3g ns.", a[ASL_COL_R],
		     b[ASL_COL_R]);
	fputs("</li>\n", p->f);
}

/* ---- The table ---- */

static double seconds(const struct asl_pair *x, const struct asl_entry *entry)
{
	return x->how == ASL_MODELLED ? asl_row_cost(entry->row) * 1e-9
				      : entry->wall.median;
}

static void table(struct asl_page *p, const struct asl_match *m, int place)
{
	char first[ASL_SAID], second[ASL_SAID], text[ASL_SAID];
	const char *names[] = {"problem",
			       "ranks",
			       "algorithm",
			       "words written per 1000 flops",
			       first,
			       second,
			       "times as fast",
			       "low",
			       "high",
			       "better",
			       NULL};
	int shown = m->count < ASL_MOST_FIGURE_ROWS ? m->count
						    : ASL_MOST_FIGURE_ROWS;
	struct asl_sheet t;

	snprintf(first, sizeof first, "%.200s, s", asl_page_place(p, 0));
	snprintf(second, sizeof second, "%.200s, s", asl_page_place(p, place));
	asl_sheet_begin(p, &t, names);
	for (int i = 0; !p->failed && i < shown; i++) {
		const struct asl_pair *x = &m->pair[i];
		int verdict = asl_ratio_verdict(&x->ratio);

		asl_sheet_text(&t, asl_say_size(text, x->base->row));
		asl_sheet_number(&t, x->base->row->number[ASL_COL_RANKS]);
		asl_sheet_text(&t, asl_say_how(text, x->base->row));
		asl_sheet_number(&t, 1000 * x->writes);
		asl_sheet_number(&t, seconds(x, x->base));
		asl_sheet_number(&t, seconds(x, x->other));
		asl_sheet_number(&t, x->ratio.ratio);
		asl_sheet_number(&t, x->ratio.low);
		asl_sheet_number(&t, x->ratio.high);
		asl_sheet_text(&t, verdict > 0	 ? asl_page_place(p, place)
				   : verdict < 0 ? asl_page_place(p, 0)
						 : "too close to say");
		asl_sheet_end_row(&t);
	}
	if (!p->failed)
		asl_page_details(p, &t, "Case by case, most writing first",
				 "machines.csv");
}

/* ---- The figure ---- */

/* Two bars a case, for those that write most. */
static void figure(struct asl_page *p, const struct asl_match *m, int place)
{
	enum { MOST = 8 };
	int shown = m->count < MOST ? m->count : MOST;
	struct asl_bar bar[2 * MOST];
	char group[MOST][2 * ASL_SAID], note[2 * MOST][ASL_BRIEF];
	char size[ASL_SAID], how[ASL_SAID];

	for (int i = 0; i < shown; i++) {
		const struct asl_pair *x = &m->pair[i];
		double a = seconds(x, x->base), b = seconds(x, x->other);

		snprintf(group[i], sizeof group[i], "%.300s, %.300s",
			 asl_say_size(size, x->base->row),
			 asl_say_how(how, x->base->row));
		bar[2 * i] = (struct asl_bar){
			group[i], asl_page_place(p, 0), {a}, NAN, note[2 * i]};
		bar[2 * i + 1] = (struct asl_bar){group[i],
						  asl_page_place(p, place),
						  {0, 0, b},
						  NAN,
						  note[2 * i + 1]};
		strcpy(note[2 * i], asl_brief_seconds(size, a));
		strcpy(note[2 * i + 1], asl_brief_seconds(size, b));
	}
	fputs("<div class=\"plots\"><figure><figcaption>The cases that write "
	      "most: shorter is better</figcaption>\n",
	      p->f);
	asl_bars_stacked(p->f, "times of the cases that write most", bar,
			 2 * shown);
	fputs("</figure></div>\n", p->f);
}

/* ---- One machine against the first ---- */

/* Pairs of a kind are among themselves. */
static void say_pairs(struct asl_page *p, const struct asl_match *m, int place,
		      double *room)
{
	int heavy = most_writing(m->count);
	struct asl_sum s = asl_pairs_sum(m->pair, heavy, room);

	say_sum(p, "write-heavy work", &s, place, m->pair[0].how);
	s = asl_pairs_sum(m->pair + heavy, m->count - heavy, room);
	if (s.count)
		say_sum(p, "the other work", &s, place, m->pair[0].how);
	say_device(p, m, place);
	fputs("</ul>\n<p class=\"note\">", p->f);
	asl_page_say(p, "Write-heavy: the third of all cases that writes most "
			"words for a flop.");
	say_how(p, m->pair[0].how);
	if (m->mixed)
		asl_page_say(p,
			     " %d pairs are not compared: measured, emulated "
			     "and modelled results do not mix.",
			     m->mixed);
	fputs("</p>\n", p->f);
	figure(p, m, place);
	table(p, m, place);
}

static void beside(struct asl_page *p, int entries, int place)
{
	struct asl_match m = {calloc((size_t)entries + 1, sizeof *m.pair), 0,
			      0};
	double *room = calloc((size_t)entries + 1, sizeof *room);

	p->failed |= !m.pair || !room;
	if (!p->failed)
		asl_match_find(p, &m, entries, place);
	if (!p->failed) {
		fputs("<h3>", p->f);
		asl_page_say(p, "%s and %s", asl_page_place(p, 0),
			     asl_page_place(p, place));
		fputs("</h3>\n<ul class=\"lead\">\n", p->f);
	}
	if (!p->failed && m.count) {
		say_pairs(p, &m, place, room);
	} else if (!p->failed) {
		fputs("<li>", p->f);
		asl_page_say(p,
			     "No result of one can be compared with one of "
			     "the other: %s.",
			     m.mixed ? "one is measured where the other is "
				       "modelled or emulated, or costs are no "
				       "times"
				     : "no case, grid and counts agree");
		fputs("</li></ul>\n", p->f);
	}
	free(m.pair);
	free(room);
}

void asl_section_beside(struct asl_page *p)
{
	int entries;

	if (p->results->places < 2)
		return;
	asl_page_section(p, "beside", "Which machine is better");
	entries = asl_page_list(p, NULL);
	asl_entries_sort(p->list, entries, asl_by_work);
	for (int i = 1; !p->failed && i < p->results->places; i++)
		beside(p, entries, i);
}
