/*
 * section_pairs.c -- machines side by side: which one for writes, by how much
 *
 * The pairs and their ratios are those of aslant compare.  If neither machine
 * measured anything, the model's nanoseconds are compared.
 */
#include <stdlib.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"
#include "bench/command/results/pairs.h"

/* The pairs that are compared, the most words written for a flop first. */
struct match {
	struct asl_comparison c;
	const struct asl_pair **pair;
	int count;
	const char *first, *second; /* the directories */
};

struct sum {
	double mean, low, high; /* ratios: geometric mean, least, most */
	int count;		/* pairs */
	int sure;		/* whose intervals leave 1 out, on that side */
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

/* Modelled costs are compared only if no times are. */
static bool open_match(struct match *m, const struct asl_page *p, int place)
{
	*m = (struct match){
		.c = {.results = p->results, .place = place},
		.pair = calloc((size_t)p->results->count + 1, sizeof *m->pair),
		.first = asl_page_place(p, 0),
		.second = asl_page_place(p, place)};
	if (!m->pair || asl_compare(&m->c))
		return false;
	if (!m->c.reasons[ASL_COMPARED]) {
		asl_comparison_close(&m->c);
		m->c = (struct asl_comparison){.results = p->results,
					       .place = place,
					       .modelled = true};
		if (asl_compare(&m->c))
			return false;
	}
	for (int i = 0; i < m->c.count; i++)
		if (!m->c.pairs[i].reason)
			m->pair[m->count++] = &m->c.pairs[i];
	qsort(m->pair, (size_t)m->count, sizeof *m->pair, compare_writes);
	return true;
}

/* The geometric mean is of logarithms, as in aslant compare. */
static struct sum sum_up(const struct asl_pair *const *pair, int count)
{
	struct sum s = {0, INFINITY, 0, count, 0};
	int side[2] = {0, 0};

