/*
 * cuts_cells.h -- a layout while it is being made, for cuts_layout.c
 *
 * Cells are made from the leaves up.  One box needs its faces whole: a cell of
 * one rank each.  Of two boxes that were one, cells of an operand that has the
 * axis of the cut lie side by side.  Else both have the same face, and where a
 * cell of the one meets a cell of the other, both sets need the words.
 */
#ifndef ASL_CUTS_CELLS_H
#define ASL_CUTS_CELLS_H

#include <stddef.h>

#include "lib/multiply/cuts_layout.h"

/* A cell, its set still a run of places in `members`. */
struct asl_cuts_draft {
	struct asl_range rows, cols;
	size_t set;
	int size;
};

struct asl_cuts_cells {
	struct {
		struct asl_cuts_draft *cell;
		size_t count, room;
	} of[ASL_OPERANDS];
	int *members;
	size_t count, room;
	bool failed; /* no memory: nothing more is done */
};

/* How many cells there are of each operand. */
struct asl_cuts_mark {
	size_t of[ASL_OPERANDS];
};

struct asl_cuts_mark asl_cuts_mark(const struct asl_cuts_cells *x);

/* The faces of a rank's box. */
void asl_cuts_add_box(struct asl_cuts_cells *x, const struct asl_cuts_box *box,
		      int rank);

/* The cells from `first` and from `second` on belong to two boxes cut apart. */
void asl_cuts_join(struct asl_cuts_cells *x, enum asl_cuts_axis cut,
		   struct asl_cuts_mark first, struct asl_cuts_mark second);

void asl_cuts_free_cells(struct asl_cuts_cells *x);

#endif
