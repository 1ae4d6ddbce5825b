/*
 * floor.h -- what algorithms on bricks count at least, on any grid of a box
 *
 * A search for the best grid passes over a box of them if all cost too much.
 * What is said here holds for rank 0, which has the largest brick: its sides are
 * the quotients by the largest numbers of the box, rounded up; and, because a
 * grid has no more than P ranks, a face is no less than the matrix over the
 * ranks that may share it, and the brick no less than mnk/P.
 */
#ifndef ASL_FLOOR_H
#define ASL_FLOOR_H

#include "lib/multiply/multiply.h"

struct asl_span {
	uint64_t low, high; /* of a grid number */
};

/* Rank 0's brick, at least, and the numbers that cut it. */
struct asl_brick_floor {
	struct asl_span pm, pn, pk;
	struct asl_products of; /* x, A, B, C and volume; one pass */
};

/* The plan's axes are the algorithm's own. */
struct asl_brick_floor asl_brick_floor(const struct asl_plan *plan,
				       const struct asl_box *box);

/* Where rank 0 has the words of a panel: in place on a line of one. */
enum asl_where asl_lower_bound_where(const struct asl_plan *plan,
				     const struct asl_span *line);

/* A panel of W words or more, owned in shares along a line, as in brick.h. */
void asl_lower_bound_gather(struct asl_counts *x, uint64_t W,
			    const struct asl_span *line, enum asl_where panels);

/* A sum of W words or more in the pool; kept in shares, or all by rank 0. */
void asl_lower_bound_reduce_scatter(struct asl_counts *x, uint64_t W,
				    const struct asl_span *line);
void asl_lower_bound_reduce(struct asl_counts *x, uint64_t W,
			    const struct asl_span *line);

/* Panels of A and B and the plan's kernel; what is owned of A and B is held. */
void asl_lower_bound_brick(struct asl_lower_bound *least,
			   const struct asl_plan *plan,
			   const struct asl_brick_floor *x,
			   const struct asl_rates *rates);

/* The fewest messages of an allgather, over all sizes of line. */
uint64_t asl_lower_bound_messages(const struct asl_span *line);

#endif
