/*
 * pair.c -- C = A B on one rank, where A, B and C are tensors
 *
 * Every index is in two of them or in all three: in A and C (a row of the
 * product), in B and C (a column), in A and B (summed over) or in all (a batch:
 * one product for each of its values).  There are two ways:
 *
 *	product		a kernel of lib/kernels, once per batch; or, if C is in
 *			the cache, the product in its place, which reads A and
 *			B once.  A and B must
 *			have each group of indices in one piece, as a matrix has
 *			its rows and columns; otherwise they, or C, pass through
 *			a copy in DRAM that does.
 *	vector		for products with little work per word: all batches are
 *			the innermost loop, and C(i, j) += A(i, k) B(k, j) acts on
 *			vectors of them.
 *
 * C is made anew, or added to.  The way, and the order of indices within each group, are those of least time.
 * The vector way works in slices of the sum and of the batches so small that a
 * slice of B and a vector of C fit into S, and
 *
 *	reads	A, once for each column; B, once; C, once for each slice of the
 *		sum but the first
 *	writes	C, once for each slice of the sum
 */
#include <errno.h>
#include <limits.h>
#include <math.h>

#include "lib/base/parts.h"
#include "lib/contract/contract.h"
#include "lib/multiply/multiply.h"
#include "lib/rank/resume.h"

/* ---- Views, and axes of several indices ---- */

struct asl_view asl_view_dense(const struct asl_words *x,
			       const struct asl_term *t, const uint64_t *len)
{
	struct asl_view v = {
		.term = t, .where = x->where, .at = x->at, .type = x->type};
	uint64_t stride = 1;

	for (int i = t->count - 1; i >= 0; i--) {
		v.stride[t->index[i]] = stride;
		stride *= len[t->index[i]];
	}
	return v;
}

struct asl_view asl_view_nowhere(const struct asl_term *t, const uint64_t *len)
{
	struct asl_words nowhere = {.where = ASL_DRAM};

	return asl_view_dense(&nowhere, t, len);
}

static double *shifted(const struct asl_view *x, uint64_t by)
{
	return asl_type_at(x->type, x->at, by);
}

/* Words that follow each other, or a block of them, from there on. */
static struct asl_words words_at(const struct asl_view *x, uint64_t by,
				 uint64_t count)
{
	return (struct asl_words){x->where, x->type, count, shifted(x, by)};
}

static struct asl_block block_at(const struct asl_view *x, uint64_t by,
				 uint64_t rows, uint64_t cols, uint64_t ld)
{
	return (struct asl_block){x->where, x->type, rows,
				  cols,	    ld,	     shifted(x, by)};
}

/*
 * Indices that are stepped through together, the last fastest: one dimension as
 * long as their product.  Those of length 1 are left out.
 */
struct axis {
	uint64_t len;
	int count;
	unsigned char index[ASL_MOST_INDICES];
};

/* The indices of a set, in the order of the term. */
static void set_axis(struct axis *axis, const struct asl_term *t, uint32_t set,
		     const uint64_t *len)
{
	axis->len = 1;
	axis->count = 0;
	for (int i = 0; i < t->count; i++) {
		int index = t->index[i];

		if (!(set >> index & 1) || len[index] == 1)
			continue;
		axis->index[axis->count++] = (unsigned char)index;
		axis->len *= len[index];
	}
}

/* Are the points of the axis equally far apart, and how far?  One point: 1. */
static bool is_even(const struct axis *axis, const struct asl_view *x,
		    const uint64_t *len, uint64_t *step)
{
	uint64_t next;

	*step = 1;
	if (axis->count == 0)
		return true;
	*step = next = x->stride[axis->index[axis->count - 1]];
	for (int i = axis->count - 1; i >= 0; i--) {
		if (x->stride[axis->index[i]] != next)
			return false;
		next *= len[axis->index[i]];
	}
	return true;
}

/* For an axis whose points are equally far apart. */
static uint64_t step_of(const struct axis *axis, const struct asl_view *x,
			const uint64_t *len)
{
	uint64_t step;

	is_even(axis, x, len, &step);
	return step;
}

/* Words from x->at to a point of the axis. */
static uint64_t offset_of(const struct axis *axis, const struct asl_view *x,
			  const uint64_t *len, uint64_t point)
{
	uint64_t offset = 0;

	for (int i = axis->count - 1; i >= 0; i--) {
		int index = axis->index[i];

		offset += point % len[index] * x->stride[index];
		point /= len[index];
	}
	return offset;
}

