/*
 * kernel.c -- the list of kernels, and the loop that two of them share
 */
#include "lib/kernels/kernel.h"

#include <math.h>
#include <string.h>

#include "lib/base/parts.h"
#include "lib/rank/resume.h"

extern const struct asl_kernel asl_kernel_vomm, asl_kernel_tight,
	asl_kernel_cowe;

const struct asl_kernel *const asl_kernels[] = {
	&asl_kernel_vomm,
	&asl_kernel_tight,
	&asl_kernel_cowe,
	NULL,
};

const struct asl_kernel *asl_kernel_find(const char *name)
{
	for (int i = 0; asl_kernels[i]; i++)
		if (!strcmp(asl_kernels[i]->name, name))
			return asl_kernels[i];
	return NULL;
}

/* ---- What was predicted lately ---- */

struct prediction {
	const struct asl_kernel *kernel;
	struct asl_product x;
	struct asl_counts counts;
};

static bool same(const struct asl_product *a, const struct asl_product *b)
{
	return a->m == b->m && a->n == b->n && a->k == b->k &&
	       a->cache == b->cache && a->read_cost == b->read_cost &&
	       a->write_cost == b->write_cost && a->A == b->A && a->B == b->B &&
	       a->C == b->C && a->add == b->add;
}

static const struct prediction *recall(const struct asl_kernel *kernel,
				       const struct asl_product *x)
{
	static _Thread_local struct prediction known[16];
	static _Thread_local int oldest;
	struct prediction *new;

	for (int i = 0; i < 16; i++)
		if (known[i].kernel == kernel && same(&known[i].x, x))
			return &known[i];
	new = &known[oldest];
	oldest = (oldest + 1) % 16;
	*new = (struct prediction){.kernel = kernel, .x = *x};
	kernel->predict(&new->counts, x);
	return new;
}

void asl_kernel_predict(const struct asl_kernel *kernel,
			struct asl_counts *counts, const struct asl_product *x)
{
	asl_counts_add(counts, &recall(kernel, x)->counts);
}

/* ---- What kernels share ---- */

/*
 * A BLAS computes C in blocks of 8 or 16 rows and columns; a tile that they do not
 * divide takes 1 to 5% longer.  Tiles with short sides are left as they are: there
 * the cost of a call is greater.
 */
enum { BLAS_SIDE = 8, LEAST_ROUNDED = 64 };

/* The shortest side that is a multiple and cuts the length into as many tiles. */
static uint64_t rounded(uint64_t side, uint64_t length)
{
	uint64_t tiles, least;

	if (side < LEAST_ROUNDED || !length)
		return side;
	if (length <= side)
		return asl_ceil_div(length, BLAS_SIDE) * BLAS_SIDE;
	tiles = asl_ceil_div(length, side);
	least = asl_ceil_div(length, tiles);
	least = asl_ceil_div(least, BLAS_SIDE) * BLAS_SIDE;
	return asl_ceil_div(length, least) == tiles ? least : side;
}

/* A rounded tile must fit into the cache beside its slivers. */
static struct asl_sides tile_sides(const struct asl_block *C, uint64_t cache,
				   struct asl_sides most, uint64_t depth)
{
	struct asl_sides x = {rounded(most.rows, C->rows),
			      rounded(most.cols, C->cols)};

	return x.rows * x.cols + depth * (x.rows + x.cols) <= cache ? x : most;
}

void asl_stream(struct asl_rank *r, const struct asl_product *x,
		const struct asl_block *C, const struct asl_block *A,
		const struct asl_block *B, uint64_t rows, uint64_t cols,
		uint64_t depth)
{
	struct asl_sides side =
		tile_sides(C, x->cache, (struct asl_sides){rows, cols}, depth);
	struct asl_tile c;

	rows = side.rows;
	cols = side.cols;
	asl_tile_take(r, &c, asl_min(rows, C->rows), asl_min(cols, C->cols));
	for (uint64_t i = 0; i < C->rows; i += rows) {
		uint64_t mi = asl_min(rows, C->rows - i);
		struct asl_block a = asl_sub_block(A, i, 0, mi, A->cols);

		for (uint64_t j = 0; j < C->cols; j += cols) {
			uint64_t nj = asl_min(cols, C->cols - j);
			struct asl_block b =
				asl_sub_block(B, 0, j, B->rows, nj);
			struct asl_block done = asl_sub_block(C, i, j, mi, nj);

			asl_tile_begin(r, &c, &done);
			if (x->add)
				asl_tile_load(r, &c, &done);
			asl_multiply(r, &c, &a, &b, depth);
			asl_tile_store(r, &done, &c);
			asl_mark_commit(r, &done);
		}
	}
	asl_tile_give(r, &c);
}

void asl_stream_predict(struct asl_counts *counts, const struct asl_product *x,
			uint64_t rows, uint64_t cols)
{
	asl_count_read(counts, x->A, x->m * x->k * asl_ceil_div(x->n, cols));
	asl_count_read(counts, x->B, x->k * x->n * asl_ceil_div(x->m, rows));
	asl_count_written(counts, x->C, x->m * x->n);
	if (x->add)
		asl_count_read(counts, x->C, x->m * x->n);
	counts->of[ASL_FLOPS] += 2 * x->m * x->n * x->k;
}

void asl_stream_lower_bound(struct asl_counts *counts,
			    const struct asl_products *x,
			    const struct asl_rates *rates, uint64_t reads_A,
			    uint64_t reads_B, uint64_t reads)
{
	enum asl_counter A = asl_read_counter(x->x.A),
			 B = asl_read_counter(x->x.B);
	uint64_t of_A = asl_max(x->A, reads_A);
	uint64_t of_B = asl_max(x->B, reads_B);

	counts->of[A] += of_A;
	counts->of[B] += of_B;
	if (reads > of_A + of_B) {
		uint64_t more = reads - of_A - of_B;

		/* How it is split matters in the last bit of a cost. */
		if (A != B)
			more -= asl_min(more, 1 + (reads >> 40));
		counts->of[rates->of[A] < rates->of[B] ? A : B] += more;
	}
	counts->of[asl_write_counter(x->x.C)] += x->passes * x->C;
	counts->of[asl_read_counter(x->x.C)] += (x->passes - 1) * x->C;
	counts->of[ASL_FLOPS] += 2 * x->volume;
}

uint64_t asl_isqrt(uint64_t x)
{
	uint64_t root = (uint64_t)sqrt((double)x);

	while (root * root > x)
		root--;
	while ((root + 1) * (root + 1) <= x)
		root++;
	return root;
}
