/*
 * cli_contract.c -- contractions in memory as the command asks for them
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/contract/array.h"
#include "lib/contract/contract.h"
#include "lib/kernels/kernel.h"

extern const struct asl_family_cli asl_cli_multiply;

/* ---- As text ---- */

/* Text that grows, up to the size of its array. */
struct text {
	char *at;
	size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (t->used < t->size)
		t->used += (size_t)vsnprintf(t->at + t->used, t->size - t->used,
					     format, args);
	va_end(args);
}

static void put_term(struct text *t, const struct asl_einsum *e, int which)
{
	for (int i = 0; i < e->term[which].modes; i++)
		put(t, "%c", e->letter[e->term[which].mode[i]]);
}

static void put_spec(struct text *t, const struct asl_einsum *e)
{
	for (int i = 0; i < e->inputs; i++) {
		put(t, "%s", i ? "," : "");
		put_term(t, e, i);
	}
	put(t, "->");
	put_term(t, e, e->inputs);
}

/*
 * `each` for each index of the terms, and `between` in between: i is its letter,
 * n its length, p the mesh's side along it.
 */
static void put_each(struct text *t, const struct asl_einsum *e, const int *p,
		     const char *between, const char *each)
{
	uint32_t all = asl_einsum_all(e);
	const char *before = "";

	for (int i = 0; i < e->indices; i++) {
		if (!(all >> i & 1))
			continue;
		put(t, "%s", before);
		before = between;
		for (const char *c = each; *c; c++)
			if (*c == 'n')
				put(t, "%ju", e->size[i]);
			else if (*c == 'p')
				put(t, "%d", p[i]);
			else
				put(t, "%c", *c == 'i' ? e->letter[i] : *c);
	}
}

/*
 * A mesh: the sides of the indices, in the order in which the string names them
 * first: 4x2x1.  That of a product of scalars is 1.
 */
static void put_mesh(struct text *t, const struct asl_stage *x)
{
	size_t before = t->used;

	put_each(t, &x->e, x->mesh.p, "x", "p");
	if (t->used == before)
		put(t, "1");
}

#define TEXT(array)                                                            \
	{                                                                      \
		.at = array, .size = sizeof(array)                             \
	}

/* ---- In tables ---- */

/* The meshes of a sequence's stages, each of its own indices: 4x2x1/2x4. */
static void put_meshes(struct text *t, const struct asl_contraction *c)
{
	for (int i = 0; i < c->stages; i++) {
		put(t, "%s", i ? "/" : "");
		put_mesh(t, &c->stage[i]);
	}
}

/* The stages of a sequence, where there is a choice of them. */
static void put_stages(struct text *t, const struct asl_contraction *c)
{
	if (c->stages == 1 && c->e.inputs > 2)
		put(t, "%s", asl_contract_way_name(c->way));
	for (int i = 0; c->stages > 1 && i < c->stages; i++) {
		put(t, "%s", i ? " " : "");
		put_spec(t, &c->stage[i].e);
	}
	if (c->slices)
		put(t, "%sslices=%ju of %c", t->used ? " " : "", c->slices,
		    c->e.letter[c->sliced]);
}

/* The algorithm of a product, and its grid and blocks. */
static void show_product(struct text *grid, struct text *blocks,
			 const struct asl_plan *plan)
{
	struct asl_plan product = asl_matrices_plan(plan);
	struct asl_shown shown = asl_show(&product);

	put(grid, "%s", shown.grid);
	put(blocks, "product by %s%s%s", product.algorithm->name,
	    *shown.blocks ? " " : "", shown.blocks);
}

