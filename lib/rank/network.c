/*
 * network.c -- verbs on messages
 *
 * A step sends a message, receives one, or both at once: now, or overlapping
 * with what the rank computes.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/parts.h"
#include "lib/rank/emulate.h"
#include "lib/rank/rank.h"
#include "lib/rank/replay.h"
#include "lib/rank/resume.h"
#include "lib/rank/trace.h"

struct asl_step {
	int to, from; /* ASL_NET_NONE: sends nothing, receives nothing */
	struct asl_words out, in;
	enum asl_phase phase;
};

static uint64_t words_of(const struct asl_step *x)
{
	return asl_max(x->out.count, x->in.count);
}

static void count(struct asl_rank *r, const struct asl_step *x,
		  enum asl_counter counter, uint64_t n)
{
	r->ledger.in[x->phase].of[counter] += n;
	if (r->resume && asl_phase_counts(x->phase))
		asl_resume_count(r, x->phase, counter, n);
}

static void count_step(struct asl_rank *r, const struct asl_step *x)
{
	count(r, x, ASL_NET_SEND, x->out.count);
	count(r, x, ASL_NET_RECV, x->in.count);
	count(r, x, ASL_BH, words_of(x));
	count(r, x, ASL_NET_MSGS, x->to != ASL_NET_NONE);
	if (r->times)
		asl_spend_work(
			r, ASL_ON_NETWORK,
			asl_step_work_ns(r->times, words_of(x), r->crowded));
}

static void lift(struct asl_rank *r, const struct asl_step *x)
{
	asl_replay_words(asl_replay_of(r), &x->out, false);
	if (x->out.where != ASL_POOL)
		return;
	asl_charge(r, ASL_NVM_LIFT, x->out.count);
	if (r->times && r->times->disk.words[0] > 0)
		asl_spend_disk(r, false, 1, x->out.count, x->out.count);
}

static void land(struct asl_rank *r, const struct asl_step *x)
{
	asl_replay_words(asl_replay_of(r), &x->in, true);
	if (x->in.where != ASL_POOL)
		return;
	asl_charge(r, ASL_NVM_LAND, x->in.count);
	if (r->times && r->times->disk.words[0] > 0)
		asl_spend_disk(r, true, 1, x->in.count, x->in.count);
	else if (r->times)
		asl_spend(r, ASL_ON_WRITING,
			  (double)x->in.count *
				  fmax(0, r->times->write[ASL_POOL] -
						  r->times->write[ASL_DRAM]));
}

static double now(const struct asl_rank *r)
{
	return r->timed ? asl_now() : 0;
}

/* Wait for pool words that do not move together with the message. */
static void emulate_pool(struct asl_rank *r)
{
	double since = now(r);

	if (r->emulator)
		asl_emulator_pool(r, since, since);
}

/* Starts now; what is the transport's is left to it. */
static void fill_op(struct asl_net_op *op, const struct asl_rank *r,
		    const struct asl_step *x, const struct asl_net_stamp *clock)
{
	op->to = x->to;
	op->from = x->from;
	op->out = r->data ? x->out.at : NULL;
	op->in = r->data ? x->in.at : NULL;
	op->out_bytes = x->out.count * asl_type_bytes(x->out.type);
	op->in_bytes = x->in.count * asl_type_bytes(x->in.type);
	op->sent = *clock;
	op->sent.since = now(r);
	op->got = (struct asl_net_stamp){.since = 0};
}

/*
 * The cost of a step on a clock, alpha + beta x or its time; 0 in phases without
 * one.
 */
static double cost_of(const struct asl_rank *r, const struct asl_step *x, int a)
{
	if (!asl_phase_counts(x->phase))
		return 0;
	if (a == ASL_TIME)
		return r->times ? asl_step_ns(r->times, words_of(x)) : 0;
	return r->rates[a].of[ASL_NET_MSGS] +
	       r->rates[a].of[ASL_BH] * (double)words_of(x);
}

/* max(own, the sender's before it sent) + alpha + beta x. */
static void advance(struct asl_net_stamp *clock, const struct asl_rank *r,
		    const struct asl_step *x, const struct asl_net_op *op)
{
	if (!asl_phase_counts(x->phase))
		return;
	for (int a = 0; a < ASL_CLOCKS; a++) {
		if (x->from != ASL_NET_NONE)
			clock->at[a] = fmax(clock->at[a], op->got.at[a]);
		clock->at[a] += cost_of(r, x, a);
	}
}

static void finish(struct asl_rank *r, const struct asl_step *x,
		   struct asl_net_op *op)
{
	if (r->err)
		return;
	asl_rank_stop(r, asl_net_wait(r->net, op));
	if (!r->err && x->in.where == ASL_POOL && x->from != ASL_NET_NONE)
		asl_store_settle(r->memory[ASL_POOL], x->in.at,
				 asl_type_doubles(x->in.type, x->in.count));
}

