/*
 * pieces.c -- matrices into a rank's memory and out of it
 */
#include "lib/plan/pieces.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/rank/collective.h"

/* ---- Filling ---- */

void asl_fill_words(struct asl_rank *r, const struct asl_words *own,
		    const struct asl_words *buffer,
		    void (*read)(double *at, uint64_t done, uint64_t count,
				 void *arg),
		    void *arg)
{
	for (uint64_t done = 0; !r->err && done < own->count;
	     done += ASL_CHUNK) {
		uint64_t count = asl_min(ASL_CHUNK, own->count - done);
		struct asl_words from = asl_slice(buffer, 0, count);
		struct asl_words to = asl_slice(own, done, count);

		if (r->data)
			read(from.at, done, count, arg);
		asl_copy(r, &to, &from);
	}
}

struct filling {
	const struct asl_source *source; /* NULL: NaN */
	struct asl_piece piece;
};

static void read_chunk(double *at, uint64_t done, uint64_t count, void *arg)
{
	const struct filling *f = arg;

	for (uint64_t i = 0; i < count;) {
		struct asl_stretch s =
			asl_piece_stretch(&f->piece, done + i, count - i);

		if (f->source)
			asl_source_read(f->source, at + i, s.row, s.col,
					s.count);
		else
			for (uint64_t j = 0; j < s.count; j++)
				at[i + j] = NAN;
		i += s.count;
	}
}

void asl_fill_pieces(struct asl_rank *r, const struct asl_plan *plan,
		     asl_piece_of *piece, int which,
		     const struct asl_source *source,
		     const struct asl_words *own)
{
	struct asl_words buffer, words;
	struct filling f = {.source = source};
	uint64_t first = 0;

	asl_take(r, &buffer, ASL_DRAM, asl_min(ASL_CHUNK, own->count));
	for (int i = 0; piece(&f.piece, plan, r->id, which, i); i++) {
		words = asl_slice(own, first, f.piece.words.count);
		asl_fill_words(r, &words, &buffer, read_chunk, &f);
		first += words.count;
	}
	asl_give(r, &buffer);
}

/* ---- Writing ---- */

void asl_gather_to_root(struct asl_rank *r, int rank,
			const struct asl_words *own, uint64_t words,
			const struct asl_words *buffer,
			void (*use)(const double *at, uint64_t done,
				    uint64_t count, void *arg),
			void *arg)
{
	for (uint64_t done = 0; !r->err && done < words; done += ASL_CHUNK) {
		uint64_t count = asl_min(ASL_CHUNK, words - done);
		struct asl_words here = asl_slice(buffer, 0, count);
		struct asl_words mine = asl_slice(own, done, count);

		if (r->id == rank && rank != 0)
			asl_send(r, 0, &mine);
		else if (rank != 0)
			asl_recv(r, rank, &here);
		else
			asl_copy(r, &here, &mine);
		if (r->id == 0 && !r->err)
			use(here.at, done, count, arg);
	}
}

struct writing {
	struct asl_matrix_out *out; /* NULL: nowhere */
	const struct asl_piece *piece;
	int err;
};

/* After an error the rest is received, not written. */
static void write_chunk(const double *at, uint64_t done, uint64_t count,
			void *arg)
{
	struct writing *w = arg;

	for (uint64_t i = 0; w->out && !w->err && i < count;) {
		struct asl_stretch s =
			asl_piece_stretch(w->piece, done + i, count - i);

		w->err =
			asl_matrix_write(w->out, at + i, s.row, s.col, s.count);
		i += s.count;
	}
}

int asl_write_pieces(struct asl_rank *r, const struct asl_plan *plan,
		     asl_piece_of *piece, int which,
		     struct asl_matrix_out **out, const struct asl_words *own)
{
	struct asl_piece x;
	/* On sim all ranks are in rank 0's process. */
	struct writing w = {r->id == 0 ? *out : NULL, &x, 0};
	struct asl_words buffer;

	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	for (int rank = 0; rank < asl_plan_ranks(plan); rank++) {
		struct asl_words rest = *own;

		if (r->id != 0 && r->id != rank)
			continue;
		for (int i = 0; piece(&x, plan, rank, which, i); i++) {
			asl_gather_to_root(r, rank, &rest, x.words.count,
					   &buffer, write_chunk, &w);
			rest = asl_slice(&rest, x.words.count, 0);
		}
	}
	asl_give(r, &buffer);
	if (w.err || r->err || !w.out)
		return w.err ? w.err : r->err;
	*out = NULL;
	return asl_matrix_commit(w.out);
}

