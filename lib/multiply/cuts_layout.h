/*
 * cuts_layout.h -- who has which box of multiplications, and who needs which words
 *
 * A space has an axis for every index, and operands that have some of them: a matrix
 * two of three.  Every rank at work has a box of the space, and needs a face of it
 * of each operand.  Faces of different ranks overlap.  Each operand is cut into
 * cells that are needed by one set of ranks each, which own its words in even
 * shares; so a face is the union of its rank's cells.
 */
#ifndef ASL_CUTS_LAYOUT_H
#define ASL_CUTS_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/multiply/multiply.h"

enum { ASL_CUTS_MOST_AXES = 8, ASL_CUTS_MOST_OPERANDS = 8 };

struct asl_cuts_space {
	int axes, operands; /* the last operand is the result */
	uint64_t size[ASL_CUTS_MOST_AXES];
	unsigned has[ASL_CUTS_MOST_OPERANDS]; /* axes, a bit each */
};

struct asl_cuts_box {
	struct asl_range d[ASL_CUTS_MOST_AXES];
};

struct asl_cuts_cell {
	int which, dims;
	const struct asl_range *d; /* along the operand's axes, in order */
	int size;		   /* of the set */
	const int *rank;	   /* the set */
};

struct asl_cuts_layout {
	struct asl_cuts_space space;
	int ranks;
	int used;		  /* no more than there are multiplications */
	struct asl_cuts_box *box; /* [used] */

	/* In the order in which all go through them: the inputs', then the result's. */
	struct asl_cuts_cell *cell;
	int cells;

	/* Cells of rank r: cell[mine[i]], i from first[r] up to first[r + 1]. */
	int *mine, *first;

	int *members;				     /* the sets */
	struct asl_range *d[ASL_CUTS_MOST_OPERANDS]; /* of the cells */
	int users;
};

/*
 * The layout of a space for so many ranks, until it is given back.  Computed once
 * and remembered for as long as nobody asks for another.  NULL if there is no memory
 * for it.
 */
struct asl_cuts_layout *asl_cuts_take(const struct asl_cuts_space *space,
				      int ranks);
void asl_cuts_give(struct asl_cuts_layout *l);

/* ---- Matrices ---- */

enum asl_cuts_axis { ASL_CUTS_M, ASL_CUTS_K, ASL_CUTS_N };

struct asl_cuts_space asl_cuts_matrices(const struct asl_shape *s);

/* The rows and columns of a box's face, or of a cell. */
struct asl_piece asl_cuts_face(const struct asl_cuts_box *box,
			       enum asl_operand which);

static inline struct asl_range asl_cuts_rows(const struct asl_cuts_cell *x)
{
	return x->d[0];
}

static inline struct asl_range asl_cuts_cols(const struct asl_cuts_cell *x)
{
	return x->d[1];
}

/* ---- Any space ---- */

/* Points of the largest box. */
uint64_t asl_cuts_largest(const struct asl_cuts_layout *l);

/* The number of a rank's cells: none without a box.  And cell i, in their order. */
static inline int asl_cuts_count(const struct asl_cuts_layout *l, int rank)
{
	return rank < l->used ? l->first[rank + 1] - l->first[rank] : 0;
}

static inline const struct asl_cuts_cell *
asl_cuts_cell(const struct asl_cuts_layout *l, int rank, int i)
{
	return &l->cell[l->mine[l->first[rank] + i]];
}

/* Its set, of which the rank is one. */
static inline struct asl_group asl_cuts_group(const struct asl_cuts_cell *x,
					      int rank)
{
	struct asl_group g = {.size = x->size, .list = x->rank};

	while (g.list[g.me] != rank)
		g.me++;
	return g;
}

static inline uint64_t asl_cuts_words(const struct asl_cuts_cell *x)
{
	uint64_t words = 1;

	for (int i = 0; i < x->dims; i++)
		words *= x->d[i].count;
	return words;
}

/* The words of a cell that one of its ranks owns. */
static inline struct asl_range asl_cuts_share(const struct asl_cuts_cell *x,
					      int rank)
{
	struct asl_group g = asl_cuts_group(x, rank);

	return asl_share(asl_cuts_words(x), g.size, g.me);
}

#endif
