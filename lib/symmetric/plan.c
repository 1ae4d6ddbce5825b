/*
 * plan.c -- from a request for a symmetric tensor to a plan, or all candidates
 *
 * All ranks of a layout are asked what they count.  That takes long where they
 * are many; so the planner tries systems whose busiest rank has the least of the
 * tensor first, and does not build those that could not be among the best even if
 * their ranks only read it.
 */
#include "lib/symmetric/symmetric.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/symmetric/cube.h"
#include "lib/symmetric/wedge.h"

static int limit(int ranks)
{
	return ranks < ASL_SYMMETRIC_RANKS ? ranks : ASL_SYMMETRIC_RANKS;
}

/* ---- A Steiner system by its name ---- */

static bool is_cubic(const char *name)
{
	return name && !strcmp(name, "cubic");
}

static bool is_cover(const char *name)
{
	return name && !strcmp(name, "cover");
}

/* spherical-3: the family, and the parameter; false: it is no such name. */
static bool read_name(char family[ASL_STEINER_NAME], int *parameter,
		      const char *name)
{
	const char *dash = strrchr(name, '-');
	size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
	size_t length = dash ? (size_t)(dash - name) : 0;

	if (!digits || digits > 6 || dash[1 + digits] ||
	    length >= ASL_STEINER_NAME)
		return false;
	memcpy(family, name, length);
	family[length] = '\0';
	*parameter = atoi(dash + 1);
	return asl_steiner_is_family(family);
}

/* `ranks` decide which one, unless the name does. */
static int make_system(struct asl_steiner *x, const char *name, int ranks)
{
	struct asl_steiner_size size;
	char family[ASL_STEINER_NAME];
	int parameter, err;

	*x = (struct asl_steiner){0};
	if (!name || asl_steiner_is_family(name)) {
		err = asl_steiner_fit(&size, name, limit(ranks));
		return err ? err
			   : asl_steiner_make(x, size.family, size.parameter);
	}
	if (read_name(family, &parameter, name))
		return asl_steiner_make(x, family, parameter);
	if (!access(name, F_OK))
		return asl_steiner_read(x, name);
	return asl_fail(-EINVAL,
			"found '%s', expected spherical, boolean, triples, "
			"sublines, quadruples, witt or denniston (or one, as "
			"spherical-3), cubic, cover, or a file",
			name);
}

int asl_symmetric_system(struct asl_steiner *x, const char *name)
{
	return make_system(x, name, ASL_SYMMETRIC_RANKS);
}

/* ---- The layout ---- */

static int check_ranks(const char *name, int ranks)
{
	if (ranks <= ASL_SYMMETRIC_RANKS)
		return 0;
	return asl_fail(-EINVAL,
			"%s: %d ranks are more than the %d that can exchange "
			"with each other",
			name, ranks, ASL_SYMMETRIC_RANKS);
}

static int lay_cubic(struct asl_symmetric *s, int ranks)
{
	int err = check_ranks("cubic", ranks);

	return err ? err : asl_layout_cubic(&s->layout, s->n, ranks);
}

static int lay_cover(struct asl_symmetric *s, const char *name, int ranks)
{
	int err = check_ranks("cover", ranks);

	if (name && !is_cover(name))
		err = asl_fail(-EINVAL,
			       "found '%s', expected cover, which tensors of "
			       "order %d are distributed by",
			       name, s->order);
	return err ? err : asl_layout_cover(&s->layout, s->n, s->order, ranks);
}

static int lay_steiner(struct asl_symmetric *s, const char *name, int ranks)
{
	struct asl_steiner x;
	int err = make_system(&x, name, ranks);

	if (!err && x.blocks > ranks)
		err = asl_fail(-EINVAL,
			       "%s has %d blocks, one for each rank, but there "
			       "are %d ranks",
			       x.name, x.blocks, ranks);
	if (!err)
		err = check_ranks(x.name, x.blocks);
	if (!err)
		err = asl_layout_steiner(
			&s->layout, s->n, &x,
			s->exchange == ASL_ALLTOALL ? ASL_SPREAD : ASL_SINGLE);
	asl_steiner_free(&x);
	return err;
}

