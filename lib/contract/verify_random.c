/*
 * verify_random.c -- the output against random numbers, and so are the inputs
 *
 * Both sides are one number.  The inputs' is summed over the cells of a mesh, in
 * each of which the index ranges of the output shrink to points: this is far
 * less work than the contraction.
 */
#include <float.h>
#include <math.h>

#include "lib/contract/check.h"
#include "lib/matrix/draw.h"
#include "lib/rank/collective.h"

/* Sizes 1/2 to 1: none small enough to hide an error behind. */
static void draw_weights(double *to, uint64_t seed, int index, uint64_t count)
{
	struct asl_draw draw = {
		.seed = seed,
		.row = {(uint32_t)index, ASL_MOST_OPERANDS, UINT32_MAX}};

	asl_draw(&draw, to, 0, count);
	for (uint64_t i = 0; i < count; i++)
		to[i] += to[i] < 0 ? -0.5 : 0.5;
}

static uint64_t weight_words(const struct asl_contract_check *check)
{
	const struct asl_term *out = &check->e->term[check->e->inputs];
	uint64_t words = 0;

	for (int i = 0; i < out->count; i++)
		words += check->e->size[out->index[i]];
	return words;
}

static void set_weights(struct asl_contract_check *check, double *at)
{
	const struct asl_term *out = &check->e->term[check->e->inputs];

	for (int i = 0; i < out->count; i++) {
		int index = out->index[i];

		check->weight[index] = at;
		draw_weights(at, check->data->seed, index,
			     check->e->size[index]);
		at += check->e->size[index];
	}
}

/* Entries of a row times the weights of these indices, in place. */
static void weigh(const struct asl_contract_check *check,
		  const struct asl_term *t, uint32_t weighed,
		  const struct asl_row *row, double *at)
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

static void add_weighed(const struct asl_contract_check *check,
			const struct asl_row *row, const double *at,
			double *sum)
{
	const struct asl_term *out = &check->e->term[check->e->inputs];
	double all = 1, last = 0;

	for (int i = 0; i < out->count - 1; i++)
		all *= check->weight[out->index[i]][row->at[i]];
	for (uint64_t j = 0; j < row->count; j++)
		last += out->count
				? at[j] * check->weight
						  [out->index[out->count - 1]]
						  [row->at[out->count - 1] + j]
				: at[j];
	*sum += all * last;
}

/* Input `which` in the cell, weighed. */
static void make_slice(const struct asl_contract_check *check, double *at,
		       int which, const struct asl_cell *cell, uint32_t weighed)
{
	struct asl_array_source source =
		asl_contract_source(check->data, which);
	const struct asl_term *t = source.term;
	struct asl_run run = {.dims = t->count};

	run.words.count = asl_cell_words(cell, t);
	for (int i = 0; i < t->count; i++)
		run.box[i] = cell->of[t->index[i]];
	for (uint64_t done = 0; done < run.words.count;) {
		struct asl_row row =
			asl_run_row(&run, done, run.words.count - done);

		asl_array_read(&source, at + done, &row);
		weigh(check, t, weighed, &row, at + done);
		done += row.count;
	}
}

/* An output of nothing but the sum: of the slices, then of their magnitudes. */
static void sum_slices(struct asl_rank *r,
		       const struct asl_contract_check *check,
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

static void sum_cell(struct asl_rank *r, const struct asl_contract_check *check,
		     double found[2])
{
	struct asl_cell cell = asl_mesh_cell(check->e, &check->c->whole, r->id);
	uint32_t left = check->e->term[check->e->inputs].has;
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

double asl_contract_freivalds(struct asl_rank *r,
			      struct asl_contract_check *check)
{
	struct asl_group all = {
		.stride = 1, .size = check->c->ranks, .me = r->id};
	struct asl_words weights, mine, sum;
	double residual = 0;

	asl_take(r, &weights, ASL_DRAM, weight_words(check));
	asl_take(r, &mine, ASL_DRAM, 3);
	asl_take(r, &sum, ASL_DRAM, 3);
	if (!r->err) {
		set_weights(check, weights.at);
		mine.at[0] = mine.at[1] = mine.at[2] = 0;
		asl_each_row(r, check,
			     &(struct asl_row_reader){add_weighed, mine.at});
		if (r->id < asl_mesh_ranks(check->e, &check->c->whole))
			sum_cell(r, check, mine.at + 1);
	}
	if (all.size == 1)
		asl_copy(r, &sum, &mine);
	asl_reduce(r, &all, 0, &sum, &mine);
	if (!r->err && r->id == 0 && sum.at[0] != sum.at[1])
		residual =
			fabs(sum.at[0] - sum.at[1]) / (DBL_EPSILON * sum.at[2]);
	asl_give(r, &sum);
	asl_give(r, &mine);
	asl_give(r, &weights);
	return residual;
}
