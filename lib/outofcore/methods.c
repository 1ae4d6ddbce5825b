/*
 * methods.c -- accumulation, replication and rotation, out of core
 *
 * A rank counts, with a, b, c for the words of A, B and C that it works with,
 * passes p, and r_A, r_B for how often J and I are cut, where all divides:
 *
 *	accumulation	outside	V	(1 - 1/P) c
 *				D1	c + c/P
 *				D2	a p_A + b p_B + 2 c p_C - c
 *			inside	V	(1 - 1/P) c p_C
 *				D2	a p_A + b p_B + (2 c p_C - c)/P
 *	replication	outside	V	(1 - 1/P) a
 *	 of A			D1	a/P + a
 *				D2	a p_A + b p_B + 2 c p_C - c
 *			inside	V	(1 - 1/P) a p_A
 *				D2	a/P p_A + b p_B + 2 c p_C - c
 *	rotation	outside	V	(a + b) (q - 1)
 *				D1	2 (a + b) (q - 1)
 *				D2	q (a p_A + b p_B + 2 c p_C) - c
 *			inside	V	a (q r_A - p_A) + b (q r_B - p_B)
 *				D2	a p_A + b p_B + 2 c p_C - c
 *
 * and c more, or c/P where k is cut, if C as it was is read to be added to: with
 * accumulation outside in D1, else in D2.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/kernels/kernel.h"
#include "lib/outofcore/walk.h"
#include "lib/rank/collective.h"
#include "lib/rank/resume.h"

/*
 * Closed forms that all methods share
 *
 * A pass reads each word of an array once, however uneven its tiles are.  The
 * kernel's counts, which depend on sizes, are evaluated once for all tiles that
 * are alike: a range cut into parts, and these into parts, has leaves of no more
 * than four lengths; k, which a torus has cut before, of eight.  An array that
 * ranks share, which there is without a torus, has leaves of sixteen sizes.
 */

struct sizes {
	int count;
	struct asl_alike of[16];
};

static void add_size(struct sizes *s, struct asl_alike x)
{
	if (!x.many)
		return;
	for (int i = 0; i < s->count; i++)
		if (s->of[i].length == x.length) {
			s->of[i].many += x.many;
			return;
		}
	s->of[s->count++] = x;
}

/* The leaves of these ranges of an index. */
static void add_leaves(struct sizes *s, const struct asl_ooc_layout *l,
		       enum asl_operand lacking, struct asl_alike ranges)
{
	for (int i = 0; i < 2; i++) {
		struct asl_alike outer =
			asl_parts_alike(ranges.length, l->o->n[lacking], i);

		for (int j = 0; j < 2; j++) {
			struct asl_alike leaf = asl_parts_alike(
				outer.length, asl_ooc_again(l, lacking), j);

			leaf.many *= outer.many * ranges.many;
			add_size(s, leaf);
		}
	}
}

/* The leaves of an index, all parts of k together. */
static struct sizes sizes_of(const struct asl_ooc_layout *l,
			     enum asl_operand lacking)
{
	struct sizes s = {.count = 0};
	int parts = lacking == ASL_C ? l->q : 1;

	for (int i = 0; i < 2; i++)
		add_leaves(&s, l, lacking,
			   asl_parts_alike(l->index[lacking].count, parts, i));
	return s;
}

/* ---- Between pool and DRAM ---- */

/* Words that a rank works with, all parts of k together. */
static uint64_t words_of(const struct asl_ooc_layout *l, enum asl_operand which)
{
	return l->index[asl_ooc_rows(which)].count *
	       l->index[asl_ooc_cols(which)].count;
}

/* The leaves of an array that ranks share. */
static struct sizes leaves_of(const struct asl_ooc_layout *l,
			      enum asl_operand which)
{
	struct sizes rows = sizes_of(l, asl_ooc_rows(which));
	struct sizes cols = sizes_of(l, asl_ooc_cols(which));
	struct sizes s = {.count = 0};

	for (int i = 0; i < rows.count; i++)
		for (int j = 0; j < cols.count; j++)
			add_size(&s,
				 (struct asl_alike){
					 rows.of[i].length * cols.of[j].length,
					 rows.of[i].many * cols.of[j].many});
	return s;
}

