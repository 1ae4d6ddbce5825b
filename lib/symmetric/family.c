/*
 * family.c -- symmetric tensors as lib/plan/family.h asks: words, files, checks
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/team.h"
#include "lib/matrix/format.h"
#include "lib/plan/pieces.h"
#include "lib/symmetric/cube.h"
#include "lib/symmetric/symmetric.h"
#include "lib/symmetric/tensor.h"

/* ---- Which words of X and of Y a rank owns ---- */

static bool by_wedges(const struct asl_plan *plan)
{
	return plan->symmetric->layout.ranks > 0;
}

static bool by_pairs(const struct asl_plan *plan)
{
	return plan->algorithm == &asl_symmetric_half;
}

static bool cube_piece(struct asl_range *x, const struct asl_plan *plan,
		       int rank, int which, int i)
{
	struct asl_cube c = asl_cube(plan, rank);

	*x = which == ASL_X || by_pairs(plan) ? asl_cube_x(&c) : asl_cube_y(&c);
	return i == 0;
}

static bool wedge_piece(struct asl_range *x, const struct asl_plan *plan,
			int rank, int i)
{
	const struct asl_layout *l = &plan->symmetric->layout;

	if (i >= asl_list_length(&l->rows, rank))
		return false;
	*x = asl_layout_part(l, rank, i);
	return true;
}

/* Rows of n x R; false: no more. */
static bool piece_of(struct asl_piece *x, const struct asl_plan *plan, int rank,
		     int which, int i)
{
	struct asl_range columns = {0, (uint64_t)plan->symmetric->columns};
	struct asl_range rows;
	bool more = by_wedges(plan) ? wedge_piece(&rows, plan, rank, i)
				    : cube_piece(&rows, plan, rank, which, i);

	if (more)
		*x = asl_whole_piece(rows, columns);
	return more;
}

/* ---- Which entries of the tensor a rank owns ---- */

/* Entries from at[] on, one after another in the last index. */
struct entries {
	int order;
	uint64_t at[ASL_MOST_ORDER], count;
	/* How many of its indices come first, one after another: 1 in a cube,
	 * 2 for a pair; all if it stands for all orders of its indices. */
	int firsts;
};

typedef void user(const struct entries *x, void *arg);

static void use_piece(const struct asl_order_block *block, user *use, void *arg)
{
	struct asl_order_row row = asl_order_first(block);
	struct entries x = {.order = block->order, .firsts = block->order};

	do {
		memcpy(x.at, row.at, sizeof x.at);
		x.count = row.length;
		use(&x, arg);
	} while (asl_order_next(block, &row));
}

/* Advance all but the last of some indices, each in its range. */
static bool next_index(uint64_t at[], const struct asl_range in[], int order)
{
	for (int i = order - 2; i >= 0; i--) {
		if (++at[i] < in[i].first + in[i].count)
			return true;
		at[i] = in[i].first;
	}
	return false;
}

/* Above order 3, J and L are all indices, as the ranges between them are. */
static void use_cube(const struct asl_cube *c, user *use, void *arg)
{
	struct entries x = {
		.order = c->order, .count = c->L.count, .firsts = 1};
	struct asl_range in[ASL_MOST_ORDER];

	for (int i = 0; i < x.order; i++) {
		in[i] = i == 0 ? c->I : i + 1 == x.order ? c->L : c->J;
		x.at[i] = in[i].first;
	}
	do
		use(&x, arg);
	while (next_index(x.at, in, x.order));
}

static void use_pairs(const struct asl_cube *c, user *use, void *arg)
{
	struct asl_range pairs = asl_cube_pairs(c);

	for (uint64_t i = 0; i < pairs.count; i++) {
		struct asl_cube_pair p = asl_pair_of(pairs.first + i);

		use(
			&(struct entries){
				3, {p.i, p.j}, c->L.count, p.i > p.j ? 2 : 1},
			arg);
	}
}

/* Use all entries that a rank owns, in their order. */
static void use_tensor(const struct asl_plan *plan, int rank, user *use,
		       void *arg)
{
	const struct asl_layout *l = &plan->symmetric->layout;

	if (!by_wedges(plan)) {
		struct asl_cube c = asl_cube(plan, rank);

		(by_pairs(plan) ? use_pairs : use_cube)(&c, use, arg);
		return;
	}
	for (size_t i = l->first[rank]; i < l->first[rank + 1]; i++) {
		struct asl_pieces x = asl_pieces(l, i);

		do {
			struct asl_order_block piece = asl_piece_now(&x);

			use_piece(&piece, use, arg);
		} while (asl_piece_next(&x));
	}
}

