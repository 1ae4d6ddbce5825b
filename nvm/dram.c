/*
 * dram.c -- stores of memory: wherever the kernel takes it, or of one NUMA node
 *
 * Pools are compared with `dram`; `node` is memory that is larger or slower than
 * what is near the cores.  A cache line in front of each piece chains it to the
 * others, so that close can free all of them.
 *
 * Large pieces that were given back are kept for the next, cut or joined to its
 * size, because touching fresh pages costs as much as moving the words several
 * times, and would be measured.  Held and kept pieces together exceed the maximum
 * that was held by an eighth at most.
 *
 * Pieces of a node are whole pages that are there before they are used: at the
 * first touch of a page for which a full node has no room the kernel would kill
 * the process.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"
#include "nvm/provider.h"

/* Older headers lack it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE_BYTES ((size_t)4 << 10)
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define LARGE_BYTES ((size_t)32 << 10) /* from here on they are mapped */

struct piece {
	alignas(64) struct piece *prev;
	struct piece *next;
	struct dram *owner;
	size_t bytes;
	bool huge; /* its pages are, if the kernel has some */
};

struct dram {
	struct asl_store base;
	struct piece *first, *kept;
	size_t held_bytes, kept_bytes, most_bytes; /* large pieces */
	/* For a node: */
	int node;
	int (*bind)(void *at, size_t bytes, int node); /* NULL: of none */
	char kind[16];
};

static struct dram *open_memory(const struct asl_store_ops *ops,
				const char *medium)
{
	struct dram *d = calloc(1, sizeof *d);

	if (!d) {
		asl_fail(-ENOMEM, "no memory for a store");
		return NULL;
	}
	d->base.ops = ops;
	snprintf(d->kind, sizeof d->kind, "%s", medium);
	d->base.medium = d->kind;
	return d;
}

static int dram_open(struct asl_store **out, const struct asl_store_want *want)
{
	struct dram *d = open_memory(&asl_store_dram, "dram");

	(void)want;
	*out = d ? &d->base : NULL;
	return d ? 0 : -ENOMEM;
}

/* ---- Pages of a node ---- */

/*
 * Other processes may take pages between looking and touching, so that steps are
 * short, and so much has to be free beyond a step: a part of the node, at most.
 */
#define STEP_BYTES ((size_t)4 << 20)
#define MOST_FREE (UINT64_C(256) << 20)
enum { FREE_PART = 32 };

struct room {
	uint64_t total, free; /* bytes */
};

static struct room look_at(int node)
{
	char path[64], name[32];
	struct room x = {0};
	char *line = NULL;
	size_t capacity = 0;
	uint64_t kib;
	FILE *f;

	snprintf(path, sizeof path, "/sys/devices/system/node/node%d/meminfo",
		 node);
	f = asl_system_open("", path);
	while (f && getline(&line, &capacity, f) >= 0) {
		if (sscanf(line, "Node %*d %31[^:]: %" SCNu64, name, &kib) != 2)
			continue;
		if (!strcmp(name, "MemTotal"))
			x.total = kib << 10;
		/* Files that nobody uses give way. */
		if (!strcmp(name, "MemFree") || !strcmp(name, "Inactive(file)"))
			x.free += kib << 10;
	}
	free(line);
	if (f)
		fclose(f);
	return x;
}

static int check_free(int node, uint64_t bytes)
{
	struct room x = look_at(node);
	uint64_t beyond = asl_min(x.total / FREE_PART, MOST_FREE);

	if (!x.total || bytes + beyond <= x.free)
		return 0;
	return asl_fail(-ENOMEM,
			"node %d has no room for %.1f MiB: %.1f MiB of %.1f "
			"are free, of which %.1f stay free",
			node, (double)bytes / 1048576, (double)x.free / 1048576,
			(double)x.total / 1048576, (double)beyond / 1048576);
}

static int touch(char *at, size_t bytes)
{
	if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL) /* before Linux 5.14 */
		return asl_fail(-ENOMEM, "%zu bytes of a node: %s", bytes,
				strerror(errno));
	memset(at, 0, bytes);
	return 0;
}

static int populate(const struct dram *d, char *at, size_t bytes)
{
	int err = 0;

	for (size_t i = 0; !err && i < bytes; i += STEP_BYTES) {
		size_t step = asl_min(bytes - i, STEP_BYTES);

		err = check_free(d->node, step);
		if (!err)
			err = touch(at + i, step);
	}
	return err;
}

void *asl_map_aligned(size_t page, size_t bytes)
{
	char *all = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (all == MAP_FAILED)
		return NULL;
	/* The end, if it can be: there it adjoins what was mapped before. */
	before = page - (uintptr_t)all % page;
	munmap(all, before);
	if (before < page)
		munmap(all + before + bytes, page - before);
	return all + before;
}

static void *take_pages(const struct dram *d, size_t page, size_t bytes)
{
	void *at = asl_map_aligned(page, bytes);

	if (!at)
		asl_fail(-ENOMEM, "mmap: %s", strerror(errno));
	if (at && page == HUGE_PAGE_BYTES)
		madvise(at, bytes, MADV_HUGEPAGE);
	if (!at || !d->bind)
		return at;
	if (!d->bind(at, bytes, d->node) && !populate(d, at, bytes))
		return at;
	munmap(at, bytes);
	return NULL;
}

static int node_open(struct asl_store **out, const struct asl_store_want *want)
{
	int err = check_free(want->node, want->words * sizeof(double));
	struct dram *d;

	if (err)
		return err;
	d = open_memory(&asl_store_node_memory, want->kind);
	if (!d)
		return -ENOMEM;
	d->node = want->node;
	d->bind = want->bind;
	if (!strcmp(want->kind, "dram"))
		snprintf(d->base.note, sizeof d->base.note,
			 "node %d is DRAM: it costs what DRAM costs, from here",
			 want->node);
	*out = &d->base;
	return 0;
}

