/*
 * cuts_layout.c -- the box is cut in two, and again, until every rank has one
 *
 * Where a cut falls in proportion, faces on its two sides may all but align and
 * leave slivers, cells that cost messages and carry nothing.  So a cut goes where
 * the axis has been cut before, if that is near enough: no rank may end up with
 * more than SLACK percent more work than its fair share because of it.
 */
#include "lib/multiply/cuts_layout.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/multiply/cuts_cells.h"

enum { SLACK = 2 };

struct asl_piece asl_cuts_face(const struct asl_cuts_box *box,
			       enum asl_operand which)
{
	enum asl_cuts_axis rows = which == ASL_B ? ASL_CUTS_K : ASL_CUTS_M;
	enum asl_cuts_axis cols = which == ASL_A ? ASL_CUTS_K : ASL_CUTS_N;

	return asl_whole_piece(box->d[rows], box->d[cols]);
}

static uint64_t volume(const struct asl_cuts_box *x)
{
	return x->d[0].count * x->d[1].count * x->d[2].count;
}

uint64_t asl_cuts_largest(const struct asl_cuts_layout *l)
{
	uint64_t most = 0;

	for (int r = 0; r < l->used; r++)
		most = asl_larger(most, volume(&l->box[r]));
	return most;
}

/* ---- Cutting ---- */

struct builder {
	struct asl_cuts_layout *l;
	struct asl_cuts_memo *memo;
	struct asl_cuts_cells cells;
	double most; /* work for a rank */
	/* Where axes have been cut; one place a cut at most. */
	uint64_t *place[ASL_CUTS_AXES];
	int places[ASL_CUTS_AXES];
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Is it near enough to what is in proportion? */
static bool is_fair(const struct builder *b, const struct asl_cut *x,
		    const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	uint64_t across = d[0] * d[1] * d[2] / d[x->axis];
	double one = (double)x->length * (double)across;
	double other = (double)(d[x->axis] - x->length) * (double)across;

	return one <= b->most * x->ranks &&
	       other <= b->most * (ranks - x->ranks) &&
	       asl_cut_leaves_work(x, d, ranks);
}

/* To the nearest place where the axis has been cut, if that is fair. */
static void snap(struct builder *b, struct asl_cut *x, uint64_t begin,
		 const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	uint64_t exact = x->length, nearest = UINT64_MAX;

	for (int i = 0; i < b->places[x->axis]; i++) {
		uint64_t place = b->place[x->axis][i];
		struct asl_cut to = *x;

		if (place <= begin || place >= begin + d[x->axis])
			continue;
		to.length = place - begin;
		if (distance(to.length, exact) < nearest &&
		    is_fair(b, &to, d, ranks)) {
			nearest = distance(to.length, exact);
			x->length = to.length;
		}
	}
	if (nearest == UINT64_MAX)
		b->place[x->axis][b->places[x->axis]++] = begin + exact;
}

static struct asl_cut cut_of(struct builder *b, const struct asl_cuts_box *box,
			     int ranks)
{
	const uint64_t d[] = {box->d[0].count, box->d[1].count,
			      box->d[2].count};
	struct asl_cut x = asl_cuts_split(b->memo, d, ranks);

	snap(b, &x, box->d[x.axis].first, d, ranks);
	return x;
}

static void build(struct builder *b, struct asl_cuts_box box, int first,
		  int ranks)
{
	struct asl_cuts_mark start = asl_cuts_mark(&b->cells), middle;
	struct asl_cuts_box one = box, other = box;
	struct asl_cut x;

	if (ranks == 1) {
		b->l->box[first] = box;
		asl_cuts_add_box(&b->cells, &box, first);
		return;
	}
	x = cut_of(b, &box, ranks);
	one.d[x.axis].count = x.length;
	other.d[x.axis].first += x.length;
	other.d[x.axis].count -= x.length;
	build(b, one, first, x.ranks);
	middle = asl_cuts_mark(&b->cells);
	build(b, other, first + x.ranks, ranks - x.ranks);
	asl_cuts_join(&b->cells, x.axis, start, middle);
}

static int cut_all(struct builder *b, const struct asl_shape *s)
{
	int used = b->l->used;
	struct asl_cuts_box all = {
		.d = {[ASL_CUTS_M] = {0, s->m},
		      [ASL_CUTS_K] = {0, s->k},
		      [ASL_CUTS_N] = {0, s->n}},
	};

	b->memo = asl_cuts_memo_open();
	for (int i = 0; i < ASL_CUTS_AXES; i++) {
		b->place[i] = malloc((size_t)used * sizeof *b->place[i]);
		b->cells.failed |= !b->place[i];
	}
	if (!b->memo || b->cells.failed)
		return -ENOMEM;
	b->most = (1 + SLACK / 100.0) * ((double)volume(&all) / used);
	build(b, all, 0, used);
	return b->cells.failed ? -ENOMEM : 0;
}

/* ---- From drafts to a layout ---- */

static void finish_cells(struct asl_cuts_layout *l,
			 const struct asl_cuts_cells *from,
			 enum asl_operand which)
{
	for (size_t i = 0; i < from->of[which].count; i++) {
		const struct asl_cuts_draft *x = &from->of[which].cell[i];

		l->cell[l->cells++] = (struct asl_cuts_cell){
			which, x->rows, x->cols, x->size, l->members + x->set};
	}
}

static int take_cells(struct asl_cuts_layout *l, struct asl_cuts_cells *from)
{
	size_t count = 0;
	int inputs, err;

	for (int i = 0; i < ASL_OPERANDS; i++)
		count += from->of[i].count;
	l->members = from->members;
	from->members = NULL;
	l->cell = malloc(count * sizeof *l->cell);
	if (!l->cell)
		return -ENOMEM;
	finish_cells(l, from, ASL_A);
	finish_cells(l, from, ASL_B);
	inputs = l->cells;
	finish_cells(l, from, ASL_C);
	err = asl_cuts_order(l->cell, inputs, l->used);
	return err ? err
		   : asl_cuts_order(l->cell + inputs, l->cells - inputs,
				    l->used);
}

static int list_cells(struct asl_cuts_layout *l)
{
	int *first = calloc((size_t)l->ranks + 2, sizeof *first), sum = 0;

	l->first = first;
	if (!first)
		return -ENOMEM;
	for (int i = 0; i < l->cells; i++)
		for (int j = 0; j < l->cell[i].size; j++)
			first[l->cell[i].rank[j] + 2]++;
	for (int r = 2; r < l->ranks + 2; r++)
		first[r] = sum += first[r];
	l->mine = malloc((size_t)sum * sizeof *l->mine);
	if (!l->mine)
		return -ENOMEM;
	/* first[r + 1] runs from where r begins to where it ends. */
	for (int i = 0; i < l->cells; i++)
		for (int j = 0; j < l->cell[i].size; j++)
			l->mine[first[l->cell[i].rank[j] + 1]++] = i;
	return 0;
}

/* ---- The one that is remembered ---- */

static struct asl_cuts_layout *latest;

static void free_layout(struct asl_cuts_layout *l)
{
	free(l->box);
	free(l->cell);
	free(l->mine);
	free(l->first);
	free(l->members);
	free(l);
}

void asl_cuts_give(struct asl_cuts_layout *l)
{
	if (l && --l->users == 0)
		free_layout(l);
}

static struct asl_cuts_layout *make(const struct asl_shape *s, int ranks)
{
	uint64_t all = s->m * s->n * s->k;
	struct builder b = {.l = calloc(1, sizeof *b.l)};
	int err;

