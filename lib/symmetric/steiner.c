/*
 * steiner.c -- families of Steiner systems
 */
#include "lib/symmetric/steiner.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"

/*
 * Finite fields by logarithms
 *
 * Modulo a monic polynomial of degree e, x^e is some polynomial of less degree.
 * Each of those is tried; the first one that makes x return to 1 after q - 1
 * steps and no sooner is primitive, and the way there fills the tables.  All
 * elements but 0 are then powers of x, which makes it a field.
 */

/* The least divisor greater than 1 of q > 1: a prime. */
static int least_divisor(int q)
{
	for (int d = 2; d * d <= q; d++)
		if (q % d == 0)
			return d;
	return q;
}

bool asl_is_prime_power(int q)
{
	int p;

	if (q < 2 || q > ASL_FIELD_MOST)
		return false;
	for (p = least_divisor(q); q % p == 0;)
		q /= p;
	return q == 1;
}

/* a + times * b, coefficient by coefficient. */
static int add_multiple(const struct asl_field *f, int a, int b, int times)
{
	int sum = 0;

	for (int place = 1; place < f->q; place *= f->p) {
		int digit = (a / place + times * (b / place % f->p)) % f->p;

		sum += digit * place;
	}
	return sum;
}

int asl_field_add(const struct asl_field *f, int a, int b)
{
	return add_multiple(f, a, b, 1);
}

/* a times x, where x^e = rest. */
static int shift(const struct asl_field *f, int a, int rest)
{
	int top = f->q / f->p;

	return add_multiple(f, a % top * f->p, rest, a / top);
}

static bool is_primitive(struct asl_field *f, int rest)
{
	int a = 1;

	for (int i = 0; i < f->q - 1; i++) {
		f->power[i] = a;
		f->log[a] = i;
		a = shift(f, a, rest);
		if (a == 0 || (a == 1 && i < f->q - 2))
			return false;
	}
	return a == 1;
}

int asl_field_make(struct asl_field *f, int q)
{
	*f = (struct asl_field){.q = q};
	if (!asl_is_prime_power(q))
		return -EINVAL;
	f->p = least_divisor(q);
	for (int rest = q; rest > 1; rest /= f->p)
		f->e++;
	f->power = calloc((size_t)q, sizeof *f->power);
	f->log = calloc((size_t)q, sizeof *f->log);
	if (!f->power || !f->log) {
		asl_field_free(f);
		return -ENOMEM;
	}
	for (int rest = 1; !is_primitive(f, rest);)
		rest++;
	return 0;
}

void asl_field_free(struct asl_field *f)
{
	free(f->power);
	free(f->log);
	*f = (struct asl_field){0};
}

/* The generator to any power from 0 on. */
static int power_of(const struct asl_field *f, int exponent)
{
	return f->power[exponent % (f->q - 1)];
}

int asl_field_multiply(const struct asl_field *f, int a, int b)
{
	return a && b ? power_of(f, f->log[a] + f->log[b]) : 0;
}

/*
 * The circles of the plane over GF(q)
 *
 * GF(q^2), and a point at infinity: q^2 + 1 points.  The images of GF(q) and
 * infinity under the fractional linear maps of GF(q^2) are, as in the complex
 * plane, which lines and circles are.  With N(z) = z^(q+1), which is in GF(q):
 *
 *	{a + b t : t in GF(q)} and infinity	q(q + 1) lines
 *	{z : N(z - c) = r}, r not 0		q^2 (q - 1) circles
 *
 * So they can be written down, without a search for cosets of the group.
 * With a generator g of GF(q^2), GF(q) is 0 and the powers of g^(q+1), and r is
 * such a power, N(g^i): then N(g^(i + j(q-1))) = r for j from 0 to q.
 *
 * C. J. Colbourn, J. H. Dinitz, The CRC Handbook of Combinatorial Designs,
 * 1996.
 */

static bool spherical_size(int64_t *m, int64_t *s, int q)
{
	*m = (int64_t)q * q + 1;
	*s = (int64_t)q + 1;
	return asl_is_prime_power(q);
}

/* Element t of GF(q) within GF(q^2). */
static int embed(const struct asl_field *f, int q, int t)
{
	return t ? power_of(f, (t - 1) * (q + 1)) : 0;
}

/*
 * A line in direction g^i; its parallels go through the multiples of g^(i+1),
 * which is another direction because g is not in GF(q).
 */
