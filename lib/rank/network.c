/*
 * network.c -- verbs on messages: a step out, a step in, or both at once; now,
 * or behind what the rank computes
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/rank/emulate.h"
#include "lib/rank/rank.h"
#include "lib/rank/replay.h"
#include "lib/rank/verbs.h"

static double later(double a, double b)
{
	return a > b ? a : b;
}

/* ---- A step ---- */

struct asl_step {
	int to, from; /* ASL_NET_NONE: nothing goes out, nothing comes in */
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
}

static void lift(struct asl_rank *r, const struct asl_step *x)
{
	asl_replay_words(asl_replay_of(r), &x->out, false);
	if (x->out.where == ASL_POOL)
		asl_charge(r, ASL_NVM_LIFT, x->out.count);
}

static void land(struct asl_rank *r, const struct asl_step *x)
{
	asl_replay_words(asl_replay_of(r), &x->in, true);
	if (x->in.where == ASL_POOL)
		asl_charge(r, ASL_NVM_LAND, x->in.count);
}

static double now(const struct asl_rank *r)
{
	return r->timed ? asl_now() : 0;
}

/* What moves now, and not with the message. */
static void keep_pace(struct asl_rank *r)
{
	double since = now(r);

	if (r->pace)
		asl_emulator_pool(r, since, since);
}

/* Begins now. */
static struct asl_net_op op_of(const struct asl_rank *r,
			       const struct asl_step *x,
			       const struct asl_net_stamp *clock)
{
	struct asl_net_op op = {
		.to = x->to,
		.from = x->from,
		.out = r->data ? x->out.at : NULL,
		.in = r->data ? x->in.at : NULL,
		.out_bytes = x->out.count * sizeof(double),
		.in_bytes = x->in.count * sizeof(double),
		.sent = *clock,
	};

	op.sent.since = now(r);
	return op;
}

/* The cost of a step on the clock, alpha + beta x; 0 in phases without one. */
static double cost_of(const struct asl_rank *r, const struct asl_step *x, int a)
{
	if (!asl_phase_counts(x->phase))
		return 0;
	return r->rates[a].of[ASL_NET_MSGS] +
	       r->rates[a].of[ASL_BH] * (double)words_of(x);
}

/* max(own, the sender's before it sent) + alpha + beta x. */
static void advance(struct asl_net_stamp *clock, const struct asl_rank *r,
		    const struct asl_step *x, const struct asl_net_op *op)
{
	if (!asl_phase_counts(x->phase))
		return;
	for (int a = 0; a < ASL_ACCOUNTINGS; a++) {
		if (x->from != ASL_NET_NONE)
			clock->at[a] = later(clock->at[a], op->got.at[a]);
		clock->at[a] += cost_of(r, x, a);
	}
}

static void start(struct asl_rank *r, struct asl_net_op *op)
{
	int err = asl_net_start(r->net, op);

	if (err)
		asl_rank_fail(r, err, "%s", asl_failure());
}

static void finish(struct asl_rank *r, const struct asl_step *x,
		   struct asl_net_op *op)
{
	int err;

	if (r->err)
		return;
	err = asl_net_wait(r->net, op);
	if (err) {
		asl_rank_fail(r, err, "%s", asl_failure());
		return;
	}
	if (x->in.where == ASL_POOL && x->from != ASL_NET_NONE)
		asl_store_settle(r->memory[ASL_POOL], x->in.at, x->in.count);
}

/* A step that costs something; and has arrived, if it has not failed. */
static bool has_pace(const struct asl_rank *r, const struct asl_step *x)
{
	return r->pace && !r->err && asl_phase_counts(x->phase);
}

/* ---- Behind ---- */

struct asl_overlap {
	struct asl_step *step;
	int count, room;
	int next;	/* the first that has not ended */
	bool under_way; /* it has been started */
	struct asl_net_op op;
	struct asl_net_stamp link;  /* when the last one ended */
	struct asl_net_stamp aside; /* that steps in front took meanwhile */
};

