/*
 * packed.c -- products of tiles and slabs with AVX-512
 *
 * A block of rows of a and a band of b are copied into the order in which registers take
 * them; then 8 x 24 words of c at a time gain eight words of a times 24 of b, depth by
 * depth.  A band of b stays in the core's cache while all rows pass by it, and 24 columns
 * of it in the first cache while a block of rows does.  Rows and columns that are
 * missing at an end count as zeros, so that each word of c is the same sum wherever it
 * is.
 *
 * K. Goto, R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM
 * Transactions on Mathematical Software 34 (2008).
 */
#include "lib/rank/blas.h"

#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "lib/base/parts.h"

#if ASL_PACKED

enum { LANES = 8, ROWS = 8, VECTORS = 3, COLS = VECTORS * LANES };

/* The depth of both, rows of a block, columns of a band; how early a is called for. */
enum {
	DEPTH = ASL_PACKED_DEPTH,
	BLOCK = 48 * ROWS,
	BAND = 64 * COLS,
	EARLY = 32 * ROWS
};

#define ROOM_ALIGNED 64

typedef double vector __attribute__((vector_size(LANES * sizeof(double))));
typedef double unaligned __attribute__((vector_size(LANES * sizeof(double)),
					aligned(sizeof(double)), may_alias));

#define AT(p) (*(const unaligned *)(p))
#define WITH_AVX512 __attribute__((target("arch=x86-64-v4")))
#define INLINE static inline __attribute__((always_inline)) WITH_AVX512

struct room {
	double a[BLOCK * DEPTH + EARLY], b[BAND * DEPTH];
};

/* ---- Packing ---- */

#define MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

