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
 * may be waiting for this core, and who sends it something rings (bell.h).
 *
 * Which provider is best is a list for each of three situations.  All ranks walk
 * down the same list until all of them have opened the same provider: after
 * each try they tell each other how far down they are, and whoever is behind
 * follows.
 */
#include "net/ofi.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/mapped.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"
#include "net/bell.h"
#include "net/load.h"

#define API FI_VERSION(1, 14)
#define SHM_BYTES ((size_t)16 << 20) /* a rank's queues */
#define TAG_BITS 48 /* at least: the rank, and random bits of the run */

/* More ranks need too much of /dev/shm, or too often poll in vain. */
#define SHM_PEERS_MAX 256
#define SHM_CROWD_MAX 32

#define LOOKS 20000 /* some milliseconds */
#define YIELDS 10
#define NAP_NS 10000
#define CROWD_YIELDS 200
#define CROWD_NAP_NS 200000
#define BRIEF 4000	  /* bytes that shm copies into its queues */
#define CROWD_QUEUE 256	  /* messages */
#define QUEUE_PLACE 256	  /* bytes that shm has for a message in its queue, */
#define QUEUE_REST 32768  /* behind it, for replies and what is beside them, */
#define QUEUE_BUFFER 4096 /* and for a message that its place does not hold */
#define BELL_NAP_NS 30000000 /* should a ring be lost */
#define LONG_YIELDS 3	     /* for a message that is not brief */
#define DOUBLINGS 2	     /* of a nap, in which nobody rang */
#define SLEEP_MS 1000	     /* if the provider loses a wake-up */
#define INJECT_MAX 256
#define MEET_S 20 /* a connection, made while both sides look */

/* ---- One provider ---- */

static struct fi_info *hints(const char *provider)
{
	struct fi_info *h = asl_fabric.dupinfo(NULL);

	if (!h)
		return NULL;
	h->caps = FI_TAGGED;
	h->mode = FI_CONTEXT | FI_CONTEXT2;
	h->ep_attr->type = FI_EP_RDM;
	h->tx_attr->msg_order = FI_ORDER_SAS;
	h->rx_attr->msg_order = FI_ORDER_SAS;
	h->domain_attr->threading = FI_THREAD_DOMAIN;
	h->domain_attr->control_progress = FI_PROGRESS_MANUAL;
	h->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	h->domain_attr->mr_mode =
		FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	h->fabric_attr->prov_name = provider ? strdup(provider) : NULL;
	return h;
}

