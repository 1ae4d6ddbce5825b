/*
 * piece.h -- which words of a matrix a rank owns: a run of a block, by rows
 */
#ifndef ASL_PIECE_H
#define ASL_PIECE_H

#include "lib/base/parts.h"

struct asl_piece {
	struct asl_range rows, cols; /* the block, in the matrix */
	struct asl_range words;	     /* the run, within the block */
};

/* A stretch of one row of the matrix. */
struct asl_stretch {
	uint64_t row, col, count;
};

static inline struct asl_piece asl_whole_piece(struct asl_range rows,
					       struct asl_range cols)
{
	return (struct asl_piece){rows, cols, {0, rows.count * cols.count}};
}

/* What lies at `at` words into the run: to the row's end, or `most` words. */
static inline struct asl_stretch asl_piece_stretch(const struct asl_piece *x,
						   uint64_t at, uint64_t most)
{
	uint64_t word = x->words.first + at;
	uint64_t row = word / x->cols.count, col = word % x->cols.count;
	uint64_t left = x->cols.count - col;

	return (struct asl_stretch){x->rows.first + row, x->cols.first + col,
				    left < most ? left : most};
}

#endif
