/*
 * cube.c -- y = A x2 x x3 x from the whole cube: sttsv-naive and the sequences
 */
#include "lib/symmetric/cube.h"

#include "lib/kernels/kernel.h"
#include "lib/rank/blas.h"
#include "lib/rank/resume.h"
#include "lib/symmetric/block.h"

struct asl_cube asl_cube(const struct asl_plan *plan, int rank)
{
	uint64_t n = plan->symmetric->n;
	int p = plan->grid.p[0], c = plan->grid.p[1];
	int l = rank % c, i = rank / c % p, j = rank / c / p;

	return (struct asl_cube){
		.order = plan->symmetric->order,
		.I = asl_part(n, p, i),
		.J = asl_part(n, c, j),
		.L = asl_part(n, c, l),
		.of_j = {.first = j * p * c,
			 .stride = 1,
			 .size = p * c,
			 .me = i * c + l},
		.along_l = {.first = (j * p + i) * c,
			    .stride = 1,
			    .size = c,
			    .me = l},
		.along_j = {.first = i * c + l,
			    .stride = p * c,
			    .size = c,
			    .me = j},
		.twin = j == l ? -1 : (l * p + i) * c + j,
	};
}

static struct asl_range share_of(struct asl_range all,
				 const struct asl_group *g)
{
	struct asl_range x = asl_share(all.count, g->size, g->me);

	x.first += all.first;
	return x;
}

struct asl_range asl_cube_x(const struct asl_cube *c)
{
	return share_of(c->J, &c->of_j);
}

struct asl_range asl_cube_y(const struct asl_cube *c)
{
	return share_of(share_of(c->I, &c->along_l), &c->along_j);
}

/* Entries with one first index. */
static uint64_t slice_words(const struct asl_cube *c)
{
	uint64_t words = c->L.count;

	for (int i = 2; i < c->order; i++)
		words *= c->J.count;
	return words;
}

struct asl_cube_pair asl_pair_of(uint64_t number)
{
	uint64_t i = (asl_isqrt(8 * number + 1) - 1) / 2;

	return (struct asl_cube_pair){i, number - asl_triangle(i)};
}

struct asl_range asl_cube_pairs(const struct asl_cube *c)
{
	return asl_part(asl_triangle(c->J.count), c->of_j.size, c->of_j.me);
}

uint64_t asl_cube_words(const struct asl_cube *c)
{
	return c->I.count * slice_words(c);
}

/* A multiply-add for each entry, for each row of entries, and so on. */
static uint64_t flops_of(const struct asl_cube *c, uint64_t slices)
{
	uint64_t flops = 0, products = slices * slice_words(c);

	for (int i = 2; i <= c->order; i++) {
		flops += 2 * products;
		products /= i == 2 ? c->L.count : c->J.count;
	}
	return flops;
}

/* Gather x(J), and x(L) unless xL is NULL, and bring them into the cache. */
static void gather(struct asl_rank *r, const struct asl_cube *c,
		   struct asl_tile *xJ, struct asl_tile *xL,
		   const struct asl_words *own)
{
	struct asl_range mine = asl_cube_x(c);
	struct asl_words J, L, *l = c->twin < 0 ? &J : &L, place;
	struct asl_block from;

	asl_take(r, &J, ASL_DRAM, c->J.count);
	asl_take(r, &L, ASL_DRAM, c->twin < 0 ? 0 : c->L.count);
	place = asl_slice(&J, mine.first - c->J.first, mine.count);
	asl_copy(r, &place, own);
	asl_allgather(r, &c->of_j, &J);
	if (c->twin >= 0)
		asl_exchange(r, c->twin, &J, c->twin, &L);
	from = asl_as_block(&J, 1, J.count);
	asl_tile_load(r, xJ, &from);
	from = asl_as_block(l, 1, l->count);
	if (xL)
		asl_tile_load(r, xL, &from);
	asl_give(r, &L);
	asl_give(r, &J);
}