int asl_operand_open(struct asl_matrix_in **in, const struct asl_data *data,
		     int which, const char *name, uint64_t rows, uint64_t cols)
{
	const char *path = data->file[which];
	int err;

	if (data->given && data->given[which].at)
		return asl_given_open(in, &data->given[which], name, rows,
				      cols);
	err = path ? asl_matrix_open(in, path) : 0;
	if (err || !path ||
	    (asl_matrix_rows(*in) == rows && asl_matrix_cols(*in) == cols))
		return err;
	return asl_fail(-EINVAL, "%s is %ju x %ju, expected %ju x %ju", path,
			asl_matrix_rows(*in), asl_matrix_cols(*in), rows, cols);
}

/* ---- Verifying ---- */

void asl_take_zeros(struct asl_rank *r, struct asl_words *x, uint64_t count)
{
	asl_take(r, x, ASL_DRAM, count);
	if (x->at)
		memset(x->at, 0, x->count * asl_type_bytes(x->type));
}

static struct asl_group all_ranks(const struct asl_rank *r,
				  const struct asl_plan *plan)
{
	return (struct asl_group){
		.stride = 1, .size = asl_plan_ranks(plan), .me = r->id};
}

void asl_sum_to_root(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_words *sum, const struct asl_words *mine)
{
	struct asl_group all = all_ranks(r, plan);

	if (all.size == 1)
		asl_copy(r, sum, mine);
	asl_reduce(r, &all, 0, sum, mine);
}

void asl_sum_to_all(struct asl_rank *r, const struct asl_plan *plan,
		    struct asl_words *sum, const struct asl_words *mine)
{
	struct asl_group all = all_ranks(r, plan);

	asl_sum_to_root(r, plan, sum, mine);
	asl_broadcast(r, &all, 0, sum);
}

/* Numbers of words are exact in doubles, whatever the type of the words. */
double asl_compared(struct asl_rank *r, const struct asl_plan *plan,
		    double residual, uint64_t words, uint64_t all)
{
	enum asl_type type = r->type;
	struct asl_words mine, sum;

	r->type = ASL_FLOAT64;
	asl_take_zeros(r, &mine, 1);
	asl_take_zeros(r, &sum, 1);
	if (!r->err)
		*mine.at = (double)words;
	asl_sum_to_root(r, plan, &sum, &mine);
	if (!r->err && r->id == 0 && *sum.at != (double)all)
		residual = INFINITY;
	asl_give(r, &sum);
	asl_give(r, &mine);
	r->type = type;
	return residual;
}

/*
 * Matrices whose rows are spread over ranks, into pools and back
 *
 * The words of a piece, a run of a block by rows, in given rows are one
 * run again.  Both sides of a message walk over the same runs, in chunks that a
 * little DRAM holds, so that nothing but words has to be sent.
 */

/* What `owner` owns of `rows`. */
struct walk {
	const struct asl_plan *plan;
	asl_piece_of *piece;
	int which, owner;
	struct asl_range rows;

	int next;	/* piece */
	uint64_t first; /* the owner's words before it */
	uint64_t at;	/* the chunk is the owner's words from here on ... */
	struct asl_piece chunk, rest;
};

/* The piece's words in these rows of the matrix. */
static struct asl_range words_in(const struct asl_piece *x,
				 struct asl_range rows)
{
	struct asl_range both = asl_common(x->rows, rows);

	if (!both.count)
		return (struct asl_range){x->words.first, 0};
	return asl_common(
		x->words,
		(struct asl_range){(both.first - x->rows.first) * x->cols.count,
				   both.count * x->cols.count});
}

static bool open_piece(struct walk *w)
{
	struct asl_piece x;

	if (w->owner >= asl_plan_ranks(w->plan) ||
	    !w->piece(&x, w->plan, w->owner, w->which, w->next))
		return false;
	w->next++;
	w->rest = x;
	w->rest.words = words_in(&x, w->rows);
	w->at = w->first + w->rest.words.first - x.words.first;
	w->first += x.words.count;
	return true;
}

