/*
 * unit.c -- units of figures, and costs from them
 */
#include "bench/unit.h"

#include <string.h>

#include "bench/options.h"

enum {
	WORD = ASL_UNIT_WORD,
	WAIT = ASL_UNIT_WAIT,
	FLOP = ASL_UNIT_FLOP,
	LAG = ASL_UNIT_LAG,
	WEAR = ASL_UNIT_WEAR,
};

static const struct asl_unit units[] = {
	{"ns/word", WORD, 1, false, true},
	{"GB/s", WORD, 8, true, true},
	{"GiB/s", WORD, 8 / 1.073741824, true, true},
	{"ns", WAIT | LAG, 1, false, true},
	{"us", WAIT | LAG, 1000, false, true},
	{"ns/flop", FLOP, 1, false, true},
	{"GFLOP/s", FLOP, 1, true, true},
	{"TB", WEAR, 1e12, false, true},
	{"PB", WEAR, 1e15, false, true},
	{"relative", WORD | WAIT | FLOP, 1, false, false},
};

enum { UNITS = sizeof units / sizeof units[0] };

const struct asl_unit *asl_unit_find(const char *name, enum asl_unit_kind kind)
{
	for (int i = 0; i < UNITS; i++)
		if (units[i].kinds & kind && !strcmp(name, units[i].name))
			return &units[i];
	return NULL;
}

const char *asl_unit_names(char *text, size_t room, enum asl_unit_kind kind)
{
	const char *names[UNITS + 1];
	int count = 0;

	for (int i = 0; i < UNITS; i++)
		if (units[i].kinds & kind)
			names[count++] = units[i].name;
	names[count] = NULL;
	return asl_join(text, room, names);
}

double asl_unit_cost(const struct asl_unit *unit, double value)
{
	return unit->inverse ? unit->factor / value : unit->factor * value;
}
