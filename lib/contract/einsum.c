/*
 * einsum.c -- an einsum of any number of inputs over many ranks
 *
 * Per stage (contract.h) and rank, with g_i parts of index i of length n_i, G_t
 * the product of the g_i of the indices that term t lacks, and W_t the words of
 * the rank's slice of t:
 *
 *	gather	an allgather of every input's slice over the G_t ranks that
 *		share it
 *	compute	the einsum of the slices, in steps, into the pool
 *	reduce	a reduce_scatter over the G_t ranks that have summands of one
 *		slice of the output
 *
 *	B_h	sum over terms of (1 - 1/G_t) W_t
 *	owned	sum over terms of (product of n_i) / P
 *
 * Between stages intermediates, which lie where panels do, move to where they
 * are needed (shift).  With everything on rank 0, operands are scattered first
 * and the result is gathered at the end (exchange).
 *
 * For matrix multiplication and MTTKRP the mesh of fewest words is that of
 * M. Zorca, D. Trujillo, B. Egeli, Near-optimal parallel tensor contractions,
 * which derives it from G. Kwasniewski et al., Pebbles, graphs, and a pinch of
 * combinatorics, 2021.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/contract/contract.h"
#include "lib/multiply/brick.h"
#include "lib/rank/collective.h"
#include "lib/rank/resume.h"

/* ---- Spreads of operands ---- */

/* Where an operand is used, or the output is made. */
static struct asl_spread spread_on_mesh(const struct asl_contraction *c,
					int operand)
{
	const struct asl_stage *x = &c->stage[c->stages - 1];
	int term = x->e.inputs;

	for (int i = 0; operand < c->e.inputs && i < c->stages; i++)
		for (int j = 0; j < c->stage[i].e.inputs; j++)
			if (c->stage[i].from[j] == operand) {
				x = &c->stage[i];
				term = j;
			}
	return asl_stage_spread(x, term);
}

static struct asl_spread spread_on_root(const struct asl_contraction *c,
					int operand)
{
	return (struct asl_spread){&c->e, &c->e.term[operand], NULL};
}

struct asl_spread asl_contraction_spread(const struct asl_contraction *c,
					 int operand)
{
	return c->on_root ? spread_on_root(c, operand)
			  : spread_on_mesh(c, operand);
}

/*
 * A rank's shares: its words of all inputs and outputs of all stages
 *
 * Two pieces of main memory hold those that are no operand's: `beside` the
 * operands in the pool, if these are on rank 0; and `between` stages, where
 * panels are.
 */

struct piece {
	struct asl_words all;
	uint64_t used; /* words cut off so far */
};

struct shares {
	const struct asl_contraction *c;
	const struct asl_words *own;
	int rank;
	struct asl_words in[ASL_MOST_INPUTS][ASL_MOST_INPUTS]; /* [stage] */
	struct asl_words out[ASL_MOST_INPUTS];
	struct piece beside, between;
};

static struct asl_words cut(const struct shares *s, struct piece *piece,
			    const struct asl_stage *x, int term)
{
	struct asl_spread spread = asl_stage_spread(x, term);
	uint64_t words = asl_spread_run(&spread, s->rank).words.count;

	piece->used += words;
	return asl_slice(&piece->all, piece->used - words, words);
}

static struct asl_words input(struct shares *s, const struct asl_stage *x,
			      int term)
{
	int from = x->from[term];

	if (x->moves[term])
		return cut(s, &s->between, x, term);
	if (from >= s->c->e.inputs)
		return s->out[from - s->c->e.inputs];
	return s->c->on_root ? cut(s, &s->beside, x, term) : s->own[from];
}

static struct asl_words output(struct shares *s, const struct asl_stage *x,
			       bool last)
{
	if (!last)
		return cut(s, &s->between, x, x->e.inputs);
	return s->c->on_root ? cut(s, &s->beside, x, x->e.inputs)
			     : s->own[s->c->e.inputs];
}

