/*
 * lru.c -- a model of a hardware cache
 *
 * Lines in the cache are found by hashing; the lines of a set are a list, from
 * the newest to the oldest, so that one set may have all lines.  All memory is
 * zero at first, so that the kernel allocates only pages that are used.
 */
#include "lib/rank/lru.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Slots are numbered from 1; 0 means none. */
struct slot {
	uint64_t line;
	uint32_t newer, older; /* in its set */
	uint32_t next;	       /* in its bucket */
	bool dirty;
};

struct set {
	uint32_t newest, oldest, filled;
};

struct asl_lru {
	struct asl_lru_shape shape;
	uint64_t sets;
	struct set *set;   /* [sets] */
	struct slot *slot; /* [1 + sets * ways] */
	uint32_t *bucket;  /* [1 << bits] */
	int bits;
	uint64_t misses, write_backs, dirty; /* lines */
};

int asl_lru_open(struct asl_lru **out, const struct asl_lru_shape *shape)
{
	uint64_t lines = shape->words / shape->line;
	struct asl_lru *c = calloc(1, sizeof *c);

	assert(lines && lines <= ASL_LRU_MOST_LINES);
	assert(shape->words % (shape->line * shape->ways) == 0);
	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->shape = *shape;
	c->sets = lines / shape->ways;
	c->bits = 1;
	while ((uint64_t)1 << c->bits < lines)
		c->bits++;
	c->set = calloc(c->sets, sizeof *c->set);
	c->slot = calloc(lines + 1, sizeof *c->slot);
	c->bucket = calloc((size_t)1 << c->bits, sizeof *c->bucket);
	if (!c->set || !c->slot || !c->bucket) {
		asl_lru_close(c);
		return -ENOMEM;
	}
	*out = c;
	return 0;
}

void asl_lru_close(struct asl_lru *c)
{
	if (!c)
		return;
	free(c->bucket);
	free(c->slot);
	free(c->set);
	free(c);
}

void asl_lru_clear(struct asl_lru *c)
{
	if (!c->misses)
		return;
	memset(c->set, 0, c->sets * sizeof *c->set);
	memset(c->bucket, 0, sizeof *c->bucket << c->bits);
	c->misses = c->write_backs = c->dirty = 0;
}

/* Fibonacci hashing: neighbours, and every power of two, are spread. */
static uint32_t *bucket_of(struct asl_lru *c, uint64_t line)
{
	return &c->bucket[line * 0x9e3779b97f4a7c15 >> (64 - c->bits)];
}

static uint32_t find(const struct asl_lru *c, uint32_t i, uint64_t line)
{
	while (i && c->slot[i].line != line)
		i = c->slot[i].next;
	return i;
}

/* ---- The list of a set ---- */

static void take_out(struct asl_lru *c, struct set *s, uint32_t i)
{
	const struct slot *x = &c->slot[i];

	*(x->newer ? &c->slot[x->newer].older : &s->newest) = x->older;
	*(x->older ? &c->slot[x->older].newer : &s->oldest) = x->newer;
}

static void put_first(struct asl_lru *c, struct set *s, uint32_t i)
{
	struct slot *x = &c->slot[i];

	x->newer = 0;
	x->older = s->newest;
	*(s->newest ? &c->slot[s->newest].newer : &s->oldest) = i;
	s->newest = i;
}

/* ---- A line ---- */

static uint32_t evict(struct asl_lru *c, struct set *s)
{
	uint32_t i = s->oldest;
	uint32_t *at = bucket_of(c, c->slot[i].line);

	take_out(c, s, i);
	while (*at != i)
		at = &c->slot[*at].next;
	*at = c->slot[i].next;
	c->write_backs += c->slot[i].dirty;
	c->dirty -= c->slot[i].dirty;
	return i;
}

static uint32_t bring_in(struct asl_lru *c, struct set *s, uint64_t line)
{
	uint64_t first = 1 + (uint64_t)(s - c->set) * c->shape.ways;
	uint32_t i = s->filled < c->shape.ways ? (uint32_t)(first + s->filled++)
					       : evict(c, s);
	uint32_t *bucket = bucket_of(c, line);

	c->slot[i] = (struct slot){.line = line, .next = *bucket};
	*bucket = i;
	c->misses++;
	return i;
}

static void touch(struct asl_lru *c, struct set *s, uint64_t line, bool write)
{
	uint32_t i = find(c, *bucket_of(c, line), line);

	if (!i) {
		i = bring_in(c, s, line);
		put_first(c, s, i);
	} else if (i != s->newest) {
		take_out(c, s, i);
		put_first(c, s, i);
	}
	if (write && !c->slot[i].dirty) {
		c->slot[i].dirty = true;
		c->dirty++;
	}
}

void asl_lru_touch(struct asl_lru *c, uint64_t first, uint64_t count,
		   bool write)
{
	uint64_t line = first / c->shape.line, last, set;

	if (!count)
		return;
	last = (first + count - 1) / c->shape.line;
	set = line % c->sets;
	for (; line <= last; line++) {
		touch(c, &c->set[set], line, write);
		set = set + 1 < c->sets ? set + 1 : 0;
	}
}

struct asl_lru_traffic asl_lru_traffic(const struct asl_lru *c)
{
	return (struct asl_lru_traffic){
		.read = c->misses * c->shape.line,
		.written = (c->write_backs + c->dirty) * c->shape.line,
	};
}
