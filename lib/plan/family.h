/*
 * family.h -- what carrying a plan out asks about the problem that it solves
 *
 * lib/run opens stores and nets, repeats, and collects; it knows what it runs by
 * this struct alone.  A family is a `const struct asl_family` that all its
 * algorithms point to.
 *
 * Operands	A rank owns words of 1 to ASL_MOST_OPERANDS things, the result
 *		among them, each in one run of words in its pool.  They have
 *		numbers from 0 on, which are the family's, as is the order of the
 *		words.
 * Order	Once a case: `open` in every process, and then, if a result is to
 *		be kept, `create` in that of rank 0.  Once a repetition: `fill`,
 *		the algorithm's run, `verify`.  At the end `write`, if there was
 *		`create`; and `close`, whatever failed before.  Ranks that take
 *		part call fill, verify and write together; where rows are spread
 *		over ranks, all ranks call fill and write.
 * Errors	open, create and write return 0 or a negative errno that
 *		asl_failure() explains; in fill, verify and write the rank's
 *		errors stick as anywhere.
 */
#ifndef ASL_FAMILY_H
#define ASL_FAMILY_H

#include <math.h>
#include <stdio.h>

#include "lib/base/parts.h"
#include "lib/matrix/given.h"
#include "lib/plan/plan.h"

enum { ASL_MOST_OPERANDS = 27 };

/* By a test over all ranks, which is cheap; or by computing all of it anew. */
enum asl_verify { ASL_VERIFY_NONE, ASL_VERIFY_FREIVALDS, ASL_VERIFY_ORACLE };

/* HPL's threshold: rounding alone stays far below it, and NaN is above. */
#define ASL_RESIDUAL_LIMIT 16.0

/* The larger residual; not a number, if either is (fmax would drop it). */
static inline double asl_worse(double a, double b)
{
	return a >= b || isnan(a) ? a : b;
}

/* A case's data as the ranks of one process see it. */
struct asl_data {
	const struct asl_plan *plan;
	const char *const *file; /* of every operand; NULL: generated */
	const char *result;	 /* the file to write; NULL: none */
	/* Instead of files, memory: of every operand, and of the result. */
	const struct asl_given *given, *into;
	/*
	 * given and into are only this rank's rows, and of every operand, the
	 * result among them, these are rank i's: first[i] to first[i + 1] - 1.
	 */
	const uint64_t *const *first_rows;
	uint64_t seed;
	bool exact;   /* entries whose sums of products are exact in double */
	void *opened; /* the family's: what open and create made */
};

struct asl_family {
	const char *name;

	int (*operands)(const struct asl_plan *plan);
	/* The first so many that no run writes, but with what is there. */
	int (*fixed)(const struct asl_plan *plan);
	uint64_t (*owned)(const struct asl_plan *plan, int rank, int which);

	/*
	 * Words of the pool that an operand is taken with, `count` of them, and
	 * the first that the rank owns: before and behind is the rest of a panel
	 * that the run fills.  NULL: what is owned is alone.
	 */
	struct asl_range (*room)(const struct asl_plan *plan, int rank,
				 int which);

	/* See asl_plan_ranks. */
	int (*ranks)(const struct asl_plan *plan);

	/*
	 * Set memory_needed, if a bound on memory_high is at hand; and ask the
	 * ranks that can be the busiest, or return false: then all are asked.
	 * NULL: neither.
	 */
	bool (*forecast)(struct asl_forecast *most,
			 const struct asl_plan *plan);

	/* Write lines "name value" that a resumed run shares; NULL: none. */
	void (*describe)(FILE *f, const struct asl_plan *plan);

	/* A budget is for DRAM alone: a pool's words do not count. */
	bool dram_budget;

	/* Words of a rank's operands that a budget leaves in storage; NULL: none. */
	uint64_t (*stored)(const struct asl_plan *plan, int rank);

	/* See asl_plan_release.  NULL: there is nothing to free. */
	void (*release)(struct asl_plan *plan);

	/* Operand files, held against the plan; generators. */
	int (*open)(struct asl_data *data);
	int (*create)(struct asl_data *data);
	void (*close)(struct asl_data *data); /* also after a failure */

	/* Operands from where they come, and what is no number for the result. */
	void (*fill)(struct asl_rank *r, const struct asl_data *data,
		     struct asl_words *own);

	/* This rank's residual; `how` is not ASL_VERIFY_NONE. */
	double (*verify)(struct asl_rank *r, const struct asl_data *data,
			 struct asl_words *own, enum asl_verify how);

	/* The result to rank 0, or its rows to their ranks; into its place. */
	int (*write)(struct asl_rank *r, struct asl_data *data,
		     struct asl_words *own);

	/*
	 * Lower bounds: words of the busiest rank, network and memory; Q in the
	 * APM, for algorithms that are not outside of it.
	 */
	double (*net_bound)(const struct asl_plan *plan);
	double (*io_bound)(const struct asl_plan *plan);
	double (*joint_bound)(const struct asl_plan *plan);

	/* Words between pool and DRAM, their mean over ranks; NULL: none is known. */
	double (*pool_bound)(const struct asl_plan *plan);
};

#endif
