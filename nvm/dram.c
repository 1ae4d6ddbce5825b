/*
 * dram.c -- a store of ordinary memory
 *
 * The baseline against which pools are compared.  In front of each piece lies
 * a cache line that chains it to the others, so that close can free what was
 * not given back.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "nvm/provider.h"

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

struct piece {
	alignas(64) struct piece *prev;
	struct piece *next;
	struct dram *owner;
};

struct dram {
	struct asl_store base;
	struct piece *first;
};

static int dram_open(struct asl_store **out, const struct asl_store_want *want)
{
	struct dram *d = calloc(1, sizeof *d);

	(void)want;
	if (!d)
		return asl_store_fail(-ENOMEM, "no memory for a store");
	d->base.ops = &asl_store_dram;
	d->base.medium = "dram";
	*out = &d->base;
	return 0;
}

static void dram_close(struct asl_store *store)
{
	struct dram *d = (struct dram *)store;

	while (d->first) {
		struct piece *p = d->first;

		d->first = p->next;
		free(p);
	}
	free(d);
}

/* Whole huge pages for what is large: tiles walk through it with strides. */
static struct piece *allocate(size_t bytes)
{
	size_t align = bytes < 2 * HUGE_PAGE_BYTES ? 64 : HUGE_PAGE_BYTES;
	struct piece *p;

	bytes = (bytes + align - 1) / align * align;
	p = aligned_alloc(align, bytes);
	if (p && align == HUGE_PAGE_BYTES)
		madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

static int dram_take(struct asl_store *store, double **at, uint64_t words)
{
	struct dram *d = (struct dram *)store;
	struct piece *p = NULL;

	if (words < (uint64_t)PTRDIFF_MAX / sizeof(double) - HUGE_PAGE_BYTES)
		p = allocate(sizeof *p + words * sizeof(double));
	if (!p)
		return asl_store_fail(-ENOMEM,
				      "no memory for %" PRIu64 " words "
				      "(%.1f MiB)",
				      words, (double)words / 131072);
	p->prev = NULL;
	p->next = d->first;
	p->owner = d;
	if (p->next)
		p->next->prev = p;
	d->first = p;
	*at = (double *)(p + 1);
	return 0;
}

static void dram_give(struct asl_store *store, double *at)
{
	struct dram *d = (struct dram *)store;
	struct piece *p = (struct piece *)at - 1;

	assert(p->owner == d);
	if (p->prev)
		p->prev->next = p->next;
	else
		d->first = p->next;
	if (p->next)
		p->next->prev = p->prev;
	free(p);
}

static void dram_copy(struct asl_store *store, double *dst, uint64_t dst_ld,
		      const double *src, uint64_t src_ld, uint64_t rows,
		      uint64_t cols)
{
	(void)store;
	asl_store_copy(dst, dst_ld, src, src_ld, rows, cols);
}

static void dram_settle(struct asl_store *store, double *at, uint64_t words)
{
	(void)store;
	(void)at;
	(void)words;
}

const struct asl_store_ops asl_store_dram = {
	.name = "dram",
	.summary = "ordinary memory: the baseline, and for debugging",
	.has_data = true,
	.open = dram_open,
	.close = dram_close,
	.take = dram_take,
	.give = dram_give,
	.read = dram_copy,
	.write = dram_copy,
	.settle = dram_settle,
};
