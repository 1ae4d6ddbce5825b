/*
 * steiner.c -- the families of Steiner systems, and which one fits
 */
#include "lib/symmetric/steiner.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/matrix/map.h"
#include "lib/symmetric/steiner_family.h"

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
	return asl_file_fail(-EINVAL,
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
	return asl_file_fail(-ENOENT,
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
		return asl_file_fail(
			-EINVAL,
			"%s %d: there is no such system with %d "
			"points and %d blocks at most; it takes %s",
			family, parameter, ASL_STEINER_POINTS,
			ASL_STEINER_BLOCKS, f->needs);
	err = build(out, f, &size);
	if (!err)
		return 0;
	asl_steiner_free(out);
	return asl_file_fail(err, "%s %d: no memory", family, parameter);
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
