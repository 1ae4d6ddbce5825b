/*
 * program.c -- a sequence of contractions out of core, each in tiles
 *
 * Operands and intermediates lie in the ranks' pools.  A stage contracts two tensors
 * or more, so that intermediates within it are never in a pool: the loops over its
 * tiles are those of two contractions or more, fused.  For each tile its slices of
 * the inputs come to DRAM, are contracted there in pairs, and the slice of the output
 * returns.
 *
 *	for all tiles of the indices with loops, the outermost first
 *		fetch those inputs whose slices are others than before
 *		contract them; add to the output's slice, unless it is the first
 *		put the output's slice before another one's turn
 *
 * A rank has a cell of the stage's mesh.  With W_t for the words of its slice of tensor
 * t, and p_t for the product of the parts of those loops that t lacks, and that are
 * around one that it has:
 *
 *	D	sum over inputs of p_t W_t, and 2 p_t W_t - W_t for the output; or
 *		2 p_t W_t, if it is added to words that are there
 *
 * An input's slice that G ranks share is gathered in each one's pool first; or every
 * rank owns a share of each of its tiles, and tiles are gathered in DRAM.  If the mesh
 * cuts an index that is summed over, tiles of the output are summed up over its
 * sharers, and each rank adds its share to its pool.  Of a term whose tiles are shared
 *
 *	D	is a G-th
 *	V	p_t (1 - 1/G) W_t
 *
 * What another mesh has made moves in between, from pool to pool, in slabs of its first
 * index or in the tiles that are shared, before or afterwards.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/multiply/brick.h"
#include "lib/outofcore/outofcore.h"
#include "lib/rank/collective.h"
#include "lib/rank/resume.h"
#include "lib/rank/seconds.h"

/* ---- Loops ---- */

/* The number of loops down to the innermost of an index of the term. */
static int depth(const struct asl_loops *l, const struct asl_term *t)
{
	int loops = l->count;

	while (loops && !asl_term_has(t, l->index[loops - 1]))
		loops--;
	return loops;
}

/* Parts of the first so many loops, of those that the term lacks. */
static uint64_t parts_beside(const struct asl_loops *l,
			     const struct asl_term *t, int loops)
{
	uint64_t parts = 1;

	for (int i = 0; i < loops; i++)
		if (!asl_term_has(t, l->index[i]))
			parts *= (uint64_t)l->parts[l->index[i]];
	return parts;
}

static uint64_t passes(const struct asl_loops *l, const struct asl_term *t)
{
	return parts_beside(l, t, depth(l, t));
}

void asl_ooc_part_tile(uint64_t *tile, const struct asl_ooc_part *p)
{
	const struct asl_loops *l = p->loops;

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		tile[i] = p->len[i];
	for (int i = 0; i < l->count; i++) {
		int index = l->index[i];

		tile[index] = asl_part(p->len[index], l->parts[index], 0).count;
	}
}

/* ---- Closed forms of the loops ---- */

/* Tiles of a term that ranks share, in so many passes. */
struct shared {
	struct asl_counts *x;
	struct asl_group sharers;
	uint64_t passes, scratch;
	bool adds; /* of the output */
};

static void predict_gather(uint64_t words, uint64_t many, void *arg)
{
	struct shared *s = arg;
	int size = s->sharers.size, me = s->sharers.me;
	struct asl_counts once = {{0}};

	asl_predict_copy(&once, ASL_DRAM, ASL_POOL,
			 asl_share(words, size, me).count);
	asl_predict_allgather(&once, words, size, me, ASL_DRAM);
	asl_counts_add_times(s->x, &once, many * s->passes);
}

/* Each pass but the first is added to words in the pool. */
static void predict_sum(uint64_t words, uint64_t many, void *arg)
{
	struct shared *s = arg;
	int size = s->sharers.size, me = s->sharers.me;
	uint64_t mine = asl_share(words, size, me).count;
	struct asl_counts once = {{0}};

	asl_predict_reduce_scatter(&once, words, size, me, ASL_DRAM, ASL_DRAM);
	asl_predict_copy(&once, ASL_POOL, ASL_DRAM, mine);
	asl_counts_add_times(s->x, &once, many * s->passes);
	s->x->of[ASL_NVM_LIFT] += (s->passes - !s->adds) * many * mine;
	s->scratch = asl_max(s->scratch,
			     asl_reduce_scatter_scratch(words, size, me));
}

