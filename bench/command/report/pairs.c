/*
 * pairs.c -- machines side by side: which one for writes, and by how much
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/bars.h"
#include "bench/command/report/page.h"
#include "bench/command/stats.h"

/*
 * Results of two machines that are the same work
 *
 * The same is: algorithm, grid, problem, seed, and words counted.  Times are
 * held against times where both machines moved words in the same way (really,
 * or emulated); where neither did, the model's nanoseconds are.
 */

enum asl_how { ASL_MEASURED, ASL_EMULATED, ASL_MODELLED, ASL_HOWS };

struct asl_pair {
	const struct asl_entry *base, *other;
	enum asl_how how;
	struct asl_ratio ratio; /* time of the base over that of the other */
	double writes;		/* words written a flop */
};

struct asl_match {
	struct asl_pair *pair;
	int count, mixed; /* pairs that may not be compared */
	int alone[2];	  /* results that the other one has not */
};

extern const int asl_by_work[], asl_by_task[];

struct asl_sum {
	double mean, low, high; /* ratios: geometric mean, least, most */
	int count;		/* pairs */
	int sure;		/* whose intervals leave 1 out, on that side */
};

/*
 * Results of two machines that are the same work
 */

const int asl_by_work[] = {ASL_COL_FAMILY,   ASL_COL_SPEC,	ASL_COL_M,
			   ASL_COL_N,	     ASL_COL_K,		ASL_COL_DIMS,
			   ASL_COL_RANKS,    ASL_COL_ALGORITHM, ASL_COL_KERNEL,
			   ASL_COL_GRID,     ASL_COL_PANELS,	ASL_COL_OVERLAP,
			   ASL_COL_SEED,     ASL_COL_READ,	ASL_COL_WRITTEN,
			   ASL_COL_BH_WORDS, ASL_COL_FLOPS_ALL, ASL_END};
const int asl_by_task[] = {ASL_COL_FAMILY, ASL_COL_SPEC, ASL_COL_M,
			   ASL_COL_N,	   ASL_COL_K,	 ASL_COL_DIMS,
			   ASL_COL_RANKS,  ASL_END};

static bool how_known(enum asl_how *how, const struct asl_entry *x)
{
	if (!x->wall.samples) {
		*how = ASL_MODELLED;
		return asl_row_timed(x->row) && asl_row_cost(x->row) > 0;
	}
	*how = *x->row->text[ASL_COL_EMULATED] ? ASL_EMULATED : ASL_MEASURED;
	return true;
}

static int samples(double *to, const struct asl_entry *x)
{
	int count = 0;

	for (int i = 0; i < x->count; i++)
		if (!isnan(x->rows[i]->number[ASL_COL_WALL]))
			to[count++] = x->rows[i]->number[ASL_COL_WALL];
	return count;
}

static bool set_ratio(struct asl_pair *x)
{
	double *room, *more;
	int count, others, err = -1;

	if (x->how == ASL_MODELLED) {
		double ratio = asl_row_cost(x->base->row) /
			       asl_row_cost(x->other->row);

		x->ratio = (struct asl_ratio){ratio, ratio, ratio, 0};
		return true;
	}
	room = calloc((size_t)x->base->count + (size_t)x->other->count,
		      sizeof *room);
	if (!room)
		return false;
	count = samples(room, x->base);
	more = room + count;
	others = samples(more, x->other);
	err = asl_ratio(&x->ratio, room, count, more, others);
	free(room);
	return !err;
}

static const struct asl_entry *in_place(const struct asl_pack *g, int place)
{
	for (int i = 0; i < g->count; i++)
		if ((int)g->at[i]->row->number[ASL_COL_PLACE] == place)
			return g->at[i];
	return NULL;
}