static uint64_t own_share(const struct asl_ooc_layout *l, uint64_t words)
{
	return asl_share(words, l->ranks, l->rank).count;
}

uint64_t asl_ooc_owned(const struct asl_ooc_layout *l, enum asl_operand which)
{
	struct sizes leaves;
	uint64_t words = 0;

	if (!asl_ooc_is_shared(l, which))
		return asl_ooc_index(l, asl_ooc_rows(which), l->home).count *
		       asl_ooc_index(l, asl_ooc_cols(which), l->home).count;
	leaves = leaves_of(l, which);
	for (int i = 0; i < leaves.count; i++)
		words += leaves.of[i].many * own_share(l, leaves.of[i].length);
	return words;
}

static void predict_fetched(struct asl_counts *x, uint64_t words)
{
	x->of[ASL_NVM_LIFT] += words;
	x->of[ASL_BOUNCE_WRITE] += words;
}

static void predict_put(struct asl_counts *x, uint64_t words)
{
	x->of[ASL_BOUNCE_READ] += words;
	x->of[ASL_NVM_LAND] += words;
}

/* Every pass fetches these words of A or B. */
static void predict_operand(struct asl_ledger *out,
			    const struct asl_ooc_layout *l,
			    enum asl_operand which, uint64_t words)
{
	predict_fetched(&out->in[ASL_COMPUTE],
			(uint64_t)asl_ooc_passes(l, which) * words);
}

/* Do the loops begin with C as it was?  Where k is cut, sums meet it later. */
static bool begins_with_C(const struct asl_ooc_layout *l)
{
	return l->plan->c_factor != 0 && l->kind->method != ASL_ACCUMULATION;
}

/* Every pass of every round puts C, and fetches it, but perhaps not the first. */
static void predict_result(struct asl_ledger *out,
			   const struct asl_ooc_layout *l, int rounds)
{
	struct asl_counts *x = &out->in[ASL_COMPUTE];
	uint64_t passes = (uint64_t)rounds * (uint64_t)asl_ooc_passes(l, ASL_C);
	uint64_t words = words_of(l, ASL_C);

	predict_fetched(x, (passes - !begins_with_C(l)) * words);
	predict_put(x, passes * words);
}

/* ---- Products ---- */

/* Depths of the products that set C: the first of all, or of each pass. */
static struct sizes first_depths(const struct asl_ooc_layout *l, bool anew)
{
	struct sizes s = {.count = 0};
	int n = l->o->n[ASL_C], again = asl_ooc_again(l, ASL_C);

	if (begins_with_C(l))
		return s;
	if (!anew || l->X == ASL_C) {
		add_size(&s,
			 (struct asl_alike){
				 asl_ooc_leaf(l, ASL_C, l->home, 0).count, 1});
		return s;
	}
	for (int i = 0; i < 2; i++) {
		struct asl_alike x =
			asl_parts_alike(l->index[ASL_C].count, n, i);

		x.length = asl_ceil_div(x.length, (uint64_t)again);
		add_size(&s, x);
	}
	return s;
}

/* Depths of the others, which add to C; those of no depth do nothing. */
static struct sizes other_depths(const struct asl_ooc_layout *l,
				 const struct sizes *first)
{
	struct sizes all = sizes_of(l, ASL_C), s = {.count = 0};

	for (int i = 0; i < all.count; i++) {
		struct asl_alike x = all.of[i];

		for (int j = 0; j < first->count; j++)
			if (first->of[j].length == x.length)
				x.many -= first->of[j].many;
		if (x.length)
			add_size(&s, x);
	}
	return s;
}

static void predict_alike(struct asl_counts *x, const struct asl_plan *plan,
			  const struct asl_alike *m, const struct asl_alike *n,
			  const struct asl_alike *k, bool add)
{
	struct asl_product product =
		asl_ooc_product(plan, m->length, n->length, k->length, add);
	struct asl_counts once = {{0}};

	if (!product.m || !product.n)
		return;
	asl_kernel_predict(plan->kernel, &once, &product);
	asl_counts_add_times(x, &once, m->many * n->many * k->many);
}