static void predict_allgather(struct asl_counts *x, const struct asl_cube *c)
{
	uint64_t own = asl_cube_x(c).count;

	x->of[ASL_NVM_LIFT] += own;
	x->of[ASL_BOUNCE_WRITE] += own;
	asl_predict_allgather(x, c->J.count, c->of_j.size, c->of_j.me,
			      ASL_DRAM);
}

/*
 * sttsv-naive: y = A x2 x x3 x from all n^3 entries, as if A were not symmetric
 *
 * For comparison.  A grid p x c x c cuts the cube.  Per rank, if it divides n:
 *
 *	B_h	(1 - 1/pc) n/c of x(J), n/c of x(L) unless they are equal, and
 *		(1 - 1/c^2) n/p of y
 *	B_r	n^3/P, and n/p + 2n/c of vectors
 *	B_w	n/P
 *	flops	2 n^3/P, and 2 for each row of entries; for any d, (2 n^d + ... +
 *		2 n^2)/P
 *
 * On a cube of P ranks that is 3 n/P^(1/3) words, where sttsv sends
 * 2 n/P^(1/3), and six times its words of the tensor.
 *
 * Algorithm 3 of the paper that sttsv.c names.
 */

struct vectors {
	struct asl_cube cube;
	struct asl_tile xJ, xL, y;
	struct asl_range rows; /* of y, computed now */
};

/* Sum of the next entries times x of their last indices; *A advances. */
static double contract(const struct vectors *v, const double **A, int indices)
{
	uint64_t wide = v->cube.L.count;
	double sum = 0;

	if (indices > 1) {
		for (uint64_t b = 0; b < v->cube.J.count; b++)
			sum += v->xJ.at[b] * contract(v, A, indices - 1);
		return sum;
	}
	for (uint64_t c = 0; c < wide; c++)
		sum += (*A)[c] * v->xL.at[c];
	*A += wide;
	return sum;
}

/* y_a += the sum of A x_b ... x_c over all indices but the first. */
static void naive_multiply(const double *A, void *arg)
{
	struct vectors *v = arg;
	uint64_t end = v->rows.first + v->rows.count;

	for (uint64_t a = v->rows.first; a < end; a++)
		v->y.at[a] += contract(v, &A, v->cube.order - 1);
}

static void naive_mark(struct asl_rank *r, struct vectors *v)
{
	struct asl_words live[] = {
		asl_tile_words(&v->y, 0, v->y.cols),
		asl_tile_words(&v->xJ, 0, v->xJ.cols),
		asl_tile_words(&v->xL, 0, v->xL.cols),
	};

	asl_mark_epoch(r, live, 3);
}

/* Compute in four parts, and mark an epoch before each and after the last. */
static void naive_contract(struct asl_rank *r, struct vectors *v,
			   const struct asl_words *A)
{
	uint64_t slice = slice_words(&v->cube);

	asl_tile_words(&v->y, 0, 0);
	naive_mark(r, v);
	for (int i = 0; i < 4; i++) {
		struct asl_words x;

		v->rows = asl_part(v->cube.I.count, 4, i);
		x = asl_slice(A, v->rows.first * slice, v->rows.count * slice);
		asl_compute(r, &x, flops_of(&v->cube, v->rows.count),
			    naive_multiply, v);
		naive_mark(r, v);
	}
}

/* Sum along l, and then along j. */
static void reduce(struct asl_rank *r, struct vectors *v, struct asl_words *Y)
{
	const struct asl_cube *c = &v->cube;
	struct asl_range part =
		asl_share(c->I.count, c->along_l.size, c->along_l.me);
	struct asl_words sums;

	if (c->along_l.size == 1) {
		asl_reduce_scatter_tile(r, &c->along_l, Y, &v->y);
		return;
	}
	asl_take(r, &sums, ASL_DRAM, part.count);
	asl_reduce_scatter_tile(r, &c->along_l, &sums, &v->y);
	asl_reduce_scatter(r, &c->along_j, Y, &sums);
	asl_give(r, &sums);
}