static int *put_line(int *to, const struct asl_field *f, int q, int i,
		     int parallel)
{
	int b = power_of(f, i), aside = power_of(f, i + 1);
	int a = asl_field_multiply(f, aside, embed(f, q, parallel));

	for (int t = 0; t < q; t++) {
		int along = asl_field_multiply(f, b, embed(f, q, t));

		*to++ = asl_field_add(f, a, along);
	}
	*to++ = q * q;
	return to;
}

static int *put_circle(int *to, const struct asl_field *f, int q, int centre,
		       int i)
{
	for (int j = 0; j <= q; j++) {
		int z = power_of(f, i + j * (q - 1));

		*to++ = asl_field_add(f, centre, z);
	}
	return to;
}

static int spherical_build(struct asl_steiner *x, int q)
{
	struct asl_field f;
	int *to = x->point;
	int err = asl_field_make(&f, q * q);

	if (err)
		return err;
	for (int i = 0; i <= q; i++)
		for (int parallel = 0; parallel < q; parallel++)
			to = put_line(to, &f, q, i, parallel);
	for (int centre = 0; centre < q * q; centre++)
		for (int i = 0; i < q - 1; i++)
			to = put_circle(to, &f, q, centre, i);
	asl_field_free(&f);
	return 0;
}

/* ---- The other families, and their table ---- */

static bool sublines_size(int64_t *m, int64_t *s, int Q)
{
	int q = asl_sublines_order(Q);

	*m = (int64_t)Q + 1;
	*s = q ? q + 1 : *m;
	return q;
}

static bool quadruples_size(int64_t *m, int64_t *s, int v)
{
	*m = v;
	*s = 4;
	return asl_quadruples_exist(v);
}

static bool witt_size(int64_t *m, int64_t *s, int points)
{
	*m = points;
	*s = 6;
	return points == 22;
}

static bool denniston_size(int64_t *m, int64_t *s, int points)
{
	*m = points;
	*s = 5;
	return points == 26;
}

static bool boolean_size(int64_t *m, int64_t *s, int v)
{
	*m = v < 31 ? (int64_t)1 << v : INT32_MAX;
	*s = 4;
	return true;
}

static int boolean_build(struct asl_steiner *x, int v)
{
	int *to = x->point;

	(void)v;
	for (int a = 0; a < x->m; a++)
		for (int b = a + 1; b < x->m; b++)
			for (int c = b + 1; c < x->m; c++) {
				int d = a ^ b ^ c;

				if (d < c)
					continue;
				*to++ = a;
				*to++ = b;
				*to++ = c;
				*to++ = d;
			}
	return 0;
}

static bool triples_size(int64_t *m, int64_t *s, int points)
{
	*m = points;
	*s = 3;
	return true;
}

static int triples_build(struct asl_steiner *x, int points)
{
	int *to = x->point;

	for (int a = 0; a < points; a++)
		for (int b = a + 1; b < points; b++)
			for (int c = b + 1; c < points; c++) {
				*to++ = a;
				*to++ = b;
				*to++ = c;
			}
	return 0;
}

struct family {
	const char *name;
	int least; /* parameter */
	/* Points, and points of a block; false: no system has this parameter. */
	bool (*size)(int64_t *m, int64_t *s, int parameter);
	/* Write the points of each block, in any order.  0 or -ENOMEM. */
	int (*build)(struct asl_steiner *x, int parameter);
	const char *takes; /* the parameter, for messages */
};

/* To add a family: write its two functions, and name them here. */
static const struct family table[] = {
	{"spherical", 2, spherical_size, spherical_build, "a prime power q"},
	{"boolean", 3, boolean_size, boolean_build, "v from 3 on"},
	{"triples", 3, triples_size, triples_build, "m from 3 on"},
	{"sublines", 27, sublines_size, asl_sublines_build,
	 "a third or higher power of a prime power q > 2"},
	{"quadruples", 10, quadruples_size, asl_quadruples_build,
	 "2^k v, v = 10, 14, 22, 26, 34, 38, 46, 50, 58 or 62"},
	{"witt", 22, witt_size, asl_witt_build, "22"},
	{"denniston", 26, denniston_size, asl_denniston_build, "26"},
};

enum { FAMILIES = sizeof table / sizeof *table };

