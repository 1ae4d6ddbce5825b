/*
 * steiner_check.c -- is every triple in exactly one block?
 *
 * Point by point: the blocks that have point a must have every pair of later
 * points once.  Only a bitmap of pairs is needed then, and where something is
 * wrong, the blocks of a say which of them it was.  A triple that is in two blocks
 * is told rather than one that is in none: it is known then where to look.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symmetric/steiner.h"

struct checker {
	const struct asl_steiner *x;
	struct asl_lists blocks_of; /* every point */
	uint64_t *seen;		    /* bit b * m + c: the pair b < c */
	size_t words;
	struct asl_steiner_fault *fault;
	int missing; /* a triple is in no block: -EINVAL */
};

static const int *points(const struct checker *k, int block)
{
	return k->x->point + (size_t)block * (size_t)k->x->s;
}

static bool has(const struct checker *k, int block, int point)
{
	const int *p = points(k, block);

	for (int i = 0; i < k->x->s; i++)
		if (p[i] == point)
			return true;
	return false;
}

/* Of the blocks that have a, the first one with b and c; -1: none. */
static int first_with(const struct checker *k, int a, int b, int c)
{
	const int *list = asl_list(&k->blocks_of, a);

	for (int i = 0; i < asl_list_length(&k->blocks_of, a); i++)
		if (has(k, list[i], b) && has(k, list[i], c))
			return list[i];
	return -1;
}

/* Set the bit; had it been set? */
static bool see(struct checker *k, int b, int c)
{
	size_t at = (size_t)b * (size_t)k->x->m + (size_t)c;
	uint64_t bit = (uint64_t)1 << at % 64, *word = &k->seen[at / 64];
	bool was = *word & bit;

	*word |= bit;
	return was;
}

static int fail(struct checker *k, int a, int b, int c, int block)
{
	int first = first_with(k, a, b, c);

	*k->fault = (struct asl_steiner_fault){{a, b, c}, {first, block}};
	return -EINVAL;
}

/* The pairs of a block behind its point a. */
static int see_block(struct checker *k, int a, int block, uint64_t *pairs)
{
	const int *p = points(k, block);
	int i = 0, s = k->x->s;

	while (p[i] <= a)
		if (++i == s)
			return 0;
	*pairs += (uint64_t)(s - i) * (uint64_t)(s - i - 1) / 2;
	for (; i < s; i++)
		for (int j = i + 1; j < s; j++)
			if (see(k, p[i], p[j]))
				return fail(k, a, p[i], p[j], block);
	return 0;
}

/* Pairs are missing with a: note the first of them, if it is the first at all. */
static void note_missing(struct checker *k, int a)
{
	for (int b = a + 1; b < k->x->m && !k->missing; b++)
		for (int c = b + 1; c < k->x->m && !k->missing; c++)
			if (!see(k, b, c))
				k->missing = fail(k, a, b, c, -1);
}

static int check_point(struct checker *k, int a)
{
	const int *list = asl_list(&k->blocks_of, a);
	uint64_t later = (uint64_t)(k->x->m - a - 1), pairs = 0;

	memset(k->seen, 0, k->words * sizeof *k->seen);
	for (int i = 0; i < asl_list_length(&k->blocks_of, a); i++) {
		int err = see_block(k, a, list[i], &pairs);

		if (err)
			return err;
	}
	if (pairs < later * (later - 1) / 2)
		note_missing(k, a);
	return 0;
}

static int check(struct checker *k)
{
	struct asl_lists of_block;
	int err = asl_steiner_lists(&of_block, k->x);

	if (err)
		return err;
	err = asl_lists_transpose(&k->blocks_of, &of_block, k->x->m);
	asl_lists_give(&of_block);
	for (int a = 0; !err && a < k->x->m - 2; a++)
		err = check_point(k, a);
	asl_lists_give(&k->blocks_of);
	return err ? err : k->missing;
}

int asl_steiner_check(const struct asl_steiner *x,
		      struct asl_steiner_fault *fault)
{
	struct checker k = {
		.x = x,
		.words = (size_t)x->m * (size_t)x->m / 64 + 1,
		.fault = fault,
	};
	int err;

	k.seen = malloc(k.words * sizeof *k.seen);
	if (!k.seen)
		return -ENOMEM;
	err = check(&k);
	free(k.seen);
	return err;
}
