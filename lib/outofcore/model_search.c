/*
 * model_search.c -- the cheapest integer counts of tiles
 *
 * All n[Y] with which X's tiles can fit, and for each the smallest n[Z] that
 * does: nothing else is to be gained.  What n[X] costs (rotation inside) is
 * tried likewise, else n[X] is as large as it takes.  Of counts whose tiles are
 * as long, 2 sqrt(N) different lengths for an extent of N, only the first is
 * tried: Z's are not cut less often with another, as the first of those cut k
 * times for tiles of g is ceil(ceil(N / g) / k) = ceil(N / (g k)).  A price that
 * the rest cannot make up for ends a loop, as does a tile of everything: both
 * grow with the count.
 */
#include <math.h>

#include "lib/outofcore/model.h"

struct search {
	const struct asl_ooc_model *model;
	struct asl_ooc_terms t;
	enum asl_operand X, Y, Z;
	bool strict;
	struct asl_ooc_tiles best;
	double least; /* its price */
};

static double whole_extent(const struct search *s, enum asl_operand lacking)
{
	return ceil(s->t.extent[lacking]);
}

/*
 * In how many parts `lacking`'s index must be cut so that tiles fit whose other
 * side is the other index, cut in `parts`; one that is infinite: never.
 */
static double least_parts(const struct search *s, enum asl_operand lacking,
			  enum asl_operand across, double parts)
{
	double room = s->model->tile * (1 + 1e-12);
	double most, count;

	if (!s->strict) {
		count = s->t.extent[lacking] * s->t.extent[across] / parts /
			room;
		count = ceil(count);
	} else {
		most = floor(room / ceil(whole_extent(s, across) / parts));
		count = most < 1 ? INFINITY
				 : ceil(whole_extent(s, lacking) / most);
	}
	return count > whole_extent(s, lacking) ? INFINITY : fmax(1, count);
}

static double price(const struct search *s, const struct asl_ooc_tiles *n)
{
	const struct asl_ooc_terms *t = &s->t;

	return t->pass[s->Y] * n->n[s->Y] + t->pass[s->Z] * n->n[s->Z] +
	       t->turn[s->X] * n->n[s->X] + t->turn[s->Z] * n->n[s->Z] +
	       t->turn[s->Y] * n->n[s->Y] * n->again;
}

static void keep(struct search *s, const struct asl_ooc_tiles *n)
{
	double now = price(s, n);

	if (now < s->least) {
		s->least = now;
		s->best = *n;
	}
}

/*
 * Parts of an index from `first` on whose largest is as long: how far these go.
 * Only that length matters to what fits, so long as sides are rounded up.
 */
static double last_alike(const struct search *s, enum asl_operand lacking,
			 double first)
{
	double all = whole_extent(s, lacking), length = ceil(all / first);

	if (!s->strict)
		return first;
	return length == 1 ? all : ceil(all / (length - 1)) - 1;
}

/* Complete n[X] and n[Y].  Returns whether a larger n[X] is of no use. */
static bool complete(struct search *s, struct asl_ooc_tiles n)
{
	double parts = least_parts(s, s->Y, s->X, n.n[s->X]);
	double for_Y = least_parts(s, s->Z, s->Y, n.n[s->Y]);
	double for_X = least_parts(s, s->Z, s->X, n.n[s->X]);

	n.n[s->Z] = fmax(for_Y, for_X);
	n.again = ceil(parts / n.n[s->Y]);
	if (isfinite(n.n[s->Z]) && n.again * n.n[s->Y] <= whole_extent(s, s->Y))
		keep(s, &n);
	return n.again == 1 && for_X <= for_Y;
}

static void free_X(struct search *s, struct asl_ooc_tiles n)
{
	n.n[s->X] = whole_extent(s, s->X);
	complete(s, n);
}

static void each_X(struct search *s, struct asl_ooc_tiles n)
{
	double most = whole_extent(s, s->X);

	for (double x = 1; x <= most; x = last_alike(s, s->X, x) + 1) {
		n.n[s->X] = x;
		n.n[s->Z] = least_parts(s, s->Z, s->Y, n.n[s->Y]);
		if (price(s, &n) >= s->least || complete(s, n))
			return;
	}
}

/* Where n[X] is free: as few as do as well as any. */
static void shrink(struct search *s)
{
	struct asl_ooc_tiles *n = &s->best;
	double for_Y = least_parts(s, s->X, s->Z, n->n[s->Z]);
	double for_Z = least_parts(s, s->X, s->Y, n->n[s->Y] * n->again);

	n->n[s->X] = fmax(for_Y, for_Z);
}

/* Can more parts of Y's than y - 1 be of use? */
static bool is_done(const struct search *s, double y)
{
	const struct asl_ooc_tiles *n = &s->best;
	struct asl_ooc_tiles least = {{1, 1, 1}, 1};
	bool all = n->n[s->Z] == 1 && n->again == 1;

	least.n[s->Y] = y;
	return price(s, &least) >= s->least ||
	       (all && (s->t.turn[s->X] == 0 || n->n[s->X] == 1));
}

bool asl_ooc_search(struct asl_ooc_tiles *t, const struct asl_ooc_model *x,
		    bool strict)
{
	struct search s = {.model = x,
			   .t = asl_ooc_terms(x),
			   .X = x->order.at[0],
			   .Y = x->order.at[1],
			   .Z = x->order.at[2],
			   .strict = strict,
			   .least = INFINITY};
	double most = whole_extent(&s, s.Y);
	double y = least_parts(&s, s.Y, s.Z, whole_extent(&s, s.Z));
	bool is_free = s.t.turn[s.X] == 0;

	while (y <= most && !is_done(&s, y)) {
		struct asl_ooc_tiles n = {{1, 1, 1}, 1};

		n.n[s.Y] = y;
		(is_free ? free_X : each_X)(&s, n);
		y = last_alike(&s, s.Y, y) + 1;
	}
	if (is_free && isfinite(s.least))
		shrink(&s);
	*t = s.best;
	return isfinite(s.least);
}

bool asl_ooc_choose(struct asl_ooc_tiles *t, struct asl_ooc_model *x,
		    bool strict)
{
	struct asl_ooc_model now = *x;
	double least = INFINITY;

	for (int i = 0; i < ASL_OOC_ORDERS; i++) {
		struct asl_ooc_tiles n;
		struct asl_ooc_volume v;
		double cost;

		now.order = asl_ooc_orders[i];
		if (!asl_ooc_search(&n, &now, strict))
			continue;
		v = asl_ooc_volume(&now, &n);
		cost = asl_ooc_cost(&now, &v);
		if (cost < least) {
			least = cost;
			x->order = now.order;
			*t = n;
		}
	}
	return isfinite(least);
}
