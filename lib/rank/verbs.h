/*
 * verbs.h -- for the verbs only: is this done, or has it been done?
 */
#ifndef ASL_VERBS_H
#define ASL_VERBS_H

#include "lib/rank/rank.h"
#include "lib/rank/resume.h"

/*
 * For the verbs only: how they count, and how they time themselves
 */

/* Add to the ledger and, in phases that count, to the clocks. */
void asl_charge(struct asl_rank *r, enum asl_counter counter, uint64_t n);

/* The same for words that lie in so many runs. */
void asl_charge_runs(struct asl_rank *r, enum asl_counter counter,
		     uint64_t runs, uint64_t run);
void asl_charge_block(struct asl_rank *r, enum asl_counter counter,
		      const struct asl_block *x);

/* More is held than before: raise the high-water marks. */
void asl_note_high(struct asl_rank *r);

/* Room in a memory; returns the words taken, 0 after an error. */
uint64_t asl_take_words(struct asl_rank *r, double **at, enum asl_where where,
			uint64_t count);
void asl_give_words(struct asl_rank *r, double *at, enum asl_where where);

/* Move on what is sent behind; is there more to come? */
bool asl_overlap_poll(struct asl_rank *r);

enum asl_verb { ASL_COMPUTES, ASL_TALKS, ASL_MOVES };

/* So many seconds went there. */
void asl_time_add(struct asl_rank *r, enum asl_verb verb, double s);

/* Book what went there since then; what was charged meanwhile keeps its pace. */
void asl_time_since(struct asl_rank *r, enum asl_verb verb, double since);

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
