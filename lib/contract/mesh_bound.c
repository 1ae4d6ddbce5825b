/*
 * mesh_bound.c -- the fewest words over all meshes in real numbers
 *
 * With x_i = ln p_i a slice of term T has exp(ln N_T - sum of x_i over T) words,
 * so their sum f is convex, over the polytope 0 <= x_i <= ln n_i, sum x_i = ln P.
 *
 * Two coordinates at a time: moving s from x_j to x_i leaves A exp(-s) + B exp(s)
 * and a constant, with A the words of slices that have i only and B those that
 * have j only: the best s is ln(A/B)/2, or where the polytope ends.  Then
 * f - max over y in the polytope of grad f (x - y), which convexity puts below
 * the least f, says when to stop, and is what is returned: a bound whatever the
 * rounding.
 */
#include <math.h>

#include "lib/contract/mesh.h"

enum { MOST_ROUNDS = 10000 };

#define NEAR 1e-13

struct space {
	const struct asl_einsum *e;
	int dims;
	int index[ASL_MOST_INDICES];   /* those longer than 1, of some term */
	double most[ASL_MOST_INDICES]; /* ln n_i */
	double x[ASL_MOST_INDICES];
};

static double slice(const struct space *s, const struct asl_term *t)
{
	double log_words = 0;

	for (int i = 0; i < s->dims; i++)
		if (asl_term_has(t, s->index[i]))
			log_words += s->most[i] - s->x[i];
	return exp(log_words);
}

/* Move between coordinates i and j to where f is least. */
static void balance(struct space *s, int i, int j)
{
	double A = 0, B = 0, low, high, best;

	for (int k = 0; k <= s->e->inputs; k++) {
		const struct asl_term *t = &s->e->term[k];
		bool has_i = asl_term_has(t, s->index[i]);
		bool has_j = asl_term_has(t, s->index[j]);

		if (has_i != has_j)
			*(has_i ? &A : &B) += slice(s, t);
	}
	if (A == B)
		return;
	low = -fmin(s->x[i], s->most[j] - s->x[j]);
	high = fmin(s->most[i] - s->x[i], s->x[j]);
	best = A == 0 ? low : B == 0 ? high : log(A / B) / 2;
	best = fmin(fmax(best, low), high);
	s->x[i] = fmax(0, s->x[i] + best);
	s->x[j] = fmax(0, s->x[j] - best);
}

static double words(const struct space *s)
{
	double sum = 0;

	for (int k = 0; k <= s->e->inputs; k++)
		sum += slice(s, &s->e->term[k]);
	return sum;
}

/* How far f may be above its least value: give all to the steepest first. */
static double gap(const struct space *s)
{
	double slope[ASL_MOST_INDICES] = {0}, left = 0, gap = 0;
	bool full[ASL_MOST_INDICES] = {false};

	for (int i = 0; i < s->dims; i++) {
		for (int k = 0; k <= s->e->inputs; k++)
			if (asl_term_has(&s->e->term[k], s->index[i]))
				slope[i] += slice(s, &s->e->term[k]);
		gap -= slope[i] * s->x[i];
		left += s->x[i];
	}
	for (int n = 0; n < s->dims; n++) {
		int steepest = -1;

		for (int i = 0; i < s->dims; i++)
			if (!full[i] &&
			    (steepest < 0 || slope[i] > slope[steepest]))
				steepest = i;
		gap += slope[steepest] * fmin(left, s->most[steepest]);
		left -= fmin(left, s->most[steepest]);
		full[steepest] = true;
	}
	return gap;
}

/* Every coordinate by the same factor to begin with. */
static struct space begin(const struct asl_einsum *e, double ranks)
{
	struct space s = {.e = e};
	double all = 0;

	for (int i = 0; i < e->indices; i++) {
		if (e->size[i] == 1 || !(asl_einsum_all(e) >> i & 1))
			continue;
		s.index[s.dims] = i;
		s.most[s.dims] = log((double)e->size[i]);
		all += s.most[s.dims++];
	}
	for (int i = 0; i < s.dims; i++)
		s.x[i] = s.most[i] * fmin(1, log(ranks) / all);
	return s;
}

double asl_mesh_bound(const struct asl_einsum *e, double ranks)
{
	struct space s = begin(e, ranks);
	double least = 0, volume = 1, owned = 0;

	for (int i = 0; i < s.dims; i++)
		volume *= (double)e->size[s.index[i]];
	for (int round = 0; round < MOST_ROUNDS; round++) {
		double f = words(&s), above = gap(&s);

		least = fmax(least, f - above);
		if (above <= NEAR * f)
			break;
		for (int i = 0; i < s.dims; i++)
			for (int j = 0; j < i; j++)
				balance(&s, i, j);
	}
	for (int k = 0; k <= e->inputs; k++)
		owned += (double)asl_term_words(e, &e->term[k]);
	return fmax(0, least - owned / fmin(ranks, volume));
}
