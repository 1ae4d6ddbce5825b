/*
 * face_contract.c -- contractions in memory as the command asks for them
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/contract.h"
#include "bench/fits.h"
#include "bench/say.h"
#include "bench/ways.h"
#include "lib/base/error.h"
#include "lib/contract/array.h"
#include "lib/kernels/kernel.h"
#include "lib/matrix/file.h"

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

static void release(struct asl_plan *plan)
{
	free((struct asl_contraction *)plan->contraction);
	plan->contraction = NULL;
}

/* ---- All ways ---- */

/* Kernels do not matter to meshes: `made` is there for all of them. */
static void try_kernel(struct asl_ways *ways, const struct asl_plan *made,
		       const struct asl_kernel *kernel)
{
	struct asl_asked_einsum *x = malloc(sizeof *x);
	struct asl_plan plan = *made;
	uint64_t need;

	ways->failed = ways->failed || !x;
	if (!x)
		return;
	*x = *asl_asked_einsum(made);
	plan.contraction = &x->c;
	plan.kernel = kernel;
	need = plan.budget ? asl_forecast(&plan).need : 0;
	if (need <= plan.budget)
		asl_ways_add(ways, &plan);
	else
		asl_ways_refuse(ways, &plan, need);
}

static void try_way(struct asl_ways *ways, const struct asl_plan *base,
		    enum asl_contract_way way)
{
	struct asl_asked_einsum x = *asl_asked_einsum(base);
	struct asl_plan made = *base;

	made.contraction = &x.c;
	make(&made, way);
	for (int i = 0; asl_kernels[i]; i++)
		if (base->kernel ? base->kernel == asl_kernels[i]
				 : base->cache >= asl_kernels[i]->least_cache)
			try_kernel(ways, &made, asl_kernels[i]);
}

static int rank(struct asl_found **best, int *count,
		const struct asl_plan *base, int top, uint64_t *least_need,
		double *floor)
{
	const struct asl_asked_einsum *x = asl_asked_einsum(base);
	struct asl_ways ways = {0};

	if (x->way != ASL_WAY_SEQUENCE || x->c.e.inputs < 3)
		try_way(&ways, base, ASL_WAY_DIRECT);
	if (x->way != ASL_WAY_DIRECT && x->c.e.inputs >= 3)
		try_way(&ways, base, ASL_WAY_SEQUENCE);
	return asl_ways_best(best, count, &ways, top, least_need, floor);
}

const struct asl_face asl_face_contract = {
	.family = &asl_family_contract,
	.algorithms = algorithms,
	.problem = problem,
	.means = means,
	.complete = complete,
	.settle = settle,
	.release = release,
	.show = asl_einsum_show,
	.print_what = asl_einsum_print_what,
	.print_ranks = asl_einsum_print_ranks,
	.test = "test with random numbers",
	.wrong = "THE RESULT IS WRONG",
	.rank = rank,
	.bounds = asl_einsum_bounds,
};
