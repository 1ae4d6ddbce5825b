/*
 * cuts_faces.c -- a rank's faces of A and B, made whole cell by cell
 *
 * A cell that is as wide as the face is a run of its words, and is gathered in
 * place.  Any other is gathered beside it, in DRAM, and copied to where it
 * belongs.
 */
#include "lib/multiply/cuts.h"

/*
 * Does nobody else need any of it?  Then it is a cell of its own.  (To own all of
 * its words is something else: one word has an owner, however many need it.)
 */
bool asl_cuts_owns_face(const struct asl_cuts_part *x, enum asl_operand which)
{
	for (int i = 0; i < x->cells; i++)
		if (asl_cuts_cell(x, i)->which == which)
			return asl_cuts_cell(x, i)->size == 1;
	return true;
}

static enum asl_where face_where(const struct asl_cuts_part *x,
				 enum asl_operand which)
{
	return asl_cuts_owns_face(x, which) ? ASL_POOL : x->plan->panels;
}

bool asl_cuts_is_run(const struct asl_cuts_part *x,
		     const struct asl_cuts_cell *cell)
{
	return cell->cols.count ==
	       asl_cuts_face(&x->box, cell->which).cols.count;
}

static void take_face(struct asl_rank *r, const struct asl_cuts_part *x,
		      struct asl_cuts_faces *faces, enum asl_operand which,
		      const struct asl_words *own)
{
	struct asl_piece face = asl_cuts_face(&x->box, which);
	struct asl_words *panel = &faces->panel[which];

	*panel = (struct asl_words){0};
	if (!asl_cuts_owns_face(x, which)) {
		asl_take(r, panel, x->plan->panels, face.words.count);
		own = panel;
	}
	faces->of[which] = asl_as_block(own, face.rows.count, face.cols.count);
}

struct asl_block asl_cuts_in_face(const struct asl_cuts_part *x,
				  const struct asl_block *face,
				  const struct asl_cuts_cell *cell)
{
	struct asl_piece whole = asl_cuts_face(&x->box, cell->which);

	return asl_sub_block(face, cell->rows.first - whole.rows.first,
			     cell->cols.first - whole.cols.first,
			     cell->rows.count, cell->cols.count);
}

static void gather_cell(struct asl_rank *r, const struct asl_cuts_part *x,
			const struct asl_block *face,
			const struct asl_cuts_cell *cell,
			const struct asl_words *own)
{
	struct asl_group g = asl_cuts_group(x, cell);
	struct asl_block place = asl_cuts_in_face(x, face, cell), from;
	struct asl_words all = {place.where, asl_cuts_words(cell), place.at};

	if (asl_cuts_is_run(x, cell)) {
		asl_brick_gather(r, &g, &all, own);
		return;
	}
	asl_take(r, &all, ASL_DRAM, asl_cuts_words(cell));
	asl_brick_gather(r, &g, &all, own);
	from = asl_as_block(&all, cell->rows.count, cell->cols.count);
	asl_copy_block(r, &place, &from);
	asl_give(r, &all);
}

void asl_cuts_gather(struct asl_rank *r, const struct asl_cuts_part *x,
		     struct asl_cuts_faces *faces,
		     const struct asl_words own[ASL_OPERANDS])
{
	struct asl_words rest[] = {own[ASL_A], own[ASL_B]};

	asl_phase(r, ASL_GATHER);
	for (int i = ASL_A; i <= ASL_B; i++)
		take_face(r, x, faces, i, &own[i]);
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = asl_cuts_cell(x, i);
		enum asl_operand which = cell->which;
		struct asl_words mine;

		if (which == ASL_C || cell->size == 1)
			continue;
		mine = asl_cuts_next(&rest[which],
				     asl_cuts_share(x, cell).count);
		gather_cell(r, x, &faces->of[which], cell, &mine);
	}
}

void asl_cuts_give_faces(struct asl_rank *r, struct asl_cuts_faces *faces)
{
	asl_give(r, &faces->panel[ASL_B]);
	asl_give(r, &faces->panel[ASL_A]);
}

/* Returns the words that are held beside the panel. */
static uint64_t predict_cell(struct asl_counts *counts,
			     const struct asl_cuts_part *x,
			     const struct asl_cuts_cell *cell)
{
	struct asl_group g = asl_cuts_group(x, cell);
	enum asl_where panels = x->plan->panels;
	uint64_t W = asl_cuts_words(cell);

	if (asl_cuts_is_run(x, cell)) {
		asl_brick_predict_gather(counts, W, &g, panels);
		return 0;
	}
	asl_brick_predict_gather(counts, W, &g, ASL_DRAM);
	counts->of[ASL_BOUNCE_READ] += W;
	counts->of[panels == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE] += W;
	return W;
}

struct asl_cuts_rooms asl_cuts_predict_gather(struct asl_counts *counts,
					      const struct asl_cuts_part *x)
{
	struct asl_cuts_rooms rooms = {0};

	for (int i = ASL_A; i <= ASL_B; i++)
		if (!asl_cuts_owns_face(x, i))
			rooms.panels += asl_cuts_face(&x->box, i).words.count;
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = asl_cuts_cell(x, i);

		if (cell->which != ASL_C && cell->size > 1)
			rooms.beside = asl_larger(
				rooms.beside, predict_cell(counts, x, cell));
	}
	return rooms;
}

/* ---- Products ---- */

struct asl_product asl_cuts_product(const struct asl_cuts_part *x,
				    struct asl_range rows,
				    struct asl_range cols)
{
	return (struct asl_product){
		.m = rows.count,
		.n = cols.count,
		.k = x->box.d[ASL_CUTS_K].count,
		.cache = x->plan->cache,
		.read_cost = x->plan->costs.read,
		.write_cost = x->plan->costs.write,
		.A = face_where(x, ASL_A),
		.B = face_where(x, ASL_B),
		.C = ASL_POOL,
	};
}

struct asl_block asl_cuts_rows_of_A(const struct asl_cuts_part *x,
				    const struct asl_cuts_faces *faces,
				    struct asl_range rows)
{
	const struct asl_block *A = &faces->of[ASL_A];

	return asl_sub_block(A, rows.first - x->box.d[ASL_CUTS_M].first, 0,
			     rows.count, A->cols);
}

struct asl_block asl_cuts_cols_of_B(const struct asl_cuts_part *x,
				    const struct asl_cuts_faces *faces,
				    struct asl_range cols)
{
	const struct asl_block *B = &faces->of[ASL_B];

	return asl_sub_block(B, 0, cols.first - x->box.d[ASL_CUTS_N].first,
			     B->rows, cols.count);
}
