/*
 * cli_outofcore.c -- contractions out of core as the command asks for them
 *
 * Six algorithms, and ooc-auto: the one, with its order, of least predicted cost.
 * With three tensors or more, ooc-auto is ooc-program, a family of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/csv.h"
#include "bench/library/say.h"
#include "lib/base/parts.h"
#include "lib/kernels/kernel.h"
#include "lib/multiply/planner.h"
#include "lib/outofcore/outofcore.h"

extern const struct asl_family_cli asl_cli_contract, asl_cli_program;

static bool is_program(const struct asl_plan *plan)
{
	return plan->contraction && plan->contraction->e.inputs > 2;
}

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

static void print_term(FILE *f, double factor, const char *of)
{
	if (factor != 1)
		fprintf(f, "%.10g ", factor);
	fputs(of, f);
}

/* Unless it is a mere product. */
static void print_factors(FILE *f, const struct asl_plan *plan)
{
	double ab_factor = asl_plan_ab_factor(plan);

	if (ab_factor == 1 && plan->c_factor == 0)
		return;
	fputs("result    ", f);
	print_term(f, ab_factor,
		   plan->contraction ? "(the contraction)" : "A B");
	if (plan->c_factor != 0) {
		fputs(" + ", f);
		print_term(f, plan->c_factor, "C, which is read once");
	}
	fputc('\n', f);
}

static void print_ranks(FILE *f, const struct asl_plan *plan)
{
	const struct asl_outofcore *o = plan->outofcore;
	int idle = plan->ranks - asl_plan_ranks(plan);
	struct asl_shown shown = asl_show(plan);

	print_factors(f, plan);
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

static int program_bounds(struct asl_bound bound[ASL_BOUNDS],
			  const struct asl_plan *plan)
{
	int count = asl_cli_contract.bounds(bound, plan);

	/* The joint bound stays the last. */
	bound[count] = bound[count - 1];
	bound[count - 1] = (struct asl_bound){
		"pool_words", asl_family_program.pool_bound(plan), "words",
		"D, its mean: each word of inputs and output once"};
	return count + 1;
}

static int product_bounds(struct asl_bound bound[ASL_BOUNDS],
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
		 plan->c_factor == 0
			 ? "D, its mean: each word once, (mk + kn + mn)/P, or "
			   "2mnk/(P sqrt(PW)) - 2W with W words of DRAM a rank"
			 : "D, its mean: each word once, of C twice, (mk + kn "
			   "+ "
			   "2mn)/P, or 2mnk/(P sqrt(PW)) - 2W with W words of "
			   "DRAM a rank"},
		{"joint_cost", family->joint_bound(plan), "cost",
		 many ? "Q in the APM: the sum of both, " ASL_IF_EVEN
		      : "Q in the APM, as for multiplication, " ASL_IF_EVEN},
	};
	int first = net <= 0;

	memcpy(bound, all + first, sizeof all - (size_t)first * sizeof *all);
	return (int)(sizeof all / sizeof *all) - first;
}

