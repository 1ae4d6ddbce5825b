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
 * The smaller one of A's and B's panels is held and the other streamed past it
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
 *	held	mk/(R p1 p2) + kn/(U p2 p3), and half a tile or less
 *
 * What is gathered over a line of one rank is used where it lies, whole.  C is
 * owned tile by tile, and the panels that are gathered band by band and slice by
 * slice, so that each gathering finds its words evenly shared.
 *
 * Grids: fewest network words means 3d's.  Where they differ by what the tiles
 * cost, least Q decides.
 */
#include <math.h>

#include "lib/multiply/brick.h"
#include "lib/multiply/multiply.h"
#include "lib/rank/resume.h"

/*
 * How `fused` cuts a brick: bands, slices and tiles
 *
 * One operand is held, the other streamed.  The brick's length along m, if A is
 * held, else along n, is cut into bands, and these into tiles; its length along
 * the other is cut into slices, a tile wide.  All ranks use the same numbers,
 * whatever the size of their brick, because lines of them gather together.
 */

struct asl_fused {
	const struct asl_plan *plan;
	struct asl_brick x;
	bool holds_A;
	int bands, tiles, slices;

	struct asl_range along, across; /* held and streamed, of the matrix */
	const struct asl_group *holders,
		*streamers; /* lines that gather them */
};

/*
 * Bands, slices and tiles: as few as fit, and what they read
 *
 * Numbers are those of the largest brick, and shares are taken to be rounded up,
 * so that what is chosen fits on every rank.
 */

/* The largest brick, and which of its panels must be gathered. */
struct sizes {
	uint64_t along, across, deep; /* of the held, of the streamed, in k */
	bool holds_A, gathers_held, gathers_streamed;
};

static struct sizes sizes_of(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	const int *p = plan->grid.p;
	uint64_t m = asl_ceil_div(s->m, (uint64_t)p[0]);
	uint64_t n = asl_ceil_div(s->n, (uint64_t)p[2]);
	bool A = p[2] > 1, B = p[0] > 1;
	/* Ties hold B: tiles then have long rows, which the BLAS likes. */
	bool holds_A = (A ? m : 0) < (B ? n : 0);

	return (struct sizes){
		.along = holds_A ? m : n,
		.across = holds_A ? n : m,
		.deep = asl_ceil_div(s->k, (uint64_t)p[1]),
		.holds_A = holds_A,
		.gathers_held = holds_A ? A : B,
		.gathers_streamed = holds_A ? B : A,
	};
}

/* The highest tile that is as wide as a slice: h w + h + w <= S. */
static uint64_t highest(uint64_t cache, uint64_t wide)
{
	return asl_max(1, (cache + 1) / (wide + 1) - 1);
}

static uint64_t tiles_of(const struct asl_plan *plan, const struct sizes *x,
			 int bands, int slices)
{
	uint64_t wide = asl_ceil_div(x->across, (uint64_t)slices);
	uint64_t band = asl_ceil_div(x->along, (uint64_t)bands);

	return asl_ceil_div(band, highest(plan->cache, wide));
}

static uint64_t owned_at_most(const struct asl_plan *plan,
			      const struct sizes *x, uint64_t tiles)
{
	const struct asl_multiplication *part = plan->multiplication;
	const int *p = plan->grid.p;
	uint64_t m = x->holds_A ? x->along : x->across;
	uint64_t n = x->holds_A ? x->across : x->along;
	uint64_t blocks = (uint64_t)part->bands + (uint64_t)part->slices;

	return m * x->deep / (uint64_t)p[2] + x->deep * n / (uint64_t)p[0] +
	       m * n / (uint64_t)p[1] + 2 + blocks +
	       (uint64_t)part->bands * (uint64_t)part->slices * tiles;
}

/* A panel gathered in one piece, in the pool, lies around what is owned. */
static bool is_around(const struct asl_plan *plan, int blocks)
{
	return plan->panels == ASL_POOL && blocks == 1;
}

