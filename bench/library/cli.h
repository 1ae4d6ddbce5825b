/*
 * cli.h -- a family of algorithms as the command asks for it and shows it
 *
 * Commands, tables and summaries are the same for all problems.  Which options
 * say how large a problem is and how its ranks are arranged, and how that is
 * put in words, is for a family's part here to know.
 */
#ifndef ASL_CLI_H
#define ASL_CLI_H

#include <stdio.h>

#include "bench/library/options.h"
#include "lib/contract/spec.h"
#include "lib/multiply/bounds.h"
#include "lib/plan/candidates.h"
#include "lib/run/run.h"

/* The grid as text: 4x4x1. */
const char *asl_grid_text(char text[40], const struct asl_grid *g);

/*
 * Is there room for a plan?
 *
 * Each returns 0, or the exit code after a complaint that names what is needed.
 */

/* For the plan's kernel, if it has one, in the cache. */
int asl_fits_cache(const struct asl_plan *plan);

/* For the busiest rank in the memory budget, if there is one. */
int asl_fits_budget(const struct asl_plan *plan);

/* A plan, complete or not, as tables have it; "", NULL, 0: not applicable. */
struct asl_shown {
	const char *kernel;
	uint64_t m, n, k;
	int order; /* of a symmetric tensor */
	char spec[ASL_SPEC_TEXT], dims[ASL_DIMS_TEXT];
	char grid[1024]; /* how the ranks are arranged */
	char blocks
		[1024]; /* sizes that are not trivial, as options give them */
	const char *initial; /* where operands begin, if that can be chosen */
	char size[256];	     /* in brief: 640, or 64x32x16 */
	char problem[ASL_SPEC_TEXT +
		     2 * ASL_DIMS_TEXT]; /* m = 64, n = 32, k = 16 */
};

struct asl_family_cli {
	const struct asl_family *family;
	const struct asl_algorithm *const *algorithms; /* NULL-ended */

	/*
	 * From options to a complete plan, in this order; each returns 0, or
	 * the exit code after a complaint.
	 *
	 *	problem	  sizes and ranks, where plan->ranks is still 0; and
	 *		  refuses options that are for other families
	 *	means	  kernels and the like, as given; machine, costs and
	 *		  memory are known by then (NULL: there are none)
	 *	complete  for a run: those that were not given; operand files
	 *	settle	  how the ranks are arranged, as given or as is best;
	 *		  without an algorithm (only the first family is asked
	 *		  that) everything that is left
	 */
	int (*problem)(struct asl_plan *plan, const struct asl_options *o);
	int (*means)(struct asl_plan *plan, const struct asl_options *o);
	int (*complete)(struct asl_run_want *want, const struct asl_options *o);
	int (*settle)(struct asl_plan *plan);

	/* *out is zero; there may be no algorithm, and nothing settled. */
	void (*show)(struct asl_shown *out, const struct asl_plan *plan);

	/* What is done, after its name; and by which ranks. */
	void (*print_what)(FILE *f, const struct asl_plan *plan);
	void (*print_ranks)(FILE *f, const struct asl_plan *plan);

	/* For help: what the problem is, and one that is solved at once. */
	const char *about, *small;

	const char *test;  /* how results are verified, but for the oracle */
	const char *wrong; /* what to say of one that is */

	/*
	 * Add all candidates to an empty list.  0, an error of
	 * asl_candidates_end, or the exit code after a complaint.
	 */
	int (*rank)(struct asl_candidates *list, const struct asl_plan *base);

	/* Details of the first plan, below the ranking; NULL: none. */
	void (*print_first)(FILE *f, const struct asl_plan *plan);

	/*
	 * With --table, instead of a ranking: for people, or as CSV to a path that is
	 * not NULL.  The exit code.  NULL: there is none.
	 */
	int (*table)(const struct asl_plan *plan, const char *csv);

	/* See asl_bounds. */
	int (*bounds)(struct asl_bound bound[ASL_BOUNDS],
		      const struct asl_plan *plan);
};

/* NULL-ended. */
extern const struct asl_family_cli *const asl_family_clis[];

/* The first, if the algorithm is left to the planner. */
const struct asl_family_cli *asl_cli_of(const struct asl_plan *plan);

struct asl_shown asl_show(const struct asl_plan *plan);

/* Sizes of a multiplication: m, n, k, size and problem. */
void asl_show_sizes(struct asl_shown *out, const struct asl_shape *x);

/* What is done, for multiplications. */
void asl_print_product(FILE *f, const struct asl_plan *plan);

/* An algorithm of any family; NULL: there is none of that name. */
const struct asl_algorithm *asl_cli_algorithm(const char *name);

/*
 * ": did you mean NAME?" for a name that is none of these, with `before` before the
 * name; "": no algorithm is near.
 */
const char *asl_algorithm_meant(const char *found, const char *before);

/* Refuse a name that is none of these: 0, or the exit code. */
int asl_algorithm_check(const char *name);

/* The names of all algorithms, and ASL_AUTO; NULL-ended. */
const char *const *asl_algorithm_names(void);

/* Is it for this algorithm?  NULL: for multiplication. */
bool asl_option_is_for(const struct asl_option *option,
		       const struct asl_algorithm *algorithm);

/*
 * Refuse options that are not for this algorithm (NULL: for those of
 * multiplication, of which the planner chooses).  0, or the exit code.
 */
int asl_options_suit(const struct asl_options *o,
		     const struct asl_algorithm *algorithm);

#endif
