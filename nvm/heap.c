/*
 * heap.c -- what libpmemobj allocates for itself as it opens a pool
 *
 * It allocates some 10 MiB in small blocks, for 1024 lanes and the locks of the heap, and
 * touches all of them: 2,700 faults in small pages, which where faults are dear, as in
 * virtual machines, take longer than all else.  So it gets them out of an arena in large
 * pages, one for each pool.  When its last block is freed the next pool gets it: the
 * kernel clears large pages, too.  Whatever libpmemobj allocates later is malloc's.  A
 * program that opens pools of its own keeps malloc for all.
 */
#include "nvm/pmem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "nvm/provider.h"
#include "nvm/store.h"

#define LARGE ((size_t)2 << 20)
#define ARENA_BYTES (6 * LARGE)
#define SPARES 8

/* At the beginning of its own memory; `left` counts blocks, and the opening. */
struct arena {
	size_t used;
	atomic_size_t left;
};

/* In front of every block; its arena is NULL: it is malloc's. */
struct block {
	_Alignas(max_align_t) struct arena *arena;
	size_t bytes;
};

static _Thread_local struct arena *current;

/* Arenas without blocks. */
static struct arena *_Atomic spares[SPARES];

static struct arena *new_arena(void)
{
	struct arena *a = asl_map_aligned(LARGE, ARENA_BYTES);

	if (a)
		madvise(a, ARENA_BYTES, MADV_HUGEPAGE);
	return a;
}

static struct arena *open_arena(void)
{
	struct arena *a = NULL;

	for (int i = 0; i < SPARES && !a; i++)
		a = atomic_exchange(&spares[i], NULL);
	if (!a)
		a = new_arena();
	if (!a)
		return NULL;
	a->used = sizeof *a;
	a->left = 1;
	return a;
}

static void leave(struct arena *a)
{
	if (atomic_fetch_sub(&a->left, 1) > 1)
		return;
	for (int i = 0; i < SPARES && a; i++)
		a = atomic_exchange(&spares[i], a);
	if (a)
		munmap(a, ARENA_BYTES);
}

static struct block *in_arena(struct arena *a, size_t whole)
{
	const size_t align = _Alignof(struct block);
	size_t at = a ? (a->used + align - 1) / align * align : 0;

	if (!a || whole > ARENA_BYTES - at)
		return NULL;
	a->used = at + whole;
	atomic_fetch_add(&a->left, 1);
	return (struct block *)((char *)a + at);
}

static void *allocate(size_t bytes)
{
	size_t whole = sizeof(struct block) + bytes;
	struct block *b;

	if (whole < bytes)
		return NULL;
	b = in_arena(current, whole);
	if (b) {
		*b = (struct block){current, bytes};
		return b + 1;
	}
	b = malloc(whole);
	if (!b)
		return NULL;
	*b = (struct block){NULL, bytes};
	return b + 1;
}

static void release(void *at)
{
	struct block *b = at;

	if (!b)
		return;
	b--;
	if (b->arena)
		leave(b->arena);
	else
		free(b);
}

static void *resize(void *at, size_t bytes)
{
	size_t was = at ? ((struct block *)at - 1)->bytes : 0;
	void *new = allocate(bytes);

	if (!new || !at)
		return new;
	memcpy(new, at, was < bytes ? was : bytes);
	release(at);
	return new;
}

static char *duplicate(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *new = allocate(bytes);

	return new ? memcpy(new, text, bytes) : NULL;
}

static bool ours;

void asl_store_large_pages(void)
{
	pmemobj_set_funcs(allocate, release, resize, duplicate);
	ours = true;
}

static void begin(void)
{
	current = ours ? open_arena() : NULL;
}

static PMEMobjpool *end(PMEMobjpool *pool)
{
	if (current)
		leave(current);
	current = NULL;
	return pool;
}

PMEMobjpool *asl_pmem_create(const char *path, const char *layout)
{
	begin();
	return end(pmemobj_create(path, layout, 0, 0600));
}

PMEMobjpool *asl_pmem_open(const char *path, const char *layout)
{
	begin();
	return end(pmemobj_open(path, layout));
}
