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
 * A rank has a cell of the stage's mesh, which cuts no index that is summed over.
 * With W_t for the words of its slice of tensor t, and p_t for the product of the
 * parts of those loops that t lacks, and that are around one that it has:
 *
 *	D	sum over inputs of p_t W_t, and 2 p_t W_t - W_t for the output; or
 *		2 p_t W_t, if it is added to words that are there
 *
 * and where a slice is shared by ranks, it is gathered in each one's pool first;
 * what two stages' meshes cut differently moves in between, from pool to pool, in
 * slabs of its first index.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/multiply/brick.h"
#include "lib/outofcore/outofcore.h"
#include "lib/rank/collective.h"
#include "lib/rank/resume.h"

/* ---- Loops ---- */

/* The number of loops down to the innermost of an index of the term. */
static int depth(const struct asl_ooc_loops *l, const struct asl_term *t)
{
	int loops = l->count;

	while (loops && !asl_term_has(t, l->index[loops - 1]))
		loops--;
	return loops;
}

/* Parts of the first so many loops, of those that the term lacks. */
static uint64_t parts_beside(const struct asl_ooc_loops *l,
			     const struct asl_term *t, int loops)
{
	uint64_t parts = 1;

	for (int i = 0; i < loops; i++)
		if (!asl_term_has(t, l->index[i]))
			parts *= (uint64_t)l->parts[l->index[i]];
	return parts;
}

static uint64_t passes(const struct asl_ooc_loops *l, const struct asl_term *t)
{
	return parts_beside(l, t, depth(l, t));
}

/* Summands of each word of the output. */
static uint64_t summands(const struct asl_ooc_loops *l,
			 const struct asl_term *t)
{
	return parts_beside(l, t, l->count);
}

void asl_ooc_loops_tile(uint64_t *tile, const struct asl_ooc_loops *l,
			const uint64_t *len)
{
	for (int i = 0; i < ASL_MOST_INDICES; i++)
		tile[i] = len[i];
	for (int i = 0; i < l->count; i++) {
		int index = l->index[i];

		tile[index] = asl_part(len[index], l->parts[index], 0).count;
	}
}

/* ---- Closed forms of the loops ---- */

void asl_ooc_loops_traffic(struct asl_counts *x, const struct asl_einsum *e,
			   const struct asl_ooc_loops *l, const uint64_t *len)
{
	const struct asl_term *out = &e->term[e->inputs];
	uint64_t W = asl_term_words(out, len), p = passes(l, out);
	uint64_t added = (summands(l, out) - !l->adds) * W;

	for (int i = 0; i < e->inputs; i++)
		asl_predict_copy(x, ASL_DRAM, ASL_POOL,
				 passes(l, &e->term[i]) *
					 asl_term_words(&e->term[i], len));
	asl_predict_copy(x, ASL_DRAM, ASL_POOL, (p - !l->adds) * W);
	asl_predict_copy(x, ASL_POOL, ASL_DRAM, p * W);
	x->of[ASL_BOUNCE_READ] += 2 * added;
	x->of[ASL_BOUNCE_WRITE] += added;
}

struct products {
	struct asl_counts *x;
	const struct asl_plan *plan;
	const struct asl_einsum *e;
	const struct asl_local *local;
	const struct asl_ooc_loops *l;
	uint64_t len[ASL_MOST_INDICES]; /* of a tile */
	uint64_t scratch;
};

static void predict_alike(struct products *p, uint64_t many)
{
	struct asl_view in[ASL_MOST_TOGETHER], out;
	struct asl_counts once = {{0}};
	uint64_t scratch;

	for (int i = 0; i < p->e->inputs; i++)
		in[i] = asl_view_nowhere(&p->e->term[i], p->len);
	out = asl_view_nowhere(&p->e->term[p->e->inputs], p->len);
	scratch = asl_local_predict(&once, p->plan, p->local, &out, in, p->len);
	asl_counts_add_times(p->x, &once, many);
	p->scratch = asl_max(p->scratch, scratch);
}

/* Tiles of two lengths along each index that has a loop. */
static void predict_products(struct products *p, int loop, uint64_t many)
{
	int index = p->l->index[loop];
	uint64_t all;

	if (loop == p->l->count) {
		predict_alike(p, many);
		return;
	}
	all = p->len[index];
	for (int i = 0; i < 2; i++) {
		struct asl_alike tile =
			asl_parts_alike(all, p->l->parts[index], i);

		p->len[index] = tile.length;
		if (tile.many)
			predict_products(p, loop + 1, many * tile.many);
	}
	p->len[index] = all;
}

