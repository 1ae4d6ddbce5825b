/*
 * steiner.h -- Steiner systems: every three points are in exactly one block
 *
 * A Steiner (m, s, 3) system has m points and blocks of s of them.  It says
 * which rank does which part of a symmetric tensor: a rank is a block, a point
 * is a row block.  Which ones there are:
 *
 *	spherical q	(q^2 + 1, q + 1, 3), q(q^2 + 1) blocks, q a prime power: the
 *			circles of the plane over the field of q elements
 *	boolean v	(2^v, 4, 3), v >= 3: quadruples whose exclusive or is 0
 *	triples m	(m, 3, 3), m >= 3: all triples
 *	from a file	a block a line:
 *
 *	# comments, also behind a block, and blank lines are passed over
 *	{1, 2, 3, 7}
 *	1 2 4 5
 *
 *			Points are numbered from 1, and separated by blanks, a
 *			comma or both; braces may be left out; blocks and points
 *			may be in any order.  The largest number is m.
 *
 * Whatever a system came from, it has been checked when it is handed over.
 * Errors: 0, or a negative errno with asl_failure() in one
 * line; a file's with the line, what was found and what was expected.
 */
#ifndef ASL_STEINER_H
#define ASL_STEINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Lists of numbers, one after another in one array
 *
 * Who works with what: blocks of a Steiner system and their points, ranks and
 * their row blocks, and, transposed, row blocks and the ranks that share them.
 */

struct asl_lists {
	int count;
	size_t *first; /* [count + 1]: list i is item[first[i]] and what follows */
	int *item;
};

/* Room for so many lists of so many items together.  0 or -ENOMEM. */
int asl_lists_take(struct asl_lists *l, int count, size_t items);
void asl_lists_give(struct asl_lists *l); /* all zero is allowed */

/* Of equal items that follow one another in a list, keep one. */
void asl_lists_unique(struct asl_lists *l);

/*
 * For each number from 0 to count - 1, in which lists of x it is; ascending.
 * What *out had is not given back.  0 or -ENOMEM.
 */
int asl_lists_transpose(struct asl_lists *out, const struct asl_lists *x,
			int count);

static inline const int *asl_list(const struct asl_lists *l, int i)
{
	return l->item + l->first[i];
}

static inline int asl_list_length(const struct asl_lists *l, int i)
{
	return (int)(l->first[i + 1] - l->first[i]);
}

/* Where x is in the ascending list i; -1: it is not. */
int asl_list_find(const struct asl_lists *l, int i, int x);

/*
 * Arithmetic in the finite field of q = p^e elements
 *
 * An element is a number from 0 to q - 1: the digits to the base p are the
 * coefficients of a polynomial of degree less than e, modulo one that makes x
 * run through all elements but 0.  So 0 and 1 are themselves, and all others
 * are powers of one generator.
 */

#define ASL_FIELD_MOST (1 << 14) /* elements */

struct asl_field {
	int q, p, e;
	int *power; /* [q - 1]: of the generator; power[0] = 1 */
	int *log;   /* [q]: the other way round; log[0] means nothing */
};

bool asl_is_prime_power(int q);

/* -EINVAL: q is no prime power, or more than ASL_FIELD_MOST; -ENOMEM. */
int asl_field_make(struct asl_field *f, int q);
void asl_field_free(struct asl_field *f); /* all zero is allowed */

int asl_field_add(const struct asl_field *f, int a, int b);
int asl_field_multiply(const struct asl_field *f, int a, int b);
int asl_field_inverse(const struct asl_field *f, int a); /* not of 0 */

#define ASL_STEINER_NAME 64
#define ASL_STEINER_POINTS 4096
#define ASL_STEINER_BLOCKS 1000000

struct asl_steiner {
	char name[ASL_STEINER_NAME]; /* "spherical-3"; "file NAME" */
	int m, s, blocks;
	int *point; /* [blocks][s], ascending, from 0 */
};

/* What is known of a system that has not been built. */
struct asl_steiner_size {
	const char *family; /* NULL: none yet */
	int parameter;	    /* q, v, m */
	int m, s, blocks;
};

/*
 * The next of all that can be built with no more than so many blocks, by family
 * and then by parameter; false: there are no more.
 */
bool asl_steiner_next(struct asl_steiner_size *x, int most);

/*
 * The one with most blocks, of a family or (NULL) of any.
 *
 *	-EINVAL		there is no such family
 *	-ENOENT		all of them need more ranks
 */
int asl_steiner_fit(struct asl_steiner_size *out, const char *family,
		    int ranks);

/* -EINVAL: no such family, or not with this parameter; -ENOMEM. */
int asl_steiner_make(struct asl_steiner *out, const char *family,
		     int parameter);

/* -EINVAL: the file is not what it should be; -ENOMEM; other: can't be read. */
int asl_steiner_read(struct asl_steiner *out, const char *path);

void asl_steiner_free(struct asl_steiner *x); /* all zero is allowed */

/* Its blocks as lists of points.  0 or -ENOMEM. */
int asl_steiner_lists(struct asl_lists *out, const struct asl_steiner *x);

/* Three points, from 0, that no block has (-1, -1), or these two have. */
struct asl_steiner_fault {
	int point[3];
	int block[2];
};

/*
 * Is it one?  Else -EINVAL, and a triple at fault, of two blocks if there is any.  Blocks must be of s
 * different points, ascending.  -ENOMEM.
 */
int asl_steiner_check(const struct asl_steiner *x,
		      struct asl_steiner_fault *fault);

/*
 * What a family of Steiner systems implements
 *
 * To add a family: write these two functions, and name them in the table of
 * steiner.c.
 */

struct asl_steiner_family {
	const char *name;
	int least; /* parameter */
	/* Points and points of a block; false: no system with this parameter. */
	bool (*size)(int64_t *m, int64_t *s, int parameter);
	/* The points of each block, in any order; there is room.  0 or -ENOMEM. */
	int (*build)(struct asl_steiner *x, int parameter);
	const char *needs; /* what parameters there are, for people */
};

/* For qsort, of int. */
int asl_by_number(const void *a, const void *b);

#endif