uint64_t asl_ooc_part_traffic(const struct asl_ooc_counts *x,
			      const struct asl_ooc_part *p)
{
	int out = p->e->inputs;
	uint64_t scratch = 0;

	for (int i = 0; i <= out; i++) {
		const struct asl_term *t = &p->e->term[i];
		uint64_t W = asl_term_words(t, p->len);
		struct shared s = {.x = i < out ? x->gathers : x->sums,
				   .sharers = p->sharers[i],
				   .passes = passes(p->loops, t),
				   .adds = p->adds};

		if (s.sharers.size > 1) {
			asl_loops_sizes(p->loops, t, p->len,
					i < out ? predict_gather : predict_sum,
					&s);
			scratch = asl_max(scratch, s.scratch);
			continue;
		}
		asl_predict_copy(x->loops, ASL_DRAM, ASL_POOL,
				 (s.passes - (i == out && !p->adds)) * W);
		if (i == out)
			asl_predict_copy(x->loops, ASL_POOL, ASL_DRAM,
					 s.passes * W);
	}
	return scratch;
}

struct products {
	struct asl_counts *x;
	const struct asl_plan *plan;
	const struct asl_ooc_part *part;
	const struct asl_local *local;
	uint64_t len[ASL_MOST_INDICES]; /* of a tile */
	uint64_t scratch;
};

static void predict_alike(struct products *p, uint64_t many, bool adds)
{
	const struct asl_einsum *e = p->part->e;
	struct asl_view in[ASL_MOST_TOGETHER], out;
	struct asl_counts once = {{0}};
	uint64_t scratch;

	for (int i = 0; i < e->inputs; i++)
		in[i] = asl_view_nowhere(&e->term[i], p->len);
	out = asl_view_nowhere(&e->term[e->inputs], p->len);
	out.adds = adds;
	scratch = asl_local_predict(&once, p->plan, p->local, &out, in, p->len);
	asl_counts_add_times(p->x, &once, many);
	p->scratch = asl_max(p->scratch, scratch);
}

/* Does the loop make summands of the same words, one after another? */
static bool adds_up(const struct asl_ooc_part *p, int loop)
{
	const struct asl_term *out = &p->e->term[p->e->inputs];

	/* A tile that ranks share begins anew with every turn of an outer loop. */
	return !asl_term_has(out, p->loops->index[loop]) &&
	       (p->sharers[p->e->inputs].size == 1 ||
		loop >= depth(p->loops, out));
}

/*
 * Tiles of two lengths along each index that has a loop.  The first of those that make
 * summands of the same words, which is as long as any, adds only if the stage does.
 */
static void predict_products(struct products *p, int loop, uint64_t many,
			     bool adds)
{
	const struct asl_loops *l = p->part->loops;
	int index = l->index[loop];
	bool first = true;
	uint64_t all;

	if (loop == l->count) {
		predict_alike(p, many, adds);
		return;
	}
	all = p->len[index];
	for (int longer = 1; longer >= 0; longer--) {
		struct asl_alike tile =
			asl_parts_alike(all, l->parts[index], longer);
		bool summed = adds_up(p->part, loop);

		p->len[index] = tile.length;
		if (tile.many && summed && first) {
			predict_products(p, loop + 1, many, adds);
			tile.many--;
			first = false;
		}
		if (tile.many)
			predict_products(p, loop + 1, many * tile.many,
					 adds || summed);
	}
	p->len[index] = all;
}

/* The largest share of the output's tile, where ranks share it. */
static uint64_t share_room(const struct asl_ooc_part *p, const uint64_t *tile)
{
	const struct asl_einsum *e = p->e;
	int size = p->sharers[e->inputs].size;

	return size == 1
		       ? 0
		       : asl_ceil_div(asl_term_words(&e->term[e->inputs], tile),
				      (uint64_t)size);
}

/* The largest slices of a tile. */
uint64_t asl_ooc_part_room(const struct asl_ooc_part *p)
{
	const struct asl_einsum *e = p->e;
	uint64_t tile[ASL_MOST_INDICES], words = 0;

	asl_ooc_part_tile(tile, p);
	for (int i = 0; i <= e->inputs; i++)
		words += asl_term_words(&e->term[i], tile);
	return words + share_room(p, tile);
}

