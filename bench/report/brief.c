/*
 * brief.c -- numbers for people: three digits and a unit
 */
#include "bench/report/brief.h"

#include <math.h>
#include <stdio.h>

/* From 999.5 on, three digits are 1000: the next unit says it better. */
static const char *scaled(char text[ASL_BRIEF], double x, const char *unit)
{
	static const char *const factors[] = {"", "k", "M", "G", "T", "P", "E"};
	int at = 0;

	if (isnan(x))
		return "-";
	for (; fabs(x) >= 999.5 && at < 6; at++)
		x /= 1000;
	snprintf(text, ASL_BRIEF, "%.3g%s%s%s", x,
		 *factors[at] || *unit ? " " : "", factors[at], unit);
	return text;
}

const char *asl_brief(char text[ASL_BRIEF], double x)
{
	return scaled(text, x, "");
}

const char *asl_brief_bytes(char text[ASL_BRIEF], double bytes)
{
	return scaled(text, bytes, "B");
}

const char *asl_brief_seconds(char text[ASL_BRIEF], double s)
{
	static const struct unit {
		double seconds;
		const char *name;
	} units[] = {{365.25 * 86400, "years"},
		     {86400, "days"},
		     {3600, "h"},
		     {60, "min"},
		     {1, "s"},
		     {1e-3, "ms"},
		     {1e-6, "us"},
		     {1e-9, "ns"}};
	const int last = sizeof units / sizeof units[0] - 1;
	int at = 0;

	if (isnan(s))
		return "-";
	while (at < last && s < units[at].seconds * 0.9995)
		at++;
	s /= units[at].seconds;
	if (s >= 1e6)
		snprintf(text, ASL_BRIEF, "%.1e %s", s, units[at].name);
	else
		snprintf(text, ASL_BRIEF, s < 100 ? "%.3g %s" : "%.0f %s", s,
			 units[at].name);
	return text;
}
