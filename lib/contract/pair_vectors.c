/*
 * pair_vectors.c -- C(i, j) += A(i, k) B(k, j), each a vector of all batches
 *
 * A slice of B stays in the cache while the rows of A go by, which are as deep
 * as it is, and a vector of C.
 */
#include "lib/contract/pair_ways.h"
#include "lib/kernels/kernel.h"
#include "lib/matrix/parts.h"

/* Of B in the cache, with room for a vector of C. */
struct slice {
	uint64_t depth, batches;
};

static struct slice slice(const struct asl_sides_of_pair *s)
{
	uint64_t S = s->plan->cache;
	struct slice x = {.batches = asl_least(s->p->batch.len, S / 2)};

	x.depth = asl_least(s->p->sum.len, S / x.batches - 1);
	return x;
}

struct vectors {
	uint64_t depth, batches, step; /* step: from vector to vector of A */
	const double *b;	       /* depth x batches */
	double *c;
};

static void add_vectors(const double *at, void *arg)
{
	const struct vectors *v = arg;

	for (uint64_t k = 0; k < v->depth; k++) {
		const double *a = at + k * v->step, *b = v->b + k * v->batches;

		for (uint64_t i = 0; i < v->batches; i++)
			v->c[i] += a[i] * b[i];
	}
}

/* Where a slice begins in the sum and in the batches. */
struct corner {
	uint64_t sum, batch;
};

/* Every vector of C in one column, with a slice of B. */
static void down_column(struct asl_rank *r, const struct asl_sides_of_pair *s,
			uint64_t column, struct corner at, struct asl_tile *b,
			struct asl_tile *c)
{
	const struct asl_pairing *p = s->p;
	const struct asl_view *A = &s->of[0], *C = &s->of[2];
	uint64_t row_A = asl_axis_step(&p->rows, A, s->len), row_C;
	struct vectors v = {b->rows, b->cols, asl_axis_step(&p->sum, A, s->len),
			    asl_tile_words(b, 0, b->rows * b->cols).at, NULL};

	row_C = asl_axis_step(&p->rows, C, s->len);
	for (uint64_t i = 0; !r->err && i < p->rows.len; i++) {
		struct asl_view a =
			asl_view_at(A, i * row_A + at.sum * v.step + at.batch);
		struct asl_view d = asl_view_at(
			C, i * row_C +
				   column * asl_axis_step(&p->cols, C, s->len) +
				   at.batch);
		struct asl_words from = {A->where, b->rows * b->cols, a.at};
		struct asl_block to = {C->where, 1, b->cols, b->cols, d.at};

		asl_tile_zero(c, 1, b->cols);
		if (at.sum)
			asl_tile_load(r, c, &to);
		v.c = asl_tile_words(c, 0, b->cols).at;
		asl_compute(r, &from, 2 * from.count, add_vectors, &v);
		asl_tile_store(r, &to, c);
	}
}

void asl_pair_by_vectors(struct asl_rank *r, const struct asl_sides_of_pair *s)
{
	const struct asl_pairing *p = s->p;
	const struct asl_view *B = &s->of[1];
	struct slice x = slice(s);
	uint64_t down = asl_axis_step(&p->sum, B, s->len);
	uint64_t across = asl_axis_step(&p->cols, B, s->len);
	struct asl_tile b, c;

	asl_tile_take(r, &b, x.depth, x.batches);
	asl_tile_take(r, &c, 1, x.batches);
	for (uint64_t i = 0; i < p->batch.len; i += x.batches)
		for (uint64_t n = 0; n < p->cols.len; n++)
			for (uint64_t k = 0; !r->err && k < p->sum.len;
			     k += x.depth) {
				struct asl_view v = asl_view_at(
					B, n * across + k * down + i);
				struct asl_block from = {
					B->where,
					asl_least(x.depth, p->sum.len - k),
					asl_least(x.batches, p->batch.len - i),
					down, v.at};

				asl_tile_load(r, &b, &from);
				down_column(r, s, n, (struct corner){k, i}, &b,
					    &c);
			}
	asl_tile_give(r, &c);
	asl_tile_give(r, &b);
}

uint64_t asl_pair_predict_vectors(struct asl_counts *x,
				  const struct asl_sides_of_pair *s)
{
	const struct asl_pairing *p = s->p;
	struct slice cut = slice(s);
	uint64_t C = p->rows.len * p->cols.len * p->batch.len;
	uint64_t B = p->sum.len * p->cols.len * p->batch.len;
	uint64_t passes = asl_ceil_div(p->sum.len, cut.depth);

	x->of[asl_read_counter(s->of[0].where)] += C * p->sum.len;
	x->of[asl_read_counter(s->of[1].where)] += B;
	x->of[asl_read_counter(s->of[2].where)] += C * (passes - 1);
	x->of[asl_write_counter(s->of[2].where)] += C * passes;
	x->of[ASL_FLOPS] += 2 * C * p->sum.len;
	return (cut.depth + 1) * cut.batches;
}