uint64_t asl_ooc_part_predict(const struct asl_ooc_counts *x,
			      const struct asl_ooc_part *p,
			      const struct asl_plan *plan,
			      const struct asl_local *local)
{
	struct products of = {
		.x = x->loops, .plan = plan, .part = p, .local = local};
	uint64_t scratch = asl_ooc_part_traffic(x, p);

	for (int i = 0; i < p->e->indices; i++)
		of.len[i] = p->len[i];
	predict_products(&of, 0, 1,
			 p->adds && p->sharers[p->e->inputs].size == 1);
	return asl_ooc_part_room(p) + asl_max(scratch, of.scratch);
}

/* Dimensions of a slice and the tile in it, the fastest first; full ones are joined. */
struct shape {
	int dims;
	uint64_t all[ASL_MOST_INDICES + 2], count[ASL_MOST_INDICES + 2];
	uint64_t first[ASL_MOST_INDICES + 2];
};

static void shape_of(struct shape *s, const struct asl_term *t,
		     const uint64_t *len, const struct asl_range *tile)
{
	*s = (struct shape){.dims = 1, .all = {1}, .count = {1}};
	for (int i = t->count - 1; i >= 0; i--) {
		int index = t->index[i], d = s->dims - 1;
		uint64_t inner = s->all[d];

		if (s->count[d] < inner) {
			s->dims++;
			d++;
			inner = 1;
		}
		s->all[d] = inner * len[index];
		s->count[d] = inner * tile[index].count;
		s->first[d] = inner * tile[index].first;
	}
	while (s->dims < 2)
		s->all[s->dims] = s->count[s->dims] = 1, s->dims++;
}

/*
 * All copies of a term's tiles, which are about as long as the longest: blocks, their
 * rows and columns, and words from row to row.  A share is one row of words.
 */
struct blocks {
	double count;
	uint64_t rows, cols, ld;
};

static struct blocks blocks_of(const struct asl_ooc_part *p, int term)
{
	const struct asl_term *t = &p->e->term[term];
	struct asl_spread s = {p->e, t, NULL, p->loops, 0};
	uint64_t tile[ASL_MOST_INDICES], words;
	struct asl_range longest[ASL_MOST_INDICES];
	struct shape shape;
	struct blocks b = {
		.count = (double)(passes(p->loops, t) * asl_spread_tiles(&s))};

	asl_ooc_part_tile(tile, p);
	words = asl_term_words(t, tile);
	if (p->sharers[term].size > 1) {
		b.rows = 1;
		b.cols = words / (uint64_t)p->sharers[term].size;
		return b;
	}
	for (int i = 0; i < p->e->indices; i++)
		longest[i] = (struct asl_range){0, tile[i]};
	shape_of(&shape, t, p->len, longest);
	b.rows = shape.count[1];
	b.cols = b.ld = shape.count[0];
	if (b.rows > 1)
		b.ld = shape.all[0];
	b.count *= (double)(words / (b.rows * b.cols));
	return b;
}

/* A row's last lines of memory are not full. */
enum { REST_WORDS = ASL_LINE_BYTES / sizeof(double) - 1 };

static double beyond_words(const struct blocks *b, bool writes, double rate,
			   const struct asl_times *times)
{
	double words = (double)(b->rows * b->cols) * rate;

	if (asl_knows_disk(times))
		return b->count * (asl_disk_ns(&times->disk, writes, b->rows,
					       b->cols, b->ld) -
				   words);
	return b->count * (double)(b->ld == b->cols ? 1 : b->rows) *
	       REST_WORDS * rate;
}

double asl_ooc_part_beyond(const struct asl_ooc_part *p,
			   const struct asl_rates *rates,
			   const struct asl_times *times)
{
	int out = p->e->inputs;
	double cost = 0;

	for (int i = 0; i <= out; i++) {
		struct blocks b = blocks_of(p, i);

		if (i == out)
			cost += beyond_words(&b, true, rates->of[ASL_NVM_LAND],
					     times);
		if (i < out || p->adds ||
		    passes(p->loops, &p->e->term[out]) > 1)
			cost += beyond_words(&b, false, rates->of[ASL_NVM_LIFT],
					     times);
	}
	return fmax(0, cost);
}

/* ---- A rank's part of a stage ---- */

struct part {
	const struct asl_stage *stage;
	bool works; /* the rank has a cell */
	struct asl_cell cell;
	struct asl_ooc_part of; /* the cell */
};

static struct asl_group group_of(const struct part *p, int term)
{
	struct asl_spread s = asl_stage_spread(p->stage, term);

	return asl_cell_group(&s, &p->cell);
}

