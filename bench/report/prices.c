/*
 * prices.c -- costs of a problem as lines in w/beta, and their lower envelopes
 */
#include "bench/report/prices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/brief.h"

const int asl_by_way[] = {
	ASL_PROBLEM,  ASL_COL_ALGORITHM, ASL_COL_KERNEL,   ASL_COL_GRID,
	ASL_COL_READ, ASL_COL_WRITTEN,	 ASL_COL_BH_WORDS, ASL_END};

double asl_line_value(const struct asl_line *l, double x)
{
	return l->at0 + l->slope * x;
}

static bool takes_part(const struct asl_envelope *e, const struct asl_line *l)
{
	return !e->inside || l->row->number[ASL_COL_OUTSIDE] != 1;
}

static int find_first(const struct asl_prices *s, const struct asl_envelope *e)
{
	int best = -1;

	for (int i = 0; i < s->lines; i++) {
		const struct asl_line *a = &s->line[i], *b = &s->line[best];

		if (takes_part(e, a) &&
		    (best < 0 || a->at0 < b->at0 ||
		     (a->at0 == b->at0 && a->slope < b->slope)))
			best = i;
	}
	return best;
}

/* Of those that cross `from` at x or beyond and fall below it: the first. */
static int next_turn(const struct asl_prices *s, const struct asl_envelope *e,
		     int from, double *x)
{
	const struct asl_line *a = &s->line[from];
	double best = INFINITY;
	int to = -1;

	for (int i = 0; i < s->lines; i++) {
		const struct asl_line *b = &s->line[i];
		double at = (b->at0 - a->at0) / (a->slope - b->slope);

		if (!takes_part(e, b) || b->slope >= a->slope || at < *x)
			continue;
		if (at < best || (at == best && b->slope < s->line[to].slope)) {
			best = at;
			to = i;
		}
	}
	*x = best;
	return to;
}

static bool find_turns(struct asl_prices *s, struct asl_envelope *e,
		       bool inside)
{
	double x = 0;
	int now;

	e->inside = inside;
	e->turn = calloc((size_t)s->lines, sizeof *e->turn);
	e->first = now = find_first(s, e);
	if (!e->turn || now < 0)
		return e->turn != NULL;
	s->line[now].wins = true;
	for (int to; (to = next_turn(s, e, now, &x)) >= 0; now = to) {
		s->line[to].wins = true;
		e->turn[e->turns++] = (struct asl_turn){x, now, to};
	}
	return true;
}

double asl_row_read_cost(const struct asl_row *row)
{
	return row->number[ASL_COL_R] / row->number[ASL_COL_BETA];
}

bool asl_prices_open(struct asl_prices *s, const struct asl_pack *g,
		     double read)
{
	struct asl_pack way = {0};

	*s = (struct asl_prices){.all = *g, .read = read};
	s->line = calloc((size_t)g->count, sizeof *s->line);
	while (s->line && asl_pack_next(&way, g->at, g->count, asl_by_way)) {
		const double *x = way.at[0]->row->number;

		s->line[s->lines++] = (struct asl_line){
			way.at[0]->row,
			x[ASL_COL_BH_WORDS] + s->read * x[ASL_COL_READ],
			x[ASL_COL_WRITTEN], false};
	}
	return s->line && find_turns(s, &s->of_inside, true) &&
	       find_turns(s, &s->of_all, false);
}

void asl_prices_close(struct asl_prices *s)
{
	free(s->line);
	free(s->of_all.turn);
	free(s->of_inside.turn);
}

/* ---- In words ---- */

/* COWE's tiles depend on costs: the same grid may be there more than once. */
static bool is_alone(const struct asl_prices *s, int line)
{
	static const int by_name[] = {ASL_COL_ALGORITHM, ASL_COL_GRID, ASL_END};

	for (int i = 0; i < s->lines; i++)
		if (i != line && !asl_rows_compare(s->line[i].row,
						   s->line[line].row, by_name))
			return false;
	return true;
}

const char *asl_prices_name(char text[ASL_SAID], const struct asl_prices *s,
			    int line)
{
	const struct asl_row *row = s->line[line].row;
	size_t length;

	asl_say_how(text, row);
	length = strlen(text);
	if (!is_alone(s, line))
		snprintf(text + length, ASL_SAID - length, " (w %.3g)",
			 row->number[ASL_COL_W]);
	return text;
}

const char *asl_prices_verdict(char text[2 * ASL_SAID],
			       const struct asl_prices *s,
			       const struct asl_envelope *e)
{
	char how[ASL_SAID], x[ASL_BRIEF];
	int at;

	if (!e->turns) {
		snprintf(text, 2 * ASL_SAID,
			 "whatever w/\xce\xb2, choose %.300s",
			 asl_prices_name(how, s, e->first));
		return text;
	}
	at = snprintf(text, 2 * ASL_SAID, "below w/\xce\xb2 = %s choose %.200s",
		      asl_brief(x, e->turn[0].x),
		      asl_prices_name(how, s, e->first));
	for (int i = 0; i < e->turns && at < ASL_SAID; i++)
		at += snprintf(text + at, (size_t)(2 * ASL_SAID - at),
			       "; above %s %.200s", asl_brief(x, e->turn[i].x),
			       asl_prices_name(how, s, e->turn[i].to));
	return text;
}

bool asl_prices_has_outsiders(const struct asl_prices *s)
{
	for (int i = 0; i < s->lines; i++)
		if (s->line[i].row->number[ASL_COL_OUTSIDE] == 1)
			return s->of_inside.first >= 0;
	return false;
}
