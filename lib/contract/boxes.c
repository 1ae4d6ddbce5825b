/*
 * boxes.c -- a contraction on any number of ranks, primes too: no mesh, boxes
 *
 * The space of all indices is cut in two, and each part again, until every rank has
 * a box (lib/multiply/cuts_layout.h), where a mesh of 13 ranks can only have 13
 * slabs.  A rank needs the slices of the inputs that its box touches, and makes
 * summands of a slice of the output.  Slices of several ranks overlap: each tensor
 * is cut into cells that one set of ranks needs, and these own its words in even
 * shares.  With W words and g ranks to a cell:
 *
 *	gather	an allgather of each cell of an input, in place where its words
 *		lie one after another in the slice, else beside it
 *	compute	the einsum of the slices, in steps, into the pool
 *	reduce	a reduce_scatter of each cell of the output
 *
 *	B_h	the sum over the rank's cells of (1 - 1/g) W
 *	owned	the sum of W/g
 *
 * A slice that nobody else needs is used where it lies.
 */
#include <errno.h>

#include "lib/contract/contract.h"
#include "lib/multiply/brick.h"
#include "lib/rank/resume.h"

bool asl_boxes_of(struct asl_boxes *x, const struct asl_einsum *e)
{
	uint32_t all = asl_einsum_all(e);

	*x = (struct asl_boxes){.space.operands = e->inputs + 1};
	if (e->inputs < 2 || e->inputs >= ASL_CUTS_MOST_OPERANDS ||
	    asl_mesh_points(e) > ASL_MOST_POINTS)
		return false;
	for (int i = 0; i < e->indices; i++) {
		int axis = x->space.axes;

		if (e->size[i] == 1 || !(all >> i & 1))
			continue;
		if (axis == ASL_CUTS_MOST_AXES)
			return false;
		x->index[axis] = i;
		x->space.size[axis] = e->size[i];
		for (int k = 0; k <= e->inputs; k++)
			if (asl_term_has(&e->term[k], i))
				x->space.has[k] |= 1U << axis;
		x->space.axes++;
	}
	return true;
}

/* ---- A rank's box, its slices and their cells ---- */

struct part {
	const struct asl_plan *plan;
	const struct asl_einsum *e;
	const struct asl_boxes *boxes;
	struct asl_cuts_layout *l; /* NULL: there was no memory for it */
	int rank, cells;
	struct asl_cell box;
};

/* Borrows the layout until the end. */
static void begin(struct part *x, const struct asl_plan *plan, int rank)
{
	const struct asl_contraction *c = plan->contraction;

	*x = (struct part){
		.plan = plan,
		.e = &c->e,
		.boxes = &c->boxes,
		.l = asl_cuts_take(&c->boxes.space, c->ranks),
		.rank = rank,
	};
	x->cells = x->l ? asl_cuts_count(x->l, rank) : 0;
	for (int i = 0; i < c->e.indices; i++)
		x->box.of[i] = (struct asl_range){0, c->e.size[i]};
	for (int axis = 0; x->cells && axis < c->boxes.space.axes; axis++)
		x->box.of[c->boxes.index[axis]] = x->l->box[rank].d[axis];
}

static const struct asl_cuts_cell *cell_of(const struct part *x, int i)
{
	return asl_cuts_cell(x->l, x->rank, i);
}

static uint64_t slice_words(const struct part *x, int which)
{
	return asl_cell_words(&x->box, &x->e->term[which]);
}

/* All words of a slice. */
static struct asl_run slice_of(const struct part *x, int which)
{
	const struct asl_term *t = &x->e->term[which];
	struct asl_run run = {.dims = t->count,
			      .words = {0, slice_words(x, which)}};

	for (int i = 0; i < t->count; i++)
		run.box[i] = x->box.of[t->index[i]];
	return run;
}

static int place_in(const struct asl_term *t, int index)
{
	int place = 0;

	while (t->index[place] != index)
		place++;
	return place;
}

/* All words of a cell: what is not cut is that of the slice. */
static struct asl_run run_of(const struct part *x,
			     const struct asl_cuts_cell *cell)
{
	struct asl_run run = slice_of(x, cell->which);
	unsigned has = x->boxes->space.has[cell->which];
	const struct asl_range *d = cell->d;

	for (int axis = 0; axis < x->boxes->space.axes; axis++)
		if (has >> axis & 1)
			run.box[place_in(&x->e->term[cell->which],
					 x->boxes->index[axis])] = *d++;
	run.words.count = asl_cuts_words(cell);
	return run;
}

