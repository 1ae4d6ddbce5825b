/*
 * steiner_orbits.c -- systems that groups give: sublines, quadruples, S(3,6,22)
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symmetric/steiner.h"

/*
 * Sublines
 *
 * The images of GF(q) and infinity under the fractional linear maps of the field
 * of Q = q^a elements, a > 2: Theorem 6.5 of the paper that layout.h names.  A
 * triple has one of them, which the map that takes 0, 1, infinity to it gives.
 */

/* The least power a from 3 on makes the largest q.  0: Q is no such power. */
int asl_sublines_order(int Q)
{
	for (int a = 3; asl_is_prime_power(Q) && 1 << a <= Q; a++)
		for (int q = 3; pow(q, a) <= Q; q++)
			if (pow(q, a) == Q)
				return q;
	return 0;
}

struct sublines {
	struct asl_field f;
	int q;
	int *block; /* [q + 1] */
	char *seen; /* [m][m]: pairs with the least point */
};

static int minus(const struct asl_field *f, int a, int b)
{
	int negative = f->p == 2 ? 1 : f->power[(f->q - 1) / 2];

	return asl_field_add(f, a, asl_field_multiply(f, negative, b));
}

/* Infinity is f->q. */
static int quotient(const struct asl_field *f, int a, int b)
{
	return b ? asl_field_multiply(
			   f, a, f->power[(f->q - 1 - f->log[b]) % (f->q - 1)])
		 : f->q;
}

/* The block with a < b < c: images of 0, 1, infinity, and then of the others. */
static void find_subline(struct sublines *x, int a, int b, int c)
{
	const struct asl_field *f = &x->f;
	int ab = minus(f, b, a), bc = c < f->q ? minus(f, c, b) : 0;

	x->block[0] = a;
	x->block[1] = b;
	x->block[2] = c;
	for (int i = 1; i < x->q - 1; i++) {
		int t = f->power[i * ((f->q - 1) / (x->q - 1))];
		int along = asl_field_multiply(f, t, ab);
		int up =
			asl_field_add(f, asl_field_multiply(f, c % f->q, along),
				      asl_field_multiply(f, a, bc));

		x->block[i + 2] =
			c == f->q
				? asl_field_add(f, a, along)
				: quotient(f, up, asl_field_add(f, along, bc));
	}
}

static int *put_sublines(int *to, struct sublines *x, int a)
{
	size_t m = (size_t)x->f.q + 1, s = (size_t)x->q + 1;

	memset(x->seen, 0, m * m);
	for (int b = a + 1; b < x->f.q; b++)
		for (int c = b + 1; c <= x->f.q; c++) {
			if (x->seen[(size_t)b * m + (size_t)c])
				continue;
			find_subline(x, a, b, c);
			qsort(x->block, s, sizeof *x->block, asl_by_number);
			for (size_t i = 0; i < s; i++)
				for (size_t j = i + 1; j < s; j++)
					x->seen[(size_t)x->block[i] * m +
						(size_t)x->block[j]] = 1;
			if (x->block[0] != a)
				continue;
			memcpy(to, x->block, s * sizeof *to);
			to += s;
		}
	return to;
}

int asl_sublines_build(struct asl_steiner *out, int Q)
{
	size_t m = (size_t)Q + 1;
	struct sublines x = {.q = asl_sublines_order(Q)};
	int *to = out->point;
	int err = asl_field_make(&x.f, Q);

	if (err)
		return err;
	x.block = malloc((size_t)out->s * sizeof *x.block);
	x.seen = malloc(m * m);
	err = x.block && x.seen ? 0 : -ENOMEM;
	for (int a = 0; !err && a + 2 < out->m; a++)
		to = put_sublines(to, &x, a);
	free(x.seen);
	free(x.block);
	asl_field_free(&x.f);
	return err;
}

/*
 * Orbits of a few blocks
 *
 * Points are two copies of GF(q).  Maps x -> a x + b of both copies, with a in a
 * subgroup of the field's units, and for some systems an exchange of the copies,
 * take one block to all those of its orbit; a system is the orbits of a few
 * blocks.  Which blocks, a search found that covers the orbits of triples exactly.
 * H. Hanani, On quadruple systems, Canadian J. Math. 12 (1960), proves that there
 * are systems of v points for all v = 2 or 4 modulo 6.
 *
 * From one of v points, doubling makes one of 2v: two copies of it, and all
 * {a, b, c', d'} where {a, b} and {c, d} are pairs of the same one-factor, of v-1
 * into which the pairs of v points split.
 *
 * S(3,6,22) has the Mathieu group M22, and S(3,5,26) comes from the S(5,7,28) of
 * R. H. F. Denniston, Some new 5-designs, Bull. London Math. Soc. 8 (1976);
 * C. C. Lindner, A. Rosa, Steiner quadruple
 * systems: a survey, Discrete Math. 22 (1978), has the doubling.
 */
enum { MOST_STARTERS = 18, MOST_POINTS = 6 };

