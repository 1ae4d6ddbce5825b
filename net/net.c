/*
 * net.c -- the table of transports, and what is the same on all of them
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "net/provider.h"

static const struct asl_net_ops *const transports[] = {
	&asl_net_sim,
	&asl_net_ofi,
	&asl_net_mpi,
};

#define TRANSPORTS (sizeof transports / sizeof transports[0])

static const struct asl_net_ops *find(const char *name)
{
	for (size_t i = 0; i < TRANSPORTS; i++)
		if (name && !strcmp(transports[i]->name, name))
			return transports[i];
	return NULL;
}

const char *const *asl_net_transports(void)
{
	static const char *names[TRANSPORTS + 1];

	for (size_t i = 0; i < TRANSPORTS; i++)
		names[i] = transports[i]->name;
	return names;
}

const struct asl_net_traits *asl_net_can(const char *name)
{
	static const struct asl_net_traits nothing;
	const struct asl_net_ops *ops = find(name);

	return ops ? &ops->can : &nothing;
}

bool asl_net_simulated(const struct asl_net *net)
{
	return net->ops->can.simulated;
}

const char *asl_net_transport_summary(const char *name)
{
	const struct asl_net_ops *ops = find(name);

	return ops ? ops->summary : "";
}

int asl_net_run(const struct asl_net_want *want,
		int (*body)(struct asl_net *net, void *arg), void *arg)
{
	const struct asl_net_ops *ops = find(want->transport);
	char names[128] = "";

	asl_forget_failure();
	for (size_t i = 0; i < TRANSPORTS; i++)
		sprintf(names + strlen(names), "%s%s", i ? ", " : "",
			transports[i]->name);
	if (!ops)
		return asl_fail(-ENOENT, "there is no transport '%s', only %s",
				want->transport ? want->transport : "", names);
	return ops->run(want, body, arg);
}

int asl_net_rank(const struct asl_net *net)
{
	return net->rank;
}

int asl_net_size(const struct asl_net *net)
{
	return net->size;
}

const char *asl_net_provider(const struct asl_net *net)
{
	return net->provider ? net->provider : "";
}

int asl_net_host_rank(const struct asl_net *net)
{
	return net->host_rank;
}

int asl_net_host_first(const struct asl_net *net)
{
	return net->host_first;
}

double asl_net_core(const struct asl_net *net)
{
	return net->core;
}

int asl_net_mate(const struct asl_net *net, int *mates)
{
	*mates = net->mates;
	return net->mate;
}

static int check_peer(const struct asl_net *net, int peer)
{
	if (peer == ASL_NET_NONE || (peer >= 0 && peer < net->size))
		return 0;
	return asl_fail(-EINVAL, "there is no rank %d, only 0 to %d", peer,
			net->size - 1);
}

static int check_data(const struct asl_net *net, const struct asl_net_op *op)
{
	bool out = op->to == ASL_NET_NONE || !op->out_bytes || op->out;
	bool in = op->from == ASL_NET_NONE || !op->in_bytes || op->in;

	if (net->ops->can.carries_null || (out && in))
		return 0;
	return asl_fail(-EINVAL, "%s: a message without data", net->ops->name);
}

int asl_net_start(struct asl_net *net, struct asl_net_op *op)
{
	int err = check_peer(net, op->to);

	if (!err)
		err = check_peer(net, op->from);
	if (!err)
		err = check_data(net, op);
	op->owner = net;
	op->handle[0] = op->handle[1] = NULL;
	op->pending = 0;
	op->err = err;
	if (err || (op->to == ASL_NET_NONE && op->from == ASL_NET_NONE))
		return err;
	return net->ops->start(net, op);
}

int asl_net_wait(struct asl_net *net, struct asl_net_op *op)
{
	return asl_net_wait_of(net, op, 1);
}

int asl_net_wait_of(struct asl_net *net, struct asl_net_op *op, int count)
{
	if (!op->pending)
		return op->err;
	return net->ops->wait(net, op, count);
}

int asl_net_meet(struct asl_net *net, const struct asl_group *group, void *mine,
		 void (*all)(void *const brought[], int size))
{
	return net->ops->meet(net, group, mine, all);
}

bool asl_net_ended(struct asl_net *net, struct asl_net_op *op)
{
	return !op->pending || net->ops->ended(net, op);
}

void asl_net_abort(struct asl_net *net, int exit_code, const char *reason)
{
	net->ops->abort(net, exit_code, reason);
}

/* ---- Uncounted collectives ---- */

