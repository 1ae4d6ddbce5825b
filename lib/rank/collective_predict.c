/*
 * collective_predict.c -- counts of each collective, in closed form
 *
 * Independent of collective.c on purpose: no buffers and no peers here.  Around
 * a ring the larger of two neighbouring parts, summed over all p pairs, is W,
 * or W + 1 when the parts differ (the larger ones come first: two pairs are
 * unlike); a ring of p - 1 steps leaves out one pair, a different one for
 * allgather and for reduce_scatter.  By doubling and halving a member meets, for
 * every 2^x up to p, the two halves of its run of p / 2^x parts.
 */
#include "lib/base/parts.h"
#include "lib/rank/collective.h"

static uint64_t q(uint64_t W, int p, int i)
{
	return asl_share(W, p, i).count;
}

/* B_h of a ring that leaves out the pair of parts i and i + 1. */
static uint64_t ring_bh(uint64_t W, int p, int i)
{
	return W + (W % (uint64_t)p != 0) - asl_max(q(W, p, i), q(W, p, i + 1));
}

/* Over all cuts into 2, 4, ..., p runs: this member's runs, and their twins. */
struct halves {
	uint64_t own, twin, larger, cuts;
};

static struct halves halves(uint64_t W, int p, int j)
{
	int last = __builtin_ctz((unsigned)p);
	struct halves h = {.cuts = (uint64_t)last};
	uint64_t first = 0, end = W;

	/* Run i of 2^x begins with word floor(i W / 2^x). */
	for (int x = 1; x <= last; x++) {
		uint64_t run = (uint64_t)j >> (last - x), odd = run | 1;
		uint64_t less = W & ((1ull << x) - 1);
		uint64_t middle = (W >> x) * odd + (less * odd >> x);
		uint64_t low = middle - first, high = end - middle;

		h.own += run & 1 ? high : low;
		h.twin += run & 1 ? low : high;
		h.larger += asl_max(low, high);
		*(run & 1 ? &first : &end) = middle;
	}
	return h;
}

static void add_lift(struct asl_counts *x, enum asl_where where, uint64_t n)
{
	x->of[where == ASL_POOL ? ASL_NVM_LIFT : ASL_BOUNCE_READ] += n;
}

static void add_land(struct asl_counts *x, enum asl_where where, uint64_t n)
{
	x->of[where == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE] += n;
}

void asl_predict_allgather(struct asl_counts *x, uint64_t W, int p, int j,
			   enum asl_where all)
{
	uint64_t sent = W - q(W, p, j + 1), received = W - q(W, p, j);
	struct halves h;

	if (p == 1 || !W)
		return;
	if (asl_is_power_of_two(p)) {
		h = halves(W, p, j);
		sent = h.own;
		asl_counts_add_net(x, sent, received, h.larger, h.cuts);
	} else {
		asl_counts_add_net(x, sent, received, ring_bh(W, p, j),
				   (uint64_t)p - 1);
	}
	if (all == ASL_POOL) {
		x->of[ASL_NVM_LIFT] += sent;
		x->of[ASL_NVM_LAND] += received;
	}
}

/* Add the messages; returns the words that arrive. */
static uint64_t predict_scattering(struct asl_counts *x, uint64_t W, int p,
				   int j)
{
	uint64_t received;
	struct halves h;

	if (asl_is_power_of_two(p)) {
		h = halves(W, p, j);
		asl_counts_add_net(x, h.twin, h.own, h.larger, h.cuts);
		return h.own;
	}
	received = W - q(W, p, j - 1);
	asl_counts_add_net(x, W - q(W, p, j), received, ring_bh(W, p, j - 1),
			   (uint64_t)p - 1);
	return received;
}

/*
 * Words that arrive are added to words that are kept.  The first message out
 * comes straight from `whole`; so does the first half that is kept by halving,
 * and every part that is kept around a ring.
 */
void asl_predict_reduce_scatter(struct asl_counts *x, uint64_t W, int p, int j,
				enum asl_where mine, enum asl_where whole)
{
	uint64_t own = q(W, p, j), received, first_out, from_whole;

	if (p == 1 || !W)
		return;
	received = predict_scattering(x, W, p, j);
	first_out = q(W, p, j - 1);
	if (asl_is_power_of_two(p))
		first_out = W - q(W, 2, j >= p / 2);
	from_whole = W - first_out;
	if (whole == ASL_POOL)
		x->of[ASL_NVM_LIFT] += first_out;
	add_lift(x, whole, from_whole);
	x->of[ASL_BOUNCE_READ] += received + (received - from_whole);
	x->of[ASL_BOUNCE_WRITE] += received - own;
	add_land(x, mine, own);
}