/*
 * With a system: some other rank works with any two row blocks of a rank, and
 * gets their even words and an extra one of each, if there is one.
 */
static uint64_t longest_of_pairs(const struct asl_layout *l)
{
	uint64_t most = 0;

	for (int p = 0; p < l->ranks; p++) {
		uint64_t extras = 0;

		for (int i = 0; i < l->s; i++)
			extras += asl_layout_part(l, p, i).count > l->even;
		most = asl_max(most, asl_min(extras, 2));
	}
	return l->ranks > 1 ? 2 * l->even + most : 0;
}

/*
 * The length of all messages in an exchange all to all: that of the longest one
 * between any two ranks, for one column.  Sums, the other way, are as many
 * words.
 */
static void find_equal(struct asl_symmetric *s)
{
	if (s->layout.s)
		s->equal = longest_of_pairs(&s->layout);
	for (int p = 0; !s->layout.s && p < s->layout.ranks; p++) {
		struct asl_wedge w;

		asl_wedge_for_prediction(&w, s, p);
		for (int q = 0; q < s->layout.ranks; q++)
			s->equal = asl_max(s->equal, w.l.mine[q]);
	}
}

/* From here on ranks can be predicted. */
static int alloc_scratch(struct asl_symmetric *s)
{
	const struct asl_layout *l = &s->layout;
	int most = 0;

	for (int p = 0; p < l->ranks; p++)
		if (asl_list_length(&l->rows, p) > most)
			most = asl_list_length(&l->rows, p);
	if (asl_wedge_lists_alloc(&s->scratch, most, l->ranks))
		return 0;
	return asl_fail(-ENOMEM, "no memory for %d ranks", l->ranks);
}

/* Only runs need the steps of a system, not predictions. */
static int make_for_prediction(struct asl_symmetric *s, const char *steiner,
			       int ranks)
{
	int err = is_cover(steiner) || s->order > 3
			  ? lay_cover(s, steiner, ranks)
		  : is_cubic(steiner) ? lay_cubic(s, ranks)
				      : lay_steiner(s, steiner, ranks);

	if (!err)
		err = alloc_scratch(s);
	if (!err && s->exchange == ASL_ALLTOALL)
		find_equal(s);
	else if (!err && !s->layout.s)
		err = asl_schedule_make(&s->schedule, &s->layout);
	if (err)
		asl_symmetric_free(s);
	return err;
}

static int make_steps(struct asl_symmetric *s)
{
	if (s->exchange == ASL_ALLTOALL || s->schedule.ranks)
		return 0;
	return asl_schedule_make(&s->schedule, &s->layout);
}

void asl_symmetric_free(struct asl_symmetric *s)
{
	asl_wedge_lists_free(&s->scratch);
	asl_schedule_free(&s->schedule);
	asl_layout_free(&s->layout);
	*s = (struct asl_symmetric){0};
}

/* ---- The cache of wedges ---- */

static uint64_t wedge_cache(const struct asl_wedge *w, int columns)
{
	uint64_t R = (uint64_t)w->s->columns;
	/* Without gradients: two numbers that all ranks add up. */
	uint64_t more = w->s->gradient ? asl_wedge_owned(w) * R + R * R : 2;

	return asl_wedge_cache(w, columns) + more;
}

/* As many columns as fit, 0 or more; *needed is for one. */
static int columns_that_fit(const struct asl_symmetric *s, uint64_t cache,
			    uint64_t *needed)
{
	int columns = s->columns;

	*needed = 0;
	for (int p = 0; p < s->layout.ranks; p++) {
		struct asl_wedge w;

		asl_wedge_for_prediction(&w, s, p);
		*needed = asl_max(*needed, wedge_cache(&w, 1));
		while (columns > 0 && wedge_cache(&w, columns) > cache)
			columns--;
	}
	return columns;
}

