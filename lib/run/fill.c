/*
 * fill.c -- operands into the pool before a run, the product out of it after
 *
 * Both are phases of their own that no total counts; they move words with the
 * rank's verbs all the same, in chunks that a little DRAM holds.
 */
#include <errno.h>
#include <math.h>

#include "lib/matrix/parts.h"
#include "lib/run/rank_run.h"

enum { CHUNK = 65536 };

/* Entries of the piece from its word `done` on; of C, what is no number. */
static void read_chunk(double *at, const struct asl_source *source,
		       const struct asl_piece *piece, uint64_t done,
		       uint64_t count)
{
	for (uint64_t i = 0; i < count;) {
		struct asl_stretch s =
			asl_piece_stretch(piece, done + i, count - i);

		if (source)
			asl_source_read(source, at + i, s.row, s.col, s.count);
		else
			for (uint64_t j = 0; j < s.count; j++)
				at[i + j] = NAN;
		i += s.count;
	}
}

static void fill_piece(struct asl_rank *r, const struct asl_source *source,
		       const struct asl_piece *piece, struct asl_words *own,
		       const struct asl_words *buffer)
{
	for (uint64_t done = 0; !r->err && done < own->count; done += CHUNK) {
		uint64_t count = asl_least(CHUNK, own->count - done);
		struct asl_words from = asl_slice(buffer, 0, count);
		struct asl_words to = asl_slice(own, done, count);

		if (r->data)
			read_chunk(from.at, source, piece, done, count);
		asl_copy(r, &to, &from);
	}
}

void asl_fill(struct asl_rank *r, const struct asl_plan *plan,
	      const struct asl_source source[2],
	      struct asl_words own[ASL_OPERANDS])
{
	struct asl_words buffer, words;
	struct asl_piece piece;

	asl_phase(r, ASL_FILL);
	asl_take(r, &buffer, ASL_DRAM, CHUNK);
	for (int which = 0; which < ASL_OPERANDS; which++) {
		uint64_t first = 0;

		for (int i = 0; asl_plan_piece(&piece, plan, r->id, which, i);
		     i++) {
			words = asl_slice(&own[which], first,
					  piece.words.count);
			/* Nobody's word of C passes for last time's. */
			fill_piece(r, which == ASL_C ? NULL : &source[which],
				   &piece, &words, &buffer);
			first += words.count;
		}
	}
	asl_give(r, &buffer);
}

static int write_chunk(struct asl_matrix_out *out,
		       const struct asl_piece *piece, uint64_t done,
		       const double *at, uint64_t count)
{
	int err = 0;

	for (uint64_t i = 0; !err && i < count;) {
		struct asl_stretch s =
			asl_piece_stretch(piece, done + i, count - i);

		err = asl_matrix_write(out, at + i, s.row, s.col, s.count);
		i += s.count;
	}
	return err;
}

/* From `rank`, which has it in *own, through the buffer to rank 0's *out. */
static int write_piece(struct asl_rank *r, struct asl_matrix_out *out,
		       const struct asl_piece *piece, int rank,
		       const struct asl_words *own,
		       const struct asl_words *buffer)
{
	uint64_t words = piece->words.count;
	int err = 0;

	for (uint64_t done = 0; !r->err && done < words; done += CHUNK) {
		uint64_t count = asl_least(CHUNK, words - done);
		struct asl_words here = asl_slice(buffer, 0, count);
		struct asl_words mine = asl_slice(own, done, count);

		if (r->id == rank && rank != 0)
			asl_send(r, 0, &mine);
		else if (rank != 0)
			asl_recv(r, rank, &here);
		else
			asl_copy(r, &here, &mine);
		if (out && !r->err && !err)
			err = write_chunk(out, piece, done, here.at, count);
	}
	return err;
}

int asl_write_result(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_matrix_out *out,
		     const struct asl_words own[ASL_OPERANDS])
{
	struct asl_piece piece;
	struct asl_words buffer;
	int err = 0;

	asl_take(r, &buffer, ASL_DRAM, CHUNK);
	for (int rank = 0; rank < asl_grid_ranks(&plan->grid); rank++) {
		struct asl_words rest = own[ASL_C];

		if (r->id != 0 && r->id != rank)
			continue;
		for (int i = 0; asl_plan_piece(&piece, plan, rank, ASL_C, i);
		     i++) {
			/* After an error the rest is received, not written. */
			int failed = write_piece(r, err ? NULL : out, &piece,
						 rank, &rest, &buffer);

			rest = asl_slice(&rest, piece.words.count, 0);
			err = err ? err : failed;
		}
	}
	asl_give(r, &buffer);
	return err ? err : r->err;
}
