/*
 * resume.c -- marks: prepare them, begin them, resume from one
 */
#include "lib/rank/resume.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"

static bool is_dry_run(const struct asl_resume *x)
{
	return !x->store;
}

/* Make words durable that exist only to be able to resume. */
static void settle(struct asl_resume *x, void *at, uint64_t words)
{
	asl_store_settle(x->store, at, words);
	x->record->safety_words += words;
}

/* ---- The record of a mark, and its progress ---- */

/* 32 bits of progress, 16 of the mark, and 16 to check them. */
static uint64_t progress_of(uint64_t mark, uint64_t begun)
{
	uint64_t low = (mark & 0xffff) << 32 | (begun & 0xffffffff);
	uint64_t of[] = {mark, begun};

	return low | asl_store_check(of, sizeof of, 0) << 48;
}

/* 1 + commits of a mark that has begun; 0: prepared.  False: damaged. */
static bool read_progress(uint64_t *begun, const struct asl_resume_record *m,
			  uint64_t mark)
{
	uint64_t said = m->progress[mark % 2];

	*begun = said & 0xffffffff;
	return progress_of(mark, *begun) == said;
}

static void write_progress(struct asl_resume *x, uint64_t mark, uint64_t begun)
{
	uint64_t *at = &x->record->progress[mark % 2];

	__atomic_store_n(at, progress_of(mark, begun), __ATOMIC_RELEASE);
	settle(x, at, 1);
}

static uint64_t check_of(const struct asl_mark_record *record)
{
	return asl_store_check(record, offsetof(struct asl_mark_record, check),
			       1);
}

/* NULL: it is not there. */
static const struct asl_mark_record *
record_of(const struct asl_resume_record *m, uint64_t mark)
{
	const struct asl_mark_record *record = &m->of_mark[mark % 2];

	return mark && record->mark == mark && record->check == check_of(record)
		       ? record
		       : NULL;
}

static void write_record(struct asl_resume *x,
			 const struct asl_mark_record *record)
{
	struct asl_mark_record *at = &x->record->of_mark[record->mark % 2];

	write_progress(x, record->mark, 0);
	*at = *record;
	at->check = check_of(record);
	settle(x, at, sizeof *at / sizeof(uint64_t));
}

/* ---- The log ---- */

/* The block's words follow, row after row. */
struct entry {
	uint64_t mark, commits;
	uint64_t at; /* bytes from the record */
	uint64_t rows, cols, ld;
	uint64_t type, check;
};

enum { ENTRY_WORDS = sizeof(struct entry) / sizeof(double) };

static double *log_of(const struct asl_resume *x)
{
	return asl_store_log(x->store) + 2 * x->needs.live;
}

/* The doubles that an entry's words take in the log. */
static uint64_t entry_room(const struct entry *e)
{
	return asl_type_doubles((enum asl_type)e->type, e->rows * e->cols);
}

/* Between a block and the log, one of which has the entry's `ld`. */
static struct asl_store_rows entry_rows(const struct entry *e, bool to_log)
{
	uint64_t bytes = asl_type_bytes((enum asl_type)e->type);
	uint64_t block = e->ld * bytes, log = e->cols * bytes;

	return (struct asl_store_rows){to_log ? log : block,
				       to_log ? block : log, e->rows, log};
}

static uint64_t check_entry(const struct entry *e, const double *words)
{
	uint64_t check = asl_store_check(e, offsetof(struct entry, check), 2);

	return asl_store_check(words, entry_room(e) * sizeof *words, check);
}

/* The entry at the log's word `at`; false: there is none to restore. */
static bool read_entry(struct entry *e, const struct asl_resume *x, uint64_t at)
{
	const double *log = log_of(x) + at;
	uint64_t left = x->needs.log - at;

	if (left < ENTRY_WORDS)
		return false;
	memcpy(e, log, sizeof *e);
	if (e->mark != x->from_mark || e->commits != x->from_commits ||
	    e->rows > 2 * left || e->cols > 2 * left ||
	    (e->cols && e->rows > 2 * left / e->cols) ||
	    entry_room(e) > left - ENTRY_WORDS)
		return false;
	return e->check == check_entry(e, log + ENTRY_WORDS);
}

