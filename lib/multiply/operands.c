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
#include "lib/plan/pieces.h"

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

/* ---- Filling and writing ---- */

static bool piece_of(struct asl_piece *x, const struct asl_plan *plan, int rank,
		     int which, int i)
{
	return asl_plan_piece(x, plan, rank, (enum asl_operand)which, i);
}

void asl_multiply_fill(struct asl_rank *r, const struct asl_data *data,
		       struct asl_words *own)
{
	asl_phase(r, ASL_FILL);
	for (int i = 0; i < ASL_OPERANDS; i++) {
		struct asl_source source = {0};

		if (i != ASL_C)
			source = asl_multiply_source(data, i);
		/* Nobody's word of C passes for last time's. */
		asl_fill_pieces(r, data->plan, piece_of, i,
				i == ASL_C ? NULL : &source, &own[i]);
	}
}

int asl_multiply_write(struct asl_rank *r, struct asl_data *data,
		       struct asl_words *own)
{
	struct files *f = data->opened;
	/* On sim all ranks are here. */
	struct asl_matrix_out *out = r->id == 0 ? f->out : NULL;
	int err = asl_write_pieces(r, data->plan, piece_of, ASL_C, out,
				   &own[ASL_C]);

	if (err || !out)
		return err;
	f->out = NULL;
	return asl_matrix_commit(out);
}