static void naive_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words *own)
{
	struct vectors v = {.cube = asl_cube(plan, r->id)};

	asl_phase(r, ASL_GATHER);
	asl_tile_take(r, &v.y, 1, v.cube.I.count);
	asl_tile_take(r, &v.xJ, 1, v.cube.J.count);
	asl_tile_take(r, &v.xL, 1, v.cube.L.count);
	gather(r, &v.cube, &v.xJ, &v.xL, &own[ASL_X]);
	asl_phase(r, ASL_COMPUTE);
	naive_contract(r, &v, &own[ASL_TENSOR]);
	asl_phase(r, ASL_REDUCE);
	reduce(r, &v, &own[ASL_Y]);
	asl_tile_give(r, &v.xL);
	asl_tile_give(r, &v.xJ);
	asl_tile_give(r, &v.y);
}

static void predict_gather(struct asl_counts *x, const struct asl_cube *c)
{
	predict_allgather(x, c);
	x->of[ASL_DRAM_READ] += c->J.count + c->L.count;
	if (c->twin >= 0)
		asl_counts_add_net(x, c->J.count, c->L.count,
				   asl_max(c->J.count, c->L.count), 1);
}

/* Returns the words held meanwhile. */
static uint64_t predict_reduce(struct asl_counts *x, const struct asl_cube *c)
{
	int p = c->along_l.size, l = c->along_l.me, j = c->along_j.me;
	uint64_t W = c->I.count, part = asl_share(W, p, l).count;

	if (p == 1) {
		asl_predict_reduce_scatter_tile(x, W, p, l, ASL_POOL);
		return 0;
	}
	asl_predict_reduce_scatter_tile(x, W, p, l, ASL_DRAM);
	asl_predict_reduce_scatter(x, part, p, j, ASL_POOL, ASL_DRAM);
	return part + asl_max(asl_reduce_scatter_tile_scratch(W, p, l),
			      asl_reduce_scatter_scratch(part, p, j));
}

static void naive_predict(struct asl_ledger *out, const struct asl_plan *plan,
			  int rank)
{
	struct asl_cube c = asl_cube(plan, rank);
	uint64_t panels = c.J.count + (c.twin < 0 ? 0 : c.L.count);
	uint64_t reducing;

	predict_gather(&out->in[ASL_GATHER], &c);
	out->in[ASL_COMPUTE].of[ASL_NVM_READ] = asl_cube_words(&c);
	out->in[ASL_COMPUTE].of[ASL_FLOPS] = flops_of(&c, c.I.count);
	reducing = predict_reduce(&out->in[ASL_REDUCE], &c);
	out->pool_high = asl_cube_words(&c) + asl_cube_x(&c).count +
			 asl_cube_y(&c).count;
	out->memory_high = out->pool_high + asl_max(panels, reducing);
}

const struct asl_algorithm asl_symmetric_naive = {
	.name = "sttsv-naive",
	.summary = "y = A x2 x x3 x from the whole cube, ignoring its symmetry",
	.when = "you want to compare sttsv with it",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = naive_predict,
	.run = naive_run,
};

/*
 * sttsv-sequence: T = A x3 x, and then y = T x
 *
 * For comparison.  It takes two thirds of the multiplications of sttsv-naive,
 * but every rank needs all of x.  Each of the P ranks owns a slab of the cube,
 * and computes its rows of T, which go to DRAM and come back, and then of y.
 * Per rank, where P divides n:
 *
 *	B_h	(1 - 1/P) n
 *	B_r	n^3/P, n^2/P of T, n
 *	B_w	n^2/P of T, n/P
 *	flops	2 n^3/P, 2 n^2/P
 *
 * Section 8 of the paper that sttsv.c names.
 */

struct product {
	uint64_t rows, wide;
	const double *x;
	double *y;
};

static void sequence_multiply(const double *A, void *arg)
{
	struct product *p = arg;

	asl_gemm(ASL_FLOAT64, p->rows, 1, p->wide, A, p->wide, p->x, 1, 0, p->y,
		 1);
}

/* y = rows x; the rows lie one after another. */
static void product(struct asl_rank *r, const struct asl_words *rows,
		    const struct asl_tile *x, struct asl_tile *y)
{
	struct asl_words out = asl_tile_words(y, 0, y->cols);
	struct product p = {out.count, x->cols, x->at, out.at};

	asl_compute(r, rows, 2 * rows->count, sequence_multiply, &p);
}