/*
 * Permuting, block by block
 *
 * Two dimensions matter: `across`, which is contiguous in dst, and `down`, which
 * has the smallest steps in src.  A block of both is read with the steps of src
 * into a tile, in the order of src's cache lines, so that none is fetched twice,
 * and stored as rows of dst.  If one dimension is both, its rows are copied.
 */

enum { SIDE = 64, MOST = SIDE * SIDE };

/* Several indices that are one dimension on both sides, and their steps. */
struct dimension {
	uint64_t len, dst, src;
};

struct shape {
	int count;
	struct dimension of[ASL_MOST_INDICES + 1]; /* all others */
	struct dimension down, across;
	uint64_t rows, cols; /* of a block */
};

/* Indices longer than 1, those with the largest steps in dst first. */
static int sort(struct dimension *d, const struct asl_view *dst,
		const struct asl_view *src, const uint64_t *len)
{
	int count = 0;

	for (int i = 0; i < dst->term->count; i++) {
		int index = dst->term->index[i], at = count;

		if (len[index] == 1)
			continue;
		for (; at > 0 && d[at - 1].dst < dst->stride[index]; at--)
			d[at] = d[at - 1];
		d[at] = (struct dimension){len[index], dst->stride[index],
					   src->stride[index]};
		count++;
	}
	return count;
}

static int join(struct dimension *d, int count)
{
	int joined = 0;

	for (int i = 0; i < count; i++) {
		struct dimension *last = &d[joined - 1];

		if (joined && last->dst == d[i].dst * d[i].len &&
		    last->src == d[i].src * d[i].len)
			*last = (struct dimension){last->len * d[i].len,
						   d[i].dst, d[i].src};
		else
			d[joined++] = d[i];
	}
	return joined;
}

static struct dimension take_out(struct shape *s, int which)
{
	struct dimension x = s->of[which];

	s->count--;
	for (int i = which; i < s->count; i++)
		s->of[i] = s->of[i + 1];
	return x;
}

static int finest(const struct shape *s)
{
	int best = s->count - 1;

	for (int i = 0; i < s->count; i++)
		if (s->of[i].src < s->of[best].src)
			best = i;
	return best;
}

static struct shape shape_of(const struct asl_view *dst,
			     const struct asl_view *src, const uint64_t *len,
			     uint64_t cache)
{
	struct shape s = {.down = {1, 1, 1}, .across = {1, 1, 1}};
	uint64_t words = asl_min(cache, MOST), side;

	s.count = join(s.of, sort(s.of, dst, src, len));
	if (s.count && s.of[s.count - 1].dst == 1)
		s.across = take_out(&s, s.count - 1);
	if (s.count)
		s.down = take_out(&s, finest(&s));
	side = s.across.src == 1 ? words : asl_isqrt(words);
	s.cols = asl_min(s.across.len, side);
	s.rows = asl_min(s.down.len, words / s.cols);
	return s;
}

/* A block of src on its way into a tile. */
struct block {
	uint64_t rows, cols, down, across; /* the last two: steps in src */
	void *to;
	enum asl_type type;
};

/* Words are copied as numbers of their size, which `at` is aligned for. */
#define READ_BLOCK(name, word)                                                 \
	static void name(const word *at, const struct block *b, word *to)      \
	{                                                                      \
		if (b->across <= b->down) {                                    \
			for (uint64_t i = 0; i < b->rows; i++)                 \
				for (uint64_t j = 0; j < b->cols; j++)         \
					to[i * b->cols + j] =                  \
						at[i * b->down +               \
						   j * b->across];             \
			return;                                                \
		}                                                              \
		for (uint64_t j = 0; j < b->cols; j++)                         \
			for (uint64_t i = 0; i < b->rows; i++)                 \
				to[i * b->cols + j] =                          \
					at[i * b->down + j * b->across];       \
	}

struct two_doubles {
	double part[2];
} __attribute__((may_alias));

READ_BLOCK(read_floats, asl_float_part)
READ_BLOCK(read_doubles, asl_double_part)
READ_BLOCK(read_pairs, struct two_doubles)

