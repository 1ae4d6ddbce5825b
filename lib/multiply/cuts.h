/*
 * cuts.h -- one rank's part of a cut box, for cuts.c and cuts_fused.c
 *
 * Both gather the faces of A and B cell by cell, and then go through C's cells;
 * they differ in what becomes of these.  Each step is beside its closed form.
 */
#ifndef ASL_CUTS_H
#define ASL_CUTS_H

#include "lib/multiply/brick.h"
#include "lib/multiply/cuts_layout.h"

/* A rank without a box has no cells. */
struct asl_cuts_part {
	const struct asl_plan *plan;
	struct asl_cuts_layout *l; /* NULL: there was no memory for it */
	int rank, cells;
	struct asl_cuts_box box;
};

/* Begin borrows the layout until the end. */
void asl_cuts_begin(struct asl_cuts_part *x, const struct asl_plan *plan,
		    int rank);
void asl_cuts_end(struct asl_cuts_part *x);

/* Its cells, A's and B's first, in the order in which it goes through them. */
const struct asl_cuts_cell *asl_cuts_cell(const struct asl_cuts_part *x, int i);
struct asl_group asl_cuts_group(const struct asl_cuts_part *x,
				const struct asl_cuts_cell *cell);

/* Its share of a cell, and of its i-th cell of an operand; false: no more. */
struct asl_range asl_cuts_share(const struct asl_cuts_part *x,
				const struct asl_cuts_cell *cell);
bool asl_cuts_piece(struct asl_piece *piece, const struct asl_cuts_part *x,
		    enum asl_operand which, int i);

/* The faces of A and B. */
struct asl_cuts_faces {
	struct asl_block of[2];
	struct asl_words panel[2]; /* none if the face is owned whole */
};

void asl_cuts_gather(struct asl_rank *r, const struct asl_cuts_part *x,
		     struct asl_cuts_faces *faces,
		     const struct asl_words own[ASL_OPERANDS]);
void asl_cuts_give_faces(struct asl_rank *r, struct asl_cuts_faces *faces);

/* Words of main memory that gathering takes: of panels, and beside them. */
struct asl_cuts_rooms {
	uint64_t panels, beside;
};

struct asl_cuts_rooms asl_cuts_predict_gather(struct asl_counts *counts,
					      const struct asl_cuts_part *x);

/* A cell in a face of its operand; as wide as that, it is a run of its words. */
struct asl_block asl_cuts_in_face(const struct asl_cuts_part *x,
				  const struct asl_block *face,
				  const struct asl_cuts_cell *cell);
bool asl_cuts_is_run(const struct asl_cuts_part *x,
		     const struct asl_cuts_cell *cell);

/* Does nobody else need any of the face? */
bool asl_cuts_owns_face(const struct asl_cuts_part *x, enum asl_operand which);

/* A(rows, .) B(., cols), in places of the matrices. */
struct asl_product asl_cuts_product(const struct asl_cuts_part *x,
				    struct asl_range rows,
				    struct asl_range cols);
struct asl_block asl_cuts_rows_of_A(const struct asl_cuts_part *x,
				    const struct asl_cuts_faces *faces,
				    struct asl_range rows);
struct asl_block asl_cuts_cols_of_B(const struct asl_cuts_part *x,
				    const struct asl_cuts_faces *faces,
				    struct asl_range cols);

/* ---- C's cells ---- */

/* What is owned of them, and what is held beside that. */
struct asl_cuts_held {
	uint64_t own;
	uint64_t summands;    /* in the pool */
	uint64_t multiplying; /* in DRAM, beside summands and panels */
	uint64_t reducing;    /* the same, when there are no panels any more */
};

/* What becomes of C's cells: all that the algorithms differ in. */
struct asl_cuts_way {
	bool (*owns)(struct asl_piece *piece, const struct asl_cuts_part *x,
		     int i);
	/* Marks that all ranks pass, those without cells, too. */
	int marks;

	/* Ends with giving the faces. */
	void (*run)(struct asl_rank *r, const struct asl_cuts_part *x,
		    struct asl_cuts_faces *faces, const struct asl_words *C);
	struct asl_cuts_held (*predict)(struct asl_ledger *out,
					const struct asl_cuts_part *x);
};

/* The first `count` words of *rest, which goes on after them. */
struct asl_words asl_cuts_next(struct asl_words *rest, uint64_t count);

/* What a struct asl_algorithm asks for, one way or the other. */
bool asl_cuts_owns(struct asl_piece *piece, const struct asl_plan *plan,
		   int rank, enum asl_operand which, int i,
		   const struct asl_cuts_way *way);
void asl_cuts_run(struct asl_rank *r, const struct asl_plan *plan,
		  const struct asl_words own[ASL_OPERANDS],
		  const struct asl_cuts_way *way);
void asl_cuts_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank, const struct asl_cuts_way *way);

void asl_cuts_ideal(double p[3], const struct asl_plan *plan);
bool asl_cuts_works_on(const struct asl_grid *g);
uint64_t asl_cuts_flops(const struct asl_plan *plan);

#endif
