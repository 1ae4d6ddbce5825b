/*
 * resume.c -- marks: preparing them, beginning them, going on from one
 */
#include "lib/rank/resume.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/rank/verbs.h"

static void asl_log_clear(struct asl_resume *x);

static void asl_log_save(struct asl_resume *x, const struct asl_block *block);

static void asl_log_undo(struct asl_resume *x);

static void asl_memo_settle(struct asl_resume *x, void *at, uint64_t words);

static bool asl_progress_read(uint64_t *begun, const struct asl_memo *m,
			      uint64_t mark);

static void asl_progress_write(struct asl_resume *x, uint64_t mark,
			       uint64_t begun);

static const struct asl_record *asl_record_of(const struct asl_memo *m,
					      uint64_t mark);

static void asl_record_write(struct asl_resume *x,
			     const struct asl_record *record);

static bool walks(const struct asl_resume *x)
{
	return !x->store;
}

/* ---- Which verbs are done ---- */

static void aim(struct asl_resume *x)
{
	if (walks(x))
		return;
	x->gathers = x->mark >= x->from_epoch;
	x->moves = x->mark >= x->from_mark;
	x->tiles = x->mark > x->from_mark ||
		   (x->moves && x->commits >= x->from_commits);
	asl_store_skip(x->store, !x->gathers);
}

bool asl_replaying(const struct asl_rank *r)
{
	return r->resume && !r->resume->moves;
}

const struct asl_outcome *asl_outcome_at_restart(const struct asl_rank *r)
{
	const struct asl_resume *x = r->resume;

	return &asl_record_of(x->memo, x->from_mark)->outcome;
}

void asl_resume_count(struct asl_rank *r, enum asl_phase phase,
		      enum asl_counter counter, uint64_t n)
{
	struct asl_resume *x = r->resume;
	bool of_tiles = counter == ASL_NVM_READ || counter == ASL_NVM_WRITE ||
			counter == ASL_DRAM_READ || counter == ASL_DRAM_WRITE ||
			counter == ASL_FLOPS;

	if (!walks(x) &&
	    (of_tiles ? asl_does_tiles(r) : asl_does_moves(r, phase)))
		x->memo->moved[counter] += n;
}

/* ---- Marks ---- */

/* All ranks of the plan are here: after s steps, those up to 2^s - 1 places back. */
static void meet(struct asl_rank *r)
{
	int P = r->resume->ranks, err = 0;
	uint64_t said = r->resume->mark, heard;

	for (int far = 1; !err && far < P; far *= 2) {
		struct asl_net_op op = {
			.to = (r->id + far) % P,
			.from = (r->id - far + P) % P,
			.out = &said,
			.in = &heard,
			.out_bytes = sizeof said,
			.in_bytes = sizeof heard,
		};

		err = asl_net_start(r->net, &op);
		if (!err)
			err = asl_net_wait(r->net, &op);
		if (!err && heard != said) {
			asl_rank_fail(r, -ENOTRECOVERABLE,
				      "rank %d is at mark %ju, this one at %ju",
				      op.from, (uintmax_t)heard,
				      (uintmax_t)said);
			return;
		}
	}
	if (err)
		asl_rank_fail(r, err, "%s", asl_failure());
}

static double *dump_of(const struct asl_resume *x, uint64_t mark)
{
	return asl_store_log(x->store) + mark % 2 * x->needs.live;
}

static void dump(struct asl_resume *x, struct asl_record *record,
		 const struct asl_words *live, int count)
{
	double *to = dump_of(x, x->mark);

	for (int i = 0; i < count; i++) {
		if (live[i].where == ASL_POOL || !live[i].count)
			continue;
		asl_store_write(x->store, to + record->live, live[i].count,
				live[i].at, live[i].count, 1, live[i].count);
		record->live += live[i].count;
	}
	record->live_check =
		asl_store_check(to, record->live * sizeof *to, record->live);
	x->memo->safety_words += record->live;
}

