/*
 * section_pairs.c -- machines side by side: which one for writes, by how much
 *
 * Ratios, means and sentences are those of aslant compare: both ask ranking.c.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"
#include "bench/command/results/ranking.h"

#define DRIFT "of which drift, %"

/* The pairs of a machine with the base, the most words written for a flop first. */
struct match {
	const struct asl_comparison *c;
	const struct asl_pair **pair;
	int count;
	const char *first, *second; /* the machines */
};

/* Words written a flop. */
static double writes(const struct asl_pair *x)
{
	return x->base->row->write_words_max / x->base->row->flops_max;
}

static int compare_writes(const void *a, const void *b)
{
	const struct asl_pair *x = *(struct asl_pair *const *)a;
	const struct asl_pair *y = *(struct asl_pair *const *)b;

	if (writes(x) != writes(y))
		return writes(x) < writes(y) ? 1 : -1;
	return (x->base > y->base) - (x->base < y->base);
}

static bool open_match(struct match *m, const struct asl_page *p, int place)
{
	const struct asl_ranking *r = p->ranking;

	*m = (struct match){
		.c = &r->against[place],
		.pair = calloc((size_t)p->results->count + 1, sizeof *m->pair),
		.first = asl_page_place(p, r->base),
		.second = asl_page_place(p, place)};
	for (int i = 0; m->pair && i < m->c->count; i++)
		if (!m->c->pairs[i].reason)
			m->pair[m->count++] = &m->c->pairs[i];
	if (m->pair)
		qsort(m->pair, (size_t)m->count, sizeof *m->pair,
		      compare_writes);
	return m->pair != NULL;
}

static void table(struct asl_page *p, const struct match *m)
{
	char first[ASL_SAID], second[ASL_SAID];
	struct asl_sheet t;

	snprintf(first, sizeof first, "%.200s, s", m->first);
	snprintf(second, sizeof second, "%.200s, s", m->second);
	asl_sheet_begin(p, &t, NULL);
	asl_sheet_put(&t, "%s%s%s%s%s%s%s%s%s%s%s\n", "problem", "ranks",
		      "algorithm", "words written per 1000 flops", first,
		      second, "times as fast", "low", "high", DRIFT, "verdict");
	for (int i = 0; i < asl_shown(m->count, ASL_MOST_FIGURE_ROWS); i++) {
		const struct asl_pair *x = m->pair[i];
		struct asl_said said = asl_say(x->base->row);

		asl_sheet_put(&t, "%s%g%s%g%g%g%g%g%g%g%s\n", said.size,
			      x->base->row->ranks, said.how, 1000 * writes(x),
			      asl_ranking_seconds(x->base),
			      asl_ranking_seconds(x->other), x->speed.ratio,
			      x->speed.low, x->speed.high,
			      asl_ratio_drift(&x->speed),
			      asl_ratio_say(&x->speed));
	}
	asl_page_details(p, &t, "Case by case, most writing first",
			 "machines.csv");
}

/* False: no machine has the case. */
static bool name_group(char to[2 * ASL_SAID], const struct asl_shared *x)
{
	for (int k = 0; k < ASL_MOST_RESULTS; k++)
		if (x->at[k]) {
			struct asl_said said = asl_say(x->at[k]->row);

			snprintf(to, 2 * ASL_SAID, "%.300s, %.300s", said.size,
				 said.how);
			return true;
		}
	return false;
}

