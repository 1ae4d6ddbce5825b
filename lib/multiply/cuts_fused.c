/*
 * cuts_fused.c -- cuts, with sums that go from the cache straight into the network
 *
 * Boxes, cells and who owns them are those of cuts.  But no summand of C is ever
 * written: each cell is cut into tiles, and one that is complete for the rank's
 * range of k is reduced out of the cache over the ranks of the cell, each of
 * which stores its share of the finished words.  B_h is that of cuts but for
 * rounding, and, with D x R tiles to a cell of C of m x n words and g ranks:
 *
 *	B_w	the sum over the rank's cells of mn/g: over all ranks, C
 *	B_r	the sum of R mk + D kn
 *	held	mk + kn of the box, a tile, and half of one or less
 *
 * and a message for every tile where cuts has one for every cell.  C is owned tile
 * by tile.  It steps outside the asymmetric parallel model, as fused does.
 */
#include "lib/multiply/cuts.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/rank/resume.h"

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
	struct asl_product local = asl_cuts_product(x, cell->rows, cell->cols);
	struct asl_sides side = asl_tight_sides(&local);

	return (struct tiles){
		.rows = cell->rows,
		.cols = cell->cols,
		.down = (int)asl_ceil_div(local.m, side.rows),
		.across = (int)asl_ceil_div(local.n, side.cols),
		.g = asl_cuts_group(x, cell),
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
		const struct asl_cuts_cell *cell = asl_cuts_cell(x, j);
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

/* ---- The run ---- */

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
		const struct asl_cuts_cell *cell = asl_cuts_cell(x, i);
		uint64_t words = 0;
		struct work *w;

		if (cell->which != ASL_C)
			continue;
		w = &work[count++];
		*w = (struct work){.t = tiles_of(x, cell)};
		for (int j = 0; j < w->t.down * w->t.across; j++)
			words += tile(&w->t, j).words.count;
		w->all = (uint64_t)w->t.down * (uint64_t)w->t.across;
		w->rest = asl_cuts_next(&own, words);
	}
	return count;
}

/* The middle of its next tile comes earlier than that of the other's. */
static bool is_behind(const struct work *a, const struct work *b)
{
	return (2 * a->done + 1) * b->all < (2 * b->done + 1) * a->all;
}

/*
 * The cell that is least far on, in proportion.  That orders the tiles of all
 * ranks in one way; and as they all take as long for their boxes, all get to a
 * tile at about the same time.
 */
static struct work *next(struct work *work, int count)
{
	struct work *next = NULL;

	for (struct work *w = work; w < work + count; w++)
		if (w->done < w->all && (!next || is_behind(w, next)))
			next = w;
	return next;
}

static void finish_tile(struct asl_rank *r, const struct asl_cuts_part *x,
			const struct asl_cuts_faces *faces, struct work *w)
{
	struct asl_piece at = tile(&w->t, (int)w->done++);
	struct asl_words mine = asl_cuts_next(&w->rest, at.words.count);
	struct asl_block A = asl_cuts_rows_of_A(x, faces, at.rows);
	struct asl_block B = asl_cuts_cols_of_B(x, faces, at.cols);
	struct asl_tile c;

	asl_phase(r, ASL_COMPUTE);
	asl_tile_take(r, &c, at.rows.count, at.cols.count);
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
			asl_round(r);
		if (now)
			finish_tile(r, x, faces, now);
	} while (now);
	free(work);
	asl_cuts_give_faces(r, faces);
}

/* ---- The prediction ---- */

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

static void predict_cell(struct asl_ledger *out, struct asl_cuts_held *held,
			 const struct asl_cuts_part *x,
			 const struct asl_cuts_cell *cell)
{
	struct asl_product local = asl_cuts_product(x, cell->rows, cell->cols);
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
	held->multiplying = asl_larger(
		held->multiplying,
		W + asl_reduce_scatter_tile_room(W, t.g.size, t.g.me));
}

static struct asl_cuts_held predict(struct asl_ledger *out,
				    const struct asl_cuts_part *x)
{
	struct asl_cuts_held held = {0};

	for (int i = 0; i < x->cells; i++)
		if (asl_cuts_cell(x, i)->which == ASL_C)
			predict_cell(out, &held, x, asl_cuts_cell(x, i));
	return held;
}

static const struct asl_cuts_way way = {owns_of_C, ROUNDS, run, predict};

static bool fused_owns_also(struct asl_piece *piece,
			    const struct asl_plan *plan, int rank,
			    enum asl_operand which, int i)
{
	return asl_cuts_owns(piece, plan, rank, which, i, &way);
}

static void fused_owns(struct asl_piece own[ASL_OPERANDS],
		       const struct asl_plan *plan, int rank)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		asl_cuts_owns(&own[i], plan, rank, i, 0, &way);
}

static void fused_predict(struct asl_ledger *out, const struct asl_plan *plan,
			  int rank)
{
	asl_cuts_predict(out, plan, rank, &way);
}

static void fused_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words own[ASL_OPERANDS])
{
	asl_cuts_run(r, plan, own, &way);
}

static const struct asl_matmul matmul = {
	.axes = "mkn",
	.kernel = "tight",
	.ideal = asl_cuts_ideal,
	.works_on = asl_cuts_works_on,
	.grids = "P x 1 x 1",
	.gridless = true,
	.flops = asl_cuts_flops,
	.owns = fused_owns,
	.owns_also = fused_owns_also,
};

const struct asl_algorithm asl_multiply_cuts_fused = {
	.name = "cuts-fused",
	.summary = "cuts, with sums reduced out of the cache: fewest writes",
	.outside_apm = true,
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = fused_predict,
	.run = fused_run,
};
