/*
 * unit.h -- units of a machine profile's figures
 *
 * A bandwidth becomes the time of a word, so that costs of one profile are all
 * in nanoseconds; relative figures are costs already.
 */
#ifndef ASL_UNIT_H
#define ASL_UNIT_H

#include <stdbool.h>
#include <stddef.h>

enum asl_unit_kind {
	ASL_UNIT_WORD = 1, /* the cost of a word */
	ASL_UNIT_WAIT = 2, /* of a message */
	ASL_UNIT_FLOP = 4,
	ASL_UNIT_LAG = 8, /* of an access, which is a time or nothing */
	ASL_UNIT_WEAR = 16,
};

struct asl_unit {
	const char *name;
	unsigned kinds;
	double factor;
	bool inverse; /* cost = factor / value, else factor * value */
	bool timed;
};

/* NULL: no unit of that name is of this kind. */
const struct asl_unit *asl_unit_find(const char *name, enum asl_unit_kind kind);

/* All of a kind, "GB/s, GiB/s"; returns the text. */
const char *asl_unit_names(char *text, size_t room, enum asl_unit_kind kind);

double asl_unit_cost(const struct asl_unit *unit, double value);

#endif
