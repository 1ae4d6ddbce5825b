/*
 * fused.c -- C = A B with sums that go from the cache straight into the network
 *
 * The grid and the bricks are those of 3d, but no partial sum is ever written:
 * a tile of C that is complete for the rank's range of k is reduced out of the
 * cache over the p2 ranks that have a summand of it, and each stores its share
 * of the finished words.  So writes no longer depend on the grid, and the grid
 * can be the one of fewest network words.
 *
 * This steps outside the asymmetric parallel model, in which every rank writes
 * the partial sums that it computes (Zhu et al., Lemma 5): results are not to be
 * held against its bounds on joint communication.
 *
 * Of A's and B's panels the smaller one is held and the other streamed past it
 * in slices as wide as a tile.  Where even the one does not fit into the memory
 * budget, it is held band after band, and the other streamed once for each: C
 * is computed in super-blocks.  With R bands, U slices and V tiles to a band,
 * p1 cutting m, p2 k and p3 n, where the grid divides the shape and A is held:
 *
 *	B_h	(1 - 1/p3) mk/(p1 p2) + R (1 - 1/p1) kn/(p2 p3)
 *		+ (1 - 1/p2) mn/(p1 p3)
 *	B_w	mn/P
 *	B_r	U mk/(p1 p2) + R V kn/(p2 p3); U, R V ~ the block over sqrt(S)
 *	owned	(mk + kn + mn)/P
 *	held	mk/(R p1 p2) + kn/(U p2 p3), a tile, and half of one or less
 *
 * What is gathered over a line of one rank is used where it lies, whole.  C is
 * owned tile by tile, and the panels that are gathered band by band and slice by
 * slice, so that each gathering finds its words evenly shared.
 *
 * Grids: fewest network words means 3d's.  Where they differ by what the tiles
 * cost, least Q decides.
 */
#include "lib/multiply/fused.h"
#include "lib/model/grid.h"
#include "lib/rank/resume.h"

static void fused_ideal(double p[3], const struct asl_plan *plan)
{
	asl_grid_ideal(p, plan, 1);
}

/* ---- What a rank owns ---- */

/* A block of the held or the streamed operand, `range` long in m or n. */
static struct asl_piece block(const struct asl_fused *f, bool of_A,
			      struct asl_range range)
{
	return of_A ? asl_whole_piece(range, f->x.k)
		    : asl_whole_piece(f->x.k, range);
}

/* Of the panel's block i, if it is gathered block by block; else all of it. */
static bool owns_of_panel(struct asl_piece *x, const struct asl_fused *f,
			  bool held, int i)
{
	const struct asl_group *line = held ? f->holders : f->streamers;
	bool of_A = held == f->holds_A;

	if (line->size == 1) {
		*x = block(f, of_A, held ? f->along : f->across);
		return i == 0;
	}
	if (i >= (held ? f->bands : f->slices))
		return false;
	*x = block(f, of_A,
		   held ? asl_fused_band(f, i) : asl_fused_slice(f, i));
	x->words = asl_share(x->words.count, line->size, line->me);
	return true;
}

/* Tiles in the order in which they are computed. */
static bool owns_of_C(struct asl_piece *x, const struct asl_fused *f, int i)
{
	int tile = i % f->tiles, slice = i / f->tiles % f->slices;
	int band = i / f->tiles / f->slices;
	const struct asl_group *line = &f->x.along_k;
	struct asl_range along, across;

	if (band >= f->bands)
		return false;
	along = asl_fused_tile(f, band, tile);
	across = asl_fused_slice(f, slice);
	*x = f->holds_A ? asl_whole_piece(along, across)
			: asl_whole_piece(across, along);
	x->words = asl_share(x->words.count, line->size, line->me);
	return true;
}

static bool fused_owns_also(struct asl_piece *x, const struct asl_plan *plan,
			    int rank, enum asl_operand which, int i)
{
	struct asl_fused f;

	asl_fused_init(&f, plan, rank);
	return which == ASL_C
		       ? owns_of_C(x, &f, i)
		       : owns_of_panel(x, &f, (which == ASL_A) == f.holds_A, i);
}

static void fused_owns(struct asl_piece own[ASL_OPERANDS],
		       const struct asl_plan *plan, int rank)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		fused_owns_also(&own[i], plan, rank, i, 0);
}

/* ---- The run ---- */

/* A panel on its way through memory: where its next share is, and what is here. */
struct panel {
	bool of_A;
	const struct asl_group *line; /* that gathers it; of one: it is here */
	struct asl_words own, room[2];
	uint64_t used;		/* of its own words */
	struct asl_block block; /* what is here, from `first` in m or n on */
	uint64_t first;
};

static struct asl_block as_operand(const struct asl_fused *f,
				   const struct panel *x,
				   const struct asl_words *words,
				   uint64_t length)
{
	return x->of_A ? asl_as_block(words, length, f->x.k.count)
		       : asl_as_block(words, f->x.k.count, length);
}

static struct panel begin_panel(const struct asl_fused *f, bool held,
				const struct asl_words own[ASL_OPERANDS])
{
	struct asl_range all = held ? f->along : f->across;
	struct panel x = {
		.of_A = held == f->holds_A,
		.line = held ? f->holders : f->streamers,
		.first = all.first,
	};

	x.own = own[x.of_A ? ASL_A : ASL_B];
	if (x.line->size == 1)
		x.block = as_operand(f, &x, &x.own, all.count);
	return x;
}