/*
 * Is the cell a run of the slice's words, from *first on?  It is a range of one
 * dimension, whole in those after it and a point in those before.
 */
static bool is_run(const struct part *x, const struct asl_cuts_cell *cell,
		   uint64_t *first)
{
	struct asl_run slice = slice_of(x, cell->which), run = run_of(x, cell);
	bool parted = false;

	*first = 0;
	for (int i = 0; i < run.dims; i++) {
		if (parted && run.box[i].count < slice.box[i].count)
			return false;
		parted |= run.box[i].count > 1;
		*first = *first * slice.box[i].count + run.box[i].first -
			 slice.box[i].first;
	}
	return true;
}

/* Does nobody else need any of it?  Then it is a cell of its own. */
static bool owns_slice(const struct part *x, int which)
{
	for (int i = 0; i < x->cells; i++)
		if (cell_of(x, i)->which == which)
			return cell_of(x, i)->size == 1;
	return true;
}

static uint64_t owned(const struct part *x, int which)
{
	uint64_t words = 0;

	for (int i = 0; i < x->cells; i++)
		if (cell_of(x, i)->which == which)
			words += asl_cuts_share(cell_of(x, i), x->rank).count;
	return words;
}

uint64_t asl_boxes_owned(const struct asl_plan *plan, int rank, int which)
{
	struct part x;
	uint64_t words;

	begin(&x, plan, rank);
	words = owned(&x, which);
	asl_cuts_give(x.l);
	return words;
}

/* Its share of the cell that has word `word` of what a rank owns. */
static bool find_share(struct asl_run *run, const struct part *x, int which,
		       uint64_t word, uint64_t *first)
{
	uint64_t before = 0;

	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = cell_of(x, i);
		struct asl_range share;

		if (cell->which != which)
			continue;
		share = asl_cuts_share(cell, x->rank);
		if (word < before + share.count) {
			*run = run_of(x, cell);
			run->words = share;
			*first = before;
			return true;
		}
		before += share.count;
	}
	return false;
}

struct asl_tensor_row asl_boxes_row(struct asl_holding *h, uint64_t done,
				    uint64_t most)
{
	struct part x;

	if (done < h->first || done - h->first >= h->run.words.count) {
		begin(&x, h->plan, h->rank);
		if (!find_share(&h->run, &x, h->which, done, &h->first))
			h->run.words.count = 0;
		asl_cuts_give(x.l);
	}
	done -= h->first;
	return asl_run_row(&h->run, done,
			   asl_min(most, h->run.words.count - done));
}

/* ---- Run ---- */

static enum asl_where where_slice(const struct part *x, int which)
{
	return owns_slice(x, which) ? ASL_POOL : x->plan->panels;
}

/* The words of a cell in its slice. */
static struct asl_words in_slice(const struct asl_words *slice, uint64_t first,
				 const struct asl_cuts_cell *cell)
{
	return asl_slice(slice, first, asl_cuts_words(cell));
}

static void gather_cell(struct asl_rank *r, const struct part *x,
			const struct asl_cuts_cell *cell,
			const struct asl_words *slice,
			const struct asl_words *own)
{
	struct asl_group g = asl_cuts_group(cell, x->rank);
	struct asl_run whole, part;
	struct asl_words all;
	uint64_t first;

	if (is_run(x, cell, &first)) {
		all = in_slice(slice, first, cell);
		asl_brick_gather(r, &g, &all, own);
		return;
	}
	whole = slice_of(x, cell->which);
	part = run_of(x, cell);
	asl_take(r, &all, ASL_DRAM, asl_cuts_words(cell));
	asl_brick_gather(r, &g, &all, own);
	asl_run_copy(r, &whole, slice, &part, &all);
	asl_give(r, &all);
}

/* The first `count` words of *rest, which goes on after them. */
static struct asl_words next(struct asl_words *rest, uint64_t count)
{
	struct asl_words next = asl_slice(rest, 0, count);

	*rest = asl_slice(rest, count, rest->count - count);
	return next;
}

static void gather(struct asl_rank *r, const struct part *x,
		   const struct asl_words *own,
		   struct asl_words slice[ASL_MOST_TOGETHER])
{
	struct asl_words rest[ASL_MOST_TOGETHER];

	for (int i = 0; i < x->e->inputs; i++) {
		rest[i] = slice[i] = own[i];
		if (!owns_slice(x, i))
			asl_take(r, &slice[i], x->plan->panels,
				 slice_words(x, i));
	}
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = cell_of(x, i);
		struct asl_words mine;

