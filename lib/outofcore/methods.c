/*
 * methods.c -- q x q ranks, and A and B that travel round them, out of core
 *
 * Rank (i, j) has C(i, j), and meets A(i, x) with B(x, j) for all x, beginning
 * with x = i + j, which it owns.  Outside, whole blocks travel from pool to
 * pool once all tiles of two have met; inside, tiles travel from DRAM to DRAM,
 * all round for each product of a tile of A, one of B and one of C.
 *
 * Per rank, with a, b, c the words of its blocks, where q divides everything:
 *
 *	outside	V	(a + b) (q - 1)
 *		D1	2 (a + b) (q - 1)
 *		D2	q (a p_A + b p_B + 2 c p_C) - c
 *	inside	V	a (q r_A - p_A) + b (q r_B - p_B)
 *		D2	a p_A + b p_B + 2 c p_C - c
 *
 * with passes p, and r_A, r_B for how often J and I are cut.  A tile that is
 * used again must come home first, the last time it stays where it is.
 */
#include "lib/outofcore/methods.h"

#include "lib/rank/collective.h"
#include "lib/rank/resume.h"

/*
 * What all methods count alike, in closed form
 *
 * A pass reads each word of an array once, however uneven its tiles are.  What
 * depends on sizes, the kernel's counts, is asked once for all tiles that are
 * alike: a range cut into parts, and these into parts, has leaves of no more
 * than four lengths, and k, which a torus has cut before, of eight.
 */

/* Leaves of an index, by length; all parts of k together. */
struct sizes {
	int count;
	struct asl_alike of[8];
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

/* `many` ranges of this length, cut into n parts and these into `again`. */
static void add_leaves(struct sizes *s, struct asl_alike x, int n, int again)
{
	for (int i = 0; i < 2; i++) {
		struct asl_alike outer = asl_parts_alike(x.length, n, i);

		for (int j = 0; j < 2; j++) {
			struct asl_alike leaf =
				asl_parts_alike(outer.length, again, j);

			leaf.many *= outer.many * x.many;
			add_size(s, leaf);
		}
	}
}

static int times_again(const struct asl_ooc_layout *l, enum asl_operand lacking)
{
	return l->Y == lacking ? l->o->again : 1;
}

static struct sizes sizes_of(const struct asl_ooc_layout *l,
			     enum asl_operand lacking)
{
	struct sizes s = {.count = 0};
	int parts = lacking == ASL_C ? l->q : 1;

	for (int i = 0; i < 2; i++)
		add_leaves(&s,
			   asl_parts_alike(l->index[lacking].count, parts, i),
			   l->o->n[lacking], times_again(l, lacking));
	return s;
}

/* Leaves that are not empty of a range of an index; of k, of one part. */
static uint64_t asl_ooc_filled(const struct asl_ooc_layout *l,
			       enum asl_operand lacking, uint64_t length)
{
	struct sizes s = {.count = 0};
	uint64_t filled = 0;

