/*
 * cost.h -- what counted words cost on a machine, under two accountings
 *
 * apm	the asymmetric parallel model: tile loads and stores, and the network.
 *	Q = r B_r + w B_w + beta B_h + alpha msgs + gamma flops.
 * full	also what the network does to memory: words that land in the pool or
 *	are lifted out of it, and what collectives read and write in DRAM.
 */
#ifndef ASL_COST_H
#define ASL_COST_H

#include "lib/rank/ledger.h"

enum asl_accounting { ASL_APM, ASL_FULL, ASL_ACCOUNTINGS };

/* Cost of a word, a message (latency) or a flop, in any one unit. */
struct asl_costs {
	double read, write;	      /* r, w: of the pool */
	double dram_read, dram_write; /* r_d, w_d: of DRAM, under `full` */
	double net;		      /* beta */
	double latency, flop;	      /* alpha, gamma */
};

/* Cost per unit of every counter: Q is their product with the counts. */
struct asl_rates {
	double of[ASL_COUNTERS];
};

struct asl_rates asl_rates(const struct asl_costs *costs,
			   enum asl_accounting accounting);

double asl_cost(const struct asl_rates *rates, const struct asl_counts *counts);

/* B_r and B_w, which do not ask on which memory a word lies. */
uint64_t asl_words_read(const struct asl_counts *counts);
uint64_t asl_words_written(const struct asl_counts *counts);

const char *asl_accounting_name(enum asl_accounting accounting);

#endif