/* All products.  If `anew`, C begins with zeros in each pass. */
static void predict_products(struct asl_counts *x,
			     const struct asl_ooc_layout *l, bool anew)
{
	struct sizes m = sizes_of(l, ASL_B), n = sizes_of(l, ASL_A), k[2];

	k[0] = first_depths(l, anew);
	k[1] = other_depths(l, &k[0]);
	for (int add = 0; add < 2; add++)
		for (int h = 0; h < k[add].count; h++)
			for (int i = 0; i < m.count * n.count; i++)
				predict_alike(x, l->plan, &m.of[i / n.count],
					      &n.of[i % n.count], &k[add].of[h],
					      add);
}

static uint64_t tile_words(const struct asl_ooc_layout *l, bool landings)
{
	uint64_t words = 0;

	for (int i = 0; i < ASL_OPERANDS; i++) {
		bool travels = landings && i != ASL_C;
		int leaves = l->X == (enum asl_operand)i ? l->o->again : 1;

		words += asl_ooc_largest(l, i) * (uint64_t)(leaves + travels);
	}
	return words;
}

/* Memory beside the words owned and the tiles. */
struct beside {
	uint64_t pool, dram;
	bool landings;
	uint64_t network; /* scratch */
};

static void predict_compute(struct asl_ledger *out,
			    const struct asl_ooc_layout *l, bool anew,
			    const struct beside *x)
{
	predict_products(&out->in[ASL_COMPUTE], l, anew);
	out->pool_high = x->pool;
	for (int i = 0; i < ASL_OPERANDS; i++)
		out->pool_high += asl_ooc_owned(l, i);
	out->memory_high = out->pool_high + x->dram +
			   tile_words(l, x->landings) + x->network;
}

/* ---- The array of which every rank owns a share of each leaf ---- */

struct shared {
	enum asl_operand which;
	const struct asl_words *own;
	uint64_t *first; /* by leaf, by rows of leaves: in the words owned */
	struct asl_group all;
	struct asl_words room; /* accumulation: for a share of a sum */
};

static void take_shares(struct asl_rank *r, struct shared *s,
			const struct asl_ooc_layout *l)
{
	int rows = l->leaves[asl_ooc_rows(s->which)];
	int cols = l->leaves[asl_ooc_cols(s->which)];
	uint64_t first = 0;
	struct asl_piece mine;

	s->all = (struct asl_group){0, 1, l->ranks, l->rank, NULL};
	s->first = calloc((size_t)rows * (size_t)cols, sizeof *s->first);
	if (!s->first) {
		asl_rank_fail(r, -ENOMEM,
			      "no memory for %d x %d tiles' records", rows,
			      cols);
		return;
	}
	for (int i = 0;
	     asl_ooc_matmul.owns(&mine, l->plan, l->rank, s->which, i); i++) {
		s->first[i] = first;
		first += mine.words.count;
	}
}

static struct asl_range share_within(const struct shared *s,
				     const struct asl_words *tile)
{
	return asl_share(tile->count, s->all.size, s->all.me);
}

static struct asl_words share_owned(const struct asl_ooc_walk *w,
				    const struct asl_ooc_tile *t)
{
	const struct shared *s = w->method;
	enum asl_operand rows = asl_ooc_rows(t->which);
	enum asl_operand cols = asl_ooc_cols(t->which);
	int leaf = t->leaf[rows] * w->l->leaves[cols] + t->leaf[cols];
	struct asl_words words = asl_ooc_tile_words(w, t);

	return asl_slice(s->own, s->first[leaf], share_within(s, &words).count);
}

/*
 * Accumulation
 *
 * k is cut: a rank owns columns of A and rows of B, and a share of each leaf of
 * C, of all of which it has a summand.  The sums over ranks are formed leaf by
 * leaf, in DRAM.  Inside, whenever a tile of C is put back, and added to the sums
 * of the passes before; outside, each rank completes its summand in its pool
 * first.
 */

