/*
 * ofi.c -- messages between processes, through libfabric
 *
 * A message is a tagged one of two pieces, a head with the stamp, and the bytes,
 * received in place.  The tag says which run and which rank it comes from, so
 * that the provider's matching is ours, and messages of strangers stay with it.
 * The head has bits of the run that do not fit into a tag.
 *
 * Most providers move data only while we look at the completion queue.  While
 * each rank has a core it looks without pause for a while, and sleeps then;
 * when ranks outnumber cores it sleeps at once, because the peer it waits for
 * may be waiting for this core.
 */
#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/error.h"

#include "net/ofi.h"

#define LOOKS 20000 /* some milliseconds */
#define YIELDS 10
#define NAP_NS 10000
#define SLEEP_MS 1000 /* a peer's bytes end it; this is for lost wake-ups */
#define INJECT_MAX 256

enum side { OUT, IN };

/* In op->room[side]; the provider hands back the address of the context. */
struct half {
	struct fi_context2 context;
	struct asl_net_op *op;
	struct asl_ofi_head head;
	int side;
};

static_assert(sizeof(struct half) <= sizeof(((struct asl_net_op *)0)->room[0]),
	      "a half must fit into its room");

static struct asl_ofi *ofi_of(struct asl_net *net)
{
	return (struct asl_ofi *)net;
}

static int peer_of(const struct half *h)
{
	return h->side == OUT ? h->op->to : h->op->from;
}

static uint64_t tag_from(const struct asl_ofi *o, int rank)
{
	return o->run | (uint64_t)rank;
}

/* ---- What has happened ---- */

static int wrong_length(const struct asl_ofi *o, const struct half *h,
			size_t bytes)
{
	size_t head = sizeof h->head;

	return asl_fail(-EMSGSIZE,
			"rank %d sends %zu bytes, but rank %d "
			"expects %zu of it",
			h->op->from, bytes - head, o->net.rank,
			h->op->in_bytes);
}

/* It knew the tag, or this is a bug or a fault: there is no going on. */
static int not_ours(const struct asl_ofi *o, const struct half *h, size_t bytes)
{
	return asl_fail(-ECONNABORTED,
			"rank %d received %zu bytes in the name of rank "
			"%d, which are not of this run",
			o->net.rank, bytes, h->op->from);
}

/* Providers do not say by how much. */
static int too_long(const struct asl_ofi *o, const struct half *h)
{
	return asl_fail(-EMSGSIZE,
			"rank %d sends more than the %zu bytes "
			"that rank %d expects of it",
			h->op->from, h->op->in_bytes, o->net.rank);
}

static void finish(struct asl_ofi *o, struct half *h, size_t bytes)
{
	struct asl_net_op *op = h->op;

	op->pending--;
	if (h->side == OUT)
		o->reached[op->to] = true;
	else if (bytes < sizeof h->head ||
		 h->head.run != o->boot.secret.message)
		op->err = not_ours(o, h, bytes);
	else if (bytes != sizeof h->head + op->in_bytes)
		op->err = wrong_length(o, h, bytes);
	else
		op->got = h->head.stamp;
}

static int lose(struct asl_ofi *o, int peer, int cause)
{
	o->lost = true;
	return asl_fail(-ECONNRESET, "lost rank %d: %s", peer,
			fi_strerror(cause));
}

/* Nobody in particular: the provider itself. */
static void give_up(struct asl_ofi *o, int cause)
{
	o->lost = true;
	o->broken = asl_fail(-ECONNRESET, "provider %s: %s", o->net.provider,
			     fi_strerror(cause));
}

static void finish_badly(struct asl_ofi *o)
{
	struct fi_cq_err_entry e = {0};
	struct half *h;

	if (fi_cq_readerr(o->cq, &e, 0) < 0)
		return;
	h = e.op_context;
	e.err = abs(e.err); /* shm's are negative */
	if (!h) {
		give_up(o, e.err);
		return;
	}
	h->op->pending--;
	if (e.err == FI_ETRUNC || e.err == FI_EMSGSIZE)
		h->op->err = too_long(o, h);
	else
		h->op->err = lose(o, peer_of(h), e.err);
}

/*
 * With nothing to sleep on: first let others have the core, then rest, the
 * longer the longer it has been in vain, and the more ranks there are; so that
 * those who wait do not keep those busy that compute.
 */
static void rest(const struct asl_ofi *o, int looks)
{
	int naps = looks - LOOKS - YIELDS;
	long longest = (long)o->net.size * NAP_NS;
	struct timespec nap = {0, NAP_NS};

	if (naps < 0) {
		sched_yield();
		return;
	}
	for (int i = 2; i < naps && nap.tv_nsec < longest; i += 2)
		nap.tv_nsec *= 2;
	nanosleep(&nap, NULL);
}

/* Looks to begin with: as if many had been in vain, where cores are scarce. */
static int patience(const struct asl_ofi *o)
{
	return o->boot.crowded ? LOOKS : 0;
}

/* After so many looks in vain.  Returns whether anything has happened. */
static bool look(struct asl_ofi *o, int looks)
{
	struct fi_cq_msg_entry done[16];
	bool sleep = looks >= LOOKS;
	ssize_t n;

	if (sleep && o->can_block)
		n = fi_cq_sread(o->cq, done, 16, NULL, SLEEP_MS);
	else
		n = fi_cq_read(o->cq, done, 16);
	for (ssize_t i = 0; i < n; i++)
		finish(o, done[i].op_context, done[i].len);
	if (n == -FI_EAVAIL)
		finish_badly(o);
	else if (n == -FI_ENOSYS)
		o->can_block = false;
	else if (n < 0 && n != -FI_EAGAIN && n != -FI_EINTR)
		give_up(o, (int)-n);
	if (sleep && !o->can_block && n < 0)
		rest(o, looks);
	return n > 0;
}