bool asl_symmetric_fit(struct asl_symmetric *s, uint64_t cache,
		       uint64_t *needed)
{
	uint64_t R = (uint64_t)s->columns, parts = 2 * (uint64_t)s->order;
	/* By pieces a gradient needs a row of X, and R^2 sums. */
	uint64_t more = s->gradient ? R + R * R : 2;
	uint64_t row = asl_layout_row(&s->layout, 0).count;

	s->by_pieces = false;
	s->layout.cuts = 1;
	s->together = columns_that_fit(s, cache, needed);
	if (s->together > 0)
		return true;
	*needed = asl_min(*needed, parts + more);
	if (cache < *needed)
		return false;
	s->by_pieces = true;
	s->together = 1;
	s->layout.cuts =
		(int)asl_ceil_div(row, asl_min(row, (cache - more) / parts));
	return true;
}

/* ---- Grids of the cube ---- */

static bool on_grid(const struct asl_algorithm *a)
{
	return a == &asl_symmetric_naive || a == &asl_symmetric_sequence ||
	       a == &asl_symmetric_half;
}

static bool works_on_slabs(const struct asl_plan *plan)
{
	return plan->algorithm != &asl_symmetric_naive ||
	       plan->symmetric->order > 3;
}

/* Can the algorithm work on the plan's grid? */
static bool is_possible(const struct asl_plan *plan)
{
	const int *p = plan->grid.p;
	uint64_t n = plan->symmetric->n;

	return p[1] == p[2] && (p[1] == 1 || !works_on_slabs(plan)) &&
	       (uint64_t)p[0] <= n && (uint64_t)p[1] <= n;
}

/* Rank 0 has the longest ranges. */
static uint64_t grid_cache(const struct asl_plan *plan)
{
	struct asl_cube x = asl_cube(plan, 0);

	if (plan->algorithm != &asl_symmetric_naive)
		return 2 * x.J.count;
	return x.I.count + x.J.count + x.L.count;
}

/* No rank costs more than rank 1; rank 0 needs no second x. */
static double grid_cost(const struct asl_plan *plan)
{
	struct asl_rates rates = asl_rates(&plan->costs, plan->accounting);
	struct asl_ledger ledger;
	struct asl_counts all;

	asl_plan_predict(&ledger, plan, plan->grid.p[1] > 1);
	all = asl_ledger_total(&ledger);
	return asl_cost(&rates, &all);
}

/* As many ranks as there is work for, c x c along the two contracted. */
static struct asl_grid grid_of(const struct asl_plan *plan, int c)
{
	uint64_t n = plan->symmetric->n, p = (uint64_t)(plan->ranks / c / c);

	return (struct asl_grid){{(int)(p < n ? p : n), c, c}};
}

static int too_small(const struct asl_plan *plan, uint64_t needed)
{
	return asl_fail(
		-EINVAL,
		"cache: found %ju words, but %s needs %ju for its vectors",
		plan->cache, plan->algorithm->name, needed);
}

static int settle_grid(struct asl_plan *plan)
{
	struct asl_plan x = *plan;
	double least = INFINITY;
	uint64_t needed = UINT64_MAX;

	if (plan->grid.p[0]) {
		needed = grid_cache(plan);
		return needed <= plan->cache ? 0 : too_small(plan, needed);
	}
	for (int c = 1; (int64_t)c * c <= x.ranks; c++) {
		x.grid = grid_of(&x, c);
		if (!is_possible(&x))
			break;
		needed = asl_min(needed, grid_cache(&x));
		if (grid_cache(&x) <= x.cache && grid_cost(&x) < least) {
			least = grid_cost(&x);
			plan->grid = x.grid;
		}
	}
	return plan->grid.p[0] ? 0 : too_small(plan, needed);
}

uint64_t asl_symmetric_ternary(const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;
	uint64_t sum = 0;

	for (int p = 0; p < s->layout.ranks; p++)
		for (size_t i = s->layout.first[p]; i < s->layout.first[p + 1];
		     i++) {
			sum += asl_layout_block_products(&s->layout, i) *
			       (uint64_t)s->columns;
		}
	for (int p = 0; plan->algorithm == &asl_symmetric_naive &&
			p < asl_plan_ranks(plan);
	     p++) {
		struct asl_cube x = asl_cube(plan, p);

		sum += asl_cube_words(&x);
	}
	return sum;
}

/* ---- A plan ---- */

