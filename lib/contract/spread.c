/*
 * spread.c -- runs of words, and moving them from one spread to another
 */
#include "lib/contract/spread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rank/replay.h"

/* ---- Runs and rows ---- */

/* The cell's ranges become those of the tile, whose loops run as in the stage. */
static void narrow(struct asl_cell *cell, const struct asl_spread *s)
{
	const struct asl_loops *l = s->tiles;
	uint64_t rest = s->tile;

	for (int i = l->count - 1; i >= 0; i--) {
		int index = l->index[i], parts = l->parts[index];
		struct asl_range *of = &cell->of[index], part;

		if (!asl_term_has(s->term, index))
			continue;
		part = asl_part(of->count, parts,
				(int)(rest % (uint64_t)parts));
		rest /= (uint64_t)parts;
		of->first += part.first;
		of->count = part.count;
	}
}

struct asl_run asl_spread_run(const struct asl_spread *s, int rank)
{
	const struct asl_term *t = s->term;
	struct asl_group g;
	struct asl_cell cell;
	struct asl_run x; /* large: not all of it is set */

	x.dims = t->count;
	x.words = (struct asl_range){0, 0};
	if (s->mesh && rank < asl_mesh_ranks(s->e, s->mesh)) {
		cell = asl_mesh_cell(s->e, s->mesh, rank);
		g = asl_cell_group(s, &cell);
		if (s->tiles)
			narrow(&cell, s);
		for (int i = 0; i < t->count; i++)
			x.box[i] = cell.of[t->index[i]];
		x.words = asl_share(asl_cell_words(&cell, t), g.size, g.me);
	} else if (!s->mesh && rank == 0) {
		for (int i = 0; i < t->count; i++)
			x.box[i] =
				(struct asl_range){0, s->e->size[t->index[i]]};
		x.words.count = asl_term_words(t, s->e->size);
	}
	return x;
}

uint64_t asl_spread_tiles(const struct asl_spread *s)
{
	uint64_t tiles = 1;

	for (int i = 0; s->tiles && i < s->tiles->count; i++)
		if (asl_term_has(s->term, s->tiles->index[i]))
			tiles *= (uint64_t)s->tiles->parts[s->tiles->index[i]];
	return tiles;
}

void asl_loops_sizes(const struct asl_loops *l, const struct asl_term *t,
		     const uint64_t *len,
		     void (*visit)(uint64_t words, uint64_t many, void *arg),
		     void *arg)
{
	int loops = 0, index[ASL_MOST_INDICES];
	uint64_t words = 1;

	for (int i = 0; i < t->count; i++) {
		if (l->parts[t->index[i]] > 1)
			index[loops++] = t->index[i];
		else
			words *= len[t->index[i]];
	}
	/* Parts of an index have two lengths. */
	for (unsigned set = 0; set < 1U << loops; set++) {
		uint64_t each = words, many = 1;

		for (int i = 0; i < loops; i++) {
			struct asl_alike x = asl_parts_alike(
				len[index[i]], l->parts[index[i]],
				(int)(set >> i & 1));

			each *= x.length;
			many *= x.many;
		}
		if (many)
			visit(each, many, arg);
	}
}

struct shares {
	const struct asl_group *g;
	uint64_t words;
};

static void add_shares(uint64_t words, uint64_t many, void *arg)
{
	struct shares *x = arg;

	x->words += many * asl_share(words, x->g->size, x->g->me).count;
}

uint64_t asl_spread_words(const struct asl_spread *s, int rank)
{
	struct asl_cell cell;
	struct asl_group g;
	struct shares x = {&g, 0};
	uint64_t len[ASL_MOST_INDICES];

	if (!s->tiles)
		return asl_spread_run(s, rank).words.count;
	if (rank >= asl_mesh_ranks(s->e, s->mesh))
		return 0;
	cell = asl_mesh_cell(s->e, s->mesh, rank);
	g = asl_cell_group(s, &cell);
	for (int i = 0; i < s->e->indices; i++)
		len[i] = cell.of[i].count;
	asl_loops_sizes(s->tiles, s->term, len, add_shares, &x);
	return x.words;
}

