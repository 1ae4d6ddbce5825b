/*
 * steiner.c -- the families of Steiner systems, and which one fits
 */
#include "lib/symmetric/steiner.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/map.h"

/*
 * Lists of numbers, one after another in one array
 */

int asl_lists_take(struct asl_lists *l, int count, size_t items)
{
	*l = (struct asl_lists){
		.count = count,
		.first = calloc((size_t)count + 1, sizeof *l->first),
		.item = malloc((items ? items : 1) * sizeof *l->item),
	};
	if (l->first && l->item)
		return 0;
	asl_lists_give(l);
	return -ENOMEM;
}

void asl_lists_give(struct asl_lists *l)
{
	free(l->first);
	free(l->item);
	*l = (struct asl_lists){0};
}

void asl_lists_unique(struct asl_lists *l)
{
	size_t kept = 0, i = 0;

	for (int x = 0; x < l->count; x++) {
		size_t begin = kept;

		for (; i < l->first[x + 1]; i++)
			if (kept == begin || l->item[i] != l->item[kept - 1])
				l->item[kept++] = l->item[i];
		l->first[x + 1] = kept;
	}
}

int asl_lists_transpose(struct asl_lists *out, const struct asl_lists *x,
			int count)
{
	size_t items = x->first[x->count];
	int err = asl_lists_take(out, count, items);

	if (err)
		return err;
	for (size_t i = 0; i < items; i++)
		out->first[x->item[i] + 1]++;
	for (int i = 0; i < count; i++)
		out->first[i + 1] += out->first[i];
	/* While they fill, first[] moves on to where the next list begins. */
	for (int i = 0; i < x->count; i++)
		for (size_t j = x->first[i]; j < x->first[i + 1]; j++)
			out->item[out->first[x->item[j]]++] = i;
	for (int i = count; i > 0; i--)
		out->first[i] = out->first[i - 1];
	out->first[0] = 0;
	return 0;
}

