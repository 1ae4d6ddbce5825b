/*
 * tight.c -- a tile of C that all but fills the cache
 *
 * A and B need no tiles: a column of A and a row of B at a time are enough to
 * update the tile of C, so it may have rows * cols + rows + cols <= S words
 * and sqrt(3) times the side of VOMM's.
 *
 *	reads	m k ceil(n/cols) + k n ceil(m/rows)	~ 2 mnk / sqrt(S)
 *	writes	m n (and as many reads more when adding to C)
 *	room	rows cols
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
#include "lib/matrix/parts.h"

/*
 * For every height of tile, the widest one; until the reads of B alone exceed
 * the best so far.  Both sides are then evened out.
 */
struct asl_sides asl_tight_sides(const struct asl_product *x)
{
	struct asl_sides best = {1, 1};
	uint64_t least = UINT64_MAX, rows, down;

	if (!x->m || !x->n)
		return best;
	down = asl_ceil_div(x->m, (x->cache - 1) / 2);
	while (down <= x->m && x->n * down < least) {
		uint64_t cols, across, reads;

		rows = asl_ceil_div(x->m, down);
		cols = (x->cache + 1) / (rows + 1) - 1;
		across = asl_ceil_div(x->n, cols);
		reads = x->m * across + x->n * down;
		if (reads < least) {
			least = reads;
			best = (struct asl_sides){rows,
						  asl_ceil_div(x->n, across)};
		}
		/* The fewest tiles down that are less high. */
		down = rows > 1 ? asl_ceil_div(x->m, rows - 1) : x->m + 1;
	}
	return best;
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

static uint64_t tight_room(const struct asl_product *x)
{
	struct asl_sides side = asl_tight_sides(x);

	return x->m && x->n ? side.rows * side.cols : 0;
}

const struct asl_kernel asl_kernel_tight = {
	.name = "tight",
	.summary = "a tile of C that all but fills S, A and B in slivers",
	.least_cache = 3,
	.run = tight_run,
	.predict = tight_predict,
	.room = tight_room,
};
