/*
 * rank_run.h -- the parts of a run, for run.c
 */
#ifndef ASL_RANK_RUN_H
#define ASL_RANK_RUN_H

#include "lib/matrix/source.h"
#include "lib/run/run.h"

/* Fill this rank's A and B from their sources, and C with what is no number. */
void asl_fill(struct asl_rank *r, const struct asl_plan *plan,
	      const struct asl_source source[2],
	      struct asl_words own[ASL_OPERANDS]);

/* Send C to rank 0, which writes it into *out (used there only). */
int asl_write_result(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_matrix_out *out,
		     const struct asl_words own[ASL_OPERANDS]);

/* Sum up what all ranks counted: everything in *rep that `rank` decides. */
void asl_rep_sum(struct asl_rep *rep);

#endif
