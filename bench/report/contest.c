/*
 * contest.c -- who is best in a case, and by what
 */
#include "bench/report/contest.h"

#include <math.h>
#include <string.h>

#include "bench/report/brief.h"

static bool is_other(const struct asl_entry *a, const struct asl_entry *b)
{
	return strcmp(a->row->text[ASL_COL_ALGORITHM],
		      b->row->text[ASL_COL_ALGORITHM]) != 0;
}

static double cost(const struct asl_entry *x)
{
	return asl_row_cost(x->row);
}

static double seconds(const struct asl_entry *x)
{
	return x->wall.samples ? x->wall.median : NAN;
}

/* The least of those that differ from `than`, NULL: of all. */
static const struct asl_entry *least(const struct asl_pack *g,
				     double (*of)(const struct asl_entry *x),
				     const struct asl_entry *than)
{
	const struct asl_entry *best = NULL;

	for (int i = 0; i < g->count; i++) {
		const struct asl_entry *x = g->at[i];

		if (isnan(of(x)) || (than && !is_other(x, than)))
			continue;
		if (!best || of(x) < of(best))
			best = x;
	}
	return best;
}

static double cost_inside(const struct asl_entry *x)
{
	return x->row->number[ASL_COL_OUTSIDE] == 1 ? NAN : cost(x);
}

bool asl_contest_judge(struct asl_contest *c, const struct asl_pack *g)
{
	*c = (struct asl_contest){.all = *g};
	c->best = least(g, cost, NULL);
	if (c->best)
		c->next = least(g, cost, c->best);
	c->inside = least(g, cost_inside, NULL);
	c->fastest = least(g, seconds, NULL);
	if (c->fastest)
		c->second = least(g, seconds, c->fastest);
	return c->next != NULL;
}

double asl_contest_lead(const struct asl_contest *c)
{
	return cost(c->next) / cost(c->best);
}

const char *asl_contest_why(char text[ASL_SAID], const struct asl_contest *c)
{
	static const char *const kinds[] = {
		[ASL_PART_NET] = "words between ranks",
		[ASL_PART_READ] = "words read",
		[ASL_PART_WRITE] = "words written",
		[ASL_PART_OTHER] = "messages, flops and DRAM",
	};
	double a[4], b[4], price[4];
	char x[ASL_BRIEF], y[ASL_BRIEF];
	int most = 0;

	asl_row_parts(a, c->best->row);
	asl_row_parts(b, c->next->row);
	for (int i = 1; i < 4; i++)
		if (b[i] - a[i] > b[most] - a[most])
			most = i;
	if (asl_contest_lead(c) < 1.005)
		return "the same within half a percent";
	price[ASL_PART_NET] = c->best->row->number[ASL_COL_BETA];
	price[ASL_PART_READ] = c->best->row->number[ASL_COL_R];
	price[ASL_PART_WRITE] = c->best->row->number[ASL_COL_W];
	price[ASL_PART_OTHER] = 1;
	snprintf(text, ASL_SAID, "%s %s instead of %s",
		 asl_brief(x, a[most] / price[most]), kinds[most],
		 asl_brief(y, b[most] / price[most]));
	return text;
}