/* Enough for any leaf: shares of smaller leaves may be larger. */
static uint64_t share_room(const struct asl_ooc_layout *l)
{
	return l->ranks == 1 ? 0
			     : asl_ceil_div(asl_ooc_largest(l, ASL_C),
					    (uint64_t)l->ranks);
}

/* This rank's share of the sum of all ranks' tiles. */
static struct asl_words sum_tiles(struct asl_ooc_walk *w,
				  struct asl_ooc_tile *C)
{
	const struct shared *x = w->method;
	struct asl_words all = asl_ooc_tile_words(w, C), mine;

	if (w->l->ranks == 1)
		return all;
	mine = asl_slice(&x->room, 0, share_within(x, &all).count);
	asl_reduce_scatter(w->r, &x->all, &mine, &all);
	return mine;
}

/* Sums go to the pool once a pass, each time with their factor. */
static void put_sum(struct asl_ooc_walk *w, struct asl_ooc_tile *C)
{
	struct asl_words own = share_owned(w, C), sum;
	struct asl_block place = asl_as_block(&own, 1, own.count), from;

	asl_phase(w->r, ASL_REDUCE);
	sum = sum_tiles(w, C);
	if (asl_ooc_is_fresh(w, C)) {
		from = asl_as_block(&sum, 1, sum.count);
		asl_copy_scaled(w->r, &place, &from, w->ab_factor);
		return;
	}
	asl_mark_save(w->r, &place);
	asl_add_scaled(w->r, &own, C->first ? w->c_factor : 1, &own,
		       w->ab_factor, &sum);
}

/* C's tile begins with zeros; put_sum adds the sums that are in the pool. */
static void fetch_operand(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	if (t->which != ASL_C)
		asl_ooc_fetch(w, t);
}

static void sum_from_pool(struct asl_ooc_walk *w, struct asl_ooc_tile *C)
{
	asl_phase(w->r, ASL_REDUCE);
	asl_ooc_fetch(w, C);
	C->first = true;
	put_sum(w, C);
	C->first = false;
}

/* A summand is of A B alone. */
static void accumulate_outside(struct asl_ooc_walk *w)
{
	struct asl_words *summand = &w->array[ASL_C];
	const struct asl_plan *plan = w->l->plan;

	asl_take(w->r, summand, ASL_POOL, words_of(w->l, ASL_C));
	w->ab_factor = 1;
	w->c_factor = 0;
	asl_ooc_walk(w);
	w->ab_factor = asl_plan_ab_factor(plan);
	w->c_factor = plan->c_factor;
	asl_ooc_each_leaf(w, ASL_C, sum_from_pool);
	asl_give(w->r, summand);
}

static void accumulation_run(struct asl_rank *r, const struct asl_plan *plan,
			     struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct shared x = {.which = ASL_C, .own = &own[ASL_C]};
	struct asl_ooc_walk w = {.r = r, .l = &l, .method = &x};

	take_shares(r, &x, &l);
	asl_take(r, &x.room, ASL_DRAM, share_room(&l));
	asl_ooc_walk_take(&w, own, false);
	if (l.kind->inside) {
		w.fetch = fetch_operand;
		w.put = put_sum;
		asl_ooc_walk(&w);
	} else {
		accumulate_outside(&w);
	}
	asl_ooc_walk_give(&w);
	asl_give(r, &x.room);
	free(x.first);
}

/* C is put back so many times.  Returns the scratch. */
static uint64_t predict_sums(struct asl_counts *x,
			     const struct asl_ooc_layout *l, uint64_t times,
			     bool from_pool)
{
	struct sizes leaves = leaves_of(l, ASL_C);
	bool adds = l->plan->c_factor != 0;
	uint64_t scratch = 0;

	for (int i = 0; i < leaves.count; i++) {
		uint64_t words = leaves.of[i].length, many = leaves.of[i].many;
		uint64_t mine = own_share(l, words);
		struct asl_counts once = {{0}};

		asl_predict_reduce_scatter(&once, words, l->ranks, l->rank,
					   ASL_DRAM, ASL_DRAM);
		predict_put(&once, mine);
		if (from_pool)
			predict_fetched(&once, words);
		asl_counts_add_times(x, &once, times * many);
		x->of[ASL_NVM_LIFT] += (times - !adds) * many * mine;
		scratch = asl_max(scratch, asl_reduce_scatter_scratch(
						   words, l->ranks, l->rank));
	}
	return scratch;
}

