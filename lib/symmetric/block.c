/*
 * block.c -- rows of a tensor block, and the kernel that reads each once
 *
 * Row numbers are those of a rectangle (i != j) or of a triangle (i == j), and
 * rows have one length (j != k) or end at c = b (j == k).
 */
#include "lib/symmetric/block.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clones.h"
#include "lib/base/team.h"
#include "lib/kernels/kernel.h"
#include "lib/rank/row.h"

/* ---- Rows ---- */

struct asl_block_shape asl_block_shape(uint64_t n, int m, int i, int j, int k)
{
	return (struct asl_block_shape){.i = i,
					.j = j,
					.k = k,
					.a = asl_part(n, m, i),
					.b = asl_part(n, m, j),
					.c = asl_part(n, m, k)};
}

uint64_t asl_block_rows(const struct asl_block_shape *shape)
{
	return shape->i == shape->j ? asl_triangle(shape->a.count)
				    : shape->a.count * shape->b.count;
}

uint64_t asl_block_words(const struct asl_block_shape *shape)
{
	return asl_block_before(shape, asl_block_rows(shape));
}

uint64_t asl_block_ternary(const struct asl_block_shape *shape)
{
	uint64_t a = shape->a.count, c = shape->c.count, fewer = 0;

	if (shape->i == shape->k)
		fewer = a * (a + 1);
	else if (shape->i == shape->j || shape->j == shape->k)
		fewer = a * c;
	return 3 * asl_block_words(shape) - fewer;
}

/* Where row r is, from the block's own corner. */
struct corner {
	uint64_t a, b;
};

static struct corner corner_of(const struct asl_block_shape *shape, uint64_t r)
{
	uint64_t a;

	if (shape->i != shape->j)
		return (struct corner){r / shape->b.count, r % shape->b.count};
	a = (asl_isqrt(8 * r + 1) - 1) / 2;
	return (struct corner){a, r - asl_triangle(a)};
}

struct asl_block_row asl_block_row(const struct asl_block_shape *shape,
				   uint64_t r)
{
	struct corner at = corner_of(shape, r);

	return (struct asl_block_row){
		.a = shape->a.first + at.a,
		.b = shape->b.first + at.b,
		.length = shape->j == shape->k ? at.b + 1 : shape->c.count};
}

uint64_t asl_block_before(const struct asl_block_shape *shape, uint64_t r)
{
	struct corner at = corner_of(shape, r);

	if (shape->j != shape->k)
		return r * shape->c.count;
	if (shape->i != shape->j)
		return at.a * asl_triangle(shape->b.count) + asl_triangle(at.b);
	return asl_packed_at(at.a, at.b, 0);
}

/* The rows of this a have b from shape->b.first to before the result. */
static uint64_t end_of(const struct asl_block_shape *shape, uint64_t a)
{
	return shape->i == shape->j ? a + 1 : shape->b.first + shape->b.count;
}

void asl_block_next(const struct asl_block_shape *shape,
		    struct asl_block_row *row)
{
	row->b++;
	row->length += shape->j == shape->k;
	if (row->b < end_of(shape, row->a))
		return;
	row->a++;
	row->b = shape->b.first;
	row->length = shape->j == shape->k ? 1 : shape->c.count;
}

/*
 * The innermost loops
 *
 * A row A of length n is read once for both of its uses,
 *
 *	d = A . x	y += h A
 *
 * one row at a time; or, for several x and y, four rows for two of them at once, so
 * that each column costs fewer passes.  Four rows at once are four streams that end
 * soon: without help the hardware reads them at half of the memory's speed.  So for
 * each word that is used another one is fetched, into the second cache because the
 * first is too small.
 */

#define AHEAD 4096 /* words: how far ahead of several rows to fetch */
#define ROWS 4	   /* at once, */
#define PAIR 2	   /* for as many columns */

struct swept {
	const double *A[ROWS];
	/* For the first row; the second column's is beside the first one's. */
	const double *h;
	double *d;
	uint64_t step;	/* words from one row's h and d to the next one's */
	uint64_t pitch; /* and from one column of x and y to the next */
	/* Fetch as many words as the rows have from here; NULL: none.  They may
	 * lie behind the tensor's end. */
	const double *ahead;
};

