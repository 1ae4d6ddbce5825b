/*
 * suite_run.h -- cases.csv: which cases of a suite are finished
 *
 * A line for each, written when its last row is in runs.csv and ranks.csv, with
 * the bytes that the two had by then.  Whatever ends the suite, the next start
 * cuts both tables back to the last line, so that of a half-written case
 * nothing is left, and continues with the cases that have no line.
 */
#ifndef ASL_SUITE_RUN_H
#define ASL_SUITE_RUN_H

#include "bench/command/output.h"
#include "bench/command/suite/suite.h"

struct asl_suite_log {
	const struct asl_suite *s;
	struct asl_result *r; /* where it is; without a directory, nowhere */
	bool *done;	      /* [s->count] */
	int finished;	      /* of all s->total, in other parts, too */
	bool failed;	      /* a check, in a case that was finished before */
	double seconds;	      /* that the finished cases took */
};

/*
 * What is finished in the directory that has been opened; an empty log for a
 * new one.  0, or the exit code after a complaint.
 */
int asl_suite_log_read(struct asl_suite_log *log, const struct asl_suite *s,
		       struct asl_result *r);
void asl_suite_log_close(struct asl_suite_log *log);

/* The first case that is not; -1: all are. */
int asl_suite_log_next(const struct asl_suite_log *log);

#endif
