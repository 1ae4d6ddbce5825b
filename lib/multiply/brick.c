/*
 * brick.c -- gathering panels and multiplying them, and the counts of that
 */
#include "lib/multiply/brick.h"

#include <string.h>

#include "lib/rank/resume.h"

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

	x.m = asl_part(asl_shape_of(plan)->m, x.along_m.size, x.along_m.me);
	x.k = asl_part(asl_shape_of(plan)->k, x.along_k.size, x.along_k.me);
	x.n = asl_part(asl_shape_of(plan)->n, x.along_n.size, x.along_n.me);
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

struct asl_words asl_brick_around(const struct asl_words *own, uint64_t words,
				  const struct asl_group *line)
{
	uint64_t before = share(words, line).first;

	return (struct asl_words){
		own->where, own->type, words,
		asl_type_at(own->type, own->at, -(int64_t)before)};
}

struct asl_words asl_brick_take(struct asl_rank *r, const struct asl_plan *plan,
				const struct asl_group *line,
				const struct asl_words *own, uint64_t words)
{
	struct asl_words panel = asl_brick_around(own, words, line);

	if (line->size > 1 && plan->panels != ASL_POOL) {
		asl_take(r, &panel, plan->panels, words);
		asl_brick_gather(r, line, &panel, own);
	} else {
		asl_allgather(r, line, &panel);
	}
	return panel;
}

void asl_brick_give(struct asl_rank *r, const struct asl_plan *plan,
		    const struct asl_group *line, struct asl_words *panel)
{
	if (line->size > 1 && plan->panels != ASL_POOL)
		asl_give(r, panel);
}

void asl_brick_save(struct asl_rank *r, const struct asl_words *x)
{
	struct asl_block block = asl_as_block(x, 1, x->count);

	asl_mark_save(r, &block);
}

void asl_brick_sum(struct asl_rank *r, const struct asl_group *line, int root,
		   struct asl_words *C)
{
	if (line->size == 1)
		return;
	asl_mark_epoch(r, NULL, 0);
	asl_phase(r, ASL_REDUCE);
	if (line->me == root)
		asl_brick_save(r, C);
	asl_reduce(r, line, root, C, C);
	if (line->me != root)
		asl_give(r, C);
}

static struct asl_product product(const struct asl_plan *plan,
				  const struct asl_brick *x)
{
	return asl_plan_product(plan, x->m.count, x->n.count, x->k.count,
				asl_brick_where(plan, &x->along_n),
				asl_brick_where(plan, &x->along_m));
}