static void accumulation_predict(struct asl_ledger *out,
				 const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	bool in = l.kind->inside;
	uint64_t times = in ? (uint64_t)asl_ooc_passes(&l, ASL_C) : 1;
	uint64_t scratch = predict_sums(&out->in[ASL_REDUCE], &l, times, !in);

	for (int i = ASL_A; i <= ASL_B; i++)
		predict_operand(out, &l, i, words_of(&l, i));
	if (!in)
		predict_result(out, &l, 1);
	predict_compute(out, &l, in,
			&(struct beside){.pool = in ? 0 : words_of(&l, ASL_C),
					 .dram = share_room(&l),
					 .network = scratch});
}

/*
 * Replication
 *
 * Every rank owns a share of each leaf of the operand that is replicated, say A;
 * the other operand and C are cut along the index that A lacks.  All ranks put
 * a leaf of A together in their DRAM at once: each reads its share, and they
 * gather all shares.  Inside, this is how a leaf is fetched; outside, all leaves
 * go to every rank's pool first, to be fetched from there.
 */

static void gather(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	const struct shared *x = w->method;
	struct asl_words all = asl_ooc_tile_words(w, t), mine, own;
	struct asl_range within = share_within(x, &all);

	asl_phase(w->r, ASL_GATHER);
	own = share_owned(w, t);
	mine = asl_slice(&all, within.first, within.count);
	asl_copy(w->r, &mine, &own);
	asl_allgather(w->r, &x->all, &all);
}

static void gather_or_fetch(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	const struct shared *x = w->method;

	(t->which == x->which ? gather : asl_ooc_fetch)(w, t);
}

static void gather_to_pool(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	gather(w, t);
	asl_ooc_put(w, t);
}

static void replicate_outside(struct asl_ooc_walk *w)
{
	const struct shared *x = w->method;
	struct asl_words *copy = &w->array[x->which];

	asl_take(w->r, copy, ASL_POOL, words_of(w->l, x->which));
	asl_ooc_each_leaf(w, x->which, gather_to_pool);
	asl_mark_epoch(w->r, NULL, 0);
	asl_ooc_walk(w);
	asl_give(w->r, copy);
}

static void replication_run(struct asl_rank *r, const struct asl_plan *plan,
			    struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct shared x = {.which = l.o->replicated,
			   .own = &own[l.o->replicated]};
	struct asl_ooc_walk w = {.r = r, .l = &l, .method = &x};

	take_shares(r, &x, &l);
	asl_ooc_walk_take(&w, own, false);
	if (l.kind->inside) {
		w.fetch = gather_or_fetch;
		asl_ooc_walk(&w);
	} else {
		replicate_outside(&w);
	}
	asl_ooc_walk_give(&w);
	free(x.first);
}

static void predict_gathers(struct asl_counts *x,
			    const struct asl_ooc_layout *l, uint64_t times,
			    bool to_pool)
{
	struct sizes leaves = leaves_of(l, l->o->replicated);

	for (int i = 0; i < leaves.count; i++) {
		uint64_t words = leaves.of[i].length;
		struct asl_counts once = {{0}};

		predict_fetched(&once, own_share(l, words));
		asl_predict_allgather(&once, words, l->ranks, l->rank,
				      ASL_DRAM);
		if (to_pool)
			predict_put(&once, words);
		asl_counts_add_times(x, &once, times * leaves.of[i].many);
	}
}

static void replication_predict(struct asl_ledger *out,
				const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	enum asl_operand which = l.o->replicated;
	bool in = l.kind->inside;
	uint64_t times = in ? (uint64_t)asl_ooc_passes(&l, which) : 1;

	predict_gathers(&out->in[ASL_GATHER], &l, times, !in);
	for (int i = ASL_A; i <= ASL_B; i++)
		if (!in || i != (int)which)
			predict_operand(out, &l, i, words_of(&l, i));
	predict_result(out, &l, 1);
	predict_compute(out, &l, false,
			&(struct beside){.pool = in ? 0 : words_of(&l, which)});
}