struct asl_tensor_row asl_run_row(const struct asl_run *x, uint64_t done,
				  uint64_t most)
{
	struct asl_tensor_row row = {.count = asl_min(most, 1)};
	uint64_t word = x->words.first + done;

	for (int i = x->dims - 1; i >= 0; i--) {
		uint64_t at = word % x->box[i].count;

		if (i == x->dims - 1)
			row.count = asl_min(most, x->box[i].count - at);
		row.at[i] = x->box[i].first + at;
		word /= x->box[i].count;
	}
	return row;
}

static bool same_range(struct asl_range a, struct asl_range b)
{
	return a.first == b.first && a.count == b.count;
}

/* Empty runs are the same, wherever they are. */
static bool same_run(const struct asl_run *x, const struct asl_run *y)
{
	if (!x->words.count && !y->words.count)
		return true;
	if (x->dims != y->dims || !same_range(x->words, y->words))
		return false;
	for (int i = 0; i < x->dims; i++)
		if (!same_range(x->box[i], y->box[i]))
			return false;
	return true;
}

bool asl_spread_same(const struct asl_spread *a, const struct asl_spread *b,
		     int ranks)
{
	for (int r = 0; r < ranks; r++) {
		struct asl_run x = asl_spread_run(a, r);
		struct asl_run y = asl_spread_run(b, r);

		if (!same_run(&x, &y))
			return false;
	}
	return true;
}

/*
 * Runs as boxes, and what two runs have in common
 *
 * A run is a few boxes one after another.  The words of each are in the order of
 * the box: a range of one dimension, whole in the dimensions after it and a point
 * in those before.
 */

struct box {
	struct asl_range of[ASL_MOST_INDICES]; /* by place in the term */
	uint64_t at;			       /* words into the run */
};

/* The largest box that begins `done` words into the run, of at most `left`. */
static struct box first_box(const struct asl_run *x, uint64_t done,
			    uint64_t left, uint64_t *words)
{
	uint64_t word = x->words.first + done, unit = 1, many = 1;
	struct box b = {.at = done};
	int i = x->dims - 1;

	/* Dimensions are whole while the word is at their beginning. */
	for (; i >= 0; i--) {
		uint64_t length = x->box[i].count;

		many = asl_min(left / unit, length - word / unit % length);
		if (many < length)
			break;
		unit *= length;
	}
	*words = i < 0 ? unit : many * unit;
	for (int j = x->dims - 1; j >= 0; j--) {
		uint64_t length = x->box[j].count;

		b.of[j] = (struct asl_range){x->box[j].first + word % length,
					     j > i    ? length
					     : j == i ? many
						      : 1};
		word /= length;
	}
	return b;
}

static bool are_apart(const struct asl_run *a, const struct asl_run *b)
{
	if (!a->words.count || !b->words.count)
		return true;
	for (int i = 0; i < a->dims; i++)
		if (!asl_common(a->box[i], b->box[i]).count)
			return true;
	return false;
}

/*
 * Each box of one run with each box of the other.  Boxes are recomputed when
 * they are needed: ranks may have small stacks.
 */
struct meeting {
	const struct asl_run *run[2];
	uint64_t done[2], words[2];
	struct box box[2], common; /* common.at is not set */
};

/* Runs that are apart are finished at once. */
static struct meeting begin_meeting(const struct asl_run *a,
				    const struct asl_run *b)
{
	struct meeting x;

	x.run[0] = a;
	x.run[1] = b;
	x.done[0] = are_apart(a, b) ? a->words.count : 0;
	x.words[0] = 0;
	x.done[1] = b->words.count;
	return x;
}

/* The next two boxes, whether they have words in common or not. */
static bool next_boxes(struct meeting *x)
{
	const struct asl_run *a = x->run[0], *b = x->run[1];

	if (x->done[1] == b->words.count) {
		x->done[0] += x->words[0];
		if (x->done[0] == a->words.count)
			return false;
		x->box[0] =
			first_box(a, x->done[0], a->words.count - x->done[0],
				  &x->words[0]);
		x->done[1] = 0;
	}
	x->box[1] = first_box(b, x->done[1], b->words.count - x->done[1],
			      &x->words[1]);
	x->done[1] += x->words[1];
	return true;
}

