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
 *	held	mk + kn + mn of the box; beside mk + kn, or beside mn,
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
#include <errno.h>
#include <stdlib.h>

#include "lib/multiply/brick.h"
#include "lib/multiply/cuts_layout.h"
#include "lib/rank/resume.h"

/* One rank's part of a cut box; without a box it has no cells. */
struct asl_cuts_part {
	const struct asl_plan *plan;
	struct asl_cuts_layout *l; /* NULL: there was no memory for it */
	int rank, cells;
	struct asl_cuts_box box;
};

/* The faces of A and B. */
struct asl_cuts_faces {
	struct asl_block of[2];
	struct asl_words panel[2]; /* none if the face is owned whole */
};

/* Words of main memory that gathering takes: of panels, and beside them. */
struct asl_cuts_buffers {
	uint64_t panels, beside;
};

/* What is owned of them, and what is held beside that. */
struct asl_cuts_held {
	uint64_t own;
	uint64_t summands;    /* in the pool */
	uint64_t multiplying; /* in DRAM, beside summands and panels */
	uint64_t reducing;    /* the same, when there are no panels any more */
};

/* What becomes of C's cells: all that the algorithms differ in. */
struct asl_cuts_variant {
	/* NULL: a rank owns its shares of C's cells. */
	bool (*owns)(struct asl_piece *piece, const struct asl_cuts_part *x,
		     int i);
	/* Marks that all ranks pass, those without cells, too. */
	int marks;

	/* Ends with giving the faces. */
	void (*run)(struct asl_rank *r, const struct asl_cuts_part *x,
		    struct asl_cuts_faces *faces, const struct asl_words *C);
	struct asl_cuts_held (*predict)(struct asl_ledger *out,
					const struct asl_cuts_part *x);
};

static struct asl_cuts_layout *layout_of(const struct asl_plan *plan)
{
	struct asl_cuts_space space = asl_cuts_matrices(asl_shape_of(plan));

	return asl_cuts_take(&space, asl_grid_ranks(&plan->grid));
}

/* Cell i; A's and B's come first, in the order in which all go through them. */
static const struct asl_cuts_cell *cuts_cell(const struct asl_cuts_part *x,
					     int i)
{
	return asl_cuts_cell(x->l, x->rank, i);
}

static struct asl_group group(const struct asl_cuts_part *x,
			      const struct asl_cuts_cell *cell)
{
	return asl_cuts_group(cell, x->rank);
}

/* The words of a cell that the rank owns. */
static struct asl_range cuts_share(const struct asl_cuts_part *x,
				   const struct asl_cuts_cell *cell)
{
	return asl_cuts_share(cell, x->rank);
}

/* The first `count` words of *rest, which goes on after them. */
static struct asl_words cuts_next(struct asl_words *rest, uint64_t count)
{
	struct asl_words next = asl_slice(rest, 0, count);

	*rest = asl_slice(rest, count, rest->count - count);
	return next;
}

/*
 * A rank's faces of A and B, made whole cell by cell
 *
 * A cell that is as wide as the face is a run of its words, and is gathered in
 * place.  Any other is gathered beside it, in DRAM, and copied to where it
 * belongs.
 */

/*
 * Does nobody else need any of it?  Then it is a cell of its own.  (To own all of
 * its words is something else: one word has an owner, however many need it.)
 */
static bool owns_face(const struct asl_cuts_part *x, enum asl_operand which)
{
	for (int i = 0; i < x->cells; i++)
		if (cuts_cell(x, i)->which == (int)which)
			return cuts_cell(x, i)->size == 1;
	return true;
}

static enum asl_where face_where(const struct asl_cuts_part *x,
				 enum asl_operand which)
{
	return owns_face(x, which) ? ASL_POOL : x->plan->panels;
}

static bool is_run(const struct asl_cuts_part *x,
		   const struct asl_cuts_cell *cell)
{
	return asl_cuts_cols(cell).count ==
	       asl_cuts_face(&x->box, cell->which).cols.count;
}