/* Does the step take emulated time, and did it succeed? */
static bool is_emulated(const struct asl_rank *r, const struct asl_step *x)
{
	return r->emulator && !r->err && asl_phase_counts(x->phase);
}

/* ---- Steps that overlap with computing ---- */

struct asl_overlap {
	struct asl_step *step;
	int count, capacity;
	int next;     /* the first that has not ended */
	bool started; /* step[next] */
	struct asl_net_op op;
	struct asl_net_stamp link;  /* when the last step ended */
	struct asl_net_stamp other; /* cost of steps outside the queue */
};

void asl_overlap_begin(struct asl_rank *r)
{
	if (r->err)
		return;
	if (r->trace) {
		asl_rank_fail(r, -ENOTSUP, "a trace has no steps that overlap");
		return;
	}
	if (!r->overlap)
		r->overlap = calloc(1, sizeof *r->overlap);
	if (!r->overlap) {
		asl_rank_fail(r, -ENOMEM, "no memory for a step's record");
		return;
	}
	if (!r->overlap->count)
		r->overlap->link = r->clock;
	r->overlaps = true;
}

void asl_overlap_end(struct asl_rank *r)
{
	r->overlaps = false;
	asl_overlap_poll(r);
}

static void queue_step(struct asl_rank *r, const struct asl_step *x)
{
	struct asl_overlap *b = r->overlap;

	if (b->count == b->capacity) {
		int capacity = b->capacity ? 2 * b->capacity : 16;
		struct asl_step *more =
			realloc(b->step, (size_t)capacity * sizeof *more);

		if (!more) {
			asl_rank_fail(r, -ENOMEM,
				      "no memory for %d steps' records",
				      capacity);
			return;
		}
		b->step = more;
		b->capacity = capacity;
	}
	b->step[b->count++] = *x;
	/* Memory does not overlap: the rank's own verbs use it. */
	lift(r, x);
	land(r, x);
	emulate_pool(r);
}

static void start_next(struct asl_rank *r)
{
	struct asl_overlap *b = r->overlap;

	fill_op(&b->op, r, &b->step[b->next], &b->link);
	b->started = true;
	if (r->emulator)
		asl_emulator_start_overlap(r->emulator);
	asl_rank_stop(r, asl_net_start(r->net, &b->op));
}

static void end_next(struct asl_rank *r)
{
	struct asl_overlap *b = r->overlap;
	const struct asl_step *x = &b->step[b->next];

	finish(r, x, &b->op);
	if (is_emulated(r, x))
		asl_emulator_end_overlap(r->emulator, &b->op);
	advance(&b->link, r, x, &b->op);
	b->started = false;
	b->next++;
}

static bool has_ended(struct asl_rank *r)
{
	const struct asl_overlap *b = r->overlap;

	if (!asl_net_ended(r->net, &r->overlap->op))
		return false;
	return !is_emulated(r, &b->step[b->next]) ||
	       asl_emulator_overlap_ended(r->emulator, &b->op);
}

/* Take steps until one has not ended yet; or, if `waits`, all of them. */
static void advance_queue(struct asl_rank *r, bool waits)
{
	struct asl_overlap *b = r->overlap;
	double since = now(r);

	while (!r->err && b->next < b->count) {
		if (!b->started)
			start_next(r);
		if (!waits && (r->err || !has_ended(r)))
			break;
		end_next(r);
	}
	if (r->timed)
		asl_time_since(r, ASL_TALKS, since);
}

bool asl_overlap_poll(struct asl_rank *r)
{
	if (!r->overlap || r->err)
		return false;
	advance_queue(r, false);
	return r->overlap->next < r->overlap->count;
}

/* The link also carried the steps outside the queue. */
void asl_overlap_wait(struct asl_rank *r)
{
	struct asl_overlap *b = r->overlap;

	if (!b)
		return;
	advance_queue(r, true);
	for (int a = 0; a < ASL_CLOCKS; a++)
		r->clock.at[a] =
			fmax(r->clock.at[a], b->link.at[a] + b->other.at[a]);
	free(b->step);
	free(b);
	r->overlap = NULL;
}

/* ---- Words on a disk, which pass through memory ---- */

/* The most words of a message; all ranks of a run have the same store. */
enum { PASSING_WORDS = 1 << 18 };

struct passing {
	struct asl_step step; /* a piece of a step */
	double *room;	      /* for what is sent, then for what comes */
};

/* Words `first` onwards, in the room if they are on the disk; none: NONE. */
static void cut(struct asl_words *part, int *peer, const struct asl_words *x,
		uint64_t first, double *room)
{
	uint64_t n = x->count > first ? x->count - first : 0;

	if (first && !n)
		*peer = ASL_NET_NONE;
	*part = asl_slice(x, asl_min(first, x->count),
			  asl_min(n, PASSING_WORDS));
	if (part->where == ASL_POOL && part->count)
		part->at = room;
}

