/*
 * rotation_predict.c -- what travelling round a torus counts, in closed form
 *
 * Inside, a leaf of k is cut out of each of the q parts of k, of which the
 * longer come first, so all round the torus the larger of two neighbours is,
 * summed, what all of them are and one step up.  It goes round once for each
 * product; but the last time of each pass it does not come home.  Of a longer
 * part no leaf is shorter: so sums over leaves are those of the parts.
 */
#include "lib/outofcore/methods.h"

/* Lengths of the parts of k, and how many leaves of theirs are not empty. */
struct circle {
	uint64_t home, before; /* where it begins, and before that */
	uint64_t sum, up;      /* of all, and of the larger of neighbours */
	uint64_t leaves, leaves_before;
};

static struct circle circle(const struct asl_ooc_layout *l,
			    uint64_t (*leaves)(const struct asl_ooc_layout *l,
					       enum asl_operand lacking,
					       uint64_t length))
{
	uint64_t q = (uint64_t)l->q, longer = l->index[ASL_C].count % q;
	uint64_t high = asl_ooc_index(l, ASL_C, 0).count;
	uint64_t low = asl_ooc_index(l, ASL_C, l->q - 1).count;
	int before = (l->home + l->q - 1) % l->q;
	struct circle c = {
		.home = asl_ooc_index(l, ASL_C, l->home).count,
		.before = asl_ooc_index(l, ASL_C, before).count,
		.sum = l->index[ASL_C].count,
		.up = l->index[ASL_C].count + (high - low),
		.leaves = longer * leaves(l, ASL_C, high) +
			  (q - longer) * leaves(l, ASL_C, low),
	};

	c.leaves_before = leaves(l, ASL_C, c.before);
	return c;
}

/* `times` all round, but for the last of so many steps. */
struct journey {
	uint64_t times, spared;
	uint64_t length,
		many; /* of what is across k: in all, and of how many */
};

static void predict_journey(struct asl_counts *x, const struct circle *c,
			    const struct journey *j)
{
	uint64_t last = asl_larger(c->before, c->home);

	x->of[ASL_NET_SEND] +=
		j->length * (j->times * c->sum - j->spared * c->before);
	x->of[ASL_NET_RECV] +=
		j->length * (j->times * c->sum - j->spared * c->home);
	x->of[ASL_BH] += j->length * (j->times * c->up - j->spared * last);
	x->of[ASL_NET_MSGS] +=
		j->many * (j->times * c->leaves - j->spared * c->leaves_before);
}

/* A's rows, B's columns. */
static enum asl_operand across(enum asl_operand which)
{
	return which == ASL_A ? ASL_B : ASL_A;
}

static void predict_tiles(struct asl_counts *x, const struct asl_ooc_layout *l,
			  enum asl_operand which)
{
	uint64_t length = l->index[across(which)].count;
	struct circle c = circle(l, asl_ooc_filled);
	struct journey j = {
		.times = (uint64_t)l->leaves[which],
		.spared = (uint64_t)asl_ooc_passes(l, which),
		.length = length,
		.many = asl_ooc_filled(l, across(which), length),
	};

	if (l->q > 1)
		predict_journey(x, &c, &j);
}

void asl_ooc_rotation_inside_predict(struct asl_ledger *out,
				     const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	struct asl_counts *compute = &out->in[ASL_COMPUTE];

	for (int i = 0; i < ASL_OPERANDS; i++)
		out->pool_high += asl_ooc_owned(&l, i);
	for (int i = ASL_A; i <= ASL_B; i++) {
		asl_ooc_predict_fetched(compute,
					(uint64_t)asl_ooc_passes(&l, i) *
						asl_ooc_owned(&l, i));
		predict_tiles(&out->in[ASL_SHIFT], &l, i);
	}
	asl_ooc_predict_result(compute, &l, 1);
	asl_ooc_predict_products(compute, &l, false);
	out->memory_high = out->pool_high + asl_ooc_rooms(&l, l.q > 1) +
			   asl_ooc_cache_tile(&l, false);
}

/* ---- Outside ---- */

/* Parts of k are what travels, each in one message. */
static uint64_t one_if_any(const struct asl_ooc_layout *l,
			   enum asl_operand lacking, uint64_t length)
{
	(void)l;
	(void)lacking;
	return length > 0;
}

static void predict_blocks(struct asl_counts *x, const struct asl_ooc_layout *l,
			   enum asl_operand which)
{
	struct asl_counts here = {{0}};
	struct circle c = circle(l, one_if_any);
	uint64_t length = l->index[across(which)].count;
	struct journey j = {1, 1, length, length > 0};

	if (l->q == 1)
		return;
	predict_journey(&here, &c, &j);
	here.of[ASL_NVM_LIFT] = here.of[ASL_NET_SEND];
	here.of[ASL_NVM_LAND] = here.of[ASL_NET_RECV];
	asl_counts_add(x, &here);
}

/* Two rooms for each; one, if only one comes. */
static uint64_t blocks_rooms(const struct asl_ooc_layout *l)
{
	uint64_t across = l->index[ASL_A].count + l->index[ASL_B].count;
	uint64_t rooms = asl_least(2, (uint64_t)l->q - 1);

	return rooms * across * asl_ooc_index(l, ASL_C, 0).count;
}

void asl_ooc_rotation_outside_predict(struct asl_ledger *out,
				      const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	struct asl_counts *compute = &out->in[ASL_COMPUTE];

	for (int i = ASL_A; i <= ASL_B; i++) {
		asl_ooc_predict_operand(compute, &l, i);
		predict_blocks(&out->in[ASL_SHIFT], &l, i);
	}
	asl_ooc_predict_result(compute, &l, (uint64_t)l.q);
	asl_ooc_predict_products(compute, &l, false);
	out->pool_high = blocks_rooms(&l);
	for (int i = 0; i < ASL_OPERANDS; i++)
		out->pool_high += asl_ooc_owned(&l, i);
	out->memory_high = out->pool_high + asl_ooc_rooms(&l, false) +
			   asl_ooc_cache_tile(&l, false);
}
