/*
 * charge.h -- for the verbs only: how they count, and how they time themselves
 */
#ifndef ASL_CHARGE_H
#define ASL_CHARGE_H

#include "lib/rank/rank.h"

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
bool asl_behind_look(struct asl_rank *r);

enum asl_verb { ASL_COMPUTES, ASL_TALKS, ASL_MOVES };

/* So many seconds went there. */
void asl_book(struct asl_rank *r, enum asl_verb verb, double s);

/* Book what went there since then; what was charged meanwhile keeps its pace. */
void asl_spent(struct asl_rank *r, enum asl_verb verb, double since);

#endif