static void pass_piece(struct asl_rank *r, struct passing *p,
		       const struct asl_step *x, uint64_t first,
		       struct asl_net_op *op)
{
	struct asl_store *pool = r->memory[ASL_POOL];
	struct asl_step *y = &p->step;
	struct asl_store_rows row = {.rows = 1};

	*y = *x;
	cut(&y->out, &y->to, &x->out, first, p->room);
	cut(&y->in, &y->from, &x->in, first,
	    asl_type_at(x->in.type, p->room, PASSING_WORDS));
	row.bytes = y->out.count * asl_type_bytes(y->out.type);
	if (x->out.where == ASL_POOL)
		asl_store_read_bytes(pool, p->room,
				     asl_type_at(x->out.type, x->out.at, first),
				     &row);
	fill_op(op, r, y, &r->clock);
	asl_rank_stop(r, asl_net_start(r->net, op));
	if (!r->err)
		asl_rank_stop(r, asl_net_wait(r->net, op));
	row.bytes = y->in.count * asl_type_bytes(y->in.type);
	if (x->in.where == ASL_POOL && !r->err)
		asl_store_write_bytes(pool,
				      asl_type_at(x->in.type, x->in.at, first),
				      y->in.at, &row);
}

/* The first piece has the clocks.  Not inlined: simulated ranks' stacks are short. */
static __attribute__((noinline)) void
pass_pieces(struct asl_rank *r, const struct asl_step *x, struct asl_net_op *op)
{
	uint64_t bytes = asl_max(asl_type_bytes(x->out.type),
				 asl_type_bytes(x->in.type));
	struct passing p = {.room = malloc(2 * PASSING_WORDS * bytes)};
	struct asl_net_op more;

	if (!p.room) {
		asl_rank_fail(r, -ENOMEM, "no memory for a message");
		return;
	}
	pass_piece(r, &p, x, 0, op);
	for (uint64_t i = PASSING_WORDS; i < words_of(x) && !r->err;
	     i += PASSING_WORDS)
		pass_piece(r, &p, x, i, &more);
	free(p.room);
}

/* ---- Steps outside the queue ---- */

static void move_step(struct asl_rank *r, const struct asl_step *x,
		      struct asl_net_op *op)
{
	if (r->data && asl_store_has_blocks(r->memory[ASL_POOL])) {
		pass_pieces(r, x, op);
		return;
	}
	fill_op(op, r, x, &r->clock);
	asl_rank_stop(r, asl_net_start(r->net, op));
	finish(r, x, op);
}

static void take_step(struct asl_rank *r, const struct asl_step *x)
{
	struct asl_net_op op; /* long: zeroing it would take its time */
	double since;

	op.got = (struct asl_net_stamp){.since = 0};
	lift(r, x);
	if (r->trace && asl_phase_counts(x->phase))
		asl_trace_step(r->trace, x->to, x->out.count, x->from,
			       x->in.count);
	emulate_pool(r);
	since = now(r);
	move_step(r, x, &op);
	if (is_emulated(r, x))
		asl_emulator_step(r, &op);
	advance(&r->clock, r, x, &op);
	land(r, x);
	for (int a = 0; r->overlap && a < ASL_CLOCKS; a++)
		r->overlap->other.at[a] += cost_of(r, x, a);
	if (r->timed)
		asl_time_since(r, ASL_TALKS, since);
}

/* It was taken before the restart; the sender's clock is no longer known. */
static void skip_step(struct asl_rank *r, const struct asl_step *x)
{
	const struct asl_net_op none = {.got = r->clock};

	lift(r, x);
	advance(&r->clock, r, x, &none);
	land(r, x);
}

void asl_exchange(struct asl_rank *r, int to, const struct asl_words *out,
		  int from, struct asl_words *in)
{
	static const struct asl_words nothing = {.where = ASL_DRAM};
	struct asl_step x = {
		.to = out ? to : ASL_NET_NONE,
		.from = in ? from : ASL_NET_NONE,
		.out = out ? *out : nothing,
		.in = in ? *in : nothing,
		.phase = r->phase,
	};

	if (r->err)
		return;
	count_step(r, &x);
	if (!asl_does_moves(r, x.phase))
		skip_step(r, &x);
	else if (r->overlaps)
		queue_step(r, &x);
	else
		take_step(r, &x);
}

void asl_send(struct asl_rank *r, int to, const struct asl_words *out)
{
	asl_exchange(r, to, out, ASL_NET_NONE, NULL);
}

void asl_recv(struct asl_rank *r, int from, struct asl_words *in)
{
	asl_exchange(r, ASL_NET_NONE, NULL, from, in);
}
