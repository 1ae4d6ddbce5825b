/*
 * multiply.c -- the list of algorithms, and small things that all of them use
 */
#include "lib/multiply/multiply.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"

extern const struct asl_algorithm asl_multiply_vomm, asl_multiply_3d,
	asl_multiply_cannon, asl_multiply_25d, asl_multiply_25d_mml3ool2,
	asl_multiply_25d_cowe, asl_multiply_em_jomma, asl_multiply_lm_jomma,
	asl_multiply_jomma, asl_multiply_fused, asl_multiply_summa,
	asl_multiply_summa_l3ool2, asl_multiply_cuts, asl_multiply_cuts_fused;

enum { MOST = 32 };

const struct asl_algorithm *asl_algorithms[MOST + 1] = {
	&asl_multiply_vomm,
	&asl_multiply_3d,
	&asl_multiply_cannon,
	&asl_multiply_25d,
	&asl_multiply_25d_mml3ool2,
	&asl_multiply_25d_cowe,
	&asl_multiply_em_jomma,
	&asl_multiply_lm_jomma,
	&asl_multiply_jomma,
	&asl_multiply_fused,
	&asl_multiply_cuts,
	&asl_multiply_cuts_fused,
	&asl_multiply_summa,
	&asl_multiply_summa_l3ool2,
	NULL,
};

const struct asl_algorithm *asl_algorithm_find(const char *name)
{
	for (int i = 0; asl_algorithms[i]; i++)
		if (!strcmp(asl_algorithms[i]->name, name))
			return asl_algorithms[i];
	return NULL;
}

int asl_algorithm_add(const struct asl_algorithm *algorithm)
{
	int count = 0;

	while (asl_algorithms[count])
		count++;
	if (count == MOST)
		return asl_fail(-ENOSPC, "%s is one algorithm more than %d",
				algorithm->name, MOST);
	asl_algorithms[count] = algorithm;
	return 0;
}

void asl_algorithm_drop(void)
{
	int count = 0;

	while (asl_algorithms[count])
		count++;
	asl_algorithms[count - 1] = NULL;
}

void *asl_grown(void *at, size_t count, size_t *capacity, size_t size)
{
	size_t more = *capacity ? 2 * *capacity : 64;
	void *new = at;

	if (count == *capacity) {
		new = realloc(at, more * size);
		if (new)
			*capacity = more;
	}
	return new;
}

static const struct asl_matmul *matmul(const struct asl_plan *plan)
{
	return asl_plan_runs(plan)->matmul;
}

const char *asl_plan_axes(const struct asl_plan *plan)
{
	return matmul(plan)->grid.axes;
}

void asl_plan_dims(uint64_t dim[3], const struct asl_plan *plan)
{
	const char *axes = asl_plan_axes(plan);
	const struct asl_shape *s = asl_shape_of(plan);

	for (int i = 0; i < 3; i++)
		dim[i] = axes[i] == 'm' ? s->m : axes[i] == 'n' ? s->n : s->k;
}

int asl_grid_ranks(const struct asl_grid *g)
{
	return g->p[0] * g->p[1] * g->p[2];
}

void asl_plan_resolve(struct asl_plan *plan)
{
	const struct asl_matmul *a = plan->algorithm->matmul;

	plan->runs = a->chooses ? a->chooses(plan) : NULL;
	if (plan->runs && a->kernel)
		plan->kernel = asl_kernel_find(a->kernel);
}

void asl_plan_prescribe(double ideal[3], struct asl_plan *plan)
{
	const struct asl_matmul *a = plan->algorithm->matmul;

	asl_plan_resolve(plan);
	(a->ideal ? a : matmul(plan))->ideal(ideal, plan);
}

bool asl_plan_possible(const struct asl_plan *plan)
{
	const struct asl_grid_rule *rule = &matmul(plan)->grid;
	const int *p = plan->grid.p;

	for (int i = 0; i < 3; i++)
		if (rule->most[i] && p[i] > rule->most[i])
			return false;
	return asl_grid_ranks(&plan->grid) <= plan->ranks &&
	       (!rule->square || p[0] == p[1]) && (!rule->flat || p[2] <= p[0]);
}

bool asl_plan_admits(const struct asl_plan *plan)
{
	const struct asl_matmul *a = matmul(plan);
	const int *p = plan->grid.p;
	struct asl_box box = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};

	if (a->limits)
		a->limits(&box, plan);
	return box.low[0] <= box.high[0] && box.low[1] <= box.high[1] &&
	       box.low[2] <= box.high[2];
}

void asl_plan_blocks(struct asl_multiplication *out,
		     const struct asl_plan *plan)
{
	if (matmul(plan)->blocks)
		matmul(plan)->blocks(out, plan);
}

bool asl_plan_piece(struct asl_piece *x, const struct asl_plan *plan, int rank,
		    enum asl_operand which, int i)
{
	return matmul(plan)->owns(x, plan, rank, which, i);
}

/* ---- Grids ---- */

static void real_dims(double dim[3], const struct asl_plan *plan)
{
	uint64_t whole[3];

	asl_plan_dims(whole, plan);
	for (int i = 0; i < 3; i++)
		dim[i] = (double)whole[i];
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

	real_dims(dim, plan);
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

uint64_t asl_grid_flops(const struct asl_plan *plan)
{
	uint64_t flops = 2, dim[3];

	if (asl_plan_runs(plan)->matmul->flops)
		return asl_plan_runs(plan)->matmul->flops(plan);
	asl_plan_dims(dim, plan);
	for (int i = 0; i < 3; i++)
		flops *= asl_ceil_div(dim[i], (uint64_t)plan->grid.p[i]);
	return flops;
}
