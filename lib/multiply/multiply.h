/*
 * multiply.h -- C = A B over many ranks: what is asked, and how it is done
 *
 * A struct asl_plan is one way to do one multiplication on one machine: it
 * fixes everything that decides what a run counts.  asl_plan_choose fills in
 * the grid as the algorithm prescribes it; after that the algorithm's predict
 * and run both follow the plan, and nothing else.
 *
 * An algorithm is one file with one struct asl_algorithm, named in
 * multiply.c.
 */
#ifndef ASL_MULTIPLY_H
#define ASL_MULTIPLY_H

#include "lib/kernels/kernel.h"
#include "lib/matrix/piece.h"

struct asl_shape {
	uint64_t m, n, k; /* C is m x n, A is m x k */
};

/* In the order in which the algorithm writes it: 12x3x1. */
struct asl_grid {
	int p[3];
};

struct asl_plan {
	const struct asl_algorithm *algorithm;
	const struct asl_kernel *kernel;
	struct asl_shape shape;
	int ranks; /* there are; the grid may leave some idle */
	struct asl_grid grid;
	double ideal[3]; /* the grid prescribed, before it became integer */

	uint64_t panel;	   /* depth in k of a panel of SUMMA; 0: chosen */
	int bands, slices; /* of `fused`; 0: chosen */
	uint64_t cache;	   /* S */
	uint64_t memory;   /* the papers' M: steers prescriptions and bounds */
	uint64_t budget;   /* a rank may not hold more; 0: no limit */
	enum asl_where panels;
	bool overlap; /* the next panels come while these are multiplied */
	enum asl_accounting accounting;
	struct asl_costs costs;
};

/*
 * All grids with numbers from low to high.  A number is 1 on all of them or on
 * none, so that it is known which lines of ranks there are.
 */
struct asl_box {
	int low[3], high[3];
};

/* What the busiest rank counts and holds, or less. */
struct asl_least {
	struct asl_counts counts;
	uint64_t memory;
};

enum asl_operand { ASL_A, ASL_B, ASL_C, ASL_OPERANDS };

struct asl_algorithm {
	const char *name, *summary;
	const char *axes; /* what each grid number cuts: "mkn" */

	/*
	 * The same where that depends on the plan, but not on its grid: only a
	 * dispatcher has it, which is always one of the other algorithms.
	 */
	const char *(*axes_of)(const struct asl_plan *plan);

	const char *kernel; /* the only one it uses; NULL: the plan's */

	/* It does not write the partial sums that the APM makes ranks write. */
	bool outside_apm;

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

	/*
	 * Add what some rank counts at least, on whichever grid of the box and
	 * with whichever blocks: its counts cost no less at these rates, if it
	 * fits into the budget.  The closer, the faster the search.  NULL:
	 * nothing is known.
	 */
	void (*floor)(struct asl_least *least, const struct asl_plan *plan,
		      const struct asl_box *box, const struct asl_rates *rates);

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

	/* What a rank counts, in closed form; *out is zero. */
	void (*predict)(struct asl_ledger *out, const struct asl_plan *plan,
			int rank);

	/* own: the words of the pieces, in the pool, one after another. */
	void (*run)(struct asl_rank *r, const struct asl_plan *plan,
		    struct asl_words own[ASL_OPERANDS]);
};

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

/* The words of all of them. */
uint64_t asl_plan_owned(const struct asl_plan *plan, int rank,
			enum asl_operand which);

/* All counters of all phases of one rank; idle ranks count nothing. */
void asl_plan_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank);

#endif
