/*
 * output.h -- where repetitions go: CSV, a result directory; and verdicts
 *
 * Outputs are rank 0's: on the others nothing is opened, and nothing handed
 * over.  The rows for --csv FILE are written at the end of a run, in one piece;
 * or, of many cases, at once, so that what is complete outlasts what fails.
 */
#ifndef ASL_OUTPUT_H
#define ASL_OUTPUT_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "bench/library/case.h"
#include "bench/library/csv.h"

/*
 * A repetition for people
 */

/* The case, and everything that all repetitions share. */
void asl_summary_counts(FILE *f, const struct asl_case *c,
			const struct asl_rep *rep);

/* Time and verification. */
void asl_summary_times(FILE *f, const struct asl_rep *rep);

/*
 * More at the end of a file, or the file as it was
 */

/* All of the bytes, or none of them; 0 or a negative errno. */
int asl_append(int fd, const char *text, size_t bytes);

/*
 * A directory with runs.csv, ranks.csv, machine.json, topology.xml,
 * and of a suite cases.csv, by which it can be continued
 *
 * The directory is made (or found empty) at once, so that a long run does not
 * end before a closed door, and locked while it is being filled; the files are
 * written with the first repetition and the tables grow by whole repetitions.
 * All of it is the user's alone, whatever umask says.  c NULL: the repetition is of one
 * case of many, which the tables tell apart, and machine.json leaves out.
 */

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
	int file[ASL_RESULT_FILES]; /* open tables; -1: not yet */
};

/*
 * Make or find the directory, and lock it; none if dir is NULL.  That of a suite
 * may be a continued one.  Without a single repetition nothing that was made is
 * left behind.  0, or the exit code after a complaint.
 */
int asl_result_open(struct asl_result *r, const char *dir, bool suite);
void asl_result_close(struct asl_result *r);

/* Cut the files back to so many bytes: the finished cases of a suite. */
int asl_result_cut(struct asl_result *r, off_t runs_bytes, off_t ranks_bytes);

struct asl_output {
	int argc; /* the command line */
	char **argv;
	bool at_once;

	const char *csv; /* from here on set by asl_output_open */
	struct asl_csv rows;
	int fd; /* of the CSV file, if at once; -1: not yet */
	struct asl_result result;
	int done;	  /* repetitions */
	bool wrong;	  /* a check failed */
	double precision; /* NAN: as many repetitions as were asked for */
	double *wall_s;	  /* [times] of the case, so far */
	int times;
	double mhz[2]; /* the lowest and the highest clock in the case; NAN */
	bool enough;   /* this was its last repetition */
};

/* Each returns 0, or the exit code after a complaint. */
int asl_output_open(struct asl_output *out, const struct asl_options *o);

/* c NULL: one case of many.  Complains if the repetition is wrong. */
int asl_output_add(struct asl_output *out, const struct asl_case *c,
		   const struct asl_rep *rep);

int asl_output_finish(struct asl_output *out);

/* The times of the case, if there are several, in a line. */
void asl_output_summary(FILE *f, struct asl_output *out);
void asl_output_close(struct asl_output *out);

/*
 * Could the file be written?  Better asked before a long run than after.
 * Complaints begin with `who`.
 */
int asl_file_try(const char *path, const char *who);

#endif
