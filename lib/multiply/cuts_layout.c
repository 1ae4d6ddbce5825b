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
	size_t set;
	int size;
};

/* An operand's cells, and the ranges of each: a[dims]. */
struct asl_cuts_drafts {
	int dims;
	struct asl_cuts_draft *cell;
	struct asl_range *d;
	size_t count, capacity, room;
};

struct asl_cuts_cells {
	struct asl_cuts_drafts of[ASL_CUTS_MOST_OPERANDS];
	int *members;
	size_t count, capacity;
	bool failed; /* no memory: nothing more is done */
};

/* How many cells there are of each operand. */
struct asl_cuts_mark {
	size_t of[ASL_CUTS_MOST_OPERANDS];
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

/* Returns the ranges of the new cell, to be set; NULL if there is no memory. */
static struct asl_range *add_cell(struct asl_cuts_cells *x, int which,
				  struct asl_cuts_draft new)
{
	struct asl_cuts_drafts *of = &x->of[which];
	size_t dims = (size_t)of->dims;
	struct asl_cuts_draft *cell =
		asl_grown(of->cell, of->count, &of->capacity, sizeof *cell);
	struct asl_range *d = NULL;

	if (cell) {
		of->cell = cell;
		d = asl_grown(of->d, of->count, &of->room,
			      asl_max(dims, 1) * sizeof *d);
	}
	x->failed |= !d;
	if (x->failed)
		return NULL;
	of->d = d;
	cell[of->count] = new;
	return d + of->count++ * dims;
}

static struct asl_cuts_mark cuts_mark(const struct asl_cuts_cells *x)
{
	struct asl_cuts_mark mark;

