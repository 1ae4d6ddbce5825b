/*
 * ledger.c -- sums and comparison of counts, and their cost
 */
#include "lib/rank/ledger.h"

static const char *const phase_names[ASL_PHASES] = {
	[ASL_FILL] = "fill",	 [ASL_GATHER] = "gather",
	[ASL_SHIFT] = "shift",	 [ASL_COMPUTE] = "compute",
	[ASL_REDUCE] = "reduce", [ASL_EXCHANGE] = "exchange",
	[ASL_VERIFY] = "verify",
};

static const char *const counter_names[ASL_COUNTERS] = {
	[ASL_NVM_READ] = "nvm_read_words",
	[ASL_NVM_WRITE] = "nvm_write_words",
	[ASL_DRAM_READ] = "dram_read_words",
	[ASL_DRAM_WRITE] = "dram_write_words",
	[ASL_NVM_LAND] = "nvm_land_words",
	[ASL_NVM_LIFT] = "nvm_lift_words",
	[ASL_BOUNCE_READ] = "bounce_read_words",
	[ASL_BOUNCE_WRITE] = "bounce_write_words",
	[ASL_NET_SEND] = "net_send_words",
	[ASL_NET_RECV] = "net_recv_words",
	[ASL_NET_MSGS] = "net_msgs",
	[ASL_BH] = "bh_words",
	[ASL_FLOPS] = "flops",
};

const char *asl_phase_name(enum asl_phase phase)
{
	return phase_names[phase];
}

const char *asl_counter_name(enum asl_counter counter)
{
	return counter_names[counter];
}

void asl_counts_add(struct asl_counts *sum, const struct asl_counts *x)
{
	asl_counts_add_times(sum, x, 1);
}

void asl_counts_add_times(struct asl_counts *sum, const struct asl_counts *x,
			  uint64_t times)
{
	for (int c = 0; c < ASL_COUNTERS; c++)
		sum->of[c] += x->of[c] * times;
}

void asl_counts_add_net(struct asl_counts *sum, uint64_t sent,
			uint64_t received, uint64_t bh, uint64_t msgs)
{
	sum->of[ASL_NET_SEND] += sent;
	sum->of[ASL_NET_RECV] += received;
	sum->of[ASL_BH] += bh;
	sum->of[ASL_NET_MSGS] += msgs;
}

struct asl_counts asl_ledger_total(const struct asl_ledger *ledger)
{
	struct asl_counts sum = {{0}};

	for (int p = 0; p < ASL_PHASES; p++)
		if (asl_phase_counts(p))
			asl_counts_add(&sum, &ledger->in[p]);
	return sum;
}

bool asl_ledger_equal(const struct asl_ledger *a, const struct asl_ledger *b)
{
	if (a->memory_high != b->memory_high || a->pool_high != b->pool_high)
		return false;
	for (int p = 0; p < ASL_PHASES; p++) {
		if (!asl_phase_counts(p))
			continue;
		for (int c = 0; c < ASL_COUNTERS; c++)
			if (a->in[p].of[c] != b->in[p].of[c])
				return false;
	}
	return true;
}

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

double asl_joules(const struct asl_costs *nj, const struct asl_counts *total)
{
	struct asl_rates rates = asl_rates(nj, ASL_FULL);

	rates.of[ASL_NET_SEND] = nj->net;
	rates.of[ASL_BH] = 0;
	return 1e-9 * asl_cost(&rates, total);
}

uint64_t asl_words_read(const struct asl_counts *counts)
{
	return counts->of[ASL_NVM_READ] + counts->of[ASL_DRAM_READ];
}

uint64_t asl_words_written(const struct asl_counts *counts)
{
	return counts->of[ASL_NVM_WRITE] + counts->of[ASL_DRAM_WRITE];
}

uint64_t asl_words_moved(const struct asl_counts *counts)
{
	return counts->of[ASL_NVM_LIFT] + counts->of[ASL_NVM_LAND];
}

const char *asl_accounting_name(enum asl_accounting accounting)
{
	return accounting == ASL_APM ? "apm" : "full";
}