static void add(struct asl_page *p, struct asl_match *m, struct asl_pair x)
{
	enum asl_how other;

	if (!x.base || !x.other) {
		m->alone[0] += x.base != NULL;
		m->alone[1] += x.other != NULL;
		return;
	}
	if (!how_known(&x.how, x.base) || !how_known(&other, x.other) ||
	    x.how != other) {
		m->mixed++;
		return;
	}
	x.writes = x.base->row->number[ASL_COL_WRITTEN] /
		   x.base->row->number[ASL_COL_FLOPS_MOST];
	p->failed |= !set_ratio(&x);
	m->pair[m->count++] = x;
}

/* Those that write most for what they compute come first. */
static int compare(const void *a, const void *b)
{
	const struct asl_pair *x = a, *y = b;

	if (x->writes != y->writes)
		return x->writes < y->writes ? 1 : -1;
	return (x->base > y->base) - (x->base < y->base);
}

/*
 * Pairs of the first directory and that one, those that write most for what
 * they compute first; of `entries` in p->list, sorted by work.  m->pair has
 * room for as many.
 */
static void asl_match_find(struct asl_page *p, struct asl_match *m, int entries,
			   int place)
{
	struct asl_pack g = {0};

	while (!p->failed && asl_pack_next(&g, p->list, entries, asl_by_work))
		add(p, m,
		    (struct asl_pair){.base = in_place(&g, 0),
				      .other = in_place(&g, place)});
	qsort(m->pair, (size_t)m->count, sizeof *m->pair, compare);
}

/* Measured, else emulated, else modelled; of these the fastest. */
static const struct asl_entry *best_in_place(const struct asl_pack *g,
					     int place)
{
	const struct asl_entry *best = NULL;
	enum asl_how best_how = ASL_HOWS;
	double least = INFINITY;

	for (int i = 0; i < g->count; i++) {
		const struct asl_entry *x = g->at[i];
		enum asl_how how;
		double cost;

		if ((int)x->row->number[ASL_COL_PLACE] != place ||
		    !how_known(&how, x) || how > best_how)
			continue;
		cost = how == ASL_MODELLED ? asl_row_cost(x->row)
					   : x->wall.median;
		if (how == best_how && cost >= least)
			continue;
		best = x;
		best_how = how;
		least = cost;
	}
	return best;
}

/*
 * Likewise, but of each problem the best result of either, by whatever algorithm,
 * grid and cache; p->list is sorted by task.
 */
static void asl_match_best(struct asl_page *p, struct asl_match *m, int entries,
			   int place)
{
	struct asl_pack g = {0};

	while (!p->failed && asl_pack_next(&g, p->list, entries, asl_by_task))
		add(p, m,
		    (struct asl_pair){.base = best_in_place(&g, 0),
				      .other = best_in_place(&g, place)});
}

/* `room` is for `count` numbers. */
static struct asl_sum asl_pairs_sum(const struct asl_pair *pair, int count,
				    double *room)
{
	struct asl_sum s = {NAN, INFINITY, 0, count, 0};
	int side[2] = {0, 0};

	for (int i = 0; i < count; i++) {
		room[i] = pair[i].ratio.ratio;
		s.low = fmin(s.low, room[i]);
		s.high = fmax(s.high, room[i]);
		side[0] += asl_ratio_verdict(&pair[i].ratio) < 0;
		side[1] += asl_ratio_verdict(&pair[i].ratio) > 0;
	}
	s.mean = asl_geometric_mean(room, count);
	s.sure = side[s.mean > 1];
	return s;
}

/*
 * Two machines, case by case: a table and bars
 */

/* ---- The table ---- */

static double seconds(const struct asl_pair *x, const struct asl_entry *entry)
{
	return x->how == ASL_MODELLED ? asl_row_cost(entry->row) * 1e-9
				      : entry->wall.median;
}

/* All pairs, and bars of the first ones. */
static void asl_pairs_table(struct asl_page *p, const struct asl_match *m,
			    int place)
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
static void asl_pairs_figure(struct asl_page *p, const struct asl_match *m,
			     int place)
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
