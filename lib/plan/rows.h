/*
 * rows.h -- matrices whose rows are spread over ranks, into pools and back
 *
 * The caller has rows 0 to r0 - 1 on rank 0, the next r1 on rank 1, and so on;
 * an algorithm wants other words on every rank.  Rank i sends to i, i + 1, ... in
 * turn what of its rows these own and receives from i, i - 1, ...  All ranks come
 * together, those that the plan leaves idle as well: they have rows, too.
 */
#ifndef ASL_ROWS_OF_RANKS_H
#define ASL_ROWS_OF_RANKS_H

#include "lib/matrix/given.h"
#include "lib/plan/pieces.h"

struct asl_rows {
	/* Rank i has rows first[i] to first[i + 1] - 1; [ranks + 1]. */
	const uint64_t *first;
	const struct asl_given *given; /* this rank's */
};

/* own = rows, and rows = own. */
void asl_rows_fill(struct asl_rank *r, const struct asl_plan *plan,
		   asl_piece_of *piece, int which, const struct asl_rows *rows,
		   const struct asl_words *own);
void asl_rows_write(struct asl_rank *r, const struct asl_plan *plan,
		    asl_piece_of *piece, int which, const struct asl_rows *rows,
		    const struct asl_words *own);

#endif
