/*
 * summa_l3ool2.c -- SUMMA that writes every word of C once, at any price
 *
 * SUMMA reads and writes its block of C once a panel.  Here a tile of C, of side
 * b = floor(sqrt(S/3)), stays in the cache until it is complete: a round
 * broadcasts one tile of A along each row of ranks and one of B along each
 * column, and adds their product to it.  Along k the tiles end at b and where
 * either cut of k ends.  Tiles that were received pass through memory and are
 * read from there like a kernel's operands.
 *
 * What spares writes costs words between ranks: A(i, *) is broadcast once for
 * every column of tiles that C(i, j) has, B(*, j) once for every row of them.
 * Per rank, with Tm = ceil(m/(pr b)) and Tn = ceil(n/(pc b)), where the grid
 * divides the shape and every tile can be shared out evenly:
 *
 *	rounds	Tm Tn sum of ceil(strip/b)	~ mnk / (P (S/3)^(3/2))
 *	B_h	Tn (1 - 1/pc) (1 + 2/pc) mk/pr
 *		+ Tm (1 - 1/pr) (1 + 2/pr) kn/pc	~ 2 sqrt(3) mnk/(P sqrt(S))
 *	B_w	mn/P
 *	B_r	Tn mk/pr + Tm kn/pc		~ 2 sqrt(3) mnk/(P sqrt(S))
 *	owned	(mk + kn + mn)/P
 *	panels	2 b^2; b^2 along a line of one rank
 *
 * The papers count a broadcast as 2 (1 - 1/p), what its root moves, and so have
 * up to twice this B_h.
 *
 * Uneven blocks: a row of ranks goes through as many columns of tiles as the
 * widest of its blocks has, a column through as many rows as the tallest, and
 * who has no tile of C then takes part in the broadcasts all the same.
 *
 * Rectangular shapes: to leading order B_h does not depend on the grid at all,
 * for mk/pr n/(pc b) = mnk/(P b) and the same for B.  So C is cut as for SUMMA,
 * into squares, of which the papers' sqrt(P) x sqrt(P) is the square case; tiles
 * then fit either side equally well.  A grid of a single line would need half
 * the words, as one operand stays; but that is another algorithm, and is
 * taken only where a side is prescribed to be below 2.
 *
 * The kernel that a plan names plays no part: the tiles are the algorithm's, and
 * they are VOMM's.
 *
 * E. Carson, J. Demmel, L. Grigori, N. Knight, P. Koanantakool, O. Schwartz,
 * H. V. Simhadri, Write-avoiding algorithms, IPDPS 2016, as described by Zhu et
 * al., Joint-communication optimal matrix multiplication, section 8.
 */
#include "lib/base/parts.h"
#include "lib/multiply/brick.h"
#include "lib/multiply/plane.h"
#include "lib/rank/resume.h"

static uint64_t side(const struct asl_plan *plan)
{
	return asl_isqrt(plan->cache / 3);
}

/* Tiles along the longest part of a dimension: those of rank (0, 0). */
static uint64_t tiles(const struct asl_plan *plan, uint64_t length, int parts)
{
	return asl_ceil_div(asl_part(length, parts, 0).count, side(plan));
}

/* Tile i of a block's rows or columns; none beyond the block's end. */
static struct asl_range tile_range(uint64_t length, uint64_t b, uint64_t i)
{
	if (i * b >= length)
		return (struct asl_range){0, 0};
	return (struct asl_range){i * b, asl_min(b, length - i * b)};
}

/* A single line of ranks only where less than two are prescribed. */
static void l3ool2_limits(struct asl_box *box, const struct asl_plan *plan)
{
	uint64_t length[] = {asl_shape_of(plan)->m, asl_shape_of(plan)->n};

	for (int i = 0; i < 2; i++)
		if (plan->multiplication->ideal[i] >= 2 && length[i] > 1 &&
		    box->low[i] < 2)
			box->low[i] = 2;
}

/*
 * Every panel comes once for each tile that needs it, which is as often as it is
 * read, and C is completed in one pass.
 */
static void l3ool2_lower_bound(struct asl_lower_bound *least,
			       const struct asl_plan *plan,
			       const struct asl_box *box,
			       const struct asl_rates *rates)
{
	struct asl_brick_bound x = asl_brick_bound(plan, box);
	uint64_t b = side(plan), each = asl_ceil_div(x.of.volume, b);
	uint64_t A = asl_max(each, x.of.A * asl_ceil_div(x.of.x.n, b));
	uint64_t B = asl_max(each, x.of.B * asl_ceil_div(x.of.x.m, b));
	uint64_t tall = asl_min(b, x.of.x.m), wide = asl_min(b, x.of.x.n);
	uint64_t deep = asl_ceil_div(asl_shape_of(plan)->k,
				     asl_max(x.pm.high, x.pn.high));

	deep = asl_min(b, deep);
	if (x.pn.high > 1)
		least->counts.of[ASL_BH] += A;
	if (x.pm.high > 1)
		least->counts.of[ASL_BH] += B;
	asl_stream_lower_bound(&least->counts, &x.of, rates, A, B, 0);
	least->memory += x.of.A / x.pn.high + x.of.B / x.pm.high + x.of.C +
			 (x.pn.high > 1 ? tall * deep : 0) +
			 (x.pm.high > 1 ? deep * wide : 0);
}