/* Words that a rank may hold with the plan's bands and slices. */
static uint64_t memory_needed(const struct asl_plan *plan,
			      const struct sizes *x)
{
	const struct asl_multiplication *part = plan->multiplication;
	uint64_t band = asl_ceil_div(x->along, (uint64_t)part->bands);
	uint64_t wide = asl_ceil_div(x->across, (uint64_t)part->slices);
	uint64_t tiles = tiles_of(plan, x, part->bands, part->slices);
	uint64_t tile = asl_ceil_div(band, tiles) * wide;
	uint64_t slices = plan->overlap && part->slices > 1 ? 2 : 1;
	int holders = plan->grid.p[x->holds_A ? 2 : 0];
	int streamers = plan->grid.p[x->holds_A ? 0 : 2];
	uint64_t words = owned_at_most(plan, x, tiles);

	if (x->gathers_held)
		words += band * x->deep;
	if (x->gathers_held && is_around(plan, part->bands))
		words -= band * x->deep / (uint64_t)holders;
	if (x->gathers_streamed)
		words += slices * wide * x->deep;
	if (x->gathers_streamed && is_around(plan, part->slices))
		words -= wide * x->deep / (uint64_t)streamers;
	return words + asl_reduce_scatter_tile_scratch(tile, plan->grid.p[1],
						       plan->grid.p[1] - 1);
}

/* Costs of reads and of gathering; the rest depends on the grid alone. */
static double cost(const struct asl_plan *plan, const struct sizes *x)
{
	const struct asl_multiplication *part = plan->multiplication;
	double held = (double)x->along * (double)x->deep;
	double streamed = (double)x->across * (double)x->deep;
	double tiles = (double)tiles_of(plan, x, part->bands, part->slices);
	double times = part->slices > 1 ? part->bands : 1;

	return plan->costs.read *
		       (held * part->slices + streamed * part->bands * tiles) +
	       (x->gathers_streamed ? plan->costs.net * streamed * times : 0);
}

/* As many slices as the tiles of least reads are wide. */
static int slices_of_least_reads(const struct asl_plan *plan,
				 const struct sizes *x)
{
	struct asl_product local = {
		.m = asl_ceil_div(x->along,
				  (uint64_t)plan->multiplication->bands),
		.n = x->across,
		.k = x->deep,
		.cache = plan->cache,
	};

	return (int)asl_ceil_div(x->across, asl_tight_sides(&local).cols);
}

static int more(int count, uint64_t most)
{
	uint64_t next = (uint64_t)count + (uint64_t)(count + 7) / 8;

	return (int)asl_min(next, most);
}

struct choice {
	int bands, slices;
	double cost;
	uint64_t memory_needed;
};

/* With this many bands, the fewest slices from those of least reads on. */
static struct choice with_bands(struct asl_plan plan, int bands,
				const struct sizes *x)
{
	struct asl_multiplication with = *plan.multiplication;
	bool given = with.slices;
	struct choice c = {bands, given ? with.slices : (int)x->across,
			   INFINITY, 0};

	plan.multiplication = &with;
	with.bands = bands;
	with.slices = c.slices;
	c.memory_needed = memory_needed(&plan, x);
	if (plan.budget && c.memory_needed > plan.budget)
		return c;
	if (!given)
		with.slices = slices_of_least_reads(&plan, x);
	for (; with.slices < c.slices;
	     with.slices = more(with.slices, x->across))
		if (!plan.budget || memory_needed(&plan, x) <= plan.budget)
			break;
	c.slices = with.slices;
	c.memory_needed = memory_needed(&plan, x);
	c.cost = cost(&plan, x);
	return c;
}

/*
 * More bands mean more words on the network: the search ends a little after the
 * fewest that fit.  If none fit, the plan that needs the least memory is taken.
 */
static void fused_blocks(struct asl_multiplication *out,
			 const struct asl_plan *plan)
{
	struct sizes x = sizes_of(plan);
	struct choice best = {0, 0, INFINITY, UINT64_MAX};
	int given = plan->multiplication->bands, bands = given ? given : 1;
	int tries = 0;

	if (given && plan->multiplication->slices)
		return;
	for (;;) {
		struct choice now = with_bands(*plan, bands, &x);

		if (now.cost < best.cost ||
		    (isinf(best.cost) &&
		     now.memory_needed < best.memory_needed))
			best = now;
		tries += !isinf(best.cost);
		if (given || !plan->budget || tries == 8 ||
		    (uint64_t)bands >= x.along)
			break;
		bands = more(bands, x.along);
	}
	out->bands = best.bands;
	out->slices = best.slices;
}

/* Shares are taken to be rounded up. */
static uint64_t fused_upper_bound(const struct asl_plan *plan)
{
	struct sizes x = sizes_of(plan);

	return memory_needed(plan, &x);
}

