/*
 * bounds.c -- lower bounds for matrix multiplication
 *
 * All have their constants.  README.md, "A joint bound with constants", has the
 * proofs of the joint bound, of that on words read and written, and of that for
 * limited memory.
 */
#include "lib/multiply/bounds.h"

#include <math.h>
#include <string.h>

#include "lib/base/parts.h"

static void put_in_order(double *a, double *b)
{
	if (*a < *b) {
		double t = *a;

		*a = *b;
		*b = t;
	}
}

/* The largest first. */
static void sort(double x[3])
{
	put_in_order(&x[0], &x[1]);
	put_in_order(&x[1], &x[2]);
	put_in_order(&x[0], &x[1]);
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

/* Ranks move whole words.  Rounding must not lift a whole number to the next. */
static double whole(double words)
{
	return ceil(words * (1 - 1e-14));
}

/* ---- A multiplication ---- */

static double volume(const struct asl_sharing *x)
{
	return (double)x->shape.m * (double)x->shape.n * (double)x->shape.k;
}

/* A, B and C. */
static double all_words(const struct asl_sharing *x)
{
	double m = (double)x->shape.m, n = (double)x->shape.n;
	double k = (double)x->shape.k;

	return m * k + k * n + m * n;
}

static double writes(const struct asl_sharing *x)
{
	return (double)x->shape.m * (double)x->shape.n / x->ranks;
}

/*
 * The least mean over ranks of a (x + y) + c z, where a rank touches x words of
 * A, y of B and z of C.  Its v multiplications have x y z >= v^2, x >= v/n,
 * y >= v/m and z >= v/k; so v/L of the least for L times the mean is the least
 * that a rank can have.  Three cases, by how many of the last three bind.
 */
static double touched(const struct asl_sharing *x, double a, double c)
{
	double m = (double)x->shape.m, n = (double)x->shape.n;
	double k = (double)x->shape.k, L = x->balance;
	double f[3] = {a * m * k, a * k * n, c * m * n};
	double parts = x->ranks / L;

	sort(f);
	if (f[1] * f[2] * parts >= f[0] * f[0])
		return 3 * root3(f[0] * f[1] * f[2] / (parts * parts)) / L;
	if (f[2] * parts >= f[1])
		return (f[0] / parts + 2 * root2(f[1] * f[2] / parts)) / L;
	return ((f[0] + f[1]) / parts + f[2]) / L;
}

/* ---- Words between ranks ---- */

/*
 * Words that the busiest rank must have at hand beside the share that it owns:
 * the least above for a = c = 1.  Shares are taken off case by case, so that
 * nothing large cancels and a bound that is whole comes out whole.
 */
static double memory_independent(const struct asl_sharing *p)
{
	double d[3] = {(double)p->shape.m, (double)p->shape.n,
		       (double)p->shape.k};
	/* Ranks beyond the number of multiplications have nothing to do. */
	double P = fmin(p->ranks, volume(p)), m, n, k, side;

	sort(d);
	m = d[0];
	n = d[1];
	k = d[2];
	if (P <= m / n)
		return n * k * (P - 1) / P;
	if (P <= m * n / (k * k))
		return 2 * root2(m * n * k * k / P) - (m + n) * k / P;
	side = root3(m * n * k / P);
	return fmax(0, 3 * side * side - all_words(p) / P);
}

/* A rank's words are in its memory or in its cache. */
static double memory_dependent(const struct asl_sharing *x)
{
	double M = (double)x->memory + (double)x->cache;

	return fmax(0, 2 * volume(x) / x->ranks / sqrt(M) - 2 * M - writes(x));
}

double asl_sharing_net_words(const struct asl_sharing *x)
{
	return whole(fmax(memory_independent(x), memory_dependent(x)));
}

double asl_bound_sent(const struct asl_shape *s, int ranks, double written)
{
	const struct asl_sharing all = {.shape = *s, .ranks = ranks};
	double V = volume(&all) / ranks, z = fmax(written, writes(&all));
	double least_x = V / (double)s->n, least_y = V / (double)s->m;
	double xy = V * V / z, x = fmax(least_x, sqrt(xy));
	double y = fmax(least_y, xy / x);

	x = fmax(least_x, xy / y);
	return fmax(0, x + y + z - all_words(&all) / ranks);
}

/* ---- Words between cache and memory ---- */

static double sequential(const struct asl_sharing *x)
{
	double S = (double)x->cache;

	return fmax(0, 2 * volume(x) / x->ranks / sqrt(S) - 2 * S);
}

/* Partial sums that a rank does not write need not be counted. */
static double once(const struct asl_sharing *x)
{
	return x->finished ? all_words(x) / x->ranks : touched(x, 1, 1);
}

double asl_sharing_io_words(const struct asl_sharing *x)
{
	return whole(fmax(sequential(x), once(x)));
}

/* ---- Both together ---- */

/* The cost of memory, and of a network on which a word touched costs so much. */
static double with_network(const struct asl_sharing *x, double beta)
{
	double r = x->costs.read, w = x->costs.write;
	double long_run =
		touched(x, beta + fmax(0, r - w), beta + fmax(0, w - r)) +
		fmin(r, w) * sequential(x);

	return fmax(long_run, touched(x, beta + r, beta + w));
}

double asl_sharing_joint(const struct asl_sharing *x)
{
	double beta = x->costs.net, V = volume(x) / x->ranks;
	double any = with_network(x, beta) - beta * all_words(x) / x->ranks;
	double limited = with_network(x, 0) + beta * memory_dependent(x);

	return fmax(any, limited) + 2 * V * x->costs.flop;
}

/* ---- Of plans ---- */

/* The busiest rank's multiplications over the mean of the ranks at work. */
static double balance(const struct asl_plan *plan, int used)
{
	const struct asl_sharing x = {.shape = *asl_shape_of(plan)};

	if (!used)
		return fmax(1, plan->ranks / volume(&x));
	return (double)asl_grid_flops(plan) / 2 * used / volume(&x);
}

/*
 * The papers mean M up to a constant: what a rank owns may already be more.  The
 * bound is on ranks that hold no more than M, so a plan with a grid is held
 * against what its ranks do hold, if that is more.
 */
static struct asl_sharing product(const struct asl_plan *plan, int used)
{
	struct asl_sharing x = {
		.shape = *asl_shape_of(plan),
		.ranks = plan->ranks,
		.balance = balance(plan, used),
		.cache = plan->cache,
		.memory = plan->memory,
		.costs = plan->costs,
		.finished = plan->algorithm && plan->algorithm->outside_apm,
	};

	if (used)
		x.memory = asl_max(x.memory, asl_forecast(plan).memory_high);
	return x;
}

/* See bounds.h: the lower of the bounds for all ranks and for those at work. */
static double lower(const struct asl_plan *plan,
		    double (*bound)(const struct asl_sharing *x))
{
	int used = plan->algorithm ? asl_grid_ranks(&plan->grid) : 0;
	struct asl_sharing x = product(plan, used);
	double all = bound(&x);

	if (!used)
		return all;
	x.ranks = used;
	return fmin(all, bound(&x));
}

double asl_bound_net_words(const struct asl_plan *plan)
{
	return lower(plan, asl_sharing_net_words);
}

double asl_bound_io_words(const struct asl_plan *plan)
{
	return lower(plan, asl_sharing_io_words);
}

double asl_bound_joint(const struct asl_plan *plan)
{
	return lower(plan, asl_sharing_joint);
}

int asl_bounds(struct asl_bound bound[ASL_BOUNDS], const struct asl_plan *plan)
{
	const struct asl_bound all[] = {
		{"net_words_memory_independent",
		 lower(plan, memory_independent), "words",
		 "Al Daas et al., SPAA 2022, Theorem 3"},
		{"net_words_memory_dependent", lower(plan, memory_dependent),
		 "words",
		 "2mnk/(P sqrt(M+S)) - 2(M+S) - mn/P, as Smith et al. 2019"},
		{"net_words", asl_bound_net_words(plan), "words",
		 "the larger of the two, in whole words"},
		{"io_words_reads_and_writes", lower(plan, sequential), "words",
		 "Smith et al. 2019: 2mnk/(P sqrt(S)) - 2S"},
		{"io_words_once", lower(plan, once), "words",
		 "A and B are read, sums written once, " ASL_IF_EVEN},
		{"io_words", asl_bound_io_words(plan), "words",
		 "the larger of the two, in whole words"},
		{"joint_cost", asl_bound_joint(plan), "cost",
		 "Zhu et al., Theorem 1 with constants, " ASL_IF_EVEN},
	};

	memcpy(bound, all, sizeof all);
	return sizeof all / sizeof *all;
}