static void prepare(struct asl_rank *r, const struct asl_words *live, int count)
{
	struct asl_resume *x = r->resume;
	struct asl_record record = {.mark = x->mark, .epoch = x->epoch};

	memcpy(record.clock, r->clock.at, sizeof record.clock);
	record.outcome = r->outcome;
	dump(x, &record, live, count);
	asl_record_write(x, &record);
}

static void begin(struct asl_resume *x)
{
	asl_progress_write(x, x->mark, 1);
	asl_store_release(x->store);
	x->logged = 0;
}

/* The words come back in the order in which they were dumped. */
static void restore(struct asl_rank *r, const struct asl_words *live, int count)
{
	struct asl_resume *x = r->resume;
	const struct asl_record *record = asl_record_of(x->memo, x->mark);
	const double *from = dump_of(x, x->mark);

	memcpy(r->clock.at, record->clock, sizeof record->clock);
	r->outcome = record->outcome;
	if (asl_store_check(from, record->live * sizeof *from, record->live) !=
	    record->live_check) {
		asl_rank_fail(r, -EINVAL,
			      "rank %d's pool is damaged: words dumped at mark "
			      "%ju are not as they were written",
			      r->id, (uintmax_t)x->mark);
		return;
	}
	for (int i = 0; i < count; i++) {
		if (live[i].where == ASL_POOL || !live[i].count)
			continue;
		memcpy(live[i].at, from, live[i].count * sizeof *from);
		from += live[i].count;
	}
	asl_store_release(x->store);
}

/* What is given goes now; what is written down is counted. */
static void walk_mark(struct asl_resume *x, const struct asl_words *live,
		      int count)
{
	uint64_t words = 0;

	for (int i = 0; i < count; i++)
		words += live[i].where == ASL_POOL ? 0 : live[i].count;
	x->needs.live = asl_max(x->needs.live, words);
	x->words -= x->given;
	x->pieces -= x->given_pieces;
	x->given = 0;
	x->given_pieces = 0;
	x->logged = 0;
}

static void pass(struct asl_rank *r, bool is_epoch,
		 const struct asl_words *live, int count)
{
	struct asl_resume *x = r->resume;

	if (!x || r->err)
		return;
	assert(!r->behind);
	x->mark++;
	x->commits = 0;
	if (is_epoch)
		x->epoch = x->mark;
	if (walks(x)) {
		walk_mark(x, live, count);
	} else if (x->mark > x->from_mark) {
		prepare(r, live, count);
		meet(r);
		if (!r->err)
			begin(x);
	} else if (x->mark == x->from_mark) {
		restore(r, live, count);
	} else {
		asl_store_release(x->store);
	}
	aim(x);
}

void asl_mark_epoch(struct asl_rank *r, const struct asl_words *live, int count)
{
	pass(r, true, live, count);
}

void asl_mark_round(struct asl_rank *r)
{
	pass(r, false, NULL, 0);
}

void asl_mark_commit(struct asl_rank *r, const struct asl_block *done)
{
	struct asl_resume *x = r->resume;

	if (!x || r->err || x->holds || done->where != ASL_POOL)
		return;
	x->commits++;
	if (x->tiles)
		asl_progress_write(x, x->mark, 1 + x->commits);
	if (x->tiles || walks(x))
		x->logged = 0;
	aim(x);
}

void asl_mark_hold(struct asl_rank *r)
{
	if (r->resume)
		r->resume->holds++;
}

void asl_release(struct asl_rank *r)
{
	if (r->resume)
		r->resume->holds--;
}

/* ---- Writes that destroy what they were made of ---- */

/* `does`: it is going to be written. */
static void save(struct asl_resume *x, const struct asl_block *block, bool does)
{
	if (!block->rows || !block->cols)
		return;
	if (does) {
		asl_log_save(x, block);
	} else if (walks(x)) {
		x->logged += ASL_LOG_ENTRY + block->rows * block->cols;
		x->needs.log = asl_max(x->needs.log, x->logged);
	}
}

