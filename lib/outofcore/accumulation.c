/*
 * accumulation.c -- every rank has a summand of all of C, out of core
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
#include "lib/outofcore/methods.h"
#include "lib/rank/collective.h"
#include "lib/rank/resume.h"

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
	asl_save(w->r, &place);
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
	s->room = asl_larger(s->room, asl_reduce_scatter_room(
					      leaf->length, l->ranks, l->rank));
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
			   asl_larger(s.room, asl_ooc_cache_tile(&l, in));
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
