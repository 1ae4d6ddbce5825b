/*
 * operands.c -- A and B into the pool before a run, C out of it after
 *
 * Both are phases of their own that no total counts; they move words with the
 * rank's verbs all the same, in chunks that a little DRAM holds.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/matrix/format.h"
#include "lib/multiply/family.h"

enum { CHUNK = 65536 };

/* Of one process; C at rank 0. */
struct files {
	struct asl_matrix_in *in[2];
	struct asl_matrix_out *out;
};

/* ---- Files ---- */

static int open_operand(struct asl_matrix_in **in, const char *path,
			uint64_t rows, uint64_t cols)
{
	int err = path ? asl_matrix_open(in, path) : 0;

	if (err || !path)
		return err;
	if (asl_matrix_rows(*in) == rows && asl_matrix_cols(*in) == cols)
		return 0;
	return asl_file_fail(-EINVAL, "%s is %ju x %ju, expected %ju x %ju",
			     path, asl_matrix_rows(*in), asl_matrix_cols(*in),
			     rows, cols);
}

int asl_multiply_open(struct asl_data *data)
{
	const struct asl_shape *x = &data->plan->shape;
	struct files *f = calloc(1, sizeof *f);
	int err;

	if (!f)
		return asl_file_fail(-ENOMEM, "no memory for operands");
	data->opened = f;
	err = open_operand(&f->in[ASL_A], data->file[ASL_A], x->m, x->k);
	return err ? err
		   : open_operand(&f->in[ASL_B], data->file[ASL_B], x->k, x->n);
}

int asl_multiply_create(struct asl_data *data)
{
	struct files *f = data->opened;
	const struct asl_shape *x = &data->plan->shape;

	return asl_matrix_create(&f->out, data->result, x->m, x->n);
}

void asl_multiply_close(struct asl_data *data)
{
	struct files *f = data->opened;

	if (!f)
		return;
	for (int i = 0; i < 2; i++)
		asl_matrix_close(f->in[i]);
	asl_matrix_discard(f->out);
	free(f);
	data->opened = NULL;
}

struct asl_source asl_multiply_source(const struct asl_data *data,
				      enum asl_operand which)
{
	const struct files *f = data->opened;

	return (struct asl_source){
		.file = f->in[which],
		.seed = data->seed,
		.matrix = (uint32_t)which,
		.exact = data->exact,
	};
}

/* ---- Filling ---- */

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

void asl_multiply_fill(struct asl_rank *r, const struct asl_data *data,
		       struct asl_words *own)
{
	struct asl_words buffer, words;
	struct asl_piece piece;

	asl_phase(r, ASL_FILL);
	asl_take(r, &buffer, ASL_DRAM, CHUNK);
	for (int which = 0; which < ASL_OPERANDS; which++) {
		struct asl_source source = {0};
		uint64_t first = 0;

		if (which != ASL_C)
			source = asl_multiply_source(data, which);
		for (int i = 0;
		     asl_plan_piece(&piece, data->plan, r->id, which, i); i++) {
			words = asl_slice(&own[which], first,
					  piece.words.count);
			/* Nobody's word of C passes for last time's. */
			fill_piece(r, which == ASL_C ? NULL : &source, &piece,
				   &words, &buffer);
			first += words.count;
		}
	}
	asl_give(r, &buffer);
}

/* ---- Writing ---- */

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

/* Every rank's pieces to rank 0's *out, which is NULL elsewhere. */
static int write_all(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_matrix_out *out, const struct asl_words *C)
{
	struct asl_piece piece;
	struct asl_words buffer;
	int err = 0;

	asl_take(r, &buffer, ASL_DRAM, CHUNK);
	for (int rank = 0; rank < asl_plan_ranks(plan); rank++) {
		struct asl_words rest = *C;

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

int asl_multiply_write(struct asl_rank *r, struct asl_data *data,
		       struct asl_words *own)
{
	struct files *f = data->opened;
	/* On sim all ranks are here. */
	struct asl_matrix_out *out = r->id == 0 ? f->out : NULL;
	int err = write_all(r, data->plan, out, &own[ASL_C]);

	if (err || !out)
		return err;
	f->out = NULL;
	return asl_matrix_commit(out);
}
