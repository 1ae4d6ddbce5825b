/*
 * pieces.h -- matrices into a rank's memory and out of it, piece by piece
 *
 * What a rank owns of a matrix is one piece after another (lib/base/parts.h).
 * All of this is done with the rank's verbs, in chunks that a little DRAM holds.
 */
#ifndef ASL_PIECES_H
#define ASL_PIECES_H

#include "lib/base/parts.h"
#include "lib/matrix/file.h"
#include "lib/plan/family.h"

enum { ASL_CHUNK = 65536 };

/* Piece i of what a rank owns of an operand; false: no more. */
typedef bool asl_piece_of(struct asl_piece *x, const struct asl_plan *plan,
			  int rank, int which, int i);

/* Fill the words with what read(at, done, count, arg) says, chunk by chunk. */
void asl_fill_words(struct asl_rank *r, const struct asl_words *own,
		    const struct asl_words *buffer,
		    void (*read)(double *at, uint64_t done, uint64_t count,
				 void *arg),
		    void *arg);

/* Fill all of them; without a source with what is no number. */
void asl_fill_pieces(struct asl_rank *r, const struct asl_plan *plan,
		     asl_piece_of *piece, int which,
		     const struct asl_source *source,
		     const struct asl_words *own);

/*
 * A rank's words to rank 0, which calls use(at, done, count, arg) for one chunk
 * after another.  Both come together, each with a buffer of ASL_CHUNK words.
 */
void asl_gather_to_root(struct asl_rank *r, int rank,
			const struct asl_words *own, uint64_t words,
			const struct asl_words *buffer,
			void (*use)(const double *at, uint64_t done,
				    uint64_t count, void *arg),
			void *arg);

/* Rank 0 writes and commits its *out, which is NULL then; all call together. */
int asl_write_pieces(struct asl_rank *r, const struct asl_plan *plan,
		     asl_piece_of *piece, int which,
		     struct asl_matrix_out **out, const struct asl_words *own);

/* Open an operand of this size; if it is generated, *in stays as it is. */
int asl_operand_open(struct asl_matrix_in **in, const struct asl_data *data,
		     int which, const char *name, uint64_t rows, uint64_t cols);

/* For verification, in DRAM; all ranks that take part sum together. */
void asl_take_zeros(struct asl_rank *r, struct asl_words *x, uint64_t count);
void asl_sum_to_root(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_words *sum, const struct asl_words *mine);
void asl_sum_to_all(struct asl_rank *r, const struct asl_plan *plan,
		    struct asl_words *sum, const struct asl_words *mine);

/*
 * For an oracle, which compares what ranks own: its residual, infinite at rank 0 if
 * all ranks together did not compare `all` words, as if nobody owned the others.
 */
double asl_compared(struct asl_rank *r, const struct asl_plan *plan,
		    double residual, uint64_t words, uint64_t all);

/*
 * Matrices whose rows are spread over ranks, into pools and back
 *
 * The caller has rows 0 to r0 - 1 on rank 0, the next r1 on rank 1, and so on;
 * an algorithm wants other words on every rank.  Rank i sends to i, i + 1, ... in
 * turn what of its rows these own and receives from i, i - 1, ...  All ranks come
 * together, those that the plan leaves idle as well: they have rows, too.
 */

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
