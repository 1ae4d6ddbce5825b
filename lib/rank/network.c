/*
 * network.c -- verbs on messages: a step out, a step in, or both at once
 */
#include "lib/matrix/parts.h"
#include "lib/rank/charge.h"
#include "lib/rank/rank.h"

static double later(double a, double b)
{
	return a > b ? a : b;
}

/*
 * A step's clock: max(own, the sender's before it sent) + alpha + beta x.  Steps
 * that overlap share one link: the next moves its words when the last has.
 */
static void advance(struct asl_rank *r, const struct asl_step *step)
{
	if (!asl_phase_counts(step->phase))
		return;
	for (int a = 0; a < ASL_ACCOUNTINGS; a++) {
		double from = later(step->begun.at[a], r->link.at[a]);

		if (step->op.from != ASL_NET_NONE)
			from = later(from, step->op.got.at[a]);
		from += r->rates[a].of[ASL_NET_MSGS] +
			r->rates[a].of[ASL_BH] * (double)step->words;
		r->link.at[a] = from;
		r->clock.at[a] = later(r->clock.at[a], from);
	}
}

static void count_step(struct asl_rank *r, uint64_t sent, uint64_t received,
		       bool sends)
{
	struct asl_counts *counts = &r->ledger.in[r->phase];

	counts->of[ASL_NET_SEND] += sent;
	counts->of[ASL_NET_RECV] += received;
	counts->of[ASL_BH] += asl_larger(sent, received);
	counts->of[ASL_NET_MSGS] += sends;
}

void asl_exchange_start(struct asl_rank *r, struct asl_step *step, int to,
			const struct asl_words *out, int from,
			struct asl_words *in)
{
	uint64_t sent = out ? out->count : 0, received = in ? in->count : 0;
	double since;
	int err;

	if (r->err)
		return;
	if (out && out->where == ASL_POOL)
		asl_charge(r, ASL_NVM_LIFT, sent);
	count_step(r, sent, received, out);
	*step = (struct asl_step){
		.op = {.to = out ? to : ASL_NET_NONE,
		       .from = in ? from : ASL_NET_NONE,
		       .out = out ? out->at : NULL,
		       .in = in ? in->at : NULL,
		       .out_bytes = sent * sizeof(double),
		       .in_bytes = received * sizeof(double),
		       .sent = r->clock},
		.words = asl_larger(sent, received),
		.phase = r->phase,
		.begun = r->clock,
	};
	if (in)
		step->in = *in;
	since = r->timed ? asl_now() : 0;
	err = asl_net_start(r->net, &step->op);
	if (err)
		asl_rank_fail(r, err, "%s", asl_net_why());
	if (r->timed)
		asl_spent(r, ASL_TALKS, since);
}

void asl_exchange_end(struct asl_rank *r, struct asl_step *step)
{
	enum asl_phase phase = r->phase;
	double since;
	int err;

	if (r->err)
		return;
	since = r->timed ? asl_now() : 0;
	err = asl_net_wait(r->net, &step->op);
	if (err) {
		asl_rank_fail(r, err, "%s", asl_net_why());
		return;
	}
	/* Charged to the phase that it was begun in. */
	r->phase = step->phase;
	advance(r, step);
	if (step->op.from != ASL_NET_NONE && step->in.where == ASL_POOL) {
		asl_charge(r, ASL_NVM_LAND, step->in.count);
		asl_store_settle(r->memory[ASL_POOL], step->in.at,
				 step->in.count);
	}
	if (r->timed)
		asl_spent(r, ASL_TALKS, since);
	r->phase = phase;
}

void asl_exchange(struct asl_rank *r, int to, const struct asl_words *out,
		  int from, struct asl_words *in)
{
	struct asl_step step;

	asl_exchange_start(r, &step, to, out, from, in);
	asl_exchange_end(r, &step);
}

void asl_send(struct asl_rank *r, int to, const struct asl_words *out)
{
	asl_exchange(r, to, out, ASL_NET_NONE, NULL);
}

void asl_recv(struct asl_rank *r, int from, struct asl_words *in)
{
	asl_exchange(r, ASL_NET_NONE, NULL, from, in);
}
