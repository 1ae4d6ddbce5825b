/*
 * family.c -- contractions as lib/plan/family.h asks: operands, files, verifying
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/draw.h"
#include "lib/base/error.h"
#include "lib/contract/array.h"
#include "lib/contract/contract.h"
#include "lib/plan/pieces.h"

/* ---- Files: inputs for every process, the output for that of rank 0 ---- */

struct files {
	struct asl_array_in *in[ASL_MOST_INPUTS];
	struct asl_array_out *out;
};

static int open_input(struct asl_array_in **in, const struct asl_data *data,
		      int which)
{
	struct asl_einsum expected = data->plan->contraction->e;
	const char *path = data->file[which];
	int err = 0;

	if (data->given && data->given[which].at)
		err = asl_array_given(in, &data->given[which]);
	else if (path)
		err = asl_array_open(in, path,
				     asl_term_dims(&expected.term[which]));
	if (err || !*in)
		return err;
	asl_array_leave_out(*in, expected.term[which].stretched);
	return asl_einsum_shape(&expected, which, asl_array_dims(*in),
				asl_array_shape(*in),
				path ? path : "an operand");
}

static int open_inputs(struct asl_data *data)
{
	struct files *f = calloc(1, sizeof *f);
	int err = 0;

	if (!f)
		return asl_fail(-ENOMEM, "no memory for operands");
	data->opened = f;
	for (int i = 0; !err && i < data->plan->contraction->e.inputs; i++)
		err = open_input(&f->in[i], data, i);
	return err;
}

static int create_output(struct asl_data *data)
{
	const struct asl_einsum *e = &data->plan->contraction->e;
	struct files *f = data->opened;

	return data->into ? asl_array_into(&f->out, data->into, e)
			  : asl_array_create(&f->out, data->result, e);
}

static void close_files(struct asl_data *data)
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

static struct asl_array_source source_of(const struct asl_data *data, int which)
{
	const struct files *f = data->opened;
	struct asl_array_source s = asl_array_source(
		&data->plan->contraction->e, which, f->in[which]);

	s.seed = data->seed;
	s.exact = data->exact;
	return s;
}

/* ---- Inputs into the pool ---- */

struct filling {
	const struct asl_array_source *source; /* NULL: NaN */
	struct asl_holding holding;
};

static void read_chunk(double *at, uint64_t done, uint64_t count, void *arg)
{
	struct filling *f = arg;
	struct asl_tensor_row row;

	if (!f->source)
		for (uint64_t i = 0; i < count; i++)
			at[i] = NAN;
	for (uint64_t i = 0; f->source && i < count; i += row.count) {
		row = asl_holding_row(&f->holding, done + i, count - i);
		asl_array_read(f->source, at + i, &row);
	}
}

/* The output becomes NaN: the last repetition's must not pass for this one's. */
static void fill(struct asl_rank *r, const struct asl_data *data,
		 struct asl_words *own)
{
	const struct asl_contraction *c = data->plan->contraction;
	struct asl_words buffer;

	asl_phase(r, ASL_FILL);
	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	for (int which = 0; which <= c->e.inputs; which++) {
		struct filling f = {.holding = asl_contraction_holding(
					    data->plan, which, r->id)};
		struct asl_array_source source;

		if (which < c->e.inputs) {
			source = source_of(data, which);
			source.term = f.holding.term;
			f.source = &source;
		}
		asl_fill_words(r, &own[which], &buffer, read_chunk, &f);
	}
	asl_give(r, &buffer);
}

/* ---- The output into its file ---- */

struct writing {
	struct asl_array_out *out; /* NULL: nowhere */
	struct asl_holding holding;
	int err;
};

/* After an error the rest is received, but not written. */
static void write_chunk(const double *at, uint64_t done, uint64_t count,
			void *arg)
{
	struct writing *w = arg;

	for (uint64_t i = 0; w->out && !w->err && i < count;) {
		struct asl_tensor_row row =
			asl_holding_row(&w->holding, done + i, count - i);

		w->err = asl_array_write(w->out, at + i, w->holding.term, &row);
		i += row.count;
	}
}

