/*
 * steiner.h -- Steiner systems: every three points are in exactly one block
 *
 * A Steiner (m, s, 3) system has m points and blocks of s of them.  It says
 * which rank does which part of a symmetric tensor: a rank is a block, a point
 * is a row block.  The systems are:
 *
 *	spherical q	(q^2 + 1, q + 1, 3), q(q^2 + 1) blocks, q a prime power: the
 *			circles of the plane over the field of q elements
 *	boolean v	(2^v, 4, 3), v >= 3: quadruples whose exclusive or is 0
 *	triples m	(m, 3, 3), m >= 3: all triples
 *	sublines Q	(Q + 1, q + 1, 3), Q = q^a with a > 2: (28, 4, 3) of 819
 *			blocks, (65, 5, 3) of 4368, (126, 6, 3) of 16275
 *	quadruples v	(v, 4, 3), v = 10, 14, 20, 22, 26, 28, ...
 *	witt 22		(22, 6, 3), 77 blocks
 *	denniston 26	(26, 5, 3), 260 blocks
 *	from a file	a block a line:
 *
 *	# comments, also behind a block, and blank lines are ignored
 *	{1, 2, 3, 7}
 *	1 2 4 5
 *
 *			Points are numbered from 1, and separated by blanks, a
 *			comma or both; braces may be left out; blocks and points
 *			may be in any order.  The largest number is m.
 *
 * Every system is checked before it is returned.  Functions return 0, or a
 * negative errno with asl_failure() in one line: for a file with the line
 * number, the text found and the text expected.
 */
#ifndef ASL_STEINER_H
#define ASL_STEINER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/symmetric/graph.h"

#define ASL_STEINER_NAME 64
#define ASL_STEINER_POINTS 4096
#define ASL_STEINER_BLOCKS 1000000

struct asl_steiner {
	char name[ASL_STEINER_NAME]; /* "spherical-3"; "file NAME" */
	int m, s, blocks;
	int *point; /* [blocks][s], ascending, from 0 */
};

/* The size of a system that need not be built. */
struct asl_steiner_size {
	const char *family; /* NULL: none yet */
	int parameter;	    /* q, v, m */
	int m, s, blocks;
};

bool asl_steiner_is_family(const char *name);

/*
 * The next of all systems with at most so many blocks, by family and then by
 * parameter; false: there are no more.
 */
bool asl_steiner_next(struct asl_steiner_size *x, int most);

/*
 * The system with most blocks, from one family or (NULL) from any.
 *
 *	-EINVAL		there is no such family
 *	-ENOENT		all of them need more ranks
 */
int asl_steiner_fit(struct asl_steiner_size *out, const char *family,
		    int ranks);

/* -EINVAL: no such family, or not with this parameter; -ENOMEM. */
int asl_steiner_make(struct asl_steiner *out, const char *family,
		     int parameter);

/* -EINVAL: the file has no system; -ENOMEM; other: it can't be read. */
int asl_steiner_read(struct asl_steiner *out, const char *path);

void asl_steiner_free(struct asl_steiner *x); /* all zero is allowed */

/*
 * Families of steiner_orbits.c: write the blocks, in any order, to out->point.
 * 0 or -ENOMEM.  The order of sublines is q, of Q = q^a; 0: there are none.
 */
int asl_sublines_order(int Q);
int asl_sublines_build(struct asl_steiner *out, int Q);
bool asl_quadruples_exist(int v);
int asl_quadruples_build(struct asl_steiner *out, int v);
int asl_witt_build(struct asl_steiner *out, int points);
int asl_denniston_build(struct asl_steiner *out, int points);

/* Its blocks as lists of points.  0 or -ENOMEM. */
int asl_steiner_lists(struct asl_lists *out, const struct asl_steiner *x);

/* Three points, from 0, that no block has (-1, -1), or that these two have. */
struct asl_steiner_fault {
	int point[3];
	int block[2];
};

/*
 * 0: every triple is in exactly one block; -EINVAL: *fault is a triple that is
 * not, preferably one in two blocks, which have a place in the file; -ENOMEM.
 * Blocks must have s different points, ascending.
 */
int asl_steiner_check(const struct asl_steiner *x,
		      struct asl_steiner_fault *fault);

/* For qsort, of int. */
int asl_by_number(const void *a, const void *b);

/*
 * The finite field of q = p^e elements
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
	int *log;   /* [q]: the inverse of power; log[0] is undefined */
};

bool asl_is_prime_power(int q);

/* -EINVAL: q is no prime power, or more than ASL_FIELD_MOST; -ENOMEM. */
int asl_field_make(struct asl_field *f, int q);
void asl_field_free(struct asl_field *f); /* all zero is allowed */

int asl_field_add(const struct asl_field *f, int a, int b);
int asl_field_multiply(const struct asl_field *f, int a, int b);

#endif