/*
 * Rotation
 *
 * Rank (i, j) of q x q has C(i, j), and meets A(i, x) with B(x, j) for all x,
 * beginning with x = i + j, which it owns.  Outside, whole blocks travel from
 * pool to pool once all tiles of two have met; inside, tiles travel from DRAM to
 * DRAM, all round for each product of a tile of A, one of B and one of C.  A tile
 * that is used again must come home first; the last time it stays where it is.
 */

static const struct asl_group *ring(const struct asl_ooc_layout *l,
				    enum asl_operand which)
{
	return which == ASL_A ? &l->row : &l->col;
}

/* Rows of A, columns of B: the index that does not travel. */
static enum asl_operand across(enum asl_operand which)
{
	return which == ASL_A ? ASL_B : ASL_A;
}

/* Send to the member before, receive from the next; no words, no message. */
static void pass(struct asl_rank *r, const struct asl_group *ring,
		 const struct asl_words *out, struct asl_words *in)
{
	int to = asl_member(ring, (ring->me + ring->size - 1) % ring->size);
	int from = asl_member(ring, (ring->me + 1) % ring->size);

	asl_phase(r, ASL_SHIFT);
	if (out->count || in->count)
		asl_exchange(r, to, out->count ? out : NULL, from,
			     in->count ? in : NULL);
}

/* ---- Inside ---- */

static void shift_tile(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	struct asl_words *landing = &w->landing[t->which];
	struct asl_words out = asl_ooc_tile_words(w, t), in, room = t->room;

	t->part = (t->part + 1) % w->l->q;
	t->room = *landing;
	*landing = room;
	in = asl_ooc_tile_words(w, t);
	pass(w->r, ring(w->l, t->which), &out, &in);
}

static void come_home(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	if (t->part != w->part)
		shift_tile(w, t);
}

static void multiply_all_round(struct asl_ooc_walk *w, struct asl_ooc_tile *A,
			       struct asl_ooc_tile *B, struct asl_ooc_tile *C)
{
	come_home(w, A);
	come_home(w, B);
	asl_ooc_multiply(w, A, B, C);
	for (int i = 1; i < w->l->q; i++) {
		shift_tile(w, A);
		shift_tile(w, B);
		asl_ooc_multiply(w, A, B, C);
	}
}

static void rotation_inside_run(struct asl_rank *r, const struct asl_plan *plan,
				struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct asl_ooc_walk w = {.r = r, .l = &l};

	asl_ooc_walk_take(&w, own, l.q > 1);
	w.multiply = multiply_all_round;
	asl_ooc_walk(&w);
	asl_ooc_walk_give(&w);
}

/* ---- Outside ---- */

/* A block of A or B is in the words owned first, then in these two in turn. */
struct travel {
	struct asl_words room[2];
	int landing;
};

/* At most as many as arrive.  Part 0 of k is as long as any. */
static void take_travel(struct asl_rank *r, const struct asl_ooc_layout *l,
			struct travel *t, enum asl_operand which)
{
	uint64_t words = l->index[across(which)].count *
			 asl_ooc_index(l, ASL_C, 0).count;

	for (int i = 0; i < 2 && i < l->q - 1; i++)
		asl_take(r, &t->room[i], ASL_POOL, words);
}

static void shift_block(struct asl_ooc_walk *w, struct travel *t,
			enum asl_operand which)
{
	const struct asl_ooc_layout *l = w->l;
	int next = (w->part + 1) % l->q;
	uint64_t length = l->index[across(which)].count;
	struct asl_words *here = &w->array[which];
	struct asl_words out = asl_slice(
		here, 0, length * asl_ooc_index(l, ASL_C, w->part).count);

	*here = asl_slice(&t->room[t->landing], 0,
			  length * asl_ooc_index(l, ASL_C, next).count);
	t->landing = !t->landing;
	pass(w->r, ring(l, which), &out, here);
}