static int write_output(struct asl_rank *r, struct asl_data *data,
			struct asl_words *own)
{
	const struct asl_contraction *c = data->plan->contraction;
	struct files *f = data->opened;
	/* On sim all ranks are in this process. */
	struct asl_array_out *out = r->id == 0 ? f->out : NULL;
	struct writing w = {.out = out};
	struct asl_words buffer;
	int err;

	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	for (int rank = 0; rank < c->ranks; rank++) {
		if (r->id != 0 && r->id != rank)
			continue;
		w.holding =
			asl_contraction_holding(data->plan, c->e.inputs, rank);
		asl_gather_to_root(r, rank, &own[c->e.inputs], w.holding.words,
				   &buffer, write_chunk, &w);
	}
	asl_give(r, &buffer);
	err = w.err ? w.err : r->err;
	if (err || !out)
		return err;
	f->out = NULL;
	return asl_array_commit(out);
}

/* ---- Verifying: rows of this rank's output ---- */

struct check {
	const struct asl_data *data;
	const struct asl_contraction *c;
	const struct asl_einsum *e;
	const struct asl_term *output; /* in the order of a row's indices */
	const struct asl_words *out;   /* this rank's */
	/* Freivalds: a random number for every value of the output's indices. */
	double *weight[ASL_MOST_INDICES];
};

typedef void row_reader(const struct check *check,
			const struct asl_tensor_row *row, double *at,
			double *found);

static void each_row(struct asl_rank *r, const struct check *check,
		     row_reader *read, double *found)
{
	struct asl_holding h = asl_contraction_holding(check->data->plan,
						       check->e->inputs, r->id);
	struct asl_words buffer;

	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	for (uint64_t done = 0; !r->err && done < h.words;) {
		uint64_t left = asl_min(ASL_CHUNK, h.words - done);
		struct asl_tensor_row row = asl_holding_row(&h, done, left);
		struct asl_words from = asl_slice(check->out, done, row.count);
		struct asl_words to = asl_slice(&buffer, 0, row.count);

		asl_copy(r, &to, &from);
		read(check, &row, to.at, found);
		done += row.count;
	}
	asl_give(r, &buffer);
}

/*
 * The oracle
 *
 * Every entry of this rank's output is compared with the sum of products of
 * generated entries, one by one.  The residual is the largest |error| over eps,
 * the number of products and the sum of their magnitudes.
 */

/* The next point with the same output, the last index first. */
static bool next_point(const struct check *check, uint64_t *point)
{
	for (int i = check->e->indices - 1; i >= 0; i--) {
		if (asl_term_has(check->output, i))
			continue;
		if (++point[i] < check->e->size[i])
			return true;
		point[i] = 0;
	}
	return false;
}

static double error_at(const struct check *check, uint64_t *point, double found)
{
	struct asl_array_source source[ASL_MOST_INPUTS];
	double sum = 0, size = 0, terms = 0, error;

	for (int i = 0; i < check->e->inputs; i++)
		source[i] = source_of(check->data, i);
	do {
		double product = 1;

		for (int i = 0; i < check->e->inputs; i++)
			product *= asl_array_entry(&source[i], point);
		sum += product;
		size += fabs(product);
		terms++;
	} while (next_point(check, point));
	error = fabs(found - sum);
	return error == 0 ? 0 : error / (DBL_EPSILON * terms * size);
}

static void check_row(const struct check *check,
		      const struct asl_tensor_row *row, double *at,
		      double *worst)
{
	const struct asl_term *out = check->output;
	uint64_t point[ASL_MOST_INDICES] = {0};

	for (uint64_t j = 0; j < row->count; j++) {
		for (int i = 0; i < out->count; i++)
			point[out->index[i]] =
				row->at[i] + (i == out->count - 1 ? j : 0);
		*worst = asl_worse(*worst, error_at(check, point, at[j]));
	}
}

/*
 * Freivalds' test
 *
 * Each index of the output gets a vector of random weights.  The sum over all
 * entries of the output, each times the weights of its indices, is compared with
 * the same sum of products of the inputs, which each rank of the direct way's
 * mesh generates for its cell: as weighed inputs without the output's indices
 * are summed over them, this is far less work than the contraction.  The residual,
 * at rank 0, is the difference over eps times the sum of the magnitudes.
 */