static void read_block(const double *at, void *arg)
{
	const struct block *b = arg;
	const void *from = at;

	switch (asl_type_bytes(b->type)) {
	case sizeof(float):
		read_floats(from, b, b->to);
		return;
	case sizeof(double):
		read_doubles(from, b, b->to);
		return;
	default:
		read_pairs(from, b, b->to);
	}
}

/* Words from the beginnings of dst and src. */
struct offset {
	uint64_t dst, src;
};

static void move_block(struct asl_rank *r, const struct asl_view *dst,
		       const struct asl_view *src, const struct shape *s,
		       struct offset at, struct asl_tile *tile)
{
	struct asl_block to =
		block_at(dst, at.dst, tile->rows, tile->cols, s->down.dst);
	struct asl_words in = asl_tile_words(tile, 0, tile->rows * tile->cols);
	struct asl_words from = words_at(src, at.src, in.count);
	struct block b = {tile->rows,	 tile->cols, s->down.src,
			  s->across.src, in.at,	     in.type};

	if (to.rows == 1)
		to.ld = to.cols;
	asl_compute(r, &from, 0, read_block, &b);
	asl_tile_store(r, &to, tile);
	asl_mark_commit(r, &to);
}

static void move_plane(struct asl_rank *r, const struct asl_view *dst,
		       const struct asl_view *src, const struct shape *s,
		       struct offset corner, struct asl_tile *tile)
{
	for (uint64_t i = 0; i < s->down.len; i += s->rows)
		for (uint64_t j = 0; j < s->across.len; j += s->cols) {
			struct offset at = {corner.dst + i * s->down.dst + j,
					    corner.src + i * s->down.src +
						    j * s->across.src};

			asl_tile_zero(tile, asl_min(s->rows, s->down.len - i),
				      asl_min(s->cols, s->across.len - j));
			move_block(r, dst, src, s, at, tile);
		}
}

void asl_permute(struct asl_rank *r, const struct asl_view *dst,
		 const struct asl_view *src, const uint64_t *len)
{
	struct shape s = shape_of(dst, src, len, r->cache - r->cache_held);
	struct asl_tile tile;
	uint64_t planes = 1;

	for (int i = 0; i < s.count; i++)
		planes *= s.of[i].len;
	asl_tile_take(r, &tile, s.rows, s.cols);
	for (uint64_t p = 0; !r->err && p < planes; p++) {
		struct offset at = {0, 0};
		uint64_t rest = p;

		for (int i = s.count - 1; i >= 0; i--) {
			at.dst += rest % s.of[i].len * s.of[i].dst;
			at.src += rest % s.of[i].len * s.of[i].src;
			rest /= s.of[i].len;
		}
		move_plane(r, dst, src, &s, at, &tile);
	}
	asl_tile_give(r, &tile);
}

void asl_permute_predict(struct asl_counts *x, const struct asl_view *dst,
			 const struct asl_view *src, const uint64_t *len)
{
	uint64_t words = asl_term_words(dst->term, len);

	asl_count_read(x, src->where, words);
	asl_count_written(x, dst->where, words);
}

/*
 * Choosing the way and the orders of indices
 *
 * Every order that could save a copy is tried: rows and columns as in C or as in
 * A and B, the sum as in A or as in B, batches as in any of the three; one index
 * alone has one order.
 */

#define COPY_NS 4.0	/* a copied word, in and out */
#define KERNEL_NS 300.0 /* a call of a kernel */
#define VECTOR_NS 150.0 /* a vector */

struct pairing {
	bool vector;
	bool swapped; /* A is the second input, B the first */
	struct axis batch, rows, cols, sum;
	bool copies[3]; /* A, B, C: of the pairing, not of the caller */
	uint64_t copied;
};

struct pair {
	const struct asl_view *A, *B, *C; /* C: NULL if any order will do */
	uint32_t kept;
	const uint64_t *len;
};

/* Is every axis even, and the innermost one without gaps? */
static bool suits(const struct asl_view *x, const struct axis *rows,
		  const struct axis *cols, const struct axis *inner,
		  const uint64_t *len)
{
	uint64_t step;

	return is_even(rows, x, len, &step) && is_even(cols, x, len, &step) &&
	       is_even(inner, x, len, &step) && step == 1;
}