void asl_resume_store(struct asl_rank *r, const struct asl_block *dst,
		      const struct asl_tile *src)
{
	if (dst->where == ASL_POOL && dst->at && src->from == dst->at)
		save(r->resume, dst, r->resume->tiles);
}

void asl_mark_save(struct asl_rank *r, const struct asl_block *block)
{
	if (r->resume && !r->err && block->where == ASL_POOL)
		save(r->resume, block, r->resume->moves);
}

/* ---- A walk ---- */

void asl_resume_walk(struct asl_resume *x, struct asl_rank *r)
{
	*x = (struct asl_resume){.next = UINT64_C(1) << 40};
	r->resume = x;
}

void asl_walk_take(struct asl_rank *r, double **at, enum asl_where where,
		   uint64_t count)
{
	struct asl_resume *x = r->resume;

	if (!walks(x))
		return;
	/* Distinct addresses, so that it is seen what is stored where. */
	*at = (double *)(uintptr_t)x->next;
	x->next += (count + 8) * sizeof(double);
	if (where != ASL_POOL)
		return;
	x->words += count;
	x->pieces++;
	x->needs.words = asl_max(x->needs.words, x->words);
	x->needs.pieces =
		x->needs.pieces > x->pieces ? x->needs.pieces : x->pieces;
}

void asl_walk_give(struct asl_rank *r, enum asl_where where, uint64_t count)
{
	struct asl_resume *x = r->resume;

	if (!walks(x) || where != ASL_POOL)
		return;
	x->given += count;
	x->given_pieces++;
}

/* ---- A life ---- */

uint64_t asl_resume_room(const struct asl_resume_needs *needs)
{
	return 2 * needs->live + needs->log;
}

void asl_resume_open(struct asl_resume *x, struct asl_store *pool,
		     const struct asl_resume_needs *needs, int ranks)
{
	*x = (struct asl_resume){
		.store = pool,
		.memo = asl_store_record(pool),
		.ranks = ranks,
		.needs = *needs,
	};
}

static bool is_clear(const struct asl_record *record)
{
	const unsigned char *at = (const void *)record;

	for (size_t i = 0; i < sizeof *record; i++)
		if (at[i])
			return false;
	return true;
}

/*
 * What is in the place of the next record, beside that of `mark`: the one before,
 * nothing, or what became of it when it was being written.
 */
static bool is_sound(const struct asl_memo *m, uint64_t mark)
{
	uint64_t begun;

	return asl_record_of(m, mark - 1) ||
	       is_clear(&m->record[(mark + 1) % 2]) ||
	       (asl_progress_read(&begun, m, mark + 1) && begun == 0);
}

int asl_resume_look(struct asl_resume_found *out, const struct asl_resume *x,
		    const char **where)
{
	const struct asl_memo *m = x->memo;
	uint64_t mark = 0, begun = 0;

	for (int i = 0; i < 2; i++)
		if (asl_record_of(m, m->record[i].mark))
			mark = asl_max(mark, m->record[i].mark);
	*where = "its record is not as it was written";
	if (mark ? !is_sound(m, mark) || !asl_progress_read(&begun, m, mark) ||
			    !m->lives
		 : !is_sound(m, 0) || !is_clear(&m->record[0]))
		return -EINVAL;
	if (m->finished > 1)
		return -EINVAL;
	*out = (struct asl_resume_found){
		.mark = mark,
		.begun = begun	? mark
			 : mark ? mark - 1
				: 0,
		.lives = m->lives,
		.finished = m->finished,
	};
	return 0;
}

static void live(struct asl_resume *x, uint64_t life)
{
	x->memo->lives = life;
	asl_memo_settle(x, &x->memo->lives, 1);
}