/* Magnitudes from 1/2 to 1: none is small enough to hide an error. */
static void draw_weights(double *to, uint64_t seed, int index, uint64_t count)
{
	struct asl_draw draw = {
		.seed = seed,
		.row = {(uint32_t)index, ASL_MOST_OPERANDS, UINT32_MAX}};

	asl_draw(&draw, to, 0, count);
	for (uint64_t i = 0; i < count; i++)
		to[i] += to[i] < 0 ? -0.5 : 0.5;
}

static uint64_t weight_words(const struct check *check)
{
	uint64_t words = 0;

	for (int i = 0; i < check->output->count; i++)
		words += check->e->size[check->output->index[i]];
	return words;
}

static void set_weights(struct check *check, double *at)
{
	for (int i = 0; i < check->output->count; i++) {
		int index = check->output->index[i];
		uint64_t count = check->e->size[index];

		check->weight[index] = at;
		draw_weights(at, check->data->seed, index, count);
		at += count;
	}
}

/* Multiply entries of a row by the weights of these indices. */
static void weigh(const struct check *check, const struct asl_term *t,
		  uint32_t weighed, const struct asl_tensor_row *row,
		  double *at)
{
	double all = 1;

	for (int i = 0; i < t->count; i++) {
		const double *w = check->weight[t->index[i]];

		if (!(weighed >> t->index[i] & 1))
			continue;
		if (i < t->count - 1)
			all *= w[row->at[i]];
		for (uint64_t j = 0; i == t->count - 1 && j < row->count; j++)
			at[j] *= w[row->at[i] + j];
	}
	for (uint64_t j = 0; j < row->count; j++)
		at[j] *= all;
}

static void add_weighed(const struct check *check,
			const struct asl_tensor_row *row, double *at,
			double *sum)
{
	weigh(check, check->output, check->output->has, row, at);
	for (uint64_t j = 0; j < row->count; j++)
		*sum += at[j];
}

/* Generate input `which` in the cell, weighed. */
static void make_slice(const struct check *check, double *at, int which,
		       const struct asl_cell *cell, uint32_t weighed)
{
	struct asl_array_source source = source_of(check->data, which);
	const struct asl_term *t = source.term;
	struct asl_run run = {.dims = t->count};

	run.words.count = asl_cell_words(cell, t);
	for (int i = 0; i < t->count; i++)
		run.box[i] = cell->of[t->index[i]];
	for (uint64_t done = 0; done < run.words.count;) {
		struct asl_tensor_row row =
			asl_run_row(&run, done, run.words.count - done);

		asl_array_read(&source, at + done, &row);
		weigh(check, t, weighed, &row, at + done);
		done += row.count;
	}
}

/* Contract the slices to a number, and then their magnitudes. */
static void sum_slices(struct asl_rank *r, const struct check *check,
		       const struct asl_cell *cell, struct asl_words *slice,
		       double found[2])
{
	struct asl_einsum scalar = *check->e;
	struct asl_view in[ASL_MOST_INPUTS], out;
	uint64_t len[ASL_MOST_INDICES];
	struct asl_local local;
	struct asl_words sum;

	scalar.term[scalar.inputs] = (struct asl_term){0};
	for (int i = 0; i < scalar.indices; i++)
		len[i] = cell->of[i].count;
	asl_local_make(&local, &scalar, len, check->data->plan->cache);
	for (int i = 0; i < scalar.inputs; i++)
		in[i] = asl_view_dense(&slice[i], &scalar.term[i], len);
	asl_take(r, &sum, ASL_DRAM, 1);
	out = asl_view_dense(&sum, &scalar.term[scalar.inputs], len);
	for (int pass = 0; !r->err && pass < 2; pass++) {
		asl_local_run(r, check->data->plan, &local, &out, in, len);
		found[pass] = r->err ? NAN : *sum.at;
		for (int i = 0; i < scalar.inputs; i++)
			for (uint64_t j = 0; j < slice[i].count; j++)
				slice[i].at[j] = fabs(slice[i].at[j]);
	}
	asl_give(r, &sum);
}