static struct asl_term chain(const struct axis *a, const struct axis *b,
			     const struct axis *c)
{
	const struct axis *axis[] = {a, b, c};
	struct asl_term t = {0};

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < axis[i]->count; j++)
			asl_term_add(&t, axis[i]->index[j]);
	return t;
}

/* The orders of indices that need no copy; of C, what suits A and B. */
static struct asl_term order_of(const struct pairing *p, int side)
{
	const struct axis *b = &p->batch, *m = &p->rows, *n = &p->cols,
			  *k = &p->sum;

	if (side == 0)
		return p->vector ? chain(m, k, b) : chain(b, m, k);
	if (side == 1)
		return p->vector ? chain(k, n, b) : chain(b, k, n);
	return p->vector ? chain(m, n, b) : chain(b, m, n);
}

static double time_of(const struct pairing *p)
{
	double m = (double)p->rows.len, n = (double)p->cols.len;
	double k = (double)p->sum.len, b = (double)p->batch.len;
	double copies = COPY_NS * (double)p->copied;
	double words = m * k + k * n + m * n;

	if (p->vector)
		return copies + m * n * (VECTOR_NS + k * b);
	return copies + b * (KERNEL_NS + fmax(m * n * k / 8, words));
}

/*
 * All axes are known: find the copies, and keep the best pairing so far.  False: no
 * other order of the same kind, by vectors or not, takes less time.
 */
static bool consider(struct pairing *best, struct pairing *p,
		     const struct pair *x)
{
	const struct asl_view *side[] = {p->swapped ? x->B : x->A,
					 p->swapped ? x->A : x->B, x->C};
	const struct axis *rows[] = {&p->rows, &p->sum, &p->rows};
	const struct axis *cols[] = {&p->sum, &p->cols, &p->cols};
	double least;

	p->copied = 0;
	least = time_of(p);
	if (best->batch.len && time_of(best) <= least)
		return false;
	for (int i = 0; i < 3; i++) {
		const struct axis *inner = p->vector ? &p->batch : cols[i];

		p->copies[i] = side[i] &&
			       !suits(side[i], rows[i], cols[i], inner, x->len);
		if (p->copies[i])
			p->copied += rows[i]->len * cols[i]->len * p->batch.len;
	}
	if (!best->batch.len || time_of(p) < time_of(best))
		*best = *p;
	return time_of(best) > least;
}

/* False: as above. */
static bool try_orders(struct pairing *best, const struct pair *x, bool vector,
		       bool swapped, bool as_C)
{
	const struct asl_term *A = (swapped ? x->B : x->A)->term;
	const struct asl_term *B = (swapped ? x->A : x->B)->term;
	const struct asl_term *C = as_C ? x->C->term : NULL;
	const struct asl_term *sum[] = {A, B};
	const struct asl_term *batch[] = {A, B, C};
	uint32_t both = A->has & B->has;
	struct pairing p; /* large: not all of it is set */

	p.vector = vector;
	p.swapped = swapped;
	set_axis(&p.rows, C ? C : A, A->has & x->kept & ~both, x->len);
	set_axis(&p.cols, C ? C : B, B->has & x->kept & ~both, x->len);
	for (int i = 0; i < 2; i++) {
		set_axis(&p.sum, sum[i], both & ~x->kept, x->len);
		for (int j = 0; j < (C ? 3 : 2); j++) {
			set_axis(&p.batch, batch[j], both & x->kept, x->len);
			if (!consider(best, &p, x))
				return false;
			if (p.batch.count < 2)
				break;
		}
		if (p.sum.count < 2)
			break;
	}
	return true;
}

/* Indices of length 1 are in no axis, but must be in the tensor. */
static void add_missing(struct asl_term *t, uint32_t kept)
{
	for (int i = 0; i < ASL_MOST_INDICES; i++)
		if ((kept & ~t->has) >> i & 1)
			asl_term_add(t, i);
}

static struct pairing choose(const struct pair *x)
{
	struct pairing p = {.vector = false};
	int as_C = x->C ? 2 : 1;

	for (int vector = 0; vector < 2; vector++)
		for (int i = 0; i < 2 * as_C; i++)
			if (!try_orders(&p, x, vector, i / as_C, i % as_C))
				break;
	return p;
}

