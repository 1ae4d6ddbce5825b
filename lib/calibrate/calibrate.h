/*
 * calibrate.h -- measure the cost of words, messages and flops on this machine
 *
 * All ranks of a job take part.  Memory and flops are measured on one rank alone,
 * while the others wait, and then on all at once; messages between the first and
 * the last rank, and around the ring of all.  Every subject is measured in rounds,
 * as many as its time allows; a round gives one sample, the mean of its ranks.
 */
#ifndef ASL_CALIBRATE_H
#define ASL_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/estimate.h"
#include "lib/calibrate/measure.h"
#include "lib/rank/seconds.h"

enum asl_quantity {
	ASL_READ_NS, /* a word */
	ASL_WRITE_NS,
	ASL_DRAM_READ_NS,
	ASL_DRAM_WRITE_NS,
	ASL_FLOP_NS,
	ASL_LATENCY_NS, /* alpha */
	ASL_NET_NS,	/* beta */
	ASL_FIT_OFF,	/* maximum relative error of alpha + beta x */
	/* The terms of struct asl_times. */
	ASL_PRODUCT_FLOP_NS,
	ASL_PRODUCT_CALL_NS,
	ASL_PRODUCT_LEFT_NS,
	ASL_PRODUCT_RIGHT_NS,
	ASL_PRODUCT_RESULT_NS,
	ASL_PRODUCT_FAR_NS,
	ASL_PRODUCT_EDGE_NS,
	ASL_PRODUCT_ZERO_NS,
	ASL_SIMPLE_NS,
	ASL_STREAM_NS,
	ASL_ADD_NS,
	ASL_VECTOR_NS,
	ASL_STEP_NS, /* of the first size of a step; the others follow */
	/* A step of one word after another, where ranks share cores. */
	ASL_ROW_NS = ASL_STEP_NS + ASL_STEP_SIZES,
	/* A short one of those that they take at once. */
	ASL_MESSAGE_NS,
	/* What a disk's block takes to begin, and its rows: read, then written. */
	ASL_DISK_NS,
	ASL_QUANTITIES = ASL_DISK_NS + ASL_DISK_KINDS
};

struct asl_calibration {
	int ranks;
	double core; /* the part that a rank has, up to 1 */
	struct asl_estimate all[ASL_QUANTITIES];   /* ranks at once */
	struct asl_estimate alone[ASL_QUANTITIES]; /* of memory and flops */
	/* Words of a pass over memory; and over a disk, 0 if the pool is on none. */
	uint64_t words_all, words_alone, words_disk;
	int product_side; /* of the largest product: less where flops are slow */
	double step_words[ASL_STEP_SIZES];
	char dir[256], medium[32], provider[64], note[256];
};

/* Progress, after every round. */
struct asl_calibrating {
	const char *what;
	int step, steps; /* from 0 */
	double left_s;	 /* until the end of all */
	bool step_ends;
};

struct asl_calibrate_want {
	const char *transport; /* ofi or mpi */
	const char *provider, *store;
	const char *interface; /* of the network; NULL: chosen */
	const char *nvm_dir;   /* NULL: where runs put pools */
	int memory_node;       /* of a store that needs one */
	bool erase;	       /* overwrite what is on devices for pools */
	const char *bind;      /* as asl_machine_bind */
	bool quick;	       /* half a minute instead of two */
	bool crowd;	       /* only the steps of ranks that share cores */
	void (*progress)(const struct asl_calibrating *at);
	/* Not 0: this rank cannot take part; all fail with it, and why. */
	int refused;
	const char *refusal;
};

/*
 * What other measurements share with a calibration: the ranks of a job, their
 * regions, each larger than its share of the caches, and buffers for messages.
 */
struct asl_calibrate_bench {
	const struct asl_calibrate_want *want;
	struct asl_net *net;
	int rank, ranks;
	struct asl_store_bench *pool, *dram;
	struct asl_flop_bench *flops;
	struct asl_net_bench *messages; /* between the first and the last */
	const char *medium, *provider;
};

/* As asl_calibrate, which measures something else. */
int asl_calibrate_ranks(const struct asl_calibrate_want *want,
			int (*other)(struct asl_calibrate_bench *b, void *arg),
			void *arg);

/* About how many seconds a calibration takes, without setting up. */
double asl_calibrate_seconds(bool quick);

/*
 * To be called by every rank of a job of two or more; *out is filled on rank 0.
 * 0, or a negative errno on all ranks, of which one has asl_failure_to_print().
 */
int asl_calibrate(struct asl_calibration *out,
		  const struct asl_calibrate_want *want);

#endif
