/*
 * output.h -- where repetitions go: CSV, a result directory; and verdicts
 *
 * Outputs are rank 0's: on the others nothing is opened, and nothing handed
 * over.  The rows for --csv FILE are written at the end of a run, in one piece;
 * or, of many cases, at once, so that what is complete outlasts what fails.
 */
#ifndef ASL_OUTPUT_H
#define ASL_OUTPUT_H

#include "bench/case.h"
#include "bench/csv.h"
#include "bench/result.h"

struct asl_output {
	int argc; /* the command line */
	char **argv;
	bool at_once;

	const char *csv; /* from here on set by asl_output_open */
	struct asl_csv rows;
	int fd; /* of the CSV file, if at once; -1: not yet */
	struct asl_result result;
	int done;   /* repetitions */
	bool wrong; /* a check failed */
};

/* Each returns 0, or the exit code after a complaint. */
int asl_output_open(struct asl_output *out, const struct asl_options *o);

/* c NULL: one case of many.  Says what is wrong with the repetition. */
int asl_output_add(struct asl_output *out, const struct asl_case *c,
		   const struct asl_rep *rep);

int asl_output_finish(struct asl_output *out);
void asl_output_close(struct asl_output *out);

#endif
