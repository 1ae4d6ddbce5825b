/*
 * provenance.h -- machine.json: where a result comes from
 */
#ifndef ASL_PROVENANCE_H
#define ASL_PROVENANCE_H

#include "bench/case.h"

/* 0 or a negative errno.  c NULL: nothing about the case, it is one of many. */
int asl_provenance_write(const char *path, const struct asl_case *c,
			 const struct asl_rep *rep, int argc, char **argv);

#endif
