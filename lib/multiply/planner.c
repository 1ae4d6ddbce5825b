/*
 * planner.c -- every algorithm, kernel and grid, by predicted cost
 */
#include "lib/multiply/planner.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/matrix/file.h"
#include "lib/multiply/search.h"
#include "lib/run/path.h"

/*
 * What the busiest of all ranks is predicted to count
 *
 * Only some of many ranks are asked.  What a rank counts depends on its place
 * along each axis of the grid, and changes at few places along an axis, the
 * seams.  From the corners of the grid, the search goes on along one axis at a
 * time: for each measure, from the rank that has most of it so far, to all seams
 * along all three axes, until none has more.
 */

struct place {
	int at[3];
};

struct survey {
	const struct asl_plan *plan;
	struct asl_forecast *most;
	struct place of[ASL_FORECAST_BITS]; /* where each measure is largest */
};

static void ask(struct survey *s, const struct place *x)
{
	const int *p = s->plan->grid.p;
	int rank = (x->at[0] * p[1] + x->at[1]) * p[2] + x->at[2];
	unsigned grew = asl_forecast_rank(s->most, s->plan, rank);

	for (int i = 0; grew >> i; i++)
		if (grew >> i & 1)
			s->of[i] = *x;
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
 * are the last of aligned runs, and a smaller share in large runs: on a line of
 * up to 64 ranks all are asked.
 */
static int seams(int place[SEAMS], const uint64_t dim[3], const int p[3], int i)
{
	int more = (int)(dim[i] % (uint64_t)p[i]), count = 0;
	int j = (i + 1) % 3, l = (i + 2) % 3;

	for (int by = -2; by <= 1; by++) {
		add_seam(place, &count, p[i], more + by);
		add_seam(place, &count, p[i], p[i] + by);
		add_seam(place, &count, p[i], by);
	}
	for (int at = 0; asl_is_power_of_two(p[i]) && p[i] <= 64 && at < p[i];
	     at++)
		add_seam(place, &count, p[i], at);
	for (int run = 1; asl_is_power_of_two(p[i]) && run <= p[i]; run *= 2) {
		add_seam(place, &count, p[i], more / run * run - 1);
		add_seam(place, &count, p[i], more / run * run - 2);
	}
	for (int w = 0; w < 4; w++) {
		uint64_t W = (dim[j] / (uint64_t)p[j] + (w & 1)) *
			     (dim[l] / (uint64_t)p[l] + w / 2);
		int change = (int)(W % (uint64_t)p[i]);

		/* Spread evenly, the first larger share is not far. */
		if (asl_is_power_of_two(p[i]) && change)
			change = (p[i] + change - 1) / change;

		for (int by = -2; by <= 1; by++)
			add_seam(place, &count, p[i], change + by);
	}
	return count;
}

struct axis {
	int seam[SEAMS], count;
};

/* First and last of the larger and of the smaller blocks, along each axis. */
static void ask_corners(struct survey *s, const uint64_t dim[3])
{
	const int *p = s->plan->grid.p;
	int corner[3][4];

	for (int i = 0; i < 3; i++) {
		int more = (int)(dim[i] % (uint64_t)p[i]);

		corner[i][0] = 0;
		corner[i][1] = p[i] - 1;
		corner[i][2] = more;
		corner[i][3] = more ? more - 1 : 0;
	}
	for (int c = 0; c < 64; c++) {
		struct place x = {{corner[0][c & 3], corner[1][c >> 2 & 3],
				   corner[2][c >> 4]}};

		ask(s, &x);
	}
}

/* Along all axes from where measure i has most so far. */
static void climb(struct survey *s, const struct axis axis[3], int i)
{
	struct place from;

	do {
		from = s->of[i];
		for (int a = 0; a < 3; a++)
			for (int j = 0; j < axis[a].count; j++) {
				struct place x = from;

				x.at[a] = axis[a].seam[j];
				ask(s, &x);
			}
	} while (memcmp(&from, &s->of[i], sizeof from));
}

enum { ALL_RANKS = 4096 };

static void ask_some(struct survey *s)
{
	struct axis axis[3];
	uint64_t dim[3];

	asl_plan_dims(dim, s->plan);
	for (int i = 0; i < 3; i++)
		axis[i].count = seams(axis[i].seam, dim, s->plan->grid.p, i);
	ask_corners(s, dim);
	for (int i = 0; i < ASL_FORECAST_BITS; i++)
		climb(s, axis, i);
}

bool asl_multiply_forecast(struct asl_forecast *most,
			   const struct asl_plan *plan)
{
	const struct asl_matmul *a = asl_plan_runs(plan)->matmul;
	struct survey s = {.plan = plan, .most = most};

	if (a->upper_bound)
		most->memory_needed = a->upper_bound(plan);
	if (a->grid.none || asl_plan_ranks(plan) <= ALL_RANKS)
		return false;
	ask_some(&s);
	return true;
}

static bool works_on_grid(const struct asl_plan *plan)
{
	struct asl_plan x = *plan;

	asl_plan_resolve(&x);
	return asl_plan_possible(&x);
}

/* An algorithm that the planner may choose.  A time says what overlap is worth. */
static bool is_free(const struct asl_plan *base, const struct asl_algorithm *x)
{
	if (base->overlap && !base->by_time && !x->overlaps)
		return false;
	/* Whatever it would choose is among the others. */
	return !x->matmul->chooses &&
	       (!x->matmul->grid.none || base->ranks <= ASL_MOST_WALKED);
}

static bool asked_for(const struct asl_plan *base, const struct asl_plan *plan)
{
	const struct asl_matmul *a = plan->algorithm->matmul;

	if (base->kernel && base->kernel != plan->kernel)
		return false;
	if (a->kernel && strcmp(a->kernel, plan->kernel->name))
		return false;
	if (plan->cache < plan->kernel->least_cache)
		return false;
	if (plan->grid.p[0] && !works_on_grid(plan))
		return false;
	if (base->algorithm)
		return base->algorithm == plan->algorithm;
	return is_free(base, plan->algorithm);
}

/* Every algorithm with every kernel. */
static int count_plans(void)
{
	int algorithms = 0, kernels = 0;

	while (asl_algorithms[algorithms])
		algorithms++;
	while (asl_kernels[kernels])
		kernels++;
	return algorithms * kernels;
}

static struct asl_search *search(const struct asl_plan *base, enum asl_aim aim)
{
	struct asl_search *s = asl_search_open(aim, count_plans());
	struct asl_plan plan = *base;

	for (int i = 0; s && asl_algorithms[i]; i++)
		for (int j = 0; asl_kernels[j]; j++) {
			plan.algorithm = asl_algorithms[i];
			plan.kernel = asl_kernels[j];
			if (asked_for(base, &plan))
				asl_search_add(s, &plan);
		}
	return s;
}

static uint64_t least_memory(const struct asl_plan *base)
{
	struct asl_search *s = search(base, ASL_LEAST_MEMORY);
	struct asl_candidate x;
	uint64_t least = UINT64_MAX;

	if (s && asl_search_next(s, &x))
		least = x.forecast.memory_needed;
	asl_search_close(s);
	return least;
}

/* NULL: no memory is left. */
static struct asl_multiplication *copy_part(const struct asl_plan *plan)
{
	struct asl_multiplication *part = malloc(sizeof *part);

	if (part)
		*part = *plan->multiplication;
	return part;
}

/* The list gets a part of its own. */
static void put(struct asl_candidates *list, struct asl_candidate *x)
{
	struct asl_multiplication *part = copy_part(&x->plan);

	list->failed |= !part;
	if (!part)
		return;
	x->plan.multiplication = part;
	asl_candidates_put(list, x);
}

static int rank_all(struct asl_candidates *list, const struct asl_plan *base)
{
	struct asl_search *s = NULL;
	struct asl_candidate x;

	if (base->budget)
		list->memory_needed = least_memory(base);
	if (!base->budget || list->memory_needed <= base->budget) {
		s = search(base, ASL_LEAST_COST);
		list->failed |= !s;
	}
	while (s && !list->failed && list->count < list->top &&
	       asl_search_next(s, &x))
		put(list, &x);
	if (s)
		list->lower_bound = asl_search_lower_bound(s);
	asl_search_close(s);
	return asl_candidates_end(list);
}

/* Words say which of one algorithm's plans are the fastest, not of all. */
enum { OF_EACH = 4 };

/* Put the best plans that use fewer ranks; return the fewest that any of the best uses. */
static int put_some(struct asl_candidates *list, const struct asl_plan *x,
		    int ranks)
{
	struct asl_candidates best = asl_candidates(OF_EACH);
	int fewest = ranks;

	rank_all(&best, x);
	for (int i = 0; i < best.count; i++) {
		struct asl_candidate one = best.best[i];
		int used = asl_plan_ranks(&one.plan);

		one.plan.workers = 0;
		if (used < ranks)
			put(list, &one);
		fewest = used < fewest ? used : fewest;
	}
	if (best.memory_needed < list->memory_needed)
		list->memory_needed = best.memory_needed;
	asl_candidates_free(&best);
	return fewest;
}

/* Where ranks share cores, half may be faster than all, and so on; 0: no more. */
static int fewer(const struct asl_plan *base, int workers)
{
	if (!base->cores || workers <= base->cores)
		return 0;
	return workers / 2 > base->cores ? workers / 2 : base->cores;
}

static int rank_each(struct asl_candidates *list, const struct asl_plan *base)
{
	struct asl_plan x = *base;

	for (int i = 0; asl_algorithms[i]; i++) {
		int used = INT_MAX;

		x.algorithm = asl_algorithms[i];
		if (!is_free(base, x.algorithm))
			continue;
		x.workers = base->ranks;
		do {
			used = put_some(list, &x, used);
			x.workers = fewer(base, x.workers);
			list->top += x.workers ? OF_EACH : 0;
		} while (x.workers && !x.algorithm->matmul->grid.none);
	}
	return asl_candidates_end(list);
}

int asl_planner_rank(struct asl_candidates *list, const struct asl_plan *base)
{
	return base->by_time && !base->algorithm ? rank_each(list, base)
						 : rank_all(list, base);
}

/* ---- The grid of one algorithm ---- */

/* The search's first, if there is any, and its part. */
static bool first(struct asl_candidate *found, struct asl_multiplication *part,
		  const struct asl_plan *plan, enum asl_aim aim)
{
	struct asl_search *s = asl_search_open(aim, 1);
	bool any;

	if (!s)
		return false;
	asl_search_add(s, plan);
	any = asl_search_next(s, found);
	if (any)
		*part = *found->plan.multiplication;
	asl_search_close(s);
	return any;
}

/* Without a search, as it is. */
static bool take_whole(struct asl_multiplication *part, struct asl_plan *plan)
{
	struct asl_multiplication with = *part;
	struct asl_plan x = *plan;

	if (!asl_grid_whole(&x.grid, &x))
		return false;
	x.multiplication = &with;
	asl_plan_blocks(&with, &x);
	if (x.budget && asl_forecast(&x).memory_needed > x.budget)
		return false;
	plan->grid = x.grid;
	*part = with;
	return true;
}

int asl_grid_choose(struct asl_multiplication *part, struct asl_plan *plan,
		    uint64_t *memory_needed)
{
	bool words = plan->algorithm->matmul->grid.least_words;
	struct asl_multiplication with;
	struct asl_candidate found;

	*memory_needed = UINT64_MAX;
	plan->grid = (struct asl_grid){{0}};
	plan->multiplication = part;
	asl_plan_prescribe(part->ideal, plan);
	if (take_whole(part, plan))
		return 0;
	if (plan->budget && first(&found, &with, plan, ASL_LEAST_MEMORY))
		*memory_needed = found.forecast.memory_needed;
	if (plan->budget && *memory_needed > plan->budget)
		return -ENOMEM;
	if (!first(&found, &with, plan,
		   words ? ASL_LEAST_WORDS : ASL_LEAST_COST))
		return -ENOMEM;
	*plan = found.plan;
	*part = with;
	plan->multiplication = part;
	return 0;
}

/* ---- A plan that is complete ---- */

static int nothing_fits(const struct asl_plan *plan, uint64_t memory_needed)
{
	if (!plan->budget || memory_needed == UINT64_MAX)
		return asl_fail(-EINVAL,
				"no algorithm can do this with these options");
	return asl_fail(-EINVAL,
			"nothing fits into --memory-budget %ju words: the "
			"least need is %ju words",
			plan->budget, memory_needed);
}

static int take_grid(struct asl_multiplication *part, struct asl_plan *plan)
{
	const int *p = plan->grid.p;
	uint64_t needed;

	asl_plan_prescribe(part->ideal, plan);
	if (!asl_plan_possible(plan))
		return asl_fail(-EINVAL,
				"--grid: found %dx%dx%d, but %s works on %s",
				p[0], p[1], p[2], plan->algorithm->name,
				asl_plan_runs(plan)->matmul->grid.text);
	asl_plan_blocks(part, plan);
	needed = asl_forecast(plan).memory_needed;
	if (!plan->budget || needed <= plan->budget)
		return 0;
	return asl_fail(-EINVAL,
			"grid %dx%dx%d of %s does not fit into --memory-budget "
			"%ju words: it needs %ju words",
			p[0], p[1], p[2], plan->algorithm->name, plan->budget,
			needed);
}

static int choose_all(struct asl_plan *plan)
{
	struct asl_plan request = *plan;
	uint64_t needed;

	if (asl_path_best(plan, asl_planner_rank, &needed))
		return nothing_fits(plan, needed);
	asl_family_multiply.release(&request);
	return 0;
}

static int choose_grid(struct asl_multiplication *part, struct asl_plan *plan)
{
	uint64_t needed;

	if (!asl_grid_choose(part, plan, &needed))
		return 0;
	return asl_fail(-EINVAL,
			"no grid of %s fits into --memory-budget %ju words: "
			"the least need is %ju words",
			plan->algorithm->name, plan->budget, needed);
}

int asl_multiply_complete(struct asl_plan *plan)
{
	struct asl_multiplication *part;

	if (!plan->algorithm)
		return choose_all(plan);
	part = copy_part(plan);
	if (!part)
		return asl_fail(-ENOMEM, "no memory for a plan");
	asl_plan_release(plan);
	plan->multiplication = part;
	return plan->grid.p[0] ? take_grid(part, plan)
			       : choose_grid(part, plan);
}

/* ---- The shape ---- */

/* A dimension and its source: "--n" or a file's name; NULL: none yet. */
struct length {
	uint64_t is;
	const char *by, *what; /* "rows" or "columns" of a file, else "" */
};

static int agree(struct length *x, uint64_t is, const char *by,
		 const char *what)
{
	if (x->by && x->is != is)
		return asl_fail(-EINVAL,
				"%s has %ju%s, but %s has %ju%s: C is m x n, A "
				"is m x k, B is k x n",
				x->by, x->is, x->what, by, is, what);
	*x = (struct length){is, by, what};
	return 0;
}

static int agree_file(struct length *rows, struct length *cols,
		      const char *path)
{
	struct asl_matrix_in *in;
	int err;

	if (!path)
		return 0;
	err = asl_matrix_open(&in, path);
	if (err)
		return err;
	err = agree(rows, asl_matrix_rows(in), path, " rows");
	if (!err)
		err = agree(cols, asl_matrix_cols(in), path, " columns");
	asl_matrix_close(in);
	return err;
}

static int agree_option(struct length *x, uint64_t is, const char *name)
{
	return is ? agree(x, is, name, "") : 0;
}

static bool fits(uint64_t a, uint64_t b)
{
	return a <= (uint64_t)INT64_MAX / b;
}

static int check(const struct asl_shape *s)
{
	uint64_t dim[] = {s->m, s->n, s->k};

	for (int i = 0; i < 3; i++)
		if (!dim[i] || dim[i] > INT32_MAX)
			return asl_fail(-EINVAL, "%c is %ju, expected 1 to %d",
					"mnk"[i], dim[i], INT32_MAX);
	/* 2 mnk flops, in all; no rank moves as many words. */
	if (!fits(s->m, 2 * s->n) || !fits(2 * s->m * s->n, s->k))
		return asl_fail(-EINVAL,
				"%ju x %ju x %ju: 2mnk flops cannot be counted "
				"in 63 bits",
				s->m, s->n, s->k);
	return 0;
}

int asl_shape_find(struct asl_shape *out, const struct asl_shape *given,
		   const char *a, const char *b)
{
	struct length m = {0}, n = {0}, k = {0};
	int err = agree_file(&m, &k, a);

	if (!err)
		err = agree_file(&k, &n, b);
	if (!err)
		err = agree_option(&m, given->m, "--m");
	if (!err)
		err = agree_option(&n, given->n, "--n");
	if (!err)
		err = agree_option(&k, given->k, "--k");
	if (err)
		return err;
	if (n.by && !m.by && !k.by)
		m = k = n;
	if (!m.by && !n.by && !k.by)
		return asl_fail(-EINVAL, "the size is missing: expected --n N, "
					 "or --m, --n and --k");
	if (!m.by || !n.by || !k.by)
		return asl_fail(
			-EINVAL,
			"--%s is missing: C is m x n, A is m x k, B is k x n",
			!m.by	? "m"
			: !n.by ? "n"
				: "k");
	*out = (struct asl_shape){m.is, n.is, k.is};
	return check(out);
}
