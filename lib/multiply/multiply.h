/*
 * multiply.h -- C = A B over many ranks: how it is done
 *
 * lib/multiply/planner.h completes a plan with the grid that its algorithm
 * prescribes, or with the best algorithm and grid of all.
 *
 * An algorithm is one file with one struct asl_algorithm, named in
 * multiply.c, and in it one struct asl_matmul.
 */
#ifndef ASL_MULTIPLY_H
#define ASL_MULTIPLY_H

#include "lib/base/parts.h"
#include "lib/kernels/kernel.h"
#include "lib/plan/family.h"

extern const struct asl_family asl_family_multiply;

/* Sizes of a multiplication: C is m x n, A is m x k. */
struct asl_shape {
	uint64_t m, n, k;
};

/* This family's part of a plan. */
struct asl_multiplication {
	struct asl_shape shape;
	double ideal[3];   /* the grid prescribed, before it became integer */
	uint64_t panel;	   /* depth in k of a panel of SUMMA; 0: chosen */
	int bands, slices; /* of `fused` and `3d`; 0: chosen */
	int layers;	   /* of `3d`, in k */
};

static inline const struct asl_shape *asl_shape_of(const struct asl_plan *plan)
{
	return &plan->multiplication->shape;
}

/* A product for the plan's kernel: A and B from there, C into the pool. */
static inline struct asl_product asl_plan_product(const struct asl_plan *plan,
						  uint64_t m, uint64_t n,
						  uint64_t k, enum asl_where A,
						  enum asl_where B)
{
	return (struct asl_product){
		.m = m,
		.n = n,
		.k = k,
		.cache = plan->cache,
		.read_cost = plan->costs.read,
		.write_cost = plan->costs.write,
		.A = A,
		.B = B,
		.C = ASL_POOL,
	};
}

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

/* The grids that an algorithm works on, and the one that it takes. */
struct asl_grid_rule {
	const char *axes; /* what each number cuts: "mkn" */
	const char *text; /* for people: "q x q x 1"; NULL: any grid will do */
	bool square;	  /* the first two numbers are equal */
	bool flat;	  /* the third is no larger than the first */
	int most[3];	  /* 0: no limit */

	/*
	 * There is no grid: always {ranks, 1, 1}, for any number of ranks, to
	 * which no axis and no flops limit applies.
	 */
	bool none;

	/* The grid of least B_h is taken; else that of least Q. */
	bool least_words;
};

/*
 * An algorithm's part that other families' algorithms don't have.  One that only
 * chooses another has `chooses`, and of the rest what differs from that one's.
 */
struct asl_matmul {
	struct asl_grid_rule grid;
	const char *kernel; /* the only one it uses; NULL: the plan's */

	/* The algorithm for this shape, P and M; the grid doesn't matter. */
	const struct asl_algorithm *(*chooses)(const struct asl_plan *plan);

	/* The grid prescribed, in real numbers. */
	void (*ideal)(double p[3], const struct asl_plan *plan);

	/*
	 * Shrink a box of grids to those like the prescription: all of them
	 * stay in it.
	 * A box of one grid that isn't like it becomes empty (low > high).
	 * NULL: all are.
	 */
	void (*limits)(struct asl_box *box, const struct asl_plan *plan);

	/*
	 * Add what some rank counts at least, on whichever grid of the box and
	 * with whichever blocks: its counts cost no less at these rates, if it
	 * fits into the budget.  The closer, the faster the search.  NULL:
	 * nothing is known.
	 */
	void (*lower_bound)(struct asl_lower_bound *least,
			    const struct asl_plan *plan,
			    const struct asl_box *box,
			    const struct asl_rates *rates);

	/*
	 * Words of the block whose size M decides in the prescription: rounding
	 * to an integer grid may take it above M.  NULL: M decides none.
	 */
	uint64_t (*block_within_M)(const struct asl_plan *plan);

	/* The busiest rank's flops; NULL: those of a brick cut by the axes. */
	uint64_t (*flops)(const struct asl_plan *plan);

	/*
	 * Block sizes for the plan's grid and memory budget, where they are not
	 * given, to the plan's own part; NULL: it has none.
	 */
	void (*blocks)(struct asl_multiplication *out,
		       const struct asl_plan *plan);

	/*
	 * Upper bound on the words that any rank holds with these blocks, in
	 * closed form and close.  NULL: the ranks are asked.
	 */
	uint64_t (*upper_bound)(const struct asl_plan *plan);

	/*
	 * Piece i = 0, 1, ... of what a rank owns of an operand; false: no more.
	 * The run finds the words of the pieces one after another.
	 */
	bool (*owns)(struct asl_piece *x, const struct asl_plan *plan, int rank,
		     enum asl_operand which, int i);

	/*
	 * Operands that the run gathers, or reduces, in the pool: if a rank owns
	 * one piece, this lies in its place within the block from the start.
	 */
	bool in_panel[ASL_OPERANDS];
};

/* All of them, NULL-ended; by name, NULL if there is none. */
extern const struct asl_algorithm *asl_algorithms[];
const struct asl_algorithm *asl_algorithm_find(const char *name);

/* One more (module.h): 0, or -ENOSPC; and take back the last. */
int asl_algorithm_add(const struct asl_algorithm *algorithm);
void asl_algorithm_drop(void);

/*
 * Room for one more element of `size` bytes after `count`, where there is room
 * for *capacity.  NULL, and nothing freed: no memory is left.
 */
void *asl_grown(void *at, size_t count, size_t *capacity, size_t size);

/* What each grid number cuts; once the algorithm is chosen. */
const char *asl_plan_axes(const struct asl_plan *plan);

/* The lengths that the axes cut. */
void asl_plan_dims(uint64_t dim[3], const struct asl_plan *plan);

/* Ranks that the grid uses. */
int asl_grid_ranks(const struct asl_grid *g);

/* Choose the algorithm that runs, if the plan's only chooses one. */
void asl_plan_resolve(struct asl_plan *plan);

/* Resolve the plan; the grid that it prescribes, in real numbers. */
void asl_plan_prescribe(double ideal[3], struct asl_plan *plan);

/* Are there ranks enough for the plan's grid, and can the algorithm use it? */
bool asl_plan_possible(const struct asl_plan *plan);

/* Is the plan's grid one like the prescription? */
bool asl_plan_admits(const struct asl_plan *plan);

/* Choose block sizes, where they are not given, to the plan's own part. */
void asl_plan_blocks(struct asl_multiplication *out,
		     const struct asl_plan *plan);

/* Piece i of what a rank of the grid owns of an operand; false: no more. */
bool asl_plan_piece(struct asl_piece *x, const struct asl_plan *plan, int rank,
		    enum asl_operand which, int i);

/* ---- For algorithms: prescriptions ---- */

/*
 * The grid of bricks that are `deep` times as long in k as in m and n, as far
 * as the shape allows: sides that would stick out of the matrix are cut to its
 * size, and the others grow in proportion.  In the order of the plan's axes.
 */
void asl_grid_ideal(double p[3], const struct asl_plan *plan, double deep);

/* The busiest rank's flops on the plan's grid. */
uint64_t asl_grid_flops(const struct asl_plan *plan);

/* ---- The family (lib/plan/family.h) ---- */

int asl_multiply_open(struct asl_data *data);

/*
 * On a grid with thousands of ranks only corners and seams are asked, where
 * blocks and shares change size.
 */
bool asl_multiply_forecast(struct asl_forecast *most,
			   const struct asl_plan *plan);

#endif