/* Every algorithm has fewer: n^d entries, and products of R^2 n words. */
static int check_flops(const struct asl_plan *plan)
{
	double n = (double)plan->symmetric->n, R = plan->symmetric->columns;
	double times = plan->iterations ? plan->iterations : 1;
	double entries = pow(n, plan->symmetric->order);

	if (times * (4 * entries * R + 16 * n * R * R) <= 0x1p63)
		return 0;
	return asl_fail(
		-EINVAL,
		"n: found %ju, whose flops cannot be counted in 63 bits",
		plan->symmetric->n);
}

/* The blocks of the system, if its name is of one; else 0. */
static int count_blocks(int *blocks, const char *steiner)
{
	struct asl_steiner x;
	int err;

	*blocks = 0;
	if (!steiner || is_cubic(steiner) || is_cover(steiner) ||
	    asl_steiner_is_family(steiner))
		return 0;
	err = make_system(&x, steiner, 0);
	*blocks = x.blocks;
	asl_steiner_free(&x);
	return err ? asl_fail(err, "steiner: %s", asl_failure()) : 0;
}

static int choose_ranks(struct asl_plan *plan)
{
	const int *p = plan->grid.p;
	int product = p[0] * p[1] * p[2], blocks;
	int err = count_blocks(&blocks, plan->symmetric->steiner);

	if (!plan->ranks)
		plan->ranks = product ? product : blocks ? blocks : 1;
	if (err || !product)
		return err;
	if (!is_possible(plan))
		return asl_fail(-EINVAL,
				"grid: found %dx%dx%d, but %s works on p x %s, "
				"with no side above n",
				p[0], p[1], p[2], plan->algorithm->name,
				works_on_slabs(plan) ? "1 x 1" : "c x c");
	if (product != plan->ranks)
		return asl_fail(-EINVAL,
				"grid: found %dx%dx%d, which is %d ranks, but "
				"there are %d",
				p[0], p[1], p[2], product, plan->ranks);
	return 0;
}

static double or_else(double given, double otherwise)
{
	return isnan(given) ? otherwise : given;
}

int asl_symmetric_begin(struct asl_plan *plan,
			const struct asl_symmetric_request *x)
{
	bool gradient = plan->algorithm == &asl_symmetric_cpgrad;
	struct asl_symmetric *s = malloc(sizeof *s);
	int err;

	if (!s)
		return asl_fail(-ENOMEM, "no memory for a plan");
	*s = (struct asl_symmetric){
		.n = x->n,
		.order = x->order ? x->order : 3,
		.columns = !gradient	? 1
			   : x->columns ? x->columns
					: 8,
		.gradient = gradient,
		.steiner = x->steiner,
		.exchange = x->exchange,
	};
	if (plan->algorithm == &asl_symmetric_hopm) {
		plan->iterations = x->iterations ? x->iterations : 100;
		s->shift = or_else(x->shift, 0);
		s->tolerance = or_else(x->tolerance, 1e-12);
	}
	plan->grid = x->grid;
	plan->symmetric = s;
	err = check_flops(plan);
	if (!err)
		err = choose_ranks(plan);
	if (err)
		asl_plan_release(plan);
	return err;
}

/* The request alone, of a plan that may be complete; NULL: no memory. */
static struct asl_symmetric *copy_request(const struct asl_symmetric *from)
{
	struct asl_symmetric *s = malloc(sizeof *s);

	if (s)
		*s = (struct asl_symmetric){
			.n = from->n,
			.order = from->order,
			.columns = from->columns,
			.gradient = from->gradient,
			.shift = from->shift,
			.tolerance = from->tolerance,
			.steiner = from->steiner,
			.exchange = from->exchange,
		};
	return s;
}

/* The most memory that a rank holds. */
static uint64_t memory_of(const struct asl_plan *base,
			  const struct asl_symmetric *s)
{
	struct asl_plan plan = *base;

	plan.symmetric = s;
	return asl_forecast(&plan).memory_needed;
}

/*
 * Keep to a budget: leave the tensor in storage, and then read it for fewer
 * columns at a time.
 */
static void keep_to_budget(struct asl_symmetric *s, const struct asl_plan *base)
{
	if (!base->budget || memory_of(base, s) <= base->budget)
		return;
	s->streams = true;
	while (s->together > 1 && memory_of(base, s) > base->budget)
		s->together--;
}