static bool speaks_ip(const char *provider)
{
	static const char *const names[] = {"net", "tcp", "udp", "sockets"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strncmp(provider, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Providers over IP listen on this address only. */
static int get_info(struct asl_ofi *o, const char *provider)
{
	bool here = *o->boot.address && speaks_ip(provider);
	struct fi_info *h = hints(provider);
	int err;

	if (!h)
		return -ENOMEM;
	err = asl_fabric.getinfo(API, here ? o->boot.address : NULL, NULL,
				 here ? FI_SOURCE : 0, h, &o->info);
	asl_fabric.freeinfo(h);
	return err;
}

static int tag_bits(const struct fi_info *info)
{
	uint64_t format = info->ep_attr->mem_tag_format;

	return format ? 64 - __builtin_clzll(format) : 0;
}

static int check_limits(const struct fi_info *info)
{
	const char *name = info->fabric_attr->prov_name;

	if (info->tx_attr->iov_limit < 2 || info->rx_attr->iov_limit < 2)
		return asl_fail(-ENETDOWN,
				"provider %s: takes a message in one piece "
				"only, and ours have two",
				name);
	if (tag_bits(info) < TAG_BITS)
		return asl_fail(-ENETDOWN,
				"provider %s: tags are shorter than %d bits",
				name, TAG_BITS);
	return 0;
}

/* shm says that its queue can block, but it yields: others need the core. */
static int open_queue(struct asl_ofi *o)
{
	struct fi_cq_attr attr = {
		.format = FI_CQ_FORMAT_MSG,
		.wait_obj = FI_WAIT_UNSPEC,
	};
	int err = -FI_ENOSYS;

	if (strcmp(o->info->fabric_attr->prov_name, "shm"))
		err = fi_cq_open(o->domain, &attr, &o->cq, NULL);
	o->can_block = !err;
	if (!err)
		return 0;
	/* Naps must not be prolonged by the kernel's 50 us of slack. */
	prctl(PR_SET_TIMERSLACK, 1000);
	attr.wait_obj = FI_WAIT_NONE;
	return fi_cq_open(o->domain, &attr, &o->cq, NULL);
}

static int open_endpoint(struct asl_ofi *o)
{
	struct fi_av_attr attr = {
		.type = FI_AV_TABLE,
		.count = (size_t)o->boot.size,
	};
	int err = asl_fabric.fabric(o->info->fabric_attr, &o->fabric, NULL);

	if (!err)
		err = fi_domain(o->fabric, o->info, &o->domain, NULL);
	if (!err)
		err = fi_av_open(o->domain, &attr, &o->av, NULL);
	if (!err)
		err = open_queue(o);
	if (!err)
		err = fi_endpoint(o->domain, o->info, &o->ep, NULL);
	if (!err)
		err = fi_ep_bind(o->ep, &o->av->fid, 0);
	if (!err)
		err = fi_ep_bind(o->ep, &o->cq->fid, FI_TRANSMIT | FI_RECV);
	return err ? err : fi_enable(o->ep);
}

/* Random bits that a stranger would have to guess. */
static uint64_t run_of(const struct asl_ofi *o)
{
	uint64_t all = o->boot.secret.tag << ASL_OFI_RANK_BITS;

	return all & ~(uint64_t)0 >> (64 - tag_bits(o->info));
}

static void close_one(struct fid *fid)
{
	if (fid)
		fi_close(fid);
}

void asl_ofi_close(struct asl_ofi *o)
{
	close_one(o->ep ? &o->ep->fid : NULL);
	close_one(o->cq ? &o->cq->fid : NULL);
	close_one(o->av ? &o->av->fid : NULL);
	close_one(o->domain ? &o->domain->fid : NULL);
	close_one(o->fabric ? &o->fabric->fid : NULL);
	if (o->info)
		asl_fabric.freeinfo(o->info);
	o->ep = NULL;
	o->cq = NULL;
	o->av = NULL;
	o->domain = NULL;
	o->fabric = NULL;
	o->info = NULL;
}

static void list_providers(char *at, size_t room)
{
	struct fi_info *h = hints(NULL), *all = NULL;
	size_t used = 0;

	at[0] = '\0';
	if (h && !asl_fabric.getinfo(API, NULL, NULL, 0, h, &all))
		for (struct fi_info *i = all; i && used < room; i = i->next) {
			const char *name = i->fabric_attr->prov_name;
			int n;

			if (strstr(at, name))
				continue;
			n = snprintf(at + used, room - used, "%s%s",
				     used ? ", " : "", name);
			used += n > 0 ? (size_t)n : 0;
		}
	asl_fabric.freeinfo(all);
	asl_fabric.freeinfo(h);
}

static int missing(const char *provider)
{
	char list[256];

	list_providers(list, sizeof list);
	return asl_fail(-ENOENT,
			"libfabric has no provider '%s' for us here, but %s",
			provider, list);
}

/* shm maps files in /dev/shm; if that is full, the kernel kills the process. */
static int check_room(const struct asl_ofi *o, const char *provider)
{
	struct statvfs fs;

	if (strcmp(provider, "shm") || statvfs("/dev/shm", &fs) ||
	    fs.f_bavail * fs.f_frsize >= (size_t)o->boot.size * SHM_BYTES)
		return 0;
	return asl_fail(
		-ENETDOWN,
		"provider shm: /dev/shm has less than %zu MiB left for a rank",
		SHM_BYTES >> 20);
}

int asl_ofi_open(struct asl_ofi *o, const char *provider)
{
	int err = get_info(o, provider);

	if (err)
		return missing(provider);
	err = check_limits(o->info);
	if (!err)
		err = check_room(o, provider);
	if (err)
		goto close;
	err = open_endpoint(o);
	if (err) {
		err = asl_fail(-ENETDOWN, "provider %s: %s", provider,
			       asl_fabric.strerror(-err));
		goto close;
	}
	o->run = run_of(o);
	return 0;

close:
	asl_ofi_close(o);
	return err;
}

enum side { OUT, IN };

/* In op->room[side]; the provider hands back the address of the context. */
struct asl_ofi_half {
	struct fi_context2 context;
	struct asl_net_op *op;
	struct asl_ofi_half *next; /* in its line */
	struct asl_ofi_head head;
	int side;
};

static_assert(sizeof(struct asl_ofi_half) <=
		      sizeof(((struct asl_net_op *)0)->room[0]),
	      "a half must fit into its room");

static struct asl_ofi *ofi_of(struct asl_net *net)
{
	return (struct asl_ofi *)net;
}

static int peer_of(const struct asl_ofi_half *h)
{
	return h->side == OUT ? h->op->to : h->op->from;
}

static uint64_t tag_from(const struct asl_ofi *o, int rank)
{
	return o->run | (uint64_t)rank;
}

/* ---- Completions ---- */

static int wrong_length(const struct asl_ofi *o, const struct asl_ofi_half *h,
			size_t bytes)
{
	return asl_fail(
		-EMSGSIZE,
		"rank %d sends %zu bytes, but rank %d expects %zu of it",
		h->op->from, bytes - sizeof h->head, o->net.rank,
		h->op->in_bytes);
}

/* It has our tag: a forgery, a bug or a fault, and the run must end. */
static int not_ours(const struct asl_ofi *o, const struct asl_ofi_half *h,
		    size_t bytes)
{
	return asl_fail(-ECONNABORTED,
			"rank %d received %zu bytes in the name of rank %d, "
			"which are not of this run",
			o->net.rank, bytes, h->op->from);
}

/* Providers do not say how long it is. */
static int too_long(const struct asl_ofi *o, const struct asl_ofi_half *h)
{
	return asl_fail(-EMSGSIZE,
			"rank %d sends more than the %zu bytes that rank %d "
			"expects of it",
			h->op->from, h->op->in_bytes, o->net.rank);
}

/* Where each rank has a core, it looks without pause, and nobody need ring. */
static bool heeds_bells(const struct asl_ofi *o)
{
	return o->bells && o->boot.crowded;
}

static void ring(const struct asl_ofi *o, int rank)
{
	if (heeds_bells(o))
		asl_bells_ring(o->bells, rank);
}

/*
 * A brief message is there when its sender rings.  A long one its receiver copies out of
 * the sender's memory, and rings when it has; where the kernel forbids that, it may need
 * several looks of either side, for which nobody rings: naps stay short.  In either case
 * sleep does not rely on a ring.
 */
static bool is_brief(const struct asl_net_op *op)
{
	return op->in_bytes <= BRIEF && op->out_bytes <= BRIEF;
}

static void end_half(struct asl_ofi *o, struct asl_ofi_half *h)
{
	h->op->pending--;
	if (h->side == OUT)
		return;
	o->receiving--;
	if (o->window)
		asl_bells_took(o->bells, h->op->from);
	if (h->op->in_bytes > BRIEF)
		ring(o, h->op->from);
}

static void finish(struct asl_ofi *o, struct asl_ofi_half *h, size_t bytes)
{
	struct asl_net_op *op = h->op;

	end_half(o, h);
	if (h->side == OUT)
		o->peers[op->to].reached = true;
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
			asl_fabric.strerror(cause));
}

/* The provider fails, not a particular peer. */
static void give_up(struct asl_ofi *o, int cause)
{
	o->lost = true;
	o->broken = asl_fail(-ECONNRESET, "provider %s: %s", o->net.provider,
			     asl_fabric.strerror(cause));
}

static void finish_badly(struct asl_ofi *o)
{
	struct fi_cq_err_entry e = {0};
	struct asl_ofi_half *h;

	if (fi_cq_readerr(o->cq, &e, 0) < 0)
		return;
	h = e.op_context;
	e.err = abs(e.err); /* shm's are negative */
	if (!h) {
		give_up(o, e.err);
		return;
	}
	end_half(o, h);
	/* If a page is lost, no peer is. */
	asl_mapped_touch(h->op->out, h->op->out_bytes);
	asl_mapped_touch(h->op->in, h->op->in_bytes);
	if (e.err == FI_ETRUNC || e.err == FI_EMSGSIZE)
		h->op->err = too_long(o, h);
	else
		h->op->err = lose(o, peer_of(h), e.err);
}

/* As when a device lost its queue for connections: then all look in vain for ever. */
static bool late(struct asl_ofi *o, int peer)
{
	if (o->meet_by == 0 || asl_now() < o->meet_by)
		return false;
	o->broken = asl_fail(-ENETDOWN,
			     "provider %s: rank %d and rank %d do not reach "
			     "each other within %d s; --provider net may do",
			     o->net.provider, o->net.rank, peer, MEET_S);
	return true;
}

/*
 * For queues that cannot block: yield first, then nap, the longer the longer
 * nothing comes, and the more ranks there are.  Where ranks outnumber cores it
 * yields for long, for what others send at once, and then naps are long: ranks at
 * work keep the cores, and who wakes finds several messages.
 */
static void rest(const struct asl_ofi *o, int looks)
{
	bool crowded = o->boot.crowded;
	int naps = looks - LOOKS - (crowded ? CROWD_YIELDS : YIELDS);
	long longest = (long)o->net.size * NAP_NS;

	if (naps < 0) {
		sched_yield();
		return;
	}
	asl_boot_nap((naps - 1) / 2, crowded ? CROWD_NAP_NS : NAP_NS, longest);
}

/* Rings until brief operations have ended; the peer of a long one waits for each look. */
static int rings(const struct asl_net_op *op, int count)
{
	int more = 0;

	for (int i = 0; i < count && is_brief(&op[i]); i++)
		more += op[i].pending > 0;
	return more ? more : 1;
}

static void await_ring(const struct asl_ofi *o, const struct asl_net_op *op,
		       int count, int looks, uint32_t rung)
{
	bool brief = is_brief(op);
	int naps = looks - LOOKS - (brief ? 0 : LONG_YIELDS);
	long nap = brief ? BELL_NAP_NS : CROWD_NAP_NS;

	if (naps > DOUBLINGS)
		naps = DOUBLINGS;
	if (naps < 0)
		sched_yield();
	else
		asl_bells_sleep(o->bells, rung, rings(op, count), nap << naps);
}

/* Where ranks outnumber cores, do not spin at first. */
static int patience(const struct asl_ofi *o)
{
	return o->boot.crowded ? LOOKS : 0;
}

/* ---- A step ---- */

static struct asl_ofi_half *half_of(struct asl_net_op *op, enum side side)
{
	struct asl_ofi_half *h = (struct asl_ofi_half *)op->room[side];

	h->op = op;
	h->side = side;
	return h;
}

static ssize_t post_in(struct asl_ofi *o, struct asl_net_op *op)
{
	struct asl_ofi_half *h = half_of(op, IN);
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
	struct asl_ofi_half *h = half_of(op, OUT);
	struct iovec piece[] = {
		{&h->head, sizeof h->head},
		{(void *)(uintptr_t)op->out, op->out_bytes},
	};
	struct fi_msg_tagged msg = {
		.msg_iov = piece,
		.iov_count = op->out_bytes ? 2 : 1,
		.addr = o->peers[op->to].address,
		.tag = tag_from(o, o->net.rank),
		.context = h,
	};

	h->head = head_of(o, op);
	return fi_tsendmsg(o->ep, &msg, FI_COMPLETION);
}

/*
 * The provider copies short messages, and reports no completion.  The first
 * message to a peer is not injected: without a connection the copy could still be
 * here when this process ends.
 */
static bool can_inject(const struct asl_ofi *o, const struct asl_net_op *op)
{
	size_t bytes = sizeof(struct asl_ofi_head) + op->out_bytes;

	return bytes <= INJECT_MAX && bytes <= o->info->tx_attr->inject_size &&
	       o->peers[op->to].reached && !o->closing;
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
			 o->peers[op->to].address, tag_from(o, o->net.rank));
	if (!err)
		op->pending--;
	return err;
}

/* ---- Lines ---- */

/*
 * Starting a step does not wait: what the provider has no space for waits in line, one
 * for each peer and one for all receives, and is handed over while this rank looks.
 *
 * Over shm all messages to a rank lie in one queue.  libfabric takes those that nobody
 * receives yet out of it as long as these, and receives in wait, are no more than its
 * length; further ones would keep back those behind them, which the rank may wait for.
 */
static bool has_room(struct asl_ofi *o, int to)
{
	uint32_t must_be_taken = o->peers[to].sent + 1 - o->window;

	return !o->window || asl_bells_taken(o->bells, to, must_be_taken);
}

static ssize_t hand_over(struct asl_ofi *o, struct asl_ofi_half *h)
{
	struct asl_net_op *op = h->op;
	ssize_t err;

	if (h->side == IN ? o->receiving == o->receives_most
			  : !has_room(o, op->to))
		return -FI_EAGAIN;
	if (h->side == IN)
		err = post_in(o, op);
	else
		err = can_inject(o, op) ? inject(o, op) : post_out(o, op);
	if (err == -FI_EAGAIN)
		o->full = true;
	if (err)
		return err;
	if (h->side == IN) {
		o->receiving++;
		return 0;
	}
	o->peers[op->to].sent++;
	ring(o, op->to);
	return 0;
}

/* Returns whether any were handed over. */
static bool advance(struct asl_ofi *o, struct asl_ofi_line *line)
{
	bool any = false;

	while (line->first && !o->broken) {
		struct asl_ofi_half *h = line->first;
		ssize_t err = hand_over(o, h);

		if (err == -FI_EAGAIN)
			break;
		line->first = h->next;
		o->waiting--;
		any = true;
		if (err) {
			h->op->pending--;
			o->broken = h->op->err = lose(o, peer_of(h), (int)-err);
		}
	}
	return any;
}

static bool advance_all(struct asl_ofi *o)
{
	bool any = false;

	o->full = false;
	if (!o->waiting)
		return false;
	for (int i = 0; i < o->net.size; i++)
		any |= advance(o, &o->peers[i].line);
	return advance(o, &o->receives) || any;
}

static void queue_up(struct asl_ofi *o, struct asl_net_op *op, enum side side)
{
	struct asl_ofi_half *h = half_of(op, side);
	struct asl_ofi_line *line =
		side == IN ? &o->receives : &o->peers[op->to].line;

	op->pending++;
	o->waiting++;
	h->next = NULL;
	if (line->first) {
		line->last = line->last->next = h;
		return;
	}
	line->first = line->last = h;
	advance(o, line);
	/* It may wait for all that a line has, and sleep until then. */
	if (line->first && side == OUT && o->bells)
		asl_bells_wake(o->bells, op->to);
}

/*
 * Poll once, after `looks` polls in vain for the first of `count` operations.  Returns
 * whether anything came.
 */
static bool look(struct asl_ofi *o, const struct asl_net_op *op, int count,
		 int looks)
{
	struct fi_cq_msg_entry done[16];
	uint32_t rung = o->bells ? asl_bells_rung(o->bells) : 0;
	bool moved = advance_all(o), sleep = looks >= LOOKS && !moved;
	/* No completion reports that the provider has space again. */
	bool block = o->can_block && !o->full;
	ssize_t n;

	if (sleep && block)
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
	if (sleep && op && heeds_bells(o) && !o->full && n < 0)
		await_ring(o, op, count, looks, rung);
	else if (sleep && !(block && o->can_block) && n < 0)
		rest(o, looks);
	return n > 0 || moved;
}

static int ofi_start(struct asl_net *net, struct asl_net_op *op)
{
	struct asl_ofi *o = ofi_of(net);

	if (!o->broken && op->from != ASL_NET_NONE)
		queue_up(o, op, IN);
	if (!o->broken && op->to != ASL_NET_NONE)
		queue_up(o, op, OUT);
	if (o->broken)
		op->err = o->broken;
	return o->broken;
}

static int ofi_wait(struct asl_net *net, struct asl_net_op *op, int count)
{
	struct asl_ofi *o = ofi_of(net);
	int looks = patience(o);

	while (op->pending && !op->err && !o->broken &&
	       !late(o, op->to != ASL_NET_NONE ? op->to : op->from))
		looks = look(o, op, count, looks) ? patience(o) : looks + 1;
	if (op->err)
		o->broken = op->err;
	return o->broken;
}

/* By shared memory: nobody has to wake for the messages of others. */
static int ofi_barrier(struct asl_net *net)
{
	struct asl_ofi *o = ofi_of(net);
	struct asl_net_op ours = {.pending = 1}; /* for what rings */
	int looks = patience(o);
	uint32_t ticket;

	if (!o->bells || o->closing)
		return -ENOTSUP;
	ticket = asl_bells_arrive(o->bells);
	while (!asl_bells_passed(o->bells, ticket) && !o->broken)
		looks = look(o, &ours, 1, looks) ? patience(o) : looks + 1;
	return o->broken;
}

static bool ofi_ended(struct asl_net *net, struct asl_net_op *op)
{
	struct asl_ofi *o = ofi_of(net);

	look(o, NULL, 0, 0);
	return !op->pending || op->err || o->broken;
}

static void ofi_abort(struct asl_net *net, int exit_code, const char *why)
{
	asl_boot_abort(net->rank, exit_code, why, ofi_of(net)->lost);
}

/* ---- The provider that all ranks can open ---- */

/* `net` is libfabric 1.17's new tcp, which took the old one's name in 1.18. */
static const char *const beside[] = {"shm", "net", "tcp", NULL};
static const char *const many[] = {"net", "tcp", NULL};
static const char *const apart[] = {"verbs;ofi_rxm", "psm3", "psm2",
				    "efa",	     "cxi",  "opx",
				    "net",	     "tcp",  NULL};

static const char *const *best(const struct asl_boot *boot)
{
	if (!boot->one_host)
		return apart;
	if (boot->size > (boot->crowded ? SHM_CROWD_MAX : SHM_PEERS_MAX))
		return many;
	return beside;
}

struct where {
	int choice, err; /* err, why: the worst error of a provider */
	size_t bytes;
	char at[264], why[200];
};

static int open_here(struct asl_ofi *o, const char *provider,
		     struct where *mine)
{
	int err = asl_ofi_open(o, provider);

	if (err)
		return err;
	mine->bytes = sizeof mine->at;
	err = fi_getname(&o->ep->fid, mine->at, &mine->bytes);
	if (!err)
		return 0;
	asl_ofi_close(o);
	return asl_fail(-ENETDOWN, "provider %s: %s", provider,
			asl_fabric.strerror(-err));
}

/* An error in opening a provider says more than its absence. */
static int weight(int err)
{
	return !err ? 0 : err == -ENOENT ? 1 : 2;
}

static void note(struct where *mine, int err)
{
	if (weight(err) <= weight(mine->err))
		return;
	mine->err = err;
	snprintf(mine->why, sizeof mine->why, "%s", asl_failure());
}

/* Open the first provider that works, from mine->choice on. */
static void locate(struct asl_ofi *o, const char *const *list,
		   struct where *mine)
{
	for (; list[mine->choice]; mine->choice++) {
		int err = open_here(o, list[mine->choice], mine);

		if (!err)
			return;
		note(mine, err);
	}
}

/* Have all ranks made the same choice?  Else continue from mine->choice. */
static bool all_agree(struct where *mine, const struct where *all, int size)
{
	bool agree = true;

	for (int i = 0; i < size; i++) {
		agree = agree && all[i].choice == mine->choice;
		if (mine->choice < all[i].choice)
			mine->choice = all[i].choice;
	}
	return agree;
}

/* Rank 0 reports the worst error, and on which rank it occurred. */
static int none_works(const struct where *all, const struct asl_boot *boot)
{
	int who = 0;

	for (int i = 1; i < boot->size; i++)
		if (weight(all[i].err) > weight(all[who].err))
			who = i;
	if (boot->rank)
		return asl_fail(all[who].err, "%s", "");
	if (who)
		return asl_fail(all[who].err, "rank %d: %s", who, all[who].why);
	return asl_fail(all[who].err, "%s", all[who].why);
}

static int meet_on(struct asl_ofi *o, const char *const *list,
		   struct where *all)
{
	struct where mine = {0};

	for (;;) {
		locate(o, list, &mine);
		asl_boot_gather(all, &mine, sizeof mine);
		if (all_agree(&mine, all, o->boot.size))
			break;
		asl_ofi_close(o);
	}
	if (!list[mine.choice])
		return none_works(all, &o->boot);
	asl_forget_failure(); /* providers that did not open do not matter now */
	return 0;
}

static int insert_peers(struct asl_ofi *o, const struct where *all)
{
	for (int i = 0; i < o->boot.size; i++)
		if (fi_av_insert(o->av, all[i].at, 1, &o->peers[i].address, 0,
				 NULL) != 1)
			return asl_fail(
				-ENETDOWN,
				"provider %s: refuses the address of rank %d",
				o->net.provider, i);
	return 0;
}

/*
 * A host that answers over TCP may still not be reached by RDMA.  Every rank sends a
 * message around a ring while all wait for theirs; later a rank may compute.
 */
static int meet_in_ring(struct asl_ofi *o)
{
	static struct asl_net_op op; /* the provider may keep it */
	int rank = o->net.rank, size = o->net.size, err;

	if (size == 1 || speaks_ip(o->net.provider) ||
	    !strcmp(o->net.provider, "shm"))
		return 0;
	op = (struct asl_net_op){
		.to = (rank + 1) % size,
		.from = (rank + size - 1) % size,
	};
	o->meet_by = asl_now() + MEET_S;
	err = asl_net_step(&o->net, &op);
	o->meet_by = 0;
	return err;
}

/* Write to each page what is there, whoever else writes at the same time. */
static void touch_pages(char *at, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < bytes; i += page)
		atomic_fetch_or((_Atomic char *)&at[i], 0);
}