static struct part part_of(const struct asl_plan *plan, int stage, int rank)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_stage *x = &c->stage[stage];
	struct part p = {
		.stage = x,
		.works = rank < asl_mesh_ranks(&x->e, &x->mesh),
		.cell = asl_mesh_cell(&x->e, &x->mesh, rank),
		.of = {.e = &x->e,
		       .loops = &x->loops,
		       .adds = stage == c->stages - 1 && plan->c_factor != 0},
	};

	for (int i = 0; i < x->e.indices; i++)
		p.of.len[i] = p.cell.of[i].count;
	for (int i = 0; i <= x->e.inputs; i++)
		p.of.sharers[i] = x->in_tiles >> i & 1
					  ? group_of(&p, i)
					  : (struct asl_group){.size = 1};
	return p;
}

static uint64_t slice_words(const struct part *p, int term)
{
	return asl_term_words(&p->stage->e.term[term], p->of.len);
}

/* Is a slice that other ranks share gathered in the pool, before the loops? */
static bool has_panel(const struct part *p, int input)
{
	return !(p->stage->in_tiles >> input & 1) &&
	       group_of(p, input).size > 1;
}

static uint64_t panel_words(const struct part *p)
{
	uint64_t words = 0;

	for (int i = 0; p->works && i < p->stage->e.inputs; i++)
		if (has_panel(p, i))
			words += slice_words(p, i);
	return words;
}

static uint64_t run_words(const struct asl_stage *x, int term, int rank)
{
	struct asl_spread s = asl_stage_spread(x, term);

	return asl_spread_words(&s, rank);
}

/* Words of intermediates where they are made, and where they have moved to. */
static uint64_t words_between(const struct asl_contraction *c, int rank)
{
	uint64_t words = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];

		for (int j = 0; j < x->e.inputs; j++)
			words += x->moves[j] ? run_words(x, j, rank) : 0;
		if (i < c->stages - 1)
			words += run_words(x, x->e.inputs, rank);
	}
	return words;
}

/*
 * What moves between stages does so in slabs of its first index, or in the tiles that
 * ranks will share; and of each, in those that ranks have shared.
 */

struct move {
	struct asl_spread to, from;
	uint64_t slabs, tiles;
};

/* False: the input is where it was made. */
static bool begin_move(struct move *m, const struct asl_plan *plan,
		       const struct asl_stage *x, int input)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_term *t = &x->e.term[input];

	if (!x->moves[input] ||
	    !asl_stage_origin(&m->to, &m->from, c, x, input))
		return false;
	m->slabs = m->to.tiles ? asl_spread_tiles(&m->to)
			       : asl_min((uint64_t)plan->outofcore->slabs,
					 t->count ? x->e.size[t->index[0]] : 1);
	m->tiles = asl_spread_tiles(&m->from);
	return true;
}

/* Step i is the one that is meant; returns the range of the first index. */
static struct asl_range slab(struct move *m, uint64_t i)
{
	const struct asl_term *t = m->to.term;
	uint64_t all = t->count ? m->to.e->size[t->index[0]] : 1;

	m->from.tile = i % m->tiles;
	i /= m->tiles;
	if (!m->to.tiles)
		return asl_part(all, (int)m->slabs, (int)i);
	m->to.tile = i;
	return (struct asl_range){0, all};
}

/* ---- Predict ---- */

static void predict_panels(struct asl_counts *x, const struct part *p, int rank)
{
	for (int i = 0; i < p->stage->e.inputs; i++) {
		struct asl_group g = group_of(p, i);

		if (!has_panel(p, i))
			continue;
		asl_predict_copy(x, ASL_POOL, ASL_POOL,
				 run_words(p->stage, i, rank));
		asl_predict_allgather(x, slice_words(p, i), g.size, g.me,
				      ASL_POOL);
	}
}

