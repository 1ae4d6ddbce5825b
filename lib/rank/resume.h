/*
 * resume.h -- going on with a run that was ended at any moment
 *
 * The text of an algorithm is a sequence of verbs that never depends on the
 * numbers that they move.  So a run that is gone on with walks through its text
 * from the beginning; verbs whose effect is in the pool already, or is needed no
 * more, only count.  The pool is the only thing that outlasts a run: what was in
 * DRAM, in caches and in messages is gone.  A text says how far it has come, by
 * three marks:
 *
 * epoch	What lies before it is never done again.  Of all that is not in
 *		the pool, the text needs nothing afterwards but the words that it
 *		lists, which are dumped there, and then read back.
 * round	The same, but for what phases `gather` and `shift` have moved since
 *		the last epoch: these panels the text does need afterwards.  They
 *		are gathered and shifted again, from words that do not change.
 * commit	Of this rank alone, within an epoch: verbs on tiles before it are
 *		not done again.
 *
 * Without r->resume they do nothing.  What a text promises:
 *
 *	All ranks of the plan pass all epochs and rounds, equally often, with no
 *	message in flight and nothing behind.  From a mark to the next:
 *
 *	(1) Verbs that copy, add, send and receive can be done again from the mark
 *	on: no word of the pool that they read is written later on, by them or on
 *	tiles, unless with what is in it.  (Gathers and shifts, as far back as the
 *	last epoch.)  If need be there is a mark between reading and writing.
 *
 *	(2) At a commit all that was computed on tiles since the mark lies in the
 *	pool, and not in tiles or in DRAM; and no message has carried any of it
 *	before it was there.  Tiles begin anew afterwards.
 *
 *	(3) A tile that is stored to a block was loaded from just that block since
 *	the last commit, or from no word of it.  (In the first case the block is
 *	saved in a log before; otherwise words are written without.)
 *
 * How it is found where to go on.  A mark e is prepared on a rank when its
 * record is durable, and begun when all ranks have prepared it: a barrier lies
 * between the two.  So all ranks have prepared the least mark E that any has
 * prepared, and none has begun a later one: one that has prepared E + 1 has since
 * done nothing, and goes back.  Everything up to E is durable, and by (1) can
 * be seen from E as it was.  Within E this rank has n commits: by (2) tiles of
 * these are in the pool; what was stored since the n-th is put back from the log,
 * or, by (3), is not read before it is stored again.
 *
 * Pieces of the pool are the k-th that are taken, however often (nvm/store.h);
 * what is given stays until the next mark has begun.
 *
 * Counted are all verbs, once.  What was really moved, in all lives together, is
 * counted in the pool beside it, by plain stores, which a killed process leaves
 * as they were: the difference was moved again.
 */
#ifndef ASL_RESUME_H
#define ASL_RESUME_H

#include "lib/rank/rank.h"

/* ---- For texts ---- */

void asl_mark_epoch(struct asl_rank *r, const struct asl_words *live,
		    int count);
void asl_mark_round(struct asl_rank *r);

/* `done` has just been stored; nothing, if that is not in the pool. */
void asl_mark_commit(struct asl_rank *r, const struct asl_block *done);

/*
 * Between the two there are no commits: words that were computed on tiles lie in
 * DRAM, against (2).  They nest.
 */
void asl_mark_hold(struct asl_rank *r);
void asl_release(struct asl_rank *r);

/*
 * The block has been read since the mark, and is about to be written by a copy or
 * an addition, against (1): if it is in the pool, it is saved in the log.  Where
 * this is, there are no commits.
 */
void asl_mark_save(struct asl_rank *r, const struct asl_block *block);

/* Do numbers mean nothing, because verbs are not done (yet)? */
bool asl_replaying(const struct asl_rank *r);

/*
 * While that is so: the outcome as it was at the mark that is gone on from, when
 * it becomes r->outcome again.  A text whose way depends on numbers finds it
 * again by this.
 */
const struct asl_outcome *asl_outcome_at_restart(const struct asl_rank *r);

/* ---- For who carries a plan out ---- */

/* What a text needs of its pool, as it turned out when it was walked through. */
struct asl_resume_needs {
	uint64_t words; /* taken and not let go, at a time */
	int pieces;
	uint64_t live, log; /* words dumped at a mark; logged at a time */
};

struct asl_memo;

struct asl_resume {
	struct asl_store *store; /* NULL: a walk, that finds out needs */
	struct asl_memo *memo;	 /* in the pool */
	int ranks;		 /* of the plan */

	/* Where it is in the text. */
	uint64_t mark, commits;
	uint64_t epoch; /* the last mark that was one */

	/* Where it goes on: mark, its epoch, commits. */
	uint64_t from_mark, from_epoch, from_commits;

	/* Which verbs are done here. */
	bool gathers, moves, tiles;

	struct asl_resume_needs needs;
	uint64_t logged;
	int holds;
	/* A walk: addresses, words and pieces taken; of these, given. */
	uint64_t next, words, given;
	int pieces, given_pieces;
};

/* A rank that only walks: r's stores are null stores. */
void asl_resume_walk(struct asl_resume *x, struct asl_rank *r);

/* Words to be set aside in the pool. */
uint64_t asl_resume_room(const struct asl_resume_needs *needs);

/* A rank of a plan that takes so many, with this pool. */
void asl_resume_open(struct asl_resume *x, struct asl_store *pool,
		     const struct asl_resume_needs *needs, int ranks);

/* What the pool says of the lives before. */
struct asl_resume_found {
	uint64_t mark;	/* prepared */
	uint64_t begun; /* 0 or mark, or the one before */
	uint64_t lives; /* 0: it is new */
	bool finished;
};

/* 0, or -EINVAL: the pool is damaged, and *where says where. */
int asl_resume_look(struct asl_resume_found *out, const struct asl_resume *x,
		    const char **where);

/*
 * Go on from the mark that all ranks agree on; mark 0: from nothing, as life
 * `life`.  0 or -EINVAL, likewise.
 */
int asl_resume_begin(struct asl_resume *x, uint64_t mark, uint64_t life,
		     const char **where);

/* A check of the operands, which they had when they were filled; 0: not known. */
void asl_resume_note(struct asl_resume *x, uint64_t check);
uint64_t asl_resume_noted(const struct asl_resume *x);

/* All is done, and only has to be cleared away. */
void asl_resume_finish(struct asl_resume *x);

/* Of phases that count, in all lives; and what was written for safety only. */
struct asl_resumed {
	uint64_t lives; /* 0: there is no pool to go on with */
	struct asl_counts moved;
	uint64_t safety_words;
};

struct asl_resumed asl_resume_moved(const struct asl_resume *x);

/*
 * What a pool remembers of a run, in the words that its store keeps
 *
 * Two records, of the last two marks that were prepared, each in the place of
 * its parity: while one is written the other is whole.  Beside each record how
 * far the mark has come, a word of its own, which can only be old or new:
 * prepared, begun, n commits.  Before a record is written this word says
 * `prepared`, so that a record that is torn is known from one that is damaged.
 */

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

_Static_assert(sizeof(struct asl_memo) <= ASL_STORE_RECORD * sizeof(uint64_t),
	       "a store keeps so many words");

/* ---- The log ---- */

/* Words of an entry beside the block's own. */
enum { ASL_LOG_ENTRY = 8 };

#endif
