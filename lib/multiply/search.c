/*
 * search.c -- boxes, grids and ranks, the least first
 */
#include "lib/multiply/search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/parts.h"

/* What is looked at next, in this order of importance; less is better. */
struct asl_merit {
	double objective, q, distance;
};

static inline int merit_compare(const struct asl_merit *a,
				const struct asl_merit *b)
{
	if (a->objective != b->objective)
		return a->objective < b->objective ? -1 : 1;
	if (a->q != b->q)
		return a->q < b->q ? -1 : 1;
	return (a->distance > b->distance) - (a->distance < b->distance);
}

/* How much is known: a box of grids, rank 0 of a grid, all ranks. */
enum asl_stage { ASL_BOX, ASL_RANK_0, ASL_ALL_RANKS };

struct asl_entry {
	struct asl_merit merit;
	struct asl_box box;
	enum asl_stage stage;
	int which;	/* of what the caller keeps */
	uint64_t order; /* of arrival */
};

struct asl_heap {
	struct asl_entry *entry;
	size_t count, capacity;
	uint64_t arrivals;
	bool full; /* no memory was left, and entries are lost */
};

/* The grids of an algorithm: `plan` has everything but the grid. */
struct asl_grids {
	struct asl_plan plan;
	uint64_t dim[3];
	uint64_t flops; /* the limit, for the busiest rank */
	double ranks;	/* fewer cannot keep to it */
};

static const struct asl_matmul *matmul(const struct asl_grids *g)
{
	return asl_plan_runs(&g->plan)->matmul;
}

static inline bool box_single(const struct asl_box *box)
{
	return box->low[0] == box->high[0] && box->low[1] == box->high[1] &&
	       box->low[2] == box->high[2];
}

static inline struct asl_grid box_grid(const struct asl_box *single)
{
	return (struct asl_grid){
		{single->low[0], single->low[1], single->low[2]}};
}

/* Is a number 1 on some of its grids only?  Such a box has no lower bound. */
static inline bool box_mixed(const struct asl_box *box)
{
	for (int i = 0; i < 3; i++)
		if (box->low[i] == 1 && box->high[i] > 1)
			return true;
	return false;
}

static bool before(const struct asl_entry *a, const struct asl_entry *b)
{
	int order = merit_compare(&a->merit, &b->merit);

	if (order)
		return order < 0;
	if (a->stage != b->stage)
		return a->stage > b->stage;
	return a->order > b->order;
}

static bool grow(struct asl_heap *h)
{
	struct asl_entry *entry =
		asl_grown(h->entry, h->count, &h->capacity, sizeof *entry);

	h->full |= !entry;
	if (entry)
		h->entry = entry;
	return entry;
}

/*
 * Among equals that of which most is known comes first, then the latest: if
 * many are equally good, the first of them is soon found.
 */
static void heap_put(struct asl_heap *h, const struct asl_entry *x)
{
	struct asl_entry new = *x;
	size_t i;

	if (!grow(h))
		return;
	new.order = h->arrivals++;
	for (i = h->count++; i > 0; i = (i - 1) / 2) {
		if (!before(&new, &h->entry[(i - 1) / 2]))
			break;
		h->entry[i] = h->entry[(i - 1) / 2];
	}
	h->entry[i] = new;
}

static bool heap_take(struct asl_heap *h, struct asl_entry *x)
{
	struct asl_entry last;
	size_t i = 0, below;

	if (!h->count)
		return false;
	*x = h->entry[0];
	last = h->entry[--h->count];
	while ((below = 2 * i + 1) < h->count) {
		if (below + 1 < h->count &&
		    before(&h->entry[below + 1], &h->entry[below]))
			below++;
		if (!before(&h->entry[below], &last))
			break;
		h->entry[i] = h->entry[below];
		i = below;
	}
	h->entry[i] = last;
	return true;
}

static void heap_free(struct asl_heap *h)
{
	free(h->entry);
	*h = (struct asl_heap){.entry = NULL};
}

/*
 * Cutting the space of all grids into smaller and smaller boxes
 *
 * A box is trimmed to what the number of ranks and the flops limit leave of it.
 * No rank count P' can have a busiest rank with less than 2mnk/P' flops; and
 * those of a brick are the product of its sides, rounded up.
 */

static void raise_low(struct asl_box *box, int i, double low)
{
	if (low > box->low[i])
		box->low[i] = (int)fmin(low, INT32_MAX);
}