static void show(struct asl_shown *out, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	struct text spec = TEXT(out->spec), dims = TEXT(out->dims),
		    size = TEXT(out->size), problem = TEXT(out->problem),
		    grid = TEXT(out->grid), blocks = TEXT(out->blocks);

	out->kernel = plan->kernel ? plan->kernel->name : NULL;
	out->initial = c->on_root ? "rank0" : "even";
	put_spec(&spec, &c->e);
	put_each(&dims, &c->e, NULL, ",", "i=n");
	put_each(&size, &c->e, NULL, "x", "n");
	put(&problem, "%s%s", out->spec, *out->dims ? ", " : "");
	put_each(&problem, &c->e, NULL, ", ", "i = n");
	if (plan->type != ASL_FLOAT64)
		put(&problem, ", %s", asl_type(plan->type)->name);
	if (c->way == ASL_WAY_PRODUCT) {
		show_product(&grid, &blocks, plan);
		return;
	}
	if (c->way == ASL_WAY_GRAM) {
		put(&grid, "%dx%d", c->gram.blocks, c->gram.layers);
		put(&blocks, "gram, blocks=%d", c->gram.held);
		return;
	}
	if (c->way == ASL_WAY_CUTS) {
		put(&grid, "%d", c->ranks);
		put(&blocks, "cuts");
		return;
	}
	put_meshes(&grid, c);
	put_stages(&blocks, c);
}

/* ---- For people ---- */

static void print_what(FILE *f, const struct asl_plan *plan)
{
	fprintf(f, "%s with kernel %s: %s", plan->algorithm->name,
		plan->kernel->name, asl_show(plan).problem);
	if (plan->contraction->on_root)
		fputs("\noperands and result on rank 0", f);
}

static void print_stage(FILE *f, const struct asl_stage *x, bool alone)
{
	char spec[ASL_SPEC_TEXT], sides[512], letters[128] = "";
	struct text a = TEXT(spec), b = TEXT(sides), c = TEXT(letters);

	put_spec(&a, &x->e);
	put_mesh(&b, x);
	put_each(&c, &x->e, NULL, " x ", "i");
	if (!alone)
		fprintf(f, "          %s", spec);
	fprintf(f, " on a grid of %s%s%s%s\n", sides, *letters ? " (" : "",
		letters, *letters ? ")" : "");
}

static void print_words(FILE *f, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double bound = plan->algorithm->family->net_bound(plan);
	uint64_t words = asl_contraction_words(c);

	fprintf(f, "          %s: %ju words", asl_contract_way_name(c->way),
		words);
	/* Words that rank 0 scatters and gathers are not among them. */
	if (bound > 0 && !c->on_root)
		fprintf(f, ", %.4g times the bound", (double)words / bound);
	fputc('\n', f);
}

static void print_ranks(FILE *f, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	int used = asl_plan_ranks(plan), idle = plan->ranks - used;
	struct asl_plan product;

	if (c->way == ASL_WAY_PRODUCT) {
		product = asl_matrices_plan(plan);
		asl_cli_multiply.print_ranks(f, &product);
		fprintf(f, "          product by %s, %s\n",
			product.algorithm->name, asl_show(&product).problem);
		print_words(f, plan);
		return;
	}
	fprintf(f, "ranks     %d", plan->ranks);
	if (idle)
		fprintf(f, ", %d idle,", idle);
	if (c->way == ASL_WAY_GRAM)
		fprintf(f,
			" on %d blocks x %d layers, %d block%s each: one "
			"array, "
			"given twice\n",
			c->gram.blocks, c->gram.layers, c->gram.held,
			c->gram.held == 1 ? "" : "s");
	if (c->way == ASL_WAY_CUTS)
		fputs(", a box each, on no grid\n", f);
	if (c->stages > 1)
		fprintf(f, " for %d stages\n", c->stages);
	for (int i = 0; i < c->stages; i++)
		print_stage(f, &c->stage[i], c->stages == 1);
	if (c->slices)
		fprintf(f, "          in %ju slices of %c, one after another\n",
			c->slices, c->e.letter[c->sliced]);
	print_words(f, plan);
}

/* ---- The path of the first plan, as opt_einsum has it ---- */

/* All ranks' flops of a stage: two for each point of its pairs, sums included. */
static double flops_of(const struct asl_stage *x)
{
	const struct asl_local *l = &x->local;
	uint32_t has[ASL_MOST_INPUTS + ASL_MOST_STEPS];
	double flops = 0;

	for (int i = 0; i < l->inputs; i++)
		has[i] = x->e.term[i].has;
	for (int i = 0; i < l->steps; i++) {
		const struct asl_local_step *s = &l->step[i];
		uint32_t both = has[s->in[0]];

		if (s->in[1] >= 0)
			both |= has[s->in[1]];
		has[l->inputs + i] = s->out.has;
		flops += 2 * asl_points(both, x->e.size);
	}
	return flops;
}