/* Are there sums that a product is added to? */
static bool has_sums(const struct asl_ooc_loops *l, const struct asl_term *out)
{
	return l->adds || summands(l, out) > 1;
}

/* The largest slices of a tile, and one more of the output for a summand. */
uint64_t asl_ooc_loops_room(const struct asl_einsum *e,
			    const struct asl_ooc_loops *l, const uint64_t *len)
{
	const struct asl_term *out = &e->term[e->inputs];
	uint64_t tile[ASL_MOST_INDICES], words;

	asl_ooc_loops_tile(tile, l, len);
	words = asl_term_words(out, tile) * (has_sums(l, out) ? 2 : 1);
	for (int i = 0; i < e->inputs; i++)
		words += asl_term_words(&e->term[i], tile);
	return words;
}

uint64_t
asl_ooc_loops_predict(struct asl_counts *x, const struct asl_plan *plan,
		      const struct asl_einsum *e, const struct asl_local *local,
		      const struct asl_ooc_loops *l, const uint64_t *len)
{
	struct products p = {
		.x = x, .plan = plan, .e = e, .local = local, .l = l};

	for (int i = 0; i < e->indices; i++)
		p.len[i] = len[i];
	asl_ooc_loops_traffic(x, e, l, len);
	predict_products(&p, 0, 1);
	return asl_ooc_loops_room(e, l, len) + p.scratch;
}

/* ---- A rank's part of a stage ---- */

struct part {
	const struct asl_plan *plan;
	const struct asl_stage *stage;
	const struct asl_ooc_loops *l;
	bool works; /* the rank has a cell */
	struct asl_cell cell;
	uint64_t len[ASL_MOST_INDICES]; /* of the cell */
};

static struct part part_of(const struct asl_plan *plan, int stage, int rank)
{
	const struct asl_stage *x = &plan->contraction->stage[stage];
	struct part p = {
		.plan = plan,
		.stage = x,
		.l = &plan->outofcore->loops[stage],
		.works = rank < asl_mesh_ranks(&x->e, &x->mesh),
		.cell = asl_mesh_cell(&x->e, &x->mesh, rank),
	};

	for (int i = 0; i < x->e.indices; i++)
		p.len[i] = p.cell.of[i].count;
	return p;
}

static struct asl_group group_of(const struct part *p, int term)
{
	struct asl_spread s = asl_stage_spread(p->stage, term);

	return asl_cell_group(&s, &p->cell);
}

static uint64_t slice_words(const struct part *p, int term)
{
	return asl_term_words(&p->stage->e.term[term], p->len);
}

/* Slices that other ranks share, whole. */
static uint64_t panel_words(const struct part *p)
{
	uint64_t words = 0;

	for (int i = 0; p->works && i < p->stage->e.inputs; i++)
		if (group_of(p, i).size > 1)
			words += slice_words(p, i);
	return words;
}

