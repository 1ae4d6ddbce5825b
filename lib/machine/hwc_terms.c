/*
 * hwc_terms.c -- what a performance event asks for, and what a count of it is
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/machine/hwc_perf.h"
#include "lib/machine/system.h"
#include "lib/matrix/text.h"

/* ---- Terms ---- */

/* Bits of `value`, from the lowest on, to where "config1:0-7,32-37" says. */
static bool scatter(uint64_t config[3], const char *format, uint64_t value)
{
	int which = 0, at = 0, from, to, length;

	if (sscanf(format, "config%n", &at) != 0 || !at)
		return false;
	if (format[at] != ':')
		which = format[at++] - '0';
	if (which < 0 || which > 2 || format[at] != ':')
		return false;
	do {
		at++;
		if (sscanf(format + at, "%d%n-%d%n", &from, &length, &to,
			   &length) < 2)
			to = from;
		at += length;
		if (from < 0 || to < from || to > 63)
			return false;
		for (; from <= to; from++, value >>= 1)
			config[which] |= (value & 1) << from;
	} while (format[at] == ',');
	return !format[at] && !value;
}

static bool put_term(struct asl_perf_event *event, const char *root,
		     const char *device, char *term)
{
	char format[256], *value = strchr(term, '='), *end = "";
	uint64_t x = 1;

	if (value) {
		*value++ = '\0';
		x = strtoull(value, &end, 0);
		if (end == value)
			return false;
	}
	if (*end)
		return false;
	if (!strcmp(term, "config")) {
		event->config[0] |= x;
		return true;
	}
	return asl_system_line(format, sizeof(format), root,
			       ASL_PERF_DEVICES "/%s/format/%s", device,
			       term) &&
	       scatter(event->config, format, x);
}

int asl_perf_put_terms(struct asl_perf_event *event, const char *root,
		       const char *device, const char *terms)
{
	char copy[256], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", terms);
	for (char *term = strtok_r(copy, ",", &save); term;
	     term = strtok_r(NULL, ",", &save))
		if (!put_term(event, root, device, term))
			return asl_hwc_fail(
				-EINVAL,
				"%s: found '%s', which is not a list of terms "
				"that its format has",
				device, terms);
	return 0;
}

/* ---- Scales ---- */

static double bytes_in(const char *unit)
{
	static const char *const names[] = {"Bytes", "KiB", "MiB", "GiB"};

	for (int i = 0; i < 4; i++)
		if (!strcmp(unit, names[i]))
			return (double)(UINT64_C(1) << 10 * i);
	return 0;
}

/* Written with a point, whatever the user's language has. */
static double number_in(const char *text)
{
	struct asl_lines lines;
	struct asl_text line;
	double x = 0;

	if (asl_lines_open(&lines, "scale", text, strlen(text), '#'))
		return 0;
	if (asl_next_line(&lines, &line) &&
	    asl_take_value(&lines, &line, false, &x))
		x = 0;
	asl_lines_close(&lines);
	return x;
}

int asl_perf_put_scale(struct asl_perf_event *event, const char *root,
		       const char *device, const char *name)
{
	char scale[64] = "", unit[64] = "";

	asl_system_line(scale, sizeof(scale), root,
			ASL_PERF_DEVICES "/%s/events/%s.scale", device, name);
	asl_system_line(unit, sizeof(unit), root,
			ASL_PERF_DEVICES "/%s/events/%s.unit", device, name);
	event->bytes = number_in(scale) * bytes_in(unit);
	if (event->bytes > 0)
		return 0;
	return asl_hwc_fail(-EINVAL,
			    "%s: %s: found scale '%s' and unit '%s', expected "
			    "a number and Bytes, KiB, MiB or GiB",
			    device, name, scale, unit);
}
