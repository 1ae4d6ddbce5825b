/*
 * type.c -- the types of the numbers that operands consist of
 */
#include "lib/base/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A complex operation is four of floats, of which a vector holds twice as many. */
static const struct asl_type_facts types[] = {
	[ASL_FLOAT64] = {"float64", "<f8", DBL_EPSILON, 1},
	[ASL_COMPLEX64] = {"complex64", "<c8", FLT_EPSILON, 2},
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

struct asl_number asl_number_get(enum asl_type type, const double *at)
{
	float part[2];

	if (type == ASL_FLOAT64)
		return (struct asl_number){*at, 0};
	memcpy(part, at, sizeof part);
	return (struct asl_number){(double)part[0], (double)part[1]};
}

void asl_number_put(enum asl_type type, double *at, struct asl_number x)
{
	float part[2] = {(float)x.re, (float)x.im};

	if (type == ASL_FLOAT64)
		*at = x.re;
	else
		memcpy(at, part, sizeof part);
}

uint64_t asl_type_finite(enum asl_type type, const char *at, uint64_t count)
{
	double word;

	for (uint64_t i = 0; i < count; i++) {
		struct asl_number x;

		memcpy(&word, at + sizeof word * i, sizeof word);
		x = asl_number_get(type, &word);
		if (!isfinite(x.re) || !isfinite(x.im))
			return i;
	}
	return count;
}