/* ---- A step ---- */

static struct half *half_of(struct asl_net_op *op, enum side side)
{
	struct half *h = (struct half *)op->room[side];

	h->op = op;
	h->side = side;
	return h;
}

static ssize_t post_in(struct asl_ofi *o, struct asl_net_op *op)
{
	struct half *h = half_of(op, IN);
	struct iovec piece[] = {
		{&h->head, sizeof h->head},
		{op->in, op->in_bytes},
	};
	struct fi_msg_tagged msg = {
		.msg_iov = piece,
		.iov_count = op->in_bytes ? 2 : 1,
		.addr = FI_ADDR_UNSPEC,
		.tag = tag_from(o, op->from),
		.context = h,
	};

	return fi_trecvmsg(o->ep, &msg, 0);
}

static struct asl_ofi_head head_of(const struct asl_ofi *o,
				   const struct asl_net_op *op)
{
	return (struct asl_ofi_head){op->sent, o->boot.secret.message};
}

static ssize_t post_out(struct asl_ofi *o, struct asl_net_op *op)
{
	struct half *h = half_of(op, OUT);
	struct iovec piece[] = {
		{&h->head, sizeof h->head},
		{(void *)(uintptr_t)op->out, op->out_bytes},
	};
	struct fi_msg_tagged msg = {
		.msg_iov = piece,
		.iov_count = op->out_bytes ? 2 : 1,
		.addr = o->peers[op->to],
		.tag = tag_from(o, o->net.rank),
		.context = h,
	};

	h->head = head_of(o, op);
	return fi_tsendmsg(o->ep, &msg, FI_COMPLETION);
}

/*
 * Short messages are copied by the provider and done with at once: no
 * completion.  Not to a peer that none has reached so far, because without a
 * connection the copy could still be with us when we end.
 */
static bool can_inject(const struct asl_ofi *o, const struct asl_net_op *op)
{
	size_t bytes = sizeof(struct asl_ofi_head) + op->out_bytes;

	return bytes <= INJECT_MAX && bytes <= o->info->tx_attr->inject_size &&
	       o->reached[op->to] && !o->closing;
}

static ssize_t inject(struct asl_ofi *o, struct asl_net_op *op)
{
	struct asl_ofi_head head = head_of(o, op);
	char whole[INJECT_MAX];
	ssize_t err;

	memcpy(whole, &head, sizeof head);
	if (op->out_bytes)
		memcpy(whole + sizeof head, op->out, op->out_bytes);
	err = fi_tinject(o->ep, whole, sizeof head + op->out_bytes,
			 o->peers[op->to], tag_from(o, o->net.rank));
	if (!err)
		op->pending--;
	return err;
}

static int post(struct asl_ofi *o, struct asl_net_op *op,
		ssize_t (*how)(struct asl_ofi *, struct asl_net_op *), int peer)
{
	int looks = patience(o);
	ssize_t err;

	op->pending++;
	/* No completion tells when there is room again. */
	while ((err = how(o, op)) == -FI_EAGAIN && !o->broken)
		if (!look(o, 0))
			rest(o, looks++);
	if (!err || o->broken)
		return o->broken;
	op->pending--;
	return lose(o, peer, (int)-err);
}

static int ofi_start(struct asl_net *net, struct asl_net_op *op)
{
	struct asl_ofi *o = ofi_of(net);
	int err = o->broken;

	if (!err && op->from != ASL_NET_NONE)
		err = post(o, op, post_in, op->from);
	if (!err && op->to != ASL_NET_NONE)
		err = post(o, op, can_inject(o, op) ? inject : post_out,
			   op->to);
	if (err)
		o->broken = op->err = err;
	return err;
}

static int ofi_wait(struct asl_net *net, struct asl_net_op *op)
{
	struct asl_ofi *o = ofi_of(net);
	int looks = patience(o);

	while (op->pending && !op->err && !o->broken)
		looks = look(o, looks) ? patience(o) : looks + 1;
	if (op->err)
		o->broken = op->err;
	return o->broken;
}

static bool ofi_ended(struct asl_net *net, struct asl_net_op *op)
{
	struct asl_ofi *o = ofi_of(net);

	look(o, 0);
	return !op->pending || op->err || o->broken;
}

static void ofi_abort(struct asl_net *net, int exit_code, const char *why)
{
	asl_boot_abort(net->rank, exit_code, why, ofi_of(net)->lost);
}

/* ---- A run ---- */

/* Nobody leaves before all have come, and all that they sent. */
static void leave_together(struct asl_ofi *o)
{
	o->closing = true;
	if (o->broken || asl_net_barrier(&o->net))
		asl_boot_abort(o->net.rank, ASL_BOOT_LOST, asl_failure(),
			       o->lost);
}

static int ofi_run(const struct asl_net_want *want,
		   int (*body)(struct asl_net *net, void *arg), void *arg)
{
	struct asl_ofi o = {.net.ops = &asl_net_ofi};
	int err = asl_boot_open(&o.boot, want);

	if (err)
		return err;
	asl_boot_place(&o.net, &o.boot);
	err = asl_ofi_meet(&o, want->provider);
	if (err)
		goto leave_job;
	err = body(&o.net, arg);
	leave_together(&o);
	asl_boot_close();
	asl_ofi_part(&o);
	return err;

leave_job:
	asl_boot_close();
	return err;
}

const struct asl_net_ops asl_net_ofi = {
	.name = "ofi",
	.summary = "processes of a job, over libfabric (tcp, shm, verbs, ...)",
	.run = ofi_run,
	.start = ofi_start,
	.wait = ofi_wait,
	.ended = ofi_ended,
	.abort = ofi_abort,
};
