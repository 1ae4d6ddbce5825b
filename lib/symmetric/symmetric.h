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
 *	sttsv-sequence-half	the same with half of T, which is symmetric
 *
 * Their operands are A, X (n x R, a vector for R = 1) and Y, of X's size; hopm
 * leaves the last vector in X, and its product with A in Y.
 *
 * From a request to a plan, or to all candidates:
 *
 *	struct asl_symmetric_request x = {.n = 600, .shift = NAN, ...};
 *	struct asl_plan plan = {.algorithm = &asl_symmetric_sttsv, .ranks = 30};
 *
 *	err = asl_symmetric_begin(&plan, &x);
 *	... cache, costs and memory ...
 *	err = asl_symmetric_settle(&plan);	or asl_symmetric_rank(&list, &plan);
 *	asl_plan_release(&plan);
 *
 * The name of a layout, in tables and in requests, describes it completely:
 *
 *	spherical-3	a Steiner system of a family, by its parameter
 *	spherical	the one of that family with most blocks for these ranks
 *	cubic		cubic heaps, for all ranks
 *	cover		sets that cover, for all ranks, and any order
 *	any other	a file with a Steiner system
 *	NULL		the system with most blocks for these ranks, of any family;
 *			of an order above 3, cover
 *
 * A system leaves ranks without a block idle.  Tables of peers grow with the
 * square of the ranks, which limits the ranks that work.
 *
 * Errors are negative errnos; asl_failure() begins with the part of the
 * request, or of the plan, that is wrong: "steiner: ...", "grid: ...", "cache:
 * ...".
 */
#ifndef ASL_SYMMETRIC_H
#define ASL_SYMMETRIC_H

#include "lib/plan/candidates.h"
#include "lib/plan/family.h"
#include "lib/symmetric/layout.h"

enum asl_symmetric_operand { ASL_TENSOR, ASL_X, ASL_Y, ASL_SYMMETRIC_OPERANDS };

/* How ranks exchange vectors: by a schedule, or as a library would. */
enum asl_exchange { ASL_EXCHANGE_ANY, ASL_P2P, ASL_ALLTOALL };

/* Tables of a rank's wedge and of its peers. */
struct asl_wedge_lists {
	uint64_t *at; /* [row blocks + 1]: where each begins in x, y */
	uint64_t *mine, *theirs; /* [ranks], until take: words to exchange */
	int *step; /* cubic: [steps], those in which there are any */
	int steps;
	struct asl_common_row *common; /* [row blocks] */
	struct asl_range *part;	       /* [row blocks]: of a message */
};

struct asl_symmetric {
	uint64_t n;
	int order;     /* d: 3, or 4 or 5 for sttsv, hopm and sttsv-naive */
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
	bool by_pieces; /* x and y stay in DRAM, but for parts of row blocks */
	bool streams;	/* the tensor stays in storage: a budget is below it */
	struct asl_wedge_lists scratch; /* for predictions, a rank at a time */
};

extern const struct asl_algorithm asl_symmetric_sttsv, asl_symmetric_hopm,
	asl_symmetric_cpgrad, asl_symmetric_naive, asl_symmetric_sequence,
	asl_symmetric_half;

/* Lower bounds (bounds.c), also of a plan without a layout or grid. */
double asl_symmetric_net_words(const struct asl_plan *plan);
double asl_symmetric_io_words(const struct asl_plan *plan);
double asl_symmetric_joint(const struct asl_plan *plan);

extern const struct asl_family asl_family_symmetric;
extern const struct asl_algorithm *const asl_symmetric_algorithms[];

/* ---- Plans ---- */

enum { ASL_SYMMETRIC_RANKS = 10000, ASL_SYMMETRIC_COVER_RANKS = 2000 };

struct asl_symmetric_request {
	uint64_t n;
	int order;		    /* 0: 3 */
	const char *steiner;	    /* a layout, as above; outlives the plan */
	enum asl_exchange exchange; /* any: P2P, or what the planner finds */
	int columns;		    /* cpgrad: R; 0: 8 */
	int iterations;		    /* hopm: at most; 0: 100 */
	double shift, tolerance;    /* hopm; NaN: 0 and 1e-12 */
	struct asl_grid grid; /* of algorithms on the cube; zeros: the best */
};

/*
 * Begin a plan that has its algorithm.  A plan without ranks gets those of its
 * layout or grid, or 1.  After a failure the plan has no part of this family.
 *
 *	-EINVAL		too many flops to count; no such layout or grid
 *	-ENOENT		all systems of the family need more ranks
 *	-ENOMEM
 *	other		the layout's file can't be read
 */
int asl_symmetric_begin(struct asl_plan *plan,
			const struct asl_symmetric_request *x);

/*
 * Complete a plan for its cache: make its layout, or choose the grid of least
 * Q.  A complete plan stays as it is.  Errors as above.
 */
int asl_symmetric_settle(struct asl_plan *plan);

/*
 * Add candidates for a plan that has begun: its algorithm with all layouts and
 * exchanges, or on all grids, as far as the request leaves a choice; and for
 * sttsv the algorithms to compare it with.  Covers are left out above 2000 ranks unless
 * the request names them.  A candidate has no steps yet; asl_symmetric_settle makes
 * them.  0, or an error of asl_candidates_end.
 */
int asl_symmetric_rank(struct asl_candidates *list,
		       const struct asl_plan *base);

/* The system of that name, or of that file, whatever its ranks. */
int asl_symmetric_system(struct asl_steiner *x, const char *name);

/*
 * Choose `together` for a cache of S words; or cut row blocks, if x and y do not
 * fit even for one column.  False: *needed words would do.
 */
bool asl_symmetric_fit(struct asl_symmetric *s, uint64_t cache,
		       uint64_t *needed);

/*
 * Ternary multiplications of all ranks for all columns, once: n^2 (n+1) / 2 a
 * column where the symmetry is used, and n^3 by sttsv-naive.  0: the plan is not
 * complete, or its algorithm multiplies two numbers at a time.
 */
uint64_t asl_symmetric_ternary(const struct asl_plan *plan);

void asl_symmetric_free(struct asl_symmetric *s); /* all zero is allowed */

#endif