/* Words that nothing is known of: the pool was made, or filled. */
static void start(struct asl_resume *x, uint64_t life)
{
	memset(x->memo, 0, sizeof *x->memo);
	asl_memo_settle(x, x->memo, sizeof *x->memo / sizeof(uint64_t));
	asl_log_clear(x);
	live(x, life);
	aim(x);
}

/* Back from a mark that others have not prepared, before anything is undone. */
static void go_back(struct asl_resume *x, uint64_t mark)
{
	struct asl_record *record = &x->memo->record[mark % 2];

	memset(record, 0, sizeof *record);
	asl_memo_settle(x, record, sizeof *record / sizeof(uint64_t));
}

int asl_resume_begin(struct asl_resume *x, uint64_t mark, uint64_t life,
		     const char **where)
{
	const struct asl_record *record = asl_record_of(x->memo, mark);
	uint64_t begun;

	if (!mark) {
		start(x, life);
		return 0;
	}
	*where = "its record is not as it was written";
	if (!record || !asl_progress_read(&begun, x->memo, mark))
		return -EINVAL;
	if (asl_record_of(x->memo, mark + 1))
		go_back(x, mark + 1);
	x->from_mark = mark;
	x->from_epoch = record->epoch;
	x->from_commits = begun ? begun - 1 : 0;
	asl_log_undo(x);
	if (!begun)
		asl_progress_write(x, mark, 1);
	live(x, life);
	aim(x);
	return 0;
}

void asl_resume_note(struct asl_resume *x, uint64_t check)
{
	x->memo->operands = check;
	asl_memo_settle(x, &x->memo->operands, 1);
}

uint64_t asl_resume_noted(const struct asl_resume *x)
{
	return x->memo->operands;
}

void asl_resume_finish(struct asl_resume *x)
{
	x->memo->finished = 1;
	asl_memo_settle(x, &x->memo->finished, 1);
}

struct asl_resumed asl_resume_moved(const struct asl_resume *x)
{
	struct asl_resumed out = {
		.lives = x->memo->lives,
		.safety_words = x->memo->safety_words,
	};

	memcpy(out.moved.of, x->memo->moved, sizeof out.moved.of);
	return out;
}

/*
 * Records of a run, and the log, in its pool
 */

/* Words of the memo, or of the safe, written for no other reason. */
static void asl_memo_settle(struct asl_resume *x, void *at, uint64_t words)
{
	asl_store_settle(x->store, at, words);
	x->memo->safety_words += words;
}

/* ---- How far a mark has come ---- */

/* 32 bits of it, 16 of the mark, and 16 to check them. */
static uint64_t progress_of(uint64_t mark, uint64_t begun)
{
	uint64_t low = (mark & 0xffff) << 32 | (begun & 0xffffffff);
	uint64_t of[] = {mark, begun};

	return low | asl_store_check(of, sizeof of, 0) << 48;
}

/* 1 + commits of a mark that has begun; 0: prepared.  False: damaged. */
static bool asl_progress_read(uint64_t *begun, const struct asl_memo *m,
			      uint64_t mark)
{
	uint64_t said = m->progress[mark % 2];

	*begun = said & 0xffffffff;
	return progress_of(mark, *begun) == said;
}

static void asl_progress_write(struct asl_resume *x, uint64_t mark,
			       uint64_t begun)
{
	uint64_t *at = &x->memo->progress[mark % 2];

	__atomic_store_n(at, progress_of(mark, begun), __ATOMIC_RELEASE);
	asl_memo_settle(x, at, 1);
}

/* ---- Records ---- */

static uint64_t check_of(const struct asl_record *record)
{
	return asl_store_check(record, offsetof(struct asl_record, check), 1);
}

/* The record of a mark; NULL: it is not there. */
static const struct asl_record *asl_record_of(const struct asl_memo *m,
					      uint64_t mark)
{
	const struct asl_record *record = &m->record[mark % 2];

	return mark && record->mark == mark && record->check == check_of(record)
		       ? record
		       : NULL;
}

