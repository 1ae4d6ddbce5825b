/*
 * refuse.c -- values of JSON files that are not as they should be
 */
#include "bench/refuse.h"

#include <stdlib.h>

#include "bench/say.h"

int asl_refuse(const char *key, const json_t *value, const char *expected)
{
	char *found =
		json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	int code = asl_complain(ASL_BAD_INPUT, "%s: found %.60s, expected %s",
				key, found ? found : "nothing", expected);

	free(found);
	return code;
}
