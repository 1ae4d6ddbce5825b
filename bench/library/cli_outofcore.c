/*
 * cli_outofcore.c -- contractions out of core as the command asks for them
 *
 * Six algorithms, and ooc-auto: the one, with its order, of least predicted cost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/base/parts.h"
#include "lib/kernels/kernel.h"
#include "lib/multiply/planner.h"
#include "lib/outofcore/outofcore.h"

extern const struct asl_family_cli asl_cli_contract;

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

/* NULL: there is none of that name. */
static const struct asl_ooc_order *find_order(const char *name)
{
	for (int i = 0; i < ASL_OOC_ORDERS; i++)
		if (is_named(&asl_ooc_orders[i], name))
			return &asl_ooc_orders[i];
	return NULL;
}

/*
 * In tables
 *
 * The grid is of m x n x k, with the order of loops: 2x2x1/CAB is a torus, 1x4x1
 * replicates A, 4x1x1 B, and 1x1x4 accumulates C.  Tiles are numbers of parts of
 * m, n and k, each of a rank's own; `again` are those of the index that the
 * second array of the order lacks, once more within.
 */

static void show_grid(struct asl_shown *out, const struct asl_plan *plan)
{
	const struct asl_outofcore *o = plan->outofcore;
	enum asl_ooc_method method = asl_ooc_kind(plan)->method;
	int ranks = asl_plan_ranks(plan), p[ASL_OPERANDS] = {1, 1, 1};

	if (method == ASL_ROTATION)
		p[ASL_A] = p[ASL_B] = (int)asl_isqrt((uint64_t)ranks);
	else
		p[method == ASL_ACCUMULATION ? ASL_C : o->replicated] = ranks;
	snprintf(out->grid, sizeof out->grid, "%dx%dx%d/%c%c%c", p[ASL_B],
		 p[ASL_A], p[ASL_C], letter(o->order.at[0]),
		 letter(o->order.at[1]), letter(o->order.at[2]));
}

static void show_tiles(struct asl_shown *out, const struct asl_outofcore *o)
{
	int used = snprintf(out->blocks, sizeof out->blocks, "tiles=%dx%dx%d",
			    o->n[ASL_B], o->n[ASL_A], o->n[ASL_C]);

	if (o->again > 1)
		snprintf(out->blocks + used, sizeof out->blocks - (size_t)used,
			 " again=%d", o->again);
}

static void show(struct asl_shown *out, const struct asl_plan *plan)
{
	if (plan->contraction) {
		asl_cli_contract.show(out, plan);
		out->initial = NULL;
	} else {
		asl_show_sizes(out, asl_shape_of(plan));
	}
	out->kernel = plan->kernel ? plan->kernel->name : NULL;
	if (!plan->outofcore->again)
		return; /* not settled */
	show_grid(out, plan);
	show_tiles(out, plan->outofcore);
}

static void print_what(FILE *f, const struct asl_plan *plan)
{
	if (!plan->contraction) {
		asl_print_product(f, plan);
		return;
	}
	fprintf(f, "%s with kernel %s: %s", plan->algorithm->name,
		plan->kernel->name, asl_show(plan).problem);
}

/* Which indices are the rows and columns of matrices. */
static void print_matrices(FILE *f, const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	uint64_t products = asl_ooc_products(plan);

	fprintf(f, "matrices  m = %ju, n = %ju, k = %ju", s->m, s->n, s->k);
	if (products > 1)
		fprintf(f, ", %ju of them, one after another", products);
	fputc('\n', f);
}

static void print_ranks(FILE *f, const struct asl_plan *plan)
{
	const struct asl_outofcore *o = plan->outofcore;
	int idle = plan->ranks - asl_plan_ranks(plan);
	struct asl_shown shown = asl_show(plan);

	if (plan->contraction)
		print_matrices(f, plan);
	fprintf(f, "ranks     %d on a grid of %.*s (m x n x k)", plan->ranks,
		(int)strcspn(shown.grid, "/"), shown.grid);
	if (asl_ooc_kind(plan)->method == ASL_REPLICATION)
		fprintf(f, ", %c is replicated", letter(o->replicated));
	if (idle)
		fprintf(f, ", %d idle", idle);
	fprintf(f, "\ntiles     %dx%dx%d of a rank's m x n x k, order %s",
		o->n[ASL_B], o->n[ASL_A], o->n[ASL_C],
		strchr(shown.grid, '/') + 1);
	if (o->again > 1)
		fprintf(f, ", %c's in %d once more", letter(o->order.at[2]),
			o->again);
	fprintf(f, "\n          %ju of %ju words of DRAM, beside the cache\n",
		asl_forecast(plan).memory_needed, plan->budget);
}

