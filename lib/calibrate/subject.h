/*
 * subject.h -- what is measured, by whom, and for how long
 */
#ifndef ASL_CALIBRATE_SUBJECT_H
#define ASL_CALIBRATE_SUBJECT_H

#include "lib/calibrate/bench.h"

enum { ASL_KINDS = 4, ASL_SUBJECTS = 5 };

/* Rank 0; all; rank 0 and the last, of which the first has the result. */
enum asl_who { ASL_ONE, ASL_ALL, ASL_PAIR };

struct asl_subject {
	const char *what;
	enum asl_who who;
	enum asl_quantity first; /* of so many kinds */
	int kinds;
	double share; /* of the time that all takes */
	/* One sample of each kind, from passes over so many words. */
	int (*measure)(struct asl_bench *b, double ns[ASL_KINDS],
		       uint64_t words);
};

/* In the order in which they are measured; ended by one without a name. */
extern const struct asl_subject asl_subjects[ASL_SUBJECTS + 1];

#endif