/* Temporaries of a stage or of its pairs, and what it passes on, of all ranks. */
static double largest_of(const struct asl_stage *x, bool last)
{
	const struct asl_local *l = &x->local;
	double most = 0;

	for (int i = 0; i < l->steps - last; i++)
		most = fmax(most, asl_points(l->step[i].out.has, x->e.size));
	return most;
}

static void print_first(FILE *f, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;

	if (!c->stages || c->e.inputs < 3)
		return;
	fprintf(f, "\n%-32s%12s%12s%14s\n", "Stages of the first", "flops",
		"words", "intermediate");
	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];
		char spec[ASL_SPEC_TEXT];
		struct text t = TEXT(spec);

		put_spec(&t, &x->e);
		fprintf(f, "    %-28s%12.4g%12ju%14.4g\n", spec, flops_of(x),
			asl_mesh_busiest(&x->e, &x->mesh),
			largest_of(x, i == c->stages - 1));
	}
}

static int bounds(struct asl_bound bound[ASL_BOUNDS],
		  const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double net = asl_contract_net_words(plan);
	int count = 0;

	if (net > 0)
		bound[count++] = (struct asl_bound){
			"net_words", net, "words",
			c->on_root ? "rank 0 sends or receives: least over "
				     "real boxes of the others"
			: c->e.inputs > 2
				? "least over all groupings and real boxes: "
				  "slices less shares"
				: "least over real boxes: slices less shares"};
	bound[count++] = (struct asl_bound){
		"io_words", asl_contract_io_words(plan), "words",
		"slices once, or 2V/(P sqrt(S)) - 2S, " ASL_IF_EVEN};
	bound[count++] = (struct asl_bound){
		"joint_cost", asl_contract_joint(plan), "cost",
		"Q in the APM: least over real boxes, " ASL_IF_EVEN};
	return count;
}

static const struct asl_algorithm *const algorithms[] = {&asl_contract_einsum,
							 NULL};

/* ---- Options ---- */

/* The shapes of the operands' files. */
struct shapes {
	int count, dims[ASL_MOST_INPUTS];
	uint64_t size[ASL_MOST_INPUTS][ASL_MOST_INDICES];
};

/* As asked; or that of the first file, which all others must have. */
static enum asl_type type_of(const struct asl_options *o)
{
	return o->type	       ? asl_type_find(o->type)
	       : o->operand[0] ? asl_array_type(o->operand[0])
			       : ASL_FLOAT64;
}

static int read_shapes(struct shapes *s, const struct asl_options *o)
{
	enum asl_type type = type_of(o);
	struct asl_array_in *in;

	for (s->count = 0; o->operand[s->count]; s->count++) {
		int err = asl_array_open(&in, o->operand[s->count], type, -1);

		if (err)
			return asl_complain_failure(err, "--operand: ");
		s->dims[s->count] = asl_array_dims(in);
		memcpy(s->size[s->count], asl_array_shape(in),
		       sizeof s->size[s->count]);
		asl_array_close(in);
	}
	return 0;
}

static int check_count(const struct asl_einsum *e, const struct asl_options *o)
{
	int count = 0;

	while (o->operand[count])
		count++;
	if (!count || count == e->inputs)
		return 0;
	return asl_refuse("--operand: found %d file%s, but --spec %s has %d "
			  "input%s",
			  count, count == 1 ? "" : "s", o->spec, e->inputs,
			  e->inputs == 1 ? "" : "s");
}

static int take_shapes(struct asl_einsum *e, struct shapes *s,
		       const struct asl_options *o)
{
	int err = 0;

	if (!s->count)
		return 0;
	asl_einsum_stretch(e, s->size, s->dims);
	for (int i = 0; !err && i < s->count; i++)
		err = asl_einsum_shape(e, i, s->dims[i], s->size[i],
				       o->operand[i]);
	return err ? asl_complain_failure(err, "--operand: ") : 0;
}

