/*
 * network.c -- verbs on messages
 *
 * A step sends a message, receives one, or both at once: now, or overlapping
 * with what the rank computes.  Where only counts are wanted, the steps of a whole
 * group are taken at once.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/parts.h"
#include "lib/rank/emulate.h"
#include "lib/rank/rank.h"
#include "lib/rank/replay.h"
#include "lib/rank/resume.h"
#include "lib/rank/trace.h"

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

static void spend_step(struct asl_rank *r, uint64_t words)
{
	struct asl_step_work work = asl_step_work(r->times, words, r->crowded);

	asl_spend_work(r, ASL_ON_NETWORK, work.own);
	r->owed = work.later;
}

static void count_words(struct asl_rank *r, const struct asl_step *x)
{
	count(r, x, ASL_NET_SEND, x->out.count);
	count(r, x, ASL_NET_RECV, x->in.count);
	count(r, x, ASL_BH, words_of(x));
	count(r, x, ASL_NET_MSGS, x->to != ASL_NET_NONE);
}

static void count_step(struct asl_rank *r, const struct asl_step *x)
{
	count_words(r, x);
	if (r->times && asl_phase_counts(x->phase))
		spend_step(r, words_of(x));
}

static void lift(struct asl_rank *r, const struct asl_step *x)
{
	asl_replay_words(asl_replay_of(r), &x->out, false);
	if (x->out.where != ASL_POOL)
		return;
	asl_charge(r, ASL_NVM_LIFT, x->out.count);
	if (asl_knows_disk(r->times))
		asl_spend_disk(r, false, 1, x->out.count, x->out.count);
}

static void land(struct asl_rank *r, const struct asl_step *x)
{
	asl_replay_words(asl_replay_of(r), &x->in, true);
	if (x->in.where != ASL_POOL)
		return;
	asl_charge(r, ASL_NVM_LAND, x->in.count);
	if (asl_knows_disk(r->times))
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
static double cost_of(const struct asl_rank *r, enum asl_phase phase,
		      uint64_t words, int a)
{
	if (!asl_phase_counts(phase))
		return 0;
	if (a == ASL_TIME)
		return r->times ? asl_step_ns(r->times, words) : 0;
	return r->rates[a].of[ASL_NET_MSGS] +
	       r->rates[a].of[ASL_BH] * (double)words;
}

/* max(own, the sender's before it sent) + alpha + beta x. */
static void advance(struct asl_net_stamp *clock, const struct asl_rank *r,
		    const struct asl_step *x, const struct asl_net_stamp *got)
{
	if (!asl_phase_counts(x->phase))
		return;
	for (int a = 0; a < ASL_CLOCKS; a++) {
		if (x->from != ASL_NET_NONE)
			clock->at[a] = fmax(clock->at[a], got->at[a]);
		clock->at[a] += cost_of(r, x->phase, words_of(x), a);
	}
}

/* The first of `count` operations that are waited for one after another. */
static void finish(struct asl_rank *r, const struct asl_step *x,
		   struct asl_net_op *op, int count)
{
	if (r->err)
		return;
	asl_rank_stop(r, asl_net_wait_of(r->net, op, count));
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

