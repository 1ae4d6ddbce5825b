/*
 * contest_words.c -- a sentence a family: who costs least, how often, by how much
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/contest.h"
#include "bench/stats.h"

struct tally {
	int cases, won;
	double *leads;
};

/* How many contests of the list an algorithm wins, and by how much. */
static struct tally tally(const struct asl_contest *c, int count,
			  const char *name, double *leads)
{
	struct tally t = {.cases = count, .leads = leads};

	for (int i = 0; i < count; i++)
		if (!strcmp(c[i].best->row->text[ASL_COL_ALGORITHM], name))
			leads[t.won++] = asl_contest_lead(&c[i]);
	return t;
}

static void say_family(struct asl_page *p, const struct asl_contest *c,
		       int count, double *leads)
{
	struct tally most = {0};
	const char *name = "";
	double range[2] = {INFINITY, 0};

	for (int i = 0; i < count; i++) {
		const char *x = c[i].best->row->text[ASL_COL_ALGORITHM];
		struct tally t = tally(c, count, x, leads);

		if (t.won > most.won) {
			most = t;
			name = x;
		}
	}
	most = tally(c, count, name, leads);
	for (int i = 0; i < most.won; i++) {
		range[0] = fmin(range[0], leads[i]);
		range[1] = fmax(range[1], leads[i]);
	}
	fputs("<li><b>", p->f);
	asl_page_say(p, "%s", name);
	fputs("</b>", p->f);
	asl_page_say(p, " costs least in %d of %d case%s of %s", most.won,
		     most.cases, most.cases == 1 ? "" : "s",
		     c->best->row->text[ASL_COL_FAMILY]);
	if (p->results->places > 1)
		asl_page_say(
			p, " (%s)",
			asl_page_place(
				p, (int)c->best->row->number[ASL_COL_PLACE]));
	asl_page_say(p, ": the next best algorithm costs %.3g times as much",
		     asl_geometric_mean(leads, most.won));
	if (most.won > 1)
		asl_page_say(p, " on average (%.3g to %.3g)", range[0],
			     range[1]);
	asl_page_say(p, ".");
	if (c->best->row->number[ASL_COL_OUTSIDE] == 1)
		asl_page_say(p, " It never writes partial sums, which the "
				"asymmetric parallel model takes for granted; "
				"the table names the best that does, too.");
	fputs("</li>\n", p->f);
}

static const int by_family[] = {ASL_COL_FAMILY, ASL_COL_PLACE, ASL_END};

static int compare(const void *a, const void *b)
{
	const struct asl_contest *x = a, *y = b;

	return asl_rows_compare(x->best->row, y->best->row, by_family);
}

void asl_contests_say(struct asl_page *p, const struct asl_contest *contests,
		      int count)
{
	size_t bytes = (size_t)count * sizeof *contests;
	struct asl_contest *c = malloc(bytes);
	double *leads = calloc((size_t)count, sizeof *leads);
	int first = 0;

	p->failed |= !c || !leads;
	fputs("<ul class=\"lead\">\n", p->f);
	if (c && leads)
		qsort(memcpy(c, contests, bytes), (size_t)count, sizeof *c,
		      compare);
	for (int i = 1; c && leads && i <= count; i++)
		if (i == count || compare(&c[first], &c[i])) {
			say_family(p, &c[first], i - first, leads);
			first = i;
		}
	fputs("</ul>\n", p->f);
	free(leads);
	free(c);
}
