/*
 * pieces.c -- matrices into a rank's memory and out of it
 */
#include "lib/plan/pieces.h"

#include <math.h>

/* ---- Filling ---- */

void asl_fill_words(struct asl_rank *r, const struct asl_words *own,
		    const struct asl_words *buffer,
		    void (*read)(double *at, uint64_t done, uint64_t count,
				 void *arg),
		    void *arg)
{
	for (uint64_t done = 0; !r->err && done < own->count;
	     done += ASL_CHUNK) {
		uint64_t count = asl_least(ASL_CHUNK, own->count - done);
		struct asl_words from = asl_slice(buffer, 0, count);
		struct asl_words to = asl_slice(own, done, count);

		if (r->data)
			read(from.at, done, count, arg);
		asl_copy(r, &to, &from);
	}
}

struct filling {
	const struct asl_source *source; /* NULL: what is no number */
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

	asl_take(r, &buffer, ASL_DRAM, asl_least(ASL_CHUNK, own->count));
	for (int i = 0; piece(&f.piece, plan, r->id, which, i); i++) {
		words = asl_slice(own, first, f.piece.words.count);
		asl_fill_words(r, &words, &buffer, read_chunk, &f);
		first += words.count;
	}
	asl_give(r, &buffer);
}

/* ---- Writing ---- */

void asl_bring(struct asl_rank *r, int rank, const struct asl_words *own,
	       uint64_t words, const struct asl_words *buffer,
	       void (*use)(const double *at, uint64_t done, uint64_t count,
			   void *arg),
	       void *arg)
{
	for (uint64_t done = 0; !r->err && done < words; done += ASL_CHUNK) {
		uint64_t count = asl_least(ASL_CHUNK, words - done);
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
		     asl_piece_of *piece, int which, struct asl_matrix_out *out,
		     const struct asl_words *own)
{
	struct asl_piece x;
	struct writing w = {out, &x, 0};
	struct asl_words buffer;

	asl_take(r, &buffer, ASL_DRAM, ASL_CHUNK);
	for (int rank = 0; rank < asl_plan_ranks(plan); rank++) {
		struct asl_words rest = *own;

		if (r->id != 0 && r->id != rank)
			continue;
		for (int i = 0; piece(&x, plan, rank, which, i); i++) {
			asl_bring(r, rank, &rest, x.words.count, &buffer,
				  write_chunk, &w);
			rest = asl_slice(&rest, x.words.count, 0);
		}
	}
	asl_give(r, &buffer);
	return w.err ? w.err : r->err;
}
