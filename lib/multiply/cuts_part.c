/*
 * cuts_part.c -- a rank's cells, and its way through them
 */
#include <errno.h>

#include "lib/multiply/cuts.h"
#include "lib/rank/resume.h"

/* ---- A rank's part ---- */

void asl_cuts_begin(struct asl_cuts_part *x, const struct asl_plan *plan,
		    int rank)
{
	*x = (struct asl_cuts_part){
		.plan = plan,
		.l = asl_cuts_take(plan),
		.rank = rank,
	};
	if (!x->l || rank >= x->l->used)
		return;
	x->box = x->l->box[rank];
	x->cells = x->l->first[rank + 1] - x->l->first[rank];
}

void asl_cuts_end(struct asl_cuts_part *x)
{
	asl_cuts_give(x->l);
}

const struct asl_cuts_cell *asl_cuts_cell(const struct asl_cuts_part *x, int i)
{
	return &x->l->cell[x->l->mine[x->l->first[x->rank] + i]];
}

struct asl_group asl_cuts_group(const struct asl_cuts_part *x,
				const struct asl_cuts_cell *cell)
{
	struct asl_group g = {.size = cell->size, .list = cell->rank};

	while (g.list[g.me] != x->rank)
		g.me++;
	return g;
}

struct asl_range asl_cuts_share(const struct asl_cuts_part *x,
				const struct asl_cuts_cell *cell)
{
	struct asl_group g = asl_cuts_group(x, cell);

	return asl_share(asl_cuts_words(cell), g.size, g.me);
}

bool asl_cuts_piece(struct asl_piece *piece, const struct asl_cuts_part *x,
		    enum asl_operand which, int i)
{
	for (int j = 0; j < x->cells; j++) {
		const struct asl_cuts_cell *cell = asl_cuts_cell(x, j);

		if (cell->which != which || i-- > 0)
			continue;
		*piece = asl_whole_piece(cell->rows, cell->cols);
		piece->words = asl_cuts_share(x, cell);
		return true;
	}
	return false;
}

/* ---- One way or the other ---- */

struct asl_words asl_cuts_next(struct asl_words *rest, uint64_t count)
{
	struct asl_words next = asl_slice(rest, 0, count);

	*rest = asl_slice(rest, count, rest->count - count);
	return next;
}

bool asl_cuts_owns(struct asl_piece *piece, const struct asl_plan *plan,
		   int rank, enum asl_operand which, int i,
		   const struct asl_cuts_way *way)
{
	struct asl_cuts_part x;
	bool owns;

	*piece = (struct asl_piece){0};
	asl_cuts_begin(&x, plan, rank);
	owns = which == ASL_C ? way->owns(piece, &x, i)
			      : asl_cuts_piece(piece, &x, which, i);
	asl_cuts_end(&x);
	return owns;
}

void asl_cuts_run(struct asl_rank *r, const struct asl_plan *plan,
		  const struct asl_words own[ASL_OPERANDS],
		  const struct asl_cuts_way *way)
{
	struct asl_cuts_faces faces;
	struct asl_cuts_part x;

	asl_cuts_begin(&x, plan, r->id);
	if (!x.l)
		asl_rank_fail(r, -ENOMEM, "no memory for the boxes of %d ranks",
			      plan->ranks);
	if (x.cells) {
		asl_cuts_gather(r, &x, &faces, own);
		way->run(r, &x, &faces, &own[ASL_C]);
	}
	for (int i = 0; !x.cells && i < way->marks; i++)
		asl_epoch(r, NULL, 0);
	asl_cuts_end(&x);
}

static uint64_t inputs_owned(const struct asl_cuts_part *x)
{
	uint64_t words = 0;

	for (int i = 0; i < x->cells; i++)
		if (asl_cuts_cell(x, i)->which != ASL_C)
			words += asl_cuts_share(x, asl_cuts_cell(x, i)).count;
	return words;
}

static void predict(struct asl_ledger *out, const struct asl_cuts_part *x,
		    const struct asl_cuts_way *way)
{
	struct asl_cuts_rooms rooms =
		asl_cuts_predict_gather(&out->in[ASL_GATHER], x);
	struct asl_cuts_held C = way->predict(out, x);
	uint64_t own = inputs_owned(x) + C.own;
	uint64_t gathering = rooms.panels + rooms.beside;
	uint64_t multiplying = rooms.panels + C.summands + C.multiplying;
	uint64_t reducing = C.summands + C.reducing;

	out->memory_high =
		own + asl_larger(gathering, asl_larger(multiplying, reducing));
	out->pool_high = own + C.summands +
			 (x->plan->panels == ASL_POOL ? rooms.panels : 0);
}

void asl_cuts_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank, const struct asl_cuts_way *way)
{
	struct asl_cuts_part x;

	asl_cuts_begin(&x, plan, rank);
	if (x.cells)
		predict(out, &x, way);
	asl_cuts_end(&x);
}

/* ---- What does not depend on the way ---- */

void asl_cuts_ideal(double p[3], const struct asl_plan *plan)
{
	uint64_t all = plan->shape.m * plan->shape.n * plan->shape.k;

	p[0] = (double)asl_least(all, (uint64_t)plan->ranks);
	p[1] = p[2] = 1;
}

bool asl_cuts_works_on(const struct asl_grid *g)
{
	return g->p[1] == 1 && g->p[2] == 1;
}

uint64_t asl_cuts_flops(const struct asl_plan *plan)
{
	struct asl_cuts_layout *l = asl_cuts_take(plan);
	uint64_t flops = l ? 2 * asl_cuts_largest(l) : 0;

	asl_cuts_give(l);
	return flops;
}
