/*
 * block_update.c -- rows of a tensor block, each read once
 *
 * For the entries of row (a, b) with c < b, d = A x_k is what both y_a and y_b
 * want (times 2 x_b and 2 x_a), and y_k gets A times h = 2 x_a x_b.  Where a = b
 * there is one y for both, and h = x_a^2.
 *
 * In a block (., k, k) each row is one longer than the one before.  Rows that are
 * swept together are so as far as the first has entries with c < b; the corner
 * that remains, up to c = b, goes by itself.
 *
 * One vector: one row at a time, so that the tensor is read in the one order in
 * which it lies.  Several vectors: x_k and y_k are turned, so that a column is
 * contiguous, and some rows are swept for one column after another while they
 * are in the innermost cache.
 */
#include "lib/symmetric/block_update.h"

#include <stdbool.h>
#include <string.h>

#include "lib/symmetric/sweep.h"
#include "lib/symmetric/turned.h"

#define COLUMNS 16 /* whose h and d are kept at a time */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct update {
	const struct asl_block_shape *shape;
	const struct asl_block_vectors *v;
	struct asl_turned k;
};

/* Rows of one a, one after another; a and b count from the block's corner. */
struct rows {
	uint64_t a, b, count;
	bool square; /* the last has a = b */
	bool corner; /* they are of a block (., k, k) */
	const double *at[ASL_SWEEP];
	uint64_t length; /* of the first, without c = b */
};

/* x and y of some columns, and the rows' h and d for them. */
struct columns {
	const double *xa, *xb[ASL_SWEEP];
	double *ya, *yb[ASL_SWEEP];
	double h[ASL_SWEEP][COLUMNS], d[ASL_SWEEP][COLUMNS];
};

static bool is_square(const struct rows *rows, uint64_t i)
{
	return rows->square && i == rows->count - 1;
}

static void place(struct columns *some, const struct update *u,
		  const struct rows *rows, uint64_t first)
{
	uint64_t a = rows->a * u->v->ld + first;

	some->xa = u->v->xi + a;
	some->ya = u->v->yi + a;
	for (uint64_t i = 0; i < rows->count; i++) {
		uint64_t b = (rows->b + i) * u->v->ld + first;

		some->xb[i] = u->v->xj + b;
		some->yb[i] = u->v->yj + b;
	}
}

ALWAYS_INLINE void begin(struct columns *some, const struct rows *rows,
			 uint64_t count)
{
	for (uint64_t i = 0; i < rows->count; i++) {
		double times = is_square(rows, i) ? 1 : 2;

		for (uint64_t r = 0; r < count; r++)
			some->h[i][r] = times * some->xa[r] * some->xb[i][r];
	}
}

/* An entry of row i, and of the c that is b of the group's row k. */
ALWAYS_INLINE void add_corner(struct columns *some, double A, uint64_t i,
			      uint64_t k, uint64_t count)
{
	for (uint64_t r = 0; r < count; r++) {
		some->d[i][r] += A * some->xb[k][r];
		some->yb[k][r] += A * some->h[i][r];
	}
}

/* The entry of row i with c = b. */
ALWAYS_INLINE void add_last(struct columns *some, double A, uint64_t i,
			    bool square, uint64_t count)
{
	const double *xa = some->xa, *xb = some->xb[i];

	for (uint64_t r = 0; r < count; r++)
		some->ya[r] += A * xb[r] * xb[r];
	for (uint64_t r = 0; r < count && !square; r++)
		some->yb[i][r] += 2 * A * xa[r] * xb[r];
}

/* Of row i, c = b of the first row to b of row i. */
ALWAYS_INLINE void finish(struct columns *some, const struct rows *rows,
			  uint64_t count)
{
	for (uint64_t i = 0; i < rows->count; i++) {
		const double *A = rows->at[i] + rows->length;

		for (uint64_t k = 0; k < i; k++)
			add_corner(some, A[k], i, k, count);
		add_last(some, A[i], i, is_square(rows, i), count);
	}
}

