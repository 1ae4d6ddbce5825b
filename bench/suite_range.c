/*
 * suite_range.c -- {"from": 1, "to": 64, "times": 2} in place of a list
 *
 * With "by" the next is that much larger, with "times" so many times as large;
 * "to" is the last if it is met, and is never passed.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/refuse.h"
#include "bench/say.h"
#include "bench/suite.h"

#define EXPECTED                                                               \
	"{\"from\": LEAST, \"to\": MOST, \"by\": STEP} or \"times\": FACTOR "  \
	"in place of \"by\""

struct range {
	double from, to, step;
	bool times, whole;
	size_t count;
};

static bool take(double *x, bool *whole, const json_t *value, const char *key)
{
	const json_t *number = json_object_get(value, key);

	*x = json_number_value(number);
	*whole = *whole && json_is_integer(number);
	return json_is_number(number);
}

static bool read_range(struct range *r, const json_t *value)
{
	double steps;

	*r = (struct range){.whole = true};
	r->times = json_object_get(value, "times");
	if (json_object_size(value) != 3 ||
	    !take(&r->from, &r->whole, value, "from") ||
	    !take(&r->to, &r->whole, value, "to") ||
	    !take(&r->step, &r->whole, value, r->times ? "times" : "by") ||
	    r->to < r->from)
		return false;
	if (r->times ? !(r->from > 0 && r->step > 1) : !(r->step > 0))
		return false;
	steps = r->times ? log(r->to / r->from) / log(r->step)
			 : (r->to - r->from) / r->step;
	/* The last is not to be missed by rounding. */
	steps = floor(steps * (1 + 1e-12) + 1e-9) + 1;
	r->count =
		steps < ASL_MOST_CASES + 1 ? (size_t)steps : ASL_MOST_CASES + 1;
	return true;
}

/* Of decimal steps, what one would write: 0.3, not 0.1 + 0.1 + 0.1. */
static json_t *element(const struct range *r, size_t i)
{
	double x = r->times ? r->from * pow(r->step, (double)i)
			    : r->from + r->step * (double)i;
	char text[32];

	if (r->whole)
		return json_integer((json_int_t)llround(x));
	snprintf(text, sizeof text, "%.12g", x);
	return json_real(strtod(text, NULL));
}

static json_t *list_of(const struct range *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(list, element(r, i));
	return list;
}

int asl_suite_expand(json_t *keys)
{
	const char *key;
	json_t *value;
	struct range r;
	void *next;

	json_object_foreach_safe(keys, next, key, value)
	{
		if (!json_is_object(value))
			continue;
		if (!read_range(&r, value))
			return asl_json_reject(key, value, EXPECTED);
		if (r.count > ASL_MOST_CASES)
			return asl_complain(ASL_BAD_INPUT,
					    "more than %d cases in one",
					    ASL_MOST_CASES);
		json_object_set_new(keys, key, list_of(&r));
	}
	return 0;
}
