/*
 * pairs_figure.c -- two machines, case by case: a table and bars
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/report/bars.h"
#include "bench/report/brief.h"
#include "bench/report/pairs.h"

/* ---- The table ---- */

static double seconds(const struct asl_pair *x, const struct asl_entry *entry)
{
	return x->how == ASL_MODELLED ? asl_row_cost(entry->row) * 1e-9
				      : entry->wall.median;
}

void asl_pairs_table(struct asl_page *p, const struct asl_match *m, int place)
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
void asl_pairs_figure(struct asl_page *p, const struct asl_match *m, int place)
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