static void take_face(struct asl_rank *r, const struct asl_cuts_part *x,
		      struct asl_cuts_faces *faces, enum asl_operand which,
		      const struct asl_words *own)
{
	struct asl_piece face = asl_cuts_face(&x->box, which);
	struct asl_words *panel = &faces->panel[which];

	*panel = (struct asl_words){0};
	if (!owns_face(x, which)) {
		asl_take(r, panel, x->plan->panels, face.words.count);
		own = panel;
	}
	faces->of[which] = asl_as_block(own, face.rows.count, face.cols.count);
}

/* A cell in a face of its operand; as wide as that, it is a run of its words. */
static struct asl_block in_face(const struct asl_cuts_part *x,
				const struct asl_block *face,
				const struct asl_cuts_cell *cell)
{
	struct asl_piece whole = asl_cuts_face(&x->box, cell->which);

	return asl_sub_block(face, asl_cuts_rows(cell).first - whole.rows.first,
			     asl_cuts_cols(cell).first - whole.cols.first,
			     asl_cuts_rows(cell).count,
			     asl_cuts_cols(cell).count);
}

static void gather_cell(struct asl_rank *r, const struct asl_cuts_part *x,
			const struct asl_block *face,
			const struct asl_cuts_cell *cell,
			const struct asl_words *own)
{
	struct asl_group g = group(x, cell);
	struct asl_block place = in_face(x, face, cell), from;
	struct asl_words all = {place.where, place.type, asl_cuts_words(cell),
				place.at};

	if (is_run(x, cell)) {
		asl_brick_gather(r, &g, &all, own);
		return;
	}
	asl_take(r, &all, ASL_DRAM, asl_cuts_words(cell));
	asl_brick_gather(r, &g, &all, own);
	from = asl_as_block(&all, asl_cuts_rows(cell).count,
			    asl_cuts_cols(cell).count);
	asl_copy_block(r, &place, &from);
	asl_give(r, &all);
}

static void cuts_gather(struct asl_rank *r, const struct asl_cuts_part *x,
			struct asl_cuts_faces *faces,
			const struct asl_words own[ASL_OPERANDS])
{
	struct asl_words rest[] = {own[ASL_A], own[ASL_B]};

	asl_phase(r, ASL_GATHER);
	for (int i = ASL_A; i <= ASL_B; i++)
		take_face(r, x, faces, i, &own[i]);
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = cuts_cell(x, i);
		enum asl_operand which = cell->which;
		struct asl_words mine;

		if (which == ASL_C || cell->size == 1)
			continue;
		mine = cuts_next(&rest[which], cuts_share(x, cell).count);
		gather_cell(r, x, &faces->of[which], cell, &mine);
	}
}

static void give_faces(struct asl_rank *r, struct asl_cuts_faces *faces)
{
	asl_give(r, &faces->panel[ASL_B]);
	asl_give(r, &faces->panel[ASL_A]);
}

/* Returns the words that are held beside the panel. */
static uint64_t predict_cell(struct asl_counts *counts,
			     const struct asl_cuts_part *x,
			     const struct asl_cuts_cell *cell)
{
	struct asl_group g = group(x, cell);
	enum asl_where panels = x->plan->panels;
	uint64_t W = asl_cuts_words(cell);

	if (is_run(x, cell)) {
		asl_brick_predict_gather(counts, W, &g, panels);
		return 0;
	}
	asl_brick_predict_gather(counts, W, &g, ASL_DRAM);
	counts->of[ASL_BOUNCE_READ] += W;
	counts->of[panels == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE] += W;
	return W;
}

static struct asl_cuts_buffers predict_gather(struct asl_counts *counts,
					      const struct asl_cuts_part *x)
{
	struct asl_cuts_buffers buffers = {0};

	for (int i = ASL_A; i <= ASL_B; i++)
		if (!owns_face(x, i))
			buffers.panels += asl_cuts_face(&x->box, i).words.count;
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = cuts_cell(x, i);

		if (cell->which != ASL_C && cell->size > 1)
			buffers.beside = asl_max(buffers.beside,
						 predict_cell(counts, x, cell));
	}
	return buffers;
}

/* A(rows, .) B(., cols), in places of the matrices. */
static struct asl_product cuts_product(const struct asl_cuts_part *x,
				       struct asl_range rows,
				       struct asl_range cols)
{
	return asl_plan_product(x->plan, rows.count, cols.count,
				x->box.d[ASL_CUTS_K].count,
				face_where(x, ASL_A), face_where(x, ASL_B));
}

