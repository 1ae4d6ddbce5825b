/*
 * bounds.c -- lower bounds for matrix multiplication
 *
 * Exact ones in words, with their constants, and those of the asymmetric
 * parallel model, which hold up to a constant factor and are costs.
 */
#include "lib/multiply/bounds.h"

#include <math.h>

struct sorted {
	double m, n, k; /* m >= n >= k */
};

static void put_in_order(double *a, double *b)
{
	if (*a < *b) {
		double t = *a;

		*a = *b;
		*b = t;
	}
}

static struct sorted sort(const struct asl_shape *s)
{
	struct sorted x = {(double)s->m, (double)s->n, (double)s->k};

	put_in_order(&x.m, &x.n);
	put_in_order(&x.n, &x.k);
	put_in_order(&x.m, &x.n);
	return x;
}

/* Roots of whole numbers that are whole come out whole, however large. */
static double exact_root(double root)
{
	double whole = round(root);

	return fabs(root - whole) <= 1e-15 * whole ? whole : root;
}

static double root2(double x)
{
	return exact_root(sqrt(x));
}

static double root3(double x)
{
	return exact_root(cbrt(x));
}

/*
 * Words that the busiest rank must have at hand beside the share that it owns.
 * What is owned is taken off case by case, so that nothing large cancels and a
 * bound that is whole comes out whole.
 */
static double words_missing(const struct sorted *x, double P)
{
	double side;

	if (P <= x->m / x->n)
		return x->n * x->k * (P - 1) / P;
	if (P <= x->m * x->n / (x->k * x->k))
		return 2 * root2(x->m * x->n * x->k * x->k / P) -
		       (x->m + x->n) * x->k / P;
	side = root3(x->m * x->n * x->k / P);
	return 3 * side * side - (x->m * x->n + x->m * x->k + x->n * x->k) / P;
}

static double memory_independent(const struct asl_plan *plan)
{
	struct sorted x = sort(asl_shape_of(plan));
	int used = asl_grid_ranks(&plan->grid);
	/* More ranks than multiplications: the others have nothing to do. */
	double P = fmin(plan->ranks, x.m * x.n * x.k);
	double bound = words_missing(&x, P);

	if (used)
		bound = fmin(bound, words_missing(&x, fmin(used, P)));
	return fmax(0, bound);
}

static double volume(const struct asl_plan *plan)
{
	return (double)asl_shape_of(plan)->m * (double)asl_shape_of(plan)->n *
	       (double)asl_shape_of(plan)->k;
}

/*
 * The papers mean M up to a constant: what a rank owns may already be more.  The
 * bound is on ranks that hold no more than M, so a plan with a grid is held
 * against what its ranks do hold, if that is more.
 */
static double memory_dependent(const struct asl_plan *plan)
{
	double M = (double)plan->memory;

	if (asl_grid_ranks(&plan->grid))
		M = fmax(M, (double)asl_forecast(plan).memory_high);
	return fmax(0, 2 * volume(plan) / (plan->ranks * sqrt(M)) - M);
}

/* Ranks move whole words: a bound on the busiest one rounds up. */
double asl_bound_net_words(const struct asl_plan *plan)
{
	return ceil(fmax(memory_independent(plan), memory_dependent(plan)));
}

/* The busiest rank's share of the multiplications, or all of C's writes. */
static double sequential(const struct asl_plan *plan)
{
	double S = (double)plan->cache;

	return fmax(0, 2 * volume(plan) / plan->ranks / sqrt(S) - 2 * S);
}

static double writes(const struct asl_plan *plan)
{
	return (double)asl_shape_of(plan)->m * (double)asl_shape_of(plan)->n /
	       plan->ranks;
}

double asl_bound_io_words(const struct asl_plan *plan)
{
	return ceil(fmax(sequential(plan), writes(plan)));
}

/* Theorem 1: memory enough for one brick a rank, M >= n^2 / sqrt(P). */
static double joint_enough(const struct asl_plan *plan, double n)
{
	double P = plan->ranks, w = plan->costs.write, beta = plan->costs.net;
	double t = 2 * w / beta;

	if (t >= sqrt(P))
		return w * n * n / P;
	if (t > 1)
		return n * n * cbrt(beta * beta * w) / pow(P, 2.0 / 3);
	return beta * n * n / pow(P, 2.0 / 3);
}

/* Theorem 2: less memory than that. */
static double joint_limited(const struct asl_plan *plan, double n)
{
	double P = plan->ranks, M = (double)plan->memory;
	double w = plan->costs.write, beta = plan->costs.net, t = w / beta;

	if (t >= n * n / M)
		return w * n * n / P;
	if (t > 1)
		return n * n * n * sqrt(beta * w) / (P * sqrt(M));
	return beta * (n * n * n / (P * sqrt(M)) + n * n / pow(P, 2.0 / 3));
}

static bool is_square(const struct asl_shape *s)
{
	return s->m == s->n && s->n == s->k;
}

int asl_bounds(struct asl_bound bound[ASL_BOUNDS], const struct asl_plan *plan)
{
	double n = (double)asl_shape_of(plan)->n, P = plan->ranks;
	bool enough = (double)plan->memory >= n * n / sqrt(P);
	int count = 0;

	bound[count++] = (struct asl_bound){
		"net_words_memory_independent", memory_independent(plan),
		"words", "Al Daas et al., SPAA 2022, Theorem 3"};
	bound[count++] = (struct asl_bound){
		"net_words_memory_dependent", memory_dependent(plan), "words",
		"Smith et al. 2019; Kwasniewski et al., SC 2019"};
	bound[count++] = (struct asl_bound){
		"net_words", asl_bound_net_words(plan), "words",
		"the larger of the two, in whole words"};
	bound[count++] = (struct asl_bound){
		"io_words_reads_and_writes", sequential(plan), "words",
		"Smith et al. 2019: 2mnk/(P sqrt(S)) - 2S"};
	bound[count++] =
		(struct asl_bound){"io_words_writes", writes(plan), "words",
				   "every word of C is written once: mn/P"};
	bound[count++] = (struct asl_bound){
		"io_words", asl_bound_io_words(plan), "words",
		"the larger of the two, in whole words"};
	if (!is_square(asl_shape_of(plan)))
		return count;
	bound[count++] = (struct asl_bound){
		"joint_cost_order",
		(enough ? joint_enough : joint_limited)(plan, n) +
			plan->costs.read * volume(plan) /
				(P * sqrt((double)plan->cache)),
		"cost, up to a constant factor",
		enough ? "Zhu et al., Theorem 1 (enough memory)"
		       : "Zhu et al., Theorem 2 (limited memory)"};
	return count;
}
