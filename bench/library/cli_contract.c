/*
 * cli_contract.c -- contractions in memory as the command asks for them
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/contract/array.h"
#include "lib/contract/contract.h"
#include "lib/kernels/kernel.h"
#include "lib/matrix/file.h"

/*
 * What was asked of an einsum, for the files of its face
 */

/* Of every plan with an einsum, those that were found too. */
struct asl_asked_einsum {
	struct asl_contraction c; /* plan->contraction */
	enum asl_contract_way way;

	/* The string as it was understood; i=64,j=32, in the order in which
	 * indices appear. */
	char spec[ASL_MOST_OPERANDS * (ASL_MOST_INDICES + 2)];
	char dims[ASL_MOST_INDICES * 24];
};

static inline struct asl_asked_einsum *
asl_asked_einsum(const struct asl_plan *plan)
{
	return (struct asl_asked_einsum *)plan->contraction;
}

/*
 * Contractions as the command shows them
 *
 * A mesh is written as the sides of its indices, in the order in which the string
 * names them first: 4x2x1.  Of a sequence each pair has one, of its own indices:
 * 4x2x1/2x4.
 */

/* Text that grows; what has no room is left out. */
struct text {
	char *at;
	size_t room, used;
};

static void put(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (t->used < t->room)
		t->used += (size_t)vsnprintf(t->at + t->used, t->room - t->used,
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

/* Of each index that the terms have, after all but the first `between`. */
static void put_each(struct text *t, const struct asl_einsum *e,
		     const char *between,
		     void (*one)(struct text *t, const struct asl_einsum *e,
				 int i, const struct asl_mesh *mesh),
		     const struct asl_mesh *mesh)
{
	uint32_t all = asl_einsum_all(e);
	bool first = true;

	for (int i = 0; i < e->indices; i++) {
		if (!(all >> i & 1))
			continue;
		put(t, "%s", first ? "" : between);
		one(t, e, i, mesh);
		first = false;
	}
	/* A product of scalars. */
	if (first && mesh)
		put(t, "1");
}

static void side(struct text *t, const struct asl_einsum *e, int i,
		 const struct asl_mesh *mesh)
{
	(void)e;
	put(t, "%d", mesh->p[i]);
}

static void letter(struct text *t, const struct asl_einsum *e, int i,
		   const struct asl_mesh *mesh)
{
	(void)mesh;
	put(t, "%c", e->letter[i]);
}

static void length(struct text *t, const struct asl_einsum *e, int i,
		   const struct asl_mesh *mesh)
{
	(void)mesh;
	put(t, "%ju", e->size[i]);
}

static void named_length(struct text *t, const struct asl_einsum *e, int i,
			 const struct asl_mesh *mesh)
{
	(void)mesh;
	put(t, "%c=%ju", e->letter[i], e->size[i]);
}

static void spaced_length(struct text *t, const struct asl_einsum *e, int i,
			  const struct asl_mesh *mesh)
{
	(void)mesh;
	put(t, "%c = %ju", e->letter[i], e->size[i]);
}

#define TEXT(array)                                                            \
	{                                                                      \
		.at = array, .room = sizeof(array)                             \
	}

/* Set spec and dims. */
static void asl_einsum_name(struct asl_asked_einsum *x)
{
	struct text spec = TEXT(x->spec), dims = TEXT(x->dims);

	put_spec(&spec, &x->c.e);
	put_each(&dims, &x->c.e, ",", named_length, NULL);
}

/* ---- In tables ---- */

static void put_meshes(struct text *t, const struct asl_contraction *c)
{
	for (int i = 0; i < c->stages; i++) {
		put(t, "%s", i ? "/" : "");
		put_each(t, &c->stage[i].e, "x", side, &c->stage[i].mesh);
	}
}

/* Which tensors are paired, where any could be: nothing else says that. */
static void put_pairs(struct text *t, const struct asl_contraction *c)
{
	if (c->stages == 1 && c->e.inputs > 2)
		put(t, "%s", asl_contract_way_name(c->way));
	for (int i = 0; c->stages > 1 && i < c->stages; i++) {
		put(t, "%s", i ? " " : "");
		put_spec(t, &c->stage[i].e);
	}
}

static void asl_einsum_show(struct asl_shown *out, const struct asl_plan *plan)
{
	const struct asl_asked_einsum *x = asl_asked_einsum(plan);
	struct text size = TEXT(out->size), problem = TEXT(out->problem),
		    grid = TEXT(out->grid), blocks = TEXT(out->blocks);

	out->kernel = plan->kernel ? plan->kernel->name : NULL;
	out->spec = x->spec;
	out->dims = x->dims;
	out->initial = x->c.on_root ? "rank0" : "even";
	put_each(&size, &x->c.e, "x", length, NULL);
	put(&problem, "%s", x->spec);
	put(&problem, "%s", *x->dims ? ", " : "");
	put_each(&problem, &x->c.e, ", ", spaced_length, NULL);
	put_meshes(&grid, &x->c);
	put_pairs(&blocks, &x->c);
}

/* ---- For people ---- */

static void asl_einsum_print_what(FILE *f, const struct asl_plan *plan)
{
	struct asl_shown shown = asl_show(plan);

	fprintf(f, "%s with kernel %s: %s", plan->algorithm->name,
		plan->kernel->name, shown.problem);
	if (plan->contraction->on_root)
		fputs("\noperands and result on rank 0", f);
}

static void print_stage(FILE *f, const struct asl_stage *x, bool alone)
{
	char spec[sizeof((struct asl_asked_einsum *)0)->spec], sides[256],
		letters[128] = "";
	struct text a = TEXT(spec), b = TEXT(sides), c = TEXT(letters);

	put_spec(&a, &x->e);
	put_each(&b, &x->e, "x", side, &x->mesh);
	put_each(&c, &x->e, " x ", letter, NULL);
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
	if (bound > 0)
		fprintf(f, ", %.4g times the bound", (double)words / bound);
	fputc('\n', f);
}

static void asl_einsum_print_ranks(FILE *f, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	int used = asl_plan_ranks(plan), idle = plan->ranks - used;

	fprintf(f, "ranks     %d", plan->ranks);
	if (idle)
		fprintf(f, ", %d idle,", idle);
	if (c->stages > 1)
		fprintf(f, " for %d pairs\n", c->stages);
	for (int i = 0; i < c->stages; i++)
		print_stage(f, &c->stage[i], c->stages == 1);
	print_words(f, plan);
}

/* ---- Bounds ---- */

static int asl_einsum_bounds(struct asl_bound bound[ASL_BOUNDS],
			     const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	double least = asl_mesh_bound(&c->e, plan->ranks);
	/* One that is whole is so but for rounding. */
	double net = ceil(least * (1 - 1e-9) - 1e-6);
	int count = 0;

	if (net > 0)
		bound[count++] = (struct asl_bound){
			"net_words", net, "words",
			c->e.inputs > 2
				? "all inputs at once: least over real boxes, "
				  "slices less shares; a sequence may move "
				  "fewer"
				: "least over real boxes: slices less shares"};
	bound[count++] = (struct asl_bound){
		"io_words", plan->algorithm->family->io_bound(plan), "words",
		"every word of every operand passes through a cache once"};
	return count;
}

static const struct asl_algorithm *const algorithms[] = {&asl_contract_einsum,
							 NULL};

static int refuse(int err, const char *before)
{
	return asl_complain(err == -ENOMEM ? ASL_NO_MACHINE : ASL_BAD_INPUT,
			    "%s%s", before, asl_failure());
}

/* ---- How large ---- */

static int size_of_file(struct asl_einsum *e, int which, const char *path)
{
	struct asl_array_in *in;
	int err = asl_array_open(&in, path, e->term[which].modes);

	if (err)
		return err;
	err = asl_einsum_shape(e, which, e->term[which].modes,
			       asl_array_shape(in), path);
	asl_array_close(in);
	return err;
}

static int sizes_of_files(struct asl_einsum *e, const struct asl_options *o)
{
	int count = 0, err = 0;

	while (o->operand[count])
		count++;
	if (count && count != e->inputs)
		return asl_complain(ASL_BAD_INPUT,
				    "--operand: found %d file%s, but --spec %s "
				    "has %d input%s",
				    count, count == 1 ? "" : "s", o->spec,
				    e->inputs, e->inputs == 1 ? "" : "s");
	for (int i = 0; !err && i < count; i++)
		err = size_of_file(e, i, o->operand[i]);
	return err ? refuse(err, "--operand: ") : 0;
}

static int find_sizes(struct asl_einsum *e, const struct asl_options *o)
{
	int err = asl_einsum_parse(e, o->spec), code;

	if (err)
		return refuse(err, "--spec: ");
	err = o->dims ? asl_einsum_dims(e, o->dims) : 0;
	if (err)
		return refuse(err, "--dims: ");
	code = sizes_of_files(e, o);
	if (code)
		return code;
	err = asl_einsum_check(e);
	return err ? refuse(err, o->operand[0] ? "--operand: " : "--dims: ")
		   : 0;
}

static enum asl_contract_way way_of(const char *name)
{
	return !name || !strcmp(name, "auto") ? ASL_WAY_BEST
	       : !strcmp(name, "direct")      ? ASL_WAY_DIRECT
					      : ASL_WAY_SEQUENCE;
}

static int problem(struct asl_plan *plan, const struct asl_options *o)
{
	struct asl_asked_einsum *x;
	int code;

	if (!o->spec)
		return asl_complain(ASL_BAD_INPUT,
				    "what is contracted is missing: expected "
				    "--spec, as in --spec 'ij,jk->ik'");
	x = calloc(1, sizeof *x);
	if (!x)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	plan->contraction = &x->c;
	x->way = way_of(o->way);
	x->c.on_root = o->initial && !strcmp(o->initial, "rank0");
	if (!plan->ranks)
		plan->ranks = 1;
	x->c.given = plan->ranks;
	code = find_sizes(&x->c.e, o);
	asl_einsum_name(x);
	return code;
}

/* ---- By what means ---- */

static int means(struct asl_plan *plan, const struct asl_options *o)
{
	plan->kernel = o->kernel ? asl_kernel_find(o->kernel) : NULL;
	return asl_fits_cache(plan);
}

static int complete(struct asl_run_want *want, const struct asl_options *o)
{
	struct asl_plan *plan = &want->plan;

	for (int i = 0; o->operand[i]; i++)
		want->files[i] = o->operand[i];
	if (!plan->kernel)
		plan->kernel = asl_kernel_find("vomm");
	return asl_fits_cache(plan);
}

/* ---- How ranks are arranged ---- */

static void make(struct asl_plan *plan, enum asl_contract_way way)
{
	struct asl_asked_einsum *x = asl_asked_einsum(plan);
	const struct asl_contraction_want want = {
		.ranks = plan->ranks,
		.cache = plan->cache,
		.on_root = x->c.on_root,
		.way = way,
	};
	struct asl_einsum e = x->c.e;

	asl_contraction_make(&x->c, &e, &want);
}

static int settle(struct asl_plan *plan)
{
	make(plan, asl_asked_einsum(plan)->way);
	return asl_fits_budget(plan);
}

/* ---- All ways ---- */

/* Kernels do not matter to meshes: `made` is there for all of them. */
static void try_kernel(struct asl_candidates *list, const struct asl_plan *made,
		       const struct asl_kernel *kernel)
{
	struct asl_asked_einsum *x = malloc(sizeof *x);
	struct asl_plan plan = *made;

	list->failed |= !x;
	if (!x)
		return;
	*x = *asl_asked_einsum(made);
	plan.contraction = &x->c;
	plan.kernel = kernel;
	asl_candidates_add(list, &plan);
}

static void try_way(struct asl_candidates *list, const struct asl_plan *base,
		    enum asl_contract_way way)
{
	struct asl_asked_einsum x = *asl_asked_einsum(base);
	struct asl_plan made = *base;

	made.contraction = &x.c;
	make(&made, way);
	for (int i = 0; asl_kernels[i]; i++)
		if (base->kernel ? base->kernel == asl_kernels[i]
				 : base->cache >= asl_kernels[i]->least_cache)
			try_kernel(list, &made, asl_kernels[i]);
}

static int rank(struct asl_candidates *list, const struct asl_plan *base)
{
	const struct asl_asked_einsum *x = asl_asked_einsum(base);

	if (x->way != ASL_WAY_SEQUENCE || x->c.e.inputs < 3)
		try_way(list, base, ASL_WAY_DIRECT);
	if (x->way != ASL_WAY_DIRECT && x->c.e.inputs >= 3)
		try_way(list, base, ASL_WAY_SEQUENCE);
	return asl_candidates_end(list);
}

const struct asl_family_cli asl_cli_contract = {
	.family = &asl_family_contract,
	.algorithms = algorithms,
	.problem = problem,
	.means = means,
	.complete = complete,
	.settle = settle,
	.show = asl_einsum_show,
	.print_what = asl_einsum_print_what,
	.print_ranks = asl_einsum_print_ranks,
	.test = "test with random numbers",
	.wrong = "THE RESULT IS WRONG",
	.rank = rank,
	.bounds = asl_einsum_bounds,
};
