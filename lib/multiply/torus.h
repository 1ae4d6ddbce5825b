/*
 * torus.h -- blocks of A and B that travel round the layers of a grid
 *
 * A q x q x c grid cuts m and n into q parts each; k is cut into q parts, too,
 * but these travel.  Rank (i, j) of a layer starts with A(i, j) and B(i, j); A
 * goes left along its row, B up along its column.  Once they are aligned, a
 * rank holds A(i, x) and B(x, j) for one and the same x, and still does after
 * both have rolled one place on.  Each layer sees to its share of the q values
 * of x, a round each: all of them where there is one layer (Cannon), ceil(q/c)
 * or floor(q/c) else (2.5D).
 *
 * Parts may be of unequal size, or empty; then what is sent is not as long as
 * what takes its place.  Empty blocks are not sent and not multiplied, but for
 * the first product, which sets C.
 */
#ifndef ASL_TORUS_H
#define ASL_TORUS_H

#include "lib/multiply/brick.h"

/* Blocks of one matrix, coming by one after the other. */
struct asl_travel {
	struct asl_group ring; /* that they travel round */
	uint64_t side;	       /* rows of A, columns of B */
	int align;	       /* places to go before the first round */
	int part;	       /* of k: which block is here */

	struct asl_words here; /* where it was found, or one of the buffers */
	struct asl_words buffer[2]; /* one to send from, one to land in */
	int landing;
};

struct asl_torus {
	const struct asl_plan *plan;
	struct asl_brick x; /* its k is unused */
	int q, rounds;
	struct asl_travel A, B;
};

struct asl_torus asl_torus(const struct asl_plan *plan, int rank);

/* Layer 0 owns A(i, j), B(i, j) and C(i, j); how many words that is. */
bool asl_torus_owns(struct asl_piece *x, const struct asl_plan *plan, int rank,
		    enum asl_operand which, int i);
uint64_t asl_torus_owned(const struct asl_torus *t);

/* Take the buffers, and give them back. */
void asl_torus_take(struct asl_rank *r, struct asl_torus *t);
void asl_torus_give(struct asl_rank *r, struct asl_torus *t);

/* The words, in the next buffer, where the block x->part is to land. */
struct asl_words asl_torus_land(const struct asl_torus *t,
				struct asl_travel *x);

/*
 * From A.here and B.here, which the caller has set to where A(i, j) and B(i, j)
 * lie: align them, and do all rounds.  C need not be set before.
 */
void asl_torus_multiply(struct asl_rank *r, struct asl_torus *t,
			const struct asl_words *C);

/* What rank 0 counts and holds at least. */
void asl_torus_lower_bound(struct asl_lower_bound *least,
			   const struct asl_plan *plan,
			   const struct asl_box *box,
			   const struct asl_rates *rates);

/* ---- Closed forms ---- */

/* What asl_torus_multiply counts. */
void asl_torus_predict(struct asl_ledger *out, const struct asl_torus *t);

/* Words of the block that a rank starts with, and of the buffers. */
uint64_t asl_torus_start(const struct asl_torus *t, const struct asl_travel *x);
uint64_t asl_torus_buffers(const struct asl_torus *t);

#endif
