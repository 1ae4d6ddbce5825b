/*
 * rows.c -- matrices whose rows are spread over ranks, into pools and back
 *
 * Of a piece, which is a run of a block by rows, the words in given rows are one
 * run again.  Both sides of a message walk over the same runs, in chunks that a
 * little DRAM holds, so that nothing but words has to be sent.
 */
#include "lib/plan/rows.h"

#include "lib/matrix/parts.h"

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

static uint64_t end_of(struct asl_range x)
{
	return x.first + x.count;
}

static struct asl_range common(struct asl_range a, struct asl_range b)
{
	uint64_t first = asl_larger(a.first, b.first);
	uint64_t end = asl_least(end_of(a), end_of(b));

	return (struct asl_range){first, end > first ? end - first : 0};
}

/* The piece's words in these rows of the matrix. */
static struct asl_range words_in(const struct asl_piece *x,
				 struct asl_range rows)
{
	struct asl_range both = common(x->rows, rows);

	if (!both.count)
		return (struct asl_range){x->words.first, 0};
	return common(
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
	w->chunk.words.count = asl_least(ASL_CHUNK, w->rest.words.count);
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
			asl_given_read(at, given->step[1], t->buffer.at + i,
				       s.count);
		else
			asl_given_write(at, given->step[1], t->buffer.at + i,
					s.count);
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
