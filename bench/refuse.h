/*
 * refuse.h -- values of JSON files that are not as they should be
 */
#ifndef ASL_REFUSE_H
#define ASL_REFUSE_H

#include <jansson.h>

/* Complain about the value of a key; the exit code. */
int asl_refuse(const char *key, const json_t *found, const char *expected);

#endif