static struct asl_block rows_of_A(const struct asl_cuts_part *x,
				  const struct asl_cuts_faces *faces,
				  struct asl_range rows)
{
	const struct asl_block *A = &faces->of[ASL_A];

	return asl_sub_block(A, rows.first - x->box.d[ASL_CUTS_M].first, 0,
			     rows.count, A->cols);
}

static struct asl_block cols_of_B(const struct asl_cuts_part *x,
				  const struct asl_cuts_faces *faces,
				  struct asl_range cols)
{
	const struct asl_block *B = &faces->of[ASL_B];

	return asl_sub_block(B, 0, cols.first - x->box.d[ASL_CUTS_N].first,
			     B->rows, cols.count);
}

/* Begin borrows the layout until the end. */
static void cuts_begin(struct asl_cuts_part *x, const struct asl_plan *plan,
		       int rank)
{
	*x = (struct asl_cuts_part){
		.plan = plan,
		.l = layout_of(plan),
		.rank = rank,
	};
	if (!x->l || rank >= x->l->used)
		return;
	x->box = x->l->box[rank];
	x->cells = asl_cuts_count(x->l, rank);
}

static bool cuts_piece(struct asl_piece *piece, const struct asl_cuts_part *x,
		       enum asl_operand which, int i)
{
	for (int j = 0; j < x->cells; j++) {
		const struct asl_cuts_cell *cell = cuts_cell(x, j);

		if (cell->which != (int)which || i-- > 0)
			continue;
		*piece = asl_whole_piece(asl_cuts_rows(cell),
					 asl_cuts_cols(cell));
		piece->words = cuts_share(x, cell);
		return true;
	}
	return false;
}

/*
 * Cuts, with sums that go from the cache straight into the network
 *
 * Boxes, cells and who owns them are those of cuts.  But no summand of C is ever
 * written: each cell is cut into tiles, and one that is complete for the rank's
 * range of k is reduced out of the cache over the ranks of the cell, each of
 * which stores its share of the finished words.  B_h is that of cuts but for
 * rounding, and, with D x R tiles to a cell of C of m x n words and g ranks:
 *
 *	B_w	the sum over the rank's cells of mn/g: over all ranks, C
 *	B_r	the sum of R mk + D kn
 *	held	mk + kn of the box, and half a tile or less
 *
 * and a message for every tile where cuts has one for every cell.  C is owned tile
 * by tile.  It steps outside the asymmetric parallel model, as fused does.
 */

/* Rounds, in each of which every cell gets as far on. */
enum { ROUNDS = 16 };

/* A cell of C in tiles. */
struct tiles {
	struct asl_range rows, cols;
	int down, across;
	struct asl_group g;
};

/* They depend on nothing that the ranks of the cell do not have in common. */
static struct tiles tiles_of(const struct asl_cuts_part *x,
			     const struct asl_cuts_cell *cell)
{
	struct asl_product local =
		cuts_product(x, asl_cuts_rows(cell), asl_cuts_cols(cell));
	struct asl_sides side = asl_tight_sides(&local);

	return (struct tiles){
		.rows = asl_cuts_rows(cell),
		.cols = asl_cuts_cols(cell),
		.down = (int)asl_ceil_div(local.m, side.rows),
		.across = (int)asl_ceil_div(local.n, side.cols),
		.g = group(x, cell),
	};
}

/* The block of a tile, and this rank's share of it. */
static struct asl_piece tile(const struct tiles *t, int i)
{
	struct asl_piece x =
		asl_whole_piece(asl_part_of(t->rows, t->down, i / t->across),
				asl_part_of(t->cols, t->across, i % t->across));

	x.words = asl_share(x.words.count, t->g.size, t->g.me);
	return x;
}

static bool owns_of_C(struct asl_piece *piece, const struct asl_cuts_part *x,
		      int i)
{
	for (int j = 0; j < x->cells; j++) {
		const struct asl_cuts_cell *cell = cuts_cell(x, j);
		struct tiles t;

		if (cell->which != ASL_C)
			continue;
		t = tiles_of(x, cell);
		if (i < t.down * t.across) {
			*piece = tile(&t, i);
			return true;
		}
		i -= t.down * t.across;
	}
	return false;
}

