/*
 * methods.h -- what the files of the six algorithms share
 */
#ifndef ASL_OUTOFCORE_METHODS_H
#define ASL_OUTOFCORE_METHODS_H

#include "lib/outofcore/walk.h"

extern const struct asl_matmul asl_ooc_matmul;

void asl_ooc_rotation_inside_predict(struct asl_ledger *out,
				     const struct asl_plan *plan, int rank);
void asl_ooc_rotation_outside_predict(struct asl_ledger *out,
				      const struct asl_plan *plan, int rank);

/* ---- Shares of leaves: shares.c ---- */

/* Where a rank's shares of an array's leaves lie in what it owns. */
struct asl_ooc_shares {
	uint64_t *first; /* by leaf, by rows of leaves */
	struct asl_group all;
};

void asl_ooc_shares_take(struct asl_rank *r, struct asl_ooc_shares *s,
			 const struct asl_ooc_layout *l,
			 enum asl_operand which);
void asl_ooc_shares_give(struct asl_ooc_shares *s);

/* Of this tile: where in the tile, and in what the rank owns. */
struct asl_range asl_ooc_share_within(const struct asl_ooc_shares *s,
				      const struct asl_words *tile);
struct asl_words asl_ooc_share_owned(const struct asl_ooc_shares *s,
				     const struct asl_ooc_walk *w,
				     const struct asl_ooc_tile *t,
				     const struct asl_words *own);

/* ---- Closed forms: predict.c ---- */

/* Leaves that are not empty of a range of an index; of k, of one part. */
uint64_t asl_ooc_filled(const struct asl_ooc_layout *l,
			enum asl_operand lacking, uint64_t length);

/* Words that a rank works with, all parts of k together, and that it owns. */
uint64_t asl_ooc_words(const struct asl_ooc_layout *l, enum asl_operand which);
uint64_t asl_ooc_owned(const struct asl_ooc_layout *l, enum asl_operand which);

/* `words` copied from the pool to DRAM, and back. */
void asl_ooc_predict_fetched(struct asl_counts *x, uint64_t words);
void asl_ooc_predict_put(struct asl_counts *x, uint64_t words);

/*
 * A and B, or one of them, fetched in all passes; C put in each of them,
 * `rounds` times, and fetched in each but the first.
 */
void asl_ooc_predict_operand(struct asl_counts *x,
			     const struct asl_ooc_layout *l,
			     enum asl_operand which);
void asl_ooc_predict_result(struct asl_counts *x,
			    const struct asl_ooc_layout *l, uint64_t rounds);

/* All products; if `anew`, C begins at nothing in each pass. */
void asl_ooc_predict_products(struct asl_counts *x,
			      const struct asl_ooc_layout *l, bool anew);

/* see() every size of a leaf, and how many leaves have it. */
void asl_ooc_each_size(const struct asl_ooc_layout *l, enum asl_operand which,
		       void (*see)(const struct asl_alike *words, void *arg),
		       void *arg);

/* Words of DRAM: of tiles in memory, and of the largest one in the cache. */
uint64_t asl_ooc_rooms(const struct asl_ooc_layout *l, bool landings);
uint64_t asl_ooc_cache_tile(const struct asl_ooc_layout *l, bool anew);

#endif