/* Returns the words of DRAM. */
static uint64_t predict_moves(struct asl_counts *x, const struct asl_plan *plan,
			      int stage, int rank)
{
	const struct asl_stage *s = &plan->contraction->stage[stage];
	int ranks = plan->contraction->ranks;
	uint64_t most = 0;

	for (int i = 0; i < s->e.inputs; i++) {
		struct move m;

		if (!begin_move(&m, plan, s, i))
			continue;
		for (uint64_t j = 0; j < m.slabs * m.tiles; j++) {
			struct asl_range now = slab(&m, j);

			most = asl_max(most,
				       asl_spread_predict_slab(
					       x, rank, ranks, &m.to, ASL_POOL,
					       &m.from, ASL_POOL, &now));
		}
	}
	return most;
}

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	const struct asl_contraction *c = plan->contraction;
	const struct asl_ooc_counts counts = {&out->in[ASL_COMPUTE],
					      &out->in[ASL_GATHER],
					      &out->in[ASL_REDUCE]};
	uint64_t panels = 0, dram = 0;

	for (int i = 0; i <= c->e.inputs; i++)
		out->pool_high += asl_plan_owned(plan, rank, i);
	for (int i = 0; i < c->stages; i++) {
		struct part p = part_of(plan, i, rank);

		dram = asl_max(dram, predict_moves(&out->in[ASL_SHIFT], plan, i,
						   rank));
		if (!p.works)
			continue;
		panels = asl_max(panels, panel_words(&p));
		predict_panels(&out->in[ASL_GATHER], &p, rank);
		dram = asl_max(dram, asl_ooc_part_predict(&counts, &p.of, plan,
							  &p.stage->local));
	}
	out->pool_high += words_between(c, rank) + panels;
	out->memory_high = out->pool_high + dram;
}

/* ---- Tiles between pool and DRAM ---- */

/* A rank's words of all stages; one stage's slices, and their rooms in DRAM. */
struct program {
	struct asl_rank *r;
	const struct asl_plan *plan;
	const struct asl_contraction *c;
	struct asl_words in[ASL_MOST_TOGETHER][ASL_MOST_TOGETHER]; /* [stage] */
	struct asl_words out[ASL_MOST_TOGETHER];
	struct asl_words between, panels;

	struct part p;
	struct asl_words slice[ASL_MOST_TOGETHER + 1]; /* the output's last */
	/* Where the tiles of a term begin that is shared tile by tile. */
	uint64_t *tile_at[ASL_MOST_TOGETHER + 1];
	int *list; /* of each term's sharers */
	struct asl_words room[ASL_MOST_TOGETHER + 1], share;
	struct asl_view view[ASL_MOST_TOGETHER];
	struct asl_range tile[ASL_MOST_INDICES]; /* within the cell */
	uint64_t len[ASL_MOST_INDICES];
	int at[ASL_MOST_INDICES];
	bool sums;	   /* the output's room has some */
	bool adds;	   /* it has the words that the stage adds to */
	bool first;	   /* the first time that this tile of it is there */
	uint64_t out_tile; /* its number */
	double ab_factor;  /* of the stage's output */
};

static struct asl_words in_room(const struct program *x,
				const struct asl_words *room, int term)
{
	return asl_slice(room, 0,
			 asl_term_words(&x->p.stage->e.term[term], x->len));
}

/* Place of a plane of two dimensions; the others count in `number`. */
static uint64_t place_of(const struct shape *s, uint64_t number)
{
	uint64_t place = s->first[0] + s->first[1] * s->all[0];
	uint64_t stride = s->all[0] * s->all[1];

	for (int i = 2; i < s->dims; i++) {
		place += stride * (s->first[i] + number % s->count[i]);
		number /= s->count[i];
		stride *= s->all[i];
	}
	return place;
}

/* What is fetched, or put, comes with a factor. */
static void copy_tile(struct program *x, int term, bool put, double factor)
{
	struct asl_words room = in_room(x, &x->room[term], term);
	struct asl_words some = asl_slice(&x->slice[term], 0, room.count);
	struct shape s;
	uint64_t plane;

	/* Where no words are copied, one charge is that of all; but of a disk's time. */
	if (!room.at && !asl_knows_disk(x->r->times)) {
		struct asl_block near = asl_as_block(&room, 1, room.count);
		struct asl_block far = asl_as_block(&some, 1, some.count);

		asl_copy_scaled(x->r, put ? &far : &near, put ? &near : &far,
				factor);
		return;
	}
	shape_of(&s, &x->p.stage->e.term[term], x->p.of.len, x->tile);
	plane = s.count[0] * s.count[1];
	for (uint64_t i = 0; !x->r->err && i < room.count / plane; i++) {
		struct asl_words near = asl_slice(&room, i * plane, plane);
		struct asl_block in =
			asl_as_block(&near, s.count[1], s.count[0]);
		struct asl_words to =
			asl_slice(&x->slice[term], place_of(&s, i), 0);
		struct asl_block far = {.where = ASL_POOL,
					.rows = s.count[1],
					.cols = s.count[0],
					.ld = s.all[0],
					.at = to.at};

		if (put && x->adds)
			asl_mark_save(x->r, &far);
		asl_copy_scaled(x->r, put ? &far : &in, put ? &in : &far,
				factor);
	}
}

