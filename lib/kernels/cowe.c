/*
 * cowe.c -- cache-oblivious and write-efficient
 *
 * Halve the largest of m, k (r/w)^(2/3) and n until A, B and C fit into the
 * cache together.  Cutting k makes the second half add to what the first half
 * stored: a read and a write more, which is why k counts for less the dearer
 * writes are.  (Where nothing but k can be cut, k is.)
 *
 * A leaf is about s x s x c s with c = (w/r)^(2/3) and (2c + 1) s^2 = S, so that
 *
 *	r B_r + w B_w	~ (2r + (r + w)/c) sqrt(2c + 1) mnk / sqrt(S)
 *
 * up to what halving wastes.  The papers' leading cost, 3 sqrt(3) r^(2/3)
 * w^(1/3) mnk / sqrt(S), leaves out reading C back, and is that of a leaf of
 * (S/3)^1.5 multiplications with c = w/r.  For w > r its faces are larger than
 * the cache, and no leaf that fits costs as little (results/FINDINGS.md).
 *
 * The exact counts are those of the leaves: m k + k n reads and m n writes
 * each, and m n reads more where C accumulates.  predict counts leaves without
 * walking the tree: a cut leaves two shapes at most, so that on each level only
 * a few kinds of node exist, and it keeps how many there are of each.
 *
 * Y. Gu, write-efficient matrix multiplication, as described by Zhu et al.,
 * Joint-communication optimal matrix multiplication, section 8.
 */
#include "lib/kernels/kernel.h"

#include <assert.h>
#include <math.h>

#include "lib/base/parts.h"

enum cut { LEAF, CUT_M, CUT_N, CUT_K };

static double k_weight(const struct asl_product *x)
{
	if (x->write_cost <= 0)
		return 1;
	return pow(x->read_cost / x->write_cost, 2.0 / 3);
}

/* What to do with a node; m and n go first when all are equally long. */
static enum cut decide(const struct asl_product *x, uint64_t m, uint64_t n,
		       uint64_t k)
{
	double weighted_k = k > 1 ? k_weight(x) * (double)k : 0;

	if (m * k + k * n + m * n <= x->cache)
		return LEAF;
	if (m > 1 && m >= n && (double)m >= weighted_k)
		return CUT_M;
	if (n > 1 && (double)n >= weighted_k)
		return CUT_N;
	return k > 1 ? CUT_K : m > 1 ? CUT_M : CUT_N;
}

/* ---- The walk ---- */

static void walk(struct asl_rank *r, const struct asl_product *x,
		 const struct asl_block *C, const struct asl_block *A,
		 const struct asl_block *B, bool add)
{
	uint64_t m = C->rows, n = C->cols, k = A->cols;
	enum cut cut = decide(x, m, n, k);
	struct asl_product whole = *x;

	if (cut == LEAF) {
		whole.add = add;
		asl_stream(r, &whole, C, A, B, m, n, k);
		return;
	}
	for (int half = 0; half < 2; half++) {
		struct asl_range i = {0, m}, j = {0, n}, l = {0, k};
		struct asl_range *side = cut == CUT_M	? &i
					 : cut == CUT_N ? &j
							: &l;
		struct asl_block c, a, b;

		*side = asl_part(side->count, 2, half);
		c = asl_sub_block(C, i.first, j.first, i.count, j.count);
		a = asl_sub_block(A, i.first, l.first, i.count, l.count);
		b = asl_sub_block(B, l.first, j.first, l.count, j.count);
		walk(r, x, &c, &a, &b, add || (half && cut == CUT_K));
	}
}

static void cowe_run(struct asl_rank *r, const struct asl_product *x,
		     const struct asl_block *C, const struct asl_block *A,
		     const struct asl_block *B)
{
	if (x->m && x->n)
		walk(r, x, C, A, B, x->add);
}

/* ---- The count ---- */

struct kind {
	uint64_t m, n, k, many;
	bool add;
};

/*
 * Nodes of one level.  Every length is one of two neighbours on each level, so
 * there are 16 kinds, or a few more where cuts of unlike nodes diverge.
 */
enum { KINDS = 128 };

struct level {
	struct kind kind[KINDS];
	int count;
};

static void put(struct level *level, struct kind x)
{
	for (int i = 0; i < level->count; i++) {
		struct kind *y = &level->kind[i];

		if (y->m == x.m && y->n == x.n && y->k == x.k &&
		    y->add == x.add) {
			y->many += x.many;
			return;
		}
	}
	assert(level->count < KINDS);
	level->kind[level->count++] = x;
}