static void cut_all(struct shares *s)
{
	s->beside.used = s->between.used = 0;
	for (int i = 0; i < s->c->stages; i++) {
		const struct asl_stage *x = &s->c->stage[i];

		for (int j = 0; j < x->e.inputs; j++)
			s->in[i][j] = input(s, x, j);
		s->out[i] = output(s, x, i == s->c->stages - 1);
	}
}

/* The counts of the pieces; the shares have no addresses. */
static void measure_shares(struct shares *s, const struct asl_plan *plan,
			   int rank, const struct asl_words *own)
{
	*s = (struct shares){
		.c = plan->contraction,
		.own = own,
		.rank = rank,
		.beside.all.where = ASL_POOL,
		.between.all.where = plan->panels,
	};
	cut_all(s);
	s->beside.all.count = s->beside.used;
	s->between.all.count = s->between.used;
}

/* ---- A rank's part of a stage ---- */

struct part {
	const struct asl_plan *plan;
	const struct asl_stage *stage;
	int rank, inputs;
	bool works; /* the rank has a cell */
	bool last;  /* it is the last stage */
	struct asl_cell cell;
	uint64_t len[ASL_MOST_INDICES]; /* of the cell */
};

static struct part part_of(const struct asl_plan *plan, int stage, int rank)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_stage *x = &c->stage[stage];
	struct part p = {
		.plan = plan,
		.stage = x,
		.rank = rank,
		.inputs = x->e.inputs,
		.works = rank < asl_mesh_ranks(&x->e, &x->mesh),
		.last = stage == c->stages - 1,
		.cell = asl_mesh_cell(&x->e, &x->mesh, rank),
	};

	for (int i = 0; i < x->e.indices; i++)
		p.len[i] = p.cell.of[i].count;
	return p;
}

/* The ranks that share the slice of a term; `list` as in spread.h. */
static struct asl_group group_of(const struct part *p, int term, int *list)
{
	struct asl_spread s = asl_stage_spread(p->stage, term);

	return asl_spread_group(&s, p->rank, list);
}

static uint64_t slice_words(const struct part *p, int term)
{
	return asl_cell_words(&p->cell, &p->stage->e.term[term]);
}

/* Panels hold the slices that are shared with other ranks. */
static uint64_t panel_words(const struct part *p)
{
	uint64_t words = 0;

	for (int i = 0; i < p->inputs; i++)
		if (group_of(p, i, NULL).size > 1)
			words += slice_words(p, i);
	return words;
}

/* Where summands of the output lie before they are added. */
static enum asl_where where_summands(const struct part *p)
{
	return p->last ? ASL_POOL : p->plan->panels;
}

/* ---- Predict: no buffers and no peers ---- */

/* Maxima of the words held for a while: in all, and in the pool. */
struct scratch {
	uint64_t all, pool;
};

static void note_scratch(struct scratch *most, uint64_t all, uint64_t pool)
{
	most->all = asl_max(most->all, all);
	most->pool = asl_max(most->pool, pool);
}

static void predict_gather(struct asl_counts *x, const struct part *p,
			   const struct asl_words *in, struct asl_view *view)
{
	enum asl_where panels = p->plan->panels;

	for (int i = 0; i < p->inputs; i++) {
		struct asl_group g = group_of(p, i, NULL);
		struct asl_words slice = in[i];

		if (g.size > 1) {
			slice.where = panels;
			asl_predict_copy(x, panels, in[i].where, in[i].count);
			asl_predict_allgather(x, slice_words(p, i), g.size,
					      g.me, panels);
		}
		view[i] = asl_view_dense(&slice, &p->stage->e.term[i], p->len);
	}
}

