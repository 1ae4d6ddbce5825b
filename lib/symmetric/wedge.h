/*
 * wedge.h -- one rank's part of y = A x2 x x3 x: its wedge of the tensor
 *
 * A rank works with the row blocks that its tensor blocks name.  While it does,
 * x and y of these are in the cache, and of the tensor every word passes through
 * once.  Three steps, each beside its closed form:
 *
 *	spread	x: every rank sends the others its own shares of the row blocks
 *		that they have in common
 *	multiply
 *	collect	y: the same backwards, sums of the other's shares
 *
 * What is sent is packed in the cache.  What is received arrives in DRAM, from
 * where x is loaded, and sums are added to those in the cache.  Per rank, with
 * the words W of its row blocks and w of its own shares, for one column:
 *
 *	B_h	2 (W - w), where everything divides
 *	B_r	its tensor blocks, and W
 *	B_w	w
 *	flops	4 a word of the tensor: a multiply-add for the row's product with
 *		x, and one for its part of y; those that a whole row has in common
 *		are not counted
 *	held	the tensor blocks, 2 w; in the cache 2 W, a message and a row; a
 *		message
 */
#ifndef ASL_WEDGE_H
#define ASL_WEDGE_H

#include "lib/rank/rank.h"
#include "lib/symmetric/symmetric.h"

struct asl_wedge {
	const struct asl_symmetric *s;
	int rank, rows;
	const int *row;	    /* its row blocks, ascending */
	uint64_t longest;   /* message, out or in, for one column */
	int columns, first; /* that are worked with now */
	struct asl_wedge_lists l;
	bool failed; /* there was no memory */

	struct asl_tile x, y, pack, scratch; /* between take and give */
	struct asl_words landing;
	struct asl_words
		beside[2]; /* needed after a product, if it is resumed */
};

/* False: there is no memory, and nothing to give. */
bool asl_wedge_lists_take(struct asl_wedge_lists *l, int rows, int ranks);
void asl_wedge_lists_give(struct asl_wedge_lists *l); /* all zero is allowed */

void asl_wedge_begin(struct asl_wedge *w, const struct asl_symmetric *s,
		     int rank);
void asl_wedge_end(struct asl_wedge *w);

/*
 * For closed forms, which have no rank and cannot fail; before the next rank is
 * scratch this one is done with, and there is no end to it.
 */
void asl_wedge_for_prediction(struct asl_wedge *w,
			      const struct asl_symmetric *s, int rank);

uint64_t asl_wedge_owned(const struct asl_wedge *w);
uint64_t asl_wedge_tensor(const struct asl_wedge *w);

/* What take takes, for that many columns: of the cache, and beside it. */
struct asl_wedge_rooms {
	uint64_t cache, beside;
};

struct asl_wedge_rooms asl_wedge_rooms(const struct asl_wedge *w, int columns);

/* Rooms for so many columns; the first of them are worked with. */
void asl_wedge_take(struct asl_rank *r, struct asl_wedge *w, int columns);
void asl_wedge_give(struct asl_rank *r, struct asl_wedge *w);

/* Go on with columns from `first` on. */
void asl_wedge_turn(struct asl_wedge *w, int first, int columns);

/* Its own shares of x from where it owns them, and those of y to there. */
void asl_wedge_load(struct asl_rank *r, struct asl_wedge *w,
		    const struct asl_words *X);
void asl_wedge_store(struct asl_rank *r, struct asl_wedge *w,
		     struct asl_tile *from, const struct asl_words *Y);

/* Multiply is in quarters, and a mark before each of them and after the last. */
void asl_wedge_spread(struct asl_rank *r, struct asl_wedge *w);
void asl_wedge_multiply(struct asl_rank *r, struct asl_wedge *w,
			const struct asl_words *A);
void asl_wedge_collect(struct asl_rank *r, struct asl_wedge *w);

/* All of the above once, for so many columns. */
void asl_wedge_predict_product(struct asl_ledger *out,
			       const struct asl_wedge *w, int columns);

/* The shares of the i-th of its row blocks: rows of x and y, in the cache. */
struct asl_range asl_wedge_share(const struct asl_wedge *w, int i);

/* ---- Between wedge.c and wedge_exchange.c ---- */

#endif