/* Eight rows of eight words become columns, one after another. */
INLINE void transpose(double *to, const double *a, uint64_t lda)
{
	vector r[ROWS], pair[ROWS], four[ROWS];

	for (int i = 0; i < ROWS; i++)
		r[i] = AT(a + (uint64_t)i * lda);
	for (int i = 0; i < ROWS; i += 2) {
		pair[i] = MIX(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
		pair[i + 1] = MIX(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
	}
	for (int i = 0; i < ROWS; i += 4)
		for (int j = i; j < i + 2; j++) {
			four[j] = MIX(pair[j], pair[j + 2], 0, 1, 8, 9, 4, 5,
				      12, 13);
			four[j + 2] = MIX(pair[j], pair[j + 2], 2, 3, 10, 11, 6,
					  7, 14, 15);
		}
	for (int i = 0; i < 4; i++) {
		*(vector *)(to + i * ROWS) =
			MIX(four[i], four[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		*(vector *)(to + (i + 4) * ROWS) =
			MIX(four[i], four[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

WITH_AVX512
static void pack_rows(double *to, const double *a, uint64_t lda, uint64_t rows,
		      uint64_t depth)
{
	for (uint64_t i = 0; i < rows; i += ROWS, a += ROWS * lda) {
		uint64_t l = 0, some = asl_min(ROWS, rows - i);

		for (; some == ROWS && l + LANES <= depth; l += LANES)
			transpose(to + l * ROWS, a + l, lda);
		for (; l < depth; l++)
			for (uint64_t r = 0; r < ROWS; r++)
				to[l * ROWS + r] =
					r < some ? a[r * lda + l] : 0;
		to += depth * ROWS;
	}
}

WITH_AVX512
static void pack_cols(double *to, const double *b, uint64_t ldb, uint64_t depth,
		      uint64_t cols)
{
	uint64_t whole = cols / COLS * COLS;

	for (uint64_t l = 0; l < depth; l++, b += ldb, to += COLS) {
		double *at = to;

		for (uint64_t j = 0; j < whole; j += COLS, at += depth * COLS)
			for (int v = 0; v < COLS; v += LANES)
				*(vector *)(at + v) = AT(b + j + v);
		if (whole == cols)
			continue;
		memset(at, 0, COLS * sizeof *at);
		memcpy(at, b + whole, (cols - whole) * sizeof *at);
	}
}

/* ---- Registers ---- */

/* Rows of a matrix, or pieces of them; `words` is at most DEPTH. */
struct rows {
	const double *at;
	uint64_t ld, count, words;
};

struct corner {
	double *c;
	uint64_t ldc, rows, cols;
	double beta;
	struct rows next; /* they come into the core's cache meanwhile */
};

INLINE void put_all(const struct corner *x, vector sum[ROWS][VECTORS],
		    int vectors)
{
	for (int i = 0; i < ROWS; i++)
		for (int v = 0; v < vectors; v++) {
			double *c = x->c + (uint64_t)i * x->ldc + v * LANES;

			if (x->beta != 0)
				sum[i][v] += AT(c);
			*(unaligned *)c = sum[i][v];
		}
}

INLINE void put_some(const struct corner *x, vector sum[ROWS][VECTORS])
{
	for (uint64_t i = 0; i < x->rows; i++)
		for (uint64_t j = 0; j < x->cols; j++) {
			double *c = x->c + i * x->ldc + j;

			*c = sum[i][j / LANES][j % LANES] +
			     (x->beta != 0 ? *c : 0);
		}
}

INLINE void call_for(const struct rows *x, uint64_t at)
{
	for (uint64_t i = 0; i < x->count; i++)
		__builtin_prefetch(x->at + i * x->ld + at, 0, 2);
}

/* As many vectors as the columns take. */
INLINE void multiply_vectors(const struct corner *x, const double *a,
			     const double *b, uint64_t depth, int vectors)
{
	vector sum[ROWS][VECTORS] = {0};

	for (uint64_t i = 0; i < x->rows; i++)
		for (int v = 0; v < vectors; v++)
			__builtin_prefetch(x->c + i * x->ldc + v * LANES);
#pragma GCC unroll 8
	for (uint64_t l = 0; l < depth; l++, a += ROWS, b += COLS) {
		vector of_b[VECTORS];

		__builtin_prefetch(a + EARLY);
		if (l % LANES == 0 && l < x->next.words)
			call_for(&x->next, l);
#pragma GCC unroll 3
		for (int v = 0; v < vectors; v++)
			of_b[v] = *(const vector *)(b + v * LANES);
#pragma GCC unroll 8
		for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 3
			for (int v = 0; v < vectors; v++)
				sum[i][v] += a[i] * of_b[v];
	}
	if (x->rows == ROWS && x->cols == (uint64_t)vectors * LANES)
		put_all(x, sum, vectors);
	else
		put_some(x, sum);
}

WITH_AVX512
static void multiply_corner(const struct corner *x, const double *a,
			    const double *b, uint64_t depth)
{
	if (x->cols <= LANES)
		multiply_vectors(x, a, b, depth, 1);
	else if (x->cols <= 2 * LANES)
		multiply_vectors(x, a, b, depth, 2);
	else
		multiply_vectors(x, a, b, depth, 3);
}

/* ---- Products ---- */

static tss_t room_key;
static once_flag room_once = ONCE_FLAG_INIT;
static int no_rooms;

static void make_key(void)
{
	no_rooms = tss_create(&room_key, free) != thrd_success;
}

/* A thread keeps it; NULL: no memory. */
static struct room *room(void)
{
	struct room *x;

	call_once(&room_once, make_key);
	if (no_rooms)
		return NULL;
	x = tss_get(room_key);
	if (x)
		return x;
	x = aligned_alloc(ROOM_ALIGNED, sizeof *x);
	if (x && tss_set(room_key, x) != thrd_success) {
		free(x);
		x = NULL;
	}
	return x;
}

/* A block of rows of a, times a band of b that is packed. */
struct block {
	struct asl_packed x; /* a is of the block, c of both, m x n words */
	uint64_t depth;
	bool packed;	 /* a */
	const double *b; /* the next band; NULL: another block comes first */
};

static struct rows next_of_a(const struct block *at, uint64_t i)
{
	uint64_t after = asl_min(i + ROWS, at->x.m);

	return (struct rows){at->x.a + after * at->x.lda, at->x.lda,
			     asl_min(ROWS, at->x.m - after), at->depth};
}

/* A corner's share of the next band, which has as many rows, in pieces of DEPTH words. */
static struct rows next_of_b(const struct block *at, uint64_t corner,
			     uint64_t corners)
{
	uint64_t pieces = at->depth * asl_ceil_div(at->x.n, DEPTH);
	uint64_t first = pieces * corner / corners;
	uint64_t end = pieces * (corner + 1) / corners;

	return (struct rows){at->b + first / at->depth * DEPTH +
				     first % at->depth * at->x.ldb,
			     at->x.ldb, end - first, asl_min(at->x.n, DEPTH)};
}

/*
 * Eight rows of a are packed just before their first use, while the next eight come:
 * rows may lie so far apart that the cache does not hold all of a block.
 */
static void multiply_block(const struct block *at, struct room *to)
{
	const struct asl_packed *x = &at->x;
	uint64_t high = asl_ceil_div(x->m, ROWS),
		 wide = asl_ceil_div(x->n, COLS);

	for (uint64_t q = 0; q < high * wide; q++) {
		uint64_t i = q % high * ROWS, j = q / high * COLS;
		double *a = to->a + i * at->depth;
		struct corner c = {
			.c = x->c + i * x->ldc + j,
			.ldc = x->ldc,
			.rows = asl_min(ROWS, x->m - i),
			.cols = asl_min(COLS, x->n - j),
			.beta = x->beta,
		};

		if (!j && !at->packed) {
			pack_rows(a, x->a + i * x->lda, x->lda, c.rows,
				  at->depth);
			c.next = next_of_a(at, i);
		} else if (at->b) {
			c.next = next_of_b(at, q, high * wide);
		}
		multiply_corner(&c, a, to->b + j * at->depth, at->depth);
	}
}

/* The band after this one, down and then to the right. */
static const double *next_band(const struct asl_packed *x, uint64_t l,
			       uint64_t j)
{
	if (l + DEPTH < x->k)
		return x->b + (l + DEPTH) * x->ldb + j;
	return j + BAND < x->n ? x->b + j + BAND : NULL;
}

bool asl_packed_multiply(const struct asl_packed *x)
{
	struct room *at = room();
	bool once = x->m <= BLOCK && x->k <= DEPTH;

	if (!at)
		return false;
	for (uint64_t j = 0; j < x->n; j += BAND)
		for (uint64_t l = 0; l < x->k; l += DEPTH) {
			struct block block = {
				.x = *x,
				.depth = asl_min(DEPTH, x->k - l),
				.packed = once && j,
			};

			block.x.n = asl_min(BAND, x->n - j);
			block.x.beta = l ? 1 : x->beta;
			pack_cols(at->b, x->b + l * x->ldb + j, x->ldb,
				  block.depth, block.x.n);
			for (uint64_t i = 0; i < x->m; i += BLOCK) {
				block.x.m = asl_min(BLOCK, x->m - i);
				block.x.a = x->a + i * x->lda + l;
				block.x.c = x->c + i * x->ldc + j;
				if (i + BLOCK >= x->m)
					block.b = next_band(x, l, j);
				multiply_block(&block, at);
			}
		}
	return true;
}

#else

bool asl_packed_multiply(const struct asl_packed *x)
{
	(void)x;
	return false;
}

#endif
