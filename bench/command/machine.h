/*
 * machine.h -- this machine as results have it, and for people
 */
#ifndef ASL_COMMAND_MACHINE_H
#define ASL_COMMAND_MACHINE_H

#include <jansson.h>

#include "bench/library/case.h"

/*
 * Machine.json: where a result comes from
 */

/* 0 or a negative errno.  c NULL: nothing about the case, it is one of many. */
int asl_provenance_write(const char *path, const struct asl_case *c,
			 const struct asl_rep *rep, int argc, char **argv);

/*
 * Into a JSON object: `pool`, what a place for pools lies on, and for a list of
 * several `pools`; NULL: the default directory.
 */
void asl_pools_put(json_t *to, const char *list);

/* Into a JSON object: the BLAS, its kernels, what the processor has. */
void asl_blas_put(json_t *to);

/* Kernels that leave vector instructions unused, though nobody chose them. */
const char *asl_blas_note(void); /* "": none */

/* Did the BLAS multiply in this repetition? */
bool asl_rep_multiplies(const struct asl_rep *rep);

/* A text of any bytes: JSON is UTF-8, and paths and arguments may not be. */
json_t *asl_text_json(const char *bytes);

/* As a file, with so many digits; root NULL: no memory.  0 or -errno. */
int asl_json_write(const char *path, const json_t *root, int digits);

/* aslant list machine. */
void asl_list_machine(void);

#endif