static void rotation_outside_run(struct asl_rank *r,
				 const struct asl_plan *plan,
				 struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct asl_ooc_walk w = {.r = r, .l = &l};
	struct travel A = {.landing = 0}, B = {.landing = 0};

	take_travel(r, &l, &A, ASL_A);
	take_travel(r, &l, &B, ASL_B);
	asl_ooc_walk_take(&w, own, false);
	w.ends = l.q == 1;
	asl_ooc_walk(&w);
	w.adds = true;
	for (int i = 1; i < l.q; i++) {
		shift_block(&w, &A, ASL_A);
		shift_block(&w, &B, ASL_B);
		w.part = (w.part + 1) % l.q;
		w.ends = i == l.q - 1;
		asl_ooc_walk(&w);
	}
	asl_ooc_walk_give(&w);
	for (int i = 1; i >= 0; i--) {
		asl_give(r, &B.room[i]);
		asl_give(r, &A.room[i]);
	}
}

/*
 * The closed forms of rotation
 *
 * Inside, a leaf of k is cut out of each of the q parts of k, of which the longer
 * ones come first.  So all round the torus the larger of two neighbours is, in
 * sum, what all of them are and one step up.  It goes round once for each
 * product, but the last time of each pass it does not come home.  Longer parts
 * have no shorter leaves: so sums over leaves are those of the parts.
 */

/* Lengths of the parts of k, and the numbers of messages that they make. */
struct circle {
	uint64_t home, before; /* where the rank begins, and before that */
	uint64_t sum, up;      /* of all, and of the larger of neighbours */
	uint64_t messages, messages_before;
};

/* Outside, a part is one message; inside, every leaf with words is one. */
static uint64_t messages(const struct asl_ooc_layout *l,
			 enum asl_operand lacking, uint64_t length)
{
	struct sizes s = {.count = 0};
	uint64_t filled = 0;

	if (!l->kind->inside)
		return length > 0;
	add_leaves(&s, l, lacking, (struct asl_alike){length, 1});
	for (int i = 0; i < s.count; i++)
		filled += s.of[i].length ? s.of[i].many : 0;
	return filled;
}

static struct circle circle(const struct asl_ooc_layout *l)
{
	uint64_t k = l->index[ASL_C].count, q = (uint64_t)l->q, longer = k % q;
	uint64_t high = asl_ooc_index(l, ASL_C, 0).count;
	uint64_t low = asl_ooc_index(l, ASL_C, l->q - 1).count;
	int before = (l->home + l->q - 1) % l->q;
	struct circle c = {
		.home = asl_ooc_index(l, ASL_C, l->home).count,
		.before = asl_ooc_index(l, ASL_C, before).count,
		.sum = k,
		.up = k + (high - low),
		.messages = longer * messages(l, ASL_C, high) +
			    (q - longer) * messages(l, ASL_C, low),
	};

	c.messages_before = messages(l, ASL_C, c.before);
	return c;
}

/* `times` all round, less the last steps that are spared. */
static struct asl_counts rotated(const struct asl_ooc_layout *l,
				 enum asl_operand which, int times, int spared)
{
	struct circle c = circle(l);
	uint64_t t = (uint64_t)times, s = (uint64_t)spared;
	uint64_t length = l->index[across(which)].count;
	struct asl_counts x = {{0}};

	if (l->q == 1)
		return x;
	asl_counts_add_net(&x, length * (t * c.sum - s * c.before),
			   length * (t * c.sum - s * c.home),
			   length * (t * c.up - s * asl_max(c.before, c.home)),
			   messages(l, across(which), length) *
				   (t * c.messages - s * c.messages_before));
	return x;
}

static void rotation_inside_predict(struct asl_ledger *out,
				    const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);

	for (int i = ASL_A; i <= ASL_B; i++) {
		struct asl_counts x =
			rotated(&l, i, l.leaves[i], asl_ooc_passes(&l, i));

		predict_operand(out, &l, i, asl_ooc_owned(&l, i));
		asl_counts_add(&out->in[ASL_SHIFT], &x);
	}
	predict_result(out, &l, 1);
	predict_compute(out, &l, false, &(struct beside){.landings = l.q > 1});
}

