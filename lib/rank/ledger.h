/*
 * ledger.h -- what a rank has moved, word for word, phase by phase
 *
 * The ledger is filled by two hands that know nothing of each other: the
 * rank's verbs while an algorithm runs, and the algorithm's closed-form
 * predict.  The two must be equal.
 */
#ifndef ASL_LEDGER_H
#define ASL_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

/* Everything counts words, but NET_MSGS (messages) and FLOPS. */
enum asl_counter {
	ASL_NVM_READ,  /* pool -> cache tile */
	ASL_NVM_WRITE, /* cache tile -> pool */
	ASL_DRAM_READ, /* the same for panels staged in DRAM */
	ASL_DRAM_WRITE,
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
	/* The most main memory held at a time, owned data included. */
	uint64_t memory_high; /* all of it */
	uint64_t pool_high;   /* the part of it in the pool */
};

/* Fill and verify are listed, but left out of every total, cost and clock. */
bool asl_phase_counts(enum asl_phase phase);

const char *asl_phase_name(enum asl_phase phase);

/* "nvm_read_words", ..., as the CSV columns are called. */
const char *asl_counter_name(enum asl_counter counter);

void asl_counts_add(struct asl_counts *sum, const struct asl_counts *x);
void asl_counts_add_times(struct asl_counts *sum, const struct asl_counts *x,
			  uint64_t times);

/* All phases that count, added up. */
struct asl_counts asl_ledger_total(const struct asl_ledger *ledger);

/* Equal in every counter of every phase that counts, and in memory. */
bool asl_ledger_equal(const struct asl_ledger *a, const struct asl_ledger *b);

#endif
