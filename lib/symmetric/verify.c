/*
 * verify.c -- is Y what it should be?  By a random test over all ranks, or by the
 * definition
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/plan/pieces.h"
#include "lib/rank/collective.h"
#include "lib/symmetric/family.h"

/* What each rank adds to the sums of a column. */
enum { V_Y, V_TERMS, V_SIZE, X_Y, X_Y_SIZE, SUMS };

struct check {
	struct asl_rank *r;
	const struct asl_plan *plan;
	const struct asl_words *own;
	uint64_t n, R;
	bool gradient;
	double *X;	 /* all of it */
	const double *v; /* n random words */
	double *G;	 /* R x R: (X'X) * (X'X); of a gradient */
	struct asl_words buffer;
};

static double error_of(double a, double b, double n, double size)
{
	return a == b ? 0 : fabs(a - b) / (DBL_EPSILON * n * size);
}

static double expected_of_X(const struct check *c, uint64_t row, uint64_t col)
{
	double sum = 0;

	for (uint64_t i = 0; c->gradient && i < c->R; i++)
		sum += c->X[row * c->R + i] * c->G[i * c->R + col];
	return sum;
}

/* ---- All of X ---- */

struct placing {
	struct check *c;
	double *to;
};

static void read_pieces(struct check *c, int which,
			void (*use)(struct check *c, uint64_t row,
				    const double *at, void *arg),
			void *arg)
{
	struct asl_piece x;
	uint64_t done = 0;

	for (int i = 0;
	     !c->r->err && asl_symmetric_piece(&x, c->plan, c->r->id, which, i);
	     i++)
		for (uint64_t j = 0; j < x.rows.count && !c->r->err; j++) {
			struct asl_words from =
				asl_slice(&c->own[which], done, c->R);
			struct asl_words to = asl_slice(&c->buffer, 0, c->R);

			asl_copy(c->r, &to, &from);
			if (!c->r->err)
				use(c, x.rows.first + j, to.at, arg);
			done += c->R;
		}
}

static void place(struct check *c, uint64_t row, const double *at, void *arg)
{
	memcpy((double *)arg + row * c->R, at, c->R * sizeof *at);
}

static void square_gram(struct check *c)
{
	uint64_t R = c->R;

	memset(c->G, 0, R * R * sizeof *c->G);
	for (uint64_t i = 0; i < c->n; i++)
		for (uint64_t a = 0; a < R; a++)
			for (uint64_t b = 0; b < R; b++)
				c->G[a * R + b] +=
					c->X[i * R + a] * c->X[i * R + b];
	for (uint64_t i = 0; i < R * R; i++)
		c->G[i] *= c->G[i];
}

/* Sum over all ranks, known to all. */
static void add_up(struct asl_rank *r, int ranks, struct asl_words *whole,
		   const struct asl_words *mine)
{
	struct asl_group all = {.stride = 1, .size = ranks, .me = r->id};

	if (ranks == 1)
		asl_copy(r, whole, mine);
	asl_reduce(r, &all, 0, whole, mine);
	asl_broadcast(r, &all, 0, whole);
}

static void take_zeros(struct asl_rank *r, struct asl_words *x, uint64_t count)
{
	asl_take(r, x, ASL_DRAM, count);
	if (x->at)
		memset(x->at, 0, x->count * sizeof(double));
}

static void gather(struct check *c, struct asl_words *X)
{
	struct asl_words mine;

	take_zeros(c->r, &mine, c->n * c->R);
	if (!c->r->err)
		read_pieces(c, ASL_X, place, mine.at);
	add_up(c->r, asl_plan_ranks(c->plan), X, &mine);
	asl_give(c->r, &mine);
	c->X = X->at;
	if (c->gradient && !c->r->err)
		square_gram(c);
}

/* ---- The test ---- */

struct testing {
	struct check *c;
	double *sums; /* [R][SUMS] */
	uint64_t done;
};

/* What one entry adds to v'y, and how large that is. */
static void add_entry(const struct testing *t, double A, uint64_t a, uint64_t b,
		      uint64_t c, bool packed)
{
	const struct check *k = t->c;

	for (uint64_t l = 0; l < k->R; l++) {
		double *sums = t->sums + l * SUMS;
		double xa = k->X[a * k->R + l], xb = k->X[b * k->R + l];
		double xc = k->X[c * k->R + l], term;

		if (!packed)
			term = k->v[a] * xb * xc;
		else if (a == b && b == c)
			term = k->v[a] * xa * xa;
		else if (a == b)
			term = 2 * k->v[a] * xa * xc + k->v[c] * xa * xa;
		else if (b == c)
			term = k->v[a] * xb * xb + 2 * k->v[b] * xa * xb;
		else
			term = 2 * (k->v[a] * xb * xc + k->v[b] * xa * xc +
				    k->v[c] * xa * xb);
		sums[V_TERMS] += A * term;
		sums[V_SIZE] += fabs(A * term);
	}
}