/* Each index is weighed once, in the first input that has it. */
static void sum_cell(struct asl_rank *r, const struct check *check,
		     double found[2])
{
	struct asl_cell cell = asl_mesh_cell(check->e, &check->c->whole, r->id);
	uint32_t left = check->output->has;
	struct asl_words slice[ASL_MOST_INPUTS];

	for (int i = 0; i < check->e->inputs; i++) {
		const struct asl_term *t = &check->e->term[i];

		asl_take(r, &slice[i], ASL_DRAM, asl_cell_words(&cell, t));
		if (!r->err)
			make_slice(check, slice[i].at, i, &cell, left & t->has);
		left &= ~t->has;
	}
	if (!r->err)
		sum_slices(r, check, &cell, slice, found);
	for (int i = check->e->inputs - 1; i >= 0; i--)
		asl_give(r, &slice[i]);
}

static double freivalds(struct asl_rank *r, struct check *check)
{
	struct asl_words weights, mine, sum;
	double residual = 0;

	asl_take(r, &weights, ASL_DRAM, weight_words(check));
	asl_take_zeros(r, &mine, 3);
	asl_take_zeros(r, &sum, 3);
	if (!r->err) {
		set_weights(check, weights.at);
		each_row(r, check, add_weighed, mine.at);
		if (r->id < asl_mesh_ranks(check->e, &check->c->whole))
			sum_cell(r, check, mine.at + 1);
	}
	asl_sum_to_root(r, check->data->plan, &sum, &mine);
	if (!r->err && r->id == 0 && sum.at[0] != sum.at[1])
		residual =
			fabs(sum.at[0] - sum.at[1]) / (DBL_EPSILON * sum.at[2]);
	asl_give(r, &sum);
	asl_give(r, &mine);
	asl_give(r, &weights);
	return residual;
}

static double verify(struct asl_rank *r, const struct asl_data *data,
		     struct asl_words *own, enum asl_verify how)
{
	const struct asl_contraction *c = data->plan->contraction;
	struct asl_holding h =
		asl_contraction_holding(data->plan, c->e.inputs, r->id);
	struct check check = {.data = data,
			      .c = c,
			      .e = &c->e,
			      .output = h.term,
			      .out = &own[c->e.inputs]};
	double worst = 0;

	if (how != ASL_VERIFY_ORACLE)
		return freivalds(r, &check);
	each_row(r, &check, check_row, &worst);
	return worst;
}

/* ---- As a family ---- */

static int operands(const struct asl_plan *plan)
{
	return plan->contraction->e.inputs + 1;
}

static int fixed(const struct asl_plan *plan)
{
	return plan->contraction->e.inputs;
}

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_spread s;

	if (plan->contraction->way == ASL_WAY_PRODUCT)
		return asl_matrices_owned(plan, rank, which);
	s = asl_contraction_spread(plan->contraction, which);
	return asl_spread_run(&s, rank).words.count;
}

/* A product's algorithm may have a panel around what it owns. */
static struct asl_range room(const struct asl_plan *plan, int rank, int which)
{
	if (plan->contraction->way == ASL_WAY_PRODUCT)
		return asl_matrices_room(plan, rank, which);
	return (struct asl_range){0, owned(plan, rank, which)};
}

/* Ranks own other words with another way. */
static void describe(FILE *f, const struct asl_plan *plan)
{
	const struct asl_contraction *c = plan->contraction;
	struct asl_plan product;

	fprintf(f, "way %s\n", asl_contract_way_name(c->way));
	if (c->way != ASL_WAY_PRODUCT)
		return;
	product = asl_matrices_plan(plan);
	fprintf(f, "product %s %dx%dx%d\n", c->matrices.algorithm->name,
		product.grid.p[0], product.grid.p[1], product.grid.p[2]);
	asl_family_multiply.describe(f, &product);
}

static int ranks(const struct asl_plan *plan)
{
	return plan->contraction->ranks;
}

static void release(struct asl_plan *plan)
{
	free((struct asl_contraction *)plan->contraction);
	plan->contraction = NULL;
}

static bool forecast(struct asl_forecast *most, const struct asl_plan *plan)
{
	return asl_contract_forecast(most, plan, 1);
}

const struct asl_family asl_family_contract = {
	.name = "contraction",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.room = room,
	.ranks = ranks,
	.describe = describe,
	.release = release,
	.forecast = forecast,
	.open = open_inputs,
	.create = create_output,
	.close = close_files,
	.fill = fill,
	.verify = verify,
	.write = write_output,
	.net_bound = asl_contract_net_words,
	.io_bound = asl_contract_io_words,
	.joint_bound = asl_contract_joint,
};
