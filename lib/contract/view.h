/*
 * view.h -- a tensor in a rank's main memory, and another order for its words
 */
#ifndef ASL_VIEW_H
#define ASL_VIEW_H

#include "lib/contract/spec.h"

struct asl_view {
	const struct asl_term *term; /* borrowed */
	enum asl_where where;
	double *at;
	uint64_t stride[ASL_MOST_INDICES]; /* by index */
};

/* Words that a term spans where index i is len[i] long. */
uint64_t asl_view_words(const struct asl_term *t, const uint64_t *len);

/* These words, in the order of the term's indices. */
struct asl_view asl_view_dense(const struct asl_words *x,
			       const struct asl_term *t, const uint64_t *len);

/* The same, from another word on. */
struct asl_view asl_view_at(const struct asl_view *x, uint64_t word);

/*
 * Indices that are gone through together, the last fastest: one dimension as
 * long as their product.  Those of length 1 are left out.
 */
struct asl_axis {
	int count, index[ASL_MOST_INDICES];
	uint64_t len;
};

/* The indices of a set, in the order that a term has them in. */
struct asl_axis asl_axis_of(const struct asl_term *t, uint32_t set,
			    const uint64_t *len);

/* Lie its points in equal steps, and how wide are these?  One point: 1. */
bool asl_axis_even(const struct asl_axis *axis, const struct asl_view *x,
		   const uint64_t *len, uint64_t *step);

/* The steps of an axis that has even ones. */
uint64_t asl_axis_step(const struct asl_axis *axis, const struct asl_view *x,
		       const uint64_t *len);

/* How far from x->at a point of the axis is. */
uint64_t asl_axis_offset(const struct asl_axis *axis, const struct asl_view *x,
			 const uint64_t *len, uint64_t point);

/*
 * dst = src, which have the same indices.  By way of a tile, into which a block
 * is read in the order of src and out of which it is written in that of dst:
 * every word is read once and written once.
 */
void asl_permute(struct asl_rank *r, const struct asl_view *dst,
		 const struct asl_view *src, const uint64_t *len);
void asl_permute_predict(struct asl_counts *x, enum asl_where dst,
			 enum asl_where src, uint64_t words);
uint64_t asl_permute_room(const struct asl_view *dst,
			  const struct asl_view *src, const uint64_t *len,
			  uint64_t cache);

#endif
