/*
 * operands.c -- inputs into the pool before a run, the output out of it after
 *
 * Both are phases of their own that no total counts; they move words with the
 * rank's verbs all the same, in chunks that a little DRAM holds.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/contract/family.h"
#include "lib/matrix/file.h"
#include "lib/matrix/map.h"
#include "lib/plan/pieces.h"

/* Of one process; the output at rank 0. */
struct files {
	struct asl_array_in *in[ASL_MOST_INPUTS];
	struct asl_array_out *out;
};

/* ---- Files ---- */

static int open_input(struct asl_array_in **in, const struct asl_data *data,
		      int which)
{
	struct asl_einsum expected = data->plan->contraction->e;
	const char *path = data->file[which];
	int err = 0;

	if (data->given && data->given[which].at)
		err = asl_array_given(in, &data->given[which]);
	else if (path)
		err = asl_array_open(in, path, expected.term[which].modes);
	if (err || !*in)
		return err;
	return asl_einsum_shape(&expected, which, asl_array_dims(*in),
				asl_array_shape(*in),
				path ? path : "an operand");
}

int asl_contract_open(struct asl_data *data)
{
	const struct asl_einsum *e = &data->plan->contraction->e;
	struct files *f = calloc(1, sizeof *f);
	int err = 0;

	if (!f)
		return asl_file_fail(-ENOMEM, "no memory for operands");
	data->opened = f;
	for (int i = 0; !err && i < e->inputs; i++)
		err = open_input(&f->in[i], data, i);
	return err;
}

int asl_contract_create(struct asl_data *data)
{
	const struct asl_einsum *e = &data->plan->contraction->e;
	struct files *f = data->opened;

	return data->into ? asl_array_into(&f->out, data->into, e)
			  : asl_array_create(&f->out, data->result, e);
}

void asl_contract_close(struct asl_data *data)
{
	struct files *f = data->opened;

	if (!f)
		return;
	for (int i = 0; i < ASL_MOST_INPUTS; i++)
		asl_array_close(f->in[i]);
	asl_array_discard(f->out);
	free(f);
	data->opened = NULL;
}

struct asl_array_source asl_contract_source(const struct asl_data *data,
					    int which)
{
	const struct files *f = data->opened;
	struct asl_array_source s = asl_array_source(
		&data->plan->contraction->e, which, f->in[which]);

	s.seed = data->seed;
	s.exact = data->exact;
	return s;
}

/* ---- Filling ---- */

struct filling {
	const struct asl_array_source *source; /* NULL: what is no number */
	struct asl_run run;
};

static void read_chunk(double *at, uint64_t done, uint64_t count, void *arg)
{
	const struct filling *f = arg;

	for (uint64_t i = 0; i < count;) {
		struct asl_row row = asl_run_row(&f->run, done + i, count - i);

		if (f->source)
			asl_array_read(f->source, at + i, &row);
		else
			for (uint64_t j = 0; j < row.count; j++)
				at[i + j] = NAN;
		i += row.count;
	}
}

/* The output, too: nobody's word passes for last time's. */
void asl_contract_fill(struct asl_rank *r, const struct asl_data *data,
		       struct asl_words *own)
{
	const struct asl_contraction *c = data->plan->contraction;
	struct asl_words buffer;

	asl_phase(r, ASL_FILL);
	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	for (int which = 0; which <= c->e.inputs; which++) {
		struct asl_spread s = asl_contraction_spread(c, which);
		struct filling f = {.run = asl_spread_run(&s, r->id)};
		struct asl_array_source source;

		if (which < c->e.inputs) {
			source = asl_contract_source(data, which);
			f.source = &source;
		}
		asl_fill_words(r, &own[which], &buffer, read_chunk, &f);
	}
	asl_give(r, &buffer);
}

/* ---- Writing ---- */

struct writing {
	struct asl_array_out *out; /* NULL: nowhere */
	struct asl_run run;
	int err;
};

/* After an error the rest is received, not written. */
static void write_chunk(const double *at, uint64_t done, uint64_t count,
			void *arg)
{
	struct writing *w = arg;

	for (uint64_t i = 0; w->out && !w->err && i < count;) {
		struct asl_row row = asl_run_row(&w->run, done + i, count - i);

		w->err = asl_array_write(w->out, at + i, &row);
		i += row.count;
	}
}

int asl_contract_write(struct asl_rank *r, struct asl_data *data,
		       struct asl_words *own)
{
	const struct asl_contraction *c = data->plan->contraction;
	struct asl_spread s = asl_contraction_spread(c, c->e.inputs);
	struct files *f = data->opened;
	/* On sim all ranks are here. */
	struct asl_array_out *out = r->id == 0 ? f->out : NULL;
	struct writing w = {.out = out};
	struct asl_words buffer;
	int err;

	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	for (int rank = 0; rank < c->ranks; rank++) {
		if (r->id != 0 && r->id != rank)
			continue;
		w.run = asl_spread_run(&s, rank);
		asl_bring(r, rank, &own[c->e.inputs], w.run.words.count,
			  &buffer, write_chunk, &w);
	}
	asl_give(r, &buffer);
	err = w.err ? w.err : r->err;
	if (err || !out)
		return err;
	f->out = NULL;
	return asl_array_commit(out);
}
