/*
 * mpi.c -- messages between processes, through MPI
 *
 * A message is a packet with the stamp, the length and up to 56 bytes, and for
 * longer ones a second message with the bytes, received in place.  Each has a
 * tag of its own, so that packets meet packets in order, and the receiver can
 * tell a wrong length from the packet alone.
 *
 * Where ranks outnumber cores, waiting is asking and yielding in turn, because
 * MPI's own waits keep the core that the peer needs; and then napping, as to ask MPI
 * takes long, and all that wait do: the longer, the more they are.
 */
#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/mapped.h"
#include "net/boot.h"
#include "net/load.h"
#include "net/provider.h"

#define SHORT_BYTES 56
#define YIELDS 20
#define NAP_NS 200000
#define RANK_NAP_NS 10000
#define COMM MPI_Comm_f2c(asl_boot_comm())

enum tag { PACKET, BYTES };

struct packet {
	struct asl_net_stamp stamp;
	uint64_t run; /* the secret of this run */
	uint64_t bytes;
	unsigned char data[SHORT_BYTES];
};

/* In op->room, one a side. */
struct half {
	MPI_Request packet_done, bytes_done;
	struct packet packet;
};

static_assert(sizeof(struct half) <= sizeof(((struct asl_net_op *)0)->room[0]),
	      "a half must fit into its room");

struct mpi {
	struct asl_net net;
	struct asl_boot boot;
	bool lost;  /* a peer is */
	int broken; /* the error of every further step */
};

static struct half *out_of(struct asl_net_op *op)
{
	return (struct half *)op->room[0];
}

static struct half *in_of(struct asl_net_op *op)
{
	return (struct half *)op->room[1];
}

static int fail(struct mpi *m, int code)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length;

	asl_mpi.Error_string(code, text, &length);
	m->lost = true;
	m->broken = asl_fail(-ECONNRESET, "MPI: %s", text);
	return m->broken;
}

/* ---- Start ---- */

static int start_in(struct asl_net_op *op)
{
	struct half *h = in_of(op);
	int err = asl_mpi.Irecv(&h->packet, sizeof h->packet, MPI_BYTE,
				op->from, PACKET, COMM, &h->packet_done);

	if (!err && op->in_bytes > SHORT_BYTES)
		err = asl_mpi.Irecv_c(op->in, (MPI_Count)op->in_bytes, MPI_BYTE,
				      op->from, BYTES, COMM, &h->bytes_done);
	return err;
}

static int start_out(const struct mpi *m, struct asl_net_op *op)
{
	struct half *h = out_of(op);
	bool brief = op->out_bytes <= SHORT_BYTES;
	size_t data = brief ? op->out_bytes : 0;
	int err;

	h->packet.stamp = op->sent;
	h->packet.run = m->boot.secret.message;
	h->packet.bytes = op->out_bytes;
	if (data)
		memcpy(h->packet.data, op->out, data);
	err = asl_mpi.Isend(&h->packet,
			    (int)(offsetof(struct packet, data) + data),
			    MPI_BYTE, op->to, PACKET, COMM, &h->packet_done);
	if (!err && !brief)
		err = asl_mpi.Isend_c(op->out, (MPI_Count)op->out_bytes,
				      MPI_BYTE, op->to, BYTES, COMM,
				      &h->bytes_done);
	return err;
}

/* Whoever copies, UCX ends its process at a page that is lost. */
static void touch(const struct asl_net_op *op)
{
	if (op->to != ASL_NET_NONE)
		asl_mapped_touch(op->out, op->out_bytes);
	if (op->from != ASL_NET_NONE)
		asl_mapped_touch(op->in, op->in_bytes);
}

static int mpi_start(struct asl_net *net, struct asl_net_op *op)
{
	struct mpi *m = (struct mpi *)net;
	int code = MPI_SUCCESS;

	if (m->broken)
		return op->err = m->broken;
	touch(op);
	in_of(op)->packet_done = in_of(op)->bytes_done = MPI_REQUEST_NULL;
	out_of(op)->packet_done = out_of(op)->bytes_done = MPI_REQUEST_NULL;
	op->pending = 1;
	if (op->from != ASL_NET_NONE)
		code = start_in(op);
	if (!code && op->to != ASL_NET_NONE)
		code = start_out(m, op);
	return code ? op->err = fail(m, code) : 0;
}

