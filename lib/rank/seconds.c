/*
 * seconds.c -- how long a rank's verbs take on a machine: a prediction
 */
#include "lib/rank/seconds.h"

static const char *const spending_names[ASL_SPENDINGS] = {
	[ASL_ON_ARITHMETIC] = "arithmetic", [ASL_ON_READING] = "reading",
	[ASL_ON_WRITING] = "writing",	    [ASL_ON_NETWORK] = "network",
	[ASL_ON_COPYING] = "copies",
};

const char *asl_spending_name(enum asl_spending part)
{
	return spending_names[part];
}

/* The BLAS packs words of both operands, and reads and writes the result. */
double asl_product_ns(const struct asl_times *t, uint64_t m, uint64_t n,
		      uint64_t k)
{
	double x = (double)m, y = (double)n, z = (double)k;

	return t->call + 2 * x * y * z * t->flop + x * z * t->left +
	       z * y * t->right + x * y * t->result;
}

/* Beyond the largest size its words cost what they did from the one before. */
double asl_step_ns(const struct asl_times *t, uint64_t words)
{
	double x = (double)words, slope;
	int i = 1;

	if (x <= t->words[0])
		return t->step[0];
	while (i + 1 < ASL_STEP_SIZES && x > t->words[i])
		i++;
	slope = (t->step[i] - t->step[i - 1]) / (t->words[i] - t->words[i - 1]);
	return t->step[i] + (x - t->words[i]) * slope;
}