static uint64_t run_words(const struct asl_stage *x, int term, int rank)
{
	struct asl_spread s = asl_stage_spread(x, term);

	return asl_spread_run(&s, rank).words.count;
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

/* ---- Slabs that move ---- */

/* Parts of the first index. */
static int slabs_of(const struct asl_plan *plan, const struct asl_spread *s)
{
	uint64_t most = s->term->count ? s->e->size[s->term->index[0]] : 1;

	return (int)asl_min((uint64_t)plan->outofcore->slabs, most);
}

static struct asl_range slab(const struct asl_plan *plan,
			     const struct asl_spread *s, int i)
{
	uint64_t all = s->term->count ? s->e->size[s->term->index[0]] : 1;

	return asl_part(all, slabs_of(plan, s), i);
}

/* ---- Predict ---- */

static void predict_gather(struct asl_counts *x, const struct part *p, int rank)
{
	for (int i = 0; i < p->stage->e.inputs; i++) {
		struct asl_group g = group_of(p, i);

		if (g.size == 1)
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
	const struct asl_contraction *c = plan->contraction;
	const struct asl_stage *s = &c->stage[stage];
	struct asl_spread to, from;
	uint64_t most = 0;

	for (int i = 0; i < s->e.inputs; i++) {
		if (!s->moves[i] || !asl_stage_origin(&to, &from, c, s, i))
			continue;
		for (int j = 0; j < slabs_of(plan, &to); j++) {
			struct asl_range now = slab(plan, &to, j);

			most = asl_max(most,
				       asl_spread_predict_slab(
					       x, rank, c->ranks, &to, ASL_POOL,
					       &from, ASL_POOL, &now));
		}
	}
	return most;
}

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	const struct asl_contraction *c = plan->contraction;
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
		predict_gather(&out->in[ASL_GATHER], &p, rank);
		dram = asl_max(dram,
			       asl_ooc_loops_predict(
				       &out->in[ASL_COMPUTE], plan, &p.stage->e,
				       &p.stage->local, p.l, p.len));
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
	struct asl_words room[ASL_MOST_TOGETHER + 1], summand;
	struct asl_view view[ASL_MOST_TOGETHER];
	struct asl_range tile[ASL_MOST_INDICES]; /* within the cell */
	uint64_t len[ASL_MOST_INDICES];
	int at[ASL_MOST_INDICES];
	bool sums;	  /* the output's room has some */
	bool adds;	  /* it has the words that the stage adds to */
	double ab_factor; /* of the stage's output */
};

static struct asl_words in_room(const struct program *x,
				const struct asl_words *room, int term)
{
	return asl_slice(room, 0,
			 asl_term_words(&x->p.stage->e.term[term], x->len));
}

/* Dimensions of a slice and the tile in it, the fastest first; full ones are joined. */
struct shape {
	int dims;
	uint64_t all[ASL_MOST_INDICES + 2], count[ASL_MOST_INDICES + 2];
	uint64_t first[ASL_MOST_INDICES + 2];
};

static void shape_of(struct shape *s, const struct program *x,
		     const struct asl_term *t)
{
	*s = (struct shape){.dims = 1, .all = {1}, .count = {1}};
	for (int i = t->count - 1; i >= 0; i--) {
		int index = t->index[i], d = s->dims - 1;
		uint64_t all = x->p.len[index], inner = s->all[d];

		if (s->count[d] < inner) {
			s->dims++;
			d++;
			inner = 1;
		}
		s->all[d] = inner * all;
		s->count[d] = inner * x->tile[index].count;
		s->first[d] = inner * x->tile[index].first;
	}
	while (s->dims < 2)
		s->all[s->dims] = s->count[s->dims] = 1, s->dims++;
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

	/* Where no words are copied, one charge is that of all. */
	if (!room.at) {
		struct asl_block near = asl_as_block(&room, 1, room.count);
		struct asl_block far = asl_as_block(&some, 1, some.count);

		asl_copy_scaled(x->r, put ? &far : &near, put ? &near : &far,
				factor);
		return;
	}
	shape_of(&s, x, &x->p.stage->e.term[term]);
	plane = s.count[0] * s.count[1];
	for (uint64_t i = 0; !x->r->err && i < room.count / plane; i++) {
		struct asl_words near = asl_slice(&room, i * plane, plane);
		struct asl_block in =
			asl_as_block(&near, s.count[1], s.count[0]);
		struct asl_block far = {.where = ASL_POOL,
					.rows = s.count[1],
					.cols = s.count[0],
					.ld = s.all[0],
					.at = x->slice[term].at +
					      place_of(&s, i)};

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
		int parts = x->p.l->parts[i];

		x->tile[i] = parts > 1 ? asl_part(x->p.len[i], parts, x->at[i])
				       : (struct asl_range){0, x->p.len[i]};
		x->len[i] = x->tile[i].count;
	}
}

/* Is it the first, or the last, time that this slice of the output is there? */
static bool is_at_end(const struct program *x, bool last)
{
	const struct asl_einsum *e = &x->p.stage->e;
	const struct asl_term *out = &e->term[e->inputs];

	for (int i = 0; i < x->p.l->count; i++) {
		int index = x->p.l->index[i];
		int end = last ? x->p.l->parts[index] - 1 : 0;

		if (!asl_term_has(out, index) && x->at[index] != end)
			return false;
	}
	return true;
}

/* Sums are without their factor until they are complete. */
static void fetch_output(struct program *x)
{
	bool first = is_at_end(x, false);
	double c_factor = x->plan->c_factor;

	x->adds = first && x->p.l->adds;
	x->sums = !first || x->adds;
	if (x->sums)
		copy_tile(x, x->p.stage->e.inputs, false,
			  first ? c_factor / x->ab_factor : 1);
}

/* The loops from `changed` on have another value than before. */
static void fetch(struct program *x, int changed)
{
	const struct asl_einsum *e = &x->p.stage->e;

	for (int i = 0; i < e->inputs; i++) {
		if (!changed || depth(x->p.l, &e->term[i]) > changed - 1)
			copy_tile(x, i, false, 1);
	}
	if (changed && depth(x->p.l, &e->term[e->inputs]) <= changed - 1)
		return;
	fetch_output(x);
}

static void contract(struct program *x)
{
	const struct asl_einsum *e = &x->p.stage->e;
	struct asl_words sum = in_room(x, &x->room[e->inputs], e->inputs);
	struct asl_words to = sum;
	struct asl_view out;

	if (x->sums)
		to = asl_slice(&x->summand, 0, sum.count);
	for (int i = 0; i < e->inputs; i++) {
		struct asl_words slice = in_room(x, &x->room[i], i);

		x->view[i] = asl_view_dense(&slice, &e->term[i], x->len);
	}
	out = asl_view_dense(&to, &e->term[e->inputs], x->len);
	asl_local_run(x->r, x->plan, &x->p.stage->local, &out, x->view, x->len);
	if (x->sums)
		asl_add(x->r, &sum, &sum, &to);
	x->sums = true;
}

/* The next tile: the outermost loop that changes, or -1 at the end. */
static int advance(struct program *x)
{
	int i = x->p.l->count - 1;

	for (; i >= 0; i--) {
		int index = x->p.l->index[i];

		if (++x->at[index] < x->p.l->parts[index])
			break;
		x->at[index] = 0;
	}
	return i;
}

static void run_loops(struct program *x)
{
	const struct asl_einsum *e = &x->p.stage->e;
	int out = depth(x->p.l, &e->term[e->inputs]), changed = -1;
	double factor;

	do {
		set_tile(x);
		fetch(x, changed + 1);
		contract(x);
		factor = is_at_end(x, true) ? x->ab_factor : 1;
		changed = advance(x);
		if (changed < 0 || out > changed)
			copy_tile(x, e->inputs, true, factor);
	} while (!x->r->err && changed >= 0);
}

static void take_rooms(struct program *x)
{
	const struct asl_einsum *e = &x->p.stage->e;
	const struct asl_term *out = &e->term[e->inputs];
	uint64_t words;

	asl_ooc_loops_tile(x->len, x->p.l, x->p.len);
	for (int i = 0; i <= e->inputs; i++)
		asl_take(x->r, &x->room[i], ASL_DRAM,
			 asl_term_words(&e->term[i], x->len));
	words = asl_term_words(out, x->len);
	asl_take(x->r, &x->summand, ASL_DRAM,
		 has_sums(x->p.l, out) ? words : 0);
}

static void give_rooms(struct program *x)
{
	asl_give(x->r, &x->summand);
	for (int i = x->p.stage->e.inputs; i >= 0; i--)
		asl_give(x->r, &x->room[i]);
}

static void gather(struct program *x, int stage, int *list)
{
	uint64_t done = 0;

	asl_phase(x->r, ASL_GATHER);
	for (int i = 0; i < x->p.stage->e.inputs; i++) {
		struct asl_spread s = asl_stage_spread(x->p.stage, i);
		struct asl_group g = asl_spread_group(&s, x->r->id, list);

		x->slice[i] = x->in[stage][i];
		if (g.size == 1)
			continue;
		x->slice[i] =
			asl_slice(&x->panels, done, slice_words(&x->p, i));
		asl_brick_gather(x->r, &g, &x->slice[i], &x->in[stage][i]);
		done += x->slice[i].count;
	}
}

static void run_stage(struct program *x, int stage, int *list)
{
	gather(x, stage, list);
	x->ab_factor =
		stage == x->c->stages - 1 ? asl_plan_ab_factor(x->plan) : 1;
	x->slice[x->p.stage->e.inputs] = x->out[stage];
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

static void move_inputs(struct program *x, int stage)
{
	const struct asl_contraction *c = x->c;
	const struct asl_stage *s = &c->stage[stage];
	struct asl_spread to, from;

	asl_phase(x->r, ASL_SHIFT);
	for (int i = 0; i < s->e.inputs; i++) {
		if (!s->moves[i] || !asl_stage_origin(&to, &from, c, s, i))
			continue;
		for (int j = 0; j < slabs_of(x->plan, &to); j++) {
			struct asl_range now = slab(x->plan, &to, j);

			asl_spread_move_slab(
				x->r, c->ranks, &to, &x->in[stage][i], &from,
				&x->out[s->from[i] - c->e.inputs], &now);
		}
	}
}

static void run_stages(struct program *x, struct asl_words *own, int *list)
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
		move_inputs(x, i);
		x->p = part_of(x->plan, i, rank);
		if (x->p.works)
			run_stage(x, i, list);
		asl_mark_epoch(x->r, NULL, 0);
	}
	asl_give(x->r, &x->panels);
	asl_give(x->r, &x->between);
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	struct program *x = calloc(1, sizeof *x);
	int *list = calloc((size_t)plan->contraction->ranks, sizeof *list);

	if (!x || !list) {
		asl_rank_fail(r, -ENOMEM, "no memory for a program's records");
	} else {
		x->r = r;
		x->plan = plan;
		x->c = plan->contraction;
		run_stages(x, own, list);
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
