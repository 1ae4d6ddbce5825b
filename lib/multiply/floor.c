/*
 * floor.c -- the least that bricks, panels and sums can cost on a box of grids
 *
 * Of W words in p shares rank 0 owns floor or ceil(W/p).  Around a ring and by
 * doubling alike its B_h is W - floor(W/p) or more, which grows with p.  What it
 * sends and receives by doubling is rounded down at each of log2 p steps, p up
 * to 2^30; then W less a share is too much by a word a step.
 */
#include "lib/multiply/floor.h"

#include "lib/base/parts.h"

enum { STEPS = 31 };

static struct asl_span span(const struct asl_plan *plan,
			    const struct asl_box *box, char dimension)
{
	const char *axes = asl_plan_axes(plan);
	int i = axes[0] == dimension ? 0 : axes[1] == dimension ? 1 : 2;

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

struct asl_brick_floor asl_brick_floor(const struct asl_plan *plan,
				       const struct asl_box *box)
{
	const struct asl_shape *s = &plan->shape;
	uint64_t P = (uint64_t)plan->ranks;
	struct asl_brick_floor x = {
		.pm = span(plan, box, 'm'),
		.pn = span(plan, box, 'n'),
		.pk = span(plan, box, 'k'),
	};
	struct asl_products *of = &x.of;

	of->x = (struct asl_product){
		.m = asl_ceil_div(s->m, x.pm.high),
		.n = asl_ceil_div(s->n, x.pn.high),
		.k = asl_ceil_div(s->k, x.pk.high),
		.cache = plan->cache,
		.read_cost = plan->costs.read,
		.write_cost = plan->costs.write,
		.A = asl_lower_bound_where(plan, &x.pn),
		.B = asl_lower_bound_where(plan, &x.pm),
		.C = ASL_POOL,
	};
	of->A = face(s->m, &x.pm, s->k, &x.pk, P / x.pn.low);
	of->B = face(s->k, &x.pk, s->n, &x.pn, P / x.pm.low);
	of->C = face(s->m, &x.pm, s->n, &x.pn, P / x.pk.low);
	of->volume = asl_max(of->x.m * of->x.n * of->x.k,
			     asl_ceil_div(s->m * s->n * s->k, P));
	of->passes = 1;
	of->deep = of->x.k;
	return x;
}

enum asl_where asl_lower_bound_where(const struct asl_plan *plan,
				     const struct asl_span *line)
{
	return line->high > 1 ? plan->panels : ASL_POOL;
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

static void floor_net(struct asl_counts *x, uint64_t W,
		      const struct asl_span *line)
{
	x->of[ASL_BH] += W - W / line->low;
	x->of[ASL_NET_MSGS] += asl_lower_bound_messages(line);
}

void asl_lower_bound_gather(struct asl_counts *x, uint64_t W,
			    const struct asl_span *line, enum asl_where panels)
{
	uint64_t own = W / line->high;

	if (line->high == 1)
		return;
	floor_net(x, W, line);
	x->of[ASL_NVM_LIFT] += own;
	x->of[panels == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE] += own;
	/* Own words are copied there, all others received. */
	if (panels == ASL_POOL) {
		x->of[ASL_NVM_LIFT] += less(others(W, line), STEPS);
		x->of[ASL_NVM_LAND] += W - own;
	}
}

void asl_lower_bound_reduce_scatter(struct asl_counts *x, uint64_t W,
				    const struct asl_span *line)
{
	uint64_t received = less(others(W, line), STEPS);

	if (line->high == 1)
		return;
	floor_net(x, W, line);
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
			   const struct asl_brick_floor *x,
			   const struct asl_rates *rates)
{
	const struct asl_products *of = &x->of;

	asl_lower_bound_gather(&least->counts, of->A, &x->pn, plan->panels);
	asl_lower_bound_gather(&least->counts, of->B, &x->pm, plan->panels);
	plan->kernel->lower_bound(&least->counts, of, rates);
	least->memory += of->A / x->pn.high + of->B / x->pm.high +
			 (x->pn.low > 1 ? of->A : 0) +
			 (x->pm.low > 1 ? of->B : 0) +
			 (x->pk.low > 1 ? of->C : 0);
}
