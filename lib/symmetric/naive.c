/*
 * naive.c -- y = A x2 x x3 x from all n^3 entries, as if A were not symmetric
 *
 * To compare with.  A grid p x c x c cuts the cube; per rank, where it divides n:
 *
 *	B_h	(1 - 1/pc) n/c of x(J), n/c of x(L) unless it is that, and
 *		(1 - 1/c^2) n/p of y
 *	B_r	n^3/P, and n/p + 2n/c of vectors
 *	B_w	n/P
 *	flops	2 n^3/P, and 2 for each row of entries
 *
 * On a cube of P ranks that is 3 n/P^(1/3) words where sttsv moves two, and six
 * times its words of the tensor.
 *
 * Algorithm 3 of the paper that sttsv.c names.
 */
#include "lib/rank/resume.h"
#include "lib/symmetric/cube.h"

struct vectors {
	struct asl_cube cube;
	struct asl_tile xJ, xL, y;
	struct asl_range rows; /* of y, that are computed now */
};

/* y_a += sum over b and c of A x_b x_c. */
static void multiply(const double *A, void *arg)
{
	struct vectors *v = arg;
	uint64_t deep = v->cube.J.count, wide = v->cube.L.count;
	uint64_t end = v->rows.first + v->rows.count;

	for (uint64_t a = v->rows.first; a < end; a++)
		for (uint64_t b = 0; b < deep; b++, A += wide) {
			double sum = 0;

			for (uint64_t c = 0; c < wide; c++)
				sum += A[c] * v->xL.at[c];
			v->y.at[a] += v->xJ.at[b] * sum;
		}
}

static uint64_t flops_of(const struct asl_cube *x)
{
	return 2 * asl_cube_words(x) + 2 * x->I.count * x->J.count;
}

/* x(J), and x(L) where that is another, into the cache. */
static void gather(struct asl_rank *r, struct vectors *v,
		   const struct asl_words *own)
{
	const struct asl_cube *c = &v->cube;
	struct asl_words J, L, *l = c->twin < 0 ? &J : &L;
	struct asl_block from;

	asl_take(r, &J, ASL_DRAM, c->J.count);
	asl_take(r, &L, ASL_DRAM, c->twin < 0 ? 0 : c->L.count);
	asl_cube_gather(r, c, &J, own);
	if (c->twin >= 0)
		asl_exchange(r, c->twin, &J, c->twin, &L);
	from = asl_as_block(&J, 1, J.count);
	asl_tile_load(r, &v->xJ, &from);
	from = asl_as_block(l, 1, l->count);
	asl_tile_load(r, &v->xL, &from);
	asl_give(r, &L);
	asl_give(r, &J);
}

static void mark(struct asl_rank *r, struct vectors *v)
{
	struct asl_words live[] = {
		asl_tile_words(&v->y, 0, v->y.cols),
		asl_tile_words(&v->xJ, 0, v->xJ.cols),
		asl_tile_words(&v->xL, 0, v->xL.cols),
	};

	asl_epoch(r, live, 3);
}

/* In four parts, each with a mark before it; and one after the last. */
static void contract(struct asl_rank *r, struct vectors *v,
		     const struct asl_words *A)
{
	uint64_t slice = v->cube.J.count * v->cube.L.count;

	asl_tile_words(&v->y, 0, 0);
	mark(r, v);
	for (int i = 0; i < 4; i++) {
		struct asl_words x;

		v->rows = asl_part(v->cube.I.count, 4, i);
		x = asl_slice(A, v->rows.first * slice, v->rows.count * slice);
		asl_compute(r, &x,
			    2 * x.count + 2 * v->rows.count * v->cube.J.count,
			    multiply, v);
		mark(r, v);
	}
}

/* Sums along l, and of these along j. */
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

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	struct vectors v = {.cube = asl_cube(plan, r->id)};

	asl_phase(r, ASL_GATHER);
	asl_tile_take(r, &v.y, 1, v.cube.I.count);
	asl_tile_take(r, &v.xJ, 1, v.cube.J.count);
	asl_tile_take(r, &v.xL, 1, v.cube.L.count);
	gather(r, &v, &own[ASL_X]);
	asl_phase(r, ASL_COMPUTE);
	contract(r, &v, &own[ASL_TENSOR]);
	asl_phase(r, ASL_REDUCE);
	reduce(r, &v, &own[ASL_Y]);
	asl_tile_give(r, &v.xL);
	asl_tile_give(r, &v.xJ);
	asl_tile_give(r, &v.y);
}

static void predict_gather(struct asl_counts *x, const struct asl_cube *c)
{
	asl_cube_predict_gather(x, c);
	x->of[ASL_DRAM_READ] += c->J.count + c->L.count;
	if (c->twin < 0)
		return;
	x->of[ASL_NET_SEND] += c->J.count;
	x->of[ASL_NET_RECV] += c->L.count;
	x->of[ASL_BH] += asl_larger(c->J.count, c->L.count);
	x->of[ASL_NET_MSGS]++;
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
	return part + asl_larger(asl_reduce_scatter_tile_room(W, p, l),
				 asl_reduce_scatter_room(part, p, j));
}

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	struct asl_cube c = asl_cube(plan, rank);
	uint64_t tiles = c.I.count + c.J.count + c.L.count;
	uint64_t panels = c.J.count + (c.twin < 0 ? 0 : c.L.count);
	uint64_t reducing;

	predict_gather(&out->in[ASL_GATHER], &c);
	out->in[ASL_COMPUTE].of[ASL_NVM_READ] = asl_cube_words(&c);
	out->in[ASL_COMPUTE].of[ASL_FLOPS] = flops_of(&c);
	reducing = predict_reduce(&out->in[ASL_REDUCE], &c);
	out->pool_high = asl_cube_words(&c) + asl_cube_x(&c).count +
			 asl_cube_y(&c).count;
	out->memory_high =
		out->pool_high + tiles + asl_larger(panels, reducing);
}

const struct asl_algorithm asl_symmetric_naive = {
	.name = "sttsv-naive",
	.summary = "the same from the whole cube, as if it were not symmetric",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = predict,
	.run = run,
};
