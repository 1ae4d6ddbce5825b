/*
 * memo.c -- records of a run, and the log, in its pool
 */
#include "lib/rank/memo.h"

#include <stddef.h>
#include <string.h>

void asl_memo_settle(struct asl_resume *x, void *at, uint64_t words)
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

bool asl_progress_read(uint64_t *begun, const struct asl_memo *m, uint64_t mark)
{
	uint64_t said = m->progress[mark % 2];

	*begun = said & 0xffffffff;
	return progress_of(mark, *begun) == said;
}

void asl_progress_write(struct asl_resume *x, uint64_t mark, uint64_t begun)
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

const struct asl_record *asl_record_of(const struct asl_memo *m, uint64_t mark)
{
	const struct asl_record *record = &m->record[mark % 2];

	return mark && record->mark == mark && record->check == check_of(record)
		       ? record
		       : NULL;
}

void asl_record_write(struct asl_resume *x, const struct asl_record *record)
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
	return asl_store_safe(x->store) + 2 * x->needs.live;
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

void asl_log_undo(struct asl_resume *x)
{
	undo_from(x, 0);
}

void asl_log_clear(struct asl_resume *x)
{
	if (!x->needs.log)
		return;
	memset(begin_of_log(x), 0, sizeof(struct entry));
	asl_memo_settle(x, begin_of_log(x), ASL_LOG_ENTRY);
}

void asl_log_save(struct asl_resume *x, const struct asl_block *block)
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
