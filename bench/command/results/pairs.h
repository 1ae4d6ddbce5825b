/*
 * pairs.h -- cases of two result directories side by side
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

/* One directory against another. */
struct asl_comparison {
	const struct asl_results *results;
	int base, place;
	bool mixed;    /* emulated and measured times may be compared */
	bool busy;     /* and those of a machine that others kept busy */
	bool modelled; /* what was only counted is compared by its costs in ns */
	struct asl_pair *pairs;	  /* cases of the base come first */
	int count, bases;	  /* pairs; those that have a base */
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

/* What a case was timed by. */
enum asl_time_source asl_case_source(const struct asl_measured *x);

/* By the algorithm of its cases. */
const char *asl_pair_family(const struct asl_pair *pair);

/* Names of families, NULL-ended; algorithms unknown to this version are last. */
enum { ASL_MOST_FAMILIES = 8 };
void asl_family_names(const char *names[ASL_MOST_FAMILIES + 1]);
const char *asl_case_family(const struct asl_measured *x);

/*
 * Logarithms of medians of the case's sample drawn again, from ASL_LEAST_SAMPLES on,
 * which are made once and kept; else *draws is NULL.  -ENOMEM, or 0.
 */
int asl_case_draws(const double **draws, const struct asl_measured *x);

/* By how much the machine's drift may have put them off. */
void asl_case_drift(double drift[ASL_DRAWS], const struct asl_measured *x);

/* Only counted, in nanoseconds: then costs say how long it would take. */
bool asl_case_modelled(const struct asl_measured *x);

#endif