/* The next two boxes with words in common. */
static bool next_meeting(struct meeting *x)
{
	while (next_boxes(x)) {
		bool apart = false;

		for (int i = 0; i < x->run[0]->dims; i++) {
			x->common.of[i] =
				asl_common(x->box[0].of[i], x->box[1].of[i]);
			apart |= !x->common.of[i].count;
		}
		if (!apart)
			return true;
	}
	return false;
}

/*
 * Counting needs no boxes: in the order of the tensor's indices, the words that
 * two runs have in common are those of the common part of their boxes from the
 * later of the first words to the earlier of the last ones.
 */

/* The indices of a word of a run. */
struct point {
	uint64_t at[ASL_MOST_INDICES];
};

static void point_of(struct point *p, const struct asl_run *x, uint64_t word)
{
	word += x->words.first;
	for (int i = x->dims - 1; i >= 0; i--) {
		p->at[i] = x->box[i].first + word % x->box[i].count;
		word /= x->box[i].count;
	}
}

static bool is_before(const struct point *a, const struct point *b, int dims)
{
	for (int i = 0; i < dims; i++)
		if (a->at[i] != b->at[i])
			return a->at[i] < b->at[i];
	return false;
}

/* Points of a box before p; if p is in the box, and `with` it, one more. */
static uint64_t points_before(const struct point *p, const struct box *b,
			      int dims, bool with)
{
	uint64_t points = 0;
	bool inside = true;

	for (int i = 0; i < dims; i++) {
		uint64_t first = b->of[i].first, count = b->of[i].count;

		points *= count;
		if (!inside)
			continue;
		points +=
			p->at[i] < first ? 0 : asl_min(p->at[i] - first, count);
		inside = p->at[i] - first < count;
	}
	return points + (inside && with);
}

/* A run, which is not empty, with its first and last points. */
struct span {
	const struct asl_run *run;
	struct point first, last;
};

static void span_of(struct span *s, const struct asl_run *x)
{
	s->run = x;
	if (!x->words.count)
		return;
	point_of(&s->first, x, 0);
	point_of(&s->last, x, x->words.count - 1);
}

/* In both runs, which are not apart. */
static uint64_t points_common(const struct span *a, const struct asl_run *b)
{
	int dims = b->dims;
	const struct point *first = &a->first, *last = &a->last;
	struct point b_first, b_last;
	struct box common;
	uint64_t end, begin;

	for (int i = 0; i < dims; i++)
		common.of[i] = asl_common(a->run->box[i], b->box[i]);
	point_of(&b_first, b, 0);
	point_of(&b_last, b, b->words.count - 1);
	if (is_before(first, &b_first, dims))
		first = &b_first;
	if (is_before(&b_last, last, dims))
		last = &b_last;
	begin = points_before(first, &common, dims, false);
	end = points_before(last, &common, dims, true);
	return end > begin ? end - begin : 0;
}

uint64_t asl_runs_common(const struct asl_run *a, const struct asl_run *b)
{
	struct span s;

	if (are_apart(a, b))
		return 0;
	span_of(&s, a);
	return points_common(&s, b);
}

/*
 * Peers: the ranks that may have words of a run
 *
 * Few of 10^5 ranks have words in common with a given one.  They are found from
 * where the run lies: a box around it, the cells that the box touches, and the
 * shares of these cells' slices.
 */

