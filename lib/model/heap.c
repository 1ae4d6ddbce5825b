/*
 * heap.c -- a binary heap
 */
#include "lib/model/heap.h"

#include <stdlib.h>

static bool before(const struct asl_entry *a, const struct asl_entry *b)
{
	int order = asl_merit_compare(&a->merit, &b->merit);

	if (order)
		return order < 0;
	if (a->stage != b->stage)
		return a->stage > b->stage;
	return a->order > b->order;
}

static bool grow(struct asl_heap *h)
{
	size_t room = h->room ? 2 * h->room : 1024;
	struct asl_entry *entry = realloc(h->entry, room * sizeof *entry);

	if (!entry) {
		h->full = true;
		return false;
	}
	h->entry = entry;
	h->room = room;
	return true;
}

void asl_heap_put(struct asl_heap *h, const struct asl_entry *x)
{
	struct asl_entry new = *x;
	size_t i;

	if (h->count == h->room && !grow(h))
		return;
	new.order = h->arrivals++;
	for (i = h->count++; i > 0; i = (i - 1) / 2) {
		if (!before(&new, &h->entry[(i - 1) / 2]))
			break;
		h->entry[i] = h->entry[(i - 1) / 2];
	}
	h->entry[i] = new;
}

bool asl_heap_take(struct asl_heap *h, struct asl_entry *x)
{
	struct asl_entry last;
	size_t i = 0, below;

	if (!h->count)
		return false;
	*x = h->entry[0];
	last = h->entry[--h->count];
	while ((below = 2 * i + 1) < h->count) {
		if (below + 1 < h->count &&
		    before(&h->entry[below + 1], &h->entry[below]))
			below++;
		if (!before(&h->entry[below], &last))
			break;
		h->entry[i] = h->entry[below];
		i = below;
	}
	h->entry[i] = last;
	return true;
}

void asl_heap_free(struct asl_heap *h)
{
	free(h->entry);
	*h = (struct asl_heap){.entry = NULL};
}
