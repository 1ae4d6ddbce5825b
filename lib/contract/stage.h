/*
 * stage.h -- one rank's part of a contraction: its shares, and its cell of a stage
 *
 * For einsum.c and its closed form.
 */
#ifndef ASL_STAGE_H
#define ASL_STAGE_H

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

/* How large the pieces must be: their counts; no share has an address. */
void asl_shares_measure(struct asl_shares *s, const struct asl_plan *plan,
			int rank, const struct asl_words *own);

/* In the pieces s->beside and s->between, which are that large. */
void asl_shares_cut(struct asl_shares *s, const struct asl_plan *plan, int rank,
		    const struct asl_words *own);

/* The spread of a term of a stage. */
struct asl_spread asl_stage_spread(const struct asl_stage *x, int term);

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

struct asl_stage_part asl_stage_part(const struct asl_plan *plan, int stage,
				     int rank);

/* Who shares the slice of a term; `list` as in mesh.h. */
struct asl_group asl_stage_group(const struct asl_stage_part *p, int term,
				 int *list);
uint64_t asl_stage_words(const struct asl_stage_part *p, int term);

/* Words of all panels: slices that are not the rank's alone. */
uint64_t asl_stage_panels(const struct asl_stage_part *p);

/* Where summands of the output lie before they are added. */
enum asl_where asl_stage_summands(const struct asl_stage_part *p);

void asl_einsum_predict(struct asl_ledger *out, const struct asl_plan *plan,
			int rank);

#endif