/* A cell on its way, and where its next share goes. */
struct work {
	struct tiles t;
	struct asl_words rest;
	uint64_t all, done; /* tiles */
};

static int begin(struct work *work, const struct asl_cuts_part *x,
		 struct asl_words own)
{
	int count = 0;

	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = cuts_cell(x, i);
		uint64_t words = 0;
		struct work *w;

		if (cell->which != ASL_C)
			continue;
		w = &work[count++];
		*w = (struct work){.t = tiles_of(x, cell)};
		for (int j = 0; j < w->t.down * w->t.across; j++)
			words += tile(&w->t, j).words.count;
		w->all = (uint64_t)w->t.down * (uint64_t)w->t.across;
		w->rest = cuts_next(&own, words);
	}
	return count;
}

/*
 * The cell the middle of whose next tile comes first, in proportion.  That
 * orders the tiles of all ranks in one way; and as they all take as long for
 * their boxes, all get to a tile at about the same time.
 */
static struct work *next(struct work *work, int count)
{
	struct work *next = NULL;

	for (struct work *w = work; w < work + count; w++)
		if (w->done < w->all &&
		    (!next || (2 * w->done + 1) * next->all <
				      (2 * next->done + 1) * w->all))
			next = w;
	return next;
}

static void finish_tile(struct asl_rank *r, const struct asl_cuts_part *x,
			const struct asl_cuts_faces *faces, struct work *w)
{
	struct asl_piece at = tile(&w->t, (int)w->done++);
	struct asl_words mine = cuts_next(&w->rest, at.words.count);
	struct asl_block A = rows_of_A(x, faces, at.rows);
	struct asl_block B = cols_of_B(x, faces, at.cols);
	struct asl_tile c;

	asl_phase(r, ASL_COMPUTE);
	asl_tile_take(r, &c, at.rows.count, at.cols.count);
	asl_begin_sum(r, &w->t.g, &mine, &c, at.rows.count, at.cols.count);
	asl_multiply(r, &c, &A, &B, 1);
	asl_phase(r, ASL_REDUCE);
	asl_reduce_scatter_tile(r, &w->t.g, &mine, &c);
	asl_tile_give(r, &c);
}

/* Are all tiles of this round done, and of the cell of the next one? */
static bool is_beyond(const struct work *now, int round)
{
	return !now || (2 * now->done + 1) * ROUNDS >=
			       2 * now->all * ((uint64_t)round + 1);
}

static void run(struct asl_rank *r, const struct asl_cuts_part *x,
		struct asl_cuts_faces *faces, const struct asl_words *C)
{
	struct work *work = malloc((size_t)x->cells * sizeof *work), *now;
	int count = 0, round = 0;

	if (work)
		count = begin(work, x, *C);
	else
		asl_rank_fail(r, -ENOMEM, "no memory for %d cells", x->cells);
	do {
		now = next(work, count);
		for (; round < ROUNDS && is_beyond(now, round); round++)
			asl_mark_round(r);
		if (now)
			finish_tile(r, x, faces, now);
	} while (now);
	free(work);
	give_faces(r, faces);
}

/* Returns what is owned of tiles of one size. */
static uint64_t predict_tiles(struct asl_ledger *out, const struct tiles *t,
			      struct asl_alike rows, struct asl_alike cols)
{
	uint64_t W = rows.length * cols.length, many = rows.many * cols.many;
	struct asl_counts once = {{0}};

	asl_predict_reduce_scatter_tile(&once, W, t->g.size, t->g.me, ASL_POOL);
	asl_counts_add_times(&out->in[ASL_REDUCE], &once, many);
	return many * asl_share(W, t->g.size, t->g.me).count;
}

static void fused_predict_cell(struct asl_ledger *out,
			       struct asl_cuts_held *held,
			       const struct asl_cuts_part *x,
			       const struct asl_cuts_cell *cell)
{
	struct asl_product local =
		cuts_product(x, asl_cuts_rows(cell), asl_cuts_cols(cell));
	uint64_t *counts = out->in[ASL_COMPUTE].of;
	struct tiles t = tiles_of(x, cell);
	struct asl_piece largest = tile(&t, 0);
	uint64_t W = largest.rows.count * largest.cols.count;

	counts[asl_read_counter(local.A)] +=
		local.m * local.k * (uint64_t)t.across;
	counts[asl_read_counter(local.B)] +=
		local.k * local.n * (uint64_t)t.down;
	counts[ASL_FLOPS] += 2 * local.m * local.n * local.k;
	for (int i = 0; i < 4; i++)
		held->own += predict_tiles(
			out, &t, asl_parts_alike(t.rows.count, t.down, i / 2),
			asl_parts_alike(t.cols.count, t.across, i % 2));
	held->multiplying =
		asl_max(held->multiplying,
			asl_reduce_scatter_tile_scratch(W, t.g.size, t.g.me));
}