static bool is_of_a_peer(const char *file, const struct where *all, int size)
{
	for (int i = 0; i < size; i++) {
		const char *name = strstr(all[i].at, "://");

		if (name && !strcmp(file, name + 3))
			return true;
	}
	return false;
}

/*
 * A rank maps the queues of all others, and where ranks share cores their pages would be
 * found missing one by one, over many repetitions: above all when they are first written,
 * in a guest whose host keeps page tables of its own.
 */
static void touch_queues(const struct asl_ofi *o, const struct where *all)
{
	FILE *maps = o->boot.crowded ? fopen("/proc/self/maps", "re") : NULL;
	size_t bytes = o->info->rx_attr->size * QUEUE_PLACE + QUEUE_REST +
		       (size_t)o->net.size * QUEUE_BUFFER;
	char line[512], file[256];
	uintptr_t from, to;

	while (maps && fgets(line, sizeof line, maps))
		if (sscanf(line,
			   "%" SCNxPTR "-%" SCNxPTR " rw-s %*s %*s %*s "
			   "/dev/shm/%255s",
			   &from, &to, file) == 3 &&
		    is_of_a_peer(file, all, o->net.size))
			touch_pages((char *)from, asl_min(bytes, to - from));
	if (maps)
		fclose(maps);
}

/*
 * The shm provider leaves a file in /dev/shm when its process is killed.  Once
 * all ranks have mapped all files, which a message each way ensures, remove the
 * names, so that nothing can stay behind.
 */
