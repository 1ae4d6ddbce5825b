/*
 * family.c -- contractions as lib/plan/family.h asks: operands, files, verifying
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/draw.h"
#include "lib/base/error.h"
#include "lib/contract/array.h"
#include "lib/contract/contract.h"
#include "lib/plan/pieces.h"

/* ---- Files: inputs for every process, the output for that of rank 0 ---- */

/*
 * An algorithm that adds to its output, C = ab_factor A B + c_factor C, reads it as one
 * more input: as it was, from a file or generated.
 */
static int inputs_read(const struct asl_plan *plan)
{
	return plan->contraction->e.inputs + (plan->c_factor != 0);
}

struct files {
	struct asl_array_in *in[ASL_MOST_INPUTS + 1]; /* the output's last */
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
		err = asl_array_open(in, path, data->plan->type,
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
	for (int i = 0; !err && i < inputs_read(data->plan); i++)
		err = open_input(&f->in[i], data, i);
	return err;
}

static int create_output(struct asl_data *data)
{
	const struct asl_einsum *e = &data->plan->contraction->e;
	struct files *f = data->opened;

	return data->into ? asl_array_into(&f->out, data->into, e)
			  : asl_array_create(&f->out, data->result,
					     data->plan->type, e);
}

static void close_files(struct asl_data *data)
{
	struct files *f = data->opened;

	if (!f)
		return;
	for (int i = 0; i <= ASL_MOST_INPUTS; i++)
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
	s.type = data->plan->type;
	if (data->plan->contraction->twice)
		s.operand = 0;
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
	enum asl_type type = f->holding.plan->type;

	/* All bits set: NaN, in each type. */
	if (!f->source)
		memset(at, 0xff, count * asl_type_bytes(type));
	for (uint64_t i = 0; f->source && i < count; i += row.count) {
		row = asl_holding_row(&f->holding, done + i, count - i);
		asl_array_read(f->source, asl_type_at(type, at, i), &row);
	}
}

/* An output that is not read becomes NaN: the last repetition's must not pass. */
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

		if (which < inputs_read(data->plan)) {
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
		const double *from = asl_type_at(w->holding.plan->type, at, i);

		w->err = asl_array_write(w->out, from, w->holding.term, &row);
		if (row.mirror && !w->err)
			w->err =
				asl_array_write(w->out, from, row.mirror, &row);
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
	const struct asl_words *buffer;
	/* Freivalds: a random number for every value of the output's indices. */
	double *weight[ASL_MOST_INDICES];
};

typedef void row_reader(const struct check *check, const struct asl_term *term,
			const struct asl_tensor_row *row, double *at,
			double *found);

static void each_row(struct asl_rank *r, const struct check *check,
		     row_reader *read, double *found)
{
	struct asl_holding h = asl_contraction_holding(check->data->plan,
						       check->e->inputs, r->id);

	for (uint64_t done = 0; !r->err && done < h.words;) {
		uint64_t left = asl_min(ASL_CHUNK, h.words - done);
		struct asl_tensor_row row = asl_holding_row(&h, done, left);
		struct asl_words from = asl_slice(check->out, done, row.count);
		struct asl_words to = asl_slice(check->buffer, 0, row.count);

		asl_copy(r, &to, &from);
		read(check, h.term, &row, to.at, found);
		if (row.mirror)
			read(check, row.mirror, &row, to.at, found);
		done += row.count;
	}
}

/*
 * The oracle
 *
 * Every entry of this rank's output is compared with the sum of products of
 * generated entries, one by one, in double.  The residual is the largest |error|
 * over eps of the type, the number of products and the sum of their magnitudes; or
 * infinite, if some entries are no rank's.
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

static struct asl_number times(struct asl_number a, struct asl_number b)
{
	return (struct asl_number){a.re * b.re - a.im * b.im,
				   a.re * b.im + a.im * b.re};
}

static enum asl_type type_of(const struct check *check)
{
	return check->data->plan->type;
}

/* A number of a row. */
static struct asl_number number_at(const struct check *check, const double *row,
				   uint64_t j)
{
	return asl_number_get(type_of(check),
			      asl_type_at(type_of(check), row, j));
}

/* A term of the output's entry, and the sum of magnitudes. */
static void add_term(struct asl_number *sum, double *size, double factor,
		     struct asl_number x)
{
	sum->re += factor * x.re;
	sum->im += factor * x.im;
	*size += fabs(factor) * (fabs(x.re) + fabs(x.im));
}

static double error_at(const struct check *check, uint64_t *point,
		       struct asl_number found)
{
	struct asl_array_source source[ASL_MOST_INPUTS + 1];
	const struct asl_plan *plan = check->data->plan;
	struct asl_number sum = {0, 0};
	double size = 0, terms = 0, error;
	int inputs = check->e->inputs;