static uint64_t tensor_words(const struct asl_plan *plan, int rank)
{
	struct asl_cube c;

	if (by_wedges(plan))
		return asl_layout_words(&plan->symmetric->layout, rank);
	c = asl_cube(plan, rank);
	return by_pairs(plan) ? asl_cube_pairs(&c).count * c.L.count
			      : asl_cube_words(&c);
}

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_piece x;
	uint64_t words = 0;

	if (which == ASL_TENSOR)
		return tensor_words(plan, rank);
	for (int i = 0; piece_of(&x, plan, rank, which, i); i++)
		words += x.words.count;
	return words;
}

/* ---- Plans ---- */

static int operands(const struct asl_plan *plan)
{
	(void)plan;
	return ASL_SYMMETRIC_OPERANDS;
}

/* The tensor alone: iterations replace the vector. */
static int fixed(const struct asl_plan *plan)
{
	(void)plan;
	return ASL_X;
}

static uint64_t stored(const struct asl_plan *plan, int rank)
{
	return plan->symmetric->streams ? tensor_words(plan, rank) : 0;
}

/* All, as long as there is neither a layout nor a grid. */
static int ranks(const struct asl_plan *plan)
{
	const int *p = plan->grid.p;

	return by_wedges(plan) ? plan->symmetric->layout.ranks
	       : p[0]	       ? p[0] * p[1] * p[2]
			       : plan->ranks;
}

static void release(struct asl_plan *plan)
{
	struct asl_symmetric *s = (struct asl_symmetric *)plan->symmetric;

	if (s)
		asl_symmetric_free(s);
	free(s);
	plan->symmetric = NULL;
}

/* ---- Files ---- */

struct files {
	struct asl_tensor_in *tensor;
	struct asl_matrix_in *X;
	struct asl_matrix_out *out; /* rank 0's */
};

static int open_tensor(struct files *f, const struct asl_data *data, uint64_t n)
{
	const char *path = data->file[ASL_TENSOR];
	bool given = data->given && data->given[ASL_TENSOR].at;
	int order = data->plan->symmetric->order, err = 0;

	if ((given || path) && order != 3)
		return asl_fail(-EINVAL,
				"%s is of order 3, but the tensor is of order "
				"%d, which is generated",
				given ? "the tensor" : path, order);
	if (given)
		return asl_tensor_given(&f->tensor, &data->given[ASL_TENSOR],
					n);
	if (path)
		err = asl_tensor_open(&f->tensor, path);
	if (err || !path || asl_tensor_size(f->tensor) == n)
		return err;
	return asl_fail(-EINVAL, "%s is of size %ju, expected %ju", path,
			asl_tensor_size(f->tensor), n);
}

static int open_operands(struct asl_data *data)
{
	const struct asl_symmetric *s = data->plan->symmetric;
	struct files *f = calloc(1, sizeof *f);
	int err;

	if (!f)
		return asl_fail(-ENOMEM, "no memory for operands");
	data->opened = f;
	err = open_tensor(f, data, s->n);
	return err ? err
		   : asl_operand_open(&f->X, data, ASL_X, "X", s->n,
				      (uint64_t)s->columns);
}

static int create_result(struct asl_data *data)
{
	const struct asl_symmetric *s = data->plan->symmetric;
	struct files *f = data->opened;
	uint64_t R = (uint64_t)s->columns;

	if (data->into)
		return asl_given_create(&f->out, data->into, s->n, R);
	return asl_matrix_create(&f->out, data->result, s->n, R);
}

static void close_files(struct asl_data *data)
{
	struct files *f = data->opened;

	if (!f)
		return;
	asl_tensor_close(f->tensor);
	asl_matrix_close(f->X);
	asl_matrix_discard(f->out);
	free(f);
	data->opened = NULL;
}

static struct asl_tensor_source source_of(const struct asl_data *data)
{
	const struct files *f = data->opened;

	return (struct asl_tensor_source){
		.file = f->tensor,
		.seed = data->seed,
		.exact = data->exact,
	};
}

/* ---- Fill ---- */

