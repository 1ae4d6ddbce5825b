/*
 * message.c -- what a peer sends, through a provider of libfabric that is not there
 *
 * The first byte says how long a message is expected, in words; the others are
 * the message, as it comes from the network, head and all.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "net/ofi.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS = 16, GUARD = 0x5a };

static const uint8_t *sent;
static size_t sent_bytes;
static void *waiting; /* the context of what is received */

/* Providers put into the pieces what fits, and say so if that is not all. */
static ssize_t receive(struct fid_ep *ep, const struct fi_msg_tagged *msg,
		       uint64_t flags)
{
	const uint8_t *from = sent;
	size_t left = sent_bytes;

	(void)ep, (void)flags;
	for (size_t i = 0; i < msg->iov_count; i++) {
		const struct iovec *piece = &msg->msg_iov[i];
		size_t n = left < piece->iov_len ? left : piece->iov_len;

		if (n)
			memcpy(piece->iov_base, from, n);
		from += n;
		left -= n;
	}
	sent_bytes -= left;
	sent = left ? NULL : sent;
	waiting = msg->context;
	return 0;
}

static ssize_t complete(struct fid_cq *cq, void *buf, size_t count)
{
	struct fi_cq_msg_entry *done = buf;

	(void)cq, (void)count;
	if (!sent)
		return -FI_EAVAIL;
	*done = (struct fi_cq_msg_entry){.op_context = waiting,
					 .len = sent_bytes};
	return 1;
}

static ssize_t complain(struct fid_cq *cq, struct fi_cq_err_entry *e,
			uint64_t flags)
{
	(void)cq, (void)flags;
	e->op_context = waiting;
	e->err = FI_ETRUNC;
	return 1;
}

static void receive_words(struct asl_ofi *o, size_t words)
{
	uint8_t in[WORDS * 8 + 8];
	struct asl_net_op op = {
		.to = ASL_NET_NONE,
		.from = 1,
		.in = in,
		.in_bytes = words * 8,
	};
	int err;

	memset(in, GUARD, sizeof in);
	err = asl_net_start(&o->net, &op);
	if (!err)
		err = asl_net_wait(&o->net, &op);
	asl_fuzz_check_said(err, asl_failure());
	if (!err && !sent)
		abort();
	for (size_t i = words * 8; i < sizeof in; i++)
		if (in[i] != GUARD)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fi_ops_tagged tagged = {.recvmsg = receive};
	struct fi_ops_cq looks = {.read = complete, .readerr = complain};
	struct fid_ep ep = {.tagged = &tagged};
	struct fid_cq cq = {.ops = &looks};
	struct asl_ofi_peer peers[2] = {0};
	struct asl_ofi o = {
		.net = {.ops = &asl_net_ofi, .rank = 0, .size = 2},
		.ep = &ep,
		.cq = &cq,
		.peers = peers,
		.receives_most = 1,
	};

	if (!bytes)
		return 0;
	sent = data + 1;
	sent_bytes = bytes - 1;
	receive_words(&o, data[0] % (WORDS + 1));
	return 0;
}
