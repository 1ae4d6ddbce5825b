/*
 * einsum.c -- an einsum of any number of inputs over many ranks
 *
 * Per stage (contract.h) and rank, with g_i parts of index i of length n_i, G_t
 * the product of the g_i of indices that term t has not, W_t the words of the
 * rank's slice of t:
 *
 *	gather	every input's slice, by an allgather over the G_t ranks that
 *		share it
 *	compute	the slices' einsum, in pairs (local.h), into the pool
 *	reduce	the G_t ranks that have summands of one slice of the output add
 *		them up, each keeping a share
 *
 *	B_h	sum over terms of (1 - 1/G_t) W_t
 *	owned	sum over terms of (product of n_i) / P
 *
 * Between stages intermediates move to where they are needed (shift), and with
 * everything on rank 0 operands are scattered first and the result is gathered
 * at the end (exchange).  Intermediates lie where panels do.
 *
 * For matrix multiplication and MTTKRP the mesh of fewest words is that of
 * M. Zorca, D. Trujillo, B. Egeli, Near-optimal parallel tensor contractions,
 * which derives it from G. Kwasniewski et al., Pebbles, graphs, and a pinch of
 * combinatorics, 2021.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/contract/stage.h"
#include "lib/multiply/brick.h"
#include "lib/rank/resume.h"

/* ---- A stage ---- */

/* Slices that nobody shares stay where they are; the others go into panels. */
static void gather(struct asl_rank *r, const struct asl_stage_part *p,
		   const struct asl_words *in, const struct asl_words *panels,
		   int *list, struct asl_view *view)
{
	uint64_t done = 0;

	asl_phase(r, ASL_GATHER);
	for (int i = 0; i < p->inputs; i++) {
		struct asl_group g = asl_stage_group(p, i, list);
		struct asl_words slice = in[i];

		if (g.size > 1) {
			slice = asl_slice(panels, done, asl_stage_words(p, i));
			asl_brick_gather(r, &g, &slice, &in[i]);
			done += slice.count;
		}
		view[i] = asl_view_dense(&slice, &p->stage->e.term[i], p->len);
	}
}

static void compute(struct asl_rank *r, const struct asl_stage_part *p,
		    const struct asl_words *out, const struct asl_view *in)
{
	struct asl_view result =
		asl_view_dense(out, &p->stage->e.term[p->inputs], p->len);

	asl_phase(r, ASL_COMPUTE);
	asl_local_run(r, p->plan, &p->stage->local, &result, in, p->len);
}

/* A mark, that every rank passes, with a cell or without. */
static void computed(struct asl_rank *r, const struct asl_shares *s,
		     const struct asl_words *summands)
{
	struct asl_words live[] = {s->between, *summands};

	asl_epoch(r, live, 2);
}

/* The list serves one group after another. */
static void run_part(struct asl_rank *r, const struct asl_stage_part *p,
		     struct asl_shares *s, int stage, int *list)
{
	const struct asl_words nothing = {.where = ASL_DRAM};
	const struct asl_words *in = s->in[stage];
	struct asl_words *out = &s->out[stage];
	bool summands = asl_stage_group(p, p->inputs, NULL).size > 1;
	struct asl_view view[ASL_MOST_INPUTS];
	struct asl_words sum = *out, panels;
	struct asl_group g;

	if (summands)
		asl_take(r, &sum, asl_stage_summands(p),
			 asl_stage_words(p, p->inputs));
	asl_take(r, &panels, p->plan->panels, asl_stage_panels(p));
	gather(r, p, in, &panels, list, view);
	compute(r, p, &sum, view);
	asl_give(r, &panels);
	computed(r, s, summands ? &sum : &nothing);
	if (!summands)
		return;
	asl_phase(r, ASL_REDUCE);
	g = asl_stage_group(p, p->inputs, list);
	asl_reduce_scatter(r, &g, out, &sum);
	asl_give(r, &sum);
}

/* ---- Between stages ---- */

static void move_inputs(struct asl_rank *r, const struct asl_contraction *c,
			int stage, struct asl_shares *s)
{
	const struct asl_stage *x = &c->stage[stage];

	asl_phase(r, ASL_SHIFT);
	for (int i = 0; i < x->e.inputs; i++) {
		int made = x->from[i] - c->e.inputs;
		struct asl_spread to = asl_stage_spread(x, i), from;

		if (!x->moves[i])
			continue;
		from = asl_stage_spread(&c->stage[made],
					c->stage[made].e.inputs);
		asl_spread_move(r, c->ranks, &to, &s->in[stage][i], &from,
				&s->out[made]);
	}
}

static void scatter(struct asl_rank *r, const struct asl_contraction *c,
		    struct asl_shares *s, const struct asl_words *own)
{
	asl_phase(r, ASL_EXCHANGE);
	for (int i = 0; i < c->stages; i++)
		for (int j = 0; j < c->stage[i].e.inputs; j++) {
			int operand = c->stage[i].from[j];
			struct asl_spread to =
				asl_stage_spread(&c->stage[i], j);
			struct asl_spread from;

			if (operand >= c->e.inputs)
				continue;
			from = asl_root_spread(c, operand);
			asl_spread_move(r, c->ranks, &to, &s->in[i][j], &from,
					&own[operand]);
		}
}

static void gather_result(struct asl_rank *r, const struct asl_contraction *c,
			  const struct asl_shares *s, struct asl_words *own)
{
	int last = c->stages - 1, out = c->e.inputs;
	struct asl_spread from =
		asl_stage_spread(&c->stage[last], c->stage[last].e.inputs);
	struct asl_spread to = asl_root_spread(c, out);

	asl_phase(r, ASL_EXCHANGE);
	asl_spread_move(r, c->ranks, &to, &own[out], &from, &s->out[last]);
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_words nothing = {.where = ASL_DRAM};
	struct asl_shares s;
	int *list = calloc((size_t)c->ranks, sizeof *list);

	if (!list)
		asl_rank_fail(r, -ENOMEM, "no memory for a list of %d ranks",
			      c->ranks);
	asl_shares_measure(&s, plan, r->id, own);
	asl_take(r, &s.beside, s.beside.where, s.beside.count);
	asl_take(r, &s.between, s.between.where, s.between.count);
	asl_shares_cut(&s, plan, r->id, own);
	if (c->on_root)
		scatter(r, c, &s, own);
	for (int i = 0; !r->err && i < c->stages; i++) {
		struct asl_stage_part p = asl_stage_part(plan, i, r->id);

		move_inputs(r, c, i, &s);
		if (p.works)
			run_part(r, &p, &s, i, list);
		else
			computed(r, &s, &nothing);
	}
	if (c->on_root)
		gather_result(r, c, &s, own);
	asl_give(r, &s.between);
	asl_give(r, &s.beside);
	free(list);
}

const struct asl_algorithm asl_contract_einsum = {
	.name = "einsum",
	.summary = "any contraction, on the mesh of fewest network words",
	.family = &asl_family_contract,
	.resumes = true,
	.predict = asl_einsum_predict,
	.run = run,
};