	finish(r, x, &b->op, 1);
	if (is_emulated(r, x))
		asl_emulator_end_overlap(r->emulator, &b->op);
	advance(&b->link, r, x, &b->op.got);
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

static void trace_step(struct asl_rank *r, const struct asl_step *x)
{
	if (r->trace && asl_phase_counts(x->phase))
		asl_trace_step(r->trace, x->to, x->out.count, x->from,
			       x->in.count);
}

static void move_step(struct asl_rank *r, const struct asl_step *x,
		      struct asl_net_op *op)
{
	if (r->data && asl_store_has_blocks(r->memory[ASL_POOL])) {
		pass_pieces(r, x, op);
		return;
	}
	fill_op(op, r, x, &r->clock);
	asl_rank_stop(r, asl_net_start(r->net, op));
	finish(r, x, op, 1);
}

static void take_step(struct asl_rank *r, const struct asl_step *x)
{
	struct asl_net_op op; /* long: zeroing it would take its time */
	double since;

	op.got = (struct asl_net_stamp){.since = 0};
	lift(r, x);
	trace_step(r, x);
	emulate_pool(r);
	since = now(r);
	move_step(r, x, &op);
	if (is_emulated(r, x))
		asl_emulator_step(r, &op);
	advance(&r->clock, r, x, &op.got);
	land(r, x);
	for (int a = 0; r->overlap && a < ASL_CLOCKS; a++)
		r->overlap->other.at[a] += cost_of(r, x->phase, words_of(x), a);
	if (r->timed)
		asl_time_since(r, ASL_TALKS, since);
}

/* It was taken before the restart; the sender's clock is no longer known. */
static void skip_step(struct asl_rank *r, const struct asl_step *x)
{
	const struct asl_net_stamp none = r->clock;

	lift(r, x);
	advance(&r->clock, r, x, &none);
	land(r, x);
}

static void do_step(struct asl_rank *r, const struct asl_step *x)
{
	if (r->err)
		return;
	count_step(r, x);
	if (!asl_does_moves(r, x->phase))
		skip_step(r, x);
	else if (r->overlaps)
		queue_step(r, x);
	else
		take_step(r, x);
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

	do_step(r, &x);
}

void asl_send(struct asl_rank *r, int to, const struct asl_words *out)
{
	asl_exchange(r, to, out, ASL_NET_NONE, NULL);
}

void asl_recv(struct asl_rank *r, int from, struct asl_words *in)
{
	asl_exchange(r, ASL_NET_NONE, NULL, from, in);
}

/* ---- Steps of a group ---- */

#define NO_MEMORY "no memory for the steps of %d ranks"

/*
 * Simulated ranks without data meet, and the last that comes takes the steps of
 * all: the same counts and, addition by addition, the same clocks, but no switch
 * from rank to rank at each step.
 */
struct stepping {
	struct asl_rank *r;
	const struct asl_group *g;
	const struct asl_exchanges *x;
	struct asl_words *all; /* what a ring passes round */
	/* In a flight: the clock of its next message, and whether one has gone out. */
	struct asl_net_stamp link;
	bool flies;
};

/* Nothing but counters and clocks knows of the steps. */
static bool only_counts(const struct asl_rank *r)
{
	return !r->data && asl_net_simulated(r->net) &&
	       asl_phase_counts(r->phase) && !r->overlap && !r->overlaps &&
	       !r->resume && !r->replay && !r->trace && !r->emulator;
}

static struct asl_step begin_step(const struct stepping *m, int i)
{
	struct asl_step x = {
		.to = ASL_NET_NONE,
		.from = ASL_NET_NONE,
		.phase = m->r->phase,
	};