static int forget_files(struct asl_ofi *o, const struct where *all)
{
	const char *name = strstr(all[o->net.rank].at, "://");
	int rank = o->net.rank, size = o->net.size, err = 0;

	if (strcmp(o->net.provider, "shm") || !name)
		return 0;
	for (int far = 1; far < size && !err; far++) {
		struct asl_net_op op = {
			.to = (rank + far) % size,
			.from = (rank + size - far) % size,
		};

		err = asl_net_step(&o->net, &op);
	}
	if (!err)
		touch_queues(o, all);
	if (!err)
		err = asl_net_barrier(&o->net);
	if (!err)
		shm_unlink(name + 3);
	return err;
}

/*
 * The provider that rank 0 was asked for, or "".  libfabric itself reads
 * FI_PROVIDER as a filter; a single name there is taken as --provider.
 */
static void wanted(char *name, size_t room, const char *provider)
{
	const char *filter = getenv("FI_PROVIDER");

	if (!provider && filter && !strpbrk(filter, ",^"))
		provider = filter;
	memset(name, 0, room);
	snprintf(name, room, "%s", provider ? provider : "");
	asl_boot_share(name, room);
}

static void set_unless_set(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%ju", value);
	setenv(name, text, 0);
}

/*
 * rxm, between verbs and us.  It sizes its completion queue for 256 peers unless
 * it is told how many there are; that is more than some devices, as soft-RoCE,
 * have room for.  And it would register long messages where they lie, which the
 * kernel refuses for files on DAX: segments of any message go through buffers
 * that it registers once, a copy on each side, as over tcp.
 */