/* Entries on their way to the pool, through a buffer. */
struct filling {
	struct asl_rank *r;
	struct asl_tensor_source source;
	struct asl_words rest, buffer;
	uint64_t used;
};

static void flush(struct filling *f)
{
	struct asl_words from = asl_slice(&f->buffer, 0, f->used);
	struct asl_words to = asl_slice(&f->rest, 0, f->used);

	asl_copy(f->r, &to, &from);
	f->rest = asl_slice(&f->rest, f->used, f->rest.count - f->used);
	f->used = 0;
}

/* Entry number `done`, and how many from there on have descending indices. */
static uint64_t descending(struct entries *from, const struct entries *x,
			   uint64_t done)
{
	const uint64_t *last = from->at + x->order - 1;

	*from = *x;
	from->at[x->order - 1] += done;
	for (int i = 1; i < x->order; i++)
		if (from->at[i] > from->at[i - 1])
			return 0;
	return last[-1] - *last + 1;
}

/* Entries with descending indices are read in one piece. */
static void read_entries(const struct filling *f, const struct entries *x,
			 uint64_t done, uint64_t count)
{
	double *to = f->buffer.at + f->used;
	struct entries from;
	uint64_t sorted = asl_min(count, descending(&from, x, done));

	if (sorted)
		asl_tensor_read_any(&f->source, x->order, to, from.at, sorted);
	from.at[x->order - 1] += sorted;
	for (uint64_t i = sorted; i < count; i++) {
		to[i] = asl_tensor_entry_any(&f->source, x->order, from.at);
		from.at[x->order - 1]++;
	}
}

static void fill_entries(const struct entries *x, void *arg)
{
	struct filling *f = arg;

	for (uint64_t done = 0; done < x->count && !f->r->err;) {
		uint64_t count =
			asl_min(x->count - done, f->buffer.count - f->used);

		read_entries(f, x, done, count);
		f->used += count;
		done += count;
		if (f->used == f->buffer.count)
			flush(f);
	}
}

static void fill_tensor(struct asl_rank *r, const struct asl_data *data,
			const struct asl_words *own)
{
	struct filling f = {
		.r = r,
		.source = source_of(data),
		.rest = *own,
	};

	if (!r->data)
		return;
	asl_take(r, &f.buffer, ASL_DRAM, asl_min(ASL_CHUNK, own->count));
	if (!r->err)
		use_tensor(data->plan, r->id, fill_entries, &f);
	flush(&f);
	asl_give(r, &f.buffer);
}

static void fill(struct asl_rank *r, const struct asl_data *data,
		 struct asl_words *own)
{
	const struct files *f = data->opened;
	struct asl_source X = {
		.file = f->X,
		.seed = data->seed,
		.matrix = ASL_X,
		.exact = data->exact,
	};

	asl_phase(r, ASL_FILL);
	fill_tensor(r, data, &own[ASL_TENSOR]);
	asl_fill_pieces(r, data->plan, piece_of, ASL_X, &X, &own[ASL_X]);
	/* Words of Y that the run misses must not pass as the last run's. */
	asl_fill_pieces(r, data->plan, piece_of, ASL_Y, NULL, &own[ASL_Y]);
}

/* ---- Write ---- */

/* Y; for hopm X, the eigenvector. */
static int write_result(struct asl_rank *r, struct asl_data *data,
			struct asl_words *own)
{
	bool vector = data->plan->algorithm == &asl_symmetric_hopm;
	int which = vector ? ASL_X : ASL_Y;
	struct files *f = data->opened;

	return asl_write_pieces(r, data->plan, piece_of, which, &f->out,
				&own[which]);
}

/*
 * Verify
 *
 * The test: for random v, v'y against the sum over all entries of what they add
 * to it, from the definition, entry by entry at the rank that owns it; for each
 * column |difference| / (eps n sum of |terms|), the worst at rank 0.  hopm also
 * compares lambda with x'y.
 *
 * The oracle: every word of this rank's Y against the sum over the n^(d-1) entries
 * generated or read again: |error| / (eps n sum of |terms|).
 */

/* The sums of a column over all ranks. */
enum { V_Y, V_TERMS, V_SIZE, X_Y, X_Y_SIZE, SUMS };

struct check {
	struct asl_rank *r;
	const struct asl_plan *plan;
	const struct asl_words *own;
	uint64_t n, R;
	bool gradient;
	double *X;	 /* n x R */
	const double *v; /* n random words */
	double *G;	 /* R x R: (X'X) * (X'X), for a gradient */
	struct asl_words buffer;
};

