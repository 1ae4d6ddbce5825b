/*
 * sequence.c -- T = A x3 x, and then y = T x: one contraction after the other
 *
 * To compare with: it takes two thirds of the multiplications of Algorithm 3, but
 * every rank needs all of x.  Each of the P ranks owns a slab of the cube, and
 * computes its rows of T, which go to DRAM and come back, and then of y.  Per
 * rank, where P divides n:
 *
 *	B_h	(1 - 1/P) n
 *	B_r	n^3/P, n^2/P of T, n
 *	B_w	n^2/P of T, n/P
 *	flops	2 n^3/P, 2 n^2/P
 *
 * Section 8 of the paper that sttsv.c names.
 */
#include "lib/rank/blas.h"
#include "lib/rank/resume.h"
#include "lib/symmetric/cube.h"

struct product {
	uint64_t rows, wide;
	const double *x;
	double *y;
};

static void multiply(const double *A, void *arg)
{
	struct product *p = arg;

	asl_gemm(p->rows, 1, p->wide, A, p->wide, p->x, 1, 0, p->y, 1);
}

/* The product of so many rows, which lie one after another, with x. */
static void product(struct asl_rank *r, const struct asl_words *rows,
		    const struct asl_tile *x, struct asl_tile *y)
{
	struct asl_words out = asl_tile_words(y, 0, y->cols);
	struct product p = {out.count, x->cols, x->at, out.at};

	asl_compute(r, rows, 2 * rows->count, multiply, &p);
}

/* The rows that there are of T, and x. */
static void mark(struct asl_rank *r, struct asl_tile *x,
		 const struct asl_words *T, uint64_t rows)
{
	struct asl_words live[] = {
		asl_tile_words(x, 0, x->cols),
		asl_slice(T, 0, rows * x->cols),
	};

	asl_epoch(r, live, 2);
}

/*
 * Rows of T, each from a slice of the slab; in four parts, each with a mark
 * behind it.
 */
static void contract(struct asl_rank *r, const struct asl_words *A,
		     struct asl_tile *x, struct asl_words *T)
{
	uint64_t n = x->cols, rows = T->count / n, part = 0;
	struct asl_tile row;

	asl_tile_take(r, &row, 1, n);
	for (uint64_t i = 0; i < rows && !r->err; i++) {
		struct asl_words slice = asl_slice(A, i * n * n, n * n);
		struct asl_words to = asl_slice(T, i * n, n);
		struct asl_block at = asl_as_block(&to, 1, n);

		product(r, &slice, x, &row);
		asl_tile_store(r, &at, &row);
		for (; part < 4 && (i + 1) * 4 >= rows * (part + 1); part++)
			mark(r, x, T, i + 1);
	}
	for (; part < 4; part++)
		mark(r, x, T, rows);
	asl_tile_give(r, &row);
}

static void gather(struct asl_rank *r, const struct asl_cube *c,
		   struct asl_tile *x, const struct asl_words *own)
{
	struct asl_words all;
	struct asl_block from;

	asl_take(r, &all, ASL_DRAM, c->J.count);
	asl_cube_gather(r, c, &all, own);
	from = asl_as_block(&all, 1, all.count);
	asl_tile_load(r, x, &from);
	asl_give(r, &all);
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	struct asl_cube c = asl_cube(plan, r->id);
	uint64_t n = plan->symmetric->n, rows = c.I.count;
	struct asl_block to = asl_as_block(&own[ASL_Y], 1, rows);
	struct asl_tile x, y;
	struct asl_words T;

	asl_phase(r, ASL_GATHER);
	asl_tile_take(r, &x, 1, n);
	gather(r, &c, &x, &own[ASL_X]);
	asl_phase(r, ASL_COMPUTE);
	asl_take(r, &T, ASL_DRAM, rows * n);
	contract(r, &own[ASL_TENSOR], &x, &T);
	asl_tile_take(r, &y, 1, rows);
	product(r, &T, &x, &y);
	asl_tile_store(r, &to, &y);
	asl_tile_give(r, &y);
	asl_give(r, &T);
	asl_tile_give(r, &x);
}

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	struct asl_cube c = asl_cube(plan, rank);
	uint64_t n = plan->symmetric->n, rows = c.I.count;
	uint64_t *compute = out->in[ASL_COMPUTE].of;

	asl_cube_predict_gather(&out->in[ASL_GATHER], &c);
	out->in[ASL_GATHER].of[ASL_DRAM_READ] += n;
	compute[ASL_NVM_READ] = rows * n * n;
	compute[ASL_DRAM_WRITE] = compute[ASL_DRAM_READ] = rows * n;
	compute[ASL_NVM_WRITE] = rows;
	compute[ASL_FLOPS] = 2 * rows * n * n + 2 * rows * n;
	out->pool_high = rows * n * n + asl_cube_x(&c).count + rows;
	out->memory_high = out->pool_high + n +
			   asl_larger(n, rows * n + asl_larger(n, rows));
}

const struct asl_algorithm asl_symmetric_sequence = {
	.name = "sttsv-sequence",
	.summary = "the same as two contractions, one after the other",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = predict,
	.run = run,
};
