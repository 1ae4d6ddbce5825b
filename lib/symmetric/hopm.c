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

struct power {
	struct asl_wedge w;
	struct asl_allsum sum;
	double lambda, a, b; /* its arguments */
};

static void add_square(void *arg, double *x, double *y)
{
	struct power *p = arg;

	(void)y;
	p->sum.tile.at[0] += *x * *x;
}

static void add_product(void *arg, double *x, double *y)
{
	struct power *p = arg;

	p->sum.tile.at[0] += *x * *y;
}

/* The squares of the error, y - lambda x, and of the next x. */
static void add_squares(void *arg, double *x, double *y)
{
	struct power *p = arg;
	double error = *y - p->lambda * *x, next = *y + p->a * *x;

	p->sum.tile.at[0] += error * error;
	p->sum.tile.at[1] += next * next;
}

static void scale(void *arg, double *x, double *y)
{
	const struct power *p = arg;

	(void)y;
	*x *= p->b;
}

static void combine(void *arg, double *x, double *y)
{
	const struct power *p = arg;

	*x = p->b * *y + p->b * p->a * *x;
}

/* Each with its flops a word; does it read y, does it write x? */
static const struct asl_wedge_work squaring = {add_square, NULL, 2, false,
					       false},
				   multiplying = {add_product, NULL, 2, true,
						  false},
				   comparing = {add_squares, NULL, 8, true,
						false},
				   scaling = {scale, NULL, 2, false, true},
				   combining = {combine, NULL, 4, true, true};

static void compute(struct asl_rank *r, struct power *p,
		    struct asl_wedge_work work)
{
	work.arg = p;
	asl_wedge_do(r, &p->w, &work);
}

/* Sums over all words of all ranks. */
static const double *add_up(struct asl_rank *r, struct power *p,
			    struct asl_wedge_work work, uint64_t count)
{
	static const double none[2];

	asl_phase(r, ASL_EXCHANGE);
	asl_tile_zero(&p->sum.tile, 1, 2);
	asl_tile_words(&p->sum.tile, 0, 0);
	compute(r, p, work);
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
	p->lambda = *add_up(r, p, multiplying, 1);
	p->a = s->shift;
	found = add_up(r, p, comparing, 2);
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
	p.b = 1 / sqrt(*add_up(r, &p, squaring, 1));
	compute(r, &p, scaling);
	while (iterate(r, &p, s, &own[ASL_TENSOR]) &&
	       r->outcome.iterations < plan->iterations)
		compute(r, &p, combining);
	asl_wedge_store(r, &p.w, ASL_WEDGE_X, &own[ASL_X]);
	asl_wedge_store(r, &p.w, ASL_WEDGE_Y, &own[ASL_Y]);
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
	struct asl_wedge w;
	uint64_t own, times = (uint64_t)iterations;

	asl_wedge_for_prediction(&w, s, rank);
	own = asl_wedge_owned(&w);
	asl_wedge_predict_product(&once, &w, 1);
	asl_allsum_predict(&once.in[ASL_EXCHANGE], P, rank, 1);
	asl_allsum_predict(&once.in[ASL_EXCHANGE], P, rank, 2);
	for (int i = 0; i < ASL_PHASES; i++)
		asl_counts_add_times(&out->in[i], &once.in[i], times);
	asl_wedge_predict_load(&out->in[ASL_GATHER], &w);
	asl_allsum_predict(sums, P, rank, 1);
	asl_wedge_predict_work(sums, &w, &squaring, 1);
	asl_wedge_predict_work(sums, &w, &scaling, 1);
	asl_wedge_predict_work(sums, &w, &multiplying, times);
	asl_wedge_predict_work(sums, &w, &comparing, times);
	asl_wedge_predict_work(sums, &w, &combining, times - 1);
	asl_wedge_predict_store(sums, &w);
	asl_wedge_predict_store(sums, &w);
	out->pool_high = asl_wedge_held(&w) + 2 * own;
	out->memory_high = out->pool_high + asl_wedge_dram(&w, 1) +
			   asl_max(asl_allsum_memory(P, rank, 2, 1),
				   asl_allsum_memory(P, rank, 2, 2));
}

const struct asl_algorithm asl_symmetric_hopm = {
	.name = "hopm",
	.summary = "an eigenvector of a symmetric tensor, by the power method",
	.when = "you want an eigenvector",
	.family = &asl_family_symmetric,
	.resumes = true,
	.predict = predict,
	.run = run,
};