static void lower_high(struct asl_box *box, int i, uint64_t high)
{
	if (high < (uint64_t)box->high[i])
		box->high[i] = (int)high;
}

/* The longest side of a brick that the two other numbers leave. */
static void trim_brick(struct asl_box *box, const struct asl_grids *g, int i)
{
	int j = (i + 1) % 3, l = (i + 2) % 3;
	uint64_t least = asl_ceil_div(g->dim[j], (uint64_t)box->high[j]) *
			 asl_ceil_div(g->dim[l], (uint64_t)box->high[l]);
	uint64_t side = g->flops / 2 / least;

	if (!side)
		box->high[i] = 0;
	else
		raise_low(box, i, (double)asl_ceil_div(g->dim[i], side));
}

static int workers(const struct asl_plan *plan)
{
	return plan->workers ? plan->workers : plan->ranks;
}

static void trim_axis(struct asl_box *box, const struct asl_grids *g, int i)
{
	int j = (i + 1) % 3, l = (i + 2) % 3;
	uint64_t P = (uint64_t)workers(&g->plan);
	double others = (double)box->high[j] * (double)box->high[l];

	lower_high(box, i, P / (uint64_t)box->low[j] / (uint64_t)box->low[l]);
	raise_low(box, i, ceil((1 - 1e-12) * g->ranks / others));
	if (!matmul(g)->flops)
		trim_brick(box, g, i);
}

static void tie(struct asl_box *box)
{
	int low = box->low[0] > box->low[1] ? box->low[0] : box->low[1];
	int high = box->high[0] < box->high[1] ? box->high[0] : box->high[1];

	box->low[0] = box->low[1] = low;
	box->high[0] = box->high[1] = high;
}

/* What is left of it; false: nothing. */
static bool trim(struct asl_box *box, const struct asl_grids *g)
{
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3; i++) {
			if (matmul(g)->grid.square)
				tie(box);
			if (box->low[i] <= box->high[i])
				trim_axis(box, g, i);
			if (box->low[i] > box->high[i])
				return false;
		}
	return true;
}

/* Apart from the others: a number that is 1.  Else the widest in proportion. */
static int axis_to_cut(const struct asl_box *box)
{
	double widest = 1;
	int axis = 0;

	for (int i = 0; i < 3; i++) {
		double wide = (double)box->high[i] / box->low[i];

		if (box->low[i] == 1 && box->high[i] > 1)
			return i;
		if (wide > widest) {
			widest = wide;
			axis = i;
		}
	}
	return axis;
}

/* Cut into two which together have all of them that it has; how many did. */
static int box_split(struct asl_box half[2], const struct asl_box *box,
		     const struct asl_grids *g)
{
	int i = axis_to_cut(box), count = 0;
	int at = box->low[i] == 1
			 ? 1
			 : (int)sqrt((double)box->low[i] * box->high[i]);

	if (at >= box->high[i])
		at = box->high[i] - 1;
	for (int upper = 0; upper < 2; upper++) {
		struct asl_box x = *box;

		if (upper)
			x.low[i] = at + 1;
		else
			x.high[i] = at;
		/* They are equal; tie() takes the tighter of the two. */
		if (trim(&x, g))
			half[count++] = x;
	}
	return count;
}

/* A box that has all of them; false: there is none. */
static bool grids_box(struct asl_box *box, const struct asl_grids *g)
{
	const struct asl_matmul *a = matmul(g);

	for (int i = 0; i < 3; i++) {
		box->low[i] = 1;
		box->high[i] = (int)asl_min(g->dim[i], INT32_MAX);
		if (a->grid.most[i])
			lower_high(box, i, (uint64_t)a->grid.most[i]);
	}
	/* q x q x c, c <= q */
	if (a->grid.flat)
		lower_high(box, 2, asl_isqrt((uint64_t)workers(&g->plan)));
	if (a->limits)
		a->limits(box, &g->plan);
	for (int i = 0; i < 3; i++)
		if (box->low[i] > box->high[i])
			return false;
	return trim(box, g);
}

static bool grids_have(const struct asl_grids *g, const struct asl_grid *grid)
{
	struct asl_plan x = g->plan;

	x.grid = *grid;
	return asl_plan_possible(&x) && asl_plan_admits(&x) &&
	       asl_grid_flops(&x) <= g->flops;
}