/* The part of a length that has point x. */
static int part_at(struct asl_range (*cut)(uint64_t length, int parts, int i),
		   uint64_t length, int parts, uint64_t x)
{
	int low = 0, high = parts - 1;

	while (low < high) {
		int middle = (low + high + 1) / 2;

		if (cut(length, parts, middle).first <= x)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* A dimension is whole if the run spans several rows of those before it. */
static struct box box_around(const struct asl_run *x)
{
	uint64_t low = x->words.first, high = low + x->words.count - 1;
	struct box b;

	for (int i = x->dims - 1; i >= 0; i--) {
		uint64_t length = x->box[i].count;
		uint64_t first = low % length, last = high % length;

		low /= length;
		high /= length;
		b.of[i] = x->box[i];
		if (low == high) {
			b.of[i].first += first;
			b.of[i].count = last - first + 1;
		}
	}
	return b;
}

/* The cells that a box touches: ranges of parts, by place in the term. */
static struct box cells_of(const struct asl_spread *s, const struct box *b)
{
	struct box cells = {.at = 0};

	for (int i = 0; i < s->term->count; i++) {
		int index = s->term->index[i], p = s->mesh->p[index];
		uint64_t end = b->of[i].first + b->of[i].count - 1;
		int first =
			part_at(asl_part, s->e->size[index], p, b->of[i].first);
		int last = part_at(asl_part, s->e->size[index], p, end);

		cells.of[i] = (struct asl_range){(uint64_t)first,
						 (uint64_t)(last - first) + 1};
	}
	return cells;
}

/* A slice of the term, and how many ranks share it. */
struct slice {
	int at[ASL_MOST_INDICES]; /* the cell, by index of the term */
	int size;
};

static struct slice slice_of(const struct asl_spread *s,
			     const struct box *cells, uint64_t number)
{
	struct slice x = {.size = 1};

	for (int i = s->term->count - 1; i >= 0; i--) {
		x.at[s->term->index[i]] =
			(int)(cells->of[i].first + number % cells->of[i].count);
		number /= cells->of[i].count;
	}
	for (int i = 0; i < s->e->indices; i++)
		if (!asl_term_has(s->term, i))
			x.size *= s->mesh->p[i];
	return x;
}

/* The words of a slice from the first to the last one in a box. */
static struct asl_range words_in(const struct asl_spread *s,
				 const struct slice *x, const struct box *b,
				 uint64_t *all)
{
	uint64_t low = 0, high = 0;

	*all = 1;
	for (int i = 0; i < s->term->count; i++) {
		int index = s->term->index[i];
		struct asl_range cell = asl_part(
			s->e->size[index], s->mesh->p[index], x->at[index]);
		struct asl_range in = asl_common(cell, b->of[i]);

		low = low * cell.count + in.first - cell.first;
		high = high * cell.count + in.first + in.count - 1 - cell.first;
		*all *= cell.count;
	}
	return (struct asl_range){low, high - low + 1};
}

void asl_spread_peers(const struct asl_spread *s, const struct asl_run *x,
		      void (*visit)(int rank, void *arg), void *arg)
{
	struct box around, cells;
	uint64_t many = 1, all;

	if (!x->words.count)
		return;
	if (!s->mesh) {
		visit(0, arg);
		return;
	}
	around = box_around(x);
	cells = cells_of(s, &around);
	for (int i = 0; i < s->term->count; i++)
		many *= cells.of[i].count;
	for (uint64_t c = 0; c < many; c++) {
		struct slice slice = slice_of(s, &cells, c);
		struct asl_range in = words_in(s, &slice, &around, &all);
		/* All that share a slice share each of its tiles. */
		int first = s->tiles ? 0
				     : part_at(asl_share, all, slice.size,
					       in.first);
		int last = s->tiles ? slice.size - 1
				    : part_at(asl_share, all, slice.size,
					      in.first + in.count - 1);

		for (int me = first; me <= last; me++)
			visit(asl_spread_member(s, slice.at, me), arg);
	}
}

/* ---- Copying what two runs have in common ---- */

/* Where row `row` of `part` lies among the words of box b. */
static uint64_t row_at(const struct box *b, const struct box *part, int dims,
		       uint64_t row)
{
	uint64_t at = 0, step = 1;

	for (int i = dims - 1; i >= 0; i--) {
		uint64_t point = part->of[i].first - b->of[i].first;

		/* Rows are counted over all dimensions but the last two. */
		if (i < dims - 2) {
			point += row % part->of[i].count;
			row /= part->of[i].count;
		}
		at += point * step;
		step *= b->of[i].count;
	}
	return b->at + at;
}

/* The last two dimensions of a part of a box, where its words lie. */
static struct asl_block plane(const struct asl_words *x, const struct box *b,
			      const struct box *part, int dims, uint64_t row)
{
	uint64_t rows = dims > 1 ? part->of[dims - 2].count : 1;
	uint64_t cols = dims > 0 ? part->of[dims - 1].count : 1;
	uint64_t ld = dims > 0 ? b->of[dims - 1].count : 1;

	return (struct asl_block){
		x->where, x->type,
		rows,	  cols,
		ld,	  asl_slice(x, row_at(b, part, dims, row), 0).at};
}

static struct asl_block packed(const struct asl_words *x, uint64_t at,
			       const struct asl_block *like)
{
	return (struct asl_block){x->where,   x->type,
				  like->rows, like->cols,
				  like->cols, asl_slice(x, at, 0).at};
}

/* One side of a copy: a run's words or, without a run, packed ones. */
struct side {
	const struct asl_run *run;
	const struct asl_words *x;
};

static void copy_plane(struct asl_rank *r, const struct box *part, int dims,
		       const struct side side[2], const struct box b[2],
		       uint64_t row, uint64_t at)
{
	struct asl_block block[2];

	for (int i = 0; i < 2; i++)
		if (side[i].run)
			block[i] = plane(side[i].x, &b[i], part, dims, row);
	for (int i = 0; i < 2; i++)
		if (!side[i].run)
			block[i] = packed(side[i].x, at, &block[!i]);
	asl_copy_block(r, &block[0], &block[1]);
}

/* Returns the place after the box among packed words. */
static uint64_t copy_box(struct asl_rank *r, const struct box *part, int dims,
			 const struct side side[2], const struct box b[2],
			 uint64_t at)
{
	struct asl_words to = *side[0].x, from = *side[1].x;
	uint64_t rows = 1, words = 1;

	for (int i = 0; i < dims; i++)
		*(i < dims - 2 ? &rows : &words) *= part->of[i].count;
	/* Where no words are copied, one charge is that of all rows. */
	if (!r->data && !asl_replay_of(r)) {
		to.count = from.count = rows * words;
		asl_copy(r, &to, &from);
		return at + to.count;
	}
	for (uint64_t row = 0; row < rows; row++, at += words)
		copy_plane(r, part, dims, side, b, row, at);
	return at;
}

/*
 * side[0] = side[1] for the words that two runs have in common.  Sender and
 * receiver go through the boxes in the same order.
 */
static void copy_common(struct asl_rank *r, const struct asl_run *to,
			const struct asl_run *from, const struct side side[2])
{
	struct meeting x = begin_meeting(to, from);
	uint64_t at = 0;

	while (next_meeting(&x))
		at = copy_box(r, &x.common, to->dims, side, x.box, at);
}

void asl_run_copy(struct asl_rank *r, const struct asl_run *to,
		  const struct asl_words *in, const struct asl_run *from,
		  const struct asl_words *out)
{
	copy_common(r, to, from, (struct side[]){{to, in}, {from, out}});
}

/* ---- Moving ---- */

static const struct asl_range everything = {0, UINT64_MAX};

/* A rank's run, as far as it is in a slab of the first index. */
static struct asl_run run_in(const struct asl_spread *s, int rank,
			     const struct asl_range *slab)
{
	struct asl_run x = asl_spread_run(s, rank);
	struct asl_range rows;
	uint64_t inner = 1;

	if (slab == &everything || !x.dims)
		return x;
	for (int i = 1; i < x.dims; i++)
		inner *= x.box[i].count;
	rows = asl_common(x.box[0], *slab);
	rows.first = (rows.first - x.box[0].first) * inner;
	rows.count *= inner;
	x.words = asl_common(x.words, rows);
	return x;
}

struct move {
	int rank, ranks;
	const struct asl_spread *to, *from;
	const struct asl_range *slab;
	struct asl_run has, gets;
};

static struct move move_of(int rank, int ranks, const struct asl_spread *to,
			   const struct asl_spread *from,
			   const struct asl_range *slab)
{
	return (struct move){rank,
			     ranks,
			     to,
			     from,
			     slab,
			     run_in(from, rank, slab),
			     run_in(to, rank, slab)};
}

/* The words of a slab's run, among those of the rank's. */
static struct asl_words words_in_slab(const struct asl_words *all,
				      const struct asl_spread *s, int rank,
				      const struct asl_run *x)
{
	struct asl_run whole = asl_spread_run(s, rank);

	return asl_slice(
		all, x->words.count ? x->words.first - whole.words.first : 0,
		x->words.count);
}

/* The exchange with the ranks that are `s` after and before this one. */
struct step {
	int to, from;
	struct asl_run theirs[2]; /* what `to` gets, and what `from` has */
	uint64_t out, in;
};

static struct step step_of(const struct move *m, int s)
{
	struct step x = {.to = (m->rank + s) % m->ranks,
			 .from = (m->rank - s + m->ranks) % m->ranks};

	if (m->has.words.count) {
		x.theirs[0] = run_in(m->to, x.to, m->slab);
		x.out = asl_runs_common(&x.theirs[0], &m->has);
	}
	if (m->gets.words.count) {
		x.theirs[1] = run_in(m->from, x.from, m->slab);
		x.in = asl_runs_common(&m->gets, &x.theirs[1]);
	}
	return x;
}

static void take_step(struct asl_rank *r, const struct move *m,
		      const struct step *x, struct asl_words *in,
		      const struct asl_words *out)
{
	struct asl_words goes, comes;

	asl_take(r, &goes, ASL_DRAM, x->out);
	asl_take(r, &comes, ASL_DRAM, x->in);
	copy_common(r, &x->theirs[0], &m->has,
		    (struct side[]){{NULL, &goes}, {&m->has, out}});
	asl_exchange(r, x->to, x->out ? &goes : NULL, x->from,
		     x->in ? &comes : NULL);
	copy_common(r, &m->gets, &x->theirs[1],
		    (struct side[]){{&m->gets, in}, {NULL, &comes}});
	asl_give(r, &comes);
	asl_give(r, &goes);
}

/* The steps at which a rank has something to do. */
struct agenda {
	const struct move *m;
	char *busy; /* [ranks] */
};

static void note_receiver(int peer, void *arg)
{
	struct agenda *x = arg;

	x->busy[(peer - x->m->rank + x->m->ranks) % x->m->ranks] = 1;
}

static void note_sender(int peer, void *arg)
{
	struct agenda *x = arg;

	x->busy[(x->m->rank - peer + x->m->ranks) % x->m->ranks] = 1;
}

void asl_spread_move_slab(struct asl_rank *r, int ranks,
			  const struct asl_spread *to, struct asl_words *in,
			  const struct asl_spread *from,
			  const struct asl_words *out,
			  const struct asl_range *slab)
{
	struct move m = move_of(r->id, ranks, to, from, slab);
	struct asl_words gets = words_in_slab(in, to, r->id, &m.gets);
	struct asl_words has = words_in_slab(out, from, r->id, &m.has);
	struct agenda x = {&m, calloc((size_t)ranks, 1)};

	if (!x.busy) {
		asl_rank_fail(r, -ENOMEM, "no memory for a list of %d ranks",
			      ranks);
		return;
	}
	copy_common(r, &m.gets, &m.has,
		    (struct side[]){{&m.gets, &gets}, {&m.has, &has}});
	asl_spread_peers(to, &m.has, note_receiver, &x);
	asl_spread_peers(from, &m.gets, note_sender, &x);
	x.busy[0] = 0;
	for (char *at = x.busy;
	     (at = memchr(at, 1, (size_t)(x.busy + ranks - at))); at++) {
		struct step step = step_of(&m, (int)(at - x.busy));

		if (step.out || step.in)
			take_step(r, &m, &step, &gets, &has);
	}
	free(x.busy);
}

void asl_spread_move(struct asl_rank *r, int ranks, const struct asl_spread *to,
		     struct asl_words *in, const struct asl_spread *from,
		     const struct asl_words *out)
{
	asl_spread_move_slab(r, ranks, to, in, from, out, &everything);
}

/*
 * The closed form
 *
 * It does not go through the steps, but finds the peers with words in common, in
 * any order, as sums and maxima need none.
 */

struct forecast {
	struct move m;
	struct span has, gets;
	enum asl_where out, in;
	struct asl_counts *x;
	uint64_t scratch;
};

/* Most ranks are far from a run: one index of their cells shows it. */
static bool is_far(const struct asl_spread *s, int rank,
		   const struct asl_run *x)
{
	int at[ASL_MOST_INDICES];

	if (!s->mesh)
		return rank > 0;
	for (int i = s->e->indices - 1; i >= 0; i--) {
		at[i] = rank % s->mesh->p[i];
		rank /= s->mesh->p[i];
	}
	for (int i = s->term->count - 1; i >= 0 && !rank; i--) {
		int index = s->term->index[i];
		struct asl_range part = asl_part(s->e->size[index],
						 s->mesh->p[index], at[index]);

		if (!asl_common(part, x->box[i]).count)
			return true;
	}
	return rank > 0;
}

/* Words of a run that a peer has in a spread. */
static uint64_t common(const struct asl_spread *s, int peer,
		       const struct span *x)
{
	struct asl_run theirs;

	if (!x->run->words.count || is_far(s, peer, x->run))
		return 0;
	theirs = asl_spread_run(s, peer);
	return are_apart(x->run, &theirs) ? 0 : points_common(x, &theirs);
}

/* The other peer of a step: as far from this rank, on its other side. */
static int opposite(const struct move *m, int peer)
{
	return (2 * m->rank - peer + 2 * m->ranks) % m->ranks;
}

static void count_step(struct forecast *f, uint64_t out, uint64_t in)
{
	asl_predict_copy(f->x, ASL_DRAM, f->out, out);
	asl_predict_copy(f->x, f->in, ASL_DRAM, in);
	asl_counts_add_net(f->x, out, in, asl_max(out, in), out != 0);
	f->scratch = asl_max(f->scratch, out + in);
}

static void count_receiver(int peer, void *arg)
{
	struct forecast *f = arg;
	uint64_t out = peer == f->m.rank ? 0 : common(f->m.to, peer, &f->has);

	if (out)
		count_step(f, out,
			   common(f->m.from, opposite(&f->m, peer), &f->gets));
}

/* count_receiver has counted the steps that also send. */
static void count_sender(int peer, void *arg)
{
	struct forecast *f = arg;
	uint64_t in = peer == f->m.rank ? 0 : common(f->m.from, peer, &f->gets);

	if (in && !common(f->m.to, opposite(&f->m, peer), &f->has))
		count_step(f, 0, in);
}

void asl_predict_copy(struct asl_counts *x, enum asl_where to,
		      enum asl_where from, uint64_t words)
{
	x->of[from == ASL_POOL ? ASL_NVM_LIFT : ASL_BOUNCE_READ] += words;
	x->of[to == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE] += words;
}

uint64_t asl_spread_predict_slab(struct asl_counts *x, int rank, int ranks,
				 const struct asl_spread *to, enum asl_where in,
				 const struct asl_spread *from,
				 enum asl_where out,
				 const struct asl_range *slab)
{
	struct forecast f; /* large: not all of it is set */

	f.m = move_of(rank, ranks, to, from, slab);
	f.out = out;
	f.in = in;
	f.x = x;
	f.scratch = 0;
	span_of(&f.has, &f.m.has);
	span_of(&f.gets, &f.m.gets);
	asl_predict_copy(x, in, out, asl_runs_common(&f.m.gets, &f.m.has));
	asl_spread_peers(to, &f.m.has, count_receiver, &f);
	asl_spread_peers(from, &f.m.gets, count_sender, &f);
	return f.scratch;
}

uint64_t asl_spread_predict(struct asl_counts *x, int rank, int ranks,
			    const struct asl_spread *to, enum asl_where in,
			    const struct asl_spread *from, enum asl_where out)
{
	return asl_spread_predict_slab(x, rank, ranks, to, in, from, out,
				       &everything);
}
