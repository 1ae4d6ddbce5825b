/*
 * collective.c -- collectives as sequences of the rank's verbs
 *
 * Recursive doubling and halving when the group is a power of two, a ring
 * else.  Both move the same number of words.
 */
#include "lib/rank/collective.h"

#include "lib/base/parts.h"

/* Part i of the cut of x into `parts`. */
static struct asl_words share(const struct asl_words *x, int parts, int i)
{
	struct asl_range q = asl_share(x->count, parts, i);

	return asl_slice(x, q.first, q.count);
}

/* The member `by` places further around the ring. */
static int neighbour(const struct asl_group *g, int by)
{
	return asl_member(g, (g->me + by + g->size) % g->size);
}

/* ---- allgather ---- */

/* Members hold twice as much after each step: the aligned run they are in. */
static void allgather_doubling(struct asl_rank *r, const struct asl_group *g,
			       struct asl_words *all)
{
	for (int have = 1; have < g->size; have *= 2) {
		int peer = asl_member(g, g->me ^ have);
		int runs = g->size / have, run = g->me / have;
		struct asl_words out = share(all, runs, run);
		struct asl_words in = share(all, runs, run ^ 1);

		asl_exchange(r, peer, &out, peer, &in);
	}
}

void asl_allgather(struct asl_rank *r, const struct asl_group *g,
		   struct asl_words *all)
{
	if (g->size == 1 || !all->count)
		return;
	if (asl_is_power_of_two(g->size))
		allgather_doubling(r, g, all);
	else
		asl_pass_round(r, g, all);
}

/* ---- reduce_scatter ---- */

/*
 * Partners swap halves of the part that they still share, and add.  `whole`
 * usually lies in the pool, where a sum would cost a write: so it is only read,
 * sums are formed in DRAM, and the last one in `mine`.  Without `mine` sums are
 * formed in `whole`.
 */
static void reduce_scatter_halving(struct asl_rank *r,
				   const struct asl_group *g,
				   struct asl_words *mine,
				   const struct asl_words *whole)
{
	struct asl_words part = *whole, scratch[2] = {{0}, {0}};
	int buffers = mine ? 2 : 1;

	for (int runs = 2, s = 0; runs <= g->size; runs *= 2, s++) {
		int run = g->me / (g->size / runs);
		int peer = asl_member(g, g->me ^ (g->size / runs));
		/* Both in whole's numbering, both within the part so far. */
		struct asl_range k = asl_share(whole->count, runs, run);
		struct asl_range o = asl_share(whole->count, runs, run ^ 1);
		bool upper = run & 1;
		struct asl_words keep =
			asl_slice(&part, upper ? o.count : 0, k.count);
		struct asl_words give =
			asl_slice(&part, upper ? 0 : k.count, o.count);
		struct asl_words in, *sum;

		/* The sum of the step before lies in the other scratch. */
		if (s < buffers)
			asl_take(r, &scratch[s], ASL_DRAM, k.count);
		in = asl_slice(&scratch[s % buffers], 0, k.count);
		asl_exchange(r, peer, &give, peer, &in);
		sum = !mine ? &keep : runs == g->size ? mine : &in;
		asl_add(r, sum, &in, &keep);
		part = *sum;
	}
	asl_give(r, &scratch[1]);
	asl_give(r, &scratch[0]);
}

/* A sum travels once around the ring; every member adds its contribution. */
struct summing {
	const struct asl_group *g;
	struct asl_words *mine;
	const struct asl_words *whole;
	int buffers;
	struct asl_words scratch[2], out, in, own; /* of this step */
};

static void pass_sum(struct asl_rank *r, int step, struct asl_step *x,
		     void *arg)
{
	struct summing *p = arg;

	(void)r;
	p->own = share(p->whole, p->g->size, p->g->me - 2 - step);
	p->in = asl_slice(&p->scratch[step % p->buffers], 0, p->own.count);
	x->to = neighbour(p->g, 1);
	x->from = neighbour(p->g, -1);
	x->out = p->out;
	x->in = p->in;
}

static void add_own(struct asl_rank *r, int step, void *arg)
{
	struct summing *p = arg;
	struct asl_words *sum = !p->mine		 ? &p->own
				: step == p->g->size - 2 ? p->mine
							 : &p->in;

	asl_add(r, sum, &p->in, &p->own);
	p->out = *sum;
}

static void reduce_scatter_ring(struct asl_rank *r, const struct asl_group *g,
				struct asl_words *mine,
				const struct asl_words *whole)
{
	struct summing p = {
		.g = g,
		.mine = mine,
		.whole = whole,
		.buffers = mine ? 2 : 1,
		.out = share(whole, g->size, g->me - 1),
	};
	struct asl_exchanges x = {
		.steps = g->size - 1,
		.before = pass_sum,
		.after = add_own,
		.arg = &p,
	};

	for (int i = 0; i < p.buffers; i++)
		asl_take(r, &p.scratch[i], ASL_DRAM,
			 asl_share(whole->count, g->size, 0).count);
	asl_exchange_all(r, g, &x);
	asl_give(r, &p.scratch[1]);
	asl_give(r, &p.scratch[0]);
}