static double least_in(const struct asl_box *box, const struct asl_grids *g)
{
	const struct asl_shape *s = asl_shape_of(&g->plan);
	uint64_t all = s->m * s->n * s->k, sides = 1;

	for (int i = 0; i < 3; i++)
		sides *= asl_ceil_div(g->dim[i], (uint64_t)box->high[i]);
	if (matmul(g)->flops)
		sides = 0;
	return 2 *
	       (double)asl_max(sides,
			       asl_ceil_div(all, (uint64_t)workers(&g->plan)));
}

/* A single grid's flops count; a box is put in line.  The least so far. */
static uint64_t look_at(struct asl_heap *h, const struct asl_box *box,
			const struct asl_grids *g, uint64_t least)
{
	struct asl_entry x = {.box = *box, .stage = ASL_BOX};
	struct asl_plan plan = g->plan;

	if (box_single(box)) {
		plan.grid = box_grid(box);
		return grids_have(g, &plan.grid)
			       ? asl_min(least, asl_grid_flops(&plan))
			       : least;
	}
	x.merit.objective = least_in(box, g);
	heap_put(h, &x);
	return least;
}

/*
 * Over all admitted grids, the least that the busiest rank can have to do; or
 * anything that is fair.
 */
static uint64_t least_flops(const struct asl_grids *g, uint64_t fair)
{
	struct asl_heap h = {.entry = NULL};
	uint64_t least = g->flops;
	struct asl_entry x;

	if (grids_box(&x.box, g))
		least = look_at(&h, &x.box, g, least);
	while (least > fair && heap_take(&h, &x) &&
	       x.merit.objective < (double)least) {
		struct asl_box half[2];
		int count = box_split(half, &x.box, g);

		for (int i = 0; i < count; i++)
			least = look_at(&h, &half[i], g, least);
	}
	heap_free(&h);
	return least;
}

/* All that are admitted within the flops limit (grid.h). */
static void grids_init(struct asl_grids *g, const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	uint64_t all = s->m * s->n * s->k, P = 5 * (uint64_t)workers(plan),
		 fair;

	*g = (struct asl_grids){.plan = *plan, .flops = 2 * all};
	asl_plan_dims(g->dim, plan);
	/* A fifth more than 2mnk/P, of P that may work, rounded down: 12 mnk/(5 P). */
	fair = all / P * 12 + all % P * 12 / P;
	g->flops = asl_max(fair, least_flops(g, fair));
	g->ranks = 2 * (double)all / (double)g->flops;
}

/* With more ranks than multiplications the prescription cuts words. */
static bool is_integer(struct asl_grid *g, const struct asl_plan *plan)
{
	const double *p = plan->multiplication->ideal;
	uint64_t dim[3];

	asl_plan_dims(dim, plan);
	for (int i = 0; i < 3; i++) {
		if (p[i] > plan->ranks || p[i] > (double)dim[i] * (1 + 1e-9) ||
		    fabs(p[i] - round(p[i])) > 1e-9 * p[i])
			return false;
		g->p[i] = (int)round(p[i]);
	}
	return asl_grid_ranks(g) == workers(plan);
}

static struct asl_grid all_ranks(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	uint64_t all = asl_min(s->m * s->n * s->k, (uint64_t)plan->ranks);

	return (struct asl_grid){{(int)all, 1, 1}};
}

bool asl_grid_whole(struct asl_grid *g, const struct asl_plan *plan)
{
	struct asl_grid found;

	if (plan->algorithm->matmul->grid.none)
		found = all_ranks(plan);
	else if (!is_integer(&found, plan))
		return false;
	*g = found;
	return true;
}

/*
 * An algorithm with a kernel, and its grids; `alone` does not come up a second
 * time among them.  The plan points to `part`, so that a variant never moves.
 */
struct variant {
	struct asl_multiplication part;
	struct asl_grids grids;
	struct asl_rates objective, q;
	struct asl_grid alone;
	int looks;
};

/* The looks that a variant may have, in units of a look at a box. */
enum { LOOKS = 200000, LOOKS_FOR_RANK_0 = 20, LOOKS_FOR_ALL = 2000 };

/* A grid of stage ASL_ALL_RANKS. */
struct found {
	struct asl_candidate candidate;
	struct asl_multiplication part;
};