/* The next chunk; false: there is none. */
static bool step(struct walk *w)
{
	w->at += w->chunk.words.count;
	w->chunk.words.count = 0;
	while (!w->rest.words.count)
		if (!open_piece(w))
			return false;
	w->chunk = w->rest;
	w->chunk.words.count = asl_min(ASL_CHUNK, w->rest.words.count);
	w->rest.words.first += w->chunk.words.count;
	w->rest.words.count -= w->chunk.words.count;
	return true;
}

/* ---- This rank's rows ---- */

struct trade {
	struct asl_rank *r;
	const struct asl_plan *plan;
	asl_piece_of *piece;
	int which;
	const struct asl_rows *rows;
	const struct asl_words *own;
	bool fill; /* rows go where they are owned; false: they come back */
	struct asl_words buffer;
};

static struct asl_range rows_of(const struct trade *t, int rank)
{
	const uint64_t *first = t->rows->first + rank;

	return (struct asl_range){first[0], first[1] - first[0]};
}

static struct walk walk(const struct trade *t, int owner, int holder)
{
	return (struct walk){
		.plan = t->plan,
		.piece = t->piece,
		.which = t->which,
		.owner = owner,
		.rows = rows_of(t, holder),
	};
}

/* Between the buffer and the rows that the chunk lies in. */
static void copy_rows(const struct trade *t, const struct asl_piece *chunk)
{
	const struct asl_given *given = t->rows->given;
	uint64_t first = rows_of(t, t->r->id).first;

	for (uint64_t i = 0; !t->r->err && i < chunk->words.count;) {
		struct asl_stretch s =
			asl_piece_stretch(chunk, i, chunk->words.count - i);
		double *at = given->at + (s.row - first) * given->step[0] +
			     s.col * given->step[1];

		if (t->fill)
			asl_given_read(given->type, at, given->step[1],
				       t->buffer.at + i, s.count);
		else
			asl_given_write(given->type, at, given->step[1],
					t->buffer.at + i, s.count);
		i += s.count;
	}
}

static struct asl_words owned(const struct trade *t, const struct walk *w)
{
	return asl_slice(t->own, w->at, w->chunk.words.count);
}

/* One chunk out, one in, or either. */
static void swap(struct trade *t, int to, const struct walk *out, int from,
		 const struct walk *in)
{
	struct asl_words sent, got;

	if (out)
		sent = t->fill ? asl_slice(&t->buffer, 0,
					   out->chunk.words.count)
			       : owned(t, out);
	if (in)
		got = t->fill ? owned(t, in)
			      : asl_slice(&t->buffer, 0, in->chunk.words.count);
	if (out && t->fill)
		copy_rows(t, &out->chunk);
	if (to == t->r->id)
		asl_copy(t->r, &got, &sent);
	else
		asl_exchange(t->r, to, out ? &sent : NULL, from,
			     in ? &got : NULL);
	if (in && !t->fill)
		copy_rows(t, &in->chunk);
}

/* All that goes from this rank to one, and comes to it from another. */
static void trade_with(struct trade *t, int to, int from)
{
	int me = t->r->id;
	struct walk out = t->fill ? walk(t, to, me) : walk(t, me, to);
	struct walk in = t->fill ? walk(t, me, from) : walk(t, from, me);

	while (!t->r->err) {
		bool sends = step(&out), gets = step(&in);

		if (!sends && !gets)
			break;
		swap(t, to, sends ? &out : NULL, from, gets ? &in : NULL);
	}
}

static void trade(struct trade *t)
{
	int size = t->r->size, me = t->r->id;

	asl_take(t->r, &t->buffer, ASL_DRAM, ASL_CHUNK);
	for (int far = 0; far < size; far++)
		trade_with(t, (me + far) % size, (me + size - far) % size);
	asl_give(t->r, &t->buffer);
}

void asl_rows_fill(struct asl_rank *r, const struct asl_plan *plan,
		   asl_piece_of *piece, int which, const struct asl_rows *rows,
		   const struct asl_words *own)
{
	trade(&(struct trade){r, plan, piece, which, rows, own, .fill = true});
}

void asl_rows_write(struct asl_rank *r, const struct asl_plan *plan,
		    asl_piece_of *piece, int which, const struct asl_rows *rows,
		    const struct asl_words *own)
{
	trade(&(struct trade){r, plan, piece, which, rows, own, .fill = false});
}