/* ---- Run a stage ---- */

static void set_tile(struct program *x)
{
	for (int i = 0; i < x->p.stage->e.indices; i++) {
		int parts = x->p.of.loops->parts[i];

		x->tile[i] = parts > 1
				     ? asl_part(x->p.of.len[i], parts, x->at[i])
				     : (struct asl_range){0, x->p.of.len[i]};
		x->len[i] = x->tile[i].count;
	}
}

/* Is it the first, or the last, time that this slice of the output is there? */
static bool is_at_end(const struct program *x, bool last)
{
	const struct asl_einsum *e = &x->p.stage->e;
	const struct asl_term *out = &e->term[e->inputs];

	for (int i = 0; i < x->p.of.loops->count; i++) {
		int index = x->p.of.loops->index[i];
		int end = last ? x->p.of.loops->parts[index] - 1 : 0;

		if (!asl_term_has(out, index) && x->at[index] != end)
			return false;
	}
	return true;
}

static uint64_t tile_of(const struct program *x, const struct asl_term *t)
{
	const struct asl_loops *l = x->p.of.loops;
	uint64_t tile = 0;

	for (int i = 0; i < l->count; i++) {
		int index = l->index[i];

		if (asl_term_has(t, index))
			tile = tile * (uint64_t)l->parts[index] +
			       (uint64_t)x->at[index];
	}
	return tile;
}

/*
 * Sums are without their factor until they are complete.  Where ranks share tiles,
 * each begins anew.
 */
static void fetch_output(struct program *x)
{
	const struct asl_einsum *e = &x->p.stage->e;
	double c_factor = x->plan->c_factor;

	x->out_tile = tile_of(x, &e->term[e->inputs]);
	x->first = is_at_end(x, false);
	x->adds = x->first && x->p.of.adds;
	x->sums =
		(!x->first || x->adds) && x->p.of.sharers[e->inputs].size == 1;
	if (x->sums)
		copy_tile(x, e->inputs, false,
			  x->first ? c_factor / x->ab_factor : 1);
}

/* The sum of all sharers' tiles is added to what the pool has, with its factor. */
static void put_sum(struct program *x)
{
	int out = x->p.stage->e.inputs;
	const struct asl_group *sharers = &x->p.of.sharers[out];
	struct asl_words all = in_room(x, &x->room[out], out), mine, own;
	struct asl_block place, from;

	mine = asl_slice(
		&x->share, 0,
		asl_share(all.count, sharers->size, sharers->me).count);
	own = asl_slice(&x->slice[out], x->tile_at[out][x->out_tile],
			mine.count);
	place = asl_as_block(&own, 1, own.count);
	from = asl_as_block(&mine, 1, mine.count);
	asl_phase(x->r, ASL_REDUCE);
	asl_reduce_scatter(x->r, sharers, &mine, &all);
	if (x->adds)
		asl_mark_save(x->r, &place);
	if (x->first && !x->adds)
		asl_copy_scaled(x->r, &place, &from, x->ab_factor);
	else
		asl_add_scaled(x->r, &own, x->adds ? x->plan->c_factor : 1,
			       &own, x->ab_factor, &mine);
	asl_phase(x->r, ASL_COMPUTE);
}

/* Every sharer fetches its share of the tile, and the others send theirs. */
static void gather_tile(struct program *x, int input)
{
	struct asl_group sharers = x->p.of.sharers[input];
	struct asl_words all = in_room(x, &x->room[input], input), mine, own;
	struct asl_range share = asl_share(all.count, sharers.size, sharers.me);
	uint64_t tile = tile_of(x, &x->p.stage->e.term[input]);

	mine = asl_slice(&all, share.first, share.count);
	own = asl_slice(&x->slice[input], x->tile_at[input][tile], share.count);
	asl_phase(x->r, ASL_GATHER);
	asl_copy(x->r, &mine, &own);
	asl_allgather(x->r, &sharers, &all);
	asl_phase(x->r, ASL_COMPUTE);
}

