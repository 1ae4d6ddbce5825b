/*
 * type.c -- the types of the numbers that operands consist of
 */
#include "lib/base/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A complex operation is four of its parts; a vector holds twice as many floats. */
static const struct asl_type_facts types[] = {
	[ASL_FLOAT64] = {"float64", "<f8", false, false, DBL_EPSILON, 1},
	[ASL_COMPLEX64] = {"complex64", "<c8", true, true, FLT_EPSILON, 2},
	[ASL_FLOAT32] = {"float32", "<f4", false, true, FLT_EPSILON, 0.5},
	[ASL_COMPLEX128] = {"complex128", "<c16", true, false, DBL_EPSILON, 4},
};

enum { TYPES = sizeof types / sizeof types[0] };

const struct asl_type_facts *asl_type(enum asl_type type)
{
	return &types[type];
}

const char *const *asl_type_names(void)
{
	static const char *names[TYPES + 1];

	for (int i = 0; i < TYPES; i++)
		names[i] = types[i].name;
	return names;
}

enum asl_type asl_type_find(const char *name)
{
	for (int i = 0; i < TYPES; i++)
		if (!strcmp(types[i].name, name))
			return (enum asl_type)i;
	return ASL_FLOAT64;
}

bool asl_type_described(enum asl_type *type, const char *descr, size_t length)
{
	for (int i = 0; i < TYPES; i++) {
		if (length != strlen(types[i].descr) ||
		    memcmp(types[i].descr, descr, length) != 0)
			continue;
		*type = (enum asl_type)i;
		return true;
	}
	return false;
}

/* Addresses need not be aligned. */
struct asl_number asl_number_get(enum asl_type type, const double *at)
{
	float floats[2] = {0, 0};
	double doubles[2] = {0, 0};

	if (!types[type].floats) {
		memcpy(doubles, at, asl_type_bytes(type));
		return (struct asl_number){doubles[0], doubles[1]};
	}
	memcpy(floats, at, asl_type_bytes(type));
	return (struct asl_number){(double)floats[0], (double)floats[1]};
}

void asl_number_put(enum asl_type type, double *at, struct asl_number x)
{
	float floats[2] = {(float)x.re, (float)x.im};
	double doubles[2] = {x.re, x.im};

	memcpy(at, types[type].floats ? (void *)floats : doubles,
	       asl_type_bytes(type));
}

uint64_t asl_type_finite(enum asl_type type, const char *at, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		double word[2];
		struct asl_number x;

		memcpy(word, at + asl_type_bytes(type) * i,
		       asl_type_bytes(type));
		x = asl_number_get(type, word);
		if (!isfinite(x.re) || !isfinite(x.im))
			return i;
	}
	return count;
}