	if (!b.l)
		return NULL;
	b.l->shape = *s;
	b.l->ranks = ranks;
	b.l->used = (int)asl_least((uint64_t)ranks, all);
	b.l->users = 1;
	b.l->box = malloc((size_t)b.l->used * sizeof *b.l->box);
	err = b.l->box ? cut_all(&b, s) : -ENOMEM;
	if (!err)
		err = take_cells(b.l, &b.cells);
	if (!err)
		err = list_cells(b.l);
	for (int i = 0; i < ASL_CUTS_AXES; i++)
		free(b.place[i]);
	asl_cuts_memo_close(b.memo);
	asl_cuts_free_cells(&b.cells);
	if (!err)
		return b.l;
	free_layout(b.l);
	return NULL;
}

static bool is_latest(const struct asl_shape *s, int ranks)
{
	return latest && latest->ranks == ranks && latest->shape.m == s->m &&
	       latest->shape.n == s->n && latest->shape.k == s->k;
}

struct asl_cuts_layout *asl_cuts_take(const struct asl_plan *plan)
{
	int ranks = asl_grid_ranks(&plan->grid);

	if (!is_latest(&plan->shape, ranks)) {
		asl_cuts_give(latest);
		latest = make(&plan->shape, ranks);
	}
	if (latest)
		latest->users++;
	return latest;
}
