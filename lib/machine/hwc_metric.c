/*
 * hwc_metric.c -- what likwid's groups of events call what they measure
 *
 * "Memory read data volume [GBytes]", in some groups "load" for what is read,
 * "evict" and "writeback" for what is written.  Volumes of both together, and
 * of caches, are something else.
 */
#include <string.h>

#include "lib/machine/hwc_likwid.h"

enum asl_likwid_volume asl_likwid_volume(const char *metric)
{
	static const struct {
		const char *verb;
		enum asl_likwid_volume volume;
	} known[] = {
		{"read", ASL_LIKWID_READ},
		{"load", ASL_LIKWID_READ},
		{"write", ASL_LIKWID_WRITTEN},
		{"evict", ASL_LIKWID_WRITTEN},
		{"writeback", ASL_LIKWID_WRITTEN},
	};
	const char *verb = strchr(metric, ' ');
	size_t length;

	if (!verb ||
	    (strncmp(metric, "Memory ", 7) && strncmp(metric, "PMM ", 4)))
		return ASL_LIKWID_OTHER;
	length = strcspn(++verb, " ");
	if (strcmp(verb + length, " data volume [GBytes]"))
		return ASL_LIKWID_OTHER;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].verb) == length &&
		    !strncmp(verb, known[i].verb, length))
			return known[i].volume;
	return ASL_LIKWID_OTHER;
}