/* Arrays would not stay in registers: hence d0 to e3. */
ASL_CLONES
static void sweep_four(const struct swept *rows, double *y, const double *x,
		       uint64_t n)
{
	const double *A0 = rows->A[0], *A1 = rows->A[1], *A2 = rows->A[2],
		     *A3 = rows->A[3];
	const uint64_t step = rows->step;
	const double *g = rows->h, *h = g + 1;
	const double g0 = g[0], g1 = g[step], g2 = g[2 * step],
		     g3 = g[3 * step];
	const double h0 = h[0], h1 = h[step], h2 = h[2 * step],
		     h3 = h[3 * step];
	const double *w = x + rows->pitch, *ahead = rows->ahead;
	double *d = rows->d, *e = d + 1, *z = y + rows->pitch;
	asl_vector d0 = {0}, d1 = {0}, d2 = {0}, d3 = {0};
	asl_vector e0 = {0}, e1 = {0}, e2 = {0}, e3 = {0};
	uint64_t c = 0;

	for (; c + ASL_LANES <= n; c += ASL_LANES) {
		asl_vector a0 = ASL_AT(A0 + c), a1 = ASL_AT(A1 + c),
			   a2 = ASL_AT(A2 + c), a3 = ASL_AT(A3 + c),
			   xc = ASL_AT(x + c), wc = ASL_AT(w + c);

		for (int i = 0; ahead && i < ROWS * ASL_LANES; i += ASL_LINE)
			__builtin_prefetch(ahead + ROWS * c + i, 0, 2);
		d0 += a0 * xc;
		d1 += a1 * xc;
		d2 += a2 * xc;
		d3 += a3 * xc;
		*(asl_unaligned *)(y + c) =
			ASL_AT(y + c) + g0 * a0 + g1 * a1 + g2 * a2 + g3 * a3;
		e0 += a0 * wc;
		e1 += a1 * wc;
		e2 += a2 * wc;
		e3 += a3 * wc;
		*(asl_unaligned *)(z + c) =
			ASL_AT(z + c) + h0 * a0 + h1 * a1 + h2 * a2 + h3 * a3;
	}
	d[0] = ASL_SUM(d0);
	d[step] = ASL_SUM(d1);
	d[2 * step] = ASL_SUM(d2);
	d[3 * step] = ASL_SUM(d3);
	e[0] = ASL_SUM(e0);
	e[step] = ASL_SUM(e1);
	e[2 * step] = ASL_SUM(e2);
	e[3 * step] = ASL_SUM(e3);
	for (; c < n; c++) {
		double a0 = A0[c], a1 = A1[c], a2 = A2[c], a3 = A3[c];

		d[0] += a0 * x[c];
		d[step] += a1 * x[c];
		d[2 * step] += a2 * x[c];
		d[3 * step] += a3 * x[c];
		y[c] += g0 * a0 + g1 * a1 + g2 * a2 + g3 * a3;
		e[0] += a0 * w[c];
		e[step] += a1 * w[c];
		e[2 * step] += a2 * w[c];
		e[3 * step] += a3 * w[c];
		z[c] += h0 * a0 + h1 * a1 + h2 * a2 + h3 * a3;
	}
}

/*
 * x_k and y_k by columns
 *
 * A block's innermost loop runs along c, and needs x and y of one column there.
 * The matrices are by rows, so they are copied before the block, and y is added
 * back after it; a single vector stays in place.
 */

struct turned {
	const double *x;
	double *y;
	uint64_t step; /* words from one column to the next */
};

static bool in_place(const struct asl_block_vectors *v)
{
	return v->columns == 1 && v->ld == 1;
}

/* Columns begin with a cache line: a vector across two takes longer. */
static uint64_t step_of(const struct asl_block_shape *shape)
{
	return asl_ceil_div(shape->c.count, ASL_LINE) * ASL_LINE;
}