double asl_pair_time(struct asl_term *order, const struct asl_term *A,
		     const struct asl_term *B, const struct asl_term *C,
		     uint32_t kept, const uint64_t *len)
{
	struct asl_view a = asl_view_nowhere(A, len);
	struct asl_view b = asl_view_nowhere(B, len), c;
	struct pair x = {&a, &b, NULL, kept, len};
	struct pairing p;

	if (C) {
		c = asl_view_nowhere(C, len);
		x.C = &c;
	}
	p = choose(&x);
	*order = C ? *C : order_of(&p, 2);
	if (!C)
		add_missing(order, kept);
	return time_of(&p);
}

/* ---- A product for each batch, by a kernel ---- */

/* The three tensors as they are multiplied, copied where that is necessary. */
struct sides {
	const struct asl_plan *plan;
	const struct pairing *p;
	const uint64_t *len;
	struct asl_term order[3]; /* of copies */
	struct asl_view of[3];
};

static struct asl_block matrix(const struct asl_view *x,
			       const struct axis *rows, const struct axis *cols,
			       const uint64_t *len)
{
	uint64_t ld = rows->len > 1 ? step_of(rows, x, len) : cols->len;

	return block_at(x, 0, rows->len, cols->len, ld);
}

static struct asl_product product(const struct sides *s)
{
	struct asl_product x =
		asl_plan_product(s->plan, s->p->rows.len, s->p->cols.len,
				 s->p->sum.len, s->of[0].where, s->of[1].where);

	x.C = s->of[2].where;
	x.add = s->of[2].adds;
	return x;
}

/* The BLAS takes sizes as ints. */
static bool fits_blas(struct asl_rank *r, const struct asl_block *a,
		      const struct asl_block *b, const struct asl_block *c)
{
	uint64_t most = asl_max(asl_max(a->ld, b->ld), c->ld);

	most = asl_max(most, asl_max(a->rows, a->cols));
	most = asl_max(most, b->cols);
	if (r->data && most > INT_MAX)
		asl_rank_fail(r, -EOVERFLOW,
			      "a product of %ju x %ju by %ju x %ju is too "
			      "large for a BLAS",
			      a->rows, a->cols, b->rows, b->cols);
	return !r->err;
}

/* C is in the cache, and slivers of A and B fit beside it. */
static bool is_within(const struct sides *s)
{
	return s->of[2].where == ASL_CACHE &&
	       s->p->rows.len + s->p->cols.len <= s->plan->cache;
}

static void by_kernel(struct asl_rank *r, const struct sides *s)
{
	const struct pairing *p = s->p;
	const struct asl_view *x = s->of;
	struct asl_product local = product(s);

	for (uint64_t i = 0; !r->err && i < p->batch.len; i++) {
		struct asl_block block[3];

		asl_batch(r, i, p->batch.len);
		for (int j = 0; j < 3; j++) {
			struct asl_view v = x[j];

			v.at = shifted(&v, offset_of(&p->batch, &v, s->len, i));
			block[j] = matrix(&v, j == 1 ? &p->sum : &p->rows,
					  j == 0 ? &p->sum : &p->cols, s->len);
		}
		if (!fits_blas(r, &block[0], &block[1], &block[2]))
			break;
		if (is_within(s))
			asl_multiply_within(r, &block[2], &block[0], &block[1]);
		else
			s->plan->kernel->run(r, &local, &block[2], &block[0],
					     &block[1]);
	}
	asl_batch(r, p->batch.len, p->batch.len);
}

static void predict_kernel(struct asl_counts *x, const struct sides *s)
{
	struct asl_product local = product(s);
	struct asl_counts once = {{0}};

	if (is_within(s)) {
		asl_count_read(&once, local.A, local.m * local.k);
		asl_count_read(&once, local.B, local.k * local.n);
		once.of[ASL_FLOPS] += 2 * local.m * local.n * local.k;
	} else {
		asl_kernel_predict(s->plan->kernel, &once, &local);
	}
	asl_counts_add_times(x, &once, s->p->batch.len);
}

/*
 * C(i, j) += A(i, k) B(k, j), each a vector of all batches
 *
 * A slice of B stays in the cache while equally deep rows of A and a vector of C
 * pass through it.
 */

/* The slice of B that the cache holds beside a vector of C. */
struct slice {
	uint64_t depth, batches;
};

static struct slice slice(const struct sides *s)
{
	uint64_t S = s->plan->cache;
	struct slice x = {.batches = asl_min(s->p->batch.len, S / 2)};

