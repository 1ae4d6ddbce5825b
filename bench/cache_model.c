/*
 * cache_model.c -- --cache-model: a cache to be replayed, as users write it
 */
#include "bench/cache_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/number.h"

/* lru and three numbers, none of which but WAYS is 0. */
static bool read_fields(struct asl_lru_shape *out, const char *text)
{
	char copy[96], *rest = copy, *field[4];

	if (strlen(text) >= sizeof copy)
		return false;
	strcpy(copy, text);
	for (int i = 0; i < 4; i++) {
		field[i] = strsep(&rest, ":");
		if (!field[i])
			return false;
	}
	return !rest && !strcmp(field[0], "lru") &&
	       asl_read_words(&out->words, field[1]) && out->words &&
	       asl_read_words(&out->line, field[2]) && out->line &&
	       asl_read_count(&out->ways,
			      strcmp(field[3], "full") ? field[3] : "0");
}

bool asl_cache_model_read(struct asl_lru_shape *out, const char *text,
			  char expected[ASL_CACHE_MODEL_TEXT])
{
	uint64_t set;

	snprintf(expected, ASL_CACHE_MODEL_TEXT,
		 "lru:SIZE:LINE:WAYS in words, as lru:32KiB:8:8 (WAYS 0 or "
		 "full: fully associative)");
	if (!read_fields(out, text))
		return false;
	if (!out->ways)
		out->ways = out->words / out->line;
	if (__builtin_mul_overflow(out->line, out->ways, &set) || !set ||
	    out->words % set) {
		snprintf(expected, ASL_CACHE_MODEL_TEXT,
			 "a SIZE that is a multiple of LINE x WAYS");
		return false;
	}
	snprintf(expected, ASL_CACHE_MODEL_TEXT, "2^31 lines at most");
	return out->words / out->line <= ASL_LRU_MOST_LINES;
}

const char *asl_cache_model_write(char text[ASL_CACHE_MODEL_TEXT],
				  const struct asl_lru_shape *shape)
{
	int length;

	if (!shape->words)
		return NULL;
	length = snprintf(text, ASL_CACHE_MODEL_TEXT,
			  "lru:%" PRIu64 ":%" PRIu64 ":", shape->words,
			  shape->line);
	if (shape->ways * shape->line == shape->words)
		strcpy(text + length, "full");
	else
		sprintf(text + length, "%" PRIu64, shape->ways);
	return text;
}