/* ---- Lists of pieces ---- */

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

static bool is_large(const struct dram *d, size_t bytes)
{
	return d->bind || bytes >= LARGE_BYTES;
}

static void free_all(const struct dram *d, struct piece **list)
{
	while (*list) {
		struct piece *p = *list;

		unchain(list, p);
		if (is_large(d, p->bytes))
			munmap(p, p->bytes);
		else
			free(p);
	}
}

static void dram_close(struct asl_store *store)
{
	struct dram *d = (struct dram *)store;

	free_all(d, &d->first);
	free_all(d, &d->kept);
	free(d);
}

/* ---- Large pieces ---- */

static struct piece *end_of(const struct piece *p)
{
	return (struct piece *)((char *)p + p->bytes);
}

static void forget(struct dram *d, struct piece *p)
{
	unchain(&d->kept, p);
	d->kept_bytes -= p->bytes;
}

static bool adjoin(const struct piece *x, const struct piece *y)
{
	return x->huge == y->huge && (x == end_of(y) || end_of(x) == y);
}

/* Keep a piece, as one with those that adjoin it. */
static void keep(struct dram *d, struct piece *p)
{
	for (struct piece *x = d->kept, *next; x; x = next) {
		size_t both = x->bytes + p->bytes;

		next = x->next;
		if (!adjoin(x, p))
			continue;
		forget(d, x);
		p = x < p ? x : p;
		p->bytes = both;
	}
	chain(&d->kept, p);
	d->kept_bytes += p->bytes;
}

static void keep_part(struct dram *d, char *begin, const char *end, bool huge)
{
	struct piece *p = (struct piece *)begin;

	if (begin == end)
		return;
	p->bytes = (size_t)(end - begin);
	p->huge = huge;
	keep(d, p);
}

static char *aligned(const struct piece *p, size_t page)
{
	return (char *)(asl_ceil_div((uintptr_t)p, page) * page);
}

/* Take it from the smallest piece that has room for it, and keep the rest. */
static struct piece *take_kept(struct dram *d, size_t page, size_t bytes)
{
	struct piece *best = NULL;
	char *at, *end;
	bool huge;

	for (struct piece *p = d->kept; p; p = p->next)
		if ((p->huge || page < HUGE_PAGE_BYTES) &&
		    aligned(p, page) + bytes <= (char *)end_of(p) &&
		    (!best || p->bytes < best->bytes))
			best = p;
	if (!best)
		return NULL;
	forget(d, best);
	at = aligned(best, page);
	end = (char *)end_of(best);
	huge = best->huge;
	keep_part(d, (char *)best, at, huge);
	keep_part(d, at + bytes, end, huge);
	best = (struct piece *)at;
	best->huge = huge;
	return best;
}

/* What is kept may exceed the most by this share, for pieces of other sizes. */
enum { SPARE = 8 };

/* The largest is given up first: of what is left, more is taken again. */
static void make_room(struct dram *d, size_t bytes)
{
	size_t held = d->held_bytes + bytes;

	if (d->most_bytes < held)
		d->most_bytes = held;
	while (d->kept &&
	       held + d->kept_bytes > d->most_bytes + d->most_bytes / SPARE) {
		struct piece *largest = d->kept;

		for (struct piece *p = largest; p; p = p->next)
			if (p->bytes > largest->bytes)
				largest = p;
		forget(d, largest);
		munmap(largest, largest->bytes);
	}
}

/* Pieces of many MiB have whole huge pages: tiles walk them with strides. */
static struct piece *allocate_large(struct dram *d, size_t bytes)
{
	struct piece *p;
	size_t page =
		bytes < 2 * HUGE_PAGE_BYTES ? PAGE_BYTES : HUGE_PAGE_BYTES;

	bytes = asl_ceil_div(bytes, page) * page;
	p = take_kept(d, page, bytes);
	if (!p) {
		make_room(d, bytes);
		p = take_pages(d, page, bytes);
		if (!p)
			return NULL;
		p->huge = page == HUGE_PAGE_BYTES;
	}
	p->bytes = bytes;
	d->held_bytes += bytes;
	return p;
}

static struct piece *allocate(struct dram *d, size_t bytes)
{
	struct piece *p;

	bytes = asl_ceil_div(bytes, sizeof *p) * sizeof *p;
	if (is_large(d, bytes))
		return allocate_large(d, bytes);
	p = aligned_alloc(alignof(struct piece), bytes);
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
	if (!p && d->bind)
		return asl_fail(-ENOMEM, "no memory for %ju words: %s", words,
				asl_failure());
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
	if (!is_large(d, p->bytes)) {
		free(p);
		return;
	}
	d->held_bytes -= p->bytes;
	keep(d, p);
}

const struct asl_store_ops asl_store_dram = {
	.name = "dram",
	.summary = "ordinary memory: the baseline, and for debugging",
	.can = {.has_data = true, .plain = true},
	.open = dram_open,
	.close = dram_close,
	.take = dram_take,
	.give = dram_give,
	.read = asl_store_copy,
	.write = asl_store_copy,
};

const struct asl_store_ops asl_store_node_memory = {
	.name = "node",
	.summary = "memory of one NUMA node: CXL, DIMMs as memory, HBM",
	.can = {.has_data = true, .needs_node = true},
	.open = node_open,
	.close = dram_close,
	.take = dram_take,
	.give = dram_give,
	.read = asl_store_copy,
	.write = asl_store_copy,
};
