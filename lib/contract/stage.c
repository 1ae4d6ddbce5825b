/*
 * stage.c -- where a rank's shares lie, and what it has of a stage
 */
#include "lib/contract/stage.h"

/* ---- Shares ---- */

struct asl_spread asl_stage_spread(const struct asl_stage *x, int term)
{
	return (struct asl_spread){&x->e, &x->e.term[term], &x->mesh};
}

struct asl_spread asl_operand_spread(const struct asl_contraction *c,
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

struct asl_spread asl_root_spread(const struct asl_contraction *c, int operand)
{
	return (struct asl_spread){&c->e, &c->e.term[operand], NULL};
}

/* What has been cut off a piece so far. */
struct cutter {
	struct asl_shares *s;
	const struct asl_contraction *c;
	const struct asl_words *own;
	int rank;
	uint64_t beside, between;
};

static struct asl_words cut(const struct asl_words *piece, uint64_t *done,
			    const struct asl_stage *x, int term, int rank)
{
	struct asl_spread spread = asl_stage_spread(x, term);
	uint64_t words = asl_spread_run(&spread, rank).words.count;

	*done += words;
	return asl_slice(piece, *done - words, words);
}

static struct asl_words input(struct cutter *k, const struct asl_stage *x,
			      int term)
{
	int from = x->from[term];

	if (x->moves[term])
		return cut(&k->s->between, &k->between, x, term, k->rank);
	if (from >= k->c->e.inputs)
		return k->s->out[from - k->c->e.inputs];
	if (k->c->on_root)
		return cut(&k->s->beside, &k->beside, x, term, k->rank);
	return k->own[from];
}

static struct asl_words output(struct cutter *k, const struct asl_stage *x,
			       bool last)
{
	if (!last)
		return cut(&k->s->between, &k->between, x, x->e.inputs,
			   k->rank);
	if (k->c->on_root)
		return cut(&k->s->beside, &k->beside, x, x->e.inputs, k->rank);
	return k->own[k->c->e.inputs];
}

static struct cutter cut_all(struct asl_shares *s, const struct asl_plan *plan,
			     int rank, const struct asl_words *own)
{
	const struct asl_contraction *c = plan->contraction;
	struct cutter k = {.s = s, .c = c, .own = own, .rank = rank};

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];

		for (int j = 0; j < x->e.inputs; j++)
			s->in[i][j] = input(&k, x, j);
		s->out[i] = output(&k, x, i == c->stages - 1);
	}
	return k;
}

void asl_shares_measure(struct asl_shares *s, const struct asl_plan *plan,
			int rank, const struct asl_words *own)
{
	struct cutter k;

	s->beside = (struct asl_words){.where = ASL_POOL};
	s->between = (struct asl_words){.where = plan->panels};
	k = cut_all(s, plan, rank, own);
	s->beside.count = k.beside;
	s->between.count = k.between;
}

void asl_shares_cut(struct asl_shares *s, const struct asl_plan *plan, int rank,
		    const struct asl_words *own)
{
	cut_all(s, plan, rank, own);
}

/* ---- A stage ---- */

struct asl_stage_part asl_stage_part(const struct asl_plan *plan, int stage,
				     int rank)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_stage *x = &c->stage[stage];
	struct asl_stage_part p = {
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

struct asl_group asl_stage_group(const struct asl_stage_part *p, int term,
				 int *list)
{
	const struct asl_stage *x = p->stage;

	return asl_mesh_group(&x->e, &x->mesh, &x->e.term[term], p->rank, list);
}

uint64_t asl_stage_words(const struct asl_stage_part *p, int term)
{
	return asl_cell_words(&p->cell, &p->stage->e.term[term]);
}

uint64_t asl_stage_panels(const struct asl_stage_part *p)
{
	uint64_t words = 0;

	for (int i = 0; i < p->inputs; i++)
		if (asl_stage_group(p, i, NULL).size > 1)
			words += asl_stage_words(p, i);
	return words;
}

enum asl_where asl_stage_summands(const struct asl_stage_part *p)
{
	return p->last ? ASL_POOL : p->plan->panels;
}
