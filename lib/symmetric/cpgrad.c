/*
 * cpgrad.c -- the gradient of a symmetric CP decomposition
 *
 * The gradient of f(X) = 1/6 || A - sum x_l o x_l o x_l ||^2 for the R columns
 * x_l of X is
 *
 *	Y = X G - [A x2 x_l x3 x_l], G = (X'X) * (X'X), entry by entry
 *
 * One pass over the tensor serves as many columns as fit into the cache with x
 * and y of a rank's row blocks, beside its own shares of X.  Per rank, with w
 * words of shares and T of tensor, read t times:
 *
 *	B_h	R times that of sttsv, and a sum of R^2 words over all ranks
 *	B_r	t T and R times what sttsv reads of x
 *	B_w	R w, and R^2 of sums
 *	flops	4 R T, 4 w R^2, and R^2 for the squares
 *
 * Algorithm 2 of the paper that sttsv.c names; T. G. Kolda, Numerical
 * optimization for symmetric tensor decomposition, Math. Prog. 151, 2015.
 */
#include "lib/symmetric/wedge.h"

struct gradient {
	struct asl_wedge w;
	struct asl_allsum sum; /* X'X, then G */
	struct asl_tile X;     /* this rank's shares; by pieces a row of them */
	uint64_t R;
};

/* Rows of X in the cache at a time. */
static uint64_t rows_at_once(const struct gradient *g)
{
	return g->w.s->by_pieces ? 1 : asl_wedge_owned(&g->w);
}

/* ---- Computing ---- */

static void multiply_transposed(const double *at, void *arg)
{
	struct gradient *g = arg;

	(void)at;
	for (uint64_t i = 0; i < g->X.rows; i++) {
		const double *x = g->X.at + i * g->R;

		for (uint64_t a = 0; a < g->R; a++)
			for (uint64_t b = 0; b < g->R; b++)
				g->sum.tile.at[a * g->R + b] += x[a] * x[b];
	}
}

static void square(const double *at, void *arg)
{
	struct gradient *g = arg;

	(void)at;
	for (uint64_t i = 0; i < g->R * g->R; i++)
		g->sum.tile.at[i] *= g->sum.tile.at[i];
}

/* y = x G - y for one row, in the selected columns. */
static void subtract_row(const struct gradient *g, const double *x, double *y)
{
	const double *G = g->sum.tile.at + g->w.first;

	for (int b = 0; b < g->w.columns; b++) {
		double sum = 0;

		for (uint64_t a = 0; a < g->R; a++)
			sum += x[a] * G[a * g->R + (uint64_t)b];
		y[b] = sum - y[b];
	}
}

static void subtract(const double *at, void *arg)
{
	struct gradient *g = arg;
	const double *x = g->X.at;
	uint64_t c = (uint64_t)g->w.columns;

	(void)at;
	for (int i = 0; i < g->w.rows; i++) {
		struct asl_range mine = asl_wedge_share(&g->w, i);

		for (uint64_t j = 0; j < mine.count; j++, x += g->R)
			subtract_row(g, x, g->w.y.at + (mine.first + j) * c);
	}
}

/* ---- The run ---- */

static void load_rows(struct asl_rank *r, struct gradient *g,
		      const struct asl_words *X, uint64_t first, uint64_t count)
{
	struct asl_words rows = asl_slice(X, first * g->R, count * g->R);
	struct asl_block from = asl_as_block(&rows, count, g->R);

	asl_phase(r, ASL_GATHER);
	asl_tile_load(r, &g->X, &from);
}

static void find_gram(struct asl_rank *r, struct gradient *g,
		      const struct asl_words *X)
{
	uint64_t R2 = g->R * g->R, own = asl_wedge_owned(&g->w), count;

	asl_tile_zero(&g->sum.tile, 1, R2);
	asl_tile_words(&g->sum.tile, 0, 0);
	for (uint64_t done = 0; done < own && !r->err; done += count) {
		count = rows_at_once(g);
		load_rows(r, g, X, done, count);
		asl_phase(r, ASL_EXCHANGE);
		asl_compute(r, NULL, 2 * count * R2, multiply_transposed, g);
	}
	asl_phase(r, ASL_EXCHANGE);
	asl_allsum_add(r, &g->sum, R2);
	asl_compute(r, NULL, R2, square, g);
}

static void subtract_one(const double *at, void *arg)
{
	struct gradient *g = arg;

	(void)at;
	subtract_row(g, g->X.at, g->w.part_y[0].at);
}

/* By pieces: a word of y at a time, with its row of X. */
static void subtract_in_dram(struct asl_rank *r, struct gradient *g,
			     struct asl_words *own)
{
	struct asl_tile *y = &g->w.part_y[0];
	uint64_t done = 0;