/* The cases that write most for a flop, on all machines; of equal ones the first. */
static void figure(struct asl_page *p)
{
	enum { MOST = 8 };
	const struct asl_ranking *r = p->ranking;
	const struct asl_workload *w = r->work;
	struct asl_bar bar[MOST * ASL_MOST_RESULTS];
	char group[MOST][2 * ASL_SAID];
	char note[MOST * ASL_MOST_RESULTS][ASL_BRIEF];
	int count = 0, groups = 0;

	for (int i = r->works - 1; i > 0; i--)
		if (!strcmp(r->work[i].kind, "writes"))
			w = &r->work[i];
	for (int i = 0; i < w->cases && groups < MOST; i++) {
		int same = 0;

		if (!name_group(group[groups], &w->entries[i]))
			continue;
		while (strcmp(group[same], group[groups]) != 0)
			same++;
		if (same < groups)
			continue;
		for (int k = 0; k < r->places; k++) {
			const struct asl_measured *x = w->entries[i].at[k];
			double seconds;

			if (!x)
				continue;
			seconds = asl_ranking_seconds(x);
			asl_brief_seconds(note[count], seconds);
			bar[count] = (struct asl_bar){
				group[groups], r->machine[k].name, {seconds},
				NAN,	       note[count],	   -k - 1};
			count++;
		}
		groups++;
	}
	fputs("<figure><figcaption>The cases that write most: shorter is "
	      "better</figcaption>\n",
	      p->f);
	asl_bars_stacked(p->f, "times of the cases that write most", bar,
			 count);
	fputs("</figure>\n", p->f);
}

/* A label whose cases are those of a family, for one, says nothing new. */
static bool is_told(const struct asl_ranking *r, int k)
{
	const struct asl_workload *w = &r->work[k];
	bool told = asl_workload_is_whole(r, w);

	for (int i = 0; !told && i < k; i++) {
		told = r->work[i].cases == w->cases;
		for (int m = 0; told && m < r->places; m++)
			told = !r->machine[m].ranked ||
			       r->work[i].speed[m] == w->speed[m];
	}
	return told;
}

void asl_forest(FILE *f, const struct asl_ranking *r)
{
	enum { MOST = 48 };
	int order[ASL_MOST_RESULTS] = {0}, rows = 0;
	int count = asl_ranking_order(order, r, r->work);
	int last = order[count - 1];
	struct asl_bar bar[MOST];
	char note[MOST][ASL_BRIEF];

	for (int k = 0; k < r->works; k++) {
		if (is_told(r, k))
			continue;
		asl_ranking_order(order, r, &r->work[k]);
		for (int i = 0; i < count && rows < MOST; i++) {
			struct asl_ratio x =
				asl_ranking_ratio(&r->work[k], order[i], last);
			bool known = !isnan(x.low);

			if (order[i] == last)
				continue;
			snprintf(note[rows], ASL_BRIEF, "%.3g", x.ratio);
			bar[rows] = (struct asl_bar){r->work[k].name,
						     r->machine[order[i]].name,
						     {known ? x.low : x.ratio,
						      known ? x.high : x.ratio},
						     x.ratio,
						     note[rows],
						     -order[i] - 1};
			rows++;
		}
	}
	asl_html(f,
		 "<figure><figcaption>How many times as fast as %s, by "
		 "workload</figcaption>\n",
		 r->machine[last].name);
	asl_bars_ranges(f, "speeds by workload", bar, rows);
	fputs("<p class=\"note\">Bars are 95% intervals, ticks the ratios; "
	      "right of 1 is faster.</p></figure>\n",
	      f);
}

/* ---- One machine against the base ---- */

static void say_device(struct asl_page *p, const struct match *m)
{
	const struct asl_runs_row *a = m->pair[0]->base->row;
	const struct asl_runs_row *b = m->pair[0]->other->row;
	bool first = a->w < b->w;

	if (!asl_row_timed(a) || !asl_row_timed(b) || !(a->w > 0) ||
	    !(b->w > 0))
		return;
	asl_html(p->f,
		 "<p>By their profiles, a word written costs %.3g ns on %s "
		 "and %.3g ns on %s",
		 a->w, m->first, b->w, m->second);
	if (a->w != b->w)
		asl_html(p->f, ": memory of %s takes writes %.3g times as fast",
			 first ? m->first : m->second,
			 first ? b->w / a->w : a->w / b->w);
	asl_html(p->f, ". A word read costs %.3g and %.3g ns.</p>\n", a->r,
		 b->r);
}

