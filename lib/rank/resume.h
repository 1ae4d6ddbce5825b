/*
 * resume.h -- resume a run that was interrupted at any moment
 *
 * An algorithm is a sequence of verbs that never depends on the numbers that they
 * move.  So a resumed run executes it from the beginning; verbs whose effect is
 * in the pool already, or no longer needed, only count.  The pool alone survives
 * an interruption; DRAM, caches and messages are lost.  An algorithm reports its
 * progress by three kinds of marks:
 *
 * epoch	No verb before it is ever repeated.  Outside the pool the algorithm
 *		needs nothing afterwards but the words that it lists, which are
 *		dumped to the pool and restored from there.
 * round	An epoch, except for words that phases `gather` and `shift` have
 *		moved since the last epoch: the algorithm needs these panels.
 *		They are gathered and shifted again, from words that do not change.
 * commit	For this rank alone, within a mark: verbs on tiles before it are
 *		not repeated.
 *
 * Without r->resume they do nothing.  An algorithm with marks promises:
 *
 *	All ranks of the plan pass all epochs and rounds, equally often, with no
 *	message in flight and no step that overlaps.  From a mark to the next:
 *
 *	(1) Verbs that copy, add, send and receive can be repeated from the mark
 *	on: no word of the pool that they read is written later, by them or on
 *	tiles, except with its own value.  (Gathers and shifts: from the last epoch
 *	on.)  Otherwise there is a mark between reading and writing.
 *
 *	(2) At a commit all words that were computed on tiles since the mark lie
 *	in the pool, not in tiles or in DRAM, and no message has carried any of
 *	them before they did.  Tiles begin anew afterwards.
 *
 *	(3) A tile that is stored to a block was loaded from exactly that block
 *	since the last commit, or from no word of it.  (In the first case the block
 *	is logged before; otherwise nothing is.)
 *
 * Where a run resumes.  A rank has prepared a mark when its record of it is
 * durable, and begun it when all ranks have prepared it: a barrier lies between
 * the two.  So all ranks have prepared the minimum mark E of all ranks, and none
 * has begun a later one: a rank that has prepared E + 1 has done nothing since,
 * and goes back.  Everything up to E is durable, and by (1) still is as at E.
 * Within E this rank has n commits: by (2) their tiles are in the pool; blocks
 * stored since the n-th are restored from the log or, by (3), not read before
 * they are stored again.
 *
 * Pieces of the pool are known by the order in which they are taken, in every run
 * alike (nvm/store.h); a piece that is given stays until the next mark has begun.
 *
 * All verbs are counted, once.  Words really moved, since the first start, are
 * counted in the pool by plain stores, which survive a killed process: the
 * difference was repeated.
 */
#ifndef ASL_RESUME_H
#define ASL_RESUME_H

#include "lib/rank/rank.h"

/* ---- For algorithms ---- */

/* `live`: the words that the algorithm needs afterwards. */
void asl_mark_epoch(struct asl_rank *r, const struct asl_words *live,
		    int count);
void asl_mark_round(struct asl_rank *r);

/* `done` has just been stored; outside the pool nothing happens. */
void asl_mark_commit(struct asl_rank *r, const struct asl_block *done);

/* Suspend commits while words computed on tiles lie in DRAM (2); holds nest. */
void asl_mark_hold(struct asl_rank *r);
void asl_mark_release(struct asl_rank *r);

/*
 * Log a block that was read since the mark and is about to be written by a copy
 * or an addition, against (1).  Blocks outside the pool need no log.  There must
 * be no commits in between.
 */
void asl_mark_save(struct asl_rank *r, const struct asl_block *block);

/* Still replaying completed verbs: values in memory are meaningless. */
bool asl_replaying(const struct asl_rank *r);

/*
 * While replaying: the outcome at the mark where the run resumes, which then is
 * r->outcome again.  It tells an algorithm that iterates until it converges how
 * often it did.
 */
