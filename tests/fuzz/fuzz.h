/*
 * fuzz.h -- what harnesses have in common
 *
 * A harness is a file here, named for what it gives bytes to: one function, that
 * libFuzzer calls with bytes of its own making, or replay.c with those of the
 * corpus.  What is wrong with the bytes must be said in one line; anything else
 * aborts.
 */
#ifndef ASL_FUZZ_H
#define ASL_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/library/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* A copy that ends with a zero; to be freed. */
char *asl_fuzz_text(const uint8_t *data, size_t bytes);

/*
 * A file of that name with these bytes, in a directory of this process's own
 * (in TMPDIR, or /dev/shm), which goes when it exits.  The path lives until the
 * next call but three.
 */
const char *asl_fuzz_file(const char *name, const void *data, size_t bytes);
const char *asl_fuzz_dir(void);

/* From here on stdout goes nowhere, and complaints are kept. */
void asl_fuzz_hush(void);

/* Aborts unless 0, or a negative errno with one line about it. */
void asl_fuzz_check_said(int err, const char *why);

/*
 * The same of an exit code of the command and the last complaint, in which a
 * terminal shall find nothing to obey.
 */
void asl_fuzz_check_code(int code);

/*
 * Is it small enough to be planned at once?  Larger cases are no harder to
 * parse, but take minutes.
 */
bool asl_fuzz_is_small(const struct asl_options *o);

#endif
