/*
 * fused_floor.c -- what fused counts at least, on any grid of a box
 *
 * Its tiles read no less than those of `tight`, which has the choice of all, and
 * gathering or reducing in pieces moves no fewer words.  Where p2 is no power of
 * two rank 0 has the larger shares of all tiles, rounded up; else what it stores
 * of them is left open.
 */
#include "lib/multiply/floor.h"
#include "lib/multiply/fused.h"

static bool has_power_of_two(const struct asl_span *x)
{
	uint64_t power = 1;

	while (power < x->low)
		power *= 2;
	return power <= x->high;
}

/* Of W words, in pieces, along a line of p ranks. */
static void floor_line(struct asl_counts *counts, uint64_t W,
		       const struct asl_span *line)
{
	if (line->high == 1)
		return;
	counts->of[ASL_BH] += W - W / line->low;
	counts->of[ASL_NET_MSGS] += asl_floor_messages(line);
}

/* In the pool every word lands; it is lifted, too, where shares are rounded up. */
static void floor_gather(struct asl_counts *counts, uint64_t W,
			 const struct asl_span *line, enum asl_where panels)
{
	uint64_t lifted = panels == ASL_POOL ? W : W / line->high;

	floor_line(counts, W, line);
	if (line->high == 1)
		return;
	if (panels == ASL_POOL)
		counts->of[ASL_NVM_LAND] += W;
	if (has_power_of_two(line))
		return;
	counts->of[ASL_NVM_LIFT] += lifted;
	if (panels != ASL_POOL)
		counts->of[ASL_BOUNCE_WRITE] += lifted;
}

/*
 * Where neither panel fits into the budget, there are as many bands as it takes
 * to hold the one, and the other is gathered once for each.
 */
static void floor_bands(struct asl_counts *counts, const struct asl_plan *plan,
			const struct asl_brick_floor *x)
{
	double A = (double)x->of.A, B = (double)x->of.B;
	double budget = (double)plan->budget, hold_A, hold_B;

	if (!plan->budget || x->pn.high == 1 || x->pm.high == 1 ||
	    A <= budget || B <= budget)
		return;
	hold_A = (A / budget - 1) * B * (1 - 1 / (double)x->pm.low);
	hold_B = (B / budget - 1) * A * (1 - 1 / (double)x->pn.low);
	counts->of[ASL_BH] +=
		(uint64_t)((1 - 1e-9) * (hold_A < hold_B ? hold_A : hold_B));
}

/* What is owned of a panel in shares, and a row of it, to begin with. */
static uint64_t held(uint64_t W, uint64_t row, const struct asl_span *line)
{
	if (line->high == 1)
		return W;
	return (has_power_of_two(line) ? 0 : W / line->high) + row;
}

void asl_fused_floor(struct asl_least *least, const struct asl_plan *plan,
		     const struct asl_box *box, const struct asl_rates *rates)
{
	struct asl_brick_floor x = asl_brick_floor(plan, box);
	struct asl_counts *counts = &least->counts;
	uint64_t A = x.of.A, B = x.of.B, C = x.of.C;
	uint64_t stores = has_power_of_two(&x.pk) ? 0 : C / x.pk.high;

	floor_gather(counts, A, &x.pn, plan->panels);
	floor_gather(counts, B, &x.pm, plan->panels);
	floor_bands(counts, plan, &x);
	floor_line(counts, C, &x.pk);
	if (x.pk.high > 1 && !has_power_of_two(&x.pk))
		counts->of[ASL_BOUNCE_READ] += C - C / x.pk.low;
	x.of.C = x.pk.high == 1 ? C : stores;
	asl_kernel_find("tight")->floor(counts, &x.of, rates);
	least->memory +=
		held(A, x.of.x.k, &x.pn) + held(B, x.of.x.k, &x.pm) + x.of.C;
}
