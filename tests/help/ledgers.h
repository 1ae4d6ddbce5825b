/*
 * ledgers.h -- runs must count what was predicted, and keep the laws of their family
 */
#ifndef ASL_TEST_LEDGERS_H
#define ASL_TEST_LEDGERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
		   rep->verified != 0 &&
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
