/*
 * cost.c -- rates per counter, and their product with the counts
 */
#include "lib/rank/cost.h"

struct asl_rates asl_rates(const struct asl_costs *costs,
			   enum asl_accounting accounting)
{
	bool full = accounting == ASL_FULL;
	struct asl_rates rates = {{0}};

	rates.of[ASL_NVM_READ] = costs->read;
	rates.of[ASL_NVM_WRITE] = costs->write;
	/* To the APM main memory is one level; `full` tells DRAM from pool. */
	rates.of[ASL_DRAM_READ] = full ? costs->dram_read : costs->read;
	rates.of[ASL_DRAM_WRITE] = full ? costs->dram_write : costs->write;
	if (full) {
		rates.of[ASL_NVM_LIFT] = costs->read;
		rates.of[ASL_NVM_LAND] = costs->write;
		rates.of[ASL_BOUNCE_READ] = costs->dram_read;
		rates.of[ASL_BOUNCE_WRITE] = costs->dram_write;
	}
	rates.of[ASL_BH] = costs->net;
	rates.of[ASL_NET_MSGS] = costs->latency;
	rates.of[ASL_FLOPS] = costs->flop;
	return rates;
}

double asl_cost(const struct asl_rates *rates, const struct asl_counts *counts)
{
	double sum = 0;

	for (int c = 0; c < ASL_COUNTERS; c++)
		sum += rates->of[c] * (double)counts->of[c];
	return sum;
}

uint64_t asl_words_read(const struct asl_counts *counts)
{
	return counts->of[ASL_NVM_READ] + counts->of[ASL_DRAM_READ];
}

uint64_t asl_words_written(const struct asl_counts *counts)
{
	return counts->of[ASL_NVM_WRITE] + counts->of[ASL_DRAM_WRITE];
}

const char *asl_accounting_name(enum asl_accounting accounting)
{
	return accounting == ASL_APM ? "apm" : "full";
}
