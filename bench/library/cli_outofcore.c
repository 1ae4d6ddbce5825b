/*
 * cli_outofcore.c -- contractions out of core as the command asks for them
 *
 * Six algorithms, and ooc-auto: the one, with its order, of least predicted cost.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/base/parts.h"
#include "lib/kernels/kernel.h"
#include "lib/multiply/planner.h"
#include "lib/outofcore/outofcore.h"
#include "lib/outofcore/walk.h"

/*
 * What was asked of a contraction out of core, for its face's files
 */

/* Of a plan from options; those that were found have the first part. */
struct asl_asked_outofcore {
	struct asl_outofcore o;		   /* plan->outofcore */
	const struct asl_ooc_order *order; /* NULL: the best */
};

static inline struct asl_asked_outofcore *
asl_asked_outofcore(const struct asl_plan *plan)
{
	return (struct asl_asked_outofcore *)plan->outofcore;
}

/*
 * Contractions out of core as the command shows them
 *
 * The grid is of m x n x k, with the order of loops: 2x2x1/CAB is a torus, 1x4x1
 * replicates A, 4x1x1 B, and 1x1x4 adds up C.  Tiles are numbers of parts of m, n
 * and k, each of a rank's own; `again` are those of the index that the second
 * array of the order lacks, once more within.
 */

static const char *const names[ASL_OOC_ORDERS] = {"ABC", "ACB", "BAC",
						  "BCA", "CAB", "CBA"};

static char letter(enum asl_operand which)
{
	return "ABC"[which];
}

static bool is_named(const struct asl_ooc_order *order, const char *name)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		if (letter(order->at[i]) != name[i])
			return false;
	return true;
}

/* ABC, ACB, ...; the text is static. */
static const char *asl_ooc_order_name(const struct asl_ooc_order *order)
{
	int i = 0;

	while (i < ASL_OOC_ORDERS - 1 && !is_named(order, names[i]))
		i++;
	return names[i];
}

/* NULL: there is none of that name. */
static const struct asl_ooc_order *asl_ooc_order_find(const char *name)
{
	for (int i = 0; i < ASL_OOC_ORDERS; i++)
		if (is_named(&asl_ooc_orders[i], name))
			return &asl_ooc_orders[i];
	return NULL;
}

/* ---- In tables ---- */

/* Which tiles have been chosen. */
static bool is_settled(const struct asl_plan *plan)
{
	return plan->outofcore->again > 0;
}

static void show_grid(struct asl_shown *out, const struct asl_plan *plan)
{
	const struct asl_outofcore *o = plan->outofcore;
	int ranks = asl_ooc_ranks(plan), p[ASL_OPERANDS] = {1, 1, 1};

	if (o->method == ASL_ROTATION)
		p[ASL_A] = p[ASL_B] = (int)asl_isqrt((uint64_t)ranks);
	else
		p[o->method == ASL_ACCUMULATION ? ASL_C : o->replicated] =
			ranks;
	snprintf(out->grid, sizeof out->grid, "%dx%dx%d/%s", p[ASL_B], p[ASL_A],
		 p[ASL_C], asl_ooc_order_name(&o->order));
}

static void show_tiles(struct asl_shown *out, const struct asl_outofcore *o)
{
	int used = snprintf(out->blocks, sizeof out->blocks, "tiles=%dx%dx%d",
			    o->n[ASL_B], o->n[ASL_A], o->n[ASL_C]);

	if (o->again > 1)
		snprintf(out->blocks + used, sizeof out->blocks - (size_t)used,
			 " again=%d", o->again);
}

static void asl_ooc_show(struct asl_shown *out, const struct asl_plan *plan)
{
	out->kernel = plan->kernel ? plan->kernel->name : NULL;
	asl_show_sizes(out, &plan->shape);
	if (!is_settled(plan))
		return;
	show_grid(out, plan);
	show_tiles(out, plan->outofcore);
}

/* ---- For people ---- */

static void asl_ooc_print_what(FILE *f, const struct asl_plan *plan)
{
	fprintf(f, "%s with kernel %s: C = A B, %s", plan->algorithm->name,
		plan->kernel->name, asl_show(plan).problem);
}

