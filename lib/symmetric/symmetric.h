/*
 * symmetric.h -- y = A x2 x x3 x with a symmetric tensor A over many ranks
 *
 * What a struct asl_plan of this family fixes beside what every plan does.  The
 * algorithms:
 *
 *	sttsv		y, by wedges of the packed tensor
 *	hopm		an eigenvector, y = lambda x, by the power method
 *	cpgrad		the gradient of a CP decomposition, for R vectors at once
 *	sttsv-naive	y from the whole cube, symmetric or not
 *	sttsv-sequence	T = A x3 x, then y = T x
 *
 * Their operands are A, X (n x R, a vector for R = 1) and Y, likewise; hopm has
 * at the end in X the last vector and in Y what A makes of it.
 */
#ifndef ASL_SYMMETRIC_H
#define ASL_SYMMETRIC_H

#include "lib/plan/family.h"
#include "lib/symmetric/schedule.h"

/* Room for what a rank has to know of its wedge and of its peers. */
struct asl_wedge_lists {
	uint64_t *at; /* [row blocks + 1]: where each begins in x, y */
	uint64_t *mine, *theirs; /* [ranks], until take: words to exchange */
	struct asl_common_row *common; /* [row blocks] */
};

enum asl_symmetric_operand { ASL_TENSOR, ASL_X, ASL_Y, ASL_SYMMETRIC_OPERANDS };

struct asl_symmetric {
	uint64_t n;
	int columns;   /* R */
	bool gradient; /* cpgrad: its own shares of X stay in the cache, too */

	/* ---- Of those that work by wedges ---- */

	struct asl_layout layout;
	struct asl_schedule schedule;
	bool alltoall;	/* exchange so, instead */
	uint64_t equal; /* then: words of every message, for one column */
	int together;	/* columns for which the tensor is read once */
	struct asl_wedge_lists scratch; /* of one rank at a time */

	double shift, tolerance; /* of hopm */
};

/*
 * Choose `together` for a cache of S words; false: not even one column fits, and
 * *need words would do.
 */
bool asl_symmetric_fit(struct asl_symmetric *s, uint64_t cache, uint64_t *need);

void asl_symmetric_free(struct asl_symmetric *s); /* all zero is allowed */

/* What no algorithm betters: see bounds.c.  0: nothing is known. */
double asl_symmetric_net_bound(const struct asl_plan *plan);
double asl_symmetric_io_bound(const struct asl_plan *plan);

extern const struct asl_family asl_family_symmetric;
extern const struct asl_algorithm *const asl_symmetric_algorithms[];

#endif
