/*
 * einsum_predict.c -- what an einsum counts, in closed form
 *
 * Apart from einsum.c on purpose: no buffers and no peers here.
 */
#include "lib/contract/stage.h"
#include "lib/rank/collective.h"

/* Words taken beside what is held all the time: the most, all and in the pool. */
struct beside {
	uint64_t all, pool;
};

static void note_held(struct beside *most, uint64_t all, uint64_t pool)
{
	most->all = asl_larger(most->all, all);
	most->pool = asl_larger(most->pool, pool);
}

static void predict_gather(struct asl_counts *x, const struct asl_stage_part *p,
			   const struct asl_words *in, struct asl_view *view)
{
	enum asl_where panels = p->plan->panels;

	for (int i = 0; i < p->inputs; i++) {
		struct asl_group g = asl_stage_group(p, i, NULL);
		struct asl_words slice = in[i];

		if (g.size > 1) {
			slice.where = panels;
			asl_predict_copy(x, panels, in[i].where, in[i].count);
			asl_predict_allgather(x, asl_stage_words(p, i), g.size,
					      g.me, panels);
		}
		view[i] = asl_view_dense(&slice, &p->stage->e.term[i], p->len);
	}
}

static void predict_part(struct asl_ledger *out, const struct asl_stage_part *p,
			 const struct asl_words *in,
			 const struct asl_words *sum, struct beside *most)
{
	struct asl_group g = asl_stage_group(p, p->inputs, NULL);
	uint64_t W = asl_stage_words(p, p->inputs);
	uint64_t panels = asl_stage_panels(p), local;
	uint64_t in_pool = p->plan->panels == ASL_POOL ? panels : 0;
	struct asl_view view[ASL_MOST_INPUTS], result;
	struct asl_words summand = {.where = sum->where};

	if (g.size > 1)
		summand = (struct asl_words){asl_stage_summands(p), W, NULL};
	predict_gather(&out->in[ASL_GATHER], p, in, view);
	result = asl_view_dense(&summand, &p->stage->e.term[p->inputs], p->len);
	local = asl_local_predict(&out->in[ASL_COMPUTE], p->plan,
				  &p->stage->local, &result, view, p->len);
	asl_predict_reduce_scatter(&out->in[ASL_REDUCE], W, g.size, g.me,
				   sum->where, summand.where);
	if (summand.where == ASL_POOL)
		in_pool += summand.count;
	note_held(most,
		  summand.count +
			  asl_larger(panels + local,
				     asl_reduce_scatter_room(W, g.size, g.me)),
		  in_pool);
}

static void predict_moves(struct asl_counts *x, const struct asl_contraction *c,
			  int stage, int rank, const struct asl_shares *s,
			  struct beside *most)
{
	const struct asl_stage *to = &c->stage[stage];

	for (int i = 0; i < to->e.inputs; i++) {
		int made = to->from[i] - c->e.inputs;
		struct asl_spread there = asl_stage_spread(to, i), here;

		if (!to->moves[i])
			continue;
		here = asl_stage_spread(&c->stage[made],
					c->stage[made].e.inputs);
		note_held(most,
			  asl_spread_predict(x, rank, c->ranks, &there,
					     s->in[stage][i].where, &here,
					     s->out[made].where),
			  0);
	}
}

/* What rank 0 scatters, and at the end gathers. */
static void predict_root(struct asl_counts *x, const struct asl_contraction *c,
			 int rank, struct beside *most)
{
	for (int i = 0; i <= c->e.inputs; i++) {
		struct asl_spread root = asl_root_spread(c, i);
		struct asl_spread mesh = asl_operand_spread(c, i);
		bool result = i == c->e.inputs;

		note_held(most,
			  asl_spread_predict(x, rank, c->ranks,
					     result ? &root : &mesh, ASL_POOL,
					     result ? &mesh : &root, ASL_POOL),
			  0);
	}
}

static uint64_t set_owned(struct asl_words *own, const struct asl_plan *plan,
			  int rank)
{
	uint64_t owned = 0;

	for (int i = 0; i <= plan->contraction->e.inputs; i++) {
		own[i] = (struct asl_words){
			ASL_POOL, asl_plan_owned(plan, rank, i), NULL};
		owned += own[i].count;
	}
	return owned;
}

void asl_einsum_predict(struct asl_ledger *out, const struct asl_plan *plan,
			int rank)
{
	const struct asl_contraction *c = plan->contraction;
	struct asl_words own[ASL_MOST_OPERANDS];
	uint64_t owned = set_owned(own, plan, rank);
	struct beside most = {0, 0};
	struct asl_shares s;

	asl_shares_measure(&s, plan, rank, own);
	if (c->on_root)
		predict_root(&out->in[ASL_EXCHANGE], c, rank, &most);
	for (int i = 0; i < c->stages; i++) {
		struct asl_stage_part p = asl_stage_part(plan, i, rank);

		predict_moves(&out->in[ASL_SHIFT], c, i, rank, &s, &most);
		if (p.works)
			predict_part(out, &p, s.in[i], &s.out[i], &most);
	}
	owned += s.beside.count;
	out->memory_high = owned + s.between.count + most.all;
	out->pool_high = owned + most.pool;
	if (plan->panels == ASL_POOL)
		out->pool_high += s.between.count;
}
