/*
 * cuts_split.h -- where to cut a box of multiplications between two parties
 */
#ifndef ASL_CUTS_SPLIT_H
#define ASL_CUTS_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

enum asl_cuts_axis { ASL_CUTS_M, ASL_CUTS_K, ASL_CUTS_N, ASL_CUTS_AXES };

/* The first `ranks` get `length` of an axis, the others what is left of it. */
struct asl_cut {
	enum asl_cuts_axis axis;
	uint64_t length;
	int ranks;
};

/* What is known already; NULL if there is no memory for it. */
struct asl_cuts_memo;
struct asl_cuts_memo *asl_cuts_memo_open(void);
void asl_cuts_memo_close(struct asl_cuts_memo *memo);

/*
 * The best cut of a box of d[] multiplications for `ranks` ranks, of which there
 * are two or more, and no more than multiplications.
 */
struct asl_cut asl_cuts_split(struct asl_cuts_memo *memo,
			      const uint64_t d[ASL_CUTS_AXES], int ranks);

/* Would both parties have a multiplication for each of their ranks? */
bool asl_cut_leaves_work(const struct asl_cut *x,
			 const uint64_t d[ASL_CUTS_AXES], int ranks);

#endif
