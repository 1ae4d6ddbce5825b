/*
 * pace.c -- words that take as long as on another machine: the waiting
 */
#include "lib/rank/pace.h"

#include <math.h>

#include "lib/machine/ticks.h"
#include "lib/matrix/parts.h"
#include "lib/rank/charge.h"
#include "lib/rank/pace_state.h"

#define SLICE_S 2e-5 /* of ticks, between two looks at the clock */
#define DEBT_PS UINT64_C(1000000)

enum { TURN_BYTES = 1 << 16 };

static uint64_t ps_of(const struct asl_pace *p, double s)
{
	double ps = (s - p->host->begin) * 1e12;

	return ps > 0 ? (uint64_t)ps : 0;
}

static void spin(const struct asl_pace *p, double s)
{
	uint64_t from = asl_ticks();
	uint64_t ticks = (uint64_t)(fmin(s, SLICE_S) * p->ticks_per_s);

	while (asl_ticks() - from < ticks)
		p->rest();
}

/* Returns how late it is. */
static uint64_t wait_until(const struct asl_pace *p, uint64_t due)
{
	uint64_t now;

	while ((now = ps_of(p, asl_now())) < due)
		spin(p, (double)(due - now) * 1e-12);
	return now - due;
}

/* The same, but for a debt that the next request pays. */
static uint64_t wait_or_owe(struct asl_pace *p, uint64_t due)
{
	uint64_t now = ps_of(p, asl_now());

	p->owed = now < due && due - now < DEBT_PS ? due - now : 0;
	return p->owed ? 0 : wait_until(p, due);
}

static void keep_score(struct asl_rank *r, uint64_t took, uint64_t late)
{
	r->seconds.target += (double)took * 1e-12;
	r->seconds.late += (double)late * 1e-12;
}

/* ---- Pool ---- */

void asl_pace_note(struct asl_pace *p, enum asl_counter counter, uint64_t runs,
		   uint64_t run)
{
	uint64_t bytes = run * sizeof(double), line = p->line_bytes;

	if (counter == ASL_NVM_READ || counter == ASL_NVM_LIFT)
		p->bytes[ASL_READS] += runs * bytes;
	if (counter == ASL_NVM_WRITE || counter == ASL_NVM_LAND)
		p->bytes[ASL_WRITES] +=
			runs * ((bytes + line - 1) / line) * line;
}

static uint64_t takes(const struct asl_pace *p, enum asl_direction way,
		      uint64_t bytes)
{
	return (uint64_t)llround(p->byte_ps[way] * (double)bytes);
}

/* Turn by turn, so that nobody waits for all of another's long request. */
static uint64_t serve(struct asl_rank *r, enum asl_direction way,
		      uint64_t bytes, uint64_t due)
{
	struct asl_pace *p = r->pace;

	for (uint64_t part; bytes; bytes -= part) {
		part = asl_least(bytes, TURN_BYTES);
		due = asl_bucket_serve(&p->host->way[way], due,
				       takes(p, way, part));
		wait_or_owe(p, due);
		asl_behind_look(r);
	}
	return due + p->latency_ps[way];
}

void asl_pace_pool(struct asl_rank *r, double since, double booked_until)
{
	struct asl_pace *p = r->pace;
	double talked = r->seconds.comm;
	uint64_t begin = ps_of(p, since) + p->owed, due = begin;
	uint64_t alone = 0, late;

	for (int way = 0; way < ASL_DIRECTIONS; way++) {
		uint64_t bytes = p->bytes[way];

		p->bytes[way] = 0; /* looking behind may end here, too */
		if (!bytes)
			continue;
		due = serve(r, way, bytes, due);
		alone += takes(p, way, bytes) + p->latency_ps[way];
	}
	if (!alone)
		return;
	late = wait_or_owe(p, due);
	asl_book(r, ASL_MOVES,
		 asl_now() - booked_until - (r->seconds.comm - talked));
	keep_score(r, alone, late);
	r->seconds.queued += 1e-12 * ((double)(due - begin) - (double)alone);
}

/* ---- Network ---- */

static size_t bytes_of(const struct asl_net_op *op)
{
	return asl_larger(op->out_bytes, op->in_bytes);
}

static uint64_t begin_of(const struct asl_pace *p, const struct asl_net_op *op)
{
	double here = op->sent.since, there = here;

	if (op->from != ASL_NET_NONE &&
	    p->host_first[op->from] == p->host_first[p->rank])
		there = op->got.since;
	return ps_of(p, fmax(here, there));
}

static uint64_t step_takes(const struct asl_pace *p,
			   const struct asl_net_op *op)
{
	return p->message_ps +
	       (uint64_t)llround(p->net_byte_ps * (double)bytes_of(op));
}

bool asl_pace_has_net(const struct asl_pace *p)
{
	return p->net;
}

void asl_pace_start_behind(struct asl_pace *p)
{
	p->aside_ps = 0;
}

static uint64_t end_behind(const struct asl_pace *p,
			   const struct asl_net_op *op)
{
	return begin_of(p, op) + step_takes(p, op) + p->aside_ps;
}

bool asl_pace_behind_ended(const struct asl_pace *p,
			   const struct asl_net_op *op)
{
	return !p->net || ps_of(p, asl_now()) >= end_behind(p, op);
}

void asl_pace_end_behind(struct asl_pace *p, const struct asl_net_op *op)
{
	if (p->net)
		wait_until(p, end_behind(p, op));
}

/*
 * The score is of steps that say when the other end began, and are long enough
 * for the machine's own latency not to count; not of those behind, which a rank
 * that computes is late to see.
 */
void asl_pace_step(struct asl_rank *r, const struct asl_net_op *op)
{
	struct asl_pace *p = r->pace;
	uint64_t late;

	if (!p->net)
		return;
	late = wait_until(p, begin_of(p, op) + step_takes(p, op));
	p->aside_ps += step_takes(p, op);
	if (op->from != ASL_NET_NONE && bytes_of(op) >= TURN_BYTES)
		keep_score(r, step_takes(p, op), late);
}