void asl_overlap_begin(struct asl_rank *r)
{
	if (r->err)
		return;
	if (!r->behind)
		r->behind = calloc(1, sizeof *r->behind);
	if (!r->behind) {
		asl_rank_fail(r, -ENOMEM, "no memory for a step's record");
		return;
	}
	if (!r->behind->count)
		r->behind->link = r->clock;
	r->notes_steps = true;
}

void asl_overlap_end(struct asl_rank *r)
{
	r->notes_steps = false;
	asl_overlap_poll(r);
}

static void note_step(struct asl_rank *r, const struct asl_step *x)
{
	struct asl_overlap *b = r->behind;

	if (b->count == b->room) {
		int room = b->room ? 2 * b->room : 16;
		struct asl_step *more =
			realloc(b->step, (size_t)room * sizeof *more);

		if (!more) {
			asl_rank_fail(r, -ENOMEM,
				      "no memory for %d steps' records", room);
			return;
		}
		b->step = more;
		b->room = room;
	}
	b->step[b->count++] = *x;
	/* The memory is the rank's own, and works for one thing at a time. */
	lift(r, x);
	land(r, x);
	keep_pace(r);
}

static void start_next(struct asl_rank *r)
{
	struct asl_overlap *b = r->behind;

	b->op = op_of(r, &b->step[b->next], &b->link);
	b->under_way = true;
	if (r->pace)
		asl_emulator_start_overlap(r->pace);
	start(r, &b->op);
}

static void end_next(struct asl_rank *r)
{
	struct asl_overlap *b = r->behind;
	const struct asl_step *x = &b->step[b->next];

	finish(r, x, &b->op);
	if (has_pace(r, x))
		asl_emulator_end_overlap(r->pace, &b->op);
	advance(&b->link, r, x, &b->op);
	b->under_way = false;
	b->next++;
}

static bool has_ended(struct asl_rank *r)
{
	const struct asl_overlap *b = r->behind;

	if (!asl_net_ended(r->net, &r->behind->op))
		return false;
	return !has_pace(r, &b->step[b->next]) ||
	       asl_emulator_overlap_ended(r->pace, &b->op);
}

bool asl_overlap_poll(struct asl_rank *r)
{
	struct asl_overlap *b = r->behind;
	double since;

	if (!b || r->err)
		return false;
	since = now(r);
	while (!r->err && b->next < b->count) {
		if (!b->under_way)
			start_next(r);
		if (r->err || !has_ended(r))
			break;
		end_next(r);
	}
	if (r->timed)
		asl_time_since(r, ASL_TALKS, since);
	return b->next < b->count;
}

/* What was sent in front kept the link from what was sent behind. */
void asl_overlap_wait(struct asl_rank *r)
{
	struct asl_overlap *b = r->behind;
	double since;

	if (!b)
		return;
	since = now(r);
	while (!r->err && b->next < b->count) {
		if (!b->under_way)
			start_next(r);
		end_next(r);
	}
	if (r->timed)
		asl_time_since(r, ASL_TALKS, since);
	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		r->clock.at[a] =
			later(r->clock.at[a], b->link.at[a] + b->aside.at[a]);
	free(b->step);
	free(b);
	r->behind = NULL;
}

/* ---- In front ---- */

static void take_step(struct asl_rank *r, const struct asl_step *x)
{
	struct asl_net_op op;

	lift(r, x);
	keep_pace(r);
	op = op_of(r, x, &r->clock);
	start(r, &op);
	finish(r, x, &op);
	if (has_pace(r, x))
		asl_emulator_step(r, &op);
	advance(&r->clock, r, x, &op);
	land(r, x);
	for (int a = 0; r->behind && a < ASL_ACCOUNTINGS; a++)
		r->behind->aside.at[a] += cost_of(r, x, a);
	if (r->timed)
		asl_time_since(r, ASL_TALKS, op.sent.since);
}

/* It has been taken before; when the sender did so, nobody remembers. */
static void pass_step(struct asl_rank *r, const struct asl_step *x)
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
		pass_step(r, &x);
	else if (r->notes_steps)
		note_step(r, &x);
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
