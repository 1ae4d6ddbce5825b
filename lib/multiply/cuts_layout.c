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
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/parts.h"

/*
 * A layout while it is being made
 *
 * Cells are made from the leaves up.  One box needs its faces whole: a cell of
 * one rank each.  Of two boxes that were one, cells of an operand that has the
 * axis of the cut lie side by side.  Else both have the same face, and where a
 * cell of the one meets a cell of the other, both sets need the words.
 */

/* A cell, its set still a run of places in `members`. */
struct asl_cuts_draft {
	struct asl_range rows, cols;
	size_t set;
	int size;
};

struct asl_cuts_cells {
	struct {
		struct asl_cuts_draft *cell;
		size_t count, capacity;
	} of[ASL_OPERANDS];
	int *members;
	size_t count, capacity;
	bool failed; /* no memory: nothing more is done */
};

/* How many cells there are of each operand. */
struct asl_cuts_mark {
	size_t of[ASL_OPERANDS];
};

static void add_member(struct asl_cuts_cells *x, int rank)
{
	int *members = asl_grown(x->members, x->count, &x->capacity,
				 sizeof *x->members);

	x->failed |= !members;
	if (x->failed)
		return;
	x->members = members;
	x->members[x->count++] = rank;
}

static void add_cell(struct asl_cuts_cells *x, enum asl_operand which,
		     const struct asl_cuts_draft *new)
{
	struct asl_cuts_draft *cell =
		asl_grown(x->of[which].cell, x->of[which].count,
			  &x->of[which].capacity, sizeof *cell);

	x->failed |= !cell;
	if (x->failed)
		return;
	x->of[which].cell = cell;
	cell[x->of[which].count++] = *new;
}

static struct asl_cuts_mark cuts_mark(const struct asl_cuts_cells *x)
{
	struct asl_cuts_mark mark;

	for (int i = 0; i < ASL_OPERANDS; i++)
		mark.of[i] = x->of[i].count;
	return mark;
}

/* The faces of a rank's box. */
static void add_box(struct asl_cuts_cells *x, const struct asl_cuts_box *box,
		    int rank)
{
	size_t set = x->count;

	add_member(x, rank);
	for (int i = 0; i < ASL_OPERANDS; i++) {
		struct asl_piece face = asl_cuts_face(box, i);
		struct asl_cuts_draft whole = {face.rows, face.cols, set, 1};

		add_cell(x, i, &whole);
	}
}

/* What the cells have in common, if anything, is a cell of both sets. */
static void add_common(struct asl_cuts_cells *x, enum asl_operand which,
		       struct asl_cuts_draft a, struct asl_cuts_draft b)
{
	struct asl_cuts_draft new = {asl_common(a.rows, b.rows),
				     asl_common(a.cols, b.cols), x->count,
				     a.size + b.size};

	if (!new.rows.count || !new.cols.count)
		return;
	for (int i = 0; i < a.size; i++)
		add_member(x, x->members[a.set + (size_t)i]);
	for (int i = 0; i < b.size; i++)
		add_member(x, x->members[b.set + (size_t)i]);
	add_cell(x, which, &new);
}

static void overlay(struct asl_cuts_cells *x, enum asl_operand which,
		    size_t first, size_t second)
{
	size_t end = x->of[which].count, made;

	for (size_t i = first; i < second && !x->failed; i++)
		for (size_t j = second; j < end && !x->failed; j++)
			add_common(x, which, x->of[which].cell[i],
				   x->of[which].cell[j]);
	made = x->of[which].count - end;
	if (x->failed)
		return;
	/* They take the place of those that they were made of. */
	memmove(x->of[which].cell + first, x->of[which].cell + end,
		made * sizeof *x->of[which].cell);
	x->of[which].count = first + made;
}

/* The cells from `first` and from `second` on belong to two boxes cut apart. */
static void cuts_join(struct asl_cuts_cells *x, enum asl_cuts_axis cut,
		      struct asl_cuts_mark first, struct asl_cuts_mark second)
{
	/* The operand without the axis has the same face on both sides. */
	static const enum asl_operand lacks[] = {[ASL_CUTS_M] = ASL_B,
						 [ASL_CUTS_K] = ASL_C,
						 [ASL_CUTS_N] = ASL_A};
	enum asl_operand which = lacks[cut];

	overlay(x, which, first.of[which], second.of[which]);
}

static void free_cells(struct asl_cuts_cells *x)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		free(x->of[i].cell);
	free(x->members);
}

