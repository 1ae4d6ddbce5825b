/*
 * dram.c -- a store of ordinary memory
 *
 * Pools are compared with it.  A cache line in front of each piece chains it to
 * the others, so that close can free all of them.
 *
 * Large pieces that were given back are kept for the next, because touching fresh
 * pages costs as much as moving the words several times, and would be measured.
 * Held and kept pieces together never exceed the maximum that was held.
 */
#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lib/base/error.h"
#include "nvm/provider.h"

#define PAGE_BYTES ((size_t)4 << 10)
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define LARGE_BYTES ((size_t)1 << 20) /* malloc keeps smaller ones itself */

struct piece {
	alignas(64) struct piece *prev;
	struct piece *next;
	struct dram *owner;
	size_t bytes;
};

struct dram {
	struct asl_store base;
	struct piece *first, *kept;
	size_t held_bytes, kept_bytes, most_bytes; /* large pieces */
};

static int dram_open(struct asl_store **out, const struct asl_store_want *want)
{
	struct dram *d = calloc(1, sizeof *d);

	(void)want;
	if (!d)
		return asl_fail(-ENOMEM, "no memory for a store");
	d->base.ops = &asl_store_dram;
	d->base.medium = "dram";
	*out = &d->base;
	return 0;
}

static void chain(struct piece **list, struct piece *p)
{
	p->prev = NULL;
	p->next = *list;
	if (p->next)
		p->next->prev = p;
	*list = p;
}

static void unchain(struct piece **list, struct piece *p)
{
	if (p->prev)
		p->prev->next = p->next;
	else
		*list = p->next;
	if (p->next)
		p->next->prev = p->prev;
}

static void free_all(struct piece **list)
{
	while (*list) {
		struct piece *p = *list;

		unchain(list, p);
		free(p);
	}
}

static void dram_close(struct asl_store *store)
{
	struct dram *d = (struct dram *)store;

	free_all(&d->first);
	free_all(&d->kept);
	free(d);
}

/* ---- Large pieces ---- */

static bool is_large(size_t bytes)
{
	return bytes >= LARGE_BYTES;
}

/* The smallest piece that was given back, within these sizes. */
static struct piece *take_kept(struct dram *d, size_t least, size_t most)
{
	struct piece *best = NULL;

	for (struct piece *p = d->kept; p; p = p->next)
		if (p->bytes >= least && p->bytes <= most &&
		    (!best || p->bytes < best->bytes))
			best = p;
	if (best) {
		unchain(&d->kept, best);
		d->kept_bytes -= best->bytes;
	}
	return best;
}

static void make_room(struct dram *d, size_t bytes)
{
	size_t held = d->held_bytes + bytes;

	if (d->most_bytes < held)
		d->most_bytes = held;
	while (d->kept && held + d->kept_bytes > d->most_bytes)
		free(take_kept(d, 0, SIZE_MAX));
}

/* Pieces of many MiB have whole huge pages: tiles walk them with strides. */
static struct piece *allocate_large(struct dram *d, size_t bytes)
{
	struct piece *p;
	size_t page =
		bytes < 2 * HUGE_PAGE_BYTES ? PAGE_BYTES : HUGE_PAGE_BYTES;

	bytes = (bytes + page - 1) / page * page;
	p = take_kept(d, bytes, 2 * bytes);
	if (!p) {
		make_room(d, bytes);
		p = aligned_alloc(page, bytes);
		if (!p)
			return NULL;
		if (page == HUGE_PAGE_BYTES)
			madvise(p, bytes, MADV_HUGEPAGE);
		p->bytes = bytes;
	}
	d->held_bytes += p->bytes;
	return p;
}

static struct piece *allocate(struct dram *d, size_t bytes)
{
	struct piece *p;

	if (is_large(bytes))
		return allocate_large(d, bytes);
	p = aligned_alloc(64, (bytes + 63) / 64 * 64);
	if (p)
		p->bytes = bytes;
	return p;
}

/* ---- Any piece ---- */

static int dram_take(struct asl_store *store, double **at, uint64_t words)
{
	struct dram *d = (struct dram *)store;
	struct piece *p = NULL;

	if (words < (uint64_t)PTRDIFF_MAX / sizeof(double) - HUGE_PAGE_BYTES)
		p = allocate(d, sizeof *p + words * sizeof(double));
	if (!p)
		return asl_fail(-ENOMEM, "no memory for %ju words (%.1f MiB)",
				words, (double)words / 131072);
	p->owner = d;
	chain(&d->first, p);
	*at = (double *)(p + 1);
	return 0;
}

static void dram_give(struct asl_store *store, double *at)
{
	struct dram *d = (struct dram *)store;
	struct piece *p = (struct piece *)at - 1;

	assert(p->owner == d);
	unchain(&d->first, p);
	if (!is_large(p->bytes)) {
		free(p);
		return;
	}
	d->held_bytes -= p->bytes;
	d->kept_bytes += p->bytes;
	chain(&d->kept, p);
}

const struct asl_store_ops asl_store_dram = {
	.name = "dram",
	.summary = "ordinary memory: the baseline, and for debugging",
	.can = {.has_data = true},
	.open = dram_open,
	.close = dram_close,
	.take = dram_take,
	.give = dram_give,
	.read = asl_store_copy,
	.write = asl_store_copy,
};
