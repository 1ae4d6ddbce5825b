/*
 * verbs.h -- for verbs: counting, timing, and whether they act on a resumed run
 */
#ifndef ASL_VERBS_H
#define ASL_VERBS_H

#include "lib/rank/rank.h"
#include "lib/rank/resume.h"

/* Add to the ledger and, in phases that count, to the clocks. */
void asl_charge(struct asl_rank *r, enum asl_counter counter, uint64_t n);

/* Charge `runs` contiguous runs of `run` words each. */
void asl_charge_runs(struct asl_rank *r, enum asl_counter counter,
		     uint64_t runs, uint64_t run);

/* Raise the high-water marks to the words held now. */
void asl_note_high(struct asl_rank *r);

/* Advance the steps that overlap with computing; false: none is left. */
bool asl_overlap_poll(struct asl_rank *r);

enum asl_verb { ASL_COMPUTES, ASL_TALKS, ASL_MOVES };

/* Add seconds to the current phase and to the verb's kind. */
void asl_time_add(struct asl_rank *r, enum asl_verb verb, double s);

/* Add the time since then, and wait until emulated words have taken theirs. */
void asl_time_since(struct asl_rank *r, enum asl_verb verb, double since);

/* Must verbs on tiles act: load, store, compute? */
static inline bool asl_does_tiles(const struct asl_rank *r)
{
	return !r->resume || r->resume->tiles;
}

/* Must verbs that copy, add, send or receive act?  Panels can be made again. */
static inline bool asl_does_moves(const struct asl_rank *r,
				  enum asl_phase phase)
{
	bool gathers = phase == ASL_GATHER || phase == ASL_SHIFT;

	return !r->resume || r->resume->moves ||
	       (r->resume->gathers && gathers);
}

/* Count words that were really moved, unless this verb does not act. */
void asl_resume_count(struct asl_rank *r, enum asl_phase phase,
		      enum asl_counter counter, uint64_t n);

/* Log a block before a tile that was loaded from it is stored to it. */
void asl_resume_store(struct asl_rank *r, const struct asl_block *dst,
		      const struct asl_tile *src);

/* During a dry run: note memory taken and given; *at is made unique. */
void asl_resume_take(struct asl_rank *r, double **at, enum asl_where where,
		     uint64_t count);
void asl_resume_give(struct asl_rank *r, enum asl_where where, uint64_t count);

#endif