/* *f points into itself: it stays where it is. */
static void init(struct asl_fused *f, const struct asl_plan *plan, int rank)
{
	const struct asl_multiplication *part = plan->multiplication;
	struct sizes x = sizes_of(plan);

	*f = (struct asl_fused){
		.plan = plan,
		.x = asl_brick(plan, rank),
		.holds_A = x.holds_A,
		.bands = part->bands,
		.slices = part->slices,
		.tiles = (int)tiles_of(plan, &x, part->bands, part->slices),
	};
	f->along = f->holds_A ? f->x.m : f->x.n;
	f->across = f->holds_A ? f->x.n : f->x.m;
	f->holders = f->holds_A ? &f->x.along_n : &f->x.along_m;
	f->streamers = f->holds_A ? &f->x.along_m : &f->x.along_n;
}

/* Pieces of the matrix, in places of the matrix. */
static struct asl_range fused_band(const struct asl_fused *f, int band)
{
	return asl_part_of(f->along, f->bands, band);
}

static struct asl_range fused_tile(const struct asl_fused *f, int band,
				   int tile)
{
	return asl_part_of(fused_band(f, band), f->tiles, tile);
}

static struct asl_range fused_slice(const struct asl_fused *f, int slice)
{
	return asl_part_of(f->across, f->slices, slice);
}

/* Slices that have a buffer: the next one comes while one is used. */
static int slices_held(const struct asl_fused *f)
{
	return f->plan->overlap && f->slices > 1 && f->streamers->size > 1 ? 2
									   : 1;
}

/*
 * What fused counts at least, on any grid of a box
 *
 * Its tiles read no less than those of `tight`, which has the choice of all, and
 * gathering or reducing in pieces moves no fewer words.  Where p2 is no power of
 * two rank 0 has the larger shares of all tiles, rounded up; else what it stores
 * of them is left open.
 */

/*
 * Where neither panel fits into the budget, there are as many bands as it takes
 * to hold the one, and the other is gathered once for each.
 */
static void floor_bands(struct asl_counts *counts, const struct asl_plan *plan,
			const struct asl_brick_bound *x)
{
	double A = (double)x->of.A, B = (double)x->of.B;
	double budget = (double)plan->budget, hold_A, hold_B;

	if (!plan->budget || x->pn.high == 1 || x->pm.high == 1 ||
	    A <= budget || B <= budget)
		return;
	hold_A = (A / budget - 1) * B * (1 - 1 / (double)x->pm.low);
	hold_B = (B / budget - 1) * A * (1 - 1 / (double)x->pn.low);
	counts->of[ASL_BH] +=
		(uint64_t)((1 - 1e-9) * (hold_A < hold_B ? hold_A : hold_B));
}

/* The least that a rank holds of a panel: its share and a row, or all of it. */
static uint64_t held(uint64_t W, uint64_t row, const struct asl_span *line)
{
	if (line->high == 1)
		return W;
	return asl_min(W,
		       (asl_has_power_of_two(line) ? 0 : W / line->high) + row);
}

static void fused_lower_bound(struct asl_lower_bound *least,
			      const struct asl_plan *plan,
			      const struct asl_box *box,
			      const struct asl_rates *rates)
{
	struct asl_brick_bound x = asl_brick_bound(plan, box);
	struct asl_counts *counts = &least->counts;
	uint64_t A = x.of.A, B = x.of.B, C = x.of.C;
	uint64_t stores = asl_has_power_of_two(&x.pk) ? 0 : C / x.pk.high;

	asl_lower_bound_gather_blocks(counts, A, &x.pn, plan->panels);
	asl_lower_bound_gather_blocks(counts, B, &x.pm, plan->panels);
	floor_bands(counts, plan, &x);
	asl_lower_bound_line(counts, C, &x.pk);
	if (x.pk.high > 1 && !asl_has_power_of_two(&x.pk))
		counts->of[ASL_BOUNCE_READ] += C - C / x.pk.low;
	x.of.C = x.pk.high == 1 ? C : stores;
	asl_kernel_find("tight")->lower_bound(counts, &x.of, rates);
	least->memory +=
		held(A, x.of.x.k, &x.pn) + held(B, x.of.x.k, &x.pm) + x.of.C;
}

/*
 * What fused counts, in closed form
 *
 * Bands, tiles and slices come in two lengths each, so that there are eight
 * kinds of tile at most: as many of each are counted, and none is walked.
 */

struct tally {
	const struct asl_fused *f;
	struct asl_ledger *out;
	uint64_t own_C;
};

