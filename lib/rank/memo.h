/*
 * memo.h -- what a pool remembers of a run, in the words that its store keeps
 *
 * Two records, of the last two marks that were prepared, each in the place of
 * its parity: while one is written the other is whole.  Beside each record how
 * far the mark has come, a word of its own, which can only be old or new:
 * prepared, begun, n commits.  Before a record is written this word says
 * `prepared`, so that a record that is torn is known from one that is damaged.
 */
#ifndef ASL_MEMO_H
#define ASL_MEMO_H

#include "lib/rank/resume.h"

struct asl_record {
	uint64_t mark, epoch;	   /* 0: none */
	uint64_t live, live_check; /* words dumped */
	double clock[ASL_ACCOUNTINGS];
	struct asl_outcome outcome;
	uint64_t check; /* of all before */
};

struct asl_memo {
	uint64_t lives, finished;
	uint64_t operands;    /* their check; 0: not known */
	uint64_t progress[2]; /* by parity of the mark, as are the records */
	struct asl_record record[2];
	/* Plain stores: */
	uint64_t moved[ASL_COUNTERS], safety_words;
};

_Static_assert(sizeof(struct asl_memo) <= ASL_STORE_MEMO * sizeof(uint64_t),
	       "a store keeps so many words");

/* 1 + commits of a mark that has begun; 0: prepared.  False: damaged. */
bool asl_progress_read(uint64_t *begun, const struct asl_memo *m,
		       uint64_t mark);
void asl_progress_write(struct asl_resume *x, uint64_t mark, uint64_t begun);

/* The record of a mark; NULL: it is not there. */
const struct asl_record *asl_record_of(const struct asl_memo *m, uint64_t mark);
void asl_record_write(struct asl_resume *x, const struct asl_record *record);

/* Words of the memo, or of the safe, written for no other reason. */
void asl_memo_settle(struct asl_resume *x, void *at, uint64_t words);

/* ---- The log ---- */

/* Words of an entry beside the block's own. */
enum { ASL_LOG_ENTRY = 8 };

/* Put back what was logged since the commit, or since the mark began. */
void asl_log_undo(struct asl_resume *x);

/* None of what was logged is to be put back. */
void asl_log_clear(struct asl_resume *x);

/* Save a block of the pool, which is about to be written. */
void asl_log_save(struct asl_resume *x, const struct asl_block *block);

#endif
