/*
 * replication.c -- every rank meets all of one operand, out of core
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
#include "lib/outofcore/methods.h"
#include "lib/rank/collective.h"
#include "lib/rank/resume.h"

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

static void fetch(struct asl_ooc_walk *w, struct asl_ooc_tile *t)
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

static void inside(struct asl_ooc_walk *w)
{
	w->fetch = fetch;
	asl_ooc_walk(w);
}

static void outside(struct asl_ooc_walk *w)
{
	struct replication *x = w->method;
	struct asl_words *copy = &w->array[x->which];

	asl_take(w->r, copy, ASL_POOL, asl_ooc_words(w->l, x->which));
	asl_ooc_each_leaf(w, x->which, gather_to_pool);
	asl_epoch(w->r, NULL, 0);
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
	l.o->inside ? inside(&w) : outside(&w);
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
