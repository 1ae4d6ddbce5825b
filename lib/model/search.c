/*
 * search.c -- boxes, grids and ranks, the least first
 */
#include "lib/model/search.h"

#include <math.h>
#include <stdlib.h>

#include "lib/model/boxes.h"
#include "lib/model/heap.h"

/*
 * A plan with its grids; of a dispatcher those of the plan that it calls.
 * `alone` is not to come up a second time among them.
 */
struct way {
	const struct asl_algorithm *algorithm;
	const struct asl_kernel *kernel;
	struct asl_grids grids;
	struct asl_rates objective, q;
	struct asl_grid alone;
	int looks;
};

/* Patience with a way, in units of a look at a box. */
enum { LOOKS = 200000, LOOKS_FOR_RANK_0 = 20, LOOKS_FOR_ALL = 2000 };

struct asl_search {
	enum asl_aim aim;
	struct asl_heap line;
	double floor; /* of the boxes that were put aside */
	struct way *way;
	struct asl_found *found; /* those of stage ASL_ALL_RANKS */
	int ways, ways_room, founds, founds_room;
};

struct asl_search *asl_search_open(enum asl_aim aim)
{
	struct asl_search *s = calloc(1, sizeof *s);

	if (s)
		*s = (struct asl_search){.aim = aim, .floor = INFINITY};
	return s;
}

void asl_search_close(struct asl_search *s)
{
	if (!s)
		return;
	asl_heap_free(&s->line);
	free(s->way);
	free(s->found);
	free(s);
}

/* ---- Merits ---- */

/* That it fits is all that is asked of a grid's memory: then it comes first. */
static uint64_t wanted(const struct asl_search *s, const struct way *way,
		       uint64_t memory)
{
	bool fits = memory <= way->grids.plan.budget;

	return s->aim == ASL_LEAST_MEMORY && fits ? 0 : memory;
}

/*
 * Of the nearest grid of the box.  Among equals a grid is better than none: its
 * ranks wait less for each other.
 */
static double distance(const struct asl_box *box, const struct asl_plan *plan)
{
	double sum = plan->algorithm->matmul->gridless ? INFINITY : 0;

	for (int i = 0; i < 3; i++) {
		double p = plan->ideal[i];

		p = fmin(fmax(p, box->low[i]), box->high[i]);
		sum += fabs(log(p / plan->ideal[i]));
	}
	return sum;
}

static struct asl_merit merit(const struct asl_search *s, const struct way *way,
			      const struct asl_box *box,
			      const struct asl_counts *x, uint64_t memory)
{
	if (s->aim == ASL_LEAST_MEMORY)
		return (struct asl_merit){(double)memory, 0, 0};
	return (struct asl_merit){asl_cost(&way->objective, x),
				  asl_cost(&way->q, x),
				  distance(box, &way->grids.plan)};
}

static struct asl_merit final_merit(const struct asl_search *s,
				    const struct way *way,
				    const struct asl_box *box,
				    const struct asl_forecast *f)
{
	double q = f->q[way->grids.plan.accounting];

	if (s->aim == ASL_LEAST_MEMORY)
		return (struct asl_merit){(double)wanted(s, way, f->need), 0,
					  0};
	return (struct asl_merit){s->aim == ASL_LEAST_WORDS ? (double)f->bh : q,
				  q, distance(box, &way->grids.plan)};
}

static bool too_much(const struct asl_search *s, const struct way *way,
		     uint64_t memory)
{
	uint64_t budget = way->grids.plan.budget;

	return s->aim != ASL_LEAST_MEMORY && budget && memory > budget;
}

/* ---- From stage to stage ---- */

/* A box and the least that its grids can cost; false: none of them fits. */
static bool look(struct asl_entry *x, struct asl_search *s, int which,
		 const struct asl_box *box)
{
	struct way *way = &s->way[which];
	const struct asl_plan *plan = &way->grids.plan;
	const struct asl_matmul *a = plan->algorithm->matmul;
	struct asl_least least = {.memory = 0};

	way->looks++;
	if (a->floor && !asl_box_mixed(box))
		a->floor(&least, plan, box,
			 s->aim == ASL_LEAST_WORDS ? &way->objective : &way->q);
	*x = (struct asl_entry){
		.merit = merit(s, way, box, &least.counts,
			       wanted(s, way, least.memory)),
		.box = *box,
		.stage = ASL_BOX,
		.which = which,
	};
	return !too_much(s, way, least.memory);
}

static void put_box(struct asl_search *s, int which, const struct asl_box *box)
{
	struct asl_entry x;

	if (look(&x, s, which, box))
		asl_heap_put(&s->line, &x);
}

/* With blocks for its grid. */
static struct asl_plan complete(const struct way *way,
				const struct asl_box *single)
{
	struct asl_plan plan = way->grids.plan;

	plan.grid = asl_box_grid(single);
	asl_plan_blocks(&plan);
	return plan;
}