static void predict_tiles(struct tally *t, uint64_t length, uint64_t width,
			  uint64_t many)
{
	const struct asl_fused *f = t->f;
	const struct asl_group *line = &f->x.along_k;
	uint64_t W = length * width, k = f->x.k.count;
	struct asl_counts *compute = &t->out->in[ASL_COMPUTE];
	struct asl_counts once = {{0}};

	if (!W || !many)
		return;
	compute->of[asl_read_counter(asl_brick_where(f->plan, f->holders))] +=
		many * length * k;
	compute->of[asl_read_counter(asl_brick_where(f->plan, f->streamers))] +=
		many * width * k;
	compute->of[ASL_FLOPS] += 2 * many * W * k;
	asl_predict_reduce_scatter_tile(&once, W, line->size, line->me,
					ASL_POOL);
	asl_counts_add_times(&t->out->in[ASL_REDUCE], &once, many);
	t->own_C += many * asl_share(W, line->size, line->me).count;
}

/* Blocks of one operand that are gathered, `times` over; what is owned of them. */
static uint64_t predict_gathering(struct tally *t, struct asl_range all,
				  int parts, const struct asl_group *line,
				  uint64_t times)
{
	struct asl_counts *counts = &t->out->in[ASL_GATHER];
	uint64_t k = t->f->x.k.count, own = 0;

	if (line->size == 1)
		return all.count * k;
	if (is_around(t->f->plan, parts)) {
		asl_brick_predict_take(counts, t->f->plan, all.count * k, line);
		return all.count * k;
	}
	for (int longer = 0; longer < 2; longer++) {
		struct asl_alike x = asl_parts_alike(all.count, parts, longer);
		uint64_t words = x.length * k;
		struct asl_counts once = {{0}};

		asl_brick_predict_gather(&once, words, line,
					 t->f->plan->panels);
		asl_counts_add_times(counts, &once, x.many * times);
		own += x.many * asl_share(words, line->size, line->me).count;
	}
	return own;
}

static void predict_product(struct tally *t)
{
	const struct asl_fused *f = t->f;

	for (int i = 0; i < 8; i++) {
		struct asl_alike band =
			asl_parts_alike(f->along.count, f->bands, i / 4);
		struct asl_alike tile =
			asl_parts_alike(band.length, f->tiles, i / 2 % 2);
		struct asl_alike slice =
			asl_parts_alike(f->across.count, f->slices, i % 2);

		predict_tiles(t, tile.length, slice.length,
			      band.many * tile.many * slice.many);
	}
}

/* Beside what is owned. */
static uint64_t room_of(const struct asl_fused *f, const struct asl_group *line,
			struct asl_range block, int blocks)
{
	bool beside = line->size > 1 && !is_around(f->plan, blocks);

	return beside ? block.count * f->x.k.count : 0;
}

static void fused_predict(struct asl_ledger *out, const struct asl_plan *plan,
			  int rank)
{
	struct asl_fused f;
	struct tally t = {.f = &f, .out = out};
	uint64_t own, panels, tile;

	init(&f, plan, rank);
	own = predict_gathering(&t, f.along, f.bands, f.holders, 1);
	own += predict_gathering(&t, f.across, f.slices, f.streamers,
				 f.slices > 1 ? (uint64_t)f.bands : 1);
	predict_product(&t);
	own += t.own_C;

	/* The first of each is the largest. */
	panels = room_of(&f, f.holders, fused_band(&f, 0), f.bands) +
		 room_of(&f, f.streamers, fused_slice(&f, 0), f.slices) *
			 (uint64_t)slices_held(&f);
	tile = fused_tile(&f, 0, 0).count * fused_slice(&f, 0).count;
	out->memory_high = own + panels +
			   asl_reduce_scatter_tile_scratch(
				   tile, f.x.along_k.size, f.x.along_k.me);
	out->pool_high = own + (plan->panels == ASL_POOL ? panels : 0);
}

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

/* Words of the panel's block i, if gathered block by block; else of all. */
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
	*x = block(f, of_A, held ? fused_band(f, i) : fused_slice(f, i));
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
	along = fused_tile(f, band, tile);
	across = fused_slice(f, slice);
	*x = f->holds_A ? asl_whole_piece(along, across)
			: asl_whole_piece(across, along);
	x->words = asl_share(x->words.count, line->size, line->me);
	return true;
}

static bool fused_owns(struct asl_piece *x, const struct asl_plan *plan,
		       int rank, enum asl_operand which, int i)
{
	struct asl_fused f;

	init(&f, plan, rank);
	return which == ASL_C
		       ? owns_of_C(x, &f, i)
		       : owns_of_panel(x, &f, (which == ASL_A) == f.holds_A, i);
}

/* ---- The run ---- */