const struct asl_outcome *asl_outcome_at_restart(const struct asl_rank *r);

/* ---- For lib/run ---- */

/* The pool that an algorithm needs, in doubles, found out by a dry run. */
struct asl_resume_needs {
	uint64_t words; /* maximum taken and not released */
	int pieces;
	uint64_t live, log; /* maximum dumped at a mark; maximum logged */
};

struct asl_resume {
	struct asl_store *store; /* NULL: a dry run */
	struct asl_resume_record *record;
	int ranks; /* of the plan */

	/* Progress of this run. */
	uint64_t mark, commits;
	uint64_t epoch; /* the last mark that was an epoch */

	/* Where verbs begin to act. */
	uint64_t from_mark, from_epoch, from_commits;

	/* Do verbs act now, by kind? */
	bool gathers, moves, tiles;

	struct asl_resume_needs needs;
	uint64_t logged;
	int holds;
	/* Dry run: next address; words and pieces taken; given but not released. */
	uint64_t next, words, given;
	int pieces, given_pieces;
};

/* Make a dry run with r, whose stores are null stores. */
void asl_resume_dry_run(struct asl_resume *x, struct asl_rank *r);

/* Words that the log and the dumps take in the pool. */
static inline uint64_t asl_resume_log_words(const struct asl_resume_needs *x)
{
	return 2 * x->live + x->log;
}

/* For a rank of a plan with so many, with this pool. */
void asl_resume_open(struct asl_resume *x, struct asl_store *pool,
		     const struct asl_resume_needs *needs, int ranks);

/* The state of the pool. */
struct asl_resume_found {
	uint64_t mark;	 /* prepared */
	uint64_t begun;	 /* mark, the one before, or 0 */
	uint64_t starts; /* 0: the pool is new */
	bool finished;
};

/* 0, or -EINVAL: the pool is damaged. */
int asl_resume_look(struct asl_resume_found *out, const struct asl_resume *x);

/* Resume from the mark that all agree on; 0: begin anew.  -EINVAL: damaged. */
int asl_resume_begin(struct asl_resume *x, uint64_t mark, uint64_t start);

/* Keep the checksum of the operands that were just filled. */
void asl_resume_note(struct asl_resume *x, uint64_t check);

/* The run is complete; the pool only has to be removed. */
void asl_resume_finish(struct asl_resume *x);

/* Since the first start: words moved in phases that count, and words logged. */
struct asl_resumed {
	uint64_t starts; /* 0: the run cannot be resumed */
	struct asl_counts moved;
	uint64_t safety_words;
};

struct asl_resumed asl_resume_moved(const struct asl_resume *x);

/* ---- For verbs ---- */

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
		     uint64_t doubles);
void asl_resume_give(struct asl_rank *r, enum asl_where where,
		     uint64_t doubles);

/*
 * ---- The record of a run in its pool ----
 *
 * It has the records of the last two marks that were prepared, by parity of the
 * mark: while one is written the other is complete.  Beside each is a word for
 * the mark's progress, which can only be old or new: prepared, begun, n commits.
 * Before a record is written this word says `prepared`, which tells a torn record
 * from a damaged one.
 */

struct asl_mark_record {
	uint64_t mark, epoch;	   /* 0: none */
	uint64_t live, live_check; /* words dumped */
	double clock[ASL_ACCOUNTINGS];
	struct asl_outcome outcome;
	uint64_t check; /* of all fields before */
};

struct asl_resume_record {
	uint64_t starts, finished;
	uint64_t operands;    /* their checksum; 0: unknown */
	uint64_t progress[2]; /* by parity of the mark, as are the next */
	struct asl_mark_record of_mark[2];
	/* Plain stores: */
	uint64_t moved[ASL_COUNTERS], safety_words;
};

_Static_assert(sizeof(struct asl_resume_record) <=
		       ASL_STORE_RECORD * sizeof(uint64_t),
	       "a store keeps so many words");

#endif