static const struct family *find(const char *name)
{
	for (int i = 0; i < FAMILIES; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

bool asl_steiner_is_family(const char *name)
{
	return find(name);
}

static int unknown(const char *name)
{
	return asl_fail(-EINVAL,
			"there is no family '%s' of Steiner systems, only "
			"spherical, boolean, triples, sublines, "
			"quadruples, witt and denniston",
			name);
}

/* ---- Sizes ---- */

static int64_t blocks_of(int64_t m, int64_t s)
{
	return m * (m - 1) * (m - 2) / (s * (s - 1) * (s - 2));
}

static bool is_too_large(const struct family *f, int parameter)
{
	int64_t m, s;

	f->size(&m, &s, parameter);
	return m > ASL_STEINER_POINTS || blocks_of(m, s) > ASL_STEINER_BLOCKS;
}

/* They grow with the parameter; blocks need not. */
static int64_t points_of(const struct family *f, int parameter)
{
	int64_t m, s;

	f->size(&m, &s, parameter);
	return m;
}

/* False: no system has this parameter. */
static bool size_of(struct asl_steiner_size *x, const struct family *f,
		    int parameter)
{
	int64_t m, s;

	if (parameter < f->least || is_too_large(f, parameter) ||
	    !f->size(&m, &s, parameter))
		return false;
	*x = (struct asl_steiner_size){
		.family = f->name,
		.parameter = parameter,
		.m = (int)m,
		.s = (int)s,
		.blocks = (int)blocks_of(m, s),
	};
	return true;
}

bool asl_steiner_next(struct asl_steiner_size *x, int most)
{
	const struct family *f = x->family ? find(x->family) : table;
	int parameter = x->family ? x->parameter + 1 : f->least;

	for (;;) {
		for (; points_of(f, parameter) <= ASL_STEINER_POINTS;
		     parameter++)
			if (size_of(x, f, parameter) && x->blocks <= most)
				return true;
		if (++f == table + FAMILIES)
			return false;
		parameter = f->least;
	}
}

/*
 * Ties don't matter: systems with equally many blocks have as many points, and
 * move as many words.
 */
int asl_steiner_fit(struct asl_steiner_size *out, const char *family, int ranks)
{
	struct asl_steiner_size x = {0};

	*out = x;
	if (family && !find(family))
		return unknown(family);
	while (asl_steiner_next(&x, ranks))
		if ((!family || strcmp(family, x.family) == 0) &&
		    x.blocks > out->blocks)
			*out = x;
	if (out->family)
		return 0;
	return asl_fail(-ENOENT,
			"no%s%s Steiner system has as few as %d blocks, one "
			"for each rank",
			family ? " " : "", family ? family : "", ranks);
}

/* ---- Systems ---- */

int asl_by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int build(struct asl_steiner *out, const struct family *f,
		 const struct asl_steiner_size *size)
{
	size_t s = (size_t)size->s, blocks = (size_t)size->blocks;
	struct asl_steiner_fault fault;
	int err;

	*out = (struct asl_steiner){
		.m = size->m,
		.s = size->s,
		.blocks = size->blocks,
		.point = malloc(blocks * s * sizeof *out->point),
	};
	if (!out->point)
		return -ENOMEM;
	snprintf(out->name, sizeof out->name, "%s-%d", f->name,
		 size->parameter);
	err = f->build(out, size->parameter);
	for (size_t i = 0; !err && i < blocks; i++)
		qsort(out->point + i * s, s, sizeof *out->point, asl_by_number);
	if (!err)
		err = asl_steiner_check(out, &fault);
	assert(err != -EINVAL);
	return err;
}

int asl_steiner_make(struct asl_steiner *out, const char *family, int parameter)
{
	const struct family *f = find(family);
	struct asl_steiner_size size;
	int err;

	*out = (struct asl_steiner){0};
	if (!f)
		return unknown(family);
	if (!size_of(&size, f, parameter))
		return asl_fail(-EINVAL,
				"%s %d: there is no such system with %d points "
				"and %d blocks at most; it takes %s",
				family, parameter, ASL_STEINER_POINTS,
				ASL_STEINER_BLOCKS, f->takes);
	err = build(out, f, &size);
	if (!err)
		return 0;
	asl_steiner_free(out);
	return asl_fail(err, "%s %d: no memory", family, parameter);
}

void asl_steiner_free(struct asl_steiner *x)
{
	free(x->point);
	*x = (struct asl_steiner){0};
}

int asl_steiner_lists(struct asl_lists *out, const struct asl_steiner *x)
{
	size_t items = (size_t)x->blocks * (size_t)x->s;
	int err = asl_lists_alloc(out, x->blocks, items);

	if (err)
		return err;
	memcpy(out->item, x->point, items * sizeof *out->item);
	for (int i = 0; i < x->blocks; i++)
		out->first[i + 1] = out->first[i] + (size_t)x->s;
	return 0;
}
