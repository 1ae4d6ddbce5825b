/*
 * pairs.h -- cases of two result directories side by side, and their means
 *
 * Cases of two directories belong together if they are the same, or else are
 * the nearest of one algorithm.  They are compared only if nothing differs but
 * what machines are free to differ in: times, costs, medium, network.
 */
#ifndef ASL_PAIRS_H
#define ASL_PAIRS_H

#include "bench/command/results/results.h"
#include "bench/command/results/stats.h"

enum asl_reason {
	ASL_COMPARED,
	ASL_ONLY_IN_ONE, /* a directory has no such case */
	ASL_OTHER_WORK,	 /* requests or counts differ */
	ASL_TROUBLED,	 /* its times do not count, see enum asl_trouble */
	ASL_MIXED, /* measured here, emulated or only counted there; or sim */
	ASL_REASONS
};

/* Where the numbers of a pair come from. */
enum asl_time_source { ASL_MEASURED, ASL_EMULATED, ASL_MODELLED, ASL_SOURCES };

struct asl_pair {
	const struct asl_measured *base, *other; /* NULL: there is none */
	enum asl_reason reason;
	char why[240]; /* the reason in words; "": they are compared */
	enum asl_time_source source;
	struct asl_ratio speed; /* the base's median over the other's */
};

/* One directory against the first. */
struct asl_comparison {
	const struct asl_results *results;
	int place;
	bool mixed;    /* emulated and measured times may be compared */
	bool modelled; /* what was only counted is compared by its costs in ns */
	struct asl_pair *pairs; /* cases of the first directory come first */
	int count;
	int reasons[ASL_REASONS]; /* how many pairs each */
};

/* 'A' is the first directory. */
char asl_place_letter(int place);

/*
 * All pairs, in the order of the files; 0, or the exit code after a complaint.
 * Close it either way.
 */
int asl_compare(struct asl_comparison *c);
void asl_comparison_close(struct asl_comparison *c);

/* The verdict on a pair of cases, whether or not their work is the same. */
int asl_pair_judge(struct asl_pair *p, const struct asl_comparison *c);

/* What a case was timed by. */
enum asl_time_source asl_case_source(const struct asl_measured *x);

/*
 * Means
 */

enum { ASL_MOST_MEANS = 8 };

/* The geometric mean of a family's speeds; the last is of all families. */
struct asl_mean {
	const char *family;
	int cases;
	double speed, weight;
};

const char *asl_pair_family(const struct asl_pair *pair);

/* How many; 0: no pair is compared.  weights: of --weight, or NULL. */
int asl_compare_means(struct asl_mean mean[ASL_MOST_MEANS],
		      const struct asl_comparison *c, const char *weights);

/* 0, or the exit code after a complaint. */
int asl_weights_check(const char *weights);

/*
 * A sentence about all pairs, for directories of these names: which one is
 * faster, by how much, and in how many cases beyond chance.  "": no pair is
 * compared.
 */
const char *asl_compare_answer(char *to, size_t capacity,
			       const struct asl_comparison *c,
			       const char *weights, const char *base,
			       const char *other);

#endif
