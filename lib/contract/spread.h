/*
 * spread.h -- which words of a tensor a rank has, and taking them elsewhere
 *
 * A tensor is spread over ranks in one of two ways: all of it on rank 0, or in
 * the even shares of a mesh (mesh.h).  Either way a rank has a run of words of a
 * box, both in the order of the tensor's indices.
 *
 * To another spread it goes in rectangles.  A run is a few boxes one after
 * another, and what two ranks have in common is what their boxes have.  Rank i
 * sends to i + 1, i + 2, ... in turn and receives from i - 1, i - 2, ...; each
 * message is packed in DRAM first, and unpacked there.
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
	struct asl_range words;			/* of the box */
};

/* Of a rank that has nothing: no words. */
struct asl_run asl_spread_run(const struct asl_spread *s, int rank);

/* Words in a row of the tensor: from `at` on, along the last dimension. */
struct asl_row {
	uint64_t at[ASL_MOST_INDICES]; /* by place in the term */
	uint64_t count;
};

/* The row that begins `done` words into the run: to its end, or `most` words. */
struct asl_row asl_run_row(const struct asl_run *x, uint64_t done,
			   uint64_t most);

/* Do ranks 0 to `ranks` - 1 have the same words either way? */
bool asl_spread_same(const struct asl_spread *a, const struct asl_spread *b,
		     int ranks);

/* All of these ranks together: `to` = `from`, whose terms are alike. */
void asl_spread_move(struct asl_rank *r, int ranks, const struct asl_spread *to,
		     struct asl_words *in, const struct asl_spread *from,
		     const struct asl_words *out);

/* Its closed form; returns the DRAM words that it takes. */
uint64_t asl_spread_predict(struct asl_counts *x, int rank, int ranks,
			    const struct asl_spread *to, enum asl_where in,
			    const struct asl_spread *from, enum asl_where out);

/* What asl_copy counts, between main memories. */
void asl_predict_copy(struct asl_counts *x, enum asl_where to,
		      enum asl_where from, uint64_t words);

/*
 * Runs of words as boxes, and what two runs have in common
 *
 * A run is a few boxes one after another, in each of which its words are in the
 * order of the box: those of a range of one dimension, whole in the dimensions
 * after it and a point in those before.
 */

struct asl_box_of_run {
	struct asl_range of[ASL_MOST_INDICES]; /* by place in the term */
	uint64_t at;			       /* words into the run */
};

/*
 * The boxes of two runs, each of one with each of the other.  They are found
 * anew as they are needed: ranks may have little room on their stacks.
 */
struct asl_boxes {
	const struct asl_run *run[2];
	uint64_t done[2], words[2];
	struct asl_box_of_run box[2];
	struct asl_box_of_run
		both; /* what they have in common; `at` is not set */
};

uint64_t asl_runs_common(const struct asl_run *a, const struct asl_run *b);

/*
 * The ranks of a spread that may have words of a run
 *
 * Of 10^5 ranks few have words in common with one of them: they are found by
 * where the run lies, without asking the others.
 */

/*
 * Call visit(rank, arg) for every rank that has words of the run by this spread,
 * once; and for some that turn out to have none.  In no order.
 */
void asl_spread_peers(const struct asl_spread *s, const struct asl_run *x,
		      void (*visit)(int rank, void *arg), void *arg);

#endif
