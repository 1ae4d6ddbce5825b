/*
 * ledger.h -- the words that a rank moves, by counter and phase, and their cost
 *
 * The ledger is filled by two hands that know nothing of each other: the
 * rank's verbs while an algorithm runs, and the algorithm's closed-form
 * predict.  The two must be equal.
 *
 * Counts cost under two accountings:
 *
 * apm	the asymmetric parallel model: tile loads and stores, and the network.
 *	Q = r B_r + w B_w + beta B_h + alpha msgs + gamma flops.
 * full	also the memory traffic of the network: words that land in the pool or
 *	are lifted out of it, and words that collectives read and write in DRAM.
 */
#ifndef ASL_LEDGER_H
#define ASL_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

/* All count words, except for NET_MSGS (messages) and FLOPS. */
enum asl_counter {
	ASL_NVM_READ,	  /* pool -> cache tile */
	ASL_NVM_WRITE,	  /* cache tile -> pool */
	ASL_DRAM_READ,	  /* panels staged in DRAM -> cache tile */
	ASL_DRAM_WRITE,	  /* cache tile -> panels staged in DRAM */
	ASL_NVM_LAND,	  /* deposited in the pool by the network or a copy */
	ASL_NVM_LIFT,	  /* taken out of the pool by the network or a copy */
	ASL_BOUNCE_READ,  /* read in DRAM by packing and by additions */
	ASL_BOUNCE_WRITE, /* written in DRAM by packing and by additions */
	ASL_NET_SEND,
	ASL_NET_RECV,
	ASL_NET_MSGS, /* messages sent */
	ASL_BH,	      /* B_h: the larger of sent and received, step by step */
	ASL_FLOPS,    /* 2 per multiply-add; a reduction's additions bounce */
	ASL_COUNTERS
};

enum asl_phase {
	ASL_FILL,   /* operands into the pool; outside every total */
	ASL_GATHER, /* panels of A and B */
	ASL_SHIFT,
	ASL_COMPUTE,
	ASL_REDUCE,
	ASL_EXCHANGE,
	ASL_VERIFY, /* outside every total */
	ASL_PHASES
};

struct asl_counts {
	uint64_t of[ASL_COUNTERS];
};

struct asl_ledger {
	struct asl_counts in[ASL_PHASES];
	/* Maximum main memory held: owned data included, tiles not. */
	uint64_t memory_high; /* all of it */
	uint64_t pool_high;   /* the part of it in the pool */
};

/* False: fill and verify, which no total, cost or clock includes. */
static inline bool asl_phase_counts(enum asl_phase phase)
{
	return phase != ASL_FILL && phase != ASL_VERIFY;
}

const char *asl_phase_name(enum asl_phase phase);

/* "nvm_read_words", ..., as the CSV columns are called. */
const char *asl_counter_name(enum asl_counter counter);

void asl_counts_add(struct asl_counts *sum, const struct asl_counts *x);
void asl_counts_add_times(struct asl_counts *sum, const struct asl_counts *x,
			  uint64_t times);
/* B_h, and messages sent. */
void asl_counts_add_net(struct asl_counts *sum, uint64_t sent,
			uint64_t received, uint64_t bh, uint64_t msgs);

/* The sum of all phases that count. */
struct asl_counts asl_ledger_total(const struct asl_ledger *ledger);

/* Equal in every counter of every phase that counts, and in memory. */
bool asl_ledger_equal(const struct asl_ledger *a, const struct asl_ledger *b);

/* ---- Cost ---- */

enum asl_accounting { ASL_APM, ASL_FULL, ASL_ACCOUNTINGS };

/* Cost of a word, a message (latency) or a flop, in any unit. */
struct asl_costs {
	double read, write;	      /* r, w: of the pool */
	double dram_read, dram_write; /* r_d, w_d: of DRAM, under `full` */
	double net;		      /* beta */
	double latency, flop;	      /* alpha, gamma */
};

/* Cost per unit of every counter: Q is the scalar product with the counts. */
struct asl_rates {
	double of[ASL_COUNTERS];
};

struct asl_rates asl_rates(const struct asl_costs *costs,
			   enum asl_accounting accounting);

double asl_cost(const struct asl_rates *rates, const struct asl_counts *counts);

/*
 * Joules of all words that moved and all flops of all ranks; nj has nanojoules for
 * each.  The network takes them for every word sent.
 */
double asl_joules(const struct asl_costs *nj, const struct asl_counts *total);

/* B_r and B_w, whichever memory the words lie in. */
uint64_t asl_words_read(const struct asl_counts *counts);
uint64_t asl_words_written(const struct asl_counts *counts);

/* Words between pool and DRAM, which pass through no tile: D of the out-of-core papers. */
uint64_t asl_words_moved(const struct asl_counts *counts);

const char *asl_accounting_name(enum asl_accounting accounting);

#endif