	for (int i = 0; i < g->w.rows; i++) {
		struct asl_range mine = asl_wedge_share(&g->w, i);

		for (uint64_t j = 0; j < mine.count && !r->err; j++, done++) {
			struct asl_words at =
				asl_slice(&g->w.far_y, mine.first + j, 1);
			struct asl_words to = asl_slice(
				&own[ASL_Y], done * g->R + (uint64_t)g->w.first,
				1);
			struct asl_block from = asl_as_block(&at, 1, 1);
			struct asl_block there = asl_as_block(&to, 1, 1);

			load_rows(r, g, &own[ASL_X], done, 1);
			asl_phase(r, ASL_REDUCE);
			asl_tile_load(r, y, &from);
			asl_compute(r, NULL, 2 * g->R, subtract_one, g);
			asl_tile_store(r, &there, y);
		}
	}
}

static void do_columns(struct asl_rank *r, struct gradient *g,
		       struct asl_words *own, int first, int columns)
{
	bool by_pieces = g->w.s->by_pieces;
	struct asl_words X =
		by_pieces ? own[ASL_X]
			  : asl_tile_words(&g->X, 0, g->X.rows * g->R);

	asl_wedge_select(&g->w, first, columns);
	asl_phase(r, ASL_GATHER);
	asl_wedge_load(r, &g->w, &X);
	asl_wedge_product(r, &g->w, &own[ASL_TENSOR]);
	if (by_pieces) {
		subtract_in_dram(r, g, own);
		return;
	}
	asl_compute(r, NULL, 2 * g->X.rows * g->R * (uint64_t)columns, subtract,
		    g);
	asl_wedge_store(r, &g->w, ASL_WEDGE_Y, &own[ASL_Y]);
}

static int columns_from(const struct asl_symmetric *s, int first)
{
	int left = s->columns - first;

	return left < s->together ? left : s->together;
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	const struct asl_symmetric *s = plan->symmetric;
	struct gradient g = {.R = (uint64_t)s->columns};

	asl_wedge_begin(r, &g.w, s);
	asl_phase(r, ASL_GATHER);
	asl_tile_take(r, &g.X, rows_at_once(&g), g.R);
	asl_allsum_take(r, &g.sum, s->layout.ranks, g.R * g.R);
	find_gram(r, &g, &own[ASL_X]);
	asl_phase(r, ASL_GATHER);
	asl_wedge_take(r, &g.w, s->together);
	if (!s->by_pieces)
		g.w.live[0] = asl_tile_words(&g.X, 0, g.X.rows * g.R);
	g.w.live[1] = asl_tile_words(&g.sum.tile, 0, g.R * g.R);
	for (int i = 0; i < s->columns && !r->err; i += s->together)
		do_columns(r, &g, own, i, columns_from(s, i));
	asl_wedge_give(r, &g.w);
	asl_allsum_give(r, &g.sum);
	asl_tile_give(r, &g.X);
}

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	const struct asl_symmetric *s = plan->symmetric;
	struct asl_counts *sums = &out->in[ASL_EXCHANGE];
	uint64_t R = (uint64_t)s->columns, own, held;
	int P = s->layout.ranks;
	struct asl_wedge w;

	asl_wedge_for_prediction(&w, s, rank);
	own = asl_wedge_owned(&w) * R;
	for (int i = 0; i < s->columns; i += s->together)
		asl_wedge_predict_product(out, &w, columns_from(s, i));
	out->in[ASL_GATHER].of[ASL_NVM_READ] += own;
	if (s->by_pieces) {
		/* Each column is loaded, and X's rows once more for it. */
		out->in[ASL_GATHER].of[ASL_NVM_READ] += own + own * R;
		out->in[ASL_GATHER].of[ASL_DRAM_WRITE] += own;
		out->in[ASL_REDUCE].of[ASL_DRAM_READ] += own;
	}
	out->in[ASL_REDUCE].of[ASL_NVM_WRITE] += own;
	out->in[ASL_REDUCE].of[ASL_FLOPS] += 2 * own * R;
	asl_allsum_predict(sums, P, rank, R * R);
	sums->of[ASL_FLOPS] += 2 * own * R + R * R;
	out->pool_high = asl_wedge_held(&w) + 2 * own;
	held = asl_max(asl_allsum_memory(P, rank, R * R, R * R),
		       asl_allsum_memory(P, rank, R * R, 0) +
			       asl_wedge_dram(&w, s->together));
	out->memory_high = out->pool_high + held;
}

const struct asl_algorithm asl_symmetric_cpgrad = {
	.name = "cpgrad",
	.summary = "the gradient of a symmetric CP decomposition of rank R",
	.when = "you decompose a tensor: it is a step of the optimization",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = predict,
	.run = run,
};