struct orbits {
	int q, s;
	int units;				 /* of the subgroup */
	enum { APART, SWAPPED, NEGATED } copies; /* NEGATED: with x -> -x */
	int starters;
	unsigned char starter[MOST_STARTERS][MOST_POINTS];
};

/* clang-format off */
static const struct orbits quadruples[] = {
	{5, 4, 4, SWAPPED, 2,
	 {{0, 1, 2, 6}, {0, 1, 7, 9}}},
	{7, 4, 3, APART, 7,
	 {{0, 1, 2, 4}, {0, 1, 5, 9}, {0, 8, 9, 11}, {7, 8, 9, 12}, {0, 1, 7, 8}, {0, 1, 10, 11}, {0, 1, 12, 13}}},
	{11, 4, 1, SWAPPED, 18,
	 {{0, 1, 2, 4}, {0, 1, 5, 7}, {0, 1, 8, 11}, {0, 1, 6, 12}, {0, 4, 11, 15}, {0, 2, 11, 14}, {0, 2, 8, 13}, {0, 2, 5, 19}, {0, 3, 6, 21}, {0, 1, 16, 18}, {0, 1, 9, 21}, {0, 2, 16, 20}, {0, 3, 15, 20}, {0, 4, 13, 18}, {0, 1, 13, 17}, {0, 2, 15, 21}, {0, 3, 7, 19}, {0, 1, 14, 15}}},
	{13, 4, 12, SWAPPED, 4,
	 {{0, 1, 2, 14}, {0, 1, 3, 9}, {0, 1, 15, 18}, {0, 1, 16, 24}}},
	{17, 4, 16, SWAPPED, 5,
	 {{0, 1, 2, 18}, {0, 1, 3, 4}, {0, 1, 20, 21}, {0, 1, 19, 29}, {0, 1, 24, 28}}},
	{19, 4, 9, APART, 15,
	 {{0, 1, 3, 8}, {0, 1, 9, 13}, {19, 20, 22, 27}, {19, 20, 28, 32}, {0, 1, 4, 21}, {0, 1, 6, 20}, {0, 19, 20, 21}, {0, 1, 2, 23}, {0, 1, 25, 34}, {0, 1, 28, 33}, {0, 1, 30, 31}, {0, 1, 27, 36}, {0, 20, 25, 26}, {0, 1, 24, 32}, {0, 21, 22, 37}}},
	{23, 4, 11, APART, 15,
	 {{0, 1, 2, 6}, {0, 1, 7, 23}, {0, 23, 24, 28}, {0, 1, 9, 25}, {0, 1, 13, 27}, {0, 1, 28, 31}, {0, 1, 32, 40}, {0, 1, 33, 35}, {0, 1, 38, 39}, {0, 1, 30, 34}, {0, 1, 37, 44}, {0, 1, 43, 45}, {0, 24, 33, 36}, {0, 24, 26, 27}, {23, 24, 25, 31}}},
	{25, 4, 24, SWAPPED, 9,
	 {{0, 1, 2, 26}, {0, 1, 5, 19}, {0, 1, 6, 7}, {0, 1, 30, 31}, {0, 1, 35, 39}, {0, 1, 33, 34}, {0, 1, 36, 37}, {0, 1, 32, 49}, {0, 1, 27, 29}}},
	{29, 4, 28, SWAPPED, 7,
	 {{0, 1, 2, 30}, {0, 1, 3, 17}, {0, 1, 31, 32}, {0, 1, 33, 42}, {0, 1, 34, 41}, {0, 1, 36, 37}, {0, 1, 38, 50}}},
	{31, 4, 15, NEGATED, 12,
	 {{0, 1, 2, 28}, {0, 1, 3, 37}, {0, 1, 4, 53}, {0, 1, 5, 44}, {0, 1, 6, 54}, {0, 1, 12, 35}, {0, 1, 17, 48}, {0, 1, 26, 40}, {0, 1, 33, 39}, {0, 1, 38, 55}, {0, 1, 45, 60}, {0, 1, 50, 51}}},
};

static const struct orbits witt = {
	11, 6, 5, APART, 3,
	{{0, 1, 2, 4, 7, 16}, {0, 1, 5, 12, 13, 19}, {0, 12, 14, 15, 16, 20}},
};

static const struct orbits denniston = {
	13, 5, 12, SWAPPED, 2,
	{{0, 1, 2, 17, 24}, {0, 1, 3, 9, 13}},
};
/* clang-format on */

/* ---- Orbits ---- */

struct images {
	const struct orbits *from;
	struct asl_field field;
	int *point; /* blocks, each as often as maps lead to it */
	size_t count;
};

/* Points of the second copy count from q on. */
static int image(const struct images *x, int a, int b, int copy, int point)
{
	int q = x->from->q, minus = x->field.power[(q - 1) / 2];
	int y = asl_field_multiply(&x->field, a, point % q);

	if (copy && x->from->copies == NEGATED)
		y = asl_field_multiply(&x->field, minus, y);
	return asl_field_add(&x->field, y, b) + (point / q + copy) % 2 * q;
}

