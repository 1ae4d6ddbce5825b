/*
 * say.h -- complaints: one line each on stderr, from one rank of a job
 */
#ifndef ASL_SAY_H
#define ASL_SAY_H

#include <jansson.h>
#include <stdio.h>

#include "bench/library/aslant.h"

/* Complain about the value of a key; the exit code. */
int asl_json_reject(const char *key, const json_t *value, const char *expected);

/*
 * Complain about `where` that is not JSON, as json_load has said: errno was 0
 * before.  jansson takes a lack of memory for a lack of words.
 */
int asl_refuse_json(const char *where, const json_error_t *why);

/*
 * Say "aslant: ..." in one line, unless this process is a rank of a job other
 * than rank 0, where the same would be said.  Returns code.
 */
int asl_complain(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Complain with ASL_BAD_INPUT; complain that there is no memory. */
#define asl_refuse(...) asl_complain(ASL_BAD_INPUT, __VA_ARGS__)
int asl_no_memory(void);

/*
 * Complain of what asl_failure() says, after `before`; the exit code for its
 * negative errno: ASL_NO_MACHINE if memory was lacking, else ASL_BAD_INPUT.
 */
int asl_complain_failure(int err, const char *before);

/* Complain from any rank, about something that only this rank knows. */
int asl_complain_alone(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Begin every complaint from here on with this text; NULL: with none. */
void asl_complain_about(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* From here on complaints are kept for the next function, and not printed. */
void asl_complain_aside(void);

/* The last complaint, printed or not; "" if there was none. */
const char *asl_last_complaint(void);

/*
 * ": did you mean NAME?", or "" if no name is near: of those that begin with what was
 * found, or differ from it by few letters, the nearest.  NULL-ended; `before` goes
 * before the name.  The text is valid until the next call.
 */
const char *asl_meant(const char *found, const char *before,
		      const char *const *names);

/*
 * The columns of the terminal that a stream ends at, even if that is a rank's, whose
 * launcher passes it on; 0: at none.
 */
int asl_terminal_columns(FILE *f);

/* The ranks that this process launches are told of both. */
void asl_terminal_pass_on(void);

/*
 * What makes text green (1, good) or red (0, bad) from here on, and ends that (-1): ""
 * unless f is a terminal and NO_COLOR is not set.
 */
const char *asl_colour(FILE *f, int good);

/* How many bytes at `at` are one control character; 0: it is none. */
int asl_control_bytes(const char *at);

/* Bring out what was printed; 0, or the exit code after a complaint. */
int asl_flush_stdout(void);

#endif
