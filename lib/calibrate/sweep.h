/*
 * sweep.h -- raw figures of a machine: bandwidths, latencies, messages, flops
 *
 * Words of every store are read and written at random places, in accesses of 64 B
 * to 1 MiB, by one rank and by more at once; in mixtures of both; and one after
 * another, each of which says where the next one is (pointer chasing), alone and
 * while the other ranks load the memory.  Messages go between two ranks, and
 * matrices are multiplied.  No point takes longer than its share of the time, but
 * for one access, message or product.
 */
#ifndef ASL_SWEEP_H
#define ASL_SWEEP_H

#include "lib/calibrate/calibrate.h"

enum asl_sweep_kind {
	ASL_SWEEP_READ,	   /* GB/s of all ranks */
	ASL_SWEEP_WRITE,   /* as runs write: on a pool non-temporal stores */
	ASL_SWEEP_FLUSH,   /* stores in place, which are then flushed */
	ASL_SWEEP_MIX,	   /* GB/s, of which a share is written */
	ASL_SWEEP_LATENCY, /* ns, of one rank, while the others load */
	ASL_SWEEP_MESSAGE, /* us */
	ASL_SWEEP_DGEMM,   /* GFLOP/s of all ranks */
	ASL_SWEEP_KINDS
};

struct asl_sweep_point {
	enum asl_sweep_kind kind;
	char store[16], medium[32]; /* "": of no memory */
	int node;		    /* of store node; else -1 */
	uint64_t bytes;		    /* of an access, or of a message */
	int ranks;		    /* that are busy */
	double share;		    /* of accesses that write */
	double duty;		    /* of the time that others load; 0: none */
	double load;		    /* what they reached, in GB/s */
	struct asl_estimate value;
};

enum { ASL_SWEEP_MOST = 512 };

struct asl_sweep {
	double seconds; /* for all points */
	int nodes;	/* NUMA nodes with memory to try: 0 to nodes - 1 */
	void (*progress)(int done, int points, double left_s);
	int count;
	struct asl_sweep_point point[ASL_SWEEP_MOST];
	char provider[64];
};

/* The name of a kind, and its unit. */
const char *asl_sweep_name(enum asl_sweep_kind kind);
const char *asl_sweep_unit(enum asl_sweep_kind kind);

/*
 * To be called by every rank of a job of two or more; points are those of rank 0.
 * Errors are those of asl_calibrate.
 */
int asl_sweep_run(struct asl_sweep *out, const struct asl_calibrate_want *want);

#endif
