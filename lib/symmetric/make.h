/*
 * make.h -- a struct asl_symmetric from what was chosen, and what to choose from
 *
 * A layout has a name that says all about it, in tables and in options:
 *
 *	spherical-3	a Steiner system of a family, by its parameter
 *	spherical	the one of that family with most blocks for these ranks
 *	cubic		cubic heaps, for all ranks
 *	any other	a file with a Steiner system
 *	NULL		the system with most blocks for these ranks, of any family
 *
 * Ranks that a system has no block for are left idle.  Tables of who sends to
 * whom grow with the square of the ranks, so there is a limit to those that work.
 */
#ifndef ASL_SYMMETRIC_MAKE_H
#define ASL_SYMMETRIC_MAKE_H

#include "lib/symmetric/symmetric.h"

enum { ASL_SYMMETRIC_RANKS = 10000 };

struct asl_symmetric_want {
	uint64_t n;
	int ranks;	    /* there are */
	const char *layout; /* as above */
	int columns;
	bool gradient, alltoall;
	double shift, tolerance;
};

/*
 * All but `together`, which asl_symmetric_fit chooses.  0, or a negative errno
 * with asl_file_why(); *out is then all zero.
 *
 *	-EINVAL		no such layout, or the file has none; fewer words than row
 *			blocks; fewer ranks than blocks
 *	-ENOENT		all systems of the family need more ranks
 *	-ENOMEM
 *	other		the file can't be read
 */
int asl_symmetric_make(struct asl_symmetric *out,
		       const struct asl_symmetric_want *want);

/*
 * For how many ranks the layout is, if its name says so: *ranks is 0 for those
 * that take what there are.  Errors as above.
 */
int asl_symmetric_blocks(int *ranks, const char *layout);

/* Steps of an exchange with this system. */
int asl_steiner_steps(const struct asl_steiner_size *x);

#endif