	for (int i = 0; i < count; i++) {
		s.mean += log(pair[i]->speed.ratio) / count;
		s.low = fmin(s.low, pair[i]->speed.ratio);
		s.high = fmax(s.high, pair[i]->speed.ratio);
		side[0] += asl_ratio_verdict(&pair[i]->speed) < 0;
		side[1] += asl_ratio_verdict(&pair[i]->speed) > 0;
	}
	s.mean = exp(s.mean);
	s.sure = side[s.mean > 1];
	return s;
}

static double seconds(const struct asl_pair *x, const struct asl_measured *of)
{
	return x->source == ASL_MODELLED ? asl_row_cost(of->row) * 1e-9
					 : of->time.median;
}

static void table(struct asl_page *p, const struct match *m)
{
	char first[ASL_SAID], second[ASL_SAID];
	struct asl_sheet t;

	snprintf(first, sizeof first, "%.200s, s", m->first);
	snprintf(second, sizeof second, "%.200s, s", m->second);
	asl_sheet_begin(p, &t, NULL);
	asl_sheet_put(&t, "%s%s%s%s%s%s%s%s%s%s\n", "problem", "ranks",
		      "algorithm", "words written per 1000 flops", first,
		      second, "times as fast", "low", "high", "better");
	for (int i = 0; i < asl_shown(m->count, ASL_MOST_FIGURE_ROWS); i++) {
		const struct asl_pair *x = m->pair[i];
		struct asl_said said = asl_say(x->base->row);
		int verdict = asl_ratio_verdict(&x->speed);

		asl_sheet_put(&t, "%s%g%s%g%g%g%g%g%g%s\n", said.size,
			      x->base->row->ranks, said.how, 1000 * writes(x),
			      seconds(x, x->base), seconds(x, x->other),
			      x->speed.ratio, x->speed.low, x->speed.high,
			      verdict > 0   ? m->second
			      : verdict < 0 ? m->first
					    : "too close to say");
	}
	asl_page_details(p, &t, "Case by case, most writing first",
			 "machines.csv");
}

static void figure(struct asl_page *p, const struct match *m)
{
	enum { MOST = 8 };
	int shown = asl_shown(m->count, MOST);
	struct asl_bar bar[2 * MOST];
	char group[MOST][2 * ASL_SAID], note[2 * MOST][ASL_BRIEF];

	for (int i = 0; i < shown; i++) {
		const struct asl_pair *x = m->pair[i];
		struct asl_said said = asl_say(x->base->row);
		double a = seconds(x, x->base), b = seconds(x, x->other);
		char *first = note[2 * i], *second = note[2 * i + 1];

		snprintf(group[i], sizeof group[i], "%.300s, %.300s", said.size,
			 said.how);
		snprintf(first, ASL_BRIEF, "%s",
			 asl_brief_seconds(said.size, a));
		snprintf(second, ASL_BRIEF, "%s",
			 asl_brief_seconds(said.size, b));
		bar[2 * i] =
			(struct asl_bar){group[i], m->first, {a}, NAN, first};
		bar[2 * i + 1] = (struct asl_bar){
			group[i], m->second, {0, 0, b}, NAN, second};
	}
	fputs("<div class=\"plots\"><figure><figcaption>The cases that write "
	      "most: shorter is better</figcaption>\n",
	      p->f);
	asl_bars_stacked(p->f, "times of the cases that write most", bar,
			 2 * shown);
	fputs("</figure></div>\n", p->f);
}

/* ---- In words ---- */

static const char *say_source(const struct asl_pair *const *pair, int count)
{
	int emulated = 0;

	if (pair[0]->source == ASL_MODELLED)
		return "by the costs of counted words: nothing was measured";
	for (int i = 0; i < count; i++)
		emulated += pair[i]->source == ASL_EMULATED;
	return emulated == count ? "by times with emulated memory"
	       : emulated	 ? "by times, some with emulated memory"
				 : "by measured times";
}

static void say_sum(struct asl_page *p, const char *work, const struct match *m,
		    const struct asl_pair *const *pair, int count)
{
	struct sum s = sum_up(pair, count);
	bool won = s.mean > 1, modelled = pair[0]->source == ASL_MODELLED;
	bool sure = modelled || 2 * s.sure > s.count;
	double mean = won ? s.mean : 1 / s.mean;

	asl_html(p->f, "<li>For %s ", work);
	if (mean < 1.02)
		asl_html(p->f, "%s and %s are alike: %.2g%% apart", m->first,
			 m->second, 100 * (mean - 1));
	else
		asl_html(p->f,
			 "<b>%s %s better than %s: %.3g times as fast</b>",
			 won ? m->second : m->first, sure ? "is" : "seems",
			 won ? m->first : m->second, mean);
	asl_html(p->f,
		 " on average of %d case%s, in single ones %.3g to %.3g times, "
		 "%s",
		 s.count, s.count == 1 ? "" : "s", won ? s.low : 1 / s.high,
		 won ? s.high : 1 / s.low, say_source(pair, count));
	if (!modelled)
		asl_html(p->f,
			 ". In %d of them chance alone does not explain that "
			 "(95%%)",
			 s.sure);
	fputs(".</li>\n", p->f);
}

/* The mean of all cases, in the words of aslant compare. */
static void say_answer(struct asl_page *p, const struct match *m)
{
	char text[ASL_SAID];

	if (!m->c.modelled)
		asl_html(p->f, "<li>%s</li>\n",
			 asl_compare_answer(text, sizeof text, &m->c, NULL,
					    m->first, m->second));
}

static void say_device(struct asl_page *p, const struct match *m)
{
	const struct asl_runs_row *a = m->pair[0]->base->row;
	const struct asl_runs_row *b = m->pair[0]->other->row;
	bool first = a->w < b->w;

	if (!asl_row_timed(a) || !asl_row_timed(b) || !(a->w > 0) ||
	    !(b->w > 0))
		return;
	asl_html(p->f,
		 "<li>By their profiles, a word written costs %.3g ns on %s "
		 "and %.3g ns on %s",
		 a->w, m->first, b->w, m->second);
	if (a->w != b->w)
		asl_html(p->f, ": memory of %s takes writes %.3g times as fast",
			 first ? m->first : m->second,
			 first ? b->w / a->w : a->w / b->w);
	asl_html(p->f, ". A word read costs %.3g and %.3g ns.</li>\n", a->r,
		 b->r);
}

/* ---- Each machine with the algorithm that is best on it ---- */

/* Comparable figures are verified times, or costs in nanoseconds. */
static bool is_candidate(const struct asl_measured *x, int place)
{
	if ((int)x->row->place != place)
		return false;
	return x->time.samples
		       ? x->trouble == ASL_NO_TROUBLE
		       : asl_row_timed(x->row) && asl_row_cost(x->row) > 0;
}

/* Measured, else emulated, else modelled; of these the fastest. */
static const struct asl_measured *best_in_place(const struct asl_pack *g,
						int place)
{
	const struct asl_measured *best = NULL;
	enum asl_time_source source = ASL_SOURCES;
	double least = INFINITY;

	for (int i = 0; i < g->count; i++) {
		const struct asl_measured *x = g->at[i];
		enum asl_time_source by =
			x->time.samples ? asl_case_source(x) : ASL_MODELLED;
		double cost =
			x->time.samples ? x->time.median : asl_row_cost(x->row);

		if (!is_candidate(x, place) || by > source ||
		    (by == source && cost >= least))
			continue;
		best = x;
		source = by;
		least = cost;
	}
	return best;
}

/* It is the only answer if the machines' grids differ. */
static void say_best(struct asl_page *p, const struct match *m)
{
	static const int by_task[] = {
		COL_family,  ASL_SIZE,	COL_ranks, COL_memory_budget_words,
		COL_initial, COL_store, COL_seed,  ASL_END};
	struct asl_comparison c = m->c;
	int cases = asl_page_list(p, NULL), count = 0;
	struct asl_packs all = asl_page_packs(p, cases, by_task, by_task, NULL);
	struct asl_pair *pair = calloc((size_t)all.count + 1, sizeof *pair);
	const struct asl_pair **compared =
		calloc((size_t)all.count + 1, sizeof *compared);

	p->failed |= !pair || !compared;
	c.modelled = true;
	for (int i = 0; !p->failed && i < all.count; i++) {
		pair[i].base = best_in_place(&all.at[i], 0);
		pair[i].other = best_in_place(&all.at[i], c.place);
		p->failed |= asl_pair_judge(&pair[i], &c) != 0;
		if (!pair[i].reason)
			compared[count++] = &pair[i];
	}
	if (!p->failed && count)
		say_sum(p,
			"all work, each by the algorithm that is best on it,",
			m, compared, count);
	free(all.at);
	free(pair);
	free(compared);
}

/* ---- One machine against the first ---- */

static void say_left_out(struct asl_page *p, const struct match *m)
{
	const int *reasons = m->c.reasons;
	int alone[2] = {reasons[ASL_OTHER_WORK], reasons[ASL_OTHER_WORK]};

	for (int i = 0; i < m->c.count; i++)
		if (m->c.pairs[i].reason == ASL_ONLY_IN_ONE)
			alone[!m->c.pairs[i].base]++;
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

static void say_pairs(struct asl_page *p, const struct match *m)
{
	int heavy = (m->count + 2) / 3; /* a third, but not less than one */

	say_sum(p, "write-heavy work", m, m->pair, heavy);
	if (m->count > heavy)
		say_sum(p, "the other work", m, m->pair + heavy,
			m->count - heavy);
	say_best(p, m);
	say_answer(p, m);
	say_device(p, m);
	fputs("</ul>\n<p class=\"note\">Write-heavy: the third of all cases "
	      "that writes most words for a flop.",
	      p->f);
	say_left_out(p, m);
	fputs("</p>\n", p->f);
	figure(p, m);
	table(p, m);
}

static void say_none(struct asl_page *p, const struct match *m)
{
	const int *reasons = m->c.reasons;

	say_best(p, m);
	asl_html(p->f,
		 "<li>No result of one can be compared with one of the other: "
		 "%s.</li></ul>\n",
		 reasons[ASL_MIXED]	 ? "one is measured where the other is "
					   "modelled or emulated, or costs are "
					   "no times"
		 : reasons[ASL_TROUBLED] ? "what did not fail has no case, "
					   "grid and counts in common"
					 : "no case, grid and counts agree");
}

static void write_section(struct asl_page *p)
{
	for (int i = 1; !p->failed && i < p->results->places; i++) {
		struct match m;

		if (open_match(&m, p, i)) {
			asl_html(p->f,
				 "<h3>%s and %s</h3>\n<ul class=\"lead\">\n",
				 m.first, m.second);
			if (m.count)
				say_pairs(p, &m);
			else
				say_none(p, &m);
		} else {
			p->failed = true;
		}
		asl_comparison_close(&m.c);
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
