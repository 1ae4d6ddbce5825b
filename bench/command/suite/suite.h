/*
 * suite.h -- many cases in one file
 *
 * A suite is one JSON object:
 *
 *	about		a text, for aslant list suites; may be missing
 *	options		an object: what all cases have in common; may be missing
 *	calibrate	true or "quick": measure the machine, too; may be missing
 *	scale		"machine": sizes of this machine (suite_scale.c); may be
 *			missing
 *	blocks		so many times through all cases, each time with a part of
 *			the repetitions; may be missing
 *	cases		a list of objects, one or more
 *
 * The keys of `options` and of a case are the names of aslant run's options,
 * "algorithm", "label" (any text), and "expect": columns of runs.csv that are
 * numbers, and what their medians shall be ({"gflops": ">= 40"}).  Values are those of the options, as
 * texts or numbers; flags are true or false.  A case has precedence over
 * `options`, and the command line over both.
 *
 * A value may be a list, or a range ({"from": 1, "to": 64, "times": 2}; "by" in
 * place of "times" adds): one case for each element.  Several lists are all
 * combined, as by nested loops in the order of the keys, those of `options`
 * outermost.  Values that go together (a budget for each size) are cases of
 * their own.  A list of files (operand) is one value, a list of such lists a
 * case for each.
 *
 * What decides who carries messages and where results go (launch, transport,
 * provider, csv, out) belongs on the command line: it does not change what a
 * suite is, and is one for all cases.
 */
#ifndef ASL_SUITE_H
#define ASL_SUITE_H

#include <limits.h>
#include <stdio.h>

#include "bench/command/output.h"
#include "bench/library/case.h"

/* The exit code of a suite that SIGTERM ended: 128 + 15, as shells say. */
enum { ASL_STOPPED = 143 };

struct json_t;

struct asl_suite_case {
	struct asl_options o;
	struct asl_options own; /* the file's, without the command line's */
	char *text;		/* of dims, if they are scaled; or NULL */
	struct asl_case c;	/* as they say; left to asl_suite_check */
	const char *label;	/* "": none */
	const char *expected;	/* "gflops >= 40"; NULL: nothing */
	const char *pattern;	/* the file's: with {OPTION} for its value */
	char *named;		/* the label made of it, or NULL */
	int item;		/* in the list of cases, from 1 */
	int number;		/* of all that the lists make, from 1 */
	int block;		/* from 1 */
	double weight;		/* see asl_suite_outlook; 0: not known yet */
};

struct asl_suite_scale {
	int cores;
	double factor; /* of words */
	char text[32]; /* CORES:FACTOR, if it was found out here; or "" */
	double seconds;
	bool enough; /* no rank's words fit into its share of the cache */
};

struct asl_suite {
	char path[PATH_MAX];
	int argc; /* the options of the command line, too */
	char **argv;
	bool scaled; /* the file asks for sizes of the machine */
	struct asl_suite_scale scale;
	struct json_t *json; /* texts of the options are in it */
	struct asl_suite_case *cases;
	int count, room;
	int total;    /* cases there were, before those of a part were kept */
	int left_out; /* of them, by --only and --exclude */
	int blocks;   /* 1 or more; made by asl_suite_block */
	int made;     /* of cases[]: those that are not run come last */
	enum {
		ASL_CALIBRATE_NOT,
		ASL_CALIBRATE_QUICK,
		ASL_CALIBRATE_FULLY
	} calibrate;
};

/*
 * Read the suite of that name, or from that file, and give every case the
 * options of the command line, too.  0, or the exit code after a complaint;
 * asl_suite_close is due either way.
 */
int asl_suite_read(struct asl_suite *s, const char *name, int argc,
		   char **argv);
void asl_suite_close(struct asl_suite *s);

/*
 * Run the cases, which have been checked, that are not finished yet, as rank 0
 * knows.  The exit code.
 */
int asl_suite_run(struct asl_suite *s, const struct asl_options *o, int argc,
		  char **argv);

/* Sizes as --scale has them; before cases are checked.  0, or the exit code. */
int asl_suite_scale(struct asl_suite *s, const struct asl_options *o);

/* All cases, once in every block: s->blocks, or --blocks.  0, or the exit code. */
int asl_suite_block(struct asl_suite *s, const struct asl_options *o);

/* Add the command line's options to x->o; 0, or the exit code. */
int asl_suite_options(struct asl_suite *s, struct asl_suite_case *x);

/* Name the case in complaints from here on. */
void asl_suite_about(const struct asl_suite *s, const struct asl_suite_case *x);

/* ---- Its parts ---- */

/* So that a typing error in a list does not fill the memory. */
enum { ASL_MOST_CASES = 100000 };

/* Where the suite of that name is; false: there is none. */
bool asl_suite_find(char path[PATH_MAX], const char *name);

/*
 * How far it is: a line on the case whose repetition that was, with the median
 * time (0: none); done is 1 or more.  And the line above the first.
 */
void asl_suite_heading(FILE *f);
void asl_suite_progress(FILE *f, const struct asl_suite *s,
			const struct asl_suite_case *x, int done,
			const struct asl_rep *rep, double median, bool busy);

/*
 * On a terminal, a line that the next one replaces: how long it may take.  The
 * cases that are done[] took `seconds`.
 */
void asl_suite_outlook(FILE *f, const struct asl_suite *s, const bool *done,
		       double seconds);

/* asl_meant of their names. */
const char *asl_suite_meant(const char *found);

/*
 * cases.csv: a line for each finished case of a suite
 *
 * It is written when the last row of the case is in runs.csv and ranks.csv, with
 * the size that the two had by then.  Whatever ends the suite, the next start
 * cuts both tables back to the last line, so that no half of a case is left, and
 * continues with the cases that have no line.
 */
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