/* Everything that one tile of C, begun, needs, or that its neighbours need. */
static void complete(struct asl_rank *r, const struct asl_plan *plan,
		     const struct asl_plane *x, struct asl_tile *c,
		     struct asl_range rows, struct asl_range cols,
		     struct asl_panels *panels,
		     struct asl_words own[ASL_OPERANDS])
{
	struct asl_strip s;

	for (uint64_t l = 0; l < asl_shape_of(plan)->k; l += s.k.count) {
		struct asl_block a, b;

		s = asl_plane_strip(plan, l, side(plan));
		asl_phase(r, ASL_GATHER);
		a = asl_plane_spread_A(r, x, &s, rows, &own[ASL_A], panels);
		b = asl_plane_spread_B(r, x, &s, cols, &own[ASL_B], panels);
		asl_phase(r, ASL_COMPUTE);
		if (rows.count && cols.count)
			asl_multiply(r, c, &a, &b, s.k.count);
	}
}

static void l3ool2_run(struct asl_rank *r, const struct asl_plan *plan,
		       struct asl_words own[ASL_OPERANDS])
{
	struct asl_plane x = asl_plane(plan, r->id);
	struct asl_block C = asl_as_block(&own[ASL_C], x.m.count, x.n.count);
	uint64_t b = side(plan), tall = asl_min(b, C.rows),
		 wide = asl_min(b, C.cols);
	uint64_t Tm = tiles(plan, asl_shape_of(plan)->m, x.col.size);
	uint64_t Tn = tiles(plan, asl_shape_of(plan)->n, x.row.size);
	struct asl_panels panels;
	struct asl_tile c;

	asl_phase(r, ASL_GATHER);
	asl_panels_take(r, &panels, plan, &x, tall, wide,
			asl_plane_deepest(plan, b));
	asl_tile_take(r, &c, tall, wide);
	for (uint64_t i = 0; i < Tm; i++)
		for (uint64_t j = 0; j < Tn; j++) {
			struct asl_range rows = tile_range(C.rows, b, i);
			struct asl_range cols = tile_range(C.cols, b, j);
			struct asl_block done =
				asl_sub_block(&C, rows.first, cols.first,
					      rows.count, cols.count);

			asl_tile_begin(r, &c, &done);
			complete(r, plan, &x, &c, rows, cols, &panels, own);
			asl_tile_store(r, &done, &c);
			asl_mark_epoch(r, NULL, 0);
		}
	asl_tile_give(r, &c);
	asl_panels_give(r, &panels, &x);
}

struct l3ool2_forecast {
	struct asl_counts *gather;
	const struct asl_plan *plan;
	struct asl_plane x;
	uint64_t Tm, Tn;
};

/* The blocks of C in tiles of b and a rest, each with all its rounds. */
static void predict_rounds(const struct asl_depth *d, void *arg)
{
	struct l3ool2_forecast *f = arg;
	uint64_t b = side(f->plan);
	uint64_t m = f->x.m.count, n = f->x.n.count;
	uint64_t down[] = {m / b * f->Tn, f->Tn}, rows[] = {b, m % b};
	uint64_t across[] = {n / b * f->Tm, f->Tm}, cols[] = {b, n % b};

	for (int i = 0; i < 2; i++) {
		asl_plane_predict_spread(f->gather, &f->x.row,
					 rows[i] * d->depth, d->many * down[i],
					 d->of_A * down[i], f->plan->panels);
		asl_plane_predict_spread(f->gather, &f->x.col,
					 d->depth * cols[i],
					 d->many * across[i],
					 d->of_B * across[i], f->plan->panels);
	}
}

static void l3ool2_predict(struct asl_ledger *out, const struct asl_plan *plan,
			   int rank)
{
	struct asl_plane x = asl_plane(plan, rank);
	uint64_t m = x.m.count, n = x.n.count, k = asl_shape_of(plan)->k;
	uint64_t b = side(plan), tall = asl_min(b, m), wide = asl_min(b, n);
	uint64_t panels =
		asl_panels_words(&x, tall, wide, asl_plane_deepest(plan, b));
	struct asl_counts *compute = &out->in[ASL_COMPUTE];
	struct l3ool2_forecast f = {
		.gather = &out->in[ASL_GATHER],
		.plan = plan,
		.x = x,
		.Tm = tiles(plan, asl_shape_of(plan)->m, x.col.size),
		.Tn = tiles(plan, asl_shape_of(plan)->n, x.row.size),
	};

	asl_plane_each_depth(plan, &x, b, predict_rounds, &f);
	compute->of[asl_read_counter(asl_brick_where(plan, &x.row))] +=
		m * k * asl_ceil_div(n, b);
	compute->of[asl_read_counter(asl_brick_where(plan, &x.col))] +=
		k * n * asl_ceil_div(m, b);
	compute->of[ASL_NVM_WRITE] += m * n;
	compute->of[ASL_FLOPS] += 2 * m * n * k;
	out->memory_high = asl_plane_owned(&x) + panels;
	out->pool_high =
		asl_plane_owned(&x) + (plan->panels == ASL_POOL ? panels : 0);
}

static const struct asl_matmul matmul = {
	.grid = ASL_PLANE_GRID,
	.kernel = "vomm",
	.ideal = asl_plane_ideal,
	.limits = l3ool2_limits,
	.lower_bound = l3ool2_lower_bound,
	.owns = asl_plane_owns,
};

const struct asl_algorithm asl_multiply_summa_l3ool2 = {
	.name = "summa-l3ool2",
	.summary = "2D, writes C once: a tile at a time (Carson et al.)",
	.when = "each word of C is to be written once",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = l3ool2_predict,
	.run = l3ool2_run,
};
