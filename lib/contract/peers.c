/*
 * peers.c -- from a run to a box around it, to cells, and to shares of these
 */
#include "lib/contract/peers.h"

/* Which part of a length has point x? */
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

struct box {
	struct asl_range of[ASL_MOST_INDICES]; /* by place in the term */
};

/* A dimension is whole if the run is in more than one row of those before it. */
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
	struct box cells = {{{0}}};

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

/* A cell of the term's indices, and who shares its slice. */
struct slice {
	int at[ASL_MOST_INDICES]; /* by index */
	int size;
};

static int rank_of(const struct asl_spread *s, const struct slice *x, int me)
{
	int rank = 0, stride = 1;

	for (int i = s->e->indices - 1; i >= 0; i--) {
		int p = s->mesh->p[i];

		rank += stride * (asl_term_has(s->term, i) ? x->at[i] : me % p);
		if (!asl_term_has(s->term, i))
			me /= p;
		stride *= p;
	}
	return rank;
}

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

/* Words of a slice: from the first to the last that are in a box. */
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
		uint64_t first = asl_larger(cell.first, b->of[i].first);
		uint64_t end = asl_least(cell.first + cell.count,
					 b->of[i].first + b->of[i].count);

		low = low * cell.count + first - cell.first;
		high = high * cell.count + end - 1 - cell.first;
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
		int last = part_at(asl_share, all, slice.size,
				   in.first + in.count - 1);

		for (int me = part_at(asl_share, all, slice.size, in.first);
		     me <= last; me++)
			visit(rank_of(s, &slice, me), arg);
	}
}
