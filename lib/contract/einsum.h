/*
 * einsum.h -- one rank's part of a contraction: its shares, and its cell of a stage
 *
 * For einsum.c and its closed form.
 */
#ifndef ASL_EINSUM_H
#define ASL_EINSUM_H

#include "lib/contract/contract.h"

/*
 * A rank's words of all inputs and outputs of all stages.  What is no operand's
 * is cut out of two pieces of main memory: `beside` the operands in the pool, if
 * these are on rank 0; and `between` stages, where panels are.
 */
struct asl_shares {
	struct asl_words in[ASL_MOST_INPUTS][ASL_MOST_INPUTS]; /* [stage] */
	struct asl_words out[ASL_MOST_INPUTS];
	struct asl_words beside, between;
};

/* Of an operand where it is used, or of the output where it is made. */
struct asl_spread asl_operand_spread(const struct asl_contraction *c,
				     int operand);

/* Of an operand, or of the output, that is all on rank 0. */
struct asl_spread asl_root_spread(const struct asl_contraction *c, int operand);

struct asl_stage_part {
	const struct asl_plan *plan;
	const struct asl_stage *stage;
	int rank, inputs;
	bool works; /* the rank has a cell */
	bool last;  /* it is the last stage */
	struct asl_cell cell;
	uint64_t len[ASL_MOST_INDICES]; /* the cell's */
};

#endif