int asl_list_find(const struct asl_lists *l, int i, int x)
{
	const int *list = asl_list(l, i);
	int low = 0, high = asl_list_length(l, i);

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (list[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low < asl_list_length(l, i) && list[low] == x ? low : -1;
}

/*
 * Finite fields by logarithms
 *
 * Modulo a monic polynomial of degree e, x^e is some polynomial of less degree.
 * All of those are tried in turn; the first one that makes x return to 1 after
 * q - 1 steps and no sooner is primitive, and the way there fills the tables.
 * That all elements but 0 are powers of x makes it a field.
 */

/* The least divisor greater than 1 of a q that is greater than 1: a prime. */
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
static int asl_field_power(const struct asl_field *f, int exponent)
{
	return f->power[exponent % (f->q - 1)];
}

int asl_field_multiply(const struct asl_field *f, int a, int b)
{
	return a && b ? asl_field_power(f, f->log[a] + f->log[b]) : 0;
}

int asl_field_inverse(const struct asl_field *f, int a)
{
	return asl_field_power(f, f->q - 1 - f->log[a]);
}

/*
 * The circles of the plane over GF(q)
 *
 * GF(q^2), and a point at infinity: q^2 + 1 points.  The images of GF(q) and
 * infinity under the fractional linear maps of GF(q^2) are, as in the complex
 * plane, which lines and circles are: with N(z) = z^(q+1), which is in GF(q),
 *
 *	{a + b t : t in GF(q)} and infinity	q(q + 1) lines
 *	{z : N(z - c) = r}, r not 0		q^2 (q - 1) circles
 *
 * So they can be written down, and no coset of the group need be searched for.
 * With a generator g of GF(q^2), GF(q) is 0 and the powers of g^(q+1), and r is
 * such a power, N(g^i): then N(g^(i + j(q-1))) = r for j from 0 to q.
 *
 * C. J. Colbourn, J. H. Dinitz, The CRC Handbook of Combinatorial Designs, 1996.
 */

static bool asl_spherical_size(int64_t *m, int64_t *s, int q)
{
	*m = (int64_t)q * q + 1;
	*s = (int64_t)q + 1;
	return asl_is_prime_power(q);
}

/* Element t of GF(q), of q, within GF(q^2). */
static int small(const struct asl_field *f, int q, int t)
{
	return t ? asl_field_power(f, (t - 1) * (q + 1)) : 0;
}

/*
 * In direction g^i; the parallels go through the multiples of g^(i+1), which is
 * in another direction because g is not in GF(q).
 */
static int *put_line(int *to, const struct asl_field *f, int q, int i,
		     int parallel)
{
	int b = asl_field_power(f, i), aside = asl_field_power(f, i + 1);
	int a = asl_field_multiply(f, aside, small(f, q, parallel));

	for (int t = 0; t < q; t++) {
		int along = asl_field_multiply(f, b, small(f, q, t));

		*to++ = asl_field_add(f, a, along);
	}
	*to++ = q * q;
	return to;
}

static int *put_circle(int *to, const struct asl_field *f, int q, int centre,
		       int i)
{
	for (int j = 0; j <= q; j++) {
		int z = asl_field_power(f, i + j * (q - 1));

		*to++ = asl_field_add(f, centre, z);
	}
	return to;
}

static int asl_spherical_build(struct asl_steiner *x, int q)
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

/* ---- Families ---- */

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

static const struct asl_steiner_family table[] = {
	{"spherical", 2, asl_spherical_size, asl_spherical_build,
	 "a prime power q"},
	{"boolean", 3, boolean_size, boolean_build, "v from 3 on"},
	{"triples", 3, triples_size, triples_build, "m from 3 on"},
};

#define FAMILIES (sizeof(table) / sizeof(table[0]))

static const struct asl_steiner_family *find(const char *name)
{
	for (size_t i = 0; i < FAMILIES; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

static int unknown(const char *name)
{
	return asl_fail(-EINVAL,
			"there is no family '%s' of Steiner systems, "
			"only spherical, boolean and triples",
			name);
}

/* ---- Which there are ---- */

static bool is_too_large(const struct asl_steiner_family *f, int parameter)
{
	int64_t m, s;

	f->size(&m, &s, parameter);
	return m > ASL_STEINER_POINTS ||
	       m * (m - 1) * (m - 2) / (s * (s - 1) * (s - 2)) >
		       ASL_STEINER_BLOCKS;
}

/* What the system is; false: there is none with this parameter. */
static bool size_of(struct asl_steiner_size *x,
		    const struct asl_steiner_family *f, int parameter)
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
		.blocks =
			(int)(m * (m - 1) * (m - 2) / (s * (s - 1) * (s - 2))),
	};
	return true;
}

bool asl_steiner_next(struct asl_steiner_size *x, int most)
{
	const struct asl_steiner_family *f =
		x->family ? find(x->family) : table;
	int parameter = x->family ? x->parameter + 1 : f->least;

	/* A family's systems grow with the parameter. */
	for (; f < table + FAMILIES; f++, parameter = f->least) {
		for (; !is_too_large(f, parameter); parameter++)
			if (size_of(x, f, parameter) && x->blocks <= most)
				return true;
		if (f + 1 == table + FAMILIES)
			break;
	}
	return false;
}

/*
 * Only spherical 2 and triples 5 have equally many blocks (to 10^6), and they move
 * equally many words, too.
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
			"no%s%s Steiner system has as few as %d blocks, "
			"one for each rank",
			family ? " " : "", family ? family : "", ranks);
}

/* ---- Building one ---- */

int asl_by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int build(struct asl_steiner *out, const struct asl_steiner_family *f,
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
	const struct asl_steiner_family *f = find(family);
	struct asl_steiner_size size;
	int err;

	*out = (struct asl_steiner){0};
	if (!f)
		return unknown(family);
	if (!size_of(&size, f, parameter))
		return asl_fail(-EINVAL,
				"%s %d: there is no such system with %d "
				"points and %d blocks at most; it takes %s",
				family, parameter, ASL_STEINER_POINTS,
				ASL_STEINER_BLOCKS, f->needs);
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
	int err = asl_lists_take(out, x->blocks, items);

	if (err)
		return err;
	memcpy(out->item, x->point, items * sizeof *out->item);
	for (int i = 0; i < x->blocks; i++)
		out->first[i + 1] = out->first[i] + (size_t)x->s;
	return 0;
}

/*
 * Is every triple in exactly one block?
 *
 * Point by point: the blocks that have point a must have every pair of later
 * points once.  Only a bitmap of pairs is needed then, and where something is
 * wrong, the blocks of a say which of them it was.  A triple that is in two blocks
 * is told rather than one that is in none: it is known then where to look.
 */

struct checker {
	const struct asl_steiner *x;
	struct asl_lists blocks_of; /* every point */
	uint64_t *seen;		    /* bit b * m + c: the pair b < c */
	size_t words;
	struct asl_steiner_fault *fault;
	int missing; /* a triple is in no block: -EINVAL */
};

static const int *points(const struct checker *k, int block)
{
	return k->x->point + (size_t)block * (size_t)k->x->s;
}

static bool has(const struct checker *k, int block, int point)
{
	const int *p = points(k, block);

	for (int i = 0; i < k->x->s; i++)
		if (p[i] == point)
			return true;
	return false;
}

/* Of the blocks that have a, the first one with b and c; -1: none. */
static int first_with(const struct checker *k, int a, int b, int c)
{
	const int *list = asl_list(&k->blocks_of, a);

	for (int i = 0; i < asl_list_length(&k->blocks_of, a); i++)
		if (has(k, list[i], b) && has(k, list[i], c))
			return list[i];
	return -1;
}

/* Set the bit; had it been set? */
static bool see(struct checker *k, int b, int c)
{
	size_t at = (size_t)b * (size_t)k->x->m + (size_t)c;
	uint64_t bit = (uint64_t)1 << at % 64, *word = &k->seen[at / 64];
	bool was = *word & bit;

	*word |= bit;
	return was;
}

static int fail(struct checker *k, int a, int b, int c, int block)
{
	int first = first_with(k, a, b, c);

	*k->fault = (struct asl_steiner_fault){{a, b, c}, {first, block}};
	return -EINVAL;
}

/* The pairs of a block behind its point a. */
static int see_block(struct checker *k, int a, int block, uint64_t *pairs)
{
	const int *p = points(k, block);
	int i = 0, s = k->x->s;

	while (p[i] <= a)
		if (++i == s)
			return 0;
	*pairs += (uint64_t)(s - i) * (uint64_t)(s - i - 1) / 2;
	for (; i < s; i++)
		for (int j = i + 1; j < s; j++)
			if (see(k, p[i], p[j]))
				return fail(k, a, p[i], p[j], block);
	return 0;
}

/* Pairs are missing with a: note the first of them, if it is the first at all. */
static void note_missing(struct checker *k, int a)
{
	for (int b = a + 1; b < k->x->m && !k->missing; b++)
		for (int c = b + 1; c < k->x->m && !k->missing; c++)
			if (!see(k, b, c))
				k->missing = fail(k, a, b, c, -1);
}

static int check_point(struct checker *k, int a)
{
	const int *list = asl_list(&k->blocks_of, a);
	uint64_t later = (uint64_t)(k->x->m - a - 1), pairs = 0;

	memset(k->seen, 0, k->words * sizeof *k->seen);
	for (int i = 0; i < asl_list_length(&k->blocks_of, a); i++) {
		int err = see_block(k, a, list[i], &pairs);

		if (err)
			return err;
	}
	if (pairs < later * (later - 1) / 2)
		note_missing(k, a);
	return 0;
}

static int check(struct checker *k)
{
	struct asl_lists of_block;
	int err = asl_steiner_lists(&of_block, k->x);

	if (err)
		return err;
	err = asl_lists_transpose(&k->blocks_of, &of_block, k->x->m);
	asl_lists_give(&of_block);
	for (int a = 0; !err && a < k->x->m - 2; a++)
		err = check_point(k, a);
	asl_lists_give(&k->blocks_of);
	return err ? err : k->missing;
}

int asl_steiner_check(const struct asl_steiner *x,
		      struct asl_steiner_fault *fault)
{
	struct checker k = {
		.x = x,
		.words = (size_t)x->m * (size_t)x->m / 64 + 1,
		.fault = fault,
	};
	int err;

	k.seen = malloc(k.words * sizeof *k.seen);
	if (!k.seen)
		return -ENOMEM;
	err = check(&k);
	free(k.seen);
	return err;
}
