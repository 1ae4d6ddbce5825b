/*
 * refuse.h -- values of JSON files that are not as they should be
 */
#ifndef ASL_REFUSE_H
#define ASL_REFUSE_H

#include <jansson.h>

/* Complain about the value of a key; the exit code. */
int asl_json_reject(const char *key, const json_t *value, const char *expected);

/*
 * Complain about `where` that is not JSON, as json_load has said: errno was 0
 * before.  jansson takes a lack of memory for a lack of words.
 */
int asl_refuse_json(const char *where, const json_error_t *why);

#endif
