/*
 * pair_choose.c -- which way a pair of tensors is multiplied, with fewest copies
 *
 * Every order of indices that could save a copy is tried: rows and columns as C
 * has them or as A and B do, the sum as A or as B has it, batches as any of the
 * three; one index alone has one order.  What is compared are rough nanoseconds;
 * only ratios matter, and these only where one way is far better.
 */
#include <math.h>

#include "lib/contract/pair.h"

/* Of a copied word, in and out; of a call of a kernel, or on a vector. */
#define COPY_NS 4.0
#define KERNEL_NS 300.0
#define VECTOR_NS 150.0

/* The tensors to be paired; C may have no order yet. */
struct asked {
	const struct asl_view *A, *B, *C;
	uint32_t kept;
	const uint64_t *len;
};

static bool is_matrix(const struct asl_view *x, const struct asl_axis *rows,
		      const struct asl_axis *cols, const uint64_t *len)
{
	uint64_t down, across;

	return asl_axis_even(rows, x, len, &down) &&
	       asl_axis_even(cols, x, len, &across) && across == 1;
}

static bool is_vectors(const struct asl_view *x, const struct asl_axis *rows,
		       const struct asl_axis *cols,
		       const struct asl_axis *batch, const uint64_t *len)
{
	uint64_t step;

	return asl_axis_even(rows, x, len, &step) &&
	       asl_axis_even(cols, x, len, &step) &&
	       asl_axis_even(batch, x, len, &step) && step == 1;
}

/* A term of three axes, one after another. */
static struct asl_term chain(const struct asl_axis *a, const struct asl_axis *b,
			     const struct asl_axis *c)
{
	const struct asl_axis *axis[] = {a, b, c};
	int index[ASL_MOST_INDICES], count = 0;

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < axis[i]->count; j++)
			index[count++] = axis[i]->index[j];
	return asl_term_of(index, count);
}

static void order_terms(struct asl_pairing *p)
{
	const struct asl_axis *b = &p->batch, *m = &p->rows, *n = &p->cols,
			      *k = &p->sum;

	p->order[0] = p->vector ? chain(m, k, b) : chain(b, m, k);
	p->order[1] = p->vector ? chain(k, n, b) : chain(b, k, n);
	p->order[2] = p->vector ? chain(m, n, b) : chain(b, m, n);
}

double asl_pairing_time(const struct asl_pairing *p)
{
	double m = (double)p->rows.len, n = (double)p->cols.len;
	double k = (double)p->sum.len, b = (double)p->batch.len;
	double copies = COPY_NS * (double)p->copied;
	double words = m * k + k * n + m * n;

	if (p->vector)
		return copies + m * n * (VECTOR_NS + k * b);
	return copies + b * (KERNEL_NS + fmax(m * n * k / 8, words));
}

/* What is copied, now that all axes are known; keep it if it is best so far. */
static void consider(struct asl_pairing *best, struct asl_pairing *p,
		     const struct asked *x)
{
	const struct asl_view *side[] = {p->swapped ? x->B : x->A,
					 p->swapped ? x->A : x->B, x->C};
	const struct asl_axis *rows[] = {&p->rows, &p->sum, &p->rows};
	const struct asl_axis *cols[] = {&p->sum, &p->cols, &p->cols};

	p->copied = 0;
	for (int i = 0; i < 3; i++) {
		p->copies[i] =
			side[i] &&
			!(p->vector ? is_vectors(side[i], rows[i], cols[i],
						 &p->batch, x->len)
				    : is_matrix(side[i], rows[i], cols[i],
						x->len));
		if (p->copies[i])
			p->copied += rows[i]->len * cols[i]->len * p->batch.len;
	}
	if (!best->batch.len || asl_pairing_time(p) < asl_pairing_time(best))
		*best = *p;
}

static void try_orders(struct asl_pairing *best, const struct asked *x,
		       bool vector, bool swapped, bool as_C)
{
	const struct asl_term *A = (swapped ? x->B : x->A)->term;
	const struct asl_term *B = (swapped ? x->A : x->B)->term;
	const struct asl_term *C = as_C ? x->C->term : NULL;
	const struct asl_term *sum[] = {A, B};
	const struct asl_term *batch[] = {A, B, C};
	uint32_t both = A->has & B->has;
	struct asl_pairing p = {.vector = vector, .swapped = swapped};

	p.rows = asl_axis_of(C ? C : A, A->has & x->kept & ~both, x->len);
	p.cols = asl_axis_of(C ? C : B, B->has & x->kept & ~both, x->len);
	for (int i = 0; i < 2; i++) {
		p.sum = asl_axis_of(sum[i], both & ~x->kept, x->len);
		for (int j = 0; j < (C ? 3 : 2); j++) {
			p.batch = asl_axis_of(batch[j], both & x->kept, x->len);
			consider(best, &p, x);
			if (p.batch.count < 2)
				break;
		}
		if (p.sum.count < 2)
			break;
	}
}

/* What is one long has no place in an axis, but one in a tensor. */
static void add_missing(struct asl_term *t, uint32_t kept)
{
	int index[ASL_MOST_INDICES], count = 0;

	for (int i = 0; i < t->count; i++)
		index[count++] = t->index[i];
	for (int i = 0; i < ASL_MOST_INDICES; i++)
		if ((kept & ~t->has) >> i & 1)
			index[count++] = i;
	*t = asl_term_of(index, count);
}

void asl_pair_choose(struct asl_pairing *p, const struct asl_view *A,
		     const struct asl_view *B, const struct asl_view *C,
		     uint32_t kept, const uint64_t *len)
{
	struct asked x = {A, B, C, kept, len};

	*p = (struct asl_pairing){0};
	for (int vector = 0; vector < 2; vector++)
		for (int swapped = 0; swapped < 2; swapped++)
			for (int as_C = 0; as_C < (C ? 2 : 1); as_C++)
				try_orders(p, &x, vector, swapped, as_C);
	order_terms(p);
	if (!C)
		add_missing(&p->order[2], kept);
}
