/*
 * hopm.c -- an eigenvector of a symmetric tensor, by the power method
 *
 * Each iteration computes y = A x2 x x3 x, as sttsv does, lambda = x'y, and the
 * next x: y + shift x, divided by its norm, and negated if the shift is
 * negative.  The first x is a unit vector.  A fixed point is an eigenvector,
 * y = lambda x.  Without a shift the method may not converge; with a large one
 * lambda only grows, or only falls for a negative one.
 *
 * It ends when || y - lambda x || <= tolerance |lambda|, or after
 * plan->iterations.  The number of iterations made decides the counts.  Each
 * counts as sttsv, but x and y stay in the cache, and all ranks add up three
 * numbers; they add up one before the first.  X and Y are written once, at the
 * end.
 *
 *	flops	10 w an iteration beside sttsv's, and 4 w between two; 4 w before
 *
 * Algorithm 1 of the paper that sttsv.c names.  T. G. Kolda, J. R. Mayo,
 * Shifted power method for computing tensor eigenpairs, SIMAX 32(4), 2011.
 */
#include <math.h>

#include "lib/rank/resume.h"
#include "lib/symmetric/wedge.h"

struct power;

typedef void user(struct power *p, double *x, double *y);

struct power {
	struct asl_wedge w;
	struct asl_allsum sum;
	user *use;
	double lambda, a, b; /* its arguments */
};

/* Use each word of this rank's shares of x and y. */
static void use_shares(const double *at, void *arg)
{
	struct power *p = arg;

	(void)at;
	for (int i = 0; i < p->w.rows; i++) {
		struct asl_range mine = asl_wedge_share(&p->w, i);

		for (uint64_t j = 0; j < mine.count; j++)
			p->use(p, p->w.x.at + mine.first + j,
			       p->w.y.at + mine.first + j);
	}
}

static void add_square(struct power *p, double *x, double *y)
{
	(void)y;
	p->sum.tile.at[0] += *x * *x;
}

static void add_product(struct power *p, double *x, double *y)
{
	p->sum.tile.at[0] += *x * *y;
}

/* The squares of the error, y - lambda x, and of the next x. */
static void add_squares(struct power *p, double *x, double *y)
{
	double error = *y - p->lambda * *x, next = *y + p->a * *x;

	p->sum.tile.at[0] += error * error;
	p->sum.tile.at[1] += next * next;
}

static void scale(struct power *p, double *x, double *y)
{
	(void)y;
	*x *= p->b;
}

static void combine(struct power *p, double *x, double *y)
{
	*x = p->b * *y + p->b * p->a * *x;
}

static void compute(struct asl_rank *r, struct power *p, uint64_t flops,
		    user *use)
{
	p->use = use;
	asl_compute(r, NULL, flops * asl_wedge_owned(&p->w), use_shares, p);
}

/* Sums over all words of all ranks. */
static const double *add_up(struct asl_rank *r, struct power *p, uint64_t flops,
			    user *use, uint64_t count)
{
	static const double none[2];

	asl_phase(r, ASL_EXCHANGE);
	asl_tile_zero(&p->sum.tile, 1, 2);
	asl_tile_words(&p->sum.tile, 0, 0);
	compute(r, p, flops, use);
	asl_allsum_add(r, &p->sum, count);
	return r->data && !r->err ? p->sum.tile.at : none;
}

/* False: this was the last iteration. */
static bool iterate(struct asl_rank *r, struct power *p,
		    const struct asl_symmetric *s, const struct asl_words *A)
{
	const double *found;
	double error, next;

	r->outcome.iterations++;
	asl_wedge_product(r, &p->w, A);
	p->lambda = *add_up(r, p, 2, add_product, 1);
	p->a = s->shift;
	found = add_up(r, p, 8, add_squares, 2);
	error = sqrt(found[0]);
	next = sqrt(found[1]);
	if (!r->data || r->err)
		return !r->err;
	if (asl_replaying(r))
		return r->outcome.iterations <
		       asl_outcome_at_restart(r)->iterations;
	r->outcome.eigenvalue = p->lambda;
	r->outcome.eigen_residual = error;
	p->b = (s->shift < 0 ? -1 : 1) / next;
	/* A NaN never converges. */
	return !(error <= s->tolerance * fabs(p->lambda)) && next > 0;
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words *own)
{
	const struct asl_symmetric *s = plan->symmetric;
	struct power p = {.b = 1};

	asl_wedge_begin(r, &p.w, s);
	asl_phase(r, ASL_GATHER);
	asl_wedge_take(r, &p.w, 1);
	asl_allsum_take(r, &p.sum, s->layout.ranks, 2);
	asl_wedge_load(r, &p.w, &own[ASL_X]);
	p.b = 1 / sqrt(*add_up(r, &p, 2, add_square, 1));
	compute(r, &p, 2, scale);
	while (iterate(r, &p, s, &own[ASL_TENSOR]) &&
	       r->outcome.iterations < plan->iterations)
		compute(r, &p, 4, combine);
	asl_wedge_store(r, &p.w, &p.w.x, &own[ASL_X]);
	asl_wedge_store(r, &p.w, &p.w.y, &own[ASL_Y]);
	asl_allsum_give(r, &p.sum);
	asl_wedge_give(r, &p.w);
}

static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	const struct asl_symmetric *s = plan->symmetric;
	struct asl_counts *sums = &out->in[ASL_EXCHANGE];
	int P = s->layout.ranks, iterations = plan->iterations;
	struct asl_ledger once = {0};
	struct asl_wedge_memory memory;
	struct asl_wedge w;
	uint64_t own, times = (uint64_t)iterations;

	asl_wedge_for_prediction(&w, s, rank);
	own = asl_wedge_owned(&w);
	memory = asl_wedge_memory(&w, 1);
	asl_wedge_predict_product(&once, &w, 1);
	asl_allsum_predict(&once.in[ASL_EXCHANGE], P, rank, 1);
	asl_allsum_predict(&once.in[ASL_EXCHANGE], P, rank, 2);
	for (int i = 0; i < ASL_PHASES; i++)
		asl_counts_add_times(&out->in[i], &once.in[i], times);
	out->in[ASL_GATHER].of[ASL_NVM_READ] += own;
	asl_allsum_predict(sums, P, rank, 1);
	sums->of[ASL_FLOPS] += (4 + 10 * times + 4 * (times - 1)) * own;
	sums->of[ASL_NVM_WRITE] += 2 * own;
	out->pool_high = asl_wedge_tensor(&w) + 2 * own;
	out->memory_high = out->pool_high + memory.cache + memory.dram +
			   asl_max(asl_allsum_memory(P, rank, 2, 1),
				   asl_allsum_memory(P, rank, 2, 2));
}

const struct asl_algorithm asl_symmetric_hopm = {
	.name = "hopm",
	.summary = "an eigenvector of a symmetric tensor, by the power method",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = predict,
	.run = run,
};