/*
 * In which order ranks go through the cells that they share
 *
 * One order for all, so that nobody waits for somebody who waits in turn.  A cell
 * begins when the last of its ranks is free.  Of those left the next one is that
 * for which this is early and after which its ranks have, on average, much left
 * to do: the beginning less that average is least.  It only grows, as ranks
 * become busier and have less left, so what was next by an old figure need only
 * be looked at again.
 */

struct waiting {
	int64_t urgency; /* the least is next; among equals the first cell */
	int cell;
};

struct schedule {
	const struct asl_cuts_cell *cell;
	struct waiting *heap;
	int count;
	uint64_t *free_at, *left; /* of every rank, in words */
};

static uint64_t time_of(const struct asl_cuts_cell *x)
{
	uint64_t words = asl_cuts_words(x);

	return words - words / (uint64_t)x->size;
}

static uint64_t begins(const struct schedule *s, const struct asl_cuts_cell *x)
{
	uint64_t begin = 0;

	for (int i = 0; i < x->size; i++)
		begin = asl_max(begin, s->free_at[x->rank[i]]);
	return begin;
}

static int64_t urgency(const struct schedule *s, const struct asl_cuts_cell *x)
{
	uint64_t left = 0;

	for (int i = 0; i < x->size; i++)
		left += s->left[x->rank[i]];
	return (int64_t)begins(s, x) - (int64_t)(left / (uint64_t)x->size);
}

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->urgency != b->urgency ? a->urgency < b->urgency
					: a->cell < b->cell;
}

static void sink(struct schedule *s, int at)
{
	struct waiting x = s->heap[at];

	for (int child; (child = 2 * at + 1) < s->count; at = child) {
		if (child + 1 < s->count &&
		    before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!before(&s->heap[child], &x))
			break;
		s->heap[at] = s->heap[child];
	}
	s->heap[at] = x;
}

static void begin(struct schedule *s)
{
	for (int i = 0; i < s->count; i++)
		for (int j = 0; j < s->cell[i].size; j++)
			s->left[s->cell[i].rank[j]] += time_of(&s->cell[i]);
	for (int i = 0; i < s->count; i++)
		s->heap[i] = (struct waiting){urgency(s, &s->cell[i]), i};
	for (int i = s->count / 2; i-- > 0;)
		sink(s, i);
}

static int next(struct schedule *s)
{
	for (;;) {
		struct waiting *top = &s->heap[0];
		int64_t now = urgency(s, &s->cell[top->cell]);
		int cell = top->cell;

		if (now == top->urgency) {
			*top = s->heap[--s->count];
			sink(s, 0);
			return cell;
		}
		top->urgency = now;
		sink(s, 0);
	}
}

static void work(struct schedule *s, const struct asl_cuts_cell *x)
{
	uint64_t time = time_of(x), end = begins(s, x) + time;

	for (int i = 0; i < x->size; i++) {
		s->free_at[x->rank[i]] = end;
		s->left[x->rank[i]] -= time;
	}
}

/* 0 or -ENOMEM. */
static int cuts_order(struct asl_cuts_cell *cell, int cells, int ranks)
{
	size_t n = (size_t)cells, p = (size_t)ranks;
	struct asl_cuts_cell *old = malloc(n * sizeof *old);
	struct schedule s = {
		.cell = old,
		.heap = malloc((n + 1) * sizeof *s.heap),
		.count = cells,
		.free_at = calloc(p, sizeof *s.free_at),
		.left = calloc(p, sizeof *s.left),
	};
	int err = old && s.heap && s.free_at && s.left ? 0 : -ENOMEM;

	if (!err) {
		memcpy(old, cell, n * sizeof *old);
		begin(&s);
		for (int i = 0; i < cells; i++) {
			cell[i] = old[next(&s)];
			work(&s, &cell[i]);
		}
	}
	free(s.left);
	free(s.free_at);
	free(s.heap);
	free(old);
	return err;
}

/*
 * The cut that leads to the fewest words
 *
 * P ranks into about P/2 and P/2, in proportion, across the longest axis: that
 * alone ends in boxes up to twice as long as wide, and 1.2 times the words of
 * cubes for some P.  What decides is how few ranks share what is left in the
 * end, so with FEW of them or fewer every sensible cut is tried, to the last
 * one: across the longest axis or the second, into halves, nearly so, or thirds;
 * and the one is taken that leaves the least faces in all.  Many ranks are halved
 * without looking ahead.
 *
 * A few boxes come up time and again, so what was found is noted, in a
 * table that forgets: a note is overwritten by another that falls on its place.
 */

enum { FEW = 32, NOTES = 1 << 16 };