/* Suit the plan's layout to its cache and its budget. */
static int fit(const struct asl_plan *plan)
{
	struct asl_symmetric *s = (struct asl_symmetric *)plan->symmetric;
	uint64_t needed;

	if (!asl_symmetric_fit(s, plan->cache, &needed))
		return too_small(plan, needed);
	keep_to_budget(s, plan);
	return 0;
}

/* A plan as base, with a layout.  The caller releases it, also after a failure. */
static int lay_out(struct asl_plan *out, const struct asl_plan *base,
		   const char *steiner, enum asl_exchange exchange)
{
	struct asl_symmetric *s = copy_request(base->symmetric);
	int err;

	*out = *base;
	out->symmetric = s;
	if (!s)
		return asl_fail(-ENOMEM, "no memory for a plan");
	s->exchange = exchange == ASL_ALLTOALL ? ASL_ALLTOALL : ASL_P2P;
	err = make_for_prediction(s, steiner, base->ranks);
	return err ? asl_fail(err, "steiner: %s", asl_failure()) : 0;
}

static int check_budget(const struct asl_plan *plan)
{
	uint64_t needed;

	if (!plan->budget)
		return 0;
	needed = asl_forecast(plan).memory_needed;
	if (needed <= plan->budget)
		return 0;
	return asl_fail(-EINVAL,
			"memory-budget: found %ju words, but %s needs %ju",
			plan->budget, plan->algorithm->name, needed);
}

/* ---- All candidates ---- */

static void try_layout(struct asl_candidates *list, const struct asl_plan *base,
		       const char *steiner, enum asl_exchange exchange)
{
	struct asl_plan plan;
	int err = lay_out(&plan, base, steiner, exchange);

	if (!err)
		err = fit(&plan);
	list->failed |= err == -ENOMEM;
	if (err)
		asl_plan_release(&plan);
	else
		asl_candidates_add(list, &plan);
}

/* Covers of many ranks take a minute to find. */
static bool takes_long(const struct asl_plan *base, const char *steiner)
{
	return is_cover(steiner) && !base->symmetric->steiner &&
	       base->ranks > ASL_SYMMETRIC_COVER_RANKS;
}

static void try_exchanges(struct asl_candidates *list,
			  const struct asl_plan *base, const char *steiner)
{
	enum asl_exchange asked = base->symmetric->exchange;

	if (takes_long(base, steiner))
		return;
	for (int i = ASL_P2P; i <= ASL_ALLTOALL; i++)
		if ((int)asked == i || asked == ASL_EXCHANGE_ANY)
			try_layout(list, base, steiner, (enum asl_exchange)i);
}

/* A system, and the least that the busiest of its ranks reads of the tensor. */
struct choice {
	struct asl_steiner_size size;
	double words;
};

static int by_words(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	return (x->words > y->words) - (x->words < y->words);
}

/* The average, or a block for every three of a rank's row blocks. */
static double words_to_read(const struct asl_steiner_size *x, uint64_t n)
{
	uint64_t b = n / (uint64_t)x->m;
	double blocks = (double)asl_choose((uint64_t)x->s, 3);

	return fmax((double)asl_packed_words(n, 3) / x->blocks,
		    blocks * (double)(b * b * b));
}

/* Systems with equal numbers move equally many words. */
static bool is_listed(const struct choice *all, int count,
		      const struct asl_steiner_size *size)
{
	while (count-- > 0)
		if (all[count].size.m == size->m &&
		    all[count].size.s == size->s)
			return true;
	return false;
}

/* List the systems with no more blocks than ranks, and points than words. */
static int list_systems(struct choice **all, const struct asl_plan *base,
			bool *failed)
{
	const char *family = base->symmetric->steiner;
	int most = limit(base->ranks), count = 0;
	struct asl_steiner_size size = {0};
	struct choice *more;

	*all = NULL;
	while (asl_steiner_next(&size, most)) {
		if ((uint64_t)size.m > base->symmetric->n ||
		    (family && strcmp(family, size.family)) ||
		    is_listed(*all, count, &size))
			continue;
		more = reallocarray(*all, (size_t)count + 1, sizeof *more);
		*failed |= !more;
		if (!more)
			break;
		*all = more;
		more[count++] = (struct choice){
			size, words_to_read(&size, base->symmetric->n)};
	}
	if (count)
		qsort(*all, (size_t)count, sizeof **all, by_words);
	return count;
}