static void say_left_out(struct asl_page *p, const struct match *m)
{
	const int *reasons = m->c->reasons;
	int alone[2] = {reasons[ASL_OTHER_WORK], reasons[ASL_OTHER_WORK]};

	for (int i = 0; i < m->c->count; i++)
		if (m->c->pairs[i].reason == ASL_ONLY_IN_ONE)
			alone[!m->c->pairs[i].base]++;
	if (reasons[ASL_MIXED])
		asl_html(p->f,
			 " %d pairs are not compared: measured, emulated and "
			 "modelled results do not mix.",
			 reasons[ASL_MIXED]);
	if (reasons[ASL_TROUBLED])
		asl_html(p->f,
			 " %d pairs are not compared, as one of the two "
			 "failed, was not verified, or has no times that "
			 "count.",
			 reasons[ASL_TROUBLED]);
	if (alone[0] || alone[1])
		asl_html(p->f,
			 " Not compared either are %d results of %s and %d of "
			 "%s, which the other one has not got: other problems, "
			 "grids or counts.",
			 alone[0], m->first, alone[1], m->second);
}

static void say_none(struct asl_page *p, const struct match *m)
{
	const int *reasons = m->c->reasons;

	asl_html(p->f,
		 "<p>No result of one can be compared with one of the other: "
		 "%s.%s</p>\n",
		 reasons[ASL_MIXED]	 ? "one is measured where the other is "
					   "modelled or emulated, or costs are "
					   "no times"
		 : reasons[ASL_TROUBLED] ? "what did not fail has no case, "
					   "grid and counts in common"
					 : "no case, grid and counts agree",
		 reasons[ASL_OTHER_WORK] ? " Profiles lead to grids of their "
					   "own: give both machines one, with "
					   "--profile."
					 : "");
}

static void say_pairs(struct asl_page *p, const struct match *m)
{
	asl_html(p->f, "<h3>%s and %s</h3>\n", m->first, m->second);
	if (m->count)
		say_device(p, m);
	else
		say_none(p, m);
	fputs("<p class=\"note\">", p->f);
	say_left_out(p, m);
	fputs("</p>\n", p->f);
	if (!m->count)
		return;
	table(p, m);
}

/* ---- All machines ---- */

static bool is_asked(const struct asl_workload *w)
{
	return !strcmp(w->kind, "writes") || !strcmp(w->kind, "best");
}

static void say_answer(struct asl_page *p, const struct asl_workload *w,
		       bool first)
{
	char text[ASL_ANSWER];

	fputs(first ? "<p class=\"lead\">" : "<p>", p->f);
	if (is_asked(w))
		asl_html(p->f, "For %s ", w->name);
	asl_html(p->f, "%s</p>\n", asl_ranking_answer(text, p->ranking, w));
}

/* For write-heavy and other work, and with each machine's best algorithms. */
static void say_more_answers(struct asl_page *p)
{
	const struct asl_ranking *r = p->ranking;

	for (int i = 1; i < r->works; i++)
		if (is_asked(&r->work[i]))
			say_answer(p, &r->work[i], false);
	for (int i = 0; i < p->results->places; i++)
		if (*r->machine[i].why_not)
			asl_html(p->f, "<p>%s is not ranked: %s.</p>\n",
				 r->machine[i].name, r->machine[i].why_not);
}

/* It is the first thing that a buyer has to know, too. */
static void say_no_answer(struct asl_page *p)
{
	const struct asl_ranking *r = p->ranking;

	fputs("<ul class=\"lead\">\n<li><b>No machine is ranked</b>, as no "
	      "case can be compared.",
	      p->f);
	for (int i = 0; i < p->results->places; i++)
		if (i != r->base && r->against[i].count)
			asl_html(p->f, " The first of %s and %s: %s.",
				 r->machine[r->base].name, r->machine[i].name,
				 r->against[i].pairs[0].why);
	fputs("</li>\n</ul>\n", p->f);
}

