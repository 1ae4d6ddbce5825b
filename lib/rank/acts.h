/*
 * acts.h -- for the verbs only: is this done, or has it been done?
 */
#ifndef ASL_ACTS_H
#define ASL_ACTS_H

#include "lib/rank/resume.h"

/* Panels of operands, which can be made again at any time. */
static inline bool asl_is_gather(enum asl_phase phase)
{
	return phase == ASL_GATHER || phase == ASL_SHIFT;
}

/* Loading, storing, computing. */
static inline bool asl_does_tiles(const struct asl_rank *r)
{
	return !r->resume || r->resume->tiles;
}

/* Copying, adding, sending, receiving. */
static inline bool asl_does_moves(const struct asl_rank *r,
				  enum asl_phase phase)
{
	return !r->resume || r->resume->moves ||
	       (r->resume->gathers && asl_is_gather(phase));
}

/* So much is really moved, if it is. */
void asl_resume_count(struct asl_rank *r, enum asl_phase phase,
		      enum asl_counter counter, uint64_t n);

/* A tile is about to be stored. */
void asl_resume_store(struct asl_rank *r, const struct asl_block *dst,
		      const struct asl_tile *src);

/* A walk takes and gives nothing, but keeps books. */
void asl_walk_take(struct asl_rank *r, double **at, enum asl_where where,
		   uint64_t count);
void asl_walk_give(struct asl_rank *r, enum asl_where where, uint64_t count);

#endif
