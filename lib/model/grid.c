/*
 * grid.c -- the search for an integer grid
 */
#include "lib/model/grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void dims_of(double dim[3], const struct asl_plan *plan)
{
	const char *axes = asl_plan_axes(plan);

	for (int i = 0; i < 3; i++)
		switch (axes[i]) {
		case 'm':
			dim[i] = (double)plan->shape.m;
			break;
		case 'n':
			dim[i] = (double)plan->shape.n;
			break;
		default:
			dim[i] = (double)plan->shape.k;
		}
}

/* The free side that sticks out most; -1 if none does. */
static int worst_side(const double side[3], const double dim[3],
		      const bool cut[3])
{
	int worst = -1;
	double most = 1 + 1e-12;

	for (int i = 0; i < 3; i++)
		if (!cut[i] && side[i] / dim[i] > most) {
			most = side[i] / dim[i];
			worst = i;
		}
	return worst;
}

void asl_grid_ideal(double p[3], const struct asl_plan *plan, double deep)
{
	const char *axes = asl_plan_axes(plan);
	double dim[3], side[3];
	bool cut[3] = {false, false, false};
	double weight[3] = {1, 1, 1};
	int worst;

	dims_of(dim, plan);
	weight[strchr(axes, 'k') - axes] = fmin(deep, 1e15);
	do {
		double volume = dim[0] * dim[1] * dim[2] / plan->ranks, unit;
		int left = 0;

		for (int i = 0; i < 3; i++) {
			volume /= cut[i] ? dim[i] : weight[i];
			left += !cut[i];
		}
		unit = left == 3   ? cbrt(volume)
		       : left == 2 ? sqrt(volume)
				   : volume;
		for (int i = 0; i < 3; i++)
			side[i] = cut[i] ? dim[i] : unit * weight[i];
		worst = worst_side(side, dim, cut);
		if (worst >= 0)
			cut[worst] = true;
	} while (worst >= 0 && !(cut[0] && cut[1] && cut[2]));
	for (int i = 0; i < 3; i++)
		p[i] = dim[i] / side[i];
}

/* ---- Enumeration ---- */

uint64_t asl_grid_flops(const struct asl_plan *plan)
{
	uint64_t flops = 2;
	double dim[3];

	if (plan->algorithm->flops)
		return plan->algorithm->flops(plan);
	dims_of(dim, plan);
	for (int i = 0; i < 3; i++)
		flops *= asl_ceil_div((uint64_t)dim[i],
				      (uint64_t)plan->grid.p[i]);
	return flops;
}

static int least_int(uint64_t a, int b)
{
	return a < (uint64_t)b ? (int)a : b;
}

static bool admitted(const struct asl_plan *plan)
{
	return asl_plan_possible(plan) &&
	       (!plan->algorithm->admits ||
		plan->algorithm->admits(plan, &plan->grid));
}

/* Over all admitted grids, the least that the busiest rank can have to do. */
static uint64_t least_flops(struct asl_plan *plan, const uint64_t dim[3])
{
	uint64_t least = 2 * dim[0] * dim[1] * dim[2];
	int *p = plan->grid.p;

	for (p[0] = 1; p[0] <= least_int(dim[0], plan->ranks); p[0]++)
		for (p[1] = 1; p[1] <= least_int(dim[1], plan->ranks / p[0]);
		     p[1]++) {
			p[2] = least_int(dim[2], plan->ranks / (p[0] * p[1]));
			while (p[2] > 1 && !admitted(plan))
				p[2]--;
			if (admitted(plan) && asl_grid_flops(plan) < least)
				least = asl_grid_flops(plan);
		}
	return least;
}

static struct asl_plan with_blocks(const struct asl_plan *plan)
{
	struct asl_plan x = *plan;

	asl_plan_blocks(&x);
	return x;
}

void asl_grid_each(struct asl_plan *plan,
		   void (*visit)(const struct asl_plan *with_grid, void *arg),
		   void *arg)
{
	double real[3], fair;
	uint64_t dim[3], limit;
	int *p = plan->grid.p;

	dims_of(real, plan);
	for (int i = 0; i < 3; i++)
		dim[i] = (uint64_t)real[i];
	fair = 1.2 * 2 * real[0] * real[1] * real[2] / plan->ranks;
	limit = least_flops(plan, dim);
	if ((double)limit < fair)
		limit = (uint64_t)fair;

	/* The last number from the most ranks down to too few. */
	for (p[0] = 1; p[0] <= least_int(dim[0], plan->ranks); p[0]++)
		for (p[1] = 1; p[1] <= least_int(dim[1], plan->ranks / p[0]);
		     p[1]++)
			for (p[2] = least_int(dim[2],
					      plan->ranks / (p[0] * p[1]));
			     p[2] > 0 && asl_grid_flops(plan) <= limit; p[2]--)
				if (admitted(plan)) {
					struct asl_plan x = with_blocks(plan);

					visit(&x, arg);
				}
}

