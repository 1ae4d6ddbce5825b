/*
 * cuts_order.c -- in which order ranks go through the cells that they share
 *
 * One order for all, so that nobody waits for somebody who waits in turn.  A cell
 * begins when the last of its ranks is free.  Of those left the next one is that
 * for which this is early and after which its ranks have, on average, much left
 * to do: the beginning less that average is least.  It only grows, as ranks
 * become busier and have less left, so what was next by an old figure need only
 * be looked at again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/multiply/cuts_layout.h"

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
		begin = asl_larger(begin, s->free_at[x->rank[i]]);
	return begin;
}

static int64_t urgency(const struct schedule *s, const struct asl_cuts_cell *x)
{
	uint64_t left = 0;

	for (int i = 0; i < x->size; i++)
		left += s->left[x->rank[i]];
	return (int64_t)begins(s, x) - (int64_t)(left / (uint64_t)x->size);
}

/* ---- A heap, the least on top ---- */

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

/* ---- The order ---- */

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

int asl_cuts_order(struct asl_cuts_cell *cell, int cells, int ranks)
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
