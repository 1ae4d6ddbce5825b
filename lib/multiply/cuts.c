/*
 * cuts.c -- C = A B on any number of ranks, primes too: no grid, cuts
 *
 * The m x k x n box of multiplications is cut in two, in proportion to two
 * parties of ranks, and each part again, until every rank has a box of its own:
 * all of them of one volume and nearly cubes, where a grid of 13 ranks can only
 * have 13 slices.  A rank needs the faces of its box: of A and B it gathers what
 * it does not own, and of what it has of C it sends on what it does not own.
 *
 * Faces of several ranks overlap, never wholly as on a grid.  Each operand is cut
 * into cells, each of which one set of ranks needs, and these share its words
 * evenly: an allgather of the set completes a cell of A or B, a reduce_scatter
 * adds up a cell of C, and no words move but those that must.  With W words and g
 * ranks to a cell, and the faces A, B and C of the box:
 *
 *	B_h	the sum over the rank's cells of (1 - 1/g) W; over all ranks the
 *		faces of all boxes, less mk + kn + mn
 *	B_w	mn of the box
 *	B_r	the kernel's, of the box
 *	owned	the sum of W/g
 *	held	mk + kn + mn of the box and a tile; beside mk + kn, or beside mn,
 *		a cell that is not as wide as the face, and what reduces it
 *
 * What is owned of a face that nobody else needs is used where it lies.  All is
 * multiplied before anything is reduced: ranks take as long for their boxes, but
 * not for the parts of them that they share with this one or that.
 *
 * On a cube all words together come within 5% of the lower bound from 7 ranks on
 * (13% above it for 5), 2% as a rule; the busiest rank's are 5% above it as a
 * rule, 15% at worst (21% for 5).  On 8, 64, 512, ... ranks both attain it.
 *
 * The bound: H. Al Daas, G. Ballard, L. Grigori, S. Kumar, K. Rouse, Tight
 * memory-independent parallel matrix multiplication communication lower
 * bounds, SPAA 2022.  Cutting the longest axis in two, again and again: J.
 * Demmel, D. Eliahu, A. Fox, S. Kamil, B. Lipshitz, O. Schwartz, O. Spillinger,
 * Communication-optimal parallel recursive rectangular matrix multiplication,
 * IPDPS 2013; there, for powers of two.
 */
#include "lib/multiply/cuts.h"

#include "lib/rank/resume.h"

static bool owns_of_C(struct asl_piece *piece, const struct asl_cuts_part *x,
		      int i)
{
	return asl_cuts_piece(piece, x, ASL_C, i);
}

static struct asl_product product(const struct asl_cuts_part *x)
{
	struct asl_piece face = asl_cuts_face(&x->box, ASL_C);

	return asl_cuts_product(x, face.rows, face.cols);
}

/* ---- The run ---- */

static struct asl_block multiply(struct asl_rank *r,
				 const struct asl_cuts_part *x,
				 const struct asl_cuts_faces *faces,
				 const struct asl_words *to)
{
	struct asl_product local = product(x);
	struct asl_block C = asl_as_block(to, local.m, local.n);

	asl_phase(r, ASL_COMPUTE);
	x->plan->kernel->run(r, &local, &C, &faces->of[ASL_A],
			     &faces->of[ASL_B]);
	return C;
}

static void reduce_cell(struct asl_rank *r, const struct asl_cuts_part *x,
			const struct asl_cuts_cell *cell,
			const struct asl_block *C, struct asl_words *mine)
{
	struct asl_group g = asl_cuts_group(x, cell);
	struct asl_block from = asl_cuts_in_face(x, C, cell), copy;
	struct asl_words all = {from.where, asl_cuts_words(cell), from.at};

	if (asl_cuts_is_run(x, cell)) {
		asl_reduce_scatter(r, &g, mine, &all);
		return;
	}
	asl_take(r, &all, ASL_DRAM, asl_cuts_words(cell));
	copy = asl_as_block(&all, from.rows, from.cols);
	asl_copy_block(r, &copy, &from);
	asl_reduce_scatter(r, &g, mine, &all);
	asl_give(r, &all);
}