/* The first `ranks` get `length` of an axis, the others what is left of it. */
struct asl_cut {
	enum asl_cuts_axis axis;
	uint64_t length;
	int ranks;
};

struct note {
	uint64_t d[ASL_CUTS_AXES];
	int ranks; /* 0: nothing here */
	struct asl_cut cut;
	uint64_t words;
};

static struct note *note_of(struct note *memo, const uint64_t d[ASL_CUTS_AXES],
			    int ranks)
{
	uint64_t x = (uint64_t)ranks;

	for (int i = 0; i < ASL_CUTS_AXES; i++)
		x = (x ^ d[i]) * 0x9e3779b97f4a7c15;
	return &memo[x >> 48];
}

static uint64_t faces(const uint64_t d[ASL_CUTS_AXES])
{
	return d[ASL_CUTS_M] * d[ASL_CUTS_K] + d[ASL_CUTS_K] * d[ASL_CUTS_N] +
	       d[ASL_CUTS_M] * d[ASL_CUTS_N];
}

/* ---- Cuts ---- */

/* length * part / whole, to the nearest, without an overflow on the way. */
static uint64_t portion(uint64_t length, int part, int whole)
{
	uint64_t p = (uint64_t)part, q = (uint64_t)whole;

	return length / q * p + (2 * (length % q) * p + q) / (2 * q);
}

/* Would both parties have a multiplication for each of their ranks? */
static bool cut_leaves_work(const struct asl_cut *x,
			    const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	uint64_t across = d[0] * d[1] * d[2] / d[x->axis];

	return x->ranks > 0 && x->ranks < ranks &&
	       x->length * across >= (uint64_t)x->ranks &&
	       (d[x->axis] - x->length) * across >=
		       (uint64_t)(ranks - x->ranks);
}

static struct asl_cut in_proportion(const uint64_t d[ASL_CUTS_AXES],
				    enum asl_cuts_axis axis, int first,
				    int ranks)
{
	return (struct asl_cut){axis, portion(d[axis], first, ranks), first};
}

/* In the middle, and the ranks as their work allows: always possible. */
static struct asl_cut in_the_middle(const uint64_t d[ASL_CUTS_AXES],
				    enum asl_cuts_axis axis, int ranks)
{
	uint64_t across = d[0] * d[1] * d[2] / d[axis], half = d[axis] / 2;
	uint64_t most = half * across, others = (d[axis] - half) * across;
	uint64_t all = (uint64_t)ranks, first = all / 2;

	if (all - first > others)
		first = all - others;
	return (struct asl_cut){axis, half, (int)asl_min(first, most)};
}

/* The axes from the longest to the shortest. */
static void sort(enum asl_cuts_axis axis[ASL_CUTS_AXES],
		 const uint64_t d[ASL_CUTS_AXES])
{
	for (int i = 0; i < ASL_CUTS_AXES; i++) {
		int j = i;

		for (; j > 0 && d[axis[j - 1]] < d[i]; j--)
			axis[j] = axis[j - 1];
		axis[j] = (enum asl_cuts_axis)i;
	}
}

static uint64_t least_words(struct note *memo, const uint64_t d[ASL_CUTS_AXES],
			    int ranks);

static uint64_t words_after(struct note *memo, const uint64_t d[ASL_CUTS_AXES],
			    int ranks, const struct asl_cut *x)
{
	uint64_t one[] = {d[0], d[1], d[2]}, other[] = {d[0], d[1], d[2]};

	one[x->axis] = x->length;
	other[x->axis] -= x->length;
	return least_words(memo, one, x->ranks) +
	       least_words(memo, other, ranks - x->ranks);
}

static void try_cut(struct note *memo, struct note *best,
		    const struct asl_cut *x)
{
	uint64_t words;

	if (!cut_leaves_work(x, best->d, best->ranks))
		return;
	words = words_after(memo, best->d, best->ranks, x);
	if (words < best->words) {
		best->words = words;
		best->cut = *x;
	}
}

static void try_axis(struct note *memo, struct note *best,
		     enum asl_cuts_axis axis)
{
	int P = best->ranks;
	const int first[] = {P / 2 - 1,	    P / 2, P - P / 2,
			     P - P / 2 + 1, P / 3, P - P / 3};

	for (int i = 0; i < 6; i++) {
		struct asl_cut x = in_proportion(best->d, axis, first[i], P);

		try_cut(memo, best, &x);
	}
}

