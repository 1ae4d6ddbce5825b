/*
 * cuts_layout.h -- who has which box of multiplications, and who needs which words
 *
 * Every rank at work has a box, and needs three faces of it: a rectangle of A,
 * of B and of C.  Faces of different ranks overlap.  Each operand is cut into
 * cells, rectangles that are needed by one set of ranks each, which own its
 * words in even shares; so a face is the union of its rank's cells.
 */
#ifndef ASL_CUTS_LAYOUT_H
#define ASL_CUTS_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/multiply/multiply.h"

enum asl_cuts_axis { ASL_CUTS_M, ASL_CUTS_K, ASL_CUTS_N, ASL_CUTS_AXES };

struct asl_cuts_box {
	struct asl_range d[ASL_CUTS_AXES];
};

struct asl_cuts_cell {
	enum asl_operand which;
	struct asl_range rows, cols; /* in the matrix */
	int size;		     /* of the set */
	const int *rank;	     /* the set */
};

struct asl_cuts_layout {
	struct asl_shape shape;
	int ranks;
	int used;		  /* no more than there are multiplications */
	struct asl_cuts_box *box; /* [used] */

	/* In the order in which all go through them: A's and B's, then C's. */
	struct asl_cuts_cell *cell;
	int cells;

	/* Cells of rank r: cell[mine[i]], i from first[r] up to first[r + 1]. */
	int *mine, *first;

	int *members; /* the sets */
	int users;
};

/*
 * The layout of the plan's shape for its grid's ranks, until it is given back.
 * Computed once and remembered for as long as nobody asks for another.  NULL if
 * there is no memory for it.
 */
struct asl_cuts_layout *asl_cuts_take(const struct asl_plan *plan);
void asl_cuts_give(struct asl_cuts_layout *l);

/* The rows and columns of a box's face. */
struct asl_piece asl_cuts_face(const struct asl_cuts_box *box,
			       enum asl_operand which);

/* Multiplications of the largest box. */
uint64_t asl_cuts_largest(const struct asl_cuts_layout *l);

static inline uint64_t asl_cuts_words(const struct asl_cuts_cell *x)
{
	return x->rows.count * x->cols.count;
}

#endif