	x.depth = asl_min(s->p->sum.len, S / x.batches - 1);
	return x;
}

struct vectors {
	uint64_t depth, batches, step; /* step: from vector to vector of A */
	const double *b;	       /* depth x batches */
	double *c;
	enum asl_type type;
};

/* c += a b, word by word, of real and of complex numbers with these parts. */
#define ADD_VECTOR(reals, complexes, part)                                     \
	static void reals(void *to, const void *from, const void *by,          \
			  uint64_t count)                                      \
	{                                                                      \
		part *c = to;                                                  \
		const part *a = from, *b = by;                                 \
                                                                               \
		for (uint64_t i = 0; i < count; i++)                           \
			c[i] += a[i] * b[i];                                   \
	}                                                                      \
                                                                               \
	static void complexes(void *to, const void *from, const void *by,      \
			      uint64_t count)                                  \
	{                                                                      \
		part *c = to;                                                  \
		const part *a = from, *b = by;                                 \
                                                                               \
		for (uint64_t i = 0; i < 2 * count; i += 2) {                  \
			part re = a[i] * b[i] - a[i + 1] * b[i + 1];           \
			part im = a[i] * b[i + 1] + a[i + 1] * b[i];           \
                                                                               \
			c[i] += re;                                            \
			c[i + 1] += im;                                        \
		}                                                              \
	}

ADD_VECTOR(add_floats, add_complex_floats, asl_float_part)
ADD_VECTOR(add_doubles, add_complex_doubles, asl_double_part)

typedef void vector_adder(void *to, const void *from, const void *by,
			  uint64_t count);

static vector_adder *const adders[] = {
	[ASL_FLOAT32] = add_floats,
	[ASL_FLOAT64] = add_doubles,
	[ASL_COMPLEX64] = add_complex_floats,
	[ASL_COMPLEX128] = add_complex_doubles,
};

static void add_vectors(const double *at, void *arg)
{
	const struct vectors *v = arg;

	for (uint64_t k = 0; k < v->depth; k++)
		adders[v->type](v->c, asl_type_at(v->type, at, k * v->step),
				asl_type_at(v->type, v->b, k * v->batches),
				v->batches);
}

/* The beginning of a slice in the sum and in the batches. */
struct corner {
	uint64_t sum, batch;
};

/* Add a slice of B's column to every vector of C in that column. */
static void down_column(struct asl_rank *r, const struct sides *s,
			uint64_t column, struct corner at, struct asl_tile *b,
			struct asl_tile *c)
{
	const struct pairing *p = s->p;
	const struct asl_view *A = &s->of[0], *C = &s->of[2];
	uint64_t row_A = step_of(&p->rows, A, s->len);
	uint64_t row_C = step_of(&p->rows, C, s->len);
	uint64_t first_C = column * step_of(&p->cols, C, s->len) + at.batch;
	struct vectors v = {b->rows,
			    b->cols,
			    step_of(&p->sum, A, s->len),
			    asl_tile_words(b, 0, b->rows * b->cols).at,
			    NULL,
			    b->type};

	for (uint64_t i = 0; !r->err && i < p->rows.len; i++) {
		uint64_t in_A = i * row_A + at.sum * v.step + at.batch;
		struct asl_words from = words_at(A, in_A, b->rows * b->cols);
		struct asl_block to =
			block_at(C, i * row_C + first_C, 1, b->cols, b->cols);

		asl_tile_zero(c, 1, b->cols);
		if (at.sum || C->adds)
			asl_tile_load(r, c, &to);
		v.c = asl_tile_words(c, 0, b->cols).at;
		asl_compute(r, &from, 2 * from.count, add_vectors, &v);
		asl_tile_store(r, &to, c);
	}
}