static struct note search(struct note *memo, const uint64_t d[ASL_CUTS_AXES],
			  int ranks)
{
	struct note best = {{d[0], d[1], d[2]}, ranks, {0}, UINT64_MAX};
	enum asl_cuts_axis axis[ASL_CUTS_AXES];

	sort(axis, d);
	try_axis(memo, &best, axis[0]);
	if (d[axis[1]] > d[axis[0]] / 2)
		try_axis(memo, &best, axis[1]);
	if (best.words == UINT64_MAX) {
		best.cut = in_the_middle(d, axis[0], ranks);
		best.words = words_after(memo, d, ranks, &best.cut);
	}
	return best;
}

static struct note recall(struct note *memo, const uint64_t d[ASL_CUTS_AXES],
			  int ranks)
{
	struct note *known = note_of(memo, d, ranks);

	if (known->ranks != ranks || memcmp(known->d, d, sizeof known->d)) {
		struct note new = search(memo, d, ranks);

		*known = new;
	}
	return *known;
}

static uint64_t least_words(struct note *memo, const uint64_t d[ASL_CUTS_AXES],
			    int ranks)
{
	return ranks == 1 ? faces(d) : recall(memo, d, ranks).words;
}

/*
 * The best cut of a box of d[] multiplications for `ranks` ranks, of which there
 * are two or more, and no more than multiplications.
 */
static struct asl_cut split(struct note *memo, const uint64_t d[ASL_CUTS_AXES],
			    int ranks)
{
	enum asl_cuts_axis axis[ASL_CUTS_AXES];
	struct asl_cut x;

	if (ranks <= FEW)
		return recall(memo, d, ranks).cut;
	sort(axis, d);
	x = in_proportion(d, axis[0], ranks / 2, ranks);
	return cut_leaves_work(&x, d, ranks) ? x
					     : in_the_middle(d, axis[0], ranks);
}

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
		most = asl_max(most, volume(&l->box[r]));
	return most;
}

/* ---- Cutting ---- */

struct builder {
	struct asl_cuts_layout *l;
	struct note *memo;
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
	       cut_leaves_work(x, d, ranks);
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
	struct asl_cut x = split(b->memo, d, ranks);

	snap(b, &x, box->d[x.axis].first, d, ranks);
	return x;
}

static void build(struct builder *b, struct asl_cuts_box box, int first,
		  int ranks)
{
	struct asl_cuts_mark start = cuts_mark(&b->cells), middle;
	struct asl_cuts_box one = box, other = box;
	struct asl_cut x;

	if (ranks == 1) {
		b->l->box[first] = box;
		add_box(&b->cells, &box, first);
		return;
	}
	x = cut_of(b, &box, ranks);
	one.d[x.axis].count = x.length;
	other.d[x.axis].first += x.length;
	other.d[x.axis].count -= x.length;
	build(b, one, first, x.ranks);
	middle = cuts_mark(&b->cells);
	build(b, other, first + x.ranks, ranks - x.ranks);
	cuts_join(&b->cells, x.axis, start, middle);
}

static int cut_all(struct builder *b, const struct asl_shape *s)
{
	int used = b->l->used;
	struct asl_cuts_box all = {
		.d = {[ASL_CUTS_M] = {0, s->m},
		      [ASL_CUTS_K] = {0, s->k},
		      [ASL_CUTS_N] = {0, s->n}},
	};

	b->memo = calloc(NOTES, sizeof *b->memo);
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
	err = cuts_order(l->cell, inputs, l->used);
	return err ? err
		   : cuts_order(l->cell + inputs, l->cells - inputs, l->used);
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
	b.l->used = (int)asl_min((uint64_t)ranks, all);
	b.l->users = 1;
	b.l->box = malloc((size_t)b.l->used * sizeof *b.l->box);
	err = b.l->box ? cut_all(&b, s) : -ENOMEM;
	if (!err)
		err = take_cells(b.l, &b.cells);
	if (!err)
		err = list_cells(b.l);
	for (int i = 0; i < ASL_CUTS_AXES; i++)
		free(b.place[i]);
	free(b.memo);
	free_cells(&b.cells);
	if (!err)
		return b.l;
	free_layout(b.l);
	return NULL;
}

struct asl_cuts_layout *asl_cuts_take(const struct asl_plan *plan)
{
	const struct asl_shape *s = asl_shape_of(plan);
	int ranks = asl_grid_ranks(&plan->grid);

	if (!latest || latest->ranks != ranks || latest->shape.m != s->m ||
	    latest->shape.n != s->n || latest->shape.k != s->k) {
		asl_cuts_give(latest);
		latest = make(s, ranks);
	}
	if (latest)
		latest->users++;
	return latest;
}