static void predict_part(struct asl_ledger *out, const struct part *p,
			 const struct asl_words *in,
			 const struct asl_words *sum, struct scratch *most)
{
	struct asl_group g = group_of(p, p->inputs, NULL);
	uint64_t W = slice_words(p, p->inputs);
	uint64_t panels = panel_words(p), local;
	uint64_t in_pool = p->plan->panels == ASL_POOL ? panels : 0;
	struct asl_view view[ASL_MOST_INPUTS], result;
	struct asl_words summand = {.where = sum->where};

	if (g.size > 1)
		summand = (struct asl_words){where_summands(p), W, NULL};
	predict_gather(&out->in[ASL_GATHER], p, in, view);
	result = asl_view_dense(&summand, &p->stage->e.term[p->inputs], p->len);
	local = asl_local_predict(&out->in[ASL_COMPUTE], p->plan,
				  &p->stage->local, &result, view, p->len);
	asl_predict_reduce_scatter(&out->in[ASL_REDUCE], W, g.size, g.me,
				   sum->where, summand.where);
	if (summand.where == ASL_POOL)
		in_pool += summand.count;
	note_scratch(most,
		     summand.count +
			     asl_max(panels + local, asl_reduce_scatter_scratch(
							     W, g.size, g.me)),
		     in_pool);
}

static void predict_moves(struct asl_counts *counts,
			  const struct asl_contraction *c, int stage, int rank,
			  const struct shares *s, struct scratch *most)
{
	const struct asl_stage *x = &c->stage[stage];
	struct asl_spread to, from;

	for (int i = 0; i < x->e.inputs; i++)
		if (x->moves[i] && asl_stage_origin(&to, &from, c, x, i))
			note_scratch(
				most,
				asl_spread_predict(
					counts, rank, c->ranks, &to,
					s->in[stage][i].where, &from,
					s->out[x->from[i] - c->e.inputs].where),
				0);
}

/* Rank 0 scatters the operands, and gathers the result at the end. */
static void predict_root(struct asl_counts *x, const struct asl_contraction *c,
			 int rank, struct scratch *most)
{
	for (int i = 0; i <= c->e.inputs; i++) {
		struct asl_spread root = spread_on_root(c, i);
		struct asl_spread mesh = spread_on_mesh(c, i);
		bool result = i == c->e.inputs;

		note_scratch(
			most,
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

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	const struct asl_contraction *c = plan->contraction;
	struct asl_words own[ASL_MOST_OPERANDS];
	uint64_t owned = set_owned(own, plan, rank);
	struct scratch most = {0, 0};
	struct shares s;

	measure_shares(&s, plan, rank, own);
	if (c->on_root)
		predict_root(&out->in[ASL_EXCHANGE], c, rank, &most);
	for (int i = 0; i < c->stages; i++) {
		struct part p = part_of(plan, i, rank);

		predict_moves(&out->in[ASL_SHIFT], c, i, rank, &s, &most);
		if (p.works)
			predict_part(out, &p, s.in[i], &s.out[i], &most);
	}
	owned += s.beside.used;
	out->memory_high = owned + s.between.used + most.all;
	out->pool_high = owned + most.pool;
	if (plan->panels == ASL_POOL)
		out->pool_high += s.between.used;
}

/* ---- Run a stage ---- */

/* Slices of this rank alone stay where they are; the others go into panels. */
static void gather(struct asl_rank *r, const struct part *p,
		   const struct asl_words *in, const struct asl_words *panels,
		   int *list, struct asl_view *view)
{
	uint64_t done = 0;

	asl_phase(r, ASL_GATHER);
	for (int i = 0; i < p->inputs; i++) {
		struct asl_group g = group_of(p, i, list);
		struct asl_words slice = in[i];

		if (g.size > 1) {
			slice = asl_slice(panels, done, slice_words(p, i));
			asl_brick_gather(r, &g, &slice, &in[i]);
			done += slice.count;
		}
		view[i] = asl_view_dense(&slice, &p->stage->e.term[i], p->len);
	}
}

static void compute(struct asl_rank *r, const struct part *p,
		    const struct asl_words *out, const struct asl_view *in)
{
	struct asl_view result =
		asl_view_dense(out, &p->stage->e.term[p->inputs], p->len);

	asl_phase(r, ASL_COMPUTE);
	asl_local_run(r, p->plan, &p->stage->local, &result, in, p->len);
}

/* Every rank passes this mark, with a cell or without. */
static void mark_computed(struct asl_rank *r, const struct shares *s,
			  const struct asl_words *summands)
{
	struct asl_words live[] = {s->between.all, *summands};

	asl_mark_epoch(r, live, 2);
}

/* The list serves one group after another. */
static void run_part(struct asl_rank *r, const struct part *p, struct shares *s,
		     int stage, int *list)
{
	const struct asl_words nothing = {.where = ASL_DRAM};
	const struct asl_words *in = s->in[stage];
	struct asl_words *out = &s->out[stage];
	bool summands = group_of(p, p->inputs, NULL).size > 1;
	struct asl_view view[ASL_MOST_INPUTS];
	struct asl_words sum = *out, panels;
	struct asl_group g;

	if (summands)
		asl_take(r, &sum, where_summands(p), slice_words(p, p->inputs));
	asl_take(r, &panels, p->plan->panels, panel_words(p));
	gather(r, p, in, &panels, list, view);
	compute(r, p, &sum, view);
	asl_give(r, &panels);
	mark_computed(r, s, summands ? &sum : &nothing);
	if (!summands)
		return;
	asl_phase(r, ASL_REDUCE);
	g = group_of(p, p->inputs, list);
	asl_reduce_scatter(r, &g, out, &sum);
	asl_give(r, &sum);
}

/* ---- Run all stages ---- */

static void move_inputs(struct asl_rank *r, const struct asl_contraction *c,
			int stage, struct shares *s)
{
	const struct asl_stage *x = &c->stage[stage];
	struct asl_spread to, from;

	asl_phase(r, ASL_SHIFT);
	for (int i = 0; i < x->e.inputs; i++)
		if (x->moves[i] && asl_stage_origin(&to, &from, c, x, i))
			asl_spread_move(r, c->ranks, &to, &s->in[stage][i],
					&from,
					&s->out[x->from[i] - c->e.inputs]);
}

static void scatter(struct asl_rank *r, const struct asl_contraction *c,
		    struct shares *s, const struct asl_words *own)
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
			from = spread_on_root(c, operand);
			asl_spread_move(r, c->ranks, &to, &s->in[i][j], &from,
					&own[operand]);
		}
}