/* The string; with dots, for operands of these shapes. */
static int parse(struct asl_einsum *e, const struct shapes *s,
		 const struct asl_options *o)
{
	char text[ASL_SPEC_TEXT];
	int err = 0;

	if (s->count && strstr(o->spec, "..."))
		err = asl_einsum_expand(text, o->spec, s->dims, s->count);
	else
		return asl_einsum_parse(e, o->spec);
	return err ? err : asl_einsum_parse(e, text);
}

static int find_sizes(struct asl_einsum *e, const struct asl_options *o)
{
	bool dots = strstr(o->spec, "...");
	struct shapes shapes = {0};
	int code = dots ? read_shapes(&shapes, o) : 0;
	int err;

	if (code)
		return code;
	err = parse(e, &shapes, o);
	if (err)
		return asl_complain_failure(err, "--spec: ");
	err = o->dims ? asl_einsum_dims(e, o->dims) : 0;
	if (err)
		return asl_complain_failure(err, "--dims: ");
	code = check_count(e, o);
	if (!code && !dots)
		code = read_shapes(&shapes, o);
	if (!code)
		code = take_shapes(e, &shapes, o);
	if (code)
		return code;
	err = asl_einsum_check(e);
	return err ? asl_complain_failure(err, o->operand[0] ? "--operand: "
							     : "--dims: ")
		   : 0;
}

static bool is_one_file(const char *a, const char *b)
{
	struct stat of[2];

	return !stat(a, &of[0]) && !stat(b, &of[1]) &&
	       of[0].st_dev == of[1].st_dev && of[0].st_ino == of[1].st_ino;
}

/* Two inputs of one shape may be one array. */
static int find_twice(struct asl_contraction *c, const struct asl_options *o)
{
	const struct asl_einsum *e = &c->e;
	const struct asl_term *A = &e->term[0], *B = &e->term[1];
	bool alike = e->inputs == 2 && A->modes == B->modes;

	for (int i = 0; alike && i < A->modes; i++)
		alike = e->size[A->mode[i]] == e->size[B->mode[i]];
	if (o->twice && !alike)
		return asl_refuse("--twice: found --spec %s, expected two "
				  "inputs of one shape",
				  o->spec);
	c->twice = o->twice || (alike && o->operand[0] && o->operand[1] &&
				is_one_file(o->operand[0], o->operand[1]));
	return 0;
}

static enum asl_contract_way way_of(const char *name)
{
	return !name || !strcmp(name, "auto") ? ASL_WAY_BEST
	       : !strcmp(name, "direct")      ? ASL_WAY_DIRECT
	       : !strcmp(name, "product")     ? ASL_WAY_PRODUCT
	       : !strcmp(name, "gram")	      ? ASL_WAY_GRAM
	       : !strcmp(name, "cuts")	      ? ASL_WAY_CUTS
					      : ASL_WAY_SEQUENCE;
}

static int problem(struct asl_plan *plan, const struct asl_options *o)
{
	struct asl_contraction *x;
	int code;

	if (!o->spec)
		return asl_refuse("the contraction is missing: expected "
				  "--spec, as in --spec 'ij,jk->ik'");
	x = calloc(1, sizeof *x);
	if (!x)
		return asl_no_memory();
	plan->contraction = x;
	plan->type = type_of(o);
	if (plan->type != ASL_FLOAT64 && o->entries &&
	    !strcmp(o->entries, "exact"))
		return asl_refuse("--entries exact: sums are exact in float64, "
				  "and found --type %s",
				  asl_type(plan->type)->name);
	x->asked = way_of(o->way);
	x->on_root = o->initial && !strcmp(o->initial, "rank0");
	if (!plan->ranks)
		plan->ranks = 1;
	code = find_sizes(&x->e, o);
	return code ? code : find_twice(x, o);
}