static void test_entries(const struct asl_entries *x, void *arg)
{
	struct testing *t = arg;
	struct check *c = t->c;

	for (uint64_t done = 0; done < x->count && !c->r->err;) {
		uint64_t count = asl_least(x->count - done, c->buffer.count);
		struct asl_words from =
			asl_slice(&c->own[ASL_TENSOR], t->done, count);
		struct asl_words to = asl_slice(&c->buffer, 0, count);

		asl_copy(c->r, &to, &from);
		for (uint64_t i = 0; i < count && !c->r->err; i++)
			add_entry(t, to.at[i], x->a, x->b, x->c + done + i,
				  x->packed);
		done += count;
		t->done += count;
	}
}

static void test_row(struct check *c, uint64_t row, const double *y, void *arg)
{
	struct testing *t = arg;

	for (uint64_t l = 0; l < c->R; l++) {
		double *sums = t->sums + l * SUMS, x = c->X[row * c->R + l];
		double other = expected_of_X(c, row, l);

		sums[V_Y] += c->v[row] * (c->gradient ? other - y[l] : y[l]);
		sums[V_SIZE] +=
			fabs(c->v[row] * y[l]) + fabs(c->v[row] * other);
		sums[X_Y] += x * y[l];
		sums[X_Y_SIZE] += fabs(x * y[l]);
	}
}

static double judge(const struct check *c, const double *sums)
{
	double worst = 0, n = (double)c->n;

	for (uint64_t l = 0; l < c->R; l++, sums += SUMS) {
		worst = asl_worse(worst, error_of(sums[V_Y], sums[V_TERMS], n,
						  sums[V_SIZE]));
		if (c->plan->algorithm == &asl_symmetric_hopm)
			worst = asl_worse(
				worst, error_of(c->r->outcome.eigenvalue,
						sums[X_Y], n, sums[X_Y_SIZE]));
	}
	return worst;
}

static double test(struct check *c)
{
	struct asl_words mine, whole;
	struct testing t = {c, NULL, 0};
	double residual = 0;

	take_zeros(c->r, &mine, c->R * SUMS);
	take_zeros(c->r, &whole, c->R * SUMS);
	t.sums = mine.at;
	if (!c->r->err)
		asl_symmetric_each(c->plan, c->r->id, test_entries, &t);
	read_pieces(c, ASL_Y, test_row, &t);
	add_up(c->r, asl_plan_ranks(c->plan), &whole, &mine);
	if (!c->r->err && c->r->id == 0)
		residual = judge(c, whole.at);
	asl_give(c->r, &whole);
	asl_give(c->r, &mine);
	return residual;
}

/* ---- The oracle ---- */

struct oracle {
	struct asl_tensor_source source;
	double worst;
};

static void compare_row(struct check *c, uint64_t row, const double *y,
			void *arg)
{
	struct oracle *o = arg;

	for (uint64_t l = 0; l < c->R; l++) {
		double other = expected_of_X(c, row, l), sum = 0;
		double size = fabs(other);

		for (uint64_t j = 0; j < c->n; j++)
			for (uint64_t k = 0; k < c->n; k++) {
				double term = asl_tensor_entry(&o->source, row,
							       j, k) *
					      c->X[j * c->R + l] *
					      c->X[k * c->R + l];

				sum += term;
				size += fabs(term);
			}
		o->worst = asl_worse(o->worst,
				     error_of(y[l],
					      c->gradient ? other - sum : sum,
					      (double)c->n, size));
	}
}

double asl_symmetric_verify(struct asl_rank *r, const struct asl_data *data,
			    struct asl_words *own, enum asl_verify how)
{
	const struct asl_symmetric *s = data->plan->symmetric;
	struct asl_source random = {.seed = data->seed, .matrix = ASL_Y + 1};
	uint64_t R = (uint64_t)s->columns;
	struct oracle o = {asl_symmetric_source(data), 0};
	struct check c = {
		.r = r,
		.plan = data->plan,
		.own = own,
		.n = s->n,
		.R = R,
		.gradient = data->plan->algorithm == &asl_symmetric_cpgrad,
	};
	struct asl_words X, v, G;
	double residual = 0;

	asl_take(r, &c.buffer, ASL_DRAM,
		 asl_larger(R, asl_least(ASL_CHUNK, own[ASL_TENSOR].count)));
	asl_take(r, &X, ASL_DRAM, s->n * R);
	asl_take(r, &v, ASL_DRAM, s->n);
	asl_take(r, &G, ASL_DRAM, R * R);
	c.v = v.at;
	c.G = G.at;
	if (!r->err)
		asl_source_read(&random, v.at, 0, 0, s->n);
	gather(&c, &X);
	if (how == ASL_VERIFY_ORACLE) {
		read_pieces(&c, ASL_Y, compare_row, &o);
		residual = o.worst;
	} else if (!r->err) {
		residual = test(&c);
	}
	asl_give(r, &G);
	asl_give(r, &v);
	asl_give(r, &X);
	asl_give(r, &c.buffer);
	return residual;
}