static double error_of(double a, double b, double n, double size)
{
	return a == b ? 0 : fabs(a - b) / (DBL_EPSILON * n * size);
}

static double expected_of_X(const struct check *c, uint64_t row, uint64_t col)
{
	double sum = 0;

	for (uint64_t i = 0; c->gradient && i < c->R; i++)
		sum += c->X[row * c->R + i] * c->G[i * c->R + col];
	return sum;
}

typedef void row_user(struct check *c, uint64_t row, const double *at,
		      void *arg);

static void read_pieces(struct check *c, int which, row_user *use, void *arg)
{
	struct asl_piece x;
	uint64_t done = 0;

	for (int i = 0; !c->r->err && piece_of(&x, c->plan, c->r->id, which, i);
	     i++)
		for (uint64_t j = 0; j < x.rows.count && !c->r->err; j++) {
			struct asl_words from =
				asl_slice(&c->own[which], done, c->R);
			struct asl_words to = asl_slice(&c->buffer, 0, c->R);

			asl_copy(c->r, &to, &from);
			if (!c->r->err)
				use(c, x.rows.first + j, to.at, arg);
			done += c->R;
		}
}

static void place(struct check *c, uint64_t row, const double *at, void *arg)
{
	memcpy((double *)arg + row * c->R, at, c->R * sizeof *at);
}

static void square_gram(struct check *c)
{
	uint64_t R = c->R;

	memset(c->G, 0, R * R * sizeof *c->G);
	for (uint64_t i = 0; i < c->n; i++)
		for (uint64_t a = 0; a < R; a++)
			for (uint64_t b = 0; b < R; b++)
				c->G[a * R + b] +=
					c->X[i * R + a] * c->X[i * R + b];
	for (uint64_t i = 0; i < R * R; i++)
		c->G[i] *= c->G[i];
}

static void gather(struct check *c, struct asl_words *X)
{
	struct asl_words mine;

	asl_take_zeros(c->r, &mine, c->n * c->R);
	if (!c->r->err)
		read_pieces(c, ASL_X, place, mine.at);
	asl_sum_to_all(c->r, c->plan, X, &mine);
	asl_give(c->r, &mine);
	c->X = X->at;
	if (c->gradient && !c->r->err)
		square_gram(c);
}

/* ---- The test ---- */

/* Entries that wait in the buffer for all threads. */
enum { QUEUE = 256 };

struct testing {
	struct check *c;
	double *sums; /* [R][SUMS] */
	double *own;  /* of each thread but the first */
	uint64_t done, words;
	struct entries queue[QUEUE];
	int count, pieces;
};

/* (d - 1)! over the factorials of how often each index is there. */
static double orders_of(const struct entries *x)
{
	double orders = 1;
	int alike = 1;

	for (int i = 1; i < x->order; i++) {
		alike = x->at[i] == x->at[i - 1] ? alike + 1 : 1;
		orders *= (double)i / alike;
	}
	return orders;
}

/* v at index i times x at all others of the first `count`. */
static double product_of(const struct check *c, const struct entries *x, int i,
			 int count, uint64_t column)
{
	double product = c->v[x->at[i]];

	for (int j = 0; j < count; j++)
		if (j != i)
			product *= c->X[x->at[j] * c->R + column];
	return product;
}

/*
 * Add the terms of entries of one row in v'y, and their sizes.  Each of a packed
 * entry's d indices comes first in (d - 1)! orders, of which those count once that only
 * swap equal ones.  The last index k alone changes, and is none of the others, or the
 * row has one entry: A (a x_k + b v_k).
 */
static void add_row(const struct check *k, double *to, const double *A,
		    const struct entries *x)
{
	const int last = x->order - 1;
	const bool packed = x->firsts == x->order;
	const double orders = packed ? orders_of(x) : 1;
	const double *v = k->v + x->at[last];

	for (uint64_t l = 0; l < k->R; l++, to += SUMS) {
		const double *X = k->X + x->at[last] * k->R + l;
		double a = 0, b = packed ? orders : 0, terms = 0, size = 0;

		for (int i = 0; i < x->firsts && i < last; i++)
			a += product_of(k, x, i, last, l);
		a *= orders;
		for (int j = 0; j < last; j++)
			b *= k->X[x->at[j] * k->R + l];
		for (uint64_t i = 0; i < x->count; i++) {
			double term = A[i] * (a * X[i * k->R] + b * v[i]);

			terms += term;
			size += fabs(term);
		}
		to[V_TERMS] += terms;
		to[V_SIZE] += size;
	}
}