static void try_layouts(struct asl_candidates *list,
			const struct asl_plan *base)
{
	const char *steiner = base->symmetric->steiner;
	struct choice *all;
	double times = base->iterations ? base->iterations : 1;
	int count = 0;

	if (base->symmetric->order > 3) {
		try_exchanges(list, base, steiner);
		return;
	}
	count = list_systems(&all, base, &list->failed);
	if (steiner && !count)
		try_exchanges(list, base, steiner);
	if (!steiner) {
		try_exchanges(list, base, "cubic");
		try_exchanges(list, base, "cover");
	}
	for (int i = 0; i < count; i++) {
		char name[ASL_STEINER_NAME];

		if (base->costs.read * all[i].words * times >=
		    asl_candidates_limit(list))
			break;
		snprintf(name, sizeof name, "%s-%d", all[i].size.family,
			 all[i].size.parameter);
		try_exchanges(list, base, name);
	}
	free(all);
}

static void try_grid(struct asl_candidates *list, const struct asl_plan *base,
		     const struct asl_algorithm *a)
{
	struct asl_symmetric *s = copy_request(base->symmetric);
	struct asl_plan plan = *base;

	list->failed |= !s;
	if (!s)
		return;
	plan.algorithm = a;
	plan.symmetric = s;
	if (settle_grid(&plan))
		asl_plan_release(&plan);
	else
		asl_candidates_add(list, &plan);
}

int asl_symmetric_rank(struct asl_candidates *list, const struct asl_plan *base)
{
	const struct asl_algorithm *a = base->algorithm;

	if (on_grid(a))
		try_grid(list, base, a);
	else
		try_layouts(list, base);
	if (a == &asl_symmetric_sttsv && !base->symmetric->steiner) {
		try_grid(list, base, &asl_symmetric_naive);
		if (base->symmetric->order > 3)
			return asl_candidates_end(list);
		try_grid(list, base, &asl_symmetric_sequence);
		try_grid(list, base, &asl_symmetric_half);
	}
	return asl_candidates_end(list);
}

/* ---- One plan ---- */

/* A Steiner system is best where it has a block for every rank. */
static bool must_choose(const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;
	struct asl_steiner_size size;

	return !s->steiner && s->order == 3 &&
	       (asl_steiner_fit(&size, NULL, limit(plan->ranks)) ||
		size.blocks != plan->ranks);
}

/*
 * A plan as `plan`, with the layout of least cost, whatever the cache and the budget.
 * False: there is none.
 */
static bool choose_layout(struct asl_plan *out, const struct asl_plan *plan)
{
	struct asl_candidates list = asl_candidates(1);
	struct asl_symmetric asked = *plan->symmetric;
	struct asl_plan base = *plan, best = {0};

	if (asked.exchange != ASL_ALLTOALL)
		asked.exchange = ASL_P2P;
	base.symmetric = &asked;
	base.cache = UINT32_MAX;
	base.budget = 0;
	try_layouts(&list, &base);
	if (asl_candidates_end(&list))
		return false;
	asl_candidates_take(&best, &list);
	*out = *plan;
	out->symmetric = best.symmetric;
	return true;
}

static int make_layout(struct asl_plan *plan)
{
	const struct asl_symmetric *asked = plan->symmetric;
	struct asl_plan made;
	int err = 0;

	if (!must_choose(plan) || !choose_layout(&made, plan))
		err = lay_out(&made, plan, asked->steiner, asked->exchange);
	if (!err)
		err = fit(&made);
	if (!err)
		err = check_budget(&made);
	asl_plan_release(err ? &made : plan);
	if (!err)
		*plan = made;
	return err;
}

int asl_symmetric_settle(struct asl_plan *plan)
{
	int err = 0;

	if (on_grid(plan->algorithm))
		return settle_grid(plan);
	if (!plan->symmetric->layout.ranks)
		err = make_layout(plan);
	return err ? err : make_steps((struct asl_symmetric *)plan->symmetric);
}