struct asl_search {
	enum asl_aim aim;
	struct asl_heap line;
	double lower_bound; /* of the boxes that were put aside */
	struct found *found;
	int founds;
	size_t founds_capacity;
	int variants, capacity;
	struct variant variant[]; /* [capacity] */
};

struct asl_search *asl_search_open(enum asl_aim aim, int most)
{
	struct asl_search *s =
		calloc(1, sizeof *s + (size_t)most * sizeof *s->variant);

	if (s) {
		s->aim = aim;
		s->lower_bound = INFINITY;
		s->capacity = most;
	}
	return s;
}

void asl_search_close(struct asl_search *s)
{
	if (!s)
		return;
	heap_free(&s->line);
	free(s->found);
	free(s);
}

/* That it fits is all that is asked of a grid's memory: then it comes first. */
static uint64_t wanted(const struct asl_search *s, const struct variant *v,
		       uint64_t memory)
{
	bool fits = memory <= v->grids.plan.budget;

	return s->aim == ASL_LEAST_MEMORY && fits ? 0 : memory;
}

/*
 * The merit of the nearest grid of the box.  Among equals a grid is better than
 * none: its ranks wait less for each other.
 */
static double distance(const struct asl_box *box, const struct asl_plan *plan)
{
	double sum = asl_plan_runs(plan)->matmul->grid.none ? INFINITY : 0;

	for (int i = 0; i < 3; i++) {
		double ideal = plan->multiplication->ideal[i];
		double p = fmin(fmax(ideal, box->low[i]), box->high[i]);

		sum += fabs(log(p / ideal));
	}
	return sum;
}

static struct asl_merit merit(const struct asl_search *s,
			      const struct variant *v,
			      const struct asl_box *box,
			      const struct asl_counts *x, uint64_t memory)
{
	if (s->aim == ASL_LEAST_MEMORY)
		return (struct asl_merit){(double)memory, 0, 0};
	return (struct asl_merit){asl_cost(&v->objective, x),
				  asl_cost(&v->q, x),
				  distance(box, &v->grids.plan)};
}

static struct asl_merit final_merit(const struct asl_search *s,
				    const struct variant *v,
				    const struct asl_box *box,
				    const struct asl_forecast *f)
{
	double q = f->q[v->grids.plan.accounting];

	if (s->aim == ASL_LEAST_MEMORY)
		return (struct asl_merit){
			(double)wanted(s, v, f->memory_needed), 0, 0};
	return (struct asl_merit){s->aim == ASL_LEAST_WORDS ? (double)f->bh : q,
				  q, distance(box, &v->grids.plan)};
}

static bool too_much(const struct asl_search *s, const struct variant *v,
		     uint64_t memory)
{
	uint64_t budget = v->grids.plan.budget;

	return s->aim != ASL_LEAST_MEMORY && budget && memory > budget;
}

/* ---- From stage to stage ---- */

/* A box and the least that its grids can cost; false: none of them fits. */
static bool look(struct asl_entry *x, struct asl_search *s, int which,
		 const struct asl_box *box)
{
	struct variant *v = &s->variant[which];
	const struct asl_plan *plan = &v->grids.plan;
	const struct asl_matmul *a = matmul(&v->grids);
	struct asl_lower_bound least = {.memory = 0};

	v->looks++;
	if (a->lower_bound && !box_mixed(box))
		a->lower_bound(&least, plan, box,
			       s->aim == ASL_LEAST_WORDS ? &v->objective
							 : &v->q);
	*x = (struct asl_entry){
		.merit = merit(s, v, box, &least.counts,
			       wanted(s, v, least.memory)),
		.box = *box,
		.stage = ASL_BOX,
		.which = which,
	};
	return !too_much(s, v, least.memory);
}

static void put_box(struct asl_search *s, int which, const struct asl_box *box)
{
	struct asl_entry x;

	if (look(&x, s, which, box))
		heap_put(&s->line, &x);
}

/* With blocks for its grid, in `part`. */
static struct asl_plan complete(struct asl_multiplication *part,
				const struct variant *v,
				const struct asl_box *single)
{
	struct asl_plan plan = v->grids.plan;

	*part = v->part;
	plan.multiplication = part;
	plan.grid = box_grid(single);
	asl_plan_blocks(part, &plan);
	return plan;
}