static void gather_result(struct asl_rank *r, const struct asl_contraction *c,
			  const struct shares *s, struct asl_words *own)
{
	int out = c->e.inputs;
	struct asl_spread from = spread_on_mesh(c, out);
	struct asl_spread to = spread_on_root(c, out);

	asl_phase(r, ASL_EXCHANGE);
	asl_spread_move(r, c->ranks, &to, &own[out], &from,
			&s->out[c->stages - 1]);
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_words nothing = {.where = ASL_DRAM};
	struct shares s;
	int *list = calloc((size_t)c->ranks, sizeof *list);

	if (!list)
		asl_rank_fail(r, -ENOMEM, "no memory for a list of %d ranks",
			      c->ranks);
	measure_shares(&s, plan, r->id, own);
	asl_take(r, &s.beside.all, ASL_POOL, s.beside.used);
	asl_take(r, &s.between.all, plan->panels, s.between.used);
	cut_all(&s);
	if (c->on_root)
		scatter(r, c, &s, own);
	for (int i = 0; !r->err && i < c->stages; i++) {
		struct part p = part_of(plan, i, r->id);

		move_inputs(r, c, i, &s);
		if (p.works)
			run_part(r, &p, &s, i, list);
		else
			mark_computed(r, &s, &nothing);
	}
	if (c->on_root)
		gather_result(r, c, &s, own);
	asl_give(r, &s.between.all);
	asl_give(r, &s.beside.all);
	free(list);
}

const struct asl_algorithm asl_contract_einsum = {
	.name = "einsum",
	.summary = "any contraction, on the mesh of fewest network words",
	.family = &asl_family_contract,
	.resumes = true,
	.predict = predict,
	.run = run,
};