/* ---- Wait ---- */

static void rest(const struct mpi *m, int looks)
{
	if (looks < YIELDS)
		sched_yield();
	else
		asl_boot_nap((looks - YIELDS - 1) / 4, NAP_NS,
			     m->net.mates * (long)RANK_NAP_NS);
}

static int wait_for(struct mpi *m, int count, MPI_Request *requests)
{
	MPI_Status status[3];
	int code, done = 0, looks = 0;

	if (!m->boot.crowded)
		code = asl_mpi.Waitall(count, requests, status);
	else
		while (!(code = asl_mpi.Testall(count, requests, &done,
						status)) &&
		       !done)
			rest(m, looks++);
	return code ? fail(m, code) : 0;
}

/* Check the length first: bytes of another length may never arrive. */
static int open_packet(struct mpi *m, struct asl_net_op *op)
{
	struct half *h = in_of(op);
	int err = wait_for(m, 1, &h->packet_done);

	if (err)
		return err;
	if (h->packet.run != m->boot.secret.message)
		return asl_fail(-ECONNABORTED,
				"rank %d received a message in the name of "
				"rank %d, which is not of this run",
				m->net.rank, op->from);
	if (h->packet.bytes != op->in_bytes)
		return asl_fail(-EMSGSIZE,
				"rank %d sends %zu bytes, but rank %d expects "
				"%zu of it",
				op->from, (size_t)h->packet.bytes, m->net.rank,
				op->in_bytes);
	op->got = h->packet.stamp;
	if (op->in_bytes && op->in_bytes <= SHORT_BYTES)
		memcpy(op->in, h->packet.data, op->in_bytes);
	return 0;
}

static int mpi_wait(struct asl_net *net, struct asl_net_op *op, int count)
{
	struct mpi *m = (struct mpi *)net;
	MPI_Request rest[3];

	(void)count;
	op->pending = 0;
	if (op->err)
		return op->err;
	if (op->from != ASL_NET_NONE)
		op->err = open_packet(m, op);
	rest[0] = in_of(op)->bytes_done;
	rest[1] = out_of(op)->packet_done;
	rest[2] = out_of(op)->bytes_done;
	if (!op->err)
		op->err = wait_for(m, 3, rest);
	if (op->err)
		m->broken = op->err;
	return op->err;
}

/* Completions are left for mpi_wait to handle. */
static bool mpi_ended(struct asl_net *net, struct asl_net_op *op)
{
	MPI_Request request[] = {
		in_of(op)->packet_done,
		in_of(op)->bytes_done,
		out_of(op)->packet_done,
		out_of(op)->bytes_done,
	};
	int done = 1;

	(void)net;
	for (int i = 0; i < 4 && done && !op->err; i++)
		if (asl_mpi.Request_get_status(request[i], &done,
					       MPI_STATUS_IGNORE))
			done = 1;
	return done;
}

static void mpi_abort(struct asl_net *net, int exit_code, const char *why)
{
	struct mpi *m = (struct mpi *)net;

	asl_boot_abort(net->rank, exit_code, why, m->lost);
}

/* ---- A run ---- */

static int mpi_run(const struct asl_net_want *want,
		   int (*body)(struct asl_net *net, void *arg), void *arg)
{
	struct mpi m = {.net.ops = &asl_net_mpi};
	int err = asl_boot_open(&m.boot, want, true);

	if (err)
		return err;
	asl_boot_place(&m.net, &m.boot);
	err = body(&m.net, arg);
	if (m.broken || asl_net_barrier(&m.net))
		asl_boot_abort(m.net.rank, ASL_BOOT_LOST, asl_failure(),
			       m.lost);
	asl_boot_close();
	return err;
}

const struct asl_net_ops asl_net_mpi = {
	.name = "mpi",
	.summary = "processes of a job, over MPI",
	.can = {.joins_job = true},
	.run = mpi_run,
	.start = mpi_start,
	.wait = mpi_wait,
	.ended = mpi_ended,
	.abort = mpi_abort,
};