/* Kept words stay in the cache: only words that arrive are read in DRAM. */
void asl_predict_reduce_scatter_tile(struct asl_counts *x, uint64_t W, int p,
				     int j, enum asl_where mine)
{
	if (p > 1 && W)
		x->of[ASL_BOUNCE_READ] += predict_scattering(x, W, p, j);
	x->of[mine == ASL_POOL ? ASL_NVM_WRITE : ASL_DRAM_WRITE] += q(W, p, j);
}

/* The first half that arrives is the largest; around a ring the first part. */
uint64_t asl_reduce_scatter_tile_scratch(uint64_t W, int p, int j)
{
	if (p == 1 || !W)
		return 0;
	return asl_is_power_of_two(p) ? q(W, 2, j >= p / 2) : q(W, p, 0);
}

uint64_t asl_reduce_scatter_scratch(uint64_t W, int p, int j)
{
	if (p == 1 || !W)
		return 0;
	if (!asl_is_power_of_two(p))
		return 2 * q(W, p, 0);
	return q(W, 2, j >= p / 2) +
	       (p > 2 ? q(W, 4, (int)((int64_t)j * 4 / p)) : 0);
}

void asl_predict_gather(struct asl_counts *x, uint64_t W, int p, int j,
			int root, enum asl_where all, enum asl_where mine)
{
	uint64_t own = q(W, p, j);

	if (j == root) {
		asl_counts_add_net(x, 0, W - own, W - own, 0);
		if (all == ASL_POOL)
			x->of[ASL_NVM_LAND] += W - own;
	} else if (own) {
		asl_counts_add_net(x, own, 0, own, 1);
		if (mine == ASL_POOL)
			x->of[ASL_NVM_LIFT] += own;
	}
}

void asl_predict_scatter(struct asl_counts *x, uint64_t W, int p, int j,
			 int root, enum asl_where mine, enum asl_where all)
{
	uint64_t own = q(W, p, j), others = W < (uint64_t)p ? W : (uint64_t)p;

	if (j == root) {
		asl_counts_add_net(x, W - own, 0, W - own, others - (own != 0));
		if (all == ASL_POOL)
			x->of[ASL_NVM_LIFT] += W - own;
	} else {
		asl_counts_add_net(x, 0, own, own, 0);
		if (mine == ASL_POOL)
			x->of[ASL_NVM_LAND] += own;
	}
}

void asl_predict_broadcast(struct asl_counts *x, uint64_t W, int p, int j,
			   int root, enum asl_where all)
{
	asl_predict_scatter(x, W, p, j, root, all, all);
	asl_predict_allgather(x, W, p, j, all);
}

void asl_predict_reduce(struct asl_counts *x, uint64_t W, int p, int j,
			int root, enum asl_where sum, enum asl_where whole)
{
	enum asl_where mine = j == root ? sum : ASL_DRAM;

	if (p == 1 || !W)
		return;
	asl_predict_reduce_scatter(x, W, p, j, mine, whole);
	asl_predict_gather(x, W, p, j, root, sum, ASL_DRAM);
}

/* A member beyond the power of two sends and receives once, and so does its twin. */
void asl_predict_sum_few(struct asl_counts *x, uint64_t W, int p, int j)
{
	uint64_t steps = 0, adds;
	bool beyond, twice;

	while (2 << steps <= p)
		steps++;
	beyond = j >> steps;
	twice = j + (1 << steps) < p;
	steps = beyond ? 0 : steps;
	adds = steps + twice;
	if (!W)
		return;
	asl_counts_add_net(x, steps * W, steps * W, steps * W, steps);
	if (beyond || twice)
		asl_counts_add_net(x, W, W, 2 * W, 1);
	x->of[ASL_BOUNCE_READ] += 2 * adds * W;
	x->of[ASL_BOUNCE_WRITE] += adds * W;
}

uint64_t asl_reduce_scratch(uint64_t W, int p, int j, int root)
{
	uint64_t scratch = asl_reduce_scatter_scratch(W, p, j);

	if (p == 1 || !W)
		return 0;
	return j == root ? scratch : scratch + q(W, p, j);
}
