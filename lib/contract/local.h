/*
 * local.h -- an einsum of any number of tensors on one rank, two at a time
 *
 * First every input that alone has indices to be summed over is summed, then
 * two are paired, and two of what is left, until the output is there.  The tree
 * of pairs is the one that takes least time.
 *
 * Temporaries	lie in DRAM.  Where one would be large (MTTKRP: ijk,kl,jl->il
 *		has ijk,kl->ijl), an index that it shares with the output is
 *		gone through in slabs: the large tensor passes once, and the
 *		temporary is short-lived.  What does not depend on that index
 *		is made before.
 * Sums		of one input are products by a vector of ones.
 */
#ifndef ASL_LOCAL_H
#define ASL_LOCAL_H

#include "lib/contract/pair.h"

enum { ASL_MOST_STEPS = 2 * ASL_MOST_INPUTS };

/* Tensors are numbered: the inputs first, then what the steps make, in order. */
struct asl_local_step {
	int in[2];	     /* in[1] < 0: there is one */
	struct asl_term out; /* the last one's is the output */
};

struct asl_local {
	int inputs, steps;
	struct asl_local_step step[ASL_MOST_STEPS];
	int slab;	/* the index gone through in slabs; -1: none */
	uint64_t thick; /* how much of it at a time */
};

/* For tensors where index i is len[i] long, or a little shorter. */
void asl_local_make(struct asl_local *l, const struct asl_einsum *e,
		    const uint64_t *len, uint64_t cache);

/* The output, of inputs in[]; neither is borrowed. */
void asl_local_run(struct asl_rank *r, const struct asl_plan *plan,
		   const struct asl_local *l, const struct asl_view *out,
		   const struct asl_view in[], const uint64_t *len);

/* Its closed form; returns the words of main memory that it takes. */
uint64_t asl_local_predict(struct asl_counts *x, const struct asl_plan *plan,
			   const struct asl_local *l,
			   const struct asl_view *out,
			   const struct asl_view in[], const uint64_t *len);

#endif