	m->x->before(m->r, i, &x, m->x->arg);
	return x;
}

static void end_step(const struct stepping *m, int i)
{
	if (m->x->after)
		m->x->after(m->r, i, m->x->arg);
}

static bool is_rest(const struct asl_step *x)
{
	return x->to == ASL_NET_NONE && x->from == ASL_NET_NONE;
}

/* The first step from i on in which the rank does anything. */
static int next_step(const struct stepping *m, int i)
{
	const struct asl_exchanges *x = m->x;

	return x->next && i < x->steps ? x->next(m->r, i, x->arg) : i;
}

/*
 * A step of a member, and the member's clock as it sent; and, of a flight, what the clock
 * takes before it comes in.
 */
struct taken {
	int i;
	struct asl_step step;
	struct asl_net_stamp sent, before;
};

static void add_clock(struct asl_net_stamp *to, const struct asl_net_stamp *x)
{
	for (int a = 0; a < ASL_CLOCKS; a++)
		to->at[a] += x->at[a];
}

static void begin_flight(struct stepping *m)
{
	m->link = m->r->clock;
	m->flies = false;
}

/*
 * Steps of a flight go out one after another, however late others are.  What a rank does
 * before a step delays those that go out later, and that come in later.
 */
static void begin_in_flight(struct stepping *m, int i, struct taken *x)
{
	struct asl_rank *r = m->r;
	const struct asl_net_stamp clock = r->clock;

	r->clock = (struct asl_net_stamp){.since = clock.since};
	x->i = i;
	x->step = begin_step(m, i);
	lift(r, &x->step);
	x->before = r->clock;
	r->clock = clock;
	add_clock(&m->link, &x->before);
	x->sent = m->link;
	for (int a = 0; !is_rest(&x->step) && a < ASL_CLOCKS; a++)
		m->link.at[a] +=
			cost_of(r, x->step.phase, words_of(&x->step), a);
}

static void count_in_flight(struct stepping *m, const struct asl_step *x)
{
	struct asl_rank *r = m->r;

	if (!m->flies) {
		count_step(r, x);
	} else {
		count_words(r, x);
		if (r->times)
			asl_spend_work(r, ASL_ON_NETWORK,
				       asl_message_ns(r->times, words_of(x),
						      r->crowded));
	}
	m->flies = true;
}

/* A rank's place in the group.  Around a ring words come from the one before. */
static int place_of(const struct asl_group *g, int rank)
{
	int at = g->me;

	if (!g->list)
		return (rank - g->first) / g->stride;
	do
		at = (at + g->size - 1) % g->size;
	while (g->list[at] != rank && at != g->me);
	return at;
}

/* The sender's part of a step, as the receiver sees it. */
struct outgoing {
	struct asl_net_stamp sent;
	uint64_t count;
	int to;
};

static struct outgoing outgoing(const struct taken *x)
{
	return (struct outgoing){x->sent, x->step.out.count, x->step.to};
}

/* Take a step in, but for its words.  from: the sender's part; NULL: it sends nothing. */
static void come_in(const struct stepping *m, const struct taken *mine,
		    const struct outgoing *from)
{
	const struct asl_step *x = &mine->step;

	if (x->from != ASL_NET_NONE &&
	    (!from || from->to != m->r->id || from->count != x->in.count))
		asl_rank_fail(m->r, -EMSGSIZE,
			      "rank %d does not send the %ju words that rank "
			      "%d expects of it",
			      x->from, x->in.count, m->r->id);
	advance(&m->r->clock, m->r, x, from ? &from->sent : &mine->sent);
	land(m->r, x);
}

static void step_by_step(struct stepping *const *member, int size)
{
	struct taken *all = malloc((size_t)size * sizeof *all);

	if (!all)
		asl_rank_fail(member[0]->r, -ENOMEM, NO_MEMORY, size);
	for (int i = 0; all && i < member[0]->x->steps; i++) {
		for (int j = 0; j < size; j++) {
			all[j].step = begin_step(member[j], i);
			lift(member[j]->r, &all[j].step);
			all[j].sent = member[j]->r->clock;
		}
		for (int j = 0; j < size; j++) {
			const struct stepping *m = member[j];
			const struct asl_step *x = &all[j].step;
			int from = x->from == ASL_NET_NONE
					   ? j
					   : place_of(m->g, x->from);
			struct outgoing sent = outgoing(&all[from]);

			if (!is_rest(x)) {
				count_step(m->r, x);
				come_in(m, &all[j], &sent);
			}
			end_step(m, i);
		}
	}
	free(all);
}

/*
 * A flight of all members, all its steps of one after those of another: what a member has
 * is then looked at again and again, and that of thousands is not in a cache.
 */
struct flight {
	struct stepping *const *member;
	int size, length;     /* members, steps */
	int from;	      /* its first step */
	struct taken *taken;  /* by members, then steps */
	struct outgoing *out; /* of each */
	size_t count, room;
	size_t *first;	 /* [size + 1]: of taken */
	uint64_t *takes; /* [size]: bit i: the member takes step from + i */
};

static bool alloc_flight(struct flight *f)
{
	size_t n = (size_t)f->size;

	f->room = n;
	f->taken = malloc(n * sizeof *f->taken);
	f->out = malloc(n * sizeof *f->out);
	f->first = malloc((n + 1) * sizeof *f->first);
	f->takes = malloc(n * sizeof *f->takes);
	return f->taken && f->out && f->first && f->takes;
}

static void free_flight(struct flight *f)
{
	free(f->taken);
	free(f->out);
	free(f->first);
	free(f->takes);
}

/* Room for a step more.  False: there is no memory. */
static bool make_room(struct flight *f)
{
	size_t room = 2 * f->room;
	struct taken *taken;
	struct outgoing *out;

	if (f->count < f->room)
		return true;
	taken = realloc(f->taken, room * sizeof *taken);
	if (taken)
		f->taken = taken;
	out = realloc(f->out, room * sizeof *out);
	if (out)
		f->out = out;
	if (!taken || !out)
		return false;
	f->room = room;
	return true;
}

static uint64_t bit_of(const struct flight *f, int step)
{
	return (uint64_t)1 << (step - f->from);
}

/* False: there is no memory. */
static bool send_flight(struct flight *f, int j)
{
	struct stepping *m = f->member[j];
	int end = f->from + f->length;

	if (end > m->x->steps)
		end = m->x->steps;
	f->first[j] = f->count;
	f->takes[j] = 0;
	begin_flight(m);
	for (int i = next_step(m, f->from); i < end; i = next_step(m, i + 1)) {
		struct taken *x;

		if (!make_room(f))
			return false;
		x = &f->taken[f->count];
		begin_in_flight(m, i, x);
		if (!is_rest(&x->step))
			count_in_flight(m, &x->step);
		f->takes[j] |= bit_of(f, i);
		f->out[f->count++] = outgoing(x);
	}
	f->first[j + 1] = f->count;
	return true;
}

static const struct outgoing *sender_of(const struct flight *f, int j,
					const struct taken *x)
{
	uint64_t bit = bit_of(f, x->i), takes;
	int from;

	if (x->step.from == ASL_NET_NONE)
		return NULL;
	from = place_of(f->member[j]->g, x->step.from);
	takes = f->takes[from];
	if (!(takes & bit))
		return NULL;
	return &f->out[f->first[from] +
		       (size_t)__builtin_popcountll(takes & (bit - 1))];
}

/* Senders' parts are far apart in memory: all are prefetched first. */
static void receive_flight(const struct flight *f, int j)
{
	struct stepping *m = f->member[j];
	const struct taken *taken = f->taken + f->first[j];
	const struct outgoing *from[ASL_FLIGHT];
	size_t count = f->first[j + 1] - f->first[j];

	for (size_t i = 0; i < count; i++) {
		from[i] = sender_of(f, j, &taken[i]);
		__builtin_prefetch(from[i]);
	}
	for (size_t i = 0; i < count; i++) {
		const struct taken *x = &taken[i];

		add_clock(&m->r->clock, &x->before);
		if (!is_rest(&x->step))
			come_in(m, x, from[i]);
		end_step(m, x->i);
	}
}

/* False: there is no memory. */
static bool fly_together(struct flight *f, int steps)
{
	bool ready = alloc_flight(f);

	for (; ready && f->from < steps; f->from += f->length) {
		f->count = 0;
		for (int j = 0; ready && j < f->size; j++)
			ready = send_flight(f, j);
		for (int j = 0; ready && j < f->size; j++)
			receive_flight(f, j);
	}
	return ready;
}

static void step_in_flights(struct stepping *const *member, int size)
{
	int most = member[0]->x->flight, steps = member[0]->x->steps;
	struct flight f = {
		.member = member,
		.size = size,
		.length = most < steps ? most : steps,
	};

	assert(most <= ASL_FLIGHT);
	if (!fly_together(&f, steps))
		asl_rank_fail(member[0]->r, -ENOMEM, NO_MEMORY, size);
	free_flight(&f);
}

static void step_together(void *const brought[], int size)
{
	struct stepping *const *member = (void *)brought;

	if (member[0]->x->flight)
		step_in_flights(member, size);
	else
		step_by_step(member, size);
}

/* ---- Flights ---- */

/* Then the room of what goes out is free again. */
static void let_out(struct stepping *m, struct asl_net_op *in,
		    const struct taken *x)
{
	struct asl_rank *r = m->r;
	struct asl_net_op out;
	double since = now(r);

	fill_op(in, r, &x->step, &x->sent);
	out = *in;
	in->to = out.from = ASL_NET_NONE;
	if (!r->err)
		asl_rank_stop(r, asl_net_start(r->net, in));
	if (!r->err)
		asl_rank_stop(r, asl_net_start(r->net, &out));
	if (!r->err)
		asl_rank_stop(r, asl_net_wait(r->net, &out));
	if (r->timed)
		asl_time_since(r, ASL_TALKS, since);
}

/* With `count` steps that are still to come in. */
static void take_in(struct stepping *m, struct asl_net_op *op,
		    const struct taken *x, int count)
{
	struct asl_rank *r = m->r;
	double since = now(r);

	finish(r, &x->step, op, count);
	op->to = x->step.to;
	op->sent.since = since;
	if (is_emulated(r, &x->step))
		asl_emulator_step(r, op);
	advance(&r->clock, r, &x->step, &op->got);
	land(r, &x->step);
	if (r->timed)
		asl_time_since(r, ASL_TALKS, since);
}

/* Steps first to end - 1. */
static void fly(struct stepping *m, struct taken *all, struct asl_net_op *op,
		int first, int end)
{
	struct asl_rank *r = m->r;
	int count = 0;

	begin_flight(m);
	for (int i = next_step(m, first); i < end && !r->err;
	     i = next_step(m, i + 1)) {
		struct taken *x = &all[count];

		begin_in_flight(m, i, x);
		if (is_rest(&x->step)) {
			op[count].pending = 0;
			op[count].in_bytes = op[count].out_bytes = 0;
		} else {
			count_in_flight(m, &x->step);
			trace_step(r, &x->step);
			emulate_pool(r);
			let_out(m, &op[count], x);
		}
		count++;
	}
	for (int i = 0; i < count && !r->err; i++) {
		add_clock(&r->clock, &all[i].before);
		if (!is_rest(&all[i].step))
			take_in(m, &op[i], &all[i], count - i);
		end_step(m, all[i].i);
	}
}

/* A rank that meets others needs no room for this, nor the next, on its stack. */
static __attribute__((noinline)) void take_flights(struct stepping *m)
{
	int steps = m->x->steps,
	    most = m->x->flight < steps ? m->x->flight : steps;
	struct taken *all = malloc((size_t)most * sizeof *all);
	struct asl_net_op *op = malloc((size_t)most * sizeof *op);

	if (most && (!all || !op))
		asl_rank_fail(m->r, -ENOMEM, "no memory for %d steps at once",
			      most);
	for (int i = 0; i < steps && !m->r->err; i += most)
		fly(m, all, op, i, most < steps - i ? i + most : steps);
	free(op);
	free(all);
}

/* Words of a disk pass through memory; steps before a restart are not taken again. */
static bool can_fly(const struct stepping *m)
{
	const struct asl_rank *r = m->r;

	return m->x->flight && !r->overlaps && asl_does_moves(r, r->phase) &&
	       !(r->data && asl_store_has_blocks(r->memory[ASL_POOL]));
}

static __attribute__((noinline)) void take_one_by_one(const struct stepping *m)
{
	for (int i = next_step(m, 0); i < m->x->steps && !m->r->err;
	     i = next_step(m, i + 1)) {
		struct asl_step x = begin_step(m, i);

		if (!is_rest(&x))
			do_step(m->r, &x);
		end_step(m, i);
	}
}

static void take_steps(struct stepping *m,
		       void (*together)(void *const brought[], int size))
{
	struct asl_rank *r = m->r;

	if (r->err)
		return;
	if (only_counts(r))
		asl_rank_stop(r, asl_net_meet(r->net, m->g, m, together));
	else if (can_fly(m))
		take_flights(m);
	else
		take_one_by_one(m);
}

void asl_exchange_all(struct asl_rank *r, const struct asl_group *g,
		      const struct asl_exchanges *x)
{
	struct stepping mine = {.r = r, .g = g, .x = x};

	take_steps(&mine, step_together);
}

/* ---- Round a ring ---- */

/* The words of the part that comes in after `steps` steps; 0: its own. */
static struct asl_words part_after(const struct asl_words *all,
				   const struct asl_group *g, int steps)
{
	struct asl_range part = asl_share(all->count, g->size, g->me - steps);

	return asl_slice(all, part.first, part.count);
}

static struct asl_step step_of(const struct asl_rank *r,
			       const struct asl_group *g,
			       const struct asl_words *all, int step)
{
	return (struct asl_step){
		.to = asl_member(g, (g->me + 1) % g->size),
		.from = asl_member(g, (g->me + g->size - 1) % g->size),
		.out = part_after(all, g, step),
		.in = part_after(all, g, step + 1),
		.phase = r->phase,
	};
}

/*
 * By members or parts.  In step s member j exchanges the parts j - s and j - s - 1
 * and so takes what is listed for part j - s; lists of costs go round twice.
 */
struct ring {
	int size;
	struct stepping *const *member;
	uint64_t *part; /* words of each */
	double *cost;	/* of a step, on one clock */
	double *clock;	/* the clock of the member before j, at j */
	double *later;
};

static uint64_t step_words(const struct ring *x, int part)
{
	return asl_max(x->part[part], x->part[(part + x->size - 1) % x->size]);
}

static void pass_clocks(struct ring *x)
{
	int size = x->size;

	for (int s = 0; s < size - 1; s++) {
		const double *restrict cost = x->cost + (size - s) % size;
		const double *restrict from = x->clock;
		double *restrict to = x->later + 1;

		for (int j = 0; j < size; j++)
			to[j] = (from[j] > from[j + 1] ? from[j]
						       : from[j + 1]) +
				cost[j];
		x->later = x->clock;
		x->clock = to - 1;
		*x->clock = to[size - 1];
	}
}

static void pass_clock(struct ring *x, int a)
{
	const struct asl_rank *first = x->member[0]->r;
	int size = x->size;

	for (int i = 0; i < size; i++) {
		x->cost[i] = x->cost[i + size] =
			cost_of(first, first->phase, step_words(x, i), a);
		x->clock[i + 1] = x->member[i]->r->clock.at[a];
	}
	*x->clock = x->clock[size];
	pass_clocks(x);
	for (int i = 0; i < size; i++)
		x->member[i]->r->clock.at[a] = x->clock[i + 1];
}

/*
 * A member's steps take time of its own core alone.  In the last one member j sends the
 * part that member j + 2 began with.
 */
static void pass_work(struct ring *x)
{
	const struct asl_rank *first = x->member[0]->r;
	int size = x->size;

	for (int i = 0; i < size; i++) {
		struct asl_step_work work = asl_step_work(
			first->times, step_words(x, i), first->crowded);

		x->cost[i] = x->cost[i + size] = work.own;
		x->member[(i + size - 2) % size]->r->owed = work.later;
	}
	for (int j = 0; j < size; j++) {
		double ns = x->member[j]->r->spent.ns[ASL_ON_NETWORK];

		for (int s = 0; s < size - 1; s++)
			ns += x->cost[size + j - s];
		x->member[j]->r->spent.ns[ASL_ON_NETWORK] = ns;
	}
}

/* A member sends all parts but the next one's, and receives all but its own. */
static void count_round(struct ring *x)
{
	uint64_t all = 0, steps = 0;

	for (int i = 0; i < x->size; i++) {
		all += x->part[i];
		steps += step_words(x, i);
	}
	for (int j = 0; j < x->size; j++) {
		struct asl_rank *r = x->member[j]->r;
		int next = (j + 1) % x->size;

		asl_counts_add_net(&r->ledger.in[r->phase], all - x->part[next],
				   all - x->part[j],
				   steps - step_words(x, next),
				   (uint64_t)x->size - 1);
	}
}

static int pass_words(struct stepping *const *member, int size)
{
	size_t n = (size_t)size;
	double *room = malloc((4 * n + 2) * sizeof *room);
	struct ring x = {
		.size = size,
		.member = member,
		.part = malloc(n * sizeof *x.part),
		.cost = room,
		.clock = room + 2 * n,
		.later = room + 3 * n + 1,
	};
	int err = room && x.part ? 0 : -ENOMEM;

	for (int i = 0; !err && i < size; i++)
		x.part[i] = asl_share(member[0]->all->count, size, i).count;
	if (!err)
		count_round(&x);
	for (int a = 0; !err && a < ASL_CLOCKS; a++)
		pass_clock(&x, a);
	if (!err && member[0]->r->times)
		pass_work(&x);
	free(room);
	free(x.part);
	return err;
}

/* Words of the pool are charged, too, before a step and after it. */
static void pass_together(void *const brought[], int size)
{
	struct stepping *const *member = (void *)brought;
	bool pool = false;

	for (int i = 0; i < size; i++)
		pool |= member[i]->all->where == ASL_POOL;
	if (pool)
		step_together(brought, size);
	else if (pass_words(member, size))
		asl_rank_fail(member[0]->r, -ENOMEM, NO_MEMORY, size);
}

static void pass_part(struct asl_rank *r, int i, struct asl_step *x, void *arg)
{
	const struct stepping *p = arg;

	*x = step_of(r, p->g, p->all, i);
}

void asl_pass_round(struct asl_rank *r, const struct asl_group *g,
		    struct asl_words *all)
{
	struct stepping mine = {.r = r, .g = g, .all = all};
	struct asl_exchanges x = {
		.steps = g->size - 1,
		.before = pass_part,
		.arg = &mine,
	};

	mine.x = &x;
	take_steps(&mine, pass_together);
}
