/*
 * pairs.h -- results of two machines that are the same work
 *
 * The same is: algorithm, grid, problem, seed, and words counted.  Times are
 * held against times where both machines moved words in the same way (really,
 * or emulated); where neither did, the model's nanoseconds are.
 */
#ifndef ASL_PAIRS_H
#define ASL_PAIRS_H

#include "bench/report/page.h"
#include "bench/stats.h"

enum asl_how { ASL_MEASURED, ASL_EMULATED, ASL_MODELLED, ASL_HOWS };

struct asl_pair {
	const struct asl_entry *base, *other;
	enum asl_how how;
	struct asl_ratio ratio; /* time of the base over that of the other */
	double writes;		/* words written a flop */
};

struct asl_match {
	struct asl_pair *pair;
	int count, mixed; /* pairs that may not be compared */
	int alone[2];	  /* results that the other one has not */
};

extern const int asl_by_work[], asl_by_task[];

/*
 * Pairs of the first directory and that one, those that write most for what
 * they compute first; of `entries` in p->list, sorted by work.  m->pair has
 * room for as many.
 */
void asl_match_find(struct asl_page *p, struct asl_match *m, int entries,
		    int place);

/*
 * Likewise, but of each problem the best result of either, by whatever algorithm,
 * grid and cache; p->list is sorted by task.
 */
void asl_match_best(struct asl_page *p, struct asl_match *m, int entries,
		    int place);

struct asl_sum {
	double mean, low, high; /* ratios: geometric mean, least, most */
	int count;		/* pairs */
	int sure;		/* whose intervals leave 1 out, on that side */
};

/* `room` is for `count` numbers. */
struct asl_sum asl_pairs_sum(const struct asl_pair *pair, int count,
			     double *room);

/* All pairs, and bars of the first ones. */
void asl_pairs_table(struct asl_page *p, const struct asl_match *m, int place);
void asl_pairs_figure(struct asl_page *p, const struct asl_match *m, int place);

#endif
