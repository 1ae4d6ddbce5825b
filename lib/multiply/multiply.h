/*
 * multiply.h -- C = A B over many ranks: how it is done
 *
 * asl_grid_choose (lib/model/grid.h) completes a plan with the grid that its
 * algorithm prescribes.
 *
 * An algorithm is one file with one struct asl_algorithm, named in
 * multiply.c, and in it one struct asl_matmul.
 */
#ifndef ASL_MULTIPLY_H
#define ASL_MULTIPLY_H

#include "lib/kernels/kernel.h"
#include "lib/matrix/piece.h"
#include "lib/plan/plan.h"

extern const struct asl_family asl_family_multiply;

/*
 * All grids with numbers from low to high.  A number is 1 on all of them or on
 * none, so that it is known which lines of ranks there are.
 */
struct asl_box {
	int low[3], high[3];
};

/* What the busiest rank counts and holds, or less. */
struct asl_lower_bound {
	struct asl_counts counts;
	uint64_t memory;
};

enum asl_operand { ASL_A, ASL_B, ASL_C, ASL_OPERANDS };

/*
 * What is asked of an algorithm beside what all families have; owns also says
 * what the words of `own` are, for its run: those of the pieces, one after
 * another.
 */
struct asl_matmul {
	const char *axes; /* what each grid number cuts: "mkn" */

	/*
	 * The same where that depends on the plan, but not on its grid: only a
	 * dispatcher has it, which is always one of the other algorithms.
	 */
	const char *(*axes_of)(const struct asl_plan *plan);

	const char *kernel; /* the only one it uses; NULL: the plan's */

	/*
	 * Only a dispatcher: make *plan one of the algorithm that it calls,
	 * ideal included, so that its grids can be searched as those.
	 */
	void (*calls)(struct asl_plan *plan);

	/* The grid prescribed, in real numbers. */
	void (*ideal)(double p[3], const struct asl_plan *plan);

	/* Can it work on this grid at all?  NULL: on any. */
	bool (*works_on)(const struct asl_grid *g);
	const char *grids; /* which those are, for people: "q x q x 1" */

	/*
	 * The same for a search, which would otherwise come by millions of
	 * others: is the second number the first, and within which numbers are
	 * those that it works on and admits?  *box has all that there are.
	 */
	bool square;
	void (*limits)(struct asl_box *box, const struct asl_plan *plan);

	/*
	 * It works on any number of ranks, and the grid is always {ranks, 1,
	 * 1}: what the shape and the flops limit say about grids is not for it.
	 */
	bool gridless;

	/* With plan->overlap, words travel while others are multiplied. */
	bool overlaps;

	/*
	 * Add what some rank counts at least, on whichever grid of the box and
	 * with whichever blocks: its counts cost no less at these rates, if it
	 * fits into the budget.  The closer, the faster the search.  NULL:
	 * nothing is known.
	 */
	void (*floor)(struct asl_lower_bound *least,
		      const struct asl_plan *plan, const struct asl_box *box,
		      const struct asl_rates *rates);

	/* The busiest rank's flops; NULL: those of a brick cut by the axes. */
	uint64_t (*flops)(const struct asl_plan *plan);

	/*
	 * Block sizes for the plan's grid and memory budget, where they are not
	 * given; NULL: it has none.
	 */
	void (*blocks)(struct asl_plan *plan);

	/*
	 * Words that are enough for every rank with these blocks, quickly told: a
	 * few more than the busiest holds.  NULL: what it holds is asked for.
	 */
	uint64_t (*enough)(const struct asl_plan *plan);

	/* Is this one of the prescription's kind?  NULL: all are. */
	bool (*admits)(const struct asl_plan *plan, const struct asl_grid *g);

	/* Of those, take the one of least B_h (else of least Q). */
	bool least_words;

	void (*owns)(struct asl_piece own[ASL_OPERANDS],
		     const struct asl_plan *plan, int rank);

	/* Its piece i = 1, 2, ...; false: no more.  NULL: one is all. */
	bool (*owns_also)(struct asl_piece *x, const struct asl_plan *plan,
			  int rank, enum asl_operand which, int i);
};

/* All of them, NULL-ended; by name, NULL if there is none. */
extern const struct asl_algorithm *const asl_algorithms[];
const struct asl_algorithm *asl_algorithm_find(const char *name);

/* What each grid number cuts. */
const char *asl_plan_axes(const struct asl_plan *plan);

/* The lengths that the axes cut. */
void asl_plan_dims(uint64_t dim[3], const struct asl_plan *plan);

/* Ranks that the grid uses. */
int asl_grid_ranks(const struct asl_grid *g);

/* Are there ranks enough for the plan's grid, and can the algorithm use it? */
bool asl_plan_possible(const struct asl_plan *plan);

/* Choose block sizes for the plan's grid, where they are not given. */
void asl_plan_blocks(struct asl_plan *plan);

/* Piece i of what a rank of the grid owns of an operand; false: no more. */
bool asl_plan_piece(struct asl_piece *x, const struct asl_plan *plan, int rank,
		    enum asl_operand which, int i);

#endif