static void put_grid(struct asl_search *s, int which, const struct asl_box *box)
{
	struct way *way = &s->way[which];
	struct asl_plan plan = complete(way, box);
	const struct asl_matmul *a = plan.algorithm->matmul;
	struct asl_entry x = {.box = *box, .stage = ASL_RANK_0, .which = which};
	struct asl_ledger ledger;
	struct asl_counts total;
	uint64_t memory;

	way->looks += LOOKS_FOR_RANK_0;
	asl_plan_predict(&ledger, &plan, 0);
	memory = a->enough ? a->enough(&plan) : ledger.memory_high;
	if (too_much(s, way, memory))
		return;
	total = asl_ledger_total(&ledger);
	x.merit = merit(s, way, box, &total, wanted(s, way, memory));
	asl_heap_put(&s->line, &x);
}

static bool same(const struct asl_grid *a, const struct asl_grid *b)
{
	return a->p[0] == b->p[0] && a->p[1] == b->p[1] && a->p[2] == b->p[2];
}

static void open_box(struct asl_search *s, int which, const struct asl_box *box)
{
	const struct way *way = &s->way[which];
	struct asl_grid grid = asl_box_grid(box);
	struct asl_box half[2];
	int count;

	if (asl_box_single(box)) {
		if (!same(&grid, &way->alone) &&
		    asl_grids_have(&way->grids, &grid))
			put_grid(s, which, box);
		return;
	}
	count = asl_box_split(half, box, &way->grids);
	for (int i = 0; i < count; i++)
		put_box(s, which, &half[i]);
}

static bool room_for_another(struct asl_search *s)
{
	int room = s->founds_room ? 2 * s->founds_room : 64;
	struct asl_found *found;

	if (s->founds < s->founds_room)
		return true;
	found = realloc(s->found, (size_t)room * sizeof *found);
	if (!found) {
		s->line.full = true;
		return false;
	}
	s->found = found;
	s->founds_room = room;
	return true;
}

static void ask_all(struct asl_search *s, int which, const struct asl_box *box)
{
	struct way *way = &s->way[which];
	struct asl_entry x = {.box = *box, .stage = ASL_ALL_RANKS};
	struct asl_found *f;

	if (!room_for_another(s))
		return;
	way->looks += LOOKS_FOR_ALL;
	f = &s->found[s->founds];
	f->plan = complete(way, box);
	f->forecast = asl_forecast(&f->plan);
	f->plan.algorithm = way->algorithm;
	f->plan.kernel = way->kernel;
	if (too_much(s, way, f->forecast.need))
		return;
	x.which = s->founds++;
	x.merit = final_merit(s, way, box, &f->forecast);
	asl_heap_put(&s->line, &x);
}

double asl_search_floor(const struct asl_search *s)
{
	return s->floor;
}

/* ... unless that way has had its looks. */
static void look_into(struct asl_search *s, const struct asl_entry *x)
{
	if (s->way[x->which].looks < LOOKS)
		open_box(s, x->which, &x->box);
	else
		s->floor = fmin(s->floor, x->merit.objective);
}

bool asl_search_next(struct asl_search *s, struct asl_found *found)
{
	struct asl_entry x;

	while (!s->line.full && asl_heap_take(&s->line, &x)) {
		if (x.stage == ASL_ALL_RANKS) {
			*found = s->found[x.which];
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

static struct way *another_way(struct asl_search *s)
{
	int room = s->ways_room ? 2 * s->ways_room : 16;
	struct way *way;

	if (s->ways == s->ways_room) {
		way = realloc(s->way, (size_t)room * sizeof *way);
		if (!way) {
			s->line.full = true;
			return NULL;
		}
		s->way = way;
		s->ways_room = room;
	}
	return &s->way[s->ways++];
}

static struct asl_box box_of(const struct asl_grid *g)
{
	return (struct asl_box){{g->p[0], g->p[1], g->p[2]},
				{g->p[0], g->p[1], g->p[2]}};
}

void asl_search_add(struct asl_search *s, const struct asl_plan *plan)
{
	static const struct asl_costs words = {.net = 1};
	struct way *way = another_way(s);
	int which = s->ways - 1;
	struct asl_box box;

	if (!way)
		return;
	*way = (struct way){
		.algorithm = plan->algorithm,
		.kernel = plan->kernel,
		.grids = {.plan = *plan},
		.q = asl_rates(&plan->costs, plan->accounting),
	};
	way->objective =
		s->aim == ASL_LEAST_WORDS ? asl_rates(&words, ASL_APM) : way->q;
	plan->algorithm->matmul->ideal(way->grids.plan.ideal, plan);
	if (plan->algorithm->matmul->calls)
		plan->algorithm->matmul->calls(&way->grids.plan);
	way->alone = plan->grid;
	if (plan->grid.p[0] || asl_grid_whole(&way->alone, &way->grids.plan)) {
		box = box_of(&way->alone);
		put_grid(s, which, &box);
	}
	if (plan->grid.p[0] || plan->algorithm->matmul->gridless)
		return;
	asl_grids_init(&way->grids, &way->grids.plan);
	if (asl_grids_box(&box, &way->grids))
		put_box(s, which, &box);
}