static void tell_rxm(int ranks)
{
	set_unless_set("FI_UNIVERSE_SIZE", (uint64_t)ranks);
	set_unless_set("FI_OFI_RXM_SAR_LIMIT", UINT64_C(1) << 40);
}

/*
 * shm, where ranks share cores.  Every rank maps the queues of all others, and one goes
 * round, so that each rank touches all pages of all of them: short ones stay in caches.
 */
static void tell_shm(const struct asl_ofi *o)
{
	if (heeds_bells(o))
		set_unless_set("FI_SHM_RX_SIZE", CROWD_QUEUE);
}

/* Half of shm's queue is for receives, and each peer has its share of the other. */
static void share_queue(struct asl_ofi *o)
{
	size_t half = asl_max(o->info->rx_attr->size / 2, 1);

	if (strcmp(o->net.provider, "shm")) {
		asl_bells_close(o->bells);
		o->bells = NULL;
		o->receives_most = SIZE_MAX;
		return;
	}
	o->receives_most = half;
	if (o->bells)
		o->window = (uint32_t)asl_max(half / (size_t)o->net.size, 1);
}

/* On failure, too, the caller closes and frees what *o has. */
static int join(struct asl_ofi *o, const char *provider)
{
	char name[128];
	const char *const one[] = {name, NULL};
	size_t size = (size_t)o->boot.size;
	struct where *all = calloc(size, sizeof *all);
	struct asl_signal_actions actions;
	int err;

	if (o->boot.one_host)
		o->bells = asl_bells_open(&o->boot);
	tell_shm(o);
	tell_rxm(o->boot.size);
	err = asl_load_fabric();
	o->peers = calloc(size, sizeof *o->peers);
	if (!err && (!all || !o->peers))
		err = asl_fail(-ENOMEM, "no memory for %zu peers", size);
	err = asl_boot_agree(&o->boot, err);
	if (err)
		goto end;
	wanted(name, sizeof name, provider);
	asl_signal_actions_keep(&actions);
	err = meet_on(o, *name ? one : best(&o->boot), all);
	asl_signal_actions_restore(&actions);
	if (err)
		goto end;
	o->net.provider = o->info->fabric_attr->prov_name;
	share_queue(o);
	err = asl_boot_agree(&o->boot, insert_peers(o, all));
	if (!err)
		err = asl_boot_agree(&o->boot, meet_in_ring(o));
	/* From here on a rank may wait for a message, and cannot agree. */
	if (!err && forget_files(o, all))
		asl_boot_abort(o->net.rank, ASL_BOOT_FAILED, asl_failure(),
			       o->lost);
end:
	free(all);
	return err;
}

/* ---- A run ---- */

/* Wait until all messages of all ranks have arrived. */
static void meet_at_end(struct asl_ofi *o)
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
	int err = asl_boot_open(&o.boot, want, false);

	if (err)
		return err;
	asl_boot_place(&o.net, &o.boot);
	err = join(&o, want->provider);
	if (!err) {
		err = body(&o.net, arg);
		meet_at_end(&o);
	}
	asl_boot_close();
	asl_ofi_close(&o);
	asl_bells_close(o.bells);
	free(o.peers);
	return err;
}

const struct asl_net_ops asl_net_ofi = {
	.name = "ofi",
	.summary = "processes of a job, over libfabric (tcp, shm, verbs, ...)",
	.can = {.joins_job = true, .takes_provider = true},
	.run = ofi_run,
	.start = ofi_start,
	.wait = ofi_wait,
	.ended = ofi_ended,
	.barrier = ofi_barrier,
	.abort = ofi_abort,
};