/* The loops from `changed` on have another value than before. */
static void fetch(struct program *x, int changed)
{
	const struct asl_einsum *e = &x->p.stage->e;

	for (int i = 0; i < e->inputs; i++) {
		if (changed && depth(x->p.of.loops, &e->term[i]) <= changed - 1)
			continue;
		if (x->p.of.sharers[i].size > 1)
			gather_tile(x, i);
		else
			copy_tile(x, i, false, 1);
	}
	if (changed && depth(x->p.of.loops, &e->term[e->inputs]) <= changed - 1)
		return;
	fetch_output(x);
}

static void contract(struct program *x)
{
	const struct asl_einsum *e = &x->p.stage->e;
	struct asl_view out;

	for (int i = 0; i <= e->inputs; i++) {
		struct asl_words slice = in_room(x, &x->room[i], i);
		struct asl_view *v = i < e->inputs ? &x->view[i] : &out;

		*v = asl_view_dense(&slice, &e->term[i], x->len);
	}
	out.adds = x->sums;
	asl_local_run(x->r, x->plan, &x->p.stage->local, &out, x->view, x->len);
	x->sums = true;
}

/* The next tile: the outermost loop that changes, or -1 at the end. */
static int advance(struct program *x)
{
	int i = x->p.of.loops->count - 1;

	for (; i >= 0; i--) {
		int index = x->p.of.loops->index[i];

		if (++x->at[index] < x->p.of.loops->parts[index])
			break;
		x->at[index] = 0;
	}
	return i;
}

static void run_loops(struct program *x)
{
	const struct asl_einsum *e = &x->p.stage->e;
	int out = depth(x->p.of.loops, &e->term[e->inputs]), changed = -1;
	double factor;

	do {
		set_tile(x);
		fetch(x, changed + 1);
		contract(x);
		factor = is_at_end(x, true) ? x->ab_factor : 1;
		changed = advance(x);
		if (changed >= 0 && out <= changed)
			continue;
		if (x->p.of.sharers[e->inputs].size > 1)
			put_sum(x);
		else
			copy_tile(x, e->inputs, true, factor);
	} while (!x->r->err && changed >= 0);
}

static void take_rooms(struct program *x)
{
	const struct asl_einsum *e = &x->p.stage->e;

	asl_ooc_part_tile(x->len, &x->p.of);
	for (int i = 0; i <= e->inputs; i++)
		asl_take(x->r, &x->room[i], ASL_DRAM,
			 asl_term_words(&e->term[i], x->len));
	asl_take(x->r, &x->share, ASL_DRAM, share_room(&x->p.of, x->len));
}

static void give_rooms(struct program *x)
{
	asl_give(x->r, &x->share);
	for (int i = x->p.stage->e.inputs; i >= 0; i--)
		asl_give(x->r, &x->room[i]);
}

/* Slices that ranks share: whole in the pool now, or tile by tile in the loops. */
static void gather(struct program *x, int stage)
{
	const struct asl_stage *s = x->p.stage;
	uint64_t done = 0;

	asl_phase(x->r, ASL_GATHER);
	x->slice[s->e.inputs] = x->out[stage];
	for (int i = 0; i <= s->e.inputs; i++) {
		struct asl_spread spread = asl_stage_spread(s, i);
		struct asl_group g = asl_spread_group(
			&spread, x->r->id, x->list + i * x->c->ranks);

		if (s->in_tiles >> i & 1)
			x->p.of.sharers[i] = g;
		if (i == s->e.inputs)
			break;
		x->slice[i] = x->in[stage][i];
		if (!has_panel(&x->p, i))
			continue;
		x->slice[i] =
			asl_slice(&x->panels, done, slice_words(&x->p, i));
		asl_brick_gather(x->r, &g, &x->slice[i], &x->in[stage][i]);
		done += x->slice[i].count;
	}
}

static void run_stage(struct program *x, int stage)
{
	gather(x, stage);
	x->ab_factor =
		stage == x->c->stages - 1 ? asl_plan_ab_factor(x->plan) : 1;
	asl_phase(x->r, ASL_COMPUTE);
	take_rooms(x);
	if (!x->r->err)
		run_loops(x);
	give_rooms(x);
}

/* ---- Run all stages ---- */

static struct asl_words cut(const struct program *x, uint64_t *used,
			    const struct asl_stage *stage, int term)
{
	uint64_t words = run_words(stage, term, x->r->id);

	*used += words;
	return asl_slice(&x->between, *used - words, words);
}

