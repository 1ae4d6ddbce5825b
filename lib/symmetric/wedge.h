/*
 * wedge.h -- one rank's part of y = A x2 x x3 x: its wedge of the tensor
 *
 * A rank works with the row blocks that its tensor blocks name.  Meanwhile x
 * and y of these are in the cache, and every word of the tensor passes through
 * it once.  A product has three steps:
 *
 *	spread	x: every rank sends the others its own shares of the row blocks
 *		that they have in common
 *	multiply
 *	collect	y: the reverse, with sums of the other's shares
 *
 * Messages are packed in the cache, one at a time.  They arrive in DRAM, up to
 * ASL_FLIGHT at once: x is loaded from there, and sums are added to those in the
 * cache.  Per rank, with the words W of its row blocks and w of its own shares,
 * for one column:
 *
 *	B_h	2 max(w (lambda-1), W - w) with a system whose row blocks have
 *		lambda ranks each; 2 (W - w) where everything divides
 *	B_r	its tensor blocks, and W
 *	B_w	w
 *	flops	4 a word of the tensor: a multiply-add for the row's product with
 *		x, and one for its part of y; what a whole row shares is not
 *		counted
 *	held	the tensor blocks, 2 w; in the cache 2 W, a message and a row; room
 *		for the messages that come in at once, if the tensor is held, else
 *		for one
 *
 * In a smaller cache x and y stay in DRAM: wedge_pieces.c.
 */
#ifndef ASL_WEDGE_H
#define ASL_WEDGE_H

#include "lib/rank/collective.h"
#include "lib/symmetric/symmetric.h"

struct asl_wedge {
	const struct asl_symmetric *s;
	int rank, rows;
	const int *row;	    /* its row blocks, ascending */
	uint64_t longest;   /* message, out or in, for one column */
	int columns, first; /* worked with now */
	struct asl_wedge_lists l;

	/* Between take and give: */
	struct asl_tile x, y, pack, scratch;
	struct asl_words landing;
	/* By pieces, instead of tiles: */
	struct asl_words far_x, far_y, parcel;
	struct asl_tile part_x[ASL_MOST_ORDER], part_y[ASL_MOST_ORDER];
	struct asl_order_block held; /* its parts are there; order 0: none */
	struct asl_words live[2]; /* more words that a resumed product needs */
};

/* False: there is no memory. */
bool asl_wedge_lists_alloc(struct asl_wedge_lists *l, int rows, int ranks);
void asl_wedge_lists_free(struct asl_wedge_lists *l); /* all zero is allowed */

/* Find this rank's wedge.  After a failure, which sticks, it has no rows. */
void asl_wedge_begin(struct asl_rank *r, struct asl_wedge *w,
		     const struct asl_symmetric *s);

/* For predictions.  Uses s->scratch: one rank at a time.  Nothing to free. */
void asl_wedge_for_prediction(struct asl_wedge *w,
			      const struct asl_symmetric *s, int rank);

uint64_t asl_wedge_owned(const struct asl_wedge *w); /* of x, for a column */
/* Words of the tensor, unless it stays in storage. */
uint64_t asl_wedge_held(const struct asl_wedge *w);

/* The words that take takes for so many columns. */
uint64_t asl_wedge_cache(const struct asl_wedge *w, int columns);
uint64_t asl_wedge_dram(const struct asl_wedge *w, int columns);

/* Take memory for so many columns, and select the first. */
void asl_wedge_take(struct asl_rank *r, struct asl_wedge *w, int columns);
void asl_wedge_give(struct asl_rank *r, struct asl_wedge *w); /* after begin */

/* Work with columns from `first` on. */
void asl_wedge_select(struct asl_wedge *w, int first, int columns);

enum asl_wedge_vector { ASL_WEDGE_X, ASL_WEDGE_Y };

/* Load the rank's own shares of x; store its shares of either vector. */
void asl_wedge_load(struct asl_rank *r, struct asl_wedge *w,
		    const struct asl_words *X);
void asl_wedge_store(struct asl_rank *r, struct asl_wedge *w,
		     enum asl_wedge_vector which,
		     const struct asl_words *words);

void asl_wedge_predict_load(struct asl_counts *out, const struct asl_wedge *w);
void asl_wedge_predict_store(struct asl_counts *out, const struct asl_wedge *w);

/* Work on every word of the rank's shares of x, and of y. */
struct asl_wedge_work {
	void (*use)(void *arg, double *x, double *y);
	void *arg;
	uint64_t flops; /* for a word */
	bool reads_y, writes_x;
};

void asl_wedge_do(struct asl_rank *r, struct asl_wedge *w,
		  const struct asl_wedge_work *x);
void asl_wedge_predict_work(struct asl_counts *out, const struct asl_wedge *w,
			    const struct asl_wedge_work *x, uint64_t times);

/* y = A x2 x x3 x, for the selected columns. */
void asl_wedge_product(struct asl_rank *r, struct asl_wedge *w,
		       const struct asl_words *A);
void asl_wedge_predict_product(struct asl_ledger *out,
			       const struct asl_wedge *w, int columns);

/* Its shares of the i-th of its row blocks: rows of x and y. */
struct asl_range asl_wedge_share(const struct asl_wedge *w, int i);

/* Words of all its row blocks. */
uint64_t asl_wedge_rows(const struct asl_wedge *w);

/*
 * By pieces (wedge_pieces.c): what the functions above do then
 */

/* Words of the longest part, and of the cache that the parts take. */
uint64_t asl_pieces_longest(const struct asl_symmetric *s);
uint64_t asl_pieces_cache(const struct asl_symmetric *s);

void asl_pieces_take(struct asl_rank *r, struct asl_wedge *w);
void asl_pieces_give(struct asl_rank *r, struct asl_wedge *w);

/* The block passes between the far vector's rows and the pool, by parts. */
void asl_pieces_load(struct asl_rank *r, struct asl_wedge *w, uint64_t first,
		     const struct asl_block *from);
void asl_pieces_store(struct asl_rank *r, struct asl_wedge *w,
		      enum asl_wedge_vector which, uint64_t first,
		      const struct asl_block *to);
void asl_pieces_do(struct asl_rank *r, struct asl_wedge *w,
		   const struct asl_wedge_work *work);

/* y = 0; y += the tensor block's product, whose words are A. */
void asl_pieces_zero(struct asl_rank *r, struct asl_wedge *w);
void asl_pieces_multiply(struct asl_rank *r, struct asl_wedge *w,
			 const struct asl_words *A, size_t block);
void asl_pieces_predict(struct asl_counts *out, const struct asl_wedge *w);

/*
 * Numbers that all ranks add up, and all know afterwards
 *
 * They are in a tile, and travel through DRAM: stored; summed, if there are fewer than
 * ranks, else reduced to rank 0 and broadcast; and loaded.  A lone rank has nothing to
 * add.
 */

struct asl_allsum {
	struct asl_group all;
	struct asl_tile tile;
	struct asl_words mine, whole;
};

void asl_allsum_take(struct asl_rank *r, struct asl_allsum *s, int ranks,
		     uint64_t most);
void asl_allsum_give(struct asl_rank *r, struct asl_allsum *s);

/* Add up the tile's first `count` words. */
void asl_allsum_add(struct asl_rank *r, struct asl_allsum *s, uint64_t count);
void asl_allsum_predict(struct asl_counts *x, int ranks, int rank,
			uint64_t count);

/* Words held while `count` are added up, of `most` taken. */
uint64_t asl_allsum_memory(int ranks, int rank, uint64_t most, uint64_t count);

#endif