static void asl_record_write(struct asl_resume *x,
			     const struct asl_record *record)
{
	struct asl_record *at = &x->memo->record[record->mark % 2];

	asl_progress_write(x, record->mark, 0);
	*at = *record;
	at->check = check_of(record);
	asl_memo_settle(x, at, sizeof *at / sizeof(uint64_t));
}

/* ---- The log ---- */

/* Words follow, row after row. */
struct entry {
	uint64_t mark, commits;
	uint64_t at; /* bytes from the memo */
	uint64_t rows, cols, ld;
	uint64_t spare, check;
};

_Static_assert(sizeof(struct entry) == ASL_LOG_ENTRY * sizeof(double),
	       "as asl_resume_store counts it");

static double *begin_of_log(const struct asl_resume *x)
{
	return asl_store_log(x->store) + 2 * x->needs.live;
}

static uint64_t check_entry(const struct entry *e, const double *words)
{
	uint64_t check = asl_store_check(e, offsetof(struct entry, check), 2);

	return asl_store_check(words, e->rows * e->cols * sizeof *words, check);
}

/* An entry at the log's word `at` that is to be put back; false: no more. */
static bool read_entry(struct entry *e, const struct asl_resume *x, uint64_t at)
{
	const double *log = begin_of_log(x) + at;
	uint64_t left = x->needs.log - at;

	if (left < ASL_LOG_ENTRY)
		return false;
	memcpy(e, log, sizeof *e);
	if (e->mark != x->from_mark || e->commits != x->from_commits ||
	    e->rows > left || e->cols > left ||
	    (e->cols && e->rows > (left - ASL_LOG_ENTRY) / e->cols))
		return false;
	return e->check == check_entry(e, log + ASL_LOG_ENTRY);
}

/* A block was saved once, or several times as something in between: last first. */
static void undo_from(struct asl_resume *x, uint64_t at)
{
	struct entry e;
	void *to;

	if (!read_entry(&e, x, at))
		return;
	undo_from(x, at + ASL_LOG_ENTRY + e.rows * e.cols);
	to = (char *)x->memo + e.at;
	asl_store_write(x->store, to, e.ld,
			begin_of_log(x) + at + ASL_LOG_ENTRY, e.cols, e.rows,
			e.cols);
	x->memo->safety_words += e.rows * e.cols;
}

/* Put back what was logged since the commit, or since the mark began. */
static void asl_log_undo(struct asl_resume *x)
{
	undo_from(x, 0);
}

/* None of what was logged is to be put back. */
static void asl_log_clear(struct asl_resume *x)
{
	if (!x->needs.log)
		return;
	memset(begin_of_log(x), 0, sizeof(struct entry));
	asl_memo_settle(x, begin_of_log(x), ASL_LOG_ENTRY);
}

/* Save a block of the pool, which is about to be written. */
static void asl_log_save(struct asl_resume *x, const struct asl_block *block)
{
	uint64_t words = block->rows * block->cols;
	double *log = begin_of_log(x) + x->logged;
	struct entry e = {
		.mark = x->mark,
		.commits = x->commits,
		.at = (uint64_t)((char *)block->at - (char *)x->memo),
		.rows = block->rows,
		.cols = block->cols,
		.ld = block->ld,
	};

	asl_store_write(x->store, log + ASL_LOG_ENTRY, block->cols, block->at,
			block->ld, block->rows, block->cols);
	e.check = check_entry(&e, log + ASL_LOG_ENTRY);
	asl_store_write(x->store, log, ASL_LOG_ENTRY, (const double *)&e,
			ASL_LOG_ENTRY, 1, ASL_LOG_ENTRY);
	x->memo->safety_words += ASL_LOG_ENTRY + words;
	x->logged += ASL_LOG_ENTRY + words;
}
