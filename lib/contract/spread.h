/*
 * spread.h -- which words of a tensor each rank has, and moving them elsewhere
 *
 * A tensor is spread over ranks in one of two ways: all of it on rank 0, or in
 * the even shares of a mesh (mesh.h).  Either way a rank has a run of consecutive
 * words of a box, both in the order of the tensor's indices.
 */
#ifndef ASL_SPREAD_H
#define ASL_SPREAD_H

#include "lib/contract/mesh.h"

struct asl_spread {
	const struct asl_einsum *e;
	const struct asl_term *term;
	const struct asl_mesh *mesh; /* NULL: all on rank 0 */
};

struct asl_run {
	int dims;
	struct asl_range box[ASL_MOST_INDICES]; /* by place in the term */
	struct asl_range words;			/* within the box */
};

/* A rank without any words of the tensor has an empty run. */
struct asl_run asl_spread_run(const struct asl_spread *s, int rank);

/* Words along the last dimension of the tensor, from `at` on. */
struct asl_tensor_row {
	uint64_t at[ASL_MOST_INDICES]; /* by place in the term */
	uint64_t count;
};

/* The row `done` words into the run: up to its end, or `most` words. */
struct asl_tensor_row asl_run_row(const struct asl_run *x, uint64_t done,
				  uint64_t most);

/* Words that are in both runs, which are of the same tensor. */
uint64_t asl_runs_common(const struct asl_run *a, const struct asl_run *b);

/* Does each of the first `ranks` ranks have the same words in both spreads? */
bool asl_spread_same(const struct asl_spread *a, const struct asl_spread *b,
		     int ranks);

/*
 * Call visit(rank, arg) once for every rank that has words of the run in this
 * spread, and for a few that turn out to have none.  The order is unspecified.
 */
void asl_spread_peers(const struct asl_spread *s, const struct asl_run *x,
		      void (*visit)(int rank, void *arg), void *arg);

/*
 * Collective over these ranks: `to` = `from`, whose terms are alike.  Rank i
 * sends to i + 1, i + 2, ... in turn and receives from i - 1, i - 2, ...; each
 * message is packed into DRAM, sent, and unpacked.
 */
void asl_spread_move(struct asl_rank *r, int ranks, const struct asl_spread *to,
		     struct asl_words *in, const struct asl_spread *from,
		     const struct asl_words *out);

/* The closed form of asl_spread_move; returns the DRAM words that it takes. */
uint64_t asl_spread_predict(struct asl_counts *x, int rank, int ranks,
			    const struct asl_spread *to, enum asl_where in,
			    const struct asl_spread *from, enum asl_where out);

/* The counts of asl_copy between main memories. */
void asl_predict_copy(struct asl_counts *x, enum asl_where to,
		      enum asl_where from, uint64_t words);

#endif