void asl_reduce_scatter(struct asl_rank *r, const struct asl_group *g,
			struct asl_words *mine, const struct asl_words *whole)
{
	if (g->size == 1 || !whole->count)
		return;
	if (asl_is_power_of_two(g->size))
		reduce_scatter_halving(r, g, mine, whole);
	else
		reduce_scatter_ring(r, g, mine, whole);
}

void asl_begin_sum(const struct asl_rank *r, const struct asl_group *g,
		   const struct asl_words *mine, struct asl_tile *tile,
		   uint64_t rows, uint64_t cols)
{
	struct asl_block block;

	if (g->size > 1) {
		asl_tile_zero(tile, rows, cols);
		return;
	}
	block = asl_as_block(mine, rows, cols);
	asl_tile_begin(r, tile, &block);
}

/* Store the tile, or the part of it that is this member's. */
static void store_sum(struct asl_rank *r, const struct asl_words *mine,
		      const struct asl_tile *tile)
{
	struct asl_block to = asl_as_block(mine, tile->rows, tile->cols);

	asl_tile_store(r, &to, tile);
}

void asl_reduce_scatter_tile(struct asl_rank *r, const struct asl_group *g,
			     struct asl_words *mine, struct asl_tile *tile)
{
	uint64_t W = tile->rows * tile->cols;
	struct asl_range own = asl_share(W, g->size, g->me);
	struct asl_words whole;
	struct asl_tile part;

	if (g->size == 1) {
		store_sum(r, mine, tile);
		return;
	}
	whole = asl_tile_words(tile, 0, W);
	part = asl_tile_row(tile, own.first, own.count);
	asl_reduce_scatter(r, g, NULL, &whole);
	store_sum(r, mine, &part);
}

/* ---- One root ---- */

void asl_gather(struct asl_rank *r, const struct asl_group *g, int root,
		struct asl_words *all, const struct asl_words *mine)
{
	if (g->me != root) {
		if (mine->count)
			asl_send(r, asl_member(g, root), mine);
		return;
	}
	for (int i = 0; i < g->size; i++) {
		struct asl_words in = share(all, g->size, i);

		if (i != root && in.count)
			asl_recv(r, asl_member(g, i), &in);
	}
}

void asl_scatter(struct asl_rank *r, const struct asl_group *g, int root,
		 struct asl_words *mine, const struct asl_words *all)
{
	if (g->me != root) {
		if (mine->count)
			asl_recv(r, asl_member(g, root), mine);
		return;
	}
	for (int i = 0; i < g->size; i++) {
		struct asl_words out = share(all, g->size, i);

		if (i != root && out.count)
			asl_send(r, asl_member(g, i), &out);
	}
}

void asl_broadcast(struct asl_rank *r, const struct asl_group *g, int root,
		   struct asl_words *all)
{
	struct asl_words mine = share(all, g->size, g->me);

	asl_scatter(r, g, root, &mine, all);
	asl_allgather(r, g, all);
}

void asl_reduce(struct asl_rank *r, const struct asl_group *g, int root,
		struct asl_words *sum, const struct asl_words *whole)
{
	uint64_t W = whole->count;
	struct asl_words mine;

	if (g->size == 1 || !W)
		return;
	/* The root's part is reduced in place. */
	if (g->me == root) {
		mine = share(sum, g->size, g->me);
		asl_reduce_scatter(r, g, &mine, whole);
		asl_gather(r, g, root, sum, &mine);
		return;
	}
	asl_take(r, &mine, ASL_DRAM, asl_share(W, g->size, g->me).count);
	asl_reduce_scatter(r, g, &mine, whole);
	asl_gather(r, g, root, NULL, &mine);
	asl_give(r, &mine);
}

/* ---- Few words ---- */

static int power_of_two_up_to(int n)
{
	int power = 1;

	while (power <= n / 2)
		power *= 2;
	return power;
}

/*
 * Partners swap all that they have, and both add.  A member beyond the power of two sends
 * its words to a twin below, and gets the sum from it.
 */
void asl_sum_few(struct asl_rank *r, const struct asl_group *g,
		 struct asl_words *sum, struct asl_words *in)
{
	int doubling = power_of_two_up_to(g->size);
	bool beyond = g->me >= doubling, twice = g->me + doubling < g->size;
	int twin = beyond ? g->me - doubling : g->me + doubling;

	if (!sum->count)
		return;
	if (beyond) {
		asl_send(r, asl_member(g, twin), sum);
		asl_recv(r, asl_member(g, twin), sum);
		return;
	}
	if (twice) {
		asl_recv(r, asl_member(g, twin), in);
		asl_add(r, sum, in, sum);
	}
	for (int apart = 1; apart < doubling; apart *= 2) {
		int peer = asl_member(g, g->me ^ apart);

		asl_exchange(r, peer, sum, peer, in);
		asl_add(r, sum, in, sum);
	}
	if (twice)
		asl_send(r, asl_member(g, twin), sum);
}
