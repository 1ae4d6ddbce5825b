/*
 * spread_predict.c -- what taking words to another spread counts, in closed form
 *
 * Apart from spread_move.c on purpose: steps are not gone through, but found from
 * who has words in common; in no order, as sums and maxima need none.
 */
#include "lib/contract/boxes.h"
#include "lib/contract/peers.h"

struct move {
	int rank, ranks;
	const struct asl_spread *to, *from;
	struct asl_run has, gets;
	enum asl_where out, in;
	struct asl_counts *x;
	uint64_t room;
};

static uint64_t sent(const struct move *m, int peer)
{
	struct asl_run theirs = asl_spread_run(m->to, peer);

	return asl_runs_common(&theirs, &m->has);
}

static uint64_t received(const struct move *m, int peer)
{
	struct asl_run theirs = asl_spread_run(m->from, peer);

	return asl_runs_common(&m->gets, &theirs);
}

/* The other one of a step: as far from this rank, on its other side. */
static int opposite(const struct move *m, int peer)
{
	return (2 * m->rank - peer + 2 * m->ranks) % m->ranks;
}

static void count_step(struct move *m, uint64_t out, uint64_t in)
{
	asl_predict_copy(m->x, ASL_DRAM, m->out, out);
	asl_predict_copy(m->x, m->in, ASL_DRAM, in);
	m->x->of[ASL_NET_SEND] += out;
	m->x->of[ASL_NET_RECV] += in;
	m->x->of[ASL_NET_MSGS] += out != 0;
	m->x->of[ASL_BH] += asl_larger(out, in);
	m->room = asl_larger(m->room, out + in);
}

static void count_receiver(int peer, void *arg)
{
	struct move *m = arg;
	uint64_t out = peer == m->rank ? 0 : sent(m, peer);

	if (out)
		count_step(m, out, received(m, opposite(m, peer)));
}

/* Unless the step has been counted for what goes out. */
static void count_sender(int peer, void *arg)
{
	struct move *m = arg;
	uint64_t in = peer == m->rank ? 0 : received(m, peer);

	if (in && !sent(m, opposite(m, peer)))
		count_step(m, 0, in);
}

void asl_predict_copy(struct asl_counts *x, enum asl_where to,
		      enum asl_where from, uint64_t words)
{
	x->of[from == ASL_POOL ? ASL_NVM_LIFT : ASL_BOUNCE_READ] += words;
	x->of[to == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE] += words;
}

uint64_t asl_spread_predict(struct asl_counts *x, int rank, int ranks,
			    const struct asl_spread *to, enum asl_where in,
			    const struct asl_spread *from, enum asl_where out)
{
	struct move m = {.rank = rank,
			 .ranks = ranks,
			 .to = to,
			 .from = from,
			 .has = asl_spread_run(from, rank),
			 .gets = asl_spread_run(to, rank),
			 .out = out,
			 .in = in,
			 .x = x};

	asl_predict_copy(x, in, out, asl_runs_common(&m.gets, &m.has));
	asl_spread_peers(to, &m.has, count_receiver, &m);
	asl_spread_peers(from, &m.gets, count_sender, &m);
	return m.room;
}