/* ---- Forecast ---- */

static void note(struct asl_forecast *f, const struct asl_plan *plan,
		 const struct asl_rates rates[ASL_ACCOUNTINGS], int rank)
{
	struct asl_ledger ledger;
	struct asl_counts x;

	asl_plan_predict(&ledger, plan, rank);
	x = asl_ledger_total(&ledger);
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		f->q[a] = fmax(f->q[a], asl_cost(&rates[a], &x));
	if (f->read < asl_words_read(&x))
		f->read = asl_words_read(&x);
	if (f->written < asl_words_written(&x))
		f->written = asl_words_written(&x);
	if (f->bh < x.of[ASL_BH])
		f->bh = x.of[ASL_BH];
	if (f->memory_high < ledger.memory_high)
		f->memory_high = ledger.memory_high;
	if (f->pool_high < ledger.pool_high)
		f->pool_high = ledger.pool_high;
}

enum { SEAMS = 96 };

static void add_seam(int place[SEAMS], int *count, int p, int i)
{
	if (i < 0 || i >= p)
		return;
	for (int j = 0; j < *count; j++)
		if (place[j] == i)
			return;
	place[(*count)++] = i;
}

/*
 * Places along axis i where something can change; how many.  Blocks change size
 * at dim % p.  Shares do at W % p around a ring, and first at p / (W % p) where
 * they are spread, for the four sizes W of block that the other axes leave; by
 * doubling and halving the later of two runs is the larger, and the ones to ask
 * are the last of aligned runs.
 */
static int seams(int place[SEAMS], const double dim[3], const int p[3], int i)
{
	int more = (int)((uint64_t)dim[i] % (uint64_t)p[i]), count = 0;
	int j = (i + 1) % 3, l = (i + 2) % 3;

	for (int by = -2; by <= 1; by++) {
		add_seam(place, &count, p[i], more + by);
		add_seam(place, &count, p[i], p[i] + by);
		add_seam(place, &count, p[i], by);
	}
	for (int run = 1; asl_is_power_of_two(p[i]) && run <= p[i]; run *= 2) {
		add_seam(place, &count, p[i], more / run * run - 1);
		add_seam(place, &count, p[i], more / run * run - 2);
	}
	for (int w = 0; w < 4; w++) {
		uint64_t W = ((uint64_t)dim[j] / (uint64_t)p[j] + (w & 1)) *
			     ((uint64_t)dim[l] / (uint64_t)p[l] + w / 2);
		int change = (int)(W % (uint64_t)p[i]);

		/* Spread evenly, the first larger share is not far. */
		if (asl_is_power_of_two(p[i]) && change)
			change = (p[i] + change - 1) / change;

		for (int by = -2; by <= 1; by++)
			add_seam(place, &count, p[i], change + by);
	}
	return count;
}

enum { ALL_RANKS = 4096 };

struct asl_forecast asl_forecast(const struct asl_plan *plan)
{
	struct asl_forecast f = {0};
	struct asl_rates rates[ASL_ACCOUNTINGS];
	const int *p = plan->grid.p;
	int used = asl_grid_ranks(&plan->grid), place[3][SEAMS], count[3];
	double dim[3];

	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		rates[a] = asl_rates(&plan->costs, a);
	if (used <= ALL_RANKS) {
		for (int rank = 0; rank < used; rank++)
			note(&f, plan, rates, rank);
		return f;
	}
	dims_of(dim, plan);
	for (int i = 0; i < 3; i++)
		count[i] = seams(place[i], dim, p, i);
	for (int i = 0; i < count[0]; i++)
		for (int j = 0; j < count[1]; j++)
			for (int l = 0; l < count[2]; l++)
				note(&f, plan, rates,
				     (place[0][i] * p[1] + place[1][j]) * p[2] +
					     place[2][l]);
	return f;
}

/* ---- Choice ---- */

enum { FINALISTS = 32 };