static uint64_t filled(uint64_t columns)
{
	return asl_ceil_div(columns, PAIR) * PAIR;
}

uint64_t asl_block_scratch(const struct asl_block_shape *shape,
			   const struct asl_block_vectors *v)
{
	if (in_place(v))
		return 0;
	return 2 * filled(v->columns) * step_of(shape) + ASL_LINE - 1;
}

static double *align(double *x)
{
	return x + (ASL_LINE - (uintptr_t)x / sizeof *x % ASL_LINE) % ASL_LINE;
}

/*
 * Copy x_k, and zero a y_k of its own, because that in Y may also be y_j.
 * Zeros fill the columns up to a multiple of PAIR.
 */
static void turn(struct turned *k, const struct asl_block_shape *shape,
		 const struct asl_block_vectors *v, double *scratch)
{
	uint64_t step = step_of(shape), words = filled(v->columns) * step;
	double *x, *y;

	if (in_place(v)) {
		*k = (struct turned){.x = v->xk, .y = v->yk};
		return;
	}
	x = align(scratch);
	y = x + words;
	memset(x, 0, 2 * words * sizeof *x);
	for (uint64_t c = 0; c < shape->c.count; c++)
		for (uint64_t column = 0; column < v->columns; column++)
			x[column * step + c] = v->xk[c * v->ld + column];
	*k = (struct turned){.x = x, .y = y, .step = step};
}

static void turn_back(const struct turned *k,
		      const struct asl_block_shape *shape,
		      const struct asl_block_vectors *v)
{
	if (in_place(v))
		return;
	for (uint64_t c = 0; c < shape->c.count; c++)
		for (uint64_t column = 0; column < v->columns; column++)
			v->yk[c * v->ld + column] += k->y[column * k->step + c];
}

/*
 * Updates
 *
 * For the entries of row (a, b) with c < b, both y_a and y_b need d = A x_k
 * (times 2 x_b and 2 x_a), and y_k gets A times h = 2 x_a x_b.  Where a = b
 * there is one y for both, and h = x_a^2.
 *
 * In a block (., k, k) each row is one longer than the one before.  Rows are
 * swept together up to the length of the first one, without c = b; the corner
 * that remains, up to c = b, is done entry by entry.
 *
 * One vector: one row at a time, all of one a in a run but that with a = b, so that
 * the tensor is read in the one order in which it lies.  Several vectors: a few rows
 * are swept for one column after another while they are in the innermost cache.
 */

#define COLUMNS 16 /* whose h and d are kept at a time */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct update {
	const struct asl_block_shape *shape;
	const struct asl_block_vectors *v;
	struct turned k;
};

/* Successive rows of one a; a and b count from the block's corner. */
struct rows {
	uint64_t a, b, count;
	bool square; /* the last has a = b */
	bool corner; /* the block is (., k, k) */
	const double *at[ROWS];
	uint64_t length; /* of the first, without c = b */
};

