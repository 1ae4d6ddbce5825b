/*
 * contract.c -- contractions as the command shows them
 *
 * A mesh is written as the sides of its indices, in the order in which the string
 * names them first: 4x2x1.  Of a sequence each pair has one, of its own indices:
 * 4x2x1/2x4.
 */
#include "bench/contract.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

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

void asl_einsum_name(struct asl_asked_einsum *x)
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

void asl_einsum_show(struct asl_shown *out, const struct asl_plan *plan)
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

void asl_einsum_print_what(FILE *f, const struct asl_plan *plan)
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

void asl_einsum_print_ranks(FILE *f, const struct asl_plan *plan)
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

int asl_einsum_bounds(struct asl_bound bound[ASL_BOUNDS],
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