/* Room for its longest block, or for two. */
static void take_rooms(struct asl_rank *r, const struct asl_fused *f,
		       struct panel *x, uint64_t longest, int rooms)
{
	for (int i = 0; i < rooms && x->line->size > 1; i++)
		asl_take(r, &x->room[i], f->plan->panels,
			 longest * f->x.k.count);
}

static void give_rooms(struct asl_rank *r, struct panel *x)
{
	asl_give(r, &x->room[1]);
	asl_give(r, &x->room[0]);
}

/* The next block, `range` of m or n, is gathered into a room. */
static void gather(struct asl_rank *r, const struct asl_fused *f,
		   struct panel *x, int room, struct asl_range range)
{
	uint64_t words = range.count * f->x.k.count;
	struct asl_range mine = asl_share(words, x->line->size, x->line->me);
	struct asl_words all = asl_slice(&x->room[room], 0, words);
	struct asl_words share = asl_slice(&x->own, x->used, mine.count);

	if (x->line->size == 1)
		return;
	asl_phase(r, ASL_GATHER);
	asl_brick_gather(r, x->line, &all, &share);
	x->used += mine.count;
	x->block = as_operand(f, x, &all, range.count);
	x->first = range.first;
}

static struct asl_block part(const struct panel *x, struct asl_range range)
{
	uint64_t at = range.first - x->first;

	return x->of_A ? asl_sub_block(&x->block, at, 0, range.count,
				       x->block.cols)
		       : asl_sub_block(&x->block, 0, at, x->block.rows,
				       range.count);
}

/* One tile of C, from its operands to its finished share. */
static void finish_tile(struct asl_rank *r, const struct asl_fused *f,
			struct asl_tile *tile, const struct asl_block *held,
			const struct asl_block *streamed,
			struct asl_words *rest)
{
	const struct asl_block *A = f->holds_A ? held : streamed;
	const struct asl_block *B = f->holds_A ? streamed : held;
	const struct asl_group *line = &f->x.along_k;
	uint64_t words = A->rows * B->cols;
	struct asl_range own = asl_share(words, line->size, line->me);
	struct asl_words mine = asl_slice(rest, 0, own.count);

	if (!words)
		return;
	asl_phase(r, ASL_COMPUTE);
	asl_tile_zero(tile, A->rows, B->cols);
	asl_multiply(r, tile, A, B, 1);
	asl_phase(r, ASL_REDUCE);
	asl_reduce_scatter_tile(r, line, &mine, tile);
	*rest = asl_slice(rest, own.count, rest->count - own.count);
}

static void finish_slice(struct asl_rank *r, const struct asl_fused *f,
			 int band, int slice, const struct panel *held,
			 const struct panel *streamed, struct asl_tile *tile,
			 struct asl_words *rest)
{
	struct asl_block b = part(streamed, asl_fused_slice(f, slice));

	for (int i = 0; i < f->tiles; i++) {
		struct asl_block a = part(held, asl_fused_tile(f, band, i));

		finish_tile(r, f, tile, &a, &b, rest);
		if (asl_fused_slices_held(f) == 1)
			asl_round(r);
	}
}

/* The i-th slice to be used; one that is the only one is here already. */
static void fetch(struct asl_rank *r, const struct asl_fused *f,
		  struct panel *next, int i)
{
	int slice = i % f->slices;

	if (i == f->bands * f->slices || (i > 0 && f->slices == 1))
		return;
	if (slice == 0)
		next->used = 0;
	gather(r, f, next, i % asl_fused_slices_held(f),
	       asl_fused_slice(f, slice));
}

static void fused_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words own[ASL_OPERANDS])
{
	struct asl_words rest = own[ASL_C];
	struct panel held, streamed, next;
	struct asl_tile tile;
	struct asl_fused f;
	bool ahead;

	asl_fused_init(&f, plan, r->id);
	ahead = asl_fused_slices_held(&f) > 1;
	held = begin_panel(&f, true, own);
	next = begin_panel(&f, false, own);
	asl_phase(r, ASL_GATHER);
	take_rooms(r, &f, &held, asl_fused_band(&f, 0).count, 1);
	take_rooms(r, &f, &next, asl_fused_slice(&f, 0).count, 1 + ahead);
	asl_tile_take(r, &tile, asl_fused_tile(&f, 0, 0).count,
		      asl_fused_slice(&f, 0).count);
	fetch(r, &f, &next, 0);
	for (int i = 0; i < f.bands * f.slices; i++) {
		int band = i / f.slices, slice = i % f.slices;

		if (slice == 0)
			gather(r, &f, &held, 0, asl_fused_band(&f, band));
		streamed = next;
		if (ahead) {
			asl_behind_begin(r);
			fetch(r, &f, &next, i + 1);
			asl_behind_end(r);
		}
		finish_slice(r, &f, band, slice, &held, &streamed, &tile,
			     &rest);
		asl_behind_join(r);
		if (ahead)
			asl_round(r);
		else
			fetch(r, &f, &next, i + 1);
	}
	asl_tile_give(r, &tile);
	give_rooms(r, &next);
	give_rooms(r, &held);
}

static const struct asl_matmul matmul = {
	.axes = "mkn",
	.kernel = "tight",
	.ideal = fused_ideal,
	.blocks = asl_fused_blocks,
	.enough = asl_fused_enough,
	.owns = fused_owns,
	.owns_also = fused_owns_also,
	.floor = asl_fused_floor,
	.overlaps = true,
};

const struct asl_algorithm asl_multiply_fused = {
	.name = "fused",
	.summary = "3d's grid, sums reduced out of the cache: fewest writes",
	.outside_apm = true,
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = asl_fused_predict,
	.run = fused_run,
};