struct finalist {
	struct asl_grid grid;
	double cost;
};

struct search {
	struct asl_rates rates;
	struct finalist best[FINALISTS];
	int count;
	uint64_t least_need;
};

static struct asl_rates objective(const struct asl_plan *plan)
{
	struct asl_costs words = {.net = 1};

	if (plan->algorithm->least_words)
		return asl_rates(&words, ASL_APM);
	return asl_rates(&plan->costs, plan->accounting);
}

static bool within_budget(const struct asl_plan *plan, uint64_t need,
			  uint64_t *least_need)
{
	if (need < *least_need)
		*least_need = need;
	return !plan->budget || need <= plan->budget;
}

/* Rank 0 has the largest brick: its cost sorts the grids well enough. */
static void shortlist(const struct asl_plan *plan, void *arg)
{
	struct search *s = arg;
	struct asl_ledger ledger;
	struct asl_counts x;
	struct finalist new = {.grid = plan->grid};
	int i;

	asl_plan_predict(&ledger, plan, 0);
	/* Others may hold more than rank 0, but are asked only if it matters. */
	if (plan->budget && ledger.memory_high < s->least_need)
		within_budget(plan, asl_forecast(plan).memory_high,
			      &s->least_need);
	if (plan->budget && ledger.memory_high > plan->budget)
		return;
	x = asl_ledger_total(&ledger);
	new.cost = asl_cost(&s->rates, &x);
	if (s->count == FINALISTS && new.cost >= s->best[s->count - 1].cost)
		return;
	if (plan->budget && asl_forecast(plan).memory_high > plan->budget)
		return;
	if (s->count < FINALISTS)
		s->count++;
	for (i = s->count - 1; i > 0 && s->best[i - 1].cost > new.cost; i--)
		s->best[i] = s->best[i - 1];
	s->best[i] = new;
}

static double distance(const struct asl_plan *plan)
{
	double sum = 0;

	for (int i = 0; i < 3; i++)
		sum += fabs(log(plan->grid.p[i] / plan->ideal[i]));
	return sum;
}

/* The objective; among equals Q; among equals nearness to the prescription. */
struct merit {
	double objective, q, distance;
};

static struct merit merit(const struct asl_plan *plan,
			  const struct asl_forecast *f)
{
	double q = f->q[plan->accounting];

	return (struct merit){plan->algorithm->least_words ? (double)f->bh : q,
			      q, distance(plan)};
}

static bool better(const struct merit *a, const struct merit *b)
{
	if (a->objective != b->objective)
		return a->objective < b->objective;
	if (a->q != b->q)
		return a->q < b->q;
	return a->distance < b->distance;
}

/* With more ranks than multiplications the prescription cuts words. */
static bool is_integer(struct asl_grid *g, const double p[3],
		       const double dim[3], int ranks)
{
	for (int i = 0; i < 3; i++) {
		if (p[i] > ranks || p[i] > dim[i] * (1 + 1e-9) ||
		    fabs(p[i] - round(p[i])) > 1e-9 * p[i])
			return false;
		g->p[i] = (int)round(p[i]);
	}
	return asl_grid_ranks(g) == ranks;
}

int asl_grid_choose(struct asl_plan *plan, uint64_t *least_need)
{
	struct search s = {.rates = objective(plan), .least_need = UINT64_MAX};
	struct merit best_merit = {INFINITY, INFINITY, INFINITY};
	struct asl_plan best = {.grid = {{0}}}, x;
	struct asl_forecast f;
	double dim[3];

	dims_of(dim, plan);
	plan->algorithm->ideal(plan->ideal, plan);
	if (is_integer(&plan->grid, plan->ideal, dim, plan->ranks)) {
		x = with_blocks(plan);
		f = asl_forecast(&x);
		if (within_budget(plan, f.memory_high, &s.least_need)) {
			*plan = x;
			return 0;
		}
	}
	asl_grid_each(plan, shortlist, &s);
	for (int i = 0; i < s.count; i++) {
		struct merit now;

		plan->grid = s.best[i].grid;
		x = with_blocks(plan);
		f = asl_forecast(&x);
		if (!within_budget(plan, f.memory_high, &s.least_need))
			continue;
		now = merit(plan, &f);
		if (better(&now, &best_merit)) {
			best_merit = now;
			best = x;
		}
	}
	*least_need = s.least_need;
	if (!best.grid.p[0])
		return -ENOMEM;
	*plan = best;
	return 0;
}