/*
 * How many of the next `count` entries add_row can take at once.  Indices of a packed
 * entry never rise, so that one with k equal to the index before it ends its row.
 */
static uint64_t alike(const struct entries *x, uint64_t count)
{
	uint64_t k = x->at[x->order - 1], before = x->at[x->order - 2];

	return k < before ? asl_min(count, before - k) : count;
}

static void add_queued(void *arg, int piece)
{
	struct testing *t = arg;
	struct asl_range part = asl_part((uint64_t)t->count, t->pieces, piece);
	double *sums = piece ? t->own + (uint64_t)(piece - 1) * t->c->R * SUMS
			     : t->sums;
	const double *A = t->c->buffer.at;

	for (uint64_t i = 0; i < part.first; i++)
		A += t->queue[i].count;
	for (uint64_t i = part.first; i < part.first + part.count; i++) {
		struct entries row = t->queue[i];

		for (uint64_t left = row.count; left; left -= row.count) {
			row.count = alike(&row, left);
			add_row(t->c, sums, A, &row);
			row.at[row.order - 1] += row.count;
			A += row.count;
		}
	}
}

static void test_queued(struct testing *t)
{
	struct check *c = t->c;
	struct asl_words from =
		asl_slice(&c->own[ASL_TENSOR], t->done, t->words);
	struct asl_words to = asl_slice(&c->buffer, 0, t->words);
	uint64_t all = c->R * SUMS;

	asl_copy(c->r, &to, &from);
	/* An entry takes longer than a word that is copied. */
	t->pieces = asl_team_pieces(4 * t->words * c->R, ASL_TEAM_WORDS);
	memset(t->own, 0, (uint64_t)(t->pieces - 1) * all * sizeof *t->own);
	if (!c->r->err)
		asl_team_run(t->pieces, add_queued, t);
	for (uint64_t i = 0; i < (uint64_t)(t->pieces - 1) * all; i++)
		t->sums[i % all] += t->own[i];
	t->done += t->words;
	t->words = 0;
	t->count = 0;
}

static void test_entries(const struct entries *x, void *arg)
{
	struct testing *t = arg;
	struct check *c = t->c;
	struct entries some = *x;

	for (uint64_t left = x->count; left; left -= some.count) {
		some.count = asl_min(left, c->buffer.count - t->words);
		t->queue[t->count++] = some;
		t->words += some.count;
		some.at[x->order - 1] += some.count;
		if (asl_team_threads() == 1 || t->count == QUEUE ||
		    t->words == c->buffer.count)
			test_queued(t);
	}
}

static void test_row(struct check *c, uint64_t row, const double *y, void *arg)
{
	struct testing *t = arg;

	for (uint64_t l = 0; l < c->R; l++) {
		double *sums = t->sums + l * SUMS, x = c->X[row * c->R + l];
		double other = expected_of_X(c, row, l);

		sums[V_Y] += c->v[row] * (c->gradient ? other - y[l] : y[l]);
		sums[V_SIZE] +=
			fabs(c->v[row] * y[l]) + fabs(c->v[row] * other);
		sums[X_Y] += x * y[l];
		sums[X_Y_SIZE] += fabs(x * y[l]);
	}
}

static double judge(const struct check *c, const double *sums)
{
	double worst = 0, n = (double)c->n;

	for (uint64_t l = 0; l < c->R; l++, sums += SUMS) {
		worst = asl_worse(worst, error_of(sums[V_Y], sums[V_TERMS], n,
						  sums[V_SIZE]));
		if (c->plan->algorithm == &asl_symmetric_hopm)
			worst = asl_worse(
				worst, error_of(c->r->outcome.eigenvalue,
						sums[X_Y], n, sums[X_Y_SIZE]));
	}
	return worst;
}

