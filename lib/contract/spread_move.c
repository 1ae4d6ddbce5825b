/*
 * spread_move.c -- words from one spread to another, in rectangles
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/contract/boxes.h"
#include "lib/contract/peers.h"

/* ---- Copying ---- */

/* Words as a box has them: the place of a row of `part`. */
static uint64_t place(const struct asl_box_of_run *b,
		      const struct asl_box_of_run *part, int dims, uint64_t row)
{
	uint64_t at = 0, step = 1;

	for (int i = dims - 1; i >= 0; i--) {
		uint64_t point = part->of[i].first - b->of[i].first;

		/* Rows are counted over all dimensions but the last two. */
		if (i < dims - 2) {
			point += row % part->of[i].count;
			row /= part->of[i].count;
		}
		at += point * step;
		step *= b->of[i].count;
	}
	return b->at + at;
}

/* The words of a box where they lie, or packed, from *packed on. */
static struct asl_block plane(const struct asl_words *x,
			      const struct asl_box_of_run *b,
			      const struct asl_box_of_run *part, int dims,
			      uint64_t row)
{
	uint64_t rows = dims > 1 ? part->of[dims - 2].count : 1;
	uint64_t cols = dims > 0 ? part->of[dims - 1].count : 1;
	uint64_t ld = dims > 0 ? b->of[dims - 1].count : 1;

	return (struct asl_block){x->where, rows, cols, ld,
				  x->at ? x->at + place(b, part, dims, row)
					: NULL};
}

static struct asl_block packed(const struct asl_words *x, uint64_t at,
			       const struct asl_block *like)
{
	return (struct asl_block){x->where, like->rows, like->cols, like->cols,
				  x->at ? x->at + at : NULL};
}

/* One side of a copy: a run's words, or (no run) packed ones. */
struct side {
	const struct asl_run *run;
	const struct asl_words *x;
};

static uint64_t copy_box(struct asl_rank *r, const struct asl_box_of_run *part,
			 int dims, const struct side side[2],
			 const struct asl_box_of_run b[2], uint64_t at)
{
	uint64_t rows = 1;

	for (int i = 0; i < dims - 2; i++)
		rows *= part->of[i].count;
	for (uint64_t row = 0; row < rows; row++) {
		struct asl_block block[2];

		for (int i = 0; i < 2; i++)
			if (side[i].run)
				block[i] = plane(side[i].x, &b[i], part, dims,
						 row);
		for (int i = 0; i < 2; i++)
			if (!side[i].run)
				block[i] = packed(side[i].x, at, &block[!i]);
		asl_copy_block(r, &block[0], &block[1]);
		at += block[0].rows * block[0].cols;
	}
	return at;
}

/*
 * side[0] = side[1] for what two runs have in common, box by box; in the same
 * order whoever packs and unpacks.
 */
static void copy_common(struct asl_rank *r, const struct asl_run *to,
			const struct asl_run *from, const struct side side[2])
{
	struct asl_boxes x = asl_boxes_begin(to, from);
	uint64_t at = 0;

	while (asl_boxes_next(&x))
		at = copy_box(r, &x.both, to->dims, side, x.box, at);
}

/* ---- Steps ---- */

/* A rank that moves words, and what it does at a step of it. */
struct mover {
	int rank, ranks;
	const struct asl_spread *to, *from;
	struct asl_run has, gets;
};

struct step {
	int to, from;
	struct asl_run theirs[2]; /* what `to` gets, and what `from` has */
	uint64_t out, in;
};

static struct mover mover(int rank, int ranks, const struct asl_spread *to,
			  const struct asl_spread *from)
{
	return (struct mover){rank,
			      ranks,
			      to,
			      from,
			      asl_spread_run(from, rank),
			      asl_spread_run(to, rank)};
}

static struct step step_of(const struct mover *m, int s)
{
	struct step x = {.to = (m->rank + s) % m->ranks,
			 .from = (m->rank - s + m->ranks) % m->ranks};

	if (m->has.words.count) {
		x.theirs[0] = asl_spread_run(m->to, x.to);
		x.out = asl_runs_common(&x.theirs[0], &m->has);
	}
	if (m->gets.words.count) {
		x.theirs[1] = asl_spread_run(m->from, x.from);
		x.in = asl_runs_common(&m->gets, &x.theirs[1]);
	}
	return x;
}

/* Packed, over the network, unpacked. */
static void take_step(struct asl_rank *r, const struct mover *m,
		      const struct step *x, struct asl_words *in,
		      const struct asl_words *out)
{
	struct asl_words goes, comes;

	asl_take(r, &goes, ASL_DRAM, x->out);
	asl_take(r, &comes, ASL_DRAM, x->in);
	copy_common(r, &x->theirs[0], &m->has,
		    (struct side[]){{NULL, &goes}, {&m->has, out}});
	asl_exchange(r, x->to, x->out ? &goes : NULL, x->from,
		     x->in ? &comes : NULL);
	copy_common(r, &m->gets, &x->theirs[1],
		    (struct side[]){{&m->gets, in}, {NULL, &comes}});
	asl_give(r, &comes);
	asl_give(r, &goes);
}

/* The steps at which a rank has something to do. */
struct agenda {
	const struct mover *m;
	char *busy; /* [ranks] */
};

static void note_receiver(int peer, void *arg)
{
	struct agenda *x = arg;

	x->busy[(peer - x->m->rank + x->m->ranks) % x->m->ranks] = 1;
}

static void note_sender(int peer, void *arg)
{
	struct agenda *x = arg;

	x->busy[(x->m->rank - peer + x->m->ranks) % x->m->ranks] = 1;
}

void asl_spread_move(struct asl_rank *r, int ranks, const struct asl_spread *to,
		     struct asl_words *in, const struct asl_spread *from,
		     const struct asl_words *out)
{
	struct mover m = mover(r->id, ranks, to, from);
	struct agenda x = {&m, calloc((size_t)ranks, 1)};

	if (!x.busy) {
		asl_rank_fail(r, -ENOMEM, "no memory for a list of %d ranks",
			      ranks);
		return;
	}
	copy_common(r, &m.gets, &m.has,
		    (struct side[]){{&m.gets, in}, {&m.has, out}});
	asl_spread_peers(to, &m.has, note_receiver, &x);
	asl_spread_peers(from, &m.gets, note_sender, &x);
	x.busy[0] = 0;
	for (char *at = x.busy;
	     (at = memchr(at, 1, (size_t)(x.busy + ranks - at))); at++) {
		struct step step = step_of(&m, (int)(at - x.busy));

		if (step.out || step.in)
			take_step(r, &m, &step, in, out);
	}
	free(x.busy);
}
