/*
 * number.c -- numbers as users write them, strictly
 */
#include "bench/library/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

/* Digits up to the first character that is none; NULL if there are none. */
static const char *read_digits(uint64_t *out, const char *text)
{
	struct asl_text t = {text, text + strlen(text)};

	return asl_take_digits(&t, out) ? t.at : NULL;
}

static bool read_unit(uint64_t *unit, const char *text, bool bytes)
{
	static const char *const thousands[] = {"", "k", "m", "g"};
	static const char *const binary[] = {"KiB", "MiB", "GiB", "TiB"};

	*unit = 1;
	for (int i = 0; i < 4; i++, *unit *= 1000)
		if (!strcmp(text, thousands[i]))
			return true;
	*unit = 1024 / sizeof(double);
	for (int i = 0; bytes && i < 4; i++, *unit *= 1024)
		if (!strcmp(text, binary[i]))
			return true;
	return false;
}

/* Without what parts its thousands: 1,000 or 1_000. */
static void join_thousands(char out[32], const char *text)
{
	size_t length = 0;

	for (; *text && length < 31; text++)
		if (!length || !strchr(",_' ", *text) ||
		    strspn(text + 1, "0123456789") != 3)
			out[length++] = *text;
	out[length] = '\0';
}

bool asl_count_meant(char text[ASL_WORDS_MEANT], const char *written)
{
	static const char units[] = "kmg";
	const char *unit;
	char found[32], *rest;
	double x;

	join_thousands(found, written);
	x = strtod(found, &rest);
	unit = *rest ? strchr(units, *rest | 32) : NULL;

	for (const char *u = units; unit && u <= unit; u++)
		x *= 1000;
	if (rest == found || (*rest && (!unit || rest[1])) || !(x >= 1) ||
	    x > 1e15 || x != floor(x))
		return false;
	snprintf(text, ASL_WORDS_MEANT, "%.0f", x);
	return true;
}

bool asl_words_meant(char text[ASL_WORDS_MEANT], const char *found)
{
	static const char *const ends[] = {"", "b", "ib"};
	static const char units[] = "kmgt";
	uint64_t x;
	const char *rest = read_digits(&x, found);
	const char *unit;

	if (!rest)
		return false;
	rest += strspn(rest, " "); /* 16 MiB */
	unit = *rest ? strchr(units, *rest | 32) : NULL;
	for (int i = 0; unit && i < 3; i++)
		if (!strcasecmp(rest + 1, ends[i])) {
			snprintf(text, ASL_WORDS_MEANT, "%ju%ciB (bytes)", x,
				 toupper(*unit));
			if (*unit != 't')
				sprintf(text + strlen(text),
					" or %ju%c (words of 8 bytes)", x,
					*unit);
			return true;
		}
	return false;
}

static bool read_whole(uint64_t *out, const char *text, bool bytes)
{
	uint64_t unit;
	const char *rest = read_digits(out, text);

	return rest && read_unit(&unit, rest, bytes) &&
	       !__builtin_mul_overflow(*out, unit, out);
}

bool asl_read_count(uint64_t *out, const char *text)
{
	return read_whole(out, text, false);
}

bool asl_read_words(uint64_t *out, const char *text)
{
	return read_whole(out, text, true);
}

bool asl_is_cost(double x)
{
	return x >= 0 && x <= 1e100;
}

bool asl_read_cost(double *out, const char *text)
{
	char *end;

	/* strtod would also take blanks, signs, hexadecimal, inf and nan. */
	if (!strspn(text, "0123456789.") ||
	    text[strspn(text, "0123456789.eE+-")])
		return false;
	*out = strtod(text, &end);
	return !*end && asl_is_cost(*out);
}

bool asl_read_real(double *out, const char *text)
{
	bool negative = *text == '-';

	if (!asl_read_cost(out, text + negative))
		return false;
	*out = negative ? -*out : *out;
	return true;
}

bool asl_read_named(char *name, size_t room, double *cost, const char **text)
{
	const char *comma = *text + strcspn(*text, ",");
	const char *equals = *text + strcspn(*text, "=,");
	char value[64];
	int length = (int)(equals - *text);

	if (*equals != '=' || !length || (size_t)length >= room ||
	    comma - equals > (int)sizeof value)
		return false;
	snprintf(name, room, "%.*s", length, *text);
	snprintf(value, sizeof value, "%.*s", (int)(comma - equals) - 1,
		 equals + 1);
	*text = *comma && comma[1] ? comma + 1 : comma;
	return !**text == !*comma && asl_read_cost(cost, value);
}

bool asl_read_grid(struct asl_grid *out, const char *text, int most)
{
	uint64_t ranks = 1;

	for (int i = 0; i < 3; i++) {
		uint64_t side;

		if (i > 0 && *text++ != 'x')
			return false;
		text = read_digits(&side, text);
		if (!text || side == 0 ||
		    __builtin_mul_overflow(ranks, side, &ranks) ||
		    ranks > (uint64_t)most)
			return false;
		out->p[i] = (int)side;
	}
	return !*text;
}

const char *asl_write_number(char text[32], double x)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 32, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	return text;
}

const char *asl_write_bytes(char text[ASL_BYTES], double bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB",
					    "TiB"};
	int unit = 0;

	for (; bytes >= 1024 && unit < 4; unit++)
		bytes /= 1024;
	snprintf(text, ASL_BYTES, "%.4g %s", bytes, units[unit]);
	return text;
}

const char *asl_write_duration(char text[ASL_DURATION], double seconds)
{
	if (seconds < 100)
		snprintf(text, ASL_DURATION, "%.0f s", seconds);
	else if (seconds < 6000)
		snprintf(text, ASL_DURATION, "%.0f min", seconds / 60);
	else
		snprintf(text, ASL_DURATION, "%.1f h", seconds / 3600);
	return text;
}

bool asl_read_duration(double *seconds, const char *text)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	size_t length = strlen(text);
	char number[32];

	if (!length || length >= sizeof number)
		return false;
	snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (text[length - 1] == units[i].unit &&
		    asl_read_cost(seconds, number) && *seconds > 0) {
			*seconds *= units[i].seconds;
			return true;
		}
	return false;
}
