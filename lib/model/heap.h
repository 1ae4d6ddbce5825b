/*
 * heap.h -- what is to be looked at next: a line by merit, the least first
 */
#ifndef ASL_HEAP_H
#define ASL_HEAP_H

#include "lib/multiply/multiply.h"

/* In this order of importance; less is better. */
struct asl_merit {
	double objective, q, distance;
};

static inline int asl_merit_compare(const struct asl_merit *a,
				    const struct asl_merit *b)
{
	if (a->objective != b->objective)
		return a->objective < b->objective ? -1 : 1;
	if (a->q != b->q)
		return a->q < b->q ? -1 : 1;
	return (a->distance > b->distance) - (a->distance < b->distance);
}

/* How much is known: a box of grids, rank 0 of a grid, all ranks. */
enum asl_stage { ASL_BOX, ASL_RANK_0, ASL_ALL_RANKS };

struct asl_entry {
	struct asl_merit merit;
	struct asl_box box;
	enum asl_stage stage;
	int which;	/* of what the caller keeps */
	uint64_t order; /* of arrival */
};

struct asl_heap {
	struct asl_entry *entry;
	size_t count, room;
	uint64_t arrivals;
	bool full; /* no memory was left, and entries are lost */
};

/*
 * Among equals that of which most is known comes first, then the latest: if
 * many are equally good, the first of them is soon found.
 */
void asl_heap_put(struct asl_heap *h, const struct asl_entry *x);
bool asl_heap_take(struct asl_heap *h, struct asl_entry *x);
void asl_heap_free(struct asl_heap *h);

#endif
