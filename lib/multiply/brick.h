/*
 * brick.h -- a brick of the m x k x n box of multiplications for every rank
 *
 * A grid cuts the box; rank (i, l, j) multiplies its A(i, l) by its B(l, j).
 * A(i, l) is shared out over the line of ranks along n that need it, B(l, j)
 * over the line along m, so that an allgather along a line completes each.
 * The ranks of a line along k then hold summands of one C(i, j).
 *
 * Algorithms on bricks differ in the grid that they prescribe and in where the
 * sum ends up; this file has what they share, each step beside its closed form.
 */
#ifndef ASL_BRICK_H
#define ASL_BRICK_H

#include "lib/multiply/multiply.h"
#include "lib/rank/collective.h"

struct asl_brick {
	struct asl_range m, k, n;
	struct asl_group along_m, along_k, along_n; /* lines through the rank */
};

/* Where the words lie that a line hands round; on a line of one, in place. */
static inline enum asl_where asl_brick_where(const struct asl_plan *plan,
					     const struct asl_group *line)
{
	return line->size > 1 ? plan->panels : ASL_POOL;
}

/* The brick of a rank within the plan's grid, whose axes the algorithm names. */
struct asl_brick asl_brick(const struct asl_plan *plan, int rank);

/* The rank's block of an operand; and its share of that along a line. */
struct asl_piece asl_brick_block(const struct asl_brick *x,
				 enum asl_operand which);
struct asl_piece asl_brick_share(const struct asl_brick *x,
				 enum asl_operand which);

/* Fill a panel that a line of ranks owns in even shares, of which own is one. */
void asl_brick_gather(struct asl_rank *r, const struct asl_group *line,
		      struct asl_words *panel, const struct asl_words *own);

/* Its closed form; a line of one rank needs no panel, and nothing is counted. */
void asl_brick_predict_gather(struct asl_counts *counts, uint64_t words,
			      const struct asl_group *line,
			      enum asl_where panels);

/* The panel of so many words around the share that a rank owns (in_panel). */
struct asl_words asl_brick_around(const struct asl_words *own, uint64_t words,
				  const struct asl_group *line);

/*
 * A whole block, gathered: where it lies on a line of one rank, around what is
 * owned in the pool, and else into a panel in DRAM, which is taken and given.
 */
struct asl_words asl_brick_take(struct asl_rank *r, const struct asl_plan *plan,
				const struct asl_group *line,
				const struct asl_words *own, uint64_t words);
void asl_brick_give(struct asl_rank *r, const struct asl_plan *plan,
		    const struct asl_group *line, struct asl_words *panel);

/* Its closed form, without the copy where there is none. */
void asl_brick_predict_take(struct asl_counts *counts,
			    const struct asl_plan *plan, uint64_t words,
			    const struct asl_group *line);

/* Words are about to be replaced by sums to which they contribute (resume.h). */
void asl_brick_save(struct asl_rank *r, const struct asl_words *x);

/* Sum up C over a line, at the root in its own words; the others give theirs. */
void asl_brick_sum(struct asl_rank *r, const struct asl_group *line, int root,
		   struct asl_words *C);

/* Take A(i, l) and B(l, j), and multiply them with the plan's kernel. */
void asl_brick_multiply(struct asl_rank *r, const struct asl_plan *plan,
			const struct asl_brick *x, const struct asl_words *C,
			const struct asl_words own[ASL_OPERANDS]);

/*
 * Its closed form, memory included: A and B, and C(i, j) in the pool, beside
 * which `reducing` words of DRAM will be held while it is reduced.
 */
void asl_brick_predict(struct asl_ledger *out, const struct asl_plan *plan,
		       const struct asl_brick *x, uint64_t reducing);

/*
 * Lower bounds for a search, which passes over a box of grids if all of them
 * cost too much.  They hold for rank 0, which has the largest brick: its sides are
 * the quotients by the largest numbers of the box, rounded up; and, because a
 * grid has no more than P ranks, a face is no less than the matrix over the
 * ranks that may share it, and the brick no less than mnk/P.
 */

struct asl_span {
	uint64_t low, high; /* of a grid number */
};

/* Rank 0's brick, at least, and the numbers that cut it. */
struct asl_brick_bound {
	struct asl_span pm, pn, pk;
	struct asl_products of; /* x, A, B, C and volume; one pass */
};

/* The plan's axes are the algorithm's own. */
struct asl_brick_bound asl_brick_bound(const struct asl_plan *plan,
				       const struct asl_box *box);

/* A sum of W words or more in the pool; kept in shares, or all by rank 0. */
void asl_lower_bound_reduce_scatter(struct asl_counts *x, uint64_t W,
				    const struct asl_span *line);
void asl_lower_bound_reduce(struct asl_counts *x, uint64_t W,
			    const struct asl_span *line);

/* Panels of A and B and the plan's kernel; A, B and C are held. */
void asl_lower_bound_brick(struct asl_lower_bound *least,
			   const struct asl_plan *plan,
			   const struct asl_brick_bound *x,
			   const struct asl_rates *rates);

/* A collective by which a rank gets, or gives, all W words but its share. */
void asl_lower_bound_line(struct asl_counts *x, uint64_t W,
			  const struct asl_span *line);

/*
 * A panel of W words or more, gathered block by block.  Where the line is no
 * power of two rank 0 has the larger shares of all blocks, rounded up; else its
 * share is left open.
 */
void asl_lower_bound_gather_blocks(struct asl_counts *counts, uint64_t W,
				   const struct asl_span *line,
				   enum asl_where panels);
bool asl_has_power_of_two(const struct asl_span *x);

/* The fewest messages of an allgather, over all sizes of line. */
uint64_t asl_lower_bound_messages(const struct asl_span *line);

#endif
