/*
 * result.h -- a directory with runs.csv, ranks.csv, machine.json, topology.xml,
 * and of a suite cases.csv, by which it can be continued
 *
 * The directory is made (or found empty) at once, so that a long run does not
 * end before a closed door, and locked while it is being filled; the files are
 * written with the first repetition and the tables grow by whole repetitions.
 * All of it is the user's alone, whatever umask says.  c NULL: the repetition is of one
 * case of many, which the tables tell apart, and machine.json leaves out.
 */
#ifndef ASL_RESULT_H
#define ASL_RESULT_H

#include <limits.h>
#include <sys/types.h>

#include "bench/case.h"

enum asl_result_file {
	ASL_RUNS,
	ASL_RANKS_TABLE,
	ASL_MACHINE,
	ASL_TOPOLOGY,
	ASL_CASES, /* only of suites */
	ASL_RESULT_FILES
};

struct asl_result {
	const char *dir; /* NULL: none was asked for, or refused */
	int fd;		 /* of the directory; -1: not open */
	bool made_dir;	 /* by us, as were these files */
	bool made[ASL_RESULT_FILES];
	int runs, ranks, cases; /* open files; -1: not yet */
};

/* Each returns 0, or the exit code after a complaint. */
int asl_result_open(struct asl_result *r, const char *dir);

/* The same of a suite, which may have been begun; no other may be at it. */
int asl_result_open_suite(struct asl_result *r, const char *dir);

/* What a suite had written by then is all that is left; 0: nothing was. */
int asl_result_cut(struct asl_result *r, off_t runs_bytes, off_t ranks_bytes);

int asl_result_add(struct asl_result *r, const struct asl_case *c,
		   const struct asl_rep *rep, int argc, char **argv);

/* Without a single repetition nothing that was made is left behind. */
void asl_result_close(struct asl_result *r);

/* ---- For result_suite.c ---- */

extern const char *const asl_result_names[ASL_RESULT_FILES];

const char *asl_result_path(char path[PATH_MAX], const struct asl_result *r,
			    int which);

/* Forget what was there before, if anything; nothing is open, then. */
void asl_result_init(struct asl_result *r, const char *dir);

/* Make or find the directory, and lock it; code as above. */
int asl_result_reach(struct asl_result *r, const char *dir);

/* It was there: is it fit to be filled? */
int asl_result_check_found(const struct asl_result *r);

/* A new file, open; or a negative errno: what is there is somebody else's. */
int asl_result_make(struct asl_result *r, int which);

/* Complain about a file, or with "" the directory; the exit code. */
int asl_result_failed(const char *dir, const char *name, int err);

#endif