static void by_vectors(struct asl_rank *r, const struct sides *s)
{
	const struct pairing *p = s->p;
	const struct asl_view *B = &s->of[1];
	struct slice x = slice(s);
	uint64_t down = step_of(&p->sum, B, s->len);
	uint64_t across = step_of(&p->cols, B, s->len);
	struct asl_tile b, c;

	asl_tile_take(r, &b, x.depth, x.batches);
	asl_tile_take(r, &c, 1, x.batches);
	for (uint64_t i = 0; i < p->batch.len; i += x.batches)
		for (uint64_t n = 0; n < p->cols.len; n++)
			for (uint64_t k = 0; !r->err && k < p->sum.len;
			     k += x.depth) {
				struct asl_block from = block_at(
					B, n * across + k * down + i,
					asl_min(x.depth, p->sum.len - k),
					asl_min(x.batches, p->batch.len - i),
					down);

				asl_tile_load(r, &b, &from);
				down_column(r, s, n, (struct corner){k, i}, &b,
					    &c);
			}
	asl_tile_give(r, &c);
	asl_tile_give(r, &b);
}

static void predict_vectors(struct asl_counts *x, const struct sides *s)
{
	const struct pairing *p = s->p;
	struct slice cut = slice(s);
	uint64_t C = p->rows.len * p->cols.len * p->batch.len;
	uint64_t B = p->sum.len * p->cols.len * p->batch.len;
	uint64_t passes = asl_ceil_div(p->sum.len, cut.depth);

	asl_count_read(x, s->of[0].where, C * p->sum.len);
	asl_count_read(x, s->of[1].where, B);
	asl_count_read(x, s->of[2].where, C * (passes - !s->of[2].adds));
	asl_count_written(x, s->of[2].where, C * passes);
	x->of[ASL_FLOPS] += 2 * C * p->sum.len;
}

/* Choose the pairing; given[] becomes the caller's A, B and C in its order. */
static void begin(struct sides *s, struct pairing *p,
		  const struct asl_view *given[3], const struct asl_plan *plan,
		  const struct asl_view *C, const struct asl_view *A,
		  const struct asl_view *B, const uint64_t *len)
{
	s->plan = plan;
	s->p = p;
	s->len = len;
	*p = choose(&(struct pair){A, B, C, C->term->has, len});
	given[0] = p->swapped ? B : A;
	given[1] = p->swapped ? A : B;
	given[2] = C;
	for (int i = 0; i < 3; i++) {
		s->of[i] = *given[i];
		if (!p->copies[i])
			continue;
		s->order[i] = order_of(p, i);
		s->of[i] = asl_view_nowhere(&s->order[i], len);
		s->of[i].adds = given[i]->adds;
	}
}

void asl_pair_run(struct asl_rank *r, const struct asl_plan *plan,
		  const struct asl_view *C, const struct asl_view *A,
		  const struct asl_view *B, const uint64_t *len)
{
	const struct asl_view *given[3];
	struct asl_words copy[3] = {{0}};
	struct pairing p;
	struct sides s;

	begin(&s, &p, given, plan, C, A, B, len);
	if (p.copied)
		asl_mark_hold(r);
	for (int i = 0; i < 3; i++) {
		if (!p.copies[i])
			continue;
		asl_take(r, &copy[i], ASL_DRAM,
			 asl_term_words(&s.order[i], len));
		s.of[i].at = copy[i].at;
		s.of[i].type = copy[i].type;
		if (i < 2 || C->adds)
			asl_permute(r, &s.of[i], given[i], len);
	}
	if (p.vector)
		by_vectors(r, &s);
	else
		by_kernel(r, &s);
	if (p.copies[2])
		asl_permute(r, C, &s.of[2], len);
	for (int i = 2; i >= 0; i--)
		asl_give(r, &copy[i]);
	if (p.copied)
		asl_mark_release(r);
}

uint64_t asl_pair_predict(struct asl_counts *x, const struct asl_plan *plan,
			  const struct asl_view *C, const struct asl_view *A,
			  const struct asl_view *B, const uint64_t *len)
{
	const struct asl_view *given[3];
	struct pairing p;
	struct sides s;
	uint64_t held = 0;

	begin(&s, &p, given, plan, C, A, B, len);
	for (int i = 0; i < 3; i++) {
		const struct asl_view *to = i < 2 ? &s.of[i] : C;
		const struct asl_view *from = i < 2 ? given[i] : &s.of[2];

		if (!p.copies[i])
			continue;
		/* C's copy comes last, while all copies are held. */
		held += asl_term_words(&s.order[i], len);
		asl_permute_predict(x, to, from, len);
		if (i == 2 && C->adds)
			asl_permute_predict(x, from, to, len);
	}
	if (p.vector)
		predict_vectors(x, &s);
	else
		predict_kernel(x, &s);
	return held;
}
