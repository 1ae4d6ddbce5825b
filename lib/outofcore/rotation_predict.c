/*
 * rotation_predict.c -- what travelling round a torus counts, in closed form
 *
 * Inside, a leaf of k is cut out of each of the q parts of k, of which the
 * longer come first, so all round the torus the larger of two neighbours is,
 * summed, what all of them are and one step up.  It goes round once for each
 * product; but the last time of each pass it does not come home.
 */
#include "lib/outofcore/methods.h"

/* Lengths of a leaf of k, cut out of every part of k. */
struct circle {
	uint64_t home, before; /* where it begins, and before that */
	uint64_t sum, up;      /* of all, and of the larger of neighbours */
	uint64_t filled;       /* how many are not empty */
};

static struct circle circle(const struct asl_ooc_layout *l, uint64_t high,
			    uint64_t low, uint64_t home, uint64_t before)
{
	uint64_t q = (uint64_t)l->q, longer = l->index[ASL_C].count % q;
	struct circle c = {.home = home, .before = before};

	c.sum = longer * high + (q - longer) * low;
	c.up = c.sum + (high - low);
	c.filled = (high ? longer : 0) + (low ? q - longer : 0);
	return c;
}

static int before(const struct asl_ooc_layout *l)
{
	return (l->home + l->q - 1) % l->q;
}

static struct circle circle_of_leaf(const struct asl_ooc_layout *l, int leaf)
{
	return circle(l, asl_ooc_leaf(l, ASL_C, 0, leaf).count,
		      asl_ooc_leaf(l, ASL_C, l->q - 1, leaf).count,
		      asl_ooc_leaf(l, ASL_C, l->home, leaf).count,
		      asl_ooc_leaf(l, ASL_C, before(l), leaf).count);
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
		j->many * (j->times * c->filled - j->spared * (c->before > 0));
}

/* A's rows, B's columns. */
static enum asl_operand across(enum asl_operand which)
{
	return which == ASL_A ? ASL_B : ASL_A;
}

static void predict_tiles(struct asl_counts *x, const struct asl_ooc_layout *l,
			  enum asl_operand which)
{
	struct journey j = {
		.times = (uint64_t)l->leaves[which],
		.spared = (uint64_t)asl_ooc_passes(l, which),
		.length = l->index[across(which)].count,
		.many = asl_ooc_filled(l, across(which)),
	};

	for (int i = 0; l->q > 1 && i < l->leaves[ASL_C]; i++) {
		struct circle c = circle_of_leaf(l, i);

		predict_journey(x, &c, &j);
	}
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

/* Parts of k are what travels; a block is one message. */
static void predict_blocks(struct asl_counts *x, const struct asl_ooc_layout *l,
			   enum asl_operand which)
{
	struct asl_counts here = {{0}};
	struct circle c = circle(l, asl_ooc_index(l, ASL_C, 0).count,
				 asl_ooc_index(l, ASL_C, l->q - 1).count,
				 asl_ooc_index(l, ASL_C, l->home).count,
				 asl_ooc_index(l, ASL_C, before(l)).count);
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
