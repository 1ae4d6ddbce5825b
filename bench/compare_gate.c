/*
 * compare_gate.c -- --fail-below: is no case missing, wrong, or slower?
 *
 * A case of the base that cannot be compared fails, unless it is the base's own
 * fault.  One that has too few repetitions is not judged, which is said: a gate
 * that never closes would be none.
 */
#include <math.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/say.h"

static bool fails(const struct asl_comparison *c, const struct asl_pair *p,
		  double least)
{
	if (p->i < 0 || c->base->cases[p->i].trouble)
		return false;
	return *p->why ||
	       (p->speed.ratio < least && asl_ratio_verdict(&p->speed) < 0);
}

static void name_failed(const struct asl_comparison *c,
			const struct asl_pair *p, double least)
{
	char name[512];

	asl_pair_name(name, sizeof name, c, p);
	if (*p->why)
		asl_complain(0, "--fail-below %g: %c: %s: %s", least,
			     c->other->letter, name, p->why);
	else
		asl_complain(0, "--fail-below %g: %c: %s: speed %.3f", least,
			     c->other->letter, name, p->speed.ratio);
}

int asl_compare_gate(const struct asl_comparison *c, int count, double least)
{
	int failed = 0, unjudged = 0;

	for (int k = 0; k < count; k++)
		for (int i = 0; i < c[k].count; i++) {
			const struct asl_pair *p = &c[k].pairs[i];

			unjudged += !*p->why && isnan(p->speed.low);
			if (!fails(&c[k], p, least))
				continue;
			failed++;
			name_failed(&c[k], p, least);
		}
	if (failed)
		return ASL_CHECK_FAILED;
	if (unjudged)
		return asl_complain(ASL_BAD_INPUT,
				    "--fail-below %g: %d cases have fewer than "
				    "%d repetitions, and are not judged "
				    "(--reps)",
				    least, unjudged, ASL_LEAST_SAMPLES);
	return 0;
}