		if (cell->which == x->e->inputs || cell->size == 1)
			continue;
		mine = next(&rest[cell->which],
			    asl_cuts_share(cell, x->rank).count);
		gather_cell(r, x, cell, &slice[cell->which], &mine);
	}
}

static void set_lengths(uint64_t len[ASL_MOST_INDICES], const struct part *x)
{
	for (int i = 0; i < x->e->indices; i++)
		len[i] = x->box.of[i].count;
}

static void compute(struct asl_rank *r, const struct part *x,
		    const struct asl_words slice[ASL_MOST_TOGETHER],
		    const struct asl_words *sum)
{
	const struct asl_einsum *e = x->e;
	struct asl_view in[ASL_MOST_TOGETHER], out;
	uint64_t len[ASL_MOST_INDICES];
	struct asl_local local;

	set_lengths(len, x);
	asl_local_make(&local, e, len, x->plan->cache);
	for (int i = 0; i < e->inputs; i++)
		in[i] = asl_view_dense(&slice[i], &e->term[i], len);
	out = asl_view_dense(sum, &e->term[e->inputs], len);
	asl_local_run(r, x->plan, &local, &out, in, len);
}

static void reduce_cell(struct asl_rank *r, const struct part *x,
			const struct asl_cuts_cell *cell,
			const struct asl_words *sum, struct asl_words *mine)
{
	struct asl_group g = asl_cuts_group(cell, x->rank);
	struct asl_run whole, part;
	struct asl_words all;
	uint64_t first;

	if (is_run(x, cell, &first)) {
		all = in_slice(sum, first, cell);
		asl_reduce_scatter(r, &g, mine, &all);
		return;
	}
	whole = slice_of(x, cell->which);
	part = run_of(x, cell);
	asl_take(r, &all, ASL_DRAM, asl_cuts_words(cell));
	asl_run_copy(r, &part, &all, &whole, sum);
	asl_reduce_scatter(r, &g, mine, &all);
	asl_give(r, &all);
}

static void reduce(struct asl_rank *r, const struct part *x,
		   const struct asl_words *sum, struct asl_words own)
{
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = cell_of(x, i);
		struct asl_words mine;

		if (cell->which != x->e->inputs)
			continue;
		mine = next(&own, asl_cuts_share(cell, x->rank).count);
		reduce_cell(r, x, cell, sum, &mine);
	}
}

static void run_part(struct asl_rank *r, const struct part *x,
		     struct asl_words *own)
{
	int out = x->e->inputs;
	bool summands = !owns_slice(x, out);
	struct asl_words slice[ASL_MOST_TOGETHER], sum = own[out];

	asl_phase(r, ASL_GATHER);
	gather(r, x, own, slice);
	if (summands)
		asl_take(r, &sum, ASL_POOL, slice_words(x, out));
	asl_phase(r, ASL_COMPUTE);
	compute(r, x, slice, &sum);
	for (int i = out - 1; i >= 0; i--)
		if (!owns_slice(x, i))
			asl_give(r, &slice[i]);
	asl_mark_epoch(r, NULL, 0);
	if (!summands)
		return;
	asl_phase(r, ASL_REDUCE);
	reduce(r, x, &sum, own[out]);
	asl_give(r, &sum);
}

void asl_boxes_run(struct asl_rank *r, const struct asl_plan *plan,
		   struct asl_words *own)
{
	struct part x;

	begin(&x, plan, r->id);
	if (!x.l)
		asl_rank_fail(r, -ENOMEM, "no memory for the boxes of %d ranks",
			      plan->ranks);
	if (x.cells)
		run_part(r, &x, own);
	asl_cuts_give(x.l);
}

/* ---- Predict ---- */

/* Words that are held for a while. */
struct held {
	uint64_t panels,
		gathering; /* slices of inputs; and a cell beside them */
	uint64_t summands; /* in the pool */
	uint64_t computing, reducing;
};

/* Returns the words beside the slice. */
static uint64_t predict_gather(struct asl_counts *counts, const struct part *x,
			       const struct asl_cuts_cell *cell)
{
	struct asl_group g = asl_cuts_group(cell, x->rank);
	uint64_t W = asl_cuts_words(cell), first;

	if (is_run(x, cell, &first)) {
		asl_brick_predict_gather(counts, W, &g, x->plan->panels);
		return 0;
	}
	asl_brick_predict_gather(counts, W, &g, ASL_DRAM);
	asl_predict_copy(counts, x->plan->panels, ASL_DRAM, W);
	return W;
}