/* x and y of some columns, and h and d of the rows for them. */
struct columns {
	const double *xa, *xb[ROWS];
	double *ya, *yb[ROWS];
	double h[ROWS][COLUMNS], d[ROWS][COLUMNS];
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

/* An entry of row i whose c is b of row k. */
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

/* For each row i, c from b of the first row to b of row i. */
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

static void sweep_rows(struct columns *some, const struct update *u,
		       const struct rows *rows, uint64_t first, uint64_t count)
{
	struct swept group = {.step = COLUMNS,
			      .pitch = u->k.step,
			      .ahead = rows->at[0] + AHEAD};

	for (uint64_t i = 0; i < ROWS; i++)
		group.A[i] = rows->at[i < rows->count ? i : 0];
	/* Rows and columns that only fill up add nothing. */
	for (uint64_t i = rows->count; i < ROWS; i++)
		memset(some->h[i], 0, sizeof some->h[i]);
	for (uint64_t i = 0; i < ROWS && count % PAIR; i++)
		some->h[i][count] = 0;
	for (uint64_t r = 0; r < count; r += PAIR) {
		uint64_t from = (first + r) * u->k.step;

		group.h = &some->h[0][r];
		group.d = &some->d[0][r];
		sweep_four(&group, u->k.y + from, u->k.x + from, rows->length);
		group.ahead = NULL;
	}
}

/* Inlined, so that there are no loops over columns where `count` is 1. */
ALWAYS_INLINE void update_columns(const struct update *u,
				  const struct rows *rows, uint64_t first,
				  uint64_t count)
{
	struct columns some;

	place(&some, u, rows, first);
	begin(&some, rows, count);
	if (u->v->columns == 1)
		some.d[0][0] = asl_row_update(rows->at[0], some.h[0][0], u->k.y,
					      u->k.x, rows->length);
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
		update_columns(u, rows, first, asl_min(COLUMNS, R - first));
}

/* The next rows of one a, `most` at most; *row and *A advance. */
static void take_rows(struct rows *rows, const struct asl_block_shape *shape,
		      struct asl_block_row *row, const double **A,
		      uint64_t most)
{
	uint64_t stop = end_of(shape, row->a);

	rows->a = row->a - shape->a.first;
	rows->b = row->b - shape->b.first;
	rows->count = asl_min(most, stop - row->b);
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

/* How many rows from here on can be updated together: of one a, with a > b. */
static uint64_t count_alike(const struct update *u,
			    const struct asl_block_row *row)
{
	const struct asl_block_shape *shape = u->shape;
	uint64_t end = end_of(shape, row->a);

	if (!in_place(u->v))
		return 0;
	return end - row->b - (shape->i == shape->j);
}

/* *row and *A advance. */
static void update_alike(const struct update *u, struct asl_block_row *row,
			 const double **A, uint64_t count)
{
	const struct asl_block_shape *shape = u->shape;
	bool longer = shape->j == shape->k;
	uint64_t a = row->a - shape->a.first, b = row->b - shape->b.first;
	const struct asl_row_run rows = {
		.A = *A,
		.count = count,
		.n = row->length,
		.longer = longer,
		.xa = u->v->xi[a],
		.ya = u->v->yi + a,
		.xb = u->v->xj + b,
		.yb = u->v->yj + b,
	};

	asl_row_run_update(&rows, u->k.y, u->k.x);
	*A += count * row->length + longer * asl_triangle(count - 1);
	row->b += count - 1;
	row->length += longer * (count - 1);
	asl_block_next(shape, row);
}

static void update_some(const struct asl_block_shape *shape, const double *A,
			struct asl_range rows,
			const struct asl_block_vectors *v, double *scratch)
{
	struct asl_block_row row = asl_block_row(shape, rows.first);
	struct update u = {.shape = shape, .v = v};
	uint64_t at_once = v->columns == 1 ? 1 : ROWS;

	turn(&u.k, shape, v, scratch);
	for (uint64_t left = rows.count; left;) {
		uint64_t alike = asl_min(left, count_alike(&u, &row));
		struct rows some;

		if (alike) {
			update_alike(&u, &row, &A, alike);
			left -= alike;
			continue;
		}
		take_rows(&some, shape, &row, &A, asl_min(at_once, left));
		update_rows(&u, &some);
		left -= some.count;
	}
	turn_back(&u.k, shape, v);
}

/*
 * Threads
 *
 * Rows are cut into pieces of as many words.  The first piece adds to y itself,
 * each other to a y of its own, which begins with zeros and is then added, one
 * after another.  The pieces depend on the block alone, so that any number of
 * threads above one has the same bits; one thread has one piece.  These y, and
 * the scratch of the other pieces, are beside the cache's S words, as the copies
 * are that a BLAS makes.
 */

enum { WORTH = 256 }; /* words of A for each word of such a y, at least */

int asl_block_pieces(uint64_t words, uint64_t columns, uint64_t own)
{
	if (asl_team_pieces(words * columns, ASL_TEAM_WORDS) == 1)
		return 1;
	return (int)asl_min(ASL_BLOCK_PIECES, words / (WORTH * own) + 1);
}

struct pieces {
	const struct asl_block_shape *shape;
	const double *A;
	struct asl_range rows;
	const struct asl_block_vectors *v;
	double *scratch, *more; /* of the first piece; of all others */
	uint64_t each;		/* words of one in `more` */
	int count;
};

static uint64_t words_of(const struct asl_block_shape *shape,
			 struct asl_range rows)
{
	return asl_block_before(shape, rows.first + rows.count) -
	       asl_block_before(shape, rows.first);
}

/* The row where piece i begins. */
static uint64_t begin_of(const struct pieces *p, int i)
{
	uint64_t low = p->rows.first, high = low + p->rows.count;
	uint64_t due = asl_block_before(p->shape, low) +
		       asl_part(words_of(p->shape, p->rows), p->count, i).first;

	while (low < high && i < p->count) {
		uint64_t middle = low + (high - low) / 2;

		if (asl_block_before(p->shape, middle) < due)
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

static uint64_t own_words(const struct asl_block_shape *shape, uint64_t ld)
{
	uint64_t rows = shape->a.count;

	rows += shape->j == shape->i ? 0 : shape->b.count;
	rows += shape->k == shape->j ? 0 : shape->c.count;
	return rows * ld;
}

static struct asl_block_vectors own_y(const struct pieces *p, double *at)
{
	struct asl_block_vectors v = *p->v;
	const struct asl_block_shape *shape = p->shape;

	v.yi = at;
	v.yj = shape->j == shape->i ? v.yi : v.yi + shape->a.count * v.ld;
	v.yk = shape->k == shape->j   ? v.yj
	       : shape->j == shape->i ? v.yi + shape->a.count * v.ld
				      : v.yj + shape->b.count * v.ld;
	return v;
}

static void update_piece(void *arg, int i)
{
	const struct pieces *p = arg;
	uint64_t first = begin_of(p, i), end = begin_of(p, i + 1);
	struct asl_range before = {p->rows.first, first - p->rows.first};
	const double *A = p->A + words_of(p->shape, before);
	struct asl_block_vectors v = *p->v;
	double *scratch = p->scratch;

	if (i > 0) {
		double *at = p->more + (uint64_t)(i - 1) * p->each;

		v = own_y(p, at);
		scratch = at + own_words(p->shape, v.ld);
	}
	if (first < end)
		update_some(p->shape, A, (struct asl_range){first, end - first},
			    &v, scratch);
}

static void add_y(double *to, const double *from, uint64_t rows,
		  const struct asl_block_vectors *v)
{
	for (uint64_t i = 0; i < rows; i++)
		for (uint64_t l = 0; l < v->columns; l++)
			to[i * v->ld + l] += from[i * v->ld + l];
}

static void add_pieces(const struct pieces *p)
{
	const struct asl_block_shape *shape = p->shape;

	for (int i = 0; i < p->count - 1; i++) {
		struct asl_block_vectors v =
			own_y(p, p->more + (uint64_t)i * p->each);

		add_y(p->v->yi, v.yi, shape->a.count, &v);
		if (shape->j != shape->i)
			add_y(p->v->yj, v.yj, shape->b.count, &v);
		if (shape->k != shape->j)
			add_y(p->v->yk, v.yk, shape->c.count, &v);
	}
}

void asl_block_update(const struct asl_block_shape *shape, const double *A,
		      struct asl_range rows, const struct asl_block_vectors *v,
		      double *scratch)
{
	uint64_t words = words_of(shape, rows), own = own_words(shape, v->ld);
	struct pieces p = {shape, A, rows, v, scratch, NULL, own, 1};

	p.each = asl_ceil_div(own + asl_block_scratch(shape, v), ASL_LINE) *
		 ASL_LINE;
	p.count = asl_block_pieces(words, v->columns, p.each);
	if (p.count > 1)
		p.more = calloc((uint64_t)p.count - 1, p.each * sizeof(double));
	if (!p.more)
		p.count = 1;
	asl_team_run(p.count, update_piece, &p);
	add_pieces(&p);
	free(p.more);
}