static void cut_all(struct program *x, const struct asl_words *own)
{
	const struct asl_contraction *c = x->c;
	uint64_t used = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *s = &c->stage[i];

		for (int j = 0; j < s->e.inputs; j++) {
			int from = s->from[j];

			if (s->moves[j])
				x->in[i][j] = cut(x, &used, s, j);
			else
				x->in[i][j] =
					from < c->e.inputs
						? own[from]
						: x->out[from - c->e.inputs];
		}
		x->out[i] = i < c->stages - 1 ? cut(x, &used, s, s->e.inputs)
					      : own[c->e.inputs];
	}
}

/* Where a rank's shares of tiles begin; NULL: no memory. */
static uint64_t *list_tiles(struct asl_rank *r, struct asl_spread s)
{
	uint64_t tiles = asl_spread_tiles(&s);
	uint64_t *at = calloc(tiles, sizeof *at);

	if (!at)
		asl_rank_fail(r, -ENOMEM, "no memory for a list of tiles");
	for (; at && s.tile + 1 < tiles; s.tile++)
		at[s.tile + 1] =
			at[s.tile] + asl_spread_run(&s, r->id).words.count;
	return at;
}

static void list_all_tiles(struct program *x, const struct asl_stage *stage)
{
	for (int i = 0; i <= stage->e.inputs; i++)
		x->tile_at[i] = list_tiles(x->r, asl_stage_spread(stage, i));
}

static void drop_tiles(struct program *x)
{
	for (int i = 0; i <= ASL_MOST_TOGETHER; i++) {
		free(x->tile_at[i]);
		x->tile_at[i] = NULL;
	}
}

static void move_input(struct program *x, const struct asl_stage *s, int input,
		       const struct asl_words *all)
{
	const struct asl_words *made;
	uint64_t *made_at;
	struct move m;

	if (!begin_move(&m, x->plan, s, input))
		return;
	made = &x->out[s->from[input] - x->c->e.inputs];
	made_at = list_tiles(x->r, m.from);
	for (uint64_t i = 0; !x->r->err && i < m.slabs * m.tiles; i++) {
		struct asl_range now = slab(&m, i);
		uint64_t at = x->tile_at[input][m.to.tile];
		struct asl_words in = asl_slice(all, at, all->count - at), out;

		at = made_at[m.from.tile];
		out = asl_slice(made, at, made->count - at);
		asl_spread_move_slab(x->r, x->c->ranks, &m.to, &in, &m.from,
				     &out, &now);
	}
	free(made_at);
}

static void move_inputs(struct program *x, int stage)
{
	const struct asl_stage *s = &x->c->stage[stage];

	asl_phase(x->r, ASL_SHIFT);
	for (int i = 0; !x->r->err && i < s->e.inputs; i++)
		move_input(x, s, i, &x->in[stage][i]);
}

static void run_stages(struct program *x, struct asl_words *own)
{
	const struct asl_contraction *c = x->c;
	int rank = x->r->id;
	uint64_t panels = 0;

	for (int i = 0; i < c->stages; i++) {
		x->p = part_of(x->plan, i, rank);
		panels = asl_max(panels, panel_words(&x->p));
	}
	asl_take(x->r, &x->between, ASL_POOL, words_between(c, rank));
	asl_take(x->r, &x->panels, ASL_POOL, panels);
	cut_all(x, own);
	for (int i = 0; !x->r->err && i < c->stages; i++) {
		list_all_tiles(x, &c->stage[i]);
		move_inputs(x, i);
		x->p = part_of(x->plan, i, rank);
		if (!x->r->err && x->p.works)
			run_stage(x, i);
		drop_tiles(x);
		asl_mark_epoch(x->r, NULL, 0);
	}
	asl_give(x->r, &x->panels);
	asl_give(x->r, &x->between);
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	struct program *x = calloc(1, sizeof *x);
	size_t members =
		(size_t)plan->contraction->ranks * (ASL_MOST_TOGETHER + 1);
	int *list = calloc(members, sizeof *list);

	if (!x || !list) {
		asl_rank_fail(r, -ENOMEM, "no memory for a program's records");
	} else {
		x->r = r;
		x->plan = plan;
		x->c = plan->contraction;
		x->list = list;
		run_stages(x, own);
	}
	free(list);
	free(x);
}

const struct asl_algorithm asl_ooc_program = {
	.name = "ooc-program",
	.summary = "out of core: three tensors or more, intermediates in DRAM "
		   "where loops fuse",
	.when = "a sequence of contractions exceeds DRAM",
	.family = &asl_family_program,
	.resumes = true,
	.predict = predict,
	.run = run,
};
