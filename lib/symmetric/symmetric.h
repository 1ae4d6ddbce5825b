/*
 * symmetric.h -- y = A x2 x x3 x with a symmetric tensor A over many ranks
 *
 * The part of a struct asl_plan that is this family's.  The algorithms:
 *
 *	sttsv		y, by wedges of the packed tensor
 *	hopm		an eigenvector, y = lambda x, by the power method
 *	cpgrad		the gradient of a CP decomposition, for R vectors at once
 *	sttsv-naive	y from the whole cube, symmetric or not
 *	sttsv-sequence	T = A x3 x, then y = T x
 *
 * Their operands are A, X (n x R, a vector for R = 1) and Y, of X's size; hopm
 * leaves the last vector in X, and its product with A in Y.
 */
#ifndef ASL_SYMMETRIC_H
#define ASL_SYMMETRIC_H

#include "lib/plan/family.h"
#include "lib/symmetric/layout.h"

enum asl_symmetric_operand { ASL_TENSOR, ASL_X, ASL_Y, ASL_SYMMETRIC_OPERANDS };

/* How ranks exchange vectors: by a schedule, or as a library would. */
enum asl_exchange { ASL_EXCHANGE_ANY, ASL_P2P, ASL_ALLTOALL };

/* Tables of a rank's wedge and of its peers. */
struct asl_wedge_lists {
	uint64_t *at; /* [row blocks + 1]: where each begins in x, y */
	uint64_t *mine, *theirs; /* [ranks], until take: words to exchange */
	struct asl_common_row *common; /* [row blocks] */
};

struct asl_symmetric {
	uint64_t n;
	int columns;   /* R */
	bool gradient; /* cpgrad: its own shares of X stay in the cache, too */
	double shift, tolerance;    /* hopm */
	const char *steiner;	    /* the request's */
	enum asl_exchange exchange; /* any: until the plan is complete */

	/* ---- Wedges; all zero until the plan is complete, or on a grid ---- */

	struct asl_layout layout;
	struct asl_schedule schedule; /* P2P */
	uint64_t equal; /* all to all: words of every message, for a column */
	int together;	/* columns for which the tensor is read once */
	struct asl_wedge_lists scratch; /* for predictions, a rank at a time */
};

extern const struct asl_algorithm asl_symmetric_sttsv, asl_symmetric_hopm,
	asl_symmetric_cpgrad, asl_symmetric_naive, asl_symmetric_sequence;

extern const struct asl_family asl_family_symmetric;
extern const struct asl_algorithm *const asl_symmetric_algorithms[];

#endif
