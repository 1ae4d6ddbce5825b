/*
 * number.h -- numbers as users write them, strictly
 *
 * Digits and one unit, nothing before, between or after.  Each returns false
 * if the text is anything else or does not fit.
 */
#ifndef ASL_NUMBER_H
#define ASL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/plan/plan.h"

/* 12, 12k, 12m, 12g: units multiply by 1000. */
bool asl_read_count(uint64_t *out, const char *text);

/* A count, or bytes as words: 12KiB, 12MiB, 12GiB, 12TiB. */
bool asl_read_words(uint64_t *out, const char *text);

/*
 * What a text that is no count, or no words, was to be: "1500" for 1.5k or 15e2,
 * "16MiB (bytes) or 16m (words of 8 bytes)" for 16MB; false: unknown.
 */
enum { ASL_WORDS_MEANT = 96 };
bool asl_count_meant(char text[ASL_WORDS_MEANT], const char *found);
bool asl_words_meant(char text[ASL_WORDS_MEANT], const char *found);

/* A decimal number that is a cost: 2, 0.5, 1e-9. */
bool asl_read_cost(double *out, const char *text);

/* A number of either sign, from -1e100 to 1e100. */
bool asl_read_real(double *out, const char *text);

/*
 * The next NAME=COST of a list with commas between; *text is then behind it,
 * "" after the last.
 */
bool asl_read_named(char *name, size_t room, double *cost, const char **text);

/* From 0 to 1e100: no sum of such costs over all words overflows. */
bool asl_is_cost(double x);

/* 4x4x2; no side 0, at most `most` ranks in all. */
bool asl_read_grid(struct asl_grid *out, const char *text, int most);

/* The shortest text that reads back as exactly x. */
const char *asl_write_number(char text[32], double x);

/* For people: "1.5 MiB", and "12 s", "22 min", "1.5 h"; returns text. */
enum { ASL_BYTES = 24, ASL_DURATION = 24 };
const char *asl_write_bytes(char text[ASL_BYTES], double bytes);
const char *asl_write_duration(char text[ASL_DURATION], double seconds);

/* Seconds of a time above 0, as 90s, 30m or 2h; false: it is none. */
bool asl_read_duration(double *seconds, const char *text);

#endif