/* Restore entries, last first: the first one of a block has its oldest words. */
static void undo_log(struct asl_resume *x, uint64_t at)
{
	struct asl_store_rows rows;
	struct entry e;

	if (!read_entry(&e, x, at))
		return;
	undo_log(x, at + ENTRY_WORDS + entry_room(&e));
	rows = entry_rows(&e, false);
	asl_store_write_bytes(x->store, (char *)x->record + e.at,
			      log_of(x) + at + ENTRY_WORDS, &rows);
	x->record->safety_words += entry_room(&e);
}

static void clear_log(struct asl_resume *x)
{
	if (!x->needs.log)
		return;
	memset(log_of(x), 0, sizeof(struct entry));
	settle(x, log_of(x), ENTRY_WORDS);
}

static void log_block(struct asl_resume *x, const struct asl_block *block)
{
	double *log = log_of(x) + x->logged;
	struct entry e = {
		.mark = x->mark,
		.commits = x->commits,
		.at = (uint64_t)((char *)block->at - (char *)x->record),
		.rows = block->rows,
		.cols = block->cols,
		.ld = block->ld,
		.type = block->type,
	};
	struct asl_store_rows rows = entry_rows(&e, true);

	asl_store_write_bytes(x->store, log + ENTRY_WORDS, block->at, &rows);
	e.check = check_entry(&e, log + ENTRY_WORDS);
	asl_store_write(x->store, log, ENTRY_WORDS, (const double *)&e,
			ENTRY_WORDS, 1, ENTRY_WORDS);
	x->record->safety_words += ENTRY_WORDS + entry_room(&e);
	x->logged += ENTRY_WORDS + entry_room(&e);
}

/* ---- Which verbs act ---- */

static void update(struct asl_resume *x)
{
	if (is_dry_run(x))
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
	return &record_of(r->resume->record, r->resume->from_mark)->outcome;
}

void asl_resume_count(struct asl_rank *r, enum asl_phase phase,
		      enum asl_counter counter, uint64_t n)
{
	struct asl_resume *x = r->resume;
	bool of_tiles = counter == ASL_NVM_READ || counter == ASL_NVM_WRITE ||
			counter == ASL_DRAM_READ || counter == ASL_DRAM_WRITE ||
			counter == ASL_FLOPS;

	if (!is_dry_run(x) &&
	    (of_tiles ? asl_does_tiles(r) : asl_does_moves(r, phase)))
		x->record->moved[counter] += n;
}

/* ---- Marks ---- */

/* A barrier of the plan's ranks: after s steps a rank knows of 2^s - 1 others. */
static void meet(struct asl_rank *r)
{
	int P = r->resume->ranks;
	uint64_t said = r->resume->mark, heard;

	for (int far = 1; !r->err && far < P; far *= 2) {
		struct asl_net_op op = {
			.to = (r->id + far) % P,
			.from = (r->id - far + P) % P,
			.out = &said,
			.in = &heard,
			.out_bytes = sizeof said,
			.in_bytes = sizeof heard,
		};

		asl_rank_stop(r, asl_net_step(r->net, &op));
		if (!r->err && heard != said)
			asl_rank_fail(r, -ENOTRECOVERABLE,
				      "rank %d is at mark %ju, this one at %ju",
				      op.from, (uintmax_t)heard,
				      (uintmax_t)said);
	}
}

static double *dump_of(const struct asl_resume *x, uint64_t mark)
{
	return asl_store_log(x->store) + mark % 2 * x->needs.live;
}

static uint64_t doubles_of(const struct asl_words *x)
{
	return asl_type_doubles(x->type, x->count);
}