static void put_halves(struct level *next, struct kind x, enum cut cut)
{
	for (int half = 0; half < 2; half++) {
		struct kind y = x;
		uint64_t *side = cut == CUT_M	? &y.m
				 : cut == CUT_N ? &y.n
						: &y.k;

		*side = half ? *side / 2 : *side - *side / 2;
		y.add = x.add || (half && cut == CUT_K);
		put(next, y);
	}
}

static void cowe_predict(struct asl_counts *counts, const struct asl_product *x)
{
	struct level level[2] = {{.count = 0}, {.count = 0}};

	if (!x->m || !x->n)
		return;
	put(&level[0], (struct kind){x->m, x->n, x->k, 1, x->add});
	for (int now = 0; level[now].count; now = !now) {
		level[!now].count = 0;
		for (int i = 0; i < level[now].count; i++) {
			struct kind y = level[now].kind[i];
			enum cut cut = decide(x, y.m, y.n, y.k);
			uint64_t c = y.m * y.n;

			if (cut != LEAF) {
				put_halves(&level[!now], y, cut);
				continue;
			}
			asl_count_read(counts, x->A, y.many * y.m * y.k);
			asl_count_read(counts, x->B, y.many * y.k * y.n);
			asl_count_written(counts, x->C, y.many * c);
			if (y.add)
				asl_count_read(counts, x->C, y.many * c);
		}
	}
	counts->of[ASL_FLOPS] += 2 * x->m * x->n * x->k;
}

/* ---- The floor ---- */

/* Per multiplication, in leaves of s x s x k that fill the cache. */
struct leaves {
	double s, k;
};

static struct leaves leaves(double s, double cache)
{
	return (struct leaves){s, (cache - s * s) / (2 * s)};
}

static double cost_of(const struct leaves *x, double read, double store)
{
	return 2 * read / x->s + store / x->k;
}

/*
 * The leaves that cost least: of all m x n x k that fit, those with m = n read
 * least of A and B.  One convex function of s, from 1 to where k is 1.
 */
static struct leaves best_leaves(double cache, double read, double store)
{
	double low = 1, high = sqrt(cache + 1) - 1;

	for (int i = 0; i < 60; i++) {
		double third = (high - low) / 3;
		struct leaves a = leaves(low + third, cache);
		struct leaves b = leaves(high - third, cache);

		if (cost_of(&a, read, store) < cost_of(&b, read, store))
			high -= third;
		else
			low += third;
	}
	return leaves((low + high) / 2, cache);
}

/* The answer for the machine asked about last. */
static struct leaves known_leaves(double cache, double read, double store)
{
	static _Thread_local double known[3];
	static _Thread_local struct leaves x;

	if (known[0] != cache || known[1] != read || known[2] != store) {
		known[0] = cache;
		known[1] = read;
		known[2] = store;
		x = best_leaves(cache, read, store);
	}
	return x;
}

/*
 * Every word of C is stored by all the leaves above it and loaded by all but the
 * first, and there are volume / k words of C in all.
 */
static void cowe_lower_bound(struct asl_counts *counts,
			     const struct asl_products *x,
			     const struct asl_rates *rates)
{
	enum asl_counter A = asl_read_counter(x->x.A),
			 B = asl_read_counter(x->x.B),
			 load = asl_read_counter(x->x.C),
			 store = asl_write_counter(x->x.C);
	enum asl_counter either = rates->of[A] < rates->of[B] ? A : B;
	struct leaves leaf = known_leaves((double)x->x.cache, rates->of[either],
					  rates->of[store] + rates->of[load]);
	struct asl_counts faces = {{0}}, inner = {{0}};
	double volume = (1 - 1e-9) * (double)x->volume;
	double stores = volume / leaf.k,
	       first = (double)x->volume / (double)x->deep;

	inner.of[either] += (uint64_t)(2 * volume / leaf.s);
	inner.of[store] += (uint64_t)stores;
	inner.of[load] += stores > first ? (uint64_t)(stores - first) : 0;
	inner.of[ASL_FLOPS] += 2 * x->volume;
	asl_stream_lower_bound(&faces, x, rates, 0, 0, 0);
	asl_counts_add(counts, stores > first && asl_cost(rates, &inner) >
							 asl_cost(rates, &faces)
				       ? &inner
				       : &faces);
}

const struct asl_kernel asl_kernel_cowe = {
	.name = "cowe",
	.summary = "cache-oblivious halving that spares writes (Gu)",
	.least_cache = 3,
	.run = cowe_run,
	.predict = cowe_predict,
	.lower_bound = cowe_lower_bound,
};
