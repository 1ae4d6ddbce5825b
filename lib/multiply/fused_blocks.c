/*
 * fused_blocks.c -- bands, slices and tiles: as few as fit, and what they read
 *
 * Numbers are those of the largest brick, and shares are taken to be rounded up,
 * so that what is chosen fits on every rank.
 */
#include <math.h>

#include "lib/multiply/fused.h"

/* The largest brick, and which of its panels must be gathered. */
struct sizes {
	uint64_t along, across, deep; /* of the held, of the streamed, in k */
	bool holds_A, gathers_held, gathers_streamed;
};

static struct sizes sizes_of(const struct asl_plan *plan)
{
	const struct asl_shape *s = &plan->shape;
	const int *p = plan->grid.p;
	uint64_t m = asl_ceil_div(s->m, (uint64_t)p[0]);
	uint64_t n = asl_ceil_div(s->n, (uint64_t)p[2]);
	bool A = p[2] > 1, B = p[0] > 1;
	/* Of two alike B is: tiles then have long rows, which the BLAS likes. */
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
	return asl_larger(1, (cache + 1) / (wide + 1) - 1);
}

static uint64_t tiles_of(const struct asl_plan *plan, const struct sizes *x,
			 int bands, int slices)
{
	uint64_t wide = asl_ceil_div(x->across, (uint64_t)slices);
	uint64_t band = asl_ceil_div(x->along, (uint64_t)bands);

	return asl_ceil_div(band, highest(plan->cache, wide));
}

/* ---- What a choice needs and costs ---- */

static uint64_t owned_at_most(const struct asl_plan *plan,
			      const struct sizes *x, uint64_t tiles)
{
	const int *p = plan->grid.p;
	uint64_t m = x->holds_A ? x->along : x->across;
	uint64_t n = x->holds_A ? x->across : x->along;
	uint64_t blocks = (uint64_t)plan->bands + (uint64_t)plan->slices;

	return m * x->deep / (uint64_t)p[2] + x->deep * n / (uint64_t)p[0] +
	       m * n / (uint64_t)p[1] + 2 + blocks +
	       (uint64_t)plan->bands * (uint64_t)plan->slices * tiles;
}

/* Words that a rank may hold with the plan's bands and slices. */
static uint64_t need(const struct asl_plan *plan, const struct sizes *x)
{
	uint64_t band = asl_ceil_div(x->along, (uint64_t)plan->bands);
	uint64_t wide = asl_ceil_div(x->across, (uint64_t)plan->slices);
	uint64_t tiles = tiles_of(plan, x, plan->bands, plan->slices);
	uint64_t tile = asl_ceil_div(band, tiles) * wide;
	uint64_t slices = plan->overlap && plan->slices > 1 ? 2 : 1;
	uint64_t words = owned_at_most(plan, x, tiles) + tile;

	if (x->gathers_held)
		words += band * x->deep;
	if (x->gathers_streamed)
		words += slices * wide * x->deep;
	return words + asl_reduce_scatter_tile_room(tile, plan->grid.p[1],
						    plan->grid.p[1] - 1);
}

/* Of reads and of gathering; the rest depends on the grid alone. */
static double cost(const struct asl_plan *plan, const struct sizes *x)
{
	double held = (double)x->along * (double)x->deep;
	double streamed = (double)x->across * (double)x->deep;
	double tiles = (double)tiles_of(plan, x, plan->bands, plan->slices);
	double times = plan->slices > 1 ? plan->bands : 1;

	return plan->costs.read *
		       (held * plan->slices + streamed * plan->bands * tiles) +
	       (x->gathers_streamed ? plan->costs.net * streamed * times : 0);
}

/* ---- The choice ---- */

/* As many slices as the tiles of least reads are wide. */
static int slices_of_least_reads(const struct asl_plan *plan,
				 const struct sizes *x)
{
	struct asl_product local = {
		.m = asl_ceil_div(x->along, (uint64_t)plan->bands),
		.n = x->across,
		.k = x->deep,
		.cache = plan->cache,
	};

	return (int)asl_ceil_div(x->across, asl_tight_sides(&local).cols);
}

static int more(int count, uint64_t most)
{
	uint64_t next = (uint64_t)count + (uint64_t)(count + 7) / 8;

	return (int)asl_least(next, most);
}

struct choice {
	int bands, slices;
	double cost;
	uint64_t need;
};

/* With this many bands, the fewest slices from those of least reads on. */
static struct choice with_bands(struct asl_plan plan, const struct sizes *x)
{
	bool given = plan.slices;
	struct choice c = {plan.bands, given ? plan.slices : (int)x->across,
			   INFINITY, 0};

	plan.slices = c.slices;
	c.need = need(&plan, x);
	if (plan.budget && c.need > plan.budget)
		return c;
	if (!given)
		plan.slices = slices_of_least_reads(&plan, x);
	for (; plan.slices < c.slices;
	     plan.slices = more(plan.slices, x->across))
		if (!plan.budget || need(&plan, x) <= plan.budget)
			break;
	c.slices = plan.slices;
	c.need = need(&plan, x);
	c.cost = cost(&plan, x);
	return c;
}

/*
 * More bands mean more words on the network: the search ends a little after the
 * fewest that fit.  If none do, what needs least.
 */
void asl_fused_blocks(struct asl_plan *plan)
{
	struct sizes x = sizes_of(plan);
	struct choice best = {0, 0, INFINITY, UINT64_MAX};
	struct asl_plan with = *plan;
	int tries = 0;

	if (plan->bands && plan->slices)
		return;
	with.bands = plan->bands ? plan->bands : 1;
	for (;;) {
		struct choice now = with_bands(with, &x);

		if (now.cost < best.cost ||
		    (isinf(best.cost) && now.need < best.need))
			best = now;
		tries += !isinf(best.cost);
		if (plan->bands || !plan->budget || tries == 8 ||
		    (uint64_t)with.bands >= x.along)
			break;
		with.bands = more(with.bands, x.along);
	}
	plan->bands = best.bands;
	plan->slices = best.slices;
}

uint64_t asl_fused_enough(const struct asl_plan *plan)
{
	struct sizes x = sizes_of(plan);

	return need(plan, &x);
}

/* ---- One rank's ---- */

void asl_fused_init(struct asl_fused *f, const struct asl_plan *plan, int rank)
{
	struct sizes x = sizes_of(plan);

	*f = (struct asl_fused){
		.plan = plan,
		.x = asl_brick(plan, rank),
		.holds_A = x.holds_A,
		.bands = plan->bands,
		.slices = plan->slices,
		.tiles = (int)tiles_of(plan, &x, plan->bands, plan->slices),
	};
	f->along = f->holds_A ? f->x.m : f->x.n;
	f->across = f->holds_A ? f->x.n : f->x.m;
	f->holders = f->holds_A ? &f->x.along_n : &f->x.along_m;
	f->streamers = f->holds_A ? &f->x.along_m : &f->x.along_n;
}

struct asl_range asl_fused_band(const struct asl_fused *f, int band)
{
	return asl_part_of(f->along, f->bands, band);
}

struct asl_range asl_fused_tile(const struct asl_fused *f, int band, int tile)
{
	return asl_part_of(asl_fused_band(f, band), f->tiles, tile);
}

struct asl_range asl_fused_slice(const struct asl_fused *f, int slice)
{
	return asl_part_of(f->across, f->slices, slice);
}

int asl_fused_slices_held(const struct asl_fused *f)
{
	return f->plan->overlap && f->slices > 1 && f->streamers->size > 1 ? 2
									   : 1;
}