static void dump(struct asl_resume *x, struct asl_mark_record *record,
		 const struct asl_words *live, int count)
{
	double *to = dump_of(x, x->mark);

	for (int i = 0; i < count; i++) {
		struct asl_store_rows row = {.rows = 1};

		if (live[i].where == ASL_POOL || !live[i].count)
			continue;
		row.bytes = live[i].count * asl_type_bytes(live[i].type);
		asl_store_write_bytes(x->store, to + record->live, live[i].at,
				      &row);
		record->live += doubles_of(&live[i]);
	}
	record->live_check =
		asl_store_check(to, record->live * sizeof *to, record->live);
	x->record->safety_words += record->live;
}

static void prepare(struct asl_rank *r, const struct asl_words *live, int count)
{
	struct asl_resume *x = r->resume;
	struct asl_mark_record record = {.mark = x->mark, .epoch = x->epoch};

	memcpy(record.clock, r->clock.at, sizeof record.clock);
	record.outcome = r->outcome;
	dump(x, &record, live, count);
	write_record(x, &record);
}

static void begin(struct asl_resume *x)
{
	write_progress(x, x->mark, 1);
	asl_store_release(x->store);
	x->logged = 0;
}

/* The words come back in the order in which they were dumped. */
static void restore(struct asl_rank *r, const struct asl_words *live, int count)
{
	struct asl_resume *x = r->resume;
	const struct asl_mark_record *record = record_of(x->record, x->mark);
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
		memcpy(live[i].at, from,
		       live[i].count * asl_type_bytes(live[i].type));
		from += doubles_of(&live[i]);
	}
	asl_store_release(x->store);
}

