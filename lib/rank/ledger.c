/*
 * ledger.c -- names, sums and comparison of what was counted
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

bool asl_phase_counts(enum asl_phase phase)
{
	return phase != ASL_FILL && phase != ASL_VERIFY;
}

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