static double test(struct check *c)
{
	struct asl_words mine, whole, own;
	struct testing t = {.c = c};
	double residual = 0;

	asl_take_zeros(c->r, &mine, c->R * SUMS);
	asl_take_zeros(c->r, &whole, c->R * SUMS);
	asl_take(c->r, &own, ASL_DRAM,
		 (uint64_t)(asl_team_threads() - 1) * c->R * SUMS);
	t.sums = mine.at;
	t.own = own.at;
	if (!c->r->err) {
		use_tensor(c->plan, c->r->id, test_entries, &t);
		test_queued(&t);
	}
	asl_give(c->r, &own);
	read_pieces(c, ASL_Y, test_row, &t);
	asl_sum_to_all(c->r, c->plan, &whole, &mine);
	if (!c->r->err && c->r->id == 0)
		residual = judge(c, whole.at);
	asl_give(c->r, &whole);
	asl_give(c->r, &mine);
	return residual;
}

/* ---- The oracle ---- */

struct oracle {
	struct asl_tensor_source source;
	double worst;
	uint64_t words;
};

/* Add the terms of all entries with this first index to y, for a column. */
static void add_terms(const struct check *c, const struct oracle *o,
		      uint64_t row, uint64_t column, double *sum, double *size)
{
	int order = c->plan->symmetric->order;
	struct asl_range all = {0, c->n}, in[ASL_MOST_ORDER + 1];
	uint64_t at[ASL_MOST_ORDER + 1] = {row};

	for (int i = 0; i <= order; i++)
		in[i] = i ? all : (struct asl_range){row, 1};
	do {
		double term = asl_tensor_entry_any(&o->source, order, at);

		for (int i = 1; i < order; i++)
			term *= c->X[at[i] * c->R + column];
		*sum += term;
		*size += fabs(term);
	} while (next_index(at, in, order + 1));
}

static void compare_row(struct check *c, uint64_t row, const double *y,
			void *arg)
{
	struct oracle *o = arg;

	for (uint64_t l = 0; l < c->R; l++) {
		double other = expected_of_X(c, row, l), sum = 0;
		double size = fabs(other);

		add_terms(c, o, row, l, &sum, &size);
		o->worst = asl_worse(o->worst,
				     error_of(y[l],
					      c->gradient ? other - sum : sum,
					      (double)c->n, size));
	}
	o->words += c->R;
}

static double verify(struct asl_rank *r, const struct asl_data *data,
		     struct asl_words *own, enum asl_verify how)
{
	const struct asl_symmetric *s = data->plan->symmetric;
	struct asl_source random = {.seed = data->seed, .matrix = ASL_Y + 1};
	uint64_t R = (uint64_t)s->columns;
	struct oracle o = {source_of(data), 0, 0};
	struct check c = {
		.r = r,
		.plan = data->plan,
		.own = own,
		.n = s->n,
		.R = R,
		.gradient = data->plan->algorithm == &asl_symmetric_cpgrad,
	};
	struct asl_words X, v, G;
	double residual = 0;

	asl_take(r, &c.buffer, ASL_DRAM,
		 asl_max(R, asl_min(ASL_CHUNK, own[ASL_TENSOR].count)));
	asl_take(r, &X, ASL_DRAM, s->n * R);
	asl_take(r, &v, ASL_DRAM, s->n);
	asl_take(r, &G, ASL_DRAM, R * R);
	c.v = v.at;
	c.G = G.at;
	if (!r->err)
		asl_source_read(&random, v.at, 0, 0, s->n);
	gather(&c, &X);
	if (how == ASL_VERIFY_ORACLE) {
		read_pieces(&c, ASL_Y, compare_row, &o);
		residual =
			asl_compared(r, data->plan, o.worst, o.words, s->n * R);
	} else if (!r->err) {
		residual = test(&c);
	}
	asl_give(r, &G);
	asl_give(r, &v);
	asl_give(r, &X);
	asl_give(r, &c.buffer);
	return residual;
}

const struct asl_family asl_family_symmetric = {
	.name = "symmetric tensors",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.stored = stored,
	.ranks = ranks,
	.release = release,
	.open = open_operands,
	.create = create_result,
	.close = close_files,
	.fill = fill,
	.verify = verify,
	.write = write_result,
	.net_bound = asl_symmetric_net_words,
	.io_bound = asl_symmetric_io_words,
	.joint_bound = asl_symmetric_joint,
};

const struct asl_algorithm *const asl_symmetric_algorithms[] = {
	&asl_symmetric_sttsv,
	&asl_symmetric_hopm,
	&asl_symmetric_cpgrad,
	&asl_symmetric_naive,
	&asl_symmetric_sequence,
	&asl_symmetric_half,
	NULL,
};