/* All inputs in one group are the direct way. */
static int take_path(struct asl_contraction *c, const struct asl_options *o)
{
	int err = asl_grouping_parse(&c->path, o->path, c->e.inputs);

	if (err)
		return asl_complain_failure(err, "--path: ");
	if (o->way)
		return asl_refuse("--path and --way: found both, expected one");
	if (c->path.stages < 2) {
		c->path.stages = 0;
		c->asked = ASL_WAY_DIRECT;
	}
	return 0;
}

static int means(struct asl_plan *plan, const struct asl_options *o)
{
	const struct asl_contraction *c = plan->contraction;
	struct asl_matrices shape;
	struct asl_boxes boxes;
	struct asl_gram gram;

	struct asl_contraction *own = (struct asl_contraction *)c;
	int code = o->path ? take_path(own, o) : 0;

	if (code)
		return code;
	plan->kernel = o->kernel ? asl_kernel_find(o->kernel) : NULL;
	if (c->asked == ASL_WAY_DIRECT && c->e.inputs > ASL_MOST_TOGETHER)
		return asl_refuse("--way: direct is for up to %d inputs, and "
				  "--spec has %d",
				  ASL_MOST_TOGETHER, c->e.inputs);
	if (c->asked == ASL_WAY_PRODUCT && !asl_matrices_of(&shape, &c->e))
		return asl_refuse("--way: product is for two inputs each of "
				  "whose indices is in two of the three "
				  "terms, and found --spec %s",
				  o->spec);
	if (c->asked == ASL_WAY_PRODUCT && c->on_root)
		return asl_refuse("--way: product does not begin with "
				  "--initial rank0");
	if (c->asked == ASL_WAY_GRAM && !asl_gram_of(&gram, c))
		return asl_refuse("--way: gram is for one array that is given "
				  "twice (--twice) and spread evenly, as in "
				  "'ki,kj->ij', and found --spec %s",
				  o->spec);
	if (c->asked == ASL_WAY_CUTS &&
	    (c->on_root || !asl_boxes_of(&boxes, &c->e)))
		return asl_refuse(
			"--way: cuts is for two to %d inputs, with up "
			"to %d indices longer than 1 and not on rank "
			"0, and found --spec %s",
			ASL_CUTS_MOST_OPERANDS - 1, ASL_CUTS_MOST_AXES,
			o->spec);
	return asl_fits_cache(plan);
}

static int complete(struct asl_run_want *want, const struct asl_options *o)
{
	struct asl_plan *plan = &want->plan;
	struct asl_plan with = *plan;

	for (int i = 0; o->operand[i]; i++)
		want->files[i] = o->operand[i];
	/* Stages take it unless another one is given. */
	if (!with.kernel)
		with.kernel = asl_kernel_find("vomm");
	return asl_fits_cache(&with);
}

static int nothing_fits(const struct asl_plan *plan, uint64_t needed)
{
	if (needed == UINT64_MAX)
		return asl_no_memory();
	return asl_refuse("nothing fits into --memory-budget %ju words: the "
			  "least need is %ju words",
			  asl_type_doubles(plan->type, plan->budget),
			  asl_type_doubles(plan->type, needed));
}

static int settle(struct asl_plan *plan)
{
	uint64_t needed;
	int err = asl_contract_settle(plan, &needed);

	if (err == -ENOMEM)
		return nothing_fits(plan, needed);
	if (err)
		return asl_refuse(
			"--dims: the sizes make more than 2^58 "
			"multiplications, %s",
			plan->contraction->asked == ASL_WAY_DIRECT
				? "all inputs at once (--way sequence?)"
				: "in any order");
	return 0;
}

const struct asl_family_cli asl_cli_contract = {
	.family = &asl_family_contract,
	.algorithms = algorithms,
	.problem = problem,
	.means = means,
	.complete = complete,
	.settle = settle,
	.show = show,
	.print_what = print_what,
	.print_ranks = print_ranks,
	.about = "Problem: an einsum string gives it",
	.small = "--spec 'ij,jk->ik' --dims i=64,j=32,k=16",
	.test = "test with random numbers",
	.wrong = "THE RESULT IS WRONG",
	.rank = asl_contract_rank,
	.print_first = print_first,
	.bounds = bounds,
};
