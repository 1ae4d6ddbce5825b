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
 * Errors: 0, or a negative errno with asl_file_why() (lib/matrix/file.h) in one
 * line; a file's with the line, what was found and what was expected.
 */
#ifndef ASL_STEINER_H
#define ASL_STEINER_H

#include <stdbool.h>

#include "lib/symmetric/lists.h"

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

#endif
