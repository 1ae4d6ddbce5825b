/*
 * result.h -- a directory with runs.csv, ranks.csv, machine.json, topology.xml
 *
 * The directory is made (or found empty) at once, so that a long run does not
 * end before a closed door; the files are written with the first repetition
 * and the tables grow by whole repetitions.  c NULL: the repetition is of one
 * case of many, which the tables tell apart, and machine.json leaves out.
 */
#ifndef ASL_RESULT_H
#define ASL_RESULT_H

#include "bench/case.h"

enum { ASL_RESULT_FILES = 4 };

struct asl_result {
	const char *dir;	     /* NULL: none was asked for, or refused */
	bool made_dir;		     /* by us, as were these files */
	bool made[ASL_RESULT_FILES]; /* (result.c names them) */
	int runs, ranks;	     /* open files; -1: not yet */
};

/* Each returns 0, or the exit code after a complaint. */
int asl_result_open(struct asl_result *r, const char *dir);
int asl_result_add(struct asl_result *r, const struct asl_case *c,
		   const struct asl_rep *rep, int argc, char **argv);

/* Without a single repetition nothing that was made is left behind. */
void asl_result_close(struct asl_result *r);

#endif