static int bounds(struct asl_bound bound[ASL_BOUNDS],
		  const struct asl_plan *plan)
{
	const struct asl_family *family = plan->algorithm->family;
	double net = family->net_bound(plan);
	bool many = asl_ooc_products(plan) > 1;
	const struct asl_bound all[] = {
		{"net_words", net, "words",
		 many ? "least over real boxes: slices less shares"
		      : "Al Daas et al. 2022, Theorem 3.1, for any memory"},
		{"io_words", family->io_bound(plan), "words",
		 "cache and DRAM: as multiplication, " ASL_IF_EVEN},
		{"pool_words", family->pool_bound(plan), "words",
		 "D, its mean: each word once, (mk + kn + mn)/P, or "
		 "2mnk/(P sqrt(PW)) - 2W with W words of DRAM a rank"},
		{"joint_cost", family->joint_bound(plan), "cost",
		 many ? "Q in the APM: the sum of both, " ASL_IF_EVEN
		      : "Q in the APM, as for multiplication, " ASL_IF_EVEN},
	};
	int first = net <= 0;

	memcpy(bound, all + first, sizeof all - (size_t)first * sizeof *all);
	return (int)(sizeof all / sizeof *all) - first;
}

/* Plans predict every rank. */
enum { MOST_RANKS = 4096 };

/* ---- Options ---- */

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

/* Matrices have no --spec, tensors neither sizes nor files of matrices. */
static int refuse_both(const struct asl_options *o)
{
	const char *found = o->m   ? "m"
			    : o->n ? "n"
			    : o->k ? "k"
			    : o->a ? "a"
			    : o->b ? "b"
				   : NULL;

	if (!o->spec && o->dims)
		return asl_refuse("--dims: found no --spec, whose sizes they "
				  "would be");
	if (o->spec && found)
		return asl_refuse("--%s: found --spec, too; expected --dims, "
				  "or --operand for each input",
				  found);
	return 0;
}

/* An einsum of two inputs, as products of matrices. */
static int tensors(struct asl_plan *plan, struct asl_outofcore *x,
		   const struct asl_options *o)
{
	int code = asl_cli_contract.problem(plan, o);

	if (code || asl_ooc_of_tensors(x, &plan->contraction->e))
		return code;
	return asl_refuse("--spec: found %s; expected two inputs, each index "
			  "in two of the three terms or in all, and groups of "
			  "less than 2^31 values",
			  o->spec);
}

static int problem(struct asl_plan *plan, const struct asl_options *o)
{
	struct asl_outofcore *x = calloc(1, sizeof *x);
	int code = refuse_both(o);

	if (!x)
		return asl_no_memory();
	plan->outofcore = x;
	plan->multiplication = &x->product;
	if (code)
		return code;
	if (o->order)
		x->asked = find_order(o->order);
	if (o->order && !x->asked && strcmp(o->order, "auto"))
		return asl_refuse("--order: found %s, expected an order of "
				  "loops, as ABC, or auto",
				  o->order);
	if (!plan->ranks)
		plan->ranks = 1;
	if (plan->ranks > MOST_RANKS)
		return asl_refuse(
			"--ranks: found %d, expected %d at most out of core",
			plan->ranks, MOST_RANKS);
	return o->spec ? tensors(plan, x, o) : find_sizes(&x->product.shape, o);
}

/* The kernel's tile gets no more of the budget than those of A, B and C. */
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
	int code = 0;

	if (o->spec)
		for (int i = 0; o->operand[i]; i++)
			want->files[i] = o->operand[i];
	else
		code = name_inputs(&want->files[ASL_A], &want->files[ASL_B], o);
	if (!plan->kernel)
		plan->kernel = asl_kernel_find("vomm");
	return code ? code : asl_fits_cache(plan);
}

/* ---- The plan ---- */

static int without_budget(const struct asl_plan *plan)
{
	return asl_refuse("--memory-budget is missing: %s needs to know how "
			  "much DRAM a rank may hold",
			  plan->algorithm->name);
}

static int rank(struct asl_candidates *list, const struct asl_plan *base)
{
	return base->budget ? asl_ooc_rank(list, base) : without_budget(base);
}

static int settle(struct asl_plan *plan)
{
	uint64_t needed;

	if (!plan->budget)
		return without_budget(plan);
	if (!asl_ooc_settle(plan, &needed))
		return 0;
	return asl_refuse("no tiles of %s fit into --memory-budget %ju "
			  "words: %ju words would do, with a cache of %ju",
			  plan->algorithm->name, plan->budget, needed,
			  plan->cache);
}

const struct asl_family_cli asl_cli_outofcore = {
	.family = &asl_family_outofcore,
	.algorithms = asl_ooc_algorithms,
	.problem = problem,
	.means = means,
	.complete = complete,
	.settle = settle,
	.show = show,
	.print_what = print_what,
	.print_ranks = print_ranks,
	.about = "Problem: C is m x n, A is m x k, B is k x n; or an einsum string gives it",
	.small = "--n 240 --memory-budget 64KiB",
	.test = "Freivalds' test",
	.wrong = "THE PRODUCT IS WRONG",
	.rank = rank,
	.bounds = bounds,
};