static int bounds(struct asl_bound bound[ASL_BOUNDS],
		  const struct asl_plan *plan)
{
	return (is_program(plan) ? program_bounds : product_bounds)(bound,
								    plan);
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

/* Programs have no order of loops to choose, and not any number of inputs. */
static int check_program(const struct asl_plan *plan,
			 const struct asl_options *o)
{
	int inputs = plan->contraction->e.inputs;

	if (inputs < 2 || inputs > ASL_MOST_TOGETHER)
		return asl_refuse("--spec: found %d input%s; expected 2 to %d "
				  "for a program out of core",
				  inputs, inputs == 1 ? "" : "s",
				  ASL_MOST_TOGETHER);
	if (o->order && strcmp(o->order, "auto"))
		return asl_refuse("--order: found %s, but the loops of a "
				  "program are those of least cost",
				  o->order);
	return 0;
}

/* C = X A B + Y C. */
static int set_factors(struct asl_plan *plan, const struct asl_options *o)
{
	plan->ab_factor = isnan(o->ab_factor) ? 1 : o->ab_factor;
	plan->c_factor = !isnan(o->c_factor) ? o->c_factor : o->c ? 1 : 0;
	if (plan->ab_factor == 0)
		return asl_refuse("--ab-factor: found 0, which leaves nothing "
				  "to multiply; expected another number");
	if (o->c && plan->c_factor == 0)
		return asl_refuse("--c: found --c-factor 0, too, with which C "
				  "is not read; expected one of the two");
	return 0;
}

/* An einsum of two inputs, as products of matrices. */
static int tensors(struct asl_plan *plan, struct asl_outofcore *x,
		   const struct asl_options *o)
{
	int code = asl_cli_contract.problem(plan, o);

	if (!code && (plan->algorithm == &asl_ooc_program ||
		      (is_program(plan) && !plan->algorithm->outofcore)))
		return check_program(plan, o);
	if (code || asl_ooc_of_tensors(x, &plan->contraction->e))
		return code;
	return asl_refuse("--spec: found %s; expected two inputs, each index "
			  "in two of the three terms or in all, and groups of "
			  "less than 2^31 values%s",
			  o->spec,
			  plan->contraction->e.inputs > 2
				  ? "; ooc-auto takes three inputs or more"
				  : "");
}

static int problem(struct asl_plan *plan, const struct asl_options *o)
{
	struct asl_outofcore *x = calloc(1, sizeof *x);
	int code = refuse_both(o);

	if (!code)
		code = set_factors(plan, o);
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
	int code = 0, result = ASL_C;

	if (o->spec) {
		result = plan->contraction->e.inputs;
		for (int i = 0; o->operand[i]; i++)
			want->files[i] = o->operand[i];
	} else {
		code = name_inputs(&want->files[ASL_A], &want->files[ASL_B], o);
	}
	want->files[result] = o->c;
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
	if (!base->budget)
		return without_budget(base);
	return is_program(base) ? asl_ooc_program_rank(list, base)
				: asl_ooc_rank(list, base);
}

static int settle_program(struct asl_plan *plan)
{
	uint64_t needed;

	if (!plan->budget)
		return without_budget(plan);
	if (!asl_ooc_program_settle(plan, &needed))
		return 0;
	if (needed == UINT64_MAX)
		return asl_no_memory();
	return asl_refuse("no tiles of a program fit into --memory-budget %ju "
			  "words: %ju words would do, with a cache of %ju",
			  plan->budget, needed, plan->cache);
}

static int settle(struct asl_plan *plan)
{
	uint64_t needed;

	if (is_program(plan))
		return settle_program(plan);
	if (!plan->budget)
		return without_budget(plan);
	if (!asl_ooc_settle(plan, &needed))
		return 0;
	return asl_refuse("no tiles of %s fit into --memory-budget %ju "
			  "words: %ju words would do, with a cache of %ju",
			  plan->algorithm->name, plan->budget, needed,
			  plan->cache);
}

/*
 * The source's tables for a problem
 *
 * They are of the source's methods, whose tiles are thirds of the DRAM; what is run
 * here has better ones (plan without --table).  I, J and K are m, n and k.
 */

static const char *const method_names[] = {"rotation", "replication",
					   "accumulation"};

/* "I, K cut", "K whole": the indices that the case is about. */
static void put_case(char text[40], const struct asl_ooc_line *x)
{
	static const enum asl_operand lacks[] = {ASL_B, ASL_A, ASL_C};
	bool rotates = x->model.method == ASL_ROTATION && x->model.inside;
	char names[12] = "";

	if (!x->of_case) {
		snprintf(text, 40, "-");
		return;
	}
	for (int i = 0; i < ASL_OPERANDS; i++) {
		bool about = rotates || x->model.order.at[0] != lacks[i];

		if (about && x->whole[lacks[i]] == (x->of_case > 1))
			snprintf(names + strlen(names),
				 sizeof names - strlen(names), "%s%c",
				 *names ? ", " : "", "IJK"[i]);
	}
	snprintf(text, 40, "%d: %s %s", x->of_case, names,
		 x->of_case > 1 ? "whole" : "cut");
}

static void put_tiles(char text[64], const struct asl_ooc_tiles *n)
{
	int used = snprintf(text, 64, "%.0fx%.0fx%.0f", n->n[ASL_B],
			    n->n[ASL_A], n->n[ASL_C]);

	if (n->again > 1)
		snprintf(text + used, 64 - (size_t)used, " again %.0f",
			 n->again);
}

static void print_heading(const struct asl_ooc_line *x)
{
	const struct asl_ooc_model *m = &x->model;

	printf("\nTable %d: %s, network %s, %d rank%s", x->table,
	       method_names[m->method], m->inside ? "inside" : "outside",
	       m->ranks, m->ranks > 1 ? "s" : "");
	if (m->method == ASL_REPLICATION)
		printf(", %c is replicated", letter(m->replicated));
	printf("\n  %-6s%-15s%-18s%10s%10s%10s%10s\n", "order", "case",
	       "parts of IxJxK", "D1", "D2", "V", "cost");
}

static void print_table_line(const struct asl_ooc_line *x)
{
	const struct asl_ooc_volume *v = &x->volume;
	const struct asl_ooc_order *order = &x->model.order;
	char about[40], tiles[64];

	put_case(about, x);
	put_tiles(tiles, &x->tiles);
	printf("  %c%c%c   %-15s", letter(order->at[0]), letter(order->at[1]),
	       letter(order->at[2]), about);
	if (x->feasible)
		printf("%-18s%10.4g%10.4g%10.4g%10.4g\n", tiles, v->transfer,
		       v->read + v->write - v->transfer, v->net,
		       asl_ooc_cost(&x->model, v));
	else
		puts("no tiles fit");
}

static void put_line(struct asl_csv *csv, const struct asl_ooc_line *x)
{
	const struct asl_ooc_model *m = &x->model;
	const struct asl_ooc_volume *v = &x->volume;
	const char order[] = {letter(m->order.at[0]), letter(m->order.at[1]),
			      letter(m->order.at[2]), '\0'};
	const char replicated[] = {letter(m->replicated), '\0'};
	bool has = m->method == ASL_REPLICATION;
	double none = x->feasible ? 0 : NAN;

	asl_csv_put_count(csv, "table", (uint64_t)x->table);
	asl_csv_put(csv, "method", method_names[m->method]);
	asl_csv_put(csv, "network", m->inside ? "inside" : "outside");
	asl_csv_put(csv, "replicated", has ? replicated : NULL);
	asl_csv_put(csv, "order", order);
	asl_csv_put_length(csv, "case", (uint64_t)x->of_case);
	asl_csv_put_number(csv, "m_parts", none + x->tiles.n[ASL_B]);
	asl_csv_put_number(csv, "n_parts", none + x->tiles.n[ASL_A]);
	asl_csv_put_number(csv, "k_parts", none + x->tiles.n[ASL_C]);
	asl_csv_put_number(csv, "again", none + x->tiles.again);
	asl_csv_put_number(csv, "d1_words", none + v->transfer);
	asl_csv_put_number(csv, "d2_words",
			   none + v->read + v->write - v->transfer);
	asl_csv_put_number(csv, "v_words", none + v->net);
	asl_csv_put_number(csv, "cost", none + asl_ooc_cost(m, v));
	asl_csv_end_row(csv);
}

/* An algorithm shows its own table alone. */
static bool is_shown(const struct asl_plan *plan, const struct asl_ooc_line *x)
{
	const struct asl_ooc_kind *kind = asl_ooc_kind(plan);

	return !kind || (kind->method == x->model.method &&
			 kind->inside == x->model.inside);
}

static int write_lines(const struct asl_plan *plan,
		       const struct asl_ooc_line *line, const char *path)
{
	struct asl_csv csv;

	if (asl_csv_open(&csv))
		return asl_no_memory();
	csv.naming = true;
	put_line(&csv, line);
	csv.naming = false;
	for (int i = 0; i < ASL_OOC_LINES; i++)
		if (is_shown(plan, &line[i]))
			put_line(&csv, &line[i]);
	return asl_table_write(&csv, path);
}

static void print_lines(const struct asl_plan *plan,
			const struct asl_ooc_model *model,
			const struct asl_ooc_line *line)
{
	printf("The source's methods: %s,\nI = %ju, J = %ju, K = %ju, "
	       "%d rank%s, M = %.0f words a tile, a third of the DRAM beside "
	       "the cache;\na word from the pool costs %g, to it %g, between "
	       "ranks %g\n",
	       asl_show(plan).problem, model->shape.m, model->shape.n,
	       model->shape.k, model->ranks, model->ranks > 1 ? "s" : "",
	       model->tile, model->read, model->write, model->net);
	for (int i = 0; i < ASL_OOC_LINES; i++) {
		if (!is_shown(plan, &line[i]))
			continue;
		if (i % ASL_OOC_ORDERS == 0)
			print_heading(&line[i]);
		print_table_line(&line[i]);
	}
}

/* Products are made one after another. */
static void repeat(struct asl_ooc_volume *v, double times)
{
	v->read *= times;
	v->write *= times;
	v->transfer *= times;
	v->net *= times;
}

static int table(const struct asl_plan *plan, const char *csv)
{
	static struct asl_ooc_line line[ASL_OOC_LINES];
	struct asl_ooc_model model;

	if (!plan->budget)
		return without_budget(plan);
	if (is_program(plan))
		return asl_refuse(
			"--table: found --spec of %d inputs, expected "
			"two: the tables are of one contraction",
			plan->contraction->e.inputs);
	model = asl_ooc_model_of_source(plan);
	if (model.tile < 1)
		return asl_refuse("--table: found --memory-budget %ju words "
				  "and a cache of %ju, expected room for three "
				  "tiles beside it",
				  plan->budget, plan->cache);
	asl_ooc_lines(line, &model);
	for (int i = 0; i < ASL_OOC_LINES; i++)
		repeat(&line[i].volume, (double)asl_ooc_products(plan));
	if (csv)
		return write_lines(plan, line, csv);
	print_lines(plan, &model, line);
	return 0;
}

/* ---- Programs ---- */

static const struct asl_algorithm *const program_algorithms[] = {
	&asl_ooc_program, NULL};

/* "cd" of the loops over c in 4 parts and d in 16: " c=4 d=16". */
static void put_loops(char *text, size_t size, const struct asl_stage *x)
{
	const struct asl_loops *l = &x->loops;
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < l->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%c=%d",
					 i ? " " : "", x->e.letter[l->index[i]],
					 l->parts[l->index[i]]);
}

