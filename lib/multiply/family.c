/*
 * family.c -- multiplication as a family of algorithms
 */
#include "lib/multiply/multiply.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/team.h"
#include "lib/matrix/format.h"
#include "lib/multiply/bounds.h"
#include "lib/plan/pieces.h"

/*
 * A and B into the pool before a run, C out of it after
 *
 * Both are phases of their own that no total counts; they move words with the
 * rank's verbs all the same, in chunks that a little DRAM holds.
 */

/* Files of one process; C at rank 0. */
struct files {
	struct asl_matrix_in *in[ASL_OPERANDS]; /* C, if it is added to */
	struct asl_matrix_out *out;
};

int asl_multiply_open(struct asl_data *data)
{
	const struct asl_shape *x = asl_shape_of(data->plan);
	struct files *f = calloc(1, sizeof *f);
	int err;

	if (!f)
		return asl_fail(-ENOMEM, "no memory for operands");
	data->opened = f;
	if (data->first_rows)
		return 0;
	err = asl_operand_open(&f->in[ASL_A], data, ASL_A, "A", x->m, x->k);
	if (!err)
		err = asl_operand_open(&f->in[ASL_B], data, ASL_B, "B", x->k,
				       x->n);
	if (!err && data->plan->c_factor != 0)
		err = asl_operand_open(&f->in[ASL_C], data, ASL_C, "C", x->m,
				       x->n);
	return err;
}

static int multiply_create(struct asl_data *data)
{
	struct files *f = data->opened;
	const struct asl_shape *x = asl_shape_of(data->plan);

	if (data->first_rows)
		return 0;
	if (data->into)
		return asl_given_create(&f->out, data->into, x->m, x->n);
	return asl_matrix_create(&f->out, data->result, x->m, x->n);
}

static void multiply_close(struct asl_data *data)
{
	struct files *f = data->opened;

	if (!f)
		return;
	for (int i = 0; i < ASL_OPERANDS; i++)
		asl_matrix_close(f->in[i]);
	asl_matrix_discard(f->out);
	free(f);
	data->opened = NULL;
}

