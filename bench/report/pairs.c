/*
 * pairs.c -- results of two machines that are the same work
 */
#include "bench/report/pairs.h"

#include <math.h>
#include <stdlib.h>

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

void asl_match_find(struct asl_page *p, struct asl_match *m, int entries,
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

void asl_match_best(struct asl_page *p, struct asl_match *m, int entries,
		    int place)
{
	struct asl_pack g = {0};

	while (!p->failed && asl_pack_next(&g, p->list, entries, asl_by_task))
		add(p, m,
		    (struct asl_pair){.base = best_in_place(&g, 0),
				      .other = best_in_place(&g, place)});
}

struct asl_sum asl_pairs_sum(const struct asl_pair *pair, int count,
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