static struct asl_cuts_held fused_predict(struct asl_ledger *out,
					  const struct asl_cuts_part *x)
{
	struct asl_cuts_held held = {0};

	for (int i = 0; i < x->cells; i++)
		if (cuts_cell(x, i)->which == ASL_C)
			fused_predict_cell(out, &held, x, cuts_cell(x, i));
	return held;
}

static struct asl_product product(const struct asl_cuts_part *x)
{
	struct asl_piece face = asl_cuts_face(&x->box, ASL_C);

	return cuts_product(x, face.rows, face.cols);
}

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
	struct asl_group g = group(x, cell);
	struct asl_block from = in_face(x, C, cell), copy;
	struct asl_words all = {from.where, from.type, asl_cuts_words(cell),
				from.at};

	if (is_run(x, cell)) {
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
		const struct asl_cuts_cell *cell = cuts_cell(x, i);
		struct asl_words mine;

		if (cell->which != ASL_C)
			continue;
		mine = cuts_next(&own, cuts_share(x, cell).count);
		reduce_cell(r, x, cell, C, &mine);
	}
}

/* A face that nobody else has a summand of is finished where it belongs. */
static void cuts_run(struct asl_rank *r, const struct asl_cuts_part *x,
		     struct asl_cuts_faces *faces, const struct asl_words *own)
{
	struct asl_words summand = {0};
	struct asl_block C;

	if (owns_face(x, ASL_C)) {
		multiply(r, x, faces, own);
		give_faces(r, faces);
		asl_mark_epoch(r, NULL, 0);
		return;
	}
	asl_take(r, &summand, ASL_POOL,
		 asl_cuts_face(&x->box, ASL_C).words.count);
	C = multiply(r, x, faces, &summand);
	give_faces(r, faces);
	asl_mark_epoch(r, NULL, 0);
	reduce(r, x, &C, *own);
	asl_give(r, &summand);
}

/* Returns what is held while it is reduced. */
static uint64_t cuts_predict_cell(struct asl_counts *counts,
				  const struct asl_cuts_part *x,
				  const struct asl_cuts_cell *cell)
{
	struct asl_group g = group(x, cell);
	uint64_t W = asl_cuts_words(cell), copy = 0;
	enum asl_where where = ASL_POOL;

	if (g.size > 1 && !is_run(x, cell)) {
		counts->of[ASL_NVM_LIFT] += W;
		counts->of[ASL_BOUNCE_WRITE] += W;
		where = ASL_DRAM;
		copy = W;
	}
	asl_predict_reduce_scatter(counts, W, g.size, g.me, ASL_POOL, where);
	return copy + asl_reduce_scatter_scratch(W, g.size, g.me);
}

static struct asl_cuts_held cuts_predict(struct asl_ledger *out,
					 const struct asl_cuts_part *x)
{
	struct asl_product local = product(x);
	struct asl_cuts_held C = {0};

	if (!owns_face(x, ASL_C))
		C.summands = local.m * local.n;
	asl_kernel_predict(x->plan->kernel, &out->in[ASL_COMPUTE], &local);
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = cuts_cell(x, i);

		if (cell->which != ASL_C)
			continue;
		C.own += cuts_share(x, cell).count;
		C.reducing = asl_max(
			C.reducing,
			cuts_predict_cell(&out->in[ASL_REDUCE], x, cell));
	}
	return C;
}

/* Partial sums that nobody writes are outside the APM. */
static const struct asl_cuts_variant *variant_of(const struct asl_plan *plan)
{
	static const struct asl_cuts_variant in_pool = {NULL, 1, cuts_run,
							cuts_predict};
	static const struct asl_cuts_variant fused = {owns_of_C, ROUNDS, run,
						      fused_predict};

	return asl_plan_runs(plan)->outside_apm ? &fused : &in_pool;
}

