/*
 * case.h -- a case from options: checked, planned, ready to run
 */
#ifndef ASL_CASE_H
#define ASL_CASE_H

#include "bench/library/options.h"
#include "bench/library/profile.h"
#include "lib/run/run.h"

/* The job that this process is part of; size 0: none. */
struct asl_job {
	int rank, size;
	int here; /* the most ranks that a host has */
};

struct asl_job asl_job(void);

/* Take this for the job from here on, whatever the launcher says. */
void asl_job_assume(struct asl_job job);

struct asl_case {
	struct asl_run_want want;
	struct asl_profile profile; /* want.plan.costs: after overriding */
	struct asl_times *times;    /* want.plan.times */
	bool automatic;		    /* the algorithm was left to the planner */
	char cache_source[16];	    /* of S: "share of L3", "assumed"; or "" */
	char *about;		    /* want.about, or NULL */
};

/*
 * The case with a complete plan.  0, or the exit code after a complaint; call
 * asl_case_close in either case.
 */
int asl_case_to_run(struct asl_case *c, const struct asl_options *o);

/*
 * For plan and bounds: shape, ranks, machine and costs; algorithm, kernel and
 * grid only where they were given.  S and M default to a core's share, as in a
 * run that only counts (store null).
 */
int asl_case_to_plan(struct asl_case *c, const struct asl_options *o);

/*
 * M of these options, for so many ranks on this host: their share of the large
 * memory, which is what pools lie on.  `counted`: there are none by default.
 */
uint64_t asl_case_memory(const struct asl_options *o, bool counted, int ranks);

void asl_case_close(struct asl_case *c); /* all zero is allowed */

/* Threads of a rank of so many, as far as they are known before the run. */
int asl_case_threads(const struct asl_options *o, int ranks);

/* Is it one file, even one that does not exist yet? */
bool asl_same_file(const char *a, const char *b);

/* --memory-node goes with a store that needs one: 0, or the exit code. */
int asl_case_check_store(const char *store, const struct asl_options *o);

/* For complaints: "pmem or dram", "ofi or mpi". */
const char *asl_stores_with_data(void);
const char *asl_transports_of_jobs(void);

/*
 * Refuse --launch within a job, ranks that are not the job's and, where they are
 * to be launched, more than --launch can start: 0, or the exit code.
 */
int asl_job_check(const struct asl_options *o, int ranks, bool launches);

/*
 * End the job with its other ranks: this one has complained, and they may not
 * know, as files and profiles are read on every host.  The complaint is printed,
 * even if it is not rank 0's.  Returns code.
 */
int asl_job_abort(const struct asl_options *o, int code);

#endif
