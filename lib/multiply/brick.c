/*
 * brick.c -- gathering panels and multiplying them, and the counts of that
 */
#include "lib/multiply/brick.h"

#include <string.h>

/* The line through `rank` along one number of the grid. */
static struct asl_group line(const struct asl_grid *g, int rank, int axis)
{
	struct asl_group line = {.stride = 1, .size = g->p[axis]};

	for (int i = axis + 1; i < 3; i++)
		line.stride *= g->p[i];
	line.me = rank / line.stride % line.size;
	line.first = rank - line.me * line.stride;
	return line;
}

static int axis_of(const struct asl_plan *plan, char dimension)
{
	const char *axes = asl_plan_axes(plan);

	return (int)(strchr(axes, dimension) - axes);
}

struct asl_brick asl_brick(const struct asl_plan *plan, int rank)
{
	const struct asl_grid *g = &plan->grid;
	struct asl_brick x = {
		.along_m = line(g, rank, axis_of(plan, 'm')),
		.along_k = line(g, rank, axis_of(plan, 'k')),
		.along_n = line(g, rank, axis_of(plan, 'n')),
	};

	x.m = asl_part(plan->shape.m, x.along_m.size, x.along_m.me);
	x.k = asl_part(plan->shape.k, x.along_k.size, x.along_k.me);
	x.n = asl_part(plan->shape.n, x.along_n.size, x.along_n.me);
	return x;
}

static struct asl_range share(uint64_t words, const struct asl_group *g)
{
	return asl_share(words, g->size, g->me);
}

struct asl_piece asl_brick_block(const struct asl_brick *x,
				 enum asl_operand which)
{
	return asl_whole_piece(which == ASL_B ? x->k : x->m,
			       which == ASL_A ? x->k : x->n);
}

struct asl_piece asl_brick_share(const struct asl_brick *x,
				 enum asl_operand which)
{
	const struct asl_group *line = which == ASL_A	? &x->along_n
				       : which == ASL_B ? &x->along_m
							: &x->along_k;
	struct asl_piece piece = asl_brick_block(x, which);

	piece.words = share(piece.words.count, line);
	return piece;
}

void asl_brick_gather(struct asl_rank *r, const struct asl_group *line,
		      struct asl_words *panel, const struct asl_words *own)
{
	struct asl_range mine = share(panel->count, line);
	struct asl_words place = asl_slice(panel, mine.first, mine.count);

	asl_copy(r, &place, own);
	asl_allgather(r, line, panel);
}

static void gather(struct asl_rank *r, struct asl_words *panel,
		   enum asl_where where, const struct asl_words *own,
		   uint64_t words, const struct asl_group *line)
{
	*panel = *own;
	if (line->size == 1)
		return;
	asl_take(r, panel, where, words);
	asl_brick_gather(r, line, panel, own);
}

static enum asl_where panel_where(const struct asl_plan *plan,
				  const struct asl_group *line)
{
	return line->size > 1 ? plan->panels : ASL_POOL;
}

static struct asl_product product(const struct asl_plan *plan,
				  const struct asl_brick *x)
{
	return (struct asl_product){
		.m = x->m.count,
		.n = x->n.count,
		.k = x->k.count,
		.cache = plan->cache,
		.read_cost = plan->costs.read,
		.write_cost = plan->costs.write,
		.A = panel_where(plan, &x->along_n),
		.B = panel_where(plan, &x->along_m),
		.C = ASL_POOL,
	};
}

bool asl_brick_multiply(struct asl_rank *r, const struct asl_plan *plan,
			const struct asl_brick *x, struct asl_words *C,
			struct asl_words own[ASL_OPERANDS])
{
	struct asl_product local = product(plan, x);
	bool summand = x->along_k.size > 1;
	struct asl_words A, B;
	struct asl_block a, b, c;

	asl_phase(r, ASL_GATHER);
	gather(r, &A, plan->panels, &own[ASL_A], local.m * local.k,
	       &x->along_n);
	gather(r, &B, plan->panels, &own[ASL_B], local.k * local.n,
	       &x->along_m);

	asl_phase(r, ASL_COMPUTE);
	*C = own[ASL_C];
	if (summand)
		asl_take(r, C, ASL_POOL, local.m * local.n);
	a = asl_as_block(&A, local.m, local.k);
	b = asl_as_block(&B, local.k, local.n);
	c = asl_as_block(C, local.m, local.n);
	plan->kernel->run(r, &local, &c, &a, &b);

	if (x->along_m.size > 1)
		asl_give(r, &B);
	if (x->along_n.size > 1)
		asl_give(r, &A);
	return summand;
}

void asl_brick_predict_gather(struct asl_counts *counts, uint64_t words,
			      const struct asl_group *line,
			      enum asl_where panels)
{
	uint64_t own = share(words, line).count;

	if (line->size == 1)
		return;
	counts->of[ASL_NVM_LIFT] += own;
	counts->of[panels == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE] += own;
	asl_predict_allgather(counts, words, line->size, line->me, panels);
}

void asl_brick_predict(struct asl_ledger *out, const struct asl_plan *plan,
		       const struct asl_brick *x, uint64_t own,
		       uint64_t reducing)
{
	struct asl_product local = product(plan, x);
	uint64_t A = local.m * local.k, B = local.k * local.n;
	uint64_t panels =
		(x->along_n.size > 1 ? A : 0) + (x->along_m.size > 1 ? B : 0);
	uint64_t summand = x->along_k.size > 1 ? local.m * local.n : 0;
	uint64_t multiplying = panels + asl_kernel_room(plan->kernel, &local);

	asl_brick_predict_gather(&out->in[ASL_GATHER], A, &x->along_n,
				 plan->panels);
	asl_brick_predict_gather(&out->in[ASL_GATHER], B, &x->along_m,
				 plan->panels);
	asl_kernel_predict(plan->kernel, &out->in[ASL_COMPUTE], &local);

	out->memory_high = own + summand +
			   (multiplying > reducing ? multiplying : reducing);
	out->pool_high =
		own + summand + (plan->panels == ASL_POOL ? panels : 0);
}