/* Words of A or B, or of C as it was. */
static struct asl_source source_of(const struct asl_data *data,
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

/* No word of C passes for last time's, unless all are as they were. */
static void fill_result(struct asl_rank *r, const struct asl_data *data,
			const struct asl_words *own)
{
	struct asl_source source = source_of(data, ASL_C);
	bool adds = data->plan->c_factor != 0;

	asl_fill_pieces(r, data->plan, piece_of, ASL_C, adds ? &source : NULL,
			own);
}

static void multiply_fill(struct asl_rank *r, const struct asl_data *data,
			  struct asl_words *own)
{
	asl_phase(r, ASL_FILL);
	for (int i = ASL_A; i <= ASL_B; i++) {
		struct asl_source source = source_of(data, i);
		struct asl_rows rows;

		if (data->first_rows) {
			rows = rows_of(data, i);
			asl_rows_fill(r, data->plan, piece_of, i, &rows,
				      &own[i]);
		} else {
			asl_fill_pieces(r, data->plan, piece_of, i, &source,
					&own[i]);
		}
	}
	if (r->id < asl_plan_ranks(data->plan))
		fill_result(r, data, &own[ASL_C]);
}

static int multiply_write(struct asl_rank *r, struct asl_data *data,
			  struct asl_words *own)
{
	struct files *f = data->opened;
	struct asl_rows rows;

	if (data->first_rows) {
		rows = rows_of(data, ASL_C);
		asl_rows_write(r, data->plan, piece_of, ASL_C, &rows,
			       &own[ASL_C]);
		return r->err;
	}
	return asl_write_pieces(r, data->plan, piece_of, ASL_C, &f->out,
				&own[ASL_C]);
}

/*
 * Is C really A B?  Freivalds' test over all ranks, and the oracle
 */

enum { CHUNK = 65536, STRETCHES = 256 };

struct check {
	const struct asl_plan *plan;
	struct asl_source source[ASL_OPERANDS];
	struct asl_words *own; /* this rank's */
};

static double largest(const double *x, uint64_t count)
{
	double most = 0;

	for (uint64_t i = 0; i < count; i++)
		most = asl_worse(most, fabs(x[i]));
	return most;
}

typedef void stretch_user(const struct asl_stretch *s, const double *at,
			  void *arg);

/* Stretches in a buffer that are used by all threads, or (`alone`) by one. */
struct reading {
	stretch_user *use;
	void *arg;
	bool alone;
	struct asl_words buffer;
	struct asl_stretch of[STRETCHES];
	const double *at[STRETCHES];
	int count, pieces;
};

static void use_stretches(void *arg, int piece)
{
	const struct reading *x = arg;
	struct asl_range part = asl_part((uint64_t)x->count, x->pieces, piece);

	for (uint64_t i = part.first; i < part.first + part.count; i++)
		x->use(&x->of[i], x->at[i], x->arg);
}

/* Whole stretches from word `done` on, as many as fit; returns their words. */
static uint64_t list_stretches(struct reading *x, const struct asl_piece *piece,
			       uint64_t done)
{
	uint64_t all = piece->words.count, words = 0;
	int most = x->alone || asl_team_threads() == 1 ? 1 : STRETCHES;

	for (x->count = 0; x->count < most && done + words < all; x->count++) {
		struct asl_stretch s =
			asl_piece_stretch(piece, done + words,
					  asl_min(CHUNK, all - done - words));

		if (words + s.count > CHUNK)
			break;
		x->of[x->count] = s;
		x->at[x->count] = x->buffer.at + words;
		words += s.count;
	}
	x->pieces = asl_team_pieces(words, ASL_TEAM_WORDS);
	return words;
}

static void read_piece(struct asl_rank *r, const struct asl_piece *piece,
		       const struct asl_words *own, struct reading *x)
{
	uint64_t words;

	for (uint64_t done = 0; !r->err && done < piece->words.count;
	     done += words) {
		struct asl_words from, to;

		words = list_stretches(x, piece, done);
		from = asl_slice(own, done, words);
		to = asl_slice(&x->buffer, 0, words);
		asl_copy(r, &to, &from);
		asl_team_run(x->alone ? 1 : x->pieces, use_stretches, x);
	}
}

/* Use every stretch of this rank's words of a matrix. */
static void each_stretch(struct asl_rank *r, const struct check *check,
			 enum asl_operand which, struct reading *x)
{
	struct asl_words own;
	struct asl_piece piece;
	uint64_t first = 0;

	asl_take(r, &x->buffer, ASL_DRAM, CHUNK);
	for (int i = 0; asl_plan_piece(&piece, check->plan, r->id, which, i);
	     i++) {
		own = asl_slice(&check->own[which], first, piece.words.count);
		read_piece(r, &piece, &own, x);
		first += own.count;
	}
	asl_give(r, &x->buffer);
}

/* y += scale X v, and norms += |X| 1, row by row: a row is one stretch's. */
struct product {
	double *y, *norms;
	const double *v;
	double scale;
};

static void multiply_stretch(const struct asl_stretch *s, const double *at,
			     void *arg)
{
	struct product *p = arg;
	double sum = 0, norm = 0;

	for (uint64_t i = 0; i < s->count; i++) {
		sum += at[i] * p->v[s->col + i];
		norm += fabs(at[i]);
	}
	p->y[s->row] += p->scale * sum;
	p->norms[s->row] += norm;
}

/* As multiply_stretch, for what C was there: it is read again. */
struct given {
	struct product product;
	const struct asl_source *source;
	double *at; /* CHUNK words */
};

static void multiply_given(const struct asl_stretch *s, const double *at,
			   void *arg)
{
	struct given *x = arg;

	(void)at;
	asl_source_read(x->source, x->at, s->row, s->col, s->count);
	multiply_stretch(s, x->at, &x->product);
}

/* y += c_factor C v, and norms += |C| 1. */
static void multiply_given_C(struct asl_rank *r, const struct check *check,
			     struct product *p)
{
	struct given x = {*p, &check->source[ASL_C], NULL};
	struct reading reading = {
		.use = multiply_given, .arg = &x, .alone = true};
	struct asl_words room;

	if (check->plan->c_factor == 0)
		return;
	x.product.scale = check->plan->c_factor;
	asl_take(r, &room, ASL_DRAM, CHUNK);
	x.at = room.at;
	if (!r->err)
		each_stretch(r, check, ASL_C, &reading);
	asl_give(r, &room);
}

static void multiply(struct asl_rank *r, const struct check *check,
		     enum asl_operand which, struct product *p)
{
	struct reading x = {.use = multiply_stretch, .arg = p};

	each_stretch(r, check, which, &x);
}

/* Entries of size 1/2 to 1: none small enough to hide an error behind. */
static void random_vector(double *x, uint64_t count, uint64_t seed)
{
	struct asl_source source = {.seed = seed, .matrix = ASL_OPERANDS};

	asl_source_read(&source, x, 0, 0, count);
	for (uint64_t i = 0; i < count; i++)
		x[i] += x[i] < 0 ? -0.5 : 0.5;
}

static double freivalds(struct asl_rank *r, const struct check *check)
{
	const struct asl_shape *s = asl_shape_of(check->plan);
	double ab_factor = asl_plan_ab_factor(check->plan), residual = 0;
	struct asl_words x, Bx, mine, sum;

	asl_take(r, &x, ASL_DRAM, s->n);
	/* Bx and the row sums of |B|: summed over ranks, known to all. */
	asl_take_zeros(r, &mine, 2 * s->k);
	asl_take_zeros(r, &Bx, 2 * s->k);
	if (!r->err) {
		random_vector(x.at, s->n, check->source[ASL_A].seed);
		multiply(r, check, ASL_B,
			 &(struct product){mine.at, mine.at + s->k, x.at, 1});
		asl_sum_to_all(r, check->plan, &Bx, &mine);
	}
	asl_give(r, &mine);

	/* A (B x) - C x, and the row sums of |A| and |C|, summed at rank 0. */
	asl_take_zeros(r, &mine, 4 * s->m);
	asl_take_zeros(r, &sum, 4 * s->m);
	if (!r->err) {
		multiply(r, check, ASL_A,
			 &(struct product){mine.at, mine.at + s->m, Bx.at,
					   ab_factor});
		multiply_given_C(r, check,
				 &(struct product){mine.at, mine.at + 3 * s->m,
						   x.at, 1});
		multiply(r, check, ASL_C,
			 &(struct product){mine.at, mine.at + 2 * s->m, x.at,
					   -1});
		asl_sum_to_root(r, check->plan, &sum, &mine);
	}
	if (!r->err && r->id == 0) {
		double A = largest(sum.at + s->m, s->m);
		double B = largest(Bx.at + s->k, s->k);
		double C = largest(sum.at + 2 * s->m, s->m);
		double was = largest(sum.at + 3 * s->m, s->m);
		double error = largest(sum.at, s->m);
		double scale = DBL_EPSILON * (double)asl_max(s->n, s->k) *
			       (fabs(ab_factor) * A * B + C +
				fabs(check->plan->c_factor) * was) *
			       largest(x.at, s->n);

		residual = error == 0 ? 0 : error / scale;
	}
	asl_give(r, &sum);
	asl_give(r, &mine);
	asl_give(r, &Bx);
	asl_give(r, &x);
	return residual;
}

/* ---- The oracle ---- */

struct oracle {
	const struct check *check;
	double *a, *b, *c, *size; /* rows of k, CHUNK, CHUNK, CHUNK words */
	double worst;
	uint64_t words;
};

/* Zeros, or the multiple of C as it was. */
static void begin_entries(struct oracle *o, const struct asl_stretch *s)
{
	double factor = o->check->plan->c_factor;

	memset(o->c, 0, s->count * sizeof(double));
	memset(o->size, 0, s->count * sizeof(double));
	if (factor == 0)
		return;
	asl_source_read(&o->check->source[ASL_C], o->b, s->row, s->col,
			s->count);
	for (uint64_t j = 0; j < s->count; j++) {
		o->c[j] = factor * o->b[j];
		o->size[j] = fabs(o->c[j]);
	}
}

static void check_stretch(const struct asl_stretch *s, const double *at,
			  void *arg)
{
	struct oracle *o = arg;
	const struct asl_source *source = o->check->source;
	double ab_factor = asl_plan_ab_factor(o->check->plan);
	uint64_t k = asl_shape_of(o->check->plan)->k;

	begin_entries(o, s);
	asl_source_read(&source[ASL_A], o->a, s->row, 0, k);
	for (uint64_t l = 0; l < k; l++) {
		asl_source_read(&source[ASL_B], o->b, l, s->col, s->count);
		for (uint64_t j = 0; j < s->count; j++) {
			double term = ab_factor * o->a[l] * o->b[j];

			o->c[j] += term;
			o->size[j] += fabs(term);
		}
	}
	for (uint64_t j = 0; j < s->count; j++) {
		double error = fabs(at[j] - o->c[j]);
		double scale = DBL_EPSILON * (double)k * o->size[j];

		if (error != 0)
			o->worst = asl_worse(o->worst, error / scale);
	}
	o->words += s->count;
}

static double oracle(struct asl_rank *r, const struct check *check)
{
	struct oracle o = {.check = check};
	struct reading x = {.use = check_stretch, .arg = &o, .alone = true};
	struct asl_words scratch;

	asl_take(r, &scratch, ASL_DRAM,
		 asl_shape_of(check->plan)->k + 3 * CHUNK);
	if (!r->err) {
		o.a = scratch.at;
		o.b = o.a + asl_shape_of(check->plan)->k;
		o.c = o.b + CHUNK;
		o.size = o.c + CHUNK;
		each_stretch(r, check, ASL_C, &x);
	}
	asl_give(r, &scratch);
	return asl_compared(r, check->plan, o.worst, o.words,
			    asl_shape_of(check->plan)->m *
				    asl_shape_of(check->plan)->n);
}

/*
 * Freivalds: C x against A (B x), or its multiple and that of C as it was, times x, for
 * a random x, over all ranks that the grid uses.  || A B x - C x || / (eps max(n, k) (|| A || || B || + || C ||) || x ||)
 * in the maximum norm at rank 0; 0 elsewhere.
 *
 * The oracle: every entry of this rank's C against a sum of products of entries
 * that are drawn or read again: the largest |error| / (eps k sum |a b|).
 */
static double multiply_verify(struct asl_rank *r, const struct asl_data *data,
			      struct asl_words *own, enum asl_verify how)
{
	struct check check = {
		.plan = data->plan,
		.source = {source_of(data, ASL_A), source_of(data, ASL_B),
			   source_of(data, ASL_C)},
		.own = own,
	};

	return how == ASL_VERIFY_ORACLE ? oracle(r, &check)
					: freivalds(r, &check);
}

static int operands(const struct asl_plan *plan)
{
	(void)plan;
	return ASL_OPERANDS;
}

static int fixed(const struct asl_plan *plan)
{
	(void)plan;
	return ASL_C;
}

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_piece x;
	uint64_t words = 0;

	for (int i = 0; asl_plan_piece(&x, plan, rank, which, i); i++)
		words += x.words.count;
	return words;
}