static void put_grid(struct asl_search *s, int which, const struct asl_box *box)
{
	struct variant *v = &s->variant[which];
	struct asl_multiplication part;
	struct asl_plan plan = complete(&part, v, box);
	const struct asl_matmul *a = matmul(&v->grids);
	struct asl_entry x = {.box = *box, .stage = ASL_RANK_0, .which = which};
	struct asl_ledger ledger;
	struct asl_counts total;
	uint64_t memory;

	v->looks += LOOKS_FOR_RANK_0;
	asl_plan_predict(&ledger, &plan, 0);
	memory = a->upper_bound ? a->upper_bound(&plan) : ledger.memory_high;
	if (too_much(s, v, memory))
		return;
	total = asl_ledger_total(&ledger);
	x.merit = merit(s, v, box, &total, wanted(s, v, memory));
	heap_put(&s->line, &x);
}

static void open_box(struct asl_search *s, int which, const struct asl_box *box)
{
	const struct variant *v = &s->variant[which];
	struct asl_grid grid = box_grid(box);
	struct asl_box half[2];
	int count;

	if (box_single(box)) {
		if (memcmp(&grid, &v->alone, sizeof grid) &&
		    grids_have(&v->grids, &grid))
			put_grid(s, which, box);
		return;
	}
	count = box_split(half, box, &v->grids);
	for (int i = 0; i < count; i++)
		put_box(s, which, &half[i]);
}

static bool grow_found(struct asl_search *s)
{
	struct found *found = asl_grown(s->found, (size_t)s->founds,
					&s->founds_capacity, sizeof *found);

	s->line.full |= !found;
	if (found)
		s->found = found;
	return found;
}

static void ask_all(struct asl_search *s, int which, const struct asl_box *box)
{
	struct variant *v = &s->variant[which];
	struct asl_entry x = {.box = *box, .stage = ASL_ALL_RANKS};
	struct asl_multiplication *part;
	struct asl_candidate *f;

	if (!grow_found(s))
		return;
	v->looks += LOOKS_FOR_ALL;
	f = &s->found[s->founds].candidate;
	part = &s->found[s->founds].part;
	*f = (struct asl_candidate){.plan = complete(part, v, box)};
	f->forecast = asl_forecast(&f->plan);
	if (too_much(s, v, f->forecast.memory_needed))
		return;
	x.which = s->founds++;
	x.merit = final_merit(s, v, box, &f->forecast);
	heap_put(&s->line, &x);
}

double asl_search_lower_bound(const struct asl_search *s)
{
	return s->lower_bound;
}

/* ... unless that variant has had its looks. */
static void look_into(struct asl_search *s, const struct asl_entry *x)
{
	if (s->variant[x->which].looks < LOOKS)
		open_box(s, x->which, &x->box);
	else
		s->lower_bound = fmin(s->lower_bound, x->merit.objective);
}

bool asl_search_next(struct asl_search *s, struct asl_candidate *found)
{
	struct asl_entry x;

	while (!s->line.full && heap_take(&s->line, &x)) {
		if (x.stage == ASL_ALL_RANKS) {
			*found = s->found[x.which].candidate;
			found->plan.multiplication = &s->found[x.which].part;
			return true;
		}
		if (x.stage == ASL_BOX)
			look_into(s, &x);
		else
			ask_all(s, x.which, &x.box);
	}
	return false;
}

/* ---- What to search ---- */

void asl_search_add(struct asl_search *s, const struct asl_plan *plan)
{
	static const struct asl_costs words = {.net = 1};
	int which = s->variants++;
	struct variant *v = &s->variant[which];
	const int *p = v->alone.p;
	struct asl_box box;

	assert(which < s->capacity);
	*v = (struct variant){
		.part = *plan->multiplication,
		.grids = {.plan = *plan},
		.q = asl_rates(&plan->costs, plan->accounting),
	};
	v->objective =
		s->aim == ASL_LEAST_WORDS ? asl_rates(&words, ASL_APM) : v->q;
	v->grids.plan.multiplication = &v->part;
	asl_plan_prescribe(v->part.ideal, &v->grids.plan);
	v->alone = plan->grid;
	if (plan->grid.p[0] || asl_grid_whole(&v->alone, &v->grids.plan)) {
		box = (struct asl_box){{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
		put_grid(s, which, &box);
	}
	if (plan->grid.p[0] || plan->algorithm->matmul->grid.none)
		return;
	grids_init(&v->grids, &v->grids.plan);
	if (grids_box(&box, &v->grids))
		put_box(s, which, &box);
}
