/*
 * plan.h -- one way to solve one problem on one machine
 *
 * A struct asl_plan fixes everything that decides what a run counts.  Once it is
 * complete (its family's part of the command, or a planner, sees to that), the
 * algorithm's predict and run both follow the plan, and nothing else.
 *
 * Algorithms that compute the same from the same operands are a family
 * (family.h); matrix multiplication is one.  What only one family's algorithms
 * are asked, or need to be told, is in a part of its own: a pointer here, and
 * that family's header says what is behind it.
 */
#ifndef ASL_PLAN_H
#define ASL_PLAN_H

#include "lib/rank/ledger.h"
#include "lib/rank/rank.h"

struct asl_contraction;
struct asl_family;
struct asl_kernel;
struct asl_matmul;
struct asl_multiplication;
struct asl_ooc_kind;
struct asl_outofcore;
struct asl_plan;
struct asl_symmetric;

struct asl_algorithm {
	const char *name, *summary, *when; /* it is the one to use when ... */
	const struct asl_family *family;

	/* It does not write the partial sums that the APM makes ranks write. */
	bool outside_apm;

	/* Its run says how far it has come (lib/rank/resume.h). */
	bool resumes;

	/* With plan->overlap, words travel while others are multiplied. */
	bool overlaps;

	/* What only multiplication asks (lib/multiply/multiply.h), else NULL. */
	const struct asl_matmul *matmul;

	/* What tells those out of core apart (lib/outofcore/outofcore.h). */
	const struct asl_ooc_kind *outofcore;

	/* What a rank counts, in closed form; *out is zero. */
	void (*predict)(struct asl_ledger *out, const struct asl_plan *plan,
			int rank);

	/*
	 * own: a rank's words of every operand, in the pool, filled.  One that
	 * iterates, or finds more than its operands can hold, says so in
	 * r->outcome.
	 */
	void (*run)(struct asl_rank *r, const struct asl_plan *plan,
		    struct asl_words *own);
};

/* In the order in which the algorithm writes it: 12x3x1. */
struct asl_grid {
	int p[3];
};

struct asl_plan {
	const struct asl_algorithm
		*algorithm; /* asked for: rows say its name */
	/* What computes it, if `algorithm` only chooses; NULL: itself. */
	const struct asl_algorithm *runs;
	int ranks;	    /* there are; some may be left idle */
	int workers;	    /* that a planner may use of them; 0: all */
	enum asl_type type; /* of the operands' entries */
	uint64_t cache;	    /* S */
	uint64_t memory;    /* the papers' M: steers prescriptions and bounds */
	uint64_t budget;    /* a rank may not hold more; 0: no limit */
	enum asl_where panels;
	bool any_panels; /* not asked for: by time, a planner may choose */
	bool overlap;	 /* the next panels come while these are multiplied */
	enum asl_accounting accounting;
	struct asl_costs costs;
	const struct asl_times *times; /* of the machine; NULL: not known */
	int cores;    /* that the ranks share; 0: each has one to itself */
	bool by_time; /* candidates are ranked by it, not by Q */

	/*
	 * C = ab_factor A B + c_factor C, where an algorithm adds to its result; 0: the
	 * product as it is, and C as it was is not read.
	 */
	double ab_factor, c_factor;

	/* At most, of an algorithm that iterates; what it counts are those made. */
	int iterations;

	/* The local kernel, in families that multiply matrices; NULL: any. */
	const struct asl_kernel *kernel;

	/* The ranks' grid, if the algorithm works on one; zeros: not chosen. */
	struct asl_grid grid;

	/* The families' own parts; out of core multiplies, too. */
	const struct asl_multiplication *multiplication;
	const struct asl_symmetric *symmetric;
	const struct asl_contraction *contraction;
	const struct asl_outofcore *outofcore;
};

/* The algorithm that computes. */
static inline const struct asl_algorithm *
asl_plan_runs(const struct asl_plan *plan)
{
	return plan->runs ? plan->runs : plan->algorithm;
}

static inline double asl_plan_ab_factor(const struct asl_plan *plan)
{
	return plan->ab_factor == 0 ? 1 : plan->ab_factor;
}

static inline const char *asl_plan_panels(const struct asl_plan *plan)
{
	return plan->panels == ASL_POOL ? "nvm" : "dram";
}

/* Ranks that take part: 0 to this, less one. */
int asl_plan_ranks(const struct asl_plan *plan);

/* Words that a rank owns of an operand. */
uint64_t asl_plan_owned(const struct asl_plan *plan, int rank, int which);

/*
 * Take what a rank owns of every operand in the pool: own[i] lies in room[i], the
 * panel that it is part of if the run has one there, and is given back with it.
 */
void asl_plan_take(struct asl_rank *r, const struct asl_plan *plan,
		   struct asl_words *room, struct asl_words *own);

/* All counters of all phases of one rank; idle ranks count nothing. */
void asl_plan_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank);

/* The maximum over all ranks of what each is predicted to count. */
struct asl_forecast {
	double q[ASL_ACCOUNTINGS];
	uint64_t read, written, bh; /* B_r, B_w, B_h */
	uint64_t memory_high, pool_high;
	uint64_t memory_needed; /* a budget that is enough */
};

/* A family with many ranks may ask only those that can be the busiest. */
struct asl_forecast asl_forecast(const struct asl_plan *plan);

/* For families: raise *most to a rank's counts; a bit for each that grew. */
enum { ASL_FORECAST_BITS = ASL_ACCOUNTINGS + 5 };

unsigned asl_forecast_rank(struct asl_forecast *most,
			   const struct asl_plan *plan, int rank);
unsigned asl_forecast_ledger(struct asl_forecast *most,
			     const struct asl_plan *plan,
			     const struct asl_ledger *ledger);

/* Free the family's part of a plan, if any; the plan is then incomplete. */
void asl_plan_release(struct asl_plan *plan);

#endif
