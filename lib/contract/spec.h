/*
 * spec.h -- what an einsum string says: "ijk,kl,jl->il"
 *
 * Inputs are separated by commas; each of their modes has a letter, which names
 * an index.  Indices that the output has not are summed over.  Without `->` the
 * output has every index that occurs once, in the alphabet's order, capital
 * letters first.  Spaces mean nothing.
 *
 * An index that an input has twice takes that input's diagonal: no other words
 * of it take part.  So a term has its distinct indices, in the order of their
 * first appearance, and from here on a tensor is what these span.
 *
 * Errors	0, or -EINVAL with asl_failure() saying in
 *		one line what was found and what was expected.
 */
#ifndef ASL_SPEC_H
#define ASL_SPEC_H

#include "lib/plan/family.h"

enum { ASL_MOST_INDICES = 32, ASL_MOST_INPUTS = ASL_MOST_OPERANDS - 1 };

/* One input, or the output. */
struct asl_term {
	int modes, mode[ASL_MOST_INDICES];  /* as written */
	int count, index[ASL_MOST_INDICES]; /* each index once */
	uint32_t has;			    /* 1 << index */
};

struct asl_einsum {
	int inputs, indices;
	char letter[ASL_MOST_INDICES];	 /* in the order of appearance */
	uint64_t size[ASL_MOST_INDICES]; /* 0: not known yet */
	struct asl_term term[ASL_MOST_OPERANDS]; /* inputs; then the output */
};

int asl_einsum_parse(struct asl_einsum *e, const char *spec);

/* Sizes from a list, "i=64,j=32,k=1k"; k, m and g are powers of 1000. */
int asl_einsum_dims(struct asl_einsum *e, const char *dims);

/* Sizes from an operand; `name` is what it is called in messages. */
int asl_einsum_shape(struct asl_einsum *e, int which, int modes,
		     const uint64_t *shape, const char *name);

/* Is every size known, and can what they make be counted? */
int asl_einsum_check(const struct asl_einsum *e);

/* Every index of its terms: a step of a sequence has not all letters. */
uint32_t asl_einsum_all(const struct asl_einsum *e);

/* Entries that the distinct indices span. */
uint64_t asl_term_words(const struct asl_einsum *e, const struct asl_term *t);

/* The term of these indices, in this order. */
struct asl_term asl_term_of(const int *index, int count);

static inline bool asl_term_has(const struct asl_term *t, int index)
{
	return t->has >> index & 1;
}

#endif