static void asl_ooc_print_ranks(FILE *f, const struct asl_plan *plan)
{
	const struct asl_outofcore *o = plan->outofcore;
	int idle = plan->ranks - asl_plan_ranks(plan);
	struct asl_shown shown = asl_show(plan);

	fprintf(f, "ranks     %d on a grid of %.*s (m x n x k)", plan->ranks,
		(int)strcspn(shown.grid, "/"), shown.grid);
	if (o->method == ASL_REPLICATION)
		fprintf(f, ", %c is replicated", letter(o->replicated));
	if (idle)
		fprintf(f, ", %d idle", idle);
	fprintf(f, "\ntiles     %dx%dx%d of a rank's m x n x k, order %s",
		o->n[ASL_B], o->n[ASL_A], o->n[ASL_C],
		asl_ooc_order_name(&o->order));
	if (o->again > 1)
		fprintf(f, ", %c's in %d once more", letter(o->order.at[2]),
			o->again);
	fprintf(f, "\n          %ju of %ju words of DRAM\n",
		asl_ooc_predicted_dram(plan), plan->budget);
}

/* ---- Bounds ---- */

static int asl_ooc_bounds(struct asl_bound bound[ASL_BOUNDS],
			  const struct asl_plan *plan)
{
	const struct asl_shape *s = &plan->shape;
	double m = (double)s->m, n = (double)s->n, k = (double)s->k;
	struct asl_plan large = *plan;
	int count = 0;
	double net;

	/* Pools of any size: no bound that asks for M. */
	large.memory = (uint64_t)1 << 62;
	net = asl_bound_net_words(&large);
	if (net > 0)
		bound[count++] = (struct asl_bound){
			"net_words", net, "words",
			"Al Daas et al. 2022, Theorem 3.1, for any memory"};
	bound[count++] = (struct asl_bound){
		"io_words", asl_bound_io_words(&large), "words",
		"between cache and DRAM: as for multiplication"};
	bound[count++] = (struct asl_bound){
		"pool_words", (m * k + k * n + m * n) / plan->ranks, "words",
		"every word of A and B is read and of C written once: "
		"(mk + kn + mn)/P"};
	return count;
}

/* All of them predict every rank. */
enum { MOST_RANKS = 4096 };

/* Never in a plan that is settled. */
static const struct asl_algorithm best_of_six = {
	.name = "ooc-auto",
	.summary = "the method, order and tiles out of core of least predicted "
		   "Q",
	.family = &asl_family_outofcore,
};

static const struct asl_algorithm *const algorithms[] = {
	&asl_ooc_rotation_inside,
	&asl_ooc_rotation_outside,
	&asl_ooc_replication_inside,
	&asl_ooc_replication_outside,
	&asl_ooc_accumulation_inside,
	&asl_ooc_accumulation_outside,
	&best_of_six,
	NULL,
};

/* ---- What is asked ---- */

/* The inputs, whichever options name their files. */
static int name_inputs(const char **a, const char **b,
		       const struct asl_options *o)
{
	*a = o->operand[0] ? o->operand[0] : o->a;
	*b = o->operand[0] ? o->operand[1] : o->b;
	if (o->operand[0] && (o->a || o->b))
		return asl_refuse("--operand: found --%s, too; expected either "
				  "--a and --b, or --operand for A and for B",
				  o->a ? "a" : "b");
	if (*b && o->operand[0] && o->operand[2])
		return asl_refuse(
			"--operand: found a third, %s; expected A and B",
			o->operand[2]);
	return 0;
}

static int find_sizes(struct asl_shape *shape, const struct asl_options *o)
{
	const struct asl_shape given = {o->m, o->n, o->k};
	const char *a, *b;
	int code = name_inputs(&a, &b, o), err;

	if (code)
		return code;
	err = asl_shape_find(shape, &given, a, b);
	return err ? asl_complain_failure(err, "") : 0;
}

static int problem(struct asl_plan *plan, const struct asl_options *o)
{
	struct asl_asked_outofcore *x = calloc(1, sizeof *x);

	if (!x)
		return asl_no_memory();
	plan->outofcore = &x->o;
	if (o->order)
		x->order = asl_ooc_order_find(o->order);
	if (!plan->ranks)
		plan->ranks = 1;
	if (plan->ranks > MOST_RANKS)
		return asl_refuse(
			"--ranks: found %d, expected %d at most out of core",
			plan->ranks, MOST_RANKS);
	return find_sizes(&plan->shape, o);
}