static bool gathers_in_dram(const struct asl_stage *x)
{
	return x->in_tiles & ((UINT32_C(1) << x->e.inputs) - 1);
}

/* Behind the stages, the loops of each: tiles=c=4 d=16 gather=dram/i=8 j=8. */
static void show_program(struct asl_shown *out, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	size_t size = sizeof out->blocks, used;

	asl_cli_contract.show(out, plan);
	out->initial = NULL;
	used = strlen(out->blocks);
	for (int i = 0; i < c->stages && used < size; i++) {
		char loops[400];

		put_loops(loops, sizeof loops, &c->stage[i]);
		used += (size_t)snprintf(
			out->blocks + used, size - used, "%s%s%s",
			i      ? "/"
			: used ? " tiles="
			       : "tiles=",
			loops,
			gathers_in_dram(&c->stage[i]) ? " gather=dram" : "");
	}
}

/* A stage: what it contracts, and over which tiles. */
static void print_stage(FILE *f, const struct asl_plan *plan, int stage)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_stage *x = &c->stage[stage];
	struct asl_contraction *alone = malloc(sizeof *alone);
	struct asl_plan one = *plan;
	struct asl_shown shown = {0};
	char loops[400];

	if (!alone)
		return;
	*alone = *c;
	alone->e = x->e;
	alone->stages = 1;
	alone->stage[0] = *x;
	one.contraction = alone;
	asl_cli_contract.show(&shown, &one);
	put_loops(loops, sizeof loops, x);
	fprintf(f, "          %s on a grid of %s, ", shown.spec, shown.grid);
	if (x->e.inputs > 2)
		fprintf(f, "%d contractions fused, ", x->e.inputs - 1);
	if (*loops)
		fprintf(f, "in tiles %s", loops);
	else
		fputs("in one tile", f);
	fputs(gathers_in_dram(x) ? ", gathered in DRAM\n" : "\n", f);
	free(alone);
}

