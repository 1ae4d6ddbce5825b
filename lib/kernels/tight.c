/*
 * tight.c -- a tile of C that all but fills the cache
 *
 * A and B need no tiles: a column of A and a row of B at a time are enough to
 * update the tile of C, so it may have rows * cols + rows + cols <= S words
 * and sqrt(3) times the side of VOMM's.
 *
 *	reads	m k ceil(n/cols) + k n ceil(m/rows)	~ 2 mnk / sqrt(S)
 *	writes	m n (and as many reads more when adding to C)
 *
 * The tile is the rectangle of least reads, not the largest square: a square
 * that just fails to divide m or n reads a whole panel once more.  Against the
 * lower bound 2mnk/sqrt(S) - 2S on reads and writes together (Smith et al.)
 * the reads are tight; the writes, m n, come on top.
 *
 * T. Smith, B. Lowery, J. Langou, R. van de Geijn, A tight I/O lower bound for
 * matrix multiplication, 2019.
 */
#include "lib/kernels/kernel.h"

#include <math.h>

#include "lib/base/parts.h"

/* Tiles one above the other and side by side, and what they make it read / k. */
struct cut {
	uint64_t rows, down, across, reads;
};

/* So many tiles down, no higher than they must be, and as wide as they can be. */
static struct cut cut_down(const struct asl_product *x, uint64_t down)
{
	uint64_t rows = asl_ceil_div(x->m, down);
	uint64_t cols = (x->cache + 1) / (rows + 1) - 1;
	uint64_t across = asl_ceil_div(x->n, cols);

	return (struct cut){rows, down, across, x->m * across + x->n * down};
}

/*
 * Tiles of this height read mn (1/rows + 1/cols) or more, which grows both ways
 * from where rows and cols are equal.  Less a trifle, for rounding.
 */
static double least_reads(const struct asl_product *x, uint64_t rows)
{
	double r = (double)rows, cols = (double)(x->cache + 1) / (r + 1) - 1;

	return (1 - 1e-9) * (double)x->m * (double)x->n * (1 / r + 1 / cols);
}

/* Ties go to the higher tile: there are fewer. */
static bool better(const struct cut *a, const struct cut *b)
{
	return a->reads < b->reads ||
	       (a->reads == b->reads && a->down < b->down);
}

/*
 * Both ways from the balanced height, until the least that is possible further
 * on exceeds the best so far.  Heights that only waste a part of their last tile
 * are passed over.
 */
struct asl_sides asl_tight_sides(const struct asl_product *x)
{
	uint64_t most = (x->cache - 1) / 2, first;
	struct cut best, now;

	if (!x->m || !x->n)
		return (struct asl_sides){1, 1};
	first = asl_isqrt(x->cache + 1) - 1;
	first = asl_ceil_div(x->m, first ? first : 1);
	best = now = cut_down(x, first);
	while (now.rows > 1) {
		now = cut_down(x, asl_ceil_div(x->m, now.rows - 1));
		if (least_reads(x, now.rows) > (double)best.reads)
			break;
		best = better(&now, &best) ? now : best;
	}
	now.down = asl_ceil_div(x->m, asl_ceil_div(x->m, first));
	now = cut_down(x, now.down);
	best = better(&now, &best) ? now : best;
	while (now.down > 1 && asl_ceil_div(x->m, now.down - 1) <= most) {
		uint64_t rows = asl_ceil_div(x->m, now.down - 1);

		now = cut_down(x, asl_ceil_div(x->m, rows));
		if (least_reads(x, now.rows) > (double)best.reads)
			break;
		best = better(&now, &best) ? now : best;
	}
	return (struct asl_sides){best.rows, asl_ceil_div(x->n, best.across)};
}

static void tight_run(struct asl_rank *r, const struct asl_product *x,
		      const struct asl_block *C, const struct asl_block *A,
		      const struct asl_block *B)
{
	struct asl_sides side = asl_tight_sides(x);

	asl_stream(r, x, C, A, B, side.rows, side.cols, 1);
}

static void tight_predict(struct asl_counts *counts,
			  const struct asl_product *x)
{
	struct asl_sides side = asl_tight_sides(x);

	asl_stream_predict(counts, x, side.rows, side.cols);
}

/*
 * A tile for longer sides will do for shorter ones: reads grow with every side,
 * and are the least sides' or more, once per word of k.  Any sides' are 2mnk /
 * (sqrt(S + 1) - 1) or more, those of a square that fits without a gap.
 */
static void tight_lower_bound(struct asl_counts *counts,
			      const struct asl_products *x,
			      const struct asl_rates *rates)
{
	struct asl_sides side = asl_tight_sides(&x->x);
	uint64_t across = asl_ceil_div(x->x.n, side.cols);
	uint64_t down = asl_ceil_div(x->x.m, side.rows);
	uint64_t any = (x->x.m * across + x->x.n * down) * x->x.k;
	double square =
		2 * (double)x->volume / (sqrt((double)x->x.cache + 1) - 1);

	square = ceil((1 - 1e-12) * square);
	asl_stream_lower_bound(counts, x, rates, 0, 0,
			       asl_max(any, (uint64_t)square));
}

const struct asl_kernel asl_kernel_tight = {
	.name = "tight",
	.summary = "a tile of C that all but fills S, A and B in slivers",
	.least_cache = 3,
	.run = tight_run,
	.predict = tight_predict,
	.lower_bound = tight_lower_bound,
};