/* A and B are gathered where the plan has its panels, C is summed in the pool. */
static struct asl_range room(const struct asl_plan *plan, int rank, int which)
{
	bool in_pool = which == ASL_C || plan->panels == ASL_POOL;
	struct asl_piece x, other;

	if (!in_pool || !asl_plan_runs(plan)->matmul->in_panel[which] ||
	    !piece_of(&x, plan, rank, which, 0) ||
	    piece_of(&other, plan, rank, which, 1))
		return (struct asl_range){0, owned(plan, rank, which)};
	return (struct asl_range){x.words.first, x.rows.count * x.cols.count};
}

static int ranks(const struct asl_plan *plan)
{
	return asl_grid_ranks(&plan->grid);
}

static void describe(FILE *f, const struct asl_plan *plan)
{
	const struct asl_multiplication *x = plan->multiplication;

	fprintf(f, "m %ju\nn %ju\nk %ju\npanel %ju\nblocks %d x %d x %d\n",
		x->shape.m, x->shape.n, x->shape.k, x->panel, x->bands,
		x->slices, x->layers);
}

static void release(struct asl_plan *plan)
{
	free((struct asl_multiplication *)plan->multiplication);
	plan->multiplication = NULL;
}

const struct asl_family asl_family_multiply = {
	.name = "multiplication",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.room = room,
	.ranks = ranks,
	.describe = describe,
	.forecast = asl_multiply_forecast,
	.release = release,
	.open = asl_multiply_open,
	.create = multiply_create,
	.close = multiply_close,
	.fill = multiply_fill,
	.verify = multiply_verify,
	.write = multiply_write,
	.net_bound = asl_bound_net_words,
	.io_bound = asl_bound_io_words,
	.joint_bound = asl_bound_joint,
};