/* In binomial trees from rank 0 the parent of r is r without its lowest bit. */

static int send_to(struct asl_net *net, int to, const void *out, size_t bytes)
{
	struct asl_net_op op = {
		.to = to,
		.from = ASL_NET_NONE,
		.out = out,
		.out_bytes = bytes,
	};

	return asl_net_step(net, &op);
}

static int receive_from(struct asl_net *net, int from, void *in, size_t bytes)
{
	struct asl_net_op op = {
		.to = ASL_NET_NONE,
		.from = from,
		.in = in,
		.in_bytes = bytes,
	};

	return asl_net_step(net, &op);
}

/* Dissemination: after round k a rank knows of the 2^k before it. */
static int barrier_by_messages(struct asl_net *net)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0;

	for (long far = 1; far < size && !err; far *= 2) {
		struct asl_net_op op = {
			.to = (int)((rank + far) % size),
			.from = (int)((rank - far + size) % size),
		};

		err = asl_net_step(net, &op);
	}
	return err;
}

/* Simulated ranks take turns: the fewest messages are best, up a tree and down. */
int asl_net_barrier(struct asl_net *net)
{
	int err = -ENOTSUP;

	if (asl_net_simulated(net))
		return asl_net_agree(net, 0, NULL);
	if (net->ops->barrier)
		err = net->ops->barrier(net);
	return err == -ENOTSUP ? barrier_by_messages(net) : err;
}

/* The distance from which `rank` is reached in a tree of `size` ranks. */
static long reach(int rank, int size)
{
	long far = 1;

	while (far < size && !(rank & far))
		far *= 2;
	return far;
}

int asl_net_share(struct asl_net *net, void *at, size_t bytes)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0;
	long far = reach(rank, size);

	if (rank)
		err = receive_from(net, (int)(rank - far), at, bytes);
	for (far /= 2; far && !err; far /= 2)
		if (rank + far < size)
			err = send_to(net, (int)(rank + far), at, bytes);
	return err;
}

int asl_net_collect(struct asl_net *net, void *all, const void *mine,
		    size_t bytes)
{
	int size = asl_net_size(net), err = 0;
	char *at = all;

	if (asl_net_rank(net))
		return send_to(net, 0, mine, bytes);
	if (bytes)
		memcpy(at, mine, bytes);
	for (int from = 1; from < size && !err; from++)
		err = receive_from(net, from, at + (size_t)from * bytes, bytes);
	return err;
}

struct said {
	int what, who;
};

/* Up the tree of asl_net_share, to rank 0. */
static int first_said(struct asl_net *net, struct said *first)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0;
	long end = reach(rank, size);

	for (long far = 1; far < end && rank + far < size && !err; far *= 2) {
		struct said other = {0};

		err = receive_from(net, (int)(rank + far), &other,
				   sizeof other);
		if (!first->what)
			*first = other;
	}
	if (!err && rank)
		err = send_to(net, (int)(rank - end), first, sizeof *first);
	return err;
}

int asl_net_agree(struct asl_net *net, int mine, int *who)
{
	struct said first = {.what = mine, .who = asl_net_rank(net)};
	int err = first_said(net, &first);

	if (!err)
		err = asl_net_share(net, &first, sizeof first);
	if (err)
		return err;
	if (first.what && first.who != asl_net_rank(net) &&
	    !net->ops->can.simulated)
		asl_forget_failure();
	if (who)
		*who = first.what ? first.who : ASL_NET_NONE;
	return first.what;
}