static void put_images(struct images *x, const unsigned char *starter, int a,
		       int copy)
{
	int s = x->from->s;

	for (int b = 0; b < x->from->q; b++) {
		int *to = x->point + x->count++ * (size_t)s;

		for (int i = 0; i < s; i++)
			to[i] = image(x, a, b, copy, starter[i]);
		qsort(to, (size_t)s, sizeof *to, asl_by_number);
	}
}

static void put_orbits(struct images *x)
{
	const struct orbits *o = x->from;
	int step = (o->q - 1) / o->units;
	int copies = o->copies == APART ? 1 : 2;

	for (int i = 0; i < o->starters; i++)
		for (int unit = 0; unit < o->units; unit++)
			for (int copy = 0; copy < copies; copy++)
				put_images(x, o->starter[i],
					   x->field.power[unit * step], copy);
}

static int by_points(const void *a, const void *b)
{
	const int *x = a, *y = b;

	/* Four points of a quadruple decide, as three do. */
	for (int i = 0; i < 3; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

/* Keep one of equal blocks.  Writes no more than *out has room for. */
static void keep(struct asl_steiner *out, struct images *x)
{
	size_t s = (size_t)x->from->s, kept = 0;

	qsort(x->point, x->count, s * sizeof *x->point, by_points);
	for (size_t i = 0; i < x->count && kept < (size_t)out->blocks; i++) {
		const int *block = x->point + i * s;

		if (i && by_points(block, block - s) == 0)
			continue;
		memcpy(out->point + kept++ * s, block, s * sizeof *block);
	}
}

static int build_orbits(struct asl_steiner *out, const struct orbits *from)
{
	size_t maps =
		(size_t)from->q * (size_t)from->units * (from->copies == APART ? 1 : 2);
	size_t all = maps * (size_t)from->starters;
	struct images x = {.from = from};
	int err = asl_field_make(&x.field, from->q);

	if (err)
		return err;
	x.point = malloc(all * (size_t)from->s * sizeof *x.point);
	if (x.point) {
		put_orbits(&x);
		keep(out, &x);
	}
	asl_field_free(&x.field);
	free(x.point);
	return x.point ? 0 : -ENOMEM;
}

int asl_witt_build(struct asl_steiner *out, int points)
{
	(void)points;
	return build_orbits(out, &witt);
}

int asl_denniston_build(struct asl_steiner *out, int points)
{
	(void)points;
	return build_orbits(out, &denniston);
}

/* ---- Doubling ---- */

static const struct orbits *find(int v)
{
	for (size_t i = 0; i < sizeof quadruples / sizeof *quadruples; i++)
		if (2 * quadruples[i].q == v)
			return &quadruples[i];
	return NULL;
}

bool asl_quadruples_exist(int v)
{
	while (!find(v) && v > 0 && v % 2 == 0)
		v /= 2;
	return find(v);
}

/*
 * The point that is with a in one-factor i of v points, v even: the last point
 * is with i/2, and a with i - a, modulo v - 1.
 */
static int partner(int v, int i, int a)
{
	int odd = v - 1, half = i % 2 ? (i + odd) / 2 : i / 2;
	int b = (i - a + odd) % odd;

	if (a == odd)
		return half;
	return b == a ? odd : b;
}

static int *put(int *to, int a, int b, int c, int d)
{
	*to++ = a;
	*to++ = b;
	*to++ = c;
	*to++ = d;
	return to;
}

static int *put_pairs(int *to, int v, int factor)
{
	for (int a = 0; a < v; a++) {
		int b = partner(v, factor, a);

		for (int c = 0; a < b && c < v; c++) {
			int d = partner(v, factor, c);

			if (c < d)
				to = put(to, a, b, v + c, v + d);
		}
	}
	return to;
}

static int double_system(struct asl_steiner *out, int v)
{
	struct asl_steiner half = {.m = v, .s = 4};
	int *to = out->point;
	int err;

	half.blocks = v * (v - 1) * (v - 2) / 24;
	half.point = malloc((size_t)half.blocks * 4 * sizeof *half.point);
	if (!half.point)
		return -ENOMEM;
	err = asl_quadruples_build(&half, v);
	for (int i = 0; !err && i < half.blocks; i++) {
		const int *p = half.point + 4 * (size_t)i;

		to = put(to, p[0], p[1], p[2], p[3]);
		to = put(to, p[0] + v, p[1] + v, p[2] + v, p[3] + v);
	}
	for (int i = 0; !err && i < v - 1; i++)
		to = put_pairs(to, v, i);
	free(half.point);
	return err;
}

int asl_quadruples_build(struct asl_steiner *out, int v)
{
	const struct orbits *from = find(v);

	return from ? build_orbits(out, from) : double_system(out, v / 2);
}
