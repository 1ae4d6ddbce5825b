/*
 * judge.c -- is a repetition right: its result, and what was counted?
 */
#include "bench/judge.h"

#include "bench/say.h"

static const char *first_difference(enum asl_counter *counter,
				    enum asl_phase *phase,
				    const struct asl_rank_record *x)
{
	for (int p = 0; p < ASL_PHASES; p++)
		for (int c = 0; asl_phase_counts(p) && c < ASL_COUNTERS; c++)
			if (x->counted.in[p].of[c] !=
			    x->predicted.in[p].of[c]) {
				*counter = c;
				*phase = p;
				return asl_counter_name(c);
			}
	return NULL;
}

static void say_difference(const struct asl_rep *rep)
{
	enum asl_counter c = 0;
	enum asl_phase p = 0;

	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_rank_record *x = &rep->rank[i];
		const char *name = first_difference(&c, &p, x);

		if (asl_ledger_equal(&x->counted, &x->predicted))
			continue;
		if (name)
			asl_complain(0,
				     "COUNTED IS NOT WHAT WAS PREDICTED: "
				     "rank %d, phase %s, %s: counted %ju, "
				     "predicted %ju",
				     i, asl_phase_name(p), name,
				     x->counted.in[p].of[c],
				     x->predicted.in[p].of[c]);
		else
			asl_complain(0,
				     "COUNTED IS NOT WHAT WAS PREDICTED: "
				     "rank %d held %ju words (%ju in the "
				     "pool), predicted %ju (%ju)",
				     i, x->counted.memory_high,
				     x->counted.pool_high,
				     x->predicted.memory_high,
				     x->predicted.pool_high);
		return;
	}
}

/* False: times are not those of the machine that was to be emulated. */
static bool judge_emulation(const struct asl_rep *rep)
{
	double error = rep->emulation_error;

	if (!rep->emulated)
		return true;
	if (rep->rep == 0 && !rep->emulated_net && rep->ranks > 1)
		asl_complain(0,
			     "note: the network is as it is: a word takes "
			     "%.3g ns, %.3g in %s",
			     rep->emulated->net, rep->want->emulate.net,
			     rep->want->emulate.name);
	if (rep->rep == 0 && rep->crowded)
		asl_complain(0, "warning: ranks outnumber cores, and wait for "
				"each other: trust q_path, not times");
	if (error > ASL_EMULATION_INVALID) {
		asl_complain(0,
			     "EMULATION IS NOT VALID in repetition %d: words "
			     "took %.3g%% longer than in %s, expected 15%% at "
			     "most",
			     rep->rep + 1, 100 * error,
			     rep->want->emulate.name);
	} else if (error > ASL_EMULATION_OFF) {
		asl_complain(0,
			     "warning: in repetition %d words took %.3g%% "
			     "longer than in %s",
			     rep->rep + 1, 100 * error,
			     rep->want->emulate.name);
	}
	return error <= ASL_EMULATION_INVALID;
}

bool asl_rep_check(const struct asl_rep *rep)
{
	bool right = rep->predicted_equal && rep->verified != 0;

	if (!rep->predicted_equal)
		say_difference(rep);
	if (rep->verified == 0)
		asl_complain(0,
			     "VERIFICATION FAILED in repetition %d: residual "
			     "%g, expected 16 at most",
			     rep->rep + 1, rep->residual);
	return judge_emulation(rep) && right;
}