/* A panel on its way through memory: where its next share is, and what is here. */
struct panel {
	bool of_A;
	const struct asl_group *line; /* that gathers it; of one: it is here */
	struct asl_words own, buffer[2];
	bool around;		/* the buffer lies around its own words */
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
	x.around = is_around(f->plan, held ? f->bands : f->slices);
	if (x.around)
		x.buffer[0] = asl_brick_around(&x.own, all.count * f->x.k.count,
					       x.line);
	if (x.line->size == 1)
		x.block = as_operand(f, &x, &x.own, all.count);
	return x;
}

/* Room for its longest block, or for two. */
static void take_rooms(struct asl_rank *r, const struct asl_fused *f,
		       struct panel *x, uint64_t longest, int buffers)
{
	for (int i = 0; i < buffers && x->line->size > 1 && !x->around; i++)
		asl_take(r, &x->buffer[i], f->plan->panels,
			 longest * f->x.k.count);
}

static void give_rooms(struct asl_rank *r, struct panel *x)
{
	if (x->around)
		return;
	asl_give(r, &x->buffer[1]);
	asl_give(r, &x->buffer[0]);
}

/* The next block, `range` of m or n, is gathered into a buffer. */
static void gather(struct asl_rank *r, const struct asl_fused *f,
		   struct panel *x, int which, struct asl_range range)
{
	uint64_t words = range.count * f->x.k.count;
	struct asl_range mine = asl_share(words, x->line->size, x->line->me);
	struct asl_words all = asl_slice(&x->buffer[which], 0, words);
	struct asl_words share = asl_slice(&x->own, x->used, mine.count);

	if (x->line->size == 1)
		return;
	asl_phase(r, ASL_GATHER);
	if (x->around)
		asl_allgather(r, x->line, &all);
	else
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
	asl_begin_sum(r, line, &mine, tile, A->rows, B->cols);
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
	struct asl_block b = part(streamed, fused_slice(f, slice));

	for (int i = 0; i < f->tiles; i++) {
		struct asl_block a = part(held, fused_tile(f, band, i));

		finish_tile(r, f, tile, &a, &b, rest);
		if (slices_held(f) == 1)
			asl_mark_round(r);
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
	gather(r, f, next, i % slices_held(f), fused_slice(f, slice));
}

static void fused_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words own[ASL_OPERANDS])
{
	struct asl_words rest = own[ASL_C];
	struct panel held, streamed, next;
	struct asl_tile tile;
	struct asl_fused f;
	bool ahead;

	init(&f, plan, r->id);
	ahead = slices_held(&f) > 1;
	held = begin_panel(&f, true, own);
	next = begin_panel(&f, false, own);
	asl_phase(r, ASL_GATHER);
	take_rooms(r, &f, &held, fused_band(&f, 0).count, 1);
	take_rooms(r, &f, &next, fused_slice(&f, 0).count, 1 + ahead);
	asl_tile_take(r, &tile, fused_tile(&f, 0, 0).count,
		      fused_slice(&f, 0).count);
	fetch(r, &f, &next, 0);
	for (int i = 0; i < f.bands * f.slices; i++) {
		int band = i / f.slices, slice = i % f.slices;

		if (slice == 0)
			gather(r, &f, &held, 0, fused_band(&f, band));
		streamed = next;
		if (ahead) {
			asl_overlap_begin(r);
			fetch(r, &f, &next, i + 1);
			asl_overlap_end(r);
		}
		finish_slice(r, &f, band, slice, &held, &streamed, &tile,
			     &rest);
		asl_overlap_wait(r);
		if (ahead)
			asl_mark_round(r);
		else
			fetch(r, &f, &next, i + 1);
	}
	asl_tile_give(r, &tile);
	give_rooms(r, &next);
	give_rooms(r, &held);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mkn"},
	.kernel = "tight",
	.ideal = fused_ideal,
	.lower_bound = fused_lower_bound,
	.blocks = fused_blocks,
	.upper_bound = fused_upper_bound,
	.owns = fused_owns,
	.in_panel = {[ASL_A] = true, [ASL_B] = true},
};

const struct asl_algorithm asl_multiply_fused = {
	.name = "fused",
	.summary = "3d's grid, sums reduced out of the cache: fewest writes",
	.outside_apm = true,
	.when = "writes are expensive: nothing writes fewer words",
	.family = &asl_family_multiply,
	.resumes = true,
	.overlaps = true,
	.matmul = &matmul,
	.predict = fused_predict,
	.run = fused_run,
};
