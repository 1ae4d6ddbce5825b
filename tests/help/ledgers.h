/*
 * ledgers.h -- runs must count what was predicted, and keep the laws of their family
 */
#ifndef ASL_TEST_LEDGERS_H
#define ASL_TEST_LEDGERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "lib/plan/family.h"
#include "lib/run/run.h"

static inline void print_counters(int rank, const struct asl_ledger *counted,
				  const struct asl_ledger *predicted)
{
	for (int p = 0; p < ASL_PHASES; p++)
		for (int c = 0; c < ASL_COUNTERS; c++) {
			uint64_t a = counted->in[p].of[c];
			uint64_t b = predicted->in[p].of[c];

			if (asl_phase_counts(p) && a != b)
				print_error("rank %d %s %s: counted %ju, "
					    "predicted %ju\n",
					    rank, asl_phase_name(p),
					    asl_counter_name(c), a, b);
		}
}

static inline void print_ledgers(const struct asl_rep *rep)
{
	for (int r = 0; r < rep->ranks; r++) {
		const struct asl_ledger *a = &rep->rank[r].counted;
		const struct asl_ledger *b = &rep->rank[r].predicted;

		if (a->memory_high != b->memory_high ||
		    a->pool_high != b->pool_high)
			print_error("rank %d memory: counted %ju/%ju, "
				    "predicted %ju/%ju\n",
				    r, a->memory_high, a->pool_high,
				    b->memory_high, b->pool_high);
		print_counters(r, a, b);
	}
}

/* B_r + B_w of the busiest rank. */
static inline uint64_t read_and_written(const struct asl_rep *rep)
{
	uint64_t most = 0;

	for (int r = 0; r < rep->ranks; r++) {
		struct asl_counts x = asl_ledger_total(&rep->rank[r].counted);
		uint64_t both = asl_words_read(&x) + asl_words_written(&x);

		most = both > most ? both : most;
	}
	return most;
}

/* Nothing is below a lower bound; only the joint one is for the APM alone. */
static inline bool within_bounds(const struct asl_rep *rep)
{
	struct asl_plan plan = asl_rep_made(rep);
	const struct asl_family *family = plan.algorithm->family;
	const double bound[] = {
		family->net_bound(&plan),
		family->io_bound(&plan),
		family->joint_bound(&plan) * (1 - 1e-12),
	};
	const double found[] = {
		(double)rep->max.of[ASL_BH],
		(double)read_and_written(rep),
		asl_plan_runs(&plan)->outside_apm ? INFINITY
						  : rep->q_max[ASL_APM],
	};
	bool ok = true;

	for (int i = 0; i < 3; i++) {
		if (found[i] >= bound[i])
			continue;
		print_error("%s: %.17g, below the bound, %.17g\n",
			    (const char *[]){"words sent",
					     "words read and "
					     "written",
					     "cost"}[i],
			    found[i], bound[i]);
		ok = false;
	}
	return ok;
}

/* A run of one repetition, and what must hold of it. */
struct judge {
	bool (*laws_hold)(const struct asl_rep *rep);
	bool exact; /* the residual is 0, as all sums are */
	/* To keep something of it, or NULL. */
	void (*keep)(const struct asl_rep *rep, void *arg);
	void *arg;

	int reps;
	bool sound;
};

static inline int judge_rep(const struct asl_rep *rep, void *arg)
{
	struct judge *x = arg;

	x->reps++;
	x->sound = rep->predicted_equal && x->laws_hold(rep) &&
		   within_bounds(rep) && rep->verified != 0 &&
		   !(x->exact && rep->moved && rep->residual != 0);
	if (!rep->predicted_equal)
		print_ledgers(rep);
	if (!x->sound && rep->moved)
		print_error("residual %g\n", rep->residual);
	if (x->keep)
		x->keep(rep, x->arg);
	return 0;
}

/* Runs it; false, and a line that says why: it is not as it must be. */
static inline bool judge_run(struct judge *x, const struct asl_run_want *want)
{
	int err = asl_run(want, judge_rep, x);

	if (err)
		print_error("error %d: %s\n", err, asl_failure_to_print());
	return !err && x->reps == 1 && x->sound;
}

#endif