/* Pieces that were given are released, and the log begins anew. */
static void dry_mark(struct asl_resume *x, const struct asl_words *live,
		     int count)
{
	uint64_t words = 0;

	for (int i = 0; i < count; i++)
		words += live[i].where == ASL_POOL ? 0 : doubles_of(&live[i]);
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
	assert(!r->overlap);
	x->mark++;
	x->commits = 0;
	if (is_epoch)
		x->epoch = x->mark;
	if (is_dry_run(x)) {
		dry_mark(x, live, count);
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
	update(x);
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
		write_progress(x, x->mark, 1 + x->commits);
	if (x->tiles || is_dry_run(x))
		x->logged = 0;
	update(x);
}

void asl_mark_hold(struct asl_rank *r)
{
	if (r->resume)
		r->resume->holds++;
}

void asl_mark_release(struct asl_rank *r)
{
	if (r->resume)
		r->resume->holds--;
}

/* ---- Blocks that are logged before they are written ---- */

static void save(struct asl_resume *x, const struct asl_block *block, bool acts)
{
	if (!block->rows || !block->cols)
		return;
	if (acts) {
		log_block(x, block);
	} else if (is_dry_run(x)) {
		x->logged += ENTRY_WORDS +
			     asl_type_doubles(block->type,
					      block->rows * block->cols);
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

/* ---- Dry run ---- */

void asl_resume_dry_run(struct asl_resume *x, struct asl_rank *r)
{
	*x = (struct asl_resume){.next = UINT64_C(1) << 40};
	r->resume = x;
}

void asl_resume_take(struct asl_rank *r, double **at, enum asl_where where,
		     uint64_t doubles)
{
	struct asl_resume *x = r->resume;

	if (!is_dry_run(x))
		return;
	/* Addresses are distinct, so that asl_resume_store knows the block. */
	*at = (double *)(uintptr_t)x->next;
	x->next += (doubles + 8) * sizeof(double);
	if (where != ASL_POOL)
		return;
	x->words += doubles;
	x->pieces++;
	x->needs.words = asl_max(x->needs.words, x->words);
	x->needs.pieces =
		x->needs.pieces > x->pieces ? x->needs.pieces : x->pieces;
}

void asl_resume_give(struct asl_rank *r, enum asl_where where, uint64_t doubles)
{
	struct asl_resume *x = r->resume;

	if (!is_dry_run(x) || where != ASL_POOL)
		return;
	x->given += doubles;
	x->given_pieces++;
}

/* ---- Start and end of a run ---- */

void asl_resume_open(struct asl_resume *x, struct asl_store *pool,
		     const struct asl_resume_needs *needs, int ranks)
{
	*x = (struct asl_resume){
		.store = pool,
		.record = asl_store_record(pool),
		.ranks = ranks,
		.needs = *needs,
	};
}

static bool is_clear(const struct asl_mark_record *record)
{
	const unsigned char *at = (const void *)record;

	for (size_t i = 0; i < sizeof *record; i++)
		if (at[i])
			return false;
	return true;
}

/*
 * Is the other record, beside that of `mark`, the one before, none, or the next
 * one, torn while it was being written?
 */
static bool is_sound(const struct asl_resume_record *m, uint64_t mark)
{
	uint64_t begun;

	return record_of(m, mark - 1) ||
	       is_clear(&m->of_mark[(mark + 1) % 2]) ||
	       (read_progress(&begun, m, mark + 1) && begun == 0);
}

/* All damage reads alike: the record is too small to say more. */
static int damaged(void)
{
	return asl_fail(-EINVAL, "its record is not as it was written");
}

int asl_resume_look(struct asl_resume_found *out, const struct asl_resume *x)
{
	const struct asl_resume_record *m = x->record;
	uint64_t mark = 0, begun = 0;

	for (int i = 0; i < 2; i++)
		if (record_of(m, m->of_mark[i].mark))
			mark = asl_max(mark, m->of_mark[i].mark);
	if (mark ? !is_sound(m, mark) || !read_progress(&begun, m, mark) ||
			    !m->starts
		 : !is_sound(m, 0) || !is_clear(&m->of_mark[0]))
		return damaged();
	if (m->finished > 1)
		return damaged();
	*out = (struct asl_resume_found){
		.mark = mark,
		.begun = begun || !mark ? mark : mark - 1,
		.starts = m->starts,
		.finished = m->finished,
	};
	return 0;
}

static void note(struct asl_resume *x, uint64_t *at, uint64_t value)
{
	*at = value;
	settle(x, at, 1);
}

/* The pool was just made, or holds nothing but operands. */
static void begin_anew(struct asl_resume *x, uint64_t start)
{
	memset(x->record, 0, sizeof *x->record);
	settle(x, x->record, sizeof *x->record / sizeof(uint64_t));
	clear_log(x);
	note(x, &x->record->starts, start);
	update(x);
}

/* Other ranks have not prepared this mark. */
static void go_back(struct asl_resume *x, uint64_t mark)
{
	struct asl_mark_record *record = &x->record->of_mark[mark % 2];

	memset(record, 0, sizeof *record);
	settle(x, record, sizeof *record / sizeof(uint64_t));
}

int asl_resume_begin(struct asl_resume *x, uint64_t mark, uint64_t start)
{
	const struct asl_mark_record *record = record_of(x->record, mark);
	uint64_t begun;

	if (!mark) {
		begin_anew(x, start);
		return 0;
	}
	if (!record || !read_progress(&begun, x->record, mark))
		return damaged();
	if (record_of(x->record, mark + 1))
		go_back(x, mark + 1);
	x->from_mark = mark;
	x->from_epoch = record->epoch;
	x->from_commits = begun ? begun - 1 : 0;
	undo_log(x, 0);
	if (!begun)
		write_progress(x, mark, 1);
	note(x, &x->record->starts, start);
	update(x);
	return 0;
}

void asl_resume_note(struct asl_resume *x, uint64_t check)
{
	note(x, &x->record->operands, check);
}

void asl_resume_finish(struct asl_resume *x)
{
	note(x, &x->record->finished, 1);
}

struct asl_resumed asl_resume_moved(const struct asl_resume *x)
{
	struct asl_resumed out = {
		.starts = x->record->starts,
		.safety_words = x->record->safety_words,
	};

	memcpy(out.moved.of, x->record->moved, sizeof out.moved.of);
	return out;
}