/* Live are x and the words of T computed so far. */
static void sequence_mark(struct asl_rank *r, struct asl_tile *x,
			  const struct asl_words *T, uint64_t words)
{
	struct asl_words live[] = {
		asl_tile_words(x, 0, x->cols),
		asl_slice(T, 0, words),
	};

	asl_mark_epoch(r, live, 2);
}

/*
 * Compute the words of T, each from n of A's, n at a time, and mark an epoch
 * after each quarter of them.
 */
static void sequence_contract(struct asl_rank *r, const struct asl_words *A,
			      struct asl_tile *x, struct asl_words *T)
{
	uint64_t n = x->cols, done = 0, part = 0;
	struct asl_tile row;

	asl_tile_take(r, &row, 1, n);
	while (done < T->count && !r->err) {
		uint64_t count = asl_min(n, T->count - done);
		struct asl_words from = asl_slice(A, done * n, count * n);
		struct asl_words to = asl_slice(T, done, count);
		struct asl_block at = asl_as_block(&to, 1, count);

		asl_tile_zero(&row, 1, count);
		product(r, &from, x, &row);
		asl_tile_store(r, &at, &row);
		done += count;
		for (; part < 4 && done * 4 >= T->count * (part + 1); part++)
			sequence_mark(r, x, T, done);
	}
	for (; part < 4; part++)
		sequence_mark(r, x, T, T->count);
	asl_tile_give(r, &row);
}

static void sequence_run(struct asl_rank *r, const struct asl_plan *plan,
			 struct asl_words *own)
{
	struct asl_cube c = asl_cube(plan, r->id);
	uint64_t n = plan->symmetric->n, rows = c.I.count;
	struct asl_block to = asl_as_block(&own[ASL_Y], 1, rows);
	struct asl_tile x, y;
	struct asl_words T;

	asl_phase(r, ASL_GATHER);
	asl_tile_take(r, &x, 1, n);
	gather(r, &c, &x, NULL, &own[ASL_X]);
	asl_phase(r, ASL_COMPUTE);
	asl_take(r, &T, ASL_DRAM, rows * n);
	sequence_contract(r, &own[ASL_TENSOR], &x, &T);
	asl_tile_take(r, &y, 1, rows);
	product(r, &T, &x, &y);
	asl_tile_store(r, &to, &y);
	asl_tile_give(r, &y);
	asl_give(r, &T);
	asl_tile_give(r, &x);
}

static void sequence_predict(struct asl_ledger *out,
			     const struct asl_plan *plan, int rank)
{
	struct asl_cube c = asl_cube(plan, rank);
	uint64_t n = plan->symmetric->n, rows = c.I.count;
	uint64_t *compute = out->in[ASL_COMPUTE].of;

	predict_allgather(&out->in[ASL_GATHER], &c);
	out->in[ASL_GATHER].of[ASL_DRAM_READ] += n;
	compute[ASL_NVM_READ] = rows * n * n;
	compute[ASL_DRAM_WRITE] = compute[ASL_DRAM_READ] = rows * n;
	compute[ASL_NVM_WRITE] = rows;
	compute[ASL_FLOPS] = 2 * rows * n * n + 2 * rows * n;
	out->pool_high = rows * n * n + asl_cube_x(&c).count + rows;
	out->memory_high = out->pool_high + asl_max(n, rows * n);
}

const struct asl_algorithm asl_symmetric_sequence = {
	.name = "sttsv-sequence",
	.summary = "y = A x2 x x3 x as two contractions, one after the other",
	.when = "you want to compare sttsv with it",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = sequence_predict,
	.run = sequence_run,
};

