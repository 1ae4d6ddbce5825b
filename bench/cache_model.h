/*
 * cache_model.h -- --cache-model: a cache to be replayed, as users write it
 *
 *	lru:SIZE:LINE:WAYS
 *
 * SIZE and LINE are words, with units as words have them (number.h).  WAYS is
 * 0, or `full`, for a fully associative cache.
 */
#ifndef ASL_CACHE_MODEL_H
#define ASL_CACHE_MODEL_H

#include <stddef.h>

#include "lib/rank/lru.h"

enum { ASL_CACHE_MODEL_TEXT = 128 };

/* False: `expected` says what would do. */
bool asl_cache_model_read(struct asl_lru_shape *out, const char *text,
			  char expected[ASL_CACHE_MODEL_TEXT]);

/* It reads back as the same; NULL for none. */
const char *asl_cache_model_write(char text[ASL_CACHE_MODEL_TEXT],
				  const struct asl_lru_shape *shape);

#endif