static void rotation_outside_predict(struct asl_ledger *out,
				     const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	uint64_t length = l.index[ASL_A].count + l.index[ASL_B].count;
	uint64_t rooms = asl_min(2, (uint64_t)l.q - 1);

	for (int i = ASL_A; i <= ASL_B; i++) {
		struct asl_counts x = rotated(&l, i, 1, 1);

		x.of[ASL_NVM_LIFT] = x.of[ASL_NET_SEND];
		x.of[ASL_NVM_LAND] = x.of[ASL_NET_RECV];
		predict_operand(out, &l, i, words_of(&l, i));
		asl_counts_add(&out->in[ASL_SHIFT], &x);
	}
	predict_result(out, &l, l.q);
	predict_compute(
		out, &l, false,
		&(struct beside){.pool = rooms * length *
					 asl_ooc_index(&l, ASL_C, 0).count});
}

/*
 * Products, one after another: a rank owns its words of the first one, then those of
 * the second one, ...
 */

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	uint64_t times = asl_ooc_products(plan), others = 0;
	struct asl_ledger one = {.pool_high = 0};

	l.kind->predict(&one, plan, rank);
	for (int i = 0; i < ASL_OPERANDS; i++)
		others += (times - 1) * asl_ooc_owned(&l, i);
	for (int phase = 0; phase < ASL_PHASES; phase++)
		asl_counts_add_times(&out->in[phase], &one.in[phase], times);
	out->pool_high = one.pool_high + others;
	out->memory_high = one.memory_high + others;
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	uint64_t times = asl_ooc_products(plan);
	struct asl_words of[ASL_OPERANDS];

	for (uint64_t t = 0; t < times; t++) {
		for (int i = 0; i < ASL_OPERANDS; i++) {
			uint64_t words = own[i].count / times;

			of[asl_ooc_operand(plan, i)] =
				asl_slice(&own[i], t * words, words);
		}
		asl_ooc_kind(plan)->run(r, plan, of);
		if (t + 1 < times)
			asl_mark_epoch(r, NULL, 0);
	}
}

#define METHOD(NAME, SUMMARY, OF, INSIDE, FUNCTIONS)                           \
	&(const struct asl_algorithm)                                          \
	{                                                                      \
		.name = NAME, .summary = "out of core: " SUMMARY,              \
		.when = "ooc-auto is compared with it",                        \
		.family = &asl_family_outofcore, .resumes = true,              \
		.matmul = &asl_ooc_matmul,                                     \
		.outofcore = &(const struct asl_ooc_kind){OF, INSIDE,          \
							  FUNCTIONS##_predict, \
							  FUNCTIONS##_run},    \
		.predict = predict, .run = run,                                \
	}

const struct asl_algorithm *const asl_ooc_algorithms[] = {
	METHOD("ooc-rotation-inside",
	       "tiles of A and B rotate on a q x q torus", ASL_ROTATION, true,
	       rotation_inside),
	METHOD("ooc-rotation-outside",
	       "blocks rotate on a q x q torus, pool to pool", ASL_ROTATION,
	       false, rotation_outside),
	METHOD("ooc-replication-inside",
	       "all of A or B to every rank, tile by tile", ASL_REPLICATION,
	       true, replication),
	METHOD("ooc-replication-outside",
	       "all of A or B to every rank's pool first", ASL_REPLICATION,
	       false, replication),
	METHOD("ooc-accumulation-inside", "k cut, sums over ranks tile by tile",
	       ASL_ACCUMULATION, true, accumulation),
	METHOD("ooc-accumulation-outside", "k cut, sums over ranks at the end",
	       ASL_ACCUMULATION, false, accumulation),
	&(const struct asl_algorithm){
		.name = "ooc-auto",
		.summary = "the method, order and tiles out of core of least "
			   "predicted Q",
		.when = "operands exceed DRAM",
		.family = &asl_family_outofcore,
	},
	NULL,
};
