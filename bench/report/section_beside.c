/*
 * section_beside.c -- machines side by side: which one for writes, and by how much
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/pairs.h"

/* ---- In words ---- */

static void say_sum(struct asl_page *p, const char *work,
		    const struct asl_sum *s, int place, enum asl_how how)
{
	static const char *const by[ASL_HOWS] = {
		[ASL_MEASURED] = "by measured times",
		[ASL_EMULATED] = "by times with emulated memory",
		[ASL_MODELLED] = ("by the costs of counted words: nothing was "
				  "measured"),
	};
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
		     "times, %s",
		     s->count, s->count == 1 ? "" : "s",
		     won ? s->low : 1 / s->high, won ? s->high : 1 / s->low,
		     by[how]);
	if (how != ASL_MODELLED)
		asl_page_say(p,
			     ". In %d of them chance alone does not explain "
			     "that (95%%)",
			     s->sure);
	fputs(".</li>\n", p->f);
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

/* ---- One machine against the first ---- */

/* Each with what is best on it: the only answer if their grids differ. */
static void say_best(struct asl_page *p, int entries, int place, double *room)
{
	struct asl_match m = {
		.pair = calloc((size_t)entries + 1, sizeof *m.pair)};
	struct asl_sum s;

	p->failed |= !m.pair;
	asl_entries_sort(p->list, entries, asl_by_task);
	if (!p->failed)
		asl_match_best(p, &m, entries, place);
	if (!p->failed && m.count) {
		s = asl_pairs_sum(m.pair, m.count, room);
		say_sum(p,
			"all work, each by the algorithm that is best on it,",
			&s, place, m.pair[0].how);
	}
	free(m.pair);
	asl_entries_sort(p->list, entries, asl_by_work);
}

static void say_left_out(struct asl_page *p, const struct asl_match *m,
			 int place)
{
	if (m->mixed)
		asl_page_say(p,
			     " %d pairs are not compared: measured, emulated "
			     "and modelled results do not mix.",
			     m->mixed);
	if (m->alone[0] || m->alone[1])
		asl_page_say(p,
			     " Not compared either are %d results of %s and "
			     "%d of %s, which the other one has not got: other "
			     "problems, grids or counts.",
			     m->alone[0], asl_page_place(p, 0), m->alone[1],
			     asl_page_place(p, place));
}

/* Pairs of a kind are among themselves. */
static void say_pairs(struct asl_page *p, const struct asl_match *m,
		      int entries, int place, double *room)
{
	int heavy = most_writing(m->count);
	struct asl_sum s = asl_pairs_sum(m->pair, heavy, room);

	say_sum(p, "write-heavy work", &s, place, m->pair[0].how);
	s = asl_pairs_sum(m->pair + heavy, m->count - heavy, room);
	if (s.count)
		say_sum(p, "the other work", &s, place, m->pair[0].how);
	say_best(p, entries, place, room);
	say_device(p, m, place);
	fputs("</ul>\n<p class=\"note\">", p->f);
	asl_page_say(p, "Write-heavy: the third of all cases that writes most "
			"words for a flop.");
	say_left_out(p, m, place);
	fputs("</p>\n", p->f);
	asl_pairs_figure(p, m, place);
	asl_pairs_table(p, m, place);
}

static void beside(struct asl_page *p, int entries, int place)
{
	struct asl_match m = {
		.pair = calloc((size_t)entries + 1, sizeof *m.pair)};
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
		say_pairs(p, &m, entries, place, room);
	} else if (!p->failed) {
		say_best(p, entries, place, room);
		fputs("<li>", p->f);
		asl_page_say(
			p,
			"No result of one can be compared with one of "
			"the other: %s.",
			m.mixed ? "one is measured where the other is "
				  "modelled or emulated, or costs are no "
				  "times"
			: p->results->entries > entries
				? "what did not fail has no case, grid and "
				  "counts in common"
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
