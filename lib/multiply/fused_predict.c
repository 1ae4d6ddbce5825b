/*
 * fused_predict.c -- what fused counts, in closed form
 *
 * Bands, tiles and slices come in two lengths each, so that there are eight
 * kinds of tile at most: as many of each are counted, and none is walked.
 */
#include "lib/multiply/fused.h"

struct tally {
	const struct asl_fused *f;
	struct asl_ledger *out;
	uint64_t own_C;
};

static enum asl_where where(const struct asl_fused *f,
			    const struct asl_group *line)
{
	return line->size > 1 ? f->plan->panels : ASL_POOL;
}

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
	compute->of[asl_read_counter(where(f, f->holders))] +=
		many * length * k;
	compute->of[asl_read_counter(where(f, f->streamers))] +=
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

static uint64_t room_of(const struct asl_fused *f, const struct asl_group *line,
			struct asl_range block)
{
	return line->size > 1 ? block.count * f->x.k.count : 0;
}

void asl_fused_predict(struct asl_ledger *out, const struct asl_plan *plan,
		       int rank)
{
	struct asl_fused f;
	struct tally t = {.f = &f, .out = out};
	uint64_t own, panels, tile;

	asl_fused_init(&f, plan, rank);
	own = predict_gathering(&t, f.along, f.bands, f.holders, 1);
	own += predict_gathering(&t, f.across, f.slices, f.streamers,
				 f.slices > 1 ? (uint64_t)f.bands : 1);
	predict_product(&t);
	own += t.own_C;

	/* The first of each is the largest. */
	panels = room_of(&f, f.holders, asl_fused_band(&f, 0)) +
		 room_of(&f, f.streamers, asl_fused_slice(&f, 0)) *
			 (uint64_t)asl_fused_slices_held(&f);
	tile = asl_fused_tile(&f, 0, 0).count * asl_fused_slice(&f, 0).count;
	out->memory_high = own + panels + tile +
			   asl_reduce_scatter_tile_room(tile, f.x.along_k.size,
							f.x.along_k.me);
	out->pool_high = own + (plan->panels == ASL_POOL ? panels : 0);
}