	for (int i = 0; i < inputs_read(plan); i++)
		source[i] = source_of(check->data, i);
	if (plan->c_factor != 0)
		add_term(&sum, &size, plan->c_factor,
			 asl_array_entry(&source[inputs], point));
	do {
		struct asl_number product = {1, 0};

		for (int i = 0; i < inputs; i++)
			product = times(product,
					asl_array_entry(&source[i], point));
		add_term(&sum, &size, asl_plan_ab_factor(plan), product);
		terms++;
	} while (next_point(check, point));
	error = hypot(found.re - sum.re, found.im - sum.im);
	return error == 0 ? 0
			  : error / (asl_type(type_of(check))->epsilon * terms *
				     size);
}

/* What a rank's rows come to. */
enum { WORST, COMPARED, FOUND };

static void check_row(const struct check *check, const struct asl_term *out,
		      const struct asl_tensor_row *row, double *at,
		      double *found)
{
	uint64_t point[ASL_MOST_INDICES] = {0};

	for (uint64_t j = 0; j < row->count; j++) {
		for (int i = 0; i < out->count; i++)
			point[out->index[i]] =
				row->at[i] + (i == out->count - 1 ? j : 0);
		found[WORST] = asl_worse(
			found[WORST],
			error_at(check, point, number_at(check, at, j)));
	}
	found[COMPARED] += (double)row->count;
}

static double oracle(struct asl_rank *r, struct check *check)
{
	double found[FOUND] = {0};

	each_row(r, check, check_row, found);
	return asl_compared(r, check->data->plan, found[WORST],
			    (uint64_t)found[COMPARED],
			    asl_term_words(check->output, check->e->size));
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
 *
 * Sums are made in double.  With complex entries a + bi, of n inputs, the inputs' sum
 * is the value at t = i of a polynomial of degree n: the sum with a + bt in place of
 * each entry.  Its values at n + 1 real points, a pass each, say what that is.  Their
 * rounding is multiplied by how much they are: eps is never less than so many of a
 * double's.
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

/* The weights of a row's entries: `all` for each, and their own (NULL: none). */
struct weights {
	double all;
	const double *own;
};

static struct weights weights_of(const struct check *check,
				 const struct asl_term *t, uint32_t weighed,
				 const struct asl_tensor_row *row)
{
	struct weights x = {1, NULL};

	for (int i = 0; i < t->count; i++) {
		const double *w = check->weight[t->index[i]];

		if (!(weighed >> t->index[i] & 1))
			continue;
		if (i < t->count - 1)
			x.all *= w[row->at[i]];
		else
			x.own = w + row->at[i];
	}
	return x;
}

static double weigh(const struct weights *x, uint64_t j, double entry)
{
	return (x->own ? entry * x->own[j] : entry) * x->all;
}

/* What a rank adds to the sums over all ranks. */
enum { OUTPUT_RE, OUTPUT_IM, INPUTS_RE, INPUTS_IM, MAGNITUDES, SUMS };

static void add_weighed(const struct check *check, const struct asl_term *term,
			const struct asl_tensor_row *row, double *at,
			double *sum)
{
	struct weights w = weights_of(check, term, term->has, row);

	for (uint64_t j = 0; j < row->count; j++) {
		struct asl_number x = number_at(check, at, j);

		sum[OUTPUT_RE] += weigh(&w, j, x.re);
		sum[OUTPUT_IM] += weigh(&w, j, x.im);
	}
}

/* The output as it was, from where it came, adds to what it should be. */
static void add_given(const struct check *check, const struct asl_term *term,
		      const struct asl_tensor_row *row, double *at, double *sum)
{
	const struct asl_plan *plan = check->data->plan;
	struct asl_array_source source =
		source_of(check->data, check->e->inputs);
	struct weights w = weights_of(check, term, term->has, row);

	source.term = term;
	asl_array_read(&source, at, row);
	for (uint64_t j = 0; j < row->count; j++) {
		struct asl_number x = asl_number_get(plan->type, at + j);
		double re = weigh(&w, j, plan->c_factor * x.re);
		double im = weigh(&w, j, plan->c_factor * x.im);

		sum[INPUTS_RE] += re;
		sum[INPUTS_IM] += im;
		sum[MAGNITUDES] += hypot(re, im);
	}
}

/* A pass over the inputs: at a point, or, beyond the points, of magnitudes. */
struct pass {
	int number, points;
	double at;
};

static struct pass pass_of(const struct check *check, int number)
{
	bool complex = asl_type(type_of(check))->is_complex;
	struct pass x = {number, complex ? check->e->inputs + 1 : 1, 0};

	if (complex && number < x.points)
		x.at = cos(M_PI * (2 * number + 1) / (2 * x.points));
	return x;
}

/* What the value at its point is multiplied by to get that at i (Lagrange). */
static struct asl_number share_of(const struct check *check,
				  const struct pass *x)
{
	struct asl_number share = {1, 0};

	for (int k = 0; k < x->points; k++) {
		double at = pass_of(check, k).at;

		if (k != x->number)
			share = times(share,
				      (struct asl_number){-at / (x->at - at),
							  1 / (x->at - at)});
	}
	return share;
}

static double epsilon(const struct check *check)
{
	double shares = 0;

	for (int i = 0; i < pass_of(check, 0).points; i++) {
		struct pass pass = pass_of(check, i);
		struct asl_number share = share_of(check, &pass);

		shares += hypot(share.re, share.im);
	}
	return fmax(asl_type(type_of(check))->epsilon, shares * DBL_EPSILON);
}

/* A number as the pass takes it. */
static double value_of(const struct pass *pass, struct asl_number x)
{
	if (pass->number < pass->points)
		return x.re + pass->at * x.im;
	return x.im == 0 ? fabs(x.re) : hypot(x.re, x.im);
}

/* Input `which` in the cell, weighed, by way of a buffer for a part of a row. */
static void make_slice(const struct check *check, double *at, int which,
		       const struct asl_cell *cell, uint32_t weighed,
		       const struct pass *pass)
{
	struct asl_array_source source = source_of(check->data, which);
	const struct asl_words *buffer = check->buffer;
	const struct asl_term *t = source.term;
	struct asl_run run = {.dims = t->count};

	run.words.count = asl_cell_words(cell, t);
	for (int i = 0; i < t->count; i++)
		run.box[i] = cell->of[t->index[i]];
	for (uint64_t done = 0; done < run.words.count;) {
		struct asl_tensor_row row = asl_run_row(
			&run, done,
			asl_min(buffer->count, run.words.count - done));
		struct weights w = weights_of(check, t, weighed, &row);

		asl_array_read(&source, buffer->at, &row);
		for (uint64_t j = 0; j < row.count; j++, done++) {
			struct asl_number x = number_at(check, buffer->at, j);

			at[done] = weigh(&w, j, value_of(pass, x));
			if (pass->number == pass->points)
				at[done] = fabs(at[done]);
		}
	}
}

/* Contract the slices to a number. */
static double sum_slices(struct asl_rank *r, const struct check *check,
			 const struct asl_cell *cell,
			 const struct asl_words *slice)
{
	struct asl_einsum scalar = *check->e;
	struct asl_view in[ASL_MOST_INPUTS], out;
	uint64_t len[ASL_MOST_INDICES];
	struct asl_local local;
	struct asl_words sum;
	double found;

	scalar.term[scalar.inputs] = (struct asl_term){0};
	for (int i = 0; i < scalar.indices; i++)
		len[i] = cell->of[i].count;
	asl_local_make(&local, &scalar, len, check->data->plan->cache);
	for (int i = 0; i < scalar.inputs; i++)
		in[i] = asl_view_dense(&slice[i], &scalar.term[i], len);
	asl_take(r, &sum, ASL_DRAM, 1);
	out = asl_view_dense(&sum, &scalar.term[scalar.inputs], len);
	asl_local_run(r, check->data->plan, &local, &out, in, len);
	found = r->err ? NAN : *sum.at;
	asl_give(r, &sum);
	return found;
}

/* Each index is weighed once, in the first input that has it. */
static double sum_pass(struct asl_rank *r, const struct check *check,
		       const struct asl_cell *cell,
		       const struct asl_words *slice, const struct pass *pass)
{
	uint32_t left = check->output->has;

	for (int i = 0; i < check->e->inputs; i++) {
		uint32_t has = check->e->term[i].has;

		make_slice(check, slice[i].at, i, cell, left & has, pass);
		left &= ~has;
	}
	return sum_slices(r, check, cell, slice);
}

static void sum_cell(struct asl_rank *r, const struct check *check, double *sum)
{
	struct asl_cell cell = asl_mesh_cell(check->e, &check->c->whole, r->id);
	struct asl_words slice[ASL_MOST_INPUTS];
	double ab_factor = asl_plan_ab_factor(check->data->plan);
	int points = pass_of(check, 0).points;

	for (int i = 0; i < check->e->inputs; i++)
		asl_take(r, &slice[i], ASL_DRAM,
			 asl_cell_words(&cell, &check->e->term[i]));
	for (int i = 0; !r->err && i <= points; i++) {
		struct pass pass = pass_of(check, i);
		struct asl_number share = share_of(check, &pass);
		double found =
			ab_factor * sum_pass(r, check, &cell, slice, &pass);

		if (i == points) {
			sum[MAGNITUDES] += fabs(found);
		} else {
			sum[INPUTS_RE] += share.re * found;
			sum[INPUTS_IM] += share.im * found;
		}
	}
	for (int i = check->e->inputs - 1; i >= 0; i--)
		asl_give(r, &slice[i]);
}

static double residual_of(const struct check *check, const double *sum)
{
	double error = hypot(sum[OUTPUT_RE] - sum[INPUTS_RE],
			     sum[OUTPUT_IM] - sum[INPUTS_IM]);

	return error == 0 ? 0 : error / (epsilon(check) * sum[MAGNITUDES]);
}

static double freivalds(struct asl_rank *r, struct check *check)
{
	struct asl_words weights, mine, sum;
	double residual = 0;

	r->type = ASL_FLOAT64;
	asl_take(r, &weights, ASL_DRAM, weight_words(check));
	asl_take_zeros(r, &mine, SUMS);
	asl_take_zeros(r, &sum, SUMS);
	if (!r->err) {
		set_weights(check, weights.at);
		each_row(r, check, add_weighed, mine.at);
		if (check->data->plan->c_factor != 0)
			each_row(r, check, add_given, mine.at);
		if (r->id < asl_mesh_ranks(check->e, &check->c->whole))
			sum_cell(r, check, mine.at);
	}
	asl_sum_to_root(r, check->data->plan, &sum, &mine);
	if (!r->err && r->id == 0)
		residual = residual_of(check, sum.at);
	asl_give(r, &sum);
	asl_give(r, &mine);
	asl_give(r, &weights);
	r->type = type_of(check);
	return residual;
}

static double verify(struct asl_rank *r, const struct asl_data *data,
		     struct asl_words *own, enum asl_verify how)
{
	const struct asl_contraction *c = data->plan->contraction;
	struct asl_holding h =
		asl_contraction_holding(data->plan, c->e.inputs, r->id);
	struct asl_words buffer;
	struct check check = {.data = data,
			      .c = c,
			      .e = &c->e,
			      .output = h.term,
			      .out = &own[c->e.inputs],
			      .buffer = &buffer};
	double residual;

	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	residual = (how == ASL_VERIFY_ORACLE ? oracle : freivalds)(r, &check);
	asl_give(r, &buffer);
	return residual;
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
	if (plan->contraction->way == ASL_WAY_GRAM)
		return asl_gram_owned(&plan->contraction->gram, rank, which);
	if (plan->contraction->way == ASL_WAY_CUTS)
		return asl_boxes_owned(plan, rank, which);
	if (plan->contraction->slices)
		return asl_slices_owned(plan, rank, which);
	s = asl_contraction_spread(plan->contraction, which);
	return asl_spread_words(&s, rank);
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
	if (plan->type != ASL_FLOAT64)
		fprintf(f, "type %s\n", asl_type(plan->type)->name);
	if (c->slices)
		fprintf(f, "slices %ju of %c\n", c->slices,
			c->e.letter[c->sliced]);
	if (c->way == ASL_WAY_GRAM)
		fprintf(f, "gram %dx%d\n", c->gram.blocks, c->gram.layers);
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
	asl_contraction_free((struct asl_contraction *)plan->contraction);
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
