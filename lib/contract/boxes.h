/*
 * boxes.h -- runs of words as boxes, and what two runs have in common
 *
 * A run is a few boxes one after another, in each of which its words are in the
 * order of the box: those of a range of one dimension, whole in the dimensions
 * after it and a point in those before.
 */
#ifndef ASL_BOXES_H
#define ASL_BOXES_H

#include "lib/contract/spread.h"

struct asl_box_of_run {
	struct asl_range of[ASL_MOST_INDICES]; /* by place in the term */
	uint64_t at;			       /* words into the run */
};

/*
 * The boxes of two runs, each of one with each of the other.  They are found
 * anew as they are needed: ranks may have little room on their stacks.
 */
struct asl_boxes {
	const struct asl_run *run[2];
	uint64_t done[2], words[2];
	struct asl_box_of_run box[2];
	struct asl_box_of_run
		both; /* what they have in common; `at` is not set */
};

struct asl_boxes asl_boxes_begin(const struct asl_run *a,
				 const struct asl_run *b);

/* The next two with words in common; false: no more. */
bool asl_boxes_next(struct asl_boxes *x);

uint64_t asl_runs_common(const struct asl_run *a, const struct asl_run *b);

#endif
