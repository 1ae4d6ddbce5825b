/*
 * verify.c -- is C really A B?  Freivalds' test over all ranks, and the oracle
 */
#include <float.h>
#include <string.h>

#include "lib/multiply/family.h"
#include "lib/rank/collective.h"

enum { CHUNK = 65536 };

struct check {
	const struct asl_plan *plan;
	struct asl_source source[2]; /* of A and B */
	struct asl_words *own;	     /* this rank's */
};

static double largest(const double *x, uint64_t count)
{
	double most = 0;

	for (uint64_t i = 0; i < count; i++)
		most = asl_worse(most, fabs(x[i]));
	return most;
}

/* Who looks at a matrix, stretch by stretch. */
struct reader {
	void (*use)(const struct asl_stretch *s, const double *at, void *arg);
	void *arg;
};

static void read_piece(struct asl_rank *r, const struct asl_piece *piece,
		       const struct asl_words *own, struct asl_words *buffer,
		       const struct reader *reader)
{
	for (uint64_t done = 0; !r->err && done < piece->words.count;) {
		struct asl_stretch s =
			asl_piece_stretch(piece, done,
					  piece->words.count - done < CHUNK
						  ? piece->words.count - done
						  : CHUNK);
		struct asl_words from = asl_slice(own, done, s.count);
		struct asl_words to = asl_slice(buffer, 0, s.count);

		asl_copy(r, &to, &from);
		reader->use(&s, buffer->at, reader->arg);
		done += s.count;
	}
}

/* Call `use` for every stretch of this rank's words of a matrix. */
static void each_stretch(struct asl_rank *r, const struct check *check,
			 enum asl_operand which,
			 void (*use)(const struct asl_stretch *s,
				     const double *at, void *arg),
			 void *arg)
{
	struct reader reader = {use, arg};
	struct asl_words buffer, own;
	struct asl_piece piece;
	uint64_t first = 0;

	asl_take(r, &buffer, ASL_DRAM, CHUNK);
	for (int i = 0; asl_plan_piece(&piece, check->plan, r->id, which, i);
	     i++) {
		own = asl_slice(&check->own[which], first, piece.words.count);
		read_piece(r, &piece, &own, &buffer, &reader);
		first += own.count;
	}
	asl_give(r, &buffer);
}

/* y += scale X v, and norms += |X| 1, row by row. */
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

/* Entries of size 1/2 to 1: none small enough to hide an error behind. */
static void random_vector(double *x, uint64_t count, uint64_t seed)
{
	struct asl_source source = {.seed = seed, .matrix = ASL_OPERANDS};

	asl_source_read(&source, x, 0, 0, count);
	for (uint64_t i = 0; i < count; i++)
		x[i] += x[i] < 0 ? -0.5 : 0.5;
}

static void take_zeros(struct asl_rank *r, struct asl_words *x, uint64_t count)
{
	asl_take(r, x, ASL_DRAM, count);
	if (x->at)
		memset(x->at, 0, x->count * sizeof(double));
}

static double freivalds(struct asl_rank *r, const struct check *check)
{
	const struct asl_shape *s = &check->plan->shape;
	struct asl_group all = {
		.stride = 1, .size = asl_plan_ranks(check->plan), .me = r->id};
	struct asl_words x, Bx, mine, sum;
	double residual = 0;

	asl_take(r, &x, ASL_DRAM, s->n);
	/* Bx and the row sums of |B|: summed over ranks, known to all. */
	take_zeros(r, &mine, 2 * s->k);
	take_zeros(r, &Bx, 2 * s->k);
	if (!r->err) {
		random_vector(x.at, s->n, check->source[ASL_A].seed);
		each_stretch(
			r, check, ASL_B, multiply_stretch,
			&(struct product){mine.at, mine.at + s->k, x.at, 1});
		if (all.size == 1)
			asl_copy(r, &Bx, &mine);
		asl_reduce(r, &all, 0, &Bx, &mine);
		asl_broadcast(r, &all, 0, &Bx);
	}
	asl_give(r, &mine);

	/* A (B x) - C x, and the row sums of |A| and |C|, summed at rank 0. */
	take_zeros(r, &mine, 3 * s->m);
	take_zeros(r, &sum, 3 * s->m);
	if (!r->err) {
		each_stretch(
			r, check, ASL_A, multiply_stretch,
			&(struct product){mine.at, mine.at + s->m, Bx.at, 1});
		each_stretch(r, check, ASL_C, multiply_stretch,
			     &(struct product){mine.at, mine.at + 2 * s->m,
					       x.at, -1});
		if (all.size == 1)
			asl_copy(r, &sum, &mine);
		asl_reduce(r, &all, 0, &sum, &mine);
	}
	if (!r->err && r->id == 0) {
		double A = largest(sum.at + s->m, s->m);
		double B = largest(Bx.at + s->k, s->k);
		double C = largest(sum.at + 2 * s->m, s->m);
		double error = largest(sum.at, s->m);
		double scale = DBL_EPSILON *
			       (double)(s->n > s->k ? s->n : s->k) *
			       (A * B + C) * largest(x.at, s->n);

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
};

static void check_stretch(const struct asl_stretch *s, const double *at,
			  void *arg)
{
	struct oracle *o = arg;
	const struct asl_source *source = o->check->source;
	uint64_t k = o->check->plan->shape.k;

	memset(o->c, 0, s->count * sizeof(double));
	memset(o->size, 0, s->count * sizeof(double));
	asl_source_read(&source[ASL_A], o->a, s->row, 0, k);
	for (uint64_t l = 0; l < k; l++) {
		asl_source_read(&source[ASL_B], o->b, l, s->col, s->count);
		for (uint64_t j = 0; j < s->count; j++) {
			o->c[j] += o->a[l] * o->b[j];
			o->size[j] += fabs(o->a[l] * o->b[j]);
		}
	}
	for (uint64_t j = 0; j < s->count; j++) {
		double error = fabs(at[j] - o->c[j]);
		double scale = DBL_EPSILON * (double)k * o->size[j];

		if (error != 0)
			o->worst = asl_worse(o->worst, error / scale);
	}
}

static double oracle(struct asl_rank *r, const struct check *check)
{
	struct oracle o = {.check = check};
	struct asl_words room;

	asl_take(r, &room, ASL_DRAM, check->plan->shape.k + 3 * CHUNK);
	if (!r->err) {
		o.a = room.at;
		o.b = o.a + check->plan->shape.k;
		o.c = o.b + CHUNK;
		o.size = o.c + CHUNK;
		each_stretch(r, check, ASL_C, check_stretch, &o);
	}
	asl_give(r, &room);
	return o.worst;
}

double asl_multiply_verify(struct asl_rank *r, const struct asl_data *data,
			   struct asl_words *own, enum asl_verify how)
{
	struct check check = {
		.plan = data->plan,
		.source = {asl_multiply_source(data, ASL_A),
			   asl_multiply_source(data, ASL_B)},
		.own = own,
	};

	return how == ASL_VERIFY_ORACLE ? oracle(r, &check)
					: freivalds(r, &check);
}
