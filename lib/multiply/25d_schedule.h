/*
 * 25d_schedule.h -- 2.5D as JOMMA does it where writing is not dear
 *
 * What jomma.txt's evaluation calls 2.5D is not Solomonik and Demmel's shifted
 * algorithm (25d.c) but JOMMA's two schedules with the grids that these have for
 * cheap writes, whatever w is: em-jomma's on as nearly cubic a grid as there is
 * where memory is enough, lm-jomma's on sqrt(P/c) x sqrt(P/c) x c where it is
 * limited.  The variants differ in the local kernel, which is the one that
 * plan->algorithm names and not the plan's.  Everything else here is jomma.c's.
 */
#ifndef ASL_25D_SCHEDULE_H
#define ASL_25D_SCHEDULE_H

#include "lib/multiply/multiply.h"

const char *asl_25d_axes(const struct asl_plan *plan);
void asl_25d_calls(struct asl_plan *plan);
void asl_25d_ideal(double p[3], const struct asl_plan *plan);
uint64_t asl_25d_flops(const struct asl_plan *plan);
bool asl_25d_admits(const struct asl_plan *plan, const struct asl_grid *g);
void asl_25d_owns(struct asl_piece own[ASL_OPERANDS],
		  const struct asl_plan *plan, int rank);
bool asl_25d_owns_also(struct asl_piece *C, const struct asl_plan *plan,
		       int rank, enum asl_operand which, int i);

void asl_25d_predict(struct asl_ledger *out, const struct asl_plan *plan,
		     int rank);
void asl_25d_run(struct asl_rank *r, const struct asl_plan *plan,
		 struct asl_words own[ASL_OPERANDS]);

#endif
