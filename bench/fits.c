/*
 * fits.c -- is there room for a plan?
 */
#include "bench/fits.h"

#include "bench/face.h"
#include "bench/say.h"
#include "lib/kernels/kernel.h"

int asl_fits_cache(const struct asl_plan *plan)
{
	if (plan->kernel && plan->cache < plan->kernel->least_cache)
		return asl_complain(ASL_BAD_INPUT,
				    "--cache: found %ju words, "
				    "but kernel %s needs at least %ju",
				    plan->cache, plan->kernel->name,
				    plan->kernel->least_cache);
	return 0;
}

int asl_fits_budget(const struct asl_plan *plan)
{
	uint64_t need;

	if (!plan->budget)
		return 0;
	need = asl_forecast(plan).need;
	if (need <= plan->budget)
		return 0;
	return asl_complain(ASL_NO_MACHINE,
			    "%s of %s does not fit into --memory-budget %ju "
			    "words: it needs %ju words",
			    asl_show(plan).grid, plan->algorithm->name,
			    plan->budget, need);
}