static void print_stages(FILE *f, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	int idle = plan->ranks - asl_plan_ranks(plan);

	print_factors(f, plan);
	fprintf(f, "ranks     %d", plan->ranks);
	if (idle)
		fprintf(f, ", %d idle", idle);
	fprintf(f, ", %d stage%s\n", c->stages, c->stages > 1 ? "s" : "");
	for (int i = 0; i < c->stages; i++)
		print_stage(f, plan, i);
	fprintf(f, "          %ju of %ju words of DRAM, beside the cache\n",
		asl_forecast(plan).memory_needed, plan->budget);
}

static void print_first(FILE *f, const struct asl_plan *plan)
{
	if (!is_program(plan))
		return;
	fputs("\nThe first\n", f);
	print_stages(f, plan);
}

static int program_problem(struct asl_plan *plan, const struct asl_options *o)
{
	int code = problem(plan, o);

	if (code)
		return code;
	return o->spec ? 0
		       : asl_refuse("the program is missing: expected --spec, "
				    "as in --spec 'ab,bc,cd->ad'");
}

static int rank_programs(struct asl_candidates *list,
			 const struct asl_plan *base)
{
	return base->budget ? asl_ooc_program_rank(list, base)
			    : without_budget(base);
}

const struct asl_family_cli asl_cli_program = {
	.family = &asl_family_program,
	.algorithms = program_algorithms,
	.problem = program_problem,
	.means = means,
	.complete = complete,
	.settle = settle_program,
	.show = show_program,
	.print_what = print_what,
	.print_ranks = print_stages,
	.about = "Problem: an einsum string gives it",
	.small = "--spec 'abc,ai,bj,ck->ijk' --dims "
		 "a=16,b=16,c=16,i=16,j=16,k=16 --memory-budget 16KiB",
	.test = "test with random numbers",
	.wrong = "THE RESULT IS WRONG",
	.rank = rank_programs,
	.print_first = print_first,
	.table = table,
	.bounds = program_bounds,
};

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
	.about = "Problem: C is m x n, A is m x k, B is k x n; or an einsum "
		 "string gives it",
	.small = "--n 240 --memory-budget 64KiB",
	.test = "Freivalds' test",
	.wrong = "THE PRODUCT IS WRONG",
	.rank = rank,
	.print_first = print_first,
	.table = table,
	.bounds = bounds,
};