static void reduce(struct asl_rank *r, const struct asl_cuts_part *x,
		   const struct asl_block *C, struct asl_words own)
{
	asl_phase(r, ASL_REDUCE);
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = asl_cuts_cell(x, i);
		struct asl_words mine;

		if (cell->which != ASL_C)
			continue;
		mine = asl_cuts_next(&own, asl_cuts_share(x, cell).count);
		reduce_cell(r, x, cell, C, &mine);
	}
}

/* A face that nobody else has a summand of is finished where it belongs. */
static void run(struct asl_rank *r, const struct asl_cuts_part *x,
		struct asl_cuts_faces *faces, const struct asl_words *own)
{
	struct asl_words summand = {0};
	struct asl_block C;

	if (asl_cuts_owns_face(x, ASL_C)) {
		multiply(r, x, faces, own);
		asl_cuts_give_faces(r, faces);
		asl_epoch(r, NULL, 0);
		return;
	}
	asl_take(r, &summand, ASL_POOL,
		 asl_cuts_face(&x->box, ASL_C).words.count);
	C = multiply(r, x, faces, &summand);
	asl_cuts_give_faces(r, faces);
	asl_epoch(r, NULL, 0);
	reduce(r, x, &C, *own);
	asl_give(r, &summand);
}

/* ---- The prediction ---- */

/* Returns what is held while it is reduced. */
static uint64_t predict_cell(struct asl_counts *counts,
			     const struct asl_cuts_part *x,
			     const struct asl_cuts_cell *cell)
{
	struct asl_group g = asl_cuts_group(x, cell);
	uint64_t W = asl_cuts_words(cell), copy = 0;
	enum asl_where where = ASL_POOL;

	if (g.size > 1 && !asl_cuts_is_run(x, cell)) {
		counts->of[ASL_NVM_LIFT] += W;
		counts->of[ASL_BOUNCE_WRITE] += W;
		where = ASL_DRAM;
		copy = W;
	}
	asl_predict_reduce_scatter(counts, W, g.size, g.me, ASL_POOL, where);
	return copy + asl_reduce_scatter_room(W, g.size, g.me);
}

static struct asl_cuts_held predict(struct asl_ledger *out,
				    const struct asl_cuts_part *x)
{
	struct asl_product local = product(x);
	struct asl_cuts_held C = {
		.multiplying = asl_kernel_room(x->plan->kernel, &local),
	};

	if (!asl_cuts_owns_face(x, ASL_C))
		C.summands = local.m * local.n;
	asl_kernel_predict(x->plan->kernel, &out->in[ASL_COMPUTE], &local);
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = asl_cuts_cell(x, i);

		if (cell->which != ASL_C)
			continue;
		C.own += asl_cuts_share(x, cell).count;
		C.reducing =
			asl_larger(C.reducing,
				   predict_cell(&out->in[ASL_REDUCE], x, cell));
	}
	return C;
}

static const struct asl_cuts_way way = {owns_of_C, 1, run, predict};

static bool cuts_owns_also(struct asl_piece *piece, const struct asl_plan *plan,
			   int rank, enum asl_operand which, int i)
{
	return asl_cuts_owns(piece, plan, rank, which, i, &way);
}

static void cuts_owns(struct asl_piece own[ASL_OPERANDS],
		      const struct asl_plan *plan, int rank)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		asl_cuts_owns(&own[i], plan, rank, i, 0, &way);
}

static void cuts_predict(struct asl_ledger *out, const struct asl_plan *plan,
			 int rank)
{
	asl_cuts_predict(out, plan, rank, &way);
}

static void cuts_run(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_words own[ASL_OPERANDS])
{
	asl_cuts_run(r, plan, own, &way);
}

static const struct asl_matmul matmul = {
	.axes = "mkn",
	.ideal = asl_cuts_ideal,
	.works_on = asl_cuts_works_on,
	.grids = "P x 1 x 1",
	.gridless = true,
	.flops = asl_cuts_flops,
	.owns = cuts_owns,
	.owns_also = cuts_owns_also,
};

const struct asl_algorithm asl_multiply_cuts = {
	.name = "cuts",
	.summary = "any number of ranks: the box cut in two, again and again",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = cuts_predict,
	.run = cuts_run,
};