/* Unless one was given: no more than a tile of A, B and C each has, too. */
static void choose_cache(struct asl_plan *plan)
{
	uint64_t least = asl_kernel_find("vomm")->least_cache;

	if (plan->kernel)
		least = plan->kernel->least_cache;
	if (plan->budget)
		plan->cache =
			asl_min(plan->cache, asl_max(plan->budget / 4, least));
}

static int means(struct asl_plan *plan, const struct asl_options *o)
{
	if (o->accounting && plan->accounting == ASL_APM)
		return asl_refuse("--accounting: found apm, which does not "
				  "tell pool from DRAM; expected full for %s",
				  plan->algorithm->name);
	plan->accounting = ASL_FULL;
	plan->kernel = o->kernel ? asl_kernel_find(o->kernel) : NULL;
	if (!o->cache)
		choose_cache(plan);
	return asl_fits_cache(plan);
}

static int complete(struct asl_run_want *want, const struct asl_options *o)
{
	struct asl_plan *plan = &want->plan;
	int code = name_inputs(&want->files[ASL_A], &want->files[ASL_B], o);

	if (!plan->kernel)
		plan->kernel = asl_kernel_find("vomm");
	return code ? code : asl_fits_cache(plan);
}

/* ---- Methods and orders ---- */

static void try_order(struct asl_candidates *list, const struct asl_plan *base,
		      const struct asl_ooc_order *order)
{
	struct asl_outofcore *o = malloc(sizeof *o);
	struct asl_plan plan = *base;
	uint64_t need;

	list->failed |= !o;
	if (!o)
		return;
	plan.outofcore = o;
	/* The budget is of DRAM: asl_candidates_add would count the pool, too. */
	if (!asl_ooc_fit_order(o, &plan, order, &need))
		asl_candidates_put(list, &(struct asl_candidate){
						 plan, asl_forecast(&plan)});
	else
		asl_candidates_refuse(list, &plan, need);
}

static void try_orders(struct asl_candidates *list, const struct asl_plan *base,
		       const struct asl_algorithm *a,
		       const struct asl_kernel *kernel)
{
	const struct asl_ooc_order *only = asl_asked_outofcore(base)->order;
	struct asl_plan plan = *base;

	plan.algorithm = a;
	plan.kernel = kernel;
	for (int i = 0; i < ASL_OOC_ORDERS; i++)
		if (!only || only == &asl_ooc_orders[i])
			try_order(list, &plan, &asl_ooc_orders[i]);
}

/* There is a budget. */
static int try_all(struct asl_candidates *list, const struct asl_plan *base)
{
	const struct asl_kernel *kernel =
		base->kernel ? base->kernel : asl_kernel_find("vomm");

	for (int i = 0; asl_ooc_algorithms[i]; i++)
		if (base->algorithm == &best_of_six ||
		    base->algorithm == asl_ooc_algorithms[i])
			try_orders(list, base, asl_ooc_algorithms[i], kernel);
	return asl_candidates_end(list);
}

static int without_budget(const struct asl_plan *plan)
{
	return asl_refuse("--memory-budget is missing: %s needs to know how "
			  "much DRAM a rank may hold",
			  plan->algorithm->name);
}

static int rank(struct asl_candidates *list, const struct asl_plan *base)
{
	return base->budget ? try_all(list, base) : without_budget(base);
}

static int settle(struct asl_plan *plan)
{
	struct asl_candidates list = asl_candidates(1);

	if (!plan->budget)
		return without_budget(plan);
	if (try_all(&list, plan))
		return asl_complain(
			ASL_NO_MACHINE,
			"no tiles of %s fit into --memory-budget %ju words: "
			"%ju words would do, with a cache of %ju",
			plan->algorithm->name, plan->budget, list.memory_needed,
			plan->cache);
	asl_candidates_take(plan, &list);
	return 0;
}

const struct asl_family_cli asl_cli_outofcore = {
	.family = &asl_family_outofcore,
	.algorithms = algorithms,
	.problem = problem,
	.means = means,
	.complete = complete,
	.settle = settle,
	.show = asl_ooc_show,
	.print_what = asl_ooc_print_what,
	.print_ranks = asl_ooc_print_ranks,
	.test = "Freivalds' test",
	.wrong = "THE PRODUCT IS WRONG",
	.rank = rank,
	.bounds = asl_ooc_bounds,
};