static bool any_owns(struct asl_piece *piece, const struct asl_plan *plan,
		     int rank, enum asl_operand which, int i)
{
	const struct asl_cuts_variant *v = variant_of(plan);
	struct asl_cuts_part x;
	bool owns;

	*piece = (struct asl_piece){0};
	cuts_begin(&x, plan, rank);
	owns = which == ASL_C && v->owns ? v->owns(piece, &x, i)
					 : cuts_piece(piece, &x, which, i);
	asl_cuts_give(x.l);
	return owns;
}

static void any_run(struct asl_rank *r, const struct asl_plan *plan,
		    struct asl_words own[ASL_OPERANDS])
{
	const struct asl_cuts_variant *v = variant_of(plan);
	struct asl_cuts_faces faces;
	struct asl_cuts_part x;

	cuts_begin(&x, plan, r->id);
	if (!x.l)
		asl_rank_fail(r, -ENOMEM, "no memory for the boxes of %d ranks",
			      plan->ranks);
	if (x.cells) {
		cuts_gather(r, &x, &faces, own);
		v->run(r, &x, &faces, &own[ASL_C]);
	}
	for (int i = 0; !x.cells && i < v->marks; i++)
		asl_mark_epoch(r, NULL, 0);
	asl_cuts_give(x.l);
}

static uint64_t inputs_owned(const struct asl_cuts_part *x)
{
	uint64_t words = 0;

	for (int i = 0; i < x->cells; i++)
		if (cuts_cell(x, i)->which != ASL_C)
			words += cuts_share(x, cuts_cell(x, i)).count;
	return words;
}

static void predict_all(struct asl_ledger *out, const struct asl_cuts_part *x)
{
	struct asl_cuts_buffers buffers =
		predict_gather(&out->in[ASL_GATHER], x);
	struct asl_cuts_held C = variant_of(x->plan)->predict(out, x);
	uint64_t own = inputs_owned(x) + C.own;
	uint64_t gathering = buffers.panels + buffers.beside;
	uint64_t multiplying = buffers.panels + C.summands + C.multiplying;
	uint64_t reducing = C.summands + C.reducing;

	out->memory_high =
		own + asl_max(gathering, asl_max(multiplying, reducing));
	out->pool_high = own + C.summands +
			 (x->plan->panels == ASL_POOL ? buffers.panels : 0);
}

static void any_predict(struct asl_ledger *out, const struct asl_plan *plan,
			int rank)
{
	struct asl_cuts_part x;

	cuts_begin(&x, plan, rank);
	if (x.cells)
		predict_all(out, &x);
	asl_cuts_give(x.l);
}

static void cuts_ideal(double p[3], const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);

	p[0] = (double)asl_min(s->m * s->n * s->k, (uint64_t)plan->ranks);
	p[1] = p[2] = 1;
}

static uint64_t cuts_flops(const struct asl_plan *plan)
{
	struct asl_cuts_layout *l = layout_of(plan);
	uint64_t flops = l ? 2 * asl_cuts_largest(l) : 0;

	asl_cuts_give(l);
	return flops;
}

#define CUTS_MATMUL                                                            \
	.grid = {.axes = "mkn",                                                \
		 .text = "P x 1 x 1",                                          \
		 .most = {0, 1, 1},                                            \
		 .none = true},                                                \
	.ideal = cuts_ideal, .flops = cuts_flops, .owns = any_owns

const struct asl_algorithm asl_multiply_cuts = {
	.name = "cuts",
	.summary = "any number of ranks: the box cut in two, again and again",
	.when = "ranks have no good grid, as a prime number of them",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &(const struct asl_matmul){CUTS_MATMUL},
	.predict = any_predict,
	.run = any_run,
};

const struct asl_algorithm asl_multiply_cuts_fused = {
	.name = "cuts-fused",
	.summary = "cuts, with sums reduced out of the cache: fewest writes",
	.outside_apm = true,
	.when = "ranks have no good grid, and writes are expensive",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &(const struct asl_matmul){CUTS_MATMUL, .kernel = "tight"},
	.predict = any_predict,
	.run = any_run,
};