void asl_brick_multiply(struct asl_rank *r, const struct asl_plan *plan,
			const struct asl_brick *x, const struct asl_words *C,
			const struct asl_words own[ASL_OPERANDS])
{
	struct asl_product local = product(plan, x);
	struct asl_words A, B;
	struct asl_block a, b, c;

	asl_phase(r, ASL_GATHER);
	A = asl_brick_take(r, plan, &x->along_n, &own[ASL_A],
			   local.m * local.k);
	B = asl_brick_take(r, plan, &x->along_m, &own[ASL_B],
			   local.k * local.n);

	asl_phase(r, ASL_COMPUTE);
	a = asl_as_block(&A, local.m, local.k);
	b = asl_as_block(&B, local.k, local.n);
	c = asl_as_block(C, local.m, local.n);
	plan->kernel->run(r, &local, &c, &a, &b);

	asl_brick_give(r, plan, &x->along_m, &B);
	asl_brick_give(r, plan, &x->along_n, &A);
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

void asl_brick_predict_take(struct asl_counts *counts,
			    const struct asl_plan *plan, uint64_t words,
			    const struct asl_group *line)
{
	if (plan->panels == ASL_POOL)
		asl_predict_allgather(counts, words, line->size, line->me,
				      ASL_POOL);
	else
		asl_brick_predict_gather(counts, words, line, plan->panels);
}

void asl_brick_predict(struct asl_ledger *out, const struct asl_plan *plan,
		       const struct asl_brick *x, uint64_t reducing)
{
	struct asl_product local = product(plan, x);
	uint64_t A = local.m * local.k, B = local.k * local.n;
	uint64_t C = local.m * local.n, panels = 0;

	asl_brick_predict_take(&out->in[ASL_GATHER], plan, A, &x->along_n);
	asl_brick_predict_take(&out->in[ASL_GATHER], plan, B, &x->along_m);
	asl_kernel_predict(plan->kernel, &out->in[ASL_COMPUTE], &local);

	out->pool_high = A + B + C;
	if (plan->panels != ASL_POOL) {
		out->pool_high = share(A, &x->along_n).count +
				 share(B, &x->along_m).count + C;
		panels = (x->along_n.size > 1 ? A : 0) +
			 (x->along_m.size > 1 ? B : 0);
	}
	out->memory_high = out->pool_high + asl_max(panels, reducing);
}

/*
 * Lower bounds
 *
 * Rank 0 owns floor or ceil(W/p) of W words in p shares.  Around a ring and by
 * doubling alike its B_h is W - floor(W/p) or more, which grows with p.  What it
 * sends and receives by doubling is rounded down at each of log2 p steps, p up
 * to 2^30; then W less a share is too much by a word a step.
 */

enum { STEPS = 31 };

static struct asl_span span(const struct asl_plan *plan,
			    const struct asl_box *box, char dimension)
{
	int i = axis_of(plan, dimension);

	return (struct asl_span){(uint64_t)box->low[i], (uint64_t)box->high[i]};
}

/* a x b words cut by p and q, where there are ranks for no more than `most`. */
static uint64_t face(uint64_t a, const struct asl_span *p, uint64_t b,
		     const struct asl_span *q, uint64_t most)
{
	uint64_t parts = asl_min(p->high * q->high, most);

	return asl_max(asl_ceil_div(a, p->high) * asl_ceil_div(b, q->high),
		       asl_ceil_div(a * b, parts));
}

/* Where rank 0 has the words of a panel: in place on a line of one. */
static enum asl_where where_at_least(const struct asl_plan *plan,
				     const struct asl_span *line)
{
	return line->high > 1 ? plan->panels : ASL_POOL;
}

struct asl_brick_bound asl_brick_bound(const struct asl_plan *plan,
				       const struct asl_box *box)
{
	const struct asl_shape *s = asl_shape_of(plan);
	uint64_t P = (uint64_t)plan->ranks;
	struct asl_brick_bound x = {
		.pm = span(plan, box, 'm'),
		.pn = span(plan, box, 'n'),
		.pk = span(plan, box, 'k'),
	};
	struct asl_products *of = &x.of;

	of->x = asl_plan_product(
		plan, asl_ceil_div(s->m, x.pm.high),
		asl_ceil_div(s->n, x.pn.high), asl_ceil_div(s->k, x.pk.high),
		where_at_least(plan, &x.pn), where_at_least(plan, &x.pm));
	of->A = face(s->m, &x.pm, s->k, &x.pk, P / x.pn.low);
	of->B = face(s->k, &x.pk, s->n, &x.pn, P / x.pm.low);
	of->C = face(s->m, &x.pm, s->n, &x.pn, P / x.pk.low);
	of->volume = asl_max(of->x.m * of->x.n * of->x.k,
			     asl_ceil_div(s->m * s->n * s->k, P));
	of->passes = 1;
	of->deep = of->x.k;
	return x;
}

/* p - 1 around a ring, log2 p by doubling. */
uint64_t asl_lower_bound_messages(const struct asl_span *line)
{
	uint64_t power = 1, steps = 0;

	for (; power < line->low; power *= 2)
		steps++;
	return power <= line->high ? asl_min(steps, line->low - 1)
				   : line->low - 1;
}

/* a - b, or 0 */
static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t others(uint64_t W, const struct asl_span *line)
{
	return less(W, asl_ceil_div(W, line->low));
}

void asl_lower_bound_line(struct asl_counts *x, uint64_t W,
			  const struct asl_span *line)
{
	if (line->high == 1)
		return;
	x->of[ASL_BH] += W - W / line->low;
	x->of[ASL_NET_MSGS] += asl_lower_bound_messages(line);
}

/* A panel of W words or more, owned in shares along a line. */
static void gather_at_least(struct asl_counts *x, uint64_t W,
			    const struct asl_span *line, enum asl_where panels)
{
	if (line->high == 1)
		return;
	asl_lower_bound_line(x, W, line);
	if (panels == ASL_POOL) {
		x->of[ASL_NVM_LIFT] += less(others(W, line), STEPS);
		x->of[ASL_NVM_LAND] += others(W, line);
	} else {
		x->of[ASL_NVM_LIFT] += W / line->high;
		x->of[ASL_BOUNCE_WRITE] += W / line->high;
	}
}

bool asl_has_power_of_two(const struct asl_span *x)
{
	uint64_t power = 1;

	while (power < x->low)
		power *= 2;
	return power <= x->high;
}

/* Into the pool, where a share may be in place, all others land and are lifted. */
void asl_lower_bound_gather_blocks(struct asl_counts *counts, uint64_t W,
				   const struct asl_span *line,
				   enum asl_where panels)
{
	uint64_t own = W / line->high;

	asl_lower_bound_line(counts, W, line);
	if (line->high == 1)
		return;
	if (panels == ASL_POOL)
		counts->of[ASL_NVM_LAND] += others(W, line);
	if (asl_has_power_of_two(line))
		return;
	counts->of[ASL_NVM_LIFT] += panels == ASL_POOL ? others(W, line) : own;
	if (panels != ASL_POOL)
		counts->of[ASL_BOUNCE_WRITE] += own;
}

void asl_lower_bound_reduce_scatter(struct asl_counts *x, uint64_t W,
				    const struct asl_span *line)
{
	uint64_t received = less(others(W, line), STEPS);

	if (line->high == 1)
		return;
	asl_lower_bound_line(x, W, line);
	/* Every word of the summand is taken once. */
	x->of[ASL_NVM_LIFT] += W;
	x->of[ASL_BOUNCE_READ] += received;
	x->of[ASL_BOUNCE_WRITE] += less(received, asl_ceil_div(W, line->low));
	x->of[ASL_NVM_LAND] += W / line->high;
}

void asl_lower_bound_reduce(struct asl_counts *x, uint64_t W,
			    const struct asl_span *line)
{
	if (line->high == 1)
		return;
	asl_lower_bound_reduce_scatter(x, W, line);
	x->of[ASL_BH] += others(W, line);
	x->of[ASL_NVM_LAND] += others(W, line);
}

void asl_lower_bound_brick(struct asl_lower_bound *least,
			   const struct asl_plan *plan,
			   const struct asl_brick_bound *x,
			   const struct asl_rates *rates)
{
	const struct asl_products *of = &x->of;

	gather_at_least(&least->counts, of->A, &x->pn, plan->panels);
	gather_at_least(&least->counts, of->B, &x->pm, plan->panels);
	plan->kernel->lower_bound(&least->counts, of, rates);
	least->memory += of->A + of->B + of->C;
	if (plan->panels != ASL_POOL)
		least->memory += (x->pn.low > 1 ? of->A / x->pn.high : 0) +
				 (x->pm.low > 1 ? of->B / x->pm.high : 0);
}
