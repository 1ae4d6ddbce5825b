/*
 * pair_kernel.c -- a product for each batch, by one of the local kernels
 */
#include <errno.h>
#include <limits.h>

#include "lib/contract/pair_ways.h"
#include "lib/kernels/kernel.h"
#include "lib/matrix/parts.h"

static struct asl_block matrix(const struct asl_view *x,
			       const struct asl_axis *rows,
			       const struct asl_axis *cols, const uint64_t *len)
{
	uint64_t ld = rows->len > 1 ? asl_axis_step(rows, x, len) : cols->len;

	return (struct asl_block){x->where, rows->len, cols->len, ld, x->at};
}

static struct asl_product product(const struct asl_sides_of_pair *s)
{
	return (struct asl_product){
		.m = s->p->rows.len,
		.n = s->p->cols.len,
		.k = s->p->sum.len,
		.cache = s->plan->cache,
		.read_cost = s->plan->costs.read,
		.write_cost = s->plan->costs.write,
		.A = s->of[0].where,
		.B = s->of[1].where,
		.C = s->of[2].where,
	};
}

/* The BLAS counts in ints. */
static bool fits_blas(struct asl_rank *r, const struct asl_block *a,
		      const struct asl_block *b, const struct asl_block *c)
{
	uint64_t most = asl_larger(asl_larger(a->ld, b->ld), c->ld);

	most = asl_larger(most, asl_larger(a->rows, a->cols));
	most = asl_larger(most, b->cols);
	if (r->data && most > INT_MAX)
		asl_rank_fail(r, -EOVERFLOW,
			      "a product of %ju x %ju by %ju x %ju is more "
			      "than a BLAS can count",
			      a->rows, a->cols, b->rows, b->cols);
	return !r->err;
}

void asl_pair_by_kernel(struct asl_rank *r, const struct asl_sides_of_pair *s)
{
	const struct asl_pairing *p = s->p;
	const struct asl_view *x = s->of;
	struct asl_product local = product(s);

	for (uint64_t i = 0; !r->err && i < p->batch.len; i++) {
		struct asl_block block[3];

		for (int j = 0; j < 3; j++) {
			struct asl_view v = asl_view_at(
				&x[j],
				asl_axis_offset(&p->batch, &x[j], s->len, i));

			block[j] = matrix(&v, j == 1 ? &p->sum : &p->rows,
					  j == 0 ? &p->sum : &p->cols, s->len);
		}
		if (fits_blas(r, &block[0], &block[1], &block[2]))
			s->plan->kernel->run(r, &local, &block[2], &block[0],
					     &block[1]);
	}
}

uint64_t asl_pair_predict_kernel(struct asl_counts *x,
				 const struct asl_sides_of_pair *s)
{
	struct asl_product local = product(s);
	struct asl_counts once = {{0}};

	asl_kernel_predict(s->plan->kernel, &once, &local);
	asl_counts_add_times(x, &once, s->p->batch.len);
	return asl_kernel_room(s->plan->kernel, &local);
}
