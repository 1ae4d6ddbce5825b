/*
 * refuse.c -- values of JSON files that are not as they should be
 */
#include "bench/refuse.h"

#include <errno.h>
#include <stdlib.h>

#include "bench/say.h"

int asl_json_reject(const char *key, const json_t *value, const char *expected)
{
	char *found =
		json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	int code = asl_complain(ASL_BAD_INPUT, "%s: found %.60s, expected %s",
				key, found ? found : "nothing", expected);

	free(found);
	return code;
}

int asl_refuse_json(const char *where, const json_error_t *why)
{
	if (errno == ENOMEM)
		return asl_complain(ASL_NO_MACHINE, "%s: out of memory", where);
	return asl_complain(ASL_BAD_INPUT, "%s: line %d: %s", where, why->line,
			    why->text);
}