ALWAYS_INLINE void end(struct columns *some, const struct rows *rows,
		       uint64_t count)
{
	for (uint64_t i = 0; i < rows->count; i++) {
		for (uint64_t r = 0; r < count; r++)
			some->ya[r] += 2 * some->xb[i][r] * some->d[i][r];
		for (uint64_t r = 0; r < count && !is_square(rows, i); r++)
			some->yb[i][r] += 2 * some->xa[r] * some->d[i][r];
	}
}

/* The single row for the single column. */
ALWAYS_INLINE void sweep_row(struct columns *some, const struct update *u,
			     const struct rows *rows)
{
	some->d[0][0] = asl_sweep_row(rows->at[0], some->h[0][0], u->k.y,
				      u->k.x, rows->length);
}

static void sweep_rows(struct columns *some, const struct update *u,
		       const struct rows *rows, uint64_t first, uint64_t count)
{
	struct asl_swept group = {.step = COLUMNS,
				  .pitch = u->k.step,
				  .ahead = rows->at[0] + ASL_AHEAD};

	for (uint64_t i = 0; i < ASL_SWEEP; i++)
		group.A[i] = rows->at[i < rows->count ? i : 0];
	/* What fills rows and columns up counts for nothing. */
	for (uint64_t i = rows->count; i < ASL_SWEEP; i++)
		memset(some->h[i], 0, sizeof some->h[i]);
	for (uint64_t i = 0; i < ASL_SWEEP && count % ASL_PAIR; i++)
		some->h[i][count] = 0;
	for (uint64_t r = 0; r < count; r += ASL_PAIR) {
		uint64_t from = (first + r) * u->k.step;

		group.h = &some->h[0][r];
		group.d = &some->d[0][r];
		asl_sweep(&group, u->k.y + from, u->k.x + from, rows->length);
		group.ahead = NULL;
	}
}

/* `count` is inlined: where it is 1, there are no loops over columns. */
ALWAYS_INLINE void update_columns(const struct update *u,
				  const struct rows *rows, uint64_t first,
				  uint64_t count)
{
	struct columns some;

	place(&some, u, rows, first);
	begin(&some, rows, count);
	if (u->v->columns == 1)
		sweep_row(&some, u, rows);
	else
		sweep_rows(&some, u, rows, first, count);
	if (rows->corner)
		finish(&some, rows, count);
	end(&some, rows, count);
}

static void update_rows(const struct update *u, const struct rows *rows)
{
	uint64_t R = u->v->columns;

	if (R == 1)
		update_columns(u, rows, 0, 1);
	for (uint64_t first = 0; R > 1 && first < R; first += COLUMNS)
		update_columns(u, rows, first, asl_least(COLUMNS, R - first));
}

/* The next rows of one a, `most` of them if there are; *row and *A move on. */
static void take_rows(struct rows *rows, const struct asl_block_shape *shape,
		      struct asl_block_row *row, const double **A,
		      uint64_t most)
{
	uint64_t stop = asl_block_end(shape, row->a);

	rows->a = row->a - shape->a.first;
	rows->b = row->b - shape->b.first;
	rows->count = asl_least(most, stop - row->b);
	rows->square = shape->i == shape->j && row->b + rows->count == stop;
	rows->corner = shape->j == shape->k;
	rows->length = row->length - rows->corner;
	for (uint64_t i = 0; i < rows->count; i++) {
		rows->at[i] = *A;
		*A += row->length + i * rows->corner;
	}
	row->b += rows->count - 1;
	row->length += (rows->count - 1) * rows->corner;
	asl_block_next(shape, row);
}

void asl_block_update(const struct asl_block_shape *shape, const double *A,
		      struct asl_range rows, const struct asl_block_vectors *v,
		      double *scratch)
{
	struct asl_block_row row = asl_block_row(shape, rows.first);
	struct update u = {.shape = shape, .v = v};
	uint64_t at_once = v->columns == 1 ? 1 : ASL_SWEEP;

	asl_turn(&u.k, shape, v, scratch);
	for (uint64_t left = rows.count; left;) {
		struct rows some;

		take_rows(&some, shape, &row, &A, asl_least(at_once, left));
		update_rows(&u, &some);
		left -= some.count;
	}
	asl_turn_back(&u.k, shape, v);
}