/* Returns the words beside the summands. */
static uint64_t predict_reduce(struct asl_counts *counts, const struct part *x,
			       const struct asl_cuts_cell *cell)
{
	struct asl_group g = asl_cuts_group(cell, x->rank);
	uint64_t W = asl_cuts_words(cell), first, copy = 0;
	enum asl_where where = ASL_POOL;

	if (!is_run(x, cell, &first)) {
		asl_predict_copy(counts, ASL_DRAM, ASL_POOL, W);
		where = ASL_DRAM;
		copy = W;
	}
	asl_predict_reduce_scatter(counts, W, g.size, g.me, ASL_POOL, where);
	return copy + asl_reduce_scatter_scratch(W, g.size, g.me);
}

static void predict_cells(struct asl_ledger *out, struct held *held,
			  const struct part *x)
{
	int result = x->e->inputs;

	for (int i = 0; i < result; i++)
		if (!owns_slice(x, i))
			held->panels += slice_words(x, i);
	if (!owns_slice(x, result))
		held->summands = slice_words(x, result);
	for (int i = 0; i < x->cells; i++) {
		const struct asl_cuts_cell *cell = cell_of(x, i);

		if (cell->size == 1)
			continue;
		if (cell->which < result)
			held->gathering = asl_max(
				held->gathering,
				predict_gather(&out->in[ASL_GATHER], x, cell));
		else
			held->reducing = asl_max(
				held->reducing,
				predict_reduce(&out->in[ASL_REDUCE], x, cell));
	}
}

static void predict_compute(struct asl_ledger *out, struct held *held,
			    const struct part *x)
{
	const struct asl_einsum *e = x->e;
	struct asl_words from = {.where = ASL_POOL}, to = {.where = ASL_POOL};
	struct asl_view in[ASL_MOST_TOGETHER], result;
	uint64_t len[ASL_MOST_INDICES];
	struct asl_local local;

	set_lengths(len, x);
	asl_local_make(&local, e, len, x->plan->cache);
	for (int i = 0; i < e->inputs; i++) {
		from.where = where_slice(x, i);
		in[i] = asl_view_dense(&from, &e->term[i], len);
	}
	result = asl_view_dense(&to, &e->term[e->inputs], len);
	held->computing = asl_local_predict(&out->in[ASL_COMPUTE], x->plan,
					    &local, &result, in, len);
}

void asl_boxes_predict(struct asl_ledger *out, const struct asl_plan *plan,
		       int rank)
{
	struct held held = {0};
	uint64_t own = 0;
	struct part x;

	begin(&x, plan, rank);
	if (x.cells) {
		predict_cells(out, &held, &x);
		predict_compute(out, &held, &x);
	}
	for (int i = 0; i <= x.e->inputs; i++)
		own += owned(&x, i);
	asl_cuts_give(x.l);
	out->memory_high =
		own +
		asl_max(held.panels + asl_max(held.gathering,
					      held.summands + held.computing),
			held.summands + held.reducing);
	out->pool_high = own + held.summands +
			 (plan->panels == ASL_POOL ? held.panels : 0);
}

/* ---- As a candidate ---- */

double asl_boxes_volume(const struct asl_contraction *c)
{
	struct asl_cuts_layout *l = asl_cuts_take(&c->boxes.space, c->ranks);
	double most = l ? (double)asl_cuts_largest(l) : 0;

	asl_cuts_give(l);
	return most;
}

#define UNEVEN 1.2

/* No rank has much more than an even share; 0: there was no memory to see that. */
static bool are_even(const struct asl_contraction *c)
{
	double most = asl_boxes_volume(c);

	return most > 0 && most * c->ranks <= UNEVEN * asl_mesh_points(&c->e);
}

bool asl_boxes_make(struct asl_contraction *c, int ranks)
{
	double points = asl_mesh_points(&c->e);

	c->way = ASL_WAY_CUTS;
	c->stages = 0;
	c->ranks = points < ranks ? (int)points : ranks;
	c->whole = asl_mesh_choose(&c->e, c->ranks, NULL);
	return are_even(c);
}

uint64_t asl_boxes_words(const struct asl_contraction *c)
{
	const struct asl_plan plan = {.contraction = c, .panels = ASL_DRAM};
	uint64_t most = 0;

	for (int rank = 0; rank < c->ranks; rank++) {
		struct asl_ledger ledger = {0};
		struct held held = {0};
		struct part x;

		begin(&x, &plan, rank);
		predict_cells(&ledger, &held, &x);
		asl_cuts_give(x.l);
		most = asl_max(most, ledger.in[ASL_GATHER].of[ASL_BH] +
					     ledger.in[ASL_REDUCE].of[ASL_BH]);
	}
	return most;
}
