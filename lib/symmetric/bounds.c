/*
 * bounds.c -- lower bounds for symmetric tensors
 *
 * Ranks begin with one copy of the tensor and of x, and end with one of y.  Let
 * no rank do more than L times the mean of the work.
 *
 * sttsv	A rank that uses t entries a > b > c of the tensor for all of
 *		their products touches t^(1/3) 6^(1/3) words of x and of y at
 *		least, and shares are 2n in all: the mean over P ranks is
 *
 *			2 (n (n-1) (n-2) L/P)^(1/3) / L - 2n/P
 *
 *		For L = 1 this is Theorem 2 of the paper that sttsv.c names.  For
 *		order d, (d! t)^(1/d) words: README.md.
 *
 * hopm		In each iteration a word of y has summands from all ranks that
 *		touch it, and all that touch it in the next need it: as many
 *		words as if one rank added it up and sent it, so sttsv's bound
 *		holds for each iteration.
 *
 * cpgrad	R vectors.  A rank could take entries from others, T instead of
 *		its share N/P of N = n (n-1) (n-2) / 6, and use them for a few
 *		of the vectors only.  With W = L R N/P products of an entry and a
 *		vector the mean is, for the T >= W/R that makes it least,
 *
 *			(2 W (6T)^(1/3) / T + T) / L - N/P - 2nR/P
 *
 *		T = N/P unless R is about (N/P)^(2/3) or more; T <= W.
 *
 * the cube	Algorithms that do not use the symmetry do n^3 products.  A rank
 *		with t values of the indices j and k, together, and s of i does
 *		s t^2 at most: 3 (n^3 L/4P)^(1/3) / L - 2n/P.  For order d, s
 *		t^(d-1), and d/(d-1) ((d-1) n^d L/P)^(1/d) / L - 2n/P.
 *
 * half	With entries for pairs i > j, a rank that has u of the indices i and
 *		j, and w of k, does u^2 w / 2 at most, and needs u words of y and
 *		the larger of u and w of x: 2 (n^2 (n-1) L/P)^(1/3) / L - 2n/P.
 *
 * Memory	Every word of the tensor and of X is read once, and every word of
 *		the result written.  In iterations after the first, PS words of
 *		the tensor may still be in caches.
 */
#include <math.h>

#include "lib/symmetric/block.h"
#include "lib/symmetric/symmetric.h"

static bool on_cube(const struct asl_plan *plan)
{
	return plan->algorithm == &asl_symmetric_naive ||
	       plan->algorithm == &asl_symmetric_sequence;
}

static bool by_half(const struct asl_plan *plan)
{
	return plan->algorithm == &asl_symmetric_half;
}

/* Entries whose indices differ, or i and j; on the cube all. */
static double entries(const struct asl_plan *plan)
{
	double n = (double)plan->symmetric->n, all = 1;

	if (by_half(plan))
		return n * n * (n - 1) / 2;
	for (int i = 0; i < plan->symmetric->order; i++)
		all *= on_cube(plan) ? n : (n - i) / (i + 1);
	return all;
}

static double times(const struct asl_plan *plan)
{
	return plan->algorithm == &asl_symmetric_hopm ? plan->iterations : 1;
}

/* Number of ranks that have work; 0: nothing says yet. */
static int at_work(const struct asl_plan *plan)
{
	return plan->symmetric->layout.ranks || plan->grid.p[0]
		       ? plan->algorithm->family->ranks(plan)
		       : 0;
}

/* ---- Words between ranks ---- */

/* Touched by each of P ranks, of R vectors and of their results. */
static double touched(double N, double P, double R)
{
	double W = R * N / P, least = N / P;
	double best = pow(4.0 / 3 * cbrt(6) * W, 3.0 / 5);
	double T = fmin(fmax(least, best), W);

	return 2 * W * cbrt(6 * T) / T + T - least;
}

/* The mean over P ranks, none of which does more than L times the mean. */
static double net_words(const struct asl_plan *plan, double P, double L)
{
	double N = entries(plan), R = plan->symmetric->columns;
	double n = (double)plan->symmetric->n, need;
	double d = plan->symmetric->order;

	if (N <= 0)
		return 0;
	if (on_cube(plan))
		need = d / (d - 1) * pow((d - 1) * N * L / P, 1 / d) / L;
	else if (by_half(plan))
		need = 2 * cbrt(2 * N * L / P) / L;
	else if (d > 3)
		need = 2 * pow(tgamma(d + 1) * N * L / P, 1 / d) / L;
	else
		need = touched(N, P / L, R) / L;
	return fmax(0, need - 2 * n * R / P) * times(plan);
}

/* It holds for all ranks and for those at work: take the lower. */
static double lower_net(const struct asl_plan *plan, double L)
{
	int used = at_work(plan);
	double all = net_words(plan, plan->ranks, L);

	return used ? fmin(all, net_words(plan, used, L)) : all;
}

double asl_symmetric_net_words(const struct asl_plan *plan)
{
	return ceil(lower_net(plan, 1) * (1 - 1e-12));
}

/* ---- Words between cache and memory ---- */

static double reads(const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;
	double tensor = (double)asl_packed_words(s->n, s->order) / plan->ranks;
	double again = fmax(0, tensor - (double)plan->cache);

	return tensor + (times(plan) - 1) * again +
	       (double)s->n * s->columns / plan->ranks;
}

static double writes(const struct asl_plan *plan)
{
	const struct asl_symmetric *s = plan->symmetric;

	return (double)s->n * s->columns / plan->ranks;
}

double asl_symmetric_io_words(const struct asl_plan *plan)
{
	return ceil((reads(plan) + writes(plan)) * (1 - 1e-14));
}

/* ---- Both together ---- */

static double balance(const struct asl_plan *plan)
{
	int used = at_work(plan);
	uint64_t most = 0;

	for (int rank = 0; rank < used; rank++)
		most = asl_max(most, asl_plan_owned(plan, rank, ASL_TENSOR));
	return used ? fmax(1, (double)most * used / entries(plan)) : 1;
}

double asl_symmetric_joint(const struct asl_plan *plan)
{
	const struct asl_costs *c = &plan->costs;

	return c->net * lower_net(plan, balance(plan)) + c->read * reads(plan) +
	       c->write * writes(plan);
}