/*
 * sttsv-sequence-half: M = A x3 x for pairs i >= j, and then y = M x
 *
 * For comparison.  M is symmetric, as A is, so that half of it is enough: half of
 * the operations of sttsv-sequence.  Each rank owns an even part of the pairs, in
 * the order of i and then of j, and A's n entries for each.  It computes their
 * words of M, which go to DRAM and come back, and adds M_ij x_j to y_i and, for
 * i > j, M_ij x_i to y_j; then all ranks add up y.  Per rank, where P divides n
 * and the pairs:
 *
 *	B_h	2 (1 - 1/P) n
 *	B_r	n^2 (n + 1) / 2P, n (n + 1) / 2P of M, n
 *	B_w	n (n + 1) / 2P of M, n/P
 *	flops	n^2 (n + 1) / P; 4 for a pair, or 2 where i = j: 2 n^2 for all
 *
 * Section 8 of the paper that sttsv.c names.
 */

struct half {
	struct asl_range pairs;
	struct asl_tile x, y;
};

static void half_multiply(const double *M, void *arg)
{
	struct half *h = arg;
	struct asl_cube_pair p = asl_pair_of(h->pairs.first);
	const double *x = h->x.at;
	double *y = h->y.at;

	for (uint64_t t = 0; t < h->pairs.count; t++) {
		y[p.i] += M[t] * x[p.j];
		if (p.i > p.j)
			y[p.j] += M[t] * x[p.i];
		p = p.j < p.i ? (struct asl_cube_pair){p.i, p.j + 1}
			      : (struct asl_cube_pair){p.i + 1, 0};
	}
}

/* Each row of pairs ends with i = j. */
static uint64_t half_flops(struct asl_range pairs)
{
	uint64_t rows = asl_pair_of(pairs.first + pairs.count).i -
			asl_pair_of(pairs.first).i;

	return 4 * pairs.count - 2 * rows;
}

static void half_run(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_words *own)
{
	struct asl_cube c = asl_cube(plan, r->id);
	uint64_t n = plan->symmetric->n;
	struct half h = {.pairs = asl_cube_pairs(&c)};
	struct asl_words M;

	asl_phase(r, ASL_GATHER);
	asl_tile_take(r, &h.x, 1, n);
	gather(r, &c, &h.x, NULL, &own[ASL_X]);
	asl_phase(r, ASL_COMPUTE);
	asl_take(r, &M, ASL_DRAM, h.pairs.count);
	sequence_contract(r, &own[ASL_TENSOR], &h.x, &M);
	asl_tile_take(r, &h.y, 1, n);
	asl_tile_words(&h.y, 0, 0);
	asl_compute(r, &M, half_flops(h.pairs), half_multiply, &h);
	asl_give(r, &M);
	asl_phase(r, ASL_REDUCE);
	asl_reduce_scatter_tile(r, &c.of_j, &own[ASL_Y], &h.y);
	asl_tile_give(r, &h.y);
	asl_tile_give(r, &h.x);
}

static void half_predict(struct asl_ledger *out, const struct asl_plan *plan,
			 int rank)
{
	struct asl_cube c = asl_cube(plan, rank);
	uint64_t n = plan->symmetric->n, *compute = out->in[ASL_COMPUTE].of;
	struct asl_range pairs = asl_cube_pairs(&c);
	int P = c.of_j.size;

	predict_allgather(&out->in[ASL_GATHER], &c);
	out->in[ASL_GATHER].of[ASL_DRAM_READ] += n;
	compute[ASL_NVM_READ] = pairs.count * n;
	compute[ASL_DRAM_WRITE] = compute[ASL_DRAM_READ] = pairs.count;
	compute[ASL_FLOPS] = 2 * pairs.count * n + half_flops(pairs);
	asl_predict_reduce_scatter_tile(&out->in[ASL_REDUCE], n, P, rank,
					ASL_POOL);
	out->pool_high = pairs.count * n + 2 * asl_cube_x(&c).count;
	out->memory_high = out->pool_high +
			   asl_max(asl_max(n, pairs.count),
				   asl_reduce_scatter_tile_scratch(n, P, rank));
}

const struct asl_algorithm asl_symmetric_half = {
	.name = "sttsv-sequence-half",
	.summary =
		"y = A x2 x x3 x in sequence, by half of the symmetric A x3 x",
	.when = "you want to compare sttsv with it",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = half_predict,
	.run = half_run,
};
