/*
 * ranking.h -- machines against each other: how many times as fast, at which work
 *
 * One model of result directories, which compare and report print: every ratio,
 * interval and sentence of theirs is computed here, once.
 *
 * A base is chosen, the first machine that most others can be compared with.
 * Machines that share at least half as many cases with it as the best of them are
 * ranked, by the cases that all of these share; the others are named, with the
 * reason.  If no times can be compared, costs in nanoseconds are.
 */
#ifndef ASL_RANKING_H
#define ASL_RANKING_H

#include <jansson.h>

#include "bench/command/results/pairs.h"
#include "bench/library/options.h"

enum asl_figure { ASL_PRICE, ASL_WATTS, ASL_FIGURES };

struct asl_contender {
	const char *name;	    /* of --name, or as it was given */
	double figure[ASL_FIGURES]; /* NAN: not known */
	bool ranked;
	char why_not[300];  /* "" if it is ranked */
	json_t *json;	    /* its machine.json; NULL: it cannot be read */
	json_t *calibrated; /* its calibrated.json, or NULL */
};

/* One case on every ranked machine; NULL elsewhere. */
struct asl_shared {
	const struct asl_measured *at[ASL_MOST_RESULTS];
	double weight; /* all of a workload's make 1 */
};

/* Geometric means over some of the cases. */
struct asl_workload {
	const char *kind; /* all, family, label, writes, best */
	const char *name;
	struct asl_shared *entries; /* those that write most for a flop first */
	int cases, families, samples;	 /* samples: of the case with fewest */
	double speed[ASL_MOST_RESULTS];	 /* logarithms, of 1/s */
	double *draws[ASL_MOST_RESULTS]; /* of them; NULL: too few samples */
	double *drift[ASL_MOST_RESULTS]; /* draws of what it adds, or NULL */
	double weight;			 /* the sum of its families' */
};

struct asl_ranking {
	int places;
	const struct asl_results *results;
	struct asl_contender machine[ASL_MOST_RESULTS];
	int base;
	struct asl_comparison
		*against; /* [places] the base; its own is empty */
	bool mixed, busy; /* as in struct asl_comparison */
	const char *weights;
	bool modelled; /* by costs: no times can be compared */
	int ranked;
	struct asl_workload *work; /* the first is the whole */
	int works;
};

/*
 * --name, --price, --watts, --weight, --mixed, --busy, and machine.json's name, price
 * and watts, for the directories of the options; other names are names[].  0, or
 * the exit code after a complaint; close it either way.
 */
int asl_ranking_open(struct asl_ranking *r, const struct asl_options *o,
		     const char *const *names);

/* Their results; first: A is the base, whatever it is.  0, or the exit code. */
int asl_ranking_rank(struct asl_ranking *r, const struct asl_results *results,
		     bool first);
void asl_ranking_close(struct asl_ranking *r);

/* --weight: 0, or the exit code after a complaint. */
int asl_weights_check(const char *weights);

/* How many times as fast `place` is as `than`, at that work. */
struct asl_ratio asl_ranking_ratio(const struct asl_workload *work, int place,
				   int than);

/* Factors that make it speed for the money, or for the joule; NAN: not known. */
double asl_ranking_money(const struct asl_ranking *r, int place, int than);
double asl_ranking_joule(const struct asl_ranking *r, int place, int than);

/* The ranked machines, the fastest first; how many. */
int asl_ranking_order(int order[ASL_MOST_RESULTS], const struct asl_ranking *r,
		      const struct asl_workload *work);

/*
 * A sentence: which machine is fastest at that work, by how much, how sure that
 * is, for what money and energy, and by what times.
 */
enum { ASL_ANSWER = 4096 };
const char *asl_ranking_answer(char to[ASL_ANSWER], const struct asl_ranking *r,
			       const struct asl_workload *work);

/* A sentence on cases that fit into a machine's last cache; "": none do. */
const char *asl_ranking_cached(char to[ASL_ANSWER],
			       const struct asl_ranking *r);

/* Cores of a machine, by its machine.json; 0: not known. */
int asl_ranking_cores(const struct asl_ranking *r, int place);

/* Seconds of a case as they are compared: measured, or by its costs. */
double asl_ranking_seconds(const struct asl_measured *x);

/* A family or label that has all cases says nothing new. */
bool asl_workload_is_whole(const struct asl_ranking *r,
			   const struct asl_workload *work);

#endif