static void put_standing(struct asl_sheet *t, const struct asl_ranking *r,
			 const struct asl_workload *w, int place, int than)
{
	struct asl_ratio x = asl_ranking_ratio(w, place, than);
	double money = asl_ranking_money(r, place, than);
	double joule = asl_ranking_joule(r, place, than);

	asl_sheet_put(t, "%s%d%s%s%g%g%g%g%s", w->name, w->cases,
		      r->machine[place].name, r->machine[than].name, x.ratio,
		      x.low, x.high, asl_ratio_drift(&x), asl_ratio_say(&x));
	if (!isnan(money))
		asl_sheet_put(t, "%g", x.ratio * money);
	if (!isnan(joule))
		asl_sheet_put(t, "%g", x.ratio * joule);
	asl_sheet_put(t, "\n");
}

static void begin_sheet(struct asl_page *p, struct asl_sheet *t)
{
	bool money = !isnan(asl_ranking_money(p->ranking, 0, 1));
	bool joule = !isnan(asl_ranking_joule(p->ranking, 0, 1));
	char names[256];

	snprintf(names, sizeof names,
		 "workload|cases|machine|over|times as fast|low|high|%s|verdict"
		 "%s%s",
		 DRIFT, money ? "|for the money" : "",
		 joule ? "|for the joule" : "");
	asl_sheet_begin(p, t, names);
}

/* Every workload, its machines in order, over the last of the whole. */
static void put_ranking(struct asl_page *p)
{
	const struct asl_ranking *r = p->ranking;
	int order[ASL_MOST_RESULTS] = {0};
	int count = asl_ranking_order(order, r, r->work);
	int last = order[count - 1];
	struct asl_sheet t;

	begin_sheet(p, &t);
	for (int k = 0; k < r->works; k++) {
		if (asl_workload_is_whole(r, &r->work[k]))
			continue;
		asl_ranking_order(order, r, &r->work[k]);
		for (int i = 0; i < count; i++)
			if (order[i] != last)
				put_standing(&t, r, &r->work[k], order[i],
					     last);
	}
	asl_page_details(p, &t, "The ranking in numbers", "ranking.csv");
	asl_note(p, "Write-heavy: the third of all cases that writes most "
		    "words for a flop. Of which drift: the interval, in per "
		    "cent either way, that would be left without noise, from "
		    "what the blocks of a suite differ by.");
}

static void put_every_pair(struct asl_page *p)
{
	const struct asl_ranking *r = p->ranking;
	struct asl_sheet t;

	begin_sheet(p, &t);
	for (int k = 0; k < r->works; k++)
		for (int i = 0; i < p->results->places; i++)
			for (int j = i + 1; j < p->results->places; j++)
				if (r->machine[i].ranked &&
				    r->machine[j].ranked)
					put_standing(&t, r, &r->work[k], j, i);
	asl_page_details(p, &t, "Every pair", "pairs.csv");
}

static void write_section(struct asl_page *p)
{
	const struct asl_ranking *r = p->ranking;

	if (!r->works)
		say_no_answer(p);
	if (r->works) {
		say_answer(p, r->work, true);
		fputs("<div class=\"plots\">\n", p->f);
		asl_forest(p->f, r);
		figure(p);
		fputs("</div>\n", p->f);
		say_more_answers(p);
		put_ranking(p);
		put_every_pair(p);
	}
	for (int i = 0; !p->failed && i < p->results->places; i++) {
		struct match m;

		if (i == r->base)
			continue;
		p->failed |= !open_match(&m, p, i);
		if (!p->failed)
			say_pairs(p, &m);
		free(m.pair);
	}
}

const struct asl_section asl_section_pairs = {
	.id = "beside",
	.name = "machines compared",
	.title = "Which machine is better",
	.compares = true,
	.write = write_section,
};
