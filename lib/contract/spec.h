/*
 * spec.h -- the meaning of an einsum string: "ijk,kl,jl->il"
 *
 * Commas separate inputs; a letter names the index of each of their modes.
 * Indices missing from the output are summed over.  Without `->` the output has
 * every index that occurs once, in alphabetical order, capital letters first.
 * Spaces are ignored.
 *
 * An index that occurs twice in an input selects that input's diagonal; its
 * other words take no part.  A term keeps its distinct indices, in the order of
 * their first appearance, and a tensor is the array that these span.
 *
 * Errors	0, or -EINVAL, and asl_failure() says what was found and what
 *		was expected.
 */
#ifndef ASL_SPEC_H
#define ASL_SPEC_H

#include "lib/plan/family.h"

/* Multiplications of a stage: its flops fit 64 bits. */
#define ASL_MOST_POINTS 0x1p58

enum {
	ASL_MOST_INDICES = 32,
	ASL_MOST_INPUTS = ASL_MOST_OPERANDS - 1,
	/* Inputs of which all groupings are tried, and of one stage. */
	ASL_MOST_TOGETHER = 7
};

/* Sizes of texts: a whole string, and a size for every index. */
enum {
	ASL_SPEC_TEXT = ASL_MOST_OPERANDS * (ASL_MOST_INDICES + 2),
	ASL_DIMS_TEXT = ASL_MOST_INDICES * 24
};

/* One input, or the output. */
struct asl_term {
	int modes, count;
	unsigned char mode[ASL_MOST_INDICES];  /* as written */
	unsigned char index[ASL_MOST_INDICES]; /* each index once */
	uint32_t has;			       /* a bit for each index */
	/* Its array's dimensions, a bit each, that are of length 1 and no mode:
	 * the tensor is the same for all values of an index. */
	uint32_t stretched;
};

struct asl_einsum {
	int inputs, indices;
	char letter[ASL_MOST_INDICES];	 /* in the order of appearance */
	uint64_t size[ASL_MOST_INDICES]; /* 0: not known yet */
	struct asl_term term[ASL_MOST_OPERANDS]; /* inputs; then the output */
};

/*
 * The string without "...", in its place letters that it does not have, for operands of
 * these many dimensions each: as NumPy, which adds them to an output that is not given.
 */
int asl_einsum_expand(char text[ASL_SPEC_TEXT], const char *spec,
		      const int *dims, int operands);

int asl_einsum_parse(struct asl_einsum *e, const char *spec);

/* Sizes from a list, "i=64,j=32,k=1k"; k, m and g are powers of 1000. */
int asl_einsum_dims(struct asl_einsum *e, const char *dims);

/*
 * Where operands of these shapes have length 1 and another one has more, leave the mode
 * out of the term and of the shape.
 */
void asl_einsum_stretch(struct asl_einsum *e,
			uint64_t shape[][ASL_MOST_INDICES], int *dims);

/* Sizes from the shape of an operand, which messages call `name`. */
int asl_einsum_shape(struct asl_einsum *e, int which, int modes,
		     const uint64_t *shape, const char *name);

/*
 * Refuses an unknown size, and sizes whose words or flops would overflow a counter;
 * three inputs or more may be contracted in parts whose flops do not.
 */
int asl_einsum_check(const struct asl_einsum *e);

/* The indices of all terms: a step of a sequence lacks some letters. */
uint32_t asl_einsum_all(const struct asl_einsum *e);

/* The set of all inputs, a bit each. */
static inline int asl_einsum_inputs(const struct asl_einsum *e)
{
	return (1 << e->inputs) - 1;
}

/* Indices of a set of inputs, a bit each, that are still needed outside it. */
uint32_t asl_einsum_kept(const struct asl_einsum *e, int set);

/* Points of the space of these indices, a bit each; index i is len[i] long. */
double asl_points(uint32_t set, const uint64_t *len);

/* One more mode; its index, unless the term has it. */
void asl_term_add(struct asl_term *t, int index);

/* The indices that are not in the set, in the order of the term. */
struct asl_term asl_term_without(const struct asl_term *t, uint32_t set);

/* Words of the tensor where index i is len[i] long. */
uint64_t asl_term_words(const struct asl_term *t, const uint64_t *len);

/* Dimensions of its array. */
static inline int asl_term_dims(const struct asl_term *t)
{
	return t->modes + __builtin_popcount(t->stretched);
}

static inline bool asl_term_has(const struct asl_term *t, int index)
{
	return t->has >> index & 1;
}

#endif