	for (int i = 0; i < ASL_CUTS_MOST_OPERANDS; i++)
		mark.of[i] = x->of[i].count;
	return mark;
}

/* The faces of a rank's box. */
static void add_box(struct asl_cuts_cells *x,
		    const struct asl_cuts_space *space,
		    const struct asl_cuts_box *box, int rank)
{
	struct asl_cuts_draft alone = {x->count, 1};

	add_member(x, rank);
	for (int i = 0; i < space->operands && !x->failed; i++) {
		struct asl_range *d = add_cell(x, i, alone);

		for (int axis = 0; d && axis < space->axes; axis++)
			if (space->has[i] >> axis & 1)
				*d++ = box->d[axis];
	}
}

/* Cell `i` of an operand; have they anything in common? */
static bool do_meet(const struct asl_cuts_drafts *of, size_t i, size_t j)
{
	size_t dims = (size_t)of->dims;

	for (size_t k = 0; k < dims; k++)
		if (!asl_common(of->d[i * dims + k], of->d[j * dims + k]).count)
			return false;
	return true;
}

/* What the cells have in common, if anything, is a cell of both sets. */
static void add_common(struct asl_cuts_cells *x, int which, size_t i, size_t j)
{
	struct asl_cuts_drafts *of = &x->of[which];
	struct asl_cuts_draft a = of->cell[i], b = of->cell[j];
	size_t dims = (size_t)of->dims, set = x->count;
	struct asl_range *d;

	if (!do_meet(of, i, j))
		return;
	for (int k = 0; k < a.size; k++)
		add_member(x, x->members[a.set + (size_t)k]);
	for (int k = 0; k < b.size; k++)
		add_member(x, x->members[b.set + (size_t)k]);
	d = add_cell(x, which, (struct asl_cuts_draft){set, a.size + b.size});
	for (size_t k = 0; d && k < dims; k++)
		d[k] = asl_common(of->d[i * dims + k], of->d[j * dims + k]);
}

static void overlay(struct asl_cuts_cells *x, int which, size_t first,
		    size_t second)
{
	struct asl_cuts_drafts *of = &x->of[which];
	size_t end = of->count, dims = (size_t)of->dims, made;

	for (size_t i = first; i < second && !x->failed; i++)
		for (size_t j = second; j < end && !x->failed; j++)
			add_common(x, which, i, j);
	made = of->count - end;
	if (x->failed)
		return;
	/* They take the place of those that they were made of. */
	memmove(of->cell + first, of->cell + end, made * sizeof *of->cell);
	memmove(of->d + first * dims, of->d + end * dims,
		made * dims * sizeof *of->d);
	of->count = first + made;
}

/*
 * The cells from `first` and from `second` on belong to two boxes cut apart.  An
 * operand without the axis has the same face on both sides.
 */
static void cuts_join(struct asl_cuts_cells *x,
		      const struct asl_cuts_space *space, int axis,
		      struct asl_cuts_mark first, struct asl_cuts_mark second)
{
	for (int i = 0; i < space->operands; i++)
		if (!(space->has[i] >> axis & 1))
			overlay(x, i, first.of[i], second.of[i]);
}

static void free_cells(struct asl_cuts_cells *x)
{
	for (int i = 0; i < ASL_CUTS_MOST_OPERANDS; i++) {
		free(x->of[i].cell);
		free(x->of[i].d);
	}
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
 * P ranks into about P/2 and P/2, in proportion, across the axis whose operands
 * without it have the fewest words, which both sides will need (of matrices, the
 * longest): that alone ends in boxes up to twice as long as wide, and 1.2 times the words of
 * cubes for some P.  What decides is how few ranks share what is left in the
 * end, so with FEW of them or fewer every sensible cut is tried, to the last
 * one: across this axis or the second, into halves, nearly so, or thirds;
 * and the one is taken that leaves the least faces in all.  Many ranks are halved
 * without looking ahead.
 *
 * A few boxes come up time and again, so what was found is noted, in a
 * table that forgets: a note is overwritten by another that falls on its place.
 */

enum { FEW = 32, NOTES = 1 << 16 };

/* The first `ranks` get `length` of an axis, the others what is left of it. */
struct asl_cut {
	int axis;
	uint64_t length;
	int ranks;
};

/* The sides of a box; those that there are not are 1. */
struct sides {
	uint64_t d[ASL_CUTS_MOST_AXES];
};

struct note {
	struct sides sides;
	int ranks; /* 0: nothing here */
	struct asl_cut cut;
	uint64_t words;
};

/* A space, and what was found in it. */
struct searching {
	const struct asl_cuts_space *space;
	struct note *memo;
};

static struct note *note_of(const struct searching *s, const struct sides *x,
			    int ranks)
{
	uint64_t key = (uint64_t)ranks;

	for (int i = 0; i < s->space->axes; i++)
		key = (key ^ x->d[i]) * 0x9e3779b97f4a7c15;
	return &s->memo[key >> 48];
}

/* Words of the operands' faces; of those alone that lack an axis, if it is not -1. */
static uint64_t faces(const struct asl_cuts_space *space, const struct sides *x,
		      int lacking)
{
	uint64_t all = 0;

	for (int i = 0; i < space->operands; i++) {
		uint64_t words = 1;

		if (lacking >= 0 && space->has[i] >> lacking & 1)
			continue;
		for (int axis = 0; axis < space->axes; axis++)
			if (space->has[i] >> axis & 1)
				words *= x->d[axis];
		all += words;
	}
	return all;
}

static uint64_t points(const struct sides *x)
{
	uint64_t points = 1;

	for (int i = 0; i < ASL_CUTS_MOST_AXES; i++)
		points *= x->d[i];
	return points;
}

/* ---- Cuts ---- */

/* length * part / whole, to the nearest, without an overflow on the way. */
static uint64_t portion(uint64_t length, int part, int whole)
{
	uint64_t p = (uint64_t)part, q = (uint64_t)whole;

	return length / q * p + (2 * (length % q) * p + q) / (2 * q);
}

/* Would both parties have a multiplication for each of their ranks? */
static bool cut_leaves_work(const struct asl_cut *x, const struct sides *d,
			    int ranks)
{
	uint64_t across = points(d) / d->d[x->axis];

	return x->ranks > 0 && x->ranks < ranks &&
	       x->length * across >= (uint64_t)x->ranks &&
	       (d->d[x->axis] - x->length) * across >=
		       (uint64_t)(ranks - x->ranks);
}

static struct asl_cut in_proportion(const struct sides *d, int axis, int first,
				    int ranks)
{
	return (struct asl_cut){axis, portion(d->d[axis], first, ranks), first};
}

/* In the middle, and the ranks as their work allows: always possible. */
static struct asl_cut in_the_middle(const struct sides *d, int axis, int ranks)
{
	uint64_t across = points(d) / d->d[axis], half = d->d[axis] / 2;
	uint64_t most = half * across, others = (d->d[axis] - half) * across;
	uint64_t all = (uint64_t)ranks, first = all / 2;

	if (all - first > others)
		first = all - others;
	return (struct asl_cut){axis, half, (int)asl_min(first, most)};
}

/* The axis that is best cut, and the next. */
struct axes {
	int best, next; /* next < 0: none is near enough */
};

/* Axes of length 1 cannot be cut: they come last. */
static uint64_t added_by(const struct searching *s, const struct sides *x,
			 int axis)
{
	return x->d[axis] > 1 ? faces(s->space, x, axis) : UINT64_MAX;
}

static struct axes axes_of(const struct searching *s, const struct sides *x)
{
	uint64_t least = UINT64_MAX, second = UINT64_MAX;
	struct axes found = {0, -1};

	for (int i = 0; i < s->space->axes; i++) {
		uint64_t words = added_by(s, x, i);

		if (words < least) {
			second = least;
			found.next = found.best;
			least = words;
			found.best = i;
		} else if (words < second) {
			second = words;
			found.next = i;
		}
	}
	if (second == UINT64_MAX || second / 2 >= least)
		found.next = -1;
	return found;
}

static uint64_t least_words(const struct searching *s, const struct sides *d,
			    int ranks);

static uint64_t words_after(const struct searching *s, const struct sides *d,
			    int ranks, const struct asl_cut *x)
{
	struct sides one = *d, other = *d;

	one.d[x->axis] = x->length;
	other.d[x->axis] -= x->length;
	return least_words(s, &one, x->ranks) +
	       least_words(s, &other, ranks - x->ranks);
}

static void try_cut(const struct searching *s, struct note *best,
		    const struct asl_cut *x)
{
	uint64_t words;

	if (!cut_leaves_work(x, &best->sides, best->ranks))
		return;
	words = words_after(s, &best->sides, best->ranks, x);
	if (words < best->words) {
		best->words = words;
		best->cut = *x;
	}
}

static void try_axis(const struct searching *s, struct note *best, int axis)
{
	int P = best->ranks;
	const int first[] = {P / 2 - 1,	    P / 2, P - P / 2,
			     P - P / 2 + 1, P / 3, P - P / 3};

	for (int i = 0; axis >= 0 && i < 6; i++) {
		struct asl_cut x =
			in_proportion(&best->sides, axis, first[i], P);

		try_cut(s, best, &x);
	}
}

static struct note search(const struct searching *s, const struct sides *d,
			  int ranks)
{
	struct note best = {*d, ranks, {0}, UINT64_MAX};
	struct axes axes = axes_of(s, d);

	try_axis(s, &best, axes.best);
	try_axis(s, &best, axes.next);
	if (best.words == UINT64_MAX) {
		best.cut = in_the_middle(d, axes.best, ranks);
		best.words = words_after(s, d, ranks, &best.cut);
	}
	return best;
}

static struct note recall(const struct searching *s, const struct sides *d,
			  int ranks)
{
	struct note *known = note_of(s, d, ranks);

	if (known->ranks != ranks ||
	    memcmp(&known->sides, d, sizeof known->sides)) {
		struct note new = search(s, d, ranks);

		*known = new;
	}
	return *known;
}

static uint64_t least_words(const struct searching *s, const struct sides *d,
			    int ranks)
{
	return ranks == 1 ? faces(s->space, d, -1) : recall(s, d, ranks).words;
}

/*
 * The best cut of a box with these sides for `ranks` ranks, of which there are two
 * or more, and no more than multiplications.
 */
static struct asl_cut split(const struct searching *s, const struct sides *d,
			    int ranks)
{
	struct asl_cut x;
	int axis;

	if (ranks <= FEW)
		return recall(s, d, ranks).cut;
	axis = axes_of(s, d).best;
	x = in_proportion(d, axis, ranks / 2, ranks);
	return cut_leaves_work(&x, d, ranks) ? x
					     : in_the_middle(d, axis, ranks);
}

enum { SLACK = 2 };

static struct sides sides_of(const struct asl_cuts_space *space,
			     const struct asl_cuts_box *box)
{
	struct sides x;

	for (int i = 0; i < ASL_CUTS_MOST_AXES; i++)
		x.d[i] = i < space->axes ? box->d[i].count : 1;
	return x;
}

static uint64_t volume(const struct asl_cuts_space *space,
		       const struct asl_cuts_box *box)
{
	struct sides x = sides_of(space, box);

	return points(&x);
}

uint64_t asl_cuts_largest(const struct asl_cuts_layout *l)
{
	uint64_t most = 0;

	for (int r = 0; r < l->used; r++)
		most = asl_max(most, volume(&l->space, &l->box[r]));
	return most;
}

/* ---- Cutting ---- */

struct builder {
	struct asl_cuts_layout *l;
	struct searching s;
	struct asl_cuts_cells cells;
	double most; /* work for a rank */
	/* Where axes have been cut; one place a cut at most. */
	uint64_t *place[ASL_CUTS_MOST_AXES];
	int places[ASL_CUTS_MOST_AXES];
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Is it near enough to what is in proportion? */
static bool is_fair(const struct builder *b, const struct asl_cut *x,
		    const struct sides *d, int ranks)
{
	uint64_t across = points(d) / d->d[x->axis];
	double one = (double)x->length * (double)across;
	double other = (double)(d->d[x->axis] - x->length) * (double)across;

	return one <= b->most * x->ranks &&
	       other <= b->most * (ranks - x->ranks) &&
	       cut_leaves_work(x, d, ranks);
}

/* To the nearest place where the axis has been cut, if that is fair. */
static void snap(struct builder *b, struct asl_cut *x, uint64_t begin,
		 const struct sides *d, int ranks)
{
	uint64_t exact = x->length, nearest = UINT64_MAX;

	for (int i = 0; i < b->places[x->axis]; i++) {
		uint64_t place = b->place[x->axis][i];
		struct asl_cut to = *x;

		if (place <= begin || place >= begin + d->d[x->axis])
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
	const struct sides d = sides_of(b->s.space, box);
	struct asl_cut x = split(&b->s, &d, ranks);

	snap(b, &x, box->d[x.axis].first, &d, ranks);
	return x;
}

static void build(struct builder *b, const struct asl_cuts_box *box, int first,
		  int ranks)
{
	struct asl_cuts_mark start = cuts_mark(&b->cells), middle;
	struct asl_cuts_box one = *box, other = *box;
	struct asl_cut x;

	if (ranks == 1) {
		b->l->box[first] = *box;
		add_box(&b->cells, b->s.space, box, first);
		return;
	}
	x = cut_of(b, box, ranks);
	one.d[x.axis].count = x.length;
	other.d[x.axis].first += x.length;
	other.d[x.axis].count -= x.length;
	build(b, &one, first, x.ranks);
	middle = cuts_mark(&b->cells);
	build(b, &other, first + x.ranks, ranks - x.ranks);
	cuts_join(&b->cells, b->s.space, x.axis, start, middle);
}

static int cut_all(struct builder *b)
{
	const struct asl_cuts_space *space = &b->l->space;
	struct asl_cuts_box all = {{{0}}};
	int used = b->l->used;

	b->s.space = space;
	b->s.memo = calloc(NOTES, sizeof *b->s.memo);
	for (int i = 0; i < space->operands; i++)
		b->cells.of[i].dims = __builtin_popcount(space->has[i]);
	for (int i = 0; i < space->axes; i++) {
		all.d[i].count = space->size[i];
		b->place[i] = malloc((size_t)used * sizeof *b->place[i]);
		b->cells.failed |= !b->place[i];
	}
	if (!b->s.memo || b->cells.failed)
		return -ENOMEM;
	b->most = (1 + SLACK / 100.0) * ((double)volume(space, &all) / used);
	build(b, &all, 0, used);
	return b->cells.failed ? -ENOMEM : 0;
}

/* ---- From drafts to a layout ---- */

static void finish_cells(struct asl_cuts_layout *l, struct asl_cuts_cells *from,
			 int which)
{
	struct asl_cuts_drafts *of = &from->of[which];

	l->d[which] = of->d;
	of->d = NULL;
	for (size_t i = 0; i < of->count; i++) {
		const struct asl_cuts_draft *x = &of->cell[i];

		l->cell[l->cells++] = (struct asl_cuts_cell){
			which, of->dims, l->d[which] + i * (size_t)of->dims,
			x->size, l->members + x->set};
	}
}

static int take_cells(struct asl_cuts_layout *l, struct asl_cuts_cells *from)
{
	int result = l->space.operands - 1, inputs, err;
	size_t count = 0;

	for (int i = 0; i <= result; i++)
		count += from->of[i].count;
	l->members = from->members;
	from->members = NULL;
	l->cell = malloc(count * sizeof *l->cell);
	if (!l->cell)
		return -ENOMEM;
	for (int i = 0; i < result; i++)
		finish_cells(l, from, i);
	inputs = l->cells;
	finish_cells(l, from, result);
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
	for (int i = 0; i < l->space.operands; i++)
		free(l->d[i]);
	free(l);
}

void asl_cuts_give(struct asl_cuts_layout *l)
{
	if (l && --l->users == 0)
		free_layout(l);
}

/* The axes of each operand come in this order: rows before columns. */
struct asl_cuts_space asl_cuts_matrices(const struct asl_shape *s)
{
	enum { M = 1 << ASL_CUTS_M, K = 1 << ASL_CUTS_K, N = 1 << ASL_CUTS_N };

	return (struct asl_cuts_space){
		.axes = 3,
		.operands = ASL_OPERANDS,
		.size = {[ASL_CUTS_M] = s->m,
			 [ASL_CUTS_K] = s->k,
			 [ASL_CUTS_N] = s->n},
		.has = {[ASL_A] = M | K, [ASL_B] = K | N, [ASL_C] = M | N},
	};
}

struct asl_piece asl_cuts_face(const struct asl_cuts_box *box,
			       enum asl_operand which)
{
	enum asl_cuts_axis rows = which == ASL_B ? ASL_CUTS_K : ASL_CUTS_M;
	enum asl_cuts_axis cols = which == ASL_A ? ASL_CUTS_K : ASL_CUTS_N;

	return asl_whole_piece(box->d[rows], box->d[cols]);
}

static uint64_t all_points(const struct asl_cuts_space *space)
{
	uint64_t all = 1;

	for (int i = 0; i < space->axes; i++)
		all *= space->size[i];
	return all;
}

static struct asl_cuts_layout *make(const struct asl_cuts_space *space,
				    int ranks)
{
	struct builder b = {.l = calloc(1, sizeof *b.l)};
	int err;

	if (!b.l)
		return NULL;
	b.l->space = *space;
	b.l->ranks = ranks;
	b.l->used = (int)asl_min((uint64_t)ranks, all_points(space));
	b.l->users = 1;
	b.l->box = malloc((size_t)b.l->used * sizeof *b.l->box);
	err = b.l->box ? cut_all(&b) : -ENOMEM;
	if (!err)
		err = take_cells(b.l, &b.cells);
	if (!err)
		err = list_cells(b.l);
	for (int i = 0; i < space->axes; i++)
		free(b.place[i]);
	free(b.s.memo);
	free_cells(&b.cells);
	if (!err)
		return b.l;
	free_layout(b.l);
	return NULL;
}

static bool same_space(const struct asl_cuts_space *a,
		       const struct asl_cuts_space *b)
{
	size_t axes = (size_t)a->axes, operands = (size_t)a->operands;

	return a->axes == b->axes && a->operands == b->operands &&
	       !memcmp(a->size, b->size, axes * sizeof *a->size) &&
	       !memcmp(a->has, b->has, operands * sizeof *a->has);
}

struct asl_cuts_layout *asl_cuts_take(const struct asl_cuts_space *space,
				      int ranks)
{
	if (!latest || latest->ranks != ranks ||
	    !same_space(&latest->space, space)) {
		asl_cuts_give(latest);
		latest = make(space, ranks);
	}
	if (latest)
		latest->users++;
	return latest;
}