	add_leaves(&s, (struct asl_alike){length, 1}, l->o->n[lacking],
		   times_again(l, lacking));
	for (int i = 0; i < s.count; i++)
		filled += s.of[i].length ? s.of[i].many : 0;
	return filled;
}

/* ---- Between pool and DRAM ---- */

/* Words that a rank works with, all parts of k together, and that it owns. */
static uint64_t asl_ooc_words(const struct asl_ooc_layout *l,
			      enum asl_operand which)
{
	return l->index[asl_ooc_rows(which)].count *
	       l->index[asl_ooc_cols(which)].count;
}

/* see() every size of a leaf, and how many leaves have it. */
static void
asl_ooc_each_size(const struct asl_ooc_layout *l, enum asl_operand which,
		  void (*see)(const struct asl_alike *words, void *arg),
		  void *arg)
{
	struct sizes rows = sizes_of(l, asl_ooc_rows(which));
	struct sizes cols = sizes_of(l, asl_ooc_cols(which));

	for (int i = 0; i < rows.count; i++)
		for (int j = 0; j < cols.count; j++) {
			struct asl_alike x = {
				rows.of[i].length * cols.of[j].length,
				rows.of[i].many * cols.of[j].many};

			see(&x, arg);
		}
}

struct sharing {
	const struct asl_ooc_layout *l;
	uint64_t words;
};

static void add_share(const struct asl_alike *x, void *arg)
{
	struct sharing *s = arg;

	s->words +=
		x->many * asl_share(x->length, s->l->ranks, s->l->rank).count;
}

uint64_t asl_ooc_owned(const struct asl_ooc_layout *l, enum asl_operand which)
{
	struct sharing s = {l, 0};

	if (asl_ooc_spread(l, which)) {
		asl_ooc_each_size(l, which, add_share, &s);
		return s.words;
	}
	return asl_ooc_index(l, asl_ooc_rows(which), l->home).count *
	       asl_ooc_index(l, asl_ooc_cols(which), l->home).count;
}

/* `words` copied from the pool to DRAM, and back. */
static void asl_ooc_predict_fetched(struct asl_counts *x, uint64_t words)
{
	x->of[ASL_NVM_LIFT] += words;
	x->of[ASL_BOUNCE_WRITE] += words;
}

static void asl_ooc_predict_put(struct asl_counts *x, uint64_t words)
{
	x->of[ASL_BOUNCE_READ] += words;
	x->of[ASL_NVM_LAND] += words;
}

/*
 * A and B, or one of them, fetched in all passes; C put in each of them,
 * `rounds` times, and fetched in each but the first.
 */
static void asl_ooc_predict_operand(struct asl_counts *x,
				    const struct asl_ooc_layout *l,
				    enum asl_operand which)
{
	asl_ooc_predict_fetched(x, (uint64_t)asl_ooc_passes(l, which) *
					   asl_ooc_words(l, which));
}

static void asl_ooc_predict_result(struct asl_counts *x,
				   const struct asl_ooc_layout *l,
				   uint64_t rounds)
{
	uint64_t passes = rounds * (uint64_t)asl_ooc_passes(l, ASL_C);
	uint64_t words = asl_ooc_words(l, ASL_C);

	asl_ooc_predict_fetched(x, (passes - 1) * words);
	asl_ooc_predict_put(x, passes * words);
}

/* ---- Products ---- */

/* Depths of those that set C: of the first leaf, or the first of each pass. */
static struct sizes firsts(const struct asl_ooc_layout *l, bool anew)
{
	struct sizes s = {.count = 0};
	int n = l->o->n[ASL_C], again = times_again(l, ASL_C);

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

/* Those of them that add to C: all others, unless they are of no depth. */
static struct sizes others(const struct asl_ooc_layout *l,
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

struct products {
	const struct asl_ooc_layout *l;
	struct asl_counts *counts;
	uint64_t tile; /* the largest */
};

static void one_kind(struct products *p, const struct asl_alike *m,
		     const struct asl_alike *n, const struct asl_alike *k,
		     bool add)
{
	const struct asl_plan *plan = p->l->plan;
	struct asl_counts once = {{0}};
	struct asl_product x = {
		.m = m->length,
		.n = n->length,
		.k = k->length,
		.cache = plan->cache,
		.read_cost = plan->costs.dram_read,
		.write_cost = plan->costs.dram_write,
		.A = ASL_DRAM,
		.B = ASL_DRAM,
		.C = ASL_DRAM,
		.add = add,
	};

	if (!x.m || !x.n)
		return;
	asl_kernel_predict(plan->kernel, &once, &x);
	asl_counts_add_times(p->counts, &once, m->many * n->many * k->many);
	p->tile = asl_max(p->tile, asl_kernel_room(plan->kernel, &x));
}

static void each_kind(struct products *p, const struct sizes *k, bool add)
{
	struct sizes m = sizes_of(p->l, ASL_B);
	struct sizes n = sizes_of(p->l, ASL_A);

	for (int i = 0; i < m.count; i++)
		for (int j = 0; j < n.count; j++)
			for (int l = 0; l < k->count; l++)
				one_kind(p, &m.of[i], &n.of[j], &k->of[l], add);
}

static struct products all_products(struct asl_counts *x,
				    const struct asl_ooc_layout *l, bool anew)
{
	struct sizes first = firsts(l, anew), rest = others(l, &first);
	struct products p = {l, x, 0};

	each_kind(&p, &first, false);
	each_kind(&p, &rest, true);
	return p;
}

/* All products; if `anew`, C begins at nothing in each pass. */
static void asl_ooc_predict_products(struct asl_counts *x,
				     const struct asl_ooc_layout *l, bool anew)
{
	all_products(x, l, anew);
}

static uint64_t asl_ooc_cache_tile(const struct asl_ooc_layout *l, bool anew)
{
	struct asl_counts unused = {{0}};

	return all_products(&unused, l, anew).tile;
}

/* Words of DRAM: of tiles in memory, and of the largest one in the cache. */
static uint64_t asl_ooc_rooms(const struct asl_ooc_layout *l, bool landings)
{
	uint64_t words = 0;

	for (int i = 0; i < ASL_OPERANDS; i++) {
		bool travels = landings && i != ASL_C;
		int leaves = l->X == (enum asl_operand)i ? l->o->again : 1;

		words += asl_ooc_largest(l, i) * (uint64_t)(leaves + travels);
	}
	return words;
}

/*
 * Every rank has a summand of all of C, out of core
 *
 * k is cut: a rank owns columns of A and rows of B, and of C a share of each
 * leaf. Sums over ranks are formed leaf by leaf, in DRAM.  Inside, whenever a
 * tile of C is put back, and added to what is there of the passes before;
 * outside, each rank completes its summand in its pool first.
 *
 * Per rank, with a, b for the words of its A and B, and c for all of C's:
 *
 *	outside	V	(1 - 1/P) c
 *		D1	c + c/P
 *		D2	a p_A + b p_B + 2 c p_C - c
 *	inside	V	(1 - 1/P) c p_C
 *		D2	a p_A + b p_B + (2 c p_C - c)/P
 */

struct accumulation {
	struct asl_ooc_shares shares;
	const struct asl_words *own; /* of C */
	struct asl_words room;	     /* for a share of a sum */
};

/* Room for any leaf's: shares of smaller leaves may be the larger. */
static uint64_t room_for_share(const struct asl_ooc_layout *l)
{
	return l->ranks == 1 ? 0
			     : asl_ceil_div(asl_ooc_largest(l, ASL_C),
					    (uint64_t)l->ranks);
}

/* This rank's share of the sum of every rank's tile. */
static struct asl_words sum_up(struct asl_ooc_walk *w, struct asl_ooc_tile *C)
{
	struct accumulation *x = w->method;
	struct asl_words all = asl_ooc_tile_words(w, C), mine;

	if (w->l->ranks == 1)
		return all;
	mine = asl_slice(&x->room, 0,
			 asl_ooc_share_within(&x->shares, &all).count);
	asl_reduce_scatter(w->r, &x->shares.all, &mine, &all);
	return mine;
}

static void put_sum(struct asl_ooc_walk *w, struct asl_ooc_tile *C)
{
	const struct accumulation *x = w->method;
	struct asl_words sum, own;
	struct asl_block place;

	asl_phase(w->r, ASL_REDUCE);
	own = asl_ooc_share_owned(&x->shares, w, C, x->own);
	sum = sum_up(w, C);
	if (C->fresh) {
		asl_copy(w->r, &own, &sum);
		return;
	}
	place = asl_as_block(&own, 1, own.count);
	asl_mark_save(w->r, &place);
	asl_add(w->r, &own, &own, &sum);
}

/* C's tile begins at nothing: what is there is added to it at the end. */
static void fetch(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	if (t->which != ASL_C)
		asl_ooc_fetch(w, t);
}

static void inside(struct asl_ooc_walk *w)
{
	w->fetch = fetch;
	w->put = put_sum;
	asl_ooc_walk(w);
}

static void sum_from_pool(struct asl_ooc_walk *w, struct asl_ooc_tile *C)
{
	asl_phase(w->r, ASL_REDUCE);
	asl_ooc_fetch(w, C);
	C->fresh = true;
	put_sum(w, C);
	C->fresh = false;
}

static void outside(struct asl_ooc_walk *w)
{
	struct asl_words *summand = &w->array[ASL_C];

	asl_take(w->r, summand, ASL_POOL, asl_ooc_words(w->l, ASL_C));
	asl_ooc_walk(w);
	asl_ooc_each_leaf(w, ASL_C, sum_from_pool);
	asl_give(w->r, summand);
}

static void accumulation_run(struct asl_rank *r, const struct asl_plan *plan,
			     struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct accumulation x = {.own = &own[ASL_C]};
	struct asl_ooc_walk w = {.r = r, .l = &l, .method = &x};

	asl_ooc_shares_take(r, &x.shares, &l, ASL_C);
	asl_take(r, &x.room, ASL_DRAM, room_for_share(&l));
	asl_ooc_walk_take(&w, false);
	for (int i = 0; i < ASL_OPERANDS; i++)
		w.array[i] = own[i];
	l.o->inside ? inside(&w) : outside(&w);
	asl_ooc_walk_give(&w);
	asl_give(r, &x.room);
	asl_ooc_shares_give(&x.shares);
}

/* ---- Closed forms ---- */

struct reduction {
	struct asl_counts *x;
	const struct asl_ooc_layout *l;
	uint64_t times; /* that C is put back */
	bool from_pool;
	uint64_t room; /* the most that one takes */
};

static void predict_sum(const struct asl_alike *leaf, void *arg)
{
	struct reduction *s = arg;
	const struct asl_ooc_layout *l = s->l;
	uint64_t mine = asl_share(leaf->length, l->ranks, l->rank).count;
	struct asl_counts once = {{0}};

	asl_predict_reduce_scatter(&once, leaf->length, l->ranks, l->rank,
				   ASL_DRAM, ASL_DRAM);
	asl_ooc_predict_put(&once, mine);
	if (s->from_pool)
		asl_ooc_predict_fetched(&once, leaf->length);
	asl_counts_add_times(s->x, &once, s->times * leaf->many);
	s->x->of[ASL_NVM_LIFT] += (s->times - 1) * leaf->many * mine;
	s->room = asl_max(s->room, asl_reduce_scatter_room(leaf->length,
							   l->ranks, l->rank));
}

static void accumulation_predict(struct asl_ledger *out,
				 const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	bool in = l.o->inside;
	struct asl_counts *compute = &out->in[ASL_COMPUTE];
	struct reduction s = {&out->in[ASL_REDUCE], &l,
			      in ? (uint64_t)asl_ooc_passes(&l, ASL_C) : 1, !in,
			      0};

	asl_ooc_each_size(&l, ASL_C, predict_sum, &s);
	for (int i = ASL_A; i <= ASL_B; i++)
		asl_ooc_predict_operand(compute, &l, i);
	if (!in)
		asl_ooc_predict_result(compute, &l, 1);
	asl_ooc_predict_products(compute, &l, in);
	out->pool_high = in ? 0 : asl_ooc_words(&l, ASL_C);
	for (int i = 0; i < ASL_OPERANDS; i++)
		out->pool_high += asl_ooc_owned(&l, i);
	out->memory_high = out->pool_high + room_for_share(&l) +
			   asl_ooc_rooms(&l, false) +
			   asl_max(s.room, asl_ooc_cache_tile(&l, in));
}

const struct asl_algorithm asl_ooc_accumulation_inside = {
	.name = "ooc-accumulation-inside",
	.summary = "out of core: k cut, sums over ranks tile by tile",
	.family = &asl_family_outofcore,
	.resumes = true,
	.matmul = &asl_ooc_matmul,
	.predict = accumulation_predict,
	.run = accumulation_run,
};

const struct asl_algorithm asl_ooc_accumulation_outside = {
	.name = "ooc-accumulation-outside",
	.summary = "out of core: k cut, sums over ranks at the end",
	.family = &asl_family_outofcore,
	.resumes = true,
	.matmul = &asl_ooc_matmul,
	.predict = accumulation_predict,
	.run = accumulation_run,
};

/*
 * Every rank meets all of one operand, out of core
 *
 * Of the operand that is replicated, say A, every rank owns a share of each
 * leaf. The other operand and C are cut along the index that A lacks.  A leaf
 * of A is put together in the DRAM of all ranks at once: each reads its share,
 * and they gather all shares.  Inside, that is how it is fetched; outside, all
 * leaves go to every rank's pool before, to be fetched from there.
 *
 * Per rank, with a for the words of A, and b, c for those of its B and C:
 *
 *	outside	V	(1 - 1/P) a
 *		D1	a/P + a
 *		D2	a p_A + b p_B + 2 c p_C - c
 *	inside	V	(1 - 1/P) a p_A
 *		D2	a/P p_A + b p_B + 2 c p_C - c
 */

struct replication {
	struct asl_ooc_shares shares;
	enum asl_operand which;
	const struct asl_words *own; /* of it */
};

static void gather(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	struct replication *x = w->method;
	struct asl_words all = asl_ooc_tile_words(w, t), mine, own;
	struct asl_range within = asl_ooc_share_within(&x->shares, &all);

	asl_phase(w->r, ASL_GATHER);
	own = asl_ooc_share_owned(&x->shares, w, t, x->own);
	mine = asl_slice(&all, within.first, within.count);
	asl_copy(w->r, &mine, &own);
	asl_allgather(w->r, &x->shares.all, &all);
}

static void replication_fetch(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	const struct replication *x = w->method;

	if (t->which == x->which)
		gather(w, t);
	else
		asl_ooc_fetch(w, t);
}

static void gather_to_pool(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
{
	gather(w, t);
	asl_ooc_put(w, t);
}

static void replication_inside(struct asl_ooc_walk *w)
{
	w->fetch = replication_fetch;
	asl_ooc_walk(w);
}

static void replication_outside(struct asl_ooc_walk *w)
{
	struct replication *x = w->method;
	struct asl_words *copy = &w->array[x->which];

	asl_take(w->r, copy, ASL_POOL, asl_ooc_words(w->l, x->which));
	asl_ooc_each_leaf(w, x->which, gather_to_pool);
	asl_mark_epoch(w->r, NULL, 0);
	asl_ooc_walk(w);
	asl_give(w->r, copy);
}

static void replication_run(struct asl_rank *r, const struct asl_plan *plan,
			    struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct replication x = {.which = l.o->replicated,
				.own = &own[l.o->replicated]};
	struct asl_ooc_walk w = {.r = r, .l = &l, .method = &x};

	asl_ooc_shares_take(r, &x.shares, &l, x.which);
	asl_ooc_walk_take(&w, false);
	for (int i = 0; i < ASL_OPERANDS; i++)
		w.array[i] = own[i];
	l.o->inside ? replication_inside(&w) : replication_outside(&w);
	asl_ooc_walk_give(&w);
	asl_ooc_shares_give(&x.shares);
}

/* ---- Closed forms ---- */

struct gathering {
	struct asl_counts *x;
	const struct asl_ooc_layout *l;
	uint64_t times;
	bool to_pool;
};

static void predict_gather(const struct asl_alike *leaf, void *arg)
{
	const struct gathering *g = arg;
	const struct asl_ooc_layout *l = g->l;
	struct asl_counts once = {{0}};

	asl_ooc_predict_fetched(
		&once, asl_share(leaf->length, l->ranks, l->rank).count);
	asl_predict_allgather(&once, leaf->length, l->ranks, l->rank, ASL_DRAM);
	if (g->to_pool)
		asl_ooc_predict_put(&once, leaf->length);
	asl_counts_add_times(g->x, &once, g->times * leaf->many);
}

static void replication_predict(struct asl_ledger *out,
				const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	enum asl_operand which = l.o->replicated;
	bool in = l.o->inside;
	struct asl_counts *compute = &out->in[ASL_COMPUTE];
	struct gathering g = {&out->in[ASL_GATHER], &l,
			      in ? (uint64_t)asl_ooc_passes(&l, which) : 1,
			      !in};

	asl_ooc_each_size(&l, which, predict_gather, &g);
	for (int i = ASL_A; i <= ASL_B; i++)
		if (!in || i != (int)which)
			asl_ooc_predict_operand(compute, &l, i);
	asl_ooc_predict_result(compute, &l, 1);
	asl_ooc_predict_products(compute, &l, false);
	out->pool_high = in ? 0 : asl_ooc_words(&l, which);
	for (int i = 0; i < ASL_OPERANDS; i++)
		out->pool_high += asl_ooc_owned(&l, i);
	out->memory_high = out->pool_high + asl_ooc_rooms(&l, false) +
			   asl_ooc_cache_tile(&l, false);
}

const struct asl_algorithm asl_ooc_replication_inside = {
	.name = "ooc-replication-inside",
	.summary = "out of core: all of A or B to every rank, tile by tile",
	.family = &asl_family_outofcore,
	.resumes = true,
	.matmul = &asl_ooc_matmul,
	.predict = replication_predict,
	.run = replication_run,
};

const struct asl_algorithm asl_ooc_replication_outside = {
	.name = "ooc-replication-outside",
	.summary = "out of core: all of A or B to every rank's pool first",
	.family = &asl_family_outofcore,
	.resumes = true,
	.matmul = &asl_ooc_matmul,
	.predict = replication_predict,
	.run = replication_run,
};

/*
 * What travelling round a torus counts, in closed form
 *
 * Inside, a leaf of k is cut out of each of the q parts of k, of which the
 * longer come first, so all round the torus the larger of two neighbours is,
 * summed, what all of them are and one step up.  It goes round once for each
 * product; but the last time of each pass it does not come home.  Of a longer
 * part no leaf is shorter: so sums over leaves are those of the parts.
 */

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
	uint64_t last = asl_max(c->before, c->home);

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

static void asl_ooc_rotation_inside_predict(struct asl_ledger *out,
					    const struct asl_plan *plan,
					    int rank)
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
	uint64_t rooms = asl_min(2, (uint64_t)l->q - 1);

	return rooms * across * asl_ooc_index(l, ASL_C, 0).count;
}

static void asl_ooc_rotation_outside_predict(struct asl_ledger *out,
					     const struct asl_plan *plan,
					     int rank)
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

static const struct asl_group *ring(const struct asl_ooc_layout *l,
				    enum asl_operand which)
{
	return which == ASL_A ? &l->row : &l->col;
}

/* Words to the member before, others from the next; none is no message. */
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

/* Rooms change places while tiles travel: what was taken is what is given. */
static void inside_run(struct asl_rank *r, const struct asl_plan *plan,
		       struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct asl_ooc_walk w = {.r = r, .l = &l};
	struct asl_words taken[ASL_OPERANDS];

	asl_ooc_walk_take(&w, l.q > 1);
	for (int i = 0; i < ASL_OPERANDS; i++) {
		w.array[i] = own[i];
		taken[i] = w.landing[i];
	}
	w.multiply = multiply_all_round;
	asl_ooc_walk(&w);
	for (int i = 0; i < ASL_OPERANDS; i++)
		w.landing[i] = taken[i];
	asl_ooc_walk_give(&w);
}

/* ---- Outside ---- */

/* Blocks of A and B: the owned first, then these two in turn. */
struct travel {
	struct asl_words room[2];
	int landing;
};

/* No more than come in; parts of k are largest first. */
static void take_travel(struct asl_rank *r, const struct asl_ooc_layout *l,
			struct travel *t, enum asl_operand which)
{
	uint64_t rows = asl_ooc_index(l, asl_ooc_rows(which), 0).count;
	uint64_t cols = asl_ooc_index(l, asl_ooc_cols(which), 0).count;

	for (int i = 0; i < 2 && i < l->q - 1; i++)
		asl_take(r, &t->room[i], ASL_POOL, rows * cols);
}

static void shift_block(struct asl_ooc_walk *w, struct travel *t,
			enum asl_operand which)
{
	const struct asl_ooc_layout *l = w->l;
	int next = (w->part + 1) % l->q;
	uint64_t across =
		asl_ooc_index(l, which == ASL_A ? ASL_B : ASL_A, 0).count;
	struct asl_words *here = &w->array[which];
	struct asl_words out = asl_slice(
		here, 0, across * asl_ooc_index(l, ASL_C, w->part).count);

	*here = asl_slice(&t->room[t->landing], 0,
			  across * asl_ooc_index(l, ASL_C, next).count);
	t->landing = !t->landing;
	pass(w->r, ring(l, which), &out, here);
}

static void rounds(struct asl_ooc_walk *w, struct travel *A, struct travel *B)
{
	for (int i = 0; i < w->l->q; i++) {
		if (i > 0) {
			shift_block(w, A, ASL_A);
			shift_block(w, B, ASL_B);
			w->part = (w->part + 1) % w->l->q;
		}
		w->adds = i > 0;
		asl_ooc_walk(w);
	}
}

static void outside_run(struct asl_rank *r, const struct asl_plan *plan,
			struct asl_words own[ASL_OPERANDS])
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, r->id);
	struct asl_ooc_walk w = {.r = r, .l = &l};
	struct travel A = {.landing = 0}, B = {.landing = 0};

	take_travel(r, &l, &A, ASL_A);
	take_travel(r, &l, &B, ASL_B);
	asl_ooc_walk_take(&w, false);
	for (int i = 0; i < ASL_OPERANDS; i++)
		w.array[i] = own[i];
	rounds(&w, &A, &B);
	asl_ooc_walk_give(&w);
	for (int i = 1; i >= 0; i--) {
		asl_give(r, &B.room[i]);
		asl_give(r, &A.room[i]);
	}
}

const struct asl_algorithm asl_ooc_rotation_inside = {
	.name = "ooc-rotation-inside",
	.summary = "out of core: tiles of A and B rotate on a q x q torus",
	.family = &asl_family_outofcore,
	.resumes = true,
	.matmul = &asl_ooc_matmul,
	.predict = asl_ooc_rotation_inside_predict,
	.run = inside_run,
};

const struct asl_algorithm asl_ooc_rotation_outside = {
	.name = "ooc-rotation-outside",
	.summary = "out of core: blocks rotate on a q x q torus, pool to pool",
	.family = &asl_family_outofcore,
	.resumes = true,
	.matmul = &asl_ooc_matmul,
	.predict = asl_ooc_rotation_outside_predict,
	.run = outside_run,
};
