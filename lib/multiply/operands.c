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
#include "lib/plan/rows.h"

/* Of one process; C at rank 0. */
struct files {
	struct asl_matrix_in *in[2];
	struct asl_matrix_out *out;
};

/* ---- Files ---- */

static const char *const names[] = {"A", "B"};

static int open_operand(struct files *f, const struct asl_data *data, int which,
			uint64_t rows, uint64_t cols)
{
	struct asl_matrix_in **in = &f->in[which];
	const char *path = data->file[which];
	int err;

	if (data->given && data->given[which].at)
		return asl_given_open(in, &data->given[which], names[which],
				      rows, cols);
	err = path ? asl_matrix_open(in, path) : 0;
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
	if (data->first_rows)
		return 0;
	err = open_operand(f, data, ASL_A, x->m, x->k);
	return err ? err : open_operand(f, data, ASL_B, x->k, x->n);
}

int asl_multiply_create(struct asl_data *data)
{
	struct files *f = data->opened;
	const struct asl_shape *x = &data->plan->shape;

	if (data->first_rows)
		return 0;
	if (data->into)
		return asl_given_create(&f->out, data->into, x->m, x->n);
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

static struct asl_rows rows_of(const struct asl_data *data, int which)
{
	return (struct asl_rows){
		.first = data->first_rows[which],
		.given = which == ASL_C ? data->into : &data->given[which],
	};
}

static void fill_from_rows(struct asl_rank *r, const struct asl_data *data,
			   int which, const struct asl_words *own)
{
	struct asl_rows rows = rows_of(data, which);

	asl_rows_fill(r, data->plan, piece_of, which, &rows, own);
}

static void fill_C(struct asl_rank *r, const struct asl_data *data,
		   const struct asl_words *own)
{
	/* Nobody's word of it passes for last time's. */
	if (r->id < asl_plan_ranks(data->plan))
		asl_fill_pieces(r, data->plan, piece_of, ASL_C, NULL, own);
}

void asl_multiply_fill(struct asl_rank *r, const struct asl_data *data,
		       struct asl_words *own)
{
	asl_phase(r, ASL_FILL);
	for (int i = ASL_A; i <= ASL_B; i++) {
		struct asl_source source;

		if (data->first_rows) {
			fill_from_rows(r, data, i, &own[i]);
			continue;
		}
		source = asl_multiply_source(data, i);
		asl_fill_pieces(r, data->plan, piece_of, i, &source, &own[i]);
	}
	fill_C(r, data, &own[ASL_C]);
}

static int write_rows(struct asl_rank *r, const struct asl_data *data,
		      const struct asl_words *own)
{
	struct asl_rows rows = rows_of(data, ASL_C);

	asl_rows_write(r, data->plan, piece_of, ASL_C, &rows, own);
	return r->err;
}

int asl_multiply_write(struct asl_rank *r, struct asl_data *data,
		       struct asl_words *own)
{
	struct files *f = data->opened;
	/* On sim all ranks are here. */
	struct asl_matrix_out *out = r->id == 0 ? f->out : NULL;
	int err;

	if (data->first_rows)
		return write_rows(r, data, &own[ASL_C]);
	err = asl_write_pieces(r, data->plan, piece_of, ASL_C, out,
			       &own[ASL_C]);
	if (err || !out)
		return err;
	f->out = NULL;
	return asl_matrix_commit(out);
}
