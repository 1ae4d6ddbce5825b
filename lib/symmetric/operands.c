/*
 * operands.c -- A and X into the pool before a run, Y or X out of it after
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/matrix/format.h"
#include "lib/plan/pieces.h"
#include "lib/symmetric/family.h"

/* Of one process; the result's at rank 0. */
struct files {
	struct asl_tensor_in *tensor;
	struct asl_matrix_in *X;
	struct asl_matrix_out *out;
};

/* ---- Files ---- */

static bool is_given(const struct asl_data *data, int which)
{
	return data->given && data->given[which].at;
}

static int open_tensor(struct files *f, const struct asl_data *data, uint64_t n)
{
	const char *path = data->file[ASL_TENSOR];
	int err = 0;

	if (is_given(data, ASL_TENSOR))
		return asl_tensor_given(&f->tensor, &data->given[ASL_TENSOR],
					n);
	if (path)
		err = asl_tensor_open(&f->tensor, path);
	if (err || !path || asl_tensor_size(f->tensor) == n)
		return err;
	return asl_file_fail(-EINVAL, "%s is of size %ju, expected %ju", path,
			     asl_tensor_size(f->tensor), n);
}

static int open_vectors(struct files *f, const struct asl_data *data,
			uint64_t n, uint64_t R)
{
	const char *path = data->file[ASL_X];
	int err = 0;

	if (is_given(data, ASL_X))
		return asl_given_open(&f->X, &data->given[ASL_X], "X", n, R);
	if (path)
		err = asl_matrix_open(&f->X, path);
	if (err || !path)
		return err;
	if (asl_matrix_rows(f->X) == n && asl_matrix_cols(f->X) == R)
		return 0;
	return asl_file_fail(-EINVAL, "%s is %ju x %ju, expected %ju x %ju",
			     path, asl_matrix_rows(f->X), asl_matrix_cols(f->X),
			     n, R);
}

int asl_symmetric_open(struct asl_data *data)
{
	const struct asl_symmetric *s = data->plan->symmetric;
	struct files *f = calloc(1, sizeof *f);
	int err;

	if (!f)
		return asl_file_fail(-ENOMEM, "no memory for operands");
	data->opened = f;
	err = open_tensor(f, data, s->n);
	return err ? err : open_vectors(f, data, s->n, (uint64_t)s->columns);
}

int asl_symmetric_create(struct asl_data *data)
{
	const struct asl_symmetric *s = data->plan->symmetric;
	struct files *f = data->opened;
	uint64_t R = (uint64_t)s->columns;

	if (data->into)
		return asl_given_create(&f->out, data->into, s->n, R);
	return asl_matrix_create(&f->out, data->result, s->n, R);
}

void asl_symmetric_close(struct asl_data *data)
{
	struct files *f = data->opened;

	if (!f)
		return;
	asl_tensor_close(f->tensor);
	asl_matrix_close(f->X);
	asl_matrix_discard(f->out);
	free(f);
	data->opened = NULL;
}

struct asl_tensor_source asl_symmetric_source(const struct asl_data *data)
{
	const struct files *f = data->opened;

	return (struct asl_tensor_source){
		.file = f->tensor,
		.seed = data->seed,
		.exact = data->exact,
	};
}

/* ---- Filling ---- */

/* Entries on their way to the pool, through a buffer. */
struct filling {
	struct asl_rank *r;
	struct asl_tensor_source source;
	struct asl_words rest, buffer;
	uint64_t used;
};

static void flush(struct filling *f)
{
	struct asl_words from = asl_slice(&f->buffer, 0, f->used);
	struct asl_words to = asl_slice(&f->rest, 0, f->used);

	asl_copy(f->r, &to, &from);
	f->rest = asl_slice(&f->rest, f->used, f->rest.count - f->used);
	f->used = 0;
}

/* As far as its indices are sorted it is read in one piece. */
static void read_entries(const struct filling *f, const struct asl_entries *x,
			 uint64_t done, uint64_t count)
{
	double *at = f->buffer.at + f->used;
	uint64_t c = x->c + done, sorted = 0;

	if (x->a >= x->b && x->b + 1 > c)
		sorted = asl_least(count, x->b + 1 - c);
	if (sorted)
		asl_tensor_read(&f->source, at, x->a, x->b, c, sorted);
	for (uint64_t i = sorted; i < count; i++)
		at[i] = asl_tensor_entry(&f->source, x->a, x->b, c + i);
}

static void fill_entries(const struct asl_entries *x, void *arg)
{
	struct filling *f = arg;

	for (uint64_t done = 0; done < x->count && !f->r->err;) {
		uint64_t count =
			asl_least(x->count - done, f->buffer.count - f->used);

		read_entries(f, x, done, count);
		f->used += count;
		done += count;
		if (f->used == f->buffer.count)
			flush(f);
	}
}

static void fill_tensor(struct asl_rank *r, const struct asl_data *data,
			const struct asl_words *own)
{
	struct filling f = {
		.r = r,
		.source = asl_symmetric_source(data),
		.rest = *own,
	};

	if (!r->data)
		return;
	asl_take(r, &f.buffer, ASL_DRAM, asl_least(ASL_CHUNK, own->count));
	if (!r->err)
		asl_symmetric_each(data->plan, r->id, fill_entries, &f);
	flush(&f);
	asl_give(r, &f.buffer);
}

void asl_symmetric_fill(struct asl_rank *r, const struct asl_data *data,
			struct asl_words *own)
{
	const struct files *f = data->opened;
	struct asl_source X = {
		.file = f->X,
		.seed = data->seed,
		.matrix = ASL_X,
		.exact = data->exact,
	};

	asl_phase(r, ASL_FILL);
	fill_tensor(r, data, &own[ASL_TENSOR]);
	asl_fill_pieces(r, data->plan, asl_symmetric_piece, ASL_X, &X,
			&own[ASL_X]);
	/* Nobody's word of Y passes for last time's. */
	asl_fill_pieces(r, data->plan, asl_symmetric_piece, ASL_Y, NULL,
			&own[ASL_Y]);
}

/* ---- Writing ---- */

int asl_symmetric_write(struct asl_rank *r, struct asl_data *data,
			struct asl_words *own)
{
	bool vector = data->plan->algorithm == &asl_symmetric_hopm;
	int which = vector ? ASL_X : ASL_Y, err;
	struct files *f = data->opened;
	/* On sim all ranks are here. */
	struct asl_matrix_out *out = r->id == 0 ? f->out : NULL;

	err = asl_write_pieces(r, data->plan, asl_symmetric_piece, which, out,
			       &own[which]);
	if (err || !out)
		return err;
	f->out = NULL;
	return asl_matrix_commit(out);
}
